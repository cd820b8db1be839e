/* The recorder of a run: owns its folder and writes into it, frame by frame, what the scene asks for. */
#ifndef DLP_RECORD_RECORDER_H
#define DLP_RECORD_RECORDER_H

#include "motion/world.h"

typedef enum dlp_run_mode {
    DLP_RUN_FRESH, /* refuses a folder with a run in it */
    DLP_RUN_FORCE, /* removes the run that is there, and nothing else */
    DLP_RUN_RESUME /* goes on from its checkpoint; from the beginning where there is none */
} dlp_run_mode;

typedef struct dlp_recorder_def {
    const char *folder;
    dlp_scene *scene; /* borrowed, checked */
    dlp_run_mode mode;
    void (*log)(const char *message, void *user); /* what this build cannot write; may be NULL */
    void *user;
} dlp_recorder_def;

typedef struct dlp_recorder dlp_recorder;

/* Prepares the folder and writes scene.yaml. To resume, the scene must be the checkpoint's but for length and
 * recording: the message names the first difference. Rows and frames after the checkpoint are dropped. */
dlp_status dlp_recorder_open(const dlp_recorder_def *def, dlp_recorder **out_recorder, dlp_error *error);
/* The last complete frame that is recorded; -1 where the run starts at the beginning. */
int32_t dlp_recorder_last_frame(const dlp_recorder *recorder);
/* Takes the world that is recorded from now on: gives it its skin and, where the run goes on, the
 * checkpoint's state. The world must outlive the recorder. */
dlp_status dlp_recorder_restore(dlp_recorder *recorder, dlp_world *world, dlp_error *error);

/* Records the world's frame (0 is the initial state), unless it is recorded already. */
dlp_status dlp_recorder_frame(dlp_recorder *recorder, dlp_world *world, dlp_error *error);
/* The end of a run, or its interruption, also within a frame: the last checkpoint where it is not written
 * yet, and the preview of the world as it stands. */
dlp_status dlp_recorder_finish(dlp_recorder *recorder, dlp_world *world, dlp_error *error);
void dlp_recorder_close(dlp_recorder *recorder); /* NULL is fine */

#endif
