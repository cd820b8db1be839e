/* Cloth and cloth: parts that come near are slowed so that they end a thickness apart; what would still pass
 * through is stopped where it meets, again and again; the last resort is a rigid zone.  [bridson2002, sec. 6,
 * 7; with contacts foreseen, so that sheets lie on each other without trembling]
 * Finding runs in parallel; answers are given one after another in the order of the facets. */
#include "motion/cloth/cloth_contact.h"

#include "base/memory.h"
#include "base/random.h"

#include <string.h>

enum { NEAR_SWEEPS = 12, IMPACT_LIMIT = 12, ZONE_LIMIT = 24, SPRING_REVIEWS = 2 };

// Share of the thickness at which an impact is one.
#define IMPACT_GAP 0.1
// Share at which what contact springs let come too near is stopped after the solve.
#define NEAR_GAP 0.5
// Share at which a contact spring lets go: a little more than where it pushes, or contacts would come and go.
#define RELEASE_GAP 1.005

static void get_edge(const dlp_facet *facet, int k, int32_t out_end[2])
{
    out_end[0] = facet->corner[k];
    out_end[1] = facet->corner[2] < 0 ? facet->corner[1] : facet->corner[(k + 1) % 3];
}

static bool set_vertex_face(const dlp_facet *a, int corner, const dlp_facet *b,
                            dlp_cloth_contact_candidate *m)
{
    if (!(a->owned_corners & 1 << corner) || b->corner[2] < 0) return false;
    m->kind = DLP_CLOTH_VERTEX_FACE;
    m->particle[0] = a->corner[corner];
    for (int c = 0; c < 3; c++) m->particle[c + 1] = b->corner[c];
    return m->particle[0] != b->corner[0] && m->particle[0] != b->corner[1] && m->particle[0] != b->corner[2];
}

static bool set_edge_edge(const dlp_facet *a, int j, const dlp_facet *b, int k,
                          dlp_cloth_contact_candidate *m)
{
    if (!(a->owned_edges & 1 << j) || !(b->owned_edges & 1 << k)) return false;
    m->kind = DLP_CLOTH_EDGE_EDGE;
    get_edge(a, j, m->particle);
    get_edge(b, k, m->particle + 2);
    return m->particle[0] != m->particle[2] && m->particle[0] != m->particle[3] &&
           m->particle[1] != m->particle[2] && m->particle[1] != m->particle[3];
}

bool dlp_cloth_contact_candidate_of(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                    const dlp_cloth_contact_pair *pair, int bit,
                                    dlp_cloth_contact_candidate *out_candidate)
{
    const dlp_facet *a = &contact->facets[pair->facet[0]], *b = &contact->facets[pair->facet[1]];
    out_candidate->gap = dlp_cloth_contact_gap(contact, parts, a->substance, b->substance);
    out_candidate->friction =
        0.5 * (parts->fabrics[a->substance].friction + parts->fabrics[b->substance].friction);
    if (bit < 3) return set_vertex_face(a, bit, b, out_candidate);
    if (bit < 6) return set_vertex_face(b, bit - 3, a, out_candidate);
    return set_edge_edge(a, (bit - 6) / 3, b, (bit - 6) % 3, out_candidate);
}

// The part of a push that its obstacle lets through.
static dlp_vec3 unblocked_part(const dlp_cloth_contact *contact, int32_t i, dlp_vec3 push)
{
    if (contact->obstacle_contact[i] == 0 || contact->constraints[i].directions == 0) return push;
    const dlp_vec3 normal = contact->constraints[i].normal;
    return dlp_along(push, normal, -fmin(dlp_dot(push, normal), 0));
}

// 1/kg: what a unit of impulse does to the speed apart, were nothing held.
static double whole_mobility(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m,
                             const double weight[4])
{
    double mobility = 0;
    for (int k = 0; k < 4; k++) mobility += weight[k] * weight[k] / parts->particles->mass[m->particle[k]];
    return mobility;
}

