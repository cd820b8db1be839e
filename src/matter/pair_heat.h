/* Heat between two particles, and how free a particle stands. */
#ifndef DLP_MATTER_PAIR_HEAT_H
#define DLP_MATTER_PAIR_HEAT_H

#include "matter/pair.h"

/* Heat that flows into i from j, W: V_i V_j K k (T_i - T_j) rr / (rr + h^2/100) slope with the harmonic mean
 * k of both conductivities (dlp_pair_harmonic_mean); K = 2 calibrated on the lattice. What i gains j loses.
 * [cleary1999] */
DLP_FORMULA real dlp_pair_conduction(real volume_ij, real factor_k, real t_ij, real rr, real softened,
                                     real slope)
{
    return volume_ij * factor_k * t_ij * (rr / softened) * slope;
}
/* Conductivity between i and a wall: its own where heat passes (1), none where not (0). */
DLP_FORMULA real dlp_wall_conductivity(real k_i, real passes)
{
    return k_i * passes;
}

/* Volume of j that is present around i, m3: weighted by 1 - r^2 / (2h)^2 whatever the kernel (matter/norm.h,
 * dlp_whole_neighbourhood). */
DLP_FORMULA real dlp_pair_presence(real volume0_j, real rr, real inverse_h)
{
    return volume0_j * real_positive(DLP_R(1.0) - rr * (DLP_R(0.25) * inverse_h * inverse_h));
}

#endif
