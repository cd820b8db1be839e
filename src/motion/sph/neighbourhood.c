/* Who is near whom: sorts the particles by cell, gathers the wall points near them, and lists neighbours. */
#include "motion/sph/cell_window.h"
#include "motion/sph/predict.h"
#include "motion/sph/renew.h"

#include <string.h>

enum { GRAIN = 1024 };

// Sorting. Places live in the memory of the packed-records, which are written anew.
typedef struct cell_placing {
    dlp_sph *sph;
    dlp_cell *unsorted, *cells;  // of each particle, before and after it is sorted
    int32_t first;               // particle of the present layer
    dlp_cell low;                // from where keys are counted
    dlp_cell middle;             // of the window, in cells of layer 0
    dlp_cell layer_middle;       // ... in those of the present layer
    bool is_restoring;           // the places of the last build, from a checkpoint
} cell_placing;

// What bounds a number of particles.
typedef struct cell_bounds {
    double reach;  // m: the largest
    dlp_cell low;  // the smallest coordinates
    bool are_far;  // some, from the origin
} cell_bounds;

static const cell_bounds no_bounds = {.low = {INT32_MAX, INT32_MAX, INT32_MAX}};

static void join_bounds(void *result, const void *later)
{
    cell_bounds *bounds = result;
    const cell_bounds *more = later;
    bounds->reach = more->reach > bounds->reach ? more->reach : bounds->reach;
    bounds->low = dlp_cell_min(bounds->low, more->low);
    bounds->are_far = bounds->are_far || more->are_far;
}

static dlp_cell place_particle(const cell_placing *pass, int32_t i)
{
    dlp_sph *sph = pass->sph;
    const dlp_vec3 x = dlp_sph_predicted_position(sph, i);
    const double reach = (double)dlp_particle_reach(sph, i);
    int64_t at[3];
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = dlp_units_of(&sph->params.units, axis, dlp_component(x, axis));
        if (pass->is_restoring) at[axis] = dlp_units_near((uint32_t)sph->state.listed.at[axis][i], at[axis]);
        sph->state.listed.at[axis][i] = (int32_t)(uint32_t)at[axis];
    }
    return dlp_cell_of(&sph->params.units, dlp_level_of(&sph->params.units, reach), at);
}

static void place_range(void *context, int32_t begin, int32_t end, void *result)
{
    const cell_placing *pass = context;
    cell_bounds *bounds = result;
    for (int32_t i = begin; i < end; i++) {
        pass->unsorted[i] = place_particle(pass, i);
        bounds->low = dlp_cell_min(bounds->low, pass->unsorted[i]);
        bounds->are_far = bounds->are_far || !dlp_cell_is_near(pass->unsorted[i], (dlp_cell){0, 0, 0});
    }
}

// A low corner no lower than that of the window.
static dlp_cell within_window(dlp_cell low, dlp_cell middle)
{
    const dlp_cell least = {middle.x - DLP_CELL_REACH, middle.y - DLP_CELL_REACH, middle.z - DLP_CELL_REACH};
    return (dlp_cell){low.x < least.x ? least.x : low.x, low.y < least.y ? least.y : low.y,
                      low.z < least.z ? least.z : low.z};
}

// Cells outside of the window all sort to one end: their particles have no neighbours.
static uint64_t sort_key(dlp_cell cell, dlp_cell low, dlp_cell middle)
{
    return dlp_cell_is_near(cell, middle) ? dlp_cell_key(cell, low) : UINT64_MAX >> 4;
}

static void write_keys(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const cell_placing *pass = context;
    dlp_sph *sph = pass->sph;
    for (int32_t i = begin; i < end; i++) {
        const int32_t level = dlp_level_of(&sph->params.units, (double)dlp_particle_reach(sph, i));
        const dlp_cell middle = dlp_cell_middle_at(pass->middle, level);
        const dlp_cell low = within_window(pass->low, middle);
        sph->scratch.neighbours.sorter.keys[i] =
            (uint64_t)level << 60 | sort_key(pass->unsorted[i], low, middle);
    }
}

