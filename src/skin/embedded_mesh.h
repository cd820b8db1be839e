/* A mesh at rest that the particles carry along: the surface of solids that are whole, and of the
 * fragments of cut ones. */
#ifndef DLP_SKIN_EMBEDDED_MESH_H
#define DLP_SKIN_EMBEDDED_MESH_H

#include "motion/solid/solid.h"
#include "skin/surface_mesh.h"
#include "skin/kernel_bins.h"

/* What to embed. The pointers are read during dlp_embedded_mesh_create only, except `team`, which must
 * live on. */
typedef struct dlp_embedded_mesh_def {
    const dlp_solid *solid;     /* borrowed */
    const dlp_scene_def *scene; /* borrowed */
    int32_t substance;          /* of the scene; a solid */
    double cell;                /* m: of the triangles, where the shape has none of its own */
    dlp_team *team;             /* borrowed */
    /* borrowed: another mesh at rest, and the particles, all of one fragment, that carry it; NULL: the
     * mesh of the shape, copy by copy, and all particles of the substance */
    const dlp_mesh *mesh;
    const int32_t *members;
    int32_t member_count;
} dlp_embedded_mesh_def;

/* The binding of vertices to particles is fixed at creation; a frame changes `deformed`, `volume` and
 * `area` alone. All-zero is none. */
typedef struct dlp_embedded_mesh {
    dlp_vec3 *x0;            /* m: the vertices at rest, in the order of `deformed.mesh` */
    int32_t *begin;          /* first binding of each vertex in `particles` and `weights` */
    int32_t *binding_counts; /* bindings per vertex */
    int32_t *particles;      /* of each binding: among the solid's particles */
    double *weights;         /* of each binding; those of a vertex sum to 1 */
    int32_t binding_count, particle_capacity, weight_capacity;
    dlp_surface_mesh deformed; /* at the positions of the last dlp_embedded_mesh_move; at rest before that */
    double volume, area;       /* m3, m2 of `deformed`; by dlp_embedded_mesh_move */
    dlp_team *team;            /* borrowed */
    /* copies of the shape; the vertices and triangles of each stand together, equally many */
    int32_t copy_count;
    bool is_made; /* creation succeeded, though the mesh may be empty */
} dlp_embedded_mesh;

/* Binds every vertex to the particles around it. Without vertices where the shape yields no closed mesh,
 * which is not a failure. The caller releases it; on failure it is all-zero. */
dlp_status dlp_embedded_mesh_create(const dlp_embedded_mesh_def *def, dlp_embedded_mesh *out_embedded,
                                    dlp_error *error);
void dlp_embedded_mesh_release(dlp_embedded_mesh *embedded);
/* x = sum w_k (x_k + F_k (X - X_k)), and the velocity likewise, so that rigid motions and affine maps are
 * reproduced exactly. `maps` are those of all solids' particles (dlp_solid_find_maps). Also fills
 * temperatures and colours where the view has them, normals, volume and area. Vertices are independent of
 * one another: the bits do not depend on the number of threads. */
dlp_status dlp_embedded_mesh_move(dlp_embedded_mesh *embedded, const dlp_solid_map *maps,
                                  const dlp_particle_view *particles, dlp_error *error);

#endif
