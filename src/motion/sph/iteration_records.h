/* What the loops of solvers read of points: small records of their own. For files that are compiled once per
 * target. */
#ifndef DLP_MOTION_SPH_ITERATION_RECORDS_H
#define DLP_MOTION_SPH_ITERATION_RECORDS_H

#include "motion/sph/pairs_wide.h"
#include "motion/sph/projection_loops.h"

// The point in the middle: where it is, and its smoothing length.
DLP_INLINE center load_place(const dlp_projection_work *work, int32_t p)
{
    int32_t at[3];
    __builtin_memcpy(at, work->places + (int64_t)p * DLP_PLACE_SIZE, sizeof at);
    const float h = work->h != NULL ? work->h[p] : work->params->h;
    center i = {.x = dlp_wide_int_of(at[0]), .y = dlp_wide_int_of(at[1]), .z = dlp_wide_int_of(at[2])};
    i.p.h = real_of(h);
    i.inverse_h = real_of(1.0f / h);
    return i;
}

// Eight neighbours as seen from i, and the number that stands beside their places.
typedef struct seen {
    dlp_pair_offset o;
    real number;
} seen;

DLP_INLINE seen load_seen(const dlp_projection_work *work, const center *i, const int32_t *list)
{
    const dlp_wide4 at = dlp_wide_gather4(work->places, list, DLP_PLACE_SIZE);
    const float *unit = work->params->unit;
    const dlp_v3 x = {dlp_wide_from_int(dlp_wide_int_sub(i->x, (dlp_wide_int)at.a)) * unit[0],
                      dlp_wide_from_int(dlp_wide_int_sub(i->y, (dlp_wide_int)at.b)) * unit[1],
                      dlp_wide_from_int(dlp_wide_int_sub(i->z, (dlp_wide_int)at.c)) * unit[2]};
    return (seen){dlp_pair_offset_of(x, i->p.h), at.d};
}

// Numbers of points, one each.
DLP_INLINE real load_each(const float *of, const int32_t *list)
{
    return (real){of[list[0]], of[list[1]], of[list[2]], of[list[3]],
                  of[list[4]], of[list[5]], of[list[6]], of[list[7]]};
}

DLP_INLINE real seen_h(const dlp_projection_work *work, const center *i, const int32_t *list, bool mixed)
{
    return mixed ? load_each(work->h, list) : i->p.h;
}

#endif
