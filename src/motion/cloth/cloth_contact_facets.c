/* Obstacles that would slip between particles: the nearest point of a triangle or link meets them as a
 * particle would. Every facet finds its own answer; particles then take the mean of their facets', so that
 * the order of facets does not matter. */
#include "motion/cloth/cloth_contact.h"
#include "motion/contact_response.h"

enum { SWEEPS = 2, STRIDE_LIMIT = 128, FACET_GRAIN = 256, GRAIN = 1024 };  // GRAIN: blocks of loads

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
    const dlp_cloth_contact_bodies *bodies = &contact->scratch.bodies;
    facet_path path;
    for (int c = 0; c < 3; c++) {
        const int32_t i = corner_of(facet, c);
        path.from[c] = dlp_to_body(&bodies->before[obstacle], dlp_get3(parts->start, i));
        path.to[c] = dlp_to_body(&bodies->after[obstacle], dlp_get3(parts->particles->position, i));
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
    for (int c = 0; c < 3; c++) has_contact |= contact->state.obstacle_contact[corner_of(facet, c)] > 0;
    return dlp_cloth_contact_radius(parts, facet->substance) -
           (has_contact ? CHORD * contact->params.mean_edge : 0);
}

// What the obstacle does to the point: to where it must go, and how fast it is then.
static void resolve_point(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t f,
                          int32_t obstacle)
{
    const dlp_facet *facet = &contact->scratch.facets.items[f];
    const dlp_shape *shape = parts->obstacles[obstacle].shape;
    const dlp_transform *after = &contact->scratch.bodies.after[obstacle];
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
        contact, obstacle, dlp_to_world(&contact->scratch.bodies.before[obstacle], end), parts->step);
    dlp_vec3 v = {0, 0, 0};
    for (int c = 0; c < 3; c++)
        v = dlp_along(v, dlp_get3(parts->particles->velocity, corner_of(facet, c)), weight[c]);
    const dlp_vec3 u = dlp_sub(v, wall_velocity);
    const dlp_impact impact = {u, n, -dlp_dot(u, n), 1e30};
    const dlp_contact_response response = dlp_contact_respond(parts->obstacles[obstacle].def, &impact);
    const dlp_vec3 new_velocity = response.normal_change > 0 ? dlp_add(wall_velocity, response.velocity) : v;
    dlp_cloth_inner_contacts *inner = &contact->scratch.inner;
    inner->wall_velocity[f] = wall_velocity;
    inner->obstacle[f] = obstacle;
    inner->push[f] = dlp_rotate(after, dlp_sub(end, to));
    inner->velocity_change[f] = dlp_sub(new_velocity, v);
    for (int c = 0; c < 3; c++) inner->weight[3 * (int64_t)f + c] = weight[c];
}

// Only where a corner comes nearer than the facet is long, and something moves.
static bool is_worth_it(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                        const dlp_facet *facet)
{
    if (facet->corner[0] == facet->corner[1]) return false;  // a torn link
    const double max_travel = contact->scratch.bodies.max_travel;
    bool moves = max_travel > 0;
    double clearance = 1e30, longest = 0;
    for (int c = 0; c < 3; c++) {
        const int32_t i = corner_of(facet, c), j = corner_of(facet, (c + 1) % 3);
        const dlp_vec3 x = dlp_get3(parts->start, i);
        const double path = dlp_length(dlp_sub(dlp_get3(parts->particles->position, i), x));
        moves |= dlp_cloth_contact_moved(parts, i);
        clearance = fmin(clearance, contact->scratch.obstacles.clearance[i] - path);
        longest = fmax(longest, dlp_length(dlp_sub(dlp_get3(parts->start, j), x)));
    }
    return moves && clearance - max_travel < longest;
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
        for (int c = 0; c < 3; c++) contact->scratch.inner.weight[3 * (int64_t)f + c] = 0;
        if (!is_worth_it(contact, job->parts, &contact->scratch.facets.items[f])) continue;
        for (int32_t k = 0; k < job->parts->scene->obstacle_count; k++)
            resolve_point(contact, job->parts, f, k);
    }
}

// The share of a facet's answer that its corner i has, before shares are made to sum to one.
static double share_of(const dlp_cloth_contact *contact, int32_t f, int32_t i, double *out_weight)
{
    assert(f >= 0 && f < contact->scratch.facets.count);
    const double *weight = contact->scratch.inner.weight + 3 * (int64_t)f, squares = squares_of(weight);
    double own = 0;
    for (int c = 0; c < 3; c++) own += contact->scratch.facets.items[f].corner[c] == i ? weight[c] : 0;
    *out_weight = own;
    return squares == 0 ? 0 : own * own / squares;
}

