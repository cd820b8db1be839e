/* Obstacles that would slip between particles: the nearest point of a triangle or link meets them as a
 * particle would. Every facet finds its own answer; particles then take the mean of their facets', so that
 * the order of facets does not matter. */
#include "motion/cloth/cloth_contact.h"
#include "motion/contact_response.h"
#include "motion/cloth/cloth_closest_points.h"

#include <string.h>

enum { SWEEPS = 2, STRIDE_LIMIT = 128 };

// Share of an edge that the facet between corners in contact may cut into an obstacle.
#define CHORD 0.1

typedef struct facet_job {
    dlp_cloth_contact *contact;
    const dlp_cloth_parts *parts;
} facet_job;

// A facet in an obstacle's frame, at both ends of the step. A link is a triangle with two equal corners.
typedef struct facet_path {
    dlp_vec3 from[3], to[3];
} facet_path;

static int32_t corner_of(const dlp_facet *facet, int c)
{
    return facet->corner[c] < 0 ? facet->corner[1] : facet->corner[c];
}

static facet_path find_path(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                            const dlp_facet *facet, int32_t obstacle)
{
    facet_path path;
    for (int c = 0; c < 3; c++) {
        const int32_t i = corner_of(facet, c);
        path.from[c] = dlp_to_body(&contact->frame_before[obstacle], dlp_get3(parts->start, i));
        path.to[c] = dlp_to_body(&contact->frame_after[obstacle], dlp_get3(parts->particles->position, i));
    }
    return path;
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
        dlp_cloth_closest_on_triangle(dlp_along(blend(corner, weight), *out_normal, -distance), corner, next);
        const double d = dlp_shape_probe(shape, blend(corner, next), &normal);
        if (!(d < distance)) break;
        distance = d;
        *out_normal = normal;
        for (int c = 0; c < 3; c++) weight[c] = next[c];
    }
    return distance;
}

// Moves the facet along its path until a point of it is nearer than the radius. Returns the share of the
// path.
static double find_contact(const dlp_shape *shape, const facet_path *path, double radius, double weight[3])
{
    double longest = 0, share = radius > 0 ? 0 : 1, least = radius;
    for (int c = 0; c < 3; c++) longest = fmax(longest, dlp_length(dlp_sub(path->to[c], path->from[c])));
    for (int k = 0; k < STRIDE_LIMIT; k++) {
        dlp_vec3 corner[3], normal;
        for (int c = 0; c < 3; c++)
            corner[c] = dlp_along(path->from[c], dlp_sub(path->to[c], path->from[c]), share);
        const double d = find_nearest(shape, corner, weight, &normal);
        if (share >= 1 || radius <= 0) return d < radius ? 1 : 2;
        if (k == 0) least = fmin(radius, fmax(d, 0)) * 0.9;
        if (d < least) return share;
        share = fmin(1, share + fmax(0.8 * (d - least), 0.5 * least + 1e-3 * radius) / fmax(longest, 1e-300));
    }
    return share;
}

// How near it may come.
static double least_distance(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                             const dlp_facet *facet)
{
    bool has_contact = false;
    for (int c = 0; c < 3; c++) has_contact |= contact->obstacle_contact[corner_of(facet, c)] > 0;
    return dlp_cloth_contact_radius(parts, facet->substance) - (has_contact ? CHORD * contact->mean_edge : 0);
}

