/* Counts particles: the lattice of every shape as it would be fitted, the mouth of every emitter times the
 * way that the flow goes, the edges of cloth. What starts where something else is, is found by sampling. */
#include "particle_count.h"

#include "base/memory.h"
#include "base/random.h"
#include "motion/body.h"
#include "motion/sph/emit.h"
#include "space/mesh_edges.h"
#include "space/points.h"

#include <stdio.h>

enum { POINT_LIMIT = 200000000, SPEED_SAMPLES = 1000, PLACE_SAMPLES = 10000, PLACE_TRIES = 40000 };

typedef struct dlp_counted_substance {
    dlp_shape *shape; /* owned; of solids one copy; NULL of cloth and of what fills no shape */
    double copies;    /* of that shape */
    double fixed;     /* from a point file, vertices of a mesh */
    double lost;      /* 0..1 */
} counted;

/* Reading. */

static double copies_of(const dlp_shape_def *shape)
{
    double all = 1;
    for (int32_t k = 0; k < 3; k++) all *= shape->copies[k] > 1 ? shape->copies[k] : 1;
    return all;
}

static void join_path(const dlp_scene_def *scene, const char *file, char *out_path, size_t size)
{
    const bool is_absolute = file[0] == '/' || scene->folder == NULL || scene->folder[0] == '\0';
    snprintf(out_path, size, "%s%s%s", is_absolute ? "" : scene->folder, is_absolute ? "" : "/", file);
}

static dlp_status count_points(const dlp_scene_def *scene, const char *file, double *out_count,
                               dlp_error *error)
{
    char path[4096];
    dlp_points points = {0};
    join_path(scene, file, path, sizeof path);
    DLP_TRY(dlp_points_read(path, POINT_LIMIT, &points, error));
    *out_count = points.count;
    dlp_points_release(&points);
    return DLP_OK;
}

/* The vertices that are left of a mesh of cloth. */
static dlp_status count_vertices(const dlp_scene_def *scene, const char *file, double *out_count,
                                 dlp_error *error)
{
    char path[4096];
    dlp_mesh mesh = {0};
    join_path(scene, file, path, sizeof path);
    dlp_status status = dlp_mesh_read(path, &mesh, error);
    if (status == DLP_OK) status = dlp_mesh_weld(&mesh, 0, error);
    if (status == DLP_OK) status = dlp_mesh_tidy(&mesh, error);
    *out_count = mesh.vertex_count;
    dlp_mesh_release(&mesh);
    return status;
}

static dlp_status read_substance(const dlp_scene_def *scene, int32_t k, counted *out, dlp_error *error)
{
    const dlp_substance_def *def = &scene->substances[k];
    const bool is_solid = def->model == DLP_MODEL_SOLID;
    dlp_shape_def shape = def->shape; /* shares what it points at: not released */
    out->copies = 1;
    if (def->points_file != NULL && def->points_file[0] != '\0' && def->model == DLP_MODEL_SPH)
        DLP_TRY(count_points(scene, def->points_file, &out->fixed, error));
    if (def->model == DLP_MODEL_CLOTH && shape.kind == DLP_SHAPE_MESH)
        return count_vertices(scene, shape.file, &out->fixed, error);
    if (shape.kind == DLP_SHAPE_NONE || def->model == DLP_MODEL_CLOTH) return DLP_OK;
    if (is_solid) {
        out->copies = copies_of(&shape);
        for (int32_t axis = 0; axis < 3; axis++) shape.copies[axis] = 1;
    }
    return dlp_shape_create(&shape, scene->dimension, scene->folder, &out->shape, error);
}

/* What is lost. */

static bool lies_in_obstacle(const dlp_bodies *bodies, dlp_vec3 x)
{
    for (int32_t k = 0; k < bodies->count; k++) {
        const dlp_transform transform = dlp_body_transform_at(&bodies->items[k], 0);
        if (dlp_shape_distance(bodies->items[k].shape, dlp_to_body(&transform, x)) < 0) return true;
    }
    return false;
}

static bool lies_in_earlier(const dlp_particle_counter *counter, int32_t substance, dlp_vec3 x)
{
    for (int32_t k = 0; k < substance; k++) {
        const dlp_shape *shape = counter->substances[k].shape;
        const bool is_fluid = counter->scene->substances[k].model == DLP_MODEL_SPH;
        if (shape != NULL && is_fluid && dlp_shape_distance(shape, x) < 0) return true;
    }
    return false;
}

