/* Particles that meet particles: of other bodies, and of their own where that is folded. Every particle sums
 * what its contacts ask, in a fixed order, from places (then velocities) of the iteration before; of each
 * contact a share is done that leaves room for the others of both, so that what one gets the other gives. */
#include "motion/solid/touch.h"

#include <stdio.h>
#include <string.h>

enum { GRAIN = 512, PLACE_ITERATIONS = 3, SPEED_ITERATIONS = 4 };

// Room for motion in the lists, in spacings: at least, and at most where nothing moves faster; and for how
// many sub-steps like this one.
#define MARGIN_LEAST 0.4
#define MARGIN_MOST  1.5
#define MARGIN_STEPS 8.0

// Of neighbours' offsets, summed over their lengths: below it there is no surface. A plane of a lattice has
// 0.31.
#define LEAST_BIAS 0.15

// In contact distances: surfaces whose particles were nearer along their direction are through one another.
#define LEAST_FACING 0.2

// ---- the skin
// -----------------------------------------------------------------------------------------------

static bool can_meet(const dlp_solid *solid, int32_t i)
{
    const dlp_solid_particles *p = &solid->particles;
    return p->layer[i] <= 1 &&
           (solid->body_count > 1 || solid->scene->substances[p->substance[i]].solid.meets_itself);
}

static dlp_status reserve_skin(dlp_solid_touch *t, int32_t count, dlp_error *error)
{
    struct {
        void *array;
        size_t size;
    } arrays[] = {{&t->skin, sizeof *t->skin},
                  {&t->from, sizeof *t->from},
                  {&t->to, sizeof *t->to},
                  {&t->next, sizeof *t->next},
                  {&t->built, sizeof *t->built},
                  {&t->begin, sizeof *t->begin},
                  {&t->near, sizeof *t->near},
                  {&t->met, sizeof *t->met},
                  {&t->marks, sizeof *t->marks},
                  {&t->cell_of, sizeof *t->cell_of},
                  {&t->drift, sizeof *t->drift},
                  {&t->ways, sizeof *t->ways},
                  {&t->contact_count, sizeof *t->contact_count},
                  {&t->rest_facing, sizeof *t->rest_facing},
                  {&t->facing, sizeof *t->facing}};
    int32_t capacity = t->skin_capacity;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        capacity = t->skin_capacity;
        DLP_TRY(dlp_reserve(arrays[k].array, &capacity, count + 1, arrays[k].size, "solids", error));
    }
    t->skin_capacity = capacity;
    return DLP_OK;
}

// The matter ends where the neighbours are not: their mean offset is short at a plane, longer at an edge and
// at a corner, and none inside.
static dlp_facing find_facing(const dlp_solid *solid, int32_t i)
{
    dlp_vec3 sum = dlp_vec(0, 0, 0);
    double lengths = 0;
    for (int32_t n = solid->rest.begin[i]; n < solid->rest.begin[i + 1]; n++) {
        const int32_t j = solid->rest.neighbour[n];
        if (j < 0) continue;
        const dlp_vec3 offset =
            dlp_sub(dlp_solid_get(solid->particles.rest, j), dlp_solid_get(solid->particles.rest, i));
        sum = dlp_sub(sum, offset);
        lengths += dlp_length(offset);
    }
    const double length = dlp_length(sum), bias = lengths > 0 ? length / lengths : 0;
    if (!(bias > LEAST_BIAS)) return (dlp_facing){0};
    const double square = LEAST_BIAS * LEAST_BIAS / (bias * bias);
    return (dlp_facing){dlp_mul(sum, 1 / length), square * square * square * square};
}

