/* What the world asks of the solver: fields, statistics, checkpoints. */
#include "motion/sph/adapt.h"
#include "motion/sph/sph_heat.h"
#include "motion/sph/sph_host.h"
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
    return sph->state.dt_scale * sph->state.smallest_dt_limit;
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
    return dlp_sph_next_tick(sph) * dlp_sph_clock_world_ticks(&sph->state.clock);
}

static dlp_status advance(void *self, int64_t tick, bool *out_is_done, dlp_error *error)
{
    dlp_sph *sph = self;
    return dlp_sph_advance(sph, (int32_t)(tick / dlp_sph_clock_world_ticks(&sph->state.clock)), out_is_done,
                           error);
}

static int32_t active_count(const void *self)
{
    return ((const dlp_sph *)self)->scratch.selection.due_count;
}

static void change(void *self)
{
    dlp_sph_change(self);
}

// Fields.

static int32_t count(const void *self)
{
    return ((const dlp_sph *)self)->state.particles.count;
}

static bool has_field(const void *self, dlp_field field)
{
    return field == DLP_FIELD_TEMPERATURE && dlp_sph_has_heat(self);
}

static const void *stored(const void *self, dlp_field field)
{
    const dlp_sph *sph = self;
    const dlp_particles *p = &sph->state.particles;
    switch (field) {
    case DLP_FIELD_POSITION:
        return p->position;
    case DLP_FIELD_VELOCITY:
        return sph->params.restrains ? NULL : p->velocity;
    case DLP_FIELD_SUBSTANCE:
        return p->substance;
    case DLP_FIELD_ID:
        return p->id;
    case DLP_FIELD_DISPLACEMENT:
        return p->displacement;
    default:
        return NULL;
    }
}

static float derived_number(const dlp_sph *sph, dlp_field field, int32_t i)
{
    const dlp_particles *p = &sph->state.particles;
    const dlp_substance *s = dlp_particle_substance(sph, i);
    const double volume = (double)s->volume_unit * p->units[i];
    switch (field) {
    case DLP_FIELD_DENSITY:
        return p->compression[i] * s->rho0;
    case DLP_FIELD_PRESSURE:
        return dlp_particle_pressure(sph, i);
    case DLP_FIELD_TEMPERATURE:
        return dlp_sph_has_heat(sph) ? (float)p->temperature[i] : (float)sph->scene->ambient;
    case DLP_FIELD_MASS:
        return (float)(s->unit_mass * p->units[i]);
    case DLP_FIELD_RADIUS:
        return (float)(sph->scene->dimension == 2 ? sqrt(volume / DLP_PI) : cbrt(volume * 3 / (4 * DLP_PI)));
    case DLP_FIELD_STEP:
        return (float)dlp_sph_clock_seconds(&sph->state.clock, p->step[i]);
    default:
        return 0;
    }
}

static void derive(const void *self, dlp_field field, int32_t i, void *to)
{
    const dlp_sph *sph = self;
    const float value = derived_number(sph, field, i);
    const int32_t level = dlp_level_of_units(sph->state.particles.units[i], sph->scene->dimension);
    const int32_t state = dlp_particle_state(sph, i);
    if (field == DLP_FIELD_VELOCITY)
        dlp_particle_effective_velocity(sph, i, to);
    else if (field == DLP_FIELD_LEVEL)
        memcpy(to, &level, sizeof level);
    else if (field == DLP_FIELD_STATE)
        memcpy(to, &state, sizeof state);
    else
        memcpy(to, &value, sizeof value);
}

typedef struct sph_velocity_pass {
    dlp_sph *sph;
    const float *change;  // m/s, 3 per particle
} sph_velocity_pass;

// The result is the largest change, m/s.
static void add_velocities(void *context, int32_t begin, int32_t end, void *result)
{
    const sph_velocity_pass *pass = context;
    double *fastest = result;
    for (int32_t i = begin; i < end; i++) {
        const float *add = pass->change + 3 * (size_t)i;
        float *velocity = pass->sph->state.particles.velocity + 3 * (size_t)i;
        for (int axis = 0; axis < 3; axis++) velocity[axis] += add[axis];
        *fastest = fmax(*fastest, dlp_length(dlp_vec((double)add[0], (double)add[1], (double)add[2])));
    }
}

static void add_velocity(void *self, const float *change)
{
    dlp_sph *sph = self;
    double fastest = 0;
    sph_velocity_pass pass = {sph, change};
    const dlp_reduction adding = {add_velocities, dlp_combine_max_double, &pass, sizeof fastest};
    dlp_parallel_reduce(sph->team, sph->state.particles.count, 4096, &adding, &fastest);
    sph->state.listed.speed_bound += fastest;  // so that lists are renewed in time
}

static bool can_write(const void *self, dlp_field field)
{
    return dlp_sph_can_write(self, field);
}

static dlp_status write(void *self, dlp_field field, int32_t first, int32_t count_of_them, const void *values,
                        dlp_error *error)
{
    return dlp_sph_write(self, field, first, count_of_them, values, error);
}

static dlp_status add(void *self, const dlp_new_particles *particles, dlp_error *error)
{
    return dlp_sph_add(self, particles, error);
}

static dlp_status remove_listed(void *self, const int32_t *indices, int32_t count_of_them, dlp_error *error)
{
    return dlp_sph_remove(self, indices, count_of_them, error);
}

static double wave_speed(const void *self)
{
    const dlp_sph *sph = self;
    double largest = 0;
    for (int32_t k = 0; k < sph->scene->substance_count; k++)
        largest = fmax(largest, (double)sph->params.substances[k].k);
    return sqrt(largest);
}

static dlp_status measure(void *self, dlp_stats *stats, dlp_error *error)
{
    return dlp_sph_measure(self, stats, error);
}

static const dlp_samples *samples(const void *self)
{
    return &((const dlp_sph *)self)->scratch.walls.samples;
}

static dlp_point_sample sample(const void *self, dlp_vec3 x)
{
    return dlp_sph_sample(self, x);
}

// Checkpoints.

static void manifest(void *self, dlp_manifest *manifest)
{
    dlp_sph_state_manifest(self, manifest);
}

static dlp_status begin_load(void *self, int32_t particle_count, dlp_error *error)
{
    dlp_sph *sph = self;
    dlp_particles *p = &sph->state.particles;
    const int32_t before = p->count;
    if (particle_count < 0) return dlp_fail(error, DLP_IO, "%d particles", particle_count);
    DLP_TRY(dlp_particles_reserve(p, particle_count, error));
    p->count = particle_count;
    const dlp_status status = dlp_sph_reserve_points(sph, particle_count + 1, error);
    if (status != DLP_OK) p->count = before;
    return status;
}

static dlp_status end_load(void *self, dlp_error *error)
{
    DLP_TRY(dlp_sph_state_check(self, error));
    return dlp_sph_restore(self, error);
}

const dlp_solver dlp_sph_solver = {.name = "sph",
                                   .keeps_density = true,
                                   .takes_forces = true,
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
                                   .can_write = can_write,
                                   .write = write,
                                   .add = add,
                                   .remove = remove_listed,
                                   .wave_speed = wave_speed,
                                   .measure = measure,
                                   .samples = samples,
                                   .sample = sample,
                                   .manifest = manifest,
                                   .begin_load = begin_load,
                                   .end_load = end_load};
