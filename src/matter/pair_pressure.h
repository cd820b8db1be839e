/* Pressure between two particles: coefficients of x_ij. */
#ifndef DLP_MATTER_PAIR_PRESSURE_H
#define DLP_MATTER_PAIR_PRESSURE_H

#include "matter/pair.h"

/* -V0_i V0_j (A_i + A_j) grad W with A = P / delta^2: minus the gradient of the energy sum V0 e(delta) whose
 * e' is A, where delta is summed. For one substance this is -m_i m_j (P_i/rho_i^2 + P_j/rho_j^2) grad W
 * [desbrun1996, eq. 9]; written with rest volumes it stays right where substances of different density touch
 * [solenthaler2008]. */
DLP_FORMULA real dlp_pair_pressure(dlp_pair_point i, dlp_pair_point j, real slope)
{
    return -(i.volume0 * j.volume0) * (i.pressure + j.pressure) * slope;
}

/* A of a pressure. */
DLP_FORMULA real dlp_pair_pressure_share(real pressure, real delta)
{
    return pressure / (delta * delta);
}

/* What keeps particles that pull at each other from clumping: a repulsion by `share` of the tension, that
 * grows steeply with nearness: -V0_i V0_j share (|A_i| + |A_j|) f^4 grad W, of the negative A alone, f = W(r)
 * over W at one spacing. [monaghan2000, eq. 3.1] */
DLP_FORMULA real dlp_pair_tensile_control(dlp_pair_point i, dlp_pair_point j, real share, real nearness,
                                          real slope)
{
    const real square = nearness * nearness,
               tension = real_positive(-i.pressure) + real_positive(-j.pressure);
    return -(i.volume0 * j.volume0) * (share * tension * (square * square)) * slope;
}

/* With the mean of both, whose `pressure` is P itself: -V_i V_j (P_i + P_j) / 2 grad W.
 * [muller2003, eq. 10] */
DLP_FORMULA real dlp_pair_pressure_mean(dlp_pair_point i, dlp_pair_point j, real slope)
{
    return -(i.volume * j.volume) * DLP_R(0.5) * (i.pressure + j.pressure) * slope;
}

#endif
