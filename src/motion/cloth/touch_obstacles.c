/* Cloth and obstacles: who is held before the solve, and what obstacles answer after it. */
#include "motion/cloth/touch.h"

#include <string.h>

// Where the obstacles are when the step begins and ends, and how far a point of each goes meanwhile.
static double longest_travel(const dlp_obstacle *obstacle, const dlp_frame *before, const dlp_frame *after)
{
    if (!obstacle->is_moving) return 0;
    const dlp_box box = dlp_shape_bounds(obstacle->shape);
    double longest = 0;
    for (int k = 0; k < 8; k++) {
        const dlp_vec3 corner = {k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
                                 k & 4 ? box.max.z : box.min.z};
        const double way = dlp_length(dlp_sub(dlp_to_world(after, corner), dlp_to_world(before, corner)));
        if (!(way <= longest)) longest = way;  // an endless obstacle gives NaN or infinity: always near
    }
    return isfinite(longest) ? longest : 1e30;
}

static void place_obstacles(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    touch->farthest = 0;
    for (int32_t k = 0; k < parts->scene->obstacle_count; k++) {
        const dlp_obstacle *obstacle = &parts->obstacles[k];
        touch->frame_before[k] = dlp_obstacle_frame(obstacle, parts->time);
        touch->frame_after[k] = dlp_obstacle_frame(obstacle, parts->time + parts->step);
        touch->travel[k] = longest_travel(obstacle, &touch->frame_before[k], &touch->frame_after[k]);
        touch->farthest = fmax(touch->farthest, touch->travel[k]);
    }
}

dlp_vec3 dlp_touch_wall(const dlp_touch *touch, int32_t obstacle, dlp_vec3 x, double step)
{
    if (touch->travel[obstacle] == 0) return dlp_vec(0, 0, 0);
    const dlp_vec3 body = dlp_to_body(&touch->frame_before[obstacle], x);
    return dlp_mul(dlp_sub(dlp_to_world(&touch->frame_after[obstacle], body), x), 1 / step);
}

static dlp_vec3 part_along(dlp_vec3 u, dlp_vec3 normal)
{
    return dlp_along(u, normal, -dlp_dot(u, normal));
}

// Friction of a given strength, m/s in a step, against a motion.
static void set_rub(dlp_hold *hold, dlp_vec3 motion, double strength)
{
    const dlp_vec3 along = part_along(motion, hold->normal);
    hold->rub = dlp_mul(dlp_normalize(along, dlp_vec(0, 0, 0)), -strength);
}

// A contact lasts while the particle is hardly farther than its radius; what it drifted to or from the
// surface is made good by its motion, but gives it no momentum.
static void hold_particle(dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i)
{
    dlp_hold *hold = &touch->holds[i];
    hold->directions = 0;
    if (touch->contact[i] == 0) return;
    const int32_t k = (touch->contact[i] - 1) / 2;
    const dlp_vec3 x = dlp_get3(parts->particles->position, i), v = dlp_get3(parts->particles->velocity, i);
    const double radius = dlp_touch_corner_radius(touch, parts, parts->particles->substance[i]);
    const double gap =
        dlp_obstacle_probe(&parts->obstacles[k], &touch->frame_before[k], x, &hold->normal) - radius;
    hold->wall = dlp_touch_wall(touch, k, x, parts->step);
    const double slide = parts->step * dlp_length(dlp_sub(v, hold->wall));
    if (k >= parts->scene->obstacle_count || gap > 0.25 * radius + 0.1 * slide) {
        touch->contact[i] = 0;
        return;
    }
    hold->directions = touch->contact[i] % 2 == 0 ? 3 : 1;
    // a hundredth of the radius is no gap: what stands must not be moved by rounding
    const double closing = fabs(gap) < 0.01 * radius ? 0 : -fmax(gap, -0.5 * radius) / parts->step;
    hold->velocity = dlp_along(hold->wall, hold->normal, closing);
    if (hold->directions == 3) return;
    const double grip =
        parts->obstacles[k].def->friction * touch->load[i] * parts->step / parts->particles->mass[i];
    set_rub(hold, dlp_sub(v, hold->wall), grip);
}

