/* Containers as pictures show them: cut open. */
#ifndef DLP_RECORD_RENDER_STAGE_WALL_H
#define DLP_RECORD_RENDER_STAGE_WALL_H

#include "record/render/stage.h"

/* Leaves of a container's surface the walls that face the eye, up to the height of what the picture shows. */
dlp_status dlp_stage_open_container(const dlp_stage *stage, dlp_body *body, dlp_error *error);

#endif
