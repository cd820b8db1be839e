// Draws spheres into a depth buffer, in parallel over bands of rows.
#include "record/splat.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>

// Everything is empty: infinitely far, nobody's.
dlp_status dlp_depth_map_init(dlp_depth_map *map, int32_t width, int32_t height, dlp_error *error)
{
    const size_t size = (size_t)width * (size_t)height;
    *map = (dlp_depth_map){.width = width, .height = height};
    map->depth = dlp_alloc(size, sizeof *map->depth, "pictures");
    map->owner = dlp_alloc(size, sizeof *map->owner, "pictures");
    if (map->depth == NULL || map->owner == NULL) {
        dlp_depth_map_release(map);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %" PRId32 " x %" PRId32 " depths",
                        width, height);
    }
    for (size_t k = 0; k < size; k++) {
        map->depth[k] = DLP_DEPTH_NONE;
        map->owner[k] = -1;
    }
    return DLP_OK;
}

void dlp_depth_map_release(dlp_depth_map *map)
{
    dlp_free(map->depth);
    dlp_free(map->owner);
    *map = (dlp_depth_map){0};
}

// All borrowed during one call.
typedef struct drawing {
    dlp_depth_map *map;
    const dlp_ball *balls;
    int32_t count;
} drawing;

// One row of one ball: the pixels whose middles it covers.
static void draw_row(dlp_depth_map *map, const dlp_ball *ball, int32_t number, int32_t y)
{
    const float dy = ((float)y + 0.5f - ball->y) / ball->radius;
    const float half = ball->radius * sqrtf(fmaxf(1 - dy * dy, 0));
    const float left = fmaxf(ceilf(ball->x - half - 0.5f), 0);
    const float right = fminf(floorf(ball->x + half - 0.5f), (float)(map->width - 1));
    if (!(left <= right)) return;
    for (int32_t x = (int32_t)left; x <= (int32_t)right; x++) {
        const float dx = ((float)x + 0.5f - ball->x) / ball->radius;
        const float depth = ball->depth - ball->thickness * sqrtf(fmaxf(1 - dx * dx - dy * dy, 0));
        const size_t k = (size_t)y * (size_t)map->width + (size_t)x;
        if (depth >= map->depth[k]) continue;
        map->depth[k] = depth;
        map->owner[k] = number;
    }
}

// Rows [begin, end) of every ball, balls in their order, so that ties are decided alike for any number of
// threads.
static void draw_band(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const drawing *d = context;
    for (int32_t b = 0; b < d->count; b++) {
        const dlp_ball *ball = &d->balls[b];
        const float top = fmaxf(ceilf(ball->y - ball->radius - 0.5f), (float)begin);
        const float bottom = fminf(floorf(ball->y + ball->radius - 0.5f), (float)(end - 1));
        if (!(ball->radius > 0 && top <= bottom)) continue;
        for (int32_t y = (int32_t)top; y <= (int32_t)bottom; y++) draw_row(d->map, ball, b, y);
    }
}

// Each band looks at all balls; that is cheap beside drawing them, and needs no sorting.
void dlp_depth_map_draw(dlp_depth_map *map, const dlp_ball *balls, int32_t count, dlp_team *team)
{
    enum { BAND = 64 };
    drawing d = {map, balls, count};
    dlp_parallel_for(team, map->height, BAND, draw_band, &d);
}
