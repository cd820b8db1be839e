// What a picture of any scene should show, and in which colours: the box around the particles, walls and
// obstacles; colours by substance, value or temperature.
#include "record/preview.h"
#include "record/palette.h"
#include "record/preview_parts.h"
#include "space/shape_surface.h"
#include "base/memory.h"

#include <stdlib.h>

static dlp_vec3 position(const dlp_preview_def *def, int32_t i)
{
    const double *x = def->positions + 3 * (size_t)i;
    return dlp_vec(x[0], x[1], x[2]);
}

// 0 inside. Of an obstacle's bounds: a lower bound of its distance, which saves the expensive ones (meshes).
static double distance_to_box(const dlp_box *box, dlp_vec3 x)
{
    const dlp_vec3 below = dlp_sub(box->min, x), above = dlp_sub(x, box->max);
    const dlp_vec3 out = dlp_max3(dlp_max3(below, above), dlp_vec(0, 0, 0));
    return dlp_length(out);
}

// What counts of the particles: finite ones that are no lower than `bottom` along `up`.
static bool counts(const dlp_preview_def *def, dlp_vec3 x, double bottom)
{
    return dlp_is_finite3(x) && !(dlp_dot(x, def->up) < bottom);
}

static int compare_numbers(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// The range of one coordinate that holds 96 % of the particles, by at most SAMPLES of them; false where none
// counts. Unlike mean and deviation it does not depend on how far the others are away.
static bool find_core(const dlp_preview_def *def, int axis, double bottom, double *out_min, double *out_max)
{
    enum { SAMPLES = 4096 };
    double values[SAMPLES];
    const int32_t every = def->count / SAMPLES + 1;
    int32_t count = 0;
    for (int32_t i = 0; i < def->count; i += every) {
        const dlp_vec3 x = position(def, i);
        if (counts(def, x, bottom)) values[count++] = axis == 0 ? x.x : axis == 1 ? x.y : x.z;
    }
    if (count == 0) return false;
    qsort(values, (size_t)count, sizeof *values, compare_numbers);
    const int32_t left_out = count / 50;
    *out_min = values[left_out];
    *out_max = values[count - 1 - left_out];
    return true;
}

// Bounds of the particles without the few that are farther from the others than these are from each other,
// and without those that have fallen below `bottom` by more than half of that.
bool dlp_preview_particle_box(const dlp_preview_def *def, double bottom, dlp_box *out_box)
{
    dlp_box core;
    if (!(find_core(def, 0, bottom, &core.min.x, &core.max.x) &&
          find_core(def, 1, bottom, &core.min.y, &core.max.y) &&
          find_core(def, 2, bottom, &core.min.z, &core.max.z)))
        return false;
    const dlp_vec3 size = dlp_sub(core.max, core.min);
    const double reach = fmax(fmax(size.x, size.y), fmax(size.z, 2 * (double)def->radii[0]));
    const dlp_vec3 far = dlp_vec(reach, reach, reach);
    core = (dlp_box){dlp_sub(core.min, far), dlp_add(core.max, far)};
    dlp_box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int32_t i = 0; i < def->count; i++) {
        const dlp_vec3 x = position(def, i);
        if (!counts(def, x, bottom - reach / 2) || distance_to_box(&core, x) > 0) continue;
        const double r = (double)def->radii[i];
        box.min = dlp_min3(box.min, dlp_sub(x, dlp_vec(r, r, r)));
        box.max = dlp_max3(box.max, dlp_add(x, dlp_vec(r, r, r)));
    }
    *out_box = box;
    return dlp_is_finite3(box.min) && dlp_is_finite3(box.max);
}

// The union of the obstacles: the smallest distance. An obstacle whose bounds are farther away cannot be
// nearer.
double dlp_preview_distance(const dlp_preview_def *def, dlp_vec3 x, int32_t *out_obstacle)
{
    double nearest = HUGE_VAL;
    *out_obstacle = -1;
    for (int32_t k = 0; k < def->obstacle_count; k++) {
        const dlp_preview_obstacle *obstacle = &def->obstacles[k];
        const dlp_vec3 at = dlp_to_body(&obstacle->frame, x);
        const dlp_box box = dlp_shape_bounds(obstacle->shape);
        const double bound = distance_to_box(&box, at);
        if (bound > nearest) continue;
        const double distance = dlp_shape_distance(obstacle->shape, at);
        if (!(distance < nearest)) continue;
        nearest = distance;
        *out_obstacle = k;
    }
    return nearest;
}

// Grows the box to hold x.
static void include(dlp_box *box, dlp_vec3 x)
{
    box->min = dlp_min3(box->min, x);
    box->max = dlp_max3(box->max, x);
}

