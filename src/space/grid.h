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

typedef struct dlp_units {
    dlp_vec3 origin;   /* m: where the count starts; a periodic domain's lower corner */
    double unit[3];    /* m */
    double inverse[3]; /* 1 / unit */
    double steps[3];   /* 1/m: of the units that are used */
    int32_t shift[3];  /* ... which are 2^shift apart: 0 along axes that are not periodic */
    bool is_periodic[3];
    double period[3]; /* m, along periodic axes */
    double cell;      /* m: of layer 0, along axes that are not periodic */
} dlp_units;

/* A position in units along one axis. Along a periodic axis only the low 32 bits mean something. */
static inline int64_t dlp_units_of(const dlp_units *units, int axis, double x)
{
    const double at = (x - dlp_component(units->origin, axis)) * units->steps[axis];
    const double safe = at > -9e18 ? (at < 9e18 ? at : 9e18) : -9e18; /* NaN as well */
    const int64_t whole = (int64_t)safe;
    const int64_t floored = whole - ((double)whole > safe); /* the floor, without a call */
    return (int64_t)((uint64_t)floored << units->shift[axis]);
}
/* The whole count whose low 32 bits are `low` and which lies nearest to `about`. */
static inline int64_t dlp_units_near(uint32_t low, int64_t about)
{
    return about + (int32_t)(low - (uint32_t)about);
}

/* `reach`: the smallest support (with its margin) there is. Periodic axes must hold three cells of the
 * largest.
 */
dlp_status dlp_units_init(dlp_units *units, double reach, const bool is_periodic[3], const dlp_box *domain,
                          dlp_error *error);

typedef struct dlp_cell {
    int32_t x, y, z;
} dlp_cell;

/* The smaller of each coordinate. */
static inline dlp_cell dlp_cell_min(dlp_cell a, dlp_cell b)
{
    return (dlp_cell){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}

/* Points begin..end-1 of similar reach, sorted by cell. */
typedef struct dlp_layer {
    int32_t begin, end;
    int32_t level;   /* cells are 2^level times those of layer 0 */
    double reach;    /* m: the largest of its points */
    uint32_t hidden; /* layers that its points do not see: a bit per layer */
    dlp_cell middle; /* cells within DLP_CELL_REACH of it are indexed; points beyond have no neighbours */
    dlp_cell low;    /* smallest cell coordinates among these */
    int32_t cell_count;
    int32_t *cell_begin; /* cell_count + 1 of them: first point of a cell */
    dlp_cell *cells;
    uint64_t *hash_keys; /* key + 1; 0 is empty */
    int32_t *hash_cells;
    int32_t cell_capacity, hash_capacity;
} dlp_layer;

/* The coarsest level whose cells hold `reach`. */
int32_t dlp_level_of(const dlp_units *units, double reach);
double dlp_cell_size(const dlp_units *units, int32_t level, int axis);
int32_t dlp_cell_count_along(const dlp_units *units, int32_t level, int axis); /* 0: endless */
/* The cell of a position given in units. */
dlp_cell dlp_cell_of(const dlp_units *units, int32_t level, const int64_t at[3]);
/* Key by which cells are sorted: bits of the three coordinates interleaved, so near cells stand near. */
uint64_t dlp_cell_key(dlp_cell cell, dlp_cell low);
/* Whether a cell is within DLP_CELL_REACH of a middle, and no farther than coordinates go. */
bool dlp_cell_is_near(dlp_cell cell, dlp_cell middle);
/* A middle for cells of layer 0 as one for cells of another level. */
dlp_cell dlp_cell_middle_at(dlp_cell middle, int32_t level);

/* Indexes the cells of points already sorted by key; `keys` are those of the layer's points, in order, and
 * cells[k] the cell of point begin + k. */
dlp_status dlp_layer_index(dlp_layer *layer, const uint64_t *keys, const dlp_cell *cells, dlp_team *team,
                           dlp_error *error);
/* Index of the cell, -1 where there is no point in it. Periodic coordinates are wrapped. */
int32_t dlp_layer_find(const dlp_layer *layer, const dlp_units *units, dlp_cell cell);
/* The same in parts, for a loop over cells: the key of a cell is that of its three coordinates together. */
#define DLP_NO_KEY UINT64_MAX /* of a coordinate that no cell has */
uint64_t dlp_layer_key(const dlp_layer *layer, const dlp_units *units, int axis, int32_t cell);
int32_t dlp_layer_find_key(const dlp_layer *layer, uint64_t key);
void dlp_layer_release(dlp_layer *layer);

#endif
