#include "motion/obstacle.h"

dlp_status dlp_obstacle_init(dlp_obstacle *obstacle, const dlp_obstacle_def *def, const dlp_scene_def *scene,
                             dlp_error *error)
{
    *obstacle = (dlp_obstacle){.def = def};
    obstacle->is_moving = def->position_track != NULL || def->rotation_track != NULL;
    return dlp_shape_create(&def->shape, scene->dimension, scene->folder, &obstacle->shape, error);
}

void dlp_obstacle_release(dlp_obstacle *obstacle)
{
    dlp_shape_destroy(obstacle->shape);
    *obstacle = (dlp_obstacle){0};
}

// The axis against gravity where it is one of the three, with its sign; -1 otherwise.
static int up_axis(dlp_vec3 gravity, double *out_sign)
{
    for (int axis = 0; axis < 3; axis++) {
        const double g = dlp_component(gravity, axis);
        *out_sign = g < 0 ? 1 : -1;
        if (g != 0 && fabs(g) > 0.999 * dlp_length(gravity)) return axis;
    }
    return -1;
}

// How high something starts, along the up axis.
static double highest_start(const dlp_scene_def *scene, int axis, double sign)
{
    double highest = -1e300;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        dlp_shape *shape;
        const dlp_substance_def *def = &scene->substances[k];
        if (def->shape.kind == DLP_SHAPE_NONE) continue;
        if (dlp_shape_create(&def->shape, scene->dimension, scene->folder, &shape, NULL) != DLP_OK) continue;
        const dlp_box box = dlp_shape_bounds(shape);
        highest = fmax(highest, sign * dlp_component(sign > 0 ? box.max : box.min, axis));
        dlp_shape_destroy(shape);
    }
    for (int32_t k = 0; k < scene->emitter_count; k++)
        highest = fmax(highest, sign * dlp_component(scene->emitters[k].position, axis));
    return highest;
}

static void open_box(dlp_shape_def *box, int axis, double sign, double highest)
{
    double *ends[2][3] = {{&box->min.x, &box->min.y, &box->min.z}, {&box->max.x, &box->max.y, &box->max.z}};
    double *top = ends[sign > 0][axis];
    const double size = fabs(*ends[1][axis] - *ends[0][axis]);
    if (isfinite(highest) && highest > sign * *top) *top = sign * (highest + 0.5 * size);
}

void dlp_obstacles_open(dlp_scene_def *scene)
{
    double sign;
    const int axis = up_axis(scene->gravity, &sign);
    if (axis < 0) return;
    const double highest = highest_start(scene, axis, sign);
    for (int32_t k = 0; k < scene->obstacle_count; k++) {
        dlp_obstacle_def *o = &scene->obstacles[k];
        const bool is_rotated = dlp_length(o->rotation) + dlp_length(o->shape.rotate) > 0;
        const bool is_moved = dlp_length(o->position) + dlp_length(o->shape.translate) > 0 ||
                              o->position_track != NULL || o->rotation_track != NULL;
        if (o->shape.kind == DLP_SHAPE_BOX && o->shape.inside && !is_rotated && !is_moved)
            open_box(&o->shape, axis, sign, highest);
    }
}

static dlp_vec3 value_at(const dlp_track *track, dlp_vec3 still, double time)
{
    if (track == NULL) return still;
    double value[3];
    dlp_track_value(track, time, value);
    return dlp_vec(value[0], value[1], value[2]);
}

dlp_transform dlp_obstacle_transform(const dlp_obstacle *obstacle, double time)
{
    const dlp_obstacle_def *def = obstacle->def;
    const dlp_vec3 position = value_at(def->position_track, def->position, time);
    const dlp_vec3 rotation = value_at(def->rotation_track, def->rotation, time);
    dlp_transform transform = dlp_transform_of(dlp_vec(0, 0, 0), rotation);
    transform.translation = dlp_add(position, dlp_sub(def->pivot, dlp_rotate(&transform, def->pivot)));
    return transform;
}

dlp_twist dlp_obstacle_twist(const dlp_obstacle *obstacle, double time)
{
    if (!obstacle->is_moving) return (dlp_twist){0};
    // Central differences over a span that is short for any motion and long for a double's last bit.
    const double span = 1e-5;
    const dlp_transform before = dlp_obstacle_transform(obstacle, time - span);
    const dlp_transform after = dlp_obstacle_transform(obstacle, time + span);
    const dlp_transform now = dlp_obstacle_transform(obstacle, time);
    dlp_twist twist = {.origin = dlp_to_world(&now, obstacle->def->pivot)};
    const dlp_vec3 moved =
        dlp_sub(dlp_to_world(&after, obstacle->def->pivot), dlp_to_world(&before, obstacle->def->pivot));
    twist.linear = dlp_mul(moved, 0.5 / span);
    // omega = 1/2 sum e_k x de_k/dt over the body's axes e_k
    for (int k = 0; k < 3; k++) {
        const dlp_vec3 axis = dlp_vec(k == 0, k == 1, k == 2);
        const dlp_vec3 e = dlp_rotate(&now, axis);
        const dlp_vec3 rate =
            dlp_mul(dlp_sub(dlp_rotate(&after, axis), dlp_rotate(&before, axis)), 0.5 / span);
        twist.angular = dlp_along(twist.angular, dlp_cross(e, rate), 0.5);
    }
    return twist;
}

double dlp_obstacle_probe(const dlp_obstacle *obstacle, const dlp_transform *transform, dlp_vec3 x,
                          dlp_vec3 *out_normal)
{
    dlp_vec3 normal;
    const double distance = dlp_shape_probe(obstacle->shape, dlp_to_body(transform, x), &normal);
    *out_normal = dlp_rotate(transform, normal);
    return distance;
}
