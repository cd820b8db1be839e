/* Cells of a layer are found by a hash table that all threads fill at once; points themselves are sorted
 * before (sort.h), so that a cell is a range of points. */
#include "space/grid.h"

#include <assert.h>

enum { GRAIN = 4096, CELL_GRAIN = 512 };  // points and cells of a piece of parallel work

// How many low bits of a position along a periodic axis stay 0: so many that a cell has at most 2^19 units
// that are used. Differences between neighbouring cells then have at most 20 significant bits and are exact
// as floats.
static int32_t shift_for(int32_t cell_count)
{
    int32_t shift = 0;
    while (shift < 12 && ((int64_t)1 << (32 - shift)) > (int64_t)cell_count << (DLP_CELL_BITS + 1)) shift++;
    return shift;
}

dlp_status dlp_units_init(dlp_units *units, double reach, const bool is_periodic[3], const dlp_box *domain,
                          dlp_error *error)
{
    *units = (dlp_units){.cell = reach};
    double origin[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; axis++) {
        units->unit[axis] = reach / (1 << DLP_CELL_BITS);
        units->is_periodic[axis] = is_periodic[axis];
        if (!is_periodic[axis]) continue;
        origin[axis] = dlp_component(domain->min, axis);
        units->period[axis] = dlp_component(domain->max, axis) - origin[axis];
        units->unit[axis] = units->period[axis] * 0x1p-32;
        // with fewer cells a point and its periodic image could both be neighbours
        if (!(units->period[axis] >= 3 * reach))
            return dlp_fail(error, DLP_INVALID,
                            "domain: %g m along the periodic axis %c; at least three supports of a particle "
                            "(%g m) are needed: make it longer or the particles smaller",
                            units->period[axis], "xyz"[axis], 3 * reach);
    }
    for (int axis = 0; axis < 3; axis++) {
        units->inverse[axis] = 1 / units->unit[axis];
        units->shift[axis] = is_periodic[axis] ? shift_for(dlp_cell_count_along(units, 0, axis)) : 0;
        units->steps[axis] = ldexp(units->inverse[axis], -units->shift[axis]);
    }
    units->origin = dlp_vec(origin[0], origin[1], origin[2]);
    return DLP_OK;
}

int32_t dlp_level_of(const dlp_units *units, double reach)
{
    int32_t level = 0;
    while (level < DLP_LAYER_LIMIT - 1 && units->cell * (1 << level) < reach) level++;
    return level;
}

// At most DLP_CELL_REACH cells, so that coordinates stay within the keys; longer periods have larger cells.
int32_t dlp_cell_count_along(const dlp_units *units, int32_t level, int axis)
{
    if (!units->is_periodic[axis]) return 0;
    const double count = floor(units->period[axis] / (units->cell * (1 << level)));
    return count < DLP_CELL_REACH ? (int32_t)count : DLP_CELL_REACH;
}

double dlp_cell_size(const dlp_units *units, int32_t level, int axis)
{
    if (!units->is_periodic[axis]) return units->cell * (1 << level);
    return units->period[axis] / dlp_cell_count_along(units, level, axis);
}

// Along a periodic axis the 2^32 units are divided evenly among the cells, without rounding: a multiplication
// and a shift. Elsewhere a cell is a power of two of units.
static int32_t cell_along(const dlp_units *units, int32_t level, int axis, int64_t at)
{
    if (units->is_periodic[axis]) {
        const uint64_t count = (uint64_t)dlp_cell_count_along(units, level, axis);
        return (int32_t)(((uint64_t)(uint32_t)at * count) >> 32);
    }
    const int64_t cell = at >> (DLP_CELL_BITS + level);
    const int64_t limit = DLP_CELL_LIMIT;
    return (int32_t)(cell < -limit ? -limit : cell > limit ? limit : cell);
}

dlp_cell dlp_cell_of(const dlp_units *units, int32_t level, const int64_t at[3])
{
    return (dlp_cell){cell_along(units, level, 0, at[0]), cell_along(units, level, 1, at[1]),
                      cell_along(units, level, 2, at[2])};
}

