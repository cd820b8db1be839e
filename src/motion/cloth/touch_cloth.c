/* Cloth and cloth: parts that come near are slowed so that they end a thickness apart; what would still pass
 * through is stopped where it meets, again and again; the last resort is a rigid zone.  [bridson2002, sec. 6,
 * 7; with contacts foreseen, so that sheets lie on each other without trembling]
 * Finding runs in parallel; answers are given one after another in the order of the facets. */
#include "motion/cloth/touch.h"

#include "base/memory.h"
#include "base/random.h"

#include <string.h>

enum { NEAR_SWEEPS = 12, IMPACT_LIMIT = 12, ZONE_LIMIT = 24, CUSHION_REVIEWS = 2 };

// Share of the thickness at which an impact is one.
#define IMPACT_GAP 0.1
// Share at which what cushions let come too near is stopped after the solve.
#define NEAR_GAP 0.5
// Share at which a cushion lets go: a little more than where it pushes, or contacts would come and go.
#define HELD_GAP 1.005

static void get_edge(const dlp_facet *facet, int k, int32_t out_end[2])
{
    out_end[0] = facet->corner[k];
    out_end[1] = facet->corner[2] < 0 ? facet->corner[1] : facet->corner[(k + 1) % 3];
}

static bool set_corner_meeting(const dlp_facet *a, int corner, const dlp_facet *b, dlp_touch_meeting *m)
{
    if (!(a->owned_corners & 1 << corner) || b->corner[2] < 0) return false;
    m->kind = DLP_MEETING_CORNER;
    m->particle[0] = a->corner[corner];
    for (int c = 0; c < 3; c++) m->particle[c + 1] = b->corner[c];
    return m->particle[0] != b->corner[0] && m->particle[0] != b->corner[1] && m->particle[0] != b->corner[2];
}

static bool set_edge_meeting(const dlp_facet *a, int j, const dlp_facet *b, int k, dlp_touch_meeting *m)
{
    if (!(a->owned_edges & 1 << j) || !(b->owned_edges & 1 << k)) return false;
    m->kind = DLP_MEETING_EDGES;
    get_edge(a, j, m->particle);
    get_edge(b, k, m->particle + 2);
    return m->particle[0] != m->particle[2] && m->particle[0] != m->particle[3] &&
           m->particle[1] != m->particle[2] && m->particle[1] != m->particle[3];
}

bool dlp_touch_meeting_of(const dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_touch_pair *pair,
                          int bit, dlp_touch_meeting *out_meeting)
{
    const dlp_facet *a = &touch->facets[pair->facet[0]], *b = &touch->facets[pair->facet[1]];
    out_meeting->gap = dlp_touch_gap(touch, parts, a->substance, b->substance);
    out_meeting->friction =
        0.5 * (parts->fabrics[a->substance].friction + parts->fabrics[b->substance].friction);
    if (bit < 3) return set_corner_meeting(a, bit, b, out_meeting);
    if (bit < 6) return set_corner_meeting(b, bit - 3, a, out_meeting);
    return set_edge_meeting(a, (bit - 6) / 3, b, (bit - 6) % 3, out_meeting);
}

// The part of a push that its obstacle lets through.
static dlp_vec3 let_through(const dlp_touch *touch, int32_t i, dlp_vec3 push)
{
    if (touch->contact[i] == 0 || touch->holds[i].directions == 0) return push;
    const dlp_vec3 normal = touch->holds[i].normal;
    return dlp_along(push, normal, -fmin(dlp_dot(push, normal), 0));
}

// 1/kg: what a unit of impulse does to the speed apart, were nothing held.
static double whole_mobility(const dlp_cloth_parts *parts, const dlp_touch_meeting *m, const double weight[4])
{
    double mobility = 0;
    for (int k = 0; k < 4; k++) mobility += weight[k] * weight[k] / parts->particles->mass[m->particle[k]];
    return mobility;
}

