/* Triangles of the parts of a shape, cut to those that lie on the shape itself. */
#ifndef DLP_SPACE_SHAPE_CUT_H
#define DLP_SPACE_SHAPE_CUT_H

#include "space/shape_surface.h"

/* What a surface is cut to. */
typedef struct dlp_shape_cut_def {
    const dlp_shape *shape; /* borrowed; 3-D */
    dlp_box shown;          /* m: pieces are fine here, and coarser the further away */
    double error;           /* m: how far a triangle may lie from the surface that it stands for */
} dlp_shape_cut_def;

/* Keeps the parts of the triangles that lie on the shape: where solids overlap, what is inside of another one
 * or was taken away is removed. Triangles become smaller on the way. On failure the surface is empty. */
dlp_status dlp_shape_surface_cut(dlp_shape_surface *surface, const dlp_shape_cut_def *def, dlp_error *error);

/* Adds a triangle of three points and three unit normals, which are copied. */
dlp_status dlp_shape_surface_add(dlp_shape_surface *surface, const dlp_vec3 *points, const dlp_vec3 *normals,
                                 dlp_error *error);

#endif
