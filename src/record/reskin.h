/* The surfaces of a recorded run, made again from its particles: meshes, or contours in the plane. */
#ifndef DLP_RECORD_RESKIN_H
#define DLP_RECORD_RESKIN_H

#include "record/run_read.h"
#include "skin/contour.h"
#include "skin/skin.h"

typedef struct dlp_reskin_def {
    const dlp_run *run; /* borrowed; its scene says which surfaces */
    const char *folder; /* borrowed: where they go, FOLDER/surface/0012.ply or FOLDER/contour/0012.vtp */
    dlp_target target;
    dlp_team *team; /* borrowed; or NULL */
} dlp_reskin_def;

typedef struct dlp_reskin dlp_reskin;
dlp_status dlp_reskin_create(const dlp_reskin_def *def, dlp_reskin **out_reskin, dlp_error *error);
void dlp_reskin_destroy(dlp_reskin *reskin);

/* Which frames to make so that the chosen ones can be written: each active surface follows from the frame
 * before. Gives how many of them have to do without, since that frame was not recorded; frame 0 is none. */
int32_t dlp_reskin_plan(const dlp_run *run, const bool *chosen, bool *out_needed);

/* Makes the frame at place `index` of the run's list, in growing order. Where the frame before was not made,
 * an active surface begins anew. */
dlp_status dlp_reskin_make(dlp_reskin *reskin, int32_t index, dlp_error *error);
/* Writes the frame that was made last. */
dlp_status dlp_reskin_write(dlp_reskin *reskin, dlp_error *error);

/* What was made last; borrowed. */
const dlp_skin *dlp_reskin_skin(const dlp_reskin *reskin);
const dlp_contour *dlp_reskin_contour(const dlp_reskin *reskin);

#endif
