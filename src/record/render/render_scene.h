/* Everything that a picture shows, ready for rays. Lengths are in units of half the diagonal of the
 * picture's box, from its middle, so that single precision suffices. */
#ifndef DLP_RECORD_RENDER_RENDER_SCENE_H
#define DLP_RECORD_RENDER_RENDER_SCENE_H

#include "record/render/sky.h"
#include "record/render/trace.h"
#include "space/shape_surface.h"

typedef struct dlp_render_scene dlp_render_scene;

/* Something that rays may meet: a surface, all spheres, or an obstacle. All pointers are borrowed except
 * those of `shape`. */
typedef struct dlp_render_body {
    const dlp_render_scene *scene;
    const dlp_render_surface *surface; /* exactly one of these three is not NULL ... */
    const dlp_render_spheres *spheres;
    const dlp_render_obstacle *obstacle; /* ... */
    dlp_shape_surface shape;             /* of an obstacle, in its own coordinates, m; owned */
    dlp_look look;
    dlp_vec3 tint;     /* of clear matter: its colour, or the mean of its colours; linear */
    double refraction; /* index */
    double depth;      /* that light travels: until it has its colour in glass, at all in wax */
    double cell; /* typical edge of a triangle, at most 0.02: clear matter nearer than two of these touches */
} dlp_render_body;

/* Read-only once it is made, so that any number of threads may trace it. */
struct dlp_render_scene {
    const dlp_render_def *def; /* borrowed */
    dlp_vec3 middle;           /* m: of the box; the scene's origin */
    double size;               /* m: of the unit */
    dlp_vec3 eye;              /* in the unit */
    double ground;             /* height along up, -HUGE_VAL for none */
    dlp_sky sky;
    dlp_render_body *bodies; /* owned; their index is what hits name */
    int32_t body_count;
    dlp_tracer *tracer;
};

/* `sky` NULL: the definition's own. The definition must outlive the scene. */
dlp_status dlp_render_scene_create(const dlp_render_def *def, const dlp_sky *sky,
                                   dlp_render_scene **out_scene, dlp_error *error);
void dlp_render_scene_destroy(dlp_render_scene *scene);

enum { DLP_BODY_GROUND = -1 }; /* index of the ground, which is no body of the list */

/* A point on a surface. Normals are unit and outward; colours are linear. */
typedef struct dlp_surface_point {
    int32_t body;    /* index, or DLP_BODY_GROUND */
    double distance; /* along the ray */
    dlp_vec3 x;
    dlp_vec3 shadow_origin; /* x on the rounded surface that the normals describe: where shadow rays start */
    dlp_vec3 flat;          /* normal of the triangle */
    dlp_vec3 normal;        /* interpolated */
    dlp_vec3 color, glow;
    dlp_look look;
} dlp_surface_point;

typedef enum dlp_render_part { DLP_RENDER_ALL, DLP_RENDER_OPAQUE, DLP_RENDER_CLEAR } dlp_render_part;
/* What the ray meets first of one part of the scene; the ground is opaque. False: nothing, and *out_point
 * is not valid. */
bool dlp_render_scene_find(const dlp_render_scene *scene, dlp_render_part part, const dlp_ray *ray,
                           dlp_surface_point *out_point);
/* Whether anything opaque keeps the sun's light away. Walls of containers do not. */
bool dlp_render_scene_is_shaded(const dlp_render_scene *scene, const dlp_ray *ray);

/* Distance at which rays start off a surface: more than the rounding of single precision there. */
static inline double dlp_ray_offset(dlp_vec3 x)
{
    return 2e-5 * (1 + fabs(x.x) + fabs(x.y) + fabs(x.z));
}

#endif
