/* Neighbour lists: all of them in parallel by blocks (the inner part is neighbours_wide.c), or one at a time
 * where a single particle has moved. */
#include "space/neighbours.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>

// What the blocks share. Only is_short is written, and only to true.
typedef struct build_pass {
    dlp_lists *lists;
    const dlp_list_def *def;
    dlp_lists_fill_fn *fill;
    _Atomic bool is_short;  // a block did not get enough memory
} build_pass;

static void build_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    build_pass *pass = context;
    for (int32_t block = begin; block < end; block++) {
        if (!pass->fill(pass->lists, pass->def, block)) atomic_store(&pass->is_short, true);
    }
}

// Grows the arrays; buffers of blocks stay, so that a warm build makes no heap call. Arrays that share a
// capacity are reserved with copies of it, which is stored only when all have grown.
static dlp_status reserve_lists(dlp_lists *lists, int32_t count, dlp_error *error)
{
    int32_t begin_capacity = lists->capacity, end_capacity = lists->capacity;
    DLP_TRY(dlp_reserve(&lists->begin, &begin_capacity, count, sizeof(int32_t), "lists", error));
    DLP_TRY(
        dlp_reserve(&lists->ends, &end_capacity, count, DLP_GROUP_LIMIT * sizeof(int32_t), "lists", error));
    lists->capacity = end_capacity;
    lists->block_count = (count + DLP_LIST_BLOCK - 1) / DLP_LIST_BLOCK;
    int32_t entry_capacity = lists->block_capacity, size_capacity = lists->block_capacity,
            used_capacity = lists->block_capacity;
    DLP_TRY(
        dlp_reserve(&lists->entries, &entry_capacity, lists->block_count, sizeof(int32_t *), "lists", error));
    DLP_TRY(dlp_reserve(&lists->entry_capacity, &size_capacity, lists->block_count, sizeof(int32_t), "lists",
                        error));
    DLP_TRY(dlp_reserve(&lists->used, &used_capacity, lists->block_count, sizeof(int32_t), "lists", error));
    lists->block_capacity = size_capacity;
    return DLP_OK;
}

dlp_status dlp_lists_build(dlp_lists *lists, const dlp_list_def *def, dlp_target target, dlp_team *team,
                           dlp_error *error)
{
    assert(def->count >= 0 && def->group_count <= DLP_GROUP_LIMIT);
    lists->first = def->first;
    lists->count = def->count;
    DLP_TRY(reserve_lists(lists, def->count, error));
    build_pass pass = {.lists = lists, .def = def, .fill = dlp_lists_fill_plain};
#if defined(DLP_HAVE_AVX2_PAIRS)
    if (target == DLP_TARGET_AVX2) pass.fill = dlp_lists_fill_avx2;
#else
    (void)target;
#endif
    dlp_parallel_for(team, lists->block_count, 1, build_blocks, &pass);
    if (atomic_load(&pass.is_short))
        return dlp_fail(error, DLP_OUT_OF_MEMORY,
                        "neighbours: not enough memory for the lists of %d particles", def->count);
    return DLP_OK;
}

// One list.

// Cells along one axis that points within `reach` (in units) of a place may be indexed in; two units more
// cover the rounding of both.
static void cells_along(const dlp_layer *layer, int64_t at, double reach, int32_t out_range[2])
{
    const int32_t bits = DLP_CELL_BITS + layer->level;
    const int64_t distance = (int64_t)reach + 2;
    out_range[0] = (int32_t)((at - distance) >> bits);
    out_range[1] = (int32_t)((at + distance) >> bits);
}

// Appends the points of a cell that are neighbours. An entry is written before it is known to count: no
// branch. Distances are computed as in neighbours_wide.c, term by term, so that both make the same list.
static dlp_status add_near(const dlp_point_cloud *cloud, const dlp_layer *layer, int32_t cell, int32_t point,
                           float reach, dlp_found *found, int32_t *count, dlp_error *error)
{
    const int32_t begin = layer->cell_begin[cell], end = layer->cell_begin[cell + 1];
    const float unit[3] = {(float)cloud->units->unit[0], (float)cloud->units->unit[1],
                           (float)cloud->units->unit[2]};
    DLP_TRY(dlp_reserve(&found->entries, &found->capacity, *count + end - begin, sizeof(int32_t), "lists",
                        error));
    for (int32_t j = begin; j < end; j++) {
        float d[3];
        for (int axis = 0; axis < 3; axis++)
            d[axis] = (float)(int32_t)((uint32_t)cloud->at[axis][point] - (uint32_t)cloud->at[axis][j]) *
                      unit[axis];
        const float other = cloud->reach != NULL ? cloud->reach[j] : (float)layer->reach;
        found->entries[*count] = j;
        *count += (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] < dlp_reach_square(reach, other) && j != point;
    }
    return DLP_OK;
}

