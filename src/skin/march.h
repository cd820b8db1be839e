/* The triangles on which a field of a band is zero: marching cubes, block by block.  [lorensen1987] */
#ifndef DLP_SKIN_MARCH_H
#define DLP_SKIN_MARCH_H

#include "skin/band.h"
#include "skin/cubes.h"
#include "skin/surface_mesh.h"

/* What belongs to a block: the vertices on edges that start at its nodes, and the triangles of cells that
 * do. Vertices are numbered block by block, then by axis, then by node, so that a vertex shared by several
 * blocks is found by counting bits, without a table. */
typedef struct dlp_march_block {
    uint64_t signs;                       /* one bit per node: its value is positive */
    uint64_t crossings[3];                /* along x, y, z, one bit per node: the edge from it is crossed */
    int32_t first_vertex, first_triangle; /* during the count: how many the block has */
} dlp_march_block;

/* Scratch and results of dlp_march. All-zero is legal before it. */
typedef struct dlp_marcher {
    dlp_cubes cubes; /* valid once `has_cubes` is set */
    bool has_cubes;
    dlp_march_block *blocks; /* count + 1: the last has the totals */
    int32_t block_capacity;
    double *volumes, *areas; /* m3, m2: each block's share, added up in the order of the blocks */
    int32_t volume_capacity, area_capacity;
    double volume, area; /* m3, m2 of the last mesh */
} dlp_marcher;

/* `values`: 64 per block, positive inside. The band is linked (dlp_band_link). Where a block is missing,
 * all nodes of its neighbours on that side must have one sign: the surface does not pass there. Fills the
 * mesh with vertices, triangles and normals; its arrays grow and are used again. Blocks write to ranges of
 * their own, which follow from counts alone: the mesh has the same bits for any number of threads. */
dlp_status dlp_march(dlp_marcher *marcher, const dlp_band *band, const float *values, double cell,
                     dlp_team *team, dlp_surface_mesh *mesh, dlp_error *error);
void dlp_marcher_release(dlp_marcher *marcher);

#endif
