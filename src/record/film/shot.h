/* One run's picture of a film. */
#ifndef DLP_RECORD_FILM_SHOT_H
#define DLP_RECORD_FILM_SHOT_H

#include "record/film/movie.h"

typedef struct dlp_shot_def {
    const dlp_run *run;
    int32_t index;           /* of the frame in the run's list */
    double time;             /* s: of the camera */
    const dlp_run *director; /* whose camera and light */
    dlp_movie_kind kind;
    const dlp_scale *scale;
    dlp_box box;   /* m: what is shown */
    double ground; /* m along the director's up: where a floor would be */
    int32_t width, height, samples;
    dlp_team *team;
} dlp_shot_def;

/* Release the image. */
dlp_status dlp_shot_draw(const dlp_shot_def *def, dlp_image *out_image, dlp_error *error);

#endif
