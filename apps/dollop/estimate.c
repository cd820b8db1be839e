/* The cost of a run, by extrapolation from a short trial. */
#include "estimate.h"

#include "common.h"

#include "base/memory.h"
#include "motion/sph/sph.h"
#include "skin/skin.h"

#include <math.h>
#include <stdio.h>

/* A short trial: what was done, and when it has to end. */
typedef struct short_run {
    double end;            /* s, of the wall clock */
    double particle_steps; /* particles times their own steps */
    double steps;
    double frames; /* complete ones and the part of one */
} short_run;

static bool watch_trial(const dlp_progress *progress, void *user)
{
    short_run *seen = user;
    seen->particle_steps += progress->active_count;
    seen->steps += 1;
    seen->frames = progress->frame - 1 + progress->frame_fraction;
    return dlp_wall_clock() < seen->end;
}

/* What the world has to say, such as overlapping starts: worth knowing before a run. */
static void print_note(const char *message, void *user)
{
    (void)user;
    fflush(stdout);
    fprintf(stderr, "note: %s\n", message);
}

static double particle_volume(const dlp_substance_def *substance, int32_t dimension)
{
    const double r = substance->particle_radius;
    return dimension == 2 ? DLP_PI * r * r : 4.0 / 3 * DLP_PI * r * r * r;
}

/* The emitter's speed at a time: it may have key frames. */
static double emitter_speed(const dlp_scene_def *scene, const dlp_emitter_def *emitter, double time)
{
    for (int32_t k = 0; k < scene->track_count; k++) {
        if (scene->tracks[k].target != &emitter->speed) continue;
        double value[3];
        dlp_track_value(&scene->tracks[k], time, value);
        return fmax(0, value[0]);
    }
    return emitter->speed;
}

/* Particles that an emitter gives within the scene's length: the area of its mouth times the distance that
 * the flow covers, over the volume of a particle. */
static double emitted_count(const dlp_scene_def *scene, const dlp_emitter_def *emitter)
{
    enum { SAMPLES = 1000 };
    const double start = fmax(0, emitter->start),
                 end = fmin(emitter->stop, scene->frame_count / scene->frame_rate);
    const double dt = fmax(0, end - start) / SAMPLES;
    double distance = 0;
    for (int32_t k = 0; k < SAMPLES; k++)
        distance += dt * emitter_speed(scene, emitter, start + (k + 0.5) * dt);

    const bool is_round = emitter->radius > 0;
    double area = is_round ? DLP_PI * emitter->radius * emitter->radius : emitter->width * emitter->height;
    if (scene->dimension == 2) area = is_round ? 2 * emitter->radius : emitter->width;
    const double volume = particle_volume(&scene->substances[emitter->substance_index], scene->dimension);
    const double count = area * distance / volume;
    return emitter->limit > 0 ? fmin(count, emitter->limit) : count;
}

