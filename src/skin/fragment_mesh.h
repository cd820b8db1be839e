/* The surface of one fragment of a cut body at rest: that of the whole body, closed by the faces of the
 * cuts. */
#ifndef DLP_SKIN_FRAGMENT_MESH_H
#define DLP_SKIN_FRAGMENT_MESH_H

#include "motion/solid/solid.h"
#include "space/mesh.h"
#include "space/shape.h"

/* One fragment. Pointers are borrowed during the call. */
typedef struct dlp_fragment_mesh_def {
    const dlp_solid *solid; /* borrowed; its fragments are up to date */
    const dlp_shape *shape; /* borrowed: of the first copy */
    dlp_vec3 offset;        /* m: of this copy from the first */
    int32_t begin, end;     /* the particles of the copy: [begin, end) of the solid's */
    int32_t piece;          /* the fragment's number among those of all solids */
    double spacing, cell;   /* m: of the particles, of the grid on which the mesh is made */
} dlp_fragment_mesh_def;

/* The inside is what is inside the shape and nearer to the particles of the fragment than to those of
 * others. Empty, which is not a failure, where no closed mesh comes out or its volume is far from that of
 * the particles: slivers. The caller releases the mesh. */
dlp_status dlp_fragment_mesh_create(const dlp_fragment_mesh_def *def, dlp_mesh *out_mesh, dlp_error *error);

#endif
