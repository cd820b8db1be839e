/* The start: substances fill their shapes, get their velocities, and are kept apart. */
#include "motion/sph/emit.h"
#include "motion/sph/sph_heat.h"
#include "motion/sph/sph.h"
#include "space/bins.h"
#include "base/random.h"
#include "space/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTICLE_LIMIT = 200000000 };

static dlp_vec3 field_velocity(const dlp_substance_def *def, dlp_vec3 x)
{
    const double k = 2 * DLP_PI / (def->field_length > 0 ? def->field_length : 1), a = def->field_amplitude;
    switch (def->field) {
    case DLP_VELOCITY_FIELD_NONE:
        break;
    case DLP_VELOCITY_FIELD_TAYLOR_GREEN:
        return dlp_vec(-a * cos(k * x.x) * sin(k * x.y), a * sin(k * x.x) * cos(k * x.y), 0);
    case DLP_VELOCITY_FIELD_STRETCH:
        return dlp_vec(-a * x.x, a * x.y, 0);
    case DLP_VELOCITY_FIELD_SHEAR:
        return dlp_vec(a * x.y, 0, 0);
    }
    return dlp_vec(0, 0, 0);
}

static dlp_vec3 start_velocity(const dlp_substance_def *def, dlp_vec3 x)
{
    const dlp_vec3 spin = dlp_cross(def->spin, dlp_sub(x, def->spin_center));
    return dlp_add(def->velocity, dlp_add(spin, field_velocity(def, x)));
}

void dlp_sph_add_particle(dlp_sph *sph, int32_t substance, dlp_vec3 x, dlp_vec3 v)
{
    dlp_particles *p = &sph->state.particles;
    assert(p->count < p->capacity && substance >= 0 && substance < sph->scene->substance_count);
    const int64_t i = p->count++;
#define X(name, type, dlp, components, when)                                                                 \
    if (dlp_particles_have(p, when)) memset(p->name + components * i, 0, components * sizeof(type));
    DLP_SPH_FIELDS(X)
#undef X
    p->position[3 * i] = x.x;
    p->position[3 * i + 1] = x.y;
    p->position[3 * i + 2] = x.z;
    p->velocity[3 * i] = (float)v.x;
    p->velocity[3 * i + 1] = (float)v.y;
    p->velocity[3 * i + 2] = (float)v.z;
    p->compression[i] = 1;
    p->units[i] = 1;
    if (dlp_sph_adapts_space(sph)) p->sum_at_rest[i] = 1;
    p->substance[i] = substance;
    p->begin[i] = sph->state.clock.tick;
    if (sph->params.restrains) {
        p->threshold_scale[i] = 1;
        p->last_moved[i] = (float)dlp_sph_clock_time(&sph->state.clock);
    }
    p->id[i] = sph->state.next_id++;
    if (dlp_sph_has_heat(sph)) p->temperature[i] = dlp_heat_start(sph, substance);
}

static dlp_vec3 jittered(const dlp_sph *sph, const dlp_substance_def *def, dlp_vec3 x, double spacing)
{
    if (def->jitter == 0) return x;
    const uint64_t id = (uint64_t)sph->state.next_id;
    const double size = 2 * def->jitter * spacing;
    x.x += size * (dlp_random(id, 0, 1) - 0.5);
    x.y += size * (dlp_random(id, 0, 2) - 0.5);
    if (sph->scene->dimension == 3) x.z += size * (dlp_random(id, 0, 3) - 0.5);
    return x;
}

static dlp_status put_all(dlp_sph *sph, int32_t substance, const dlp_vec3 *positions,
                          const dlp_vec3 *velocities, int32_t count, dlp_error *error)
{
    const dlp_substance_def *def = &sph->scene->substances[substance];
    const double spacing = dlp_substance_spacing(def, sph->scene->dimension);
    if (count > PARTICLE_LIMIT - sph->state.particles.count)
        return dlp_fail(error, DLP_INVALID, "substances.%s: more than %d particles", def->name,
                        PARTICLE_LIMIT);
    DLP_TRY(dlp_particles_reserve(&sph->state.particles, sph->state.particles.count + count, error));
    for (int32_t k = 0; k < count; k++) {
        dlp_vec3 x = jittered(sph, def, positions[k], spacing);
        if (sph->scene->dimension == 2) x.z = 0;
        const dlp_vec3 given = velocities != NULL ? velocities[k] : dlp_vec(0, 0, 0);
        dlp_sph_add_particle(sph, substance, x, dlp_add(given, start_velocity(def, x)));
    }
    return DLP_OK;
}

static dlp_status fill_shape(dlp_sph *sph, int32_t substance, dlp_error *error)
{
    const dlp_scene_def *scene = sph->scene;
    const dlp_substance_def *def = &scene->substances[substance];
    const dlp_fill_def request = {.spacing = dlp_substance_spacing(def, scene->dimension),
                                  .dimension = scene->dimension,
                                  .lattice = def->lattice,
                                  .periodic = {scene->periodic[0], scene->periodic[1], scene->periodic[2]},
                                  .domain = scene->domain,
                                  .limit = PARTICLE_LIMIT};
    dlp_shape *shape;
    dlp_fill fill = {0};
    dlp_status status = dlp_shape_create(&def->shape, scene->dimension, scene->folder, &shape, error);
    if (status == DLP_OK) status = dlp_shape_fill(shape, &request, &fill, error);
    if (status == DLP_OK) {
        sph->params.substances[substance].volume_unit = (float)fill.volume;
        sph->params.substances[substance].unit_mass = def->density * fill.volume;
        status = put_all(sph, substance, fill.positions, NULL, fill.count, error);
    }
    dlp_fill_release(&fill);
    dlp_shape_destroy(shape);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "substances.%s.shape", def->name);
}

