/* Everything that a picture shows, ready to be asked by rays. Lengths are in units of half the diagonal of
 * the picture's box, from its middle, so that single precision does. */
#ifndef DLP_RECORD_RENDER_RENDER_SCENE_H
#define DLP_RECORD_RENDER_RENDER_SCENE_H

#include "record/render/sky.h"
#include "record/render/trace.h"
#include "space/shape_surface.h"

typedef struct dlp_render_scene dlp_render_scene;

typedef struct dlp_render_body {
    const dlp_render_scene *scene;
    const dlp_render_surface *surface; /* one of these three ... */
    const dlp_render_spheres *spheres;
    const dlp_render_obstacle *obstacle; /* ... */
    dlp_shape_surface shape;             /* of an obstacle, in its own coordinates */
    dlp_look look;
    dlp_vec3 tint;     /* of clear matter: its colour, or the mean of its colours */
    double refraction; /* index */
    double depth;      /* how far light comes: to its colour in glass, to a stop in wax */
    double cell;       /* typical edge of a triangle, or less: how near clear matter touches */
} dlp_render_body;

struct dlp_render_scene {
    const dlp_render_def *def;
    dlp_vec3 middle;
    double size; /* m: of the unit */
    dlp_vec3 eye;
    double ground; /* height along up, -HUGE_VAL for none */
    dlp_sky sky;
    dlp_render_body *bodies;
    int32_t body_count;
    dlp_tracer *tracer;
};

/* `sky` NULL: the definition's own. */
dlp_status dlp_render_scene_create(const dlp_render_def *def, const dlp_sky *sky,
                                   dlp_render_scene **out_scene, dlp_error *error);
void dlp_render_scene_destroy(dlp_render_scene *scene);

enum { DLP_BODY_GROUND = -1 };

/* A place on a surface. Normals are outward. */
typedef struct dlp_surface_point {
    int32_t body;
    double distance;
    dlp_vec3 x;
    dlp_vec3 shadow_origin; /* x on the rounded surface that the normals belong to, where shadow rays start */
    dlp_vec3 flat;          /* of the triangle */
    dlp_vec3 normal;        /* smooth */
    dlp_vec3 color, glow;
    dlp_look look;
} dlp_surface_point;

typedef enum dlp_render_part { DLP_RENDER_ALL, DLP_RENDER_OPAQUE, DLP_RENDER_CLEAR } dlp_render_part;
/* What the ray meets first; the ground is opaque. */
bool dlp_render_scene_find(const dlp_render_scene *scene, dlp_render_part part, const dlp_ray *ray,
                           dlp_surface_point *out_point);
/* Whether anything opaque keeps the sun's light away. */
bool dlp_render_scene_is_shaded(const dlp_render_scene *scene, const dlp_ray *ray);

/* Distance at which rays start off a surface. */
static inline double dlp_ray_offset(dlp_vec3 x)
{
    return 2e-5 * (1 + fabs(x.x) + fabs(x.y) + fabs(x.z));
}

#endif
