/* The loops over neighbours of a projection; compiled once per target. Most of a projection's time is theirs,
 * so they read small records of their own (16 bytes) instead of packed-records. */
#ifndef DLP_MOTION_SPH_PROJECTION_LOOPS_H
#define DLP_MOTION_SPH_PROJECTION_LOOPS_H

#include "motion/sph/pairs.h"

enum {
    DLP_PLACE_SIZE = 4, /* x, y, z in units of space (int32_t, bit for bit) and a number: V kappa */
    DLP_PACE_SIZE = 4,  /* a vector (velocity, acceleration, way) and V, m3 */
    DLP_ROW_SIZE = 4    /* G, 1/m, and the diagonal, m3/(kg s2) over Pa */
};

typedef struct dlp_projection_work {
    const dlp_pair_params *params;
    const dlp_lists *lists;      /* of the points below */
    int32_t first;               /* points first + begin .. are done */
    int32_t last_group;          /* of their lists: 0 for particles alone, 1 for walls, too */
    const float *places, *paces; /* per point */
    const float *h;              /* m: per point; NULL where all are alike */
    const float *mobility;       /* m3/kg: per point: 1 / rho0; 0 of walls and of what cannot be pushed */
    const float *kappa;          /* per point */
    float *rows;                 /* per point */
    float *out;                  /* per point: DLP_PACE_SIZE or one number */
} dlp_projection_work;

typedef void dlp_projection_loop(const dlp_projection_work *work, int32_t begin, int32_t end);

typedef struct dlp_projection_loops {
    dlp_projection_loop *make_rows; /* `rows`: G and the diagonal before its floor */
    dlp_projection_loop *push;      /* `out`: accelerations, and V, as paces */
    dlp_projection_loop *rate;      /* `out`: sum V_j (a_i - a_j) . grad W, a the vectors of `paces` */
    dlp_projection_loop *mean;      /* `out`: mean of the vectors of `paces`, weighted by V W, and sum V W */
} dlp_projection_loops;

extern const dlp_projection_loops dlp_projection_loops_plain;
#if defined(DLP_HAVE_AVX2_PAIRS)
extern const dlp_projection_loops dlp_projection_loops_avx2;
#endif

static inline const dlp_projection_loops *dlp_projection_loops_of(dlp_target target)
{
#if defined(DLP_HAVE_AVX2_PAIRS)
    if (target == DLP_TARGET_AVX2) return &dlp_projection_loops_avx2;
#endif
    (void)target;
    return &dlp_projection_loops_plain;
}

#endif
