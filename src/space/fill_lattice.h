/* The lattice a shape is filled with: close-packed or cubic, stretched to fit a box. */
#ifndef DLP_SPACE_FILL_LATTICE_H
#define DLP_SPACE_FILL_LATTICE_H

#include "space/shape.h"

/* A lattice of counts[0] * counts[1] * counts[2] points; made by dlp_lattice_fit. */
typedef struct dlp_lattice_grid {
    dlp_transform frame;     /* its axes to the world's */
    dlp_vec3 origin;         /* m: lower corner of the box, along the lattice's axes */
    double steps[3];         /* m: between points of a row, rows, layers */
    int32_t counts[3];       /* points per row, rows per layer, layers; at most 2^20 each */
    double shift_x, shift_y; /* in steps: alternate rows and layers are moved by plus and minus this */
} dlp_lattice_grid;

/* Fits a lattice into `box` (along the axes of `frame`): whole numbers of points, the outermost half a step
 * from its faces, the cells as near as can be to the requested size and form. Along `wraps` axes it continues
 * into the next period. False where an axis would have more than 2^20 points. */
bool dlp_lattice_fit(const dlp_fill_def *def, const dlp_transform *frame, dlp_box box, const bool wraps[3],
                     dlp_lattice_grid *out_grid);

double dlp_lattice_cell(const dlp_lattice_grid *grid, int32_t dimension); /* m3 (2-D: m2) per point */
dlp_vec3 dlp_lattice_point(const dlp_lattice_grid *grid, int32_t i, int32_t j, int32_t k); /* world, m */

#endif