// Where next to all of a contact rests on pinned particles, nothing can answer it.
static bool is_movable(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m,
                       const double weight[4])
{
    double pinned = 0;
    for (int k = 0; k < 4; k++)
        if (parts->is_pinned[m->particle[k]])
            pinned += weight[k] * weight[k] / parts->particles->mass[m->particle[k]];
    return pinned < 0.99 * whole_mobility(parts, m, weight);
}

// What a unit of impulse along a direction does to the four; returns what it does to their speed apart.
static double find_push(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                        const dlp_cloth_contact_candidate *m, const double weight[4], dlp_vec3 direction,
                        dlp_vec3 out_push[4])
{
    double mobility = 0;
    for (int k = 0; k < 4; k++) {
        const int32_t i = m->particle[k];
        const double share = parts->is_pinned[i] ? 0 : weight[k] / parts->particles->mass[i];
        out_push[k] = unblocked_part(contact, i, dlp_mul(direction, share));
        mobility += weight[k] * dlp_dot(out_push[k], direction);
    }
    return mobility;
}

static void add_velocity(const dlp_cloth_parts *parts, int32_t i, dlp_vec3 change)
{
    double *v = parts->particles->velocity;
    dlp_put3(v, i, dlp_add(dlp_get3(v, i), change));
}

static void move(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i, dlp_vec3 displacement,
                 double gap)
{
    double *x = parts->particles->position;
    if (dlp_dot(displacement, displacement) == 0) return;
    if (!dlp_cloth_contact_moved(parts, i)) contact->needs_pairs = true;
    contact->drift[i] += dlp_length(displacement);
    if (contact->drift[i] > 0.5 * gap) contact->needs_pairs = true;
    dlp_put3(x, i, dlp_add(dlp_get3(x, i), displacement));
}

// An impulse: on momenta, and, where it moves, on the places at the end of the step as well.
typedef enum impulse_kind { STAYS, MOVES } impulse_kind;
static void apply_impulse(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                          const dlp_cloth_contact_candidate *m, const dlp_vec3 push[4], double impulse,
                          impulse_kind kind)
{
    for (int k = 0; k < 4; k++) {
        const dlp_vec3 change = dlp_mul(push[k], impulse);
        add_velocity(parts, m->particle[k], change);
        if (kind == MOVES) move(contact, parts, m->particle[k], dlp_mul(change, parts->step), m->gap);
    }
}

// What pins and obstacles take of an impulse along a direction is a load on their bodies.
static void note_blocked(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                         const dlp_cloth_contact_candidate *m, const double weight[4], dlp_vec3 impulse,
                         const dlp_vec3 push[4], double size)
{
    for (int k = 0; k < 4; k++) {
        const int32_t i = m->particle[k];
        const dlp_vec3 taken = dlp_mul(push[k], parts->particles->mass[i] * size);
        dlp_cloth_contact_note(contact, parts, i, dlp_cloth_contact_supporter(contact, parts, i),
                               dlp_along(taken, impulse, -weight[k]));
    }
}

// What comes near.

static void load(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m, dlp_vec3 from[4],
                 dlp_vec3 to[4])
{
    for (int k = 0; k < 4; k++) {
        from[k] = dlp_get3(parts->start, m->particle[k]);
        to[k] = dlp_get3(parts->particles->position, m->particle[k]);
    }
}

// Velocity of the nearest points apart: by the way of this step, or by the momenta, part of which is hidden.
static dlp_vec3 step_velocity_apart(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m,
                                    const double weight[4])
{
    dlp_vec3 from[4], to[4], u = {0, 0, 0};
    load(parts, m, from, to);
    for (int k = 0; k < 4; k++) u = dlp_along(u, dlp_sub(to[k], from[k]), weight[k] / parts->step);
    return u;
}
static dlp_vec3 velocity_apart(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m,
                               const double weight[4])
{
    dlp_vec3 u = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        u = dlp_along(u, dlp_get3(parts->particles->velocity, m->particle[k]), weight[k]);
    return u;
}

