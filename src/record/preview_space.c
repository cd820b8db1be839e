// A picture of what lies in space: particles as shaded spheres, obstacles as pale surfaces behind them.
#include "record/light.h"
#include "record/palette.h"
#include "base/memory.h"

enum { FINE = 2 };  // samples a pixel along x and y

static const double ball_scale = 1.3;  // a particle's sphere of rest volume leaves gaps; this closes them

typedef struct picture {
    const dlp_preview_def *def;
    dlp_vec3 *colors;  // of the particles
    dlp_image *image;
    dlp_box box;
    double radius;      // m: half the box's diagonal
    dlp_camera camera;  // in pixels of the image
    dlp_ball *balls;    // in fine pixels
    dlp_depth_map map;  // fine
    dlp_hit *hits;      // obstacles, one a pixel
    float *depth;       // nearest of all, one a pixel
    float *openness;
    dlp_shadow shadow;
} picture;

static void release(picture *p)
{
    dlp_free(p->balls);
    dlp_free(p->colors);
    dlp_depth_map_release(&p->map);
    dlp_free(p->hits);
    dlp_free(p->depth);
    dlp_free(p->openness);
    dlp_shadow_release(&p->shadow);
}

static dlp_status make_room(picture *p, dlp_error *error)
{
    DLP_TRY(dlp_preview_color(p->def, &p->colors, error));
    const size_t size = (size_t)p->image->width * (size_t)p->image->height;
    p->balls = dlp_alloc((size_t)p->def->count, sizeof *p->balls, "pictures");
    p->hits = dlp_alloc(size, sizeof *p->hits, "pictures");
    p->depth = dlp_alloc(size, sizeof *p->depth, "pictures");
    p->openness = dlp_alloc(size, sizeof *p->openness, "pictures");
    if (p->balls == NULL || p->hits == NULL || p->depth == NULL || p->openness == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d x %d pixels", p->image->width,
                        p->image->height);
    return dlp_depth_map_init(&p->map, FINE * p->image->width, FINE * p->image->height, error);
}

static void project_particles(picture *p)
{
    const dlp_camera *camera = &p->camera;
    for (int32_t i = 0; i < p->def->count; i++) {
        const double *x = p->def->positions + 3 * (size_t)i;
        const dlp_vec3 q = dlp_sub(dlp_vec(x[0], x[1], x[2]), camera->eye);
        const double depth = dlp_dot(q, camera->forward), radius = ball_scale * (double)p->def->radii[i];
        p->balls[i] = (dlp_ball){0};
        if (!(depth > 2 * radius && radius > 0 && depth < 1e15)) continue;
        const double scale = FINE * camera->scale / depth;
        p->balls[i] = (dlp_ball){(float)(FINE * camera->center_x + scale * dlp_dot(q, camera->right)),
                                 (float)(FINE * camera->center_y - scale * dlp_dot(q, camera->up)),
                                 (float)(scale * radius), (float)depth, (float)radius};
    }
}

static dlp_vec3 background(const picture *p, int32_t y)
{
    const double height = (double)y / p->image->height;
    return dlp_color_linear(
        dlp_color_mix(dlp_vec(0.965, 0.972, 0.980), dlp_vec(0.835, 0.862, 0.890), height));
}

static dlp_vec3 place_at(const picture *p, double x, double y, double depth)
{
    const dlp_vec3 way = dlp_camera_ray(&p->camera, x, y);
    return dlp_along(p->camera.eye, way, depth / dlp_dot(way, p->camera.forward));
}

// Light on a surface: from the sky, bounced from below, and from the lamp where it reaches.
static double brightness(const picture *p, dlp_vec3 normal, double lit, double open)
{
    const double sky = 0.5 + 0.5 * dlp_dot(normal, dlp_normalize(p->def->up, dlp_vec(0, 0, 1)));
    const double lamp = fmax(dlp_dot(normal, p->shadow.toward), 0);
    return (0.34 + 0.28 * sky) * open * open + 0.58 * lamp * lit * (0.4 + 0.6 * open);
}

