// Sorts the particles of a surface into bins and sums their kernels. Particles of very different size fall
// into layers of bins, each as wide as the kernels in it reach, so that a search looks at few bins and few
// particles that are too far away.
#include "skin/kernel_bins.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vec.h"
#include "skin/surface_loops.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

// A bin's key: its layer, then z, y and x in 20 bits each, with an offset that makes them positive. So keys
// ascend along x first.
enum { AXIS_BITS = 20, AXIS_MIDDLE = 1 << (AXIS_BITS - 1), NOTHING = -1 };

// Reach of the kernel in spacings: as wide as the kernels of the pair loops by its second moment.
static const double reach_in_spacings = 2.2;
// Volumes V0 / sum^p make a field that is 1 inside. With p = 0 drops vanish, with p = 1 lone particles come
// out twice too large; with 7/8 balls of two, ten and thousands of particles keep their volume at one iso
// value. sum^(-7/8) is written with square roots, which are the same on every machine.
static float fill_share(float sum)
{
    return sqrtf(sqrtf(sqrtf(sum))) / sum;
}

static uint64_t bin_key(int32_t layer, const int64_t bin[3])
{
    uint64_t key = (uint64_t)layer;
    for (int axis = 2; axis >= 0; axis--) key = key << AXIS_BITS | (uint64_t)(bin[axis] + AXIS_MIDDLE);
    return key;
}

static int64_t bin_of(double at, double edge)
{
    return (int64_t)floor(at / edge);
}

// Cells: wider kernels, as no run has them, are left out rather than cover everything.
static const double widest_reach = 1024;

// Cells: a particle's spacing is the edge of a cube of its rest volume.
static double reach_of(float radius, double cell)
{
    return reach_in_spacings * cbrt(4 * DLP_PI / 3) * (double)radius / cell;
}

// Whether a particle is of the surface's substance and on the grid; NaN fails the comparisons.
static bool is_taken(const dlp_particle_view *particles, int32_t i, double cell)
{
    if (particles->substance >= 0 && particles->substances != NULL &&
        particles->substances[i] != particles->substance)
        return false;
    const double *x = particles->positions + 3 * (size_t)i;
    const double farthest = 1e9 * cell;  // beyond it cells cannot be counted
    return reach_of(particles->radii[i], cell) < widest_reach && particles->radii[i] > 0 &&
           fabs(x[0]) < farthest && fabs(x[1]) < farthest && fabs(x[2]) < farthest;
}

// All arrays have one capacity; it is set last, so that a failure leaves it true.
static dlp_status reserve(dlp_kernel_bins *bins, int32_t count, dlp_error *error)
{
    if (count <= bins->capacity) return DLP_OK;
    const int32_t wanted = count + count / 16;
    int32_t capacities[6] = {bins->capacity, bins->capacity, bins->capacity,
                             bins->capacity, bins->capacity, bins->capacity};
    DLP_TRY(dlp_reserve(&bins->at, &capacities[0], wanted, sizeof *bins->at, "skin", error));
    DLP_TRY(dlp_reserve(&bins->reach, &capacities[1], wanted, sizeof *bins->reach, "skin", error));
    DLP_TRY(dlp_reserve(&bins->sum, &capacities[3], wanted, sizeof *bins->sum, "skin", error));
    DLP_TRY(dlp_reserve(&bins->index, &capacities[4], wanted, sizeof *bins->index, "skin", error));
    DLP_TRY(dlp_reserve(&bins->centroid_offset, &capacities[2], wanted, sizeof *bins->centroid_offset, "skin",
                        error));
    DLP_TRY(dlp_reserve(&bins->kernels, &capacities[5], wanted, sizeof *bins->kernels, "skin", error));
    bins->capacity = wanted;
    return DLP_OK;
}

// Particles of similar reach are binned together: layer k holds those from about 2^k times the smallest on.
static int32_t layer_of(double reach, double smallest)
{
    int32_t layer = 0;
    for (double limit = 1.99 * smallest; reach > limit && layer < DLP_KERNEL_LAYERS - 1; limit *= 2) layer++;
    return layer;
}

