/* The wall points that matter now: those near the substance, and where they stand. */
#include "motion/sph/predict.h"

#include <string.h>

// Items at once: cheap ones, wall points that are looked at with their obstacle, marks of a byte.
enum { GRAIN = 1024, WALL_GRAIN = 256, MARK_GRAIN = 8192 };

// Whether a particle is in this cell of a layer or beside it.
static bool is_cell_near(const dlp_sph *sph, const dlp_layer *layer, dlp_cell cell)
{
    uint64_t x[3], y[3], z[3];
    for (int32_t k = 0; k < 3; k++) {
        x[k] = dlp_layer_key(layer, &sph->params.units, 0, cell.x + k - 1);
        y[k] = dlp_layer_key(layer, &sph->params.units, 1, cell.y + k - 1);
        z[k] = dlp_layer_key(layer, &sph->params.units, 2, cell.z + k - 1);
    }
    for (int32_t k = 0; k < 27; k++) {
        const uint64_t a = x[k % 3], b = y[k / 3 % 3], c = z[k / 9];
        const bool is_there = a != DLP_NO_KEY && b != DLP_NO_KEY && c != DLP_NO_KEY;
        if (is_there && dlp_layer_find_key(layer, a | b | c) >= 0) return true;
    }
    return false;
}

// The last answer of each layer, since wall points that follow one another are near one another.
typedef struct near_cache {
    dlp_cell cell[DLP_LAYER_LIMIT];
    bool is_known[DLP_LAYER_LIMIT], is_near[DLP_LAYER_LIMIT];
} near_cache;

// Which set of wall points a layer of particles sees.
static int32_t wall_level_of(const dlp_sph *sph, const dlp_layer *layer)
{
    return layer->level < sph->params.walls.level_count ? layer->level : sph->params.walls.level_count - 1;
}

// Layers of particles follow one another by size, and so do those that see the same wall points.
void dlp_sph_find_viewers(const dlp_sph *sph, int32_t level, int32_t *out_begin, int32_t *out_end)
{
    *out_begin = *out_end = 0;
    for (int32_t k = 0; k < sph->scratch.neighbours.particle_layer_count; k++) {
        const dlp_layer *layer = &sph->scratch.neighbours.layers[k];
        if (wall_level_of(sph, layer) != level) continue;
        if (*out_end == *out_begin) *out_begin = layer->begin;
        assert(*out_begin == layer->begin || *out_end == layer->begin);
        *out_end = layer->end;
    }
}

static bool is_near_particles(const dlp_sph *sph, near_cache *cache, const int64_t at[3], int32_t level)
{
    for (int32_t k = 0; k < sph->scratch.neighbours.particle_layer_count; k++) {
        const dlp_layer *layer = &sph->scratch.neighbours.layers[k];
        if (wall_level_of(sph, layer) != level) continue;
        const dlp_cell cell = dlp_cell_of(&sph->params.units, layer->level, at);
        if (!cache->is_known[k] || memcmp(&cell, &cache->cell[k], sizeof cell) != 0) {
            cache->is_known[k] = true;
            cache->cell[k] = cell;
            cache->is_near[k] = dlp_cell_is_near(cell, layer->middle) && is_cell_near(sph, layer, cell);
        }
        if (cache->is_near[k]) return true;
    }
    return false;
}

// Where obstacles overlap or meet, the one that is named first counts: what share of a point's own cell is
// left.
static double share_left(const dlp_sph *sph, const dlp_transform *transforms, int32_t obstacle,
                         double spacing, dlp_vec3 x)
{
    double share = 1;
    for (int32_t k = 0; k < obstacle; k++) {
        const double d = dlp_shape_distance(sph->bodies[k].shape, dlp_to_body(&transforms[k], x));
        const double outside = 0.5 + d / spacing;
        share = outside < 0 ? 0 : outside < share ? outside : share;
    }
    return share;
}

// Along a periodic axis an obstacle counts once, however far it reaches.
static bool is_in_domain(const dlp_sph *sph, dlp_vec3 x)
{
    for (int axis = 0; axis < 3; axis++) {
        const double along = dlp_component(x, axis) - dlp_component(sph->params.units.origin, axis);
        if (sph->params.units.is_periodic[axis] && !(along >= 0 && along < sph->params.units.period[axis]))
            return false;
    }
    return true;
}

// Looks for wall points that particles may see.
typedef struct wall_search {
    dlp_sph *sph;
    int32_t set;
    const dlp_box *reachable;
    const dlp_transform *transform;
} wall_search;

