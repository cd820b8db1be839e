/* What the rounds of the denoiser share. */
#ifndef DLP_RECORD_RENDER_DENOISE_PARTS_H
#define DLP_RECORD_RENDER_DENOISE_PARTS_H

#include "base/target.h"
#include "record/render/film.h"

typedef struct dlp_denoising dlp_denoising;
/* Smooths a row; compiled once a target (base/target.h). */
typedef void dlp_denoise_row(const dlp_denoising *d, int32_t y);
dlp_denoise_row dlp_denoise_row_plain, dlp_denoise_row_avx2;

struct dlp_denoising {
    dlp_film *film;
    int32_t gap, reach; /* of the round: pixels between those that are joined, and how many to each side */
    float *light[3], *noise; /* what the round reads */
    float *new_light[3], *new_noise;
    float *slope_x, *slope_y; /* change of the distance from pixel to pixel */
    float *smooth_noise;      /* that can be compared by: smoother than the noise of a few samples */
    float tolerance;          /* of brightness, in variances of the noise */
    bool is_sure;             /* samples enough to tell a pixel's noise ... */
    float spread_share; /* ... else this share of how much its neighbourhood varies is taken for noise too */
    dlp_denoise_row *smooth_row;
};

static inline size_t dlp_denoising_row(const dlp_denoising *d, int32_t y)
{
    return (size_t)y * (size_t)d->film->width;
}

#endif
