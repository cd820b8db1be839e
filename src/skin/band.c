// The sparse grid of band.h: a list of blocks and a hash table with linear probing over it. Blocks are never
// removed one by one, so the table needs no marks for deleted entries.
#include "skin/band.h"
#include "base/memory.h"
#include "base/random.h"

#include <assert.h>
#include <string.h>

void dlp_band_clear(dlp_band *band)
{
    band->count = 0;
    if (band->slot_count > 0) memset(band->slots, 0xff, (size_t)band->slot_count * sizeof *band->slots);
}

void dlp_band_release(dlp_band *band)
{
    dlp_free(band->blocks);
    dlp_free(band->around);
    dlp_free(band->slots);
    *band = (dlp_band){0};
}

// Coordinates overlap in the key where they exceed 21 bits; that only costs probes, since blocks are compared
// whole.
static uint32_t slot_of(const dlp_band *band, const int32_t block[3])
{
    const uint64_t key = ((uint64_t)(uint32_t)block[0] << 42) ^ ((uint64_t)(uint32_t)block[1] << 21) ^
                         (uint64_t)(uint32_t)block[2];
    return (uint32_t)dlp_hash(key) & (uint32_t)(band->slot_count - 1);
}

static bool is_same(const int32_t a[3], const int32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Ends at a free slot, of which there is always one: the table is at most half full.
int32_t dlp_band_find(const dlp_band *band, const int32_t block[3])
{
    assert(band->count == 0 || 2 * band->count <= band->slot_count);  // else a search may not end
    if (band->count == 0) return DLP_BAND_NONE;
    for (uint32_t s = slot_of(band, block);; s = (s + 1) & (uint32_t)(band->slot_count - 1)) {
        const int32_t k = band->slots[s];
        if (k == DLP_BAND_NONE || is_same(band->blocks[k], block)) return k;
    }
}

static void enter(dlp_band *band, int32_t k)
{
    uint32_t s = slot_of(band, band->blocks[k]);
    while (band->slots[s] != DLP_BAND_NONE) s = (s + 1) & (uint32_t)(band->slot_count - 1);
    band->slots[s] = k;
}

// Keeps the table at most half full; a larger one is filled anew from the list.
static dlp_status grow_slots(dlp_band *band, dlp_error *error)
{
    if (2 * (band->count + 1) <= band->slot_count) return DLP_OK;
    const int32_t wanted = band->slot_count > 0 ? 2 * band->slot_count : 256;
    DLP_TRY(dlp_reserve(&band->slots, &band->slot_capacity, wanted, sizeof *band->slots, "skin", error));
    band->slot_count = wanted;
    memset(band->slots, 0xff, (size_t)wanted * sizeof *band->slots);
    for (int32_t k = 0; k < band->count; k++) enter(band, k);
    return DLP_OK;
}

dlp_status dlp_band_add(dlp_band *band, const int32_t block[3], dlp_error *error)
{
    enum { BLOCK_LIMIT = 1 << 24 };  // 1e9 nodes
    if (dlp_band_find(band, block) != DLP_BAND_NONE) return DLP_OK;
    if (band->count == BLOCK_LIMIT)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: more than %d million nodes; use larger cells",
                        BLOCK_LIMIT / 1000000 * DLP_BLOCK_NODES);
    DLP_TRY(grow_slots(band, error));
    DLP_TRY(
        dlp_reserve(&band->blocks, &band->capacity, band->count + 1, sizeof *band->blocks, "skin", error));
    memcpy(band->blocks[band->count], block, sizeof *band->blocks);
    enter(band, band->count++);
    return DLP_OK;
}

// Blocks are independent: each writes its own row and only reads the table.
static void link_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_band *band = context;
    for (int32_t k = begin; k < end; k++) {
        for (int32_t n = 0; n < 27; n++) {
            const int32_t block[3] = {band->blocks[k][0] + n % 3 - 1, band->blocks[k][1] + n / 3 % 3 - 1,
                                      band->blocks[k][2] + n / 9 - 1};
            band->around[k][n] = dlp_band_find(band, block);
        }
    }
}

dlp_status dlp_band_link(dlp_band *band, dlp_team *team, dlp_error *error)
{
    DLP_TRY(
        dlp_reserve(&band->around, &band->around_capacity, band->count, sizeof *band->around, "skin", error));
    dlp_parallel_for(team, band->count, 256, link_blocks, band);
    return DLP_OK;
}

// Where along an axis a node of a padded block lies: in the block before, this one or the one behind.
static int32_t side_of(int32_t n)
{
    return n == 0 ? 0 : n <= DLP_BLOCK ? 1 : 2;
}

// The nearest node of the block itself along an axis.
static int32_t clamp_node(int32_t n)
{
    return n < 0 ? 0 : n < DLP_BLOCK ? n : DLP_BLOCK - 1;
}

// One row of the pad: the last node of the block before, four nodes, the first nodes of the block behind.
static void pad_row(const int32_t around[27], const float *values, int32_t y, int32_t z, int32_t size,
                    float *out)
{
    const int32_t place = side_of(z) * 9 + side_of(y) * 3;
    const float *own = values + (size_t)around[DLP_BAND_HERE] * DLP_BLOCK_NODES +
                       (clamp_node(z - 1) * DLP_BLOCK + clamp_node(y - 1)) * DLP_BLOCK;
    const int32_t inner = ((z + 3) % DLP_BLOCK * DLP_BLOCK + (y + 3) % DLP_BLOCK) * DLP_BLOCK;
    const float *rows[3];
    for (int32_t x = 0; x < 3; x++) {
        const int32_t block = around[place + x];
        rows[x] = block != DLP_BAND_NONE ? values + (size_t)block * DLP_BLOCK_NODES + inner : NULL;
    }
    const float *middle = rows[1] != NULL ? rows[1] : own;
    out[0] = rows[0] != NULL ? rows[0][DLP_BLOCK - 1] : middle[0];
    memcpy(out + 1, middle, DLP_BLOCK * sizeof *out);
    for (int32_t x = DLP_BLOCK + 1; x < size; x++)
        out[x] = rows[2] != NULL ? rows[2][x - DLP_BLOCK - 1] : middle[DLP_BLOCK - 1];
}

void dlp_band_pad(const dlp_band *band, const float *values, int32_t block, int32_t size,
                  float out_pad[DLP_PAD_SIZE])
{
    assert(size == 6 || size == DLP_PAD);
    assert(block >= 0 && block < band->count && band->around[block][DLP_BAND_HERE] == block);
    for (int32_t z = 0; z < size; z++) {
        for (int32_t y = 0; y < size; y++)
            pad_row(band->around[block], values, y, z, size, out_pad + (z * DLP_PAD + y) * DLP_PAD_ROW);
    }
}
