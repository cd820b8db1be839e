/* The arguments of `dollop render` that are more than a word: which frames, how large. */
#ifndef DLP_APP_RENDER_ARGUMENTS_H
#define DLP_APP_RENDER_ARGUMENTS_H

#include "record/film/movie.h"

/* "640x400". */
dlp_status dlp_read_size(const char *text, int32_t *out_width, int32_t *out_height, dlp_error *error);
/* "12", "0..24", "0,10,last": marks the chosen ones of the frames, of which there is at least one. NULL
 * chooses all. */
dlp_status dlp_choose_frames(const char *text, const dlp_frame_ref *frames, int32_t count, bool *out_chosen,
                             dlp_error *error);
dlp_status dlp_read_kind(const char *text, dlp_movie_kind *out_kind, dlp_error *error); /* "surface" */

#endif
