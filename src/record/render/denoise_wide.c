// The inner loops of the denoiser, compiled once per instruction set (base/target.h). Pixels of a row are
// handled in blocks; lanes are pixels, so that every build adds in the same order and gives the same bits.
#include "record/render/denoise_parts.h"

#include <string.h>

enum { BLOCK = 64 };  // pixels whose sums fit in the first-level cache

// `count` pixels of a row from `first` on, and as many others from `other` on, `dx` and `dy` pixels away.
typedef struct pixel_pair {
    size_t first, other;
    int32_t count;
    float dx, dy;
} pixel_pair;

// How unlike the surfaces are: 0 where they are one, more than 8 where they have nothing in common. Distances
// are compared after the slope is taken off, with some slack for curvature.
static void compare_surfaces(const dlp_denoising *d, const pixel_pair *p, float *restrict out)
{
    const dlp_film *film = d->film;
    const float *nx = film->normal[0] + p->first, *mx = film->normal[0] + p->other;
    const float *ny = film->normal[1] + p->first, *my = film->normal[1] + p->other;
    const float *nz = film->normal[2] + p->first, *mz = film->normal[2] + p->other;
    const float *ar = film->albedo[0] + p->first, *br = film->albedo[0] + p->other;
    const float *ag = film->albedo[1] + p->first, *bg = film->albedo[1] + p->other;
    const float *ab = film->albedo[2] + p->first, *bb = film->albedo[2] + p->other;
    const float *z = film->distance + p->first, *far = film->distance + p->other;
    const float *zx = d->slope_x + p->first, *zy = d->slope_y + p->first;
    const float dx = p->dx, dy = p->dy;
#pragma omp simd
    for (int32_t k = 0; k < p->count; k++) {
        const float tx = nx[k] - mx[k], ty = ny[k] - my[k], tz = nz[k] - mz[k];
        const float r = ar[k] - br[k], g = ag[k] - bg[k], b = ab[k] - bb[k];
        const float step = zx[k] * dx + zy[k] * dy, beyond = far[k] - z[k] - step;
        const float slack = 0.5f * (step < 0 ? -step : step) + 2e-3f * z[k];
        const float depth = (beyond < 0 ? -beyond : beyond) / slack;
        out[k] = 20 * (tx * tx + ty * ty + tz * tz) + 60 * (r * r + g * g + b * b) + depth;
    }
}

// Adds how much more the brightness differs than noise explains, and makes weights of it: share exp(-x), with
// exp(-x) as (1 - x/8)^8, which ends at x = 8 and needs no library call.
static void compute_weights(const dlp_denoising *d, const pixel_pair *p, float share, float *restrict weights)
{
    const float *lr = d->light[0] + p->first, * or = d->light[0] + p->other;
    const float *lg = d->light[1] + p->first, *og = d->light[1] + p->other;
    const float *lb = d->light[2] + p->first, *ob = d->light[2] + p->other;
    const float *v = d->smooth_noise + p->first, *u = d->smooth_noise + p->other;
    const float tolerance = d->tolerance;
#pragma omp simd
    for (int32_t k = 0; k < p->count; k++) {
        const float bright =
            0.2126f * (lr[k] - or [k]) + 0.7152f * (lg[k] - og[k]) + 0.0722f * (lb[k] - ob[k]);
        const float noise = v[k] + u[k], excess = bright * bright - noise;
        const float contrast = (excess > 0 ? excess : 0) / (tolerance * noise + 1e-6f);
        const float x = 1 - 0.125f * (weights[k] + contrast);
        const float y = x > 0 ? x * x : 0, y2 = y * y;
        weights[k] = share * y2 * y2;
    }
}

// Sums of a round over the pixels of a block.
typedef struct color_sums {
    float light[3][BLOCK], noise[BLOCK], weight[BLOCK];
} color_sums;

