/* A shot of a recorded run. */
#ifndef DLP_RECORD_FILM_SHOT_RUN_H
#define DLP_RECORD_FILM_SHOT_RUN_H

#include "record/film/movie.h"
#include "record/film/shot.h"

/* Fills in what the folder holds of the frame at place `index` of the run's list: scene, particles, surfaces
 * (as `kind` says) and obstacles. All else is as in `def`. Release the image. */
dlp_status dlp_shot_draw_run(const dlp_run *run, int32_t index, dlp_movie_kind kind, const dlp_shot_def *def,
                             dlp_image *out_image, dlp_error *error);

#endif
