/* The mesh of a rest shape, carried along by the particles: the surface of solids that are whole, and of
 * pieces. */
#ifndef DLP_SKIN_EMBEDDED_MESH_H
#define DLP_SKIN_EMBEDDED_MESH_H

#include "motion/solid/solid.h"
#include "skin/surface_mesh.h"
#include "skin/kernel_bins.h"

typedef struct dlp_embedded_mesh_def {
    const dlp_solid *solid;     /* borrowed */
    const dlp_scene_def *scene; /* borrowed */
    int32_t substance;
    double cell;    /* m: of the triangles, where the shape has none of its own */
    dlp_team *team; /* borrowed */
    /* borrowed: another mesh at rest, and the particles, of one piece, that carry it; NULL: the mesh of the
     * shape, copy by copy, and all particles of the substance */
    const dlp_mesh *mesh;
    const int32_t *members;
    int32_t member_count;
} dlp_embedded_mesh_def;

/* All-zero is none. */
typedef struct dlp_embedded_mesh {
    dlp_vec3 *x0;   /* m: of the vertices */
    int32_t *begin; /* of a vertex's bindings */
    int32_t *binding_counts;
    int32_t *particles; /* of the bindings */
    double *weights;    /* of a vertex they sum to 1 */
    int32_t binding_count, particle_capacity, weight_capacity;
    dlp_surface_mesh deformed; /* as it stands */
    double volume, area;       /* m3, m2 */
    dlp_team *team;
    int32_t copy_count; /* the vertices and triangles of each copy stand together */
    bool is_made;       /* though it may be empty */
} dlp_embedded_mesh;

/* Binds every vertex to the particles around it. Without vertices where the shape yields no closed mesh. */
dlp_status dlp_embedded_mesh_create(const dlp_embedded_mesh_def *def, dlp_embedded_mesh *out_embedded,
                                    dlp_error *error);
void dlp_embedded_mesh_release(dlp_embedded_mesh *embedded);
/* x = sum w_k (x_k + F_k (X - X_k)), and the velocity likewise: rigid motions and affine maps carry the mesh
 * along as it is. `maps` are those of all solids' particles. */
dlp_status dlp_embedded_mesh_move(dlp_embedded_mesh *embedded, const dlp_solid_map *maps,
                                  const dlp_particle_view *particles, dlp_error *error);

#endif
