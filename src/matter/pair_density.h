/* Density from neighbours: by summation, or carried along by the continuity equation. Both are written for
 * the compression delta = rho / rho0, over rest volumes, so that substances of different density may touch
 * [solenthaler2008]. */
#ifndef DLP_MATTER_PAIR_DENSITY_H
#define DLP_MATTER_PAIR_DENSITY_H

#include "matter/pair.h"

/* delta_i = norm sum V0_j W_ij over particles and walls alike, and over i itself. `shape` is W over its norm.
 * [desbrun1996, eq. 5] */
DLP_FORMULA real dlp_pair_density(real volume0_j, real shape)
{
    return volume0_j * shape;
}
DLP_FORMULA real dlp_pair_density_of_self(dlp_kernel_kind kind, int dimension, real volume0, real inverse_h)
{
    return volume0 * dlp_kernel_shape_of(kind, real_of(DLP_R(0.0))) * dlp_kernel_scale(inverse_h, dimension);
}

/* delta from the kernel sum, given what the sum is at rest. Inside the substance the sum on a lattice changes
 * by another factor than the volume does, which `factor` = 1 / dlp_lattice_sums.gradient corrects; the lower
 * bound, half the sum, keeps the density of a lone particle positive. */
DLP_FORMULA real dlp_compression(real sum, real sum_at_rest, real factor)
{
    return real_max(DLP_R(1.0) + (sum - sum_at_rest) * factor, DLP_R(0.5) * sum);
}

/* delta of a neighbour; padding has no volume, and 0. */
DLP_FORMULA real dlp_pair_compression(real volume0, real volume)
{
    return volume0 / (volume + DLP_R(1e-30));
}

/* d(delta_i)/dt = sum V0_j v_ij . grad W: continuity over rest volumes. [desbrun1999, eq. 11] */
DLP_FORMULA real dlp_pair_divergence(real volume0_j, real vx, real slope)
{
    return volume0_j * vx * slope;
}

/* Flow of carried density from where it is high, less what gravity asks for: part of d(delta_i)/dt,
 *     -2 xi h c V_j (delta_j - delta_i + rho_i x_ij . g / bulk_i) slope rr / (rr + h^2/10).
 * The last factor tames the slope of kernels that do not vanish at r = 0. `depth` = x_ij . g, m2/s2; h is the
 * smaller of both. [molteni2009; antuono2010] */
DLP_FORMULA real dlp_pair_diffusion(dlp_pair_point i, dlp_pair_point j, real xi, real depth, real rr,
                                    real slope)
{
    const real delta_i = dlp_pair_compression(i.volume0, i.volume);
    const real delta_j = dlp_pair_compression(j.volume0, j.volume);
    const real excess = delta_j - delta_i + depth * i.density / i.bulk;
    const real c = real_sqrt(i.bulk / i.density), h = real_min(i.h, j.h);
    return -DLP_R(2.0) * xi * h * c * j.volume * excess * slope * rr / (rr + DLP_R(0.1) * h * h);
}

#endif