static bool all_rest(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                     const dlp_cloth_contact_candidate *m)
{
    for (int k = 0; k < 4; k++) {
        const int32_t i = m->particle[k];
        if (dlp_cloth_contact_moved(parts, i) || (contact->had_contact[i] && !contact->at_rest[i]))
            return false;
    }
    return true;
}

static bool is_touching(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                        const dlp_cloth_contact_candidate *m)
{
    if (all_rest(contact, parts, m)) return false;
    dlp_vec3 from[4], to[4];
    load(parts, m, from, to);
    const double distance = dlp_cloth_closest_points(m->kind, from).distance;
    return distance < 1.05 * m->gap && distance > DLP_CLOTH_ZERO_GAP * m->gap;
}

// Whether they end nearer than a share of the gap. It is foreseen by what the two approach in this step, but
// not across a cell.
static bool comes_near(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                       const dlp_cloth_contact_candidate *m, double share)
{
    if (all_rest(contact, parts, m)) return false;
    dlp_vec3 from[4], to[4];
    load(parts, m, from, to);
    const dlp_cloth_closest closest = dlp_cloth_closest_points(m->kind, from);
    if (closest.distance > m->gap + 0.25 * contact->mean_edge ||
        !(closest.distance > DLP_CLOTH_ZERO_GAP * m->gap))
        return false;
    const double apart =
        dlp_dot(step_velocity_apart(parts, m, closest.weight), closest.apart) / closest.distance;
    return closest.distance + parts->step * apart < share * m->gap;
}

// Contact springs: contacts inside the solve.

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

static bool has_spring(const dlp_cloth_contact *contact, const dlp_cloth_contact_candidate *m)
{
    for (int k = 0; k < 4; k++)
        if (!contact->has_spring[m->particle[k]]) return false;
    return true;
}

// Friction as a damper: Coulomb's force over the speed it has. Only what was in contact in the last solve has
// a load yet.
static void set_friction(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                         const dlp_cloth_contact_candidate *m, dlp_contact_spring *c)
{
    if (!has_spring(contact, m)) return;
    const dlp_vec3 u = step_velocity_apart(parts, m, c->weight);
    const double across = dlp_dot(u, c->normal);
    const double load = c->stiffness * ((c->wanted - c->distance) / parts->step - across);
    const double slide = dlp_length(dlp_along(u, c->normal, -across));
    c->friction = fmin(m->friction * fmax(load, 0) / fmax(slide, 1e-6), c->stiffness);
}

static dlp_status add_spring(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                             const dlp_cloth_contact_candidate *m, dlp_error *error)
{
    dlp_vec3 from[4], to[4];
    load(parts, m, from, to);
    const dlp_cloth_closest closest = dlp_cloth_closest_points(m->kind, from);
    dlp_contact_spring c = {.is_vertex_face = m->kind == DLP_CLOTH_VERTEX_FACE,
                            .distance = closest.distance,
                            .wanted = fmin(m->gap, closest.distance + 0.25 * m->gap)};
    if (!(closest.distance > 0)) return DLP_OK;
    for (int k = 0; k < 4; k++) {
        c.particle[k] = m->particle[k];
        c.weight[k] = closest.weight[k];
    }
    if (!is_movable(parts, m, closest.weight)) return DLP_OK;
    c.normal = dlp_mul(closest.apart, 1 / closest.distance);
    c.stiffness = SPRING_STIFFNESS / whole_mobility(parts, m, closest.weight);
    set_friction(contact, parts, m, &c);
    DLP_TRY(dlp_reserve(&contact->springs, &contact->spring_capacity, contact->spring_count + 1,
                        sizeof *contact->springs, "cloth contact", error));
    contact->springs[contact->spring_count++] = c;
    return DLP_OK;
}

// Not where pins and obstacles leave next to no freedom: what is left would be thrown far.
static bool is_resolvable(const dlp_cloth_parts *parts, const dlp_cloth_contact_point *c)
{
    return c->mobility > 0.01 * whole_mobility(parts, &c->candidate, c->closest.weight);
}

