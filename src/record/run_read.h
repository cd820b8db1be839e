/* A run that was recorded, read back from its folder: its scene, its frames, its surfaces. */
#ifndef DLP_RECORD_RUN_READ_H
#define DLP_RECORD_RUN_READ_H

#include "motion/setting.h"
#include "record/frame_read.h"

/* A run held open: the scene and the list of frames; the frames themselves are read one by one. All-zero
 * is none. */
typedef struct dlp_run {
    char *folder;
    dlp_scene *scene;         /* owned */
    const dlp_scene_def *def; /* borrowed from the scene */
    dlp_setting setting;      /* its bodies are the scene's obstacles, in order */
    dlp_pvd_frame *frames;    /* of the particles, ascending by number; damaged ones are left out */
    int32_t frame_count;
} dlp_run;

/* May change the scene before it is resolved: options of the command. */
typedef dlp_status dlp_run_set_fn(dlp_scene *scene, void *context, dlp_error *error);
/* The folder must hold a scene.yaml. `set` may be NULL. Close the run; after a failure it is all-zero. */
dlp_status dlp_run_open(const char *folder, dlp_run_set_fn *set, void *context, dlp_run *out_run,
                        dlp_error *error);
void dlp_run_close(dlp_run *run);

/* The particles of the frame at `index` of the list, with substances checked against the scene; release
 * them. */
dlp_status dlp_run_read_frame(const dlp_run *run, int32_t index, dlp_particle_frame *out_frame,
                              dlp_error *error);
/* Path of the surface of a substance at frame `number`, "surface-NAME/0012.ply", or with `substance` -1 of
 * the one that holds them all, "surface/0012.ply"; .obj and .stl are tried after .ply. Free it. NULL where
 * there is none. */
char *dlp_run_surface_path(const dlp_run *run, int32_t substance, int32_t number);

#endif
