/* The order of the sweeps. Bodies are cut into blocks at rest; blocks of one of eight colours share no
 * particle with one another, so that their constraints are solved side by side: eight in the lanes of a row,
 * and groups of eight by different threads. Inside a block the order is fixed. */
#include "motion/solid/solid_contact.h"
#include "motion/solid/solid_invariants.h"

#include <stdlib.h>
#include <string.h>

// m: an offset beyond every support, where the hourglass weight is 0.
#define BEYOND 1e6f

enum { ROW_GRAIN = 16 };

// A constraint on its way into the order.
typedef struct sort_key {
    int64_t block[3];
    int32_t color, substance, body;
    int32_t constraint, link_count;
} sort_key;

// Neighbours in `sort_keys` that belong to one block.
typedef struct color_block {
    int32_t first, count;
    int32_t link_count;  // of its constraint with the most
} color_block;

// Blocks.

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_block(const void *a, const void *b)
{
    const sort_key *x = a, *y = b;
    int order = compare_numbers(x->color, y->color);
    if (order == 0) order = compare_numbers(x->substance, y->substance);
    if (order == 0) order = compare_numbers(x->body, y->body);
    for (int axis = 2; axis >= 0 && order == 0; axis--)
        order = compare_numbers(x->block[axis], y->block[axis]);
    if (order == 0) order = compare_numbers(y->link_count, x->link_count);
    return order != 0 ? order : compare_numbers(x->constraint, y->constraint);
}

static bool is_same_block(const sort_key *a, const sort_key *b)
{
    return a->body == b->body && memcmp(a->block, b->block, sizeof a->block) == 0;
}

// Blocks begin at the body's lower corner, half a spacing outside its particles.
static void find_corners(const dlp_solid *solid, dlp_vec3 *corners)
{
    const dlp_solid_particles *p = &solid->state.particles;
    for (int32_t k = 0; k < solid->topology.body_count; k++) corners[k] = dlp_vec(1e300, 1e300, 1e300);
    for (int32_t i = 0; i < p->count; i++) {
        const double half = 0.5 * solid->params.materials[p->substance[i]].spacing;
        const dlp_vec3 x = dlp_sub(dlp_solid_get(p->x0, i), dlp_vec(half, half, half));
        corners[p->body[i]] = dlp_min3(corners[p->body[i]], x);
    }
}

static void find_sort_keys(const dlp_solid *solid, const dlp_constraints *constraints,
                           const dlp_vec3 *corners, sort_key *sort_keys)
{
    const dlp_solid_particles *p = &solid->state.particles;
    for (int32_t k = 0; k < constraints->count; k++) {
        const dlp_constraint_info info = constraints->info(solid, k);
        const int32_t body = p->body[info.particle];
        const dlp_vec3 x = dlp_sub(info.at, corners[body]);
        sort_key *at = &sort_keys[k];
        *at = (sort_key){.substance = p->substance[info.particle],
                         .body = body,
                         .constraint = k,
                         .link_count = info.link_count};
        for (int axis = 0; axis < 3; axis++) {
            at->block[axis] = (int64_t)floor(dlp_component(x, axis) / info.edge);
            at->color |= (int32_t)(at->block[axis] & 1) << axis;
        }
    }
    qsort(sort_keys, (size_t)constraints->count, sizeof *sort_keys, by_block);
}

// Groups.

// Eight blocks of one colour and substance, alike in size: the longest first.
static int by_size(const void *a, const void *b)
{
    const color_block *x = a, *y = b;
    int order = compare_numbers(y->count, x->count);
    if (order == 0) order = compare_numbers(y->link_count, x->link_count);
    return order != 0 ? order : compare_numbers(x->first, y->first);
}

static int32_t find_blocks(const sort_key *sort_keys, int32_t count, color_block *blocks)
{
    int32_t found = 0;
    for (int32_t k = 0; k < count; k++) {
        if (k == 0 || !is_same_block(&sort_keys[k - 1], &sort_keys[k]))
            blocks[found++] = (color_block){.first = k, .link_count = sort_keys[k].link_count};
        blocks[found - 1].count++;
    }
    return found;
}

