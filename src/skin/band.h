/* A sparse grid: blocks of 4 x 4 x 4 nodes where they are needed, found by hashing. Values at the nodes are
 * kept by whoever has them, 64 a block in the band's order. */
#ifndef DLP_SKIN_BAND_H
#define DLP_SKIN_BAND_H

#include "base/parallel.h"
#include "skin/surface_loops.h"

enum { DLP_BAND_NONE = -1, DLP_BAND_HERE = 13 }; /* no block; a block's own place among its 27 */

/* All-zero is empty. */
typedef struct dlp_band {
    int32_t count, capacity;
    int32_t (*blocks)[3];  /* coordinates: node = 4 block + 0..3 */
    int32_t (*around)[27]; /* the blocks around, x fastest; DLP_BAND_NONE */
    int32_t around_capacity;
    int32_t *slots; /* hash table of blocks */
    int32_t slot_count, slot_capacity;
} dlp_band;

void dlp_band_clear(dlp_band *band);
void dlp_band_release(dlp_band *band);
/* Adds a block unless it is there. */
dlp_status dlp_band_add(dlp_band *band, const int32_t block[3], dlp_error *error);
int32_t dlp_band_find(const dlp_band *band, const int32_t block[3]);
/* Fills `around` once all blocks are there. */
dlp_status dlp_band_link(dlp_band *band, dlp_team *team, dlp_error *error);

/* The nodes of a block, one before it and one (`size` 6) or two (7) behind it along every axis, of 64 values
 * a block. Where a block is missing its place is taken by the nearest node of this one. */
void dlp_band_pad(const dlp_band *band, const float *values, int32_t block, int32_t size,
                  float out_pad[DLP_PAD_SIZE]);

static inline int32_t dlp_block_of(int32_t node) /* the block that has a node */
{
    return node >> 2; /* the floor, as every compiler here shifts */
}

#endif
