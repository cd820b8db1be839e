/* The contact layer of solids: who takes part in contacts, where they are, and how long the pairs that were
 * found to be near last. */
#include "motion/solid/solid_contact.h"

#include <stdio.h>
#include <string.h>

// In spacings: the path within which the fastest stay in their bounds, and what they get beside it.
#define BOUND_TRAVEL 0.4
#define BOUND_SPARE  0.02
// In spacings: of those who hardly move now.
#define BOUND_LEAST 0.3
// For how many sub-steps bounds are made at most.
#define BOUND_STEPS 12.0
// How often they are then made for one alone, where they did not last two.
enum { BRIEF_COUNT = 6 };

// Of neighbours' offsets, summed over their lengths: below it there is no surface. A plane of a lattice has
// 0.31.
#define LEAST_BIAS 0.15

// The contact layer.

static bool can_collide(const dlp_solid *solid, int32_t i)
{
    const dlp_solid_particles *p = &solid->state.particles;
    return p->layer[i] <= 1 && (solid->topology.fragment_count > 1 ||
                                solid->params.scene->substances[p->substance[i]].solid.meets_itself);
}

// All arrays that have an item for each particle of the contact layer, and eight more for loads beyond the
// end.
static dlp_status reserve_layer(dlp_solid_contact *t, int32_t count, dlp_error *error)
{
    struct {
        void *array;
        size_t size;
    } arrays[] = {{&t->contact_layer, sizeof *t->contact_layer},
                  {&t->from, sizeof *t->from},
                  {&t->to, sizeof *t->to},
                  {&t->rest_facing, sizeof *t->rest_facing},
                  {&t->spheres, sizeof *t->spheres},
                  {&t->motions, sizeof *t->motions},
                  {&t->contacts.moved, sizeof *t->contacts.moved},
                  {&t->contacts.velocities, sizeof *t->contacts.velocities},
                  {&t->contacts.last_velocities, sizeof *t->contacts.last_velocities},
                  {&t->kind, sizeof *t->kind},
                  {&t->is_near, sizeof *t->is_near},
                  {&t->bound_centre, sizeof *t->bound_centre},
                  {&t->bound_radius, sizeof *t->bound_radius},
                  {&t->boxes, sizeof *t->boxes},
                  {&t->is_out, sizeof *t->is_out},
                  {&t->bound_widest, sizeof *t->bound_widest},
                  {&t->candidates, sizeof *t->candidates},
                  {&t->places.x, sizeof *t->places.x},
                  {&t->places.y, sizeof *t->places.y},
                  {&t->places.z, sizeof *t->places.z},
                  {&t->places.bound_radius, sizeof *t->places.bound_radius},
                  {&t->places.rest_x, sizeof(float)},
                  {&t->places.rest_y, sizeof(float)},
                  {&t->places.rest_z, sizeof(float)},
                  {&t->places.body, sizeof(int32_t)},
                  {&t->places.kind, sizeof(int32_t)},
                  {&t->cell_of, sizeof *t->cell_of},
                  {&t->candidate_of, sizeof *t->candidate_of},
                  {&t->pair_count, sizeof *t->pair_count},
                  {&t->hit_begin, sizeof *t->hit_begin},
                  {&t->begin, sizeof *t->begin},
                  {&t->active, sizeof *t->active}};
    int32_t capacity = t->layer_capacity;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        capacity = t->layer_capacity;
        DLP_TRY(dlp_reserve(arrays[k].array, &capacity, count + DLP_LANES, arrays[k].size, "solids", error));
    }
    t->layer_capacity = capacity;
    return DLP_OK;
}

void dlp_solid_contact_release(dlp_solid_contact *t)
{
    if (t == NULL) return;
    void *owned[] = {t->spheres,
                     t->kind,
                     t->is_near,
                     t->contact_layer,
                     t->from,
                     t->to,
                     t->rest_facing,
                     t->motions,
                     t->bound_centre,
                     t->bound_radius,
                     t->boxes,
                     t->is_out,
                     t->bound_widest,
                     t->candidates,
                     t->places.x,
                     t->places.y,
                     t->places.z,
                     t->places.bound_radius,
                     t->places.rest_x,
                     t->places.rest_y,
                     t->places.rest_z,
                     t->places.body,
                     t->places.kind,
                     t->cell_of,
                     t->candidate_of,
                     t->pair_count,
                     t->hit_begin,
                     t->begin,
                     t->active,
                     t->cell_begin,
                     t->sort_memory,
                     t->pairs,
                     t->hits,
                     t->contacts.blocks,
                     t->contacts.moved,
                     t->contacts.velocities,
                     t->contacts.last_velocities,
                     t->contacts.corrections,
                     t->contacts.displacement_corrections,
                     t->slot_key,
                     t->clearance,
                     t->before,
                     t->after};
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) dlp_free(owned[k]);
    dlp_sorter_release(&t->sorter);
    dlp_free(t);
}