typedef struct wrapping {
    dlp_sph *sph;
    int axis;
} wrapping;

static void wrap_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const wrapping *pass = context;
    const dlp_units *units = &pass->sph->params.units;
    const double low = dlp_component(units->origin, pass->axis), period = units->period[pass->axis];
    for (int32_t i = begin; i < end; i++) {
        double *x = &pass->sph->state.particles.position[3 * (int64_t)i + pass->axis];
        if (*x < low || *x >= low + period) *x -= period * floor((*x - low) / period);
    }
}

// Wraps periodic positions into the domain, so that they stay small and readable.
static void wrap_positions(dlp_sph *sph)
{
    for (int axis = 0; axis < 3; axis++) {
        wrapping pass = {sph, axis};
        if (sph->params.units.is_periodic[axis])
            dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, wrap_range, &pass);
    }
}

// The end of the layer that begins here, among sorted keys.
static int32_t layer_end(const uint64_t *keys, int32_t begin, int32_t count)
{
    int32_t inside = begin, beyond = count;
    while (beyond - inside > 1) {
        const int32_t middle = inside + (beyond - inside) / 2;
        *(keys[middle] >> 60 == keys[begin] >> 60 ? &inside : &beyond) = middle;
    }
    return beyond;
}

static void gather_cells(void *context, int32_t begin, int32_t end, void *result)
{
    const cell_placing *pass = context;
    cell_bounds *bounds = result;
    for (int32_t k = pass->first + begin; k < pass->first + end; k++) {
        const int32_t i = pass->sph->scratch.neighbours.sorter.order[k];
        const double reach = (double)dlp_particle_reach(pass->sph, i);
        pass->cells[k] = pass->unsorted[i];
        bounds->reach = reach > bounds->reach ? reach : bounds->reach;
        bounds->low = dlp_cell_min(bounds->low, pass->cells[k]);
    }
}

// Keys of sorted particles must be those the layer looks cells up by: relative to the layer's own low corner.
static void rekey_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const cell_placing *pass = context;
    uint64_t *keys = pass->sph->scratch.neighbours.sorter.keys;
    for (int32_t k = pass->first + begin; k < pass->first + end; k++)
        keys[k] = (keys[k] >> 60) << 60 | sort_key(pass->cells[k], pass->low, pass->layer_middle);
}

static dlp_status index_layers(cell_placing *pass, dlp_error *error)
{
    dlp_sph *sph = pass->sph;
    dlp_neighbourhood *neighbours = &sph->scratch.neighbours;
    uint64_t *keys = neighbours->sorter.keys;
    neighbours->layer_count = 0;
    for (int32_t begin = 0; begin < sph->state.particles.count;) {
        const int32_t end = layer_end(keys, begin, sph->state.particles.count);
        pass->first = begin;
        cell_bounds bounds = no_bounds;
        const dlp_reduction gather = {gather_cells, join_bounds, pass, sizeof bounds};
        dlp_parallel_reduce(sph->team, end - begin, GRAIN, &gather, &bounds);
        pass->layer_middle = dlp_cell_middle_at(pass->middle, (int32_t)(keys[begin] >> 60));
        pass->low = within_window(bounds.low, pass->layer_middle);
        dlp_parallel_for(sph->team, end - begin, GRAIN, rekey_range, pass);
        assert(neighbours->layer_count < DLP_LAYER_LIMIT);
        dlp_layer *layer = &neighbours->layers[neighbours->layer_count++];
        layer->begin = begin;
        layer->end = end;
        layer->level = (int32_t)(keys[begin] >> 60);
        layer->reach = bounds.reach;
        layer->hidden = 0;
        layer->middle = pass->layer_middle;
        layer->low = pass->low;
        DLP_TRY(dlp_layer_index(layer, keys + begin, pass->cells + begin, sph->team, error));
        begin = end;
    }
    neighbours->particle_layer_count = neighbours->layer_count;
    return DLP_OK;
}

