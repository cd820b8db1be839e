/* What the parts of a preview share: the frame around what is shown, the camera, obstacles seen by rays. */
#ifndef DLP_RECORD_PREVIEW_PARTS_H
#define DLP_RECORD_PREVIEW_PARTS_H

#include "record/preview.h"

/* Framing. */
dlp_box dlp_preview_box(const dlp_preview_def *def); /* m: what the picture should show, never empty */
/* Its two steps: the particles without those that fly far off (false where there are none), and what stands
 * around them (NULL: around nothing). */
bool dlp_preview_particle_box(const dlp_preview_def *def, dlp_box *out_box);
dlp_box dlp_preview_box_around(const dlp_preview_def *def, const dlp_box *particles);

/* The colours of all particles, linear light; free them. */
dlp_status dlp_preview_color(const dlp_preview_def *def, dlp_vec3 **out_colors, dlp_error *error);

/* All obstacles together: distance (negative inside) and which one is nearest, -1 for none. */
double dlp_preview_distance(const dlp_preview_def *def, dlp_vec3 x, int32_t *out_obstacle);

/* A pinhole camera; pixels from the top left. */
typedef struct dlp_camera {
    dlp_vec3 eye, right, up, forward;
    double scale; /* pixels at a distance of 1 */
    double center_x, center_y;
} dlp_camera;
dlp_camera dlp_camera_fit(const dlp_box *box, dlp_vec3 up, int32_t width, int32_t height);
dlp_vec3 dlp_camera_ray(const dlp_camera *camera, double x, double y); /* unit length */

/* The first obstacle surface behind free space on the ray of every pixel. */
typedef struct dlp_hit {
    float depth;     /* along the camera's forward; DLP_DEPTH_NONE for none */
    float normal[3]; /* in the world */
} dlp_hit;
void dlp_preview_march(const dlp_preview_def *def, const dlp_camera *camera, double farthest, int32_t width,
                       int32_t height, dlp_hit *out_hits);

/* The two kinds of picture. */
dlp_status dlp_preview_draw_space(const dlp_preview_def *def, dlp_image *image, dlp_error *error);
dlp_status dlp_preview_draw_plane(const dlp_preview_def *def, dlp_image *image, dlp_error *error);

#endif
