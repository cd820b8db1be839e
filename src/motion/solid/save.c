/* What a checkpoint must hold of the solids, and their statistics. */
#include "motion/solid/solve.h"
#include "matter/principal.h"

// ---- checkpoints
// --------------------------------------------------------------------------------------------

int32_t dlp_solid_manifest(dlp_solid *solid, dlp_manifest_item *items, int32_t n)
{
    dlp_solid_particles *p = &solid->particles;
#define X(name, type, dlp, components)                                                                       \
    items[n++] = (dlp_manifest_item){"solid/" #name, dlp, components, p->count, p->name, DLP_COUNT_SOLID};
    DLP_SOLID_FIELDS(X)
#undef X
#define ONCE(name, type, components, data)                                                                   \
    items[n++] = (dlp_manifest_item){"solid/" name, type, components, 1, data, DLP_COUNT_FIXED}
    items[n++] = (dlp_manifest_item){"solid/links",         DLP_INT32,      1, solid->rest.count,
                                     solid->rest.neighbour, DLP_COUNT_FIXED};
    ONCE("clock/interval", DLP_FLOAT64, 2, &solid->clock.start);
    ONCE("clock/steps", DLP_INT32, 2, &solid->clock.step_count);
    ONCE("last_step", DLP_FLOAT64, 2, &solid->last_step);
    ONCE("counts/work", DLP_INT64, 2, &solid->counts.substeps);
    ONCE("counts/steps", DLP_FLOAT64, 2, &solid->counts.dt_min);
#undef ONCE
    return n;
}

dlp_status dlp_solid_begin_load(dlp_solid *solid, int32_t particle_count, dlp_error *error)
{
    if (particle_count != solid->particles.count)
        return dlp_fail(error, DLP_IO, "checkpoint: %d particles of solids, but the scene makes %d",
                        particle_count, solid->particles.count);
    return DLP_OK;
}

static bool is_clock_sane(const dlp_solid *solid)
{
    const dlp_solid_clock *c = &solid->clock;
    return isfinite(c->start) && isfinite(c->end) && c->end >= c->start && c->step >= 0 &&
           c->step <= c->step_count && solid->last_step >= 0 && isfinite(solid->last_step) &&
           solid->stiffening >= 0 && isfinite(solid->stiffening);
}

static bool is_particle_sane(const dlp_solid *solid, int32_t i)
{
    const dlp_solid_particles *p = &solid->particles;
    const float *q = p->turn + 4 * (int64_t)i, *g = p->lasting + 9 * (int64_t)i;
    const double turn = (double)(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    bool is_finite = true;
    for (int k = 0; k < 9; k++) is_finite = is_finite && isfinite(g[k]);
    return is_finite && fabs(turn - 1) < 1e-3 && dlp_is_finite3(dlp_solid_get(p->position, i)) &&
           dlp_is_finite3(dlp_solid_get(p->velocity, i)) && dlp_is_finite3(dlp_solid_get(p->way, i)) &&
           dlp_is_finite3(dlp_solid_get(p->last_velocity, i)) && dlp_is_finite3(dlp_solid_get(p->rest, i)) &&
           dlp_is_finite3(dlp_solid_get(p->start_place, i)) && p->mass[i] > 0 && isfinite(p->mass[i]) &&
           p->substance[i] >= 0 && p->substance[i] < solid->scene->substance_count &&
           solid->scene->substances[p->substance[i]].model == DLP_MODEL_SOLID && p->body[i] >= 0 &&
           p->body[i] < solid->body_count && p->pin[i] >= -1 && p->pin[i] < solid->scene->attachment_count &&
           p->layer[i] >= 0 && p->layer[i] <= 2 && p->id[i] >= 0 && p->id[i] < solid->next_id;
}

dlp_status dlp_solid_end_load(dlp_solid *solid, dlp_error *error)
{
    if (!is_clock_sane(solid))
        return dlp_fail(error, DLP_IO,
                        "checkpoint: the solids' clock holds values that no run can have left");
    for (int32_t i = 0; i < solid->particles.count; i++)
        if (!is_particle_sane(solid, i))
            return dlp_fail(error, DLP_IO,
                            "checkpoint: particle %d of the solids holds values that no run can have left",
                            i);
    for (int32_t k = 0; k < solid->rest.count; k++)
        if (solid->rest.neighbour[k] < -1 || solid->rest.neighbour[k] >= solid->particles.count)
            return dlp_fail(error, DLP_IO,
                            "checkpoint: the solids' links end at particles that do not exist");
    const double time = dlp_solid_time(solid);
    DLP_TRY(dlp_solid_find_pieces(solid, error));
    DLP_TRY(dlp_solid_order(solid, error));
    const dlp_held held = dlp_solid_held(solid);
    dlp_attach_place(solid->scene, solid->obstacles, &held, time, time);
    dlp_solid_weigh(solid);
    dlp_solid_weigh_rows(solid);
    return DLP_OK;
}

// ---- statistics
// ---------------------------------------------------------------------------------------------

// F_e - I and the law's energy there, J/m3.
static double energy_of(const dlp_solid *solid, int32_t i, double out_stress[9])
{
    const dlp_substance_def *def = &solid->scene->substances[solid->particles.substance[i]];
    const dlp_flesh *flesh = &solid->flesh[solid->particles.substance[i]];
    double f[9], h[9];
    dlp_solid_gradient(solid, i, f);
    const float *g = solid->particles.lasting + 9 * (int64_t)i;
    for (int k = 0; k < 9; k++) {
        h[k] = f[k] - (k % 4 == 0);
        for (int n = 0; n < 3; n++) h[k] += f[k / 3 * 3 + n] * (double)g[n * 3 + k % 3];
    }
    return dlp_elastic_at(def->solid.law, flesh->mu, flesh->lambda, h, out_stress);
}

// J/m3: of the springs that hold what the gradient does not see.
static double spring_energy(const dlp_solid *solid, int32_t i)
{
    const dlp_solid_particles *p = &solid->particles;
    const dlp_flesh *flesh = &solid->flesh[p->substance[i]];
    double f[9], sum = 0;
    dlp_stencil s;
    dlp_solid_stencil(solid, i, &s);
    dlp_solid_gradient(solid, i, f);
    for (int32_t n = 0; n < s.count; n++) {
        const dlp_vec3 x = s.offset[n];
        const dlp_vec3 straight =
            dlp_vec(f[0] * x.x + f[1] * x.y + f[2] * x.z, f[3] * x.x + f[4] * x.y + f[5] * x.z,
                    f[6] * x.x + f[7] * x.y + f[8] * x.z);
        const dlp_vec3 way =
            dlp_sub(dlp_solid_get(p->position, s.neighbour[n]), dlp_solid_get(p->position, i));
        const dlp_vec3 e = dlp_sub(way, straight);
        const double inside = s.reach - dlp_dot(x, x);
        sum += s.weight * inside * inside * dlp_dot(e, e);
    }
    return 0.5 * flesh->hourglass * flesh->young * sum;
}

// Cauchy: sigma = P F^T / J.
double dlp_solid_pressure(const dlp_solid *solid, int32_t particle)
{
    double stress[9], f[9], trace = 0;
    energy_of(solid, particle, stress);
    dlp_solid_gradient(solid, particle, f);
    for (int k = 0; k < 9; k++) trace += stress[k] * f[k];
    const double volume = f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
                          f[2] * (f[3] * f[7] - f[4] * f[6]);
    return -trace / (3 * fmax(volume, 0.1));
}

void dlp_solid_measure(const dlp_solid *solid, dlp_stats *stats)
{
    const dlp_solid_particles *p = &solid->particles;
    const dlp_solid_counts *c = &solid->counts;
    const bool is_first = stats->particles == 0;
    double stress[9];
    for (int32_t i = 0; i < p->count; i++) {
        const dlp_vec3 v = dlp_solid_get(p->velocity, i);
        stats->kinetic_energy += 0.5 * p->mass[i] * dlp_dot(v, v);
        stats->potential_energy -= p->mass[i] * dlp_dot(solid->scene->gravity, dlp_solid_get(p->position, i));
        stats->potential_energy +=
            solid->flesh[p->substance[i]].volume * (energy_of(solid, i, stress) + spring_energy(solid, i));
        stats->momentum = dlp_along(stats->momentum, v, p->mass[i]);
        stats->mass += p->mass[i];
        stats->volume += solid->flesh[p->substance[i]].volume;
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
