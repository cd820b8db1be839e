/* Random numbers of a path: one low-discrepancy sequence over all pixels in Z order, so that the samples
 * of a pixel, and those of every square block of pixels, fill the space of paths evenly: what the eye and
 * the denoiser average has little error.  [ahmed2020] They follow from pixel and sample alone, whatever
 * thread draws them. */
#ifndef DLP_RECORD_RENDER_SAMPLING_H
#define DLP_RECORD_RENDER_SAMPLING_H

#include <stdint.h>

/* Where in the sequence a path stands; a value, copied freely. */
typedef struct dlp_sampler {
    uint32_t index;     /* of the sample in the sequence */
    uint32_t dimension; /* pairs drawn so far */
} dlp_sampler;

/* The order of the bits reversed. */
static inline uint32_t dlp_reverse_bits(uint32_t x)
{
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return (x >> 16) | (x << 16);
}

/* Owen's scrambling of a number whose lowest bit is its first digit.  [burley2020] */
static inline uint32_t dlp_scramble(uint32_t x, uint32_t seed)
{
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return x;
}

/* Digits of the second dimension of Sobol's sequence, lowest first: Pascal's triangle modulo 2. */
static inline uint32_t dlp_sobol_digits(uint32_t x)
{
    x ^= (x >> 1) & 0x55555555u;
    x ^= (x >> 2) & 0x33333333u;
    x ^= (x >> 4) & 0x0f0f0f0fu;
    x ^= (x >> 8) & 0x00ff00ffu;
    return x ^ (x >> 16);
}

/* A hash of the pair's number and what the seed is for (0: order, 1: u, 2: v). */
static inline uint32_t dlp_seed(uint32_t dimension, uint32_t use)
{
    uint32_t x = dimension * 4 + use + 1;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* The eleven lowest bits of x at the even places; pictures wider than 2048 pixels repeat the sequence. */
static inline uint32_t dlp_spread_bits(uint32_t x)
{
    x &= 0x7ffu;
    x = (x | (x << 8)) & 0x00ff00ffu;
    x = (x | (x << 4)) & 0x0f0f0f0fu;
    x = (x | (x << 2)) & 0x33333333u;
    return (x | (x << 1)) & 0x55555555u;
}

/* `stride` is a power of two, at least the number of samples per pixel. */
static inline dlp_sampler dlp_sampler_at(int32_t x, int32_t y, int32_t sample, uint32_t stride)
{
    const uint32_t place = dlp_spread_bits((uint32_t)x) | (dlp_spread_bits((uint32_t)y) << 1);
    return (dlp_sampler){place * stride + (uint32_t)sample, 0};
}

/* The next two numbers, uniform in [0, 1). */
static inline void dlp_sampler_next(dlp_sampler *sampler, double *out_u, double *out_v)
{
    const uint32_t d = sampler->dimension++;
    /* Shuffled for every pair, so that pairs are independent of one another. */
    const uint32_t k = dlp_reverse_bits(dlp_scramble(dlp_reverse_bits(sampler->index), dlp_seed(d, 0)));
    const uint32_t u = dlp_reverse_bits(dlp_scramble(k, dlp_seed(d, 1)));
    const uint32_t v = dlp_reverse_bits(dlp_scramble(dlp_sobol_digits(k), dlp_seed(d, 2)));
    *out_u = u * 0x1p-32;
    *out_v = v * 0x1p-32;
}

#endif
