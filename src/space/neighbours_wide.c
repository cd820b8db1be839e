/* The inner part of building neighbour lists; compiled once per target (base/target.h).
 *
 * Cell by cell: find the runs of points in all cells within reach, gather those that any point of the cell
 * may reach side by side, then test each point of the cell against all of them, eight at a time. Runs are in
 * the order of the points and lanes are compacted in order, so that lists are sorted and do not depend on the
 * target. */
#include "base/wide.h"
#include "space/neighbours.h"

#include <assert.h>
#include <string.h>

// Points begin..end-1 that may be neighbours of a cell's points.
typedef struct run {
    int32_t begin, end;
} run;

enum { RUN_CAPACITY = 512, CANDIDATE_CAPACITY = 8192 };  // on the stack: 4 and 160 KiB

// The runs of a cell, group after group, in ascending order within each.
typedef struct run_list {
    run scratch[RUN_CAPACITY];  // enough but for large size ratios, so that a warm step asks for no memory
    run *items;                 // scratch, or a larger array of its own
    int32_t count, capacity;
    int32_t point_count;            // in all runs: an upper bound of the candidates
    int32_t ends[DLP_GROUP_LIMIT];  // runs before ends[g] belong to group g
} run_list;

// False when there is not enough memory; the runs stay as they were.
static bool grow_runs(run_list *runs)
{
    run *larger = dlp_alloc(2 * (size_t)runs->capacity, sizeof(run), "lists");
    if (larger == NULL) return false;
    memcpy(larger, runs->items, (size_t)runs->count * sizeof(run));
    if (runs->items != runs->scratch) dlp_free(runs->items);
    runs->items = larger;
    runs->capacity *= 2;
    return true;
}

// Consecutive cells of one group are often consecutive in memory: their runs become one.
static bool add_run(run_list *runs, int32_t begin, int32_t end)
{
    runs->point_count += end - begin;
    if (runs->count > 0 && runs->items[runs->count - 1].end == begin && runs->count > runs->ends[0]) {
        runs->items[runs->count - 1].end = end;
        return true;
    }
    if (runs->count == runs->capacity && !grow_runs(runs)) return false;
    runs->items[runs->count++] = (run){begin, end};
    return true;
}

// Cells of `target` along one axis that a point of the source's cell may reach: by the largest reaches of
// both layers. On a periodic axis that is reached all around, every cell once.
static void cell_range(const dlp_units *units, const dlp_layer *source, const dlp_layer *target, int axis,
                       int32_t cell, int32_t out_range[2])
{
    const double m = source->reach + target->reach, d = source->reach - target->reach;
    const double reach = 0.5 * sqrt(m * m + 1.25 * d * d);
    const double from = dlp_cell_size(units, source->level, axis),
                 to = dlp_cell_size(units, target->level, axis);
    out_range[0] = (int32_t)floor((cell * from - reach) / to);
    out_range[1] = (int32_t)ceil(((cell + 1) * from + reach) / to) - 1;
    const int32_t count = dlp_cell_count_along(units, target->level, axis);
    if (count > 0 && out_range[1] - out_range[0] >= count) {
        out_range[0] = 0;
        out_range[1] = count - 1;
    }
}

// Keys of the three axes are made separately: those of z and y serve for all cells of a row.
static bool add_layer_runs(run_list *runs, const dlp_point_cloud *cloud, const dlp_layer *source,
                           const dlp_layer *target, dlp_cell cell)
{
    int32_t x[2], y[2], z[2];
    cell_range(cloud->units, source, target, 0, cell.x, x);
    cell_range(cloud->units, source, target, 1, cell.y, y);
    cell_range(cloud->units, source, target, 2, cell.z, z);
    for (int32_t cz = z[0]; cz <= z[1]; cz++) {
        const uint64_t key_z = dlp_layer_key(target, cloud->units, 2, cz);
        for (int32_t cy = y[0]; cy <= y[1] && key_z != DLP_NO_KEY; cy++) {
            const uint64_t key_y = dlp_layer_key(target, cloud->units, 1, cy);
            for (int32_t cx = x[0]; cx <= x[1] && key_y != DLP_NO_KEY; cx++) {
                const uint64_t key_x = dlp_layer_key(target, cloud->units, 0, cx);
                if (key_x == DLP_NO_KEY) continue;
                const int32_t found = dlp_layer_find_key(target, key_x | key_y | key_z);
                if (found < 0) continue;
                if (!add_run(runs, target->cell_begin[found], target->cell_begin[found + 1])) return false;
            }
        }
    }
    return true;
}

