/* The world: a scene set in motion. It owns the obstacles and the solvers, and keeps the frames. */
#include "motion/world.h"
#include "base/clock.h"
#include "motion/sph/adapt.h"
#include "motion/sph/heat.h"
#include "motion/sph/restrain.h"

#include <stdio.h>
#include <string.h>

struct dlp_world {
    dlp_scene *scene;    // borrowed
    dlp_scene_def *def;  // borrowed from the scene
    dlp_world_options options;
    dlp_team *team;
    dlp_obstacle *obstacles;
    dlp_sph *sph;
    int64_t frame;  // complete ones
    int64_t step_count;
    bool is_between;                             // frames: the next step begins a new one
    double wall_motion, wall_skin, wall_record;  // s of wall clock, this frame
    double skin_volume;                          // m3, this frame; 0 for none
    dlp_companion companion;
    void *exports[DLP_FIELD_COUNT];  // fields that are derived when asked for
    int32_t export_capacity[DLP_FIELD_COUNT];
};

// ---- birth and end
// ------------------------------------------------------------------------------------------

static dlp_status make_obstacles(dlp_world *world, dlp_error *error)
{
    world->obstacles = dlp_alloc((size_t)world->def->obstacle_count + 1, sizeof *world->obstacles, "walls");
    if (world->obstacles == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "world: no room");
    for (int32_t k = 0; k < world->def->obstacle_count; k++) {
        const dlp_status status =
            dlp_obstacle_init(&world->obstacles[k], &world->def->obstacles[k], world->def, error);
        if (status != DLP_OK) return dlp_fail_at(error, status, "obstacles[%d]", k);
    }
    return DLP_OK;
}

static dlp_status build_world(dlp_world *world, dlp_scene *scene, dlp_error *error)
{
    const dlp_scene_def *def;
    DLP_TRY(dlp_scene_resolve(scene, &def, error));
    world->scene = scene;
    world->def = dlp_scene_def_mutable(scene);
    world->is_between = true;
    dlp_scene_def_animate(world->def, 0);
    dlp_obstacles_open(world->def);
    DLP_TRY(dlp_team_create(world->options.thread_count, &world->team, error));
    DLP_TRY(make_obstacles(world, error));
    return dlp_sph_create(world->def, world->obstacles, &world->options, world->team, &world->sph, error);
}

dlp_status dlp_world_create(dlp_scene *scene, const dlp_world_options *options, dlp_world **out_world,
                            dlp_error *error)
{
    *out_world = NULL;
    if (scene == NULL) return dlp_fail(error, DLP_INVALID, "world: no scene was given");
    dlp_world *world = dlp_alloc(1, sizeof *world, "world");
    if (world == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "world: %zu bytes", sizeof *world);
    if (options != NULL) world->options = *options;
    const dlp_status status = build_world(world, scene, error);
    if (status != DLP_OK) {
        dlp_world_destroy(world);
        return status;
    }
    *out_world = world;
    return DLP_OK;
}

void dlp_world_destroy(dlp_world *world)
{
    if (world == NULL) return;
    dlp_sph_destroy(world->sph);
    for (int32_t k = 0; world->obstacles != NULL && k < world->def->obstacle_count; k++)
        dlp_obstacle_release(&world->obstacles[k]);
    dlp_free(world->obstacles);
    dlp_team_destroy(world->team);
    for (int k = 0; k < DLP_FIELD_COUNT; k++) dlp_free(world->exports[k]);
    dlp_free(world);
}

// ---- motion
// -------------------------------------------------------------------------------------------------

static bool report_progress(void *context)
{
    dlp_world *world = context;
    world->step_count++;
    if (world->options.progress == NULL) return true;
    const dlp_clock *clock = &world->sph->clock;
    const dlp_progress progress = {.frame = (int32_t)world->frame + 1,
                                   .frame_fraction = (double)clock->tick / (double)dlp_clock_end(clock),
                                   .time = dlp_clock_time(clock),
                                   .particle_count = world->sph->particles.count,
                                   .active_count = world->sph->due_count,
                                   .step_count = world->step_count};
    return world->options.progress(&progress, world->options.user);
}

// Whole frames up to a time; what a rounding leaves out of one still counts.
static int64_t frames_until(const dlp_world *world, double time)
{
    return (int64_t)floor(time * world->def->frame_rate + 1e-9);
}

