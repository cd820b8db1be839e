// Marching squares on a sparse grid: particles are splatted on tiles that are made where they reach, cells
// are marched tile by tile, and the segments are followed from point to point into loops.
#include "skin/contour.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vec.h"
#include "matter/kernel.h"

#include <assert.h>
#include <string.h>

enum {
    TILE = 16,  // nodes along a tile's edge
    TILE_NODES = TILE * TILE,
    FARTHEST_CELL = 1 << 30,  // along x and y
    WIDEST_KERNEL = 1024,     // cells: coarser particles are left out rather than cover everything
    NOTHING = -1
};

// A square of nodes. Node (i, j) also owns the edges to (i + 1, j) and (i, j + 1), and the contour's points
// on them.
typedef struct tile {
    int32_t x, y;                   // of its first node, in tiles
    float values[TILE_NODES];       // density / rest density at its nodes
    int32_t points[2][TILE_NODES];  // the contour's points on its edges along x and y; NOTHING
} tile;

// The smoothed density, and the contour's points as they are found.
typedef struct field {
    const dlp_contour_def *def;
    double cell, smoothing, iso;  // as in the definition, with the defaults put in
    tile *tiles;
    int32_t tile_count, tile_capacity;
    int32_t *slots;      // hash table of tile numbers; NOTHING: free
    int32_t slot_count;  // a power of two
    dlp_vec3 *points;    // m, in the order in which they were found
    int32_t *next;       // one per point: the point that follows on its loop; NOTHING once it was followed
    int32_t point_count, point_capacity, next_capacity;
} field;

