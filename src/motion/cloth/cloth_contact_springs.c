/* Contact springs: contacts of cloth with cloth inside the solve. They are found before the first solve of a
 * step, where cloth touched, and again between two solves, where it would end too near. */
#include "motion/cloth/cloth_contact_self.h"

#include "base/random.h"

#include <string.h>

enum { REVIEW_LIMIT = 2, LEAST_TABLE = 64 };

// The spring is this much stiffer than what would stop the parts' own masses in one step.
#define SPRING_STIFFNESS 100.0

// Which corners bear it: the same for all meetings whose nearest points are the same.
static uint64_t key_of(const dlp_contact_spring *c)
{
    uint64_t sum[2] = {0, 0};
    for (int k = 0; k < 4; k++)
        if (fabs(c->weight[k]) > 0.01) sum[c->weight[k] < 0] += dlp_hash((uint64_t)c->particle[k]);
    return dlp_hash(sum[0] * sum[1]);
}

// Friction as a damper: Coulomb's force over the speed it has. Only what was in contact in the last solve has
// a load yet.
static void set_friction(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                         const dlp_cloth_contact_candidate *m, dlp_contact_spring *c)
{
    if (!dlp_cloth_candidate_has_springs(contact, m)) return;
    const dlp_vec3 u = dlp_cloth_candidate_step_velocity(parts, m, c->weight);
    const double across = dlp_dot(u, c->normal);
    const double load = c->stiffness * ((c->wanted - c->distance) / parts->step - across);
    const double slide = dlp_length(dlp_along(u, c->normal, -across));
    c->friction = fmin(m->friction * fmax(load, 0) / fmax(slide, 1e-6), c->stiffness);
}

static dlp_status add_spring(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                             const dlp_cloth_contact_candidate *m, dlp_error *error)
{
    dlp_cloth_springs *springs = &contact->scratch.springs;
    dlp_vec3 from[4], to[4];
    dlp_cloth_candidate_places(parts, m, from, to);
    const dlp_cloth_closest closest = dlp_cloth_closest_points(m->kind, from);
    dlp_contact_spring c = {.is_vertex_face = m->kind == DLP_CLOTH_VERTEX_FACE,
                            .distance = closest.distance,
                            .wanted = fmin(m->gap, closest.distance + 0.25 * m->gap)};
    if (!(closest.distance > 0)) return DLP_OK;
    for (int k = 0; k < 4; k++) {
        c.particle[k] = m->particle[k];
        c.weight[k] = closest.weight[k];
    }
    if (!dlp_cloth_candidate_is_movable(parts, m, closest.weight)) return DLP_OK;
    c.normal = dlp_mul(closest.apart, 1 / closest.distance);
    c.stiffness = SPRING_STIFFNESS / dlp_cloth_candidate_mobility(parts, m, closest.weight);
    set_friction(contact, parts, m, &c);
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(springs, items, springs->count + 1, error));
    springs->items[springs->count++] = c;
    return DLP_OK;
}

// Redundant ones.

// False where it is in the table already, which has room for twice as many as there are.
static bool add_key(uint64_t *table, uint64_t mask, uint64_t key)
{
    uint64_t at = key & mask;
    for (; table[at] != 0; at = (at + 1) & mask)
        if (table[at] == (key | 1)) return false;
    table[at] = key | 1;
    return true;
}

static void find_supported(dlp_cloth_springs *springs, const dlp_cloth_parts *parts)
{
    dlp_parallel_set(parts->team, springs->is_supported, 0, (size_t)parts->particles->count);
    for (int32_t k = 0; k < springs->count; k++)
        if (springs->items[k].is_vertex_face) springs->is_supported[springs->items[k].particle[0]] = 1;
}

static bool is_all_supported(const dlp_cloth_springs *springs, const dlp_contact_spring *c)
{
    for (int p = 0; p < 4; p++)
        if (!springs->is_supported[c->particle[p]]) return false;
    return true;
}

// Keeps one of those whose nearest points are the same. Where two layers lie flat on each other, corners on
// triangles carry them, and edges that cross there would only say the same again: edges count where a corner
// of theirs lies on nothing.
static dlp_status drop_redundant(dlp_cloth_springs *springs, const dlp_cloth_parts *parts, dlp_error *error)
{
    int32_t kept = 0, size = LEAST_TABLE;
    while (size < 2 * springs->count) size *= 2;
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(springs, keys, size, error));
    memset(springs->keys, 0, (size_t)size * sizeof *springs->keys);
    find_supported(springs, parts);
    for (int32_t k = 0; k < springs->count; k++) {
        const dlp_contact_spring c = springs->items[k];
        const uint64_t key = key_of(&c);
        if (!c.is_vertex_face && is_all_supported(springs, &c)) continue;
        if (!add_key(springs->keys, (uint64_t)size - 1, key)) continue;
        springs->items[kept++] = c;
        springs->hash += dlp_hash(key + (c.friction > 0));
    }
    springs->count = kept;
    return DLP_OK;
}

