#include "record/render/stage.h"
#include "record/render/optics.h"
#include "record/render/stage_wall.h"
#include "base/memory.h"

#include <inttypes.h>

// Where nothing else is said: shares of half the box's diagonal.
static const double glass_depth = 0.45, wax_depth = 0.035;

static dlp_vec3 to_stage(const dlp_stage *stage, dlp_vec3 x)
{
    return dlp_mul(dlp_sub(x, stage->middle), 1 / stage->size);
}

static void write_floats(float *out, dlp_vec3 x)
{
    out[0] = (float)x.x;
    out[1] = (float)x.y;
    out[2] = (float)x.z;
}

static dlp_vec3 read_floats(const float *values, size_t k)
{
    return dlp_vec((double)values[3 * k], (double)values[3 * k + 1], (double)values[3 * k + 2]);
}

// Surfaces.

static dlp_status check_surface(const dlp_render_surface *surface, int32_t number, dlp_error *error)
{
    const dlp_mesh *mesh = &surface->mesh->mesh;
    for (int32_t k = 0; k < mesh->vertex_count; k++) {
        if (!dlp_is_finite3(mesh->vertices[k]))
            return dlp_fail(error, DLP_INVALID,
                            "picture: surface %" PRId32 ": vertex %" PRId32 " is not finite", number, k);
        if (!dlp_is_finite3(read_floats(surface->mesh->normals, (size_t)k)))
            return dlp_fail(error, DLP_INVALID,
                            "picture: surface %" PRId32 ": the normal of vertex %" PRId32 " is not finite",
                            number, k);
    }
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        for (int32_t k = 0; k < 3; k++)
            if (mesh->triangles[t][k] < 0 || mesh->triangles[t][k] >= mesh->vertex_count)
                return dlp_fail(error, DLP_INVALID,
                                "picture: surface %" PRId32 ": triangle %" PRId32 " has corner %" PRId32
                                "; there are %" PRId32 " vertices",
                                number, t, mesh->triangles[t][k], mesh->vertex_count);
    return DLP_OK;
}

static double typical_edge(const dlp_mesh *mesh)
{
    double sum = 0;
    const int32_t step = mesh->triangle_count / 1000 + 1;
    int32_t count = 0;
    for (int32_t t = 0; t < mesh->triangle_count; t += step, count++)
        sum +=
            dlp_length(dlp_sub(mesh->vertices[mesh->triangles[t][1]], mesh->vertices[mesh->triangles[t][0]]));
    return count > 0 ? sum / count : 0;
}

static dlp_vec3 mean_color(const float *colors, int32_t count, dlp_vec3 otherwise)
{
    dlp_vec3 sum = {0};
    if (colors == NULL || count == 0) return otherwise;
    for (int32_t k = 0; k < count; k++) sum = dlp_add(sum, read_floats(colors, (size_t)k));
    return dlp_mul(sum, 1.0 / count);
}

// Volume over area: half the thickness of a sheet, half the radius of a jet.
static double typical_thickness(const dlp_mesh *mesh)
{
    double volume = 0, area = 0;
    const dlp_vec3 middle = mesh->vertex_count > 0 ? mesh->vertices[0] : dlp_vec(0, 0, 0);
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *corners = mesh->triangles[t];
        const dlp_vec3 a = dlp_sub(mesh->vertices[corners[0]], middle);
        const dlp_vec3 b = dlp_sub(mesh->vertices[corners[1]], middle);
        const dlp_vec3 c = dlp_sub(mesh->vertices[corners[2]], middle);
        volume += dlp_dot(a, dlp_cross(b, c)) / 6;
        area += dlp_length(dlp_cross(dlp_sub(b, a), dlp_sub(c, a))) / 2;
    }
    return area > 0 ? fabs(volume) / area : 0;
}

// Thin jets must show their colour, too, though it takes light longer to get it in a lake.
static double default_depth(const dlp_stage *stage, const dlp_render_surface *surface)
{
    if (surface->look != DLP_LOOK_GLASS) return wax_depth;
    const double thickness = typical_thickness(&surface->mesh->mesh) / stage->size;
    return fmin(fmax(14 * thickness, 0.05), glass_depth);
}

static dlp_ray_layer layer_of(dlp_look look)
{
    return look == DLP_LOOK_GLASS ? DLP_RAY_CLEAR : DLP_RAY_SOLID;
}

