/* How strained the solids are, and their statistics. Strains of all particles are found in one pass over the
 * rows when somebody asks, and kept until they move. */
#define DLP_DOUBLE
#include "matter/elastic.h"
#include "matter/plastic.h"
#include "matter/principal.h"
#include "motion/solid/solid_gradient.h"
#include "scene/body_force.h"

enum { GRAIN = 16 };

// Strains.

// H = F - I of a lane, from the places as they are; where it has no neighbours, it turns with the others.
static dlp_t3 gradient_of(const dlp_solid *solid, const dlp_solid_row *row, int32_t lane)
{
    const dlp_solid_particles *p = &solid->state.particles;
    const int32_t i = row->particle[lane];
    double m[9];
    dlp_solid_lane_gradient(&solid->topology.coloring, row, lane, p->position, 1, m);
    const dlp_t3 h = {m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]};
    const float *q = p->rotation + 4 * (int64_t)i;
    const dlp_rotation rotation = {(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
    const dlp_s3 missing = {(double)row->missing[0][lane], (double)row->missing[1][lane],
                            (double)row->missing[2][lane], (double)row->missing[3][lane],
                            (double)row->missing[4][lane], (double)row->missing[5][lane]};
    return dlp_t3_add(h, dlp_t3_product_symmetric(dlp_rotation_change(rotation), missing));
}

// J/m3: of the springs that hold what the gradient does not see.
static double spring_energy(const dlp_solid *solid, const dlp_solid_row *row, int32_t lane, dlp_t3 h)
{
    const dlp_solid_particles *p = &solid->state.particles;
    const int32_t i = row->particle[lane];
    const dlp_solid_material *material = &solid->params.materials[p->substance[i]];
    double sum = 0;
    for (int32_t n = 0; n < row->link_count; n++) {
        const dlp_solid_lane_link link = dlp_solid_link_of_lane(&solid->topology.coloring, row, n, lane);
        const dlp_v3 x = {link.offset.x, link.offset.y, link.offset.z};
        const double inside = (double)row->reach[lane] - (x.x * x.x + x.y * x.y + x.z * x.z);
        if (!(inside > 0)) continue;
        const dlp_vec3 edge =
            dlp_sub(dlp_solid_get(p->position, link.particle), dlp_solid_get(p->position, i));
        const dlp_v3 straight = dlp_t3_apply(h, x);
        const dlp_vec3 e =
            dlp_vec(edge.x - x.x - straight.x, edge.y - x.y - straight.y, edge.z - x.z - straight.z);
        sum += (double)row->weight[lane] * inside * inside * dlp_dot(e, e);
    }
    return 0.5 * material->hourglass * material->young * sum;
}

// By the tensor forms where they hold, which is nearly everywhere, and is quicker.
static dlp_elastic law_of(dlp_elastic_law law, const dlp_solid_material *material, dlp_t3 h)
{
    const dlp_lame m = {material->mu, material->lambda};
    const dlp_t3 f = dlp_t3_shift(h, 1);
    const dlp_s3 e = dlp_green(h);
    if (law != DLP_ELASTIC_COROTATED && dlp_elastic_is_plain(f, e, dlp_elastic_least(law)))
        return law == DLP_ELASTIC_STVK ? dlp_stvk(m, f, e) : dlp_neo_hookean(m, f, e);
    const double in[9] = {h.xx, h.xy, h.xz, h.yx, h.yy, h.yz, h.zx, h.zy, h.zz};
    double p[9];
    dlp_elastic out = {.energy = dlp_elastic_at(law, material->mu, material->lambda, in, p)};
    out.stress = (dlp_t3){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]};
    return out;
}

static dlp_elastic add_fibers(const dlp_solid_def *def, dlp_t3 h, dlp_elastic out)
{
    for (int32_t k = 0; k < def->fiber_count; k++) {
        const dlp_vec3 b = dlp_normalize(def->fibers[k].direction, dlp_vec(1, 0, 0));
        const dlp_fiber fiber = {{b.x, b.y, b.z}, 0.5 * def->fibers[k].modulus};
        out = dlp_elastic_add(out, dlp_fiber_law(fiber, dlp_t3_shift(h, 1), dlp_green(h)));
    }
    return out;
}

