/* What a dlp_scene holds. */
#ifndef DLP_SCENE_HANDLE_H
#define DLP_SCENE_HANDLE_H

#include "scene/resolve.h"

/* Everything is owned. The document is the truth; def and parameters are a cache that follows from it. */
struct dlp_scene {
    dlp_document document;     /* as written, and what dlp_scene_set changed */
    char *file;                /* for messages: "scenes/pour.yaml" */
    char *folder;              /* where relative file names start */
    char *name;                /* "pour" */
    bool is_resolved;          /* def and parameters follow from the document as it is now */
    dlp_scene_def *def;        /* the last good one; NULL before the first */
    dlp_parameters parameters; /* of `def` */
};

/* The table's row of a path; NULL for a whole entry of a list or map ("substances.honey"). DLP_INVALID with
 * the nearest key where the table has none. */
dlp_status dlp_scene_find_row(dlp_scene *scene, const char *path, const dlp_schema_row **out_row,
                              dlp_error *error);

#endif