// What the obstacle does to the point: to where it must go, and how fast it is then.
static void resolve_point(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t f,
                          int32_t obstacle)
{
    const dlp_facet *facet = &contact->facets[f];
    const dlp_shape *shape = parts->obstacles[obstacle].shape;
    const dlp_transform *after = &contact->frame_after[obstacle];
    const double radius = least_distance(contact, parts, facet);
    const facet_path path = find_path(contact, parts, facet, obstacle);
    double weight[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    const double share = find_contact(shape, &path, radius, weight);
    if (share > 1) return;
    const dlp_vec3 from = blend(path.from, weight), to = blend(path.to, weight);
    dlp_vec3 normal, end = to;
    if (share < 1) {
        const dlp_vec3 hit = dlp_along(from, dlp_sub(to, from), share), remaining = dlp_sub(to, hit);
        dlp_shape_probe(shape, hit, &normal);
        end = dlp_add(hit, dlp_along(remaining, normal, -fmin(dlp_dot(remaining, normal), 0)));
    }
    const double d = dlp_shape_probe(shape, end, &normal);
    if (d < radius) end = dlp_along(end, normal, radius - d);
    const dlp_vec3 n = dlp_rotate(after, normal);
    const dlp_vec3 wall_velocity = dlp_cloth_contact_wall_velocity(
        contact, obstacle, dlp_to_world(&contact->frame_before[obstacle], end), parts->step);
    dlp_vec3 v = {0, 0, 0};
    for (int c = 0; c < 3; c++)
        v = dlp_along(v, dlp_get3(parts->particles->velocity, corner_of(facet, c)), weight[c]);
    const dlp_vec3 u = dlp_sub(v, wall_velocity);
    const dlp_impact impact = {u, n, -dlp_dot(u, n), 1e30};
    const dlp_contact_response response = dlp_contact_respond(parts->obstacles[obstacle].def, &impact);
    const dlp_vec3 new_velocity = response.normal_change > 0 ? dlp_add(wall_velocity, response.velocity) : v;
    contact->facet_wall_velocity[f] = wall_velocity;
    contact->facet_obstacle[f] = obstacle;
    contact->facet_push[f] = dlp_rotate(after, dlp_sub(end, to));
    contact->facet_velocity_change[f] = dlp_sub(new_velocity, v);
    for (int c = 0; c < 3; c++) contact->facet_weight[3 * (int64_t)f + c] = weight[c];
}

// Only where a corner comes nearer than the facet is long, and something moves.
static bool is_worth_it(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                        const dlp_facet *facet)
{
    if (facet->corner[0] == facet->corner[1]) return false;  // a torn link
    bool moves = contact->max_travel > 0;
    double clearance = 1e30, longest = 0;
    for (int c = 0; c < 3; c++) {
        const int32_t i = corner_of(facet, c), j = corner_of(facet, (c + 1) % 3);
        const dlp_vec3 x = dlp_get3(parts->start, i);
        moves |= dlp_cloth_contact_moved(parts, i);
        clearance = fmin(clearance, contact->clearance[i] -
                                        dlp_length(dlp_sub(dlp_get3(parts->particles->position, i), x)));
        longest = fmax(longest, dlp_length(dlp_sub(dlp_get3(parts->start, j), x)));
    }
    return moves && clearance - contact->max_travel < longest;
}

static double squares_of(const double weight[3])
{
    return weight[0] * weight[0] + weight[1] * weight[1] + weight[2] * weight[2];
}

static void facets_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const facet_job *job = context;
    dlp_cloth_contact *contact = job->contact;
    for (int32_t f = begin; f < end; f++) {
        for (int c = 0; c < 3; c++) contact->facet_weight[3 * (int64_t)f + c] = 0;
        if (!is_worth_it(contact, job->parts, &contact->facets[f])) continue;
        for (int32_t k = 0; k < job->parts->scene->obstacle_count; k++)
            resolve_point(contact, job->parts, f, k);
    }
}

// The share of a facet's answer that its corner i has, before shares are made to sum to one.
static double share_of(const dlp_cloth_contact *contact, int32_t f, int32_t i, double *out_weight)
{
    const double *weight = contact->facet_weight + 3 * (int64_t)f, squares = squares_of(weight);
    double own = 0;
    for (int c = 0; c < 3; c++) own += contact->facets[f].corner[c] == i ? weight[c] : 0;
    *out_weight = own;
    return squares == 0 ? 0 : own * own / squares;
}

