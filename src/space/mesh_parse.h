/* The mesh formats, from bytes in memory; each leaves checked indices and finite vertices. */
#ifndef DLP_SPACE_MESH_PARSE_H
#define DLP_SPACE_MESH_PARSE_H

#include "space/mesh.h"

dlp_status dlp_mesh_parse_obj(dlp_bytes bytes, dlp_mesh *mesh, dlp_error *error);
dlp_status dlp_mesh_parse_ply(dlp_bytes bytes, dlp_mesh *mesh, dlp_error *error);
/* STL has no indices: equal places become one vertex. */
dlp_status dlp_mesh_parse_stl(dlp_bytes bytes, dlp_mesh *mesh, dlp_error *error);

#endif
