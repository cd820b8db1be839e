/* The world: a scene set in motion. It owns the obstacles and the solvers, and keeps the frames. */
#include "motion/world_parts.h"
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

// Birth and end.

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

static dlp_status make_solvers(dlp_world *world, dlp_error *error)
{
    dlp_scene_def *def = world->def;
    if (dlp_first_of_model(def, DLP_MODEL_SPH) != NULL)
        DLP_TRY(dlp_sph_create(def, world->obstacles, &world->options, world->team, &world->sph, error));
    DLP_TRY(dlp_solid_create(def, world->obstacles, &world->options, world->team, &world->solid, error));
    return dlp_cloth_create(def, world->obstacles, &world->options, world->team, &world->cloth, error);
}

static dlp_status build_world(dlp_world *world, dlp_scene *scene, dlp_error *error)
{
    const dlp_scene_def *def;
    DLP_TRY(dlp_scene_resolve(scene, &def, error));
    world->scene = scene;
    world->def = dlp_scene_def_mutable(scene);
    world->is_between_frames = true;
    dlp_scene_def_animate(world->def, 0);
    dlp_obstacles_open(world->def);
    DLP_TRY(dlp_target_choose(world->options.instruction_set, &world->target, error));
    DLP_TRY(dlp_team_create(world->options.thread_count, &world->team, error));
    DLP_TRY(make_obstacles(world, error));
    return make_solvers(world, error);
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
    dlp_solid_destroy(world->solid);
    dlp_cloth_destroy(world->cloth);
    for (int32_t k = 0; world->obstacles != NULL && k < world->def->obstacle_count; k++)
        dlp_obstacle_release(&world->obstacles[k]);
    dlp_free(world->obstacles);
    dlp_team_destroy(world->team);
    for (int k = 0; k < DLP_FIELD_COUNT; k++) dlp_free(world->exports[k]);
    dlp_free(world->triangles);
    dlp_free(world->links);
    dlp_free(world);
}

// Motion.

// Of the interval: each solver goes through it by itself.
static double fraction_done(const dlp_world *world)
{
    double sum = 0;
    const dlp_clock *clock = world->sph != NULL ? &world->sph->clock : NULL;
    if (clock != NULL) sum += (double)clock->tick / (double)dlp_clock_end(clock);
    if (world->solid != NULL) sum += dlp_solid_fraction(world->solid);
    if (world->cloth != NULL) sum += dlp_cloth_fraction(world->cloth);
    return sum / ((world->sph != NULL) + (world->solid != NULL) + (world->cloth != NULL));
}

static bool report_progress(dlp_world *world, int32_t active_count)
{
    world->step_count++;
    if (world->options.progress == NULL) return true;
    const dlp_progress progress = {.frame = (int32_t)world->frame + 1,
                                   .frame_fraction = fraction_done(world),
                                   .time = dlp_world_time(world),
                                   .particle_count = dlp_world_particle_count(world),
                                   .active_count = active_count,
                                   .step_count = world->step_count};
    return world->options.progress(&progress, world->options.user);
}

static bool report_sph(void *context)
{
    dlp_world *world = context;
    return report_progress(world, world->sph->due_count);
}

static bool report_solid(void *context)
{
    dlp_world *world = context;
    return report_progress(world, dlp_world_solid_count(world));
}

static bool report_cloth(void *context)
{
    dlp_world *world = context;
    return report_progress(world, dlp_cloth_active_count(world->cloth));
}

// Whole frames up to a time; what a rounding leaves out of one still counts.
static int64_t frames_until(const dlp_world *world, double time)
{
    return (int64_t)floor(time * world->def->frame_rate + 1e-9);
}

static void begin_interval(dlp_world *world, double until)
{
    const double now = dlp_world_time(world);
    if (world->sph != NULL) dlp_sph_begin(world->sph, until);
    if (world->solid != NULL) dlp_solid_begin(world->solid, now, until);
    if (world->cloth != NULL) dlp_cloth_begin(world->cloth, now, until);
    world->is_between_frames = false;
}

bool dlp_world_is_done(const dlp_world *world)
{
    return (world->sph == NULL || dlp_sph_is_done(world->sph)) &&
           (world->solid == NULL || dlp_solid_is_done(world->solid)) &&
           (world->cloth == NULL || dlp_cloth_is_done(world->cloth));
}

// One solver after the other: they meet the same obstacles, not one another.
static dlp_status advance_solvers(dlp_world *world, dlp_error *error)
{
    if (world->sph != NULL) DLP_TRY(dlp_sph_advance(world->sph, report_sph, world, error));
    if (world->solid != NULL) DLP_TRY(dlp_solid_advance(world->solid, report_solid, world, error));
    if (world->cloth != NULL) DLP_TRY(dlp_cloth_advance(world->cloth, report_cloth, world, error));
    return DLP_OK;
}