static dlp_status list_contact(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                               const dlp_cloth_contact_candidate *m, dlp_error *error)
{
    dlp_vec3 from[4], to[4];
    load(parts, m, from, to);
    dlp_cloth_contact_point c = {.candidate = *m, .closest = dlp_cloth_closest_points(m->kind, from)};
    if (!(c.closest.distance > 0)) return DLP_OK;
    c.normal = dlp_mul(c.closest.apart, 1 / c.closest.distance);
    c.mobility = find_push(contact, parts, m, c.closest.weight, c.normal, c.push);
    c.allowed = fmax(0, (c.closest.distance - NEAR_GAP * m->gap) / parts->step);
    if (!is_resolvable(parts, &c)) return DLP_OK;
    DLP_TRY(dlp_reserve(&contact->contacts, &contact->contact_capacity, contact->contact_count + 1,
                        sizeof *contact->contacts, "cloth contact", error));
    contact->contacts[contact->contact_count++] = c;
    return DLP_OK;
}

// Brings the approach to what is allowed. Impulses add up over the passes and may shrink again, but never
// pull: so neighbours that carry the same load share it, instead of each carrying it all.
static void apply_normal_impulse(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                 dlp_cloth_contact_point *c)
{
    const dlp_cloth_contact_candidate *m = &c->candidate;
    const dlp_vec3 u = step_velocity_apart(parts, m, c->closest.weight);
    const double wanted = c->normal_impulse - (dlp_dot(u, c->normal) + c->allowed) / c->mobility;
    const double next = fmax(0, wanted), impulse = next - c->normal_impulse;
    c->normal_impulse = next;
    if (impulse == 0) return;
    apply_impulse(contact, parts, m, c->push, impulse, MOVES);
    note_blocked(contact, parts, m, c->closest.weight, dlp_mul(c->normal, impulse), c->push, impulse);
}

// Coulomb: along the contact, up to the friction's share of what presses.
static void apply_friction(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                           dlp_cloth_contact_point *c)
{
    const dlp_cloth_contact_candidate *m = &c->candidate;
    const dlp_vec3 u = step_velocity_apart(parts, m, c->closest.weight);
    const dlp_vec3 along = dlp_along(u, c->normal, -dlp_dot(u, c->normal));
    dlp_vec3 next = dlp_along(c->friction_impulse, along, -1 / c->mobility);
    const double limit = m->friction * c->normal_impulse, size = dlp_length(next);
    if (size > limit) next = dlp_mul(next, limit / size);
    const dlp_vec3 change = dlp_sub(next, c->friction_impulse);
    const double impulse = dlp_length(change);
    c->friction_impulse = next;
    if (!(impulse > 0)) return;
    dlp_vec3 push[4];
    find_push(contact, parts, m, c->closest.weight, dlp_mul(change, 1 / impulse), push);
    apply_impulse(contact, parts, m, push, impulse, MOVES);
    note_blocked(contact, parts, m, c->closest.weight, change, push, impulse);
}

// What a contact spring did to bring its parts a gap apart was a move, not a throw: the speed apart that goes
// with it does not stay, or they would leave each other, fall back, and do so for ever.
static void damp_separation(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                            const dlp_contact_spring *c)
{
    dlp_cloth_contact_candidate m = {.gap = c->wanted};
    memcpy(m.particle, c->particle, sizeof m.particle);
    const double moved = (c->wanted - c->distance) / parts->step;
    const double leaving = fmin(dlp_dot(velocity_apart(parts, &m, c->weight), c->normal), moved);
    dlp_vec3 push[4];
    if (!(leaving > 0) || !is_movable(parts, &m, c->weight)) return;
    const double mobility = find_push(contact, parts, &m, c->weight, dlp_mul(c->normal, -1), push);
    if (!(mobility > 0.01 * whole_mobility(parts, &m, c->weight))) return;
    const double impulse = leaving / mobility;
    apply_impulse(contact, parts, &m, push, impulse, STAYS);
    note_blocked(contact, parts, &m, c->weight, dlp_mul(c->normal, -impulse), push, impulse);
}