static void write_places(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 x = dlp_sph_predicted_position(sph, i);
        for (int axis = 0; axis < 3; axis++)
            sph->state.listed.at[axis][i] =
                (int32_t)(uint32_t)dlp_units_of(&sph->params.units, axis, dlp_component(x, axis));
    }
}

static dlp_status sort_particles(dlp_sph *sph, bool is_restoring, dlp_error *error)
{
    dlp_particles *p = &sph->state.particles;
    dlp_sorter *sorter = &sph->scratch.neighbours.sorter;
    // to sort by, cells before they are sorted, and then either cells after that or a field while it is moved
    const size_t count = (size_t)p->count, unsorted_at = DLP_SORT_BYTES * count,
                 cells_at = unsorted_at + sizeof(dlp_cell) * count;
    char *memory = dlp_sph_borrow_packed(sph, cells_at + DLP_PARTICLE_LARGEST_FIELD * count);
    DLP_TRY(dlp_sorter_prepare(sorter, memory, p->count, error));
    cell_placing pass = {.sph = sph,
                         .unsorted = (dlp_cell *)(memory + unsorted_at),
                         .cells = (dlp_cell *)(memory + cells_at),
                         .is_restoring = is_restoring};
    cell_bounds bounds = no_bounds;
    const dlp_reduction place = {place_range, join_bounds, &pass, sizeof bounds};
    dlp_parallel_reduce(sph->team, p->count, GRAIN, &place, &bounds);
    if (bounds.are_far) pass.middle = dlp_sph_find_middle(sph, pass.unsorted);
    sph->scratch.neighbours.middle = pass.middle;
    pass.low = bounds.low;
    dlp_parallel_for(sph->team, p->count, GRAIN, write_keys, &pass);
    dlp_sorter_sort(sorter, p->count, sph->team);
    DLP_TRY(index_layers(&pass, error));
    if (is_restoring) return DLP_OK;
    dlp_particles_permute(p, sorter->order, pass.cells, sph->team);
    dlp_parallel_for(sph->team, p->count, GRAIN, write_places, sph);
    return DLP_OK;
}

static void write_reach_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++) sph->scratch.points.reach[i] = dlp_particle_reach(sph, i);
}

// The wall points of a layer.
typedef struct reach_pass {
    float *reach;  // m: of the first of them
    float value;
} reach_pass;

static void write_wall_reach(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const reach_pass *pass = context;
    for (int32_t k = begin; k < end; k++) pass->reach[k] = pass->value;
}

static void write_reaches(dlp_sph *sph)
{
    const dlp_neighbourhood *neighbours = &sph->scratch.neighbours;
    if (sph->scratch.points.reach == NULL) return;
    dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, write_reach_range, sph);
    for (int32_t k = neighbours->particle_layer_count; k < neighbours->layer_count; k++) {
        const dlp_layer *layer = &neighbours->layers[k];
        reach_pass pass = {sph->scratch.points.reach + layer->begin, (float)layer->reach};
        dlp_parallel_for(sph->team, layer->end - layer->begin, GRAIN, write_wall_reach, &pass);
    }
}

