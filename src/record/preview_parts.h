/* What the parts of a preview share: the box that is shown, colours, obstacles. */
#ifndef DLP_RECORD_PREVIEW_PARTS_H
#define DLP_RECORD_PREVIEW_PARTS_H

#include "record/preview.h"

dlp_box dlp_preview_box(const dlp_preview_def *def); /* m: what the picture should show; never empty */
/* Its two steps: the box of the particles without those that fly far off or have fallen below `bottom`, m
 * along up (false where there are none), and that box with the walls and obstacles around it (NULL: of the
 * obstacles alone). */
bool dlp_preview_particle_box(const dlp_preview_def *def, double bottom, dlp_box *out_box);
dlp_box dlp_preview_box_around(const dlp_preview_def *def, const dlp_box *particles);

/* The colours of all particles, linear light; free them with dlp_free. */
dlp_status dlp_preview_color(const dlp_preview_def *def, dlp_vec3 **out_colors, dlp_error *error);

/* m: distance to all obstacles together (negative inside), HUGE_VAL where there are none; and which one is
 * nearest, -1 for none. */
double dlp_preview_distance(const dlp_preview_def *def, dlp_vec3 x, int32_t *out_obstacle);

/* Draws into an image that is there, over all of its pixels. */
dlp_status dlp_preview_draw_plane(const dlp_preview_def *def, dlp_image *image, dlp_error *error);

#endif
