// Chooses the loops of an instruction set.
#include "skin/surface_loops.h"

dlp_surface_loops dlp_surface_loops_of(dlp_target target)
{
#if defined(DLP_HAVE_AVX2_PAIRS)
    if (target == DLP_TARGET_AVX2)
        return (dlp_surface_loops){.collect = dlp_collect_avx2,
                                   .sum_nodes = dlp_sum_nodes_avx2,
                                   .sum_stretched = dlp_sum_stretched_avx2,
                                   .sum_points = dlp_sum_points_avx2,
                                   .sweep = dlp_sweep_avx2,
                                   .curvature = dlp_curvature_avx2};
#else
    (void)target;
#endif
    return (dlp_surface_loops){.collect = dlp_collect_plain,
                               .sum_nodes = dlp_sum_nodes_plain,
                               .sum_stretched = dlp_sum_stretched_plain,
                               .sum_points = dlp_sum_points_plain,
                               .sweep = dlp_sweep_plain,
                               .curvature = dlp_curvature_plain};
}
