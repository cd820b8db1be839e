/* Paths of light from the eye backwards. */
#ifndef DLP_RECORD_RENDER_PATH_TRACE_H
#define DLP_RECORD_RENDER_PATH_TRACE_H

#include "record/render/sampling.h"
#include "record/render/render_scene.h"

/* What one path brings. Light is kept in two parts, which the denoiser treats differently. */
typedef struct dlp_path_light {
    dlp_vec3 sharp;  /* radiance of sun, glow and mirrors: little noise, sharp edges */
    dlp_vec3 soft;   /* radiance of light that a surface has scattered: noisy, smooth */
    dlp_vec3 albedo; /* of what is seen, also through clear bodies */
    dlp_vec3 normal; /* of what is seen first */
    double distance; /* to what is seen first, in units of the scene; large for the sky */
} dlp_path_light;

/* Follows light backwards from `from` along `direction` (unit). `bounces`: how often light may be
 * scattered between the first surface and the sky. Reads the scene alone, so that any number of threads
 * may trace it. */
dlp_path_light dlp_path_trace(const dlp_render_scene *scene, dlp_vec3 from, dlp_vec3 direction,
                              int32_t bounces, dlp_sampler *sampler);

#endif