// Sorts the runs from `first` on by their points, so that lists are sorted too, and joins those that touch.
// Insertion sort: the runs are few, and most are in order.
static void sort_runs(run_list *runs, int32_t first)
{
    for (int32_t k = first + 1; k < runs->count; k++) {
        const run moved = runs->items[k];
        int32_t to = k;
        for (; to > first && runs->items[to - 1].begin > moved.begin; to--)
            runs->items[to] = runs->items[to - 1];
        runs->items[to] = moved;
    }
    int32_t last = first;
    for (int32_t k = first + 1; k < runs->count; k++) {
        if (runs->items[last].end == runs->items[k].begin)
            runs->items[last].end = runs->items[k].end;
        else
            runs->items[++last] = runs->items[k];
    }
    if (runs->count > first) runs->count = last + 1;
}

// The runs of all groups for the points of one cell; none for a cell that is too far away.
static bool find_runs(run_list *runs, const dlp_list_def *def, const dlp_layer *source, dlp_cell cell)
{
    runs->count = 0;
    runs->point_count = 0;
    for (int32_t g = 0; g < DLP_GROUP_LIMIT; g++) {
        runs->ends[g] = runs->count;
        for (int32_t k = 0; g < def->group_count && k < def->cloud->layer_count; k++) {
            if (!((def->group_layers[g] & ~source->hidden) >> k & 1) ||
                !dlp_cell_is_near(cell, source->middle))
                continue;
            if (!add_layer_runs(runs, def->cloud, source, &def->cloud->layers[k], cell)) return false;
        }
        sort_runs(runs, runs->ends[g]);
        runs->ends[g] = runs->count;
    }
    return true;
}

// Where a block writes its lists.
typedef struct list_writer {
    int32_t *entries;  // borrowed: the block's buffer
    int32_t used;
} list_writer;

// What may be a neighbour of a cell's points, one array per quantity: positions from the middle of the cell's
// box, reaches, and which point it is. Each group begins at a multiple of eight and is padded with points
// that nobody reaches.
typedef struct candidates {
    float scratch[4 * CANDIDATE_CAPACITY];  // for x, y, z and reach: enough for most cells
    int32_t index_scratch[CANDIDATE_CAPACITY];
    void *own;         // owned: larger arrays, or NULL
    float *x, *y, *z;  // units
    float *reach;      // m
    int32_t *index;
    int32_t count, capacity;
    int32_t begins[DLP_GROUP_LIMIT], ends[DLP_GROUP_LIMIT];
} candidates;

// The bounding box of the points of a cell that are processed together; coordinates are from its middle.
typedef struct cell_box {
    int32_t at[3];                      // units: the middle
    dlp_wide unit[3], low[3], high[3];  // m
    dlp_wide reach;                     // m: the largest
    bool is_narrow[3];                  // a point may be reached both ways around the period of this axis
} cell_box;

// The square of the common reach, m2: dlp_reach_square in eight lanes, with the same bits.
DLP_INLINE dlp_wide reach_square(dlp_wide a, dlp_wide b)
{
    const dlp_wide m = a + b, d = a - b;
    return (0.25f * DLP_LIST_HAIR) * (m * m + 1.25f * (d * d));
}

// Lays x, y, z and reach one after another into `scratch`.
static void use_arrays(candidates *all, float *scratch, int32_t *index, int32_t capacity)
{
    all->x = scratch;
    all->y = all->x + capacity;
    all->z = all->y + capacity;
    all->reach = all->z + capacity;
    all->index = index;
    all->capacity = capacity;
}

// Makes the five arrays hold twice what is wanted; their contents are lost. False without memory.
static bool reserve_candidates(candidates *all, int32_t wanted)
{
    if (wanted <= all->capacity) return true;
    dlp_free(all->own);
    all->own = dlp_alloc(10 * (size_t)wanted, sizeof(float), "lists");
    if (all->own == NULL) return false;
    use_arrays(all, all->own, (int32_t *)all->own + 8 * (size_t)wanted, 2 * wanted);
    return true;
}

