/* The edges of a mesh: which triangles meet where. */
#ifndef DLP_SPACE_MESH_EDGES_H
#define DLP_SPACE_MESH_EDGES_H

#include "space/mesh.h"

/* One side of a triangle; sides of the same edge stand next to each other. */
typedef struct dlp_mesh_side {
    int32_t low, high; /* the edge's vertices, low < high */
    int32_t triangle;
    int32_t corner; /* the side runs from this corner to the next */
} dlp_mesh_side;

/* All sides of a mesh, sorted by edge; degenerate sides (low == high) come with them. */
typedef struct dlp_mesh_edges {
    dlp_mesh_side *sides;
    int32_t count;
} dlp_mesh_edges;

dlp_status dlp_mesh_edges_create(const dlp_mesh *mesh, dlp_mesh_edges *out_edges, dlp_error *error);
void dlp_mesh_edges_release(dlp_mesh_edges *edges);
/* One past the last side that shares the edge of side `first`. */
int32_t dlp_mesh_edge_end(const dlp_mesh_edges *edges, int32_t first);
/* Whether the side runs from the lower to the higher vertex. */
bool dlp_mesh_side_is_forward(const dlp_mesh *mesh, const dlp_mesh_side *side);

/* Numbers each triangle's component (pieces joined across edges); the caller frees the array. */
dlp_status dlp_mesh_components(const dlp_mesh *mesh, const dlp_mesh_edges *edges, int32_t **out_component,
                               int32_t *out_count, dlp_error *error);

/* How many components of a watertight mesh are turned the wrong way for where they lie: outward is right
 * outside of the others, inward is right for the walls of a cavity. */
dlp_status dlp_mesh_count_misfacing(const dlp_mesh *mesh, const int32_t *component, int32_t component_count,
                                    int32_t *out_count, dlp_error *error);

/* The simple loops of a mesh's open edges, as vertices along each hole, against its triangles. */
typedef struct dlp_mesh_loops {
    int32_t *vertices; /* loop after loop */
    int32_t *starts;   /* count + 1 of them */
    int32_t count;
} dlp_mesh_loops;
dlp_status dlp_mesh_loops_create(const dlp_mesh *mesh, const dlp_mesh_edges *edges, dlp_mesh_loops *out_loops,
                                 dlp_error *error);
void dlp_mesh_loops_release(dlp_mesh_loops *loops);

/* Cuts a polygon into triangles that keep its direction: `corners` are vertices of the mesh. */
dlp_status dlp_mesh_add_polygon(dlp_mesh *mesh, const int32_t *corners, int32_t count, dlp_error *error);
/* A polygon's ears cut off one by one in the plane it fits best: count - 2 triangles as places in `corners`.
 * False where the polygon is too large or crosses itself. `scratch` has room for `count`. */
bool dlp_mesh_cut_ears(const dlp_vec3 *vertices, const int32_t *corners, int32_t count, int32_t *scratch,
                       int32_t (*out_triangles)[3]);

/* Steps of dlp_mesh_make_solid. */
dlp_status dlp_mesh_weld(dlp_mesh *mesh, double tolerance, dlp_error *error); /* m; 0: equal places only */
dlp_status dlp_mesh_tidy(dlp_mesh *mesh, dlp_error *error); /* drops bad, double triangles, unused vertices */
dlp_status dlp_mesh_orient(dlp_mesh *mesh, dlp_error *error); /* one way for each component */
/* Of a closed, oriented mesh: turns components that show their inside and do not line a cavity. */
dlp_status dlp_mesh_face_outward(dlp_mesh *mesh, dlp_error *error);
dlp_status dlp_mesh_close_holes(dlp_mesh *mesh, dlp_error *error);
/* Of a closed mesh: a triangle without area, whose one corner lies on the side between the others, gives that
 * corner to the triangle across the side, so that normals at edges are again those of two faces. */
dlp_status dlp_mesh_flip_slivers(dlp_mesh *mesh, dlp_error *error);
bool dlp_mesh_has_edge(const dlp_mesh_edges *edges, int32_t a, int32_t b);

#endif
