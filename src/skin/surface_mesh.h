/* The surface of a substance as triangles, with what pictures and other programs need at its vertices. */
#ifndef DLP_SKIN_SURFACE_MESH_H
#define DLP_SKIN_SURFACE_MESH_H

#include "space/mesh.h"

/* All-zero is the empty surface. Arrays after the mesh have one entry a vertex; those that may be NULL are so
 * marked. */
typedef struct dlp_surface_mesh {
    dlp_mesh mesh;  /* 2-manifold; closed and counter-clockwise seen from outside, or the sheet of a cloth */
    float *normals; /* three: unit, outward; of a sheet on the side from which it is counter-clockwise */
    float *velocities;   /* three, m/s */
    float *temperatures; /* degrees C, or NULL */
    float *colors;       /* three, sRGB 0..1, or NULL */
} dlp_surface_mesh;
void dlp_surface_mesh_release(dlp_surface_mesh *mesh);

/* A run of another mesh's vertices and the triangles among them. */
typedef struct dlp_mesh_range {
    int32_t first_vertex, end_vertex, first_triangle, end_triangle;
} dlp_mesh_range;
/* Without vertices; the room stays. */
void dlp_surface_mesh_clear(dlp_surface_mesh *mesh);
/* Adds a run of `from`. All that are added have the same arrays. */
dlp_status dlp_surface_mesh_append(dlp_surface_mesh *mesh, const dlp_surface_mesh *from,
                                   const dlp_mesh_range *range, dlp_error *error);
/* m3, of a closed mesh. */
double dlp_surface_mesh_volume(const dlp_mesh *mesh);

/* Normals from the triangles, each counted by its angle at the vertex; where there are none, up. Makes room
 * for them where there is none. */
dlp_status dlp_surface_mesh_compute_normals(dlp_surface_mesh *mesh, dlp_error *error);

typedef struct dlp_surface_mesh_report {
    dlp_mesh_report mesh;
    int32_t nonunit_normals; /* whose length is not 1 within a thousandth */
    int32_t flipped_normals; /* that point into the surface: away from the mean of the triangles' normals */
    bool is_sound;           /* the mesh is, and no normal is counted above */
} dlp_surface_mesh_report;
dlp_status dlp_surface_mesh_check(const dlp_surface_mesh *mesh, dlp_surface_mesh_report *out_report,
                                  dlp_error *error);

#endif
