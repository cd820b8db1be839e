/* Containers (obstacles with `inside: true`) that are open above. Their walls go on upward as far as anything
 * can rise: to the highest place where something starts, the height to which its speed there carries it, and
 * half the container's own. */
#include "scene/containers.h"

#include <math.h>

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

// m/s: the largest value of a speed, key frames included.
static double fastest(const dlp_scene_def *scene, const dlp_emitter_def *emitter)
{
    double speed = emitter->speed;
    for (int32_t k = 0; k < scene->track_count; k++)
        for (int32_t i = 0; scene->tracks[k].target == &emitter->speed && i < scene->tracks[k].key_count; i++)
            speed = fmax(speed, scene->tracks[k].values[i]);
    return speed;
}

// m along the up axis: how high something may get that starts at a height with a speed.
static double highest_from(const dlp_scene_def *scene, double height, double speed)
{
    return height + speed * speed / (2 * dlp_length(scene->gravity));
}

static double highest_place(const dlp_scene_def *scene, int axis, double sign)
{
    double highest = -HUGE_VAL;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        dlp_shape *shape;
        const dlp_substance_def *def = &scene->substances[k];
        if (def->shape.kind == DLP_SHAPE_NONE) continue;
        if (dlp_shape_create(&def->shape, scene->dimension, scene->folder, &shape, NULL) != DLP_OK) continue;
        const dlp_box box = dlp_shape_bounds(shape);
        const double top = sign * dlp_component(sign > 0 ? box.max : box.min, axis);
        highest = fmax(highest, highest_from(scene, top, dlp_length(def->velocity)));
        dlp_shape_destroy(shape);
    }
    for (int32_t k = 0; k < scene->emitter_count; k++) {
        const double height = sign * dlp_component(scene->emitters[k].position, axis);
        highest = fmax(highest, highest_from(scene, height, fastest(scene, &scene->emitters[k])));
    }
    return highest;
}

// Turned and moving ones are closed: which of their faces is above changes. So are spheres, meshes and all
// that has no upper face of its own.
static bool can_open(const dlp_obstacle_def *o, int axis)
{
    const bool is_turned = dlp_length(o->rotation) + dlp_length(o->shape.rotate) > 0;
    const bool is_scaled = o->shape.scale > 0 && o->shape.scale != 1;
    const bool is_moving = o->position_track != NULL || o->rotation_track != NULL;
    if (axis < 0 || is_turned || is_moving || is_scaled) return false;
    const dlp_vec3 along = dlp_sub(o->shape.to, o->shape.from);
    return o->shape.kind == DLP_SHAPE_BOX ||
           (o->shape.kind == DLP_SHAPE_CYLINDER &&
            fabs(dlp_component(along, axis)) > (1 - 1e-12) * dlp_length(along));
}

static double *axis_of(dlp_vec3 *v, int axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

// `highest` in the shape's own coordinates.
static void open_shape(dlp_shape_def *shape, int axis, double sign, double highest)
{
    const bool is_box = shape->kind == DLP_SHAPE_BOX;
    double *low = axis_of(is_box ? &shape->min : &shape->from, axis),
           *high = axis_of(is_box ? &shape->max : &shape->to, axis);
    double *top = sign * *high > sign * *low ? high : low;
    const double wanted = highest + 0.5 * fabs(*high - *low);
    if (isfinite(wanted) && wanted > sign * *top) *top = sign * wanted;
}

void dlp_scene_def_open_containers(dlp_scene_def *scene)
{
    double sign;
    const int axis = up_axis(scene->gravity, &sign);
    const double highest = axis >= 0 ? highest_place(scene, axis, sign) : 0;
    for (int32_t k = 0; k < scene->obstacle_count; k++) {
        dlp_obstacle_def *o = &scene->obstacles[k];
        if (!o->shape.inside || o->lid || !can_open(o, axis)) continue;
        const double offset = dlp_component(dlp_add(o->position, o->shape.translate), axis);
        open_shape(&o->shape, axis, sign, highest - sign * offset);
    }
}

bool dlp_container_is_closed(const dlp_scene_def *scene, int32_t obstacle)
{
    double sign;
    const dlp_obstacle_def *o = &scene->obstacles[obstacle];
    return o->shape.inside && (o->lid || !can_open(o, up_axis(scene->gravity, &sign)));
}
