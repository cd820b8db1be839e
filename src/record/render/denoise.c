// Takes noise out of light: a mean over pixels that see the same surface, in rounds with ever wider gaps
// between the pixels, each weighted by how alike normal, distance, albedo and brightness are, the last
// measured by the noise itself.  [dammertz2010; schied2017] Rounds read one set of planes and write another,
// row by row, so that the bits do not depend on the number of threads.
#include "record/render/denoise_parts.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

// Scratch planes of a picture's size: light, noise, two slopes, smoothed noise.
enum { EXTRA_PLANES = 3 + 1 + 2 + 1 };

// The picture goes on at its rim with the pixels of the rim.
static int32_t clamp_index(int32_t k, int32_t count)
{
    return k < 0 ? 0 : k >= count ? count - 1 : k;
}

// Weights of sRGB's primaries (Rec. 709).
static float luminance(float *const light[3], size_t k)
{
    return 0.2126f * light[0][k] + 0.7152f * light[1][k] + 0.0722f * light[2][k];
}

// Light is smoothed as it would fall on a white surface, divided by the albedo before and multiplied by it
// after, so that patterns of colour stay sharp. The bound keeps dark surfaces from blowing up their noise.
static const float least_albedo = 0.03f;

// Variances scale with the square of the light.
static void divide_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_denoising *d = context;
    dlp_film *film = d->film;
    for (size_t k = dlp_denoising_row(d, begin); k < dlp_denoising_row(d, end); k++) {
        const float bright = fmaxf(luminance(film->albedo, k), least_albedo);
        for (int32_t part = 0; part < DLP_FILM_PARTS; part++) {
            for (int32_t c = 0; c < 3; c++)
                film->light[part][c][k] /= fmaxf(film->albedo[c][k], least_albedo);
            film->noise[part][k] /= bright * bright;
        }
    }
}

// Soft light has no features of a single pixel: one that is brighter or darker than all eight around it is
// noise.
static void clip_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_denoising *d = context;
    const int32_t width = d->film->width, height = d->film->height;
    for (int32_t c = 0; c < 3; c++)
        for (int32_t y = begin; y < end; y++)
            for (int32_t x = 0; x < width; x++) {
                float low = HUGE_VALF, high = 0;
                for (int32_t k = 0; k < 9; k++) {
                    if (k == 4) continue;
                    const size_t row = dlp_denoising_row(d, clamp_index(y + k / 3 - 1, height));
                    const float value = d->light[c][row + (size_t)clamp_index(x + k % 3 - 1, width)];
                    low = value < low ? value : low;
                    high = value > high ? value : high;
                }
                const size_t here = dlp_denoising_row(d, y) + (size_t)x;
                const float value = d->light[c][here];
                d->new_light[c][here] = value < low ? low : value > high ? high : value;
            }
}

// Undoes divide_rows.
static void multiply_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_denoising *d = context;
    dlp_film *film = d->film;
    for (size_t k = dlp_denoising_row(d, begin); k < dlp_denoising_row(d, end); k++)
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

// How the distance changes from pixel to pixel: a plane seen at a slant is one surface, a step is two.
static void slope_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_denoising *d = context;
    const int32_t width = d->film->width, height = d->film->height;
    const float *z = d->film->distance;
    for (int32_t y = begin; y < end; y++) {
        const size_t row = dlp_denoising_row(d, y), above = dlp_denoising_row(d, clamp_index(y - 1, height)),
                     below = dlp_denoising_row(d, clamp_index(y + 1, height));
        for (int32_t x = 0; x < width; x++) {
            const size_t k = row + (size_t)x;
            const float left = z[row + (size_t)clamp_index(x - 1, width)],
                        right = z[row + (size_t)clamp_index(x + 1, width)];
            d->slope_x[k] = slope_between(left, z[k], right);
            d->slope_y[k] = slope_between(z[above + (size_t)x], z[k], z[below + (size_t)x]);
        }
    }
}

// The noise of a pixel, from its own samples and its neighbours' that see a surface of similar normal: few
// samples know little about themselves. With very few the spread of the neighbourhood counts as noise, too.
static float noise_around(const dlp_denoising *d, int32_t x, int32_t y)
{
    const dlp_film *film = d->film;
    const int32_t reach = d->is_sure ? 1 : 2;
    const size_t here = dlp_denoising_row(d, y) + (size_t)x;
    float count = 0, sum = 0, first = 0, second = 0;
    for (int32_t dy = -reach; dy <= reach; dy++)
        for (int32_t dx = -reach; dx <= reach; dx++) {
            const size_t k = dlp_denoising_row(d, clamp_index(y + dy, film->height)) +
                             (size_t)clamp_index(x + dx, film->width);
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
    return d->is_sure ? sum / count : fmaxf(sum / count, d->spread_share * spread);
}

static void noise_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_denoising *d = context;
    for (int32_t y = begin; y < end; y++)
        for (int32_t x = 0; x < d->film->width; x++)
            d->smooth_noise[dlp_denoising_row(d, y) + (size_t)x] = noise_around(d, x, y);
}

