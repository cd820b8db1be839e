/* A hashed grid of points that grows point by point: for the set-up of scenes and surfaces, where a sorted
 * grid (grid.h) would have to be rebuilt for every point. */
#ifndef DLP_SPACE_BINS_H
#define DLP_SPACE_BINS_H

#include "base/status.h"
#include "base/vec.h"

/* Points in hashed cells: add one at a time, ask who is near. Only indices are stored; the points themselves
 * stay with the caller and must not move. All-zero is released. */
typedef struct dlp_bins {
    double cell;        /* m: edge of a cell, the largest distance that can be searched */
    int32_t *heads;     /* per bin: the point added last; -1: none */
    int32_t *next;      /* per point: the one added to its bin before it; -1 ends a chain */
    int32_t head_count; /* bins: a power of two */
    int32_t capacity;   /* of `next` */
} dlp_bins;

/* Makes empty bins of edge `cell` (above 0, m) for about `expected` points; more are allowed, but slower. On
 * failure they can only be released. */
dlp_status dlp_bins_init(dlp_bins *bins, double cell, int32_t expected, dlp_error *error);
/* Adds point `index`, which stands at x. Each index may be added once. */
dlp_status dlp_bins_add(dlp_bins *bins, int32_t index, dlp_vec3 x, dlp_error *error);
/* The points within `distance` (at most a cell) of x, one after another, however many, in an order that
 * depends only on the points and the order in which they were added:
 *     dlp_bins_search near = dlp_bins_near(&bins, points, x, distance);
 *     for (int32_t j; (j = dlp_bins_next(&near)) >= 0;) ...
 * Several threads may search at once, but none while points are added. */
typedef struct dlp_bins_search {
    const dlp_bins *bins;   /* borrowed */
    const dlp_vec3 *points; /* borrowed: by the indices that were added; m */
    dlp_vec3 x;             /* m */
    double distance;        /* m: points at less than this are found */
    int64_t cell[3];        /* of x */
    int64_t at[3];          /* the cell that is looked at, one of those around */
    int32_t around;         /* 0..26: which of them it is; -1 before the first */
    int32_t next;           /* point to look at; -1 at the end of the cell's chain */
} dlp_bins_search;
dlp_bins_search dlp_bins_near(const dlp_bins *bins, const dlp_vec3 *points, dlp_vec3 x, double distance);
/* The next point, x itself included where it is one; -1 after the last, and again whenever asked then. */
int32_t dlp_bins_next(dlp_bins_search *search);
void dlp_bins_release(dlp_bins *bins);

#endif
