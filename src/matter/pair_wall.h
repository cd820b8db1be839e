/* A particle i and a wall point j. A wall is frozen substance: it has a density, a pressure and a velocity of
 * its own, all from the particles around it, so that it pushes and drags as substance would. Pressure on a
 * particle is dlp_pair_pressure with the wall's. [adami2012] */
#ifndef DLP_MATTER_PAIR_WALL_H
#define DLP_MATTER_PAIR_WALL_H

#include "matter/pair_viscosity.h"

/* Drag of a wall on i: the particle's own viscosity times the share that sticks, and `along` with the wall's
 * mirrored velocity, so that the substance has the wall's velocity at the wall. */
DLP_FORMULA real dlp_wall_viscosity(dlp_pair_point i, dlp_pair_point wall, real factor, real along,
                                    real slope)
{
    return dlp_pair_viscous(i.volume * wall.volume, factor * i.viscosity * wall.viscosity, along, slope);
}

/* By how much the drag of a wall exceeds that of a particle in its place which has the wall's velocity:
 * beyond the surface velocities go on in a straight line. `across` = x . n, the depth of the wall point and
 * the distance of the particle from the surface together; `least` keeps that from vanishing. [morris1997, eq.
 * 32] */
DLP_FORMULA real dlp_wall_drag_factor(real across, real depth, real least)
{
    const real distance = real_max(across - depth, least);
    return real_min(DLP_R(1.0) + depth / distance, real_of(DLP_R(2.5)));
}

/* Artificial viscosity as between i and a particle of its own kind, times the share that sticks. */
DLP_FORMULA real dlp_wall_artificial(dlp_pair_point i, dlp_pair_point wall, real approach, real slope)
{
    const real mass_ij = i.volume * wall.volume * (i.density * i.density);
    return wall.viscosity * dlp_pair_shock(mass_ij, i.alpha_c, i.beta, i.density, approach, slope);
}

/* Weight of particle j in the means that a wall point takes: V_j W. The source has W alone, since its
 * particles are of one size. [adami2012, eq. 22] */
DLP_FORMULA real dlp_wall_weight(real volume_j, real shape)
{
    return volume_j * shape;
}
/* A quantity on the other side of a surface that has the value `own`: the mean of the two is `own`.
 * [adami2012, eq. 23] */
DLP_FORMULA real dlp_wall_mirrored(real own, real mean)
{
    return DLP_R(2.0) * own - mean;
}

/* The pressure that particle j gives to a wall point: its own and what gravity adds between the two.
 * `depth` = x . g, with x from the particle to the wall point. [adami2012, eq. 27] */
DLP_FORMULA real dlp_wall_pressure_taken(real pressure_j, real density_j, real depth)
{
    return pressure_j + density_j * depth;
}
/* Pressure of a wall point from its own compression, by the linear state equation around rest, with the mean
 * stiffness of the particles near it: P0 + rho0 k (delta - 1). The sums are those of weight times quantity,
 * `inverse` one over that of the weights. */
DLP_FORMULA real dlp_wall_pressure_own(real rest_pressure_sum, real bulk_sum, real inverse, real delta)
{
    return inverse * (rest_pressure_sum + bulk_sum * (delta - DLP_R(1.0)));
}

#endif