dlp_list_def dlp_sph_list_def(const dlp_sph *sph, dlp_point_cloud *cloud)
{
    const dlp_neighbourhood *neighbours = &sph->scratch.neighbours;
    const uint32_t particle_layers = (1u << neighbours->particle_layer_count) - 1;
    const uint32_t wall_layers = ((1u << neighbours->layer_count) - 1) & ~particle_layers;
    *cloud =
        (dlp_point_cloud){.units = &sph->params.units,
                          .at = {sph->state.listed.at[0], sph->state.listed.at[1], sph->state.listed.at[2]},
                          .reach = sph->scratch.points.reach,
                          .layers = neighbours->layers,
                          .layer_count = neighbours->layer_count,
                          .point_count = dlp_sph_point_count(sph)};
    return (dlp_list_def){.cloud = cloud,
                          .count = sph->state.particles.count,
                          .group_count = 2,
                          .group_layers = {particle_layers, wall_layers},
                          .may_hide = sph->scratch.points.near_thin,
                          .keep_visible = dlp_sph_keep_visible,
                          .context = sph};
}

static dlp_status build_lists(dlp_sph *sph, dlp_error *error)
{
    dlp_neighbourhood *neighbours = &sph->scratch.neighbours;
    dlp_point_cloud cloud;
    dlp_list_def def = dlp_sph_list_def(sph, &cloud);
    DLP_TRY(dlp_lists_build(&neighbours->lists, &def, sph->target, sph->team, error));
    def.first = sph->state.particles.count;
    def.count = sph->scratch.walls.samples.count;
    DLP_TRY(dlp_lists_build(&neighbours->wall_lists, &def, sph->target, sph->team, error));
    neighbours->lists_hold = true;
    dlp_sph_sum_other_walls(sph);
    return DLP_OK;
}

// The point that pads the lists: it has no volume, so it adds nothing, and nothing of it divides by zero.
static void write_padding(dlp_sph *sph)
{
    float *packed = dlp_sph_packed(sph, dlp_sph_point_count(sph));
    memset(packed, 0, DLP_PACKED_SIZE * sizeof(float));
    packed[DLP_PACKED_H] = sph->params.substances[0].h;
    packed[DLP_PACKED_DENSITY] = sph->params.substances[0].rho0;
}

static void add_units(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    int64_t *units = result;
    for (int32_t i = begin; i < end; i++) *units += sph->state.particles.units[i];
}

void dlp_sph_count_finest(dlp_sph *sph)
{
    sph->scratch.finest_count = 0;
    const dlp_reduction sum = {add_units, dlp_combine_sum_int64, sph, sizeof sph->scratch.finest_count};
    dlp_parallel_reduce(sph->team, sph->state.particles.count, GRAIN, &sum, &sph->scratch.finest_count);
}

static dlp_status rebuild(dlp_sph *sph, bool is_restoring, dlp_error *error)
{
    dlp_neighbourhood *neighbours = &sph->scratch.neighbours;
    neighbours->lists_hold = false;
    if (sph->state.particles.count > 0)
        DLP_TRY(sort_particles(sph, is_restoring, error));
    else
        neighbours->layer_count = neighbours->particle_layer_count = 0;
    DLP_TRY(dlp_sph_gather_walls(sph, sph->state.listed.time, error));
    sph->scratch.walls.are_packed = sph->scratch.walls.are_summed = false;
    write_reaches(sph);
    dlp_sph_find_clearance(sph);
    DLP_TRY(build_lists(sph, error));
    write_padding(sph);
    dlp_sph_count_finest(sph);
    neighbours->are_stale = false;
    return DLP_OK;
}

dlp_status dlp_sph_find_neighbours(dlp_sph *sph, dlp_error *error)
{
    sph->scratch.neighbours.are_stale = true;
    dlp_sph_drain(sph);
    wrap_positions(sph);
    sph->state.listed.time = dlp_sph_clock_time(&sph->state.clock);
    DLP_TRY(rebuild(sph, false, error));
    dlp_sph_note_sorted(sph);
    return DLP_OK;
}

dlp_status dlp_sph_restore_neighbours(dlp_sph *sph, dlp_error *error)
{
    int32_t moved_count;
    DLP_TRY(dlp_sph_unsort(sph, &moved_count, error));
    DLP_TRY(rebuild(sph, true, error));
    return dlp_sph_renew_again(sph, moved_count, error);
}