// Where a straight line first meets an obstacle within `farthest`, by sphere tracing: the distance is never
// larger than the true one, so no step passes the surface.
static void include_wall(const dlp_preview_obstacle *obstacle, dlp_vec3 from, dlp_vec3 direction,
                         double farthest, dlp_box *box)
{
    double t = 0;
    for (int32_t k = 0; k < 100 && t < farthest; k++) {
        const dlp_vec3 x = dlp_to_body(&obstacle->frame, dlp_along(from, direction, t));
        const double distance = dlp_shape_distance(obstacle->shape, x);
        if (distance < 4e-4 * farthest) {
            if (t > 0) include(box, dlp_along(from, direction, t));
            return;
        }
        t += distance;
    }
}

// The walls around the particles: where straight lines along the axes from their middle, and from the top of
// them, since they may lie in a bowl, meet an obstacle. A lid is not needed: it would only make everything
// smaller.
static void include_walls(const dlp_preview_def *def, const dlp_preview_obstacle *obstacle,
                          const dlp_box *particles, dlp_box *box)
{
    const dlp_vec3 middle = dlp_mul(dlp_add(particles->min, particles->max), 0.5);
    const dlp_vec3 size = dlp_sub(particles->max, particles->min),
                   up = dlp_normalize(def->up, dlp_vec(0, 0, 0));
    const double half = 0.5 * (fabs(size.x * up.x) + fabs(size.y * up.y) + fabs(size.z * up.z));
    const double farthest = 2.5 * dlp_length(size);
    for (int32_t side = 0; side < 2 * def->dimension; side++) {
        const double sign = side % 2 == 0 ? 1 : -1;
        const dlp_vec3 direction =
            dlp_vec(side / 2 == 0 ? sign : 0, side / 2 == 1 ? sign : 0, side / 2 == 2 ? sign : 0);
        const double rise = dlp_dot(direction, up);
        if (rise > 0.7) continue;
        include_wall(obstacle, middle, direction, farthest, box);
        if (rise > -0.7) include_wall(obstacle, dlp_along(middle, up, half), direction, farthest, box);
    }
}

// Whether an obstacle is finite.
static bool has_end(const dlp_preview_obstacle *obstacle)
{
    const dlp_box bounds = dlp_shape_bounds(obstacle->shape);
    return dlp_is_finite3(bounds.min) && dlp_is_finite3(bounds.max);
}

// In 3-D, walls are what is infinite: floors, containers. Finite obstacles are shown whole instead.
static void include_all_walls(const dlp_preview_def *def, const dlp_box *particles, dlp_box *box)
{
    for (int32_t k = 0; k < def->obstacle_count; k++)
        if (def->dimension == 2 || !has_end(&def->obstacles[k]))
            include_walls(def, &def->obstacles[k], particles, box);
}

// Whether the obstacle is solid far above: then it is no terrain to look down on.
static bool has_lid(const dlp_preview_def *def, const dlp_preview_obstacle *obstacle, const dlp_box *box)
{
    const dlp_vec3 up = dlp_normalize(def->up, dlp_vec(0, 0, 1));
    const double far = 1e3 * dlp_length(dlp_sub(box->max, box->min));
    return dlp_shape_distance(obstacle->shape, dlp_to_body(&obstacle->frame, dlp_along(box->max, up, far))) <
           0;
}

// A finite obstacle, or a map of heights, is shown whole where it is not much larger than what moves; of a
// container the walls are enough.
static void include_obstacle(const dlp_preview_def *def, const dlp_preview_obstacle *obstacle, double largest,
                             dlp_box *box)
{
    const bool is_flat = def->dimension == 2;
    dlp_box bounds = is_flat ? dlp_shape_bounds(obstacle->shape) : dlp_shape_extent(obstacle->shape);
    if (is_flat) bounds.min.z = bounds.max.z = 0;
    if (!dlp_is_finite3(bounds.min) || !dlp_is_finite3(bounds.max)) return;
    const bool is_map = !is_flat && !has_end(obstacle);
    if (is_map && has_lid(def, obstacle, box)) return;
    if (dlp_length(dlp_sub(bounds.max, bounds.min)) > (is_map ? 2 : 1) * largest) return;
    for (int32_t k = 0; k < 8; k++) {
        const dlp_vec3 corner =
            dlp_vec(k & 1 ? bounds.max.x : bounds.min.x, k & 2 ? bounds.max.y : bounds.min.y,
                    k & 4 ? bounds.max.z : bounds.min.z);
        include(box, dlp_to_world(&obstacle->frame, corner));
    }
}

