/* The skin of solids: who takes part in contacts, where they are, and how long the pairs that were found to
 * be near last. */
#include "motion/solid/touch.h"

#include <stdio.h>
#include <string.h>

// In spacings: the way within which the fastest stay in their rooms, and what they get beside it.
#define ROOM_WAY   0.4
#define ROOM_SPARE 0.02
// In spacings: of those who hardly move now.
#define ROOM_LEAST 0.3
// For how many sub-steps rooms are made at most.
#define ROOM_STEPS 12.0
// How often they are then made for one alone, where they did not last two.
enum { BRIEF_COUNT = 6 };

// Of neighbours' offsets, summed over their lengths: below it there is no surface. A plane of a lattice has
// 0.31.
#define LEAST_BIAS 0.15

// ---- the skin
// -----------------------------------------------------------------------------------------------

static bool can_meet(const dlp_solid *solid, int32_t i)
{
    const dlp_solid_particles *p = &solid->particles;
    return p->layer[i] <= 1 &&
           (solid->piece_count > 1 || solid->scene->substances[p->substance[i]].solid.meets_itself);
}

// All arrays that have an item for each particle of the skin, and eight more for loads beyond the end.
static dlp_status reserve_skin(dlp_solid_touch *t, int32_t count, dlp_error *error)
{
    struct {
        void *array;
        size_t size;
    } arrays[] = {{&t->skin, sizeof *t->skin},
                  {&t->from, sizeof *t->from},
                  {&t->to, sizeof *t->to},
                  {&t->rest_facing, sizeof *t->rest_facing},
                  {&t->balls, sizeof *t->balls},
                  {&t->courses, sizeof *t->courses},
                  {&t->contacts.moved, sizeof *t->contacts.moved},
                  {&t->contacts.speeds, sizeof *t->contacts.speeds},
                  {&t->contacts.befores, sizeof *t->contacts.befores},
                  {&t->kind, sizeof *t->kind},
                  {&t->is_near, sizeof *t->is_near},
                  {&t->built, sizeof *t->built},
                  {&t->room, sizeof *t->room},
                  {&t->ways, sizeof *t->ways},
                  {&t->is_out, sizeof *t->is_out},
                  {&t->roomiest, sizeof *t->roomiest},
                  {&t->marks, sizeof *t->marks},
                  {&t->places.x, sizeof *t->places.x},
                  {&t->places.y, sizeof *t->places.y},
                  {&t->places.z, sizeof *t->places.z},
                  {&t->places.room, sizeof *t->places.room},
                  {&t->places.rest_x, sizeof(float)},
                  {&t->places.rest_y, sizeof(float)},
                  {&t->places.rest_z, sizeof(float)},
                  {&t->places.body, sizeof(int32_t)},
                  {&t->places.kind, sizeof(int32_t)},
                  {&t->cell_of, sizeof *t->cell_of},
                  {&t->mark_of, sizeof *t->mark_of},
                  {&t->pair_count, sizeof *t->pair_count},
                  {&t->hit_begin, sizeof *t->hit_begin},
                  {&t->begin, sizeof *t->begin},
                  {&t->met, sizeof *t->met}};
    int32_t capacity = t->skin_capacity;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        capacity = t->skin_capacity;
        DLP_TRY(dlp_reserve(arrays[k].array, &capacity, count + DLP_LANES, arrays[k].size, "solids", error));
    }
    t->skin_capacity = capacity;
    return DLP_OK;
}

