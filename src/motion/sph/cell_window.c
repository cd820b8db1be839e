/* The window of cells in which neighbours are looked for. Keys of cells have room for 2^20 cells along each
 * axis. As long as all particles are that near to the origin, the origin is the window's middle; else it is
 * the median of the particles, so that the window follows a substance wherever it goes, and a few that have
 * flown off cannot draw it away. */
#include "motion/sph/cell_window.h"

#include <stdio.h>

// The item that would stand in the middle of sorted ones; they change places.
static int64_t median_of(int64_t *items, int32_t count)
{
    const int32_t wanted = count / 2;
    for (int32_t low = 0, high = count - 1; low < high;) {
        const int64_t pivot = items[low + (high - low) / 2];
        int32_t i = low, j = high;
        while (i <= j) {
            while (items[i] < pivot) i++;
            while (items[j] > pivot) j--;
            if (i > j) break;
            const int64_t moved = items[i];
            items[i++] = items[j];
            items[j--] = moved;
        }
        if (wanted > j) low = i;
        if (wanted < i) high = j;
    }
    return items[wanted];
}

static int32_t coordinate(dlp_cell cell, int axis)
{
    return axis == 0 ? cell.x : axis == 1 ? cell.y : cell.z;
}

static int32_t level_of(const dlp_sph *sph, int32_t i)
{
    return dlp_level_of(&sph->params.units, (double)dlp_particle_reach(sph, i));
}

// Along one axis, in cells of layer 0; no window reaches to where coordinates end.
static int32_t middle_along(const dlp_sph *sph, const dlp_cell *cells, int axis, int64_t *scratch)
{
    const int32_t count = sph->state.particles.count;
    const int64_t limit = DLP_CELL_LIMIT - 2 * DLP_CELL_REACH;
    for (int32_t i = 0; i < count; i++)
        scratch[i] = (int64_t)coordinate(cells[i], axis) * ((int64_t)1 << level_of(sph, i));
    const int64_t middle = median_of(scratch, count);
    return (int32_t)(middle < -limit ? -limit : middle > limit ? limit : middle);
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

dlp_cell dlp_sph_find_middle(dlp_sph *sph, const dlp_cell *cells, int64_t *scratch)
{
    int32_t middle[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; axis++)
        if (!sph->params.units.is_periodic[axis]) middle[axis] = middle_along(sph, cells, axis, scratch);
    const dlp_cell found = {middle[0], middle[1], middle[2]};
    int32_t far_count = 0;
    for (int32_t i = 0; i < sph->state.particles.count; i++)
        far_count += !dlp_cell_is_near(cells[i], dlp_cell_middle_at(found, level_of(sph, i)));
    if (far_count > 0 && !sph->scratch.neighbours.has_warned) warn(sph, far_count);
    sph->scratch.neighbours.has_warned = sph->scratch.neighbours.has_warned || far_count > 0;
    return found;
}
