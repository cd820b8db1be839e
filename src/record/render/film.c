// Traces the paths of every pixel and keeps means and variances. Pixels are independent and their random
// numbers follow from place and sample alone, so that tiles may be traced by any thread.
#include "record/render/film.h"
#include "record/render/optics.h"
#include "record/render/path_trace.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>

enum {
    TILE = 16,                        // pixels along a tile's edge
    FIRST_SAMPLES = 8,                // between two looks at whether a pixel is known
    PLANES = 2 * (3 + 1) + 3 + 3 + 1  // of a film
};

// One allocation holds all planes.
dlp_status dlp_film_init(dlp_film *film, int32_t width, int32_t height, dlp_error *error)
{
    *film = (dlp_film){.width = width, .height = height};
    const size_t size = (size_t)width * (size_t)height;
    film->memory = dlp_alloc(size * PLANES, sizeof *film->memory, "pictures");
    if (film->memory == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %" PRId32 " x %" PRId32 " pixels",
                        width, height);
    float *next = film->memory;
    for (int32_t part = 0; part < DLP_FILM_PARTS; part++) {
        for (int32_t k = 0; k < 3; k++, next += size) film->light[part][k] = next;
        film->noise[part] = next;
        next += size;
    }
    for (int32_t k = 0; k < 3; k++, next += size) film->albedo[k] = next;
    for (int32_t k = 0; k < 3; k++, next += size) film->normal[k] = next;
    film->distance = next;
    return DLP_OK;
}

void dlp_film_release(dlp_film *film)
{
    dlp_free(film->memory);
    *film = (dlp_film){0};
}

// Parameters of one rendering.
typedef struct render_pass {
    dlp_film *film;
    const dlp_render_scene *scene;
    int32_t samples, bounces;  // per pixel at most; scatterings per path
    bool is_adaptive;          // a pixel that is known well enough gets no more samples
    uint32_t room;             // samples, rounded up to a power of two: the sampler's stride
    int32_t columns;           // of tiles
} render_pass;

// Inverts the distribution of a tent two pixels wide: the picture's filter is where the samples fall, so that
// pixels need no weights.
static double tent(double u)
{
    return u < 0.5 ? sqrt(2 * u) - 1 : 1 - sqrt(2 - 2 * u);
}

// Sums over the samples of a pixel.
typedef struct pixel_sums {
    dlp_vec3 light[DLP_FILM_PARTS], albedo, normal;
    double luminance[DLP_FILM_PARTS], square[DLP_FILM_PARTS];
    double distance;
} pixel_sums;

// A path that is not finite is left out rather than spoil its pixel.
static bool is_good(const dlp_path_light *light)
{
    return dlp_is_finite3(light->sharp) && dlp_is_finite3(light->soft) && dlp_is_finite3(light->albedo) &&
           dlp_is_finite3(light->normal) && isfinite(light->distance);
}

static void add_sample(pixel_sums *s, const dlp_path_light *light)
{
    const dlp_vec3 parts[DLP_FILM_PARTS] = {light->sharp, light->soft};
    for (int32_t part = 0; part < DLP_FILM_PARTS; part++) {
        const double luminance = dlp_luminance(parts[part]);
        s->light[part] = dlp_add(s->light[part], parts[part]);
        s->luminance[part] += luminance;
        s->square[part] += luminance * luminance;
    }
    s->albedo = dlp_add(s->albedo, light->albedo);
    s->normal = dlp_add(s->normal, light->normal);
    s->distance += light->distance;
}

static void write_planes(float *const planes[3], size_t k, dlp_vec3 value)
{
    planes[0][k] = (float)value.x;
    planes[1][k] = (float)value.y;
    planes[2][k] = (float)value.z;
}

// Means, and the variance of the mean: that of the samples over their number.
static void store_pixel(dlp_film *film, size_t k, const pixel_sums *s, int32_t count)
{
    const double share = count > 0 ? 1.0 / count : 0;
    for (int32_t part = 0; part < DLP_FILM_PARTS; part++) {
        const double mean = s->luminance[part] * share;
        const double variance = fmax(s->square[part] * share - mean * mean, 0);
        write_planes(film->light[part], k, dlp_mul(s->light[part], share));
        film->noise[part][k] = (float)(count > 1 ? variance / (count - 1) : 0);
    }
    write_planes(film->albedo, k, dlp_mul(s->albedo, share));
    write_planes(film->normal, k, dlp_mul(s->normal, share));
    film->distance[k] = (float)(s->distance * share);
}

