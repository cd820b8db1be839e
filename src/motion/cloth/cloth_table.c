/* What the world asks of the cloth. */
#include "motion/cloth/cloth_host.h"

#include <string.h>

static dlp_status create(const dlp_solver_context *context, void **out_self, dlp_error *error)
{
    dlp_cloth *cloth;
    const dlp_status status = dlp_cloth_create(context, &cloth, error);
    *out_self = cloth;
    return status;
}

static void destroy(void *self)
{
    dlp_cloth_destroy(self);
}

static void begin_span(void *self)
{
    dlp_cloth_begin_span(self);
}

static double step_limit(const void *self)
{
    return dlp_cloth_step_limit(self);
}

static void begin(void *self)
{
    dlp_cloth_begin(self);
}

static void cut(void *self)
{
    ((dlp_cloth *)self)->state.clock.is_cut = 1;
}

static int64_t next_tick(const void *self)
{
    const dlp_cloth *cloth = self;
    const dlp_cloth_clock *clock = &cloth->state.clock;
    const double done = clock->step + (double)(clock->tick + clock->stride) / DLP_CLOTH_STEP_TICKS;
    const int64_t tick = dlp_clock_tick_of(done, clock->step_count),
                  end = cloth->params.context.clock->end_tick;
    return tick < end ? tick : end;
}

static dlp_status advance(void *self, int64_t tick, bool *out_is_done, dlp_error *error)
{
    (void)tick;
    return dlp_cloth_step(self, out_is_done, error);
}

static int32_t active_count(const void *self)
{
    return dlp_cloth_active_count(self);
}

static void change(void *self)
{
    dlp_cloth_change(self);
}

static int32_t count(const void *self)
{
    return dlp_cloth_particles_of(self)->count;
}

static const void *stored(const void *self, dlp_field field)
{
    const dlp_cloth_particles *p = dlp_cloth_particles_of(self);
    switch (field) {
    case DLP_FIELD_POSITION:
        return p->position;
    case DLP_FIELD_SUBSTANCE:
        return p->substance;
    case DLP_FIELD_DISPLACEMENT:
        return p->displacement;
    case DLP_FIELD_STATE:
        return p->state;
    case DLP_FIELD_ID:
        return p->id;
    default:
        return NULL;
    }
}

static float derived_number(const dlp_cloth *cloth, dlp_field field, int32_t i)
{
    const dlp_fabric *fabric = dlp_cloth_fabric_of(cloth, i);
    switch (field) {
    case DLP_FIELD_DENSITY:
        return (float)(fabric->weight / fabric->thickness);
    case DLP_FIELD_MASS:
        return (float)cloth->state.particles.mass[i];
    case DLP_FIELD_RADIUS:
        return (float)dlp_cloth_radius(cloth, i);
    case DLP_FIELD_STEP:
        return (float)dlp_cloth_step_length(cloth);
    case DLP_FIELD_TEMPERATURE:
        return (float)cloth->params.scene->ambient;
    default:
        return 0;
    }
}

static void derive(const void *self, dlp_field field, int32_t i, void *to)
{
    const dlp_cloth *cloth = self;
    const float value = derived_number(cloth, field, i);
    if (field == DLP_FIELD_VELOCITY) {
        const dlp_vec3 v = dlp_cloth_effective_velocity(cloth, i);
        const float velocity[3] = {(float)v.x, (float)v.y, (float)v.z};
        memcpy(to, velocity, sizeof velocity);
    } else {
        memcpy(to, &value, sizeof value);  // level, piece and pressure 0 have the same bits
    }
}

static void add_velocity(void *self, const float *change_of)
{
    dlp_cloth_add_velocity(self, change_of);
}

static bool can_write(const void *self, dlp_field field)
{
    (void)self;
    return dlp_cloth_can_write(field);
}

static dlp_status write(void *self, dlp_field field, int32_t first, int32_t particle_count,
                        const void *values, dlp_error *error)
{
    return dlp_cloth_write(self, field, first, particle_count, values, error);
}

static double wave_speed(const void *self)
{
    const dlp_scene_def *scene = ((const dlp_cloth *)self)->params.scene;
    double largest = 0;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_cloth_def *cloth = &scene->substances[k].cloth;
        const double stretch = fmax(cloth->stretch_warp, cloth->stretch_weft);
        if (scene->substances[k].model == DLP_MODEL_CLOTH) largest = fmax(largest, stretch / cloth->weight);
    }
    return sqrt(largest);
}

static dlp_status measure(void *self, dlp_stats *stats, dlp_error *error)
{
    (void)error;
    dlp_cloth_measure(self, stats);
    return DLP_OK;
}

static void manifest(void *self, dlp_manifest *to)
{
    dlp_cloth_manifest(self, to);
}

static dlp_status begin_load(void *self, int32_t particle_count, dlp_error *error)
{
    return dlp_cloth_begin_load(self, particle_count, error);
}

static dlp_status end_load(void *self, dlp_error *error)
{
    return dlp_cloth_end_load(self, error);
}

const dlp_solver dlp_cloth_solver = {.name = "cloth",
                                     .is_elastic = true,
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

// The cloth as triangles and links, for those who draw it.

dlp_status dlp_cloth_topology_of(dlp_cloth *cloth, int32_t first, dlp_cloth_topology *out_topology,
                                 dlp_error *error)
{
    dlp_cloth_export *out = &cloth->scratch.exported;
    const dlp_cloth_ends *ends = &cloth->state.ends;
    const int32_t triangle_count = cloth->params.triangles.count, link_count = cloth->params.links.count;
    *out_topology = (dlp_cloth_topology){.particle_count = cloth->state.particles.count,
                                         .triangle_count = triangle_count};
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(out, triangles, triangle_count + 1, error));
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(out, links, link_count + 1, error));
    for (int32_t t = 0; t < triangle_count; t++)
        for (int corner = 0; corner < 3; corner++)
            out->triangles[t][corner] = first + dlp_cloth_corners_of(&cloth->state.corners, t)[corner];
    for (int32_t k = 0; k < link_count; k++) {
        if (ends->is_torn[k]) continue;
        out->links[out_topology->link_count][0] = first + ends->end[2 * k];
        out->links[out_topology->link_count++][1] = first + ends->end[2 * k + 1];
    }
    out_topology->triangles = (const int32_t(*)[3])out->triangles;
    out_topology->links = (const int32_t(*)[2])out->links;
    return DLP_OK;
}

dlp_status dlp_world_cloth_topology(const dlp_world *world, dlp_cloth_topology *out_topology,
                                    dlp_error *error)
{
    *out_topology = (dlp_cloth_topology){0};
    dlp_cloth *cloth = dlp_world_solver(world, &dlp_cloth_solver);
    if (cloth == NULL) return DLP_OK;
    return dlp_cloth_topology_of(cloth, dlp_world_first_of(world, &dlp_cloth_solver), out_topology, error);
}
