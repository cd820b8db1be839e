/* Restraint in the implicit step: how a particle of a given velocity moves, and how that changes over a step.
 */
#include "motion/cloth/restrain.h"

// Gauss's five points on 0..1.
static const double PLACES[5] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842,
                                 0.953089922969332};
static const double WEIGHTS[5] = {0.118463442528095, 0.239314335249683, 0.284444444444444, 0.239314335249683,
                                  0.118463442528095};

dlp_vec3 dlp_restrained_velocity(const dlp_restraint *restraint, dlp_vec3 v)
{
    return dlp_mul(v, dlp_restraint_gain(*restraint, dlp_length(v)));
}

dlp_sym3 dlp_mobility_at(const dlp_restraint *restraint, dlp_vec3 v)
{
    const double speed = dlp_length(v);
    if (speed >= restraint->full) return (dlp_sym3){1, 1, 1, 0, 0, 0};
    if (speed <= restraint->rest) return (dlp_sym3){0, 0, 0, 0, 0, 0};
    const double gain = dlp_restraint_gain(*restraint, speed), slope = dlp_restraint_slope(*restraint, speed);
    return dlp_sym3_of(dlp_mul(v, 1 / speed), slope - gain, gain);
}

dlp_sym3 dlp_mobility_between(const dlp_restraint *restraint, dlp_vec3 v, dlp_vec3 change)
{
    dlp_sym3 sum = {0};
    for (int k = 0; k < 5; k++) {
        const dlp_sym3 r = dlp_mobility_at(restraint, dlp_along(v, change, PLACES[k]));
        sum = dlp_sym3_add(sum, dlp_sym3_mul(r, WEIGHTS[k]));
    }
    return sum;
}
