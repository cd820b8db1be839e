/* Restraint in the implicit step: how a particle of a given velocity moves.
 */
#include "motion/cloth/cloth_restraint.h"

dlp_vec3 dlp_restrained_velocity(const dlp_restraint *restraint, dlp_vec3 v)
{
    return dlp_mul(v, dlp_restraint_gain(*restraint, dlp_length(v)));
}

dlp_sym3 dlp_mobility_at(const dlp_restraint *restraint, dlp_vec3 v)
{
    const double speed = dlp_length(v);
    if (speed >= restraint->full) return (dlp_sym3){1, 1, 1, 0, 0, 0};
    if (speed <= restraint->hold_speed) return (dlp_sym3){0, 0, 0, 0, 0, 0};
    const double gain = dlp_restraint_gain(*restraint, speed), slope = dlp_restraint_slope(*restraint, speed);
    return dlp_sym3_of(dlp_mul(v, 1 / speed), slope - gain, gain);
}
