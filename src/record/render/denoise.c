// Takes noise out of light: a mean over pixels that see the same surface, in rounds with ever wider gaps
// between the pixels, each weighted by how alike normal, distance, albedo and brightness are, the last
// measured by the noise itself.  [dammertz2010; schied2017]
#include "record/render/film.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

enum { BLOCK = 256, EXTRA_PLANES = 3 + 1 + 2 + 1 };

typedef struct denoising {
    dlp_film *film;
    int32_t gap;              // of the round, pixels
    float *light[3], *noise;  // what the round reads
    float *new_light[3], *new_noise;
    float *slope_x, *slope_y;  // change of the distance from pixel to pixel
    float *smooth_noise;
    float tolerance;  // of brightness, in standard deviations, squared
    bool has_noise;   // samples enough to tell
} denoising;

static size_t row_of(const denoising *d, int32_t y)
{
    return (size_t)y * (size_t)d->film->width;
}

static int32_t hold(int32_t k, int32_t count)
{
    return k < 0 ? 0 : k >= count ? count - 1 : k;
}

static float luminance(float *const light[3], size_t k)
{
    return 0.2126f * light[0][k] + 0.7152f * light[1][k] + 0.0722f * light[2][k];
}

// Light is smoothed as it falls on a white surface: patterns of colour stay sharp.

static const float least_albedo = 0.03f;

static void divide_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    denoising *d = context;
    dlp_film *film = d->film;
    for (size_t k = row_of(d, begin); k < row_of(d, end); k++) {
        const float bright = fmaxf(luminance(film->albedo, k), least_albedo);
        for (int32_t part = 0; part < DLP_FILM_PARTS; part++) {
            for (int32_t c = 0; c < 3; c++)
                film->light[part][c][k] /= fmaxf(film->albedo[c][k], least_albedo);
            film->noise[part][k] /= bright * bright;
        }
    }
}

static void multiply_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    denoising *d = context;
    dlp_film *film = d->film;
    for (size_t k = row_of(d, begin); k < row_of(d, end); k++)
        for (int32_t part = 0; part < DLP_FILM_PARTS; part++)
            for (int32_t c = 0; c < 3; c++)
                film->light[part][c][k] *= fmaxf(film->albedo[c][k], least_albedo);
}

// The smaller of the changes to both sides: the other one may lead to another surface.
static float slope_between(float before, float here, float after)
{
    const float a = here - before, b = after - here;
    return fabsf(a) < fabsf(b) ? a : b;
}

static void slope_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    denoising *d = context;
    const int32_t width = d->film->width, height = d->film->height;
    const float *z = d->film->distance;
    for (int32_t y = begin; y < end; y++) {
        const size_t row = row_of(d, y), above = row_of(d, hold(y - 1, height)),
                     below = row_of(d, hold(y + 1, height));
        for (int32_t x = 0; x < width; x++) {
            const size_t k = row + (size_t)x;
            const float left = z[row + (size_t)hold(x - 1, width)],
                        right = z[row + (size_t)hold(x + 1, width)];
            d->slope_x[k] = slope_between(left, z[k], right);
            d->slope_y[k] = slope_between(z[above + (size_t)x], z[k], z[below + (size_t)x]);
        }
    }
}

// The noise of a pixel, from its own samples and its neighbours': few samples know little about themselves.
static float noise_around(const denoising *d, int32_t x, int32_t y)
{
    const dlp_film *film = d->film;
    const int32_t reach = d->has_noise ? 1 : 2;
    const size_t here = row_of(d, y) + (size_t)x;
    float count = 0, sum = 0, first = 0, second = 0;
    for (int32_t dy = -reach; dy <= reach; dy++)
        for (int32_t dx = -reach; dx <= reach; dx++) {
            const size_t k = row_of(d, hold(y + dy, film->height)) + (size_t)hold(x + dx, film->width);
            float along = 0;
            for (int32_t c = 0; c < 3; c++) along += film->normal[c][here] * film->normal[c][k];
            const float weight = along > 0.8f ? 1.0f : 0.05f, value = luminance(d->light, k);
            count += weight;
            sum += weight * d->noise[k];
            first += weight * value;
            second += weight * value * value;
        }
    first /= count;
    const float spread = fmaxf(second / count - first * first, 0);
    return d->has_noise ? sum / count : fmaxf(sum / count, spread);
}

static void noise_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    denoising *d = context;
    for (int32_t y = begin; y < end; y++)
        for (int32_t x = 0; x < d->film->width; x++)
            d->smooth_noise[row_of(d, y) + (size_t)x] = noise_around(d, x, y);
}

// Pixels of a row, and the same number of others, `dx` and `dy` away.
typedef struct couple {
    size_t first, other;
    int32_t count;
    float dx, dy;
} couple;

// How alike the surfaces are: 0 where they are one, more than 8 where they have nothing in common.
static void compare_surfaces(const denoising *d, const couple *p, float *restrict out)
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
        const float along = nx[k] * mx[k] + ny[k] * my[k] + nz[k] * mz[k];
        const float r = ar[k] - br[k], g = ag[k] - bg[k], b = ab[k] - bb[k];
        const float step = zx[k] * dx + zy[k] * dy, beyond = far[k] - z[k] - step;
        const float slack = 0.5f * (step < 0 ? -step : step) + 2e-3f * z[k];
        const float depth = (beyond < 0 ? -beyond : beyond) / slack;
        out[k] = 40 * (1 - along) + 60 * (r * r + g * g + b * b) + depth;
    }
}