static bool is_finite_box(const dlp_box *box, int32_t dimension)
{
    return isfinite(box->min.x + box->max.x + box->min.y + box->max.y) &&
           (dimension == 2 || isfinite(box->min.z + box->max.z));
}

/* A point of the box that depends on its number alone. */
static dlp_vec3 sample_place(const dlp_box *box, int32_t dimension, int32_t number)
{
    const uint64_t id = (uint64_t)number;
    const dlp_vec3 size = dlp_sub(box->max, box->min);
    return dlp_vec(box->min.x + size.x * dlp_random(id, 0, 1), box->min.y + size.y * dlp_random(id, 0, 2),
                   dimension == 2 ? 0 : box->min.z + size.z * dlp_random(id, 0, 3));
}

/* Of the places inside the shape, the share that something else takes. */
static double sample_lost(const dlp_particle_counter *counter, const dlp_bodies *bodies, int32_t substance)
{
    const dlp_shape *shape = counter->substances[substance].shape;
    const int32_t dimension = counter->scene->dimension;
    const dlp_box box = dlp_shape_bounds(shape);
    const int32_t others = bodies->count + substance, tries = PLACE_TRIES / (1 + others / 20);
    int32_t inside = 0, taken = 0;
    if (others == 0 || !is_finite_box(&box, dimension)) return 0;
    for (int32_t k = 0; k < tries && inside < PLACE_SAMPLES; k++) {
        const dlp_vec3 x = sample_place(&box, dimension, k);
        if (dlp_shape_distance(shape, x) >= 0) continue;
        inside++;
        taken += lies_in_obstacle(bodies, x) || lies_in_earlier(counter, substance, x);
    }
    return inside > 0 ? (double)taken / inside : 0;
}

static dlp_status find_lost(dlp_particle_counter *counter, bool (*is_stopped)(void), dlp_error *error)
{
    const dlp_scene_def *scene = counter->scene;
    dlp_bodies bodies = {0};
    dlp_status status = dlp_bodies_init(&bodies, scene, 1, error);
    for (int32_t k = 0; k < scene->substance_count && status == DLP_OK; k++) {
        counted *of = &counter->substances[k];
        if (of->shape != NULL && scene->substances[k].model == DLP_MODEL_SPH)
            of->lost = sample_lost(counter, &bodies, k);
        if (is_stopped != NULL && is_stopped()) status = dlp_fail(error, DLP_INTERRUPTED, "interrupted");
    }
    dlp_bodies_release(&bodies);
    return status;
}

/* The counter. */

dlp_status dlp_particle_counter_init(dlp_particle_counter *counter, const dlp_scene_def *scene,
                                     bool (*is_stopped)(void), dlp_error *error)
{
    *counter = (dlp_particle_counter){.scene = scene};
    counter->substances =
        dlp_alloc((size_t)scene->substance_count + 1, sizeof *counter->substances, "estimate");
    if (counter->substances == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "estimate: no room");
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_status status = read_substance(scene, k, &counter->substances[k], error);
        if (status != DLP_OK)
            return dlp_fail_at(error, status, "substances.%s.shape", scene->substances[k].name);
        if (is_stopped != NULL && is_stopped()) return dlp_fail(error, DLP_INTERRUPTED, "interrupted");
    }
    return find_lost(counter, is_stopped, error);
}

void dlp_particle_counter_release(dlp_particle_counter *counter)
{
    const int32_t count = counter->substances != NULL ? counter->scene->substance_count : 0;
    for (int32_t k = 0; k < count; k++) dlp_shape_destroy(counter->substances[k].shape);
    dlp_free(counter->substances);
    *counter = (dlp_particle_counter){0};
}

double dlp_particle_counter_lost(const dlp_particle_counter *counter, int32_t substance)
{
    return counter->substances[substance].lost;
}

bool dlp_particle_counter_can_scale(const dlp_particle_counter *counter, int32_t substance)
{
    return counter->substances[substance].fixed == 0;
}

/* Counting. */

static double spacing_of(const dlp_scene_def *scene, const dlp_substance_def *def, double factor)
{
    const int32_t dimension = def->model == DLP_MODEL_SPH ? scene->dimension : 3;
    return factor * dlp_substance_spacing(def, dimension);
}

/* As cloth_sheet.c makes them: a sheet that is narrower than a particle is a rope. */
static double count_sheet(const dlp_shape_def *shape, double spacing)
{
    const double scale = shape->scale > 0 ? shape->scale : 1;
    const double width = scale * shape->size.x, height = scale * shape->size.y;
    const double columns = fmax(1, round(width / spacing)), rows = fmax(1, round(height / spacing));
    if (width < spacing || height < spacing) return 1 + fmax(1, round(fmax(width, height) / spacing));
    return (columns + 1) * (rows + 1);
}

