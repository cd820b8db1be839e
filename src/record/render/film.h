/* What the rays of every pixel bring, before it becomes a picture: planes of floats, row after row from
 * the top. */
#ifndef DLP_RECORD_RENDER_FILM_H
#define DLP_RECORD_RENDER_FILM_H

#include "record/render/render_scene.h"

/* Light in two parts (record/render/path_trace.h), each as three planes of pixels: red, green, blue. */
enum { DLP_FILM_SHARP, DLP_FILM_SOFT, DLP_FILM_PARTS };

/* Planes of width x height floats, all within `memory`. All-zero is none. */
typedef struct dlp_film {
    int32_t width, height;
    float *light[DLP_FILM_PARTS][3]; /* radiance */
    float *noise[DLP_FILM_PARTS];    /* variance of the mean luminance */
    float *albedo[3];                /* of what is seen, 0..1 */
    float *normal[3];                /* means of unit vectors */
    float *distance; /* to what is seen first, in units of the render scene; large for the sky */
    float *memory;   /* owned: holds all planes */
} dlp_film;

/* Zeroed; the caller releases it. */
dlp_status dlp_film_init(dlp_film *film, int32_t width, int32_t height, dlp_error *error);
void dlp_film_release(dlp_film *film);

/* Traces `samples` paths per pixel; where the picture is denoised later, fewer through pixels that are
 * known well enough before. The same bits for any number of threads. */
void dlp_film_render(dlp_film *film, const dlp_render_scene *scene, int32_t samples, dlp_team *team);

/* Takes the noise out of both parts of the light, in place; `samples` is what the film was rendered with. */
dlp_status dlp_film_denoise(dlp_film *film, int32_t samples, dlp_team *team, dlp_error *error);

/* Radiance to what a screen shows, linear 0..1: a short toe, colours as they are, bright light bent to
 * white.  [khronos2024] */
dlp_vec3 dlp_tone(dlp_vec3 radiance);

#endif
