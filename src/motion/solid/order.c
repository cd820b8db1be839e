/* The order of the sweeps. Bodies are cut into blocks at rest; blocks of one of eight colours share no
 * particle with one another, so that their constraints are solved side by side: eight in the lanes of a row,
 * and groups of eight by different threads. Inside a block the order is fixed. */
#include "motion/solid/touch.h"

#include <stdlib.h>
#include <string.h>

// m: an offset beyond every support, where the hourglass weight is 0.
#define BEYOND 1e6f

// A constraint on its way into the order.
typedef struct place {
    int64_t block[3];
    int32_t color, substance, body;
    int32_t constraint, link_count;
} place;

// Neighbours in `places` that belong to one block.
typedef struct block {
    int32_t first, count;
    int32_t link_count;  // of its constraint with the most
} block;

// ---- blocks
// -------------------------------------------------------------------------------------------------

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_block(const void *a, const void *b)
{
    const place *x = a, *y = b;
    int order = compare_numbers(x->color, y->color);
    if (order == 0) order = compare_numbers(x->substance, y->substance);
    if (order == 0) order = compare_numbers(x->body, y->body);
    for (int axis = 2; axis >= 0 && order == 0; axis--)
        order = compare_numbers(x->block[axis], y->block[axis]);
    if (order == 0) order = compare_numbers(y->link_count, x->link_count);
    return order != 0 ? order : compare_numbers(x->constraint, y->constraint);
}

static bool is_same_block(const place *a, const place *b)
{
    return a->body == b->body && memcmp(a->block, b->block, sizeof a->block) == 0;
}

// Blocks begin at the body's lower corner, half a spacing outside its particles.
static void find_corners(const dlp_solid *solid, dlp_vec3 *corners)
{
    const dlp_solid_particles *p = &solid->particles;
    for (int32_t k = 0; k < solid->body_count; k++) corners[k] = dlp_vec(1e300, 1e300, 1e300);
    for (int32_t i = 0; i < p->count; i++) {
        const double half = 0.5 * solid->flesh[p->substance[i]].spacing;
        const dlp_vec3 x = dlp_sub(dlp_solid_get(p->rest, i), dlp_vec(half, half, half));
        corners[p->body[i]] = dlp_min3(corners[p->body[i]], x);
    }
}

static void find_places(const dlp_solid *solid, const dlp_constraints *constraints, const dlp_vec3 *corners,
                        place *places)
{
    const dlp_solid_particles *p = &solid->particles;
    for (int32_t k = 0; k < constraints->count; k++) {
        const dlp_knot knot = constraints->knot(solid, k);
        const int32_t body = p->body[knot.particle];
        const dlp_vec3 x = dlp_sub(knot.at, corners[body]);
        place *at = &places[k];
        *at = (place){.substance = p->substance[knot.particle],
                      .body = body,
                      .constraint = k,
                      .link_count = knot.link_count};
        for (int axis = 0; axis < 3; axis++) {
            at->block[axis] = (int64_t)floor(dlp_component(x, axis) / knot.edge);
            at->color |= (int32_t)(at->block[axis] & 1) << axis;
        }
    }
    qsort(places, (size_t)constraints->count, sizeof *places, by_block);
}

// ---- groups
// -------------------------------------------------------------------------------------------------

// Eight blocks of one colour and substance, alike in size: the longest first.
static int by_size(const void *a, const void *b)
{
    const block *x = a, *y = b;
    int order = compare_numbers(y->count, x->count);
    if (order == 0) order = compare_numbers(y->link_count, x->link_count);
    return order != 0 ? order : compare_numbers(x->first, y->first);
}

static int32_t find_blocks(const place *places, int32_t count, block *blocks)
{
    int32_t found = 0;
    for (int32_t k = 0; k < count; k++) {
        if (k == 0 || !is_same_block(&places[k - 1], &places[k]))
            blocks[found++] = (block){.first = k, .link_count = places[k].link_count};
        blocks[found - 1].count++;
    }
    return found;
}

static bool go_together(const place *places, const block *a, const block *b)
{
    return places[a->first].color == places[b->first].color &&
           places[a->first].substance == places[b->first].substance;
}

static void sort_blocks(const place *places, block *blocks, int32_t count)
{
    for (int32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && go_together(places, &blocks[begin], &blocks[end]);) end++;
        qsort(blocks + begin, (size_t)(end - begin), sizeof *blocks, by_size);
    }
}

// What the next group takes of the blocks from `first` on.
static int32_t lanes_of_group(const place *places, const block *blocks, int32_t first, int32_t count)
{
    int32_t lanes = 0;
    while (lanes < DLP_LANES && first + lanes < count &&
           go_together(places, &blocks[first], &blocks[first + lanes]))
        lanes++;
    return lanes;
}