// Cauchy: sigma = P F^T / J.
static dlp_solid_strain strain_of(const dlp_solid *solid, const dlp_solid_row *row, int32_t lane)
{
    const int32_t i = row->particle[lane], substance = solid->state.particles.substance[i];
    const dlp_solid_def *def = &solid->params.scene->substances[substance].solid;
    const float *g = solid->state.particles.plastic + 9 * (int64_t)i;
    const dlp_t3 plastic = {(double)g[0], (double)g[1], (double)g[2], (double)g[3], (double)g[4],
                            (double)g[5], (double)g[6], (double)g[7], (double)g[8]};
    const dlp_t3 h = gradient_of(solid, row, lane), elastic = dlp_plastic_elastic_part(h, plastic);
    const dlp_elastic at =
        add_fibers(def, elastic, law_of(def->law, &solid->params.materials[substance], elastic));
    const dlp_t3 f = dlp_t3_shift(h, 1);
    const double volume_ratio = dlp_t3_determinant(f);
    const double trace = dlp_t3_dot(dlp_plastic_stress(at.stress, plastic), f);
    return (dlp_solid_strain){.energy = at.energy + spring_energy(solid, row, lane, h),
                              .pressure = (float)(-trace / (3 * fmax(volume_ratio, 0.1))),
                              .volume_ratio = (float)volume_ratio};
}

static void strain_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = context;
    for (int32_t r = begin; r < end; r++) {
        const dlp_solid_row *row = &solid->topology.coloring.rows[r];
        for (int32_t lane = 0; lane < DLP_LANES; lane++)
            if (row->particle[lane] < solid->state.particles.count)
                solid->scratch.strains[row->particle[lane]] = strain_of(solid, row, lane);
    }
}

// What is derived is kept with the solids; nothing of the simulation changes.
const dlp_solid_strain *dlp_solid_strains(const dlp_solid *solid)
{
    if (!solid->scratch.has_strains)
        dlp_parallel_for(solid->params.team, solid->topology.coloring.row_count, GRAIN, strain_range,
                         (void *)(uintptr_t)solid);
    ((dlp_solid *)(uintptr_t)solid)->scratch.has_strains = true;
    return solid->scratch.strains;
}

// Statistics.

void dlp_solid_measure(const dlp_solid *solid, dlp_stats *stats)
{
    const dlp_solid_particles *p = &solid->state.particles;
    const dlp_solid_counts *c = &solid->state.counts;
    const dlp_solid_strain *strains = dlp_solid_strains(solid);
    const bool is_first = stats->particles == 0;
    for (int32_t i = 0; i < p->count; i++) {
        const dlp_vec3 v = dlp_solid_get(p->velocity, i);
        const double volume = solid->params.materials[p->substance[i]].volume;
        stats->kinetic_energy += 0.5 * p->mass[i] * dlp_dot(v, v);
        stats->potential_energy += p->mass[i] * dlp_body_potential(solid->params.scene, p->substance[i],
                                                                   dlp_solid_get(p->position, i));
        stats->potential_energy += dlp_solid_rest_volume(solid, i) * strains[i].energy;
        stats->momentum = dlp_along(stats->momentum, v, p->mass[i]);
        stats->angular_momentum =
            dlp_along(stats->angular_momentum, dlp_cross(dlp_solid_get(p->position, i), v), p->mass[i]);
        stats->mass += p->mass[i];
        stats->volume += volume * fmax((double)strains[i].volume_ratio, 0);
    }
    stats->active += p->count;
    stats->particles += p->count;
    stats->finest_particles += p->count;
    stats->substeps = stats->substeps > c->substeps ? stats->substeps : c->substeps;
    stats->force_evaluations += c->solves;
    stats->full_evaluations += c->solves;
    if (c->substeps == 0) return;
    stats->dt_min = is_first ? c->dt_min : fmin(stats->dt_min, c->dt_min);
    stats->dt_max = is_first ? c->dt_max : fmax(stats->dt_max, c->dt_max);
}