// What the springs' particles need to know.

// xx yy zz xy xz yz of what a spring adds to the diagonal block of a particle.
static void add_diagonal(const dlp_contact_spring *c, double weight, double d[6])
{
    const double square = weight * weight, friction = square * c->friction;
    const double s = square * c->stiffness - friction;
    const dlp_vec3 n = c->normal;
    const double part[6] = {friction + s * n.x * n.x,
                            friction + s * n.y * n.y,
                            friction + s * n.z * n.z,
                            s * n.x * n.y,
                            s * n.x * n.z,
                            s * n.y * n.z};
    for (int e = 0; e < 6; e++) d[e] += part[e];
}

static void scatter_springs(dlp_cloth_springs *springs, const dlp_cloth_parts *parts)
{
    dlp_parallel_set(parts->team, springs->has_spring, 0, (size_t)parts->particles->count);
    for (int32_t k = 0; k < springs->count; k++)
        for (int p = 0; p < 4; p++) {
            const int32_t i = springs->items[k].particle[p];
            assert(i >= 0 && i < parts->particles->count);
            if (!springs->has_spring[i]) memset(springs->diagonal + 6 * (int64_t)i, 0, 6 * sizeof(double));
            springs->has_spring[i] = 1;
        }
    for (int32_t k = 0; k < springs->count; k++)
        for (int p = 0; p < 4; p++) {
            const dlp_contact_spring *c = &springs->items[k];
            add_diagonal(c, c->weight[p], springs->diagonal + 6 * (int64_t)c->particle[p]);
        }
}

static dlp_status find_springs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                               dlp_cloth_pass_kind kind, dlp_error *error)
{
    dlp_cloth_springs *springs = &contact->scratch.springs;
    const dlp_cloth_contact_pass pass = {kind, add_spring};
    bool any;
    springs->count = 0;
    springs->hash = 0;
    contact->scratch.pairs.is_stale = true;
    DLP_TRY(dlp_cloth_contact_do_pass(contact, parts, &pass, &any, error));
    DLP_TRY(drop_redundant(springs, parts, error));
    scatter_springs(springs, parts);
    return DLP_OK;
}

// What lies on something that moves does not rest.
static void wake_partners(dlp_cloth_contact_state *state, const dlp_cloth_parts *parts,
                          const dlp_contact_spring *c)
{
    bool moves = false;
    for (int p = 0; p < 4; p++) {
        const int32_t i = c->particle[p];
        const dlp_vec3 v = dlp_get3(parts->particles->velocity, i);
        const double limit = parts->fabrics[parts->particles->substance[i]].tolerance;
        moves |= !state->at_rest[i] && dlp_dot(v, v) > limit * limit;
    }
    for (int p = 0; p < 4 && moves; p++) state->at_rest[c->particle[p]] = 0;
}

dlp_status dlp_cloth_contact_add_springs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                         dlp_error *error)
{
    dlp_cloth_springs *springs = &contact->scratch.springs;
    springs->review_count = 0;
    if (!dlp_cloth_contact_has_self(contact, parts)) return DLP_OK;
    dlp_parallel_set(parts->team, springs->has_spring, 0, (size_t)parts->particles->count);
    DLP_TRY(find_springs(contact, parts, DLP_CLOTH_PASS_TOUCHING, error));
    for (int32_t k = 0; k < springs->count; k++) wake_partners(&contact->state, parts, &springs->items[k]);
    return DLP_OK;
}

dlp_status dlp_cloth_contact_review_springs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                            bool *out_changed, dlp_error *error)
{
    dlp_cloth_springs *springs = &contact->scratch.springs;
    const uint64_t before = springs->hash;
    *out_changed = false;
    if (springs->review_count == REVIEW_LIMIT || !dlp_cloth_contact_has_self(contact, parts)) return DLP_OK;
    springs->review_count++;
    DLP_TRY(find_springs(contact, parts, DLP_CLOTH_PASS_PREDICTED, error));
    *out_changed = springs->hash != before;
    return DLP_OK;
}