static dlp_status advance(dlp_world *world, double until, dlp_error *error)
{
    const double start = dlp_seconds_now();
    if (world->is_between) {
        world->wall_motion = 0;
        world->wall_skin = world->wall_record = 0;
        world->skin_volume = 0;
        dlp_sph_begin(world->sph, until);
        world->is_between = false;
    }
    const dlp_status status = dlp_sph_advance(world->sph, report_progress, world, error);
    // a stop that comes with the frame's last step is a complete frame as well
    if (status == DLP_OK || (status == DLP_INTERRUPTED && dlp_sph_is_done(world->sph))) {
        world->is_between = true;
        world->frame = frames_until(world, dlp_world_time(world));
    }
    world->wall_motion += dlp_seconds_now() - start;
    if (status == DLP_DIVERGED) return dlp_fail_at(error, status, "frame %lld", (long long)world->frame + 1);
    return status;
}

dlp_status dlp_world_step_frame(dlp_world *world, dlp_error *error)
{
    const int64_t next = frames_until(world, dlp_world_time(world)) + 1;
    return advance(world, (double)next / world->def->frame_rate, error);
}

dlp_status dlp_world_advance(dlp_world *world, double seconds, dlp_error *error)
{
    if (!(seconds > 0 && seconds <= 1e6 && dlp_world_time(world) + seconds > dlp_world_time(world)))
        return dlp_fail(error, DLP_INVALID,
                        "world: cannot advance by %g s; more than 0 and at most 1e6 is allowed", seconds);
    return advance(world, dlp_world_time(world) + seconds, error);
}

double dlp_world_time(const dlp_world *world)
{
    return dlp_clock_time(&world->sph->clock);
}

int32_t dlp_world_frame(const dlp_world *world)
{
    return (int32_t)world->frame;
}

int32_t dlp_world_particle_count(const dlp_world *world)
{
    return world->sph->particles.count;
}

// A parameter of the scene as it was before a change.
typedef struct old_parameter {
    const char *path;
    bool is_known, can_animate;
    char value[256];
} old_parameter;

static void find_parameter(void *context, const dlp_parameter *parameter)
{
    old_parameter *old = context;
    if (strcmp(parameter->path, old->path) != 0) return;
    old->is_known = true;
    old->can_animate = parameter->can_animate;
    snprintf(old->value, sizeof old->value, "%s", parameter->value);
}

// The scene was resolved anew: everything that points into it moves over.
static void move_to_scene(dlp_world *world)
{
    world->def = dlp_scene_def_mutable(world->scene);
    world->sph->scene = world->def;
    world->sph->walls_are_placed = false;
    for (int32_t k = 0; k < world->def->obstacle_count; k++) {
        const dlp_obstacle_def *def = &world->def->obstacles[k];
        world->obstacles[k].def = def;
        world->obstacles[k].is_moving = def->position_track != NULL || def->rotation_track != NULL;
        world->sph->has_moving_obstacles = world->sph->has_moving_obstacles || world->obstacles[k].is_moving;
    }
}

dlp_status dlp_world_set(dlp_world *world, const char *path, const char *value, dlp_error *error)
{
    old_parameter old = {.path = path};
    DLP_TRY(dlp_scene_visit(world->scene, find_parameter, &old, error));
    if (!old.is_known || !old.can_animate)
        return dlp_fail(error, DLP_INVALID, "%s: cannot change while the world moves; make a new world",
                        path);
    DLP_TRY(dlp_scene_set(world->scene, path, value, error));
    const dlp_scene_def *def;
    const dlp_status status = dlp_scene_resolve(world->scene, &def, error);
    if (status != DLP_OK) {  // back to what was, so that the world stays usable
        dlp_scene_set(world->scene, path, old.value, NULL);
        dlp_scene_resolve(world->scene, &def, NULL);
    }
    move_to_scene(world);
    return status;
}

dlp_status dlp_world_stats(dlp_world *world, dlp_stats *out_stats, dlp_error *error)
{
    *out_stats = (dlp_stats){.frame = (int32_t)world->frame,
                             .time = dlp_world_time(world),
                             .wall_motion = world->wall_motion,
                             .wall_skin = world->wall_skin,
                             .wall_record = world->wall_record};
    DLP_TRY(dlp_sph_measure(world->sph, out_stats, error));
    if (world->skin_volume > 0) out_stats->volume = world->skin_volume;
    return DLP_OK;
}

void dlp_world_note_skin(dlp_world *world, double seconds, double volume)
{
    world->wall_skin = seconds;
    world->skin_volume = volume;
}

void dlp_world_note_record_time(dlp_world *world, double seconds)
{
    world->wall_record = seconds;
}

// ---- what the folders after motion ask
// ----------------------------------------------------------------------

const dlp_scene_def *dlp_world_scene(const dlp_world *world)
{
    return world->def;
}

dlp_scene *dlp_world_scene_handle(const dlp_world *world)
{
    return world->scene;
}