dlp_status dlp_solid_touch_renew(dlp_solid *solid, dlp_error *error)
{
    if (solid->touch == NULL) solid->touch = dlp_alloc(1, sizeof *solid->touch, "solids");
    dlp_solid_touch *t = solid->touch;
    if (t == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    int32_t count = 0;
    for (int32_t i = 0; i < solid->particles.count; i++) count += can_meet(solid, i);
    DLP_TRY(reserve_skin(t, count, error));
    DLP_TRY(dlp_reserve(&t->clearance, &t->clearance_capacity, solid->particles.count + 1,
                        sizeof *t->clearance, "solids", error));
    t->skin_count = t->near_count = t->met_count = 0;
    t->widest = 0;
    t->is_built = false;
    for (int32_t i = 0; i < solid->particles.count; i++) {
        t->clearance[i] = 0;
        t->widest = fmax(t->widest, 2 * dlp_solid_reach(solid, i));
        if (!can_meet(solid, i)) continue;
        t->rest_facing[t->skin_count] = find_facing(solid, i);
        t->skin[t->skin_count++] = i;
    }
    return DLP_OK;
}

void dlp_solid_touch_release(dlp_solid_touch *t)
{
    if (t == NULL) return;
    void *owned[] = {t->skin,          t->from,        t->to,    t->next,       t->built,     t->begin,
                     t->near,          t->met,         t->marks, t->cell_of,    t->drift,     t->ways,
                     t->candidates,    t->contacts,    t->after, t->cell_begin, t->clearance, t->before,
                     t->contact_count, t->rest_facing, t->facing};
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) dlp_free(owned[k]);
    dlp_free(t);
}

// ---- how far they have moved
// --------------------------------------------------------------------------------

static void widen(dlp_box *box, dlp_vec3 x)
{
    box->min = dlp_min3(box->min, x);
    box->max = dlp_max3(box->max, x);
}

static const dlp_box nothing = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};

static void place_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    dlp_solid_touch *t = solid->touch;
    dlp_box drift = nothing, ways = {{0, 0, 0}, {0, 0, 0}};
    for (int32_t k = begin; k < end; k++) {
        t->from[k] = dlp_solid_get(solid->particles.position, t->skin[k]);
        t->to[k] = dlp_spot_read(&solid->spots[t->skin[k]]);
        widen(&drift, dlp_sub(t->from[k], t->built[k]));
        widen(&drift, dlp_sub(t->to[k], t->built[k]));
        widen(&ways, dlp_sub(t->to[k], t->from[k]));
    }
    t->drift[begin / GRAIN] = drift;
    t->ways[begin / GRAIN] = ways;
}

// The box of all pieces of the skin.
static dlp_box join_boxes(const dlp_box *boxes, int32_t skin_count)
{
    dlp_box all = boxes[0];
    for (int32_t k = 1; k < (skin_count + GRAIN - 1) / GRAIN; k++) {
        widen(&all, boxes[k].min);
        widen(&all, boxes[k].max);
    }
    return all;
}

static double diagonal(dlp_box box)
{
    return dlp_length(dlp_sub(box.max, box.min));
}

static void warn_of_haste(dlp_solid *solid, dlp_box ways)
{
    dlp_solid_touch *t = solid->touch;
    const double fastest = dlp_length(dlp_max3(ways.max, dlp_mul(ways.min, -1)));
    if (t->has_warned || solid->log == NULL || !(fastest > t->widest)) return;
    t->has_warned = true;
    char text[160];
    snprintf(
        text, sizeof text,
        "solids: something moves %.3g spacings in a sub-step; raise `solid.substeps` so that nothing passes "
        "through anything",
        fastest / t->widest);
    solid->log(text, solid->log_user);
}

// No two have moved farther from one another than the diagonal of the box of all their ways.
static dlp_status keep_lists(const dlp_solid_pass *pass, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_touch *t = solid->touch;
    const dlp_box ways = join_boxes(t->ways, t->skin_count);
    warn_of_haste(solid, ways);
    if (t->is_built && diagonal(join_boxes(t->drift, t->skin_count)) <= 0.99 * t->margin) return DLP_OK;
    const double step = diagonal(ways);
    t->margin = fmin(fmax(MARGIN_STEPS * step, MARGIN_LEAST * t->widest), MARGIN_MOST * t->widest);
    t->margin = fmax(t->margin, 1.1 * step);
    return dlp_solid_touch_find(solid, error);
}

