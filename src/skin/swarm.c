#include "skin/swarm.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vec.h"
#include "skin/kernels.h"

#include <stdatomic.h>
#include <string.h>

enum { AXIS_BITS = 20, AXIS_MIDDLE = 1 << (AXIS_BITS - 1), NOTHING = -1 };

// Reach of the kernel in spacings: as wide as the kernels of the pair loops by its second moment.
static const double reach_in_spacings = 2.2;
// Volumes V0 / sum^p make a field that is 1 inside. With p = 0 drops vanish, with p = 1 lone particles come
// out twice too large; with 7/8 balls of two, ten and thousands of particles keep their volume at one iso
// value.
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

static double reach_of(float radius, double cell)
{
    return reach_in_spacings * cbrt(4 * DLP_PI / 3) * (double)radius / cell;
}

static bool is_taken(const dlp_matter *matter, int32_t i, double cell)
{
    if (matter->substance >= 0 && matter->substances != NULL && matter->substances[i] != matter->substance)
        return false;
    const double *x = matter->positions + 3 * (size_t)i;
    const double farthest = 1e9 * cell;  // beyond it cells cannot be counted
    return reach_of(matter->radii[i], cell) < widest_reach && matter->radii[i] > 0 && fabs(x[0]) < farthest &&
           fabs(x[1]) < farthest && fabs(x[2]) < farthest;
}

static dlp_status reserve(dlp_swarm *swarm, int32_t count, dlp_error *error)
{
    if (count <= swarm->capacity) return DLP_OK;
    const int32_t wanted = count + count / 16;
    int32_t capacities[6] = {swarm->capacity, swarm->capacity, swarm->capacity,
                             swarm->capacity, swarm->capacity, swarm->capacity};
    DLP_TRY(dlp_reserve(&swarm->at, &capacities[0], wanted, sizeof *swarm->at, "skin", error));
    DLP_TRY(dlp_reserve(&swarm->reach, &capacities[1], wanted, sizeof *swarm->reach, "skin", error));
    DLP_TRY(dlp_reserve(&swarm->sum, &capacities[3], wanted, sizeof *swarm->sum, "skin", error));
    DLP_TRY(dlp_reserve(&swarm->index, &capacities[4], wanted, sizeof *swarm->index, "skin", error));
    DLP_TRY(dlp_reserve(&swarm->lean, &capacities[2], wanted, sizeof *swarm->lean, "skin", error));
    DLP_TRY(dlp_reserve(&swarm->records, &capacities[5], wanted, sizeof *swarm->records, "skin", error));
    swarm->capacity = wanted;
    return DLP_OK;
}

// Particles of similar reach are binned together: layer k holds those from about 2^k times the smallest on.
static int32_t layer_of(double reach, double smallest)
{
    int32_t layer = 0;
    for (double limit = 1.99 * smallest; reach > limit && layer < DLP_SWARM_LAYERS - 1; limit *= 2) layer++;
    return layer;
}

// The largest reach of a layer, but no less than a cell, is the edge of its bins.
static double measure_layers(dlp_swarm *swarm, const dlp_matter *matter, double cell, int32_t *out_count)
{
    double smallest = HUGE_VAL;
    *out_count = 0;
    for (int32_t i = 0; i < matter->count; i++) {
        if (!is_taken(matter, i, cell)) continue;
        ++*out_count;
        smallest = fmin(smallest, reach_of(matter->radii[i], cell));
    }
    memset(swarm->has_layer, 0, sizeof swarm->has_layer);
    memset(swarm->edges, 0, sizeof swarm->edges);
    for (int32_t i = 0; i < matter->count; i++) {
        if (!is_taken(matter, i, cell)) continue;
        const double reach = reach_of(matter->radii[i], cell);
        const int32_t layer = layer_of(reach, smallest);
        swarm->has_layer[layer] = true;
        swarm->edges[layer] = fmax(swarm->edges[layer], fmax(reach, 1));
    }
    return smallest;
}

static bool find_key(const dlp_swarm *swarm, const dlp_matter *matter, double cell, double smallest,
                     int32_t i, uint64_t *out_key)
{
    const int32_t layer = layer_of(reach_of(matter->radii[i], cell), smallest);
    int64_t bin[3];
    for (int axis = 0; axis < 3; axis++) {
        bin[axis] = bin_of(matter->positions[3 * (size_t)i + (size_t)axis] / cell, swarm->edges[layer]);
        if (bin[axis] <= -AXIS_MIDDLE || bin[axis] >= AXIS_MIDDLE - 1) return false;
    }
    *out_key = bin_key(layer, bin);
    return true;
}

