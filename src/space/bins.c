/* Chained hashing: a bin holds the points of all cells that hash to it, so that space needs no bounds. */
#include "space/bins.h"
#include "base/memory.h"
#include "base/random.h"

#include <assert.h>

// The hash ends in a mask: the number of bins is a power of two.
static uint32_t bin_of(const dlp_bins *bins, int64_t x, int64_t y, int64_t z)
{
    const uint64_t hash = dlp_hash((uint64_t)x ^ dlp_hash((uint64_t)y ^ dlp_hash((uint64_t)z)));
    return (uint32_t)(hash & (uint64_t)(bins->head_count - 1));
}

// Rounded down, so that cells tile space on both sides of the origin.
static int64_t cell_of(const dlp_bins *bins, double x)
{
    return (int64_t)floor(x / bins->cell);
}

dlp_status dlp_bins_init(dlp_bins *bins, double cell, int32_t expected, dlp_error *error)
{
    assert(cell > 0 && expected <= 1 << 30);  // beyond, the number of bins would overflow
    *bins = (dlp_bins){.cell = cell, .head_count = 1 << 16};
    while (bins->head_count < expected) bins->head_count *= 2;
    bins->heads = dlp_alloc((size_t)bins->head_count, sizeof *bins->heads, "bins");
    if (bins->heads == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "bins: not enough memory for %d bins", bins->head_count);
    for (int32_t k = 0; k < bins->head_count; k++) bins->heads[k] = -1;
    return DLP_OK;
}

dlp_status dlp_bins_add(dlp_bins *bins, int32_t index, dlp_vec3 x, dlp_error *error)
{
    assert(index >= 0 && index < INT32_MAX);
    DLP_TRY(dlp_reserve(&bins->next, &bins->capacity, index + 1, sizeof *bins->next, "bins", error));
    const uint32_t bin = bin_of(bins, cell_of(bins, x.x), cell_of(bins, x.y), cell_of(bins, x.z));
    bins->next[index] = bins->heads[bin];
    bins->heads[bin] = index;
    return DLP_OK;
}

dlp_bins_search dlp_bins_near(const dlp_bins *bins, const dlp_vec3 *points, dlp_vec3 x, double distance)
{
    assert(distance <= bins->cell * (1 + 1e-6));  // farther points may lie outside of the 27 cells
    return (dlp_bins_search){.bins = bins,
                             .points = points,
                             .x = x,
                             .distance = distance,
                             .cell = {cell_of(bins, x.x), cell_of(bins, x.y), cell_of(bins, x.z)},
                             .around = -1,
                             .next = -1};
}

// A bin may hold points of other cells too, even of two of the 27: only those of the cell at hand count, so
// that no point is found twice.
static bool is_of_cell(const dlp_bins_search *s, dlp_vec3 point)
{
    return cell_of(s->bins, point.x) == s->at[0] && cell_of(s->bins, point.y) == s->at[1] &&
           cell_of(s->bins, point.z) == s->at[2];
}

// Goes to the next of the 27 cells around x, in a fixed order; false after the last.
static bool enter_next_cell(dlp_bins_search *s)
{
    if (s->around == 26) return false;  // it stays at the end when asked again
    const int32_t k = ++s->around;
    s->at[0] = s->cell[0] + k % 3 - 1;
    s->at[1] = s->cell[1] + k / 3 % 3 - 1;
    s->at[2] = s->cell[2] + k / 9 - 1;
    s->next = s->bins->heads[bin_of(s->bins, s->at[0], s->at[1], s->at[2])];
    return true;
}

// The distance is checked before the cell: it is cheaper, and it rejects most points.
int32_t dlp_bins_next(dlp_bins_search *s)
{
    do {
        while (s->next >= 0) {
            const int32_t j = s->next;
            s->next = s->bins->next[j];
            if (dlp_length(dlp_sub(s->points[j], s->x)) < s->distance && is_of_cell(s, s->points[j]))
                return j;
        }
    } while (enter_next_cell(s));
    return -1;
}

void dlp_bins_release(dlp_bins *bins)
{
    dlp_free(bins->heads);
    dlp_free(bins->next);
    *bins = (dlp_bins){0};
}