// Where next to all of a contact rests on pinned particles, nothing can answer it.
static bool is_movable(const dlp_cloth_parts *parts, const dlp_touch_meeting *m, const double weight[4])
{
    double pinned = 0;
    for (int k = 0; k < 4; k++)
        if (parts->is_pinned[m->particle[k]])
            pinned += weight[k] * weight[k] / parts->particles->mass[m->particle[k]];
    return pinned < 0.99 * whole_mobility(parts, m, weight);
}

// What a unit of impulse along a direction does to the four; returns what it does to their speed apart.
static double find_push(const dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_touch_meeting *m,
                        const double weight[4], dlp_vec3 direction, dlp_vec3 out_push[4])
{
    double mobility = 0;
    for (int k = 0; k < 4; k++) {
        const int32_t i = m->particle[k];
        const double share = parts->is_pinned[i] ? 0 : weight[k] / parts->particles->mass[i];
        out_push[k] = let_through(touch, i, dlp_mul(direction, share));
        mobility += weight[k] * dlp_dot(out_push[k], direction);
    }
    return mobility;
}

static void kick(const dlp_cloth_parts *parts, int32_t i, dlp_vec3 change)
{
    double *v = parts->particles->velocity;
    dlp_put3(v, i, dlp_add(dlp_get3(v, i), change));
}

static void move(dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i, dlp_vec3 way, double gap)
{
    double *x = parts->particles->position;
    if (dlp_dot(way, way) == 0) return;
    if (!dlp_touch_moved(parts, i)) touch->needs_pairs = true;
    touch->drift[i] += dlp_length(way);
    if (touch->drift[i] > 0.5 * gap) touch->needs_pairs = true;
    dlp_put3(x, i, dlp_add(dlp_get3(x, i), way));
}

// An impulse: on momenta, and, where it moves, on the places at the end of the step as well.
typedef enum impulse_kind { STAYS, MOVES } impulse_kind;
static void give(dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_touch_meeting *m,
                 const dlp_vec3 push[4], double impulse, impulse_kind kind)
{
    for (int k = 0; k < 4; k++) {
        const dlp_vec3 change = dlp_mul(push[k], impulse);
        kick(parts, m->particle[k], change);
        if (kind == MOVES) move(touch, parts, m->particle[k], dlp_mul(change, parts->step), m->gap);
    }
}

// ---- what comes near

static void load(const dlp_cloth_parts *parts, const dlp_touch_meeting *m, dlp_vec3 from[4], dlp_vec3 to[4])
{
    for (int k = 0; k < 4; k++) {
        from[k] = dlp_get3(parts->start, m->particle[k]);
        to[k] = dlp_get3(parts->particles->position, m->particle[k]);
    }
}

// Velocity of the nearest points apart: by the way of this step, or by the momenta, part of which is hidden.
static dlp_vec3 way_apart(const dlp_cloth_parts *parts, const dlp_touch_meeting *m, const double weight[4])
{
    dlp_vec3 from[4], to[4], u = {0, 0, 0};
    load(parts, m, from, to);
    for (int k = 0; k < 4; k++) u = dlp_along(u, dlp_sub(to[k], from[k]), weight[k] / parts->step);
    return u;
}
static dlp_vec3 velocity_apart(const dlp_cloth_parts *parts, const dlp_touch_meeting *m,
                               const double weight[4])
{
    dlp_vec3 u = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        u = dlp_along(u, dlp_get3(parts->particles->velocity, m->particle[k]), weight[k]);
    return u;
}

static bool all_rest(const dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_touch_meeting *m)
{
    for (int k = 0; k < 4; k++) {
        const int32_t i = m->particle[k];
        if (dlp_touch_moved(parts, i) || (touch->touches[i] && !touch->rests[i])) return false;
    }
    return true;
}

