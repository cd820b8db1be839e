/* What the ways to render a frame share. */
#ifndef DLP_RECORD_FILM_FRAME_RENDER_PARTS_H
#define DLP_RECORD_FILM_FRAME_RENDER_PARTS_H

#include "record/film/frame_render.h"

typedef struct dlp_frame_render {
    const dlp_frame_render_def *def;
    float *values; /* a particle: of the colour scale's field */
} dlp_frame_render;

/* Linear light of a value of the scale, or of a substance where the colours are the scene's. */
dlp_vec3 dlp_frame_render_color(const dlp_frame_render *render, double value);

/* A scene in space, by path tracing. Release the image. */
dlp_status dlp_frame_render_trace(const dlp_frame_render *render, dlp_image *out_image, dlp_error *error);

#endif
