/* Signed distance to a closed mesh: the nearest triangle from a tree of boxes, the sign from the
 * angle-weighted normal of the face, edge or vertex that is nearest.  [baerentzen2005] */
#ifndef DLP_SPACE_MESH_TREE_H
#define DLP_SPACE_MESH_TREE_H

#include "space/mesh.h"

typedef struct dlp_mesh_tree dlp_mesh_tree;

/* The mesh must be a solid (dlp_mesh_make_solid); it is copied. In 2 dimensions the tree is that of the
 * section at z = 0. */
dlp_status dlp_mesh_tree_create(const dlp_mesh *mesh, int32_t dimension, dlp_mesh_tree **out_tree,
                                dlp_error *error);
void dlp_mesh_tree_destroy(dlp_mesh_tree *tree);

/* Distance, m, negative inside, and the unit gradient. O(log n) triangles are looked at near the surface,
 * more far away from it. Safe from several threads. */
double dlp_mesh_tree_probe(const dlp_mesh_tree *tree, dlp_vec3 x, dlp_vec3 *out_normal);
/* m: of the triangles; in 2-D those of the ribbon, whose z has no meaning. */
dlp_box dlp_mesh_tree_bounds(const dlp_mesh_tree *tree);
/* m3 (2-D: m2), from the triangles; -1 where parts overlap, so that the sum of their volumes is not the
 * volume: then it must be counted (shape_volume.c). */
double dlp_mesh_tree_volume(const dlp_mesh_tree *tree);

#endif
