// What a film shows: one box for all its frames, so that the camera stands still.
#include "record/film/framing.h"
#include "record/preview_parts.h"
#include "space/shape_surface.h"
#include "base/memory.h"

static dlp_box join(dlp_box a, dlp_box b)
{
    return (dlp_box){dlp_min3(a.min, b.min), dlp_max3(a.max, b.max)};
}

// By the key frames of their bodies.
void dlp_framing_obstacles(const dlp_run *run, double time, dlp_preview_obstacle *out_obstacles)
{
    for (int32_t k = 0; k < run->setting.bodies.count; k++)
        out_obstacles[k] = (dlp_preview_obstacle){run->setting.bodies.items[k].shape,
                                                  dlp_body_transform_at(&run->setting.bodies.items[k], time)};
}

// A scene without gravity has up along z, or y in 2-D.
dlp_vec3 dlp_framing_up(const dlp_scene_def *def)
{
    return dlp_normalize(dlp_mul(def->gravity, -1),
                         def->dimension == 2 ? dlp_vec(0, 1, 0) : dlp_vec(0, 0, 1));
}

dlp_box dlp_framing_box(const dlp_framing *framing, const dlp_surroundings *around)
{
    const dlp_preview_def def = {.dimension = around->scene->dimension,
                                 .up = dlp_framing_up(around->scene),
                                 .obstacles = around->obstacles,
                                 .obstacle_count = around->obstacle_count};
    return dlp_preview_box_around(&def, framing->has_particles ? &framing->particles : NULL);
}

// m along `up`: the bottom of a box.
static double lowest(const dlp_box *box, dlp_vec3 up)
{
    const dlp_vec3 low = dlp_vec(up.x > 0 ? box->min.x : box->max.x, up.y > 0 ? box->min.y : box->max.y,
                                 up.z > 0 ? box->min.z : box->max.z);
    return dlp_dot(low, up);
}

// m along `up`: the lowest corner of an obstacle, of the inside of a container, or of a map of heights, which
// are infinite below; HUGE_VAL where there is none.
static double lowest_of(const dlp_preview_obstacle *obstacle, bool is_flat, dlp_vec3 up)
{
    const dlp_box box = is_flat ? dlp_shape_bounds(obstacle->shape) : dlp_shape_extent(obstacle->shape);
    double height = HUGE_VAL;
    for (int32_t k = 0; k < 8; k++) {
        const dlp_vec3 corner = dlp_vec(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                                        is_flat ? 0
                                        : k & 4 ? box.max.z
                                                : box.min.z);
        if (!dlp_is_finite3(corner)) return HUGE_VAL;
        height = fmin(height, dlp_dot(dlp_to_world(&obstacle->frame, corner), up));
    }
    return height;
}

// What is lower than every obstacle has nothing left to land on; -HUGE_VAL where that is not known.
static double bottom_of(const dlp_surroundings *around)
{
    const dlp_vec3 up = dlp_framing_up(around->scene);
    double bottom = HUGE_VAL;
    for (int32_t k = 0; k < around->obstacle_count; k++) {
        const double low = lowest_of(&around->obstacles[k], around->scene->dimension == 2, up);
        bottom = low < HUGE_VAL ? fmin(bottom, low) : -HUGE_VAL;
    }
    return bottom < HUGE_VAL ? bottom : -HUGE_VAL;
}

// A frame in which everything has fallen off is shown only where it is the first.
void dlp_framing_add(dlp_framing *framing, const dlp_particle_frame *frame, const dlp_surroundings *around)
{
    const dlp_preview_def def = {.count = frame->count,
                                 .positions = frame->positions,
                                 .radii = frame->radii,
                                 .up = dlp_framing_up(around->scene)};
    dlp_box box;
    if (!dlp_preview_particle_box(&def, bottom_of(around), &box) &&
        (framing->has_particles || !dlp_preview_particle_box(&def, -HUGE_VAL, &box)))
        return;
    framing->particles = framing->has_particles ? join(framing->particles, box) : box;
    framing->has_particles = true;
}

static dlp_status make_obstacles(const dlp_run *run, dlp_preview_obstacle **out_obstacles, dlp_error *error)
{
    *out_obstacles = dlp_alloc((size_t)run->setting.bodies.count, sizeof **out_obstacles, "pictures");
    if (*out_obstacles == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d obstacles",
                        run->setting.bodies.count);
    return DLP_OK;
}

dlp_status dlp_framing_add_frame(dlp_framing *framing, const dlp_run *run, const dlp_particle_frame *frame,
                                 dlp_error *error)
{
    dlp_preview_obstacle *obstacles;
    DLP_TRY(make_obstacles(run, &obstacles, error));
    dlp_framing_obstacles(run, frame->time, obstacles);
    dlp_framing_add(framing, frame, &(dlp_surroundings){run->def, obstacles, run->setting.bodies.count});
    dlp_free(obstacles);
    return DLP_OK;
}

// Below everything that is shown and below every obstacle, of which it would else hide the lower part.
double dlp_framing_ground(const dlp_surroundings *around, const dlp_box *box)
{
    const dlp_vec3 up = dlp_framing_up(around->scene);
    double ground = lowest(box, up);
    for (int32_t k = 0; around->scene->dimension == 3 && k < around->obstacle_count; k++)
        ground = fmin(ground, lowest_of(&around->obstacles[k], false, up));
    return ground;
}

// Where obstacles move, the boxes of all frames are joined; the ground is where they stood at the start.
dlp_status dlp_framing_run(const dlp_framing *framing, const dlp_run *run, dlp_box *out_box,
                           double *out_ground, dlp_error *error)
{
    dlp_preview_obstacle *obstacles;
    DLP_TRY(make_obstacles(run, &obstacles, error));
    const dlp_surroundings around = {run->def, obstacles, run->setting.bodies.count};
    dlp_framing_obstacles(run, 0, obstacles);
    *out_box = dlp_framing_box(framing, &around);
    bool is_moving = false;
    for (int32_t k = 0; k < run->setting.bodies.count; k++)
        is_moving |= run->setting.bodies.items[k].is_moving;
    for (int32_t k = 0; is_moving && k < run->frame_count; k++) {
        dlp_framing_obstacles(run, run->frames[k].time, obstacles);
        *out_box = join(*out_box, dlp_framing_box(framing, &around));
    }
    dlp_framing_obstacles(run, 0, obstacles);
    *out_ground = dlp_framing_ground(&around, out_box);
    dlp_free(obstacles);
    return DLP_OK;
}