typedef struct touch_job {
    dlp_touch *touch;
    const dlp_cloth_parts *parts;
    bool wakes; /* all that rests: the wind changed */
} touch_job;

static bool may_rest_on(const dlp_touch *touch, int32_t i)
{
    return touch->rests[i] && (touch->contact[i] == 0 || touch->travel[(touch->contact[i] - 1) / 2] == 0);
}

static void begin_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const touch_job *job = context;
    dlp_touch *touch = job->touch;
    for (int32_t i = begin; i < end; i++) {
        touch->is_touched[i] = 0;
        touch->changes[i] = 0;
        touch->velocity_before[i] = dlp_get3(job->parts->particles->velocity, i);
        if (job->wakes) touch->rests[i] = 0;
        if (touch->holds[i].directions >= 0 && may_rest_on(touch, i)) continue;  // its hold is as it was
        touch->rests[i] = may_rest_on(touch, i);
        if (job->parts->is_pinned[i]) touch->contact[i] = 0;
        hold_particle(touch, job->parts, i);
        if (touch->rests[i] && touch->contact[i] > 0) {  // stands where it is; no gap is worth waking it
            touch->holds[i].directions = 3;
            touch->holds[i].velocity = touch->holds[i].wall;
        }
    }
}

void dlp_touch_begin(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    touch_job job = {touch, parts, dlp_touch_air_changed(touch, parts)};
    place_obstacles(touch, parts);
    dlp_parallel_for(parts->team, parts->particles->count, 1024, begin_range, &job);
}

dlp_vec3 dlp_touch_answer(const dlp_obstacle_def *def, dlp_vec3 v, dlp_vec3 wall, dlp_vec3 normal,
                          double slowest_bounce, bool *out_sticks)
{
    const dlp_vec3 u = dlp_sub(v, wall);
    const double approach = -dlp_dot(u, normal);
    *out_sticks = false;
    if (approach <= 0) return v;
    const double bounce = approach > slowest_bounce ? def->restitution : 0;
    const dlp_vec3 along = dlp_along(u, normal, approach);
    const double slide = dlp_length(along), grip = def->friction * (1 + bounce) * approach;
    const double kept = slide > grip ? 1 - grip / slide : 0;
    *out_sticks = kept == 0 && bounce == 0 && def->friction > 0;
    return dlp_add(wall, dlp_along(dlp_mul(along, kept), normal, bounce * approach));
}

// The share of the way after which the point comes nearer than `least`; 1 where it does not. Strides are
// shorter than twice `least`, so that nothing, however thin, fits between two of them.
static double share_until(const dlp_shape *shape, dlp_touch_way way, double least)
{
    const dlp_vec3 direction = dlp_sub(way.to, way.from);
    const double length = dlp_length(direction);
    for (double s = 0; s < length;) {
        const double d = dlp_shape_distance(shape, dlp_along(way.from, direction, s / length));
        if (d < least) return s / length;
        s += fmax(d - least, 0.5 * least);
    }
    return 1;
}

// What is left of a way into the surface: along it, less what friction takes.
static dlp_vec3 turn_aside(dlp_vec3 rest, dlp_vec3 normal, double friction)
{
    const double into = -fmin(dlp_dot(rest, normal), 0);
    const dlp_vec3 along = dlp_along(rest, normal, into);
    const double length = dlp_length(along);
    return length > friction * into ? dlp_mul(along, 1 - friction * into / length) : dlp_vec(0, 0, 0);
}

