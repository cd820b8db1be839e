/* Irregular fills: points without the directions of a lattice, evenly spread all the same. */
#ifndef DLP_SPACE_FILL_NOISE_H
#define DLP_SPACE_FILL_NOISE_H

#include "space/shape.h"

/* Moves the points of a cube lattice to random places in their cells, then apart until they are even: blue
 * noise. The random numbers are hashes of the points' indices: the same fill gives the same places. All stay
 * inside the shape. 3-D, without periods. On failure the fill is still valid and can be released. */
dlp_status dlp_fill_scatter(const dlp_shape *shape, double spacing, dlp_fill *fill, dlp_error *error);

#endif
