/* Simulates for a while, and notes what it costs. */
#include "trial.h"

#include "common.h"
#include "stop.h"

#include "base/memory.h"
#include "motion/sph/sph.h"
#include "skin/skin.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Frames of which costs are kept, and surfaces that are made, at most. */
enum { FRAME_LIMIT = 1 << 20, SURFACE_COUNT = 6 };
/* Fewer particles than this do not tell what each takes. */
#define LEAST_COUNT 100.0
/* Share of a trial's time after which steps tell what one costs, and how many of them it takes. */
#define WARM_SHARE  0.3
#define LEAST_STEPS 3.0
/* s of the wall clock that a world has to move, however long it took to make it. */
#define LEAST_WALL 1.0

double dlp_processor_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One that is under way. */
typedef struct attempt {
    const dlp_trial_def *def;
    dlp_trial *out;
    double start, wall_end; /* s of processor time at which the world was ready; when it has to end */
    double frames;          /* as the world last said */
    double frame_start;     /* s of processor time at which the present frame began */
    double warm_time, warm_steps, last_time; /* s of processor time: when steps began to count, of the last */
    double skin_seconds, warm_skin;          /* s: spent on surfaces, until then */
    int32_t mesh_count, surface_count; /* of meshes, and of those that followed one of the frame before */
    double particle_frames;
} attempt;

static bool is_over(const attempt *a)
{
    return dlp_stop_asked() || dlp_processor_clock() - a->start > a->def->seconds ||
           dlp_wall_clock() > a->wall_end;
}

static bool watch_step(const dlp_progress *progress, void *user)
{
    attempt *a = user;
    const double now = dlp_processor_clock();
    a->out->steps += 1;
    a->last_time = now;
    if (a->warm_time == 0 && now - a->start > WARM_SHARE * a->def->seconds) {
        a->warm_time = now;
        a->warm_steps = a->out->steps;
        a->warm_skin = a->skin_seconds;
    }
    a->frames = progress->frame - 1 + progress->frame_fraction;
    return !is_over(a);
}

static void pass_note(const char *message, void *user)
{
    const attempt *a = user;
    if (a->def->log != NULL) a->def->log(message, NULL);
}

/* The copy. */

static dlp_status set_number(dlp_scene *scene, const char *path, double value, dlp_error *error)
{
    return dlp_scene_set_numbers(scene, path, &value, 1, error);
}

/* A scene gives either the radius or the spacing. */
static dlp_status enlarge_particles(dlp_scene *copy, const char *key, const dlp_scene_def *def, double factor,
                                    dlp_error *error)
{
    char path[160];
    const dlp_scene_def *unused;
    for (int32_t k = 0; k < def->substance_count; k++) {
        const dlp_substance_def *substance = &def->substances[k];
        const bool is_mesh = substance->model == DLP_MODEL_CLOTH && substance->shape.kind == DLP_SHAPE_MESH;
        const bool is_flat = def->dimension == 2;
        const double size = strcmp(key, "radius") == 0 ? 1 : is_flat ? sqrt(DLP_PI) : cbrt(4 * DLP_PI / 3);
        if (is_mesh) continue; /* its particles are the mesh's vertices */
        snprintf(path, sizeof path, "substances.%s.particle.%s", substance->name, key);
        DLP_TRY(set_number(copy, path, factor * size * substance->particle_radius, error));
    }
    for (int32_t k = 0; k < def->emitter_count; k++) {
        const double limit = ceil(def->emitters[k].limit / pow(factor, def->dimension));
        snprintf(path, sizeof path, "emitters[%d].limit", k);
        if (limit > 0) DLP_TRY(set_number(copy, path, limit, error));
    }
    if (def->surface.cell > 0) DLP_TRY(set_number(copy, "surface.cell", factor * def->surface.cell, error));
    return dlp_scene_resolve(copy, &unused, error);
}

static dlp_status copy_scene(const dlp_scene *scene, double factor, dlp_scene **out_copy, dlp_error *error)
{
    static const char *const keys[] = {"spacing", "radius"};
    dlp_status status = DLP_OK;
    *out_copy = NULL;
    for (int32_t k = 0; k < 2; k++) {
        const dlp_scene_def *def;
        dlp_scene_destroy(*out_copy);
        DLP_TRY(dlp_scene_clone(scene, out_copy, error));
        status = dlp_scene_resolve(*out_copy, &def, error);
        if (status != DLP_OK || factor == 1) return status;
        /* the record changes with the first parameter that is set: the numbers come from a second copy */
        dlp_scene *numbers = NULL;
        status = dlp_scene_clone(scene, &numbers, error);
        if (status == DLP_OK) status = dlp_scene_resolve(numbers, &def, error);
        if (status == DLP_OK) status = enlarge_particles(*out_copy, keys[k], def, factor, error);
        dlp_scene_destroy(numbers);
        if (status == DLP_OK) return DLP_OK;
    }
    return status;
}

