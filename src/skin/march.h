/* Triangles of the surface on which a field of a band is zero. */
#ifndef DLP_SKIN_MARCH_H
#define DLP_SKIN_MARCH_H

#include "skin/band.h"
#include "skin/cubes.h"
#include "skin/surface_mesh.h"

/* What belongs to a block: the vertices on edges that start at its nodes, the triangles of cells that do. */
typedef struct dlp_march_block {
    uint64_t signs;        /* positive values: a bit a node */
    uint64_t crossings[3]; /* along x, y, z: a bit a node */
    int32_t first_vertex, first_triangle;
} dlp_march_block;

/* All-zero is legal before dlp_march. */
typedef struct dlp_marcher {
    dlp_cubes cubes;
    bool has_cubes;
    dlp_march_block *blocks; /* count + 1 */
    int32_t block_capacity;
    double *volumes, *areas; /* m3, m2: a block's share */
    int32_t volume_capacity, area_capacity;
    double volume, area; /* m3, m2 */
} dlp_marcher;

/* `values`: positive inside. Where a block is missing, all nodes of its neighbours on that side must have one
 * sign. Fills the mesh with vertices, triangles and normals; its arrays grow and are used again. */
dlp_status dlp_march(dlp_marcher *marcher, const dlp_band *band, const float *values, double cell,
                     dlp_team *team, dlp_surface_mesh *mesh, dlp_error *error);
void dlp_marcher_release(dlp_marcher *marcher);

#endif