static uint32_t slot_of(const field *f, int32_t x, int32_t y)
{
    const uint64_t key = (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
    return (uint32_t)dlp_hash(key) & (uint32_t)(f->slot_count - 1);
}

static int32_t find_tile(const field *f, int32_t x, int32_t y)
{
    if (f->slot_count == 0) return NOTHING;
    for (uint32_t s = slot_of(f, x, y);; s = (s + 1) & (uint32_t)(f->slot_count - 1)) {
        const int32_t t = f->slots[s];
        if (t == NOTHING || (f->tiles[t].x == x && f->tiles[t].y == y)) return t;
    }
}

static void enter_tile(field *f, int32_t t)
{
    uint32_t s = slot_of(f, f->tiles[t].x, f->tiles[t].y);
    while (f->slots[s] != NOTHING) s = (s + 1) & (uint32_t)(f->slot_count - 1);
    f->slots[s] = t;
}

// Keeps the hash table at most half full.
static dlp_status grow_slots(field *f, dlp_error *error)
{
    if (2 * (f->tile_count + 1) <= f->slot_count) return DLP_OK;
    const int32_t wanted = f->slot_count > 0 ? 2 * f->slot_count : 64;
    int32_t *slots = dlp_alloc((size_t)wanted, sizeof *slots, "contour");
    if (slots == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "contour: no room for %d tiles", wanted);
    dlp_free(f->slots);
    f->slots = slots;
    f->slot_count = wanted;
    memset(slots, 0xff, (size_t)wanted * sizeof *slots);
    for (int32_t t = 0; t < f->tile_count; t++) enter_tile(f, t);
    return DLP_OK;
}

// Finds a tile or makes it, with values of 0. Pointers to tiles are then no longer valid: the list may have
// moved.
static dlp_status need_tile(field *f, int32_t x, int32_t y, int32_t *out_tile, dlp_error *error)
{
    *out_tile = find_tile(f, x, y);
    if (*out_tile != NOTHING) return DLP_OK;
    enum { TILE_LIMIT = 1 << 20 };  // 3 GiB, 2.7e8 nodes
    if (f->tile_count == TILE_LIMIT)
        return dlp_fail(error, DLP_OUT_OF_MEMORY,
                        "contour: more than %d tiles of %d x %d nodes; use larger cells", TILE_LIMIT, TILE,
                        TILE);
    DLP_TRY(grow_slots(f, error));
    DLP_TRY(dlp_reserve(&f->tiles, &f->tile_capacity, f->tile_count + 1, sizeof *f->tiles, "contour", error));
    tile *fresh = &f->tiles[f->tile_count];
    fresh->x = x;
    fresh->y = y;
    memset(fresh->values, 0, sizeof fresh->values);
    memset(fresh->points, 0xff, sizeof fresh->points);
    enter_tile(f, f->tile_count);
    *out_tile = f->tile_count++;
    return DLP_OK;
}

// The floor of a / b, b > 0, also for a < 0, where C rounds up.
static int32_t floor_divide(int32_t a, int32_t b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

// One particle as a kernel on the grid.
typedef struct splat {
    double x, y;    // cells
    double h;       // cells: the kernel reaches 2h
    double weight;  // V_j norm / h^2: a spacing squared over h squared, so it is the same for all
} splat;

// False for particles that are not taken; NaN fails every comparison.
static bool make_splat(const field *f, int32_t i, splat *out)
{
    const double radius = (double)f->def->radii[i];
    const double spacing = sqrt(DLP_PI) * radius;  // edge of a square of the disc's area
    out->x = f->def->positions[3 * (size_t)i] / f->cell;
    out->y = f->def->positions[3 * (size_t)i + 1] / f->cell;
    out->h = f->smoothing * spacing / f->cell;
    // W = 7 / (4 pi h^2) shape(q) in two dimensions  [wendland1995]
    out->weight = 7 / (4 * DLP_PI * f->smoothing * f->smoothing);
    const double farthest = FARTHEST_CELL;
    return fabs(out->x) <= farthest && fabs(out->y) <= farthest && out->h > 0 && 2 * out->h <= WIDEST_KERNEL;
}

// Adds a particle to the nodes of one tile.
static void splat_on_tile(tile *t, const splat *s)
{
    const double left = s->x - (double)t->x * TILE, below = s->y - (double)t->y * TILE, reach = 2 * s->h;
    const int32_t i0 = (int32_t)fmax(ceil(left - reach), 0),
                  i1 = (int32_t)fmin(floor(left + reach), TILE - 1);
    const int32_t j0 = (int32_t)fmax(ceil(below - reach), 0),
                  j1 = (int32_t)fmin(floor(below + reach), TILE - 1);
    for (int32_t j = j0; j <= j1; j++) {
        for (int32_t i = i0; i <= i1; i++) {
            const double dx = i - left, dy = j - below;
            const float q = (float)(sqrt(dx * dx + dy * dy) / s->h);
            t->values[j * TILE + i] += (float)s->weight * dlp_wendland_shape(q);
        }
    }
}

// Makes all tiles from the node before the kernel to the node behind it, so that both ends of a crossed edge
// have a tile.
static dlp_status splat_particle(field *f, const splat *s, dlp_error *error)
{
    const double reach = 2 * s->h;
    const int32_t x0 = floor_divide((int32_t)floor(s->x - reach), TILE);
    const int32_t x1 = floor_divide((int32_t)ceil(s->x + reach), TILE);
    const int32_t y0 = floor_divide((int32_t)floor(s->y - reach), TILE);
    const int32_t y1 = floor_divide((int32_t)ceil(s->y + reach), TILE);
    for (int32_t y = y0; y <= y1; y++) {
        for (int32_t x = x0; x <= x1; x++) {
            int32_t t;
            DLP_TRY(need_tile(f, x, y, &t, error));
            splat_on_tile(&f->tiles[t], s);
        }
    }
    return DLP_OK;
}

static dlp_status sum_field(field *f, dlp_error *error)
{
    for (int32_t i = 0; i < f->def->count; i++) {
        splat s;
        if (make_splat(f, i, &s)) DLP_TRY(splat_particle(f, &s, error));
    }
    return DLP_OK;
}

// The four corners of a cell, counter-clockwise from the lower left. Its edges are in the order below, right,
// above, left.
typedef struct cell_view {
    int32_t tiles[4];  // that own the corners; NOTHING where no particle reaches, which counts as 0
    int32_t nodes[4];  // of the corners in their tiles
    double values[4];  // density / rest density
} cell_view;

static cell_view view_cell(const field *f, int32_t t, int32_t i, int32_t j)
{
    static const int32_t corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    cell_view cell;
    for (int32_t k = 0; k < 4; k++) {
        const int32_t ci = i + corner[k][0], cj = j + corner[k][1];
        const bool is_here = ci < TILE && cj < TILE;
        const int32_t owner =
            is_here ? t : find_tile(f, f->tiles[t].x + ci / TILE, f->tiles[t].y + cj / TILE);
        cell.tiles[k] = owner;
        cell.nodes[k] = cj % TILE * TILE + ci % TILE;
        cell.values[k] = owner != NOTHING ? (double)f->tiles[owner].values[cell.nodes[k]] : 0;
    }
    return cell;
}

static dlp_vec3 node_place(const field *f, int32_t t, int32_t node)
{
    return dlp_vec(f->cell * ((double)f->tiles[t].x * TILE + node % TILE),
                   f->cell * ((double)f->tiles[t].y * TILE + node / TILE), 0);
}

// The contour's point on an edge of a cell, made where it is not there yet. The edge belongs to its lower
// left node, whose tile is there: one end of the edge is covered by a particle, whose tiles reach a node
// farther.
static dlp_status edge_point(field *f, int32_t t, int32_t i, int32_t j, int32_t edge, int32_t *out_point,
                             dlp_error *error)
{
    static const int32_t first[4] = {0, 1, 3, 0}, last[4] = {1, 2, 2, 3};  // lower left corner first
    const cell_view cell = view_cell(f, t, i, j);
    const int32_t a = first[edge], b = last[edge], axis = edge % 2;
    const int32_t owner = cell.tiles[a];
    assert(owner != NOTHING);
    int32_t *slot = &f->tiles[owner].points[axis][cell.nodes[a]];
    if (*slot == NOTHING) {
        const int32_t count = f->point_count + 1;
        DLP_TRY(dlp_reserve(&f->points, &f->point_capacity, count, sizeof *f->points, "contour", error));
        DLP_TRY(dlp_reserve(&f->next, &f->next_capacity, count, sizeof *f->next, "contour", error));
        assert((cell.values[a] > f->iso) != (cell.values[b] > f->iso));
        const double share = (f->iso - cell.values[a]) / (cell.values[b] - cell.values[a]);
        dlp_vec3 place = node_place(f, owner, cell.nodes[a]);
        if (axis == 0)
            place.x += share * f->cell;
        else
            place.y += share * f->cell;
        f->points[f->point_count] = place;
        *slot = f->point_count++;
    }
    *out_point = *slot;
    return DLP_OK;
}

// Segments of a cell as pairs of edges, substance on the left, by which corners are inside (bit k: corner k).
// The two saddles are written as if the middle were outside; inside, they take those of the other list.
static const int8_t segments[16][4] = {{-1, -1, -1, -1}, {0, 3, -1, -1}, {1, 0, -1, -1}, {1, 3, -1, -1},
                                       {2, 1, -1, -1},   {0, 3, 2, 1},   {2, 0, -1, -1}, {2, 3, -1, -1},
                                       {3, 2, -1, -1},   {0, 2, -1, -1}, {1, 0, 3, 2},   {1, 2, -1, -1},
                                       {3, 1, -1, -1},   {0, 1, -1, -1}, {3, 0, -1, -1}, {-1, -1, -1, -1}};
static const int8_t joined_saddles[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 0}};  // of cases 5 and 10

// At a saddle the mean of the corners decides whether the inside is joined. Every point is the end of one
// segment and the start of another, in the two cells at its edge; so loops close.
static dlp_status march_cell(field *f, int32_t t, int32_t i, int32_t j, dlp_error *error)
{
    const cell_view cell = view_cell(f, t, i, j);
    int32_t kind = 0;
    for (int32_t k = 0; k < 4; k++) kind |= (cell.values[k] > f->iso) << k;
    const int8_t *edges = segments[kind];
    if (kind == 5 || kind == 10) {
        const double middle = (cell.values[0] + cell.values[1] + cell.values[2] + cell.values[3]) / 4;
        if (middle > f->iso) edges = joined_saddles[kind == 10];
    }
    for (int32_t k = 0; k < 4 && edges[k] >= 0; k += 2) {
        int32_t from, to;
        DLP_TRY(edge_point(f, t, i, j, edges[k], &from, error));
        DLP_TRY(edge_point(f, t, i, j, edges[k + 1], &to, error));
        f->next[from] = to;
    }
    return DLP_OK;
}

// Every cell once: a tile has the cells whose lower left node it owns.
static dlp_status march(field *f, dlp_error *error)
{
    for (int32_t t = 0; t < f->tile_count; t++) {
        for (int32_t node = 0; node < TILE_NODES; node++)
            DLP_TRY(march_cell(f, t, node % TILE, node / TILE, error));
    }
    return DLP_OK;
}

// Follows a loop from `start`, marks its points as taken and adds what it encloses, by the shoelace formula:
// holes run clockwise and are subtracted.
static void follow_loop(field *f, int32_t start, dlp_contour *contour)
{
    const dlp_vec3 origin = f->points[start];  // near the loop: differences of large numbers lose digits
    int32_t point = start;
    do {
        const int32_t after = f->next[point];
        assert(after >= 0 && after < f->point_count && contour->point_count < f->point_count);
        const dlp_vec3 a = dlp_sub(f->points[point], origin), b = dlp_sub(f->points[after], origin);
        double *out = contour->points + 3 * (size_t)contour->point_count++;
        out[0] = f->points[point].x;
        out[1] = f->points[point].y;
        out[2] = 0;
        contour->area += (a.x * b.y - b.x * a.y) / 2;
        contour->perimeter += dlp_length(dlp_sub(b, a));
        f->next[point] = NOTHING;
        point = after;
    } while (point != start);
    contour->loop_ends[contour->loop_count++] = contour->point_count;
}

static dlp_status collect_loops(field *f, dlp_contour *contour, dlp_error *error)
{
    contour->points = dlp_alloc(3 * (size_t)f->point_count, sizeof *contour->points, "contour");
    contour->loop_ends = dlp_alloc((size_t)f->point_count, sizeof *contour->loop_ends, "contour");
    if (contour->points == NULL || contour->loop_ends == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "contour: no room for %d points", f->point_count);
    for (int32_t k = 0; k < f->point_count; k++) {
        if (f->next[k] != NOTHING) follow_loop(f, k, contour);
    }
    return DLP_OK;
}

static double finest_spacing(const dlp_contour_def *def)
{
    double finest = HUGE_VAL;
    for (int32_t i = 0; i < def->count; i++) {
        if (def->radii[i] > 0) finest = fmin(finest, sqrt(DLP_PI) * (double)def->radii[i]);
    }
    return finest;
}

dlp_status dlp_contour_create(const dlp_contour_def *def, dlp_contour *out_contour, dlp_error *error)
{
    *out_contour = (dlp_contour){0};
    field f = {.def = def,
               .smoothing = def->smoothing > 0 ? def->smoothing : 1.2,
               .iso = def->iso > 0 ? def->iso : 0.5,
               .cell = def->cell > 0 ? def->cell : finest_spacing(def) / 2};
    if (!isfinite(f.cell)) return DLP_OK;  // no particle that covers anything
    dlp_status status = sum_field(&f, error);
    if (status == DLP_OK) status = march(&f, error);
    if (status == DLP_OK) status = collect_loops(&f, out_contour, error);
    dlp_free(f.tiles);
    dlp_free(f.slots);
    dlp_free(f.points);
    dlp_free(f.next);
    if (status != DLP_OK) dlp_contour_release(out_contour);
    return status;
}

void dlp_contour_release(dlp_contour *contour)
{
    dlp_free(contour->points);
    dlp_free(contour->loop_ends);
    *contour = (dlp_contour){0};
}