/* Bytes per particle of all fields that a frame holds. */
static double frame_bytes(const dlp_world *world)
{
    double bytes = 0;
    for (int32_t k = 0; k < DLP_FIELD_COUNT; k++) {
        dlp_view view = {.size = sizeof view};
        if (dlp_world_field(world, (dlp_field)k, &view, NULL) != DLP_OK) continue;
        bytes += view.components * (view.type == DLP_FLOAT64 || view.type == DLP_INT64 ? 8 : 4);
    }
    return bytes;
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

/* Surfaces grow like the square of a body's length, particles like its cube. */
static double surface_growth(const dlp_estimate *estimate)
{
    const double mean_particles = (estimate->particles + estimate->particles_later) / 2;
    return pow(mean_particles / fmax(1, estimate->particles), 2.0 / 3);
}

static void estimate_disk(const dlp_world *world, const dlp_skin *skin, dlp_estimate *estimate)
{
    const dlp_scene_def *scene = dlp_world_scene(world);
    const double every = scene->record.every > 0 ? scene->record.every : 1;
    const double frames = 1 + floor(scene->frame_count / every);
    const double mean_particles = (estimate->particles + estimate->particles_later) / 2;
    dlp_cloth_topology topology = {0};
    dlp_world_cloth_topology(world, &topology, NULL);
    const double particle_bytes = mean_particles * frame_bytes(world) + 16.0 * topology.triangle_count;
    const double a_frame =
        (scene->record.particles ? particle_bytes : 0) + mesh_bytes(skin) * surface_growth(estimate);
    estimate->disk = frames * a_frame + state_bytes(world);
}

/* What a particle's step cost in the trial stands for all steps of the run. */
static dlp_status estimate_time(dlp_world *world, const dlp_scene_def *scene, short_run *seen,
                                dlp_estimate *estimate, dlp_error *error)
{
    enum { MAX_FRAMES = 5 };
    const double start = dlp_wall_clock();
    seen->end = start + 1;
    dlp_status status = DLP_OK;
    for (int32_t k = 0; k < MAX_FRAMES && status == DLP_OK && dlp_wall_clock() < seen->end; k++) {
        status = dlp_world_step_frame(world, error);
    }
    if (status != DLP_OK && status != DLP_INTERRUPTED) return status;

    const double spent = dlp_wall_clock() - start, frames = seen->frames;
    const double mean_particles = (estimate->particles + estimate->particles_later) / 2;
    estimate->steps_a_frame = seen->steps / frames;
    const double own_steps = seen->particle_steps / frames; /* per frame, of the particles that were there */
    const double there = fmax(1, dlp_world_particle_count(world));
    estimate->seconds =
        spent / fmax(1, seen->particle_steps) * own_steps / there * mean_particles * scene->frame_count;
    return DLP_OK;
}

/* Memory per particle is that of the world now or, while it has few particles, a typical 600 bytes. */
static double estimate_memory(const dlp_world *world, double particles_later)
{
    const double now = (double)dlp_memory_in_use(), there = dlp_world_particle_count(world);
    const double each = there >= 1000 ? now / there : 600;
    return now + fmax(0, particles_later - there) * each;
}

static dlp_status copy_stiffness(const dlp_world *world, dlp_estimate *estimate, dlp_error *error)
{
    const int32_t count = dlp_world_scene(world)->substance_count;
    const dlp_sph *sph = dlp_sph_of(world);
    estimate->stiffness = dlp_alloc((size_t)count, sizeof *estimate->stiffness, "estimate");
    if (estimate->stiffness == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "estimate: no room");
    for (int32_t k = 0; k < count; k++) estimate->stiffness[k] = sph != NULL ? sph->state.stiffness[k] : 0;
    return DLP_OK;
}

static dlp_status estimate_world(dlp_world *world, dlp_skin *skin, short_run *seen, dlp_estimate *estimate,
                                 dlp_error *error)
{
    const dlp_scene_def *scene = dlp_world_scene(world);
    const double start = dlp_wall_clock();
    DLP_TRY(dlp_skin_update(skin, error));
    const double skin_seconds = dlp_wall_clock() - start;
    estimate->particles = dlp_world_particle_count(world);
    estimate->particles_later = estimate->particles;
    for (int32_t k = 0; k < scene->emitter_count; k++) {
        estimate->particles_later += floor(emitted_count(scene, &scene->emitters[k]));
    }
    DLP_TRY(copy_stiffness(world, estimate, error));
    estimate_disk(world, skin, estimate);
    DLP_TRY(estimate_time(world, scene, seen, estimate, error));
    estimate->seconds += scene->frame_count * skin_seconds * surface_growth(estimate);
    estimate->memory = estimate_memory(world, estimate->particles_later);
    return DLP_OK;
}

dlp_status dlp_estimate_scene(dlp_scene *scene, int32_t thread_count, dlp_estimate *out_estimate,
                              dlp_error *error)
{
    *out_estimate = (dlp_estimate){0};
    short_run seen = {0};
    const dlp_world_options options = {.size = sizeof options,
                                       .thread_count = thread_count,
                                       .log = print_note,
                                       .progress = watch_trial,
                                       .user = &seen};
    dlp_world *world = NULL;
    DLP_TRY(dlp_world_create(scene, &options, &world, error));
    dlp_skin *skin = NULL;
    dlp_status status = dlp_skin_create(world, &skin, error);
    if (status == DLP_OK) status = estimate_world(world, skin, &seen, out_estimate, error);
    dlp_skin_destroy(skin);
    dlp_world_destroy(world);
    return status;
}

void dlp_estimate_release(dlp_estimate *estimate)
{
    dlp_free(estimate->stiffness);
    *estimate = (dlp_estimate){0};
}
