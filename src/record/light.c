#include "record/light.h"
#include "base/memory.h"

#include <stdlib.h>

enum { SHADOW_SIZE = 1024, TAP_COUNT = 16, BLUR = 2 };

static void place_ball(const dlp_shadow *shadow, dlp_vec3 x, double radius, dlp_ball *out_ball)
{
    const dlp_vec3 q = dlp_sub(x, shadow->middle);
    *out_ball =
        (dlp_ball){(float)(SHADOW_SIZE / 2.0 + shadow->scale * dlp_dot(q, shadow->right)),
                   (float)(SHADOW_SIZE / 2.0 + shadow->scale * dlp_dot(q, shadow->up)),
                   (float)(shadow->scale * radius), (float)-dlp_dot(q, shadow->toward), (float)radius};
}

dlp_status dlp_shadow_init(dlp_shadow *shadow, const dlp_preview_def *def, dlp_vec3 toward,
                           const dlp_box *box, dlp_error *error)
{
    *shadow = (dlp_shadow){.toward = toward, .middle = dlp_mul(dlp_add(box->min, box->max), 0.5)};
    const dlp_vec3 aside = fabs(toward.x) < 0.7 ? dlp_vec(1, 0, 0) : dlp_vec(0, 1, 0);
    shadow->right = dlp_normalize(dlp_cross(aside, toward), dlp_vec(0, 1, 0));
    shadow->up = dlp_cross(toward, shadow->right);
    shadow->scale = 0.98 * SHADOW_SIZE / fmax(dlp_length(dlp_sub(box->max, box->min)), 1e-12);
    dlp_ball *balls = dlp_alloc((size_t)def->count, sizeof *balls, "pictures");
    if (balls == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d shadows", def->count);
    double largest = 0;
    for (int32_t i = 0; i < def->count; i++) {
        const double *x = def->positions + 3 * (size_t)i;
        const double radius = 1.2 * (double)def->radii[i];
        place_ball(shadow, dlp_vec(x[0], x[1], x[2]), radius, &balls[i]);
        largest = fmax(largest, radius);
    }
    shadow->bias = 2 * largest + 1.5 / shadow->scale;
    const dlp_status status = dlp_depth_map_init(&shadow->map, SHADOW_SIZE, SHADOW_SIZE, error);
    if (status == DLP_OK) dlp_depth_map_draw(&shadow->map, balls, def->count, def->team);
    dlp_free(balls);
    return status;
}

void dlp_shadow_release(dlp_shadow *shadow)
{
    dlp_depth_map_release(&shadow->map);
}

// Places of a sunflower's seeds in the unit disc: even, without a direction of their own.  [vogel1979]
static void seed_place(int32_t k, int32_t count, double turn, double *out_x, double *out_y)
{
    const double radius = sqrt((k + 0.5) / count), angle = 2.399963229728653 * k + turn;
    *out_x = radius * cos(angle);
    *out_y = radius * sin(angle);
}

double dlp_shadow_light(const dlp_shadow *shadow, dlp_vec3 x, double blur)
{
    dlp_ball at;
    place_ball(shadow, x, 0, &at);
    const double spread = fmax(blur * shadow->scale, 1);
    int32_t lit = 0;
    for (int32_t k = 0; k < TAP_COUNT; k++) {
        static const double seeds[TAP_COUNT][2] = {
            {0.1768, 0.0000},   {-0.2258, 0.2068}, {0.0346, -0.3938}, {0.2846, 0.3711},
            {-0.5222, -0.0924}, {0.4946, -0.3146}, {-0.1544, 0.6187}, {-0.3140, -0.6077},
            {0.6844, 0.2500},   {-0.7114, 0.2943}, {0.3426, -0.7340}, {0.2544, 0.8090},
            {-0.7672, -0.4440}, {0.8980, -0.1968}, {-0.5442, 0.7799}, {-0.1254, -0.9762}};
        const int32_t px = (int32_t)floor((double)at.x + spread * seeds[k][0]);
        const int32_t py = (int32_t)floor((double)at.y + spread * seeds[k][1]);
        const bool is_outside = px < 0 || py < 0 || px >= SHADOW_SIZE || py >= SHADOW_SIZE;
        if (is_outside)
            lit++;
        else
            lit += (double)at.depth <= (double)shadow->map.depth[py * SHADOW_SIZE + px] + shadow->bias;
    }
    return (double)lit / TAP_COUNT;
}

typedef struct occlusion {
    const float *depth;
    const float *raw;  // before the blur
    float *out;
    double reach, scale;  // m, pixels at a distance of 1
    int32_t width, height;
    double seeds[TAP_COUNT][2];
} occlusion;

static size_t pixel(const occlusion *o, int32_t x, int32_t y)
{
    return (size_t)y * (size_t)o->width + (size_t)x;
}

// Share of the neighbourhood that lies in front of this pixel, but not so far that it is something else.
// Places are taken in opposite pairs, whose mean a plane that is seen aslant does not change.
static double closed_share(const occlusion *o, int32_t x, int32_t y)
{
    const double depth = (double)o->depth[pixel(o, x, y)];
    const double radius = fmin(fmax(o->reach * o->scale / depth, 2), 60);
    // Turning the seeds from pixel to pixel in a 4 x 4 pattern trades banding for noise that the blur
    // removes.
    const double turn = ((x & 3) * 4 + (y & 3) * 1) * (DLP_PI / 8), c = cos(turn), s = sin(turn);
    double closed = 0, count = 0;
    for (int32_t k = 0; k < TAP_COUNT; k++) {
        const int32_t dx = (int32_t)lrint(radius * (c * o->seeds[k][0] - s * o->seeds[k][1]));
        const int32_t dy = (int32_t)lrint(radius * (s * o->seeds[k][0] + c * o->seeds[k][1]));
        if (x - abs(dx) < 0 || y - abs(dy) < 0 || x + abs(dx) >= o->width || y + abs(dy) >= o->height)
            continue;
        const double one = (depth - (double)o->depth[pixel(o, x + dx, y + dy)]) / o->reach;
        const double other = (depth - (double)o->depth[pixel(o, x - dx, y - dy)]) / o->reach;
        const double ahead = (fmax(fmin(one, 2), -2) + fmax(fmin(other, 2), -2)) / 2;
        const double far = fmax(fabs(one), fabs(other));
        count++;
        if (ahead > 0.03) closed += fmin(ahead * 2, 1) / fmax(far * far, 1);
    }
    return count > 0 ? closed / count : 0;
}

static void occlude_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const occlusion *o = context;
    for (int32_t y = begin; y < end; y++) {
        for (int32_t x = 0; x < o->width; x++) {
            const bool is_empty = o->depth[pixel(o, x, y)] >= DLP_DEPTH_NONE;
            o->out[pixel(o, x, y)] = is_empty ? 1 : (float)(1 - closed_share(o, x, y));
        }
    }
}

