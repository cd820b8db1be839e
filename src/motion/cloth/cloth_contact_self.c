/* Cloth and cloth after the solve: parts that come near are slowed so that they end a thickness apart; what
 * would still pass through is stopped where it meets, again and again; the last resort is a rigid zone.
 * [bridson2002, sec. 6, 7; with contacts foreseen, so that sheets lie on each other without trembling] */
#include "motion/cloth/cloth_contact_self.h"

#include <string.h>

enum { NEAR_SWEEPS = 12, IMPACT_LIMIT = 12, ZONE_LIMIT = 24 };

// The part of a push that its obstacle lets through.
static dlp_vec3 unblocked_part(const dlp_cloth_contact *contact, int32_t i, dlp_vec3 push)
{
    const dlp_contact_constraint *constraint = &contact->scratch.obstacles.constraints[i];
    if (contact->state.obstacle_contact[i] == 0 || constraint->directions == 0) return push;
    return dlp_along(push, constraint->normal, -fmin(dlp_dot(push, constraint->normal), 0));
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
    dlp_cloth_pairs *pairs = &contact->scratch.pairs;
    double *x = parts->particles->position;
    if (dlp_dot(displacement, displacement) == 0) return;
    if (!dlp_cloth_contact_moved(parts, i)) pairs->is_stale = true;
    pairs->drift[i] += dlp_length(displacement);
    if (pairs->drift[i] > 0.5 * gap) pairs->is_stale = true;
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

// Parts that come near.

// Not where pins and obstacles leave next to no freedom: what is left would be thrown far.
static bool is_resolvable(const dlp_cloth_parts *parts, const dlp_cloth_contact_point *c)
{
    return c->mobility > 0.01 * dlp_cloth_candidate_mobility(parts, &c->candidate, c->closest.weight);
}

static dlp_status list_contact(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                               const dlp_cloth_contact_candidate *m, dlp_error *error)
{
    dlp_vec3 from[4], to[4];
    dlp_cloth_candidate_places(parts, m, from, to);
    dlp_cloth_contact_point c = {.candidate = *m, .closest = dlp_cloth_closest_points(m->kind, from)};
    if (!(c.closest.distance > 0)) return DLP_OK;
    c.normal = dlp_mul(c.closest.apart, 1 / c.closest.distance);
    c.mobility = find_push(contact, parts, m, c.closest.weight, c.normal, c.push);
    c.allowed = fmax(0, (c.closest.distance - DLP_CLOTH_NEAR_GAP * m->gap) / parts->step);
    if (!is_resolvable(parts, &c)) return DLP_OK;
    dlp_cloth_self_contacts *self = &contact->scratch.self;
    DLP_TRY(DLP_CLOTH_RESERVE_POOL(self, points, self->count + 1, error));
    self->points[self->count++] = c;
    return DLP_OK;
}

// Brings the approach to what is allowed. Impulses add up over the passes and may shrink again, but never
// pull: so neighbours that carry the same load share it, instead of each carrying it all.
static void apply_normal_impulse(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                 dlp_cloth_contact_point *c)
{
    const dlp_cloth_contact_candidate *m = &c->candidate;
    const dlp_vec3 u = dlp_cloth_candidate_step_velocity(parts, m, c->closest.weight);
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
    const dlp_vec3 u = dlp_cloth_candidate_step_velocity(parts, m, c->closest.weight);
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
    const double leaving =
        fmin(dlp_dot(dlp_cloth_candidate_velocity(parts, &m, c->weight), c->normal), moved);
    dlp_vec3 push[4];
    if (!(leaving > 0) || !dlp_cloth_candidate_is_movable(parts, &m, c->weight)) return;
    const double mobility = find_push(contact, parts, &m, c->weight, dlp_mul(c->normal, -1), push);
    if (!(mobility > 0.01 * dlp_cloth_candidate_mobility(parts, &m, c->weight))) return;
    const double impulse = leaving / mobility;
    apply_impulse(contact, parts, &m, push, impulse, STAYS);
    note_blocked(contact, parts, &m, c->weight, dlp_mul(c->normal, -impulse), push, impulse);
}

static void mark(dlp_cloth_self_contacts *self, const int32_t particle[4])
{
    for (int k = 0; k < 4; k++) self->has_contact[particle[k]] = 1;
}

static void resolve_contacts(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    dlp_cloth_self_contacts *self = &contact->scratch.self;
    const dlp_cloth_springs *springs = &contact->scratch.springs;
    for (int32_t k = 0; k < springs->count; k++) damp_separation(contact, parts, &springs->items[k]);
    for (int sweep = 0; sweep < NEAR_SWEEPS; sweep++)
        for (int32_t k = 0; k < self->count; k++) {
            apply_normal_impulse(contact, parts, &self->points[k]);
            apply_friction(contact, parts, &self->points[k]);
        }
    for (int32_t k = 0; k < self->count; k++) mark(self, self->points[k].candidate.particle);
    for (int32_t k = 0; k < springs->count; k++) mark(self, springs->items[k].particle);
}

// What would pass through.

// Inelastic, with friction, where they are when they meet.
static dlp_status resolve_impact(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                 const dlp_cloth_contact_candidate *m, dlp_error *error)
{
    (void)error;
    dlp_cloth_contact_point c = {.candidate = *m};
    if (!dlp_cloth_candidate_would_pass(parts, m, &c.closest)) return DLP_OK;
    c.normal = dlp_mul(c.closest.apart, 1 / c.closest.distance);
    c.mobility = find_push(contact, parts, m, c.closest.weight, c.normal, c.push);
    if (!is_resolvable(parts, &c)) return DLP_OK;
    // leaves, so that rounding does not decide
    c.allowed = -0.05 * DLP_CLOTH_IMPACT_GAP * m->gap / parts->step;
    apply_normal_impulse(contact, parts, &c);
    apply_friction(contact, parts, &c);
    mark(&contact->scratch.self, m->particle);
    contact->scratch.self.impact_count++;
    return DLP_OK;
}

dlp_status dlp_cloth_contact_resolve_self(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                          dlp_error *error)
{
    static const dlp_cloth_contact_pass NEAR = {DLP_CLOTH_PASS_NEAR, list_contact};
    static const dlp_cloth_contact_pass IMPACTS = {DLP_CLOTH_PASS_IMPACT, resolve_impact};
    static const dlp_cloth_contact_pass ZONES = {DLP_CLOTH_PASS_IMPACT, dlp_cloth_contact_join_zone};
    dlp_cloth_contact_scratch *s = &contact->scratch;
    if (!dlp_cloth_contact_has_self(contact, parts)) return DLP_OK;
    bool any;
    s->pairs.is_stale = true;
    s->self.count = 0;
    DLP_TRY(dlp_cloth_contact_do_pass(contact, parts, &NEAR, &any, error));
    resolve_contacts(contact, parts);
    dlp_parallel_set(parts->team, s->zones.zone, 0xff,  // -1 each
                     (size_t)parts->particles->count * sizeof *s->zones.zone);
    for (int k = 0; k < IMPACT_LIMIT + ZONE_LIMIT; k++) {
        const bool is_last_resort = k >= IMPACT_LIMIT;
        DLP_TRY(dlp_cloth_contact_do_pass(contact, parts, is_last_resort ? &ZONES : &IMPACTS, &any, error));
        if (!any && !s->pairs.is_stale) break;
        if (any && is_last_resort) dlp_cloth_contact_move_zones(contact, parts);
    }
    return DLP_OK;
}