static bool touches_now(const dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_touch_meeting *m)
{
    if (all_rest(touch, parts, m)) return false;
    dlp_vec3 from[4], to[4];
    load(parts, m, from, to);
    const double distance = dlp_near_of(m->kind, from).distance;
    return distance < 1.05 * m->gap && distance > DLP_NEAR_NOTHING * m->gap;
}

// Whether they end nearer than a share of the gap. It is foreseen by what the two approach in this step, but
// not across a cell.
static bool comes_near(const dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_touch_meeting *m,
                       double share)
{
    if (all_rest(touch, parts, m)) return false;
    dlp_vec3 from[4], to[4];
    load(parts, m, from, to);
    const dlp_near near = dlp_near_of(m->kind, from);
    if (near.distance > m->gap + 0.25 * touch->cell || !(near.distance > DLP_NEAR_NOTHING * m->gap))
        return false;
    const double apart = dlp_dot(way_apart(parts, m, near.weight), near.apart) / near.distance;
    return near.distance + parts->step * apart < share * m->gap;
}

// ---- cushions: contacts inside the solve

// The spring is this much stiffer than what would stop the parts' own masses in one step.
#define CUSHION 100.0

// Which corners bear it: the same for all meetings whose nearest points are the same.
static uint64_t mark_of(const dlp_cushion *c)
{
    uint64_t sum[2] = {0, 0};
    for (int k = 0; k < 4; k++)
        if (fabs(c->weight[k]) > 0.01) sum[c->weight[k] < 0] += dlp_hash((uint64_t)c->particle[k]);
    return dlp_hash(sum[0] * sum[1]);
}

static bool is_cushioned(const dlp_touch *touch, const dlp_touch_meeting *m)
{
    for (int k = 0; k < 4; k++)
        if (!touch->is_cushioned[m->particle[k]]) return false;
    return true;
}

// Friction as a damper: Coulomb's force over the speed it has. Only what was cushioned in the last solve has
// a load yet.
static void set_friction(const dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_touch_meeting *m,
                         dlp_cushion *c)
{
    if (!is_cushioned(touch, m)) return;
    const dlp_vec3 u = way_apart(parts, m, c->weight);
    const double across = dlp_dot(u, c->normal);
    const double load = c->stiffness * ((c->wanted - c->distance) / parts->step - across);
    const double slide = dlp_length(dlp_along(u, c->normal, -across));
    c->rub = fmin(m->friction * fmax(load, 0) / fmax(slide, 1e-6), c->stiffness);
}

static dlp_status lay_cushion(dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_touch_meeting *m,
                              dlp_error *error)
{
    dlp_vec3 from[4], to[4];
    load(parts, m, from, to);
    const dlp_near near = dlp_near_of(m->kind, from);
    dlp_cushion c = {.is_corner = m->kind == DLP_MEETING_CORNER,
                     .distance = near.distance,
                     .wanted = fmin(m->gap, near.distance + 0.25 * m->gap)};
    if (!(near.distance > 0)) return DLP_OK;
    for (int k = 0; k < 4; k++) {
        c.particle[k] = m->particle[k];
        c.weight[k] = near.weight[k];
    }
    if (!is_movable(parts, m, near.weight)) return DLP_OK;
    c.normal = dlp_mul(near.apart, 1 / near.distance);
    c.stiffness = CUSHION / whole_mobility(parts, m, near.weight);
    set_friction(touch, parts, m, &c);
    DLP_TRY(dlp_reserve(&touch->cushions, &touch->cushion_capacity, touch->cushion_count + 1,
                        sizeof *touch->cushions, "cloth contact", error));
    touch->cushions[touch->cushion_count++] = c;
    return DLP_OK;
}

// Not where pins and obstacles leave next to no freedom: what is left would be thrown far.
static bool is_answerable(const dlp_cloth_parts *parts, const dlp_touch_contact *c)
{
    return c->mobility > 0.01 * whole_mobility(parts, &c->meeting, c->near.weight);
}