static bool is_near_along(int32_t cell, int32_t middle)
{
    const int32_t from = cell - middle;  // both are within DLP_CELL_LIMIT
    return from >= -DLP_CELL_REACH && from < DLP_CELL_REACH && cell > -DLP_CELL_LIMIT &&
           cell < DLP_CELL_LIMIT;
}

bool dlp_cell_is_near(dlp_cell cell, dlp_cell middle)
{
    return is_near_along(cell.x, middle.x) && is_near_along(cell.y, middle.y) &&
           is_near_along(cell.z, middle.z);
}

dlp_cell dlp_cell_middle_at(dlp_cell middle, int32_t level)
{
    return (dlp_cell){middle.x >> level, middle.y >> level, middle.z >> level};
}

// Spreads the low 21 bits so that two zeros follow each: the Morton code of one coordinate.
static uint64_t spread_bits(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    x = (x | x << 2) & 0x1249249249249249u;
    return x;
}

// No difference of a near cell is negative: low has the smallest coordinates.
uint64_t dlp_cell_key(dlp_cell cell, dlp_cell low)
{
    return spread_bits((uint64_t)(cell.x - low.x)) | spread_bits((uint64_t)(cell.y - low.y)) << 1 |
           spread_bits((uint64_t)(cell.z - low.z)) << 2;
}

// Multiplicative hashing: the high half of the product depends on all bits of the key.
static uint32_t slot_of(uint64_t key, int32_t capacity)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (uint32_t)(capacity - 1);
}

// Grows the arrays for so many cells; the hash table is at most three quarters full. What the table held is
// lost.
static dlp_status reserve_cells(dlp_layer *layer, int32_t cell_count, dlp_error *error)
{
    int32_t begin_capacity = layer->cell_capacity, cell_capacity = layer->cell_capacity;
    DLP_TRY(
        dlp_reserve(&layer->cell_begin, &begin_capacity, cell_count + 1, sizeof(int32_t), "cells", error));
    DLP_TRY(dlp_reserve(&layer->cells, &cell_capacity, cell_count + 1, sizeof(dlp_cell), "cells", error));
    layer->cell_capacity = cell_capacity;
    int32_t wanted = 16;
    while (3 * (wanted / 4) < cell_count) wanted *= 2;
    if (wanted <= layer->hash_capacity) return DLP_OK;
    int32_t key_capacity = 0, value_capacity = 0;
    dlp_free(layer->hash_keys);
    dlp_free(layer->hash_cells);
    layer->hash_keys = NULL;
    layer->hash_cells = NULL;
    layer->hash_capacity = 0;
    DLP_TRY(dlp_reserve(&layer->hash_keys, &key_capacity, wanted, sizeof(uint64_t), "cells", error));
    DLP_TRY(dlp_reserve(&layer->hash_cells, &value_capacity, wanted, sizeof(int32_t), "cells", error));
    layer->hash_capacity = wanted;
    return DLP_OK;
}

// Borrowed: what the passes over a layer's points share.
typedef struct index_pass {
    dlp_layer *layer;
    const uint64_t *keys;
    const dlp_cell *cells;
} index_pass;

// Selects the points that begin a cell: equal keys stand next to each other.
static int32_t select_first(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const uint64_t *keys = ((const index_pass *)context)->keys;
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        if (k > 0 && keys[k] == keys[k - 1]) continue;
        if (out != NULL) out[count] = k;
        count++;
    }
    return count;
}

static void count_first(void *context, int32_t begin, int32_t end, void *result)
{
    int64_t *count = result;
    *count += select_first(context, begin, end, NULL);
}

