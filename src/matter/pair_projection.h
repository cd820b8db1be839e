/* The operator of incompressible fluids. The unknown is kappa = P / delta^2 of particles and of wall points;
 * it pushes particles,
 *     a_i = -m_i (kappa_i G_i + sum V_j kappa_j grad W_ij),   G_i = sum V_j grad W_ij,
 * with m_i = 1 / rho0_i (0 of what cannot be pushed), and what that does to the compression is
 *     (A kappa)_i = sum V_j (a_i - a_j) . grad W_ij,
 * where walls have a = 0. With J the derivative of V delta by all places, diag(V) A = -J M^-1 J^T: symmetric
 * and negative semidefinite for any mixture of sizes and densities. [bender2017; ihmsen2014] */
#ifndef DLP_MATTER_PAIR_PROJECTION_H
#define DLP_MATTER_PAIR_PROJECTION_H

#include "matter/pair_gradient.h"

/* V_j m_j |grad W_ij|^2: what the diagonal has of neighbour j that can be pushed. (Published codes have the
 * square of V_j grad W_ij, which is right for equal volumes alone.) */
DLP_FORMULA real dlp_pair_diagonal(real pushed_j, real slope, real rr)
{
    return pushed_j * (slope * slope) * rr;
}
/* D_i = -d(A kappa)_i / d kappa_i = m_i |G_i|^2 + V_i sum of the above. */
DLP_FORMULA real dlp_projection_diagonal(real mobility, real gradient_square, real volume0, real pushed)
{
    return mobility * gradient_square + volume0 * pushed;
}

/* V_j kappa_j grad W_ij; `share` = V_j kappa_j. */
DLP_FORMULA dlp_v3 dlp_pair_push(real share_j, real slope, dlp_v3 x)
{
    return dlp_v3_mul(x, share_j * slope);
}
/* -m (kappa_i G_i + sum of pushes), m/s2. */
DLP_FORMULA dlp_v3 dlp_projection_acceleration(real mobility, real kappa, dlp_v3 gradient, dlp_v3 pushes)
{
    const dlp_v3 sum = {kappa * gradient.x + pushes.x, kappa * gradient.y + pushes.y,
                        kappa * gradient.z + pushes.z};
    return dlp_v3_mul(sum, -mobility);
}

#endif
