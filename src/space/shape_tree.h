/* A shape, compiled: a tree of nodes in one array, all in world coordinates (scales, rotations and
 * translations are worked into the leaves), in 2-D reduced to what lies at z = 0. */
#ifndef DLP_SPACE_SHAPE_TREE_H
#define DLP_SPACE_SHAPE_TREE_H

#include "space/height.h"
#include "space/mesh_tree.h"
#include "space/shape.h"
#include "space/shape_leaf.h"

enum { DLP_NODE_COPIES = DLP_SHAPE_INTERSECTION + 1 }; /* beside the kinds of dlp_shape_kind */
/* A union's node has at most this many children; larger ones become a tree of them, each with its bounds. */
enum { DLP_UNION_WIDTH = 4, DLP_SHAPE_DEPTH_LIMIT = 32 };

/* A node: a single shape, a combination of its children, or an array of copies of its only child. Only the
 * fields of its kind are set; all others are zero. */
typedef struct dlp_shape_node {
    int32_t kind;        /* dlp_shape_kind (sheets are boxes), or DLP_NODE_COPIES */
    bool is_complement;  /* everything but it */
    bool is_borrowing;   /* mesh and height belong to another node */
    dlp_transform frame; /* body to world: axis along the body's z; copies: their directions */
    dlp_vec3 half;       /* m: box: half its edges, infinite along z in 2-D */
    double radius;       /* m: sphere, cylinder, capsule, cone at its lower end, ring of the torus */
    double radius_to;    /* m: cone at its upper end; tube of the torus */
    double half_length;  /* m: cylinder, capsule, cone */
    dlp_mesh_tree *mesh; /* owned unless is_borrowing */
    dlp_height *height;  /* likewise */
    int32_t first_child, child_count; /* children are nodes first_child ..; 0 of them: a leaf */
    int32_t copies[3];                /* of the child, along the frame's axes ... */
    double steps[3];                  /* ... this far apart, m */
    dlp_box child_box;                /* m: copies: the child's bounds along the frame's axes */
    dlp_box bounds;                   /* m: world; infinite where there is no end */
} dlp_shape_node;

struct dlp_shape {
    dlp_shape_node
        *nodes; /* the root first; children of a node stand together. Nodes of a union that was
                   divided stay where they were as owners of meshes and heights; nobody visits them */
    int32_t node_count, node_capacity;
    int32_t dimension; /* 2 or 3 */
};

/* A similarity: x -> scale rotation x + translation. */
typedef struct dlp_similarity {
    dlp_transform frame;
    double scale;
} dlp_similarity;

/* Checks the fields that a kind reads, its transform and its copies; says which is wrong. */
dlp_status dlp_shape_check(const dlp_shape_def *def, int32_t dimension, dlp_error *error);
const char *dlp_shape_name(dlp_shape_kind kind);

/* Builds a single shape into a zeroed node; `similarity` is the product of all transforms around it. The
 * complement is left to the caller. On failure the node owns what it has so far. */
dlp_status dlp_shape_build_leaf(const dlp_shape_def *def, int32_t dimension, const char *folder,
                                const dlp_similarity *similarity, dlp_shape_node *node, dlp_error *error);
/* The transform of a shape to the world, given that of the shape that contains it. */
dlp_similarity dlp_shape_similarity(const dlp_shape_def *def, dlp_similarity outer);
/* Reads a mesh file and makes it a solid in world coordinates; the caller releases it. */
dlp_status dlp_shape_load_mesh(const dlp_shape_def *def, const char *folder, const dlp_similarity *similarity,
                               dlp_mesh *out_mesh, dlp_error *error);
/* Reduces a leaf to its section at z = 0, which may be of another kind (a ball becomes a disc, a lying
 * cylinder a box). DLP_INVALID where there is no section, or one that no leaf can express. */
dlp_status dlp_shape_flatten(dlp_shape_node *node, const char *name, dlp_error *error);

/* A frame whose z is `axis`; its x is level, so that in 2-D it lies in the plane. */
dlp_transform dlp_transform_along(dlp_vec3 axis, dlp_vec3 center);
dlp_transform
dlp_transform_transposed(const dlp_transform *frame); /* the inverse rotation, without translation */
dlp_box dlp_box_endless(void);
/* Bounds of a box in another frame; infinite edges stay infinite. */
dlp_box dlp_box_rotated(const dlp_transform *frame, const dlp_box *box);

/* Distance and gradient of a node and all below it; in 2-D x.z must be 0. */
dlp_probe dlp_shape_node_probe(const dlp_shape *shape, int32_t index, dlp_vec3 x);
/* Volume (2-D: area) of a node; infinite where there is no end. */
double dlp_shape_node_volume(const dlp_shape *shape, int32_t index);
/* The volume of a node within `box`, m3 (2-D: m2), counted over cells.
 * Infinite for a box without end. */
double dlp_shape_count_volume(const dlp_shape *shape, int32_t index, dlp_box box);
/* The same two to about a thousandth, from a fortieth of the cells. */
double dlp_shape_rough_volume(const dlp_shape *shape, int32_t index);
double dlp_shape_rough_count(const dlp_shape *shape, int32_t index, dlp_box box);
/* Whether the bounds of a union's children (or of copies) do not overlap, so that each can be measured and
 * filled by itself. */
bool dlp_shape_node_is_apart(const dlp_shape *shape, int32_t index);
/* A leaf's bounds in its own frame, m; not for meshes. */
dlp_box dlp_shape_body_box(const dlp_shape_node *node);
/* Axes that fit a node best, and its bounds along them (exact for single shapes); in 2-D rotated about z
 * only. A combination has the axes of its first child. */
dlp_transform dlp_shape_node_axes(const dlp_shape *shape, int32_t index, dlp_box *out_box);

#endif
