// The active surface: a field of its own that moves with the particles, follows the iso surface, stays smooth
// and keeps its volume. Every pass computes a block from arrays that it does not write, or node by node in
// place: the bits do not depend on the number of threads.
#include "skin/surface_parts.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

// Spacings by which the surface may be away from the iso surface: small enough that new pieces appear and
// false bridges go, large enough that jumps when particles split are hidden.
static const double max_distance_in_spacings = 0.6;
static const double largest_offset = 0.25;  // spacings: lost spray must not inflate what is left

static const double mean_in_spacings = 1.5;  // blocks within this and one more count for the mean curvature

// Cells from the surface within which its field is carried along and smoothed; beyond, the distance to the
// iso surface serves.
static const float carried_width = 2.5f, smoothed_width = 2.5f;

static float clamp(float x, float low, float high)  // `low` where x is NaN
{
    return !(x > low) ? low : x > high ? high : x;
}

// Moving with the particles.

// Weights of four nodes at share t between the middle ones: a Catmull-Rom spline.  [catmull1974]
static void cubic_weights(float t, float out[4])
{
    out[0] = 0.5f * t * ((2 - t) * t - 1);
    out[1] = 0.5f * (t * t * (3 * t - 5) + 2);
    out[2] = 0.5f * t * ((4 - 3 * t) * t + 1);
    out[3] = 0.5f * t * t * (t - 1);
}

// The 4 x 4 x 4 old nodes from `low` on; false where one of their blocks is missing. `hint` is the block
// found last: neighbouring nodes mostly need the same one.
static bool load_nodes(const dlp_surface *s, const int32_t low[3], int32_t *hint, float out[64])
{
    const int32_t corner[3] = {dlp_block_of(low[0]), dlp_block_of(low[1]), dlp_block_of(low[2])};
    const dlp_band *band = &s->old_band;
    if (*hint == DLP_BAND_NONE || memcmp(band->blocks[*hint], corner, sizeof corner) != 0)
        *hint = dlp_band_find(band, corner);
    if (*hint == DLP_BAND_NONE) return false;
    const int32_t *around = band->around[*hint];
    const int32_t split = 4 - (low[0] & 3);  // nodes of a row in the first block
    for (int32_t z = 0; z < 4; z++) {
        for (int32_t y = 0; y < 4; y++) {
            const int32_t at_y = (low[1] & 3) + y, at_z = (low[2] & 3) + z;
            const int32_t place = DLP_BAND_HERE + 3 * (at_y / 4) + 9 * (at_z / 4);
            const int32_t row = (at_z % 4 * 4 + at_y % 4) * 4;
            const int32_t first = around[place], second = around[place + (split < 4)];
            if (first == DLP_BAND_NONE || second == DLP_BAND_NONE) return false;
            const float *a = s->old_value + (size_t)first * DLP_BLOCK_NODES + row;
            const float *b = s->old_value + (size_t)second * DLP_BLOCK_NODES + row;
            float *to = out + (z * 4 + y) * 4;
            for (int32_t x = 0; x < 4; x++) to[x] = x < split ? a[(low[0] & 3) + x] : b[x - split];
        }
    }
    return true;
}

// The old field at a place in cells, by cubic interpolation; false where it is not known.
static bool sample(const dlp_surface *s, const double at[3], int32_t *hint, float *out_value)
{
    int32_t low[3];
    float weights[3][4], nodes[64];
    for (int axis = 0; axis < 3; axis++) {
        const double whole = floor(at[axis]);
        if (!(fabs(whole) < 2e9)) return false;
        low[axis] = (int32_t)whole - 1;
        cubic_weights((float)(at[axis] - whole), weights[axis]);
    }
    if (!load_nodes(s, low, hint, nodes)) return false;
    float sum = 0;
    for (int32_t z = 0; z < 4; z++) {
        for (int32_t y = 0; y < 4; y++) {
            const float *row = nodes + (z * 4 + y) * 4;
            const float along = (row[0] * weights[0][0] + row[1] * weights[0][1]) +
                                (row[2] * weights[0][2] + row[3] * weights[0][3]);
            sum += weights[2][z] * weights[1][y] * along;
        }
    }
    *out_value = sum;
    return true;
}

// Semi-Lagrangian: the value of the frame before at x - displacement; the distance to the iso surface where
// nothing is known.
static void move_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_surface *s = context;
    int32_t hint = DLP_BAND_NONE;
    for (int32_t block = begin; block < end; block++) {
        const size_t first = (size_t)block * DLP_BLOCK_NODES;
        const float *motion = s->motion + 3 * first;
        const int32_t *at = s->band.blocks[block];
        for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) {
            const double place[3] = {4.0 * at[0] + n % 4 - (double)motion[n],
                                     4.0 * at[1] + n / 4 % 4 - (double)motion[DLP_BLOCK_NODES + n],
                                     4.0 * at[2] + n / 16 - (double)motion[2 * DLP_BLOCK_NODES + n]};
            const bool is_far = fabsf(s->distance[first + (size_t)n]) >= carried_width;
            float value = s->distance[first + (size_t)n];
            if (!is_far && !sample(s, place, &hint, &value)) value = s->distance[first + (size_t)n];
            s->value[first + (size_t)n] = value;
        }
    }
}

