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
/* The points within `distance` (at most a cell) of x, one after another in a fixed order, however many:
 *     dlp_bins_search near = dlp_bins_near(&bins, points, x, distance);
 *     for (int32_t j; (j = dlp_bins_next(&near)) >= 0;) ...
 * Several threads may search at once, but none while points are added. */
typedef struct dlp_bins_search {
    const dlp_bins *bins;
    const dlp_vec3 *points;
    dlp_vec3 x;
    double distance;
    int64_t cell[3]; /* of x */
    int64_t at[3];   /* the cell that is looked at, one of those around */
    int32_t around;  /* 0..26: which of them it is; -1 before the first */
    int32_t next;    /* point to look at; -1 at the end of the cell's chain */
} dlp_bins_search;
dlp_bins_search dlp_bins_near(const dlp_bins *bins, const dlp_vec3 *points, dlp_vec3 x, double distance);
int32_t dlp_bins_next(dlp_bins_search *search); /* -1 after the last */
void dlp_bins_release(dlp_bins *bins);

#endif