// Positions of eight points from the middle of the box, in units; along a periodic axis the difference wraps.
DLP_INLINE dlp_wide place_from(const cell_box *box, const dlp_point_cloud *cloud, int axis, int32_t j)
{
    const dlp_wide_int at = dlp_wide_int_load(cloud->at[axis] + j);
    return dlp_wide_from_int(dlp_wide_int_sub(at, dlp_wide_int_of(box->at[axis])));
}

static float largest_reach(const dlp_point_cloud *cloud, int32_t begin, int32_t end, float layer_reach)
{
    float reach = cloud->reach != NULL ? 0 : layer_reach;
    for (int32_t i = begin; i < end && cloud->reach != NULL; i++)
        reach = cloud->reach[i] > reach ? cloud->reach[i] : reach;
    return reach;
}

// Whether points of the box may reach another point both ways around the period of the axis; then the wrapped
// difference from the middle may be the wrong image for a single point.
static bool is_narrow(const dlp_point_cloud *cloud, int axis, double half_box, double reach)
{
    if (!cloud->units->is_periodic[axis]) return false;
    for (int32_t k = 0; k < cloud->layer_count; k++)
        reach = cloud->layers[k].reach > reach ? cloud->layers[k].reach : reach;
    return !(half_box + 1.2 * reach < 0.5 * cloud->units->period[axis]);
}

// The box of points begin .. end-1, at least one, all of one cell.
static cell_box box_of(const dlp_point_cloud *cloud, int32_t begin, int32_t end, float layer_reach)
{
    const float reach = largest_reach(cloud, begin, end, layer_reach);
    cell_box box = {.reach = dlp_wide_of(reach)};
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t first = (uint32_t)cloud->at[axis][begin];
        int32_t low = 0, high = 0;
        for (int32_t i = begin; i < end; i++) {
            const int32_t at = (int32_t)((uint32_t)cloud->at[axis][i] - first);
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        // the middle is a unit that is used, so that differences from it are exact as floats
        const int32_t shift = cloud->units->shift[axis];
        const int64_t wanted = ((((int64_t)high - low) / 2 >> shift) + 1) * ((int64_t)1 << shift);
        const int32_t half = wanted < 1 << 30 ? (int32_t)wanted : 1 << 30;
        const float unit = (float)cloud->units->unit[axis];
        box.at[axis] = (int32_t)(first + (uint32_t)low + (uint32_t)half);
        box.unit[axis] = dlp_wide_of(unit);
        box.low[axis] = dlp_wide_of((float)-half * unit);
        box.high[axis] = dlp_wide_of((float)half * unit);
        box.is_narrow[axis] = is_narrow(cloud, axis, (double)half * (double)unit, (double)reach);
    }
    return box;
}

// A difference along an axis in metres; on a narrow axis that of the nearer image.
DLP_INLINE dlp_wide nearest_image(const cell_box *box, int axis, dlp_wide units)
{
    const float period = 0x1p32f;
    if (!box->is_narrow[axis]) return units * box->unit[axis];
    units = dlp_wide_select(units > 0.5f * period, units - period, units);
    units = dlp_wide_select(units < -0.5f * period, units + period, units);
    return units * box->unit[axis];
}

// The distance from the box along one axis, m; 0 within, and 0 along a narrow axis, where either image may
// count.
DLP_INLINE dlp_wide distance_outside(const cell_box *box, int axis, dlp_wide x)
{
    if (box->is_narrow[axis]) return dlp_wide_of(0);
    return dlp_wide_max(dlp_wide_max(box->low[axis] - x, x - box->high[axis]), dlp_wide_of(0));
}

