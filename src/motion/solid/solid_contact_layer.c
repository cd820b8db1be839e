/* The contact layer of solids: who takes part in contacts, where they are, and how long the pairs that were
 * found to be near last. */
#include "motion/solid/solid_contact.h"

#include <stdio.h>

// In spacings: the path within which the fastest stay in their bounds, and what they get beside it.
#define BOUND_TRAVEL 0.4
#define BOUND_SPARE  0.02
// In spacings: of those who hardly move now.
#define BOUND_LEAST 0.3
// For how many sub-steps bounds are made at most.
#define BOUND_STEPS 12.0
// How often they are then made for one alone, where they did not last two.
enum { BRIEF_COUNT = 6 };
enum { SELECT_GRAIN = 1024 };

// The sum of neighbours' offsets over that of their lengths: below this there is no surface. A plane of a
// lattice has 0.31.
#define LEAST_BIAS 0.15

// The contact layer.

static bool can_collide(const dlp_solid *solid, int32_t i)
{
    const dlp_solid_particles *p = &solid->state.particles;
    return p->layer[i] <= 1 && (solid->topology.fragment_count > 1 ||
                                solid->params.scene->substances[p->substance[i]].solid.meets_itself);
}

#define ROW(module, name, type, components, per)                                                             \
    {offsetof(dlp_solid_contact, module.name), (components) * sizeof(type), per},
#define IN_LAYER(name, type, components, per)     ROW(layer, name, type, components, per)
#define IN_PATHS(name, type, components, per)     ROW(paths, name, type, components, per)
#define IN_BOUNDS(name, type, components, per)    ROW(bounds, name, type, components, per)
#define IN_GRID(name, type, components, per)      ROW(grid, name, type, components, per)
#define IN_PLACES(name, type, components, per)    ROW(grid.places, name, type, components, per)
#define IN_PAIRS(name, type, components, per)     ROW(pairs, name, type, components, per)
#define IN_SLOTS(name, type, components, per)     ROW(slots, name, type, components, per)
#define IN_CONTACTS(name, type, components, per)  ROW(contacts, name, type, components, per)
#define IN_OBSTACLES(name, type, components, per) ROW(obstacles, name, type, components, per)

static const dlp_solid_array arrays[] = {
    DLP_CONTACT_LAYER_ARRAYS(IN_LAYER) DLP_CONTACT_PATH_ARRAYS(IN_PATHS) DLP_CONTACT_BOUND_ARRAYS(IN_BOUNDS)
        DLP_CONTACT_GRID_ARRAYS(IN_GRID) DLP_CONTACT_GRID_PLACE_ARRAYS(IN_PLACES)
            DLP_CONTACT_PAIR_ARRAYS(IN_PAIRS) DLP_CONTACT_SLOT_ARRAYS(IN_SLOTS)
                DLP_CONTACT_BLOCK_ARRAYS(IN_CONTACTS) DLP_CONTACT_OBSTACLE_ARRAYS(IN_OBSTACLES)};

dlp_status dlp_solid_contact_reserve(dlp_solid_contact *t, dlp_contact_per per, int32_t count,
                                     dlp_error *error)
{
    return dlp_solid_arrays_reserve(t, DLP_SOLID_LIST_OF(arrays), t->capacity, (int32_t)per, count, error);
}

