#include "record/film/framing.h"
#include "record/preview_parts.h"
#include "base/memory.h"

static dlp_box join(dlp_box a, dlp_box b)
{
    return (dlp_box){dlp_min3(a.min, b.min), dlp_max3(a.max, b.max)};
}

void dlp_framing_add(dlp_framing *framing, const dlp_particle_frame *frame)
{
    const dlp_preview_def def = {.count = frame->count, .positions = frame->positions, .radii = frame->radii};
    dlp_box box;
    if (!dlp_preview_particle_box(&def, &box)) return;
    framing->particles = framing->has_particles ? join(framing->particles, box) : box;
    framing->has_particles = true;
}

void dlp_framing_obstacles(const dlp_run *run, double time, dlp_preview_obstacle *out_obstacles)
{
    for (int32_t k = 0; k < run->obstacle_count; k++)
        out_obstacles[k] =
            (dlp_preview_obstacle){run->obstacles[k].shape, dlp_obstacle_frame(&run->obstacles[k], time)};
}

dlp_vec3 dlp_framing_up(const dlp_scene_def *def)
{
    return dlp_normalize(dlp_mul(def->gravity, -1),
                         def->dimension == 2 ? dlp_vec(0, 1, 0) : dlp_vec(0, 0, 1));
}

dlp_status dlp_framing_box(const dlp_framing *framing, const dlp_run *run, dlp_box *out_box, dlp_error *error)
{
    dlp_preview_obstacle *obstacles = dlp_alloc((size_t)run->obstacle_count, sizeof *obstacles, "pictures");
    if (obstacles == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d obstacles", run->obstacle_count);
    const dlp_preview_def def = {.dimension = run->def->dimension,
                                 .up = dlp_framing_up(run->def),
                                 .obstacles = obstacles,
                                 .obstacle_count = run->obstacle_count};
    const dlp_box *particles = framing->has_particles ? &framing->particles : NULL;
    dlp_framing_obstacles(run, 0, obstacles);
    *out_box = dlp_preview_box_around(&def, particles);
    bool is_moving = false;
    for (int32_t k = 0; k < run->obstacle_count; k++) is_moving |= run->obstacles[k].is_moving;
    for (int32_t k = 0; is_moving && k < run->frame_count; k++) {
        dlp_framing_obstacles(run, run->frames[k].time, obstacles);
        *out_box = join(*out_box, dlp_preview_box_around(&def, particles));
    }
    dlp_free(obstacles);
    return DLP_OK;
}

static double lowest(const dlp_box *box, dlp_vec3 up)
{
    const dlp_vec3 low = dlp_vec(up.x > 0 ? box->min.x : box->max.x, up.y > 0 ? box->min.y : box->max.y,
                                 up.z > 0 ? box->min.z : box->max.z);
    return dlp_dot(low, up);
}

// Whether a floor at this height would be partly within an obstacle and partly above it: uneven ground.
static bool is_cutting(const dlp_preview_def *def, const dlp_box *box, double height, double slack)
{
    enum { ALONG = 7 };
    bool is_above = false, is_within = false;
    for (int32_t k = 0; k < ALONG * ALONG * ALONG; k++) {
        const double share[3] = {k % ALONG / (ALONG - 1.0), k / ALONG % ALONG / (ALONG - 1.0),
                                 k / (ALONG * ALONG) / (ALONG - 1.0)};
        const dlp_vec3 x = dlp_vec(box->min.x + share[0] * (box->max.x - box->min.x),
                                   box->min.y + share[1] * (box->max.y - box->min.y),
                                   box->min.z + share[2] * (box->max.z - box->min.z));
        int32_t obstacle;
        const dlp_vec3 foot = dlp_along(x, def->up, height - dlp_dot(x, def->up));
        const double distance = dlp_preview_distance(def, foot, &obstacle);
        is_above |= distance > slack;
        is_within |= distance < -slack;
    }
    return is_above && is_within;
}

dlp_status dlp_framing_ground(const dlp_run *run, const dlp_box *box, double *out_ground, dlp_error *error)
{
    dlp_preview_obstacle *obstacles = dlp_alloc((size_t)run->obstacle_count, sizeof *obstacles, "pictures");
    if (obstacles == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d obstacles", run->obstacle_count);
    dlp_framing_obstacles(run, 0, obstacles);
    const dlp_preview_def def = {.dimension = run->def->dimension,
                                 .up = dlp_framing_up(run->def),
                                 .obstacles = obstacles,
                                 .obstacle_count = run->obstacle_count};
    const double size = dlp_length(dlp_sub(box->max, box->min)), start = lowest(box, def.up);
    double ground = start;
    while (ground > start - 2 * size && is_cutting(&def, box, ground, 0.005 * size)) ground -= 0.02 * size;
    *out_ground = ground > start - 2 * size ? ground : start;
    dlp_free(obstacles);
    return DLP_OK;
}