static dlp_status add_surface(dlp_stage *stage, int32_t number, dlp_error *error)
{
    const dlp_render_surface *surface = &stage->def->surfaces[number];
    const dlp_mesh *mesh = &surface->mesh->mesh;
    DLP_TRY(check_surface(surface, number, error));
    const int32_t index = stage->body_count++;
    const bool is_glass = surface->look == DLP_LOOK_GLASS;
    const double refraction = is_glass ? 1.333 : 1.5;
    stage->bodies[index] =
        (dlp_body){.stage = stage,
                   .surface = surface,
                   .look = surface->look,
                   .tint = mean_color(surface->colors, mesh->vertex_count, surface->color),
                   .refraction = surface->refraction > 0 ? surface->refraction : refraction,
                   .depth = surface->depth > 0 ? surface->depth / stage->size : default_depth(stage, surface),
                   .cell = fmin(typical_edge(mesh) / stage->size, 0.02)};
    if (mesh->triangle_count == 0) return DLP_OK;
    const dlp_ray_body body = {.layer = layer_of(surface->look), .body = index};
    float *vertices;
    uint32_t *indices;
    DLP_TRY(dlp_tracer_add_triangles(stage->tracer, &body, mesh->vertex_count, mesh->triangle_count,
                                     &vertices, &indices, error));
    for (int32_t k = 0; k < mesh->vertex_count; k++)
        write_floats(vertices + 3 * (size_t)k, to_stage(stage, mesh->vertices[k]));
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        for (int32_t k = 0; k < 3; k++) indices[3 * (size_t)t + (size_t)k] = (uint32_t)mesh->triangles[t][k];
    return DLP_OK;
}

// Spheres. Those that are nowhere or have no size are left out: Embree passes over negative radii.

static dlp_status add_spheres(dlp_stage *stage, dlp_error *error)
{
    const dlp_render_spheres *spheres = &stage->def->spheres;
    if (spheres->count == 0) return DLP_OK;
    const int32_t index = stage->body_count++;
    const bool is_glass = spheres->look == DLP_LOOK_GLASS;
    stage->bodies[index] = (dlp_body){.stage = stage,
                                      .spheres = spheres,
                                      .look = spheres->look,
                                      .tint = mean_color(spheres->colors, spheres->count, dlp_vec(1, 1, 1)),
                                      .refraction = is_glass ? 1.333 : 1.5,
                                      .depth = is_glass ? glass_depth : wax_depth};
    const dlp_ray_body body = {.layer = layer_of(spheres->look), .body = index};
    float *out;
    DLP_TRY(dlp_tracer_add_spheres(stage->tracer, &body, spheres->count, &out, error));
    for (int32_t k = 0; k < spheres->count; k++) {
        const double *p = spheres->positions + 3 * (size_t)k;
        const dlp_vec3 x = to_stage(stage, dlp_vec(p[0], p[1], p[2]));
        const double radius = (double)spheres->radii[k] / stage->size;
        const bool is_good = dlp_length(x) < 1e6 && radius > 0 && radius < 1e6;
        write_floats(out + 4 * (size_t)k, is_good ? x : dlp_vec(0, 0, 0));
        out[4 * (size_t)k + 3] = is_good ? (float)radius : -1;
    }
    return DLP_OK;
}

// Obstacles.

static dlp_box shown_to(const dlp_stage *stage, const dlp_frame *frame)
{
    const dlp_box *box = &stage->def->box;
    dlp_box shown = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (int32_t k = 0; k < 8; k++) {
        const dlp_vec3 corner = dlp_vec(k & 1 ? box->max.x : box->min.x, k & 2 ? box->max.y : box->min.y,
                                        k & 4 ? box->max.z : box->min.z);
        const dlp_vec3 x = dlp_to_body(frame, corner);
        shown.min = dlp_min3(shown.min, x);
        shown.max = dlp_max3(shown.max, x);
    }
    return shown;
}

static dlp_status add_obstacle(dlp_stage *stage, int32_t number, dlp_error *error)
{
    const dlp_render_obstacle *obstacle = &stage->def->obstacles[number];
    const int32_t index = stage->body_count++;
    dlp_body *body = &stage->bodies[index];
    *body = (dlp_body){.stage = stage, .obstacle = obstacle, .look = DLP_LOOK_MATTE, .refraction = 1};
    const dlp_box shown = shown_to(stage, &obstacle->frame);
    DLP_TRY(dlp_shape_surface_create(obstacle->shape, &shown, &body->shape, error));
    if (body->shape.is_endless) DLP_TRY(dlp_stage_open_container(stage, body, error));
    const int32_t count = body->shape.triangle_count;
    if (count == 0) return DLP_OK;
    const dlp_ray_body ray_body = {.layer = body->shape.is_endless ? DLP_RAY_WALL : DLP_RAY_SOLID,
                                   .body = index};
    float *vertices;
    uint32_t *indices;
    DLP_TRY(dlp_tracer_add_triangles(stage->tracer, &ray_body, 3 * count, count, &vertices, &indices, error));
    for (int32_t k = 0; k < 3 * count; k++) {
        const dlp_vec3 world = dlp_to_world(&obstacle->frame, body->shape.points[k]);
        write_floats(vertices + 3 * (size_t)k, to_stage(stage, world));
        indices[k] = (uint32_t)k;
    }
    return DLP_OK;
}

