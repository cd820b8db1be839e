/* What a checkpoint must hold of the cloth, and its statistics. */
#include "motion/cloth/cloth_contact_phases.h"
#include "scene/body_force.h"

// Checkpoints.

static void add(dlp_manifest *manifest, const char *name, dlp_type type, int32_t components, void *data)
{
    const dlp_manifest_item item = {name, type, components, 1, data, DLP_COUNT_FIXED, 0};
    dlp_manifest_add(manifest, item);
}

// An item per entry of a list: its name in the file is the list's.
#define ADD_SAVED(name, type, components, saved_as)                                                          \
    dlp_manifest_add(manifest, (dlp_manifest_item){saved_as, DLP_CLOTH_TYPE(type), components, count,        \
                                                   arrays->name, counts, 0});

static void add_particles(dlp_manifest *manifest, const dlp_cloth_particles *arrays)
{
    const int32_t count = arrays->count;
    const dlp_count_kind counts = DLP_COUNT_PARTICLES;
    DLP_CLOTH_PARTICLE_FIELDS(ADD_SAVED)
}

static void add_contacts(dlp_manifest *manifest, const dlp_cloth_contact_state *arrays, int32_t count)
{
    const dlp_count_kind counts = DLP_COUNT_PARTICLES;
    DLP_CLOTH_CONTACT_FIELDS(ADD_SAVED)
}

static void add_corners(dlp_manifest *manifest, const dlp_cloth_corners *arrays, int32_t count)
{
    const dlp_count_kind counts = DLP_COUNT_FIXED;
    DLP_CLOTH_CORNER_FIELDS(ADD_SAVED)
}

static void add_ends(dlp_manifest *manifest, const dlp_cloth_ends *arrays, int32_t count)
{
    const dlp_count_kind counts = DLP_COUNT_FIXED;
    DLP_CLOTH_END_FIELDS(ADD_SAVED)
}

// `pressures`: how many loads are on cloth.
static void add_wind(dlp_manifest *manifest, dlp_cloth_wind *arrays, int32_t count, int32_t pressures)
{
    const dlp_count_kind counts = DLP_COUNT_FIXED;
    DLP_CLOTH_WIND_FIELDS(ADD_SAVED)
    add(manifest, "cloth/air", DLP_FLOAT64, 4, arrays->air);
    add(manifest, "cloth/air_is_known", DLP_INT32, 1, &arrays->is_known);
    if (pressures > 0) add(manifest, "cloth/pressure", DLP_FLOAT64, pressures, arrays->pressure);
}

// What values may come back: of what they mean, or so large that no run comes near them.
static const struct {
    const char *name;
    double least, most;
} RANGES[] = {
    {"cloth/position", -1e9, 1e9},      // m
    {"cloth/velocity", -1e6, 1e6},      // m/s
    {"cloth/mass", 1e-15, 1e6},         // kg
    {"cloth/displacement", -1e9, 1e9},  // m
    {"cloth/substance", 0, 1e9},
    {"cloth/pin", -1, 1e9},
    {"cloth/id", 0, 1e12},
    {"cloth/state", 0, 2},
    {"cloth/start_place", -1e9, 1e9},
    {"cloth/change", -1e6, 1e6},
    {"cloth/is_moved", 0, 1},
    {"cloth/was_pinned", 0, 1},
    {"cloth/last_change", -1e6, 1e6},
    {"cloth/last_path", -1e9, 1e9},
    {"cloth/is_torn", 0, 1},
    {"cloth/next_id", 0, 1e12},
    {"cloth/counts", 0, 1e18},
    {"cloth/step_lengths", 0, 1e30},
    {"cloth/contact", 0, 1e9},
    {"cloth/held_pull", 0, 1e9},  // N
    {"cloth/load", 0, 1e9},
    {"cloth/had_contact", 0, 1},
    {"cloth/at_rest", 0, 1},
    {"cloth/air_velocity", -1e6, 1e6},
    {"cloth/air", -1e6, 1e6},
    {"cloth/air_is_known", 0, 1},
    {"cloth/pressure", -1e30, 1e30},
};

static void bound_values(dlp_manifest *manifest)
{
    for (size_t k = 0; k < sizeof RANGES / sizeof RANGES[0]; k++)
        dlp_manifest_bound(manifest, RANGES[k].name, RANGES[k].least, RANGES[k].most);
}

void dlp_cloth_manifest(dlp_cloth *cloth, dlp_manifest *manifest)
{
    dlp_cloth_state *state = &cloth->state;
    add_particles(manifest, &state->particles);
    add_corners(manifest, &state->corners, cloth->params.triangles.count);
    add_ends(manifest, &state->ends, cloth->params.links.count);
    add(manifest, "cloth/next_id", DLP_INT64, 1, &state->next_id);
    add(manifest, "cloth/last_step", DLP_FLOAT64, 1, &state->last_step);
    add(manifest, "cloth/interval", DLP_FLOAT64, 2, &state->clock.start);
    add(manifest, "cloth/steps", DLP_INT32, 5, &state->clock.step_count);
    add(manifest, "cloth/counts", DLP_INT64, 6, &state->counts.substeps);
    add(manifest, "cloth/step_lengths", DLP_FLOAT64, 2, &state->counts.dt_min);
    add_contacts(manifest, &cloth->contact.state, state->particles.count);
    add_wind(manifest, &cloth->contact.state.wind, cloth->params.triangles.count,
             cloth->contact.params.pressed.count);
    bound_values(manifest);
}

dlp_status dlp_cloth_begin_load(dlp_cloth *cloth, int32_t particle_count, dlp_error *error)
{
    if (particle_count < 0) return dlp_fail(error, DLP_IO, "%d particles", particle_count);
    DLP_TRY(dlp_cloth_reserve_particles(cloth, particle_count, error));
    cloth->state.particles.count = particle_count;
    return dlp_cloth_contact_reserve_particles(&cloth->contact, cloth->state.particles.capacity, error);
}