dlp_team *dlp_world_team(const dlp_world *world)
{
    return world->team;
}

dlp_target dlp_world_target(const dlp_world *world)
{
    return world->sph->target;
}

void dlp_world_accompany(dlp_world *world, const dlp_companion *companion)
{
    world->companion = *companion;
}

void dlp_world_leave(dlp_world *world, const void *user)
{
    if (world->companion.user == user) world->companion = (dlp_companion){0};
}

void dlp_world_kick(dlp_world *world, const float *kicks)
{
    dlp_particles *p = &world->sph->particles;
    double fastest = 0;
    for (int32_t i = 0; i < p->count; i++) {
        const float *kick = kicks + 3 * (size_t)i;
        for (int axis = 0; axis < 3; axis++) p->velocity[3 * (size_t)i + (size_t)axis] += kick[axis];
        fastest = fmax(fastest, dlp_length(dlp_vec((double)kick[0], (double)kick[1], (double)kick[2])));
    }
    world->sph->speed_bound += fastest;  // so that lists are renewed in time
}

dlp_sample dlp_world_sample(const dlp_world *world, dlp_vec3 x)
{
    return dlp_sph_sample(world->sph, x);
}

double dlp_world_derived_stiffness(const dlp_world *world, int32_t substance)
{
    return world->sph->stiffness[substance];
}

dlp_load dlp_world_obstacle_load(const dlp_world *world, int32_t obstacle)
{
    const double *load = world->sph->loads + 6 * obstacle, *impulse = world->sph->impulse + 3 * obstacle;
    const double length = world->sph->clock.end - world->sph->clock.start;
    return (dlp_load){.force = dlp_vec(load[0], load[1], load[2]),
                      .torque = dlp_vec(load[3], load[4], load[5]),
                      .mean_force = dlp_vec(impulse[0] / length, impulse[1] / length, impulse[2] / length)};
}

dlp_frame dlp_world_obstacle_frame(const dlp_world *world, int32_t obstacle)
{
    return dlp_obstacle_frame(&world->obstacles[obstacle], dlp_world_time(world));
}

dlp_vec3 dlp_world_obstacle_velocity(const dlp_world *world, int32_t obstacle, dlp_vec3 x)
{
    const dlp_twist twist = dlp_obstacle_twist(&world->obstacles[obstacle], dlp_world_time(world));
    return dlp_twist_at(&twist, x);
}

const dlp_shape *dlp_world_obstacle_shape(const dlp_world *world, int32_t obstacle)
{
    return world->obstacles[obstacle].shape;
}

// ---- fields
// -------------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    dlp_type type;
    int32_t components;
} FIELDS[DLP_FIELD_COUNT] = {
    [DLP_FIELD_POSITION] = {"position", DLP_FLOAT64, 3},
    [DLP_FIELD_VELOCITY] = {"velocity", DLP_FLOAT32, 3},
    [DLP_FIELD_DENSITY] = {"density", DLP_FLOAT32, 1},
    [DLP_FIELD_PRESSURE] = {"pressure", DLP_FLOAT32, 1},
    [DLP_FIELD_MASS] = {"mass", DLP_FLOAT32, 1},
    [DLP_FIELD_RADIUS] = {"radius", DLP_FLOAT32, 1},
    [DLP_FIELD_SUBSTANCE] = {"substance", DLP_INT32, 1},
    [DLP_FIELD_LEVEL] = {"level", DLP_INT32, 1},
    [DLP_FIELD_STEP] = {"step", DLP_FLOAT32, 1},
    [DLP_FIELD_STATE] = {"state", DLP_INT32, 1},
    [DLP_FIELD_ID] = {"id", DLP_INT64, 1},
    [DLP_FIELD_DISPLACEMENT] = {"displacement", DLP_FLOAT32, 3},
    [DLP_FIELD_TEMPERATURE] = {"temperature", DLP_FLOAT32, 1},
};

const char *dlp_field_name(dlp_field field)
{
    return field < DLP_FIELD_COUNT ? FIELDS[field].name : NULL;
}

static float derived_float(const dlp_world *world, dlp_field field, int32_t i)
{
    const dlp_particles *p = &world->sph->particles;
    const dlp_substance *s = &world->sph->substances[p->substance[i]];
    const double volume = (double)s->volume_unit * p->units[i];
    switch (field) {
    case DLP_FIELD_DENSITY:
        return p->compression[i] * s->rho0;
    case DLP_FIELD_PRESSURE:
        return dlp_heat_softening(world->sph, i) * dlp_substance_pressure(s, p->compression[i]);
    case DLP_FIELD_TEMPERATURE:
        return (float)p->temperature[i];
    case DLP_FIELD_MASS:
        return (float)(s->unit_mass * p->units[i]);
    case DLP_FIELD_RADIUS:
        return (float)(world->def->dimension == 2 ? sqrt(volume / DLP_PI) : cbrt(volume * 3 / (4 * DLP_PI)));
    case DLP_FIELD_STEP:
        return (float)dlp_clock_seconds(&world->sph->clock, p->step[i]);
    default:
        return 0;
    }
}