// Adds how much more the brightness differs than noise explains, and makes weights of it.
static void weigh(const denoising *d, const couple *p, float share, float *restrict weights)
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
        const float x = 1 - 0.125f * (weights[k] + contrast);  // exp(-x) as (1 - x/8)^8
        const float y = x > 0 ? x * x : 0, y2 = y * y;
        weights[k] = share * y2 * y2;
    }
}

// Sums of a round over pixels of a row.
typedef struct sums {
    float light[3][BLOCK], noise[BLOCK], weight[BLOCK];
} sums;

static void gather(const denoising *d, const couple *p, const float *restrict w, sums *restrict s,
                   int32_t start)
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

// Adds the pixels i and j gaps away to those of a block, as far as they are in the picture.
static void add_neighbours(const denoising *d, int32_t x0, int32_t y, int32_t count, int32_t i, int32_t j,
                           sums *s)
{
    static const float spline[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    const int32_t dx = i * d->gap, dy = j * d->gap, width = d->film->width;
    const int32_t from = x0 + dx < 0 ? -(x0 + dx) : 0;
    const int32_t to = x0 + count + dx > width ? width - dx - x0 : count;
    if (from >= to || y + dy < 0 || y + dy >= d->film->height) return;
    const couple p = {.first = row_of(d, y) + (size_t)(x0 + from),
                      .other = row_of(d, y + dy) + (size_t)(x0 + from + dx),
                      .count = to - from,
                      .dx = (float)dx,
                      .dy = (float)dy};
    float weights[BLOCK];
    compare_surfaces(d, &p, weights);
    weigh(d, &p, spline[i + 2] * spline[j + 2], weights);
    gather(d, &p, weights, s, from);
}

static void smooth_block(const denoising *d, int32_t x0, int32_t y, int32_t count)
{
    const size_t first = row_of(d, y) + (size_t)x0;
    sums s = {0};
    for (int32_t j = -2; j <= 2; j++)
        for (int32_t i = -2; i <= 2; i++) add_neighbours(d, x0, y, count, i, j, &s);
    for (int32_t k = 0; k < count; k++) {
        const size_t at = first + (size_t)k;
        const float weight = s.weight[k] > 0 ? 1 / s.weight[k] : 0;
        for (int32_t c = 0; c < 3; c++)
            d->new_light[c][at] = weight > 0 ? s.light[c][k] * weight : d->light[c][at];
        d->new_noise[at] = s.noise[k] * weight * weight;
    }
}

static void smooth_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const denoising *d = context;
    for (int32_t y = begin; y < end; y++)
        for (int32_t x = 0; x < d->film->width; x += BLOCK)
            smooth_block(d, x, y, d->film->width - x < BLOCK ? d->film->width - x : BLOCK);
}

static void swap(float **a, float **b)
{
    float *c = *a;
    *a = *b;
    *b = c;
}

// All rounds of one part; the result is in the film's own planes again.
static void smooth_part(denoising *d, int32_t part, int32_t rounds, dlp_team *team)
{
    dlp_film *film = d->film;
    const size_t size = row_of(d, film->height) * sizeof(float);
    for (int32_t c = 0; c < 3; c++) d->light[c] = film->light[part][c];
    d->noise = film->noise[part];
    for (int32_t round = 0; round < rounds; round++) {
        d->gap = 1 << round;
        dlp_parallel_for(team, film->height, 8, noise_rows, d);
        d->has_noise = true;  // from now on it is known
        dlp_parallel_for(team, film->height, 8, smooth_rows, d);
        for (int32_t c = 0; c < 3; c++) swap(&d->light[c], &d->new_light[c]);
        swap(&d->noise, &d->new_noise);
    }
    if (rounds % 2 == 0) return;
    for (int32_t c = 0; c < 3; c++) {
        memcpy(d->new_light[c], d->light[c], size);
        swap(&d->light[c], &d->new_light[c]);
    }
    swap(&d->noise, &d->new_noise);
}

dlp_status dlp_film_denoise(dlp_film *film, int32_t samples, dlp_team *team, dlp_error *error)
{
    const size_t size = (size_t)film->width * (size_t)film->height;
    float *room = dlp_alloc(size * EXTRA_PLANES, sizeof *room, "pictures");
    if (room == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY,
                        "picture: no room to smooth %" PRId32 " x %" PRId32 " pixels", film->width,
                        film->height);
    denoising d = {.film = film, .slope_x = room, .slope_y = room + size, .smooth_noise = room + 2 * size};
    for (size_t c = 0; c < 3; c++) d.new_light[c] = room + (3 + c) * size;
    d.new_noise = room + 6 * size;
    dlp_parallel_for(team, film->height, 8, divide_rows, &d);
    dlp_parallel_for(team, film->height, 8, slope_rows, &d);
    static const int32_t rounds[DLP_FILM_PARTS] = {3, 5};
    static const float tolerance[DLP_FILM_PARTS] = {1, 4};
    for (int32_t part = 0; part < DLP_FILM_PARTS; part++) {
        d.has_noise = samples >= 4;
        d.tolerance = tolerance[part];
        smooth_part(&d, part, rounds[part], team);
    }
    dlp_parallel_for(team, film->height, 8, multiply_rows, &d);
    dlp_free(room);
    return DLP_OK;
}