// Keys of the particles that are taken; `index` says which they are.
static void list_keys(dlp_swarm *swarm, const dlp_matter *matter, double cell, double smallest)
{
    swarm->count = 0;
    for (int32_t i = 0; i < matter->count; i++) {
        uint64_t key;
        if (!is_taken(matter, i, cell) || !find_key(swarm, matter, cell, smallest, i, &key)) continue;
        swarm->sorter.keys[swarm->count] = key;
        swarm->index[swarm->count++] = i;
    }
}

typedef struct sort_pass {
    dlp_swarm *swarm;
    const dlp_matter *matter;
    double cell;
    int32_t *chosen;
} sort_pass;

static double bin_corner(const dlp_swarm *swarm, uint64_t key, int axis)
{
    const uint64_t mask = ((uint64_t)1 << AXIS_BITS) - 1;
    const int64_t bin = (int64_t)(key >> (axis * AXIS_BITS) & mask) - AXIS_MIDDLE;
    return swarm->edges[key >> (3 * AXIS_BITS)] * (double)bin;
}

static void take_particle(const sort_pass *pass, int32_t k)
{
    dlp_swarm *swarm = pass->swarm;
    const double weight = DLP_SKIN_NORM / (reach_in_spacings * reach_in_spacings * reach_in_spacings);
    const int32_t i = pass->chosen[swarm->sorter.order[k]];
    const float reach = (float)reach_of(pass->matter->radii[i], pass->cell);
    float from_corner[3];
    dlp_candidate *record = &swarm->records[k];
    for (int axis = 0; axis < 3; axis++) {
        const size_t place = 3 * (size_t)i + (size_t)axis;
        swarm->at[k][axis] = pass->matter->positions[place] / pass->cell;
        from_corner[axis] = (float)(swarm->at[k][axis] - bin_corner(swarm, swarm->sorter.keys[k], axis));
        record->motion[axis] = pass->matter->displacements[place] * (float)(1 / pass->cell);
    }
    record->x = from_corner[0];
    record->y = from_corner[1];
    record->z = from_corner[2];
    record->steepness = 1 / reach;
    record->weight = (float)weight;
    swarm->reach[k] = reach;
    swarm->index[k] = i;
}

static void take_particles(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t k = begin; k < end; k++) take_particle(context, k);
}

static uint32_t slot_of(const dlp_swarm_bins *bins, uint64_t key)
{
    return (uint32_t)dlp_hash(key) & (uint32_t)(bins->slot_count - 1);
}

static dlp_status size_bins(dlp_swarm_bins *bins, int32_t bin_count, dlp_error *error)
{
    int32_t capacity = bins->bin_capacity;
    DLP_TRY(dlp_reserve(&bins->begin, &capacity, bin_count + 1, sizeof *bins->begin, "skin", error));
    DLP_TRY(dlp_reserve(&bins->keys, &bins->bin_capacity, bin_count + 1, sizeof *bins->keys, "skin", error));
    int32_t slot_count = 16;
    while (slot_count < 2 * bin_count) slot_count *= 2;
    capacity = bins->slot_capacity;
    DLP_TRY(dlp_reserve(&bins->slots_key, &capacity, slot_count, sizeof *bins->slots_key, "skin", error));
    DLP_TRY(dlp_reserve(&bins->slots_bin, &bins->slot_capacity, slot_count, sizeof *bins->slots_bin, "skin",
                        error));
    bins->slot_count = slot_count;
    memset(bins->slots_key, 0, (size_t)slot_count * sizeof *bins->slots_key);
    return DLP_OK;
}

static void enter_bin(dlp_swarm_bins *bins, uint64_t key, int32_t first)
{
    uint32_t s = slot_of(bins, key);
    while (bins->slots_key[s] != 0) s = (s + 1) & (uint32_t)(bins->slot_count - 1);
    bins->slots_key[s] = key + 1;
    bins->slots_bin[s] = bins->bin_count;
    bins->keys[bins->bin_count] = key;
    bins->begin[bins->bin_count++] = first;
}

static dlp_status index_bins(dlp_swarm *swarm, dlp_error *error)
{
    dlp_swarm_bins *bins = &swarm->bins;
    const uint64_t *keys = swarm->sorter.keys;
    int32_t bin_count = 0;
    for (int32_t k = 0; k < swarm->count; k++) bin_count += k == 0 || keys[k] != keys[k - 1];
    DLP_TRY(size_bins(bins, bin_count, error));
    bins->bin_count = 0;
    for (int32_t k = 0; k < swarm->count; k++) {
        if (k == 0 || keys[k] != keys[k - 1]) enter_bin(bins, keys[k], k);
    }
    bins->begin[bins->bin_count] = swarm->count;
    return DLP_OK;
}

