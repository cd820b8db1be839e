/* The surface of a substance as triangles, with what pictures and other programs need at its vertices. */
#ifndef DLP_SKIN_SURFACE_MESH_H
#define DLP_SKIN_SURFACE_MESH_H

#include "space/mesh.h"

/* All-zero is the empty surface. Arrays after the mesh are owned and have one entry per vertex; the
 * normals are filled by whoever makes the vertices. Those that may be NULL are marked. */
typedef struct dlp_surface_mesh {
    dlp_mesh mesh;  /* 2-manifold; closed and counter-clockwise seen from outside, or the sheet of a cloth */
    float *normals; /* three: unit, outward; of a sheet on the side from which it is counter-clockwise */
    float *velocities;   /* three, m/s */
    float *temperatures; /* degrees C, or NULL */
    float *colors;       /* three, sRGB 0..1, or NULL */
} dlp_surface_mesh;
void dlp_surface_mesh_release(dlp_surface_mesh *mesh);

/* Consecutive vertices [first, end) of another mesh and its triangles [first, end), which use these
 * vertices alone. */
typedef struct dlp_mesh_range {
    int32_t first_vertex, end_vertex, first_triangle, end_triangle;
} dlp_mesh_range;
/* Removes all vertices and triangles and keeps the memory. */
void dlp_surface_mesh_clear(dlp_surface_mesh *mesh);
/* Adds a range of `from`. All meshes that are added to one must have the same arrays: those that the first
 * one has. */
dlp_status dlp_surface_mesh_append(dlp_surface_mesh *mesh, const dlp_surface_mesh *from,
                                   const dlp_mesh_range *range, dlp_error *error);
/* m3 enclosed by a closed mesh: one sixth of the sum of a . (b x c) over its triangles. */
double dlp_surface_mesh_volume(const dlp_mesh *mesh);

/* Normals from the triangles, each weighted by its angle at the vertex; (0, 0, 1) at vertices without
 * triangles. Allocates them where they are NULL; otherwise they must have room for all vertices. */
dlp_status dlp_surface_mesh_compute_normals(dlp_surface_mesh *mesh, dlp_error *error);

/* What is wrong with a surface; counts of 0 where it has no normals. */
typedef struct dlp_surface_mesh_report {
    dlp_mesh_report mesh;
    int32_t nonunit_normals; /* whose length is not 1 within a thousandth */
    int32_t flipped_normals; /* that point into the surface: away from the mean of the triangles' normals */
    bool is_sound;           /* the mesh is, and no normal is counted above */
} dlp_surface_mesh_report;
/* Reads the mesh alone; fails only without memory. */
dlp_status dlp_surface_mesh_check(const dlp_surface_mesh *mesh, dlp_surface_mesh_report *out_report,
                                  dlp_error *error);

#endif