static void place_units(const dlp_sph *sph, dlp_vec3 x, int64_t out_at[3])
{
    for (int axis = 0; axis < 3; axis++)
        out_at[axis] = dlp_units_of(&sph->params.units, axis, dlp_component(x, axis));
}

static void search_block(const wall_search *search, int32_t begin, int32_t end)
{
    const dlp_sph *sph = search->sph;
    const dlp_sample_set *points = &sph->params.walls.sets[search->set];
    const int32_t level = search->set / sph->scene->obstacle_count;
    near_cache cache = {0};
    for (int32_t k = begin; k < end; k++) {
        const dlp_vec3 x = dlp_to_world(search->transform, points->at[k]);
        int64_t at[3];
        place_units(sph, x, at);
        sph->scratch.walls.is_near[k] = is_in_domain(sph, x) && is_near_particles(sph, &cache, at, level);
    }
}

// Writes what stands at the next places among the walls.
typedef struct wall_adder {
    dlp_sph *sph;
    int32_t set, first;  // wall: the first of this set
} wall_adder;

static void add_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const wall_adder *pass = context;
    dlp_sph *sph = pass->sph;
    dlp_walls *walls = &sph->scratch.walls;
    const dlp_sample_set *points = &sph->params.walls.sets[pass->set];
    const int32_t obstacle = pass->set % sph->scene->obstacle_count;
    for (int32_t k = pass->first + begin; k < pass->first + end; k++) {
        const dlp_vec3 x = dlp_to_world(&walls->transforms[obstacle], points->at[walls->samples.point[k]]);
        int64_t at[3];
        place_units(sph, x, at);
        for (int axis = 0; axis < 3; axis++)
            sph->state.listed.at[axis][sph->state.particles.count + k] = (int32_t)(uint32_t)at[axis];
        walls->samples.owner[k] = obstacle;
        walls->samples.set[k] = pass->set;
        walls->share[k] = (float)share_left(sph, walls->transforms, obstacle, points->spacing, x);
    }
}

static bool is_apart(const dlp_box *a, const dlp_box *b)
{
    return a->min.x > b->max.x || a->max.x < b->min.x || a->min.y > b->max.y || a->max.y < b->min.y ||
           a->min.z > b->max.z || a->max.z < b->min.z;
}

static void join_boxes(void *result, const void *later)
{
    dlp_box *box = result;
    const dlp_box *more = later;
    box->min = (dlp_vec3){more->min.x < box->min.x ? more->min.x : box->min.x,
                          more->min.y < box->min.y ? more->min.y : box->min.y,
                          more->min.z < box->min.z ? more->min.z : box->min.z};
    box->max = (dlp_vec3){more->max.x > box->max.x ? more->max.x : box->max.x,
                          more->max.y > box->max.y ? more->max.y : box->max.y,
                          more->max.z > box->max.z ? more->max.z : box->max.z};
}

static void find_box(void *context, int32_t begin, int32_t end, void *result)
{
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 x = dlp_sph_predicted_position(context, i);
        join_boxes(result, &(dlp_box){x, x});
    }
}

// All that particles may reach, as a box.
static dlp_box reachable_box(dlp_sph *sph)
{
    dlp_box box = {dlp_particle_position(&sph->state.particles, 0),
                   dlp_particle_position(&sph->state.particles, 0)};
    const dlp_reduction find = {find_box, join_boxes, sph, sizeof box};
    dlp_parallel_reduce(sph->team, sph->state.particles.count, GRAIN, &find, &box);
    // twice the support covers a cell and its neighbours, and what has moved since a restart's lists
    const dlp_vec3 margin =
        dlp_vec(3 * sph->params.support, 3 * sph->params.support, 3 * sph->params.support);
    return (dlp_box){dlp_sub(box.min, margin), dlp_add(box.max, margin)};
}

static dlp_box block_box(const dlp_sample_set *points, int32_t block, const dlp_transform *transform)
{
    const dlp_vec3 middle = dlp_to_world(transform, points->block_middle[block]);
    const double r = points->block_radius[block];
    return (dlp_box){dlp_sub(middle, dlp_vec(r, r, r)), dlp_add(middle, dlp_vec(r, r, r))};
}