// ---- contacts
// -----------------------------------------------------------------------------------------------

static dlp_vec3 part_along(dlp_vec3 a, dlp_vec3 normal)
{
    return dlp_along(a, normal, -dlp_dot(a, normal));
}

// Where the way of one as seen from the other comes as near as `distance`; whether it does.
static bool find_meeting(dlp_vec3 from, dlp_vec3 to, double distance, dlp_vec3 *out_there)
{
    const dlp_vec3 way = dlp_sub(to, from);
    const double square = dlp_dot(way, way), toward = dlp_dot(from, way);
    const double outside = dlp_dot(from, from) - distance * distance;
    *out_there = from;
    if (outside <= 0) return true;
    const double root = toward * toward - square * outside;
    if (!(toward < 0 && root > 0)) return false;
    const double share = outside / (sqrt(root) - toward);  // the smaller root, without cancellation
    *out_there = dlp_along(from, way, share);
    return share < 1;
}

// As two planes that face one another: where the way reaches their distance they must not be too far to the
// side.
static bool find_facing_meeting(const dlp_touch_candidate *c, dlp_vec3 from, dlp_vec3 to, dlp_vec3 normal)
{
    const double distance = (double)c->distance, start = dlp_dot(from, normal), end = dlp_dot(to, normal);
    if (end >= distance) return false;
    const double share = start > distance ? (start - distance) / (start - end) : 0;
    const dlp_vec3 there = dlp_along(from, dlp_sub(to, from), share);
    const dlp_vec3 aside = part_along(there, normal);
    return dlp_dot(aside, aside) < (double)c->sideways * (double)c->sideways;
}

// The direction in which two particles touch in this sub-step; whether they do.
static bool find_normal(const dlp_solid_touch *t, int32_t k, const dlp_touch_candidate *c,
                        dlp_vec3 *out_normal)
{
    const int32_t j = c->other;
    const dlp_vec3 from = dlp_sub(t->from[k], t->from[j]), to = dlp_sub(t->to[k], t->to[j]);
    if (c->sideways > 0 && dlp_facing_normal(&t->facing[k], &t->facing[j], out_normal) &&
        dlp_dot(from, *out_normal) > LEAST_FACING * (double)c->distance)
        return find_facing_meeting(c, from, to, *out_normal);
    dlp_vec3 there;
    if (!find_meeting(from, to, (double)c->distance, &there)) return false;
    *out_normal = dlp_normalize(there, dlp_vec(0, 0, k > j ? 1 : -1));
    return dlp_dot(to, *out_normal) < (double)c->distance;
}

static double inverse_mass(const dlp_solid *solid, int32_t skin)
{
    return (double)solid->spots[solid->touch->skin[skin]].inverse_mass;
}

static float friction_of(const dlp_solid *solid, int32_t i, int32_t j)
{
    const dlp_substance_def *a = &solid->scene->substances[solid->particles.substance[i]],
                            *b = &solid->scene->substances[solid->particles.substance[j]];
    return (float)(0.5 * (a->solid.friction + b->solid.friction));
}

static bool make_contact(const dlp_solid *solid, int32_t k, const dlp_touch_candidate *c,
                         dlp_solid_contact *out)
{
    const dlp_solid_touch *t = solid->touch;
    const int32_t j = c->other;
    dlp_vec3 normal;
    if (!find_normal(t, k, c, &normal)) return false;
    const double own = inverse_mass(solid, k), others = inverse_mass(solid, j);
    if (own + others == 0) return false;
    *out = (dlp_solid_contact){.other = j,
                               .friction = friction_of(solid, t->skin[k], t->skin[j]),
                               .distance = (double)c->distance,
                               .share = own / (own + others),
                               .normal = normal};
    return true;
}

