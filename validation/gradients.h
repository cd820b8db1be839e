/* Deformation gradients from scattered particles, by the kernels that are compared: F_i = sum (x_j - x_i)
 * g_j^T over the neighbours j of i, with weights of the kernel poly6, 315 (h^2 - r^2)^3 / (64 pi h^9). */
#ifndef DLP_VALIDATION_GRADIENTS_H
#define DLP_VALIDATION_GRADIENTS_H

#include "base/status.h"
#include "base/vec.h"

/* Particles on a cubic lattice, and who is within the support of whom. */
typedef struct dlp_gradient_lattice {
    int32_t count;
    dlp_vec3 *rest;             /* m */
    double volume;              /* m3: of each */
    double support;             /* m: h */
    int32_t *begin, *neighbour; /* those of i: begin[i] .. begin[i + 1] - 1; itself is none of them */
} dlp_gradient_lattice;

/* `counts` particles along the axes, `spacing` m apart. */
dlp_status dlp_gradient_lattice_create(dlp_gradient_lattice *lattice, const int32_t counts[3], double spacing,
                                       double support, dlp_error *error);
void dlp_gradient_lattice_release(dlp_gradient_lattice *lattice);

/* All g, one per neighbour, in the order of the neighbours. */
typedef void dlp_gradients_fn(const dlp_gradient_lattice *lattice, dlp_vec3 *out_gradients);
dlp_gradients_fn dlp_gradients_plain;     /* V grad W */
dlp_gradients_fn dlp_gradients_constant;  /* moving least squares with basis 1: of W / sum V W */
dlp_gradients_fn dlp_gradients_corrected; /* that, times the matrix that makes it exact for affine maps */
dlp_gradients_fn
    dlp_gradients_reduced; /* what of it remains in differences: least squares, as the solver has it */
/* Moving least squares with basis 1, x, y, z: by the book, and with as little as it takes. */
dlp_gradients_fn dlp_gradients_linear_book, dlp_gradients_linear;

/* F of a particle where the particles are at `places`, by rows. */
void dlp_gradient_lattice_gradient(const dlp_gradient_lattice *lattice, const dlp_vec3 *gradients,
                                   const dlp_vec3 *places, int32_t i, double out_gradient[9]);

#endif