static void search_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const wall_search *search = context;
    const dlp_units *units = &search->sph->params.units;
    const dlp_sample_set *points = &search->sph->params.walls.sets[search->set];
    const bool wraps = units->is_periodic[0] || units->is_periodic[1] || units->is_periodic[2];
    for (int32_t block = begin; block < end; block++) {
        const int32_t first = block * DLP_SAMPLE_RUN;
        const int32_t last = points->count - first < DLP_SAMPLE_RUN ? points->count : first + DLP_SAMPLE_RUN;
        const dlp_box box = block_box(points, block, search->transform);
        if (wraps || !is_apart(&box, search->reachable))
            search_block(search, first, last);
        else
            memset(search->sph->scratch.walls.is_near + first, 0, (size_t)(last - first));
    }
}

static int32_t select_near(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const uint8_t *is_near = context;
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        if (out != NULL && is_near[k]) out[count] = k;
        count += is_near[k];
    }
    return count;
}

static void count_near(void *context, int32_t begin, int32_t end, void *result)
{
    int64_t *count = result;
    *count += select_near(context, begin, end, NULL);
}

static dlp_status gather_set(dlp_sph *sph, int32_t set, const dlp_transform *transforms,
                             const dlp_box *reachable, dlp_error *error)
{
    dlp_walls *walls = &sph->scratch.walls;
    const dlp_sample_set *points = &sph->params.walls.sets[set];
    const int32_t obstacle = set % sph->scene->obstacle_count;
    uint8_t *is_near = walls->is_near;
    assert(points->count < walls->near_capacity);
    wall_search search = {sph, set, reachable, &transforms[obstacle]};
    dlp_parallel_for(sph->team, (points->count + DLP_SAMPLE_RUN - 1) / DLP_SAMPLE_RUN, 4, search_range,
                     &search);
    int64_t count = 0;
    const dlp_reduction counting = {count_near, dlp_combine_sum_int64, is_near, sizeof count};
    dlp_parallel_reduce(sph->team, points->count, MARK_GRAIN, &counting, &count);
    if (count == 0) return DLP_OK;
    wall_adder pass = {sph, set, walls->samples.count};
    const int32_t all = pass.first + (int32_t)count;
    DLP_TRY(dlp_walls_reserve(walls, all, error));
    DLP_TRY(dlp_sph_reserve_points(sph, sph->state.particles.count + all + 1, error));
    dlp_parallel_compact(sph->team, points->count, MARK_GRAIN, select_near, is_near,
                         walls->samples.point + pass.first);
    dlp_parallel_for(sph->team, (int32_t)count, WALL_GRAIN, add_range, &pass);
    walls->samples.count = all;
    return dlp_samples_add_run(&walls->samples, obstacle, pass.first, all, error);
}

// One level of walls while it is sorted; places live in the memory of the packed-records.
typedef struct wall_sorting {
    dlp_sph *sph;
    int32_t begin;  // the first wall of the level
    int32_t level;  // of their cells
    dlp_cell *cells;
    dlp_cell low;
    int32_t *field, *scratch;  // what is being sorted
} wall_sorting;

static dlp_cell wall_cell(const wall_sorting *pass, int32_t k)
{
    const dlp_sph *sph = pass->sph;
    const dlp_walls *walls = &sph->scratch.walls;
    const dlp_vec3 x = dlp_to_world(&walls->transforms[walls->samples.owner[k]],
                                    dlp_wall_set(sph, k)->at[walls->samples.point[k]]);
    int64_t at[3];
    place_units(sph, x, at);
    return dlp_cell_of(&sph->params.units, pass->level, at);
}

static void place_cells(void *context, int32_t begin, int32_t end, void *result)
{
    const wall_sorting *pass = context;
    dlp_cell *low = result;
    for (int32_t k = begin; k < end; k++) {
        pass->cells[k] = wall_cell(pass, pass->begin + k);
        *low = dlp_cell_min(*low, pass->cells[k]);
    }
}

static void join_low(void *result, const void *later)
{
    dlp_cell *low = result;
    *low = dlp_cell_min(*low, *(const dlp_cell *)later);
}

static void write_wall_keys(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const wall_sorting *pass = context;
    for (int32_t k = begin; k < end; k++)
        pass->sph->scratch.neighbours.sorter.keys[k] = dlp_cell_key(pass->cells[k], pass->low);
}

// Where each wall of a run went.
static void note_places(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const wall_sorting *pass = context;
    int32_t *by_owner = pass->sph->scratch.walls.samples.by_owner + pass->begin;
    const int32_t *order = pass->sph->scratch.neighbours.sorter.order;
    for (int32_t k = begin; k < end; k++) by_owner[order[k]] = pass->begin + k;
}

