/* What a run will cost: particles from volumes, everything else from trials of coarser copies of the scene.
 */
#ifndef DLP_APP_ESTIMATE_H
#define DLP_APP_ESTIMATE_H

#include "dollop/dollop.h"

enum { DLP_ESTIMATE_DOUBTS = 6, DLP_ESTIMATE_TEXT = 512 };

/* All-zero is none. */
typedef struct dlp_estimate {
    double particles;       /* at the start */
    double particles_later; /* with everything that emitters add: at most */
    double memory;          /* bytes */
    double steps_a_frame;   /* smallest steps per frame */
    double seconds;         /* for the whole run, on this machine where it has nothing else to do */
    double processor_seconds;
    double disk; /* bytes */
    /* m2/s2, one per substance: what the world derives where the scene gives none; owned, or NULL */
    double *stiffness;
    bool has_time;          /* a trial was possible; else only particles and the disk's share of them */
    double trial_particles; /* of the finest copy that was tried */
    double trial_share;     /* of the film that was tried, 0..1 */
    double trial_seconds;   /* of processor time, of all trials */
    int32_t doubt_count;    /* reasons not to trust the numbers, each a sentence */
    char doubts[DLP_ESTIMATE_DOUBTS][DLP_ESTIMATE_TEXT];
} dlp_estimate;

/* Takes about two seconds, whatever the scene. DLP_INTERRUPTED after Ctrl-C. Release the estimate, also after
 * a failure. */
dlp_status dlp_estimate_scene(dlp_scene *scene, int32_t thread_count, dlp_estimate *out_estimate,
                              dlp_error *error);
void dlp_estimate_release(dlp_estimate *estimate);

#endif