static bool are_compatible(const sort_key *sort_keys, const color_block *a, const color_block *b)
{
    return sort_keys[a->first].color == sort_keys[b->first].color &&
           sort_keys[a->first].substance == sort_keys[b->first].substance;
}

static void sort_blocks(const sort_key *sort_keys, color_block *blocks, int32_t count)
{
    for (int32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && are_compatible(sort_keys, &blocks[begin], &blocks[end]);) end++;
        qsort(blocks + begin, (size_t)(end - begin), sizeof *blocks, by_size);
    }
}

// What the next group takes of the blocks from `first` on.
static int32_t lanes_of_group(const sort_key *sort_keys, const color_block *blocks, int32_t first,
                              int32_t count)
{
    int32_t lanes = 0;
    while (lanes < DLP_LANES && first + lanes < count &&
           are_compatible(sort_keys, &blocks[first], &blocks[first + lanes]))
        lanes++;
    return lanes;
}

// The constraint of a lane in a row of a group; -1 for none.
static int32_t constraint_at(const sort_key *sort_keys, const color_block *blocks, int32_t lanes,
                             int32_t lane, int32_t row)
{
    return lane < lanes && row < blocks[lane].count ? sort_keys[blocks[lane].first + row].constraint : -1;
}

static int32_t most_links(const sort_key *sort_keys, const color_block *blocks, int32_t lanes, int32_t row)
{
    int32_t most = 0;
    for (int32_t lane = 0; lane < lanes; lane++) {
        if (row >= blocks[lane].count) continue;
        const int32_t here = sort_keys[blocks[lane].first + row].link_count;
        most = here > most ? here : most;
    }
    return most;
}

static void count_coloring(const sort_key *sort_keys, const color_block *blocks, int32_t block_count,
                           dlp_constraint_coloring *order)
{
    order->group_count = order->row_count = order->link_count = 0;
    for (int32_t first = 0; first < block_count;) {
        const int32_t lanes = lanes_of_group(sort_keys, blocks, first, block_count);
        for (int32_t row = 0; row < blocks[first].count; row++, order->row_count++)
            order->link_count += most_links(sort_keys, blocks + first, lanes, row);
        order->group_count++;
        first += lanes;
    }
}

static const dlp_solid_array arrays[] = {
#define X(name, type, components, per)                                                                       \
    {offsetof(dlp_constraint_coloring, name), (components) * sizeof(type), per},
    DLP_COLORING_ARRAYS(X)
#undef X
};

static dlp_status reserve_coloring(dlp_solid *solid, dlp_constraint_coloring *o, dlp_error *error)
{
    const dlp_solid_array_list list = DLP_SOLID_LIST_OF(arrays);
    const int32_t counts[DLP_COLORING_PER_COUNT] = {o->row_count, o->link_count, o->group_count};
    for (int32_t per = 0; per < DLP_COLORING_PER_COUNT; per++)
        DLP_TRY(dlp_solid_arrays_reserve(o, list, o->capacity, per, counts[per] + 1, error));
    DLP_TRY(dlp_solid_reserve(solid, DLP_PER_GROUP, o->group_count + 1, error));
    return dlp_solid_reserve(solid, DLP_PER_NODE, solid->state.particles.count + o->group_count + 1, error);
}

// Rows.

// A lane without a constraint: a held node of the group's own, with nothing around it.
static void clear_lane(dlp_solid *solid, dlp_solid_row *row, int32_t lane, int32_t node)
{
    solid->scratch.nodes[node] = (dlp_sweep_node){0};
    row->volume[lane] = 1;  // any: there is division by it
    for (int k = 0; k < 6; k++) row->missing[k][lane] = k < 3 ? 1 : 0;
    row->reach[lane] = row->weight[lane] = 0;
}