// Follows the way up to the obstacle and then along it, at most around two corners.
static dlp_vec3 follow(const dlp_obstacle *obstacle, dlp_touch_way way, double radius, bool *out_met)
{
    const dlp_shape *shape = obstacle->shape;
    for (int corner = 0; corner < 3; corner++) {
        const double start = dlp_shape_distance(shape, way.from);
        if (start <= 0) return way.to;
        const double share = share_until(shape, way, 0.9 * fmin(radius, start));
        if (share == 1) return way.to;
        *out_met = true;
        const dlp_vec3 rest = dlp_mul(dlp_sub(way.to, way.from), 1 - share);
        way.from = dlp_sub(way.to, rest);
        dlp_vec3 normal;
        const double d = dlp_shape_probe(shape, way.from, &normal);
        if (d < 0.5 * fmin(radius, start))
            way.from = dlp_along(way.from, normal, 0.5 * fmin(radius, start) - d);
        way.to = dlp_add(way.from, turn_aside(rest, normal, obstacle->def->friction));
    }
    return way.from;
}

// ---- between two solves

// m/s: what weight does in a step; much less is not worth another solve.
static double slowest_change(const dlp_cloth_parts *parts)
{
    return parts->step * dlp_length(parts->scene->gravity);
}

// m/s: what a contact took of the particle's velocity along its normal.
static double pressed_by(const dlp_hold *hold, dlp_vec3 v)
{
    return fmax(dlp_dot(dlp_sub(hold->wall, v), hold->normal),
                dlp_dot(dlp_sub(hold->velocity, v), hold->normal));
}

// Friction that would drive the particle backwards stops it instead: a pull that only its neighbours'
// stiffness makes vanishes as soon as it gives way, and is not tried again before it has grown. friction of
// another load than it was reckoned with is reckoned anew.
static bool review_slide(dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i, double grip)
{
    dlp_hold *hold = &touch->holds[i];
    const dlp_vec3 way = dlp_sub(dlp_get3(parts->particles->position, i), dlp_get3(parts->start, i));
    const dlp_vec3 slip = part_along(dlp_along(way, hold->wall, -parts->step), hold->normal);
    if (dlp_dot(slip, hold->rub) > 0 && dlp_touch_may(touch, i, DLP_STUCK)) {
        hold->directions = 3;
        if (touch->changes[i] & DLP_SLID) touch->proved[i] = touch->tried[i];
        return true;
    }
    const double error = fabs(dlp_length(hold->rub) - grip);
    if (error <= 0.1 * grip + 0.1 * slowest_change(parts)) return false;
    if (!dlp_touch_may(touch, i, DLP_RUBBED)) return false;
    set_rub(hold, slip, grip);
    return true;
}

// What a contact cannot do: pull, or hold against more than its friction.
static bool review_hold(dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i)
{
    dlp_hold *hold = &touch->holds[i];
    const dlp_obstacle_def *def = parts->obstacles[(touch->contact[i] - 1) / 2].def;
    const dlp_vec3 v = dlp_get3(parts->particles->velocity, i), u = dlp_sub(v, hold->wall);
    if (dlp_dot(dlp_sub(hold->velocity, v), hold->normal) < -0.02 * slowest_change(parts)) {
        if (!dlp_touch_may(touch, i, DLP_LET_GO)) return false;
        touch->contact[i] = 0;
        hold->directions = 0;
        return true;
    }
    const double grip = def->friction * pressed_by(hold, v), slide = dlp_length(part_along(u, hold->normal));
    if (hold->directions < 3) return def->friction > 0 && review_slide(touch, parts, i, grip);
    const double pull = slide * parts->particles->mass[i] / parts->step;
    if (slide <= grip || pull < 1.2 * touch->proved[i] || !dlp_touch_may(touch, i, DLP_SLID)) return false;
    touch->tried[i] = pull;
    hold->directions = 1;
    set_rub(hold, u, grip);
    return true;
}

