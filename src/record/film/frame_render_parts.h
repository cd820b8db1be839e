/* What the two ways to draw a frame, 2-D and 3-D, share. */
#ifndef DLP_RECORD_FILM_FRAME_RENDER_PARTS_H
#define DLP_RECORD_FILM_FRAME_RENDER_PARTS_H

#include "record/film/frame_render.h"

/* A picture being drawn. */
typedef struct dlp_frame_render {
    const dlp_frame_render_def *def;
    float *values; /* one per particle: the colour scale's field; owned */
} dlp_frame_render;

/* Linear light of a value of the scale, or of a substance where the colours are the scene's. */
dlp_vec3 dlp_frame_render_color(const dlp_frame_render *render, double value);

/* A 3-D scene, by path tracing. The caller releases the image. */
dlp_status dlp_frame_render_trace(const dlp_frame_render *render, dlp_image *out_image, dlp_error *error);

#endif
