/* A frame of a recorded run as a picture. */
#ifndef DLP_RECORD_FILM_FRAME_RENDER_RUN_H
#define DLP_RECORD_FILM_FRAME_RENDER_RUN_H

#include "record/film/movie.h"
#include "record/film/frame_render.h"

/* Fills in what the folder holds of the frame at `index` of the run's list: scene, particles, surfaces (as
 * `kind` says) and obstacles. Everything else is as in `def`. The caller releases the image. */
dlp_status dlp_frame_render_draw_run(const dlp_run *run, int32_t index, dlp_movie_kind kind,
                                     const dlp_frame_render_def *def, dlp_image *out_image, dlp_error *error);

#endif
