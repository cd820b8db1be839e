/* What a ray meets first: triangles and spheres in single precision, by Embree. */
#ifndef DLP_RECORD_RENDER_TRACE_H
#define DLP_RECORD_RENDER_TRACE_H

#include "base/status.h"
#include "base/vec.h"

/* What light does with a body. */
typedef enum dlp_ray_layer {
    DLP_RAY_SOLID, /* stops it */
    DLP_RAY_WALL,  /* of a container: lets the sun in */
    DLP_RAY_CLEAR, /* lets it through */
    DLP_RAY_LAYER_COUNT
} dlp_ray_layer;

/* What a ray asks for. */
typedef enum dlp_ray_set {
    DLP_RAYS_OPAQUE, /* solids and walls */
    DLP_RAYS_SHADE,  /* solids alone */
    DLP_RAYS_CLEAR,
    DLP_RAY_SET_COUNT
} dlp_ray_set;

/* Lengths in the unit of what was added. */
typedef struct dlp_ray {
    dlp_vec3 from, direction; /* direction: unit */
    double near, far;         /* bounds of the hits that count; far may be HUGE_VAL */
} dlp_ray;

/* What a ray met. */
typedef struct dlp_ray_hit {
    double distance;
    dlp_vec3 flat; /* unit normal of the triangle (by its winding) or sphere */
    int32_t body;  /* the number it was added with */
    int32_t part;  /* index of the triangle or sphere within it */
    double u, v;   /* barycentric coordinates of the triangle's second and third corner */
} dlp_ray_hit;

/* Bodies, and the trees that Embree builds over them. Order of use: create, add, commit, ask. */
typedef struct dlp_tracer dlp_tracer;
bool dlp_tracer_is_available(void);
dlp_status dlp_tracer_create(dlp_tracer **out_tracer, dlp_error *error);
void dlp_tracer_destroy(dlp_tracer *tracer); /* NULL is fine */

/* How a body is added; `body` is what hits name it by. */
typedef struct dlp_ray_body {
    dlp_ray_layer layer;
    int32_t body;
} dlp_ray_body;
/* Both return memory that belongs to the tracer and that the caller fills before the commit: three floats
 * per vertex and three indices per triangle; x, y, z and radius per sphere. */
dlp_status dlp_tracer_add_triangles(dlp_tracer *tracer, const dlp_ray_body *body, int32_t vertex_count,
                                    int32_t triangle_count, float **out_vertices, uint32_t **out_indices,
                                    dlp_error *error);
dlp_status dlp_tracer_add_spheres(dlp_tracer *tracer, const dlp_ray_body *body, int32_t count,
                                  float **out_spheres, dlp_error *error);
/* Builds the trees, with one thread, so that ties between triangles are always decided alike. */
dlp_status dlp_tracer_commit(dlp_tracer *tracer, dlp_error *error);

/* After the commit, from any thread: whether a set has anything to meet. */
bool dlp_tracer_has(const dlp_tracer *tracer, dlp_ray_set set);
/* The nearest hit within the ray, nearer than what `hit` holds already (distance HUGE_VAL: nothing). */
bool dlp_tracer_find(const dlp_tracer *tracer, dlp_ray_set set, const dlp_ray *ray, dlp_ray_hit *hit);
/* Whether the ray meets anything. */
bool dlp_tracer_is_occluded(const dlp_tracer *tracer, dlp_ray_set set, const dlp_ray *ray);

#endif