// "folder/file", or the file alone where it is absolute.
static char *path_in(const char *folder, const char *file)
{
    const bool is_absolute = file[0] == '/' || folder == NULL || folder[0] == '\0';
    const size_t size = strlen(file) + (is_absolute ? 1 : strlen(folder) + 2);
    char *path = dlp_alloc(size, 1, "scene");
    if (path != NULL) snprintf(path, size, "%s%s%s", is_absolute ? "" : folder, is_absolute ? "" : "/", file);
    return path;
}

static dlp_status read_points(dlp_sph *sph, int32_t substance, dlp_error *error)
{
    const dlp_substance_def *def = &sph->scene->substances[substance];
    char *path = path_in(sph->scene->folder, def->points_file);
    if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "substances.%s.points", def->name);
    dlp_points points = {0};
    dlp_status status = dlp_points_read(path, PARTICLE_LIMIT, &points, error);
    if (status == DLP_OK)
        status = put_all(sph, substance, points.positions, points.velocities, points.count, error);
    dlp_points_release(&points);
    dlp_free(path);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "substances.%s.points", def->name);
}

static void note(dlp_sph *sph, const char *message)
{
    if (sph->context.log != NULL) sph->context.log(message, sph->context.log_user);
}

// Particles that start on top of another substance's are left out: the substance named first stays.
static dlp_status separate_starts(dlp_sph *sph, dlp_error *error)
{
    dlp_particles *p = &sph->state.particles;
    const int32_t count = p->count;
    uint8_t *is_kept = dlp_alloc((size_t)count + 1, 1, "start");
    dlp_vec3 *points = dlp_alloc((size_t)count + 1, sizeof *points, "start");
    dlp_bins bins = {0};
    dlp_status status = is_kept == NULL || points == NULL
                            ? dlp_fail(error, DLP_OUT_OF_MEMORY, "start: no room")
                            : dlp_bins_init(&bins, sph->params.support, count, error);
    int32_t dropped = 0;
    for (int32_t i = 0; i < count && status == DLP_OK; i++) {
        points[i] = dlp_particle_position(p, i);
        dlp_bins_search near = dlp_bins_near(&bins, points, points[i], 0.75 * sph->params.finest);
        is_kept[i] = 1;
        for (int32_t j; (j = dlp_bins_next(&near)) >= 0 && is_kept[i];)
            if (p->substance[j] != p->substance[i]) is_kept[i] = 0;
        dropped += !is_kept[i];
        if (is_kept[i]) status = dlp_bins_add(&bins, i, points[i], error);
    }
    if (status == DLP_OK && dropped > 0) {
        char message[128];
        snprintf(message, sizeof message,
                 "start: %d particles lay inside another substance and were left out", dropped);
        note(sph, message);
        dlp_particles_keep(p, is_kept);
    }
    dlp_bins_release(&bins);
    dlp_free(points);
    dlp_free(is_kept);
    return status;
}

// Whether a particle starts outside of all obstacles, and no nearer to one than it lets it come.
static bool is_clear(const dlp_sph *sph, int32_t i)
{
    for (int32_t k = 0; k < sph->scene->obstacle_count; k++) {
        const dlp_transform transform = dlp_body_transform_at(&sph->bodies[k], 0);
        const dlp_vec3 x = dlp_to_body(&transform, dlp_particle_position(&sph->state.particles, i));
        if (dlp_shape_distance(sph->bodies[k].shape, x) < 0.1 * sph->params.finest) return false;
    }
    return true;
}

// Particles that do not are left out.
static dlp_status clear_obstacles(dlp_sph *sph, dlp_error *error)
{
    dlp_particles *p = &sph->state.particles;
    uint8_t *is_kept = dlp_alloc((size_t)p->count + 1, 1, "start");
    if (is_kept == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "start: no room");
    int32_t dropped = 0;
    for (int32_t i = 0; i < p->count; i++) {
        is_kept[i] = is_clear(sph, i);
        dropped += !is_kept[i];
    }
    if (dropped > 0) {
        char message[128];
        snprintf(message, sizeof message, "start: %d particles lay inside an obstacle and were left out",
                 dropped);
        note(sph, message);
        dlp_particles_keep(p, is_kept);
    }
    dlp_free(is_kept);
    return DLP_OK;
}

// A substance that was given a place but has nothing left of it is a mistake, not a start.
static dlp_status refuse_empty(const dlp_sph *sph, dlp_error *error)
{
    for (int32_t k = 0; k < sph->scene->substance_count; k++) {
        const dlp_substance_def *def = &sph->scene->substances[k];
        bool is_empty = def->model == DLP_MODEL_SPH && def->shape.kind != DLP_SHAPE_NONE;
        for (int32_t i = 0; i < sph->state.particles.count && is_empty; i++)
            is_empty = sph->state.particles.substance[i] != k;
        if (is_empty)
            return dlp_fail(error, DLP_INVALID,
                            "substances.%s.shape: all of it lies inside an obstacle or another substance",
                            def->name);
    }
    return DLP_OK;
}

dlp_status dlp_sph_start(dlp_sph *sph, dlp_error *error)
{
    for (int32_t k = 0; k < sph->scene->substance_count; k++) {
        const dlp_substance_def *def = &sph->scene->substances[k];
        if (def->model != DLP_MODEL_SPH) continue;
        if (def->shape.kind != DLP_SHAPE_NONE) DLP_TRY(fill_shape(sph, k, error));
        if (def->points_file != NULL && def->points_file[0] != '\0') DLP_TRY(read_points(sph, k, error));
    }
    if (sph->scene->substance_count > 1) DLP_TRY(separate_starts(sph, error));
    DLP_TRY(clear_obstacles(sph, error));
    return refuse_empty(sph, error);
}