// Appends the points of a run that any point of the box may reach. Loads go up to seven points past the run,
// and stores up to seven past the count: both have eight to spare.
static void gather_run(candidates *all, const dlp_point_cloud *cloud, const cell_box *box, float layer_reach,
                       run r)
{
    dlp_wide reach = dlp_wide_of(layer_reach);
    for (int32_t j = r.begin; j < r.end; j += DLP_LANES) {
        const dlp_wide x = place_from(box, cloud, 0, j), y = place_from(box, cloud, 1, j),
                       z = place_from(box, cloud, 2, j);
        const dlp_wide dx = distance_outside(box, 0, x * box->unit[0]),
                       dy = distance_outside(box, 1, y * box->unit[1]),
                       dz = distance_outside(box, 2, z * box->unit[2]);
        if (cloud->reach != NULL) reach = dlp_wide_load(cloud->reach + j);
        uint32_t bits =
            dlp_wide_bits((dx * dx + dy * dy) + dz * dz < 1.0001f * reach_square(reach, box->reach));
        if (r.end - j < DLP_LANES) bits &= (1u << (r.end - j)) - 1;
        const dlp_wide_int order = dlp_wide_set_order(bits);
        dlp_wide_write(all->x + all->count, dlp_wide_reorder(x, order));
        dlp_wide_write(all->y + all->count, dlp_wide_reorder(y, order));
        dlp_wide_write(all->z + all->count, dlp_wide_reorder(z, order));
        dlp_wide_write(all->reach + all->count, dlp_wide_reorder(reach, order));
        dlp_wide_int_write(all->index + all->count, dlp_wide_int_of(j) + order);
        all->count += __builtin_popcount(bits);
    }
}

// Pads a group to a multiple of eight with points that nobody reaches.
static void end_group(candidates *all)
{
    for (; all->count % DLP_LANES != 0; all->count++) {
        all->x[all->count] = all->y[all->count] = all->z[all->count] = 1e18f;
        all->reach[all->count] = 0;
        all->index[all->count] = 0;
    }
}

static bool gather(candidates *all, const dlp_list_def *def, const cell_box *box, const run_list *runs,
                   float layer_reach)
{
    if (!reserve_candidates(all, runs->point_count + (DLP_GROUP_LIMIT + 1) * DLP_LANES)) return false;
    // the last eight are for stores past the end
    all->count = 0;
    for (int32_t g = 0, k = 0; g < DLP_GROUP_LIMIT; g++) {
        all->begins[g] = all->count;
        for (; k < runs->ends[g]; k++) gather_run(all, def->cloud, box, layer_reach, runs->items[k]);
        end_group(all);
        all->ends[g] = all->count;
    }
    return true;
}

// Appends the candidates of a group that lie within reach of point i, but not i itself. Selected lanes move
// to the front and all eight are stored; only the selected ones count.
static void scan_group(list_writer *out, const candidates *all, int32_t group, const cell_box *box,
                       const dlp_point_cloud *cloud, int32_t i, float reach_i)
{
    dlp_wide at[3];
    for (int axis = 0; axis < 3; axis++) {
        const int32_t from = (int32_t)((uint32_t)cloud->at[axis][i] - (uint32_t)box->at[axis]);
        at[axis] = dlp_wide_of((float)from);
    }
    const dlp_wide reach = dlp_wide_of(reach_i);
    const dlp_wide_int self = dlp_wide_int_of(i);
    for (int32_t k = all->begins[group]; k < all->ends[group]; k += DLP_LANES) {
        // differences of whole units are exact, so that it does not matter from which middle they are taken
        const dlp_wide dx = nearest_image(box, 0, at[0] - dlp_wide_load(all->x + k)),
                       dy = nearest_image(box, 1, at[1] - dlp_wide_load(all->y + k)),
                       dz = nearest_image(box, 2, at[2] - dlp_wide_load(all->z + k));
        const dlp_wide_int index = dlp_wide_int_load(all->index + k);
        const dlp_wide_int is_near =
            (dx * dx + dy * dy) + dz * dz < reach_square(reach, dlp_wide_load(all->reach + k));
        const uint32_t bits = dlp_wide_bits(is_near & (index != self));
        const dlp_wide_int order = dlp_wide_set_order(bits);
        dlp_wide_int_write(out->entries + out->used, dlp_wide_int_reorder(index, order));
        out->used += __builtin_popcount(bits);
    }
}

// Drops what a thin wall hides from i.
static void drop_hidden(list_writer *out, int32_t start, const dlp_list_def *def, int32_t i)
{
    if (def->may_hide == NULL || !def->may_hide[i]) return;
    out->used = start + def->keep_visible(def->context, i, out->entries + start, out->used - start);
}

// Padding is counted from the beginning of the group.
static void pad_group(list_writer *out, int32_t start, int32_t sentinel)
{
    while ((out->used - start) % DLP_LANES != 0) out->entries[out->used++] = sentinel;
}

