/* The loops over neighbours of implicit viscosity; compiled once per target. */
#ifndef DLP_MOTION_SPH_VISCOSITY_LOOPS_H
#define DLP_MOTION_SPH_VISCOSITY_LOOPS_H

#include "motion/sph/projection_loops.h"

enum { DLP_SYM_SIZE = 6 }; /* xx, yy, zz, xy, xz, yz */

typedef struct dlp_viscosity_work {
    dlp_projection_work base; /* `places` hold viscosities, Pa s; `paces` velocities and V */
    const float *wall_normal; /* per wall point, from the first: 3 */
    const float *wall_depth;  /* m: ... below its surface */
    const float *wall_stick;  /* ... share of the viscosity that acts */
    const float *wall_velocity;
    int32_t wall_first, wall_count;
    float
        *blocks; /* per point: DLP_SYM_SIZE, kg/s: what a particle's own velocity meets, of other particles */
    float *wall_blocks; /* ... of walls */
    float *drags;       /* per point: 3, N: by walls that move */
} dlp_viscosity_work;

typedef void dlp_viscosity_loop(const dlp_viscosity_work *work, int32_t begin, int32_t end);

typedef struct dlp_viscosity_loops {
    dlp_viscosity_loop *make_blocks; /* `blocks`, `drags` */
    dlp_viscosity_loop *sum_drag;    /* `base.out`: 3 per point, N: of other particles on a particle */
    dlp_viscosity_loop *load_walls;  /* `base.out`: 3 per point, N: of particles on a wall point */
} dlp_viscosity_loops;

extern const dlp_viscosity_loops dlp_viscosity_loops_plain;
#if defined(DLP_HAVE_AVX2_PAIRS)
extern const dlp_viscosity_loops dlp_viscosity_loops_avx2;
#endif

static inline const dlp_viscosity_loops *dlp_viscosity_loops_of(dlp_target target)
{
#if defined(DLP_HAVE_AVX2_PAIRS)
    if (target == DLP_TARGET_AVX2) return &dlp_viscosity_loops_avx2;
#endif
    (void)target;
    return &dlp_viscosity_loops_plain;
}

#endif
