/* The section of a closed mesh at z = 0. */
#ifndef DLP_SPACE_MESH_SECTION_H
#define DLP_SPACE_MESH_SECTION_H

#include "space/mesh.h"

/* A ribbon that stands on the outline of the section: upright, outward, across z = 0, so that
 * a point at z = 0 is as far from it as from the outline. `out_part[t]` is the component its triangle t came
 * from. */
dlp_status dlp_mesh_section(const dlp_mesh *mesh, const int32_t *component, dlp_mesh *out_ribbon,
                            int32_t **out_part, dlp_error *error);

#endif