// The bodies that changed its velocity, each by its own part.
static void note_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i, double shares)
{
    for (int32_t k = contact->facet_begin[i]; k < contact->facet_begin[i + 1]; k++) {
        const int32_t f = contact->facet_list[k];
        double weight;
        const double share = share_of(contact, f, i, &weight);
        if (share == 0) continue;
        dlp_cloth_contact_note(
            contact, parts, i, contact->facet_obstacle[f],
            dlp_mul(contact->facet_velocity_change[f], parts->particles->mass[i] * share / shares));
    }
}

// A push on a point inside moves the corners so that the point goes all the way: by weight / sum of squares.
static void gather_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const facet_job *job = context;
    dlp_cloth_contact *contact = job->contact;
    dlp_cloth_particles *p = job->parts->particles;
    for (int32_t i = begin; i < end; i++) {
        dlp_vec3 push = {0, 0, 0}, velocity_change = {0, 0, 0};
        double shares = 0;
        for (int32_t k = contact->facet_begin[i]; k < contact->facet_begin[i + 1]; k++) {
            const int32_t f = contact->facet_list[k];
            double weight;
            const double share = share_of(contact, f, i, &weight);
            if (weight == 0) continue;
            push = dlp_along(push, contact->facet_push[f], share);
            velocity_change = dlp_along(velocity_change, contact->facet_velocity_change[f], share);
            shares += weight;
        }
        if (shares == 0 || job->parts->is_pinned[i]) continue;
        dlp_put3(p->position, i, dlp_along(dlp_get3(p->position, i), push, 1 / shares));
        dlp_put3(p->velocity, i, dlp_along(dlp_get3(p->velocity, i), velocity_change, 1 / shares));
        note_facets(contact, job->parts, i, shares);
        contact->clearance[i] = fmin(contact->clearance[i], 0);  // it was moved: probe anew
    }
}

// The facet that is pushed farthest decides for its corners: all three go that much farther out.
static void lift_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const facet_job *job = context;
    dlp_cloth_contact *contact = job->contact;
    const dlp_cloth_parts *parts = job->parts;
    for (int32_t i = begin; i < end; i++) {
        double farthest = 1e-3 * dlp_cloth_contact_radius(parts, parts->particles->substance[i]);
        int32_t by = -1;
        for (int32_t k = contact->facet_begin[i]; k < contact->facet_begin[i + 1]; k++) {
            const int32_t f = contact->facet_list[k];
            const double push = dlp_length(contact->facet_push[f]);
            if (squares_of(contact->facet_weight + 3 * (int64_t)f) == 0 || !(push > farthest)) continue;
            farthest = push;
            by = f;
        }
        contact->is_changed[i] = 0;
        if (by < 0 || parts->is_pinned[i] || contact->constraints[i].directions > 0) continue;
        if (!dlp_cloth_contact_allow(contact, i, DLP_CONTACT_LIFTED)) continue;
        const dlp_vec3 path = dlp_sub(dlp_get3(parts->particles->position, i), dlp_get3(parts->start, i));
        const dlp_vec3 normal = dlp_mul(contact->facet_push[by], 1 / farthest);
        const double lift = (dlp_dot(path, normal) + farthest) / parts->step;
        contact->constraints[i] = (dlp_contact_constraint){
            1, normal, dlp_mul(normal, lift), {0, 0, 0}, contact->facet_wall_velocity[by]};
        contact->obstacle_contact[i] = 2 * contact->facet_obstacle[by] + 1;
        contact->is_changed[i] = 1;
    }
}

bool dlp_cloth_contact_review_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    facet_job job = {contact, parts};
    dlp_parallel_for(parts->team, contact->facet_count, 256, facets_range, &job);
    dlp_parallel_for(parts->team, parts->particles->count, 1024, lift_range, &job);
    return memchr(contact->is_changed, 1, (size_t)parts->particles->count) != NULL;
}

void dlp_cloth_contact_resolve_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    facet_job job = {contact, parts};
    for (int k = 0; k < SWEEPS; k++) {
        dlp_parallel_for(parts->team, contact->facet_count, 256, facets_range, &job);
        dlp_parallel_for(parts->team, parts->particles->count, 1024, gather_range, &job);
    }
}
