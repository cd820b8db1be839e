#include "skin/kernels.h"

dlp_skin_loops dlp_skin_loops_of(dlp_target target)
{
#if defined(DLP_HAVE_AVX2_PAIRS)
    if (target == DLP_TARGET_AVX2)
        return (dlp_skin_loops){dlp_collect_avx2, dlp_sum_nodes_avx2, dlp_sum_points_avx2, dlp_sweep_avx2,
                                dlp_curvature_avx2};
#else
    (void)target;
#endif
    return (dlp_skin_loops){dlp_collect_plain, dlp_sum_nodes_plain, dlp_sum_points_plain, dlp_sweep_plain,
                            dlp_curvature_plain};
}