// The constraint of a lane in a row of a group; -1 for none.
static int32_t constraint_at(const place *places, const block *blocks, int32_t lanes, int32_t lane,
                             int32_t row)
{
    return lane < lanes && row < blocks[lane].count ? places[blocks[lane].first + row].constraint : -1;
}

static int32_t most_links(const place *places, const block *blocks, int32_t lanes, int32_t row)
{
    int32_t most = 0;
    for (int32_t lane = 0; lane < lanes; lane++) {
        if (row >= blocks[lane].count) continue;
        const int32_t here = places[blocks[lane].first + row].link_count;
        most = here > most ? here : most;
    }
    return most;
}

static void count_order(const place *places, const block *blocks, int32_t block_count, dlp_weave_order *order)
{
    order->group_count = order->row_count = order->link_count = 0;
    for (int32_t first = 0; first < block_count;) {
        const int32_t lanes = lanes_of_group(places, blocks, first, block_count);
        for (int32_t row = 0; row < blocks[first].count; row++, order->row_count++)
            order->link_count += most_links(places, blocks + first, lanes, row);
        order->group_count++;
        first += lanes;
    }
}

static dlp_status reserve_order(dlp_solid *solid, dlp_weave_order *o, dlp_error *error)
{
    const int32_t spots = solid->particles.count + o->group_count;
    DLP_TRY(dlp_reserve(&o->rows, &o->row_capacity, o->row_count + 1, sizeof *o->rows, "solids", error));
    int32_t capacity = o->link_capacity;
    DLP_TRY(dlp_reserve(&o->springs, &capacity, o->link_count + 1, sizeof *o->springs, "solids", error));
    DLP_TRY(dlp_reserve(&o->links, &o->link_capacity, o->link_count + 1, sizeof *o->links, "solids", error));
    DLP_TRY(
        dlp_reserve(&o->groups, &o->group_capacity, o->group_count + 1, sizeof *o->groups, "solids", error));
    DLP_TRY(dlp_reserve(&solid->group_stiffening, &solid->stiffening_capacity, o->group_count + 1,
                        sizeof(float), "solids", error));
    return dlp_reserve(&solid->spots, &solid->spot_capacity, spots + 1, sizeof *solid->spots, "solids",
                       error);
}

// ---- rows
// ---------------------------------------------------------------------------------------------------

// A lane without a constraint: a held spot of the group's own, with nothing around it.
static void leave_lane_empty(dlp_solid *solid, dlp_solid_row *row, int32_t lane, int32_t spot)
{
    solid->spots[spot] = (dlp_spot){0};
    row->volume[lane] = 1;  // any: there is division by it
    for (int k = 0; k < 6; k++) row->missing[k][lane] = k < 3 ? 1 : 0;
    row->reach[lane] = row->weight[lane] = 0;
}

