// The signed distance to the iso surface, near it: exact to first order next to the surface, then spread
// outward by sweeps within blocks. A round reads `distance` and writes `other`, so that blocks are
// independent and the result does not depend on their order.  [sethian1996]
#include "skin/surface_parts.h"
#include "base/memory.h"

#include <string.h>

// Over all blocks, and inside a block each time: together they carry distances over nine nodes, farther than
// the band is wide along any axis.
enum { ROUNDS = 3, SWEEPS = 3 };

// Where a block's node lies in its pad.
static int32_t pad_place(int32_t node)
{
    return ((node / 16 + 1) * DLP_PAD + node / 4 % 4 + 1) * DLP_PAD_ROW + node % 4 + 1;
}

// Cells: the field over its slope, at a node next to the surface, at least 1e-4 so that it is not taken for
// 0; 0 where no neighbour is on the other side.
static float distance_to_crossing(const float *pad, int32_t node)
{
    const int32_t steps[3] = {1, DLP_PAD_ROW, DLP_PAD * DLP_PAD_ROW};
    const float *at = pad + pad_place(node);
    float square = 0;
    bool is_crossed = false;
    for (int axis = 0; axis < 3; axis++) {
        const float before = at[-steps[axis]], after = at[steps[axis]];
        is_crossed = is_crossed || (before > 0) != (at[0] > 0) || (after > 0) != (at[0] > 0);
        const float slope = 0.5f * (after - before);
        square += slope * slope;
    }
    if (!is_crossed) return 0;
    const float distance = fabsf(at[0]) / sqrtf(square + 1e-12f);
    return distance < 1e-4f ? 1e-4f : distance < 1.5f ? distance : 1.5f;
}

// Nodes next to the surface are fixed; all others start at the width of the band.
static void start_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_surface *s = context;
    for (int32_t block = begin; block < end; block++) {
        float pad[DLP_PAD_SIZE];
        dlp_band_pad(&s->band, s->field, block, 6, pad);
        float *distance = s->distance + (size_t)block * DLP_BLOCK_NODES;
        s->fixed[block] = 0;
        for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) {
            const float crossing = distance_to_crossing(pad, n);
            s->fixed[block] |= (uint64_t)(crossing > 0) << n;
            distance[n] = crossing > 0 ? crossing : DLP_BAND_WIDTH;
        }
    }
}

// Whether the surface passes none of the blocks around: then all nodes are farther from it than the band is
// wide, and stay.
static bool is_far(const dlp_surface *s, int32_t block)
{
    for (int32_t n = 0; n < 27; n++) {
        const int32_t k = s->band.around[block][n];
        if (k != DLP_BAND_NONE && s->fixed[k] != 0) return false;
    }
    return true;
}

static void sweep_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_surface *s = context;
    for (int32_t block = begin; block < end; block++) {
        float pad[DLP_PAD_SIZE], is_fixed[DLP_BLOCK_NODES];
        float *out = s->other + (size_t)block * DLP_BLOCK_NODES;
        if (is_far(s, block)) {
            memcpy(out, s->distance + (size_t)block * DLP_BLOCK_NODES, DLP_BLOCK_NODES * sizeof *out);
            continue;
        }
        dlp_band_pad(&s->band, s->distance, block, 6, pad);
        for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) is_fixed[n] = (float)(s->fixed[block] >> n & 1);
        for (int32_t k = 0; k < SWEEPS; k++) s->loops.sweep(pad, is_fixed);
        for (int32_t row = 0; row < DLP_BLOCK_NODES; row += DLP_BLOCK)
            memcpy(out + row, pad + pad_place(row), DLP_BLOCK * sizeof *out);
    }
}

// Until here distances are positive; the field gives the side.
static void sign_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_surface *s = context;
    for (size_t n = (size_t)begin * DLP_BLOCK_NODES; n < (size_t)end * DLP_BLOCK_NODES; n++) {
        const float distance = s->distance[n] < DLP_BAND_WIDTH ? s->distance[n] : DLP_BAND_WIDTH;
        s->distance[n] = s->field[n] > 0 ? distance : -distance;
    }
}

dlp_status dlp_surface_find_distance(dlp_surface *s, dlp_error *error)
{
    const int32_t count = s->band.count;
    DLP_TRY(dlp_surface_reserve(&s->distance, &s->distance_capacity, count, 1, error));
    DLP_TRY(dlp_surface_reserve(&s->other, &s->other_capacity, count, 1, error));
    DLP_TRY(dlp_reserve(&s->fixed, &s->fixed_capacity, count, sizeof *s->fixed, "skin", error));
    dlp_parallel_for(s->settings.team, count, 64, start_blocks, s);
    for (int32_t k = 0; k < ROUNDS; k++) {
        dlp_parallel_for(s->settings.team, count, 64, sweep_blocks, s);
        float *const swept = s->other;
        const int32_t capacity = s->other_capacity;
        s->other = s->distance;
        s->other_capacity = s->distance_capacity;
        s->distance = swept;
        s->distance_capacity = capacity;
    }
    dlp_parallel_for(s->settings.team, count, 64, sign_blocks, s);
    return DLP_OK;
}