static dlp_status list_contact(dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_touch_meeting *m,
                               dlp_error *error)
{
    dlp_vec3 from[4], to[4];
    load(parts, m, from, to);
    dlp_touch_contact c = {.meeting = *m, .near = dlp_near_of(m->kind, from)};
    if (!(c.near.distance > 0)) return DLP_OK;
    c.normal = dlp_mul(c.near.apart, 1 / c.near.distance);
    c.mobility = find_push(touch, parts, m, c.near.weight, c.normal, c.push);
    c.allowed = fmax(0, (c.near.distance - NEAR_GAP * m->gap) / parts->step);
    if (!is_answerable(parts, &c)) return DLP_OK;
    DLP_TRY(dlp_reserve(&touch->contacts, &touch->contact_capacity, touch->contact_count + 1,
                        sizeof *touch->contacts, "cloth contact", error));
    touch->contacts[touch->contact_count++] = c;
    return DLP_OK;
}

// Brings the approach to what is allowed. Impulses add up over the passes and may shrink again, but never
// pull: so neighbours that carry the same load share it, instead of each carrying it all.
static void press(dlp_touch *touch, const dlp_cloth_parts *parts, dlp_touch_contact *c)
{
    const dlp_touch_meeting *m = &c->meeting;
    const dlp_vec3 u = way_apart(parts, m, c->near.weight);
    const double wanted = c->pressed - (dlp_dot(u, c->normal) + c->allowed) / c->mobility;
    const double next = fmax(0, wanted), impulse = next - c->pressed;
    c->pressed = next;
    if (impulse != 0) give(touch, parts, m, c->push, impulse, MOVES);
}

// Coulomb: along the contact, up to the friction's share of what presses.
static void rub(dlp_touch *touch, const dlp_cloth_parts *parts, dlp_touch_contact *c)
{
    const dlp_touch_meeting *m = &c->meeting;
    const dlp_vec3 u = way_apart(parts, m, c->near.weight);
    const dlp_vec3 along = dlp_along(u, c->normal, -dlp_dot(u, c->normal));
    dlp_vec3 next = dlp_along(c->rubbed, along, -1 / c->mobility);
    const double limit = m->friction * c->pressed, size = dlp_length(next);
    if (size > limit) next = dlp_mul(next, limit / size);
    const dlp_vec3 change = dlp_sub(next, c->rubbed);
    const double impulse = dlp_length(change);
    c->rubbed = next;
    if (!(impulse > 0)) return;
    dlp_vec3 push[4];
    find_push(touch, parts, m, c->near.weight, dlp_mul(change, 1 / impulse), push);
    give(touch, parts, m, push, impulse, MOVES);
}

// What a cushion did to bring its parts a gap apart was a move, not a throw: the speed apart that goes with
// it does not stay, or they would leave each other, fall back, and do so for ever.
static void calm(dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_cushion *c)
{
    dlp_touch_meeting m = {.gap = c->wanted};
    memcpy(m.particle, c->particle, sizeof m.particle);
    const double moved = (c->wanted - c->distance) / parts->step;
    const double leaving = fmin(dlp_dot(velocity_apart(parts, &m, c->weight), c->normal), moved);
    dlp_vec3 push[4];
    if (!(leaving > 0) || !is_movable(parts, &m, c->weight)) return;
    const double mobility = find_push(touch, parts, &m, c->weight, dlp_mul(c->normal, -1), push);
    if (mobility > 0.01 * whole_mobility(parts, &m, c->weight))
        give(touch, parts, &m, push, leaving / mobility, STAYS);
}

static void answer_contacts(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    for (int32_t k = 0; k < touch->cushion_count; k++) calm(touch, parts, &touch->cushions[k]);
    for (int sweep = 0; sweep < NEAR_SWEEPS; sweep++)
        for (int32_t k = 0; k < touch->contact_count; k++) {
            dlp_touch_contact *c = &touch->contacts[k];
            press(touch, parts, c);
            rub(touch, parts, c);
        }
    for (int32_t k = 0; k < touch->contact_count; k++)
        for (int p = 0; p < 4; p++) touch->is_touched[touch->contacts[k].meeting.particle[p]] = 1;
    for (int32_t k = 0; k < touch->cushion_count; k++)
        for (int p = 0; p < 4; p++) touch->is_touched[touch->cushions[k].particle[p]] = 1;
}

