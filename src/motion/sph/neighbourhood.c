/* Who is near whom: sorts the particles by cell, gathers the wall points near them, and lists neighbours. */
#include "motion/sph/predict.h"
#include "motion/sph/renew.h"

#include <string.h>

enum { GRAIN = 4096 };

// A point's place while cells are being made. It lives in the memory of the packed-records, which are written
// anew.
typedef struct placing {
    dlp_sph *sph;
    dlp_cell *cells;
    bool is_restoring;  // the places of the last build, from a checkpoint
} placing;

static void place_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    placing *pass = context;
    dlp_sph *sph = pass->sph;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 x = dlp_sph_predicted_position(sph, i);
        const double reach = (double)dlp_particle_reach(sph, i);
        int64_t at[3];
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = dlp_units_of(&sph->units, axis, dlp_component(x, axis));
            if (pass->is_restoring) at[axis] = dlp_units_near((uint32_t)sph->at[axis][i], at[axis]);
            sph->at[axis][i] = (int32_t)(uint32_t)at[axis];
        }
        pass->cells[i] = dlp_cell_of(&sph->units, dlp_level_of(&sph->units, reach), at);
    }
}

static dlp_cell lowest_cell(const dlp_cell *cells, int32_t count)
{
    dlp_cell low = {INT32_MAX, INT32_MAX, INT32_MAX};
    for (int32_t k = 0; k < count; k++) {
        low.x = cells[k].x < low.x ? cells[k].x : low.x;
        low.y = cells[k].y < low.y ? cells[k].y : low.y;
        low.z = cells[k].z < low.z ? cells[k].z : low.z;
    }
    const int32_t horizon = -DLP_CELL_REACH;
    return (dlp_cell){low.x < horizon ? horizon : low.x, low.y < horizon ? horizon : low.y,
                      low.z < horizon ? horizon : low.z};
}

// Cells beyond the horizon all sort to one end: their particles have no neighbours.
static uint64_t sort_key(dlp_cell cell, dlp_cell low)
{
    return dlp_cell_is_near(cell) ? dlp_cell_key(cell, low) : UINT64_MAX >> 4;
}

// Wraps periodic positions into the domain, so that they stay small and readable.
static void wrap_positions(dlp_sph *sph)
{
    dlp_particles *p = &sph->particles;
    for (int axis = 0; axis < 3; axis++) {
        if (!sph->units.is_periodic[axis]) continue;
        const double low = dlp_component(sph->units.origin, axis), period = sph->units.period[axis];
        for (int32_t i = 0; i < p->count; i++) {
            double *x = &p->position[3 * (int64_t)i + axis];
            if (*x < low || *x >= low + period) *x -= period * floor((*x - low) / period);
        }
    }
}

static dlp_status index_layers(dlp_sph *sph, const uint64_t *keys, const dlp_cell *cells,
                               const int32_t *order, dlp_error *error)
{
    const dlp_particles *p = &sph->particles;
    sph->layer_count = 0;
    for (int32_t begin = 0; begin < p->count;) {
        const uint64_t group = keys[begin] >> 60;
        int32_t end = begin;
        while (end < p->count && keys[end] >> 60 == group) end++;
        dlp_layer *layer = &sph->layers[sph->layer_count++];
        layer->begin = begin;
        layer->end = end;
        layer->level = (int32_t)group;
        layer->reach = 0;
        layer->hidden = 0;
        for (int32_t k = begin; k < end; k++) {
            const double reach = (double)dlp_particle_reach(sph, order[k]);
            layer->reach = reach > layer->reach ? reach : layer->reach;
        }
        layer->low = lowest_cell(cells + begin, end - begin);
        DLP_TRY(dlp_layer_index(layer, keys + begin, cells + begin, error));
        begin = end;
    }
    sph->particle_layer_count = sph->layer_count;
    return DLP_OK;
}

// Keys of sorted particles must be those the layer looks cells up by: relative to the layer's own low corner.
static void rekey(dlp_sph *sph, uint64_t *keys, dlp_cell *cells, const dlp_cell *unsorted,
                  const int32_t *order)
{
    const dlp_particles *p = &sph->particles;
    for (int32_t k = 0; k < p->count; k++) cells[k] = unsorted[order[k]];
    for (int32_t begin = 0; begin < p->count;) {
        int32_t end = begin;
        while (end < p->count && keys[end] >> 60 == keys[begin] >> 60) end++;
        const dlp_cell low = lowest_cell(cells + begin, end - begin);
        for (int32_t k = begin; k < end; k++) keys[k] = (keys[k] >> 60) << 60 | sort_key(cells[k], low);
        begin = end;
    }
}

