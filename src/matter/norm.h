/* Norms of the kernels, and what a kernel sums to on a lattice: computed once per scene, in double precision.
 */
#ifndef DLP_MATTER_NORM_H
#define DLP_MATTER_NORM_H

#include "base/vec.h"
#include "scene/scene.h"

/* W = norm / h^d shape(q); NaN where a kernel has no form in that dimension. */
double dlp_kernel_norm(dlp_kernel_kind kind, int32_t dimension);
/* The gradient's kernel differs from the density's for `muller` only. */
double dlp_kernel_slope_norm(dlp_kernel_kind kind, int32_t dimension);
/* Laplacian of Mueller's viscosity kernel: norm / h^(d+2) (2 - q). */
double dlp_viscosity_norm(int32_t dimension);

/* The formulas of kernel.h as the pair loops compute them, in float. q = r / h >= 0. */
double dlp_kernel_shape(dlp_kernel_kind kind, double q);
double dlp_kernel_slope(dlp_kernel_kind kind, double q); /* shape'(q) / q */

/* Sums over a lattice of particles of unit spacing (volume 1 per particle) with h = smoothing. Pair sums are
 * divided by them, so that a substance at rest has exactly its density, viscosity and conductivity. */
typedef struct dlp_lattice_sums {
    double density;    /* sum of V W: what a substance at rest sums up to; densities are divided by it */
    double gradient;   /* d ln(sum) / d ln(1 / volume): how much of a compression the sum sees */
    double viscosity;  /* share of the viscosity that the pair sum with K = 2 (d + 2) gives */
    double laplacian;  /* the same for Mueller's viscosity */
    double conduction; /* share of the conductivity that the pair sum with K = 2 gives */
    double neighbours; /* particles within 2h */
} dlp_lattice_sums;
dlp_lattice_sums dlp_lattice_sum(dlp_kernel_kind kind, int32_t dimension, double smoothing,
                                 dlp_lattice lattice);

/* The rows of a pressure solve (pair_projection.h) on that lattice, with gradients calibrated as there. */
typedef struct dlp_lattice_rows {
    double diagonal;   /* sum of |grad W|^2 */
    double eigenvalue; /* the largest of D^-1 A */
} dlp_lattice_rows;
dlp_lattice_rows dlp_lattice_row(dlp_kernel_kind kind, int32_t dimension, double smoothing,
                                 dlp_lattice lattice);

/* Integral of W over a half-space that starts at distance d = q h from the particle; 1/2 at 0, 0 from 2h on.
 */
double dlp_half_space(dlp_kernel_kind kind, int32_t dimension, double q);

/* How much of a particle's neighbourhood is filled, which tells whether it lies at a free surface: the weight
 * of a volume is 1 - q^2/4 over the support, whatever the kernel. The sum of the weights of a full
 * neighbourhood, over h^d: */
double dlp_whole_neighbourhood(int32_t dimension);
/* For a particle at depth q h below a plane surface: the filled share of its neighbourhood, from 1/2 at 0 to
 * 1 from 2h on, and the distance of the filled part's centre from the particle, in h. */
double dlp_neighbourhood_below(int32_t dimension, double q, double *out_offset);

#endif