// ---- what would pass through

static bool would_pass(const dlp_cloth_parts *parts, const dlp_touch_meeting *m, dlp_near *out_near)
{
    dlp_vec3 from[4], to[4], x[4];
    load(parts, m, from, to);
    const double share = dlp_near_share(m->kind, from, to, IMPACT_GAP * m->gap);
    if (share >= 1) return false;
    for (int k = 0; k < 4; k++) x[k] = dlp_along(from[k], dlp_sub(to[k], from[k]), share);
    *out_near = dlp_near_of(m->kind, x);
    return out_near->distance > 0;
}

// Inelastic, with friction, where they are when they meet.
static void answer_impact(dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_touch_meeting *m)
{
    dlp_touch_contact c = {.meeting = *m};
    if (!would_pass(parts, m, &c.near)) return;
    c.normal = dlp_mul(c.near.apart, 1 / c.near.distance);
    c.mobility = find_push(touch, parts, m, c.near.weight, c.normal, c.push);
    if (!is_answerable(parts, &c)) return;
    c.allowed = -0.05 * IMPACT_GAP * m->gap / parts->step;  // leaves, so that rounding does not decide
    press(touch, parts, &c);
    rub(touch, parts, &c);
    for (int k = 0; k < 4; k++) touch->is_touched[m->particle[k]] = 1;
    touch->impact_count++;
}

// ---- the passes

typedef enum pass_kind { PASS_TOUCH, PASS_AHEAD, PASS_NEAR, PASS_IMPACT, PASS_ZONE } pass_kind;
typedef struct pass {
    dlp_touch *touch;
    const dlp_cloth_parts *parts;
    pass_kind kind;
} pass;

static bool any_moved(const dlp_cloth_parts *parts, const dlp_touch_meeting *m)
{
    for (int k = 0; k < 4; k++)
        if (dlp_touch_moved(parts, m->particle[k])) return true;
    return false;
}

static bool meets(const pass *p, const dlp_touch_meeting *m)
{
    dlp_near near;
    switch (p->kind) {
    case PASS_TOUCH:
        return touches_now(p->touch, p->parts, m);
    case PASS_AHEAD:
        return comes_near(p->touch, p->parts, m, is_cushioned(p->touch, m) ? HELD_GAP : 1);
    case PASS_NEAR:
        return comes_near(p->touch, p->parts, m, NEAR_GAP);
    default:
        return any_moved(p->parts, m) && would_pass(p->parts, m, &near);
    }
}

static void find_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const pass *p = context;
    dlp_touch_meeting m;
    for (int32_t k = begin; k < end; k++) {
        dlp_touch_pair *pair = &p->touch->pairs[k];
        pair->met = 0;
        for (int bit = 0; bit < DLP_TOUCH_MEETINGS; bit++) {
            if (!dlp_touch_meeting_of(p->touch, p->parts, pair, bit, &m)) continue;
            if (meets(p, &m)) pair->met |= (uint16_t)(1 << bit);
        }
    }
}

static dlp_status answer(dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_touch_meeting *m,
                         pass_kind kind, dlp_error *error)
{
    if (kind == PASS_TOUCH || kind == PASS_AHEAD) return lay_cushion(touch, parts, m, error);
    if (kind == PASS_NEAR) return list_contact(touch, parts, m, error);
    if (kind == PASS_IMPACT)
        answer_impact(touch, parts, m);
    else
        dlp_touch_join_zone(touch, m);
    return DLP_OK;
}