static dlp_status sort_particles(dlp_sph *sph, bool is_restoring, dlp_error *error)
{
    dlp_particles *p = &sph->particles;
    const size_t count = (size_t)p->count;
    char *memory = (char *)sph->packed;  // 64 bytes a point, ours until the packed-records are written again
    DLP_TRY(dlp_sorter_prepare(&sph->sorter, memory, p->count, error));
    dlp_cell *unsorted = (dlp_cell *)(memory + DLP_SORT_BYTES * count);
    dlp_cell *cells = unsorted + count;
    placing pass = {.sph = sph, .cells = unsorted, .is_restoring = is_restoring};
    dlp_parallel_for(sph->team, p->count, GRAIN, place_range, &pass);

    const dlp_cell low = lowest_cell(unsorted, p->count);
    for (int32_t i = 0; i < p->count; i++) {
        const uint64_t level = (uint64_t)dlp_level_of(&sph->units, (double)dlp_particle_reach(sph, i));
        sph->sorter.keys[i] = level << 60 | sort_key(unsorted[i], low);
    }
    dlp_sorter_sort(&sph->sorter, p->count, sph->team);
    rekey(sph, sph->sorter.keys, cells, unsorted, sph->sorter.order);
    DLP_TRY(index_layers(sph, sph->sorter.keys, cells, sph->sorter.order, error));
    if (!is_restoring) {
        dlp_particles_permute(p, sph->sorter.order, cells, sph->team);
        for (int32_t i = 0; i < p->count; i++) {
            const dlp_vec3 x = dlp_sph_predicted_position(sph, i);
            for (int axis = 0; axis < 3; axis++)
                sph->at[axis][i] = (int32_t)(uint32_t)dlp_units_of(&sph->units, axis, dlp_component(x, axis));
        }
    }
    return DLP_OK;
}

static void write_reaches(dlp_sph *sph)
{
    if (sph->reach == NULL) return;
    for (int32_t i = 0; i < sph->particles.count; i++) sph->reach[i] = dlp_particle_reach(sph, i);
    for (int32_t layer = sph->particle_layer_count; layer < sph->layer_count; layer++)
        for (int32_t k = sph->layers[layer].begin; k < sph->layers[layer].end; k++)
            sph->reach[k] = (float)sph->layers[layer].reach;
}

dlp_list_def dlp_sph_list_def(const dlp_sph *sph, dlp_point_cloud *cloud)
{
    const uint32_t particle_layers = (1u << sph->particle_layer_count) - 1;
    const uint32_t wall_layers = ((1u << sph->layer_count) - 1) & ~particle_layers;
    *cloud = (dlp_point_cloud){.units = &sph->units,
                               .at = {sph->at[0], sph->at[1], sph->at[2]},
                               .reach = sph->reach,
                               .layers = sph->layers,
                               .layer_count = sph->layer_count,
                               .point_count = sph->particles.count + sph->walls.count};
    return (dlp_list_def){.cloud = cloud,
                          .count = sph->particles.count,
                          .group_count = 2,
                          .group_layers = {particle_layers, wall_layers},
                          .may_hide = sph->may_hide,
                          .keep_visible = dlp_sph_keep_visible,
                          .context = sph};
}

static dlp_status build_lists(dlp_sph *sph, dlp_error *error)
{
    sph->may_hide = sph->has_thin_walls ? sph->near_thin : NULL;
    dlp_point_cloud cloud;
    dlp_list_def def = dlp_sph_list_def(sph, &cloud);
    DLP_TRY(dlp_lists_build(&sph->lists, &def, sph->target, sph->team, error));
    def.first = sph->particles.count;
    def.count = sph->walls.count;
    DLP_TRY(dlp_lists_build(&sph->wall_lists, &def, sph->target, sph->team, error));
    dlp_sph_sum_other_walls(sph);
    return DLP_OK;
}

// The point that pads the lists: it has no volume, so it adds nothing, and nothing of it divides by zero.
static void write_padding(dlp_sph *sph)
{
    float *packed = sph->packed + (int64_t)(sph->particles.count + sph->walls.count) * DLP_PACKED_SIZE;
    memset(packed, 0, DLP_PACKED_SIZE * sizeof(float));
    packed[DLP_PACKED_H] = sph->substances[0].h;
    packed[DLP_PACKED_DENSITY] = sph->substances[0].rho0;
}

static dlp_status rebuild(dlp_sph *sph, bool is_restoring, dlp_error *error)
{
    if (sph->particles.count > 0)
        DLP_TRY(sort_particles(sph, is_restoring, error));
    else
        sph->layer_count = sph->particle_layer_count = 0;
    DLP_TRY(dlp_sph_gather_walls(sph, sph->list_time, error));
    sph->walls_are_placed = sph->walls_are_summed = false;
    write_reaches(sph);
    dlp_sph_find_clearance(sph);
    DLP_TRY(build_lists(sph, error));
    write_padding(sph);
    sph->finest_count = 0;
    for (int32_t i = 0; i < sph->particles.count; i++) sph->finest_count += sph->particles.units[i];
    sph->lists_are_stale = false;
    return DLP_OK;
}

dlp_status dlp_sph_find_neighbours(dlp_sph *sph, dlp_error *error)
{
    dlp_sph_drain(sph);
    wrap_positions(sph);
    sph->list_time = dlp_sph_clock_time(&sph->clock);
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