// What the scene has: indices into its lists.
static bool is_particle_sane(const dlp_cloth *cloth, int32_t i)
{
    const dlp_scene_def *scene = cloth->params.scene;
    const dlp_cloth_particles *p = &cloth->state.particles;
    return p->substance[i] < scene->substance_count &&
           scene->substances[p->substance[i]].model == DLP_MODEL_CLOTH &&
           p->pin[i] < scene->attachment_count &&
           cloth->contact.state.obstacle_contact[i] <= 2 * scene->obstacle_count &&
           p->id[i] < cloth->state.next_id;
}

// Far more steps than the interval needs are none that a run has planned, though its step may have changed.
static bool is_clock_sane(const dlp_cloth *cloth)
{
    const dlp_cloth_clock *c = &cloth->state.clock;
    const int32_t stride = c->stride;
    const double most = 1000 * (1 + (c->end - c->start) / dlp_cloth_step_limit(cloth));
    return dlp_clock_shows(cloth->params.context.clock, c->start, c->end) && c->step_count >= 1 &&
           c->step_count <= most && c->step >= 0 && c->step <= c->step_count && c->tick >= 0 &&
           c->tick < DLP_CLOTH_STEP_TICKS && stride >= 1 && stride <= DLP_CLOTH_STEP_TICKS &&
           (stride & (stride - 1)) == 0 && c->tick % stride == 0 && (c->is_cut == 0 || c->is_cut == 1);
}

static bool are_in_range(const int32_t *numbers, int64_t count, int32_t limit)
{
    for (int64_t k = 0; k < count; k++)
        if (numbers[k] < 0 || numbers[k] >= limit) return false;
    return true;
}

static bool are_elements_sane(const dlp_cloth *cloth)
{
    const dlp_cloth_state *state = &cloth->state;
    const int64_t triangle_count = cloth->params.triangles.count, link_count = cloth->params.links.count;
    return are_in_range(state->corners.corner, 3 * triangle_count, state->particles.count) &&
           are_in_range(state->ends.end, 2 * link_count, state->particles.count);
}

dlp_status dlp_cloth_end_load(dlp_cloth *cloth, dlp_error *error)
{
    const double last_step = cloth->state.last_step;
    if (!is_clock_sane(cloth) || !(last_step >= DLP_CLOTH_DISTURBED && last_step <= 1e9))
        return dlp_fail(error, DLP_IO,
                        "checkpoint: the cloth's clock holds values that no run can have left");
    for (int32_t i = 0; i < cloth->state.particles.count; i++)
        if (!is_particle_sane(cloth, i))
            return dlp_fail(error, DLP_IO,
                            "checkpoint: particle %d of the cloth holds values that no run can "
                            "have left",
                            i);
    if (!are_elements_sane(cloth))
        return dlp_fail(error, DLP_IO, "checkpoint: the cloth's elements end at particles that do not exist");
    const int32_t air_is_known = cloth->contact.state.wind.is_known;
    dlp_cloth_set_fabrics(cloth);
    cloth->contact.state.wind.is_known = air_is_known;  // by the fabrics of the run that was saved
    DLP_TRY(dlp_cloth_connect(cloth, error));
    DLP_TRY(dlp_cloth_rebuild_contacts(cloth, error));
    dlp_cloth_restore_air(cloth);
    return DLP_OK;
}

// Statistics.

// Restrained particles have the energy with which they move, which is less than their momentum's.
static double kinetic_energy(const dlp_cloth *cloth, int32_t i)
{
    const dlp_fabric *fabric = dlp_cloth_fabric_of(cloth, i);
    const double mass = cloth->state.particles.mass[i];
    const dlp_vec3 v = dlp_cloth_get(cloth->state.particles.velocity, i);
    if (!fabric->is_restrained) return 0.5 * mass * dlp_dot(v, v);
    return mass * dlp_restraint_energy(fabric->restraint, dlp_length(v));
}

void dlp_cloth_measure(const dlp_cloth *cloth, dlp_stats *stats)
{
    const dlp_cloth_particles *p = &cloth->state.particles;
    const dlp_cloth_counts *c = &cloth->state.counts;
    const bool is_first = stats->particles == 0;
    for (int32_t i = 0; i < p->count; i++) {
        stats->active += p->state[i] < 2;
        stats->restrained += p->state[i] == 2;
        stats->kinetic_energy += kinetic_energy(cloth, i);
        stats->potential_energy += p->mass[i] * dlp_body_potential(cloth->params.scene, p->substance[i],
                                                                   dlp_cloth_get(p->position, i));
        stats->momentum = dlp_along(stats->momentum, dlp_cloth_get(p->velocity, i), p->mass[i]);
        const dlp_vec3 spin = dlp_cross(dlp_cloth_get(p->position, i), dlp_cloth_get(p->velocity, i));
        stats->angular_momentum = dlp_along(stats->angular_momentum, spin, p->mass[i]);
        stats->mass += p->mass[i];
    }
    stats->potential_energy += dlp_cloth_elastic_energy(cloth);
    stats->particles += p->count;
    stats->finest_particles += p->count;
    stats->substeps = stats->substeps > c->substeps ? stats->substeps : c->substeps;
    stats->force_evaluations += c->force_evaluations;
    stats->full_evaluations += c->full_evaluations;
    if (c->substeps == 0) return;
    stats->dt_min = is_first ? c->dt_min : fmin(stats->dt_min, c->dt_min);
    stats->dt_max = is_first ? c->dt_max : fmax(stats->dt_max, c->dt_max);
}