static void fill_lane(const dlp_weave_order *order, dlp_solid_row *row, int32_t lane, const dlp_stencil *s)
{
    row->volume[lane] = (float)s->volume;
    for (int k = 0; k < 6; k++) row->missing[k][lane] = (float)s->missing[k];
    row->reach[lane] = (float)s->reach;
    row->weight[lane] = (float)s->weight;
    dlp_solid_link *links = order->links + row->first_link;
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
static void blank_lane(const dlp_weave_order *order, dlp_solid_row *row, int32_t lane, int32_t particle)
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
static void look_for_missing(dlp_solid_row *row)
{
    row->has_missing = false;
    for (int k = 0; k < 6 * DLP_LANES; k++)
        row->has_missing = row->has_missing || row->missing[k / DLP_LANES][k % DLP_LANES] != 0;
}

// The eight blocks of a group, and what they are blocks of.
typedef struct octet {
    const dlp_constraints *constraints;
    const place *places;
    const block *blocks;
    int32_t lanes, number;
} octet;

static void fill_row(dlp_solid *solid, const dlp_weave_order *order, dlp_solid_row *row, const octet *from,
                     int32_t at)
{
    const int32_t spot = solid->particles.count + from->number;
    for (int32_t lane = 0; lane < DLP_LANES; lane++) {
        const int32_t k = constraint_at(from->places, from->blocks, from->lanes, lane, at);
        dlp_stencil s;
        if (k >= 0) from->constraints->stencil(solid, k, &s);
        row->own[lane] = k >= 0 ? k : from->constraints->count + from->number;
        blank_lane(order, row, lane, k >= 0 ? s.centre : spot);
        if (k >= 0)
            fill_lane(order, row, lane, &s);
        else
            leave_lane_empty(solid, row, lane, spot);
    }
    look_for_missing(row);
}

static void fill_order(dlp_solid *solid, const dlp_constraints *constraints, const place *places,
                       const block *blocks, int32_t block_count, dlp_weave_order *o)
{
    int32_t group = 0, row = 0, link = 0, color = 0;
    for (int32_t first = 0; first < block_count; group++) {
        const int32_t lanes = lanes_of_group(places, blocks, first, block_count);
        const octet from = {constraints, places, blocks + first, lanes, group};
        const place *head = &places[blocks[first].first];
        while (color <= head->color) o->color_begin[color++] = group;
        o->groups[group] = (dlp_solid_group){row, blocks[first].count, head->substance};
        for (int32_t at = 0; at < blocks[first].count; at++, row++) {
            o->rows[row].first_link = link;
            o->rows[row].link_count = most_links(places, blocks + first, lanes, at);
            link += o->rows[row].link_count;
            fill_row(solid, o, &o->rows[row], &from, at);
        }
        first += lanes;
    }
    while (color <= DLP_COLORS) o->color_begin[color++] = group;
}

dlp_status dlp_weave_order_make(dlp_solid *solid, const dlp_constraints *constraints, dlp_weave_order *order,
                                dlp_error *error)
{
    const size_t count = (size_t)constraints->count;
    place *places = dlp_alloc(count + 1, sizeof *places, "solids");
    block *blocks = dlp_alloc(count + 1, sizeof *blocks, "solids");
    dlp_vec3 *corners = dlp_alloc((size_t)solid->body_count + 1, sizeof *corners, "solids");
    dlp_status status = DLP_OK;
    if (places == NULL || blocks == NULL || corners == NULL)
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    if (status == DLP_OK) {
        find_corners(solid, corners);
        find_places(solid, constraints, corners, places);
        const int32_t block_count = find_blocks(places, constraints->count, blocks);
        sort_blocks(places, blocks, block_count);
        count_order(places, blocks, block_count, order);
        status = reserve_order(solid, order, error);
        if (status == DLP_OK) fill_order(solid, constraints, places, blocks, block_count, order);
    }
    dlp_free(places);
    dlp_free(blocks);
    dlp_free(corners);
    return status;
}

void dlp_weave_order_release(dlp_weave_order *order)
{
    dlp_free(order->rows);
    dlp_free(order->links);
    dlp_free(order->springs);
    dlp_free(order->groups);
    *order = (dlp_weave_order){0};
}

// ---- of the particles
// ---------------------------------------------------------------------------------------

static dlp_knot knot_of_particle(const dlp_solid *solid, int32_t i)
{
    const dlp_solid_particles *p = &solid->particles;
    return (dlp_knot){.particle = i,
                      .at = dlp_solid_get(p->rest, i),
                      .edge = 2 * solid->flesh[p->substance[i]].link_reach * (1 + 1e-6),
                      .link_count = solid->rest.begin[i + 1] - solid->rest.begin[i]};  // as before any cut
}

dlp_status dlp_solid_order(dlp_solid *solid, dlp_error *error)
{
    const int32_t count = solid->particles.count;
    const dlp_constraints own = {count, knot_of_particle, dlp_solid_stencil};
    DLP_TRY(dlp_weave_order_make(solid, &own, &solid->order, error));
    DLP_TRY(dlp_solid_reserve(solid, count + solid->order.group_count, error));
    for (int32_t k = count; k < count + solid->order.group_count; k++) {  // of lanes without a particle
        for (int n = 0; n < 4; n++) solid->particles.turn[4 * (int64_t)k + n] = n == 0;
        for (int n = 0; n < 9; n++) solid->particles.lasting[9 * (int64_t)k + n] = 0;
    }
    dlp_solid_weigh_rows(solid);
    return dlp_solid_touch_renew(solid, error);
}

static void refill_row(dlp_solid *solid, dlp_solid_row *row)
{
    bool is_changed = false;
    for (int32_t lane = 0; lane < DLP_LANES; lane++) {
        const int32_t i = row->particle[lane];
        if (i >= solid->particles.count || !solid->is_touched[i]) continue;
        dlp_stencil s;
        dlp_solid_stencil(solid, i, &s);
        blank_lane(&solid->order, row, lane, i);
        fill_lane(&solid->order, row, lane, &s);
        is_changed = true;
    }
    if (!is_changed) return;
    look_for_missing(row);
    dlp_solid_weigh_row(solid, &solid->order, row);
}

void dlp_solid_refill(dlp_solid *solid)
{
    for (int32_t r = 0; r < solid->order.row_count; r++) refill_row(solid, &solid->order.rows[r]);
}
