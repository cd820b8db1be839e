// Turns a definition into bodies that rays can meet, and a ray's hit into a point with normal, colour and
// look. Lengths are scaled to half the box's diagonal, so that Embree's single precision suffices.
#include "record/render/render_scene.h"
#include "record/render/optics.h"
#include "record/render/render_container.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>

// Depths where the definition gives none, in units of half the box's diagonal.
static const double glass_depth = 0.45, wax_depth = 0.035;

// m to the scene's unit.
static dlp_vec3 to_scene(const dlp_render_scene *scene, dlp_vec3 x)
{
    return dlp_mul(dlp_sub(x, scene->middle), 1 / scene->size);
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

// Embree does not check indices and numbers, and meshes may come from files.
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

// m: the mean over about a thousand triangles.
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

// `otherwise` where there are no colours.
static dlp_vec3 mean_color(const float *colors, int32_t count, dlp_vec3 otherwise)
{
    dlp_vec3 sum = {0};
    if (colors == NULL || count == 0) return otherwise;
    for (int32_t k = 0; k < count; k++) sum = dlp_add(sum, read_floats(colors, (size_t)k));
    return dlp_mul(sum, 1.0 / count);
}

// m: volume over area: half the thickness of a sheet, half the radius of a jet.
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

// Thin jets must show their colour, too, though in a lake light needs a longer path to get it.
static double default_depth(const dlp_render_scene *scene, const dlp_render_surface *surface)
{
    if (surface->look != DLP_LOOK_GLASS) return wax_depth;
    const double thickness = typical_thickness(&surface->mesh->mesh) / scene->size;
    return fmin(fmax(14 * thickness, 0.05), glass_depth);
}

// Glass lets light through; everything else stops it.
static dlp_ray_layer layer_of(dlp_look look)
{
    return look == DLP_LOOK_GLASS ? DLP_RAY_CLEAR : DLP_RAY_SOLID;
}

// A body per surface, also for an empty one, so that body k is surface k.
static dlp_status add_surface(dlp_render_scene *scene, int32_t number, dlp_error *error)
{
    const dlp_render_surface *surface = &scene->def->surfaces[number];
    const dlp_mesh *mesh = &surface->mesh->mesh;
    DLP_TRY(check_surface(surface, number, error));
    const int32_t index = scene->body_count++;
    const bool is_glass = surface->look == DLP_LOOK_GLASS;
    const double refraction = is_glass ? 1.333 : 1.5;
    scene->bodies[index] = (dlp_render_body){
        .scene = scene,
        .surface = surface,
        .look = surface->look,
        .tint = mean_color(surface->colors, mesh->vertex_count, surface->color),
        .refraction = surface->refraction > 0 ? surface->refraction : refraction,
        .depth = surface->depth > 0 ? surface->depth / scene->size : default_depth(scene, surface),
        .cell = fmin(typical_edge(mesh) / scene->size, 0.02)};
    if (mesh->triangle_count == 0) return DLP_OK;
    const dlp_ray_body body = {.layer = layer_of(surface->look), .body = index};
    float *vertices;
    uint32_t *indices;
    DLP_TRY(dlp_tracer_add_triangles(scene->tracer, &body, mesh->vertex_count, mesh->triangle_count,
                                     &vertices, &indices, error));
    for (int32_t k = 0; k < mesh->vertex_count; k++)
        write_floats(vertices + 3 * (size_t)k, to_scene(scene, mesh->vertices[k]));
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        for (int32_t k = 0; k < 3; k++) indices[3 * (size_t)t + (size_t)k] = (uint32_t)mesh->triangles[t][k];
    return DLP_OK;
}

// Spheres. Those that are not finite or have no size get a negative radius, which Embree passes over, so that
// sphere k stays entry k of the definition.

static dlp_status add_spheres(dlp_render_scene *scene, dlp_error *error)
{
    const dlp_render_spheres *spheres = &scene->def->spheres;
    if (spheres->count == 0) return DLP_OK;
    const int32_t index = scene->body_count++;
    const bool is_glass = spheres->look == DLP_LOOK_GLASS;
    scene->bodies[index] =
        (dlp_render_body){.scene = scene,
                          .spheres = spheres,
                          .look = spheres->look,
                          .tint = mean_color(spheres->colors, spheres->count, dlp_vec(1, 1, 1)),
                          .refraction = is_glass ? 1.333 : 1.5,
                          .depth = is_glass ? glass_depth : wax_depth};
    const dlp_ray_body body = {.layer = layer_of(spheres->look), .body = index};
    float *out;
    DLP_TRY(dlp_tracer_add_spheres(scene->tracer, &body, spheres->count, &out, error));
    for (int32_t k = 0; k < spheres->count; k++) {
        const double *p = spheres->positions + 3 * (size_t)k;
        const dlp_vec3 x = to_scene(scene, dlp_vec(p[0], p[1], p[2]));
        const double radius = (double)spheres->radii[k] / scene->size;
        const bool is_good = dlp_length(x) < 1e6 && radius > 0 && radius < 1e6;
        write_floats(out + 4 * (size_t)k, is_good ? x : dlp_vec(0, 0, 0));
        out[4 * (size_t)k + 3] = is_good ? (float)radius : -1;
    }
    return DLP_OK;
}

// Obstacles.

// The picture's box in the coordinates of a body: bounds of its eight corners.
static dlp_box shown_to(const dlp_render_scene *scene, const dlp_transform *frame)
{
    const dlp_box *box = &scene->def->box;
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

// Infinite obstacles are containers and floors: cut open, and transparent to the sun.
static dlp_status add_obstacle(dlp_render_scene *scene, int32_t number, dlp_error *error)
{
    const dlp_render_obstacle *obstacle = &scene->def->obstacles[number];
    const int32_t index = scene->body_count++;
    dlp_render_body *body = &scene->bodies[index];
    *body = (dlp_render_body){.scene = scene, .obstacle = obstacle, .look = DLP_LOOK_MATTE, .refraction = 1};
    const dlp_box shown = shown_to(scene, &obstacle->frame);
    DLP_TRY(dlp_shape_surface_create(obstacle->shape, &shown, &body->shape, error));
    if (body->shape.is_endless) DLP_TRY(dlp_render_scene_open_container(scene, body, error));
    const int32_t count = body->shape.triangle_count;
    if (count == 0) return DLP_OK;
    const dlp_ray_body ray_body = {.layer = body->shape.is_endless ? DLP_RAY_WALL : DLP_RAY_SOLID,
                                   .body = index};
    float *vertices;
    uint32_t *indices;
    DLP_TRY(dlp_tracer_add_triangles(scene->tracer, &ray_body, 3 * count, count, &vertices, &indices, error));
    for (int32_t k = 0; k < 3 * count; k++) {
        const dlp_vec3 world = dlp_to_world(&obstacle->frame, body->shape.points[k]);
        write_floats(vertices + 3 * (size_t)k, to_scene(scene, world));
        indices[k] = (uint32_t)k;
    }
    return DLP_OK;
}

// The scene.

// The unit, the eye and the ground in it.
static void set_unit(dlp_render_scene *scene)
{
    const dlp_box *box = &scene->def->box;
    const double size = dlp_length(dlp_sub(box->max, box->min)) / 2;
    scene->middle = dlp_mul(dlp_add(box->min, box->max), 0.5);
    scene->size = size > 0 && isfinite(size) ? size : 1;
    if (!dlp_is_finite3(scene->middle)) scene->middle = dlp_vec(0, 0, 0);
    scene->eye = to_scene(scene, scene->def->camera.eye);
    // Slightly below, so that the floor of a container is seen and not the ground.
    const double height = scene->def->ground - dlp_dot(scene->middle, scene->sky.up);
    scene->ground = scene->def->has_ground ? height / scene->size - 1e-4 : -HUGE_VAL;
}

// Bodies in the order surfaces, spheres, obstacles; the list has room for all.
static dlp_status build(dlp_render_scene *scene, dlp_error *error)
{
    const dlp_render_def *def = scene->def;
    const int32_t count = def->surface_count + def->obstacle_count + 1;
    scene->bodies = dlp_alloc((size_t)count, sizeof *scene->bodies, "pictures");
    if (scene->bodies == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %" PRId32 " bodies", count);
    DLP_TRY(dlp_tracer_create(&scene->tracer, error));
    for (int32_t k = 0; k < def->surface_count; k++) DLP_TRY(add_surface(scene, k, error));
    DLP_TRY(add_spheres(scene, error));
    for (int32_t k = 0; k < def->obstacle_count; k++) DLP_TRY(add_obstacle(scene, k, error));
    return dlp_tracer_commit(scene->tracer, error);
}

dlp_status dlp_render_scene_create(const dlp_render_def *def, const dlp_sky *sky,
                                   dlp_render_scene **out_scene, dlp_error *error)
{
    *out_scene = NULL;
    dlp_render_scene *scene = dlp_alloc(1, sizeof *scene, "pictures");
    if (scene == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room");
    scene->def = def;
    scene->sky = sky != NULL ? *sky : dlp_sky_of(def);
    set_unit(scene);
    const dlp_status status = build(scene, error);
    if (status != DLP_OK) {
        dlp_render_scene_destroy(scene);
        return status;
    }
    *out_scene = scene;
    return DLP_OK;
}

// Also one that is half built.
void dlp_render_scene_destroy(dlp_render_scene *scene)
{
    if (scene == NULL) return;
    dlp_tracer_destroy(scene->tracer);
    for (int32_t k = 0; k < scene->body_count; k++) dlp_shape_surface_release(&scene->bodies[k].shape);
    dlp_free(scene->bodies);
    dlp_free(scene);
}

// What a ray meets.

// The corners of a triangle, and the hit's barycentric coordinates.
typedef struct patch {
    dlp_vec3 points[3], normals[3];
    double shares[3];
} patch;

// The smooth normal, and the place on the rounded surface: a shadow ray that starts there does not meet the
// flat neighbours, so that the border of the shade is no staircase.  [hanika2021]
static void smooth_normal(const patch *p, dlp_surface_point *point)
{
    dlp_vec3 normal = {0}, shadow_origin = {0};
    for (int32_t k = 0; k < 3; k++) {
        const double below = fmin(dlp_dot(dlp_sub(point->x, p->points[k]), p->normals[k]), 0);
        const dlp_vec3 on_plane = dlp_along(point->x, p->normals[k], -below);
        normal = dlp_along(normal, p->normals[k], p->shares[k]);
        shadow_origin = dlp_along(shadow_origin, on_plane, p->shares[k]);
    }
    point->normal = dlp_normalize(normal, point->flat);
    point->shadow_origin = shadow_origin;
}

// Colour and glow are interpolated from the corners.
static void fill_surface_point(const dlp_render_body *body, const dlp_ray_hit *hit, patch *p,
                               dlp_surface_point *point)
{
    const dlp_render_surface *surface = body->surface;
    const int32_t *corners = surface->mesh->mesh.triangles[hit->part];
    point->color = surface->colors != NULL ? dlp_vec(0, 0, 0) : surface->color;
    for (int32_t k = 0; k < 3; k++) {
        const size_t vertex = (size_t)corners[k];
        p->points[k] = to_scene(body->scene, surface->mesh->mesh.vertices[vertex]);
        p->normals[k] = read_floats(surface->mesh->normals, vertex);
        if (surface->colors != NULL)
            point->color = dlp_along(point->color, read_floats(surface->colors, vertex), p->shares[k]);
        if (surface->glow != NULL)
            point->glow = dlp_along(point->glow, read_floats(surface->glow, vertex), p->shares[k]);
    }
    smooth_normal(p, point);
}

// A sphere's normal is that of the hit.
static void fill_sphere_point(const dlp_render_body *body, const dlp_ray_hit *hit, dlp_surface_point *point)
{
    point->color = read_floats(body->spheres->colors, (size_t)hit->part);
    if (body->spheres->glow != NULL) point->glow = read_floats(body->spheres->glow, (size_t)hit->part);
}

static void fill_obstacle_point(const dlp_render_body *body, const dlp_ray_hit *hit, patch *p,
                                dlp_surface_point *point)
{
    point->color = body->obstacle->color;
    const dlp_transform *frame = &body->obstacle->frame;
    for (int32_t k = 0; k < 3; k++) {
        const size_t corner = 3 * (size_t)hit->part + (size_t)k;
        p->points[k] = to_scene(body->scene, dlp_to_world(frame, body->shape.points[corner]));
        p->normals[k] = dlp_rotate(frame, body->shape.normals[corner]);
    }
    smooth_normal(p, point);
}

// Everything about a hit that the tracer itself does not know.
static void fill_point(const dlp_render_scene *scene, const dlp_ray *ray, const dlp_ray_hit *hit,
                       dlp_surface_point *point)
{
    assert(hit->body >= 0 && hit->body < scene->body_count);
    const dlp_render_body *body = &scene->bodies[hit->body];
    const dlp_vec3 x = dlp_along(ray->from, ray->direction, hit->distance);
    patch p = {.shares = {1 - hit->u - hit->v, hit->u, hit->v}};
    *point = (dlp_surface_point){.body = hit->body,
                                 .distance = hit->distance,
                                 .x = x,
                                 .shadow_origin = x,
                                 .flat = hit->flat,
                                 .normal = hit->flat,
                                 .look = body->look};
    if (body->surface != NULL)
        fill_surface_point(body, hit, &p, point);
    else if (body->spheres != NULL)
        fill_sphere_point(body, hit, point);
    else
        fill_obstacle_point(body, hit, &p, point);
}

// The ground is a plane, met from above alone, nearer than what was met before.
static bool hit_ground(const dlp_render_scene *scene, const dlp_ray *ray, double nearest,
                       dlp_surface_point *point)
{
    const dlp_vec3 up = scene->sky.up;
    const double down = -dlp_dot(ray->direction, up);
    const double distance = (dlp_dot(ray->from, up) - scene->ground) / down;
    if (!(down > 1e-6 && distance > ray->near && distance < fmin(nearest, ray->far))) return false;
    const dlp_vec3 x = dlp_along(ray->from, ray->direction, distance);
    *point = (dlp_surface_point){.body = DLP_BODY_GROUND,
                                 .distance = distance,
                                 .x = x,
                                 .shadow_origin = x,
                                 .flat = up,
                                 .normal = up,
                                 .color = scene->sky.ground,
                                 .look = DLP_LOOK_MATTE};
    return true;
}

// A clear surface that lies on an opaque one, as water on the wall it touches, is not met: the wall is.
static bool find_clear(const dlp_render_scene *scene, const dlp_ray *ray, dlp_ray_hit *hit)
{
    const double tie = 4 * dlp_ray_offset(dlp_along(ray->from, ray->direction, fmin(hit->distance, 10)));
    dlp_ray_hit clear = {.distance = hit->distance - tie};
    if (!dlp_tracer_find(scene->tracer, DLP_RAYS_CLEAR, ray, &clear)) return false;
    *hit = clear;
    return true;
}

// Opaque bodies and the ground first: a clear body counts only in front of them.
bool dlp_render_scene_find(const dlp_render_scene *scene, dlp_render_part part, const dlp_ray *ray,
                           dlp_surface_point *out_point)
{
    dlp_ray_hit hit = {.distance = HUGE_VAL};
    bool is_hit = false, is_ground = false;
    if (part != DLP_RENDER_CLEAR) {
        is_hit = dlp_tracer_find(scene->tracer, DLP_RAYS_OPAQUE, ray, &hit);
        is_ground = hit_ground(scene, ray, hit.distance, out_point);
        if (is_ground) hit.distance = out_point->distance;
    }
    if (part != DLP_RENDER_OPAQUE && dlp_tracer_has(scene->tracer, DLP_RAYS_CLEAR) &&
        find_clear(scene, ray, &hit)) {
        is_hit = true;
        is_ground = false;
    }
    if (is_hit && !is_ground) fill_point(scene, ray, &hit, out_point);
    return is_hit || is_ground;
}

bool dlp_render_scene_is_shaded(const dlp_render_scene *scene, const dlp_ray *ray)
{
    return dlp_tracer_is_occluded(scene->tracer, DLP_RAYS_SHADE, ray);
}
