// Where the surface may be, and the field there. The band starts around the particles next to a surface and
// grows until every missing block lies wholly on one side, which is what dlp_march needs.
#include "base/memory.h"
#include "skin/surface_parts.h"

#include <stdatomic.h>
#include <string.h>

// A particle lies next to a surface where the centroid of the kernels around it lies aside, or where they are
// too few. The first layer below a flat surface has a centroid offset of 0.12 to 0.2 and a sum of 0.7; where
// a substance holds together by its density, 0.06 to 0.12 and 1.
static const float surface_offset = 0.07f, surface_sum = 0.8f,
                   crowded_sum = 1.5f;  // particles in one place may be all there is
// A value of the field between these is near the surface: half-way from the iso value to 0 and to 1. The band
// goes on there.
typedef struct near_range {
    float low, high;
} near_range;

static near_range near_range_of(const dlp_surface *s)
{
    return (near_range){(float)(-s->settings.iso / 2), (float)((1 - s->settings.iso) / 2)};
}

// Blocks from `first` on; each writes its own nodes.
typedef struct field_pass {
    dlp_surface *surface;
    int32_t first;          // the first block that has no field yet
    _Atomic bool is_short;  // some thread found no memory; which one does not matter
} field_pass;

// Sums kernels at the nodes of each block, in the fixed order of the candidates, and takes the iso value off.
static void sum_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    field_pass *pass = context;
    dlp_surface *s = pass->surface;
    const bool is_active = s->settings.kind == DLP_SURFACE_ACTIVE;
    const bool is_stretched = s->settings.kind == DLP_SURFACE_ANISOTROPIC;
    const dlp_kernel_bins *bins = is_stretched ? &s->stretched : &s->bins;
    dlp_candidates *candidates = &s->candidates[thread];
    for (int32_t block = pass->first + begin; block < pass->first + end; block++) {
        const int32_t *at = s->band.blocks[block];
        const double corner[3] = {4.0 * at[0], 4.0 * at[1], 4.0 * at[2]};
        if (dlp_kernel_bins_collect(bins, NULL, corner, DLP_BLOCK - 1, candidates, NULL) != DLP_OK) {
            atomic_store(&pass->is_short, true);
            return;
        }
        float *field = s->field + (size_t)block * DLP_BLOCK_NODES;
        float *motion = is_active ? s->motion + (size_t)block * 3 * DLP_BLOCK_NODES : NULL;
        if (is_stretched)
            s->loops.sum_stretched(candidates, bins->stretches, field);
        else
            s->loops.sum_nodes(candidates->items, candidates->count, field, motion);
        for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) field[n] -= (float)s->settings.iso;
    }
}

// An eighth more than asked for: bands grow by a few blocks at a time, and doubling would waste memory.
dlp_status dlp_surface_reserve(float **array, int32_t *capacity, int32_t block_count, int32_t parts,
                               dlp_error *error)
{
    if (block_count <= *capacity) return DLP_OK;
    const int32_t wanted = block_count + block_count / 8;
    const size_t size = (size_t)parts * DLP_BLOCK_NODES * sizeof(float);
    float *larger = dlp_realloc(*array, (size_t)wanted, size, "skin");
    if (larger == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for %d blocks of %zu bytes", wanted,
                        size);
    *array = larger;
    *capacity = wanted;
    return DLP_OK;
}

// Sums the field of the blocks from `first` on.
static dlp_status sum_new_blocks(dlp_surface *s, int32_t first, dlp_error *error)
{
    DLP_TRY(dlp_surface_reserve(&s->field, &s->field_capacity, s->band.count, 1, error));
    if (s->settings.kind == DLP_SURFACE_ACTIVE)
        DLP_TRY(dlp_surface_reserve(&s->motion, &s->motion_capacity, s->band.count, 3, error));
    field_pass pass = {.surface = s, .first = first};
    dlp_parallel_for(s->settings.team, s->band.count - first, 16, sum_blocks, &pass);
    if (atomic_load(&pass.is_short))
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for the particles around a block");
    return DLP_OK;
}

// The blocks within some cells of the particles next to a surface. Neighbours in the sorted order often cover
// the same blocks, which are then skipped.
static dlp_status seed_band(dlp_surface *s, dlp_error *error)
{
    const double margin = s->settings.kind == DLP_SURFACE_ACTIVE ? (double)DLP_BAND_WIDTH - 1 : 1;
    int32_t last_low[3] = {0}, last_high[3] = {-1, -1, -1};
    dlp_band_clear(&s->band);
    for (int32_t k = 0; k < s->bins.count; k++) {
        const float sum = s->bins.sum[k];
        if (s->bins.centroid_offset[k] < surface_offset && sum > surface_sum && sum < crowded_sum) continue;
        const double reach = margin + 0.25 * (double)s->bins.reach[k];
        int32_t low[3], high[3];
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = dlp_block_of((int32_t)floor(s->bins.at[k][axis] - reach));
            high[axis] = dlp_block_of((int32_t)ceil(s->bins.at[k][axis] + reach));
        }
        if (memcmp(low, last_low, sizeof low) == 0 && memcmp(high, last_high, sizeof high) == 0) continue;
        memcpy(last_low, low, sizeof low);
        memcpy(last_high, high, sizeof high);
        for (int32_t z = low[2]; z <= high[2]; z++)
            for (int32_t y = low[1]; y <= high[1]; y++)
                for (int32_t x = low[0]; x <= high[0]; x++)
                    DLP_TRY(dlp_band_add(&s->band, (int32_t[3]){x, y, z}, error));
    }
    return DLP_OK;
}

