/* One picture of a film: particles, surfaces and obstacles at one time, recorded or of a world. */
#ifndef DLP_RECORD_FILM_FRAME_RENDER_H
#define DLP_RECORD_FILM_FRAME_RENDER_H

#include "record/film/color_scale.h"
#include "record/preview.h"
#include "skin/surface_mesh.h"

/* A surface that is drawn in place of the particles of a substance; -1: of all of them. */
typedef struct dlp_frame_mesh {
    int32_t substance;
    const dlp_surface_mesh *mesh; /* borrowed */
} dlp_frame_mesh;

/* One picture. All pointers are borrowed. */
typedef struct dlp_frame_render_def {
    const dlp_scene_def *scene;         /* of what is shown: dimension, colours, looks */
    const dlp_scene_def *camera_source; /* whose camera and light are taken */
    double time;                        /* s: for the key frames of the camera */
    const dlp_particle_frame *frame;    /* substances are within the scene's */
    const dlp_frame_mesh *meshes;       /* substances without one are shown as spheres */
    int32_t mesh_count;
    const dlp_preview_obstacle *obstacles;
    int32_t obstacle_count;
    const dlp_color_scale *scale;
    dlp_box box;                    /* m: what is shown */
    double ground;                  /* m along `camera_source`'s up: height of a floor */
    int32_t width, height, samples; /* pixels; per pixel */
    int32_t legend; /* pixels at the right that are left free, unless the scene places the camera */
    dlp_team *team; /* NULL: the caller's thread */
} dlp_frame_render_def;

/* Whether this build can draw pictures of this dimension: 3-D needs Embree. */
bool dlp_frame_render_is_available(int32_t dimension);
/* The caller releases the image. The same bits for any number of threads. */
dlp_status dlp_frame_render_draw(const dlp_frame_render_def *def, dlp_image *out_image, dlp_error *error);

#endif
