/* What a ray meets first: triangles and spheres in single precision, by Embree. */
#ifndef DLP_RECORD_RENDER_TRACE_H
#define DLP_RECORD_RENDER_TRACE_H

#include "base/status.h"
#include "base/vec.h"

/* Bodies are asked for by kind. */
typedef enum dlp_ray_layer {
    DLP_RAY_SOLID, /* stops light */
    DLP_RAY_CLEAR, /* lets light through */
    DLP_RAY_WALL,  /* of a container: seen from inside alone */
    DLP_RAY_LAYER_COUNT
} dlp_ray_layer;

typedef struct dlp_ray {
    dlp_vec3 from, way; /* way: unit */
    double near, far;   /* of the hits that count; far may be HUGE_VAL */
} dlp_ray;

typedef struct dlp_ray_hit {
    double distance;
    dlp_vec3 flat; /* unit normal of the triangle (by its winding) or sphere */
    int32_t body;  /* as it was added */
    int32_t part;  /* number of the triangle or sphere */
    double u, v;   /* shares of the triangle's second and third corner */
} dlp_ray_hit;

/* Whether a hit counts; called from several threads. */
typedef bool dlp_ray_filter(const void *context, const dlp_ray *ray, const dlp_ray_hit *hit, bool is_for_sun);

typedef struct dlp_tracer dlp_tracer;
bool dlp_tracer_is_available(void);
dlp_status dlp_tracer_create(dlp_tracer **out_tracer, dlp_error *error);
void dlp_tracer_destroy(dlp_tracer *tracer); /* NULL is fine */

/* Both hand out room that the caller fills before the commit: three floats a vertex and three indices a
 * triangle; x, y, z and radius a sphere. `filter` may be NULL. */
typedef struct dlp_ray_body {
    dlp_ray_layer layer;
    int32_t body;
    dlp_ray_filter *filter;
    const void *context; /* of the filter; borrowed */
} dlp_ray_body;
dlp_status dlp_tracer_add_triangles(dlp_tracer *tracer, const dlp_ray_body *body, int32_t vertex_count,
                                    int32_t triangle_count, float **out_vertices, uint32_t **out_indices,
                                    dlp_error *error);
dlp_status dlp_tracer_add_spheres(dlp_tracer *tracer, const dlp_ray_body *body, int32_t count,
                                  float **out_spheres, dlp_error *error);
dlp_status dlp_tracer_commit(dlp_tracer *tracer, dlp_error *error);

/* After the commit, from any thread. */
bool dlp_tracer_has(const dlp_tracer *tracer, dlp_ray_layer layer);
/* The nearest hit within the ray, nearer than what `hit` holds already (distance HUGE_VAL: nothing). */
bool dlp_tracer_find(const dlp_tracer *tracer, dlp_ray_layer layer, const dlp_ray *ray, dlp_ray_hit *hit);
/* Whether the layer keeps the sun's light from coming along the ray. */
bool dlp_tracer_is_shaded(const dlp_tracer *tracer, dlp_ray_layer layer, const dlp_ray *ray);

#endif
