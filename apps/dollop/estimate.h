/* What a run will cost, from the world it starts with and about a second of simulating it. */
#ifndef DLP_APP_ESTIMATE_H
#define DLP_APP_ESTIMATE_H

#include "dollop/dollop.h"

/* All-zero is none. */
typedef struct dlp_estimate {
    double particles;       /* at the start */
    double particles_later; /* with everything that emitters add: at most */
    double memory;          /* bytes */
    double steps_a_frame;   /* smallest steps per frame */
    double seconds;         /* for the whole run, on this machine */
    double disk;            /* bytes */
    /* m2/s2, one per substance: what the world derives where the scene gives none; owned */
    double *stiffness;
} dlp_estimate;

/* Makes the world and simulates it for about a second of wall clock, at most a few frames. Release the
 * estimate, also after a failure. */
dlp_status dlp_estimate_scene(dlp_scene *scene, int32_t thread_count, dlp_estimate *out_estimate,
                              dlp_error *error);
void dlp_estimate_release(dlp_estimate *estimate);

#endif
