/* Containers as pictures show them: cut open. */
#ifndef DLP_RECORD_RENDER_RENDER_CONTAINER_H
#define DLP_RECORD_RENDER_RENDER_CONTAINER_H

#include "record/render/render_scene.h"

/* Keeps of a container's surface only the walls that face the eye, up to the height of what the picture
 * shows. */
dlp_status dlp_render_scene_open_container(const dlp_render_scene *scene, dlp_render_body *body,
                                           dlp_error *error);

#endif