// The stage.

static void set_unit(dlp_stage *stage)
{
    const dlp_box *box = &stage->def->box;
    const double size = dlp_length(dlp_sub(box->max, box->min)) / 2;
    stage->middle = dlp_mul(dlp_add(box->min, box->max), 0.5);
    stage->size = size > 0 && isfinite(size) ? size : 1;
    if (!dlp_is_finite3(stage->middle)) stage->middle = dlp_vec(0, 0, 0);
    stage->eye = to_stage(stage, stage->def->camera.eye);
    // A hair below, so that the floor of a container is seen and not the ground.
    const double height = stage->def->ground - dlp_dot(stage->middle, stage->sky.up);
    stage->ground = stage->def->has_ground ? height / stage->size - 1e-4 : -HUGE_VAL;
}

static dlp_status build(dlp_stage *stage, dlp_error *error)
{
    const dlp_render_def *def = stage->def;
    const int32_t count = def->surface_count + def->obstacle_count + 1;
    stage->bodies = dlp_alloc((size_t)count, sizeof *stage->bodies, "pictures");
    if (stage->bodies == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %" PRId32 " bodies", count);
    DLP_TRY(dlp_tracer_create(&stage->tracer, error));
    for (int32_t k = 0; k < def->surface_count; k++) DLP_TRY(add_surface(stage, k, error));
    DLP_TRY(add_spheres(stage, error));
    for (int32_t k = 0; k < def->obstacle_count; k++) DLP_TRY(add_obstacle(stage, k, error));
    return dlp_tracer_commit(stage->tracer, error);
}

dlp_status dlp_stage_create(const dlp_render_def *def, const dlp_sky *sky, dlp_stage **out_stage,
                            dlp_error *error)
{
    *out_stage = NULL;
    dlp_stage *stage = dlp_alloc(1, sizeof *stage, "pictures");
    if (stage == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room");
    stage->def = def;
    stage->sky = sky != NULL ? *sky : dlp_sky_of(def);
    set_unit(stage);
    const dlp_status status = build(stage, error);
    if (status != DLP_OK) {
        dlp_stage_destroy(stage);
        return status;
    }
    *out_stage = stage;
    return DLP_OK;
}

void dlp_stage_destroy(dlp_stage *stage)
{
    if (stage == NULL) return;
    dlp_tracer_destroy(stage->tracer);
    for (int32_t k = 0; k < stage->body_count; k++) dlp_shape_surface_release(&stage->bodies[k].shape);
    dlp_free(stage->bodies);
    dlp_free(stage);
}

// What a ray sees.

// Three corners of a triangle and a hit's share in each.
typedef struct patch {
    dlp_vec3 points[3], normals[3];
    double shares[3];
} patch;

// The smooth normal, and the place on the rounded surface: a shadow ray that starts there does not meet the
// flat neighbours, so that the border of the shade is no staircase.  [hanika2021]
static void round_off(const patch *p, dlp_spot *spot)
{
    dlp_vec3 normal = {0}, lift = {0};
    for (int32_t k = 0; k < 3; k++) {
        const double below = fmin(dlp_dot(dlp_sub(spot->x, p->points[k]), p->normals[k]), 0);
        const dlp_vec3 on_plane = dlp_along(spot->x, p->normals[k], -below);
        normal = dlp_along(normal, p->normals[k], p->shares[k]);
        lift = dlp_along(lift, on_plane, p->shares[k]);
    }
    spot->normal = dlp_normalize(normal, spot->flat);
    spot->lift = lift;
}

static void see_surface(const dlp_body *body, const dlp_ray_hit *hit, patch *p, dlp_spot *spot)
{
    const dlp_render_surface *surface = body->surface;
    const int32_t *corners = surface->mesh->mesh.triangles[hit->part];
    spot->color = surface->colors != NULL ? dlp_vec(0, 0, 0) : surface->color;
    for (int32_t k = 0; k < 3; k++) {
        const size_t vertex = (size_t)corners[k];
        p->points[k] = to_stage(body->stage, surface->mesh->mesh.vertices[vertex]);
        p->normals[k] = read_floats(surface->mesh->normals, vertex);
        if (surface->colors != NULL)
            spot->color = dlp_along(spot->color, read_floats(surface->colors, vertex), p->shares[k]);
        if (surface->glow != NULL)
            spot->glow = dlp_along(spot->glow, read_floats(surface->glow, vertex), p->shares[k]);
    }
    round_off(p, spot);
}

static void see_sphere(const dlp_body *body, const dlp_ray_hit *hit, dlp_spot *spot)
{
    spot->color = read_floats(body->spheres->colors, (size_t)hit->part);
    if (body->spheres->glow != NULL) spot->glow = read_floats(body->spheres->glow, (size_t)hit->part);
}

static void see_obstacle(const dlp_body *body, const dlp_ray_hit *hit, patch *p, dlp_spot *spot)
{
    spot->color = body->obstacle->color;
    const dlp_frame *frame = &body->obstacle->frame;
    for (int32_t k = 0; k < 3; k++) {
        const size_t corner = 3 * (size_t)hit->part + (size_t)k;
        p->points[k] = to_stage(body->stage, dlp_to_world(frame, body->shape.points[corner]));
        p->normals[k] = dlp_rotate(frame, body->shape.normals[corner]);
    }
    round_off(p, spot);
}

static void see(const dlp_stage *stage, const dlp_ray *ray, const dlp_ray_hit *hit, dlp_spot *spot)
{
    const dlp_body *body = &stage->bodies[hit->body];
    const dlp_vec3 x = dlp_along(ray->from, ray->way, hit->distance);
    patch p = {.shares = {1 - hit->u - hit->v, hit->u, hit->v}};
    *spot = (dlp_spot){.body = hit->body,
                       .distance = hit->distance,
                       .x = x,
                       .lift = x,
                       .flat = hit->flat,
                       .normal = hit->flat,
                       .look = body->look};
    if (body->surface != NULL)
        see_surface(body, hit, &p, spot);
    else if (body->spheres != NULL)
        see_sphere(body, hit, spot);
    else
        see_obstacle(body, hit, &p, spot);
}

static bool see_ground(const dlp_stage *stage, const dlp_ray *ray, double nearest, dlp_spot *spot)
{
    const dlp_vec3 up = stage->sky.up;
    const double down = -dlp_dot(ray->way, up);
    const double distance = (dlp_dot(ray->from, up) - stage->ground) / down;
    if (!(down > 1e-6 && distance > ray->near && distance < fmin(nearest, ray->far))) return false;
    const dlp_vec3 x = dlp_along(ray->from, ray->way, distance);
    *spot = (dlp_spot){.body = DLP_BODY_GROUND,
                       .distance = distance,
                       .x = x,
                       .lift = x,
                       .flat = up,
                       .normal = up,
                       .color = stage->sky.ground,
                       .look = DLP_LOOK_MATTE};
    return true;
}

// A clear surface that lies on an opaque one, as water on the wall it touches, is not met: the wall is.
static bool find_clear(const dlp_stage *stage, const dlp_ray *ray, dlp_ray_hit *hit)
{
    const double tie = 4 * dlp_stage_gap(dlp_along(ray->from, ray->way, fmin(hit->distance, 10)));
    dlp_ray_hit clear = {.distance = hit->distance - tie};
    if (!dlp_tracer_find(stage->tracer, DLP_RAYS_CLEAR, ray, &clear)) return false;
    *hit = clear;
    return true;
}

bool dlp_stage_find(const dlp_stage *stage, dlp_stage_part part, const dlp_ray *ray, dlp_spot *out_spot)
{
    dlp_ray_hit hit = {.distance = HUGE_VAL};
    bool is_met = false, is_ground = false;
    if (part != DLP_STAGE_CLEAR) {
        is_met = dlp_tracer_find(stage->tracer, DLP_RAYS_OPAQUE, ray, &hit);
        is_ground = see_ground(stage, ray, hit.distance, out_spot);
        if (is_ground) hit.distance = out_spot->distance;
    }
    if (part != DLP_STAGE_OPAQUE && dlp_tracer_has(stage->tracer, DLP_RAYS_CLEAR) &&
        find_clear(stage, ray, &hit)) {
        is_met = true;
        is_ground = false;
    }
    if (is_met && !is_ground) see(stage, ray, &hit, out_spot);
    return is_met || is_ground;
}

bool dlp_stage_is_shaded(const dlp_stage *stage, const dlp_ray *ray)
{
    return dlp_tracer_meets(stage->tracer, DLP_RAYS_SHADE, ray);
}
