/* What one particle does to another. Every result is a coefficient c of x_ij: the force on i is c x_ij, on j
 * -c x_ij, so that Newton's third law holds to the last bit. Symbols: V0 rest volume, V = m / rho volume now,
 * slope = the kernel's (grad_i W = slope x_ij, slope <= 0), vx = v_ij . x_ij, rr = r^2. */
#ifndef DLP_MATTER_PAIR_H
#define DLP_MATTER_PAIR_H

#include "matter/real.h"

/* Pressure: -V0_i V0_j (A_i + A_j) grad W with A = P / delta^2. For one substance this is
 * -m_i m_j (P_i/rho_i^2 + P_j/rho_j^2) grad W [desbrun1996, eq. 9]; written with rest volumes it stays right
 * where substances of different density touch [solenthaler2008]. */
DLP_FORMULA real dlp_pair_pressure(real volume0_ij, real a_i, real a_j, real slope)
{
    return -volume0_ij * (a_i + a_j) * slope;
}

/* Pressure with the mean of both: -V_i V_j (P_i + P_j) / 2 grad W. [muller2003, eq. 10] */
DLP_FORMULA real dlp_pair_pressure_mean(real volume_ij, real p_i, real p_j, real slope)
{
    return -volume_ij * 0.5f * (p_i + p_j) * slope;
}

/* Softened r^2, so that viscosity stays finite when particles meet. */
DLP_FORMULA real dlp_pair_softened(real rr, real h)
{
    return rr + 0.01f * h * h;
}

/* Viscosity of two touching substances: the harmonic mean keeps the stress continuous. [morris1997] */
DLP_FORMULA real dlp_pair_viscosity_mean(real mu_i, real mu_j)
{
    return 2.0f * mu_i * mu_j / (mu_i + mu_j + 1e-30f);
}

/* Physical viscosity: V_i V_j K mu vx / (rr + h^2/100) grad W, K = 2 (d + 2) calibrated on the lattice.
 * Acts on approach and separation, conserves angular momentum, vanishes for rigid motion. [monaghan2005] */
DLP_FORMULA real dlp_pair_viscosity(real volume_ij, real factor_mu, real vx, real softened, real slope)
{
    return volume_ij * factor_mu * vx / softened * slope;
}

/* Heat that flows into i from j, W: V_i V_j K k (T_i - T_j) rr / (rr + h^2/100) slope with the harmonic mean
 * k of both conductivities, which keeps the flux continuous; K = 2 calibrated on the lattice. What i gains j
 * loses. [cleary1999] */
DLP_FORMULA real dlp_pair_conduction(real volume_ij, real factor_k, real t_ij, real rr, real softened,
                                     real slope)
{
    return volume_ij * factor_k * t_ij * (rr / softened) * slope;
}
DLP_FORMULA real dlp_pair_conductivity_mean(real k_i, real k_j)
{
    return dlp_pair_viscosity_mean(k_i, k_j);
}

/* mu_ij = h vx / (rr + h^2/100): the speed of approach in the artificial viscosity and the step's limit. */
DLP_FORMULA real dlp_pair_approach(real h, real vx, real softened)
{
    return h * vx / softened;
}

/* Artificial viscosity: -m_i m_j Pi grad W, Pi = (-alpha c mu + beta mu^2) / rho_mean while approaching.
 * [desbrun1996, eq. 11] */
DLP_FORMULA real dlp_pair_artificial(real mass_ij, real approach, real alpha_c, real beta, real rho_mean,
                                     real slope)
{
    const real mu = real_min(approach, real_of(0.0f));
    return -mass_ij * ((beta * mu - alpha_c) * mu / rho_mean) * slope;
}

/* d(delta_i)/dt = sum V0_j v_ij . grad W: continuity over rest volumes. [desbrun1999, eq. 11] */
DLP_FORMULA real dlp_pair_divergence(real volume0_j, real vx, real slope)
{
    return volume0_j * vx * slope;
}

#endif
