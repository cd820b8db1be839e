/* Rigid zones: particles whose impacts no sequence of impulses could resolve move as one rigid body that
 * keeps their momentum and angular momentum. Places that did not meet before do not meet after.  [provot1997;
 * bridson2002, sec. 7.5] */
#include "motion/cloth/cloth_contact_self.h"
#include "motion/cloth/cloth_groups.h"

#include <stdlib.h>

enum { GRAIN = 1024 };

// The smallest particle of a zone is its root, whatever the order of joining.
dlp_status dlp_cloth_contact_join_zone(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                       const dlp_cloth_contact_candidate *candidate, dlp_error *error)
{
    (void)parts;
    (void)error;
    int32_t *zone = contact->scratch.zones.zone;
    for (int k = 0; k < 4; k++)
        if (zone[candidate->particle[k]] < 0) zone[candidate->particle[k]] = candidate->particle[k];
    for (int k = 1; k < 4; k++) dlp_group_join(zone, candidate->particle[0], candidate->particle[k]);
    return DLP_OK;
}

typedef struct rigid {
    double mass;
    dlp_vec3 center, velocity, spin;
    double inertia[6];  // xx yy zz xy xz yz
    int32_t pin;        // a pinned particle; -1: none
} rigid;

static dlp_vec3 step_velocity(const dlp_cloth_parts *parts, int32_t i)
{
    return dlp_mul(dlp_sub(dlp_get3(parts->particles->position, i), dlp_get3(parts->start, i)),
                   1 / parts->step);
}

// omega of I omega = L; a zone along a line keeps no spin about it.
static dlp_vec3 solve_spin(const double inertia[6], dlp_vec3 moment)
{
    const double trace = inertia[0] + inertia[1] + inertia[2], soft = 1e-9 * trace;
    const double a = inertia[0] + soft, b = inertia[1] + soft, c = inertia[2] + soft;
    const double d = inertia[3], e = inertia[4], f = inertia[5];
    const double determinant = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
    if (!(determinant > 0)) return dlp_vec(0, 0, 0);
    const dlp_vec3 rows[3] = {{b * c - f * f, e * f - d * c, d * f - e * b},
                              {e * f - d * c, a * c - e * e, d * e - a * f},
                              {d * f - e * b, d * e - a * f, a * b - d * d}};
    return dlp_mul(dlp_vec(dlp_dot(rows[0], moment), dlp_dot(rows[1], moment), dlp_dot(rows[2], moment)),
                   1 / determinant);
}

static rigid find_motion(const dlp_cloth_parts *parts, const uint64_t *list, int32_t count)
{
    rigid body = {.pin = -1};
    const double *mass = parts->particles->mass;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = (int32_t)(uint32_t)list[k];
        body.mass += mass[i];
        body.center = dlp_along(body.center, dlp_get3(parts->start, i), mass[i]);
        body.velocity = dlp_along(body.velocity, step_velocity(parts, i), mass[i]);
        if (body.pin < 0 && parts->is_pinned[i]) body.pin = i;
    }
    body.center = dlp_mul(body.center, 1 / body.mass);
    body.velocity = dlp_mul(body.velocity, 1 / body.mass);
    if (body.pin >= 0) {
        body.velocity = step_velocity(parts, body.pin);
        return body;
    }
    dlp_vec3 moment = {0, 0, 0};
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = (int32_t)(uint32_t)list[k];
        const dlp_vec3 r = dlp_sub(dlp_get3(parts->start, i), body.center);
        const dlp_vec3 w = dlp_sub(step_velocity(parts, i), body.velocity);
        const double m = mass[i], square = dlp_dot(r, r);
        const double own[6] = {square - r.x * r.x, square - r.y * r.y, square - r.z * r.z,
                               -r.x * r.y,         -r.x * r.z,         -r.y * r.z};
        for (int c = 0; c < 6; c++) body.inertia[c] += m * own[c];
        moment = dlp_along(moment, dlp_cross(r, w), m);
    }
    body.spin = solve_spin(body.inertia, moment);
    return body;
}

static dlp_vec3 rotate(dlp_vec3 r, dlp_vec3 angle)
{
    const double size = dlp_length(angle);
    if (size == 0) return r;
    const dlp_vec3 axis = dlp_mul(angle, 1 / size);
    return dlp_add(dlp_along(dlp_mul(r, cos(size)), dlp_cross(axis, r), sin(size)),
                   dlp_mul(axis, dlp_dot(axis, r) * (1 - cos(size))));
}

static void move_zone(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, const uint64_t *list,
                      int32_t count)
{
    const rigid body = find_motion(parts, list, count);
    dlp_cloth_particles *p = parts->particles;
    const int32_t holder = body.pin >= 0 ? dlp_cloth_contact_supporter(contact, parts, body.pin) : -1;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = (int32_t)(uint32_t)list[k];
        if (parts->is_pinned[i]) continue;
        const dlp_vec3 r = dlp_sub(dlp_get3(parts->start, i), body.center), before = step_velocity(parts, i);
        const dlp_vec3 to = dlp_along(dlp_add(body.center, rotate(r, dlp_mul(body.spin, parts->step))),
                                      body.velocity, parts->step);
        dlp_put3(p->position, i, to);
        const dlp_vec3 change = dlp_sub(dlp_add(body.velocity, dlp_cross(body.spin, r)), before);
        dlp_put3(p->velocity, i, dlp_add(dlp_get3(p->velocity, i), change));
        dlp_cloth_contact_note(contact, parts, i, holder, dlp_mul(change, p->mass[i]));
    }
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int32_t select_members(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const int32_t *zone = context;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (zone[i] < 0) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

void dlp_cloth_contact_move_zones(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    dlp_cloth_zones *zones = &contact->scratch.zones;
    const int32_t count = dlp_parallel_compact(parts->team, parts->particles->count, GRAIN, select_members,
                                               zones->zone, zones->members);
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = zones->members[k];
        zones->keys[k] = (uint64_t)dlp_group_root(zones->zone, i) << 32 | (uint32_t)i;
    }
    qsort(zones->keys, (size_t)count, sizeof *zones->keys, compare_keys);
    for (int32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && zones->keys[end] >> 32 == zones->keys[begin] >> 32;) end++;
        move_zone(contact, parts, zones->keys + begin, end - begin);
        zones->count++;
    }
    contact->scratch.pairs.is_stale = true;
}