// Whether the pixel is known well enough for the denoiser: the error of its light, by its own samples,
// against its brightness.
static bool is_known(const pixel_sums *s, int32_t count)
{
    if (count < 2) return false;
    static const double tolerance[DLP_FILM_PARTS] = {0.03, 0.15};
    const double share = 1.0 / count, bright = (s->luminance[0] + s->luminance[1]) * share + 0.05;
    for (int32_t part = 0; part < DLP_FILM_PARTS; part++) {
        const double mean = s->luminance[part] * share;
        const double variance = (s->square[part] * share - mean * mean) / (count - 1);
        if (variance > tolerance[part] * tolerance[part] * bright * bright) return false;
    }
    return true;
}

// Stops only at multiples of FIRST_SAMPLES, so that the samples stay evenly spread.
static void render_pixel(const render_pass *e, int32_t x, int32_t y)
{
    assert(x >= 0 && x < e->film->width && y >= 0 && y < e->film->height);
    const dlp_camera *camera = &e->scene->def->camera;
    pixel_sums s = {0};
    int32_t count = 0;
    for (int32_t k = 0; k < e->samples; k++) {
        if (e->is_adaptive && k > 0 && k % FIRST_SAMPLES == 0 && is_known(&s, count)) break;
        dlp_sampler sampler = dlp_sampler_at(x, y, k, e->room);
        double u, v;
        dlp_sampler_next(&sampler, &u, &v);
        const dlp_vec3 direction = dlp_camera_ray(camera, x + 0.5 + tent(u), y + 0.5 + tent(v));
        const dlp_path_light light = dlp_path_trace(e->scene, e->scene->eye, direction, e->bounces, &sampler);
        if (!is_good(&light)) continue;
        add_sample(&s, &light);
        count++;
    }
    store_pixel(e->film, (size_t)y * (size_t)e->film->width + (size_t)x, &s, count);
}

static void render_tiles(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const render_pass *e = context;
    for (int32_t tile = begin; tile < end; tile++) {
        const int32_t x0 = tile % e->columns * TILE, y0 = tile / e->columns * TILE;
        for (int32_t y = y0; y < y0 + TILE && y < e->film->height; y++)
            for (int32_t x = x0; x < x0 + TILE && x < e->film->width; x++) render_pixel(e, x, y);
    }
}

// More samples may follow more bounces: with few, noise would hide what they add.
void dlp_film_render(dlp_film *film, const dlp_render_scene *scene, int32_t samples, dlp_team *team)
{
    render_pass e = {.film = film,
                     .scene = scene,
                     .samples = samples,
                     .is_adaptive = scene->def->is_denoised && samples >= 2 * FIRST_SAMPLES,
                     .room = 1};
    while (e.room < (uint32_t)samples) e.room *= 2;
    e.bounces = samples <= 1 ? 1 : samples <= 16 ? 2 : 3;
    e.columns = (film->width + TILE - 1) / TILE;
    dlp_parallel_for(team, e.columns * ((film->height + TILE - 1) / TILE), 1, render_tiles, &e);
}

// Khronos PBR neutral: below `start` colours are kept but for a small offset; above, the peak is compressed
// towards 1 and mixed with white.  [khronos2024]
dlp_vec3 dlp_tone(dlp_vec3 radiance)
{
    const double start = 0.76, paleness = 0.15, room = 1 - start;
    const double least = fmin(radiance.x, fmin(radiance.y, radiance.z));
    const double toe = least < 0.08 ? least - 6.25 * least * least : 0.04;
    const dlp_vec3 color = dlp_sub(radiance, dlp_vec(toe, toe, toe));
    const double peak = dlp_largest(color);
    if (!(peak >= start)) return color;
    const double new_peak = 1 - room * room / (peak + room - start);
    const double white = 1 - 1 / (paleness * (peak - new_peak) + 1);
    const dlp_vec3 bent = dlp_mul(color, new_peak / peak);
    return dlp_along(dlp_mul(bent, 1 - white), dlp_vec(1, 1, 1), white * new_peak);
}
