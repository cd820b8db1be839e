/* The camera of a film. */
#ifndef DLP_RECORD_FILM_FILM_CAMERA_H
#define DLP_RECORD_FILM_FILM_CAMERA_H

#include "record/render/render.h"
#include "scene/scene.h"

/* The scene's camera as its key frames have it at `time`, s. */
dlp_camera_def dlp_camera_def_at(const dlp_scene_def *def, double time);
/* What the scene leaves open is chosen so that all of the box is seen. `up` is a unit vector; sizes are in
 * pixels. */
dlp_camera dlp_film_camera(const dlp_camera_def *request, const dlp_box *box, dlp_vec3 up, int32_t width,
                           int32_t height);

#endif
