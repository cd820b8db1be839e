/* The scales of a scene, from which defaults are derived: how large it is and how fast things may get. */
#include "motion/sph/sph_scale.h"
#include "motion/sph/sph.h"
#include "scene/body_force.h"

static dlp_box empty_box(void)
{
    return (dlp_box){dlp_vec(1e300, 1e300, 1e300), dlp_vec(-1e300, -1e300, -1e300)};
}

static void include(dlp_box *box, dlp_vec3 x)
{
    box->min = dlp_min3(box->min, x);
    box->max = dlp_max3(box->max, x);
}

static bool is_bounded(const dlp_box *box, int axis)
{
    return isfinite(dlp_component(box->min, axis)) && isfinite(dlp_component(box->max, axis));
}

// Bounds of an obstacle's surface: a container has those of what it contains.
static dlp_status find_surface_bounds(const dlp_sph *sph, int32_t obstacle, dlp_box *out_bounds,
                                      dlp_error *error)
{
    const dlp_body *o = &sph->bodies[obstacle];
    *out_bounds = dlp_shape_bounds(o->shape);
    if (!o->def->shape.inside) return DLP_OK;
    dlp_shape_def content = o->def->shape;  // shares what it points at: not released
    content.inside = false;
    dlp_shape *shape;
    const dlp_status status =
        dlp_shape_create(&content, sph->scene->dimension, sph->scene->folder, &shape, NULL);
    if (status == DLP_OUT_OF_MEMORY) return dlp_fail(error, status, "obstacles[%d]: no room", obstacle);
    if (status == DLP_OK) *out_bounds = dlp_shape_bounds(shape);
    dlp_shape_destroy(shape);
    return DLP_OK;
}

dlp_status dlp_sph_find_bounds(dlp_sph *sph, dlp_error *error)
{
    for (int32_t k = 0; k < sph->scene->obstacle_count; k++)
        DLP_TRY(find_surface_bounds(sph, k, &sph->params.walls.bounds[k], error));
    return DLP_OK;
}

static dlp_box substance_box(const dlp_sph *sph)
{
    dlp_box box = empty_box();
    for (int32_t i = 0; i < sph->state.particles.count; i++)
        include(&box, dlp_particle_position(&sph->state.particles, i));
    for (int32_t k = 0; k < sph->scene->emitter_count; k++) include(&box, sph->scene->emitters[k].position);
    if (box.min.x > box.max.x) box = (dlp_box){{0, 0, 0}, {0, 0, 0}};
    return box;
}

// A height field goes on for ever, but what it is about lies over its own rectangle.
static void include_field(dlp_box *box, const dlp_shape_def *def, const dlp_transform *transform)
{
    if (def->kind != DLP_SHAPE_HEIGHT) return;
    const dlp_transform own = dlp_shape_placement(def);
    const double scale = def->scale > 0 ? def->scale : 1;
    for (int corner = 0; corner < 4; corner++) {
        const dlp_vec3 x =
            dlp_vec(corner & 1 ? def->max.x : def->min.x, corner & 2 ? def->max.y : def->min.y, def->low);
        include(box, dlp_to_world(transform, dlp_to_world(&own, dlp_mul(x, scale))));
    }
}

// The substance, and all obstacles that have an end.
static dlp_box content_box(const dlp_sph *sph)
{
    dlp_box box = substance_box(sph);
    for (int32_t k = 0; k < sph->scene->obstacle_count; k++) {
        const dlp_box bounds = sph->params.walls.bounds[k];
        const dlp_transform transform = dlp_body_transform_at(&sph->bodies[k], 0);
        include_field(&box, &sph->bodies[k].def->shape, &transform);
        for (int corner = 0; corner < 8; corner++) {
            double x[3];
            for (int axis = 0; axis < 3; axis++) {
                const double wanted = dlp_component(corner >> axis & 1 ? bounds.max : bounds.min, axis);
                x[axis] = is_bounded(&bounds, axis) ? wanted : 0;
            }
            if (is_bounded(&bounds, 0) && is_bounded(&bounds, 1))
                include(&box, dlp_to_world(&transform, dlp_vec(x[0], x[1], x[2])));
        }
    }
    return box;
}

// Where things may happen: all that, and as much again around it.
static dlp_box scene_box(const dlp_sph *sph)
{
    const dlp_box box = content_box(sph);
    const double size = dlp_length(dlp_sub(box.max, box.min)) + 10 * sph->params.finest;
    const dlp_vec3 margin = dlp_vec(size / 2, size / 2, size / 2);
    return (dlp_box){dlp_sub(box.min, margin), dlp_add(box.max, margin)};
}

dlp_box dlp_sph_surface_region(const dlp_sph *sph, int32_t obstacle)
{
    const dlp_box bounds = sph->params.walls.bounds[obstacle], scene = scene_box(sph);
    const dlp_transform transform = dlp_body_transform_at(&sph->bodies[obstacle], 0);
    dlp_box local = empty_box();
    for (int corner = 0; corner < 8; corner++) {
        const dlp_vec3 x =
            dlp_vec(corner & 1 ? scene.max.x : scene.min.x, corner & 2 ? scene.max.y : scene.min.y,
                    corner & 4 ? scene.max.z : scene.min.z);
        include(&local, dlp_to_body(&transform, x));
    }
    double low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        const bool is_whole = is_bounded(&bounds, axis);
        low[axis] = dlp_component(is_whole ? bounds.min : local.min, axis);
        high[axis] = dlp_component(is_whole ? bounds.max : local.max, axis);
        if (sph->scene->dimension == 2 && axis == 2) low[axis] = high[axis] = 0;
    }
    return (dlp_box){dlp_vec(low[0], low[1], low[2]), dlp_vec(high[0], high[1], high[2])};
}

