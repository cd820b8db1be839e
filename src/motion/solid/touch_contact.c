/* Particles that meet particles: of other bodies, and of their own where that is folded. Contacts are
 * answered all at once, from places (then velocities) of the iteration before; each in a share that leaves
 * room for the others of both its particles, so that what one gets the other gives. Particles sum what their
 * contacts ask in the order of the other particle. */
#include "motion/solid/touch.h"

#include <string.h>

enum { PIECE = DLP_TOUCH_PIECE, GRAIN = 256, PLACE_ITERATIONS = 3, SPEED_ITERATIONS = 4 };

// In contact distances: surfaces whose particles were nearer along their direction are through one another.
#define LEAST_FACING 0.2

// 1/s, in contact distances: planes that were too near when the sub-step began, while their particles were
// not as spheres, have come from the side. They are moved apart no faster than this, for that is work that
// nothing has done, and done again wherever the bodies pull back.
#define APART_RATE 1.0

// ---- who touches
// --------------------------------------------------------------------------------------------

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
static bool find_facing_meeting(const dlp_solid_pair *pair, dlp_vec3 from, dlp_vec3 to, dlp_vec3 normal)
{
    const double distance = (double)pair->distance, start = dlp_dot(from, normal), end = dlp_dot(to, normal);
    if (end >= distance) return false;
    const double share = start > distance ? (start - distance) / (start - end) : 0;
    const dlp_vec3 there = dlp_along(from, dlp_sub(to, from), share);
    const dlp_vec3 aside = part_along(there, normal);
    return dlp_dot(aside, aside) < (double)pair->sideways * (double)pair->sideways;
}

// Whether no places of the two are near enough.
static bool is_far(const dlp_solid_touch *t, const dlp_solid_pair *pair)
{
    const dlp_touch_ball *a = &t->balls[pair->first], *b = &t->balls[pair->second];
    const float x = a->x - b->x, y = a->y - b->y, z = a->z - b->z;
    const float reach =
        (pair->sideways > 0 ? (float)DLP_TOUCH_REACH : 1) * pair->distance + a->radius + b->radius;
    return x * x + y * y + z * z > reach * reach;
}

// The direction in which two particles touch in this sub-step; whether they do.
static bool find_normal(const dlp_solid_touch *t, const dlp_solid_pair *pair, dlp_vec3 *out_normal)
{
    const int32_t i = pair->first, j = pair->second;
    const dlp_vec3 from = dlp_sub(t->from[i], t->from[j]), to = dlp_sub(t->to[i], t->to[j]);
    if (pair->sideways > 0 && dlp_facing_normal(&t->facing[i], &t->facing[j], out_normal) &&
        dlp_dot(from, *out_normal) > LEAST_FACING * (double)pair->distance)
        return find_facing_meeting(pair, from, to, *out_normal);
    dlp_vec3 there;
    if (!find_meeting(from, to, (double)pair->distance, &there)) return false;
    *out_normal = dlp_normalize(there, dlp_vec(0, 0, 1));
    return dlp_dot(to, *out_normal) < (double)pair->distance;
}

static double inverse_mass(const dlp_solid *solid, int32_t skin)
{
    return (double)solid->spots[solid->touch->skin[skin]].inverse_mass;
}

// q v q^-1 = v + 2 w (u x v) + 2 u x (u x v), u the vector part of q
static dlp_vec3 turned(const float q[4], dlp_vec3 v)
{
    const dlp_vec3 u = dlp_vec((double)q[1], (double)q[2], (double)q[3]), across = dlp_cross(u, v);
    return dlp_along(dlp_along(v, across, 2 * (double)q[0]), dlp_cross(u, across), 2);
}

