/* What the rows of a sweep need beside the rest shape: M = sum over neighbours and itself of w b b^T. */
#include "motion/solid/solid_gradient.h"

enum { GRAIN = 16 };

static void add_product(double m[6], dlp_vec3 b, double w)
{
    const double products[6] = {b.x * b.x, b.y * b.y, b.z * b.z, b.x * b.y, b.x * b.z, b.y * b.z};
    for (int k = 0; k < 6; k++) m[k] += w * products[k];
}

// What the sweeps push at it is asked for.
static bool is_tied(const dlp_solid *solid, int32_t particle)
{
    return solid->scratch.tied_impulse != NULL && particle < solid->state.particles.count &&
           solid->scratch.nodes[particle].inverse_mass == 0;
}

// Its own b is minus the sum of the others.
static void set_lane_mass(const dlp_solid *solid, const dlp_constraint_coloring *coloring, dlp_solid_row *row,
                          int32_t lane)
{
    dlp_vec3 own = dlp_vec(0, 0, 0);
    double m[6] = {0};
    for (int32_t n = 0; n < row->link_count; n++) {
        const dlp_solid_lane_link link = dlp_solid_link_of_lane(coloring, row, n, lane);
        assert(link.particle >= 0 && link.particle < solid->capacity[DLP_PER_NODE]);
        add_product(m, link.b, (double)solid->scratch.nodes[link.particle].inverse_mass);
        row->has_tied = row->has_tied || is_tied(solid, link.particle);
        own = dlp_sub(own, link.b);
    }
    add_product(m, own, (double)solid->scratch.nodes[row->particle[lane]].inverse_mass);
    if (coloring == &solid->topology.coloring && row->particle[lane] < solid->state.particles.count)
        row->volume[lane] = (float)dlp_solid_rest_volume(solid, row->particle[lane]);
    row->has_tied = row->has_tied || is_tied(solid, row->particle[lane]);
    for (int k = 0; k < 6; k++) row->spread[k][lane] = (float)m[k];
}

void dlp_solid_set_row_mass(const dlp_solid *solid, const dlp_constraint_coloring *coloring,
                            dlp_solid_row *row)
{
    row->has_tied = false;
    for (int32_t lane = 0; lane < DLP_LANES; lane++) set_lane_mass(solid, coloring, row, lane);
}

static void mass_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid *solid = context;
    const dlp_constraint_coloring *coloring = dlp_solid_active_coloring(solid);
    for (int32_t r = begin; r < end; r++) dlp_solid_set_row_mass(solid, coloring, &coloring->rows[r]);
}

void dlp_solid_set_constraint_masses(dlp_solid *solid)
{
    dlp_parallel_for(solid->params.team, dlp_solid_active_coloring(solid)->row_count, GRAIN, mass_range,
                     solid);
}
