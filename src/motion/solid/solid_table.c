/* What the world asks of the solids. */
#include "motion/solid/solid_host.h"

#include <string.h>

static dlp_status create(const dlp_solver_context *context, void **out_self, dlp_error *error)
{
    dlp_solid *solid;
    const dlp_status status = dlp_solid_create(context, &solid, error);
    *out_self = solid;
    return status;
}

static void destroy(void *self)
{
    dlp_solid_destroy(self);
}

static void begin_span(void *self)
{
    dlp_solid_begin_span(self);
}

static double step_limit(const void *self)
{
    return dlp_solid_step_limit(self);
}

static void begin(void *self)
{
    dlp_solid_begin(self);
}

static int64_t next_tick(const void *self)
{
    const dlp_solid *solid = self;
    const int64_t tick = dlp_solid_next_tick(solid);
    return tick < solid->params.context.clock->end_tick ? tick : solid->params.context.clock->end_tick;
}

// A sub-step is shorter than the others where the interval was cut short.
static dlp_status advance(void *self, int64_t tick, bool *out_is_done, dlp_error *error)
{
    dlp_solid *solid = self;
    const bool is_cut = tick < dlp_solid_next_tick(solid);
    const double left = dlp_clock_time(solid->params.context.clock, tick) - dlp_solid_time(solid);
    assert(tick <= dlp_solid_next_tick(solid) && tick <= solid->params.context.clock->end_tick);
    *out_is_done = true;
    if (is_cut && !(left > 0)) return DLP_OK;
    return dlp_solid_step(solid, is_cut ? left : dlp_solid_step_length(solid), out_is_done, error);
}

static int32_t count(const void *self)
{
    return dlp_solid_particles_of(self)->count;
}

static void change(void *self)
{
    dlp_solid_change(self);
}

static bool has_field(const void *self, dlp_field field)
{
    return field == DLP_FIELD_PIECE && dlp_solid_may_break(self);
}

static const void *stored(const void *self, dlp_field field)
{
    const dlp_solid_particles *p = dlp_solid_particles_of(self);
    switch (field) {
    case DLP_FIELD_POSITION:
        return p->position;
    case DLP_FIELD_SUBSTANCE:
        return p->substance;
    case DLP_FIELD_DISPLACEMENT:
        return p->displacement;
    case DLP_FIELD_ID:
        return p->id;
    case DLP_FIELD_PIECE:
        return dlp_solid_fragments_of(self);
    default:
        return NULL;
    }
}

// The rest density over the change of volume; what is turned inside out counts as pressed to a tenth.
static double density_of(const dlp_solid *solid, int32_t i)
{
    const double volume = (double)dlp_solid_strains(solid)[i].volume_ratio;
    return solid->params.scene->substances[solid->state.particles.substance[i]].density / fmax(volume, 0.1);
}

static float derived_number(const dlp_solid *solid, dlp_field field, int32_t i)
{
    switch (field) {
    case DLP_FIELD_DENSITY:
        return (float)density_of(solid, i);
    case DLP_FIELD_PRESSURE:
        return dlp_solid_strains(solid)[i].pressure;
    case DLP_FIELD_MASS:
        return (float)solid->state.particles.mass[i];
    case DLP_FIELD_RADIUS:
        return (float)dlp_solid_radius(solid, i);
    case DLP_FIELD_STEP:
        return (float)dlp_solid_step_length(solid);
    case DLP_FIELD_TEMPERATURE:
        return (float)solid->params.scene->ambient;
    default:
        return 0;
    }
}

static void derive(const void *self, dlp_field field, int32_t i, void *to)
{
    const dlp_solid *solid = self;
    const double *v = solid->state.particles.velocity + 3 * (size_t)i;
    const float velocity[3] = {(float)v[0], (float)v[1], (float)v[2]};
    const float value = derived_number(solid, field, i);
    if (field == DLP_FIELD_VELOCITY)
        memcpy(to, velocity, sizeof velocity);
    else
        memcpy(to, &value, sizeof value);  // level and state 0 have the same bits
}

static void add_velocity(void *self, const float *change_of)
{
    dlp_solid_add_velocity(self, change_of);
}

static bool can_write(const void *self, dlp_field field)
{
    (void)self;
    return dlp_solid_can_write(field);
}

static dlp_status write(void *self, dlp_field field, int32_t first, int32_t particle_count,
                        const void *values, dlp_error *error)
{
    return dlp_solid_write(self, field, first, particle_count, values, error);
}

static double wave_speed(const void *self)
{
    const dlp_scene_def *scene = ((const dlp_solid *)self)->params.scene;
    double largest = 0;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_substance_def *s = &scene->substances[k];
        double modulus = s->solid.youngs_modulus;
        for (int32_t f = 0; f < s->solid.fiber_count; f++) modulus += s->solid.fibers[f].modulus;
        if (s->model == DLP_MODEL_SOLID) largest = fmax(largest, modulus / s->density);
    }
    return sqrt(largest);
}

static dlp_status measure(void *self, dlp_stats *stats, dlp_error *error)
{
    (void)error;
    dlp_solid_measure(self, stats);
    return DLP_OK;
}

static void manifest(void *self, dlp_manifest *to)
{
    dlp_solid_manifest(self, to);
}

static dlp_status begin_load(void *self, int32_t particle_count, dlp_error *error)
{
    return dlp_solid_begin_load(self, particle_count, error);
}

static dlp_status end_load(void *self, dlp_error *error)
{
    return dlp_solid_end_load(self, error);
}

const dlp_solver dlp_solid_solver = {.name = "solid",
                                     .is_elastic = true,
                                     .takes_forces = true,
                                     .create = create,
                                     .destroy = destroy,
                                     .begin_span = begin_span,
                                     .step_limit = step_limit,
                                     .begin = begin,
                                     .next_tick = next_tick,
                                     .advance = advance,
                                     .active_count = count,
                                     .change = change,
                                     .count = count,
                                     .has_field = has_field,
                                     .stored = stored,
                                     .derive = derive,
                                     .add_velocity = add_velocity,
                                     .can_write = can_write,
                                     .write = write,
                                     .wave_speed = wave_speed,
                                     .measure = measure,
                                     .manifest = manifest,
                                     .begin_load = begin_load,
                                     .end_load = end_load};