// Insertion sort: cells come in the order of their coordinates, so that runs of entries are sorted already.
static void sort_entries(int32_t *entries, int32_t count)
{
    for (int32_t k = 1; k < count; k++) {
        const int32_t moved = entries[k];
        int32_t to = k;
        for (; to > 0 && entries[to - 1] > moved; to--) entries[to] = entries[to - 1];
        entries[to] = moved;
    }
}

dlp_status dlp_list_find(const dlp_list_def *def, int32_t point, const int64_t at[3], int32_t slack,
                         dlp_found *found, dlp_error *error)
{
    assert(point >= 0 && point < def->cloud->point_count);
    const dlp_point_cloud *cloud = def->cloud;
    const dlp_layer *own = cloud->layers;
    while (point >= own->end) own++;
    const float reach = cloud->reach != NULL ? cloud->reach[point] : (float)own->reach;
    int32_t count = 0;
    for (int32_t g = 0; g < DLP_GROUP_LIMIT; g++) {
        // groups are sorted one by one: their layers may be mixed in memory
        const int32_t first = count;
        for (int32_t k = 0; g < def->group_count && k < cloud->layer_count; k++) {
            if (!((def->group_layers[g] & ~own->hidden) >> k & 1)) continue;
            const dlp_layer *layer = &cloud->layers[k];
            const double far = sqrt((double)dlp_reach_square(reach, (float)layer->reach));
            int32_t range[3][2];
            for (int axis = 0; axis < 3; axis++)
                cells_along(layer, at[axis], far * cloud->units->inverse[axis] + slack, range[axis]);
            for (int32_t z = range[2][0]; z <= range[2][1]; z++)
                for (int32_t y = range[1][0]; y <= range[1][1]; y++)
                    for (int32_t x = range[0][0]; x <= range[0][1]; x++) {
                        const int32_t cell = dlp_layer_find(layer, cloud->units, (dlp_cell){x, y, z});
                        if (cell >= 0)
                            DLP_TRY(add_near(cloud, layer, cell, point, reach, found, &count, error));
                    }
        }
        sort_entries(found->entries + first, count - first);
        found->ends[g] = count;
    }
    return DLP_OK;
}

// Whole groups of eight lanes.
static int32_t padded(int32_t count)
{
    return (count + 7) / 8 * 8;
}

// A list that has outgrown its place moves to the end of its block's buffer; the old place is lost until the
// block is built again. A list that has become shorter keeps its place, but its capacity shrinks to the new
// length.
dlp_status dlp_list_replace(dlp_lists *lists, int32_t point, const dlp_found *found, int32_t sentinel,
                            dlp_error *error)
{
    assert(point >= lists->first && point < lists->first + lists->count);
    const int32_t k = point - lists->first, block = k / DLP_LIST_BLOCK;
    int32_t *ends = lists->ends + k * DLP_GROUP_LIMIT, capacity = ends[DLP_GROUP_LIMIT - 1], wanted = 0;
    for (int32_t g = 0; g < DLP_GROUP_LIMIT; g++)
        wanted += padded(found->ends[g] - (g > 0 ? found->ends[g - 1] : 0));
    if (wanted > capacity) {
        // as much to spare as a block that is filled as a whole has: its writer goes on past the end
        DLP_TRY(dlp_reserve(&lists->entries[block], &lists->entry_capacity[block],
                            lists->used[block] + wanted + DLP_GROUP_LIMIT * 8, sizeof(int32_t), "lists",
                            error));
        lists->begin[k] = lists->used[block];
        lists->used[block] += wanted;
    }
    // copied group by group, each padded to whole lanes
    int32_t *out = lists->entries[block] + lists->begin[k], used = 0;
    for (int32_t g = 0, from = 0; g < DLP_GROUP_LIMIT; g++) {
        for (; from < found->ends[g]; from++) out[used++] = found->entries[from];
        while (used % 8 != 0) out[used++] = sentinel;
        ends[g] = used;
    }
    return DLP_OK;
}

// Buffers beyond block_count may be left from larger scenes of the past: all of the capacity is freed.
void dlp_lists_release(dlp_lists *lists)
{
    for (int32_t block = 0; block < lists->block_capacity; block++) dlp_free(lists->entries[block]);
    dlp_free(lists->entries);
    dlp_free(lists->entry_capacity);
    dlp_free(lists->used);
    dlp_free(lists->begin);
    dlp_free(lists->ends);
    *lists = (dlp_lists){0};
}

// Buffers dominate; the few numbers per block are left out.
size_t dlp_lists_bytes(const dlp_lists *lists)
{
    size_t bytes = (size_t)lists->capacity * (1 + DLP_GROUP_LIMIT) * sizeof(int32_t);
    for (int32_t block = 0; block < lists->block_capacity; block++)
        bytes += (size_t)lists->entry_capacity[block] * sizeof(int32_t);
    return bytes;
}
