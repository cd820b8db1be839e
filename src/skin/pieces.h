/* The surface of the solids of one substance. Copies in one piece wear their coat. Of others every piece has
 * a surface of its own, so that pieces that lie on one another can be told apart. */
#ifndef DLP_SKIN_PIECES_H
#define DLP_SKIN_PIECES_H

#include "skin/coat.h"
#include "skin/surface.h"

/* A piece that was seen in this or the last update. */
typedef struct dlp_shard {
    uint64_t key;  /* of its particles */
    int32_t piece; /* among those of the substance; -1: gone */
    dlp_coat coat; /* empty: its particles' surface is taken */
} dlp_shard;

/* All-zero is none. */
typedef struct dlp_pieces {
    dlp_coat coat;    /* of all copies */
    dlp_shape *shape; /* of the first copy; NULL as long as nothing is cut */
    dlp_shard *shards;
    int32_t *shard_of; /* one a piece; -1 for none */
    int32_t shard_count, shard_capacity, shard_of_capacity;
    dlp_skin_mesh skin; /* of everything, where something is cut */
    double volume, area;
    bool is_mixed; /* `skin` counts, not the coat's */
    /* the particles of the substance, piece by piece, and what became of its copies */
    int32_t *members, *begin;
    int32_t first_piece, piece_count;
    uint8_t *gapes;    /* one a piece of all solids */
    uint8_t *is_split; /* one a copy */
    int32_t member_capacity, begin_capacity, gape_capacity, copy_capacity, copy_count;
    /* a piece's particles side by side, for the surface of particles */
    double *positions;
    float *radii, *velocities, *displacements, *temperatures;
    int32_t position_capacity, radius_capacity, velocity_capacity, displacement_capacity,
        temperature_capacity;
} dlp_pieces;

typedef struct dlp_pieces_def {
    dlp_coat_def coat;    /* whose solid has the pieces */
    dlp_surface *surface; /* borrowed: of particles; keeps no history */
} dlp_pieces_def;

/* The surface of the solids as they stand. `maps` are those of all their particles. */
dlp_status dlp_pieces_update(dlp_pieces *pieces, const dlp_pieces_def *def, const dlp_solid_map *maps,
                             const dlp_matter *matter, dlp_error *error);
const dlp_skin_mesh *dlp_pieces_mesh(const dlp_pieces *pieces);
double dlp_pieces_volume(const dlp_pieces *pieces); /* m3 */
double dlp_pieces_area(const dlp_pieces *pieces);   /* m2 */
void dlp_pieces_release(dlp_pieces *pieces);

#endif
