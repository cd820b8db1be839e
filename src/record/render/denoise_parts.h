/* What the rounds of the denoiser share. */
#ifndef DLP_RECORD_RENDER_DENOISE_PARTS_H
#define DLP_RECORD_RENDER_DENOISE_PARTS_H

#include "base/target.h"
#include "record/render/film.h"

typedef struct dlp_denoising dlp_denoising;
/* Smooths row y from the planes the round reads into those it writes; compiled once per instruction set
 * (base/target.h). */
typedef void dlp_denoise_row(const dlp_denoising *d, int32_t y);
dlp_denoise_row dlp_denoise_row_plain, dlp_denoise_row_avx2;

/* The state of a round. Planes have the film's size; `light` and `noise` are the film's own or scratch,
 * whichever holds the last result. Everything is borrowed. */
struct dlp_denoising {
    dlp_film *film;
    int32_t gap, reach;      /* pixels: between those that are joined; how many gaps to each side, 1 or 2 */
    float *light[3], *noise; /* what the round reads */
    float *new_light[3], *new_noise; /* what the round writes */
    float *slope_x, *slope_y;        /* change of the distance per pixel */
    float *smooth_noise;             /* variance to compare by: smoother than the noise of a few samples */
    float tolerance;                 /* of a difference in brightness, in variances of the noise */
    bool is_sure;                    /* there are samples enough to know a pixel's noise ... */
    float spread_share; /* ... else this share of its neighbourhood's variance counts as noise, too */
    dlp_denoise_row *smooth_row;
};

/* Index of a row's first pixel in the planes. */
static inline size_t dlp_denoising_row(const dlp_denoising *d, int32_t y)
{
    return (size_t)y * (size_t)d->film->width;
}

#endif
