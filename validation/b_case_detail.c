/* Page B: what a run keeps of the finest run's detail. Its surface, thin sheets and drops, and the impact on
 * the far wall; a uniformly coarse run of the same cost stands beside it. */
#include "b_case.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>

// How full the tank's cells are.

// Cells from a wall within which what its mirror shows counts: the support of a particle of the first level.
enum { MIRRORED = 6, GRAIN = 1024 };

typedef struct detail_sampling {
    dlp_world *world;
    dlp_box tank;
    dlp_b_grid *grid;
} detail_sampling;

// A cell's middle along an axis, and its mirror images beyond walls that are near.
static int places_along(const detail_sampling *s, int axis, int32_t cell, double places[3])
{
    const double low = dlp_component(s->tank.min, axis), high = dlp_component(s->tank.max, axis);
    const int32_t count = s->grid->count[axis];
    const double x = low + (high - low) * (cell + 0.5) / count;
    int n = 0;
    places[n++] = x;
    if (cell < MIRRORED) places[n++] = 2 * low - x;
    if (axis < 2 && cell >= count - MIRRORED) places[n++] = 2 * high - x;
    return n;
}

static void sample_cells(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const detail_sampling *s = context;
    const int32_t *n = s->grid->count;
    for (int32_t cell = begin; cell < end; cell++) {
        const int32_t at[3] = {cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1]};
        double places[3][3], sum = 0;
        int counts[3];
        for (int axis = 0; axis < 3; axis++) counts[axis] = places_along(s, axis, at[axis], places[axis]);
        for (int k = 0; k < counts[0] * counts[1] * counts[2]; k++) {
            const dlp_vec3 x = dlp_vec(places[0][k % counts[0]], places[1][k / counts[0] % counts[1]],
                                       places[2][k / counts[0] / counts[1]]);
            sum += dlp_world_sample_at(s->world, x).fraction;
        }
        s->grid->fraction[cell] = (float)sum;
    }
}

dlp_status dlp_b_grid_sample(const dlp_b_case *def, dlp_fixture *fixture, dlp_b_grid *out_grid,
                             dlp_error *error)
{
    int32_t cells = 1;
    for (int axis = 0; axis < 3; axis++) {
        const double size = dlp_component(def->tank.max, axis) - dlp_component(def->tank.min, axis);
        out_grid->count[axis] = (int32_t)lround(size / def->spacing);
        cells *= out_grid->count[axis];
    }
    out_grid->fraction = dlp_alloc((size_t)cells, sizeof *out_grid->fraction, "experiment");
    if (out_grid->fraction == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "experiment: no room");
    detail_sampling s = {fixture->world, def->tank, out_grid};
    dlp_parallel_for(dlp_world_team(fixture->world), cells, GRAIN, sample_cells, &s);
    return DLP_OK;
}

void dlp_b_grid_release(dlp_b_grid *grid)
{
    dlp_free(grid->fraction);
    *grid = (dlp_b_grid){0};
}

static int32_t cell_count(const dlp_b_grid *grid)
{
    return grid->count[0] * grid->count[1] * grid->count[2];
}

// Index of a cell; walls mirror, above there is nothing (-1).
static int32_t cell_at(const dlp_b_grid *grid, int32_t x, int32_t y, int32_t z)
{
    const int32_t *n = grid->count;
    if (z >= n[2]) return -1;
    x = x < 0 ? -1 - x : x >= n[0] ? 2 * n[0] - 1 - x : x;
    y = y < 0 ? -1 - y : y >= n[1] ? 2 * n[1] - 1 - y : y;
    z = z < 0 ? -1 - z : z;
    return x + n[0] * (y + n[1] * z);
}

// Distance between surfaces.

// From 0 to 1 around the surface; noise inside and far away does not count.
static double ramp(const dlp_b_grid *grid, int32_t x, int32_t y, int32_t z)
{
    const int32_t cell = cell_at(grid, x, y, z);
    const double f = cell < 0 ? 0 : (double)grid->fraction[cell];
    return fmin(fmax((f - 0.25) / 0.5, 0), 1);
}

// Integral of the ramp's gradient, the mean area of its level sets, in squares of cells.
static double surface_area(const dlp_b_grid *grid)
{
    double area = 0;
    for (int32_t cell = 0; cell < cell_count(grid); cell++) {
        const int32_t x = cell % grid->count[0], y = cell / grid->count[0] % grid->count[1],
                      z = cell / grid->count[0] / grid->count[1];
        const double gx = ramp(grid, x + 1, y, z) - ramp(grid, x - 1, y, z);
        const double gy = ramp(grid, x, y + 1, z) - ramp(grid, x, y - 1, z);
        const double gz = ramp(grid, x, y, z + 1) - ramp(grid, x, y, z - 1);
        area += 0.5 * sqrt(gx * gx + gy * gy + gz * gz);
    }
    return area;
}

static bool is_full(const dlp_b_grid *grid, int32_t cell)
{
    return grid->fraction[cell] > 0.5f;
}

double dlp_b_surface_distance(const dlp_b_grid *finest, const dlp_b_grid *other)
{
    int32_t different = 0;
    for (int32_t cell = 0; cell < cell_count(finest); cell++)
        different += is_full(finest, cell) != is_full(other, cell);
    return different / surface_area(finest);
}

// Thin features.

// A cell is set where all cells within the ball are (erosion), or where any is (dilation).
static void morph(const dlp_b_grid *grid, const uint8_t *from, double radius, bool is_erosion, uint8_t *to)
{
    const int32_t reach = (int32_t)radius;
    for (int32_t cell = 0; cell < cell_count(grid); cell++) {
        const int32_t x = cell % grid->count[0], y = cell / grid->count[0] % grid->count[1],
                      z = cell / grid->count[0] / grid->count[1], side = 2 * reach + 1;
        bool is_set = is_erosion;
        for (int32_t k = 0; k < side * side * side && is_set == is_erosion; k++) {
            const int32_t dx = k % side - reach, dy = k / side % side - reach, dz = k / side / side - reach;
            if (dx * dx + dy * dy + dz * dz > radius * radius) continue;
            const int32_t near = cell_at(grid, x + dx, y + dy, z + dz);
            if ((near >= 0 && from[near] != 0) != is_erosion) is_set = !is_erosion;
        }
        to[cell] = is_set;
    }
}

// What an opening removes. `room` has three times the cells; the first third gets the result.
static void find_thin(const dlp_b_grid *grid, double radius, uint8_t *room)
{
    const int32_t count = cell_count(grid);
    uint8_t *full = room, *eroded = room + count, *opened = room + 2 * (size_t)count;
    for (int32_t cell = 0; cell < count; cell++) full[cell] = is_full(grid, cell);
    morph(grid, full, radius, true, eroded);
    morph(grid, eroded, radius, false, opened);
    for (int32_t cell = 0; cell < count; cell++) full[cell] = full[cell] && !opened[cell];
}

dlp_status dlp_b_thin_features(const dlp_b_grid *finest, const dlp_b_grid *other, double radius,
                               dlp_b_thin *thin, dlp_error *error)
{
    const size_t count = (size_t)cell_count(finest);
    uint8_t *room = dlp_alloc(6 * count, sizeof *room, "experiment");
    if (room == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "experiment: no room");
    uint8_t *here = room, *there = room + 3 * count;
    find_thin(finest, radius, here);
    find_thin(other, radius, there);
    for (size_t cell = 0; cell < count; cell++) {
        thin->finest += here[cell];
        thin->other += there[cell];
        thin->both += here[cell] && there[cell];
    }
    dlp_free(room);
    return DLP_OK;
}
