/* A closed mesh of a shape, or of another inside, from its signed distance. */
#ifndef DLP_SKIN_DUAL_CONTOUR_H
#define DLP_SKIN_DUAL_CONTOUR_H

#include "space/mesh.h"
#include "space/shape.h"

/* Something with an inside, given by a function of the place. */
typedef struct dlp_dual_field {
    const void *context;
    double (*distance)(const void *context, dlp_vec3 x); /* below 0 inside; continuous where it is 0 */
    /* m to the surface, about, and the normal: where the surface is near */
    double (*probe)(const void *context, dlp_vec3 x, dlp_vec3 *out_normal);
    bool (*may_pass)(const void *context, dlp_vec3 middle, double radius); /* the surface, through a ball */
    dlp_transform axes;                                                    /* of the grid */
    dlp_box box; /* m, along them: all of the inside */
} dlp_dual_field;

/* Triangles about `cell` m wide, along the axes; edges and corners are kept sharp. Parts thinner than a cell
 * may be lost, and where they touch, the mesh may not be manifold: dlp_mesh_check tells. */
dlp_status dlp_dual_contour(const dlp_dual_field *field, double cell, dlp_mesh *out_mesh, dlp_error *error);
/* Of a 3-D shape with an end, along its own axes. */
dlp_status dlp_dual_mesh(const dlp_shape *shape, double cell, dlp_mesh *out_mesh, dlp_error *error);

#endif
