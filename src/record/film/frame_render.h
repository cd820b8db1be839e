/* One picture of a film: particles, surfaces and obstacles at a moment, recorded or of a world. */
#ifndef DLP_RECORD_FILM_FRAME_RENDER_H
#define DLP_RECORD_FILM_FRAME_RENDER_H

#include "record/film/color_scale.h"
#include "record/preview.h"
#include "skin/surface_mesh.h"

/* A surface that stands for the particles of a substance; -1: of all of them. */
typedef struct dlp_frame_mesh {
    int32_t substance;
    const dlp_surface_mesh *mesh; /* borrowed */
} dlp_frame_mesh;

/* Everything is borrowed. */
typedef struct dlp_frame_render_def {
    const dlp_scene_def *scene;         /* of what is shown */
    const dlp_scene_def *camera_source; /* whose camera and light */
    double time;                        /* s: of the camera */
    const dlp_particle_frame *frame;
    const dlp_frame_mesh *meshes; /* what has none is shown as spheres */
    int32_t mesh_count;
    const dlp_preview_obstacle *obstacles;
    int32_t obstacle_count;
    const dlp_color_scale *scale;
    dlp_box box;   /* m: what is shown */
    double ground; /* m along the up of `camera_source`: where a floor would be */
    int32_t width, height, samples;
    int32_t legend; /* pixels at the right that what is shown leaves free, unless the camera is given */
    dlp_team *team; /* or NULL */
} dlp_frame_render_def;

/* Whether this build can draw pictures of this dimension. */
bool dlp_frame_render_is_available(int32_t dimension);
/* Release the image. */
dlp_status dlp_frame_render_draw(const dlp_frame_render_def *def, dlp_image *out_image, dlp_error *error);

#endif
