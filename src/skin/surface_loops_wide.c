// The loops of surface_loops.h, compiled once per instruction set. A vector has eight lanes on all of them
// and the order of operations is fixed, so that every build gives the same bits.
#include "base/wide.h"
#include "skin/surface_loops.h"

enum { PLANE = DLP_BLOCK * DLP_BLOCK };  // nodes in a plane z = const of a block: two vectors

// Every kernel is written, and only those that reach the cube are counted: no branch. The lanes are the eight
// floats of a dlp_candidate.
int32_t DLP_ON_TARGET(dlp_collect)(const dlp_candidate *kernels, int32_t count, const float shift[3],
                                   float size, dlp_candidate *out_items, int32_t *out_kept)
{
    const dlp_wide move = {shift[0], shift[1], shift[2], 0, 0, 0, 0, 0};
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        const dlp_wide kernel = dlp_wide_load(&kernels[k].x) + move;
        const dlp_wide out = dlp_wide_max(dlp_wide_max(-kernel, kernel - size), dlp_wide_of(0)) * kernel[3];
        const dlp_wide square = out * out;
        dlp_wide_write(&out_items[kept].x, kernel);
        out_kept[kept] = k;
        kept += square[0] + square[1] + square[2] < 1.0f;
    }
    return kept;
}

// The squares of the distances along x and y from a plane's nodes, in reaches.
typedef struct plane_squares {
    dlp_wide near, far;  // y = 0, 1 and y = 2, 3
} plane_squares;

DLP_INLINE plane_squares squares_in_plane(const dlp_candidate *c)
{
    const dlp_wide node_x = {0, 1, 2, 3, 0, 1, 2, 3}, node_y = {0, 0, 0, 0, 1, 1, 1, 1};
    const dlp_wide dx = (node_x - c->x) * c->steepness, dy = (node_y - c->y) * c->steepness,
                   dy_far = (node_y + (2.0f - c->y)) * c->steepness;
    return (plane_squares){dx * dx + dy * dy, dx * dx + dy_far * dy_far};
}

// weight (1 - (r/R)^2)^3, where 1 - (r/R)^2 = left - square
DLP_INLINE dlp_wide kernel_of(dlp_wide left_less_square, float weight)
{
    const dlp_wide u = dlp_wide_max(left_less_square, dlp_wide_of(0));
    return (weight * u) * (u * u);
}

// One plane z = const of nodes.
static void sum_field(const dlp_candidate *candidates, int32_t count, int32_t z, float *out_field)
{
    dlp_wide near = {0}, far = {0};
    for (int32_t k = 0; k < count; k++) {
        const dlp_candidate *c = &candidates[k];
        const float dz = ((float)z - c->z) * c->steepness, left = 1 - dz * dz;
        if (!(left > 0)) continue;
        const plane_squares s = squares_in_plane(c);
        near += kernel_of(left - s.near, c->weight);
        far += kernel_of(left - s.far, c->weight);
    }
    dlp_wide_write(out_field + PLANE * z, near);
    dlp_wide_write(out_field + PLANE * z + DLP_LANES, far);
}

// The same, and the weighted mean of the motion; the small number keeps 0 / 0 away where no kernel reaches.
static void sum_motion(const dlp_candidate *candidates, int32_t count, int32_t z, float *out_field,
                       float *out_motion)
{
    dlp_wide field[2] = {{0}, {0}}, motion[3][2] = {{{0}, {0}}, {{0}, {0}}, {{0}, {0}}};
    for (int32_t k = 0; k < count; k++) {
        const dlp_candidate *c = &candidates[k];
        const float dz = ((float)z - c->z) * c->steepness, left = 1 - dz * dz;
        if (!(left > 0)) continue;
        const plane_squares s = squares_in_plane(c);
        const dlp_wide w[2] = {kernel_of(left - s.near, c->weight), kernel_of(left - s.far, c->weight)};
        for (int half = 0; half < 2; half++) {
            field[half] += w[half];
            for (int axis = 0; axis < 3; axis++) motion[axis][half] += c->motion[axis] * w[half];
        }
    }
    for (int half = 0; half < 2; half++) {
        const int32_t at = PLANE * z + DLP_LANES * half;
        dlp_wide_write(out_field + at, field[half]);
        for (int axis = 0; axis < 3; axis++)
            dlp_wide_write(out_motion + DLP_BLOCK_NODES * axis + at,
                           motion[axis][half] / (field[half] + 1e-30f));
    }
}

void DLP_ON_TARGET(dlp_sum_nodes)(const dlp_candidate *candidates, int32_t count, float *out_field,
                                  float *out_motion)
{
    for (int32_t z = 0; z < DLP_BLOCK; z++) {
        if (out_motion != NULL)
            sum_motion(candidates, count, z, out_field, out_motion);
        else
            sum_field(candidates, count, z, out_field);
    }
}