// Whether a pixel of an obstacle lies on a crease or a rim, where a line is drawn.
static double edge_share(const picture *p, int32_t x, int32_t y)
{
    static const int32_t around[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    const int32_t width = p->image->width, height = p->image->height;
    const dlp_hit *here = &p->hits[(size_t)y * (size_t)width + (size_t)x];
    double edge = 0;
    for (int32_t k = 0; k < 4; k++) {
        const int32_t px = x + around[k][0], py = y + around[k][1];
        if (px < 0 || py < 0 || px >= width || py >= height) continue;
        const dlp_hit *there = &p->hits[(size_t)py * (size_t)width + (size_t)px];
        const float along = here->normal[0] * there->normal[0] + here->normal[1] * there->normal[1] +
                            here->normal[2] * there->normal[2];
        if (there->depth >= DLP_DEPTH_NONE || along < 0.8f) edge += 0.5;
    }
    return fmin(edge, 1);
}

// Obstacle over background; fades out far from what the picture is about.
static dlp_vec3 shade_obstacle(const picture *p, int32_t x, int32_t y, dlp_vec3 behind)
{
    const size_t k = (size_t)y * (size_t)p->image->width + (size_t)x;
    const dlp_hit *hit = &p->hits[k];
    if (hit->depth >= DLP_DEPTH_NONE) return behind;
    const dlp_vec3 normal = dlp_vec((double)hit->normal[0], (double)hit->normal[1], (double)hit->normal[2]);
    const dlp_vec3 place = place_at(p, x + 0.5, y + 0.5, (double)hit->depth);
    const double lit = dlp_shadow_light(&p->shadow, place, 0.03 * p->radius);
    const double open =
        0.5 + 0.5 * (double)p->openness[k];  // milder: drops before a wall leave no smudge on it
    const double light = brightness(p, normal, lit, open);
    const dlp_vec3 albedo = dlp_mul(dlp_vec(0.79, 0.815, 0.85), 1 - 0.35 * edge_share(p, x, y));
    const double away = dlp_length(dlp_sub(place, p->shadow.middle)) / p->radius;
    const double fade = fmin(fmax((away - 1.15) / 1.6, 0), 1);
    return dlp_color_mix(behind, dlp_mul(albedo, light), 0.80 * (1 - fade) * (1 - fade));
}

static dlp_vec3 shade_ball(const picture *p, int32_t owner, double x, double y, double depth, double open)
{
    const dlp_ball *ball = &p->balls[owner];
    const double dx = (FINE * x - (double)ball->x) / (double)ball->radius;
    const double dy = (FINE * y - (double)ball->y) / (double)ball->radius;
    const double dz = sqrt(fmax(1 - dx * dx - dy * dy, 0));
    const dlp_vec3 normal = dlp_add(dlp_add(dlp_mul(p->camera.right, dx), dlp_mul(p->camera.up, -dy)),
                                    dlp_mul(p->camera.forward, -dz));
    const dlp_vec3 place = place_at(p, x, y, depth);
    const double lit = dlp_shadow_light(&p->shadow, place, 0.015 * p->radius);
    const dlp_vec3 halfway = dlp_normalize(dlp_sub(p->shadow.toward, p->camera.forward), normal);
    const double facing = fmax(dlp_dot(normal, halfway), 0), second = facing * facing,
                 fourth = second * second;
    const double gloss = fourth * fourth * fourth * fourth * fourth * fourth * fourth * fourth * lit;
    const dlp_vec3 color = dlp_mul(p->colors[owner], 1.15 * brightness(p, normal, lit, open));
    return dlp_add(color, dlp_mul(dlp_vec(1, 1, 1), 0.10 * gloss));
}

// One of the fine samples of a pixel, over what the pixel shows without particles.
static dlp_vec3 shade_sample(const picture *p, int32_t fine_x, int32_t fine_y, const dlp_hit *hit,
                             double open, dlp_vec3 behind)
{
    const size_t k = (size_t)fine_y * (size_t)p->map.width + (size_t)fine_x;
    if (p->map.owner[k] < 0) return behind;
    const float depth = p->map.depth[k];
    const dlp_vec3 color =
        shade_ball(p, p->map.owner[k], (fine_x + 0.5) / FINE, (fine_y + 0.5) / FINE, (double)depth, open);
    const bool is_covered = hit->depth < depth - 0.5f * p->balls[p->map.owner[k]].thickness;
    return is_covered ? dlp_color_mix(color, behind, 0.35) : color;  // an obstacle in front is see-through
}

static void shade_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const picture *p = context;
    for (int32_t y = begin; y < end; y++) {
        const dlp_vec3 sky = background(p, y);
        for (int32_t x = 0; x < p->image->width; x++) {
            const size_t k = (size_t)y * (size_t)p->image->width + (size_t)x;
            const dlp_vec3 behind = shade_obstacle(p, x, y, sky);
            dlp_vec3 sum = {0};
            for (int32_t s = 0; s < FINE * FINE; s++)
                sum = dlp_add(sum, shade_sample(p, FINE * x + s % FINE, FINE * y + s / FINE, &p->hits[k],
                                                (double)p->openness[k], behind));
            const dlp_vec3 color = dlp_mul(sum, 1.0 / (FINE * FINE));
            uint8_t *out = p->image->pixels + 3 * k;
            out[0] = dlp_color_byte(color.x);
            out[1] = dlp_color_byte(color.y);
            out[2] = dlp_color_byte(color.z);
        }
    }
}

