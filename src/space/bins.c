#include "space/bins.h"
#include "base/memory.h"
#include "base/random.h"

static uint32_t bin_of(const dlp_bins *bins, int64_t x, int64_t y, int64_t z)
{
    const uint64_t hash = dlp_hash((uint64_t)x ^ dlp_hash((uint64_t)y ^ dlp_hash((uint64_t)z)));
    return (uint32_t)(hash & (uint64_t)(bins->head_count - 1));
}

static int64_t cell_of(const dlp_bins *bins, double x)
{
    return (int64_t)floor(x / bins->cell);
}

dlp_status dlp_bins_init(dlp_bins *bins, double cell, int32_t expected, dlp_error *error)
{
    *bins = (dlp_bins){.cell = cell, .head_count = 1 << 16};
    while (bins->head_count < expected) bins->head_count *= 2;
    bins->heads = dlp_alloc((size_t)bins->head_count, sizeof *bins->heads, "bins");
    if (bins->heads == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "bins: no room for %d bins", bins->head_count);
    for (int32_t k = 0; k < bins->head_count; k++) bins->heads[k] = -1;
    return DLP_OK;
}

dlp_status dlp_bins_add(dlp_bins *bins, int32_t index, dlp_vec3 x, dlp_error *error)
{
    DLP_TRY(dlp_reserve(&bins->next, &bins->capacity, index + 1, sizeof *bins->next, "bins", error));
    const uint32_t bin = bin_of(bins, cell_of(bins, x.x), cell_of(bins, x.y), cell_of(bins, x.z));
    bins->next[index] = bins->heads[bin];
    bins->heads[bin] = index;
    return DLP_OK;
}

int32_t dlp_bins_within(const dlp_bins *bins, const dlp_vec3 *points, dlp_vec3 x, double distance,
                        int32_t *out_index, int32_t limit)
{
    const int64_t cx = cell_of(bins, x.x), cy = cell_of(bins, x.y), cz = cell_of(bins, x.z);
    int32_t count = 0;
    for (int32_t k = 0; k < 27; k++) {
        const int64_t bx = cx + k % 3 - 1, by = cy + k / 3 % 3 - 1, bz = cz + k / 9 - 1;
        for (int32_t j = bins->heads[bin_of(bins, bx, by, bz)]; j >= 0; j = bins->next[j]) {
            // a bin may hold points of other cells: count only those of this one
            if (cell_of(bins, points[j].x) != bx || cell_of(bins, points[j].y) != by ||
                cell_of(bins, points[j].z) != bz)
                continue;
            if (dlp_length(dlp_sub(points[j], x)) < distance && count < limit) out_index[count++] = j;
        }
    }
    return count;
}

void dlp_bins_release(dlp_bins *bins)
{
    dlp_free(bins->heads);
    dlp_free(bins->next);
    *bins = (dlp_bins){0};
}
