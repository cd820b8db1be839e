/* What a mesh's tree is made of: shared by what builds it and what asks it. */
#ifndef DLP_SPACE_MESH_TREE_PARTS_H
#define DLP_SPACE_MESH_TREE_PARTS_H

#include "space/mesh_tree.h"

enum { DLP_MESH_LEAF_SIZE = 4 };

/* Of two halves: the box of each, and where it goes on: a node, or (count > 0) triangles. */
typedef struct dlp_mesh_node {
    dlp_box boxes[2];
    int32_t first[2], count[2];
} dlp_mesh_node;

typedef struct dlp_mesh_corner {
    dlp_vec3 a, ab, ac; /* m */
} dlp_mesh_corner;

/* The normals of a triangle's features by dlp_nearest_point.feature; outward, not of unit length. */
typedef struct dlp_mesh_features {
    dlp_vec3 normals[7];
} dlp_mesh_features;

/* One closed piece. Pieces are combined from the largest to the smallest: a solid one is added, a cavity (its
 * surface shows the other side, its volume is negative) is taken away. */
typedef struct dlp_mesh_part {
    dlp_box box;
    int32_t first, count; /* triangles */
    int32_t root;         /* node, or -1 where the triangles are few */
    double volume;        /* m3 (2-D: m2) */
} dlp_mesh_part;

struct dlp_mesh_tree {
    dlp_mesh_part *parts;
    int32_t part_count;
    dlp_mesh_node *nodes;
    int32_t node_count;
    dlp_mesh_corner *frames; /* triangle by triangle, in the order of the leaves */
    dlp_mesh_features *features;
    int32_t triangle_count;
    int32_t dimension;
    double volume; /* -1 where parts overlap */
    dlp_box box;
};

/* The sum of the pieces' volumes, or -1 where they overlap, so that it must be counted. */
double dlp_mesh_tree_sum_volume(const dlp_mesh_tree *tree);

#endif