double dlp_sph_expected_width(const dlp_sph *sph)
{
    const dlp_box box = content_box(sph);
    const dlp_vec3 down = dlp_normalize(sph->scene->gravity, dlp_vec(0, 0, 0));
    double width = sph->params.finest;
    for (int axis = 0; axis < sph->scene->dimension; axis++)
        if (fabs(dlp_component(down, axis)) < 0.5)
            width = fmax(width, dlp_component(box.max, axis) - dlp_component(box.min, axis));
    return width;
}

// How deep something falls from x before it meets an obstacle; 0 where there is none below.
static double drop_below(const dlp_sph *sph, dlp_vec3 x, dlp_vec3 down, double limit)
{
    double distance = 0;
    while (distance < limit) {
        double nearest = limit;
        for (int32_t k = 0; k < sph->scene->obstacle_count; k++) {
            const dlp_transform transform = dlp_body_transform_at(&sph->bodies[k], 0);
            const dlp_vec3 local = dlp_to_body(&transform, dlp_along(x, down, distance));
            nearest = fmin(nearest, dlp_shape_distance(sph->bodies[k].shape, local));
        }
        if (nearest < sph->params.finest) return distance;
        distance += nearest;
    }
    return 0;
}

static double largest_drop(const dlp_sph *sph, dlp_vec3 down, double limit)
{
    const int32_t stride = sph->state.particles.count / 500 + 1;
    double drop = 0;
    for (int32_t i = 0; i < sph->state.particles.count; i += stride)
        drop = fmax(drop, drop_below(sph, dlp_particle_position(&sph->state.particles, i), down, limit));
    for (int32_t k = 0; k < sph->scene->emitter_count; k++)
        drop = fmax(drop, drop_below(sph, sph->scene->emitters[k].position, down, limit));
    return drop;
}

// When a motion ends: not the run's length, or a longer run would be another one from the start.
static double last_key(const dlp_track *track)
{
    return track != NULL ? track->times[track->key_count - 1] : 0;
}

static double fastest_obstacle(const dlp_sph *sph)
{
    double fastest = 0;
    for (int32_t k = 0; k < sph->scene->obstacle_count; k++) {
        const dlp_body *o = &sph->bodies[k];
        const dlp_box box = o->is_moving ? sph->params.walls.bounds[k] : empty_box();
        const double end = fmax(last_key(o->def->position_track), last_key(o->def->rotation_track));
        for (int32_t sample = 0; o->is_moving && sample < 200; sample++) {
            const dlp_twist twist = dlp_body_twist_at(o, end * (sample + 0.5) / 200);
            const double size = dlp_length(dlp_sub(box.max, box.min));
            const double turning = isfinite(size) ? dlp_length(twist.angular) * size : 0;
            fastest = fmax(fastest, dlp_length(twist.linear) + turning);
        }
    }
    return fastest;
}

static double fastest_start(const dlp_sph *sph)
{
    double fastest = 0;
    for (int32_t i = 0; i < sph->state.particles.count; i++) {
        const float *v = sph->state.particles.velocity + 3 * (int64_t)i;
        fastest = fmax(fastest, (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    fastest = sqrt(fastest);
    for (int32_t k = 0; k < sph->scene->emitter_count; k++)
        fastest = fmax(fastest, sph->scene->emitters[k].speed);
    return fastest;
}

// What the forces by place may add to a speed, as its square. Some particles stand for all.
static double force_speed_square(const dlp_sph *sph)
{
    if (sph->scene->force_count == 0) return 0;
    const dlp_particles *p = &sph->state.particles;
    const dlp_box box = content_box(sph);
    const double reach = 0.5 * dlp_length(dlp_sub(box.max, box.min));
    double most = 0;
    for (int32_t i = 0; i < p->count; i += p->count / 500 + 1)
        most = fmax(most,
                    dlp_body_speed_square(sph->scene, p->substance[i], dlp_particle_position(p, i), reach));
    for (int32_t k = 0; k < sph->scene->emitter_count; k++) {
        const dlp_emitter_def *emitter = &sph->scene->emitters[k];
        most =
            fmax(most, dlp_body_speed_square(sph->scene, emitter->substance_index, emitter->position, reach));
    }
    return most;
}

double dlp_sph_expected_speed(const dlp_sph *sph)
{
    const dlp_box box = substance_box(sph);
    const double g = dlp_length(sph->scene->gravity), start = fastest_start(sph),
                 tool = fastest_obstacle(sph);
    const dlp_vec3 down = dlp_normalize(sph->scene->gravity, dlp_vec(0, 0, -1));
    const double extent =
        fabs(dlp_dot(dlp_sub(box.max, box.min), dlp_vec(fabs(down.x), fabs(down.y), fabs(down.z))));
    const double limit = 10 * (dlp_length(dlp_sub(box.max, box.min)) + 10 * sph->params.finest);
    const double drop = g > 0 ? largest_drop(sph, down, limit) : 0;
    // the body's own height counts once: from its top to where its bottom lands, largest_drop is from any
    // part
    const double height = fmax(extent, drop);
    const double speed = sqrt(2 * g * height + force_speed_square(sph) + start * start + tool * tool);
    return speed > 0 ? speed
                     : sqrt(9.81 * 0.01 * (dlp_length(dlp_sub(box.max, box.min)) + sph->params.finest));
}
