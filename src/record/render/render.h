/* Pictures by path tracing: surfaces, particles as spheres and obstacles under a sun and a sky. */
#ifndef DLP_RECORD_RENDER_RENDER_H
#define DLP_RECORD_RENDER_RENDER_H

#include "base/parallel.h"
#include "record/png.h"
#include "scene/look.h"
#include "skin/surface_mesh.h"
#include "space/shape.h"

/* A mesh and how light treats it. All pointers are borrowed. Colours are linear light, 0..1. */
typedef struct dlp_render_surface {
    const dlp_surface_mesh *mesh; /* with normals; indices and numbers are checked */
    const float *colors;          /* three per vertex; NULL: `color` all over */
    const float *glow;            /* three per vertex: light it gives off; or NULL */
    dlp_vec3 color;
    dlp_look look;
    /* m that light travels: until it has its colour in glass, at all in wax; 0: chosen by size */
    double depth;
    double refraction; /* index; 0: that of water for glass, 1.5 for coats */
} dlp_render_surface;

/* Particles as spheres. All pointers are borrowed. Those that are not finite are left out. */
typedef struct dlp_render_spheres {
    int32_t count;
    const double *positions; /* m, three per sphere */
    const float *radii;      /* m */
    const float *colors;     /* three per sphere */
    const float *glow;       /* three per sphere, or NULL */
    dlp_look look;
} dlp_render_spheres;

/* An obstacle where it is now. */
typedef struct dlp_render_obstacle {
    const dlp_shape *shape; /* borrowed; infinite ones are shown within the picture's box */
    dlp_transform frame;    /* body to world */
    dlp_vec3 color;
} dlp_render_obstacle;

/* A pinhole camera; pixels count from the top left. */
typedef struct dlp_camera {
    dlp_vec3 eye, right, up, forward; /* m: where it is; three orthogonal unit vectors */
    double scale; /* pixels per unit of slope: half the smaller side over the tangent of half the angle */
    double center_x, center_y; /* pixels: where `forward` points */
} dlp_camera;
/* A three-quarter view that shows all of the box. `up`: against gravity; zero: z. */
dlp_camera dlp_camera_fit(const dlp_box *box, dlp_vec3 up, int32_t width, int32_t height);
/* unit; through the point (x, y) of the picture, in pixels */
dlp_vec3 dlp_camera_ray(const dlp_camera *camera, double x, double y);

/* A picture. All pointers are borrowed. */
typedef struct dlp_render_def {
    int32_t width, height; /* pixels */
    int32_t samples;       /* per pixel, at most; 1 to 1024 */
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
    dlp_vec3 sun;        /* direction toward it; zero: from the left, behind the camera */
    double sun_strength; /* 1 is a clear day, 0 an overcast one */
    dlp_vec3 sky;        /* sRGB, overhead; the horizon is paler */
    bool is_denoised;
    dlp_team *team; /* NULL: the caller's thread */
} dlp_render_def;

/* Whether this build can trace (Embree). */
bool dlp_render_is_available(void);
/* The caller releases the image. The same bits for any number of threads. DLP_UNSUPPORTED in a build
 * without Embree; DLP_INVALID for meshes with bad numbers or indices. */
dlp_status dlp_render_draw(const dlp_render_def *def, dlp_image *out_image, dlp_error *error);

#endif