// One plane of nodes, with |G r|^2 in place of (r/R)^2. The steepness is that of the longest axis: it bounds
// the reach.
static void sum_stretched_plane(const dlp_candidates *candidates, const dlp_stretch *stretches, int32_t z,
                                float *out_field)
{
    const dlp_wide node_x = {0, 1, 2, 3, 0, 1, 2, 3}, node_y = {0, 0, 0, 0, 1, 1, 1, 1};
    dlp_wide sums[2] = {{0}, {0}};
    for (int32_t k = 0; k < candidates->count; k++) {
        const dlp_candidate *c = &candidates->items[k];
        const dlp_stretch *g = &stretches[candidates->places[k]];
        const float dz = (float)z - c->z;
        if (!(dz * dz * (c->steepness * c->steepness) < 1)) continue;
        const dlp_wide dx = node_x - c->x;
        for (int half = 0; half < 2; half++) {
            const dlp_wide dy = node_y + (2.0f * (float)half - c->y);
            const dlp_wide a = g->xx * dx + g->xy * dy + g->xz * dz, b = g->xy * dx + g->yy * dy + g->yz * dz,
                           d = g->xz * dx + g->yz * dy + g->zz * dz;
            sums[half] += kernel_of(1.0f - (a * a + b * b + d * d), c->weight);
        }
    }
    dlp_wide_write(out_field + PLANE * z, sums[0]);
    dlp_wide_write(out_field + PLANE * z + DLP_LANES, sums[1]);
}

void DLP_ON_TARGET(dlp_sum_stretched)(const dlp_candidates *candidates, const dlp_stretch *stretches,
                                      float *out_field)
{
    for (int32_t z = 0; z < DLP_BLOCK; z++) sum_stretched_plane(candidates, stretches, z, out_field);
}

// Eight places: the sum of the kernels and, weighted by them, of motion and extras or of the offset from the
// candidate in its reaches.
DLP_INLINE void sum_eight(const dlp_candidates *candidates, const float *const at[3], int32_t first,
                          bool has_extras, int32_t stride, float *out_sums)
{
    const dlp_wide x = dlp_wide_load(at[0] + first), y = dlp_wide_load(at[1] + first),
                   z = dlp_wide_load(at[2] + first);
    dlp_wide sum = {0}, sums[DLP_ATTRIBUTE_LIMIT] = {{0}};
    for (int32_t k = 0; k < candidates->count; k++) {
        const dlp_candidate *c = &candidates->items[k];
        const dlp_wide dx = (x - c->x) * c->steepness, dy = (y - c->y) * c->steepness,
                       dz = (z - c->z) * c->steepness;
        const dlp_wide w = kernel_of(1.0f - (dx * dx + dy * dy + dz * dz), c->weight);
        sum += w;
        if (has_extras) {
            for (int a = 0; a < 3; a++) sums[a] += c->motion[a] * w;
            for (int a = 0; a < 4; a++) sums[3 + a] += candidates->extras[k][a] * w;
        } else {
            sums[0] += w * dx;
            sums[1] += w * dy;
            sums[2] += w * dz;
        }
    }
    dlp_wide_write(out_sums + first, sum);
    for (int a = 0; a < (has_extras ? DLP_ATTRIBUTE_LIMIT : 3); a++)
        dlp_wide_write(out_sums + (a + 1) * stride + first, sums[a]);
}

// The flag is a constant in each call, so that it costs nothing in the loop.
void DLP_ON_TARGET(dlp_sum_points)(const dlp_candidates *candidates, const float *const at[3], int32_t count,
                                   float *out_sums)
{
    const int32_t stride = (count + DLP_LANES - 1) / DLP_LANES * DLP_LANES;
    for (int32_t first = 0; first < count; first += DLP_LANES) {
        if (candidates->has_extras)
            sum_eight(candidates, at, first, true, stride, out_sums);
        else
            sum_eight(candidates, at, first, false, stride, out_sums);
    }
}

// Eight nodes of a padded block, of rows y and y + 1, moved by (dx, dy, dz).
DLP_INLINE dlp_wide nodes_at(const float *pad, int y, int z, int dx, int dy, int dz)
{
    const float *row = pad + ((z + 1 + dz) * DLP_PAD + y + 1 + dy) * DLP_PAD_ROW + 1 + dx;
    return dlp_wide_load_halves(row, row + DLP_PAD_ROW);
}