// Finds what meets, in parallel, and answers in order. *out_any: something did.
static dlp_status do_pass(dlp_touch *touch, const dlp_cloth_parts *parts, pass_kind kind, bool *out_any,
                          dlp_error *error)
{
    pass p = {touch, parts, kind};
    dlp_touch_meeting m;
    *out_any = false;
    if (touch->needs_pairs) DLP_TRY(dlp_touch_find_pairs(touch, parts, error));
    dlp_parallel_for(parts->team, touch->pair_count, 64, find_range, &p);
    for (int32_t k = 0; k < touch->pair_count; k++) {
        const dlp_touch_pair *pair = &touch->pairs[k];
        for (int bit = 0; bit < DLP_TOUCH_MEETINGS && pair->met >> bit != 0; bit++) {
            if (!(pair->met >> bit & 1) || !dlp_touch_meeting_of(touch, parts, pair, bit, &m)) continue;
            DLP_TRY(answer(touch, parts, &m, kind, error));
            *out_any = true;
        }
    }
    return DLP_OK;
}

// What the cushions' particles need to know: that there are any, and their part of the diagonal.
static void spread_cushions(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    memset(touch->is_cushioned, 0, (size_t)parts->particles->count);
    for (int32_t k = 0; k < touch->cushion_count; k++)
        for (int p = 0; p < 4; p++) {
            const int32_t i = touch->cushions[k].particle[p];
            if (!touch->is_cushioned[i])
                memset(touch->cushion_diagonal + 6 * (int64_t)i, 0, 6 * sizeof(double));
            touch->is_cushioned[i] = 1;
        }
    for (int32_t k = 0; k < touch->cushion_count; k++)
        for (int p = 0; p < 4; p++) {
            const dlp_cushion *c = &touch->cushions[k];
            double *d = touch->cushion_diagonal + 6 * (int64_t)c->particle[p];
            const double square = c->weight[p] * c->weight[p], rub = square * c->rub;
            const double s = square * c->stiffness - rub;
            const dlp_vec3 n = c->normal;
            const double part[6] = {rub + s * n.x * n.x, rub + s * n.y * n.y, rub + s * n.z * n.z,
                                    s * n.x * n.y,       s * n.x * n.z,       s * n.y * n.z};
            for (int e = 0; e < 6; e++) d[e] += part[e];
        }
}

// False where it is in the table already, which has room for twice as many as there are.
static bool add_mark(uint64_t *table, uint64_t mask, uint64_t mark)
{
    uint64_t at = mark & mask;
    for (; table[at] != 0; at = (at + 1) & mask)
        if (table[at] == (mark | 1)) return false;
    table[at] = mark | 1;
    return true;
}

// Keeps one of those whose nearest points are the same. Where two layers lie flat on each other, corners on
// triangles carry them, and edges that cross there would only say the same again: edges count where a corner
// of theirs lies on nothing.
static dlp_status drop_needless(dlp_touch *touch, const dlp_cloth_parts *parts, dlp_error *error)
{
    uint8_t *lies = touch->is_changed;  // free between reviews
    int32_t kept = 0, size = 64;
    while (size < 2 * touch->cushion_count) size *= 2;
    DLP_TRY(dlp_reserve(&touch->marks, &touch->mark_capacity, size, sizeof *touch->marks, "cloth contact",
                        error));
    memset(touch->marks, 0, (size_t)size * sizeof *touch->marks);
    memset(lies, 0, (size_t)parts->particles->count);
    for (int32_t k = 0; k < touch->cushion_count; k++)
        if (touch->cushions[k].is_corner) lies[touch->cushions[k].particle[0]] = 1;
    for (int32_t k = 0; k < touch->cushion_count; k++) {
        const dlp_cushion c = touch->cushions[k];
        const uint64_t mark = mark_of(&c);
        bool all_lie = true;
        for (int p = 0; p < 4; p++) all_lie &= lies[c.particle[p]];
        if ((!c.is_corner && all_lie) || !add_mark(touch->marks, (uint64_t)size - 1, mark)) continue;
        touch->cushions[kept++] = c;
        touch->cushion_mark += dlp_hash(mark + (c.rub > 0));
    }
    touch->cushion_count = kept;
    return DLP_OK;
}