static void fill_lane(const dlp_constraint_coloring *order, dlp_solid_row *row, int32_t lane,
                      const dlp_stencil *s)
{
    row->volume[lane] = (float)s->volume;
    for (int k = 0; k < 6; k++) row->missing[k][lane] = (float)s->missing[k];
    row->reach[lane] = (float)s->reach;
    row->weight[lane] = (float)s->weight;
    dlp_solid_link *links = order->links + row->first_link;
    assert(s->count <= row->link_count);
    for (int32_t n = 0; n < s->count; n++) {
        const float b[3] = {(float)s->b[n].x, (float)s->b[n].y, (float)s->b[n].z};
        const float offset[3] = {(float)s->offset[n].x, (float)s->offset[n].y, (float)s->offset[n].z};
        links[n].particle[lane] = s->neighbour[n];
        for (int axis = 0; axis < 3; axis++) {
            links[n].b[axis][lane] = b[axis];
            links[n].offset[axis][lane] = offset[axis];
        }
    }
}

// What a lane is before it is filled: around a particle, with links to itself that have no effect.
static void blank_lane(const dlp_constraint_coloring *order, dlp_solid_row *row, int32_t lane,
                       int32_t particle)
{
    row->particle[lane] = particle;
    for (int32_t n = 0; n < row->link_count; n++) {
        dlp_solid_link *link = &order->links[row->first_link + n];
        link->particle[lane] = particle;
        for (int axis = 0; axis < 3; axis++) {
            link->b[axis][lane] = 0;
            link->offset[axis][lane] = axis == 0 ? BEYOND : 0;
        }
    }
}

// What lanes alone do is seen in the whole row.
static void set_has_missing(dlp_solid_row *row)
{
    row->has_missing = false;
    for (int k = 0; k < 6 * DLP_LANES; k++)
        row->has_missing = row->has_missing || row->missing[k / DLP_LANES][k % DLP_LANES] != 0;
}

// The eight blocks of a group, and what they are blocks of.
typedef struct octet {
    const dlp_constraints *constraints;
    const sort_key *sort_keys;
    const color_block *blocks;
    int32_t lanes, number;
} octet;

static void fill_row(dlp_solid *solid, const dlp_constraint_coloring *order, dlp_solid_row *row,
                     const octet *from, int32_t at)
{
    const int32_t node = solid->state.particles.count + from->number;
    for (int32_t lane = 0; lane < DLP_LANES; lane++) {
        const int32_t k = constraint_at(from->sort_keys, from->blocks, from->lanes, lane, at);
        dlp_stencil s;
        if (k >= 0) from->constraints->stencil(solid, k, &s);
        row->own[lane] = k >= 0 ? k : from->constraints->count + from->number;
        blank_lane(order, row, lane, k >= 0 ? s.centre : node);
        if (k >= 0)
            fill_lane(order, row, lane, &s);
        else
            clear_lane(solid, row, lane, node);
    }
    set_has_missing(row);
}

static void fill_coloring(dlp_solid *solid, const dlp_constraints *constraints, const sort_key *sort_keys,
                          const color_block *blocks, int32_t block_count, dlp_constraint_coloring *o)
{
    int32_t group = 0, row = 0, link = 0, color = 0;
    for (int32_t first = 0; first < block_count; group++) {
        const int32_t lanes = lanes_of_group(sort_keys, blocks, first, block_count);
        const octet from = {constraints, sort_keys, blocks + first, lanes, group};
        const sort_key *head = &sort_keys[blocks[first].first];
        while (color <= head->color) o->color_begin[color++] = group;
        o->groups[group] = (dlp_solid_group){row, blocks[first].count, head->substance};
        for (int32_t at = 0; at < blocks[first].count; at++, row++) {
            o->rows[row].first_link = link;
            o->rows[row].link_count = most_links(sort_keys, blocks + first, lanes, at);
            link += o->rows[row].link_count;
            fill_row(solid, o, &o->rows[row], &from, at);
        }
        first += lanes;
    }
    while (color <= DLP_COLORS) o->color_begin[color++] = group;
    assert(group == o->group_count && row == o->row_count && link == o->link_count);
    assert(dlp_solid_is_coloring_valid(solid, o));
}