// What the nodes of a block on the side of a missing one at `place` (0..26) say of it: bit 0, it is inside;
// bit 1, it is outside.
static int32_t side_votes(const float *field, int32_t place, near_range near, bool *out_is_near)
{
    const int32_t direction[3] = {place % 3 - 1, place / 3 % 3 - 1, place / 9 - 1};
    int32_t votes = 0;
    *out_is_near = false;
    for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) {
        const int32_t at[3] = {n % 4, n / 4 % 4, n / 16};
        bool is_there = true;
        for (int axis = 0; axis < 3; axis++)
            is_there =
                is_there && (direction[axis] == 0 || at[axis] == (direction[axis] < 0 ? 0 : DLP_BLOCK - 1));
        if (!is_there) continue;
        votes |= field[n] > 0 ? 1 : 2;
        *out_is_near = *out_is_near || (field[n] > near.low && field[n] < near.high);
    }
    return votes;
}

// The missing blocks around the band, with what their neighbours say of them. All-zero is none.
typedef struct halo {
    dlp_band blocks;
    int32_t *votes;  // one per block: bits as in side_votes; 3: the surface may enter it
    int32_t capacity;
} halo;

// Adds the block to the halo where it is not there yet; new votes start at 0.
static dlp_status add_vote(halo *h, const int32_t block[3], int32_t votes, dlp_error *error)
{
    DLP_TRY(dlp_band_add(&h->blocks, block, error));
    const int32_t before = h->capacity;
    DLP_TRY(dlp_reserve(&h->votes, &h->capacity, h->blocks.count, sizeof *h->votes, "skin", error));
    if (h->capacity > before) memset(h->votes + before, 0, (size_t)(h->capacity - before) * sizeof *h->votes);
    h->votes[dlp_band_find(&h->blocks, block)] |= votes;
    return DLP_OK;
}

// Whether all nodes are on one side and none is near the surface.
static bool is_clear(const float *field, near_range near)
{
    float low = field[0], high = field[0];
    for (int32_t n = 1; n < DLP_BLOCK_NODES; n++) {
        low = field[n] < low ? field[n] : low;
        high = field[n] > high ? field[n] : high;
    }
    return low >= near.high || high <= near.low;
}

static dlp_status collect_votes(const dlp_surface *s, int32_t k, halo *h, dlp_error *error)
{
    const float *field = s->field + (size_t)k * DLP_BLOCK_NODES;
    const near_range near = near_range_of(s);
    const bool clear = is_clear(field, near);
    for (int32_t place = 0; place < 27; place++) {
        if (s->band.around[k][place] != DLP_BAND_NONE) continue;
        const int32_t *at = s->band.blocks[k];
        const int32_t block[3] = {at[0] + place % 3 - 1, at[1] + place / 3 % 3 - 1, at[2] + place / 9 - 1};
        bool is_near = false;
        const int32_t votes = clear ? (field[0] > 0 ? 1 : 2) : side_votes(field, place, near, &is_near);
        DLP_TRY(add_vote(h, block, is_near ? 3 : votes, error));
    }
    return DLP_OK;
}

// Adds the missing blocks that the surface may enter: next to nodes near it, or between nodes of both sides.
// What is then still missing lies on one side, so that the mesh is closed without it. Votes stay from round
// to round, since a missing block may be seen from blocks of different rounds.
static dlp_status grow_band(dlp_surface *s, int32_t first, halo *h, dlp_error *error)
{
    const int32_t count = s->band.count;
    for (int32_t k = first; k < count; k++) DLP_TRY(collect_votes(s, k, h, error));
    for (int32_t k = 0; k < h->blocks.count; k++)
        if (h->votes[k] == 3) DLP_TRY(dlp_band_add(&s->band, h->blocks.blocks[k], error));
    return DLP_OK;
}

// Until no block is added. Sequential in its order of blocks, parallel within the sums.
static dlp_status sum_and_grow(dlp_surface *s, halo *h, dlp_error *error)
{
    for (int32_t first = 0; first < s->band.count;) {
        const int32_t count = s->band.count;
        DLP_TRY(sum_new_blocks(s, first, error));
        DLP_TRY(dlp_band_link(&s->band, s->settings.team, error));
        DLP_TRY(grow_band(s, first, h, error));
        first = count;
    }
    return DLP_OK;
}

dlp_status dlp_surface_sum_field(dlp_surface *s, dlp_error *error)
{
    DLP_TRY(dlp_kernel_bins_sort(&s->bins, s->particles, s->settings.cell, s->settings.target,
                                 s->settings.team, error));
    DLP_TRY(dlp_kernel_bins_sum(&s->bins, s->settings.team, error));
    if (s->settings.kind == DLP_SURFACE_ANISOTROPIC)
        DLP_TRY(dlp_kernel_bins_stretch(&s->bins, s->particles, s->settings.cell, s->settings.team,
                                        &s->stretched, error));
    DLP_TRY(seed_band(s, error));
    halo h = {0};
    const dlp_status status = sum_and_grow(s, &h, error);
    dlp_band_release(&h.blocks);
    dlp_free(h.votes);
    return status;
}
