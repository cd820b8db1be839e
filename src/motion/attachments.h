/* Attachments: which particles of a solver they hold, and where they want them. */
#ifndef DLP_MOTION_ATTACHMENTS_H
#define DLP_MOTION_ATTACHMENTS_H

#include "motion/body.h"

/* A solver's particles as attachments see them; all borrowed. */
typedef struct dlp_attachment_view {
    int32_t count;
    const double *position; /* m, 3 each */
    const int32_t *substance;
    const double *spacing; /* m: one a substance of the scene */
    dlp_model model;       /* attachments of others' substances are not its own */
    double *mass;          /* kg */
    double *start_place;   /* m, 3 each: where an attachment found it */
    int32_t *pin;          /* attachment that holds it, or -1 */
    uint8_t *is_pinned;    /* out: now */
    double *target_place;  /* m, 3 each; out: where it is wanted */
} dlp_attachment_view;

/* At the start: finds the particles of every attachment. */
dlp_status dlp_attachments_find(const dlp_scene_def *scene, const dlp_attachment_view *view,
                                dlp_error *error);
/* Where the attachments want their particles at `time`, the end of a step that began `before`. */
void dlp_attachments_set_targets(const dlp_scene_def *scene, const dlp_body *bodies,
                                 const dlp_attachment_view *view, double before, double time);

#endif
