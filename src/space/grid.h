/* Space as cells. Positions are counted in small fixed units, so that differences are exact, the precision is
 * the same everywhere and a periodic axis wraps by itself (its period is 2^32 units, of which only every
 * 2^shift-th is used: at most 2^19 in a cell, so that differences of neighbours are exact as floats). Cells
 * are found by hashing: there is no domain to leave, and a window of cells moves with the particles.
 * Particles of similar support form a layer with cells of its own. */
#ifndef DLP_SPACE_GRID_H
#define DLP_SPACE_GRID_H

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"

enum {
    DLP_LAYER_LIMIT = 12,     /* supports may differ by 2^11 */
    DLP_CELL_BITS = 18,       /* units in a cell of layer 0: 2^18 */
    DLP_CELL_REACH = 1 << 19, /* cells from a middle, each way, within which particles see each other */
    DLP_CELL_LIMIT = 1 << 29  /* coordinates of cells go no farther */
};

/* How positions are counted. Constant after dlp_units_init. */
typedef struct dlp_units {
    dlp_vec3 origin;   /* m: where the count starts; a periodic domain's lower corner */
    double unit[3];    /* m: length of a unit */
    double inverse[3]; /* 1/m: 1 / unit */
    double steps[3];   /* 1/m: inverse of the distance between units that are used ... */
    int32_t shift[3];  /* ... which are 2^shift apart: 0 along axes that are not periodic */
    bool is_periodic[3];
    double period[3]; /* m, along periodic axes */
    double cell;      /* m: edge of a cell of level 0, along axes that are not periodic */
} dlp_units;

/* A position in units along one axis, rounded down. Along a periodic axis only the low 32 bits mean
 * something. Positions beyond +-9e18 units, and NaN, give the end of the range: no input is undefined
 * behaviour. */
static inline int64_t dlp_units_of(const dlp_units *units, int axis, double x)
{
    const double at = (x - dlp_component(units->origin, axis)) * units->steps[axis];
    const double safe = at > -9e18 ? (at < 9e18 ? at : 9e18) : -9e18; /* NaN as well */
    const int64_t whole = (int64_t)safe;
    const int64_t floored = whole - ((double)whole > safe); /* the floor, without a call */
    return (int64_t)((uint64_t)floored << units->shift[axis]);
}
/* The 64-bit count whose low 32 bits are `low` and which lies nearest to `about`: undoes a truncation to 32
 * bits where the position is known to within 2^31 units. */
static inline int64_t dlp_units_near(uint32_t low, int64_t about)
{
    return about + (int32_t)(low - (uint32_t)about);
}

/* `reach`, above 0: the smallest support (with its margin) there is, m. A periodic axis shorter than three of
 * them is refused with DLP_INVALID. `domain` is read along periodic axes only. */
dlp_status dlp_units_init(dlp_units *units, double reach, const bool is_periodic[3], const dlp_box *domain,
                          dlp_error *error);

/* Coordinates of a cell at some level. */
typedef struct dlp_cell {
    int32_t x, y, z;
} dlp_cell;

/* The smaller of each coordinate. */
static inline dlp_cell dlp_cell_min(dlp_cell a, dlp_cell b)
{
    return (dlp_cell){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}

/* Points begin..end-1 of similar reach, grouped by cell. The fields from cell_count on are made by
 * dlp_layer_index and hold until the points are sorted anew. The arrays are owned; they grow and are reused.
 * All-zero is an empty layer. */
typedef struct dlp_layer {
    int32_t begin, end;
    int32_t level;   /* edges of its cells are 2^level times those of level 0 */
    double reach;    /* m: the largest of its points */
    uint32_t hidden; /* layers that its points do not see: a bit per layer */
    dlp_cell middle; /* cells within DLP_CELL_REACH of it are indexed; points beyond have no neighbours */
    dlp_cell low;    /* smallest cell coordinates among these */
    int32_t cell_count;
    int32_t *cell_begin;   /* cell_count + 1 of them, growing: first point of a cell */
    dlp_cell *cells;       /* cell_count of them, in the order of their points */
    uint64_t *hash_keys;   /* open addressing: key + 1; 0 is empty */
    int32_t *hash_cells;   /* the cell of the key in the same slot */
    int32_t cell_capacity; /* of cells and cell_begin */
    int32_t hash_capacity; /* a power of two, at least 4/3 of cell_count: a search always ends */
} dlp_layer;

/* The finest level whose cells are at least `reach` wide; the coarsest one where none are. */
int32_t dlp_level_of(const dlp_units *units, double reach);
/* m: edge of a cell; along a periodic axis a whole number of them makes the period. */
double dlp_cell_size(const dlp_units *units, int32_t level, int axis);
int32_t dlp_cell_count_along(const dlp_units *units, int32_t level, int axis); /* 0: endless */
/* The cell of a position given in units. Far coordinates are clamped to twice DLP_CELL_REACH. */
dlp_cell dlp_cell_of(const dlp_units *units, int32_t level, const int64_t at[3]);
/* Key by which cells are sorted: bits of the three coordinates interleaved, so that
 * cells that are near in space are near in memory (Morton order). `low` has the smallest coordinates of
 * the layer's cells; for cells for which dlp_cell_is_near the key has at most 60 bits. */
uint64_t dlp_cell_key(dlp_cell cell, dlp_cell low);
/* Whether a cell is within DLP_CELL_REACH of a middle, and no farther than coordinates go. */
bool dlp_cell_is_near(dlp_cell cell, dlp_cell middle);
/* A middle for cells of layer 0 as one for cells of another level. */
dlp_cell dlp_cell_middle_at(dlp_cell middle, int32_t level);

/* Indexes the cells of points that are grouped by cell: keys[k] is the key of point begin + k (bits above the
 * 60th may hold a level), equal ones stand next to each other, and cells[k] is its cell. Groups need not be
 * in the order of their keys: those that were sorted relative to another `low` are not. The result is the
 * same for any number of threads, but for the slots of the hash table, which no search shows. */
dlp_status dlp_layer_index(dlp_layer *layer, const uint64_t *keys, const dlp_cell *cells, dlp_team *team,
                           dlp_error *error);
/* Index of the cell, -1 where there is no point in it. Periodic coordinates are wrapped. Safe from several
 * threads. */
int32_t dlp_layer_find(const dlp_layer *layer, const dlp_units *units, dlp_cell cell);
/* The same in parts, for a loop over cells: the key of a cell is the keys of its three coordinates, or-ed. */
#define DLP_NO_KEY UINT64_MAX /* of a coordinate that no cell has */
uint64_t dlp_layer_key(const dlp_layer *layer, const dlp_units *units, int axis, int32_t cell);
int32_t dlp_layer_find_key(const dlp_layer *layer, uint64_t key);
void dlp_layer_release(dlp_layer *layer);

#endif