// The variance of a weighted sum has the squares of the weights.
static void gather(const dlp_denoising *d, const pixel_pair *p, const float *restrict w,
                   color_sums *restrict s, int32_t start)
{
    const float *r = d->light[0] + p->other, *g = d->light[1] + p->other, *b = d->light[2] + p->other;
    const float *noise = d->noise + p->other;
    float *restrict sr = s->light[0] + start, *restrict sg = s->light[1] + start,
                    *restrict sb = s->light[2] + start;
    float *restrict sn = s->noise + start, *restrict sw = s->weight + start;
#pragma omp simd
    for (int32_t k = 0; k < p->count; k++) {
        sr[k] += w[k] * r[k];
        sg[k] += w[k] * g[k];
        sb[k] += w[k] * b[k];
        sn[k] += w[k] * w[k] * noise[k];
        sw[k] += w[k];
    }
}

// Adds the pixels i and j gaps away to those of a block, as far as they are in the picture; weights of a
// B-spline across the reach.
static void add_neighbours(const dlp_denoising *d, int32_t x0, int32_t y, int32_t count, int32_t i, int32_t j,
                           color_sums *s)
{
    static const float splines[2][5] = {{0, 0.25f, 0.5f, 0.25f, 0}, {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f}};
    const float *spline = splines[d->reach - 1];
    const int32_t dx = i * d->gap, dy = j * d->gap, width = d->film->width;
    const int32_t from = x0 + dx < 0 ? -(x0 + dx) : 0;
    const int32_t to = x0 + count + dx > width ? width - dx - x0 : count;
    if (from >= to || y + dy < 0 || y + dy >= d->film->height) return;
    const pixel_pair p = {.first = dlp_denoising_row(d, y) + (size_t)(x0 + from),
                          .other = dlp_denoising_row(d, y + dy) + (size_t)(x0 + from + dx),
                          .count = to - from,
                          .dx = (float)dx,
                          .dy = (float)dy};
    float weights[BLOCK];
    compare_surfaces(d, &p, weights);
    compute_weights(d, &p, spline[i + 2] * spline[j + 2], weights);
    gather(d, &p, weights, s, from);
}

// A pixel compared with itself has the largest weight, so the sum is never 0.
static void smooth_block(const dlp_denoising *d, int32_t x0, int32_t y, int32_t count)
{
    const size_t first = dlp_denoising_row(d, y) + (size_t)x0;
    color_sums s = {0};
    for (int32_t j = -d->reach; j <= d->reach; j++)
        for (int32_t i = -d->reach; i <= d->reach; i++) add_neighbours(d, x0, y, count, i, j, &s);
    for (int32_t k = 0; k < count; k++) {
        const size_t at = first + (size_t)k;
        const float weight = 1 / s.weight[k];
        for (int32_t c = 0; c < 3; c++) d->new_light[c][at] = s.light[c][k] * weight;
        d->new_noise[at] = s.noise[k] * weight * weight;
    }
}

// Where nothing is noisy everything stays as it is: saves most of the sky.
static bool is_quiet(const dlp_denoising *d, size_t first, int32_t count)
{
    float most = 0;
    for (int32_t k = 0; k < count; k++) {
        const float noise = d->smooth_noise[first + (size_t)k];
        most = noise > most ? noise : most;
    }
    return most < 1e-8f;
}

static void keep_block(const dlp_denoising *d, size_t first, int32_t count)
{
    const size_t size = (size_t)count * sizeof(float);
    for (int32_t c = 0; c < 3; c++) memcpy(d->new_light[c] + first, d->light[c] + first, size);
    memcpy(d->new_noise + first, d->noise + first, size);
}

void DLP_ON_TARGET(dlp_denoise_row)(const dlp_denoising *d, int32_t y)
{
    const int32_t width = d->film->width;
    for (int32_t x = 0; x < width; x += BLOCK) {
        const int32_t count = width - x < BLOCK ? width - x : BLOCK;
        const size_t first = dlp_denoising_row(d, y) + (size_t)x;
        if (is_quiet(d, first, count))
            keep_block(d, first, count);
        else
            smooth_block(d, x, y, count);
    }
}
