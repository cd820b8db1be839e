/* A closed mesh of a shape, from its signed distance. */
#ifndef DLP_SKIN_DUAL_H
#define DLP_SKIN_DUAL_H

#include "space/mesh.h"
#include "space/shape.h"

/* Triangles about `cell` m wide, along the shape's own axes; edges and corners of the shape are kept sharp.
 * Of a 3-D shape with an end. Parts thinner than a cell may be lost, and where they touch, the mesh may not
 * be manifold: dlp_mesh_check tells. */
dlp_status dlp_dual_mesh(const dlp_shape *shape, double cell, dlp_mesh *out_mesh, dlp_error *error);

#endif
