// Cuts containers open for a picture: walls between the eye and what is inside go, and so does what is above
// it.
#include "record/render/render_container.h"
#include "space/shape_cut.h"

#include <assert.h>

// m along `up`: the top of a box.
static double highest(const dlp_box *box, dlp_vec3 up)
{
    const dlp_vec3 top = dlp_vec(up.x > 0 ? box->max.x : box->min.x, up.y > 0 ? box->max.y : box->min.y,
                                 up.z > 0 ? box->max.z : box->min.z);
    return dlp_dot(top, up);
}

// A polygon in the body's coordinates; a triangle cut by a plane has at most four corners.
typedef struct polygon {
    dlp_vec3 points[4], normals[4];
    int32_t count;
} polygon;

static void add_corner(polygon *p, dlp_vec3 x, dlp_vec3 normal)
{
    assert(p->count < 4);
    p->points[p->count] = x;
    p->normals[p->count++] = normal;
}

// What of the triangle lies below a plane: `heights` are those of its corners over it. Clipping edge by edge
// keeps the order of the corners.
static polygon cut_below(const dlp_vec3 points[3], const dlp_vec3 normals[3], const double heights[3])
{
    polygon p = {0};
    for (int32_t k = 0; k < 3; k++) {
        const int32_t next = (k + 1) % 3;
        if (heights[k] <= 0) add_corner(&p, points[k], normals[k]);
        if ((heights[k] <= 0) == (heights[next] <= 0)) continue;
        const double share = heights[k] / (heights[k] - heights[next]);
        add_corner(&p, dlp_along(points[k], dlp_sub(points[next], points[k]), share), normals[k]);
    }
    return p;
}

// Whether a triangle shows its front to the eye.
static bool faces(const dlp_vec3 points[3], dlp_vec3 eye)
{
    const dlp_vec3 flat = dlp_cross(dlp_sub(points[1], points[0]), dlp_sub(points[2], points[0]));
    return dlp_dot(flat, dlp_sub(eye, points[0])) > 0;
}

static dlp_status add_polygon(dlp_shape_surface *out, const polygon *p, dlp_error *error)
{
    for (int32_t k = 2; k < p->count; k++) {
        const dlp_vec3 points[3] = {p->points[0], p->points[k - 1], p->points[k]};
        const dlp_vec3 normals[3] = {p->normals[0], p->normals[k - 1], p->normals[k]};
        DLP_TRY(dlp_shape_surface_add(out, points, normals, error));
    }
    return DLP_OK;
}

// Triangles that face the eye, cut at the top of what the picture shows.
static dlp_status add_open(const dlp_render_scene *scene, const dlp_render_body *body, dlp_shape_surface *out,
                           dlp_error *error)
{
    const dlp_vec3 up = scene->sky.up;
    const double top = highest(&scene->def->box, up);
    const dlp_vec3 eye = dlp_to_body(&body->obstacle->frame, scene->def->camera.eye);
    for (int32_t t = 0; t < body->shape.triangle_count; t++) {
        const dlp_vec3 *points = body->shape.points + 3 * (size_t)t;
        if (!faces(points, eye)) continue;
        double heights[3];
        for (int32_t k = 0; k < 3; k++)
            heights[k] = dlp_dot(dlp_to_world(&body->obstacle->frame, points[k]), up) - top;
        const polygon p = cut_below(points, body->shape.normals + 3 * (size_t)t, heights);
        DLP_TRY(add_polygon(out, &p, error));
    }
    return DLP_OK;
}

// The surface is replaced also after a failure: it is released with its body.
dlp_status dlp_render_scene_open_container(const dlp_render_scene *scene, dlp_render_body *body,
                                           dlp_error *error)
{
    dlp_shape_surface open = {.is_endless = true};
    const dlp_status status = add_open(scene, body, &open, error);
    dlp_shape_surface_release(&body->shape);
    body->shape = open;
    return status;
}