dlp_status dlp_constraint_coloring_make(dlp_solid *solid, const dlp_constraints *constraints,
                                        dlp_constraint_coloring *order, dlp_error *error)
{
    const size_t count = (size_t)constraints->count;
    sort_key *sort_keys = dlp_alloc(count + 1, sizeof *sort_keys, "solids");
    color_block *blocks = dlp_alloc(count + 1, sizeof *blocks, "solids");
    dlp_vec3 *corners = dlp_alloc((size_t)solid->topology.body_count + 1, sizeof *corners, "solids");
    dlp_status status = DLP_OK;
    if (sort_keys == NULL || blocks == NULL || corners == NULL)
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    if (status == DLP_OK) {
        find_corners(solid, corners);
        find_sort_keys(solid, constraints, corners, sort_keys);
        const int32_t block_count = find_blocks(sort_keys, constraints->count, blocks);
        sort_blocks(sort_keys, blocks, block_count);
        count_coloring(sort_keys, blocks, block_count, order);
        status = reserve_coloring(solid, order, error);
        if (status == DLP_OK) fill_coloring(solid, constraints, sort_keys, blocks, block_count, order);
    }
    dlp_free(sort_keys);
    dlp_free(blocks);
    dlp_free(corners);
    return status;
}

void dlp_constraint_coloring_release(dlp_constraint_coloring *order)
{
    dlp_solid_arrays_release(order, DLP_SOLID_LIST_OF(arrays));
    *order = (dlp_constraint_coloring){0};
}

// What colours need to know of particles.

static dlp_constraint_info info_of_particle(const dlp_solid *solid, int32_t i)
{
    const dlp_solid_particles *p = &solid->state.particles;
    return (dlp_constraint_info){
        .particle = i,
        .at = dlp_solid_get(p->x0, i),
        .edge = 2 * (1 + 1e-6) *
                (solid->params.materials[p->substance[i]].link_reach + solid->topology.clamp_reach),
        .link_count =
            solid->topology.link_begin[i + 1] - solid->topology.link_begin[i]};  // as before any cut
}

// Lanes without a particle have a rotation and a plastic strain behind those of the particles.
static void clear_empty_lanes(dlp_solid *solid)
{
    const dlp_solid_particles *p = &solid->state.particles;
    for (int32_t k = p->count; k < p->count + solid->topology.coloring.group_count; k++) {
        for (int n = 0; n < 4; n++) p->rotation[4 * (int64_t)k + n] = n == 0;
        for (int n = 0; n < 9; n++) p->plastic[9 * (int64_t)k + n] = 0;
    }
}

dlp_status dlp_solid_color_constraints(dlp_solid *solid, dlp_error *error)
{
    const dlp_constraints own = {solid->state.particles.count, info_of_particle, dlp_solid_stencil};
    DLP_TRY(dlp_constraint_coloring_make(solid, &own, &solid->topology.coloring, error));
    assert(solid->state.particles.count + solid->topology.coloring.group_count <=
           solid->capacity[DLP_PER_PARTICLE]);
    clear_empty_lanes(solid);
    dlp_solid_set_constraint_masses(solid);
    return dlp_solid_contact_rebuild(solid, error);
}

static void refill_row(dlp_solid *solid, dlp_solid_row *row)
{
    bool is_changed = false;
    for (int32_t lane = 0; lane < DLP_LANES; lane++) {
        const int32_t i = row->particle[lane];
        if (i >= solid->state.particles.count || !solid->scratch.is_cut[i]) continue;
        assert(row->own[lane] == i);
        dlp_stencil s;
        dlp_solid_stencil(solid, i, &s);
        blank_lane(&solid->topology.coloring, row, lane, i);
        fill_lane(&solid->topology.coloring, row, lane, &s);
        is_changed = true;
    }
    if (!is_changed) return;
    set_has_missing(row);
    dlp_solid_set_row_mass(solid, &solid->topology.coloring, row);
}

static void refill_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_solid *solid = context;
    for (int32_t r = begin; r < end; r++) refill_row(solid, &solid->topology.coloring.rows[r]);
}

void dlp_solid_refill_rows(dlp_solid *solid)
{
    dlp_parallel_for(solid->params.team, solid->topology.coloring.row_count, ROW_GRAIN, refill_range, solid);
    assert(dlp_solid_is_coloring_valid(solid, &solid->topology.coloring));
}
