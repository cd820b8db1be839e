/* What the world asks of the solver: fields, statistics, checkpoints. */
#include "motion/sph/adapt.h"
#include "motion/sph/sph_heat.h"
#include "motion/sph/sph_restraint.h"

#include <string.h>

static dlp_status create(const dlp_solver_context *context, void **out_self, dlp_error *error)
{
    dlp_sph *sph;
    const dlp_status status = dlp_sph_create(context, &sph, error);
    *out_self = sph;
    return status;
}

static void destroy(void *self)
{
    dlp_sph_destroy(self);
}

static void begin_span(void *self)
{
    dlp_sph_begin_span(self);
}

static double step_limit(const void *self)
{
    const dlp_sph *sph = self;
    return sph->dt_scale * sph->smallest_dt_limit;
}

static void begin(void *self)
{
    dlp_sph_begin(self);
}

static void cut(void *self)
{
    dlp_sph_cut(self);
}

static int64_t next_tick(const void *self)
{
    const dlp_sph *sph = self;
    return dlp_sph_next_tick(sph) * dlp_sph_clock_world_ticks(&sph->clock);
}

static dlp_status advance(void *self, int64_t tick, bool *out_is_done, dlp_error *error)
{
    dlp_sph *sph = self;
    return dlp_sph_advance(sph, (int32_t)(tick / dlp_sph_clock_world_ticks(&sph->clock)), out_is_done, error);
}

static int32_t active_count(const void *self)
{
    return ((const dlp_sph *)self)->due_count;
}

static void change(void *self)
{
    dlp_sph_change(self);
}

// Fields.

static int32_t count(const void *self)
{
    return ((const dlp_sph *)self)->particles.count;
}

static bool has_field(const void *self, dlp_field field)
{
    return field == DLP_FIELD_TEMPERATURE && ((const dlp_sph *)self)->heat != NULL;
}

static const void *stored(const void *self, dlp_field field)
{
    const dlp_sph *sph = self;
    switch (field) {
    case DLP_FIELD_POSITION:
        return sph->particles.position;
    case DLP_FIELD_VELOCITY:
        return sph->restrains ? NULL : sph->particles.velocity;
    case DLP_FIELD_SUBSTANCE:
        return sph->particles.substance;
    case DLP_FIELD_ID:
        return sph->particles.id;
    case DLP_FIELD_DISPLACEMENT:
        return sph->particles.displacement;
    default:
        return NULL;
    }
}

static float derived_number(const dlp_sph *sph, dlp_field field, int32_t i)
{
    const dlp_particles *p = &sph->particles;
    const dlp_substance *s = &sph->substances[p->substance[i]];
    const double volume = (double)s->volume_unit * p->units[i];
    switch (field) {
    case DLP_FIELD_DENSITY:
        return p->compression[i] * s->rho0;
    case DLP_FIELD_PRESSURE:
        return dlp_heat_softening(sph, i) * dlp_substance_pressure(s, p->compression[i]);
    case DLP_FIELD_TEMPERATURE:
        return sph->heat != NULL ? (float)p->temperature[i] : (float)sph->scene->ambient;
    case DLP_FIELD_MASS:
        return (float)(s->unit_mass * p->units[i]);
    case DLP_FIELD_RADIUS:
        return (float)(sph->scene->dimension == 2 ? sqrt(volume / DLP_PI) : cbrt(volume * 3 / (4 * DLP_PI)));
    case DLP_FIELD_STEP:
        return (float)dlp_sph_clock_seconds(&sph->clock, p->step[i]);
    default:
        return 0;
    }
}

