/* A film of recorded runs: one camera, one range of colours, one picture per frame. */
#ifndef DLP_RECORD_FILM_MOVIE_H
#define DLP_RECORD_FILM_MOVIE_H

#include "record/film/color_scale.h"
#include "record/png.h"
#include "record/run_read.h"
#include "base/parallel.h"

typedef enum dlp_movie_kind {
    DLP_MOVIE_AUTO, /* surfaces where there are some, else particles */
    DLP_MOVIE_SURFACE,
    DLP_MOVIE_PARTICLES
} dlp_movie_kind;

/* What to film. Copied; what it points to must outlive the movie. */
typedef struct dlp_movie_def {
    const dlp_run *runs[2]; /* borrowed; the second is shown beside the first, or is NULL */
    dlp_movie_kind kind;
    dlp_color_field color;
    const char *captions[2]; /* over each of two runs, or NULL; borrowed */
    int32_t width, height;   /* pixels of a run's picture; 0: the first scene's */
    int32_t samples;         /* per pixel; 0: the first scene's */
    dlp_team *team;          /* NULL: the caller's thread */
    bool (*watch)(int32_t done, int32_t count, void *user); /* frames surveyed so far; false: stop. Or NULL */
    void *user;
} dlp_movie_def;

/* A frame of the film: of the first run, and after its end of the second. */
typedef struct dlp_frame_ref {
    int32_t number;     /* of the frame; unique in the film */
    double time;        /* s */
    int32_t indices[2]; /* in the runs' lists: the last frame up to that time */
} dlp_frame_ref;

typedef struct dlp_movie dlp_movie;
/* Looks through all frames once. DLP_IO for runs without frames, DLP_INVALID for two of different
 * dimensions, DLP_INTERRUPTED where `watch` says so. */
dlp_status dlp_movie_create(const dlp_movie_def *def, dlp_movie **out_movie, dlp_error *error);
void dlp_movie_destroy(dlp_movie *movie);

const dlp_frame_ref *dlp_movie_frames(const dlp_movie *movie, int32_t *out_count); /* borrowed */
const dlp_color_scale *dlp_movie_scale(const dlp_movie *movie);                    /* borrowed */
dlp_box dlp_movie_box(const dlp_movie *movie);                                     /* m: what is shown */

/* The picture of the frame at that index. The same bits for any number of threads. The caller releases the
 * image. */
dlp_status dlp_movie_draw(const dlp_movie *movie, int32_t frame, dlp_image *out_image, dlp_error *error);

#endif