// The matter ends where the neighbours are not: their mean offset is short at a plane, longer at an edge and
// at a corner, and none inside.
static dlp_solid_facing find_facing(const dlp_solid *solid, int32_t i)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    dlp_vec3 sum = dlp_vec(0, 0, 0);
    double lengths = 0;
    for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
        const int32_t j = links.neighbour[n];
        if (j < 0) continue;
        const dlp_vec3 offset =
            dlp_sub(dlp_solid_get(solid->state.particles.x0, j), dlp_solid_get(solid->state.particles.x0, i));
        sum = dlp_sub(sum, offset);
        lengths += dlp_length(offset);
    }
    const double length = dlp_length(sum), bias = lengths > 0 ? length / lengths : 0;
    if (!(bias > LEAST_BIAS)) return (dlp_solid_facing){0};
    const double square = LEAST_BIAS * LEAST_BIAS / (bias * bias);
    return (dlp_solid_facing){dlp_mul(sum, 1 / length), square * square * square * square};
}

static int32_t find_kind(const dlp_solid *solid, int32_t i, dlp_solid_facing facing)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    int32_t kind = facing.weight == 0 && solid->state.particles.layer[i] > 0 ? DLP_CONTACT_INNER : 0;
    for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++)
        if (links.neighbour[n] != links.first[n]) kind |= DLP_CONTACT_CUT;
    return kind;
}

dlp_status dlp_solid_contact_rebuild(dlp_solid *solid, dlp_error *error)
{
    if (solid->contact == NULL) solid->contact = dlp_alloc(1, sizeof *solid->contact, "solids");
    dlp_solid_contact *t = solid->contact;
    if (t == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    int32_t count = 0;
    for (int32_t i = 0; i < solid->state.particles.count; i++) count += can_collide(solid, i);
    DLP_TRY(reserve_layer(t, count, error));
    DLP_TRY(dlp_reserve(&t->clearance, &t->clearance_capacity, solid->state.particles.count + 1,
                        sizeof *t->clearance, "solids", error));
    t->layer_count = t->contacts.count = t->active_count = 0;
    t->widest = 0;
    t->is_built = false;
    dlp_solid_contact_reset_clearance(solid);
    for (int32_t i = 0; i < solid->state.particles.count; i++) {
        t->widest = fmax(t->widest, 2 * dlp_solid_reach(solid, i));
        if (!can_collide(solid, i)) continue;
        t->rest_facing[t->layer_count] = find_facing(solid, i);
        t->kind[t->layer_count] = find_kind(solid, i, t->rest_facing[t->layer_count]);
        t->contact_layer[t->layer_count++] = i;
    }
    return DLP_OK;
}

// Where they are.

static void widen(dlp_box *box, dlp_vec3 x)
{
    box->min = dlp_vec(x.x < box->min.x ? x.x : box->min.x, x.y < box->min.y ? x.y : box->min.y,
                       x.z < box->min.z ? x.z : box->min.z);
    box->max = dlp_vec(x.x > box->max.x ? x.x : box->max.x, x.y > box->max.y ? x.y : box->max.y,
                       x.z > box->max.z ? x.z : box->max.z);
}

static bool is_in_bound(const dlp_solid_contact *t, int32_t k, dlp_vec3 x, dlp_vec3 shift)
{
    const dlp_vec3 off = dlp_sub(dlp_sub(x, t->bound_centre[k]), shift);
    return dlp_dot(off, off) <= (double)t->bound_radius[k] * (double)t->bound_radius[k];
}

static void place_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    const dlp_solid *solid = pass->solid;
    dlp_solid_contact *t = solid->contact;
    const dlp_vec3 shift = dlp_along(t->shift, t->drift, pass->step);
    dlp_box travel = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
    bool is_out = false;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = t->contact_layer[k];
        t->from[k] = dlp_solid_get(solid->state.particles.position, i);
        t->to[k] = dlp_sweep_node_position(&solid->scratch.nodes[i]);
        is_out = is_out || !is_in_bound(t, k, t->from[k], t->shift) || !is_in_bound(t, k, t->to[k], shift);
        widen(&travel, dlp_mul(dlp_solid_start_velocity(solid, i), pass->step));
    }
    t->is_out[begin / DLP_CONTACT_GRAIN] = is_out;
    t->boxes[begin / DLP_CONTACT_GRAIN] = travel;
}

static int32_t range_count(const dlp_solid_contact *t)
{
    return (t->layer_count + DLP_CONTACT_GRAIN - 1) / DLP_CONTACT_GRAIN;
}

static dlp_box join_boxes(const dlp_solid_contact *t)
{
    dlp_box all = t->boxes[0];
    for (int32_t k = 1; k < range_count(t); k++) {
        widen(&all, t->boxes[k].min);
        widen(&all, t->boxes[k].max);
    }
    return all;
}

