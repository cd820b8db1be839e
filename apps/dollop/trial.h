/* A trial: the scene, or a copy of it with larger particles, is simulated on one thread for a while, and what
 * that costs is noted, frame by frame. */
#ifndef DLP_APP_TRIAL_H
#define DLP_APP_TRIAL_H

#include "scene/scene.h"

/* How a trial is made. The pointers are borrowed. */
typedef struct dlp_trial_def {
    const dlp_scene *scene;
    double factor;   /* of the particles' size, at least 1 */
    double seconds;  /* of processor time once the world is made, after which it ends */
    double wall_end; /* s of the wall clock, likewise */
    void (*log)(const char *message, void *user); /* notes of the world; may be NULL */
} dlp_trial_def;

/* What it found. Times are processor time. All-zero is none. */
typedef struct dlp_trial {
    double factor;
    double particles;      /* at the start, after merges */
    double last_particles; /* where it ended */
    double mean_particles; /* over the frames that it saw */
    double create_seconds;
    double *seconds;                 /* owned: of the motion in each frame, of which there are ... */
    double *frame_steps;             /* owned: likewise, smallest steps in each */
    double frames;                   /* ... so many: complete ones and the part of one */
    double step_seconds;             /* of a step, once caches are warm; 0 where there were too few */
    double steps;                    /* smallest ones */
    double skin_power;               /* of particles, with which surfaces grow */
    double skin_seconds, mesh_bytes; /* of a surface, over that power of the particles: means */
    double frame_bytes, state_bytes; /* per particle: of a frame's fields, of a checkpoint */
    double memory;                   /* bytes, at most */
    double *stiffness;               /* m2/s2, owned: one per substance */
    bool is_complete;                /* it saw the whole film */
    char divergence[256];            /* why it ended; "" where it did not diverge */
} dlp_trial;

/* DLP_INTERRUPTED after Ctrl-C; a copy that diverges is a finding, no failure. Release the trial, also after
 * a failure. */
dlp_status dlp_trial_run(const dlp_trial_def *def, dlp_trial *out_trial, dlp_error *error);
void dlp_trial_release(dlp_trial *trial);

double dlp_processor_clock(void); /* s of processor time of the calling thread */

#endif