// Mean over 4 x 4 pixels of about the same depth.
static void blur_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const occlusion *o = context;
    for (int32_t y = begin; y < end; y++) {
        for (int32_t x = 0; x < o->width; x++) {
            const float depth = o->depth[pixel(o, x, y)];
            float sum = 0, weight = 0;
            for (int32_t k = 0; k < 16; k++) {
                const int32_t px = x + k % 4 - BLUR, py = y + k / 4 - BLUR;
                if (px < 0 || py < 0 || px >= o->width || py >= o->height) continue;
                if (fabsf(o->depth[pixel(o, px, py)] - depth) > (float)o->reach) continue;
                sum += o->raw[pixel(o, px, py)];
                weight += 1;
            }
            o->out[pixel(o, x, y)] = weight > 0 ? sum / weight : o->raw[pixel(o, x, y)];
        }
    }
}

dlp_status dlp_openness(const float *depth, const dlp_camera *camera, double reach, int32_t width,
                        int32_t height, dlp_team *team, float *out_openness, dlp_error *error)
{
    float *raw = dlp_alloc((size_t)width * (size_t)height, sizeof *raw, "pictures");
    if (raw == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d x %d pixels", width, height);
    occlusion o = {.depth = depth, .out = raw, .reach = reach, .scale = camera->scale};
    o.width = width;
    o.height = height;
    for (int32_t k = 0; k < TAP_COUNT; k++) seed_place(k, TAP_COUNT, 0, &o.seeds[k][0], &o.seeds[k][1]);
    dlp_parallel_for(team, height, 8, occlude_rows, &o);
    o.raw = raw;
    o.out = out_openness;
    dlp_parallel_for(team, height, 8, blur_rows, &o);
    dlp_free(raw);
    return DLP_OK;
}