static dlp_status advance(dlp_world *world, double until, dlp_error *error)
{
    const double start = dlp_seconds_now();
    if (world->is_between_frames) {
        world->wall_motion = 0;
        world->wall_skin = world->wall_record = 0;
        world->skin_volume = 0;
        begin_interval(world, until);
    }
    const dlp_status status = advance_solvers(world, error);
    // a stop that comes with the frame's last step is a complete frame as well
    if (status == DLP_OK || (status == DLP_INTERRUPTED && dlp_world_is_done(world))) {
        world->is_between_frames = true;
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

// Of the solver that is behind.
double dlp_world_time(const dlp_world *world)
{
    double time = HUGE_VAL;
    if (world->sph != NULL) time = dlp_clock_time(&world->sph->clock);
    if (world->solid != NULL) time = fmin(time, dlp_solid_time(world->solid));
    if (world->cloth != NULL) time = fmin(time, dlp_cloth_time(world->cloth));
    return time;
}

int32_t dlp_world_frame(const dlp_world *world)
{
    return (int32_t)world->frame;
}

int32_t dlp_world_particle_count(const dlp_world *world)
{
    return dlp_world_sph_count(world) + dlp_world_solid_count(world) + dlp_world_cloth_count(world);
}

int32_t dlp_world_flowing_count(const dlp_world *world)
{
    return dlp_world_sph_count(world);
}

const dlp_solid *dlp_world_solid(const dlp_world *world)
{
    return world->solid;
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
    bool is_moving = false;
    for (int32_t k = 0; k < world->def->obstacle_count; k++) {
        const dlp_obstacle_def *def = &world->def->obstacles[k];
        world->obstacles[k].def = def;
        world->obstacles[k].is_moving = def->position_track != NULL || def->rotation_track != NULL;
        is_moving = is_moving || world->obstacles[k].is_moving;
    }
    if (world->sph != NULL) {
        world->sph->scene = world->def;
        world->sph->walls_are_placed = false;
        world->sph->has_moving_obstacles = world->sph->has_moving_obstacles || is_moving;
    }
    if (world->solid != NULL) dlp_solid_move_to_scene(world->solid, world->def);
    if (world->cloth != NULL) dlp_cloth_move_to_scene(world->cloth, world->def);
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
    if (world->sph != NULL) DLP_TRY(dlp_sph_measure(world->sph, out_stats, error));
    if (world->solid != NULL) dlp_solid_measure(world->solid, out_stats);
    if (world->cloth != NULL) dlp_cloth_measure(world->cloth, out_stats);
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

// What the folders after motion ask.

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
    return world->target;
}

void dlp_world_register_extension(dlp_world *world, const dlp_state_extension *extension)
{
    world->extension = *extension;
}

void dlp_world_unregister_extension(dlp_world *world, const void *user)
{
    if (world->extension.user == user) world->extension = (dlp_state_extension){0};
}

void dlp_world_add_velocity(dlp_world *world, const float *changes)
{
    const int32_t count = dlp_world_sph_count(world);
    double fastest = 0;
    for (int32_t i = 0; i < count; i++) {
        const float *change = changes + 3 * (size_t)i;
        float *velocity = world->sph->particles.velocity + 3 * (size_t)i;
        for (int axis = 0; axis < 3; axis++) velocity[axis] += change[axis];
        fastest = fmax(fastest, dlp_length(dlp_vec((double)change[0], (double)change[1], (double)change[2])));
    }
    if (world->sph != NULL) world->sph->speed_bound += fastest;  // so that lists are renewed in time
    changes += 3 * (size_t)count;
    if (world->solid != NULL) dlp_solid_add_velocity(world->solid, changes);
    changes += 3 * (size_t)dlp_world_solid_count(world);
    if (world->cloth != NULL) dlp_cloth_add_velocity(world->cloth, changes);
}

dlp_sample dlp_world_sample(const dlp_world *world, dlp_vec3 x)
{
    return world->sph != NULL ? dlp_sph_sample(world->sph, x) : (dlp_sample){0};
}

double dlp_world_derived_stiffness(const dlp_world *world, int32_t substance)
{
    return world->sph != NULL ? world->sph->stiffness[substance] : 0;
}

dlp_load dlp_world_obstacle_load(const dlp_world *world, int32_t obstacle)
{
    if (world->sph == NULL) return (dlp_load){0};
    const double *load = world->sph->loads + 6 * obstacle, *impulse = world->sph->impulse + 3 * obstacle;
    const double length = world->sph->clock.end - world->sph->clock.start;
    return (dlp_load){.force = dlp_vec(load[0], load[1], load[2]),
                      .torque = dlp_vec(load[3], load[4], load[5]),
                      .mean_force = dlp_vec(impulse[0] / length, impulse[1] / length, impulse[2] / length)};
}

dlp_transform dlp_world_obstacle_transform(const dlp_world *world, int32_t obstacle)
{
    return dlp_obstacle_transform(&world->obstacles[obstacle], dlp_world_time(world));
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

double dlp_world_adapt_seconds(const dlp_world *world)
{
    return world->sph != NULL ? world->sph->adapt_seconds : 0;
}