static void gather_field(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const wall_sorting *pass = context;
    const int32_t *order = pass->sph->scratch.neighbours.sorter.order;
    for (int32_t k = begin; k < end; k++) pass->scratch[k] = pass->field[order[k]];
}

// Puts walls begin + order[k] at begin + k.
static void sort_fields(wall_sorting *pass, int32_t count)
{
    dlp_sph *sph = pass->sph;
    dlp_walls *walls = &sph->scratch.walls;
    const dlp_listed *listed = &sph->state.listed;
    const int32_t begin = pass->begin, first = sph->state.particles.count + begin;
    int32_t *fields[7] = {walls->samples.owner + begin, walls->samples.set + begin,
                          walls->samples.point + begin, (int32_t *)walls->share + begin,
                          listed->at[0] + first,        listed->at[1] + first,
                          listed->at[2] + first};
    for (int f = 0; f < 7; f++) {
        pass->field = fields[f];
        dlp_parallel_for(sph->team, count, GRAIN, gather_field, pass);
        dlp_parallel_copy(sph->team, fields[f], pass->scratch, (size_t)count * sizeof(int32_t));
    }
}

// Sorts the walls of a level by cell and makes them the last layer. Particles see those of their own level.
static dlp_status index_walls(dlp_sph *sph, int32_t level, dlp_error *error)
{
    dlp_neighbourhood *neighbours = &sph->scratch.neighbours;
    const int32_t begin = level > 0 ? sph->scratch.walls.level_end[level - 1] : 0;
    const int32_t count = sph->scratch.walls.level_end[level] - begin;
    if (count == 0) return DLP_OK;
    // to sort by, cells, and a field while it is moved
    const size_t bytes = (DLP_SORT_BYTES + sizeof(dlp_cell) + sizeof(int32_t)) * (size_t)count;
    char *memory = dlp_sph_borrow_packed(sph, bytes);
    DLP_TRY(dlp_sorter_prepare(&neighbours->sorter, memory, count, error));
    assert(neighbours->layer_count < DLP_LAYER_LIMIT + DLP_WALL_LEVELS);
    dlp_layer *layer = &neighbours->layers[neighbours->layer_count];
    layer->reach = (double)sph->params.walls.reach * (1 << level);
    layer->level = dlp_level_of(&sph->params.units, layer->reach);
    dlp_cell *cells = (dlp_cell *)(memory + DLP_SORT_BYTES * (size_t)count);
    wall_sorting pass = {.sph = sph,
                         .begin = begin,
                         .level = layer->level,
                         .cells = cells,
                         .low = {INT32_MAX, INT32_MAX, INT32_MAX},
                         .scratch = (int32_t *)(cells + count)};
    const dlp_reduction place = {place_cells, join_low, &pass, sizeof pass.low};
    dlp_cell low = pass.low;
    dlp_parallel_reduce(sph->team, count, WALL_GRAIN, &place, &low);
    pass.low = low;
    dlp_parallel_for(sph->team, count, GRAIN, write_wall_keys, &pass);
    dlp_sorter_sort(&neighbours->sorter, count, sph->team);
    dlp_parallel_for(sph->team, count, GRAIN, note_places, &pass);
    sort_fields(&pass, count);
    dlp_parallel_reduce(sph->team, count, WALL_GRAIN, &place, &low);  // the cells again, in their new order
    layer->begin = sph->state.particles.count + begin;
    layer->end = layer->begin + count;
    layer->low = low;
    layer->middle = dlp_cell_middle_at(neighbours->middle, layer->level);
    layer->hidden = ~((1u << neighbours->layer_count) | ((1u << neighbours->particle_layer_count) - 1));
    for (int32_t k = 0; k < neighbours->particle_layer_count; k++)
        if (wall_level_of(sph, &neighbours->layers[k]) != level)
            neighbours->layers[k].hidden |= 1u << neighbours->layer_count;
    neighbours->layer_count++;
    return dlp_layer_index(layer, neighbours->sorter.keys, cells, sph->team, error);
}

static void start_sums(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_walls *walls = &sph->scratch.walls;
    const bool has_coarse = dlp_sph_has_coarse_contacts(sph);
    for (int32_t k = begin; k < end; k++) {
        const dlp_sample_set *points = dlp_wall_set(sph, k);
        const int32_t point = walls->samples.point[k];
        walls->sum[k] = points->own[point];
        walls->sum_at_rest[k] = has_coarse ? 0 : points->sum_at_rest[point];
        walls->samples.volume[k] = walls->share[k] * points->volume[point];
    }
}

