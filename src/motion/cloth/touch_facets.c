/* Obstacles that would slip between particles: the nearest point of a triangle or link meets them as a
 * particle would. Every facet finds its own answer; particles then take the mean of their facets', so that
 * the order of facets does not matter. */
#include "motion/cloth/touch.h"
#include "motion/cloth/near.h"

#include <string.h>

enum { SWEEPS = 2, STRIDE_LIMIT = 128 };

// Share of an edge that the facet between corners in contact may cut into an obstacle.
#define CHORD 0.1

typedef struct facet_job {
    dlp_touch *touch;
    const dlp_cloth_parts *parts;
} facet_job;

// A facet in an obstacle's frame, at both ends of the step. A link is a triangle with two equal corners.
typedef struct facet_way {
    dlp_vec3 from[3], to[3];
} facet_way;

static int32_t corner_of(const dlp_facet *facet, int c)
{
    return facet->corner[c] < 0 ? facet->corner[1] : facet->corner[c];
}

static facet_way find_way(const dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_facet *facet,
                          int32_t obstacle)
{
    facet_way way;
    for (int c = 0; c < 3; c++) {
        const int32_t i = corner_of(facet, c);
        way.from[c] = dlp_to_body(&touch->frame_before[obstacle], dlp_get3(parts->start, i));
        way.to[c] = dlp_to_body(&touch->frame_after[obstacle], dlp_get3(parts->particles->position, i));
    }
    return way;
}

static dlp_vec3 blend(const dlp_vec3 corner[3], const double weight[3])
{
    dlp_vec3 x = {0, 0, 0};
    for (int c = 0; c < 3; c++) x = dlp_along(x, corner[c], weight[c]);
    return x;
}

// The point of the triangle that is nearest to the obstacle: from the last guess or the middle to the
// obstacle's surface and back, a few times.
static double find_nearest(const dlp_shape *shape, const dlp_vec3 corner[3], double weight[3],
                           dlp_vec3 *out_normal)
{
    const double middle[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    double distance = dlp_shape_probe(shape, blend(corner, weight), out_normal);
    dlp_vec3 normal;
    const double central = dlp_shape_probe(shape, blend(corner, middle), &normal);
    if (central < distance) {
        distance = central;
        *out_normal = normal;
        for (int c = 0; c < 3; c++) weight[c] = middle[c];
    }
    for (int k = 0; k < 4; k++) {
        double next[3];
        dlp_near_triangle(dlp_along(blend(corner, weight), *out_normal, -distance), corner, next);
        const double d = dlp_shape_probe(shape, blend(corner, next), &normal);
        if (!(d < distance)) break;
        distance = d;
        *out_normal = normal;
        for (int c = 0; c < 3; c++) weight[c] = next[c];
    }
    return distance;
}

// Moves the facet along its way until a point of it is nearer than the radius. Returns the share of the way.
static double find_contact(const dlp_shape *shape, const facet_way *way, double radius, double weight[3])
{
    double longest = 0, share = radius > 0 ? 0 : 1, least = radius;
    for (int c = 0; c < 3; c++) longest = fmax(longest, dlp_length(dlp_sub(way->to[c], way->from[c])));
    for (int k = 0; k < STRIDE_LIMIT; k++) {
        dlp_vec3 corner[3], normal;
        for (int c = 0; c < 3; c++)
            corner[c] = dlp_along(way->from[c], dlp_sub(way->to[c], way->from[c]), share);
        const double d = find_nearest(shape, corner, weight, &normal);
        if (share >= 1 || radius <= 0) return d < radius ? 1 : 2;
        if (k == 0) least = fmin(radius, fmax(d, 0)) * 0.9;
        if (d < least) return share;
        share = fmin(1, share + fmax(0.8 * (d - least), 0.5 * least + 1e-3 * radius) / fmax(longest, 1e-300));
    }
    return share;
}

// How near it may come.
static double least_distance(const dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_facet *facet)
{
    bool touches = false;
    for (int c = 0; c < 3; c++) touches |= touch->contact[corner_of(facet, c)] > 0;
    return dlp_touch_radius(parts, facet->substance) - (touches ? CHORD * touch->cell : 0);
}

// What the obstacle does to the point: to where it must go, and how fast it is then.
static void answer_point(dlp_touch *touch, const dlp_cloth_parts *parts, int32_t f, int32_t obstacle)
{
    const dlp_facet *facet = &touch->facets[f];
    const dlp_shape *shape = parts->obstacles[obstacle].shape;
    const dlp_frame *after = &touch->frame_after[obstacle];
    const double radius = least_distance(touch, parts, facet);
    const facet_way way = find_way(touch, parts, facet, obstacle);
    double weight[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    const double share = find_contact(shape, &way, radius, weight);
    if (share > 1) return;
    const dlp_vec3 from = blend(way.from, weight), to = blend(way.to, weight);
    dlp_vec3 normal, end = to;
    if (share < 1) {
        const dlp_vec3 met = dlp_along(from, dlp_sub(to, from), share), rest = dlp_sub(to, met);
        dlp_shape_probe(shape, met, &normal);
        end = dlp_add(met, dlp_along(rest, normal, -fmin(dlp_dot(rest, normal), 0)));
    }
    const double d = dlp_shape_probe(shape, end, &normal);
    if (d < radius) end = dlp_along(end, normal, radius - d);
    const dlp_vec3 n = dlp_rotate(after, normal);
    const dlp_vec3 wall =
        dlp_touch_wall(touch, obstacle, dlp_to_world(&touch->frame_before[obstacle], end), parts->step);
    dlp_vec3 v = {0, 0, 0};
    for (int c = 0; c < 3; c++)
        v = dlp_along(v, dlp_get3(parts->particles->velocity, corner_of(facet, c)), weight[c]);
    bool sticks;
    const dlp_vec3 answer = dlp_touch_answer(parts->obstacles[obstacle].def, v, wall, n, 1e30, &sticks);
    touch->facet_wall[f] = wall;
    touch->facet_obstacle[f] = obstacle;
    touch->facet_push[f] = dlp_rotate(after, dlp_sub(end, to));
    touch->facet_kick[f] = dlp_sub(answer, v);
    for (int c = 0; c < 3; c++) touch->facet_weight[3 * (int64_t)f + c] = weight[c];
}

// Only where a corner comes nearer than the facet is long, and something moves.
static bool is_worth_it(const dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_facet *facet)
{
    if (facet->corner[0] == facet->corner[1]) return false;  // a torn link
    bool moves = touch->farthest > 0;
    double clearance = 1e30, longest = 0;
    for (int c = 0; c < 3; c++) {
        const int32_t i = corner_of(facet, c), j = corner_of(facet, (c + 1) % 3);
        const dlp_vec3 x = dlp_get3(parts->start, i);
        moves |= dlp_touch_moved(parts, i);
        clearance = fmin(clearance, touch->clearance[i] -
                                        dlp_length(dlp_sub(dlp_get3(parts->particles->position, i), x)));
        longest = fmax(longest, dlp_length(dlp_sub(dlp_get3(parts->start, j), x)));
    }
    return moves && clearance - touch->farthest < longest;
}

static double squares_of(const double weight[3])
{
    return weight[0] * weight[0] + weight[1] * weight[1] + weight[2] * weight[2];
}

static void facets_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const facet_job *job = context;
    dlp_touch *touch = job->touch;
    for (int32_t f = begin; f < end; f++) {
        for (int c = 0; c < 3; c++) touch->facet_weight[3 * (int64_t)f + c] = 0;
        if (!is_worth_it(touch, job->parts, &touch->facets[f])) continue;
        for (int32_t k = 0; k < job->parts->scene->obstacle_count; k++) answer_point(touch, job->parts, f, k);
    }
}

// A push on a point inside moves the corners so that the point goes all the way: by weight / sum of squares.
static void gather_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const facet_job *job = context;
    dlp_touch *touch = job->touch;
    dlp_cloth_particles *p = job->parts->particles;
    for (int32_t i = begin; i < end; i++) {
        dlp_vec3 push = {0, 0, 0}, kick = {0, 0, 0};
        double shares = 0;
        for (int32_t k = touch->facet_begin[i]; k < touch->facet_begin[i + 1]; k++) {
            const int32_t f = touch->facet_list[k];
            const double *weight = touch->facet_weight + 3 * (int64_t)f;
            const double squares = squares_of(weight);
            if (squares == 0) continue;
            double own = 0;
            for (int c = 0; c < 3; c++) own += touch->facets[f].corner[c] == i ? weight[c] : 0;
            push = dlp_along(push, touch->facet_push[f], own * own / squares);
            kick = dlp_along(kick, touch->facet_kick[f], own * own / squares);
            shares += own;
        }
        if (shares == 0 || job->parts->is_pinned[i]) continue;
        dlp_put3(p->position, i, dlp_along(dlp_get3(p->position, i), push, 1 / shares));
        dlp_put3(p->velocity, i, dlp_along(dlp_get3(p->velocity, i), kick, 1 / shares));
        touch->clearance[i] = fmin(touch->clearance[i], 0);  // it was moved: probe anew
    }
}