static void resolve_contacts(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    for (int32_t k = 0; k < contact->spring_count; k++) damp_separation(contact, parts, &contact->springs[k]);
    for (int sweep = 0; sweep < NEAR_SWEEPS; sweep++)
        for (int32_t k = 0; k < contact->contact_count; k++) {
            dlp_cloth_contact_point *c = &contact->contacts[k];
            apply_normal_impulse(contact, parts, c);
            apply_friction(contact, parts, c);
        }
    for (int32_t k = 0; k < contact->contact_count; k++)
        for (int p = 0; p < 4; p++) contact->has_contact[contact->contacts[k].candidate.particle[p]] = 1;
    for (int32_t k = 0; k < contact->spring_count; k++)
        for (int p = 0; p < 4; p++) contact->has_contact[contact->springs[k].particle[p]] = 1;
}

// What would pass through.

static bool would_pass(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m,
                       dlp_cloth_closest *out_closest)
{
    dlp_vec3 from[4], to[4], x[4];
    load(parts, m, from, to);
    const double share = dlp_cloth_time_of_impact(m->kind, from, to, IMPACT_GAP * m->gap);
    if (share >= 1) return false;
    for (int k = 0; k < 4; k++) x[k] = dlp_along(from[k], dlp_sub(to[k], from[k]), share);
    *out_closest = dlp_cloth_closest_points(m->kind, x);
    return out_closest->distance > 0;
}

// Inelastic, with friction, where they are when they meet.
static void resolve_impact(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                           const dlp_cloth_contact_candidate *m)
{
    dlp_cloth_contact_point c = {.candidate = *m};
    if (!would_pass(parts, m, &c.closest)) return;
    c.normal = dlp_mul(c.closest.apart, 1 / c.closest.distance);
    c.mobility = find_push(contact, parts, m, c.closest.weight, c.normal, c.push);
    if (!is_resolvable(parts, &c)) return;
    c.allowed = -0.05 * IMPACT_GAP * m->gap / parts->step;  // leaves, so that rounding does not decide
    apply_normal_impulse(contact, parts, &c);
    apply_friction(contact, parts, &c);
    for (int k = 0; k < 4; k++) contact->has_contact[m->particle[k]] = 1;
    contact->impact_count++;
}

// The passes.

typedef enum pass_kind { PASS_TOUCHING, PASS_PREDICTED, PASS_NEAR, PASS_IMPACT, PASS_ZONE } pass_kind;
typedef struct pass {
    dlp_cloth_contact *contact;
    const dlp_cloth_parts *parts;
    pass_kind kind;
} pass;

static bool any_moved(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *m)
{
    for (int k = 0; k < 4; k++)
        if (dlp_cloth_contact_moved(parts, m->particle[k])) return true;
    return false;
}

static bool meets(const pass *p, const dlp_cloth_contact_candidate *m)
{
    dlp_cloth_closest closest;
    switch (p->kind) {
    case PASS_TOUCHING:
        return is_touching(p->contact, p->parts, m);
    case PASS_PREDICTED:
        return comes_near(p->contact, p->parts, m, has_spring(p->contact, m) ? RELEASE_GAP : 1);
    case PASS_NEAR:
        return comes_near(p->contact, p->parts, m, NEAR_GAP);
    default:
        return any_moved(p->parts, m) && would_pass(p->parts, m, &closest);
    }
}

static void find_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const pass *p = context;
    dlp_cloth_contact_candidate m;
    for (int32_t k = begin; k < end; k++) {
        dlp_cloth_contact_pair *pair = &p->contact->pairs[k];
        pair->hit = 0;
        for (int bit = 0; bit < DLP_CLOTH_CONTACT_CANDIDATES; bit++) {
            if (!dlp_cloth_contact_candidate_of(p->contact, p->parts, pair, bit, &m)) continue;
            if (meets(p, &m)) pair->hit |= (uint16_t)(1 << bit);
        }
    }
}

