/* What a mesh's tree is made of: shared by mesh_tree_build.c, which builds it, and mesh_tree.c, which queries
 * it. */
#ifndef DLP_SPACE_MESH_TREE_PARTS_H
#define DLP_SPACE_MESH_TREE_PARTS_H

#include "space/mesh_tree.h"

enum { DLP_MESH_LEAF_SIZE = 4 }; /* triangles of a leaf at most */

/* A node of the tree: its two halves, each a node (count 0) or a leaf of `count` triangles. */
typedef struct dlp_mesh_node {
    dlp_box boxes[2]; /* m: bounds of each half */
    int32_t first[2]; /* of a node: its index; of a leaf: its first triangle */
    int32_t count[2];
} dlp_mesh_node;

/* A triangle as its first corner and the edges from there: what dlp_nearest_triangle wants. */
typedef struct dlp_mesh_corner {
    dlp_vec3 a, ab, ac; /* m */
} dlp_mesh_corner;

/* The normals of a triangle's features by dlp_nearest_point.feature: outward, not of unit length; zero for a
 * face without area. */
typedef struct dlp_mesh_features {
    dlp_vec3 normals[7];
} dlp_mesh_features;

/* One closed piece. Pieces are combined from the largest to the smallest: a solid one is added, a cavity (it
 * faces inward, so that its volume is negative) is taken away. */
typedef struct dlp_mesh_part {
    dlp_box box;
    int32_t first, count; /* its triangles, which are consecutive */
    int32_t root;         /* node, or -1 where the triangles are few */
    double volume;        /* m3 (2-D: m2) */
} dlp_mesh_part;

/* All arrays are owned. Nothing changes after dlp_mesh_tree_create. */
struct dlp_mesh_tree {
    dlp_mesh_part *parts; /* by falling volume (its absolute value) */
    int32_t part_count;
    dlp_mesh_node *nodes; /* of all parts; the children of a node come after it */
    int32_t node_count;
    dlp_mesh_corner *frames;     /* per triangle, in the order of the leaves */
    dlp_mesh_features *features; /* likewise: apart, since only the nearest triangle's are read */
    int32_t triangle_count;
    int32_t dimension; /* 2 or 3 */
    double volume;     /* m3 (2-D: m2); -1 where parts overlap */
    dlp_box box;       /* m: of all parts */
};

/* The sum of the pieces' volumes, or -1 where they overlap, so that it must be counted. */
double dlp_mesh_tree_sum_volume(const dlp_mesh_tree *tree);

#endif
