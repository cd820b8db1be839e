/* The deformation gradient in scalar code: F_i = sum_j (x_j - x_i) b_j^T.  [yang2023, sec. 3] */
#ifndef DLP_MOTION_SOLID_GRADIENT_H
#define DLP_MOTION_SOLID_GRADIENT_H

#include "motion/solid/solid_solver.h"

/* A link of one lane of a row. */
typedef struct dlp_solid_lane_link {
    int32_t particle;
    dlp_vec3 b;      /* 1/m */
    dlp_vec3 offset; /* m: at rest */
} dlp_solid_lane_link;

static inline dlp_solid_lane_link dlp_solid_link_of_lane(const dlp_constraint_coloring *coloring,
                                                         const dlp_solid_row *row, int32_t n, int32_t lane)
{
    const dlp_solid_link *link = &coloring->links[row->first_link + n];
    assert(n >= 0 && n < row->link_count && lane >= 0 && lane < DLP_LANES);
    return (dlp_solid_lane_link){
        .particle = link->particle[lane],
        .b = dlp_vec((double)link->b[0][lane], (double)link->b[1][lane], (double)link->b[2][lane]),
        .offset = dlp_vec((double)link->offset[0][lane], (double)link->offset[1][lane],
                          (double)link->offset[2][lane])};
}

/* Adds a b^T, by rows. */
static inline void dlp_solid_add_outer(double sum[9], dlp_vec3 a, dlp_vec3 b)
{
    const double v[3] = {a.x, a.y, a.z}, w[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 9; k++) sum[k] += v[k / 3] * w[k % 3];
}

/* sum_j (x_j - x_i - rest X_j) b_j^T of a lane, by rows: F where `rest` is 0, F - I where it is 1, each
 * without the directions in which there are no neighbours. Positions are three per particle, m. */
static inline void dlp_solid_lane_gradient(const dlp_constraint_coloring *coloring, const dlp_solid_row *row,
                                           int32_t lane, const double *positions, double rest,
                                           double out_gradient[9])
{
    const dlp_vec3 x = dlp_solid_get(positions, row->particle[lane]);
    for (int k = 0; k < 9; k++) out_gradient[k] = 0;
    for (int32_t n = 0; n < row->link_count; n++) {
        const dlp_solid_lane_link link = dlp_solid_link_of_lane(coloring, row, n, lane);
        const dlp_vec3 edge = dlp_sub(dlp_solid_get(positions, link.particle), x);
        dlp_solid_add_outer(out_gradient, dlp_along(edge, link.offset, -rest), link.b);
    }
}

#endif
