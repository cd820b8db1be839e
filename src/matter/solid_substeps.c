/* How many sub-steps a solid needs, from its material and particle size alone. */
#include "matter/solid_substeps.h"

#include <assert.h>
#include <math.h>

// Pa: what all fibres add to the modulus along a direction, each times the fourth power of the cosine between
// the two. No direction has length 0 (the scene refuses it).
static double fibers_along(const dlp_solid_def *solid, dlp_vec3 direction)
{
    double sum = 0;
    for (int32_t k = 0; k < solid->fiber_count; k++) {
        const dlp_vec3 other = solid->fibers[k].direction;
        const double both = dlp_dot(direction, other);
        const double square = both * both / (dlp_dot(direction, direction) * dlp_dot(other, other));
        sum += solid->fibers[k].modulus * square * square;
    }
    return sum;
}

double dlp_solid_wave_speed(const dlp_substance_def *substance)
{
    const dlp_solid_def *solid = &substance->solid;
    const double nu = solid->poisson_ratio;
    const double modulus = solid->youngs_modulus * (1 - nu) / ((1 + nu) * (1 - 2 * nu));  // lambda + 2 mu
    double added = 0;
    for (int32_t k = 0; k < solid->fiber_count; k++)
        added = fmax(added, fibers_along(solid, solid->fibers[k].direction));
    return sqrt((modulus + added) / substance->density);
}

static bool is_irregular(const dlp_substance_def *substance)
{
    return substance->jitter > 0 || substance->lattice == DLP_LATTICE_BLUE_NOISE;
}

double dlp_solid_support(const dlp_substance_def *substance)
{
    if (substance->solid.support > 0) return substance->solid.support;
    return is_irregular(substance) ? 2.1 : 1.5;
}

// With the chosen ones beams of four particles bend as they should. The error in strain that they cancel
// depends on how much a beam resists becoming narrower.
double dlp_solid_hourglass(const dlp_substance_def *substance)
{
    const double nu = substance->solid.poisson_ratio;
    if (substance->solid.hourglass >= 0) return substance->solid.hourglass;
    return is_irregular(substance) ? 1 - 1.7 * nu * nu : 1.37 - 3.3 * nu * nu;
}

int32_t dlp_solid_iteration_count(const dlp_solid_def *solid)
{
    return solid->iterations > 0 ? solid->iterations : 2;
}

// A whole number from 1 to 1e9; an excess of 1e-6, which rounding may cause, does not count.
static int32_t round_up(double count)
{
    return (int32_t)fmin(fmax(ceil(count - 1e-6), 1), 1e9);
}

// With one iteration a body is too soft above chi = 0.4; a second one allows up to 0.7.
int32_t dlp_solid_substep_count(const dlp_substance_def *substance, double frame_rate, double seconds)
{
    const dlp_solid_def *solid = &substance->solid;
    assert(frame_rate > 0 && seconds >= 0 && substance->particle_radius > 0);
    if (solid->substeps > 0) return round_up(solid->substeps * (frame_rate * seconds));
    const double spacing = 1.6119919540164696 * substance->particle_radius;  // cbrt(4 pi / 3)
    const double chi = dlp_solid_iteration_count(solid) >= 2 ? 0.7 : 0.4;
    return round_up(dlp_solid_wave_speed(substance) * seconds / (spacing * chi));
}
