/* What a run will cost, from the world it starts with and about a second of moving it. */
#ifndef DLP_APP_ESTIMATE_H
#define DLP_APP_ESTIMATE_H

#include "dollop/dollop.h"

typedef struct dlp_estimate {
    double particles;       /* at the start */
    double particles_later; /* with everything that emitters add: at most */
    double memory;          /* bytes */
    double steps_a_frame;   /* the smallest steps */
    double seconds;         /* of the whole run, on this machine */
    double disk;            /* bytes */
    double *stiffness;      /* m2/s2, one a substance: what the world derives where the scene names none */
} dlp_estimate;

/* Makes the world and moves it for about a second of wall clock, and at most a few frames. */
dlp_status dlp_estimate_scene(dlp_scene *scene, int32_t thread_count, dlp_estimate *out_estimate,
                              dlp_error *error);
void dlp_estimate_release(dlp_estimate *estimate);

#endif