// Returns the smallest reach, and finds the bins of each layer: their edge is the layer's largest reach, at
// least a cell. The layers follow from the set of particles, not from their order.
static double measure_layers(dlp_kernel_bins *bins, const dlp_particle_view *particles, double cell,
                             int32_t *out_count)
{
    double smallest = HUGE_VAL;
    *out_count = 0;
    for (int32_t i = 0; i < particles->count; i++) {
        if (!is_taken(particles, i, cell)) continue;
        ++*out_count;
        smallest = fmin(smallest, reach_of(particles->radii[i], cell));
    }
    memset(bins->has_layer, 0, sizeof bins->has_layer);
    memset(bins->edges, 0, sizeof bins->edges);
    for (int32_t i = 0; i < particles->count; i++) {
        if (!is_taken(particles, i, cell)) continue;
        const double reach = reach_of(particles->radii[i], cell);
        const int32_t layer = layer_of(reach, smallest);
        bins->has_layer[layer] = true;
        bins->edges[layer] = fmax(bins->edges[layer], fmax(reach, 1));
    }
    return smallest;
}

// False for a particle whose bin is beyond the bits of a key.
static bool find_key(const dlp_kernel_bins *bins, const dlp_particle_view *particles, double cell,
                     double smallest, int32_t i, uint64_t *out_key)
{
    const int32_t layer = layer_of(reach_of(particles->radii[i], cell), smallest);
    int64_t bin[3];
    for (int axis = 0; axis < 3; axis++) {
        bin[axis] = bin_of(particles->positions[3 * (size_t)i + (size_t)axis] / cell, bins->edges[layer]);
        if (bin[axis] <= -AXIS_MIDDLE || bin[axis] >= AXIS_MIDDLE - 1) return false;
    }
    *out_key = bin_key(layer, bin);
    return true;
}

// Keys of the particles that are taken; `index` says which they are.
static void list_keys(dlp_kernel_bins *bins, const dlp_particle_view *particles, double cell, double smallest)
{
    bins->count = 0;
    for (int32_t i = 0; i < particles->count; i++) {
        uint64_t key;
        if (!is_taken(particles, i, cell) || !find_key(bins, particles, cell, smallest, i, &key)) continue;
        bins->sorter.keys[bins->count] = key;
        bins->index[bins->count++] = i;
    }
}

// `chosen`: the particles that are taken, in the order of the view.
typedef struct sort_pass {
    dlp_kernel_bins *bins;
    const dlp_particle_view *particles;
    double cell;
    int32_t *chosen;
} sort_pass;

// Cells: the lower corner of a bin along an axis.
static double bin_corner(const dlp_kernel_bins *bins, uint64_t key, int axis)
{
    const uint64_t mask = ((uint64_t)1 << AXIS_BITS) - 1;
    const int64_t bin = (int64_t)(key >> (axis * AXIS_BITS) & mask) - AXIS_MIDDLE;
    return bins->edges[key >> (3 * AXIS_BITS)] * (double)bin;
}

// Fills entry k of all arrays. Places within a bin are small numbers, so that floats are exact enough far
// from the origin.
static void take_particle(const sort_pass *pass, int32_t k)
{
    dlp_kernel_bins *bins = pass->bins;
    const double weight =
        DLP_SURFACE_KERNEL_NORM / (reach_in_spacings * reach_in_spacings * reach_in_spacings);
    const int32_t i = pass->chosen[bins->sorter.order[k]];
    const float reach = (float)reach_of(pass->particles->radii[i], pass->cell);
    float from_corner[3];
    dlp_candidate *kernel = &bins->kernels[k];
    for (int axis = 0; axis < 3; axis++) {
        const size_t place = 3 * (size_t)i + (size_t)axis;
        bins->at[k][axis] = pass->particles->positions[place] / pass->cell;
        from_corner[axis] = (float)(bins->at[k][axis] - bin_corner(bins, bins->sorter.keys[k], axis));
        kernel->motion[axis] = pass->particles->displacements[place] * (float)(1 / pass->cell);
    }
    kernel->x = from_corner[0];
    kernel->y = from_corner[1];
    kernel->z = from_corner[2];
    kernel->steepness = 1 / reach;
    kernel->weight = (float)weight;
    bins->reach[k] = reach;
    bins->index[k] = i;
}

static void take_particles(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t k = begin; k < end; k++) take_particle(context, k);
}

static uint32_t slot_of(const dlp_bin_table *table, uint64_t key)
{
    return (uint32_t)dlp_hash(key) & (uint32_t)(table->slot_count - 1);
}