// The first-order upwind solution of |grad d| = 1 from the smaller neighbour along each axis: with the three
// sorted, the solution from one, two or three of them, whichever is the first that is not above the next
// neighbour.  [sethian1996]
DLP_INLINE dlp_wide solve_eikonal(dlp_wide a, dlp_wide b, dlp_wide c)
{
    const dlp_wide low = dlp_wide_min(a, b), high = dlp_wide_max(a, b);
    const dlp_wide first = dlp_wide_min(low, c), top = dlp_wide_max(low, c);
    const dlp_wide second = dlp_wide_min(high, top), third = dlp_wide_max(high, top), zero = dlp_wide_of(0);
    const dlp_wide one = first + 1.0f;
    const dlp_wide gap = second - first;
    const dlp_wide two = 0.5f * (first + second + dlp_wide_sqrt(dlp_wide_max(2.0f - gap * gap, zero)));
    const dlp_wide sum = first + second + third;
    const dlp_wide squares = first * first + second * second + third * third;
    const dlp_wide three =
        (sum + dlp_wide_sqrt(dlp_wide_max(sum * sum - 3.0f * (squares - 1.0f), zero))) * (1.0f / 3.0f);
    const dlp_wide of_two = dlp_wide_select(one > second, two, one);
    return dlp_wide_select((one > second) & (two > third), three, of_two);
}

// All nodes are computed from the old ones before any is written: the order of nodes does not matter.
void DLP_ON_TARGET(dlp_sweep)(float *pad, const float *is_fixed)
{
    dlp_wide fresh[DLP_BLOCK_NODES / DLP_LANES];
    for (int g = 0; g < DLP_BLOCK_NODES / DLP_LANES; g++) {
        const int z = g / 2, y = g % 2 * 2;
        const dlp_wide old = nodes_at(pad, y, z, 0, 0, 0);
        const dlp_wide a = dlp_wide_min(nodes_at(pad, y, z, -1, 0, 0), nodes_at(pad, y, z, 1, 0, 0));
        const dlp_wide b = dlp_wide_min(nodes_at(pad, y, z, 0, -1, 0), nodes_at(pad, y, z, 0, 1, 0));
        const dlp_wide c = dlp_wide_min(nodes_at(pad, y, z, 0, 0, -1), nodes_at(pad, y, z, 0, 0, 1));
        const dlp_wide distance = dlp_wide_min(old, solve_eikonal(a, b, c));
        fresh[g] = dlp_wide_select(dlp_wide_load(is_fixed + DLP_LANES * g) > 0.0f, old, distance);
    }
    for (int g = 0; g < DLP_BLOCK_NODES / DLP_LANES; g++) {
        float *row = pad + ((g / 2 + 1) * DLP_PAD + g % 2 * 2 + 1) * DLP_PAD_ROW + 1;
        dlp_wide_write_halves(row, row + DLP_PAD_ROW, fresh[g]);
    }
}

// div(grad f / |grad f|) by central differences; the small number stands in where the field is flat.
DLP_INLINE void curve_eight(const float *pad, int y, int z, dlp_wide *out_curvature, dlp_wide *out_slope)
{
#define AT(dx, dy, dz) nodes_at(pad, y, z, dx, dy, dz)
    const dlp_wide f = AT(0, 0, 0);
    const dlp_wide xp = AT(1, 0, 0), xm = AT(-1, 0, 0), yp = AT(0, 1, 0), ym = AT(0, -1, 0), zp = AT(0, 0, 1),
                   zm = AT(0, 0, -1);
    const dlp_wide fx = 0.5f * (xp - xm), fy = 0.5f * (yp - ym), fz = 0.5f * (zp - zm);
    const dlp_wide fxx = xp + xm - 2.0f * f, fyy = yp + ym - 2.0f * f, fzz = zp + zm - 2.0f * f;
    const dlp_wide fxy = 0.25f * (AT(1, 1, 0) - AT(-1, 1, 0) - AT(1, -1, 0) + AT(-1, -1, 0));
    const dlp_wide fxz = 0.25f * (AT(1, 0, 1) - AT(-1, 0, 1) - AT(1, 0, -1) + AT(-1, 0, -1));
    const dlp_wide fyz = 0.25f * (AT(0, 1, 1) - AT(0, -1, 1) - AT(0, 1, -1) + AT(0, -1, -1));
#undef AT
    const dlp_wide square = fx * fx + fy * fy + fz * fz + 1e-12f, slope = dlp_wide_sqrt(square);
    const dlp_wide along = fxx * (fy * fy + fz * fz) + fyy * (fx * fx + fz * fz) + fzz * (fx * fx + fy * fy);
    const dlp_wide across = fx * fy * fxy + fx * fz * fxz + fy * fz * fyz;
    const dlp_wide curvature = (along - 2.0f * across) / (square * slope);
    *out_curvature = dlp_wide_max(dlp_wide_min(curvature, dlp_wide_of(1)), dlp_wide_of(-1));
    *out_slope = slope;
}

void DLP_ON_TARGET(dlp_curvature)(const float *pad, float *out_curvature, float *out_slope)
{
    for (int g = 0; g < DLP_BLOCK_NODES / DLP_LANES; g++) {
        dlp_wide curvature, slope;
        curve_eight(pad, g % 2 * 2, g / 2, &curvature, &slope);
        dlp_wide_write(out_curvature + DLP_LANES * g, curvature);
        dlp_wide_write(out_slope + DLP_LANES * g, slope);
    }
}
