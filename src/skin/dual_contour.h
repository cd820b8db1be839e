/* A closed mesh of a shape, or of anything else that has an inside, from its signed distance (dual
 * contouring). */
#ifndef DLP_SKIN_DUAL_CONTOUR_H
#define DLP_SKIN_DUAL_CONTOUR_H

#include "space/mesh.h"
#include "space/shape.h"

/* Something with an inside, given by functions of the place. Places are in the world's axes, in m. The
 * functions must be pure: each is called many times for one place and must answer alike. */
typedef struct dlp_dual_field {
    const void *context;                                 /* borrowed; handed to the functions */
    double (*distance)(const void *context, dlp_vec3 x); /* below 0 inside; continuous where it is 0 */
    /* about the distance to the surface, m, and its unit normal, outward; asked only near the surface */
    double (*probe)(const void *context, dlp_vec3 x, dlp_vec3 *out_normal);
    bool (*may_pass)(const void *context, dlp_vec3 middle, double radius); /* the surface, through a ball */
    dlp_transform axes;                                                    /* of the grid */
    dlp_box box; /* m, along them: all of the inside */
} dlp_dual_field;

/* Triangles about `cell` m wide, along the field's axes; edges and corners are kept sharp. The caller
 * releases the mesh; on failure it is empty. Parts thinner than a cell may be lost, and where they touch,
 * the mesh may not be manifold or closed: dlp_mesh_check tells. */
dlp_status dlp_dual_contour(const dlp_dual_field *field, double cell, dlp_mesh *out_mesh, dlp_error *error);
/* The mesh of a 3-D shape of finite extent, along the shape's own axes. */
dlp_status dlp_dual_mesh(const dlp_shape *shape, double cell, dlp_mesh *out_mesh, dlp_error *error);

#endif