// The nearest of particles and obstacles in every pixel.
static void join_depths(picture *p)
{
    for (int32_t y = 0; y < p->image->height; y++) {
        for (int32_t x = 0; x < p->image->width; x++) {
            const size_t k = (size_t)y * (size_t)p->image->width + (size_t)x;
            const float *fine = p->map.depth + (size_t)(FINE * y) * (size_t)p->map.width + (size_t)(FINE * x);
            const float near_two = fminf(fine[0], fine[1]);
            const float nearest = fminf(near_two, fminf(fine[p->map.width], fine[p->map.width + 1]));
            p->depth[k] = nearest < DLP_DEPTH_NONE ? nearest : p->hits[k].depth;
        }
    }
}

static double typical_radius(const dlp_preview_def *def)
{
    double sum = 0;
    for (int32_t i = 0; i < def->count; i++) sum += (double)def->radii[i];
    return def->count > 0 ? sum / def->count : 0;
}

static dlp_status draw(picture *p, dlp_error *error)
{
    const dlp_camera *camera = &p->camera;
    DLP_TRY(make_room(p, error));
    project_particles(p);
    dlp_depth_map_draw(&p->map, p->balls, p->def->count, p->def->team);
    const dlp_vec3 middle = dlp_mul(dlp_add(p->box.min, p->box.max), 0.5);
    const double farthest = dlp_length(dlp_sub(middle, camera->eye)) + 4 * p->radius;
    dlp_preview_march(p->def, camera, farthest, p->image->width, p->image->height, p->hits);
    const dlp_vec3 up = dlp_normalize(p->def->up, dlp_vec(0, 0, 1));
    const dlp_vec3 lamp = dlp_sub(dlp_sub(up, dlp_mul(camera->right, 0.45)), dlp_mul(camera->forward, 0.25));
    DLP_TRY(dlp_shadow_init(&p->shadow, p->def, dlp_normalize(lamp, up), &p->box, error));
    join_depths(p);
    const double reach = fmax(4 * typical_radius(p->def), 0.03 * p->radius);
    DLP_TRY(dlp_openness(p->depth, camera, reach, p->image->width, p->image->height, p->def->team,
                         p->openness, error));
    dlp_parallel_for(p->def->team, p->image->height, 8, shade_rows, p);
    return DLP_OK;
}

dlp_status dlp_preview_draw_space(const dlp_preview_def *def, dlp_image *image, dlp_error *error)
{
    picture p = {.def = def, .image = image, .box = dlp_preview_box(def)};
    p.radius = dlp_length(dlp_sub(p.box.max, p.box.min)) / 2;
    p.camera = dlp_camera_fit(&p.box, def->up, image->width, image->height);
    const dlp_status status = draw(&p, error);
    release(&p);
    return status;
}