// Holds a particle whose way would lead into the obstacle: so that it ends at its surface.
static bool review_way(dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i, int32_t k)
{
    const dlp_obstacle *obstacle = &parts->obstacles[k];
    const double radius = dlp_touch_corner_radius(touch, parts, parts->particles->substance[i]);
    const dlp_vec3 x = dlp_get3(parts->start, i);
    const dlp_touch_way way = {dlp_to_body(&touch->frame_before[k], x),
                               dlp_to_body(&touch->frame_after[k], dlp_get3(parts->particles->position, i))};
    bool met = false;
    dlp_vec3 to = follow(obstacle, way, radius, &met), normal;
    const double d = dlp_shape_probe(obstacle->shape, to, &normal);
    if (!met && d > 0.95 * radius) return false;
    to = dlp_along(to, normal, radius - d);
    dlp_hold *hold = &touch->holds[i];
    hold->directions = obstacle->def->friction > 0 ? 3 : 1;
    hold->rub = dlp_vec(0, 0, 0);
    hold->normal = dlp_rotate(&touch->frame_after[k], normal);
    hold->wall = dlp_touch_wall(touch, k, dlp_to_world(&touch->frame_before[k], to), parts->step);
    hold->velocity = dlp_mul(dlp_sub(dlp_to_world(&touch->frame_after[k], to), x), 1 / parts->step);
    touch->contact[i] = 2 * k + 1;
    touch->proved[i] = 0;
    return true;
}

static bool review_particle(dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i)
{
    if (parts->is_pinned[i] || touch->rests[i]) return false;
    if (touch->holds[i].directions > 0) return review_hold(touch, parts, i);
    const dlp_vec3 to = dlp_get3(parts->particles->position, i);
    const double way = dlp_length(dlp_sub(to, dlp_get3(parts->start, i))) + touch->farthest;
    const double radius = dlp_touch_corner_radius(touch, parts, parts->particles->substance[i]);
    if (way == 0 || touch->clearance[i] - way > radius) return false;
    for (int32_t k = 0; k < parts->scene->obstacle_count; k++)
        if (review_way(touch, parts, i, k)) return true;
    return false;
}

static void review_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const touch_job *job = context;
    for (int32_t i = begin; i < end; i++)
        job->touch->is_changed[i] = review_particle(job->touch, job->parts, i);
}

bool dlp_touch_review(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    if (parts->scene->obstacle_count == 0) return false;
    touch_job job = {.touch = touch, .parts = parts};
    dlp_parallel_for(parts->team, parts->particles->count, 256, review_range, &job);
    const size_t count = (size_t)parts->particles->count;
    return memchr(touch->is_changed, 1, count) != NULL || dlp_touch_review_facets(touch, parts);
}

// ---- when all is solved

static double slowest_bounce(const dlp_cloth_parts *parts)
{
    return 3 * slowest_change(parts);
}

// A restrained particle that friction lets go takes the whole pull of a stiff sheet as a kick. What it did
// not move with stays below what wakes it; the pull is there again in the next step, and wakes it then.
static dlp_vec3 without_kick(const dlp_cloth_parts *parts, int32_t i, dlp_vec3 along, dlp_vec3 way)
{
    const dlp_fabric *fabric = &parts->fabrics[parts->particles->substance[i]];
    const double limit = dlp_length(way) / parts->step + fabric->restraint.rest, speed = dlp_length(along);
    return fabric->is_restrained && speed > limit ? dlp_mul(along, limit / speed) : along;
}

// The solve left a held particle the velocity it would have without its hold: what the hold took is the
// contact's impulse. Where the reviews ended before all was settled, a particle that is held too much keeps
// the velocity it moved with, and no kick.
static void answer_hold(dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i)
{
    const dlp_hold *hold = &touch->holds[i];
    const int32_t k = (touch->contact[i] - 1) / 2;
    const dlp_obstacle_def *def = parts->obstacles[k].def;
    dlp_cloth_particles *p = parts->particles;
    const dlp_vec3 v = dlp_get3(p->velocity, i);
    const dlp_vec3 way = dlp_sub(dlp_get3(p->position, i), dlp_get3(parts->start, i));
    if (dlp_dot(dlp_sub(hold->velocity, v), hold->normal) < 0) {
        touch->contact[i] = 0;
        dlp_put3(p->velocity, i, dlp_mul(way, 1 / parts->step));
        return;
    }
    const dlp_vec3 along = without_kick(parts, i, part_along(dlp_sub(v, hold->wall), hold->normal), way);
    const double approach = dlp_dot(dlp_sub(hold->wall, touch->velocity_before[i]), hold->normal);
    const double bounce = approach > slowest_bounce(parts) ? def->restitution * approach : 0;
    const bool sticks = hold->directions == 3;
    if (!sticks) touch->proved[i] = 0;
    touch->load[i] = pressed_by(hold, v) * p->mass[i] / parts->step;
    dlp_put3(p->velocity, i, dlp_along(dlp_along(hold->wall, along, sticks ? 0 : 1), hold->normal, bounce));
    touch->contact[i] = bounce > 0 ? 0 : 2 * k + (sticks ? 2 : 1);
}