static int32_t find_bin(const dlp_swarm_bins *bins, uint64_t key)
{
    for (uint32_t s = slot_of(bins, key); bins->slots_key[s] != 0;
         s = (s + 1) & (uint32_t)(bins->slot_count - 1))
        if (bins->slots_key[s] == key + 1) return bins->slots_bin[s];
    return NOTHING;
}

// Bins stand in the order of their keys: the next one along x is often the next one.
static int32_t find_after(const dlp_swarm_bins *bins, int32_t bin, uint64_t key)
{
    if (bin != NOTHING && bin + 1 < bins->bin_count && bins->keys[bin + 1] == key) return bin + 1;
    return find_bin(bins, key);
}

dlp_status dlp_swarm_sort(dlp_swarm *swarm, const dlp_matter *matter, double cell, dlp_target target,
                          dlp_team *team, dlp_error *error)
{
    swarm->target = target;
    int32_t count;
    const double smallest = measure_layers(swarm, matter, cell, &count);
    DLP_TRY(reserve(swarm, count, error));
    // The bytes of the sort, and the particles that were chosen, behind them.
    DLP_TRY(dlp_reserve(&swarm->sort_memory, &swarm->sort_capacity, swarm->capacity,
                        DLP_SORT_BYTES + sizeof(int32_t), "skin", error));
    DLP_TRY(dlp_sorter_prepare(&swarm->sorter, swarm->sort_memory, count, error));
    list_keys(swarm, matter, cell, smallest);
    dlp_sorter_sort(&swarm->sorter, swarm->count, team);
    int32_t *chosen = (int32_t *)((char *)swarm->sort_memory + (size_t)swarm->capacity * DLP_SORT_BYTES);
    if (swarm->count > 0) memcpy(chosen, swarm->index, (size_t)swarm->count * sizeof *chosen);
    sort_pass pass = {swarm, matter, cell, chosen};
    dlp_parallel_for(team, swarm->count, 4096, take_particles, &pass);
    return index_bins(swarm, error);
}

// Candidates.

typedef struct collection {
    const dlp_swarm *swarm;
    const dlp_matter *matter;  // or NULL
    const double *corner;
    float size;
    dlp_collect_fn *collect;
    dlp_candidates *out;
} collection;

static void put_extras(const dlp_matter *matter, int32_t i, dlp_candidate *item, float extras[4])
{
    for (int axis = 0; axis < 3; axis++)
        item->motion[axis] = matter->velocities[3 * (size_t)i + (size_t)axis];
    extras[0] = matter->temperatures != NULL ? matter->temperatures[i] : 0;
    const int32_t substance = matter->substances != NULL ? matter->substances[i] : 0;
    for (int axis = 0; axis < 3; axis++)
        extras[1 + axis] = matter->colors != NULL ? matter->colors[3 * substance + axis] : 0;
}

static dlp_status make_room(dlp_candidates *out, int32_t count, dlp_error *error)
{
    DLP_TRY(dlp_reserve(&out->items, &out->capacity, count, sizeof *out->items, "skin", error));
    DLP_TRY(dlp_reserve(&out->places, &out->place_capacity, count, sizeof *out->places, "skin", error));
    if (!out->has_extras) return DLP_OK;
    return dlp_reserve(&out->extras, &out->extra_capacity, count, sizeof *out->extras, "skin", error);
}

static dlp_status collect_bin(const collection *c, int32_t bin, dlp_error *error)
{
    const dlp_swarm *swarm = c->swarm;
    const uint64_t key = swarm->bins.keys[bin];
    const float shift[3] = {(float)(bin_corner(swarm, key, 0) - c->corner[0]),
                            (float)(bin_corner(swarm, key, 1) - c->corner[1]),
                            (float)(bin_corner(swarm, key, 2) - c->corner[2])};
    const int32_t begin = swarm->bins.begin[bin], end = swarm->bins.begin[bin + 1];
    dlp_candidates *out = c->out;
    DLP_TRY(make_room(out, out->count + end - begin, error));
    dlp_candidate *items = out->items + out->count;
    int32_t *places = out->places + out->count;
    const int32_t kept = c->collect(swarm->records + begin, end - begin, shift, c->size, items, places);
    for (int32_t k = 0; k < kept; k++) places[k] += begin;
    for (int32_t k = 0; k < kept && out->has_extras; k++)
        put_extras(c->matter, swarm->index[places[k]], &items[k], out->extras[out->count + k]);
    out->count += kept;
    return DLP_OK;
}

// Bins farther than a reach from the box hold nothing that is near.
static double square_to_bin(const collection *c, double edge, int64_t bin, int axis)
{
    const double low = edge * (double)bin - c->corner[axis];
    const double above = low - (double)c->size, below = -(low + edge), out = above > below ? above : below;
    return out > 0 ? out * out : 0;
}