// Any thread may be the first at a slot: which one a cell gets then differs between runs, but not what a
// search finds. Keys are unique, so that nobody waits for another's cell; relaxed order is enough, since the
// table is read only after the loop. Key + 1 keeps 0 for empty slots.
static void insert_cell(dlp_layer *layer, uint64_t key, int32_t cell)
{
    for (uint32_t slot = slot_of(key, layer->hash_capacity);;
         slot = (slot + 1) & (uint32_t)(layer->hash_capacity - 1)) {
        uint64_t empty = 0;
        if (!__atomic_compare_exchange_n(&layer->hash_keys[slot], &empty, key + 1, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            continue;
        layer->hash_cells[slot] = cell;
        return;
    }
}

// Cell by cell: cell_begin holds the number of the first point within the layer and becomes that within all
// points.
static void insert_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const index_pass *pass = context;
    dlp_layer *layer = pass->layer;
    for (int32_t cell = begin; cell < end; cell++) {
        const int32_t k = layer->cell_begin[cell];
        layer->cell_begin[cell] = layer->begin + k;
        layer->cells[cell] = pass->cells[k];
        insert_cell(layer, pass->keys[k] & UINT64_MAX >> 4, cell);  // less the level above the cell
    }
}

dlp_status dlp_layer_index(dlp_layer *layer, const uint64_t *keys, const dlp_cell *cells, dlp_team *team,
                           dlp_error *error)
{
    assert(layer->begin <= layer->end);
    const int32_t count = layer->end - layer->begin;
    index_pass pass = {layer, keys, cells};
    int64_t cell_count = 0;
    const dlp_reduction counting = {count_first, dlp_combine_sum_int64, &pass, sizeof cell_count};
    dlp_parallel_reduce(team, count, GRAIN, &counting, &cell_count);
    DLP_TRY(reserve_cells(layer, (int32_t)cell_count, error));

    dlp_parallel_set(team, layer->hash_keys, 0, (size_t)layer->hash_capacity * sizeof *layer->hash_keys);
    layer->cell_count = dlp_parallel_compact(team, count, GRAIN, select_first, &pass, layer->cell_begin);
    assert(layer->cell_count == cell_count);
    layer->cell_begin[layer->cell_count] = layer->end;
    dlp_parallel_for(team, layer->cell_count, CELL_GRAIN, insert_range, &pass);
    return DLP_OK;
}

// A cell coordinate along a periodic axis, brought into 0 .. count - 1.
static int32_t wrapped(const dlp_units *units, int32_t level, int axis, int32_t cell)
{
    const int32_t count = dlp_cell_count_along(units, level, axis);
    return count == 0 ? cell : (cell % count + count) % count;
}

// No cell lies below `low`, and near ones less than twice the reach above it.
uint64_t dlp_layer_key(const dlp_layer *layer, const dlp_units *units, int axis, int32_t cell)
{
    const int32_t low = axis == 0 ? layer->low.x : axis == 1 ? layer->low.y : layer->low.z;
    const int64_t from_low = (int64_t)wrapped(units, layer->level, axis, cell) - low;
    if (from_low < 0 || from_low >= 2 * DLP_CELL_REACH) return DLP_NO_KEY;
    return spread_bits((uint64_t)from_low) << axis;
}

int32_t dlp_layer_find_key(const dlp_layer *layer, uint64_t key)
{
    // linear probing; the table is never full, so that an empty slot ends every search
    if (layer->cell_count == 0) return -1;
    uint32_t slot = slot_of(key, layer->hash_capacity);
    while (layer->hash_keys[slot] != 0) {
        if (layer->hash_keys[slot] == key + 1) return layer->hash_cells[slot];
        slot = (slot + 1) & (uint32_t)(layer->hash_capacity - 1);
    }
    return -1;
}

// A coordinate that no cell has ends the search before the table is read.
int32_t dlp_layer_find(const dlp_layer *layer, const dlp_units *units, dlp_cell cell)
{
    const uint64_t x = dlp_layer_key(layer, units, 0, cell.x), y = dlp_layer_key(layer, units, 1, cell.y),
                   z = dlp_layer_key(layer, units, 2, cell.z);
    if (x == DLP_NO_KEY || y == DLP_NO_KEY || z == DLP_NO_KEY) return -1;
    return dlp_layer_find_key(layer, x | y | z);
}

void dlp_layer_release(dlp_layer *layer)
{
    dlp_free(layer->cell_begin);
    dlp_free(layer->cells);
    dlp_free(layer->hash_keys);
    dlp_free(layer->hash_cells);
    *layer = (dlp_layer){0};
}