// Following, and smoothness.

// Parameters of one frame's approach.
typedef struct follow_pass {
    dlp_surface *surface;
    float share;           // of the difference to the iso surface that is removed now, 0..1
    float offset;          // cells, outward
    float max_distance;    // cells
    float smoothing_step;  // cells^2: curvature times this is taken off
} follow_pass;

// f += share (d + offset - f)
static void approach_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const follow_pass *pass = context;
    dlp_surface *s = pass->surface;
    for (size_t n = (size_t)begin * DLP_BLOCK_NODES; n < (size_t)end * DLP_BLOCK_NODES; n++)
        s->value[n] += pass->share * (s->distance[n] + pass->offset - s->value[n]);
}

// Whether a block has a node closer to the surface than this.
static bool comes_within(const float *value, float distance)
{
    float least = HUGE_VALF;
    for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) least = fabsf(value[n]) < least ? fabsf(value[n]) : least;
    return least < distance;
}

// Sum and number of the curvatures at a block's nodes within a cell of the surface.
static void measure_curvatures(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const follow_pass *pass = context;
    dlp_surface *s = pass->surface;
    for (int32_t block = begin; block < end; block++) {
        float pad[DLP_PAD_SIZE], curvature[DLP_BLOCK_NODES], slope[DLP_BLOCK_NODES], sum = 0, count = 0;
        const float *value = s->value + (size_t)block * DLP_BLOCK_NODES;
        s->curvatures[block][0] = s->curvatures[block][1] = 0;
        if (!comes_within(value, 1)) continue;
        dlp_band_pad(&s->band, s->value, block, 6, pad);
        s->loops.curvature(pad, curvature, slope);
        for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) {
            const bool is_near = fabsf(value[n]) < 1;
            sum += is_near ? curvature[n] : 0;
            count += is_near ? 1.0f : 0.0f;
        }
        s->curvatures[block][0] = sum;
        s->curvatures[block][1] = count;
    }
}

// Sums over a block and the 26 around it, in a fixed order.
static void spread_curvatures(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const follow_pass *pass = context;
    const dlp_surface *s = pass->surface;
    for (int32_t block = begin; block < end; block++) {
        float sum = 0, count = 0;
        for (int32_t n = 0; n < 27; n++) {
            const int32_t k = s->band.around[block][n];
            if (k == DLP_BAND_NONE) continue;
            sum += s->curvatures[k][0];
            count += s->curvatures[k][1];
        }
        // Scaled down, so that repeated sums stay small.
        s->spread_curvatures[block][0] = sum / 27;
        s->spread_curvatures[block][1] = count / 27;
    }
}

// The mean curvature of the surface within some spacings of each block: each round widens it by a block.
static void find_mean_curvatures(dlp_surface *s, follow_pass *pass)
{
    const double blocks = mean_in_spacings * s->settings.spacing / (s->settings.cell * DLP_BLOCK);
    const int32_t rounds = blocks > 1 ? (int32_t)ceil(blocks) : 1;
    dlp_parallel_for(s->settings.team, s->band.count, 64, measure_curvatures, pass);
    for (int32_t k = 0; k < rounds; k++) {
        dlp_parallel_for(s->settings.team, s->band.count, 256, spread_curvatures, pass);
        float(*const spread)[2] = s->spread_curvatures;
        const int32_t capacity = s->spread_capacity;
        s->spread_curvatures = s->curvatures;
        s->spread_capacity = s->curvature_capacity;
        s->curvatures = spread;
        s->curvature_capacity = capacity;
    }
}

// Curvature flow minus its mean: bumps go, drops and edges of large radius stay. Reads `value`, writes
// `other`.
static void smooth_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const follow_pass *pass = context;
    dlp_surface *s = pass->surface;
    for (int32_t block = begin; block < end; block++) {
        float pad[DLP_PAD_SIZE], curvature[DLP_BLOCK_NODES], slope[DLP_BLOCK_NODES];
        const size_t first = (size_t)block * DLP_BLOCK_NODES;
        float *out = s->other + first;
        memcpy(out, s->value + first, DLP_BLOCK_NODES * sizeof *out);
        if (!comes_within(out, smoothed_width)) continue;
        const float mean =
            s->curvatures[block][1] > 0 ? s->curvatures[block][0] / s->curvatures[block][1] : 0;
        dlp_band_pad(&s->band, s->value, block, 6, pad);
        s->loops.curvature(pad, curvature, slope);
        for (int32_t n = 0; n < DLP_BLOCK_NODES; n++)
            if (fabsf(out[n]) < smoothed_width)
                out[n] += pass->smoothing_step * (curvature[n] - mean) * slope[n];
    }
}