static double count_cloth(const dlp_shape_def *shape, double spacing)
{
    const double scale = shape->scale > 0 ? shape->scale : 1;
    const double length = scale * dlp_length(dlp_sub(shape->to, shape->from));
    const double one =
        shape->kind == DLP_SHAPE_SHEET ? count_sheet(shape, spacing) : 1 + fmax(1, round(length / spacing));
    return one * copies_of(shape);
}

static dlp_status count_filled(const dlp_scene_def *scene, const dlp_substance_def *def, const counted *of,
                               double spacing, double *out_count, dlp_error *error)
{
    const bool is_fluid = def->model == DLP_MODEL_SPH;
    const dlp_fill_def request = {.spacing = spacing,
                                  .dimension = scene->dimension,
                                  .lattice = def->lattice,
                                  .periodic = {is_fluid && scene->periodic[0], is_fluid && scene->periodic[1],
                                               is_fluid && scene->periodic[2]},
                                  .domain = scene->domain,
                                  .limit = POINT_LIMIT};
    const dlp_status status = dlp_shape_count_fill(of->shape, &request, out_count, error);
    if (status != DLP_OK) return dlp_fail_at(error, status, "substances.%s.shape", def->name);
    *out_count *= of->copies * (1 - of->lost);
    return DLP_OK;
}

static dlp_status count_start(const dlp_particle_counter *counter, int32_t k, double factor,
                              double *out_count, dlp_error *error)
{
    const dlp_substance_def *def = &counter->scene->substances[k];
    const counted *of = &counter->substances[k];
    const double spacing = spacing_of(counter->scene, def, factor);
    const bool is_fabric = def->model == DLP_MODEL_CLOTH && def->shape.kind != DLP_SHAPE_MESH;
    if (of->shape != NULL) DLP_TRY(count_filled(counter->scene, def, of, spacing, out_count, error));
    if (is_fabric) *out_count = count_cloth(&def->shape, spacing);
    *out_count += of->fixed;
    return DLP_OK;
}

/* m/s at a time: it may have key frames. */
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

/* m that the flow covers within the scene's length. */
static double flow_length(const dlp_scene_def *scene, const dlp_emitter_def *emitter)
{
    const double start = fmax(0, emitter->start),
                 end = fmin(emitter->stop, scene->frame_count / scene->frame_rate);
    const double dt = fmax(0, end - start) / SPEED_SAMPLES;
    double length = 0;
    for (int32_t k = 0; k < SPEED_SAMPLES; k++)
        length += dt * emitter_speed(scene, emitter, start + (k + 0.5) * dt);
    return length;
}

/* The first layer comes at once: where the emitter starts with the scene, it is there at the start. */
static dlp_status count_emitted(const dlp_scene_def *scene, const dlp_emitter_def *emitter, double factor,
                                dlp_particle_count *count, dlp_error *error)
{
    const dlp_substance_def *def = &scene->substances[emitter->substance_index];
    dlp_emitter mouth = {0};
    const dlp_status status =
        dlp_emitter_init(&mouth, emitter, scene->dimension, spacing_of(scene, def, factor), error);
    const double sites = 0.5 * (mouth.site_count[0] + mouth.site_count[1]),
                 length = flow_length(scene, emitter);
    const double limit = emitter->limit > 0 ? emitter->limit / pow(factor, scene->dimension) : HUGE_VAL;
    const bool is_open = emitter->start <= 0 && emitter->stop > 0 && emitter_speed(scene, emitter, 0) > 0;
    const double all =
        length > 0 && status == DLP_OK ? fmin(limit, sites * (1 + floor(length / mouth.layer))) : 0;
    const double first = is_open ? fmin(all, mouth.site_count[0]) : 0;
    count->start += first;
    count->emitted += all - first;
    dlp_emitter_release(&mouth);
    return status;
}

dlp_status dlp_count_particles(const dlp_particle_counter *counter, double factor,
                               dlp_particle_count *out_counts, dlp_error *error)
{
    const dlp_scene_def *scene = counter->scene;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        out_counts[k] = (dlp_particle_count){0};
        DLP_TRY(count_start(counter, k, factor, &out_counts[k].start, error));
    }
    for (int32_t k = 0; k < scene->emitter_count; k++) {
        dlp_particle_count *of = &out_counts[scene->emitters[k].substance_index];
        DLP_TRY(count_emitted(scene, &scene->emitters[k], factor, of, error));
    }
    return DLP_OK;
}
