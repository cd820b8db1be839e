/* How far a run is: a bar on a terminal, a line every tenth elsewhere, or JSON for scripts. */
#ifndef DLP_APP_PROGRESS_H
#define DLP_APP_PROGRESS_H

#include "dollop/dollop.h"

typedef enum dlp_progress_style {
    DLP_PROGRESS_LINES,
    DLP_PROGRESS_BAR,
    DLP_PROGRESS_JSON
} dlp_progress_style;

typedef struct dlp_progress_view {
    dlp_progress_style style;
    int32_t first_frame, last_frame; /* complete when the run begins, and at its end */
    double start, last_drawn;        /* s, of the wall clock */
    int32_t tenth;                   /* of the run that was printed last */
    bool is_drawn;                   /* a bar is on the terminal's line */
} dlp_progress_view;

void dlp_progress_begin(dlp_progress_view *view, dlp_progress_style style, int32_t first_frame,
                        int32_t last_frame);
/* After a step; draws at most ten times per second. */
void dlp_progress_step(dlp_progress_view *view, const dlp_progress *progress);
/* After a frame that was recorded. */
void dlp_progress_frame(dlp_progress_view *view, const dlp_stats *stats);
/* Takes the bar away, so that other words can be printed. */
void dlp_progress_clear(dlp_progress_view *view);

#endif