static void smooth_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_denoising *d = context;
    for (int32_t y = begin; y < end; y++) d->smooth_row(d, y);
}

// The best instruction set of this processor; all give the same bits.
static dlp_denoise_row *choose_row(void)
{
#if defined(DLP_HAVE_AVX2_PAIRS)
    dlp_target target = DLP_TARGET_PLAIN;
    if (dlp_target_choose(NULL, &target, NULL) == DLP_OK && target == DLP_TARGET_AVX2)
        return dlp_denoise_row_avx2;
#endif
    return dlp_denoise_row_plain;
}

static void swap(float **a, float **b)
{
    float *c = *a;
    *a = *b;
    *b = c;
}

// Reads `light`, writes `new_light`, and exchanges them.
static void clip(dlp_denoising *d, dlp_team *team)
{
    dlp_parallel_for(team, d->film->height, 8, clip_rows, d);
    for (int32_t c = 0; c < 3; c++) swap(&d->light[c], &d->new_light[c]);
}

// All rounds of one part of the light. Buffers change places from round to round; at the end the result is
// copied back where it does not lie in the film's own planes already.
static void smooth_part(dlp_denoising *d, int32_t part, int32_t rounds, float *first_noise, dlp_team *team)
{
    dlp_film *film = d->film;
    const size_t size = dlp_denoising_row(d, film->height) * sizeof(float);
    for (int32_t c = 0; c < 3; c++) d->light[c] = film->light[part][c];
    d->noise = film->noise[part];
    if (part == DLP_FILM_SOFT) clip(d, team);
    for (int32_t round = 0; round < rounds; round++) {
        d->gap = 1 << round;
        d->reach = round < 2 ? 2 : 1;
        d->smooth_noise = round == 0 ? first_noise : d->noise;  // later ones are smooth already
        if (round == 0) dlp_parallel_for(team, film->height, 8, noise_rows, d);
        dlp_parallel_for(team, film->height, 8, smooth_rows, d);
        for (int32_t c = 0; c < 3; c++) swap(&d->light[c], &d->new_light[c]);
        swap(&d->noise, &d->new_noise);
    }
    if (part == DLP_FILM_SOFT) clip(d, team);
    if (d->light[0] == film->light[part][0]) return;
    for (int32_t c = 0; c < 3; c++) {
        memcpy(d->new_light[c], d->light[c], size);
        swap(&d->light[c], &d->new_light[c]);
    }
    if (d->noise != film->noise[part]) swap(&d->noise, &d->new_noise);
}

// Sharp light has little noise and gets fewer rounds and a tighter tolerance than soft light. From 16 samples
// on a pixel's own noise is trusted.
dlp_status dlp_film_denoise(dlp_film *film, int32_t samples, dlp_team *team, dlp_error *error)
{
    const size_t size = (size_t)film->width * (size_t)film->height;
    float *room = dlp_alloc(size * EXTRA_PLANES, sizeof *room, "pictures");
    if (room == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY,
                        "picture: no room to smooth %" PRId32 " x %" PRId32 " pixels", film->width,
                        film->height);
    dlp_denoising d = {.film = film, .slope_x = room, .slope_y = room + size};
    for (size_t c = 0; c < 3; c++) d.new_light[c] = room + (3 + c) * size;
    d.new_noise = room + 6 * size;
    d.smooth_row = choose_row();
    dlp_parallel_for(team, film->height, 8, divide_rows, &d);
    dlp_parallel_for(team, film->height, 8, slope_rows, &d);
    static const int32_t rounds[DLP_FILM_PARTS] = {3, 5};
    static const float tolerance[DLP_FILM_PARTS] = {3, 4};
    for (int32_t part = 0; part < DLP_FILM_PARTS; part++) {
        d.is_sure = samples >= 16;
        d.spread_share = samples >= 4 ? 0.3f : 1;
        d.tolerance = tolerance[part];
        smooth_part(&d, part, rounds[part], room + 2 * size, team);
    }
    dlp_parallel_for(team, film->height, 8, multiply_rows, &d);
    dlp_free(room);
    return DLP_OK;
}
