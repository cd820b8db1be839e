/* The inner part of building neighbour lists; compiled once a target (base/target.h). */
#include "base/wide.h"
#include "space/neighbours.h"

#include <string.h>

// Points begin..end-1 that may be neighbours of a cell's points.
typedef struct run {
    int32_t begin, end;
} run;

enum { RUN_ROOM = 512 };

typedef struct run_list {
    run room[RUN_ROOM];  // enough but for large size ratios, so that a warm step asks for no memory
    run *items;          // room, or a larger array of its own
    int32_t count, capacity;
    int32_t point_count;            // in all runs
    int32_t ends[DLP_GROUP_LIMIT];  // runs before ends[g] belong to group g
} run_list;

static bool grow_runs(run_list *runs)
{
    run *larger = dlp_alloc(2 * (size_t)runs->capacity, sizeof(run), "lists");
    if (larger == NULL) return false;
    memcpy(larger, runs->items, (size_t)runs->count * sizeof(run));
    if (runs->items != runs->room) dlp_free(runs->items);
    runs->items = larger;
    runs->capacity *= 2;
    return true;
}

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

// Cells of `target` along one axis that a point of the source's cell may reach.
static void cell_range(const dlp_units *units, const dlp_layer *source, const dlp_layer *target, int axis,
                       int32_t cell, int32_t out_range[2])
{
    const double m = source->reach + target->reach, d = source->reach - target->reach;
    const double reach = 0.5 * m + 0.25 * d * d / m;
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

static bool add_layer_runs(run_list *runs, const dlp_cloud *cloud, const dlp_layer *source,
                           const dlp_layer *target, dlp_cell cell)
{
    int32_t x[2], y[2], z[2];
    cell_range(cloud->units, source, target, 0, cell.x, x);
    cell_range(cloud->units, source, target, 1, cell.y, y);
    cell_range(cloud->units, source, target, 2, cell.z, z);
    for (int32_t cz = z[0]; cz <= z[1]; cz++)
        for (int32_t cy = y[0]; cy <= y[1]; cy++)
            for (int32_t cx = x[0]; cx <= x[1]; cx++) {
                const int32_t found = dlp_layer_find(target, cloud->units, (dlp_cell){cx, cy, cz});
                if (found < 0) continue;
                if (!add_run(runs, target->cell_begin[found], target->cell_begin[found + 1])) return false;
            }
    return true;
}

static bool find_runs(run_list *runs, const dlp_list_def *def, const dlp_layer *source, dlp_cell cell)
{
    runs->count = 0;
    runs->point_count = 0;
    for (int32_t g = 0; g < DLP_GROUP_LIMIT; g++) {
        runs->ends[g] = runs->count;
        for (int32_t k = 0; g < def->group_count && k < def->cloud->layer_count; k++) {
            if (!(def->group_layers[g] >> k & 1) || !dlp_cell_is_near(cell)) continue;
            if (!add_layer_runs(runs, def->cloud, source, &def->cloud->layers[k], cell)) return false;
        }
        runs->ends[g] = runs->count;
    }
    return true;
}

typedef struct list_writer {
    int32_t *entries;
    int32_t used;
} list_writer;

// The quadratic mean, nearly: m + d^2 / 2m with m, d half the sum and difference; a hair more, for rounding.
DLP_INLINE dlp_wide mean_reach(dlp_wide a, dlp_wide b)
{
    const dlp_wide m = a + b, d = a - b;
    return 1.00001f * (0.5f * m + 0.25f * (d * d) / m);
}

// Appends the points of a run that lie within reach of point i.
static void scan_run(list_writer *out, const dlp_cloud *cloud, int32_t i, float reach_i, run r)
{
    const dlp_wide_int xi = dlp_wide_int_of(cloud->at[0][i]), yi = dlp_wide_int_of(cloud->at[1][i]),
                       zi = dlp_wide_int_of(cloud->at[2][i]);
    const dlp_wide ux = dlp_wide_of((float)cloud->units->unit[0]),
                   uy = dlp_wide_of((float)cloud->units->unit[1]),
                   uz = dlp_wide_of((float)cloud->units->unit[2]);
    dlp_wide reach = dlp_wide_of(reach_i);
    for (int32_t j = r.begin; j < r.end; j += DLP_LANES) {
        const dlp_wide dx = dlp_wide_from_int(dlp_wide_int_sub(xi, dlp_wide_int_load(cloud->at[0] + j))) * ux;
        const dlp_wide dy = dlp_wide_from_int(dlp_wide_int_sub(yi, dlp_wide_int_load(cloud->at[1] + j))) * uy;
        const dlp_wide dz = dlp_wide_from_int(dlp_wide_int_sub(zi, dlp_wide_int_load(cloud->at[2] + j))) * uz;
        if (cloud->reach != NULL)
            reach = mean_reach(dlp_wide_of(reach_i), dlp_wide_load(cloud->reach + j));
        uint32_t bits = dlp_wide_bits((dx * dx + dy * dy) + dz * dz < reach * reach);
        if (r.end - j < DLP_LANES) bits &= (1u << (r.end - j)) - 1;
        if (i - j >= 0 && i - j < DLP_LANES) bits &= ~(1u << (i - j));
        out->used += dlp_wide_write_set(out->entries + out->used, j, bits);
    }
}

// Drops what a thin wall hides from i.
static void drop_hidden(list_writer *out, int32_t start, const dlp_list_def *def, int32_t i)
{
    if (def->may_hide == NULL || !def->may_hide[i]) return;
    out->used = start + def->keep_visible(def->context, i, out->entries + start, out->used - start);
}

static void pad_group(list_writer *out, int32_t start, int32_t sentinel)
{
    while ((out->used - start) % DLP_LANES != 0) out->entries[out->used++] = sentinel;
}

static void write_list(dlp_lists *lists, list_writer *out, const dlp_list_def *def, const run_list *runs,
                       int32_t i, float reach_i)
{
    const int32_t place = i - def->first, start = out->used;
    lists->begin[place] = start;
    int32_t k = 0;
    for (int32_t g = 0; g < DLP_GROUP_LIMIT; g++) {
        const int32_t group_start = out->used;
        for (; k < runs->ends[g]; k++) scan_run(out, def->cloud, i, reach_i, runs->items[k]);
        drop_hidden(out, group_start, def, i);
        pad_group(out, group_start, def->cloud->point_count);
        lists->ends[place * DLP_GROUP_LIMIT + g] = out->used - start;
    }
}

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

// The layer that holds point i, and the cell within it.
static const dlp_layer *layer_of(const dlp_cloud *cloud, int32_t i)
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

static bool fill_cell(dlp_lists *lists, const dlp_list_def *def, int32_t block, list_writer *out,
                      const run_list *runs, int32_t begin, int32_t end, float layer_reach)
{
    for (int32_t i = begin; i < end; i++) {
        if (!reserve_entries(lists, block, out, runs->point_count)) return false;
        write_list(lists, out, def, runs, i, def->cloud->reach != NULL ? def->cloud->reach[i] : layer_reach);
    }
    return true;
}

bool DLP_ON_TARGET(dlp_lists_fill)(dlp_lists *lists, const dlp_list_def *def, int32_t block)
{
    const int32_t begin = def->first + block * DLP_LIST_BLOCK;
    const int32_t last = def->first + def->count;
    const int32_t end = last - begin < DLP_LIST_BLOCK ? last : begin + DLP_LIST_BLOCK;
    list_writer out = {lists->entries[block], 0};
    run_list runs;
    runs.items = runs.room;
    runs.capacity = RUN_ROOM;
    bool is_done = true;
    for (int32_t i = begin; i < end && is_done;) {
        const dlp_layer *layer = layer_of(def->cloud, i);
        const int32_t cell = cell_holding(layer, i);
        const int32_t cell_end = layer->cell_begin[cell + 1] < end ? layer->cell_begin[cell + 1] : end;
        is_done = find_runs(&runs, def, layer, layer->cells[cell]) &&
                  fill_cell(lists, def, block, &out, &runs, i, cell_end, (float)layer->reach);
        i = cell_end;
    }
    if (runs.items != runs.room) dlp_free(runs.items);
    return is_done;
}
