/* The mesh formats, from bytes in memory. Each appends to an empty mesh and checks the indices;
 * dlp_mesh_parse checks the vertices and releases the mesh after a failure. */
#ifndef DLP_SPACE_MESH_PARSE_H
#define DLP_SPACE_MESH_PARSE_H

#include "space/mesh.h"

dlp_status dlp_mesh_parse_obj(dlp_bytes bytes, dlp_mesh *mesh, dlp_error *error);
dlp_status dlp_mesh_parse_ply(dlp_bytes bytes, dlp_mesh *mesh, dlp_error *error);
/* STL has no indices: vertices at equal positions become one. */
dlp_status dlp_mesh_parse_stl(dlp_bytes bytes, dlp_mesh *mesh, dlp_error *error);

#endif
