/* The order of the sweeps. Bodies are cut into blocks of two supports at rest; blocks of one of eight colours
 * share no particle with one another, so that they are solved side by side: eight in the lanes of a row, and
 * groups of eight by different threads. Inside a block the order is fixed. */
#include "motion/solid/touch.h"

#include <stdlib.h>
#include <string.h>

// m: an offset beyond every support, where the hourglass weight is 0.
#define BEYOND 1e6f

// A particle on its way into the order.
typedef struct place {
    int64_t block[3];
    int32_t color, substance, body;
    int32_t particle, link_count;
} place;

// Neighbours in `places` that belong to one block.
typedef struct block {
    int32_t first, count;
    int32_t link_count;  // of its particle with the most
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
    return order != 0 ? order : compare_numbers(x->particle, y->particle);
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

static void find_places(const dlp_solid *solid, const dlp_vec3 *corners, place *places)
{
    const dlp_solid_particles *p = &solid->particles;
    for (int32_t i = 0; i < p->count; i++) {
        const dlp_flesh *flesh = &solid->flesh[p->substance[i]];
        const double edge = 2 * flesh->link_reach * (1 + 1e-6);
        const dlp_vec3 x = dlp_sub(dlp_solid_get(p->rest, i), corners[p->body[i]]);
        place *at = &places[i];
        *at = (place){.substance = p->substance[i], .body = p->body[i], .particle = i};
        for (int axis = 0; axis < 3; axis++) {
            at->block[axis] = (int64_t)floor(dlp_component(x, axis) / edge);
            at->color |= (int32_t)(at->block[axis] & 1) << axis;
        }
        at->link_count = solid->rest.begin[i + 1] - solid->rest.begin[i];  // as before any cut
    }
    qsort(places, (size_t)p->count, sizeof *places, by_block);
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

// The particle of a lane in a row of a group; -1 for none.
static int32_t particle_at(const place *places, const block *blocks, int32_t lanes, int32_t lane, int32_t row)
{
    return lane < lanes && row < blocks[lane].count ? places[blocks[lane].first + row].particle : -1;
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

static dlp_status reserve_order(dlp_solid *solid, dlp_error *error)
{
    dlp_weave_order *o = &solid->order;
    const int32_t spots = solid->particles.count + o->group_count;
    DLP_TRY(dlp_solid_reserve(solid, spots, error));
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

// A lane without a particle: a held spot of the group's own, with nothing around it.
static void leave_lane_empty(dlp_solid *solid, dlp_solid_row *row, int32_t lane, int32_t spot)
{
    row->particle[lane] = spot;
    solid->spots[spot] = (dlp_spot){0};
    for (int k = 0; k < 4; k++) solid->particles.turn[4 * (int64_t)spot + k] = k == 0;
    for (int k = 0; k < 9; k++) solid->particles.lasting[9 * (int64_t)spot + k] = 0;
    for (int k = 0; k < 6; k++) row->missing[k][lane] = k < 3 ? 1 : 0;
    row->reach[lane] = row->weight[lane] = 0;
}

static void fill_lane(const dlp_solid *solid, dlp_solid_row *row, int32_t lane, int32_t particle)
{
    dlp_stencil s;
    dlp_solid_stencil(solid, particle, &s);
    row->particle[lane] = particle;
    for (int k = 0; k < 6; k++) row->missing[k][lane] = (float)s.missing[k];
    row->reach[lane] = (float)s.reach;
    row->weight[lane] = (float)s.weight;
    dlp_solid_link *links = solid->order.links + row->first_link;
    for (int32_t n = 0; n < s.count; n++) {
        const float b[3] = {(float)s.b[n].x, (float)s.b[n].y, (float)s.b[n].z};
        const float offset[3] = {(float)s.offset[n].x, (float)s.offset[n].y, (float)s.offset[n].z};
        links[n].particle[lane] = s.neighbour[n];
        for (int axis = 0; axis < 3; axis++) {
            links[n].b[axis][lane] = b[axis];
            links[n].offset[axis][lane] = offset[axis];
        }
    }
}

// What a lane's links are before it is filled: itself, without effect.
static void blank_lane(const dlp_solid *solid, const dlp_solid_row *row, int32_t lane)
{
    for (int32_t n = 0; n < row->link_count; n++) {
        dlp_solid_link *link = &solid->order.links[row->first_link + n];
        link->particle[lane] = row->particle[lane];
        for (int axis = 0; axis < 3; axis++) {
            link->b[axis][lane] = 0;
            link->offset[axis][lane] = axis == 0 ? BEYOND : 0;
        }
    }
}

static void fill_row(dlp_solid *solid, dlp_solid_row *row, const place *places, const block *blocks,
                     int32_t lanes, int32_t at, int32_t spot)
{
    for (int32_t lane = 0; lane < DLP_LANES; lane++) {
        const int32_t particle = particle_at(places, blocks, lanes, lane, at);
        row->particle[lane] = particle >= 0 ? particle : spot;
        blank_lane(solid, row, lane);
        if (particle >= 0)
            fill_lane(solid, row, lane, particle);
        else
            leave_lane_empty(solid, row, lane, spot);
    }
}

static void fill_order(dlp_solid *solid, const place *places, const block *blocks, int32_t block_count)
{
    dlp_weave_order *o = &solid->order;
    int32_t group = 0, row = 0, link = 0, color = 0;
    for (int32_t first = 0; first < block_count; group++) {
        const int32_t lanes = lanes_of_group(places, blocks, first, block_count);
        const place *head = &places[blocks[first].first];
        while (color <= head->color) o->color_begin[color++] = group;
        o->groups[group] = (dlp_solid_group){row, blocks[first].count, head->substance};
        for (int32_t at = 0; at < blocks[first].count; at++, row++) {
            o->rows[row].first_link = link;
            o->rows[row].link_count = most_links(places, blocks + first, lanes, at);
            link += o->rows[row].link_count;
            fill_row(solid, &o->rows[row], places, blocks + first, lanes, at, solid->particles.count + group);
        }
        first += lanes;
    }
    while (color <= DLP_COLORS) o->color_begin[color++] = group;
}

void dlp_solid_refill(dlp_solid *solid)
{
    for (int32_t g = 0; g < solid->order.group_count; g++) {
        const dlp_solid_group *group = &solid->order.groups[g];
        for (int32_t r = 0; r < group->row_count; r++) {
            dlp_solid_row *row = &solid->order.rows[group->first_row + r];
            bool is_changed = false;
            for (int32_t lane = 0; lane < DLP_LANES; lane++) {
                const int32_t i = row->particle[lane];
                if (i >= solid->particles.count || !solid->is_touched[i]) continue;
                blank_lane(solid, row, lane);
                fill_lane(solid, row, lane, i);
                is_changed = true;
            }
            if (is_changed) dlp_solid_weigh_row(solid, row);
        }
    }
}

dlp_status dlp_solid_order(dlp_solid *solid, dlp_error *error)
{
    const size_t count = (size_t)solid->particles.count;
    place *places = dlp_alloc(count + 1, sizeof *places, "solids");
    block *blocks = dlp_alloc(count + 1, sizeof *blocks, "solids");
    dlp_vec3 *corners = dlp_alloc((size_t)solid->body_count + 1, sizeof *corners, "solids");
    dlp_status status = DLP_OK;
    if (places == NULL || blocks == NULL || corners == NULL)
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "solids: no room");
    if (status == DLP_OK) {
        find_corners(solid, corners);
        find_places(solid, corners, places);
        const int32_t block_count = find_blocks(places, solid->particles.count, blocks);
        sort_blocks(places, blocks, block_count);
        count_order(places, blocks, block_count, &solid->order);
        status = reserve_order(solid, error);
        if (status == DLP_OK) fill_order(solid, places, blocks, block_count);
        if (status == DLP_OK) dlp_solid_weigh_rows(solid);
        if (status == DLP_OK) status = dlp_solid_touch_renew(solid, error);
    }
    dlp_free(places);
    dlp_free(blocks);
    dlp_free(corners);
    return status;
}
