/* Triangle meshes: read, checked, repaired. A solid's surface is closed: every edge has two triangles. */
#ifndef DLP_SPACE_MESH_H
#define DLP_SPACE_MESH_H

#include "base/status.h"
#include "base/vec.h"
#include "space/text_reader.h"

/* An indexed mesh. Every index is from 0 to vertex_count - 1. All-zero is the empty mesh. */
typedef struct dlp_mesh {
    dlp_vec3 *vertices;      /* m */
    int32_t (*triangles)[3]; /* counter-clockwise seen from outside */
    int32_t vertex_count, triangle_count;
    int32_t vertex_capacity, triangle_capacity;
} dlp_mesh;
void dlp_mesh_release(dlp_mesh *mesh);
/* Adding may move the arrays. DLP_IO past INT32_MAX vertices or a third as many triangles, so that 3 *
 * triangle is always an int32_t. The corners must be vertices of the mesh. */
dlp_status dlp_mesh_add_vertex(dlp_mesh *mesh, dlp_vec3 x, dlp_error *error);
dlp_status dlp_mesh_add_triangle(dlp_mesh *mesh, int32_t a, int32_t b, int32_t c, dlp_error *error);

double dlp_mesh_area(const dlp_mesh *mesh); /* m2 */

/* What a mesh is like; counts of what the surface of a solid must not have come first. */
typedef struct dlp_mesh_report {
    int32_t open_edges;           /* with one triangle */
    int32_t holes;                /* loops of open edges */
    int32_t nonmanifold_edges;    /* with more than two triangles */
    int32_t misoriented_edges;    /* whose two triangles are oriented against each other */
    int32_t nonmanifold_vertices; /* whose triangles are more than one fan: surfaces that touch at a point */
    int32_t degenerate_triangles; /* with a corner used twice or without area */
    int32_t duplicate_triangles;  /* with the three corners of one before */
    int32_t isolated_vertices;    /* without a triangle */
    int32_t nonfinite_vertices;   /* with a coordinate that is NaN or infinite */
    /* of a watertight mesh: outer ones that face inward, cavities that face outward */
    int32_t misfacing_components;
    int32_t vertex_count, triangle_count;
    int32_t components;    /* pieces connected by edges */
    double volume, area;   /* m3 (signed; of a closed mesh), m2 */
    double smallest_angle; /* degrees, of all corners of all triangles; 0 for an empty mesh */
    double thin_share;     /* triangles with an angle below DLP_MESH_THIN_ANGLE, 0..1 */
    dlp_box bounds;        /* m; zero for an empty mesh */
    bool is_watertight;    /* closed, manifold at edges, consistently oriented, and not empty */
    bool is_sound;         /* watertight, and nothing of what is counted above but isolated vertices */
} dlp_mesh_report;
#define DLP_MESH_THIN_ANGLE 5.0 /* degrees */
/* Measures and counts, O(n log n) at worst; the mesh may be anything that the readers accept. Fails only
 * without memory. */
dlp_status dlp_mesh_check(const dlp_mesh *mesh, dlp_mesh_report *out_report, dlp_error *error);

typedef enum dlp_mesh_format { DLP_MESH_OBJ, DLP_MESH_PLY, DLP_MESH_STL } dlp_mesh_format;
/* By the name's ending; DLP_IO with the endings that are read where it is none of them. */
dlp_status dlp_mesh_format_of(const char *path, dlp_mesh_format *out_format, dlp_error *error);

/* The mesh as the file has it: polygons cut into triangles, indices checked, nothing else changed
 * (but an STL, which has no indices, is welded). On failure the mesh is empty. */
dlp_status dlp_mesh_parse(dlp_bytes bytes, dlp_mesh_format format, dlp_mesh *out_mesh, dlp_error *error);
/* The same from a file, for `info`; messages begin with the path. */
dlp_status dlp_mesh_read(const char *path, dlp_mesh *out_mesh, dlp_error *error);

typedef enum dlp_mesh_holes { DLP_HOLES_REFUSE, DLP_HOLES_CLOSE } dlp_mesh_holes;
/* Makes a mesh the surface of a solid: merges vertices at one place where that closes it, drops degenerate
 * and duplicate triangles and unused vertices, and orients the triangles outward. What is not closed then is
 * refused (DLP_IO), or its holes are closed first. After success the mesh is watertight and encloses a
 * volume. */
dlp_status dlp_mesh_make_solid(dlp_mesh *mesh, dlp_mesh_holes holes, dlp_error *error);

#endif
