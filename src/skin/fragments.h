/* The surface of the solids of one substance. Copies in one piece take the embedded mesh of their shape.
 * Otherwise every piece has a surface of its own, so that pieces that lie on one another stay distinct. */
#ifndef DLP_SKIN_FRAGMENTS_H
#define DLP_SKIN_FRAGMENTS_H

#include "skin/embedded_mesh.h"
#include "skin/surface.h"

/* A piece that was seen in this or the last update. */
typedef struct dlp_fragment {
    uint64_t key;               /* of its particles */
    int32_t piece;              /* among those of the substance; -1: gone */
    dlp_embedded_mesh embedded; /* empty: its particles' surface is taken */
} dlp_fragment;

/* All-zero is none. */
typedef struct dlp_fragments {
    dlp_embedded_mesh embedded; /* of all copies */
    dlp_shape *shape;           /* of the first copy; NULL as long as nothing is cut */
    dlp_fragment *items;
    int32_t *fragment_of; /* one a piece; -1 for none */
    int32_t item_count, item_capacity, fragment_of_capacity;
    dlp_surface_mesh combined; /* of everything, where something is cut */
    double volume, area;
    bool is_combined; /* `combined` counts, not `embedded.deformed` */
    /* the particles of the substance, piece by piece, and what became of its copies */
    int32_t *members, *begin;
    int32_t first_piece, piece_count;
    uint8_t *has_gap;  /* one a piece of all solids */
    uint8_t *is_split; /* one a copy */
    int32_t member_capacity, begin_capacity, gap_capacity, copy_capacity, copy_count;
    /* a piece's particles side by side, for the surface of particles */
    double *positions;
    float *radii, *velocities, *displacements, *temperatures;
    int32_t position_capacity, radius_capacity, velocity_capacity, displacement_capacity,
        temperature_capacity;
} dlp_fragments;

typedef struct dlp_fragments_def {
    dlp_embedded_mesh_def embedded; /* whose solid has the pieces */
    dlp_surface *surface;           /* borrowed: of particles; keeps no history */
} dlp_fragments_def;

/* The surface of the solids as they stand. `maps` are those of all their particles. */
dlp_status dlp_fragments_update(dlp_fragments *fragments, const dlp_fragments_def *def,
                                const dlp_solid_map *maps, const dlp_particle_view *particles,
                                dlp_error *error);
const dlp_surface_mesh *dlp_fragments_mesh(const dlp_fragments *fragments);
double dlp_fragments_volume(const dlp_fragments *fragments); /* m3 */
double dlp_fragments_area(const dlp_fragments *fragments);   /* m2 */
void dlp_fragments_release(dlp_fragments *fragments);

#endif
