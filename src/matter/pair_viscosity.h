/* Viscosity between two particles, physical and artificial, and the speed of approach that limits a step. */
#ifndef DLP_MATTER_PAIR_VISCOSITY_H
#define DLP_MATTER_PAIR_VISCOSITY_H

#include "matter/pair.h"

/* vx / (rr + h^2/100), 1/s: how fast two particles part along their line. One reciprocal serves viscosity and
 * approach; it is one of a number far from the ends of the range, while vx may be as small as it likes, so a
 * device may compute it with a short sequence that gives the same bits. */
DLP_FORMULA real dlp_pair_along(real vx, real softened)
{
    return vx * (DLP_R(1.0) / softened);
}

/* V_i V_j K mu vx / (rr + h^2/100) grad W. Acts on approach and separation, conserves angular momentum,
 * vanishes for rigid motion. [monaghan2005] */
DLP_FORMULA real dlp_pair_viscous(real volume_ij, real factor_mu, real along, real slope)
{
    return volume_ij * factor_mu * along * slope;
}
/* The same as a matrix: -dlp_pair_viscous over vx, kg/(m2 s), at least 0. The force on i is -c (v_ij . x_ij)
 * x_ij, so that the matrix c x x^T of a pair is symmetric and positive. [weiler2018] */
DLP_FORMULA real dlp_pair_viscous_weight(real volume_ij, real factor_mu, real softened, real slope)
{
    return -dlp_pair_viscous(volume_ij, factor_mu, dlp_pair_along(real_of(DLP_R(1.0)), softened), slope);
}
/* Between two particles; `factor` is K = 2 (d + 2), calibrated on the lattice. */
DLP_FORMULA real dlp_pair_viscosity(dlp_pair_point i, dlp_pair_point j, real factor, real along, real slope)
{
    const real mu = dlp_pair_harmonic_mean(i.viscosity, j.viscosity);
    return dlp_pair_viscous(i.volume * j.volume, factor * mu, along, slope);
}

/* Laplacian of Mueller's viscosity kernel; `norm` is calibrated, without powers of h. [muller2003, eq. 22] */
DLP_FORMULA real dlp_pair_laplacian(real norm, int dimension, real r, real h)
{
    const real inverse_h = DLP_R(1.0) / h;
    return norm * dlp_viscosity_laplacian(r * inverse_h) * dlp_kernel_slope_scale(inverse_h, dimension);
}
/* Mueller's viscosity, a coefficient of v_ij: the force on i is -V_i V_j mu lap W v_ij. Conserves momentum,
 * but not angular momentum. [muller2003, eq. 14] */
DLP_FORMULA real dlp_pair_drag(dlp_pair_point i, dlp_pair_point j, real laplacian)
{
    return i.volume * j.volume * dlp_pair_harmonic_mean(i.viscosity, j.viscosity) * laplacian;
}

/* mu_ij = h vx / (rr + h^2/100), m/s: the speed of approach in the artificial viscosity and the step's limit.
 * [monaghan1992, eq. 4.2] */
DLP_FORMULA real dlp_pair_approach(real h, real along)
{
    return h * along;
}
/* Its absolute value for the limit of the step: within the support only, where the divergence `rate` is not
 * 0. (The padding of lists has no volume, so its rate is 0.) */
DLP_FORMULA real dlp_pair_approach_size(real approach, real rate)
{
    return real_select(rate != DLP_R(0.0), real_max(approach, -approach), real_of(DLP_R(0.0)));
}

/* Artificial viscosity: -m_i m_j Pi grad W, Pi = (-alpha c mu + beta mu^2) / rho_mean while approaching.
 * [desbrun1996, eq. 11] */
DLP_FORMULA real dlp_pair_shock(real mass_ij, real alpha_c, real beta, real rho_mean, real approach,
                                real slope)
{
    const real mu = real_min(approach, real_of(DLP_R(0.0)));
    return -mass_ij * ((beta * mu - alpha_c) * mu / rho_mean) * slope;
}
/* Between two particles, with the means of both. */
DLP_FORMULA real dlp_pair_artificial(dlp_pair_point i, dlp_pair_point j, real approach, real slope)
{
    const real mass_ij = i.volume * j.volume * (i.density * j.density);
    const real alpha_c = DLP_R(0.5) * (i.alpha_c + j.alpha_c), beta = DLP_R(0.5) * (i.beta + j.beta);
    return dlp_pair_shock(mass_ij, alpha_c, beta, DLP_R(0.5) * (i.density + j.density), approach, slope);
}

#endif
