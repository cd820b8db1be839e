/* A sparse grid: blocks of 4 x 4 x 4 nodes where they are needed, found by hashing. The band holds the
 * blocks alone. Values at the nodes are kept by their users in arrays of 64 per block, in the order in
 * which the blocks were added; x is fastest within a block. */
#ifndef DLP_SKIN_BAND_H
#define DLP_SKIN_BAND_H

#include "base/parallel.h"
#include "skin/surface_loops.h"

enum { DLP_BAND_NONE = -1, DLP_BAND_HERE = 13 }; /* no block; a block's own place among its 27 */

/* All-zero is empty. Blocks are numbered 0 .. count - 1 in the order in which they were added, so that an
 * array over blocks has the same order in every run. Memory stays when the band is cleared. */
typedef struct dlp_band {
    int32_t count, capacity; /* of `blocks` */
    int32_t (*blocks)[3];    /* coordinates, each once: node = 4 block + 0..3 */
    /* numbers of the blocks around, x fastest; DLP_BAND_NONE where missing; by dlp_band_link */
    int32_t (*around)[27];
    int32_t around_capacity;
    int32_t *slots;                    /* hash table of block numbers, open addressing; DLP_BAND_NONE: free */
    int32_t slot_count, slot_capacity; /* slot_count: a power of two, at least 2 count */
} dlp_band;

/* Removes all blocks and keeps the memory. `around` is then no longer valid. */
void dlp_band_clear(dlp_band *band);
void dlp_band_release(dlp_band *band);
/* Adds a block unless it is there; a new one gets the number `count`. DLP_OUT_OF_MEMORY past 2^24 blocks. */
dlp_status dlp_band_add(dlp_band *band, const int32_t block[3], dlp_error *error);
/* The number of a block, or DLP_BAND_NONE. Read-only: any number of threads may call it at once. */
int32_t dlp_band_find(const dlp_band *band, const int32_t block[3]);
/* Fills `around` once all blocks are there; adding a block makes it invalid. */
dlp_status dlp_band_link(dlp_band *band, dlp_team *team, dlp_error *error);

/* Copies the nodes of a block, one before it and one (`size` 6) or two (7) behind it along every axis,
 * from an array of 64 values per block; node (x, y, z) of the block lies at pad[((z + 1) DLP_PAD + y + 1)
 * DLP_PAD_ROW + x + 1]. Where a neighbouring block is missing, the nearest node of this block takes its
 * place. Needs `around`. */
void dlp_band_pad(const dlp_band *band, const float *values, int32_t block, int32_t size,
                  float out_pad[DLP_PAD_SIZE]);

static inline int32_t dlp_block_of(int32_t node) /* the block that has a node */
{
    return node >> 2; /* the floor, as every compiler here shifts */
}

#endif
