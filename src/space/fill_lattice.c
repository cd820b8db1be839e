/* Fits the perfect lattice into a box: whole numbers of points along each axis, and cells stretched a little.
 */
#include "space/fill_lattice.h"

enum { COUNT_LIMIT = 1 << 20 };  // along an axis: the keys of fill.c have 21 bits for it

// Steps of the perfect lattice whose cell has the volume of the cube (2-D: square) of the spacing.
static dlp_vec3 perfect_steps(const dlp_fill_def *def)
{
    const double s = def->spacing;
    if (def->lattice != DLP_LATTICE_HEXAGONAL) return dlp_vec(s, s, s);
    if (def->dimension == 2) {
        const double a = s * sqrt(2 / sqrt(3));  // a row of triangles is a sqrt(3)/2 high
        return dlp_vec(a, a * sqrt(3) / 2, s);
    }
    const double a = s * pow(2, 1.0 / 6);  // the nearest distance; the cell is a^3 / sqrt(2)
    return dlp_vec(a, a * sqrt(3) / 2, a * sqrt(2.0 / 3));
}

// The number of steps next below (`more` 0) or above (1) what the length asks for, in whole units and at
// least one.
static double whole_steps(double length, double step, int32_t unit, int32_t more)
{
    return unit * fmax(1, floor(length / (step * unit)) + more);
}

// Tries the eight ways to round the three counts and takes the one that deforms the cell least: by the sum of
// the squares of the logarithms of the stretches, and of that of the volume. The first of equals wins, with a
// margin, so that rounding does not decide.
static void choose_counts(const double lengths[3], const double steps[3], const int32_t units[3],
                          double out_counts[3])
{
    double best = HUGE_VAL;
    for (int32_t rounding = 0; rounding < 8; rounding++) {
        double counts[3], cost = 0, sum = 0;
        for (int32_t k = 0; k < 3; k++) {
            counts[k] = whole_steps(lengths[k], steps[k], units[k], rounding >> k & 1);
            const double stretch = log(lengths[k] / (counts[k] * steps[k]));
            cost += stretch * stretch;
            sum += stretch;
        }
        cost += sum * sum;
        if (!(cost < best - 1e-12)) continue;
        best = cost;
        for (int32_t k = 0; k < 3; k++) out_counts[k] = counts[k];
    }
}

bool dlp_lattice_fit(const dlp_fill_def *def, const dlp_transform *frame, dlp_box box, const bool wraps[3],
                     dlp_lattice_grid *out_grid)
{
    const bool is_flat = def->dimension == 2, is_cubic = def->lattice != DLP_LATTICE_HEXAGONAL;
    const dlp_vec3 perfect = perfect_steps(def), size = dlp_sub(box.max, box.min);
    const double lengths[3] = {size.x, size.y, is_flat ? perfect.z : size.z};
    const double steps[3] = {perfect.x, perfect.y, perfect.z};
    // Rows and layers alternate: across a period there must be an even number of them.
    const int32_t units[3] = {1, wraps[1] && !is_cubic ? 2 : 1, wraps[2] && !is_cubic && !is_flat ? 2 : 1};
    double counts[3] = {1, 1, 1};
    choose_counts(lengths, steps, units, counts);

    *out_grid = (dlp_lattice_grid){.frame = *frame, .origin = box.min};
    for (int32_t k = 0; k < 3; k++) {
        if (!(counts[k] <= COUNT_LIMIT)) return false;
        out_grid->counts[k] = (int32_t)counts[k];
        out_grid->steps[k] = lengths[k] / counts[k];
    }
    if (is_flat) out_grid->origin.z = -lengths[2] / 2;
    // a row or a layer alone is not shifted: it would only lie off the middle
    const bool has_rows = counts[1] > 1 || counts[2] > 1;
    out_grid->shift_x = is_cubic || !has_rows ? 0 : 0.25;
    out_grid->shift_y = is_cubic || !(counts[2] > 1) ? 0 : 1.0 / 6;
    return true;
}

double dlp_lattice_cell(const dlp_lattice_grid *grid, int32_t dimension)
{
    return grid->steps[0] * grid->steps[1] * (dimension == 2 ? 1 : grid->steps[2]);
}

// Close packing: rows alternate by a quarter step to either side, layers by a sixth of a row across (together
// a half and a third between neighbours), and the middle of the whole stays in the middle of the box.
dlp_vec3 dlp_lattice_point(const dlp_lattice_grid *grid, int32_t i, int32_t j, int32_t k)
{
    const double x = i + 0.5 + ((j + k) % 2 == 0 ? -grid->shift_x : grid->shift_x);
    const double y = j + 0.5 + (k % 2 == 0 ? -grid->shift_y : grid->shift_y);
    const dlp_vec3 place = dlp_vec(x * grid->steps[0], y * grid->steps[1], (k + 0.5) * grid->steps[2]);
    return dlp_to_world(&grid->frame, dlp_add(grid->origin, place));
}
