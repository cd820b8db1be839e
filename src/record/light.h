/* Light of a preview: the shadow that the particles cast, and the dimness of crevices. */
#ifndef DLP_RECORD_LIGHT_H
#define DLP_RECORD_LIGHT_H

#include "record/preview_parts.h"
#include "record/splat.h"

/* Depths of the particles as a far lamp sees them. */
typedef struct dlp_shadow {
    dlp_vec3 right, up, toward; /* toward: unit vector to the lamp */
    dlp_vec3 middle;
    double scale; /* pixels a metre */
    double bias;  /* m: a particle does not shade itself */
    dlp_depth_map map;
} dlp_shadow;
dlp_status dlp_shadow_init(dlp_shadow *shadow, const dlp_preview_def *def, dlp_vec3 toward,
                           const dlp_box *box, dlp_error *error);
void dlp_shadow_release(dlp_shadow *shadow);
/* 0 in full shadow, 1 in full light; `blur` is the half width of its edge, m. */
double dlp_shadow_light(const dlp_shadow *shadow, dlp_vec3 x, double blur);

/* How open every pixel is to its surroundings, 0..1, from the depths alone; `reach` in m.
 * Screen-space ambient occlusion. [mittring2007] */
dlp_status dlp_openness(const float *depth, const dlp_camera *camera, double reach, int32_t width,
                        int32_t height, dlp_team *team, float *out_openness, dlp_error *error);

#endif