void dlp_solid_touch_release(dlp_solid_touch *t)
{
    if (t == NULL) return;
    void *owned[] = {t->balls,
                     t->kind,
                     t->is_near,
                     t->skin,
                     t->from,
                     t->to,
                     t->rest_facing,
                     t->courses,
                     t->built,
                     t->room,
                     t->ways,
                     t->is_out,
                     t->roomiest,
                     t->marks,
                     t->places.x,
                     t->places.y,
                     t->places.z,
                     t->places.room,
                     t->places.rest_x,
                     t->places.rest_y,
                     t->places.rest_z,
                     t->places.body,
                     t->places.kind,
                     t->cell_of,
                     t->mark_of,
                     t->pair_count,
                     t->hit_begin,
                     t->begin,
                     t->met,
                     t->cell_begin,
                     t->pairs,
                     t->hits,
                     t->contacts.blocks,
                     t->contacts.moved,
                     t->contacts.speeds,
                     t->contacts.befores,
                     t->contacts.asks,
                     t->contacts.way_asks,
                     t->of,
                     t->clearance,
                     t->before,
                     t->after};
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) dlp_free(owned[k]);
    dlp_free(t);
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

static int32_t find_kind(const dlp_solid *solid, int32_t i, dlp_facing facing)
{
    const dlp_rest_links *rest = &solid->rest;
    int32_t kind = facing.weight == 0 && solid->particles.layer[i] > 0 ? DLP_TOUCH_INNER : 0;
    for (int32_t n = rest->begin[i]; n < rest->begin[i + 1]; n++)
        if (rest->neighbour[n] != rest->first[n]) kind |= DLP_TOUCH_CUT;
    return kind;
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
    t->skin_count = t->contacts.count = t->met_count = 0;
    t->widest = 0;
    t->is_built = false;
    dlp_solid_touch_forget(solid);
    for (int32_t i = 0; i < solid->particles.count; i++) {
        t->widest = fmax(t->widest, 2 * dlp_solid_reach(solid, i));
        if (!can_meet(solid, i)) continue;
        t->rest_facing[t->skin_count] = find_facing(solid, i);
        t->kind[t->skin_count] = find_kind(solid, i, t->rest_facing[t->skin_count]);
        t->skin[t->skin_count++] = i;
    }
    return DLP_OK;
}

// ---- where they are
// -----------------------------------------------------------------------------------------

static void widen(dlp_box *box, dlp_vec3 x)
{
    box->min = dlp_vec(x.x < box->min.x ? x.x : box->min.x, x.y < box->min.y ? x.y : box->min.y,
                       x.z < box->min.z ? x.z : box->min.z);
    box->max = dlp_vec(x.x > box->max.x ? x.x : box->max.x, x.y > box->max.y ? x.y : box->max.y,
                       x.z > box->max.z ? x.z : box->max.z);
}

static bool is_in_room(const dlp_solid_touch *t, int32_t k, dlp_vec3 x, dlp_vec3 shift)
{
    const dlp_vec3 off = dlp_sub(dlp_sub(x, t->built[k]), shift);
    return dlp_dot(off, off) <= (double)t->room[k] * (double)t->room[k];
}

static void place_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    const dlp_solid *solid = pass->solid;
    dlp_solid_touch *t = solid->touch;
    const dlp_vec3 shift = dlp_along(t->shift, t->drive, pass->step);
    dlp_box ways = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
    bool is_out = false;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = t->skin[k];
        t->from[k] = dlp_solid_get(solid->particles.position, i);
        t->to[k] = dlp_spot_read(&solid->spots[i]);
        is_out = is_out || !is_in_room(t, k, t->from[k], t->shift) || !is_in_room(t, k, t->to[k], shift);
        widen(&ways, dlp_mul(dlp_solid_get(solid->particles.velocity, i), pass->step));
    }
    t->is_out[begin / DLP_TOUCH_GRAIN] = is_out;
    t->ways[begin / DLP_TOUCH_GRAIN] = ways;
}

static int32_t range_count(const dlp_solid_touch *t)
{
    return (t->skin_count + DLP_TOUCH_GRAIN - 1) / DLP_TOUCH_GRAIN;
}

static dlp_box join_boxes(const dlp_solid_touch *t)
{
    dlp_box all = t->ways[0];
    for (int32_t k = 1; k < range_count(t); k++) {
        widen(&all, t->ways[k].min);
        widen(&all, t->ways[k].max);
    }
    return all;
}