dlp_status dlp_sph_gather_walls(dlp_sph *sph, double time, dlp_error *error)
{
    dlp_walls *walls = &sph->scratch.walls;
    dlp_samples_clear(&walls->samples);
    if (sph->state.particles.count == 0) return DLP_OK;
    dlp_transform *transforms = walls->transforms;
    for (int32_t k = 0; k < sph->scene->obstacle_count; k++)
        transforms[k] = dlp_body_transform_at(&sph->bodies[k], time);
    const dlp_box reachable = reachable_box(sph);
    for (int32_t level = 0; level < sph->params.walls.level_count; level++) {
        for (int32_t k = 0; k < sph->scene->obstacle_count; k++)
            DLP_TRY(gather_set(sph, level * sph->scene->obstacle_count + k, transforms, &reachable, error));
        walls->level_end[level] = walls->samples.count;
    }
    for (int32_t level = 0; level < sph->params.walls.level_count; level++)
        DLP_TRY(index_walls(sph, level, error));
    dlp_parallel_for(sph->team, walls->samples.count, GRAIN, start_sums, sph);
    return DLP_OK;
}

static void pack_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    const dlp_samples *samples = &sph->scratch.walls.samples;
    float farthest = 0;
    for (int32_t k = begin; k < end; k++) {
        const double *x = samples->position + 3 * (int64_t)k;
        const float *v = samples->velocity + 3 * (int64_t)k;
        float *packed = dlp_sph_packed(sph, sph->state.particles.count + k);
        dlp_packed_set_position(packed, &sph->params.units, dlp_vec(x[0], x[1], x[2]));
        packed[DLP_PACKED_VOLUME0] = packed[DLP_PACKED_VOLUME] = samples->volume[k];
        packed[DLP_PACKED_VISCOSITY] = (float)sph->bodies[samples->owner[k]].def->stick;
        packed[DLP_PACKED_H] = (float)dlp_wall_set(sph, k)->h;
        packed[DLP_PACKED_ALPHA_C] = v[0];
        packed[DLP_PACKED_BETA] = v[1];
        packed[DLP_PACKED_BULK] = v[2];
        const float moved = dlp_packed_moved(packed, sph, sph->state.particles.count + k);
        if (!(moved <= farthest)) farthest = moved;
    }
    if (!(farthest <= sph->params.verlet_limit * sph->params.verlet_limit))
        __atomic_store_n(&sph->scratch.walls.have_left, 1, __ATOMIC_RELAXED);
}

// An obstacle that was too far to be gathered may have come near: whether any part of it has gone farther
// than the lists allow since they were built.
static bool is_out_of_place(const dlp_sph *sph, int32_t obstacle)
{
    const dlp_sample_set *points = &sph->params.walls.sets[obstacle];
    const dlp_transform *now = &sph->bodies[obstacle].pose, *then = &sph->scratch.walls.transforms[obstacle];
    for (int32_t block = 0; block * DLP_SAMPLE_RUN < points->count; block++) {
        const dlp_vec3 middle = points->block_middle[block];
        double moved = dlp_length(dlp_sub(dlp_to_world(now, middle), dlp_to_world(then, middle)));
        for (int axis = 0; axis < 3; axis++) {
            const dlp_vec3 edge = dlp_vec(axis == 0, axis == 1, axis == 2);
            moved += points->block_radius[block] *
                     dlp_length(dlp_sub(dlp_rotate(now, edge), dlp_rotate(then, edge)));
        }
        if (moved > (double)sph->params.verlet_limit) return true;
    }
    return false;
}

void dlp_sph_place_walls(dlp_sph *sph)
{
    dlp_walls *walls = &sph->scratch.walls;
    const int64_t tick = sph->state.clock.tick * dlp_sph_clock_world_ticks(&sph->state.clock);
    if (walls->are_packed && dlp_samples_hold(&walls->samples, tick)) return;
    for (int32_t k = 0; k < sph->scene->obstacle_count && !sph->scratch.neighbours.are_stale; k++)
        sph->scratch.neighbours.are_stale = sph->bodies[k].is_moving && is_out_of_place(sph, k);
    walls->have_left = 0;
    dlp_samples_place(&walls->samples, sph->team, sph->context.bodies, tick);
    dlp_parallel_for(sph->team, walls->samples.count, WALL_GRAIN, pack_range, sph);
    walls->are_packed = true;
    if (walls->have_left) sph->scratch.neighbours.are_stale = true;
}
