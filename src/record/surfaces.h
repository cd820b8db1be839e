/* The surfaces of a frame as files: FOLDER/surface/0012.ply, or FOLDER/surface-NAME/0012.ply where there are
 * several substances. */
#ifndef DLP_RECORD_SURFACES_H
#define DLP_RECORD_SURFACES_H

#include "record/frame.h"
#include "skin/skin.h"

/* DLP_UNSUPPORTED where this build cannot write what `def` asks for. */
dlp_status dlp_surfaces_check(const dlp_surface_def *def, dlp_error *error);

/* bytes: "surface-" and the longest name of a substance */
enum { DLP_SURFACE_FOLDER_SIZE = 160 };
/* The frames of one surface for ParaView. */
typedef struct dlp_surface_list {
    char inside[DLP_SURFACE_FOLDER_SIZE];
    dlp_frame_list frames;
} dlp_surface_list;
/* Those of all surfaces of a skin, in its order. All-zero is none yet. */
typedef struct dlp_surface_lists {
    dlp_surface_list *items;
    int32_t count;
} dlp_surface_lists;
void dlp_surface_lists_release(dlp_surface_lists *lists);

/* Writes all surfaces in the format of `def`; where it asks for them, a .vdb with the field and a .vtp beside
 * each, which joins its list in FOLDER/surface.pvd or surface-NAME.pvd. Folders are made as needed. */
dlp_status dlp_surfaces_write(const char *folder, const dlp_skin *skin, const dlp_surface_def *def,
                              dlp_pvd_frame frame, dlp_surface_lists *lists, dlp_error *error);

/* "surface" (NULL) or "surface-NAME": the folder of one of a skin's surfaces. */
void dlp_surface_folder(const char *substance, char out_name[DLP_SURFACE_FOLDER_SIZE]);

#endif
