/* The surface of a piece of a cut body at rest: that of the body, closed by the faces of the cuts. */
#ifndef DLP_SKIN_FRAGMENT_MESH_H
#define DLP_SKIN_FRAGMENT_MESH_H

#include "motion/solid/solid.h"
#include "space/mesh.h"
#include "space/shape.h"

typedef struct dlp_fragment_mesh_def {
    const dlp_solid *solid; /* borrowed, as the shape is */
    const dlp_shape *shape; /* of the first copy */
    dlp_vec3 offset;        /* m: of this copy from the first */
    int32_t begin, end;     /* the copy's particles */
    int32_t piece;
    double spacing, cell; /* m */
} dlp_fragment_mesh_def;

/* The inside is what is inside the shape and nearer to the particles of the piece than to those of others.
 * Empty where no closed mesh comes out, or one whose volume is not that of the particles: slivers. */
dlp_status dlp_fragment_mesh_create(const dlp_fragment_mesh_def *def, dlp_mesh *out_mesh, dlp_error *error);

#endif