static dlp_status lay_all(dlp_touch *touch, const dlp_cloth_parts *parts, pass_kind kind, dlp_error *error)
{
    bool any;
    touch->cushion_count = 0;
    touch->cushion_mark = 0;
    touch->needs_pairs = true;
    DLP_TRY(do_pass(touch, parts, kind, &any, error));
    DLP_TRY(drop_needless(touch, parts, error));
    spread_cushions(touch, parts);
    return DLP_OK;
}

// What lies on something that moves does not rest.
static void wake_partners(dlp_touch *touch, const dlp_cloth_parts *parts, const dlp_cushion *c)
{
    bool moves = false;
    for (int p = 0; p < 4; p++) {
        const int32_t i = c->particle[p];
        const dlp_vec3 v = dlp_get3(parts->particles->velocity, i);
        const double limit = parts->fabrics[parts->particles->substance[i]].tolerance;
        moves |= !touch->rests[i] && dlp_dot(v, v) > limit * limit;
    }
    for (int p = 0; p < 4 && moves; p++) touch->rests[c->particle[p]] = 0;
}

dlp_status dlp_touch_lay_cushions(dlp_touch *touch, const dlp_cloth_parts *parts, dlp_error *error)
{
    touch->cushion_reviews = 0;
    if (!dlp_touch_meets_cloth(touch, parts)) return DLP_OK;
    memset(touch->is_cushioned, 0, (size_t)parts->particles->count);
    DLP_TRY(lay_all(touch, parts, PASS_TOUCH, error));
    for (int32_t k = 0; k < touch->cushion_count; k++) wake_partners(touch, parts, &touch->cushions[k]);
    return DLP_OK;
}

dlp_status dlp_touch_review_cushions(dlp_touch *touch, const dlp_cloth_parts *parts, bool *out_changed,
                                     dlp_error *error)
{
    const uint64_t before = touch->cushion_mark;
    *out_changed = false;
    if (touch->cushion_reviews == CUSHION_REVIEWS || !dlp_touch_meets_cloth(touch, parts)) return DLP_OK;
    touch->cushion_reviews++;
    DLP_TRY(lay_all(touch, parts, PASS_AHEAD, error));
    *out_changed = touch->cushion_mark != before;
    return DLP_OK;
}

bool dlp_touch_meets_cloth(const dlp_touch *touch, const dlp_cloth_parts *parts)
{
    if (touch->facet_count == 0) return false;
    int32_t cloth_count = 0;
    for (int32_t k = 0; k < parts->scene->substance_count; k++) {
        const bool is_cloth = parts->scene->substances[k].model == DLP_MODEL_CLOTH;
        cloth_count += is_cloth;
        if (is_cloth && parts->fabrics[k].meets_itself) return true;
    }
    return cloth_count > 1;
}

dlp_status dlp_touch_cloth(dlp_touch *touch, const dlp_cloth_parts *parts, dlp_error *error)
{
    if (!dlp_touch_meets_cloth(touch, parts)) return DLP_OK;
    bool any;
    touch->needs_pairs = true;
    touch->contact_count = 0;
    DLP_TRY(do_pass(touch, parts, PASS_NEAR, &any, error));
    answer_contacts(touch, parts);
    for (int32_t i = 0; i < parts->particles->count; i++) touch->zone[i] = -1;
    for (int k = 0; k < IMPACT_LIMIT + ZONE_LIMIT; k++) {
        const pass_kind kind = k < IMPACT_LIMIT ? PASS_IMPACT : PASS_ZONE;
        DLP_TRY(do_pass(touch, parts, kind, &any, error));
        if (!any && !touch->needs_pairs) break;
        if (any && kind == PASS_ZONE) dlp_touch_move_zones(touch, parts);
    }
    return DLP_OK;
}
