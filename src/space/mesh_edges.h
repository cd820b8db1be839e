/* The edges of a mesh: which triangles meet where. */
#ifndef DLP_SPACE_MESH_EDGES_H
#define DLP_SPACE_MESH_EDGES_H

#include "space/mesh.h"

/* One side of a triangle. An edge of a closed mesh has two sides. */
typedef struct dlp_mesh_side {
    int32_t low, high; /* the edge's vertices, low <= high; equal only in a degenerate side */
    int32_t triangle;
    int32_t corner; /* the side runs from this corner to the next */
} dlp_mesh_side;

/* All sides of a mesh, sorted by low, high, triangle and corner: the sides of an edge stand next to each
 * other, in an order that depends on the mesh alone. It is valid until the triangles change. */
typedef struct dlp_mesh_edges {
    dlp_mesh_side *sides;
    int32_t count; /* 3 per triangle */
} dlp_mesh_edges;

dlp_status dlp_mesh_edges_create(const dlp_mesh *mesh, dlp_mesh_edges *out_edges, dlp_error *error);
void dlp_mesh_edges_release(dlp_mesh_edges *edges);
/* One past the last side that shares the edge of side `first`, which must be the first of its edge. */
int32_t dlp_mesh_edge_end(const dlp_mesh_edges *edges, int32_t first);
/* Whether the side runs from the lower to the higher vertex. */
bool dlp_mesh_side_is_forward(const dlp_mesh *mesh, const dlp_mesh_side *side);

/* Numbers each triangle's component (pieces connected across edges) from 0, in the order of their lowest
 * triangles; the caller frees the array, also on failure (NULL then). */
dlp_status dlp_mesh_components(const dlp_mesh *mesh, const dlp_mesh_edges *edges, int32_t **out_component,
                               int32_t *out_count, dlp_error *error);

/* How many components of a watertight mesh are oriented wrongly for where they lie: outward is right outside
 * of the others, inward is right for the walls of a cavity. All vertices must be finite. */
dlp_status dlp_mesh_count_misfacing(const dlp_mesh *mesh, const int32_t *component, int32_t component_count,
                                    int32_t *out_count, dlp_error *error);

/* The simple loops of a mesh's open edges, as vertices along each hole, in the direction opposite to its
 * triangles', so that a polygon over them closes the hole with the right orientation. */
typedef struct dlp_mesh_loops {
    int32_t *vertices; /* loop after loop */
    int32_t *starts;   /* count + 1 of them: where each loop begins in `vertices` */
    int32_t count;
} dlp_mesh_loops;
dlp_status dlp_mesh_loops_create(const dlp_mesh *mesh, const dlp_mesh_edges *edges, dlp_mesh_loops *out_loops,
                                 dlp_error *error);
void dlp_mesh_loops_release(dlp_mesh_loops *loops);

/* Cuts a polygon of at least 3 corners into triangles that keep its orientation: `corners` are vertices of
 * the mesh. One that crosses itself becomes a fan; one that is neither small nor convex is refused (DLP_IO).
 */
dlp_status dlp_mesh_add_polygon(dlp_mesh *mesh, const int32_t *corners, int32_t count, dlp_error *error);
/* Cuts a polygon's ears off one by one, seen along the axis that its normal is nearest to: count - 2
 * triangles, whose corners are indices into `corners`. False where the polygon is too large (the time grows
 * with the cube of the count) or crosses itself. `scratch` holds `count` numbers. */
bool dlp_mesh_cut_ears(const dlp_vec3 *vertices, const int32_t *corners, int32_t count, int32_t *scratch,
                       int32_t (*out_triangles)[3]);

/* Steps of dlp_mesh_make_solid, in the order in which they are called. */
dlp_status dlp_mesh_weld(dlp_mesh *mesh, double tolerance, dlp_error *error); /* m; 0: equal positions only */
dlp_status dlp_mesh_tidy(dlp_mesh *mesh,
                         dlp_error *error); /* drops degenerate and duplicate triangles, unused vertices */
dlp_status
dlp_mesh_orient(dlp_mesh *mesh,
                dlp_error *error); /* one orientation per component; needs edges of at most two sides */
/* For a closed, oriented mesh: flips components that face inward and do not line a cavity. */
dlp_status dlp_mesh_face_outward(dlp_mesh *mesh, dlp_error *error);
/* Adds triangles over every loop of open edges; needs an oriented mesh. */
dlp_status dlp_mesh_close_holes(dlp_mesh *mesh, dlp_error *error);
/* For a closed mesh: where a triangle has no area because one corner lies on the side between the others,
 * that side is flipped, so that the corner divides the triangle across it. Normals at edges are then those of
 * two real faces, as signed distances need them. */
dlp_status dlp_mesh_flip_slivers(dlp_mesh *mesh, dlp_error *error);
/* Whether the mesh has an edge between a and b: a binary search. */
bool dlp_mesh_has_edge(const dlp_mesh_edges *edges, int32_t a, int32_t b);

#endif
