/* The surface of a substance as triangles, with what pictures and other programs need at its vertices. */
#ifndef DLP_SKIN_SKIN_MESH_H
#define DLP_SKIN_SKIN_MESH_H

#include "space/mesh.h"

/* All-zero is the empty surface. Arrays after the mesh have one entry a vertex; those that may be NULL are so
 * marked. */
typedef struct dlp_skin_mesh {
    dlp_mesh mesh;  /* 2-manifold; closed and counter-clockwise seen from outside, or the sheet of a cloth */
    float *normals; /* three: unit, outward; of a sheet on the side from which it is counter-clockwise */
    float *velocities;   /* three, m/s */
    float *temperatures; /* degrees C, or NULL */
    float *colors;       /* three, sRGB 0..1, or NULL */
} dlp_skin_mesh;
void dlp_skin_mesh_release(dlp_skin_mesh *mesh);

/* A run of another mesh's vertices and the triangles among them. */
typedef struct dlp_skin_run {
    int32_t first_vertex, end_vertex, first_triangle, end_triangle;
} dlp_skin_run;
/* Without vertices; the room stays. */
void dlp_skin_mesh_clear(dlp_skin_mesh *mesh);
/* Adds a run of `from`. All that are added have the same arrays. */
dlp_status dlp_skin_mesh_append(dlp_skin_mesh *mesh, const dlp_skin_mesh *from, const dlp_skin_run *run,
                                dlp_error *error);
/* m3, of a closed mesh. */
double dlp_skin_mesh_volume(const dlp_mesh *mesh);

/* Normals from the triangles, each counted by its angle at the vertex; where there are none, up. Makes room
 * for them where there is none. */
dlp_status dlp_skin_mesh_compute_normals(dlp_skin_mesh *mesh, dlp_error *error);

typedef struct dlp_skin_mesh_report {
    dlp_mesh_report mesh;
    int32_t nonunit_normals; /* whose length is not 1 within a thousandth */
    int32_t turned_normals;  /* that point into the surface: away from the mean of the triangles' normals */
    bool is_sound;           /* the mesh is, and no normal is counted above */
} dlp_skin_mesh_report;
dlp_status dlp_skin_mesh_check(const dlp_skin_mesh *mesh, dlp_skin_mesh_report *out_report, dlp_error *error);

#endif
