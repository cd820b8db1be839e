/* Two particles: where one is as seen from the other, the kernel between them, how they move. What j does to
 * i stands in pair_density.h, pair_pressure.h, pair_viscosity.h, pair_heat.h, pair_wall.h and
 * pair_gradient.h.
 *
 * Every force on i is a coefficient c of x_ij (or of v_ij) that is the same from both sides: i gets c x_ij
 * and j gets c x_ji, so that Newton's third law holds to the last bit. Symbols: V0 rest volume,
 * V = m / rho volume now, delta = V0 / V compression, slope: grad_i W = slope x_ij with slope <= 0,
 * vx = v_ij . x_ij, rr = r^2. */
#ifndef DLP_MATTER_PAIR_H
#define DLP_MATTER_PAIR_H

#include "matter/kernel.h"
#include "matter/tensor.h"

/* What the pair functions read of a particle or of a wall point. All-zero is padding: without volume it
 * contributes nothing to any sum. In 2-D volumes are areas, m2. */
typedef struct dlp_pair_point {
    dlp_v3 v;       /* m/s; of a wall: mirrored, for viscosity */
    real pressure;  /* Pa: P / delta^2; for `muller` P itself */
    real volume0;   /* m3: at rest */
    real volume;    /* m3: now; of a wall: at rest */
    real viscosity; /* Pa s; of a wall: share that sticks, 0 .. 1 */
    real density;   /* kg/m3 */
    real h;         /* m: smoothing length */
    real alpha_c;   /* m/s: alpha c of the artificial viscosity */
    real beta;      /* of the artificial viscosity, no unit */
    real bulk;      /* Pa: rho0 k */
} dlp_pair_point;

/* The offset x_ij = x_i - x_j and its length; made by dlp_pair_offset_of. */
typedef struct dlp_pair_offset {
    dlp_v3 x; /* m */
    real rr;  /* m2: above 0 */
    real r;   /* m: its root */
} dlp_pair_offset;

/* rr is 1e-12 h^2 more than |x|^2, so that two particles in one place do not divide by zero. */
DLP_FORMULA dlp_pair_offset dlp_pair_offset_of(dlp_v3 x, real h_i)
{
    const real rr = dlp_v3_dot(x, x) + DLP_R(1e-12) * h_i * h_i;
    const dlp_pair_offset out = {x, rr, real_sqrt(rr)};
    return out;
}

/* The same pair from the other side. */
DLP_FORMULA dlp_pair_offset dlp_pair_reversed(dlp_pair_offset o)
{
    const dlp_pair_offset out = {{-o.x.x, -o.x.y, -o.x.z}, o.rr, o.r};
    return out;
}

/* Whether j is a neighbour: within the larger of both supports, and not padding, which has no volume. */
DLP_FORMULA real_mask dlp_pair_is_near(real r, real h_i, real h_j, real volume0_j)
{
    return (r < DLP_R(2.0) * real_max(h_i, h_j)) & (volume0_j > DLP_R(0.0));
}

/* One over the smoothing length of a pair: their quadratic mean, m + d^2 / 2m with m, d half their sum and
 * difference. The hole that two particles keep around each other grows with their sizes, so the kernel must
 * grow likewise for the sums of a mixture to stay those of a lattice: within 1 % they do; the mean of both
 * kernels [desbrun1999] makes them 4 to 14 % too small, and gravity then mixes sizes to gain that volume. */
DLP_FORMULA real dlp_pair_inverse_h(real h_i, real h_j)
{
    const real m = h_i + h_j, d = h_i - h_j;
    return DLP_R(2.0) * m / (m * m + DLP_R(0.5) * (d * d));
}

/* W_ij over its norm, and the slope of its gradient over its own. [matter/kernel.h] */
DLP_FORMULA real dlp_pair_shape(dlp_kernel_kind kind, int dimension, real r, real inverse_h)
{
    return dlp_kernel_shape_of(kind, r * inverse_h) * dlp_kernel_scale(inverse_h, dimension);
}
DLP_FORMULA real dlp_pair_slope(dlp_kernel_kind kind, int dimension, real r, real inverse_h)
{
    return dlp_kernel_slope_of(kind, r * inverse_h) * dlp_kernel_slope_scale(inverse_h, dimension);
}

/* Length that softens a pair: the mean of both. */
DLP_FORMULA real dlp_pair_mean_h(real h_i, real h_j)
{
    return DLP_R(0.5) * (h_i + h_j);
}

/* Softened r^2, so that viscosity stays finite when particles meet. [monaghan1992, eq. 4.2] */
DLP_FORMULA real dlp_pair_softened(real rr, real h)
{
    return rr + DLP_R(0.01) * h * h;
}

/* Viscosity or conductivity between two substances: the harmonic mean keeps stress and flux continuous.
 * [morris1997; cleary1999] */
DLP_FORMULA real dlp_pair_harmonic_mean(real a, real b)
{
    return DLP_R(2.0) * a * b / (a + b + DLP_R(1e-30));
}

#endif