// The bodies that changed its velocity, each by its own part.
static void note_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i, double shares)
{
    const dlp_cloth_facets *facets = &contact->scratch.facets;
    const dlp_cloth_inner_contacts *inner = &contact->scratch.inner;
    for (int32_t k = facets->begin[i]; k < facets->begin[i + 1]; k++) {
        const int32_t f = facets->list[k];
        double weight;
        const double share = share_of(contact, f, i, &weight);
        if (share == 0) continue;
        dlp_cloth_contact_note(
            contact, parts, i, inner->obstacle[f],
            dlp_mul(inner->velocity_change[f], parts->particles->mass[i] * share / shares));
    }
}

// A push on a point inside moves the corners so that the point goes all the way: by weight / sum of squares.
static void push_particle(const facet_job *job, int32_t i)
{
    dlp_cloth_contact *contact = job->contact;
    const dlp_cloth_facets *facets = &contact->scratch.facets;
    const dlp_cloth_inner_contacts *inner = &contact->scratch.inner;
    dlp_cloth_particles *p = job->parts->particles;
    dlp_vec3 push = {0, 0, 0}, velocity_change = {0, 0, 0};
    double shares = 0;
    for (int32_t k = facets->begin[i]; k < facets->begin[i + 1]; k++) {
        const int32_t f = facets->list[k];
        double weight;
        const double share = share_of(contact, f, i, &weight);
        if (weight == 0) continue;
        push = dlp_along(push, inner->push[f], share);
        velocity_change = dlp_along(velocity_change, inner->velocity_change[f], share);
        shares += weight;
    }
    if (shares == 0 || job->parts->is_pinned[i]) return;
    dlp_put3(p->position, i, dlp_along(dlp_get3(p->position, i), push, 1 / shares));
    dlp_put3(p->velocity, i, dlp_along(dlp_get3(p->velocity, i), velocity_change, 1 / shares));
    note_facets(contact, job->parts, i, shares);
    double *clearance = &contact->scratch.obstacles.clearance[i];
    *clearance = fmin(*clearance, 0);  // it was moved: probe anew
}

static void gather_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t i = begin; i < end; i++) push_particle(context, i);
}

// The facet of a particle whose point is pushed farthest, and how far, m; -1: none is pushed.
static int32_t find_farthest(const facet_job *job, int32_t i, double *out_push)
{
    const dlp_cloth_facets *facets = &job->contact->scratch.facets;
    const dlp_cloth_inner_contacts *inner = &job->contact->scratch.inner;
    const int32_t substance = job->parts->particles->substance[i];
    int32_t by = -1;
    *out_push = 1e-3 * dlp_cloth_contact_radius(job->parts, substance);
    for (int32_t k = facets->begin[i]; k < facets->begin[i + 1]; k++) {
        const int32_t f = facets->list[k];
        const double push = dlp_length(inner->push[f]);
        if (squares_of(inner->weight + 3 * (int64_t)f) == 0 || !(push > *out_push)) continue;
        *out_push = push;
        by = f;
    }
    return by;
}

// The facet that is pushed farthest decides for its corners: all three go that much farther out.
static bool lift_particle(const facet_job *job, int32_t i)
{
    dlp_cloth_contact *contact = job->contact;
    const dlp_cloth_parts *parts = job->parts;
    const dlp_cloth_inner_contacts *inner = &contact->scratch.inner;
    dlp_contact_constraint *constraint = &contact->scratch.obstacles.constraints[i];
    double push;
    const int32_t by = find_farthest(job, i, &push);
    if (by < 0 || parts->is_pinned[i] || constraint->directions > 0) return false;
    if (!dlp_cloth_contact_allow(contact, i, DLP_CONTACT_LIFTED)) return false;
    const dlp_vec3 path = dlp_sub(dlp_get3(parts->particles->position, i), dlp_get3(parts->start, i));
    const dlp_vec3 normal = dlp_mul(inner->push[by], 1 / push);
    const double lift = (dlp_dot(path, normal) + push) / parts->step;
    *constraint =
        (dlp_contact_constraint){1, normal, dlp_mul(normal, lift), {0, 0, 0}, inner->wall_velocity[by]};
    contact->state.obstacle_contact[i] = 2 * inner->obstacle[by] + 1;
    return true;
}

static void lift_range(void *context, int32_t begin, int32_t end, void *result)
{
    int64_t *lifted = result;
    for (int32_t i = begin; i < end; i++) *lifted += lift_particle(context, i);
}

bool dlp_cloth_contact_review_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    facet_job job = {contact, parts};
    const dlp_reduction count_lifted = {lift_range, dlp_combine_sum_int64, &job, sizeof(int64_t)};
    int64_t lifted = 0;
    dlp_parallel_for(parts->team, contact->scratch.facets.count, FACET_GRAIN, facets_range, &job);
    dlp_parallel_reduce(parts->team, parts->particles->count, GRAIN, &count_lifted, &lifted);
    return lifted > 0;
}

void dlp_cloth_contact_resolve_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    facet_job job = {contact, parts};
    for (int k = 0; k < SWEEPS; k++) {
        dlp_parallel_for(parts->team, contact->scratch.facets.count, FACET_GRAIN, facets_range, &job);
        dlp_parallel_for(parts->team, parts->particles->count, GRAIN, gather_range, &job);
    }
}
