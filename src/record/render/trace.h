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

typedef struct dlp_ray {
    dlp_vec3 from, direction; /* direction: unit */
    double near, far;         /* of the hits that count; far may be HUGE_VAL */
} dlp_ray;

typedef struct dlp_ray_hit {
    double distance;
    dlp_vec3 flat; /* unit normal of the triangle (by its winding) or sphere */
    int32_t body;  /* as it was added */
    int32_t part;  /* number of the triangle or sphere */
    double u, v;   /* shares of the triangle's second and third corner */
} dlp_ray_hit;

typedef struct dlp_tracer dlp_tracer;
bool dlp_tracer_is_available(void);
dlp_status dlp_tracer_create(dlp_tracer **out_tracer, dlp_error *error);
void dlp_tracer_destroy(dlp_tracer *tracer); /* NULL is fine */

/* Both hand out room that the caller fills before the commit: three floats a vertex and three indices a
 * triangle; x, y, z and radius a sphere. `body` is what hits name it by. */
typedef struct dlp_ray_body {
    dlp_ray_layer layer;
    int32_t body;
} dlp_ray_body;
dlp_status dlp_tracer_add_triangles(dlp_tracer *tracer, const dlp_ray_body *body, int32_t vertex_count,
                                    int32_t triangle_count, float **out_vertices, uint32_t **out_indices,
                                    dlp_error *error);
dlp_status dlp_tracer_add_spheres(dlp_tracer *tracer, const dlp_ray_body *body, int32_t count,
                                  float **out_spheres, dlp_error *error);
dlp_status dlp_tracer_commit(dlp_tracer *tracer, dlp_error *error);

/* After the commit, from any thread. */
bool dlp_tracer_has(const dlp_tracer *tracer, dlp_ray_set set);
/* The nearest hit within the ray, nearer than what `hit` holds already (distance HUGE_VAL: nothing). */
bool dlp_tracer_find(const dlp_tracer *tracer, dlp_ray_set set, const dlp_ray *ray, dlp_ray_hit *hit);
/* Whether the ray meets anything. */
bool dlp_tracer_is_occluded(const dlp_tracer *tracer, dlp_ray_set set, const dlp_ray *ray);

#endif