// Nobody has left his room.
static bool do_rooms_last(const dlp_solid_touch *t)
{
    bool lasts = t->is_built;
    for (int32_t k = 0; k < range_count(t); k++) lasts = lasts && !t->is_out[k];
    return lasts;
}

// ---- rooms
// --------------------------------------------------------------------------------------------------

typedef struct rooms {
    const dlp_solid_pass *pass;
    dlp_vec3 drive; /* m: in this sub-step */
    double steps;   /* that they are made for */
    double least;   /* m */
} rooms;

// Around the way of this sub-step, as seen by one who moves with all of them, and so much wider as the
// velocity will ask for. The way is none to go by: what is pressed against something would go through it,
// again and again, and does not.
static void room_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const rooms *r = context;
    const dlp_solid *solid = r->pass->solid;
    dlp_solid_touch *t = solid->touch;
    dlp_box box = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
    float most = 0;
    for (int32_t k = begin; k < end; k++) {
        const dlp_vec3 way = dlp_sub(t->to[k], t->from[k]),
                       v = dlp_solid_get(solid->particles.velocity, t->skin[k]);
        const double now = 0.5 * dlp_length(dlp_sub(way, r->drive)),
                     fast = (r->steps - 1) * dlp_length(dlp_sub(dlp_mul(v, r->pass->step), r->drive));
        t->built[k] = dlp_along(t->from[k], way, 0.5);
        t->room[k] = (float)(now + (fast > r->least ? fast : r->least) + ROOM_SPARE * t->widest);
        t->is_near[k] = 0;
        widen(&box, t->built[k]);
        most = t->room[k] > most ? t->room[k] : most;
    }
    t->ways[begin / DLP_TOUCH_GRAIN] = box;
    t->roomiest[begin / DLP_TOUCH_GRAIN] = most;
}

// Where wide rooms did not last, narrow ones do: they cost less, and are tried for some time.
static bool are_brief(dlp_solid_touch *t)
{
    if (t->briefs > 0) return --t->briefs > 0;
    if (t->is_built && t->lasted < 2) t->briefs = BRIEF_COUNT;
    return t->briefs > 0;
}

static dlp_status make_rooms(const dlp_solid_pass *pass, dlp_box ways, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_touch *t = solid->touch;
    rooms r = {.pass = pass, .drive = dlp_mul(dlp_add(ways.min, ways.max), 0.5), .steps = 1};
    if (!are_brief(t)) {
        const double fastest = 0.5 * dlp_length(dlp_sub(ways.max, ways.min)) + 1e-9 * t->widest;
        r.steps = fmin(1 + ROOM_WAY * t->widest / fastest, ROOM_STEPS);
        r.least = ROOM_LEAST * t->widest;
    }
    t->drive = dlp_mul(r.drive, 1 / pass->step);
    t->shift = dlp_mul(r.drive, -0.5);
    t->lasted = 0;
    dlp_parallel_for(solid->team, t->skin_count, DLP_TOUCH_GRAIN, room_range, &r);
    float most = 0;
    for (int32_t k = 0; k < range_count(t); k++) most = t->roomiest[k] > most ? t->roomiest[k] : most;
    return dlp_solid_touch_find(solid, join_boxes(t), (double)most, error);
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

dlp_status dlp_solid_touch_bodies(const dlp_solid_pass *pass, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_touch *t = solid->touch;
    dlp_solid_pass own = *pass;
    t->met_count = 0;
    if (t->skin_count == 0) return DLP_OK;
    dlp_parallel_for(solid->team, t->skin_count, DLP_TOUCH_GRAIN, place_range, &own);
    const dlp_box ways = join_boxes(t);
    warn_of_haste(solid, ways);
    if (!do_rooms_last(t)) DLP_TRY(make_rooms(pass, ways, error));
    t->lasted++;
    t->shift = dlp_along(t->shift, t->drive, pass->step);
    DLP_TRY(dlp_solid_touch_hit(&own, error));
    dlp_solid_touch_push(&own);
    return DLP_OK;
}