static dlp_status resolve(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                          const dlp_cloth_contact_candidate *m, pass_kind kind, dlp_error *error)
{
    if (kind == PASS_TOUCHING || kind == PASS_PREDICTED) return add_spring(contact, parts, m, error);
    if (kind == PASS_NEAR) return list_contact(contact, parts, m, error);
    if (kind == PASS_IMPACT)
        resolve_impact(contact, parts, m);
    else
        dlp_cloth_contact_join_zone(contact, m);
    return DLP_OK;
}

// Finds what meets, in parallel, and answers in order. *out_any: something did.
static dlp_status do_pass(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, pass_kind kind,
                          bool *out_any, dlp_error *error)
{
    pass p = {contact, parts, kind};
    dlp_cloth_contact_candidate m;
    *out_any = false;
    if (contact->needs_pairs) DLP_TRY(dlp_cloth_contact_find_pairs(contact, parts, error));
    dlp_parallel_for(parts->team, contact->pair_count, 64, find_range, &p);
    for (int32_t k = 0; k < contact->pair_count; k++) {
        const dlp_cloth_contact_pair *pair = &contact->pairs[k];
        for (int bit = 0; bit < DLP_CLOTH_CONTACT_CANDIDATES && pair->hit >> bit != 0; bit++) {
            if (!(pair->hit >> bit & 1) || !dlp_cloth_contact_candidate_of(contact, parts, pair, bit, &m))
                continue;
            DLP_TRY(resolve(contact, parts, &m, kind, error));
            *out_any = true;
        }
    }
    return DLP_OK;
}

// What the contact springs' particles need to know: that there are any, and their part of the diagonal.
static void scatter_springs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    memset(contact->has_spring, 0, (size_t)parts->particles->count);
    for (int32_t k = 0; k < contact->spring_count; k++)
        for (int p = 0; p < 4; p++) {
            const int32_t i = contact->springs[k].particle[p];
            if (!contact->has_spring[i])
                memset(contact->spring_diagonal + 6 * (int64_t)i, 0, 6 * sizeof(double));
            contact->has_spring[i] = 1;
        }
    for (int32_t k = 0; k < contact->spring_count; k++)
        for (int p = 0; p < 4; p++) {
            const dlp_contact_spring *c = &contact->springs[k];
            double *d = contact->spring_diagonal + 6 * (int64_t)c->particle[p];
            const double square = c->weight[p] * c->weight[p], friction = square * c->friction;
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
}

// False where it is in the table already, which has room for twice as many as there are.
static bool add_key(uint64_t *table, uint64_t mask, uint64_t key)
{
    uint64_t at = key & mask;
    for (; table[at] != 0; at = (at + 1) & mask)
        if (table[at] == (key | 1)) return false;
    table[at] = key | 1;
    return true;
}

// Keeps one of those whose nearest points are the same. Where two layers lie flat on each other, corners on
// triangles carry them, and edges that cross there would only say the same again: edges count where a corner
// of theirs lies on nothing.
static dlp_status drop_redundant(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, dlp_error *error)
{
    uint8_t *is_supported = contact->is_changed;  // free between reviews
    int32_t kept = 0, size = 64;
    while (size < 2 * contact->spring_count) size *= 2;
    DLP_TRY(dlp_reserve(&contact->spring_keys, &contact->spring_key_capacity, size,
                        sizeof *contact->spring_keys, "cloth contact", error));
    memset(contact->spring_keys, 0, (size_t)size * sizeof *contact->spring_keys);
    memset(is_supported, 0, (size_t)parts->particles->count);
    for (int32_t k = 0; k < contact->spring_count; k++)
        if (contact->springs[k].is_vertex_face) is_supported[contact->springs[k].particle[0]] = 1;
    for (int32_t k = 0; k < contact->spring_count; k++) {
        const dlp_contact_spring c = contact->springs[k];
        const uint64_t key = key_of(&c);
        bool all_supported = true;
        for (int p = 0; p < 4; p++) all_supported &= is_supported[c.particle[p]];
        if ((!c.is_vertex_face && all_supported) || !add_key(contact->spring_keys, (uint64_t)size - 1, key))
            continue;
        contact->springs[kept++] = c;
        contact->spring_hash += dlp_hash(key + (c.friction > 0));
    }
    contact->spring_count = kept;
    return DLP_OK;
}

