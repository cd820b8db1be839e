/* What the loops over neighbours share: a point in all lanes, its neighbours eight at a time, and how to call
 * the pair functions of matter/ on them. For files that are compiled once per target. */
#ifndef DLP_MOTION_SPH_PAIRS_WIDE_H
#define DLP_MOTION_SPH_PAIRS_WIDE_H

#define DLP_WIDE
#include "motion/sph/pairs.h"
#include "matter/pair.h"

// Point i, each quantity in all lanes.
typedef struct center {
    dlp_wide_int x, y, z;  // units of space
    dlp_pair_point p;
    real inverse_h;
} center;

DLP_INLINE dlp_v3 broadcast(const float *v)
{
    return (dlp_v3){real_of(v[0]), real_of(v[1]), real_of(v[2])};
}

DLP_INLINE center load_center(const float *packed)
{
    int32_t at[3];
    __builtin_memcpy(at, packed, sizeof at);
    return (center){
        .x = dlp_wide_int_of(at[0]),
        .y = dlp_wide_int_of(at[1]),
        .z = dlp_wide_int_of(at[2]),
        .p = {.v = broadcast(packed + DLP_PACKED_VELOCITY),
              .pressure = real_of(packed[DLP_PACKED_PRESSURE]),
              .volume0 = real_of(packed[DLP_PACKED_VOLUME0]),
              .volume = real_of(packed[DLP_PACKED_VOLUME]),
              .viscosity = real_of(packed[DLP_PACKED_VISCOSITY]),
              .density = real_of(packed[DLP_PACKED_DENSITY]),
              .h = real_of(packed[DLP_PACKED_H]),
              .alpha_c = real_of(packed[DLP_PACKED_ALPHA_C]),
              .beta = real_of(packed[DLP_PACKED_BETA]),
              .bulk = real_of(packed[DLP_PACKED_BULK])},
        .inverse_h = real_of(1.0f / packed[DLP_PACKED_H]),
    };
}

// A wall point: it keeps its rest volume, and where a particle has material it has a velocity of its own.
DLP_INLINE dlp_pair_point wall_point(dlp_pair_point p)
{
    p.volume = p.volume0;
    return p;
}

DLP_INLINE dlp_wide4 load_part(const dlp_pair_work *work, const int32_t *list, int32_t part)
{
    return dlp_wide_gather4(work->packed + part, list, DLP_PACKED_SIZE);
}

// Eight neighbours as seen from i.
typedef struct neighbours {
    dlp_pair_offset o;
    real volume0;
} neighbours;

DLP_INLINE neighbours load_neighbours(const dlp_pair_work *work, const center *i, const int32_t *list)
{
    const dlp_wide4 at = load_part(work, list, DLP_PACKED_AT);
    const float *unit = work->params->unit;
    const dlp_v3 x = {dlp_wide_from_int(dlp_wide_int_sub(i->x, (dlp_wide_int)at.a)) * unit[0],
                      dlp_wide_from_int(dlp_wide_int_sub(i->y, (dlp_wide_int)at.b)) * unit[1],
                      dlp_wide_from_int(dlp_wide_int_sub(i->z, (dlp_wide_int)at.c)) * unit[2]};
    return (neighbours){dlp_pair_offset_of(x, i->p.h), at.d};
}

// What else the forces ask of them; the last quarter of a packed-record only where it is wanted.
DLP_INLINE dlp_pair_point load_points(const dlp_pair_work *work, const int32_t *list, real volume0,
                                      bool whole)
{
    const dlp_wide4 v = load_part(work, list, DLP_PACKED_VELOCITY);
    const dlp_wide4 m = load_part(work, list, DLP_PACKED_VOLUME);
    dlp_pair_point p = {.v = {v.a, v.b, v.c},
                        .pressure = v.d,
                        .volume0 = volume0,
                        .volume = m.a,
                        .viscosity = m.b,
                        .density = m.c,
                        .h = m.d};
    if (!whole) return p;
    const dlp_wide4 a = load_part(work, list, DLP_PACKED_ALPHA_C);
    p.alpha_c = a.a;
    p.beta = a.b;
    p.bulk = a.c;
    return p;
}

// Where all smoothing lengths are alike, that of i is the pair's.
DLP_INLINE real inverse_h_of(const center *i, real h_j, bool mixed)
{
    return mixed ? dlp_pair_inverse_h(i->p.h, h_j) : i->inverse_h;
}

DLP_INLINE real shape_of(const dlp_pair_params *params, const center *i, real r, real h_j,
                         dlp_kernel_kind kind, bool mixed)
{
    return dlp_pair_shape(kind, params->dimension, r, inverse_h_of(i, h_j, mixed));
}

DLP_INLINE real slope_of(const dlp_pair_params *params, const center *i, real r, real h_j,
                         dlp_kernel_kind kind, bool mixed)
{
    return params->slope_norm * dlp_pair_slope(kind, params->dimension, r, inverse_h_of(i, h_j, mixed));
}

// The sum of the lanes, in all of them, so that formulas can go on with it.
DLP_INLINE real total(real sum)
{
    return real_of(dlp_wide_sum(sum));
}
DLP_INLINE dlp_v3 total3(dlp_v3 sum)
{
    return (dlp_v3){total(sum.x), total(sum.y), total(sum.z)};
}

DLP_INLINE void add_to(dlp_v3 *sum, dlp_v3 term)
{
    sum->x += term.x;
    sum->y += term.y;
    sum->z += term.z;
}

DLP_INLINE void store3(float *to, dlp_v3 sum)
{
    to[0] = dlp_wide_sum(sum.x);
    to[1] = dlp_wide_sum(sum.y);
    to[2] = dlp_wide_sum(sum.z);
}

// Every kernel, as a constant.
#define FOR_EACH_KERNEL(kernel, call)                                                                        \
    switch (kernel) {                                                                                        \
    case DLP_KERNEL_DESBRUN:                                                                                 \
        call(DLP_KERNEL_DESBRUN);                                                                            \
        break;                                                                                               \
    case DLP_KERNEL_SPLINE:                                                                                  \
        call(DLP_KERNEL_SPLINE);                                                                             \
        break;                                                                                               \
    case DLP_KERNEL_WENDLAND:                                                                                \
        call(DLP_KERNEL_WENDLAND);                                                                           \
        break;                                                                                               \
    case DLP_KERNEL_MULLER:                                                                                  \
        call(DLP_KERNEL_MULLER);                                                                             \
        break;                                                                                               \
    }

#endif