// Returns how near the obstacle is in the end.
static double meet_obstacle(dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i, int32_t k)
{
    dlp_cloth_particles *p = parts->particles;
    const dlp_obstacle *obstacle = &parts->obstacles[k];
    const dlp_frame *after = &touch->frame_after[k];
    const double radius = dlp_touch_corner_radius(touch, parts, p->substance[i]);
    const dlp_touch_way way = {dlp_to_body(&touch->frame_before[k], dlp_get3(parts->start, i)),
                               dlp_to_body(after, dlp_get3(p->position, i))};
    bool met = false;
    dlp_vec3 to = follow(obstacle, way, radius, &met), normal;
    const double d = dlp_shape_probe(obstacle->shape, to, &normal);
    if (d >= radius && !met) return d;
    if (d < radius) to = dlp_along(to, normal, radius - d);
    const dlp_vec3 x = dlp_to_world(after, to), n = dlp_rotate(after, normal);
    const dlp_vec3 wall = dlp_touch_wall(touch, k, dlp_to_world(&touch->frame_before[k], to), parts->step);
    const dlp_vec3 v = dlp_get3(p->velocity, i);
    bool sticks;
    const dlp_vec3 answer = dlp_touch_answer(obstacle->def, v, wall, n, slowest_bounce(parts), &sticks);
    dlp_put3(p->position, i, x);
    dlp_put3(p->velocity, i, answer);
    if (dlp_dot(dlp_sub(v, wall), n) < 0 && dlp_dot(dlp_sub(answer, wall), n) <= 1e-12)
        touch->contact[i] = 2 * k + (sticks ? 2 : 1);
    return fmax(d, radius);
}

// What is pinned goes where it must, even through an obstacle.
static double pass_obstacle(const dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i, int32_t k)
{
    const dlp_vec3 x = dlp_to_body(&touch->frame_after[k], dlp_get3(parts->particles->position, i));
    return dlp_shape_distance(parts->obstacles[k].shape, x);
}

static void meet_obstacles(dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i)
{
    dlp_cloth_particles *p = parts->particles;
    const double radius = dlp_touch_corner_radius(touch, parts, p->substance[i]);
    const double way = dlp_length(dlp_sub(dlp_get3(p->position, i), dlp_get3(parts->start, i)));
    touch->clearance[i] -= way + touch->farthest;
    if (way + touch->farthest == 0 || touch->clearance[i] > radius) return;
    double nearest = 1e30;
    for (int32_t k = 0; k < parts->scene->obstacle_count; k++)
        nearest = fmin(nearest, parts->is_pinned[i] ? pass_obstacle(touch, parts, i, k)
                                                    : meet_obstacle(touch, parts, i, k));
    touch->clearance[i] = nearest;
}

static void obstacles_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const touch_job *job = context;
    dlp_touch *touch = job->touch;
    for (int32_t i = begin; i < end; i++) {
        // what rests gives its contacts all that its neighbours do; if they moved, it will rest no longer
        if (touch->rests[i])
            dlp_put3(job->parts->particles->velocity, i, touch->velocity_before[i]);
        else if (touch->holds[i].directions > 0)
            answer_hold(touch, job->parts, i);
        meet_obstacles(touch, job->parts, i);
    }
}

void dlp_touch_obstacles(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    touch_job job = {.touch = touch, .parts = parts};
    dlp_parallel_for(parts->team, parts->particles->count, 256, obstacles_range, &job);
    if (parts->scene->obstacle_count > 0) dlp_touch_meet_facets(touch, parts);
}