// A float's rounding of a place is less than a millionth of the way to it.
static void ball_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    dlp_solid_touch *t = solid->touch;
    for (int32_t k = begin; k < end; k++) {
        if (!t->is_near[k]) continue;
        const dlp_vec3 half = dlp_mul(dlp_sub(t->to[k], t->from[k]), 0.5);
        const dlp_vec3 middle = dlp_sub(dlp_add(t->from[k], half), t->origin);
        const double rounding =
            fabs(middle.x) + fabs(middle.y) + fabs(middle.z) + dlp_length(half) + t->widest;
        t->balls[k] = (dlp_touch_ball){(float)middle.x, (float)middle.y, (float)middle.z,
                                       (float)(dlp_length(half) + 1e-6 * rounding)};
        t->facing[k] = t->rest_facing[k];
        t->facing[k].normal = turned(solid->particles.turn + 4 * (int64_t)t->skin[k], t->facing[k].normal);
    }
}

static void hit_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    dlp_solid_touch *t = solid->touch;
    dlp_vec3 normal;
    for (int32_t piece = begin; piece < end; piece++) {
        const int32_t first = piece * t->piece_room;
        int32_t count = 0;
        for (int32_t n = first; n < first + t->pair_count[piece]; n++) {
            const dlp_solid_pair *pair = &t->pairs[n];
            if (is_far(t, pair) || !find_normal(t, pair, &normal)) continue;
            if (inverse_mass(solid, pair->first) + inverse_mass(solid, pair->second) > 0)
                t->hits[first + count++] = n;
        }
        t->hit_begin[piece] = count;  // as yet
    }
}

static double friction_of(const dlp_solid *solid, int32_t first, int32_t second)
{
    const int32_t *substance = solid->particles.substance, *skin = solid->touch->skin;
    return 0.5 * (solid->scene->substances[substance[skin[first]]].solid.friction +
                  solid->scene->substances[substance[skin[second]]].solid.friction);
}

static void make_contact(const dlp_solid_pass *pass, const dlp_solid_pair *pair, dlp_solid_contact *out)
{
    const dlp_solid *solid = pass->solid;
    const dlp_solid_touch *t = solid->touch;
    const double first = inverse_mass(solid, pair->first), second = inverse_mass(solid, pair->second);
    *out = (dlp_solid_contact){.particle = {pair->first, pair->second},
                               .friction = friction_of(solid, pair->first, pair->second),
                               .distance = (double)pair->distance,
                               .share = {first / (first + second), second / (first + second)}};
    find_normal(t, pair, &out->normal);
    const dlp_vec3 from = dlp_sub(t->from[pair->first], t->from[pair->second]),
                   aside = part_along(from, out->normal);
    const double level = out->distance * out->distance - dlp_dot(aside, aside);  // where spheres touch
    const double slow = dlp_dot(from, out->normal) + APART_RATE * pass->step * out->distance;
    out->distance = fmin(out->distance, fmax(slow, level > 0 ? sqrt(level) : 0));
}

static void contact_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    const dlp_solid_touch *t = pass->solid->touch;
    for (int32_t piece = begin; piece < end; piece++) {
        const int32_t *hits = t->hits + piece * t->piece_room;
        for (int32_t n = t->hit_begin[piece]; n < t->hit_begin[piece + 1]; n++)
            make_contact(pass, &t->pairs[*hits++], &t->contacts[n]);
    }
}

static dlp_status list_contacts(dlp_solid_pass *pass, int32_t pieces, dlp_error *error)
{
    dlp_solid_touch *t = pass->solid->touch;
    int32_t count = 0;
    for (int32_t piece = 0; piece <= pieces; piece++) {
        const int32_t here = piece < pieces ? t->hit_begin[piece] : 0;
        t->hit_begin[piece] = count;
        count += here;
    }
    DLP_TRY(dlp_reserve(&t->contacts, &t->contact_capacity, count, sizeof *t->contacts, "solids", error));
    DLP_TRY(dlp_reserve(&t->of, &t->of_capacity, 2 * count, sizeof *t->of, "solids", error));
    t->contact_count = count;
    dlp_parallel_for(pass->solid->team, pieces, 1, contact_range, pass);
    return DLP_OK;
}

// ---- whose contacts they are
// --------------------------------------------------------------------------------

// 0 or 1: which of a contact's particles it is.
static int side_of(const dlp_solid_contact *contact, int32_t skin)
{
    return contact->particle[1] == skin;
}

