/* The surface of a body at rest. */
#ifndef DLP_SKIN_REST_MESH_H
#define DLP_SKIN_REST_MESH_H

#include "space/mesh.h"
#include "space/shape.h"

/* Of a mesh file its own triangles, as the shape places them; of other shapes triangles about `cell` m wide
 * between sharp edges. Of the first of its copies. Empty where no closed mesh comes out: parts that touch and
 * are thinner than a cell. */
dlp_status dlp_rest_mesh_create(const dlp_shape_def *def, const char *folder, double cell, dlp_mesh *out_mesh,
                                dlp_error *error);

#endif
