/* What the ways to draw a shot share. */
#ifndef DLP_RECORD_FILM_SHOT_PARTS_H
#define DLP_RECORD_FILM_SHOT_PARTS_H

#include "record/film/shot.h"

typedef struct dlp_shot {
    const dlp_shot_def *def;
    float *values; /* a particle: of the colour scale's field */
} dlp_shot;

/* Linear light of a value of the scale, or of a substance where the colours are the scene's. */
dlp_vec3 dlp_shot_color(const dlp_shot *shot, double value);

/* A scene in space, by path tracing. Release the image. */
dlp_status dlp_shot_trace(const dlp_shot *shot, dlp_image *out_image, dlp_error *error);

#endif