// Nobody has left his room.
static bool do_bounds_hold(const dlp_solid_contact *t)
{
    bool lasts = t->is_built;
    for (int32_t k = 0; k < range_count(t); k++) lasts = lasts && !t->is_out[k];
    return lasts;
}

// Bounds.

typedef struct bounds {
    const dlp_solid_pass *pass;
    dlp_vec3 drift; /* m: in this sub-step */
    double steps;   /* that they are made for */
    double least;   /* m */
} bounds;

// Around the path of this sub-step, as seen by one who moves with all of them, and so much wider as the
// velocity will ask for. The path is none to go by: what is pressed against something would go through it,
// again and again, and does not.
static void bound_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const bounds *r = context;
    const dlp_solid *solid = r->pass->solid;
    dlp_solid_contact *t = solid->contact;
    dlp_box box = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
    float most = 0;
    for (int32_t k = begin; k < end; k++) {
        const dlp_vec3 displacement = dlp_sub(t->to[k], t->from[k]),
                       v = dlp_solid_start_velocity(solid, t->contact_layer[k]);
        const double now = 0.5 * dlp_length(dlp_sub(displacement, r->drift)),
                     fast = (r->steps - 1) * dlp_length(dlp_sub(dlp_mul(v, r->pass->step), r->drift));
        t->bound_centre[k] = dlp_along(t->from[k], displacement, 0.5);
        t->bound_radius[k] = (float)(now + (fast > r->least ? fast : r->least) + BOUND_SPARE * t->widest);
        t->is_near[k] = 0;
        widen(&box, t->bound_centre[k]);
        most = t->bound_radius[k] > most ? t->bound_radius[k] : most;
    }
    t->boxes[begin / DLP_CONTACT_GRAIN] = box;
    t->bound_widest[begin / DLP_CONTACT_GRAIN] = most;
}

// Where wide bounds did not last, narrow ones do: they cost less, and are tried for some time.
static bool use_brief_bounds(dlp_solid_contact *t)
{
    if (t->brief_count > 0) return --t->brief_count > 0;
    if (t->is_built && t->bound_age < 2) t->brief_count = BRIEF_COUNT;
    return t->brief_count > 0;
}

static dlp_status make_bounds(const dlp_solid_pass *pass, dlp_box travel, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_contact *t = solid->contact;
    bounds r = {.pass = pass, .drift = dlp_mul(dlp_add(travel.min, travel.max), 0.5), .steps = 1};
    if (!use_brief_bounds(t)) {
        const double fastest = 0.5 * dlp_length(dlp_sub(travel.max, travel.min)) + 1e-9 * t->widest;
        r.steps = fmin(1 + BOUND_TRAVEL * t->widest / fastest, BOUND_STEPS);
        r.least = BOUND_LEAST * t->widest;
    }
    t->drift = dlp_mul(r.drift, 1 / pass->step);
    t->shift = dlp_mul(r.drift, -0.5);
    t->bound_age = 0;
    dlp_parallel_for(solid->params.team, t->layer_count, DLP_CONTACT_GRAIN, bound_range, &r);
    float most = 0;
    for (int32_t k = 0; k < range_count(t); k++) most = t->bound_widest[k] > most ? t->bound_widest[k] : most;
    return dlp_solid_contact_find_pairs(solid, join_boxes(t), (double)most, error);
}

static void warn_of_fast_motion(dlp_solid *solid, dlp_box travel)
{
    dlp_solid_contact *t = solid->contact;
    const double fastest = dlp_length(dlp_max3(travel.max, dlp_mul(travel.min, -1)));
    if (t->has_warned || solid->params.context.log == NULL || !(fastest > t->widest)) return;
    t->has_warned = true;
    char text[160];
    snprintf(
        text, sizeof text,
        "solids: something moves %.3g spacings in a sub-step; raise `solid.substeps` so that nothing passes "
        "through anything",
        fastest / t->widest);
    solid->params.context.log(text, solid->params.context.log_user);
}

dlp_status dlp_solid_contact_bodies(const dlp_solid_pass *pass, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_contact *t = solid->contact;
    dlp_solid_pass own = *pass;
    t->active_count = 0;
    if (t->layer_count == 0) return DLP_OK;
    dlp_parallel_for(solid->params.team, t->layer_count, DLP_CONTACT_GRAIN, place_range, &own);
    const dlp_box travel = join_boxes(t);
    warn_of_fast_motion(solid, travel);
    if (!do_bounds_hold(t)) DLP_TRY(make_bounds(pass, travel, error));
    t->bound_age++;
    t->shift = dlp_along(t->shift, t->drift, pass->step);
    DLP_TRY(dlp_solid_contact_find_hits(&own, error));
    dlp_solid_contact_solve_positions(&own);
    return DLP_OK;
}