// Falls back to a cube of one metre where nothing is finite, so that the box is never empty.
dlp_box dlp_preview_box_around(const dlp_preview_def *def, const dlp_box *particles)
{
    dlp_box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    if (particles != NULL) box = *particles;
    const double largest = particles != NULL ? 3 * dlp_length(dlp_sub(box.max, box.min)) : HUGE_VAL;
    if (particles != NULL) include_all_walls(def, particles, &box);
    for (int32_t k = 0; k < def->obstacle_count; k++)
        include_obstacle(def, &def->obstacles[k], largest, &box);
    const bool is_empty = !(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z);
    if (is_empty || !dlp_is_finite3(box.min) || !dlp_is_finite3(box.max))
        box = (dlp_box){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    if (!(dlp_length(dlp_sub(box.max, box.min)) > 0)) {
        box.min = dlp_sub(box.min, dlp_vec(0.5, 0.5, 0.5));
        box.max = dlp_add(box.max, dlp_vec(0.5, 0.5, 0.5));
    }
    return box;
}

dlp_box dlp_preview_box(const dlp_preview_def *def)
{
    if (def->box != NULL) return *def->box;
    dlp_box particles;
    const bool has_particles = dlp_preview_particle_box(def, -HUGE_VAL, &particles);
    return dlp_preview_box_around(def, has_particles ? &particles : NULL);
}

// m/s.
static double speed(const dlp_preview_def *def, int32_t i)
{
    const float *v = def->velocities + 3 * (size_t)i;
    return dlp_length(dlp_vec((double)v[0], (double)v[1], (double)v[2]));
}

// What the particles' values and speeds are measured against.
typedef struct color_range {
    const dlp_preview_def *def;
    double min, max;         // of the values
    double speed_reference;  // m/s that counts as fast: three times the root mean square
} color_range;

// Values that are NaN do not count: fmin and fmax pass over them.
static color_range find_range(const dlp_preview_def *def)
{
    color_range colors = {.def = def, .min = def->value_min, .max = def->value_max};
    double squares = 0;
    for (int32_t i = 0; def->velocities != NULL && i < def->count; i++) {
        const double v = speed(def, i);
        squares += isfinite(v) ? v * v : 0;
    }
    colors.speed_reference = def->count > 0 ? 3 * sqrt(squares / def->count) : 0;
    if (def->values == NULL || colors.min != colors.max) return colors;
    colors.min = HUGE_VAL;
    colors.max = -HUGE_VAL;
    for (int32_t i = 0; i < def->count; i++) {
        colors.min = fmin(colors.min, (double)def->values[i]);
        colors.max = fmax(colors.max, (double)def->values[i]);
    }
    return colors;
}

// Linear light. The first that applies: given colours, values, glow of hot matter, substance lightened by
// speed.
static dlp_vec3 particle_color(const color_range *colors, int32_t particle)
{
    const dlp_preview_def *def = colors->def;
    if (def->particle_colors != NULL) return def->particle_colors[particle];
    if (def->color_by == DLP_COLOR_BY_VALUE && def->values != NULL) {
        const double range = colors->max - colors->min;
        const double share = range > 0 ? ((double)def->values[particle] - colors->min) / range : 0;
        return dlp_color_linear(dlp_color_viridis(share));
    }
    const int32_t substance = def->substances != NULL ? def->substances[particle] : 0;
    const bool is_given = def->colors != NULL && substance >= 0 && substance < def->color_count;
    const dlp_vec3 base = dlp_color_linear(is_given ? def->colors[substance] : dlp_color_of_index(substance));
    if (def->temperatures != NULL) return dlp_color_glow(base, (double)def->temperatures[particle]);
    if (def->velocities == NULL || !(colors->speed_reference > 1e-6)) return base;
    const double fast = fmin(speed(def, particle) / colors->speed_reference, 1);
    return dlp_color_mix(base, dlp_vec(1, 1, 1), isfinite(fast) ? 0.3 * fast * fast : 0);
}

dlp_status dlp_preview_color(const dlp_preview_def *def, dlp_vec3 **out_colors, dlp_error *error)
{
    const color_range range = find_range(def);
    dlp_vec3 *colors = dlp_alloc((size_t)def->count, sizeof *colors, "pictures");
    *out_colors = colors;
    if (colors == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d colours", def->count);
    for (int32_t i = 0; i < def->count; i++) colors[i] = particle_color(&range, i);
    return DLP_OK;
}

// After a failure the image is empty.
dlp_status dlp_preview_draw(const dlp_preview_def *def, dlp_image *out_image, dlp_error *error)
{
    const int32_t width = def->width > 0 ? def->width : 1280, height = def->height > 0 ? def->height : 800;
    *out_image = (dlp_image){0};
    DLP_TRY(dlp_image_init(out_image, width, height, 3, error));
    const dlp_status status = dlp_preview_draw_plane(def, out_image, error);
    if (status != DLP_OK) dlp_image_release(out_image);
    return status;
}