/* What the world holds. */

/* Bytes per particle of all fields that a frame has. */
static double frame_bytes(const dlp_world *world)
{
    double bytes = 0;
    for (int32_t k = 0; k < DLP_FIELD_COUNT; k++) {
        dlp_view view = {.size = sizeof view};
        if (dlp_world_field(world, (dlp_field)k, &view, NULL) != DLP_OK) continue;
        bytes += view.components * (view.type == DLP_FLOAT64 || view.type == DLP_INT64 ? 8 : 4);
    }
    dlp_cloth_topology topology = {0};
    dlp_world_cloth_topology(world, &topology, NULL);
    return bytes + 16.0 * topology.triangle_count / fmax(1, dlp_world_particle_count(world));
}

static double state_bytes(const dlp_world *world)
{
    dlp_manifest manifest = {0};
    double bytes = 0;
    dlp_world_manifest(world, &manifest, NULL);
    for (int32_t k = 0; k < manifest.count; k++) {
        const dlp_manifest_item *item = &manifest.items[k];
        const double size = item->type == DLP_FLOAT64 || item->type == DLP_INT64 ? 8 : 4;
        bytes += size * item->components * item->count;
    }
    dlp_manifest_release(&manifest);
    return bytes;
}

/* Bytes of a frame's meshes, as PLY: positions, normals and velocities of vertices, corners of triangles. */
static double mesh_bytes(const dlp_skin *skin)
{
    double bytes = 0;
    for (int32_t k = 0; k < dlp_skin_surface_count(skin); k++) {
        dlp_surface_view view = {.size = sizeof view};
        if (dlp_skin_surface(skin, k, &view, NULL) != DLP_OK) continue;
        bytes += 36.0 * view.vertex_count + 13.0 * view.triangle_count;
    }
    return bytes;
}

static dlp_status copy_stiffness(const dlp_world *world, dlp_trial *out, dlp_error *error)
{
    const int32_t count = dlp_world_scene(world)->substance_count;
    const dlp_sph *sph = dlp_sph_of(world);
    out->stiffness = dlp_alloc((size_t)count + 1, sizeof *out->stiffness, "estimate");
    if (out->stiffness == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "estimate: no room");
    for (int32_t k = 0; k < count; k++) out->stiffness[k] = sph != NULL ? sph->state.stiffness[k] : 0;
    return DLP_OK;
}

/* The trial. */

/* Surfaces grow like the square of a body's length, particles like its cube; a sheet is its surface. */
static double skin_power(const dlp_scene_def *def)
{
    if (dlp_scene_def_is_cloth(def)) return 1;
    return def->dimension == 2 ? 0.5 : 2.0 / 3;
}

/* What a surface costs that follows that of the frame before; one made from nothing costs more. */
static dlp_status try_surface(attempt *a, const dlp_world *world, dlp_skin *skin, bool follows,
                              dlp_error *error)
{
    const double start = dlp_processor_clock(), count = dlp_world_particle_count(world);
    DLP_TRY(dlp_skin_update(skin, error));
    const double seconds = dlp_processor_clock() - start, size = pow(count, a->out->skin_power);
    a->skin_seconds += seconds;
    a->out->memory = fmax(a->out->memory, (double)dlp_memory_in_use());
    if (!(count > 0)) return DLP_OK;
    a->mesh_count++;
    a->out->mesh_bytes += (mesh_bytes(skin) / size - a->out->mesh_bytes) / a->mesh_count;
    if (follows) a->surface_count++;
    if (follows || a->surface_count == 0)
        a->out->skin_seconds += (seconds / size - a->out->skin_seconds) / fmax(1, a->surface_count);
    return DLP_OK;
}

static void note_frame(attempt *a, const dlp_world *world, int32_t frame, double seconds, double steps)
{
    a->out->seconds[frame] = seconds;
    a->out->frame_steps[frame] = steps;
    a->out->last_particles = dlp_world_particle_count(world);
    a->particle_frames += a->out->last_particles;
    a->out->mean_particles = a->particle_frames / (frame + 1);
}