// At most half of the slots are used, so that every search ends at a free one.
static dlp_status size_bins(dlp_bin_table *table, int32_t bin_count, dlp_error *error)
{
    int32_t capacity = table->bin_capacity;
    DLP_TRY(dlp_reserve(&table->begin, &capacity, bin_count + 1, sizeof *table->begin, "skin", error));
    DLP_TRY(
        dlp_reserve(&table->keys, &table->bin_capacity, bin_count + 1, sizeof *table->keys, "skin", error));
    int32_t slot_count = 16;
    while (slot_count < 2 * bin_count) slot_count *= 2;
    capacity = table->slot_capacity;
    DLP_TRY(dlp_reserve(&table->slots_key, &capacity, slot_count, sizeof *table->slots_key, "skin", error));
    DLP_TRY(dlp_reserve(&table->slots_bin, &table->slot_capacity, slot_count, sizeof *table->slots_bin,
                        "skin", error));
    table->slot_count = slot_count;
    memset(table->slots_key, 0, (size_t)slot_count * sizeof *table->slots_key);
    return DLP_OK;
}

static void enter_bin(dlp_bin_table *table, uint64_t key, int32_t first)
{
    uint32_t s = slot_of(table, key);
    while (table->slots_key[s] != 0) s = (s + 1) & (uint32_t)(table->slot_count - 1);
    table->slots_key[s] = key + 1;
    table->slots_bin[s] = table->bin_count;
    table->keys[table->bin_count] = key;
    table->begin[table->bin_count++] = first;
}

// Sorted particles of equal keys are one bin.
static dlp_status index_bins(dlp_kernel_bins *bins, dlp_error *error)
{
    dlp_bin_table *table = &bins->table;
    const uint64_t *keys = bins->sorter.keys;
    int32_t bin_count = 0;
    for (int32_t k = 0; k < bins->count; k++) bin_count += k == 0 || keys[k] != keys[k - 1];
    DLP_TRY(size_bins(table, bin_count, error));
    table->bin_count = 0;
    for (int32_t k = 0; k < bins->count; k++) {
        if (k == 0 || keys[k] != keys[k - 1]) enter_bin(table, keys[k], k);
    }
    table->begin[table->bin_count] = bins->count;
    return DLP_OK;
}

static int32_t find_bin(const dlp_bin_table *table, uint64_t key)
{
    for (uint32_t s = slot_of(table, key); table->slots_key[s] != 0;
         s = (s + 1) & (uint32_t)(table->slot_count - 1))
        if (table->slots_key[s] == key + 1) return table->slots_bin[s];
    return NOTHING;
}

// Bins are in the order of their keys: the next one along x is often the next one in the list.
static int32_t find_after(const dlp_bin_table *table, int32_t bin, uint64_t key)
{
    if (bin != NOTHING && bin + 1 < table->bin_count && table->keys[bin + 1] == key) return bin + 1;
    return find_bin(table, key);
}

dlp_status dlp_kernel_bins_sort(dlp_kernel_bins *bins, const dlp_particle_view *particles, double cell,
                                dlp_target target, dlp_team *team, dlp_error *error)
{
    bins->target = target;
    int32_t count;
    const double smallest = measure_layers(bins, particles, cell, &count);
    DLP_TRY(reserve(bins, count, error));
    // The bytes of the sort, and the particles that were chosen, behind them.
    DLP_TRY(dlp_reserve(&bins->sort_memory, &bins->sort_capacity, bins->capacity,
                        DLP_SORT_BYTES + sizeof(int32_t), "skin", error));
    DLP_TRY(dlp_sorter_prepare(&bins->sorter, bins->sort_memory, count, error));
    list_keys(bins, particles, cell, smallest);
    dlp_sorter_sort(&bins->sorter, bins->count, team);
    int32_t *chosen = (int32_t *)((char *)bins->sort_memory + (size_t)bins->capacity * DLP_SORT_BYTES);
    if (bins->count > 0) memcpy(chosen, bins->index, (size_t)bins->count * sizeof *chosen);
    sort_pass pass = {bins, particles, cell, chosen};
    dlp_parallel_for(team, bins->count, 4096, take_particles, &pass);
    return index_bins(bins, error);
}

// Candidates.

// One search; lengths in cells.
typedef struct collection {
    const dlp_kernel_bins *bins;
    const dlp_particle_view *particles;  // NULL: no extras
    const double *corner;
    float size;               // of the cube at `corner`
    dlp_collect_fn *collect;  // of the bins' instruction set
    dlp_candidates *out;
} collection;

