/* The window of cells in which neighbours are looked for. Keys of cells have room for 2^20 cells along each
 * axis. As long as all particles are that near to the origin, the origin is the window's middle; else it is
 * the median of the particles, so that the window follows a substance wherever it goes, and a few that have
 * flown off cannot draw it away. */
#include "motion/sph/cell_window.h"

#include <stdio.h>

enum { GRAIN = 4096 };

typedef struct window_search {
    const dlp_sph *sph;
    const dlp_cell *cells;
    int64_t at[3];    // per axis, in cells of layer 0: up to and including which particles are counted
    dlp_cell middle;  // of the window, once it is found
} window_search;

typedef struct cell_range {
    int64_t low[3], high[3];
} cell_range;

typedef struct cell_counts {
    int64_t along[3];
} cell_counts;

static int32_t level_of(const dlp_sph *sph, int32_t i)
{
    return dlp_level_of(&sph->params.units, (double)dlp_particle_reach(sph, i));
}

static void in_cells_of_layer_0(const window_search *search, int32_t i, int64_t out_x[3])
{
    const dlp_cell cell = search->cells[i];
    const int64_t size = (int64_t)1 << level_of(search->sph, i);
    out_x[0] = cell.x * size;
    out_x[1] = cell.y * size;
    out_x[2] = cell.z * size;
}

static void find_range(void *context, int32_t begin, int32_t end, void *result)
{
    cell_range *range = result;
    for (int32_t i = begin; i < end; i++) {
        int64_t x[3];
        in_cells_of_layer_0(context, i, x);
        for (int axis = 0; axis < 3; axis++) {
            range->low[axis] = x[axis] < range->low[axis] ? x[axis] : range->low[axis];
            range->high[axis] = x[axis] > range->high[axis] ? x[axis] : range->high[axis];
        }
    }
}

static void join_ranges(void *result, const void *later)
{
    cell_range *range = result;
    const cell_range *more = later;
    for (int axis = 0; axis < 3; axis++) {
        range->low[axis] = more->low[axis] < range->low[axis] ? more->low[axis] : range->low[axis];
        range->high[axis] = more->high[axis] > range->high[axis] ? more->high[axis] : range->high[axis];
    }
}

static void count_up_to(void *context, int32_t begin, int32_t end, void *result)
{
    const window_search *search = context;
    cell_counts *counts = result;
    for (int32_t i = begin; i < end; i++) {
        int64_t x[3];
        in_cells_of_layer_0(search, i, x);
        for (int axis = 0; axis < 3; axis++) counts->along[axis] += x[axis] <= search->at[axis];
    }
}

static void add_counts(void *result, const void *later)
{
    cell_counts *counts = result;
    for (int axis = 0; axis < 3; axis++) counts->along[axis] += ((const cell_counts *)later)->along[axis];
}

// The median: the least coordinate up to which more than half of the particles are, by halving the range.
static void find_medians(window_search *search, int64_t out_median[3])
{
    dlp_team *team = search->sph->team;
    const int32_t count = search->sph->state.particles.count;
    cell_range range = {{INT64_MAX, INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN, INT64_MIN}};
    const dlp_reduction ranges = {find_range, join_ranges, search, sizeof range},
                        counting = {count_up_to, add_counts, search, sizeof(cell_counts)};
    dlp_parallel_reduce(team, count, GRAIN, &ranges, &range);
    while (range.low[0] < range.high[0] || range.low[1] < range.high[1] || range.low[2] < range.high[2]) {
        for (int axis = 0; axis < 3; axis++)
            search->at[axis] = range.low[axis] + (range.high[axis] - range.low[axis]) / 2;
        cell_counts counts = {{0}};
        dlp_parallel_reduce(team, count, GRAIN, &counting, &counts);
        for (int axis = 0; axis < 3; axis++) {
            if (counts.along[axis] > count / 2)
                range.high[axis] = search->at[axis];
            else
                range.low[axis] = search->at[axis] + 1;
        }
    }
    for (int axis = 0; axis < 3; axis++) out_median[axis] = range.low[axis];
}

static void count_far(void *context, int32_t begin, int32_t end, void *result)
{
    const window_search *search = context;
    int64_t *count = result;
    for (int32_t i = begin; i < end; i++) {
        const dlp_cell middle = dlp_cell_middle_at(search->middle, level_of(search->sph, i));
        *count += !dlp_cell_is_near(search->cells[i], middle);
    }
}

static void warn(dlp_sph *sph, int32_t far_count)
{
    const double reach = DLP_CELL_REACH * sph->params.units.cell;
    char message[160];
    snprintf(message, sizeof message,
             "%d particles are more than %.3g m away from the middle of the others: they find no neighbours",
             far_count, reach);
    if (sph->context.log != NULL) sph->context.log(message, sph->context.log_user);
}

dlp_cell dlp_sph_find_middle(dlp_sph *sph, const dlp_cell *cells)
{
    const int64_t limit = DLP_CELL_LIMIT - 2 * DLP_CELL_REACH;  // no window reaches to where coordinates end
    window_search search = {.sph = sph, .cells = cells};
    int64_t median[3];
    int32_t middle[3] = {0, 0, 0};
    find_medians(&search, median);
    for (int axis = 0; axis < 3; axis++)
        if (!sph->params.units.is_periodic[axis])
            middle[axis] = (int32_t)(median[axis] < -limit  ? -limit
                                     : median[axis] > limit ? limit
                                                            : median[axis]);
    search.middle = (dlp_cell){middle[0], middle[1], middle[2]};
    int64_t far_count = 0;
    const dlp_reduction counting = {count_far, dlp_combine_sum_int64, &search, sizeof far_count};
    dlp_parallel_reduce(sph->team, sph->state.particles.count, GRAIN, &counting, &far_count);
    if (far_count > 0 && !sph->scratch.neighbours.has_warned) warn(sph, (int32_t)far_count);
    sph->scratch.neighbours.has_warned = sph->scratch.neighbours.has_warned || far_count > 0;
    return search.middle;
}