static int32_t other_of(const dlp_solid_contact *contact, int32_t skin)
{
    return contact->particle[1 - side_of(contact, skin)];
}

// Counts, first places, places, as the marks in their cells; then each list in the order of the others.
static void list_by_particle(dlp_solid_touch *t)
{
    memset(t->begin, 0, ((size_t)t->skin_count + 1) * sizeof *t->begin);
    for (int32_t c = 0; c < t->contact_count; c++)
        for (int side = 0; side < 2; side++) t->begin[t->contacts[c].particle[side]]++;
    t->met_count = 0;
    for (int32_t k = 0, sum = 0; k <= t->skin_count; k++) {
        if (k < t->skin_count && t->begin[k] > 0) t->met[t->met_count++] = k;
        t->begin[k] = sum += t->begin[k];
    }
    for (int32_t c = t->contact_count - 1; c >= 0; c--)
        for (int side = 0; side < 2; side++) t->of[--t->begin[t->contacts[c].particle[side]]] = c;
}

static void sort_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n], count = t->begin[k + 1] - t->begin[k];
        int32_t *list = t->of + t->begin[k];
        for (int32_t c = 1; c < count; c++) {
            const int32_t moving = list[c], other = other_of(&t->contacts[moving], k);
            int32_t at = c;
            for (; at > 0 && other_of(&t->contacts[list[at - 1]], k) > other; at--) list[at] = list[at - 1];
            list[at] = moving;
        }
    }
}

// Equal for both, so that what one gets the other gives; together never more than is missing.
static void share_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t c = begin; c < end; c++) {
        const int32_t *p = t->contacts[c].particle;
        const int32_t first = t->begin[p[0] + 1] - t->begin[p[0]],
                      second = t->begin[p[1] + 1] - t->begin[p[1]];
        t->contacts[c].factor = 1.0 / (first > second ? first : second);
    }
}

// ---- answers
// ------------------------------------------------------------------------------------------------

// Presses by `missing` more and rubs against `slip`, within what friction can do.
static void answer(dlp_solid_contact *at, double missing, dlp_vec3 slip)
{
    const double wish = at->press + at->factor * missing, press = wish > 0 ? wish : 0;
    const double most = at->friction * press;
    dlp_vec3 rub = dlp_along(at->rub, slip, -at->factor);
    const double square = dlp_dot(rub, rub);
    if (square > most * most) rub = dlp_mul(rub, most / sqrt(square));
    at->change = dlp_along(dlp_sub(rub, at->rub), at->normal, press - at->press);
    at->press = press;
    at->rub = rub;
}

// Adds to `to` what the contacts of each particle ask for.
static void sum_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n];
        dlp_vec3 sum = t->to[k];
        for (int32_t c = t->begin[k]; c < t->begin[k + 1]; c++) {
            const dlp_solid_contact *at = &t->contacts[t->of[c]];
            const int side = side_of(at, k);
            sum = dlp_along(sum, at->change, side == 0 ? at->share[0] : -at->share[1]);
        }
        t->to[k] = sum;
    }
}

// ---- places
// -------------------------------------------------------------------------------------------------

static void push_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t c = begin; c < end; c++) {
        dlp_solid_contact *at = &t->contacts[c];
        const int32_t i = at->particle[0], j = at->particle[1];
        const dlp_vec3 apart = dlp_sub(t->to[i], t->to[j]);
        const dlp_vec3 way = dlp_sub(apart, dlp_sub(t->from[i], t->from[j]));
        answer(at, at->distance - dlp_dot(apart, at->normal), part_along(way, at->normal));
    }
}

static void write_places(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    const dlp_solid_touch *t = solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n];
        if (inverse_mass(solid, k) > 0) dlp_spot_place(&solid->spots[t->skin[k]], t->to[k]);
    }
}