// The list of point i: its groups one after another, each padded.
static void write_list(dlp_lists *lists, list_writer *out, const dlp_list_def *def, const candidates *all,
                       const cell_box *box, int32_t i, float reach_i)
{
    const int32_t place = i - def->first, start = out->used;
    lists->begin[place] = start;
    for (int32_t g = 0; g < DLP_GROUP_LIMIT; g++) {
        const int32_t group_start = out->used;
        scan_group(out, all, g, box, def->cloud, i, reach_i);
        drop_hidden(out, group_start, def, i);
        pad_group(out, group_start, def->cloud->point_count);
        lists->ends[place * DLP_GROUP_LIMIT + g] = out->used - start;
    }
}

// Makes the block's buffer hold `more` entries, their padding and eight for stores past the end. It grows by
// a quarter more than needed, so that a warm build makes no heap call.
static bool reserve_entries(dlp_lists *lists, int32_t block, list_writer *out, int32_t more)
{
    const int32_t wanted = out->used + more + DLP_GROUP_LIMIT * DLP_LANES;
    if (wanted > lists->entry_capacity[block]) {
        int32_t *larger =
            dlp_realloc(out->entries, (size_t)wanted + (size_t)wanted / 4, sizeof(int32_t), "lists");
        if (larger == NULL) return false;
        lists->entries[block] = larger;
        lists->entry_capacity[block] = wanted + wanted / 4;
    }
    out->entries = lists->entries[block];
    return true;
}

// The layer that holds point i, and (below) the cell within it: layers and cells are in the order of their
// points.
static const dlp_layer *layer_of(const dlp_point_cloud *cloud, int32_t i)
{
    const dlp_layer *layer = cloud->layers;
    while (i >= layer->end) layer++;
    return layer;
}

static int32_t cell_holding(const dlp_layer *layer, int32_t i)
{
    int32_t low = 0, high = layer->cell_count - 1;
    while (low < high) {
        const int32_t middle = (low + high + 1) / 2;
        if (layer->cell_begin[middle] <= i)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// The lists of points begin .. end-1 of one cell. False when there is not enough memory.
static bool fill_cell(dlp_lists *lists, const dlp_list_def *def, int32_t block, list_writer *out,
                      const run_list *runs, candidates *all, int32_t begin, int32_t end, float layer_reach)
{
    const dlp_point_cloud *cloud = def->cloud;
    const cell_box box = box_of(cloud, begin, end, layer_reach);
    if (!gather(all, def, &box, runs, layer_reach)) return false;
    assert(begin < end && all->count <= all->capacity);
    for (int32_t i = begin; i < end; i++) {
        if (!reserve_entries(lists, block, out, all->count)) return false;
        write_list(lists, out, def, all, &box, i, cloud->reach != NULL ? cloud->reach[i] : layer_reach);
        assert(out->used <= lists->entry_capacity[block]);
    }
    return true;
}

// A block need not begin or end with a cell: cells at its ends are done in part.
bool DLP_ON_TARGET(dlp_lists_fill)(dlp_lists *lists, const dlp_list_def *def, int32_t block)
{
    assert(block >= 0 && block < lists->block_count);
    const int32_t begin = def->first + block * DLP_LIST_BLOCK;
    const int32_t last = def->first + def->count;
    const int32_t end = last - begin < DLP_LIST_BLOCK ? last : begin + DLP_LIST_BLOCK;
    list_writer out = {lists->entries[block], 0};
    run_list runs;
    runs.items = runs.scratch;
    runs.capacity = RUN_CAPACITY;
    candidates all;
    all.own = NULL;
    use_arrays(&all, all.scratch, all.index_scratch, CANDIDATE_CAPACITY);
    bool is_done = true;
    for (int32_t i = begin; i < end && is_done;) {
        const dlp_layer *layer = layer_of(def->cloud, i);
        const int32_t cell = cell_holding(layer, i);
        const int32_t cell_end = layer->cell_begin[cell + 1] < end ? layer->cell_begin[cell + 1] : end;
        is_done = find_runs(&runs, def, layer, layer->cells[cell]) &&
                  fill_cell(lists, def, block, &out, &runs, &all, i, cell_end, (float)layer->reach);
        i = cell_end;
    }
    lists->used[block] = out.used;
    if (runs.items != runs.scratch) dlp_free(runs.items);
    dlp_free(all.own);
    return is_done;
}
