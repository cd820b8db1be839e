/* Triangles of the parts of a shape, cut to those that lie on the shape itself. */
#ifndef DLP_SPACE_SHAPE_CUT_H
#define DLP_SPACE_SHAPE_CUT_H

#include "space/shape_surface.h"

typedef struct dlp_shape_cut_def {
    const dlp_shape *shape;
    dlp_box shown; /* m: pieces are fine here, and coarser the further away */
    double error;  /* m: how far a triangle may lie from the surface that it stands for */
} dlp_shape_cut_def;

/* Leaves of the surface's triangles what lies on the shape: where parts overlap, what is inside of another
 * part or was taken away goes. On failure the surface is empty. */
dlp_status dlp_shape_surface_cut(dlp_shape_surface *surface, const dlp_shape_cut_def *def, dlp_error *error);

/* Adds a triangle; three points, three normals. */
dlp_status dlp_shape_surface_add(dlp_shape_surface *surface, const dlp_vec3 *points, const dlp_vec3 *normals,
                                 dlp_error *error);

#endif
