/* The surfaces of a recorded run, made again from its particles: meshes, or contours in 2-D. */
#ifndef DLP_RECORD_RESKIN_H
#define DLP_RECORD_RESKIN_H

#include "record/run_read.h"
#include "skin/contour.h"
#include "skin/skin.h"

/* Copied by dlp_reskin_create; what it points to must live as long as the reskin. */
typedef struct dlp_reskin_def {
    const dlp_run *run; /* borrowed; its scene says which surfaces */
    const char *folder; /* borrowed: where they go, FOLDER/surface/0012.ply or FOLDER/contour/0012.vtp */
    dlp_target target;  /* instruction set; all give the same bits */
    dlp_team *team;     /* borrowed; NULL: the caller's thread */
} dlp_reskin_def;

typedef struct dlp_reskin dlp_reskin;
/* DLP_UNSUPPORTED where this build cannot write what the scene asks for. */
dlp_status dlp_reskin_create(const dlp_reskin_def *def, dlp_reskin **out_reskin, dlp_error *error);
void dlp_reskin_destroy(dlp_reskin *reskin);

/* Which frames to make so that the chosen ones can be written: each active surface follows from the frame
 * before. `chosen` and `out_needed` have one entry per frame of the run. Returns how many needed frames
 * start without a history because the frame before was not recorded; frame 0 does not count. */
int32_t dlp_reskin_plan(const dlp_run *run, const bool *chosen, bool *out_needed);

/* Makes the frame at `index` of the run's list; indices ascend from call to call. Where the frame before
 * was not made, an active surface starts anew. */
dlp_status dlp_reskin_make(dlp_reskin *reskin, int32_t index, dlp_error *error);
/* Writes the frame that was made last. */
dlp_status dlp_reskin_write(dlp_reskin *reskin, dlp_error *error);

/* What was made last, borrowed until the next: the skin (NULL before the first frame and in 2-D), or in
 * 2-D the contour. */
const dlp_skin *dlp_reskin_skin(const dlp_reskin *reskin);
const dlp_contour *dlp_reskin_contour(const dlp_reskin *reskin);

#endif
