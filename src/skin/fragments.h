/* The surface of the solids of one substance. Copies in one piece take the embedded mesh of their shape.
 * Once a copy is cut or torn, each of its fragments has a surface of its own, so that fragments that lie
 * on one another stay distinct. A fragment is called a piece where it is counted within the substance. */
#ifndef DLP_SKIN_FRAGMENTS_H
#define DLP_SKIN_FRAGMENTS_H

#include "skin/embedded_mesh.h"
#include "skin/surface.h"

/* A piece of this or the last update. Its mesh is made once and kept as long as the same particles make up
 * a piece; the number of a piece changes whenever another one parts. */
typedef struct dlp_fragment {
    uint64_t key;               /* hash of its particles' indices: how it is recognized in the next update */
    int32_t piece;              /* its number in this update, 0 .. piece_count - 1; -1: gone */
    dlp_embedded_mesh embedded; /* empty: the surface of its particles is taken instead */
} dlp_fragment;

/* All-zero is none. Lists and flags are those of the last update. */
typedef struct dlp_fragments {
    dlp_embedded_mesh embedded; /* of all copies, as if they were whole; made by the first update */
    dlp_shape *shape;           /* of the first copy, owned; NULL as long as nothing is cut */
    dlp_fragment *items;
    int32_t *fragment_of; /* index in `items`, one per piece; -1 for none */
    int32_t item_count, item_capacity, fragment_of_capacity;
    dlp_surface_mesh combined; /* of everything, where something is cut; else not valid */
    double volume, area;       /* m3, m2 of `combined` */
    bool is_combined;          /* `combined` is the surface, not `embedded.deformed` */
    /* the particles of the substance, piece by piece in ascending order, and where each piece begins among
     * them (piece_count + 1 entries) */
    int32_t *members, *begin;
    /* the substance's pieces are numbered consecutively among those of all solids */
    int32_t first_piece, piece_count;
    uint8_t *has_gap;  /* one per piece of all solids: an open cut that does not part it */
    uint8_t *is_split; /* one per copy: its pieces are drawn one by one */
    int32_t member_capacity, begin_capacity, gap_capacity, copy_capacity, copy_count;
    /* scratch: a piece's particles side by side, for the surface of particles */
    double *positions;
    float *radii, *velocities, *displacements, *temperatures;
    int32_t position_capacity, radius_capacity, velocity_capacity, displacement_capacity,
        temperature_capacity;
} dlp_fragments;

/* What the surface is made for. The same in every update, except that the solid moves. */
typedef struct dlp_fragments_def {
    dlp_embedded_mesh_def embedded; /* whose solid has the pieces; `mesh` and `members` are NULL */
    /* borrowed: makes the surface of a piece from its particles; its history is dropped */
    dlp_surface *surface;
} dlp_fragments_def;

/* Makes the surface of the solids where the particles are now. `maps` are those of all solids' particles.
 * After a failure the surface is not valid, but the next update starts from what is there. */
dlp_status dlp_fragments_update(dlp_fragments *fragments, const dlp_fragments_def *def,
                                const dlp_solid_map *maps, const dlp_particle_view *particles,
                                dlp_error *error);
/* Borrowed until the next update. */
const dlp_surface_mesh *dlp_fragments_mesh(const dlp_fragments *fragments);
double dlp_fragments_volume(const dlp_fragments *fragments); /* m3 */
double dlp_fragments_area(const dlp_fragments *fragments);   /* m2 */
void dlp_fragments_release(dlp_fragments *fragments);

#endif
