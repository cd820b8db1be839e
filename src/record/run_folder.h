/* The folder of a run: which files are a run's, and which of them to drop. Files that a run does not write
 * are never touched. A run writes:
 *
 *   scene.yaml           the scene with every parameter resolved
 *   stats.csv            a row per frame; probes.csv likewise where the scene has probes
 *   samples.csv          a row per sample of the probes that have a rate of their own
 *   particles/0012.vtp   frames, listed with their times in particles.pvd; contour/ and contour.pvd in 2-D
 *   surface/0012.ply     meshes (.ply, .obj, .stl, .glb; .vtp, listed in surface.pvd) and fields (.vdb);
 *                        surface-NAME/ per substance
 *   surface.glb          a film of the meshes, where it was asked for
 *   checkpoint.h5        the newest state
 *   preview.png          the last frame
 *
 * Numbers have four digits or more. NAME.part is a file that was being written when the run was killed. */
#ifndef DLP_RECORD_RUN_FOLDER_H
#define DLP_RECORD_RUN_FOLDER_H

#include "record/vtp.h"
#include "scene/scene.h"

/* Whether something that a run writes is there; true in doubt. */
bool dlp_run_folder_is_used(const char *folder);
/* Removes what a run writes, and nothing else. Folders stay where other files are in them. */
dlp_status dlp_run_folder_clear(const char *folder, dlp_error *error);
/* Removes the numbered frames after `last_frame` from all folders that a run has inside, and half-written
 * ones (.part). */
dlp_status dlp_run_folder_drop_frames(const char *folder, int32_t last_frame, dlp_error *error);
/* Surfaces, contours and films of surfaces: whether there are some; removes them, and nothing else. */
bool dlp_run_folder_has_surfaces(const char *folder, const dlp_scene_def *def);
dlp_status dlp_run_folder_clear_surfaces(const char *folder, const dlp_scene_def *def, dlp_error *error);
/* The numbered .vtp frames that are there, ascending by number, with their own times; free the list.
 * Damaged ones are left out; no folder is an empty list. */
dlp_status dlp_run_folder_list(const char *folder, const char *inside, dlp_pvd_frame **out_frames,
                               int32_t *out_count, dlp_error *error);
/* "FOLDER/INSIDE/0012.vtp", to be freed; NULL where there is no memory. */
char *dlp_run_folder_frame_path(const char *folder, const char *inside, int32_t number);

#endif