// Velocity, temperature and colour of a candidate; 0 where the view has none.
static void put_extras(const dlp_particle_view *particles, int32_t i, dlp_candidate *item, float extras[4])
{
    for (int axis = 0; axis < 3; axis++)
        item->motion[axis] = particles->velocities[3 * (size_t)i + (size_t)axis];
    extras[0] = particles->temperatures != NULL ? particles->temperatures[i] : 0;
    const int32_t substance = particles->substances != NULL ? particles->substances[i] : 0;
    for (int axis = 0; axis < 3; axis++)
        extras[1 + axis] = particles->colors != NULL ? particles->colors[3 * substance + axis] : 0;
}

// Room for `count` candidates in all lists.
static dlp_status make_room(dlp_candidates *out, int32_t count, dlp_error *error)
{
    DLP_TRY(dlp_reserve(&out->items, &out->capacity, count, sizeof *out->items, "skin", error));
    DLP_TRY(dlp_reserve(&out->places, &out->place_capacity, count, sizeof *out->places, "skin", error));
    if (!out->has_extras) return DLP_OK;
    return dlp_reserve(&out->extras, &out->extra_capacity, count, sizeof *out->extras, "skin", error);
}

// Adds the particles of one bin that reach the cube; there is room for all, since the loop writes before it
// tests.
static dlp_status collect_bin(const collection *c, int32_t bin, dlp_error *error)
{
    assert(bin >= 0 && bin < c->bins->table.bin_count);
    const dlp_kernel_bins *bins = c->bins;
    const uint64_t key = bins->table.keys[bin];
    const float shift[3] = {(float)(bin_corner(bins, key, 0) - c->corner[0]),
                            (float)(bin_corner(bins, key, 1) - c->corner[1]),
                            (float)(bin_corner(bins, key, 2) - c->corner[2])};
    const int32_t begin = bins->table.begin[bin], end = bins->table.begin[bin + 1];
    dlp_candidates *out = c->out;
    DLP_TRY(make_room(out, out->count + end - begin, error));
    dlp_candidate *items = out->items + out->count;
    int32_t *places = out->places + out->count;
    const int32_t kept = c->collect(bins->kernels + begin, end - begin, shift, c->size, items, places);
    for (int32_t k = 0; k < kept; k++) places[k] += begin;
    for (int32_t k = 0; k < kept && out->has_extras; k++)
        put_extras(c->particles, bins->index[places[k]], &items[k], out->extras[out->count + k]);
    out->count += kept;
    return DLP_OK;
}

// Cells2: the square of the gap between the cube and a bin along an axis. Bins farther away than their edge
// hold nothing that reaches the cube.
static double square_to_bin(const collection *c, double edge, int64_t bin, int axis)
{
    const double low = edge * (double)bin - c->corner[axis];
    const double above = low - (double)c->size, below = -(low + edge), out = above > below ? above : below;
    return out > 0 ? out * out : 0;
}

static dlp_status collect_layer(const collection *c, int32_t layer, dlp_error *error)
{
    const double edge = c->bins->edges[layer];
    int64_t low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = bin_of(c->corner[axis] - edge, edge);
        high[axis] = bin_of(c->corner[axis] + (double)c->size + edge, edge);
    }
    for (int64_t z = low[2]; z <= high[2]; z++) {
        const double square_z = square_to_bin(c, edge, z, 2);
        for (int64_t y = low[1]; y <= high[1]; y++) {
            const double square_y = square_z + square_to_bin(c, edge, y, 1);
            if (square_y >= edge * edge) continue;
            int32_t bin = NOTHING;
            for (int64_t x = low[0]; x <= high[0]; x++) {
                bin = find_after(&c->bins->table, bin, bin_key(layer, (int64_t[3]){x, y, z}));
                if (bin == NOTHING || square_y + square_to_bin(c, edge, x, 0) >= edge * edge) continue;
                DLP_TRY(collect_bin(c, bin, error));
            }
        }
    }
    return DLP_OK;
}

dlp_status dlp_kernel_bins_collect(const dlp_kernel_bins *bins, const dlp_particle_view *particles,
                                   const double corner[3], double size, dlp_candidates *out, dlp_error *error)
{
    const collection c = {bins, particles, corner, (float)size, dlp_surface_loops_of(bins->target).collect,
                          out};
    out->count = 0;
    out->has_extras = particles != NULL;
    if (bins->count == 0) return DLP_OK;
    for (int32_t layer = 0; layer < DLP_KERNEL_LAYERS; layer++)
        if (bins->has_layer[layer]) DLP_TRY(collect_layer(&c, layer, error));
    return DLP_OK;
}

