/* The folder of a run: which files are a run's, and which of them to drop. */
#ifndef DLP_RECORD_RUN_FOLDER_H
#define DLP_RECORD_RUN_FOLDER_H

#include "record/vtp.h"
#include "scene/scene.h"

/* Whether something a run writes is there. */
bool dlp_run_folder_is_used(const char *folder);
/* Removes what a run writes, and nothing else. */
dlp_status dlp_run_folder_clear(const char *folder, dlp_error *error);
/* Removes the numbered frames after `last_frame` of all folders a run has inside, and half-written ones. */
dlp_status dlp_run_folder_drop_frames(const char *folder, int32_t last_frame, dlp_error *error);
/* Surfaces, contours and films of surfaces: whether there are some; removes them, and nothing else. */
bool dlp_run_folder_has_surfaces(const char *folder, const dlp_scene_def *def);
dlp_status dlp_run_folder_clear_surfaces(const char *folder, const dlp_scene_def *def, dlp_error *error);
/* The numbered frames there are, by number, with their own times; free the list. Damaged ones are left out.
 */
dlp_status dlp_run_folder_list(const char *folder, const char *inside, dlp_pvd_frame **out_frames,
                               int32_t *out_count, dlp_error *error);
/* "FOLDER/INSIDE/0012.vtp", to be freed; NULL when there is no room. */
char *dlp_run_folder_frame_path(const char *folder, const char *inside, int32_t number);

#endif