static dlp_status derive_field(dlp_world *world, dlp_field field, dlp_error *error)
{
    const int32_t count = world->sph->particles.count;
    DLP_TRY(dlp_reserve(&world->exports[field], &world->export_capacity[field], count + 1, sizeof(float),
                        "export", error));
    for (int32_t i = 0; i < count; i++) {
        char *to = (char *)world->exports[field] + (size_t)i * sizeof(float);
        const float value = derived_float(world, field, i);
        const int32_t level = dlp_level_of_units(world->sph->particles.units[i], world->def->dimension);
        const int32_t state = dlp_particle_state(world->sph, i);
        if (field == DLP_FIELD_LEVEL)
            memcpy(to, &level, sizeof level);
        else if (field == DLP_FIELD_STATE)
            memcpy(to, &state, sizeof state);
        else
            memcpy(to, &value, sizeof value);
    }
    return DLP_OK;
}

dlp_status dlp_world_field(const dlp_world *world, dlp_field field, dlp_view *out_view, dlp_error *error)
{
    if (field < 0 || field >= DLP_FIELD_COUNT)
        return dlp_fail(error, DLP_INVALID, "field: %d is none; 0 to %d are known", (int)field,
                        DLP_FIELD_COUNT - 1);
    const dlp_particles *p = &world->sph->particles;
    *out_view =
        (dlp_view){.count = p->count, .components = FIELDS[field].components, .type = FIELDS[field].type};
    if (field == DLP_FIELD_TEMPERATURE && world->sph->heat == NULL) {
        *out_view = (dlp_view){.type = FIELDS[field].type};
        return DLP_OK;
    }
    switch (field) {
    case DLP_FIELD_POSITION:
        out_view->data = p->position;
        break;
    case DLP_FIELD_VELOCITY:
        out_view->data = p->velocity;
        break;
    case DLP_FIELD_SUBSTANCE:
        out_view->data = p->substance;
        break;
    case DLP_FIELD_ID:
        out_view->data = p->id;
        break;
    case DLP_FIELD_DISPLACEMENT:
        out_view->data = p->displacement;
        break;
    default: {
        // what is derived is kept with the world; nothing of the simulation changes
        dlp_world *owner = (dlp_world *)(uintptr_t)world;
        DLP_TRY(derive_field(owner, field, error));
        out_view->data = owner->exports[field];
    }
    }
    return DLP_OK;
}

// ---- checkpoints
// --------------------------------------------------------------------------------------------

int32_t dlp_world_manifest(const dlp_world *world, dlp_manifest_item items[DLP_MANIFEST_LIMIT])
{
    dlp_sph *sph = world->sph;
    dlp_world *owner = (dlp_world *)(uintptr_t)world;
    const int32_t count = sph->particles.count;
    int32_t n = dlp_particles_manifest(&sph->particles, items, 0);
    items[n++] = (dlp_manifest_item){"lists/x", DLP_INT32, 1, count, sph->at[0], DLP_COUNT_PARTICLES};
    items[n++] = (dlp_manifest_item){"lists/y", DLP_INT32, 1, count, sph->at[1], DLP_COUNT_PARTICLES};
    items[n++] = (dlp_manifest_item){"lists/z", DLP_INT32, 1, count, sph->at[2], DLP_COUNT_PARTICLES};
    items[n++] = (dlp_manifest_item){"lists/time", DLP_FLOAT64, 1, 1, &sph->list_time, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"substances/stiffness",      DLP_FLOAT64,    1,
                                     world->def->substance_count, sph->stiffness, DLP_COUNT_FIXED};
    items[n++] =
        (dlp_manifest_item){"world/speed_scale", DLP_FLOAT64, 2, 1, &sph->speed_scale, DLP_COUNT_FIXED};
    items[n++] =
        (dlp_manifest_item){"world/velocity_limit", DLP_FLOAT64, 1, 1, &sph->velocity_limit, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"lists/bounds", DLP_FLOAT64, 2, 1, &sph->moved_bound, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"clock/interval", DLP_FLOAT64, 2, 1, &sph->clock.start, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"clock/ticks", DLP_INT32, 3, 1, &sph->clock.base, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"clock/wish", DLP_FLOAT64, 1, 1, &sph->least_wish, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"clock/caution", DLP_FLOAT64, 1, 1, &sph->caution, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"world/frame", DLP_INT64, 1, 1, &owner->frame, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"world/steps", DLP_INT64, 1, 1, &owner->step_count, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"world/next_id", DLP_INT64, 1, 1, &sph->next_id, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"emitters",          DLP_FLOAT64,    3, world->def->emitter_count,
                                     sph->emitter_states, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"obstacles/impulse",        DLP_FLOAT64,  3,
                                     world->def->obstacle_count, sph->impulse, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"obstacles/load",           DLP_FLOAT64, 6,
                                     world->def->obstacle_count, sph->loads,  DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"frame/counts", DLP_INT64, 6, 1, &sph->counts.substeps, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"frame/steps", DLP_FLOAT64, 2, 1, &sph->counts.dt_min, DLP_COUNT_FIXED};
    if (world->companion.user == NULL) return n;
    return world->companion.manifest(world->companion.user, items, n);
}

