/* The section of a closed mesh at z = 0. */
#ifndef DLP_SPACE_MESH_SECTION_H
#define DLP_SPACE_MESH_SECTION_H

#include "space/mesh.h"

/* A ribbon that stands on the outline of the section: upright, facing outward, from z = -size to z = +size of
 * the mesh, so that a point at z = 0 is as far from it as from the outline. The mesh must be closed and
 * oriented.
 * (*out_part)[t] is the component (by `component`, per triangle of the mesh) that triangle t of the ribbon
 * came from; the caller frees it and releases the ribbon. DLP_INVALID where the plane misses the mesh. */
dlp_status dlp_mesh_section(const dlp_mesh *mesh, const int32_t *component, dlp_mesh *out_ribbon,
                            int32_t **out_part, dlp_error *error);

#endif