// Keeps the field near that of the iso surface and within the band; and next to missing blocks on its side of
// 0, so that the condition under which dlp_march closes the mesh holds for this field, too.
static void clamp_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const follow_pass *pass = context;
    dlp_surface *s = pass->surface;
    for (int32_t block = begin; block < end; block++) {
        const size_t first = (size_t)block * DLP_BLOCK_NODES;
        bool is_inner = true;
        for (int32_t n = 0; n < 27; n++) is_inner = is_inner && s->band.around[block][n] != DLP_BAND_NONE;
        for (size_t n = first; n < first + DLP_BLOCK_NODES; n++) {
            const float distance = s->distance[n];
            float value = clamp(s->value[n], distance - pass->max_distance, distance + pass->max_distance);
            if (!is_inner && (value > 0) != (distance > 0)) value = distance;
            s->value[n] = clamp(value, -DLP_BAND_WIDTH, DLP_BAND_WIDTH);
        }
    }
}

static void swap_values(dlp_surface *s)
{
    assert(s->value_capacity >= s->band.count && s->other_capacity >= s->band.count);
    float *const value = s->value;
    const int32_t capacity = s->value_capacity;
    s->value = s->other;
    s->value_capacity = s->other_capacity;
    s->other = value;
    s->other_capacity = capacity;
}

// One frame's worth of approach: closer, smoother, clamped.
static void follow(dlp_surface *s, follow_pass *pass)
{
    dlp_team *team = s->settings.team;
    const int32_t count = s->band.count;
    const double length = s->settings.smoothing * s->settings.spacing / s->settings.cell;
    const double total = length * length * (double)pass->share;
    // Explicit steps are stable below a quarter of a cell squared.
    const int32_t steps = (int32_t)ceil(total / 0.22);
    pass->smoothing_step = steps > 0 ? (float)(total / steps) : 0;
    dlp_parallel_for(team, count, 256, approach_blocks, pass);
    if (steps > 0) find_mean_curvatures(s, pass);
    for (int32_t k = 0; k < steps; k++) {
        dlp_parallel_for(team, count, 64, smooth_blocks, pass);
        swap_values(s);
    }
    dlp_parallel_for(team, count, 256, clamp_blocks, pass);
}

// `other` and `distance` were reserved by dlp_surface_find_distance.
static dlp_status reserve(dlp_surface *s, dlp_error *error)
{
    const int32_t count = s->band.count;
    DLP_TRY(dlp_surface_reserve(&s->value, &s->value_capacity, count, 1, error));
    DLP_TRY(
        dlp_reserve(&s->spread_curvatures, &s->spread_capacity, count, sizeof *s->curvatures, "skin", error));
    return dlp_reserve(&s->curvatures, &s->curvature_capacity, count, sizeof *s->curvatures, "skin", error);
}

// The field of the frame before, moved with the particles; the distance to the iso surface where there is
// none.
dlp_status dlp_surface_start(dlp_surface *s, dlp_error *error)
{
    DLP_TRY(reserve(s, error));
    if (s->has_history)
        dlp_parallel_for(s->settings.team, s->band.count, 16, move_blocks, s);
    else if (s->band.count > 0)
        memcpy(s->value, s->distance, (size_t)s->band.count * DLP_BLOCK_NODES * sizeof *s->value);
    return DLP_OK;
}

static follow_pass make_pass(dlp_surface *s)
{
    return (follow_pass){
        .surface = s,
        .share = (float)fmin(1 / (s->settings.memory + 0.5), 1),  // nearly 1 - exp(-1 / memory)
        .offset = (float)s->offset,
        .max_distance = (float)(max_distance_in_spacings * s->settings.spacing / s->settings.cell)};
}

void dlp_surface_follow(dlp_surface *s)
{
    follow_pass pass = make_pass(s);
    follow(s, &pass);
}

void dlp_surface_settle(dlp_surface *s)
{
    const int32_t rounds = (int32_t)fmin(ceil(s->settings.memory), 10);
    for (int32_t k = 0; k < rounds; k++) dlp_surface_follow(s);
}

// `values`: borrowed; `shift`: cells.
typedef struct shift_pass {
    float *values;
    float shift;
} shift_pass;

static void shift_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const shift_pass *pass = context;
    for (size_t n = (size_t)begin * DLP_BLOCK_NODES; n < (size_t)end * DLP_BLOCK_NODES; n++)
        pass->values[n] = clamp(pass->values[n] + pass->shift, -DLP_BAND_WIDTH, DLP_BAND_WIDTH);
}

// An error in volume over the area is a distance. The surface moves by a share of it at once, and what it
// follows moves with it: no overshoot.
void dlp_surface_correct_volume(dlp_surface *s, double share)
{
    const double cell = s->settings.cell, area = s->marcher.area, before = s->offset;
    s->shift = 0;
    if (!(share > 0 && area > 0)) return;
    const double limit = largest_offset * s->settings.spacing / cell;
    const double wanted = before + share * (s->rest_volume - s->marcher.volume) / (area * cell);
    s->offset = fmin(fmax(wanted, -limit), limit);
    s->shift = s->offset - before;
    shift_pass pass = {s->value, (float)s->shift};
    dlp_parallel_for(s->settings.team, s->band.count, 256, shift_blocks, &pass);
}