dlp_status dlp_world_begin_save(const dlp_world *world, dlp_error *error)
{
    const dlp_companion *companion = &world->companion;
    return companion->user != NULL ? companion->begin_save(companion->user, error) : DLP_OK;
}

dlp_status dlp_world_begin_load(dlp_world *world, int32_t particle_count, int32_t free_count,
                                dlp_error *error)
{
    if (particle_count < 0) return dlp_fail(error, DLP_IO, "checkpoint: %d particles", particle_count);
    DLP_TRY(dlp_particles_reserve(&world->sph->particles, particle_count, error));
    DLP_TRY(dlp_sph_reserve_points(world->sph, particle_count + 1, error));
    world->sph->particles.count = particle_count;
    const dlp_companion *companion = &world->companion;
    return companion->user != NULL ? companion->begin_load(companion->user, free_count, error) : DLP_OK;
}

static dlp_status check_particle(const dlp_world *world, int32_t i, dlp_error *error)
{
    const dlp_particles *p = &world->sph->particles;
    const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
    const int32_t end = dlp_clock_end(&world->sph->clock);
    const bool is_sane = dlp_is_finite3(dlp_particle_position(p, i)) && isfinite(v[0] + v[1] + v[2]) &&
                         isfinite(a[0] + a[1] + a[2]) && p->compression[i] > 0 &&
                         isfinite(p->compression[i]) && isfinite(p->compression_rate[i]) && p->units[i] > 0 &&
                         p->units[i] <= DLP_UNITS_LIMIT && p->substance[i] >= 0 &&
                         p->substance[i] < world->def->substance_count && p->begin[i] >= 0 &&
                         p->begin[i] <= end && p->step[i] >= 0 && p->step[i] <= end + 1 && p->id[i] >= 0 &&
                         p->id[i] < world->sph->next_id;
    const bool has_sane_heat =
        world->sph->heat == NULL || (isfinite(p->temperature[i]) && isfinite(p->temperature_rate[i]));
    if (is_sane && has_sane_heat) return DLP_OK;
    return dlp_fail(error, DLP_IO, "checkpoint: particle %d holds values that no run can have left", i);
}

static bool is_clock_sane(const dlp_sph *sph)
{
    const dlp_clock *c = &sph->clock;
    return isfinite(c->start) && c->end > c->start && isfinite(c->end) && c->base >= 1 && c->base <= 15 &&
           c->tick >= 0 && c->tick <= dlp_clock_end(c) && c->last_tick >= 0 && c->last_tick <= c->tick &&
           isfinite(sph->list_time) && isfinite(sph->moved_bound) && isfinite(sph->speed_bound) &&
           sph->least_wish > 0 && sph->caution > 0 && sph->caution <= 1;
}

dlp_status dlp_world_end_load(dlp_world *world, dlp_error *error)
{
    dlp_sph *sph = world->sph;
    if (!is_clock_sane(sph) || world->frame < 0)
        return dlp_fail(error, DLP_IO, "checkpoint: its clock holds values that no run can have left");
    for (int32_t i = 0; i < sph->particles.count; i++) DLP_TRY(check_particle(world, i, error));
    world->is_between = dlp_sph_is_done(sph) || sph->clock.tick == 0;  // at 0 nothing has begun yet
    DLP_TRY(dlp_sph_restore(sph, error));
    const dlp_companion *companion = &world->companion;
    return companion->user != NULL ? companion->end_load(companion->user, error) : DLP_OK;
}

double dlp_world_adapt_seconds(const dlp_world *world)
{
    return world->sph->adapt_seconds;
}