void dlp_candidates_release(dlp_candidates *candidates)
{
    dlp_free(candidates->items);
    dlp_free(candidates->extras);
    dlp_free(candidates->places);
    *candidates = (dlp_candidates){0};
}

// Sums.

// A pass over bins writes the sums of their own particles; the weights that it reads change only after it.
typedef struct bin_sum_pass {
    dlp_kernel_bins *bins;
    dlp_surface_loops loops;
    _Atomic bool is_short;  // some thread found no memory; which one does not matter
} bin_sum_pass;

enum { GROUP = 64 };  // particles of a bin whose sums are made together

// Sums of the particles [begin, end) of one bin, seen from its corner.
static void sum_group(const bin_sum_pass *pass, const dlp_candidates *candidates, const double corner[3],
                      int32_t begin, int32_t end)
{
    assert(begin < end && end - begin <= GROUP);
    float at[3][GROUP] = {{0}}, sums[4 * GROUP];
    for (int32_t k = begin; k < end; k++) {
        for (int axis = 0; axis < 3; axis++)
            at[axis][k - begin] = (float)(pass->bins->at[k][axis] - corner[axis]);
    }
    const float *const places[3] = {at[0], at[1], at[2]};
    pass->loops.sum_points(candidates, places, end - begin, sums);
    const int32_t stride = (end - begin + 7) / 8 * 8;
    for (int32_t k = begin; k < end; k++) {
        const float *s = sums + (k - begin), *x = s + stride, *y = x + stride, *z = y + stride;
        pass->bins->sum[k] = s[0];
        pass->bins->centroid_offset[k] = sqrtf(x[0] * x[0] + y[0] * y[0] + z[0] * z[0]) / s[0];
    }
}

static void sum_bins(void *context, int32_t first, int32_t last, int32_t thread)
{
    (void)thread;
    bin_sum_pass *pass = context;
    dlp_kernel_bins *bins = pass->bins;
    dlp_candidates candidates = {0};
    for (int32_t bin = first; bin < last; bin++) {
        const uint64_t key = bins->table.keys[bin];
        const double corner[3] = {bin_corner(bins, key, 0), bin_corner(bins, key, 1),
                                  bin_corner(bins, key, 2)};
        const double edge = bins->edges[key >> (3 * AXIS_BITS)];
        if (dlp_kernel_bins_collect(bins, NULL, corner, edge, &candidates, NULL) != DLP_OK) {
            atomic_store(&pass->is_short, true);
            break;
        }
        for (int32_t k = bins->table.begin[bin]; k < bins->table.begin[bin + 1]; k += GROUP) {
            const int32_t end = bins->table.begin[bin + 1];
            sum_group(pass, &candidates, corner, k, k + GROUP < end ? k + GROUP : end);
        }
    }
    dlp_candidates_release(&candidates);
}

// Second pass, when all sums are there: weights of a field that is 1 inside.
static void fill_space(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const bin_sum_pass *pass = context;
    for (int32_t k = begin; k < end; k++) pass->bins->kernels[k].weight *= fill_share(pass->bins->sum[k]);
}

dlp_status dlp_kernel_bins_sum(dlp_kernel_bins *bins, dlp_team *team, dlp_error *error)
{
    bin_sum_pass pass = {.bins = bins, .loops = dlp_surface_loops_of(bins->target)};
    dlp_parallel_for(team, bins->table.bin_count, 64, sum_bins, &pass);
    if (atomic_load(&pass.is_short))
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room to sum %d particles", bins->count);
    dlp_parallel_for(team, bins->count, 4096, fill_space, &pass);
    return DLP_OK;
}

void dlp_kernel_bins_release(dlp_kernel_bins *bins)
{
    dlp_free(bins->at);
    dlp_free(bins->reach);
    dlp_free(bins->kernels);
    dlp_free(bins->stretches);
    dlp_free(bins->sum);
    dlp_free(bins->centroid_offset);
    dlp_free(bins->index);
    dlp_free(bins->sort_memory);
    dlp_free(bins->table.slots_key);
    dlp_free(bins->table.slots_bin);
    dlp_free(bins->table.begin);
    dlp_free(bins->table.keys);
    dlp_sorter_release(&bins->sorter);
    *bins = (dlp_kernel_bins){0};
}