// q v q^-1 = v + 2 w (u x v) + 2 u x (u x v), u the vector part of q
static dlp_vec3 turned(const float q[4], dlp_vec3 v)
{
    const dlp_vec3 u = dlp_vec((double)q[1], (double)q[2], (double)q[3]), across = dlp_cross(u, v);
    return dlp_along(dlp_along(v, across, 2 * (double)q[0]), dlp_cross(u, across), 2);
}

static void face_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    dlp_solid_touch *t = solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->near[n];
        t->facing[k] = t->rest_facing[k];
        t->facing[k].normal = turned(solid->particles.turn + 4 * (int64_t)t->skin[k], t->facing[k].normal);
    }
}

static void meet_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    dlp_solid_touch *t = solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->near[n];
        int32_t count = 0;
        for (int32_t c = t->begin[k]; c < t->begin[k + 1]; c++)
            count += make_contact(solid, k, &t->candidates[c], &t->contacts[t->begin[k] + count]);
        t->contact_count[k] = count;
    }
}

static void list_met(dlp_solid_touch *t)
{
    t->met_count = 0;
    for (int32_t n = 0; n < t->near_count; n++)
        if (t->contact_count[t->near[n]] > 0) t->met[t->met_count++] = t->near[n];
}

// Equal for both, so that what one gets the other gives; together never more than is missing.
static void share_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n], own = t->contact_count[k];
        for (int32_t c = 0; c < own; c++) {
            dlp_solid_contact *at = &t->contacts[t->begin[k] + c];
            const int32_t others = t->contact_count[at->other];
            at->factor = 1.0 / (own > others ? own : others);
        }
    }
}

// ---- places
// -------------------------------------------------------------------------------------------------

// Presses by `missing` more and rubs against `slip`, within what friction can do; returns the change.
static dlp_vec3 answer(dlp_solid_contact *at, double missing, dlp_vec3 slip)
{
    const double press = fmax(at->press + at->factor * missing, 0);
    dlp_vec3 rub = dlp_along(at->rub, slip, -at->factor);
    const double size = dlp_length(rub), most = (double)at->friction * press;
    if (size > most) rub = dlp_mul(rub, most / size);
    const dlp_vec3 change = dlp_along(dlp_sub(rub, at->rub), at->normal, press - at->press);
    at->press = press;
    at->rub = rub;
    return change;
}

static void push_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n];
        dlp_vec3 x = t->to[k];
        for (int32_t c = 0; c < t->contact_count[k]; c++) {
            dlp_solid_contact *at = &t->contacts[t->begin[k] + c];
            const dlp_vec3 apart = dlp_sub(t->to[k], t->to[at->other]);
            const dlp_vec3 way = dlp_sub(apart, dlp_sub(t->from[k], t->from[at->other]));
            const double missing = at->distance - dlp_dot(apart, at->normal);
            x = dlp_along(x, answer(at, missing, part_along(way, at->normal)), at->share);
        }
        t->next[k] = x;
    }
}

static void adopt_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t n = begin; n < end; n++) t->to[t->met[n]] = t->next[t->met[n]];
}

static void write_places(dlp_solid *solid)
{
    dlp_solid_touch *t = solid->touch;
    for (int32_t n = 0; n < t->met_count; n++) {
        const int32_t k = t->met[n];
        if (inverse_mass(solid, k) > 0) dlp_spot_place(&solid->spots[t->skin[k]], t->to[k]);
    }
}

