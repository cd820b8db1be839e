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
// out twice too large; with 7/8 balls of one, two, ten and thousands of particles keep their volume at one
// iso value.
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

static bool is_taken(const dlp_matter *matter, int32_t i, double cell)
{
    if (matter->substance >= 0 && matter->substances != NULL && matter->substances[i] != matter->substance)
        return false;
    const double *x = matter->positions + 3 * (size_t)i;
    const double farthest = 1e9 * cell;  // beyond it cells cannot be counted
    return matter->radii[i] > 0 && isfinite(matter->radii[i]) && fabs(x[0]) < farthest &&
           fabs(x[1]) < farthest && fabs(x[2]) < farthest;
}

static dlp_status reserve(dlp_swarm *swarm, int32_t count, dlp_error *error)
{
    if (count <= swarm->capacity) return DLP_OK;
    const int32_t wanted = count + count / 4;
    int32_t capacities[5] = {swarm->capacity, swarm->capacity, swarm->capacity, swarm->capacity,
                             swarm->capacity};
    DLP_TRY(dlp_reserve(&swarm->at, &capacities[0], wanted, sizeof *swarm->at, "skin", error));
    DLP_TRY(dlp_reserve(&swarm->reach, &capacities[1], wanted, sizeof *swarm->reach, "skin", error));
    DLP_TRY(dlp_reserve(&swarm->weight, &capacities[2], wanted, sizeof *swarm->weight, "skin", error));
    DLP_TRY(dlp_reserve(&swarm->sum, &capacities[3], wanted, sizeof *swarm->sum, "skin", error));
    DLP_TRY(dlp_reserve(&swarm->index, &capacities[4], wanted, sizeof *swarm->index, "skin", error));
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

static double reach_of(float radius, double cell)
{
    return reach_in_spacings * cbrt(4 * DLP_PI / 3) * (double)radius / cell;
}

// The largest reach of a layer is the edge of its bins.
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
        swarm->edges[layer] = fmax(swarm->edges[layer], reach);
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

static void take_sorted(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const sort_pass *pass = context;
    dlp_swarm *swarm = pass->swarm;
    const double weight = DLP_SKIN_NORM / (reach_in_spacings * reach_in_spacings * reach_in_spacings);
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = pass->chosen[swarm->sorter.order[k]];
        for (int axis = 0; axis < 3; axis++)
            swarm->at[k][axis] = pass->matter->positions[3 * (size_t)i + (size_t)axis] / pass->cell;
        swarm->reach[k] = (float)reach_of(pass->matter->radii[i], pass->cell);
        swarm->weight[k] = (float)weight;
    }
}

static void put_index(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const sort_pass *pass = context;
    for (int32_t k = begin; k < end; k++) pass->swarm->index[k] = pass->chosen[pass->swarm->sorter.order[k]];
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

dlp_status dlp_swarm_sort(dlp_swarm *swarm, const dlp_matter *matter, double cell, dlp_team *team,
                          dlp_error *error)
{
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
    dlp_parallel_for(team, swarm->count, 4096, take_sorted, &pass);
    dlp_parallel_for(team, swarm->count, 4096, put_index, &pass);
    return index_bins(swarm, error);
}

// Candidates.

static void carry(const dlp_matter *matter, int32_t i, double cell, dlp_cargo cargo, float out[])
{
    if (cargo == DLP_CARGO_NONE) return;
    const float *from = cargo == DLP_CARGO_SURFACE ? matter->velocities : matter->displacements;
    const float scale = cargo == DLP_CARGO_SURFACE ? 1 : (float)(1 / cell);
    for (int axis = 0; axis < 3; axis++) out[axis] = scale * from[3 * (size_t)i + (size_t)axis];
    if (cargo != DLP_CARGO_SURFACE) return;
    out[3] = matter->temperatures != NULL ? matter->temperatures[i] : 0;
    const int32_t substance = matter->substances != NULL ? matter->substances[i] : 0;
    for (int axis = 0; axis < 3; axis++)
        out[4 + axis] = matter->colors != NULL ? matter->colors[3 * substance + axis] : 0;
}

// Distance of a place from the box 0 .. size, squared.
static float square_to_box(const float x[3], float size)
{
    float square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float below = -x[axis], above = x[axis] - size;
        const float out = below > above ? below : above;
        square += out > 0 ? out * out : 0;
    }
    return square;
}

typedef struct collection {
    const dlp_swarm *swarm;
    const dlp_matter *matter;
    double cell;
    dlp_cargo cargo;
    const double *corner;
    double size;
    dlp_candidates *out;
} collection;

