/* The surface of a body at rest. */
#ifndef DLP_SKIN_REST_MESH_H
#define DLP_SKIN_REST_MESH_H

#include "space/mesh.h"
#include "space/shape.h"

/* A shape that is a mesh file keeps its own triangles, as the shape places them; other shapes get
 * triangles about `cell` m wide between sharp edges. Copies are ignored: the mesh is that of the first.
 * Empty, which is not a failure, where no closed mesh comes out: parts that touch and are thinner than a
 * cell. `folder` is where a relative file name starts. The caller releases the mesh. */
dlp_status dlp_rest_mesh_create(const dlp_shape_def *def, const char *folder, double cell, dlp_mesh *out_mesh,
                                dlp_error *error);

#endif
