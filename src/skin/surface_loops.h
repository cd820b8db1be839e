/* The loops over candidates and nodes, compiled once per instruction set (base/target.h) with the same
 * bits. A block has 4 x 4 x 4 nodes, x fastest; a cell is the unit of length. */
#ifndef DLP_SKIN_SURFACE_LOOPS_H
#define DLP_SKIN_SURFACE_LOOPS_H

#include "skin/kernel_bins.h"

enum {
    DLP_BLOCK = 4, /* nodes along a block's edge */
    DLP_BLOCK_NODES = 64,
    DLP_PAD = 7,     /* nodes along the edge of a block with one more before it and two behind it */
    DLP_PAD_ROW = 8, /* floats between its rows: room for one vector */
    DLP_PAD_SIZE = DLP_PAD * DLP_PAD * DLP_PAD_ROW
};

/* The kernel (1 - (r/R)^2)^3: this norm times weight / R^3 makes it integrate to the weight.  [muller2003,
 * eq. 20] */
#define DLP_SURFACE_KERNEL_NORM 1.5666814710608448 /* 315 / (64 pi) */

/* Copies those of `count` kernels, moved by `shift`, that reach the cube 0 .. size, and writes their
 * indices to `out_kept`. Both outputs have room for all of them, since entries are written before they are
 * tested. Returns how many there are. */
typedef int32_t dlp_collect_fn(const dlp_candidate *kernels, int32_t count, const float shift[3], float size,
                               dlp_candidate *out_items, int32_t *out_kept);
/* The field at a block's 64 nodes and, where `out_motion` is not NULL, the weighted mean of the
 * candidates' motion: 64 values for each of three axes, one axis after another; 0 where no kernel reaches. */
typedef void dlp_sum_nodes_fn(const dlp_candidate *candidates, int32_t count, float *out_field,
                              float *out_motion);
/* The field of stretched kernels at a block's nodes; `stretches` of all kernels of the bins, by `places`. */
typedef void dlp_sum_stretched_fn(const dlp_candidates *candidates, const dlp_stretch *stretches,
                                  float *out_field);
/* At `count` places of their own: the sum of the kernels, then those of motion and extras where the
 * candidates have extras, else of the offset from each candidate in its reaches. x, y and z have room for
 * a multiple of eight, and so have the sums: one after another, `count` rounded up to eight. */
typedef void dlp_sum_points_fn(const dlp_candidates *candidates, const float *const at[3], int32_t count,
                               float *out_sums);
/* One sweep towards |grad d| = 1 inside a padded block; nodes whose `is_fixed` (64 floats) is not 0 stay.
 * Distances are positive here; they only ever shrink. */
typedef void dlp_sweep_pad_fn(float *pad, const float *is_fixed);
/* Curvature (1/cells, negative on bumps, clamped to -1..1) and slope |grad f| at a block's nodes; the pad
 * has size 6 at least. */
typedef void dlp_curvature_fn(const float *pad, float *out_curvature, float *out_slope);

dlp_collect_fn dlp_collect_plain, dlp_collect_avx2;
dlp_sum_nodes_fn dlp_sum_nodes_plain, dlp_sum_nodes_avx2;
dlp_sum_stretched_fn dlp_sum_stretched_plain, dlp_sum_stretched_avx2;
dlp_sum_points_fn dlp_sum_points_plain, dlp_sum_points_avx2;
dlp_sweep_pad_fn dlp_sweep_plain, dlp_sweep_avx2;
dlp_curvature_fn dlp_curvature_plain, dlp_curvature_avx2;

/* The loops of one instruction set. */
typedef struct dlp_surface_loops {
    dlp_collect_fn *collect;
    dlp_sum_nodes_fn *sum_nodes;
    dlp_sum_stretched_fn *sum_stretched;
    dlp_sum_points_fn *sum_points;
    dlp_sweep_pad_fn *sweep;
    dlp_curvature_fn *curvature;
} dlp_surface_loops;
/* Those of `target`, or the plain ones where this build has no others. */
dlp_surface_loops dlp_surface_loops_of(dlp_target target);

#endif