dlp_status dlp_solid_touch_bodies(const dlp_solid_pass *pass, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_touch *t = solid->touch;
    dlp_solid_pass own = *pass;
    t->met_count = 0;
    if (t->skin_count == 0) return DLP_OK;
    dlp_parallel_for(solid->team, t->skin_count, GRAIN, place_range, &own);
    DLP_TRY(keep_lists(pass, error));
    dlp_parallel_for(solid->team, t->near_count, GRAIN, face_range, &own);
    dlp_parallel_for(solid->team, t->near_count, GRAIN, meet_range, &own);
    list_met(t);
    dlp_parallel_for(solid->team, t->met_count, GRAIN, share_range, &own);
    for (int k = 0; k < PLACE_ITERATIONS; k++) {
        dlp_parallel_for(solid->team, t->met_count, GRAIN, push_range, &own);
        dlp_parallel_for(solid->team, t->met_count, GRAIN, adopt_range, &own);
    }
    write_places(solid);
    return DLP_OK;
}

// ---- velocities
// ---------------------------------------------------------------------------------------------

// From here on `from` and `to` hold velocities: before the sub-step, and after it.
static void begin_speeds(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    dlp_solid_touch *t = pass->solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n];
        t->from[k] = dlp_solid_get(pass->solid->particles.last_velocity, t->skin[k]);
        t->to[k] = dlp_solid_get(pass->solid->particles.velocity, t->skin[k]);
        for (int32_t c = 0; c < t->contact_count[k]; c++) {
            dlp_solid_contact *at = &t->contacts[t->begin[k] + c];
            at->moved = at->press;
            at->rubbed = at->rub;
            at->press /= pass->tau;
            at->rub = dlp_mul(at->rub, 1 / pass->tau);
        }
    }
}

static void slow_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n];
        dlp_vec3 v = t->to[k];
        for (int32_t c = 0; c < t->contact_count[k]; c++) {
            dlp_solid_contact *at = &t->contacts[t->begin[k] + c];
            const dlp_vec3 u = dlp_sub(t->to[k], t->to[at->other]);
            v = dlp_along(v, answer(at, -dlp_dot(u, at->normal), part_along(u, at->normal)), at->share);
        }
        t->next[k] = v;
    }
}

// The share of a contact's impulse that is an impact.
static double impact_share(const dlp_solid_touch *t, int32_t k, const dlp_solid_contact *at)
{
    const double approach = -dlp_dot(dlp_sub(t->from[k], t->from[at->other]), at->normal);
    return approach <= 0 ? 0 : approach < at->press ? approach / at->press : 1;
}

static void write_speeds(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    dlp_solid_particles *p = &pass->solid->particles;
    const dlp_solid_touch *t = pass->solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n], i = t->skin[k];
        if (inverse_mass(pass->solid, k) == 0) continue;
        dlp_vec3 way = dlp_solid_get(p->way, i), before = t->from[k];
        for (int32_t c = 0; c < t->contact_count[k]; c++) {
            const dlp_solid_contact *at = &t->contacts[t->begin[k] + c];
            const double impact = impact_share(t, k, at);
            const dlp_vec3 change = dlp_along(at->rub, at->normal, at->press);
            before = dlp_along(before, change, at->share * impact);
            way = dlp_along(way, change, at->share * (impact * pass->step + (1 - impact) * pass->tau));
            way = dlp_along(way, dlp_along(at->rubbed, at->normal, at->moved), -at->share);
        }
        dlp_solid_set(p->way, i, way);
        dlp_solid_set(p->last_velocity, i, before);
        dlp_solid_set(p->velocity, i, t->to[k]);
    }
}

void dlp_solid_touch_settle(const dlp_solid_pass *pass)
{
    dlp_solid *solid = pass->solid;
    const int32_t count = solid->touch->met_count;
    dlp_solid_pass own = *pass;
    dlp_parallel_for(solid->team, count, GRAIN, begin_speeds, &own);
    for (int k = 0; k < SPEED_ITERATIONS; k++) {
        dlp_parallel_for(solid->team, count, GRAIN, slow_range, &own);
        dlp_parallel_for(solid->team, count, GRAIN, adopt_range, &own);
    }
    dlp_parallel_for(solid->team, count, GRAIN, write_speeds, &own);
}
