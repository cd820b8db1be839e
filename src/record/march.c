// Obstacles by sphere tracing: a ray steps by the signed distance, which never overshoots.  [hart1996]
#include "record/preview_parts.h"
#include "record/splat.h"

enum { TILE = 8, STEP_LIMIT = 256 };

typedef struct marching {
    const dlp_preview_def *def;
    const dlp_camera *camera;
    double farthest;  // m
    int32_t width, height;
    dlp_hit *hits;
} marching;

// Lower bound of the distance to an obstacle from its bounds alone: spares the dear ones (meshes).
static double distance_to_box(const dlp_box *box, dlp_vec3 x)
{
    const dlp_vec3 below = dlp_sub(box->min, x), above = dlp_sub(x, box->max);
    const dlp_vec3 out = dlp_max3(dlp_max3(below, above), dlp_vec(0, 0, 0));
    return dlp_length(out);
}

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

// A ray on its way. It starts in `solid` where the eye is inside an obstacle, as with a container seen from
// outside, and sees nothing until it has come out.
typedef struct ray {
    dlp_vec3 direction;
    double t;  // m from the eye
    bool is_in_solid;
    bool is_done;  // left the picture's depth
} ray;

// Steps on until the distance is below `width` (m at a distance of 1 m): the radius of a cone around the ray.
static void advance(const marching *m, ray *r, double width, int32_t *out_obstacle)
{
    for (int32_t k = 0; k < STEP_LIMIT; k++) {
        const dlp_vec3 x = dlp_along(m->camera->eye, r->direction, r->t);
        const double distance = dlp_preview_distance(m->def, x, out_obstacle);
        const double radius = width * r->t;
        if (r->is_in_solid ? -distance <= radius : distance <= radius) return;
        r->t += fabs(distance);
        if (r->t > m->farthest || !isfinite(r->t)) break;
    }
    r->is_done = r->t > m->farthest || !isfinite(r->t);
}

// Leaves the solid the ray starts in: small steps, since the distance goes to zero at its surface.
static void leave_solid(const marching *m, ray *r)
{
    int32_t obstacle;
    const double pixel = 0.25 / m->camera->scale;
    for (int32_t k = 0; k < STEP_LIMIT && r->is_in_solid && !r->is_done; k++) {
        advance(m, r, pixel, &obstacle);
        r->t += 2 * pixel * r->t;
        const dlp_vec3 x = dlp_along(m->camera->eye, r->direction, r->t);
        r->is_in_solid = dlp_preview_distance(m->def, x, &obstacle) < 0;
    }
}

static dlp_vec3 normal_at(const marching *m, const ray *r, int32_t obstacle)
{
    const dlp_preview_obstacle *o = &m->def->obstacles[obstacle];
    const dlp_vec3 x = dlp_along(m->camera->eye, r->direction, r->t);
    dlp_vec3 normal;
    dlp_shape_probe(o->shape, dlp_to_body(&o->frame, x), &normal);
    return dlp_rotate(&o->frame, normal);
}

static dlp_hit trace_pixel(const marching *m, const ray *start, int32_t x, int32_t y)
{
    const dlp_hit nothing = {.depth = DLP_DEPTH_NONE};
    ray r = *start;
    r.direction = dlp_camera_ray(m->camera, x + 0.5, y + 0.5);
    if (r.is_in_solid) leave_solid(m, &r);
    const double pixel = 0.1 / m->camera->scale;
    for (int32_t k = 0; k < STEP_LIMIT && !r.is_done && !r.is_in_solid; k++) {
        int32_t obstacle = -1;
        advance(m, &r, pixel, &obstacle);
        if (r.is_done || obstacle < 0) break;
        const dlp_vec3 n = normal_at(m, &r, obstacle);
        const double depth = r.t * dlp_dot(r.direction, m->camera->forward);
        if (dlp_dot(n, r.direction) <= 0)
            return (dlp_hit){(float)depth, {(float)n.x, (float)n.y, (float)n.z}};
        r.t += 10 * pixel * r.t;  // it leaves a wall it came out of: no hit
    }
    return nothing;
}

// The first step of all pixels of a tile together, within a cone around its middle.
static void trace_tile(const marching *m, int32_t x0, int32_t y0)
{
    int32_t obstacle = -1;
    ray start = {0};
    start.is_in_solid = dlp_preview_distance(m->def, m->camera->eye, &obstacle) < 0;
    start.direction = dlp_camera_ray(m->camera, x0 + TILE / 2.0, y0 + TILE / 2.0);
    const double cone = TILE * 0.75 / m->camera->scale;
    if (obstacle >= 0) advance(m, &start, cone, &obstacle);
    for (int32_t y = y0; y < y0 + TILE && y < m->height; y++) {
        for (int32_t x = x0; x < x0 + TILE && x < m->width; x++) {
            dlp_hit *hit = &m->hits[(size_t)y * (size_t)m->width + (size_t)x];
            if (start.is_done || obstacle < 0)
                *hit = (dlp_hit){.depth = DLP_DEPTH_NONE};
            else
                *hit = trace_pixel(m, &start, x, y);
        }
    }
}

static void trace_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const marching *m = context;
    for (int32_t row = begin; row < end; row++) {
        for (int32_t x = 0; x < m->width; x += TILE) trace_tile(m, x, row * TILE);
    }
}

void dlp_preview_march(const dlp_preview_def *def, const dlp_camera *camera, double farthest, int32_t width,
                       int32_t height, dlp_hit *out_hits)
{
    marching m = {def, camera, farthest, width, height, out_hits};
    dlp_parallel_for(def->team, (height + TILE - 1) / TILE, 1, trace_rows, &m);
}
