/* The mesh of a rest shape, carried along by the particles: the surface of solids that are whole, and of
 * pieces. */
#ifndef DLP_SKIN_COAT_H
#define DLP_SKIN_COAT_H

#include "motion/solid/solid.h"
#include "skin/skin_mesh.h"
#include "skin/swarm.h"

typedef struct dlp_coat_def {
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
} dlp_coat_def;

/* All-zero is none. */
typedef struct dlp_coat {
    dlp_vec3 *rest; /* m: of the vertices */
    int32_t *begin; /* of a vertex's bonds */
    int32_t *bond_counts;
    int32_t *particles; /* of the bonds */
    double *weights;    /* of a vertex they sum to 1 */
    int32_t bond_count, particle_capacity, weight_capacity;
    dlp_skin_mesh skin;  /* as it stands */
    double volume, area; /* m3, m2 */
    dlp_team *team;
    int32_t copy_count; /* the vertices and triangles of each copy stand together */
    bool is_made;       /* though it may be empty */
} dlp_coat;

/* Binds every vertex to the particles around it. Without vertices where the shape yields no closed mesh. */
dlp_status dlp_coat_create(const dlp_coat_def *def, dlp_coat *out_coat, dlp_error *error);
void dlp_coat_release(dlp_coat *coat);
/* x = sum w_k (x_k + F_k (X - X_k)), and the velocity likewise: rigid motions and affine maps carry the mesh
 * along as it is. `maps` are those of all solids' particles. */
dlp_status dlp_coat_move(dlp_coat *coat, const dlp_solid_map *maps, const dlp_matter *matter,
                         dlp_error *error);

#endif