void dlp_solid_contact_release(dlp_solid_contact *t)
{
    if (t == NULL) return;
    dlp_solid_arrays_release(t, DLP_SOLID_LIST_OF(arrays));
    dlp_sorter_release(&t->grid.sorter);
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

// How many they are, and how wide.
typedef struct layer_size {
    int64_t count;
    double widest; /* m */
} layer_size;

static void measure_range(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_solid *solid = context;
    layer_size *size = result;
    for (int32_t i = begin; i < end; i++) {
        size->count += can_collide(solid, i);
        size->widest = fmax(size->widest, 2 * dlp_solid_reach(solid, i));
    }
}

static void join_sizes(void *result, const void *later)
{
    layer_size *size = result;
    const layer_size *other = later;
    size->count += other->count;
    size->widest = fmax(size->widest, other->widest);
}

static int32_t select_colliding(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const dlp_solid *solid = context;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (!can_collide(solid, i)) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

static void describe_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid *solid = context;
    const dlp_solid_contact_layer *layer = &solid->contact->layer;
    for (int32_t k = begin; k < end; k++) {
        layer->rest_facing[k] = find_facing(solid, layer->particle[k]);
        layer->kind[k] = find_kind(solid, layer->particle[k], layer->rest_facing[k]);
    }
}

dlp_status dlp_solid_contact_rebuild(dlp_solid *solid, dlp_error *error)
{
    if (solid->contact == NULL) solid->contact = dlp_alloc(1, sizeof *solid->contact, "solids");
    dlp_solid_contact *t = solid->contact;
    if (t == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    dlp_team *team = solid->params.team;
    const int32_t count = solid->state.particles.count;
    layer_size size = {0};
    const dlp_reduction measuring = {measure_range, join_sizes, solid, sizeof size};
    dlp_parallel_reduce(team, count, SELECT_GRAIN, &measuring, &size);
    DLP_TRY(dlp_solid_contact_reserve(t, DLP_CONTACT_PER_PLACE, (int32_t)size.count + DLP_LANES, error));
    DLP_TRY(dlp_solid_contact_reserve(t, DLP_CONTACT_PER_PARTICLE, count + 1, error));
    t->pairs.is_built = false;
    t->contacts.count = t->slots.active_count = 0;
    t->layer.widest = size.widest;
    t->layer.count =
        dlp_parallel_compact(team, count, SELECT_GRAIN, select_colliding, solid, t->layer.particle);
    dlp_parallel_for(team, t->layer.count, DLP_CONTACT_GRAIN, describe_range, solid);
    dlp_solid_contact_reset_clearance(solid);
    return DLP_OK;
}

// Where they are.

static dlp_box no_box(void)
{
    return (dlp_box){{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
}

static void widen(dlp_box *box, dlp_vec3 x)
{
    box->min = dlp_vec(x.x < box->min.x ? x.x : box->min.x, x.y < box->min.y ? x.y : box->min.y,
                       x.z < box->min.z ? x.z : box->min.z);
    box->max = dlp_vec(x.x > box->max.x ? x.x : box->max.x, x.y > box->max.y ? x.y : box->max.y,
                       x.z > box->max.z ? x.z : box->max.z);
}

static bool is_in_bound(const dlp_solid_contact_bounds *bounds, int32_t k, dlp_vec3 x, dlp_vec3 shift)
{
    const dlp_vec3 off = dlp_sub(dlp_sub(x, bounds->centre[k]), shift);
    return dlp_dot(off, off) <= (double)bounds->radius[k] * (double)bounds->radius[k];
}

// What is known of all paths of a sub-step.
typedef struct path_range {
    dlp_box travel; /* m: around what velocities would take them */
    bool is_out;    /* somebody has left his bound */
} path_range;

static void place_range(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_solid_pass *pass = context;
    const dlp_solid *solid = pass->solid;
    const dlp_solid_contact *t = solid->contact;
    const dlp_solid_contact_bounds *bounds = &t->bounds;
    const dlp_vec3 shift = dlp_along(bounds->shift, bounds->drift, pass->step);
    path_range *all = result;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = t->layer.particle[k];
        const dlp_vec3 from = dlp_solid_get(solid->state.particles.position, i),
                       to = dlp_sweep_node_position(&solid->scratch.nodes[i]);
        t->paths.from[k] = from;
        t->paths.to[k] = to;
        all->is_out =
            all->is_out || !is_in_bound(bounds, k, from, bounds->shift) || !is_in_bound(bounds, k, to, shift);
        widen(&all->travel, dlp_mul(dlp_solid_start_velocity(solid, i), pass->step));
    }
}

static void join_paths(void *result, const void *later)
{
    path_range *all = result;
    const path_range *other = later;
    all->is_out = all->is_out || other->is_out;
    widen(&all->travel, other->travel.min);
    widen(&all->travel, other->travel.max);
}

// Bounds.

typedef struct bound_pass {
    const dlp_solid_pass *pass;
    dlp_vec3 drift; /* m: in this sub-step */
    double steps;   /* that they are made for */
    double least;   /* m */
} bound_pass;

typedef struct bound_range {
    dlp_box box;  /* m: around the centres */
    float widest; /* m: the largest radius */
} bound_range;

// Around the path of this sub-step, as seen by one who moves with all of them, and so much wider as the
// velocity will ask for. The path is none to go by: what is pressed against something would go through it,
// again and again, and does not.
static void bound_places(void *context, int32_t begin, int32_t end, void *result)
{
    const bound_pass *r = context;
    const dlp_solid *solid = r->pass->solid;
    const dlp_solid_contact *t = solid->contact;
    bound_range *all = result;
    for (int32_t k = begin; k < end; k++) {
        const dlp_vec3 displacement = dlp_sub(t->paths.to[k], t->paths.from[k]),
                       v = dlp_solid_start_velocity(solid, t->layer.particle[k]);
        const double now = 0.5 * dlp_length(dlp_sub(displacement, r->drift)),
                     fast = (r->steps - 1) * dlp_length(dlp_sub(dlp_mul(v, r->pass->step), r->drift));
        const float radius =
            (float)(now + (fast > r->least ? fast : r->least) + BOUND_SPARE * t->layer.widest);
        t->bounds.centre[k] = dlp_along(t->paths.from[k], displacement, 0.5);
        t->bounds.radius[k] = radius;
        t->pairs.is_near[k] = 0;
        widen(&all->box, t->bounds.centre[k]);
        all->widest = radius > all->widest ? radius : all->widest;
    }
}

static void join_bounds(void *result, const void *later)
{
    bound_range *all = result;
    const bound_range *other = later;
    widen(&all->box, other->box.min);
    widen(&all->box, other->box.max);
    all->widest = other->widest > all->widest ? other->widest : all->widest;
}

// Where wide bounds did not last, narrow ones do: they cost less, and are tried for some time.
static bool use_brief_bounds(dlp_solid_contact *t)
{
    dlp_solid_contact_bounds *bounds = &t->bounds;
    if (bounds->brief_count > 0) return --bounds->brief_count > 0;
    if (t->pairs.is_built && bounds->age < 2) bounds->brief_count = BRIEF_COUNT;
    return bounds->brief_count > 0;
}

static dlp_status make_bounds(const dlp_solid_pass *pass, dlp_box travel, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_contact *t = solid->contact;
    const double widest = t->layer.widest;
    bound_pass r = {.pass = pass, .drift = dlp_mul(dlp_add(travel.min, travel.max), 0.5), .steps = 1};
    if (!use_brief_bounds(t)) {
        const double fastest = 0.5 * dlp_length(dlp_sub(travel.max, travel.min)) + 1e-9 * widest;
        r.steps = fmin(1 + BOUND_TRAVEL * widest / fastest, BOUND_STEPS);
        r.least = BOUND_LEAST * widest;
    }
    t->bounds.drift = dlp_mul(r.drift, 1 / pass->step);
    t->bounds.shift = dlp_mul(r.drift, -0.5);
    t->bounds.age = 0;
    bound_range all = {.box = no_box()};
    const dlp_reduction bounding = {bound_places, join_bounds, &r, sizeof all};
    dlp_parallel_reduce(solid->params.team, t->layer.count, DLP_CONTACT_GRAIN, &bounding, &all);
    return dlp_solid_contact_find_pairs(solid, all.box, (double)all.widest, error);
}

static void warn_of_fast_motion(dlp_solid *solid, dlp_box travel)
{
    dlp_solid_contact *t = solid->contact;
    const double fastest = dlp_length(dlp_max3(travel.max, dlp_mul(travel.min, -1)));
    if (t->has_warned || solid->params.context.log == NULL || !(fastest > t->layer.widest)) return;
    t->has_warned = true;
    char text[160];
    snprintf(
        text, sizeof text,
        "solids: something moves %.3g spacings in a sub-step; raise `solid.substeps` so that nothing passes "
        "through anything",
        fastest / t->layer.widest);
    solid->params.context.log(text, solid->params.context.log_user);
}

// Pairs that touch, and where they go on.
static dlp_status part_bodies(const dlp_solid_pass *pass, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    dlp_solid_contact *t = solid->contact;
    dlp_solid_pass own = *pass;
    t->slots.active_count = 0;
    if (t->layer.count == 0) return DLP_OK;
    path_range all = {.travel = no_box()};
    const dlp_reduction placing = {place_range, join_paths, &own, sizeof all};
    dlp_parallel_reduce(solid->params.team, t->layer.count, DLP_CONTACT_GRAIN, &placing, &all);
    warn_of_fast_motion(solid, all.travel);
    if (all.is_out || !t->pairs.is_built) DLP_TRY(make_bounds(pass, all.travel, error));
    DLP_TRY(dlp_solid_contact_find_hits(&own, error));
    dlp_solid_contact_solve_positions(&own);
    return DLP_OK;
}

dlp_status dlp_solid_contact_bodies(const dlp_solid_pass *pass, dlp_error *error)
{
    dlp_solid_contact_bounds *bounds = &pass->solid->contact->bounds;
    DLP_TRY(part_bodies(pass, error));
    bounds->age++;
    bounds->shift = dlp_along(bounds->shift, bounds->drift, pass->step);
    return DLP_OK;
}

static void note_held(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_contact *t = context;
    for (int32_t n = begin; n < end; n++) {
        const int32_t k = t->slots.active[n];
        const float *moved = t->contacts.moved[k];
        if (t->paths.motions[k].inverse_mass > 0)
            dlp_solid_set(t->obstacles.held, t->layer.particle[k],
                          dlp_vec((double)moved[0], (double)moved[1], (double)moved[2]));
    }
}

dlp_status dlp_solid_contact_hold_bodies(const dlp_solid_pass *pass, dlp_error *error)
{
    dlp_solid_contact *t = pass->solid->contact;
    DLP_TRY(part_bodies(pass, error));
    dlp_parallel_for(pass->solid->params.team, t->slots.active_count, DLP_CONTACT_GRAIN, note_held, t);
    return DLP_OK;
}