static dlp_status collect_layer(const collection *c, int32_t layer, dlp_error *error)
{
    const double edge = c->swarm->edges[layer];
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
                bin = find_after(&c->swarm->bins, bin, bin_key(layer, (int64_t[3]){x, y, z}));
                if (bin == NOTHING || square_y + square_to_bin(c, edge, x, 0) >= edge * edge) continue;
                DLP_TRY(collect_bin(c, bin, error));
            }
        }
    }
    return DLP_OK;
}

dlp_status dlp_swarm_collect(const dlp_swarm *swarm, const dlp_matter *matter, const double corner[3],
                             double size, dlp_candidates *out, dlp_error *error)
{
    const collection c = {swarm, matter, corner, (float)size, dlp_skin_loops_of(swarm->target).collect, out};
    out->count = 0;
    out->has_extras = matter != NULL;
    if (swarm->count == 0) return DLP_OK;
    for (int32_t layer = 0; layer < DLP_SWARM_LAYERS; layer++)
        if (swarm->has_layer[layer]) DLP_TRY(collect_layer(&c, layer, error));
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

typedef struct sum_pass {
    dlp_swarm *swarm;
    dlp_skin_loops loops;
    _Atomic bool is_short;  // of memory
} sum_pass;

enum { GROUP = 64 };  // particles of a bin whose sums are made together

static void sum_group(const sum_pass *pass, const dlp_candidates *candidates, const double corner[3],
                      int32_t begin, int32_t end)
{
    float at[3][GROUP] = {{0}}, sums[4 * GROUP];
    for (int32_t k = begin; k < end; k++) {
        for (int axis = 0; axis < 3; axis++)
            at[axis][k - begin] = (float)(pass->swarm->at[k][axis] - corner[axis]);
    }
    const float *const places[3] = {at[0], at[1], at[2]};
    pass->loops.sum_points(candidates, places, end - begin, sums);
    const int32_t stride = (end - begin + 7) / 8 * 8;
    for (int32_t k = begin; k < end; k++) {
        const float *s = sums + (k - begin), *x = s + stride, *y = x + stride, *z = y + stride;
        pass->swarm->sum[k] = s[0];
        pass->swarm->lean[k] = sqrtf(x[0] * x[0] + y[0] * y[0] + z[0] * z[0]) / s[0];
    }
}

static void sum_bins(void *context, int32_t first, int32_t last, int32_t thread)
{
    (void)thread;
    sum_pass *pass = context;
    dlp_swarm *swarm = pass->swarm;
    dlp_candidates candidates = {0};
    for (int32_t bin = first; bin < last; bin++) {
        const uint64_t key = swarm->bins.keys[bin];
        const double corner[3] = {bin_corner(swarm, key, 0), bin_corner(swarm, key, 1),
                                  bin_corner(swarm, key, 2)};
        const double edge = swarm->edges[key >> (3 * AXIS_BITS)];
        if (dlp_swarm_collect(swarm, NULL, corner, edge, &candidates, NULL) != DLP_OK) {
            atomic_store(&pass->is_short, true);
            break;
        }
        for (int32_t k = swarm->bins.begin[bin]; k < swarm->bins.begin[bin + 1]; k += GROUP) {
            const int32_t end = swarm->bins.begin[bin + 1];
            sum_group(pass, &candidates, corner, k, k + GROUP < end ? k + GROUP : end);
        }
    }
    dlp_candidates_release(&candidates);
}

static void fill_space(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const sum_pass *pass = context;
    for (int32_t k = begin; k < end; k++) pass->swarm->records[k].weight *= fill_share(pass->swarm->sum[k]);
}

dlp_status dlp_swarm_sum(dlp_swarm *swarm, dlp_team *team, dlp_error *error)
{
    sum_pass pass = {.swarm = swarm, .loops = dlp_skin_loops_of(swarm->target)};
    dlp_parallel_for(team, swarm->bins.bin_count, 64, sum_bins, &pass);
    if (atomic_load(&pass.is_short))
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room to sum %d particles", swarm->count);
    dlp_parallel_for(team, swarm->count, 4096, fill_space, &pass);
    return DLP_OK;
}

void dlp_swarm_release(dlp_swarm *swarm)
{
    dlp_free(swarm->at);
    dlp_free(swarm->reach);
    dlp_free(swarm->records);
    dlp_free(swarm->stretches);
    dlp_free(swarm->sum);
    dlp_free(swarm->lean);
    dlp_free(swarm->index);
    dlp_free(swarm->sort_memory);
    dlp_free(swarm->bins.slots_key);
    dlp_free(swarm->bins.slots_bin);
    dlp_free(swarm->bins.begin);
    dlp_free(swarm->bins.keys);
    dlp_sorter_release(&swarm->sorter);
    *swarm = (dlp_swarm){0};
}
