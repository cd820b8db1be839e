/* Pictures by path tracing: surfaces, particles as spheres and obstacles under a sun and a sky. */
#ifndef DLP_RECORD_RENDER_RENDER_H
#define DLP_RECORD_RENDER_RENDER_H

#include "base/parallel.h"
#include "record/png.h"
#include "scene/look.h"
#include "skin/surface_mesh.h"
#include "space/shape.h"

/* All arrays are borrowed. Colours are linear light, 0..1. */
typedef struct dlp_render_surface {
    const dlp_surface_mesh *mesh;
    const float *colors; /* three a vertex, or NULL: `color` all over */
    const float *glow;   /* three a vertex: light it gives off, or NULL */
    dlp_vec3 color;
    dlp_look look;
    double depth; /* m: how far light comes, in glass until it has its colour, in wax at all; 0: by the box */
    double refraction; /* index; 0: that of water for glass, 1.5 for coats */
} dlp_render_surface;

typedef struct dlp_render_spheres {
    int32_t count;
    const double *positions; /* m, three a sphere */
    const float *radii;      /* m */
    const float *colors;     /* three a sphere */
    const float *glow;       /* three a sphere, or NULL */
    dlp_look look;
} dlp_render_spheres;

typedef struct dlp_render_obstacle {
    const dlp_shape *shape;
    dlp_transform frame; /* body to world */
    dlp_vec3 color;
} dlp_render_obstacle;

/* A pinhole camera; pixels from the top left. */
typedef struct dlp_camera {
    dlp_vec3 eye, right, up, forward; /* unit and orthogonal but for the eye */
    double scale;                     /* pixels at a distance of 1 */
    double center_x, center_y;        /* pixels: where `forward` points */
} dlp_camera;
/* A three-quarter view that shows all of the box. `up`: against gravity; zero: z. */
dlp_camera dlp_camera_fit(const dlp_box *box, dlp_vec3 up, int32_t width, int32_t height);
dlp_vec3 dlp_camera_ray(const dlp_camera *camera, double x, double y); /* unit length */

typedef struct dlp_render_def {
    int32_t width, height; /* pixels */
    int32_t samples;       /* a pixel, at most */
    dlp_camera camera;
    const dlp_render_surface *surfaces;
    int32_t surface_count;
    dlp_render_spheres spheres;
    const dlp_render_obstacle *obstacles;
    int32_t obstacle_count;
    dlp_box box;         /* m: what the picture shows: light, ground and haze are scaled to it */
    dlp_vec3 up;         /* unit */
    bool has_ground;     /* an endless floor that catches shadows ... */
    double ground;       /* m along `up`: ... at this height */
    dlp_vec3 sun;        /* toward it; zero: from the left, behind the camera */
    double sun_strength; /* 1 is a clear day, 0 an overcast one */
    dlp_vec3 sky;        /* sRGB, overhead; the horizon is paler */
    bool is_denoised;
    dlp_team *team; /* or NULL */
} dlp_render_def;

/* Whether this build can trace (Embree). */
bool dlp_render_is_available(void);
/* The same bits for any number of threads. Release the image. */
dlp_status dlp_render_draw(const dlp_render_def *def, dlp_image *out_image, dlp_error *error);

#endif