static dlp_status collect_bin(const collection *c, int32_t bin, dlp_error *error)
{
    const dlp_swarm *swarm = c->swarm;
    const int32_t begin = swarm->bins.begin[bin], end = swarm->bins.begin[bin + 1];
    DLP_TRY(dlp_reserve(&c->out->items, &c->out->capacity, c->out->count + end - begin, sizeof *c->out->items,
                        "skin", error));
    for (int32_t k = begin; k < end; k++) {
        const float x[3] = {(float)(swarm->at[k][0] - c->corner[0]), (float)(swarm->at[k][1] - c->corner[1]),
                            (float)(swarm->at[k][2] - c->corner[2])};
        const float reach = swarm->reach[k];
        if (!(square_to_box(x, (float)c->size) < reach * reach)) continue;
        dlp_candidate *item = &c->out->items[c->out->count++];
        item->x = x[0];
        item->y = x[1];
        item->z = x[2];
        item->steepness = 1 / reach;
        item->weight = swarm->weight[k];
        carry(c->matter, swarm->index[k], c->cell, c->cargo, item->attributes);
    }
    return DLP_OK;
}

static dlp_status collect_layer(const collection *c, int32_t layer, dlp_error *error)
{
    const double edge = c->swarm->edges[layer];
    int64_t low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = bin_of(c->corner[axis] - edge, edge);
        high[axis] = bin_of(c->corner[axis] + c->size + edge, edge);
    }
    for (int64_t z = low[2]; z <= high[2]; z++) {
        for (int64_t y = low[1]; y <= high[1]; y++) {
            for (int64_t x = low[0]; x <= high[0]; x++) {
                const int32_t bin = find_bin(&c->swarm->bins, bin_key(layer, (int64_t[3]){x, y, z}));
                if (bin != NOTHING) DLP_TRY(collect_bin(c, bin, error));
            }
        }
    }
    return DLP_OK;
}

dlp_status dlp_swarm_collect(const dlp_swarm *swarm, const dlp_matter *matter, double cell, dlp_cargo cargo,
                             const double corner[3], double size, dlp_candidates *out, dlp_error *error)
{
    const collection c = {swarm, matter, cell, cargo, corner, size, out};
    out->count = 0;
    if (swarm->count == 0) return DLP_OK;
    for (int32_t layer = 0; layer < DLP_SWARM_LAYERS; layer++)
        if (swarm->has_layer[layer]) DLP_TRY(collect_layer(&c, layer, error));
    return DLP_OK;
}

// Sums.

typedef struct sum_pass {
    dlp_swarm *swarm;
    const dlp_matter *matter;
    dlp_skin_loops loops;
    _Atomic bool is_short;  // of memory
} sum_pass;

enum { GROUP = 64 };  // particles of a bin whose sums are made together

static void sum_group(const sum_pass *pass, const dlp_candidates *candidates, const double corner[3],
                      int32_t begin, int32_t end)
{
    float at[3][GROUP] = {{0}}, sums[GROUP];
    for (int32_t k = begin; k < end; k++) {
        for (int axis = 0; axis < 3; axis++)
            at[axis][k - begin] = (float)(pass->swarm->at[k][axis] - corner[axis]);
    }
    const float *const places[3] = {at[0], at[1], at[2]};
    pass->loops.sum_points(candidates->items, candidates->count, places, end - begin, 0, sums);
    memcpy(pass->swarm->sum + begin, sums, (size_t)(end - begin) * sizeof *sums);
}

static void sum_bins(void *context, int32_t first, int32_t last, int32_t thread)
{
    (void)thread;
    sum_pass *pass = context;
    dlp_swarm *swarm = pass->swarm;
    dlp_candidates candidates = {0};
    for (int32_t bin = first; bin < last; bin++) {
        const uint64_t key = swarm->bins.keys[bin], mask = ((uint64_t)1 << AXIS_BITS) - 1;
        const double edge = swarm->edges[key >> (3 * AXIS_BITS)];
        double corner[3];
        for (int axis = 0; axis < 3; axis++)
            corner[axis] = edge * (double)((int64_t)(key >> (axis * AXIS_BITS) & mask) - AXIS_MIDDLE);
        if (dlp_swarm_collect(swarm, pass->matter, 1, DLP_CARGO_NONE, corner, edge, &candidates, NULL) !=
            DLP_OK) {
            atomic_store(&pass->is_short, true);
            break;
        }
        for (int32_t k = swarm->bins.begin[bin]; k < swarm->bins.begin[bin + 1]; k += GROUP) {
            const int32_t end = swarm->bins.begin[bin + 1];
            sum_group(pass, &candidates, corner, k, k + GROUP < end ? k + GROUP : end);
        }
    }
    dlp_free(candidates.items);
}

static void fill_space(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const sum_pass *pass = context;
    for (int32_t k = begin; k < end; k++) pass->swarm->weight[k] *= fill_share(pass->swarm->sum[k]);
}

dlp_status dlp_swarm_sum(dlp_swarm *swarm, dlp_target target, dlp_team *team, dlp_error *error)
{
    const dlp_matter nothing = {0};
    sum_pass pass = {.swarm = swarm, .matter = &nothing, .loops = dlp_skin_loops_of(target)};
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
    dlp_free(swarm->weight);
    dlp_free(swarm->sum);
    dlp_free(swarm->index);
    dlp_free(swarm->sort_memory);
    dlp_free(swarm->bins.slots_key);
    dlp_free(swarm->bins.slots_bin);
    dlp_free(swarm->bins.begin);
    dlp_free(swarm->bins.keys);
    dlp_sorter_release(&swarm->sorter);
    *swarm = (dlp_swarm){0};
}
