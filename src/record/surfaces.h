/* The surfaces of a frame as files: FOLDER/surface/0012.ply, or FOLDER/surface-NAME/0012.ply where there are
 * several substances. */
#ifndef DLP_RECORD_SURFACES_H
#define DLP_RECORD_SURFACES_H

#include "record/vtp.h"
#include "skin/skin.h"

/* DLP_UNSUPPORTED where this build cannot write what `def` asks for. */
dlp_status dlp_surfaces_check(const dlp_surface_def *def, dlp_error *error);

/* Writes all surfaces in the format of `def` and, where it asks for the field, a .vdb beside each. Folders
 * are made as needed. */
dlp_status dlp_surfaces_write(const char *folder, const dlp_skin *skin, const dlp_surface_def *def,
                              dlp_pvd_frame frame, dlp_error *error);

/* bytes: "surface-" and the longest name of a substance */
enum { DLP_SURFACE_FOLDER_SIZE = 160 };
/* "surface" (NULL) or "surface-NAME": the folder of one of a skin's surfaces. */
void dlp_surface_folder(const char *substance, char out_name[DLP_SURFACE_FOLDER_SIZE]);

#endif
