#ifndef DLP_SPACE_BINS_H
#define DLP_SPACE_BINS_H

#include "base/status.h"
#include "base/vec.h"

/* Points in hashed cells, for setting up: add one at a time, ask who is near. */
typedef struct dlp_bins {
    double cell;
    int32_t *heads, *next; /* -1 ends a chain */
    int32_t head_count, capacity;
} dlp_bins;

dlp_status dlp_bins_init(dlp_bins *bins, double cell, int32_t expected, dlp_error *error);
dlp_status dlp_bins_add(dlp_bins *bins, int32_t index, dlp_vec3 x, dlp_error *error);
/* Points within `distance` (at most a cell), in a fixed order. */
int32_t dlp_bins_within(const dlp_bins *bins, const dlp_vec3 *points, dlp_vec3 x, double distance,
                        int32_t *out_index, int32_t limit);
void dlp_bins_release(dlp_bins *bins);

#endif
