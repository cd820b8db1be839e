/* What the loops over neighbours share: a point in all lanes, its neighbours eight at a time, the kernel
 * between them. For files that are compiled once a target. */
#ifndef DLP_MOTION_SPH_PAIRS_WIDE_H
#define DLP_MOTION_SPH_PAIRS_WIDE_H

#define DLP_WIDE
#include "motion/sph/pairs.h"
#include "matter/kernel.h"
#include "matter/pair.h"

DLP_INLINE real kernel_shape(real q, dlp_kernel_kind kind)
{
    switch (kind) {
    case DLP_KERNEL_DESBRUN:
        return dlp_desbrun_shape(q);
    case DLP_KERNEL_SPLINE:
        return dlp_spline_shape(q);
    case DLP_KERNEL_WENDLAND:
        return dlp_wendland_shape(q);
    case DLP_KERNEL_MULLER:
        return dlp_poly6_shape(q);
    }
    return real_of(0);
}

DLP_INLINE real kernel_slope(real q, dlp_kernel_kind kind)
{
    switch (kind) {
    case DLP_KERNEL_SPLINE:
        return dlp_spline_slope(q);
    case DLP_KERNEL_WENDLAND:
        return dlp_wendland_slope(q);
    case DLP_KERNEL_DESBRUN:
    case DLP_KERNEL_MULLER:
        return dlp_desbrun_slope(q);
    }
    return real_of(0);
}

// Point i, each quantity in all lanes.
typedef struct center {
    dlp_wide_int x, y, z;
    real volume0, vx, vy, vz, pressure, volume, viscosity, density, h, inverse_h, alpha_c, beta, delta, bulk;
} center;

DLP_INLINE center load_center(const float *packed)
{
    int32_t at[3];
    __builtin_memcpy(at, packed, sizeof at);
    const float h = packed[DLP_PACKED_H], volume0 = packed[DLP_PACKED_VOLUME0],
                volume = packed[DLP_PACKED_VOLUME];
    return (center){
        .x = dlp_wide_int_of(at[0]),
        .y = dlp_wide_int_of(at[1]),
        .z = dlp_wide_int_of(at[2]),
        .volume0 = real_of(volume0),
        .vx = real_of(packed[DLP_PACKED_VELOCITY]),
        .vy = real_of(packed[DLP_PACKED_VELOCITY + 1]),
        .vz = real_of(packed[DLP_PACKED_VELOCITY + 2]),
        .pressure = real_of(packed[DLP_PACKED_PRESSURE]),
        .volume = real_of(volume),
        .viscosity = real_of(packed[DLP_PACKED_VISCOSITY]),
        .density = real_of(packed[DLP_PACKED_DENSITY]),
        .h = real_of(h),
        .inverse_h = real_of(1.0f / h),
        .alpha_c = real_of(packed[DLP_PACKED_ALPHA_C]),
        .beta = real_of(packed[DLP_PACKED_BETA]),
        .delta = real_of(volume0 / volume),
        .bulk = real_of(packed[DLP_PACKED_BULK]),
    };
}

// Eight neighbours as seen from i: where they are, and the distance.
typedef struct offsets {
    real x, y, z, rr, r;
    real volume0;
} offsets;

DLP_INLINE offsets load_offsets(const dlp_pair_work *work, const center *i, const int32_t *list)
{
    const dlp_wide4 at = dlp_wide_gather4(work->packed, list, DLP_PACKED_SIZE);
    const float *unit = work->params->unit;
    offsets o;
    o.x = dlp_wide_from_int(dlp_wide_int_sub(i->x, (dlp_wide_int)at.a)) * unit[0];
    o.y = dlp_wide_from_int(dlp_wide_int_sub(i->y, (dlp_wide_int)at.b)) * unit[1];
    o.z = dlp_wide_from_int(dlp_wide_int_sub(i->z, (dlp_wide_int)at.c)) * unit[2];
    o.volume0 = at.d;
    // a hair more than zero, so that two particles in one place do not divide by nothing
    o.rr = (o.x * o.x + o.y * o.y) + o.z * o.z + 1e-12f * i->h * i->h;
    o.r = real_sqrt(o.rr);
    return o;
}

DLP_INLINE dlp_wide4 load_part(const dlp_pair_work *work, const int32_t *list, int32_t part)
{
    return dlp_wide_gather4(work->packed + part, list, DLP_PACKED_SIZE);
}

// 1 / h^d and 1 / h^(d+2)
DLP_INLINE real volume_scale(real inverse_h, int32_t dimension)
{
    const real square = inverse_h * inverse_h;
    return dimension == 3 ? square * inverse_h : square;
}

// One over the smoothing length of a pair: their quadratic mean, m + d^2 / 2m with m, d half their sum and
// difference. The hole that two particles keep around each other grows with their sizes, so the kernel must
// grow likewise for the sums of a mixture to stay those of a lattice: within 1 % they do; the mean of both
// kernels, the source's, makes them 4 to 14 % too small, and gravity then mixes sizes to gain that volume.
DLP_INLINE real pair_inverse_h(const center *i, real h_j, bool mixed)
{
    if (!mixed) return i->inverse_h;
    const real m = i->h + h_j, d = i->h - h_j;
    return 2.0f * m / (m * m + 0.5f * (d * d));
}

// W over its norm, and the slope of its gradient over its own.
DLP_INLINE real pair_shape(const center *i, real r, real h_j, int32_t dimension, dlp_kernel_kind kind,
                           bool mixed)
{
    const real inverse_h = pair_inverse_h(i, h_j, mixed);
    return kernel_shape(r * inverse_h, kind) * volume_scale(inverse_h, dimension);
}

DLP_INLINE real pair_slope(const center *i, real r, real h_j, int32_t dimension, dlp_kernel_kind kind,
                           bool mixed)
{
    const real inverse_h = pair_inverse_h(i, h_j, mixed);
    return kernel_slope(r * inverse_h, kind) * (volume_scale(inverse_h, dimension) * (inverse_h * inverse_h));
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