// The velocity with which it moves: a restrained particle's momentum is hidden.
static void effective_velocity(const dlp_sph *sph, int32_t i, float out_velocity[3])
{
    const float *v = sph->particles.velocity + 3 * (int64_t)i;
    const double vv = (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const float gain = (float)dlp_particle_gain(sph, i, vv);
    for (int axis = 0; axis < 3; axis++) out_velocity[axis] = gain * v[axis];
}

static void derive(const void *self, dlp_field field, int32_t i, void *to)
{
    const dlp_sph *sph = self;
    const float value = derived_number(sph, field, i);
    const int32_t level = dlp_level_of_units(sph->particles.units[i], sph->scene->dimension);
    const int32_t state = dlp_particle_state(sph, i);
    if (field == DLP_FIELD_VELOCITY)
        effective_velocity(sph, i, to);
    else if (field == DLP_FIELD_LEVEL)
        memcpy(to, &level, sizeof level);
    else if (field == DLP_FIELD_STATE)
        memcpy(to, &state, sizeof state);
    else
        memcpy(to, &value, sizeof value);
}

static void add_velocity(void *self, const float *change)
{
    dlp_sph *sph = self;
    double fastest = 0;
    for (int32_t i = 0; i < sph->particles.count; i++) {
        const float *add = change + 3 * (size_t)i;
        float *velocity = sph->particles.velocity + 3 * (size_t)i;
        for (int axis = 0; axis < 3; axis++) velocity[axis] += add[axis];
        fastest = fmax(fastest, dlp_length(dlp_vec((double)add[0], (double)add[1], (double)add[2])));
    }
    sph->speed_bound += fastest;  // so that lists are renewed in time
}

static dlp_status measure(void *self, dlp_stats *stats, dlp_error *error)
{
    return dlp_sph_measure(self, stats, error);
}

static const dlp_samples *samples(const void *self)
{
    return &((const dlp_sph *)self)->samples;
}

static dlp_point_sample sample(const void *self, dlp_vec3 x)
{
    return dlp_sph_sample(self, x);
}

// Checkpoints.

static void list_each(dlp_manifest *manifest, const char *name, int32_t count_now, void *data)
{
    dlp_manifest_add(manifest,
                     (dlp_manifest_item){name, DLP_INT32, 1, count_now, data, DLP_COUNT_PARTICLES, 0});
}

static void list_lists(dlp_sph *sph, dlp_manifest *manifest)
{
    static const char *const listed[3] = {"lists/x", "lists/y", "lists/z"}, *const sorted[3] = {
                                                                                "lists/sorted_x",
                                                                                "lists/sorted_y",
                                                                                "lists/sorted_z"};
    const int32_t n = sph->particles.count;
    for (int axis = 0; axis < 3; axis++) list_each(manifest, listed[axis], n, sph->at[axis]);
    for (int axis = 0; axis < 3 && sph->restrains; axis++)
        list_each(manifest, sorted[axis], n, sph->sorted_at[axis]);
}

static void manifest(void *self, dlp_manifest *manifest)
{
    dlp_sph *sph = self;
    const dlp_scene_def *scene = sph->scene;
    dlp_particles_manifest(&sph->particles, manifest);
    list_lists(sph, manifest);
    const dlp_manifest_item items[] = {
        {"lists/time", DLP_FLOAT64, 1, 1, &sph->list_time, DLP_COUNT_FIXED, 0},
        {"lists/bounds", DLP_FLOAT64, 2, 1, &sph->moved_bound, DLP_COUNT_FIXED, 0},
        {"substances/stiffness", DLP_FLOAT64, 1, scene->substance_count, sph->stiffness, DLP_COUNT_FIXED, 0},
        {"sph/speed_scale", DLP_FLOAT64, 2, 1, &sph->speed_scale, DLP_COUNT_FIXED, 0},
        {"sph/velocity_limit", DLP_FLOAT64, 1, 1, &sph->velocity_limit, DLP_COUNT_FIXED, 0},
        {"sph/interval", DLP_FLOAT64, 2, 1, &sph->clock.start, DLP_COUNT_FIXED, 0},
        {"sph/ticks", DLP_INT32, 4, 1, &sph->clock.base, DLP_COUNT_FIXED, 0},
        {"sph/dt_limit", DLP_FLOAT64, 1, 1, &sph->smallest_dt_limit, DLP_COUNT_FIXED, 0},
        {"sph/dt_scale", DLP_FLOAT64, 1, 1, &sph->dt_scale, DLP_COUNT_FIXED, 0},
        {"sph/next_id", DLP_INT64, 1, 1, &sph->next_id, DLP_COUNT_FIXED, 0},
        {"emitters", DLP_FLOAT64, 3, scene->emitter_count, sph->emitter_states, DLP_COUNT_FIXED, 0},
        {"frame/counts", DLP_INT64, 6, 1, &sph->counts.substeps, DLP_COUNT_FIXED, 0},
        {"frame/steps", DLP_FLOAT64, 2, 1, &sph->counts.dt_min, DLP_COUNT_FIXED, 0},
    };
    for (size_t k = 0; k < sizeof items / sizeof items[0]; k++) dlp_manifest_add(manifest, items[k]);
}

static dlp_status begin_load(void *self, int32_t particle_count, dlp_error *error)
{
    dlp_sph *sph = self;
    if (particle_count < 0) return dlp_fail(error, DLP_IO, "%d particles", particle_count);
    DLP_TRY(dlp_particles_reserve(&sph->particles, particle_count, error));
    DLP_TRY(dlp_sph_reserve_points(sph, particle_count + 1, error));
    sph->particles.count = particle_count;
    return DLP_OK;
}

static bool is_particle_sane(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->particles;
    const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
    const int32_t end = dlp_sph_clock_end(&sph->clock);
    const bool has_sane_heat =
        sph->heat == NULL || (isfinite(p->temperature[i]) && isfinite(p->temperature_rate[i]));
    return has_sane_heat && dlp_is_finite3(dlp_particle_position(p, i)) && isfinite(v[0] + v[1] + v[2]) &&
           isfinite(a[0] + a[1] + a[2]) && p->compression[i] > 0 && isfinite(p->compression[i]) &&
           isfinite(p->compression_rate[i]) && p->units[i] > 0 && p->units[i] <= DLP_UNITS_LIMIT &&
           p->substance[i] >= 0 && p->substance[i] < sph->scene->substance_count && p->begin[i] >= 0 &&
           p->begin[i] <= end && p->step[i] >= 0 && p->step[i] <= end + 1 && p->id[i] >= 0 &&
           p->id[i] < sph->next_id;
}

static bool is_clock_sane(const dlp_sph *sph)
{
    const dlp_sph_clock *c = &sph->clock;
    return isfinite(c->start) && c->end > c->start && isfinite(c->end) && c->base >= 1 && c->base <= 15 &&
           c->stop >= 0 && c->stop <= dlp_sph_clock_end(c) && c->tick >= 0 && c->tick <= c->stop &&
           c->last_tick >= 0 && c->last_tick <= c->tick && isfinite(sph->list_time) &&
           isfinite(sph->moved_bound) && isfinite(sph->speed_bound) && sph->smallest_dt_limit > 0 &&
           sph->dt_scale > 0 && sph->dt_scale <= 1;
}

static dlp_status end_load(void *self, dlp_error *error)
{
    dlp_sph *sph = self;
    if (!is_clock_sane(sph))
        return dlp_fail(error, DLP_IO, "checkpoint: its clock holds values that no run can have left");
    for (int32_t i = 0; i < sph->particles.count; i++)
        if (!is_particle_sane(sph, i))
            return dlp_fail(error, DLP_IO, "checkpoint: particle %d holds values that no run can have left",
                            i);
    return dlp_sph_restore(sph, error);
}

const dlp_solver dlp_sph_solver = {.name = "sph",
                                   .create = create,
                                   .destroy = destroy,
                                   .begin_span = begin_span,
                                   .step_limit = step_limit,
                                   .begin = begin,
                                   .cut = cut,
                                   .next_tick = next_tick,
                                   .advance = advance,
                                   .active_count = active_count,
                                   .change = change,
                                   .count = count,
                                   .has_field = has_field,
                                   .stored = stored,
                                   .derive = derive,
                                   .add_velocity = add_velocity,
                                   .measure = measure,
                                   .samples = samples,
                                   .sample = sample,
                                   .manifest = manifest,
                                   .begin_load = begin_load,
                                   .end_load = end_load};