static dlp_status step_frames(attempt *a, dlp_world *world, dlp_skin *skin, dlp_error *error)
{
    const int32_t frames = dlp_world_scene(world)->frame_count;
    const int32_t last = frames < FRAME_LIMIT ? frames : FRAME_LIMIT;
    const int32_t every = last / SURFACE_COUNT + 1;
    a->out->seconds = dlp_alloc((size_t)last + 1, sizeof *a->out->seconds, "estimate");
    a->out->frame_steps = dlp_alloc((size_t)last + 1, sizeof *a->out->frame_steps, "estimate");
    if (a->out->seconds == NULL || a->out->frame_steps == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "estimate: no room");
    for (int32_t k = 0; k < last; k++) {
        const bool follows = k == 1 || (k > 1 && k % every == 1);
        if (k % every == 0 || follows) DLP_TRY(try_surface(a, world, skin, follows, error));
        const double start = dlp_processor_clock(), steps = a->out->steps;
        const dlp_status status = dlp_world_step_frame(world, error);
        note_frame(a, world, k, dlp_processor_clock() - start, a->out->steps - steps);
        a->out->frames = status == DLP_OK ? k + 1 : a->frames;
        DLP_TRY(status);
    }
    a->out->is_complete = last == frames;
    return DLP_OK;
}

/* s; 0 where it cannot be told. */
static double step_seconds(const attempt *a)
{
    const double steps = a->out->steps - a->warm_steps, surfaces = a->skin_seconds - a->warm_skin;
    const bool is_known = a->warm_time > 0 && steps >= LEAST_STEPS;
    return is_known ? fmax(0, a->last_time - a->warm_time - surfaces) / steps : 0;
}

/* Out of time is an end like any other, and so is a divergence of a copy. */
static dlp_status judge_end(attempt *a, dlp_status status, dlp_error *error)
{
    if (status == DLP_INTERRUPTED && !dlp_stop_asked()) return DLP_OK;
    if (status != DLP_DIVERGED || a->def->factor == 1) return status;
    snprintf(a->out->divergence, sizeof a->out->divergence, "%.255s", error->message);
    return DLP_OK;
}

static dlp_status run_world(attempt *a, dlp_world *world, dlp_error *error)
{
    dlp_skin *skin = NULL;
    a->out->skin_power = skin_power(dlp_world_scene(world));
    a->out->particles = a->out->last_particles = a->out->mean_particles = dlp_world_particle_count(world);
    DLP_TRY(copy_stiffness(world, a->out, error));
    dlp_status status = dlp_skin_create(world, &skin, error);
    if (status == DLP_OK) status = judge_end(a, step_frames(a, world, skin, error), error);
    a->out->step_seconds = step_seconds(a);
    a->out->memory = fmax(a->out->memory, (double)dlp_memory_in_use());
    a->out->frame_bytes = frame_bytes(world);
    a->out->state_bytes = state_bytes(world) / fmax(LEAST_COUNT, dlp_world_particle_count(world));
    dlp_skin_destroy(skin);
    return status;
}

dlp_status dlp_trial_run(const dlp_trial_def *def, dlp_trial *out_trial, dlp_error *error)
{
    *out_trial = (dlp_trial){.factor = def->factor};
    attempt a = {.def = def, .out = out_trial};
    const double start = dlp_processor_clock();
    dlp_scene *copy = NULL;
    dlp_world *world = NULL;
    const dlp_world_options options = {
        .size = sizeof options, .thread_count = 1, .log = pass_note, .progress = watch_step, .user = &a};
    dlp_status status = copy_scene(def->scene, def->factor, &copy, error);
    if (status == DLP_OK) status = dlp_world_create(copy, &options, &world, error);
    a.start = dlp_processor_clock();
    a.wall_end = fmax(def->wall_end, dlp_wall_clock() + LEAST_WALL);
    out_trial->create_seconds = a.start - start;
    if (status == DLP_OK) status = run_world(&a, world, error);
    dlp_world_destroy(world);
    dlp_scene_destroy(copy);
    if (status == DLP_OK && dlp_stop_asked()) return dlp_fail(error, DLP_INTERRUPTED, "interrupted");
    return status;
}

void dlp_trial_release(dlp_trial *trial)
{
    dlp_free(trial->seconds);
    dlp_free(trial->frame_steps);
    dlp_free(trial->stiffness);
    *trial = (dlp_trial){0};
}