// The facet that is pushed farthest decides for its corners: all three go that much farther out.
static void lift_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const facet_job *job = context;
    dlp_touch *touch = job->touch;
    const dlp_cloth_parts *parts = job->parts;
    for (int32_t i = begin; i < end; i++) {
        double farthest = 1e-3 * dlp_touch_radius(parts, parts->particles->substance[i]);
        int32_t by = -1;
        for (int32_t k = touch->facet_begin[i]; k < touch->facet_begin[i + 1]; k++) {
            const int32_t f = touch->facet_list[k];
            const double push = dlp_length(touch->facet_push[f]);
            if (squares_of(touch->facet_weight + 3 * (int64_t)f) == 0 || !(push > farthest)) continue;
            farthest = push;
            by = f;
        }
        touch->is_changed[i] = 0;
        if (by < 0 || parts->is_pinned[i] || touch->holds[i].directions > 0) continue;
        if (!dlp_touch_may(touch, i, DLP_LIFTED)) continue;
        const dlp_vec3 way = dlp_sub(dlp_get3(parts->particles->position, i), dlp_get3(parts->start, i));
        const dlp_vec3 normal = dlp_mul(touch->facet_push[by], 1 / farthest);
        const double lift = (dlp_dot(way, normal) + farthest) / parts->step;
        touch->holds[i] = (dlp_hold){1, normal, dlp_mul(normal, lift), {0, 0, 0}, touch->facet_wall[by]};
        touch->contact[i] = 2 * touch->facet_obstacle[by] + 1;
        touch->is_changed[i] = 1;
    }
}

bool dlp_touch_review_facets(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    facet_job job = {touch, parts};
    dlp_parallel_for(parts->team, touch->facet_count, 256, facets_range, &job);
    dlp_parallel_for(parts->team, parts->particles->count, 1024, lift_range, &job);
    return memchr(touch->is_changed, 1, (size_t)parts->particles->count) != NULL;
}

void dlp_touch_meet_facets(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    facet_job job = {touch, parts};
    for (int k = 0; k < SWEEPS; k++) {
        dlp_parallel_for(parts->team, touch->facet_count, 256, facets_range, &job);
        dlp_parallel_for(parts->team, parts->particles->count, 1024, gather_range, &job);
    }
}