dlp_status dlp_solid_touch_meet(const dlp_solid_pass *pass, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_touch *t = solid->touch;
    dlp_solid_pass own = *pass;
    const int32_t pieces = (t->skin_count + PIECE - 1) / PIECE;
    dlp_parallel_for(solid->team, t->skin_count, GRAIN, ball_range, &own);
    dlp_parallel_for(solid->team, pieces, 1, hit_range, &own);
    DLP_TRY(list_contacts(&own, pieces, error));
    list_by_particle(t);
    dlp_parallel_for(solid->team, t->met_count, GRAIN, sort_range, &own);
    dlp_parallel_for(solid->team, t->contact_count, GRAIN, share_range, &own);
    for (int k = 0; k < PLACE_ITERATIONS; k++) {
        dlp_parallel_for(solid->team, t->contact_count, GRAIN, push_range, &own);
        dlp_parallel_for(solid->team, t->met_count, GRAIN, sum_range, &own);
    }
    dlp_parallel_for(solid->team, t->met_count, GRAIN, write_places, &own);
    return DLP_OK;
}

// ---- velocities
// ---------------------------------------------------------------------------------------------

// From here on `from` and `to` hold velocities: before the sub-step, and after it.
static void take_speeds(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = ((const dlp_solid_pass *)context)->solid;
    dlp_solid_touch *t = solid->touch;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->met[n];
        t->from[k] = dlp_solid_get(solid->particles.last_velocity, t->skin[k]);
        t->to[k] = dlp_solid_get(solid->particles.velocity, t->skin[k]);
    }
}

static void begin_speeds(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    for (int32_t c = begin; c < end; c++) {
        dlp_solid_contact *at = &pass->solid->touch->contacts[c];
        at->moved = at->press;
        at->rubbed = at->rub;
        at->press /= pass->tau;
        at->rub = dlp_mul(at->rub, 1 / pass->tau);
    }
}

static void slow_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t c = begin; c < end; c++) {
        dlp_solid_contact *at = &t->contacts[c];
        const dlp_vec3 u = dlp_sub(t->to[at->particle[0]], t->to[at->particle[1]]);
        answer(at, -dlp_dot(u, at->normal), part_along(u, at->normal));
    }
}

// What of a contact's impulse is an impact: the approach with which the sub-step began.
static void find_impacts(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid_touch *t = ((const dlp_solid_pass *)context)->solid->touch;
    for (int32_t c = begin; c < end; c++) {
        dlp_solid_contact *at = &t->contacts[c];
        const dlp_vec3 u = dlp_sub(t->from[at->particle[0]], t->from[at->particle[1]]);
        const double approach = -dlp_dot(u, at->normal);
        at->impact = approach <= 0 ? 0 : approach < at->press ? approach / at->press : 1;
    }
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
        for (int32_t c = t->begin[k]; c < t->begin[k + 1]; c++) {
            const dlp_solid_contact *at = &t->contacts[t->of[c]];
            const double share = side_of(at, k) == 0 ? at->share[0] : -at->share[1];
            const double span = at->impact * pass->step + (1 - at->impact) * pass->tau;
            const dlp_vec3 change = dlp_along(at->rub, at->normal, at->press);
            before = dlp_along(before, change, share * at->impact);
            way = dlp_along(way, change, share * span);
            way = dlp_along(way, dlp_along(at->rubbed, at->normal, at->moved), -share);
        }
        dlp_solid_set(p->way, i, way);
        dlp_solid_set(p->last_velocity, i, before);
        dlp_solid_set(p->velocity, i, t->to[k]);
    }
}

void dlp_solid_touch_settle(const dlp_solid_pass *pass)
{
    dlp_team *team = pass->solid->team;
    const dlp_solid_touch *t = pass->solid->touch;
    dlp_solid_pass own = *pass;
    if (t->met_count == 0) return;
    dlp_parallel_for(team, t->met_count, GRAIN, take_speeds, &own);
    dlp_parallel_for(team, t->contact_count, GRAIN, begin_speeds, &own);
    for (int k = 0; k < SPEED_ITERATIONS; k++) {
        dlp_parallel_for(team, t->contact_count, GRAIN, slow_range, &own);
        dlp_parallel_for(team, t->met_count, GRAIN, sum_range, &own);
    }
    dlp_parallel_for(team, t->contact_count, GRAIN, find_impacts, &own);
    dlp_parallel_for(team, t->met_count, GRAIN, write_speeds, &own);
}