static dlp_status add_springs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, pass_kind kind,
                              dlp_error *error)
{
    bool any;
    contact->spring_count = 0;
    contact->spring_hash = 0;
    contact->needs_pairs = true;
    DLP_TRY(do_pass(contact, parts, kind, &any, error));
    DLP_TRY(drop_redundant(contact, parts, error));
    scatter_springs(contact, parts);
    return DLP_OK;
}

// What lies on something that moves does not rest.
static void wake_partners(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                          const dlp_contact_spring *c)
{
    bool moves = false;
    for (int p = 0; p < 4; p++) {
        const int32_t i = c->particle[p];
        const dlp_vec3 v = dlp_get3(parts->particles->velocity, i);
        const double limit = parts->fabrics[parts->particles->substance[i]].tolerance;
        moves |= !contact->at_rest[i] && dlp_dot(v, v) > limit * limit;
    }
    for (int p = 0; p < 4 && moves; p++) contact->at_rest[c->particle[p]] = 0;
}

dlp_status dlp_cloth_contact_add_springs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                         dlp_error *error)
{
    contact->spring_reviews = 0;
    if (!dlp_cloth_contact_has_self(contact, parts)) return DLP_OK;
    memset(contact->has_spring, 0, (size_t)parts->particles->count);
    DLP_TRY(add_springs(contact, parts, PASS_TOUCHING, error));
    for (int32_t k = 0; k < contact->spring_count; k++) wake_partners(contact, parts, &contact->springs[k]);
    return DLP_OK;
}

dlp_status dlp_cloth_contact_review_springs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                            bool *out_changed, dlp_error *error)
{
    const uint64_t before = contact->spring_hash;
    *out_changed = false;
    if (contact->spring_reviews == SPRING_REVIEWS || !dlp_cloth_contact_has_self(contact, parts))
        return DLP_OK;
    contact->spring_reviews++;
    DLP_TRY(add_springs(contact, parts, PASS_PREDICTED, error));
    *out_changed = contact->spring_hash != before;
    return DLP_OK;
}

bool dlp_cloth_contact_has_self(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    if (contact->facet_count == 0) return false;
    int32_t cloth_count = 0;
    for (int32_t k = 0; k < parts->scene->substance_count; k++) {
        const bool is_cloth = parts->scene->substances[k].model == DLP_MODEL_CLOTH;
        cloth_count += is_cloth;
        if (is_cloth && parts->fabrics[k].meets_itself) return true;
    }
    return cloth_count > 1;
}

dlp_status dlp_cloth_contact_resolve_self(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                          dlp_error *error)
{
    if (!dlp_cloth_contact_has_self(contact, parts)) return DLP_OK;
    bool any;
    contact->needs_pairs = true;
    contact->contact_count = 0;
    DLP_TRY(do_pass(contact, parts, PASS_NEAR, &any, error));
    resolve_contacts(contact, parts);
    for (int32_t i = 0; i < parts->particles->count; i++) contact->zone[i] = -1;
    for (int k = 0; k < IMPACT_LIMIT + ZONE_LIMIT; k++) {
        const pass_kind kind = k < IMPACT_LIMIT ? PASS_IMPACT : PASS_ZONE;
        DLP_TRY(do_pass(contact, parts, kind, &any, error));
        if (!any && !contact->needs_pairs) break;
        if (any && kind == PASS_ZONE) dlp_cloth_contact_move_zones(contact, parts);
    }
    return DLP_OK;
}
