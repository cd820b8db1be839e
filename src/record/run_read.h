/* A run that was recorded, read back from its folder: its scene, its frames, its surfaces. */
#ifndef DLP_RECORD_RUN_READ_H
#define DLP_RECORD_RUN_READ_H

#include "motion/setting.h"
#include "record/frame_read.h"

/* All-zero is none. */
typedef struct dlp_run {
    char *folder;
    dlp_scene *scene;
    const dlp_scene_def *def; /* borrowed from the scene */
    dlp_setting setting;      /* its bodies are the scene's obstacles, in order */
    dlp_pvd_frame *frames;    /* of the particles, by number; damaged ones are left out */
    int32_t frame_count;
} dlp_run;

/* The folder must hold a scene.yaml. `set` (may be NULL) changes the scene before it is resolved. */
typedef dlp_status dlp_run_set_fn(dlp_scene *scene, void *context, dlp_error *error);
dlp_status dlp_run_open(const char *folder, dlp_run_set_fn *set, void *context, dlp_run *out_run,
                        dlp_error *error);
void dlp_run_close(dlp_run *run);

/* The particles of the frame at place `index` of the list; release them. */
dlp_status dlp_run_read_frame(const dlp_run *run, int32_t index, dlp_particle_frame *out_frame,
                              dlp_error *error);
/* Path of the surface of a substance at a frame, "surface-NAME/0012.ply", or with `substance` -1 of the one
 * that holds them all, "surface/0012.ply", or .obj or .stl; free it. NULL where there is none. */
char *dlp_run_surface_path(const dlp_run *run, int32_t substance, int32_t number);

#endif
