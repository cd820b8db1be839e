/* Lists anew only around what has moved. Where most particles sleep, those that have left their lists get new
 * ones, and the lists of those that they came near or left are updated; nothing is sorted, nobody changes its
 * index. A list is a pure function of where its points stand (space/neighbours.h), so lists that were updated
 * are the ones that would be built. */
#include "motion/sph/emit.h"
#include "motion/sph/predict.h"
#include "motion/sph/renew.h"

#include <string.h>

// Beyond this share of the particles all lists are built.
#define RENEW_SHARE 8
// Share of the distance that leaves the lists.
#define RENEW_DISTANCE 0.5f
// Units that a particle may go from where it was sorted: half a cell.
#define DRIFT_LIMIT (1 << (DLP_CELL_BITS - 1))

// Items at once: those that are looked at, and runs of lists that are made.
enum { GRAIN = 256, SCAN_GRAIN = 4096, RUN_GRAIN = 1 };

// What is updated, and what comes near whom: movers by whom they reach, as chains.
typedef struct renewal {
    dlp_sph *sph;
    const dlp_list_def *def;
    const dlp_mover *movers;
    int32_t mover_count;
    dlp_renew_scratch *scratch;
    int32_t updated_count, run_count;
    int32_t link_count;  // counted by any thread
    bool is_short;       // of memory; set by any thread
} renewal;

enum { MOVED = 1, UPDATED = 2 };

// Scenes in which nothing but particles moves, all of one size, and nothing hides them from one another.
bool dlp_sph_can_renew(const dlp_sph *sph)
{
    const dlp_sph_params *params = &sph->params;
    const dlp_units *units = &params->units;
    return params->restrains && !params->has_individual_steps && !dlp_sph_has_heat(sph) &&
           !params->walls.has_thin && !params->walls.has_moving && !params->pair.is_mixed &&
           sph->scene->track_count == 0 &&
           !(units->is_periodic[0] || units->is_periodic[1] || units->is_periodic[2]);
}

// A particle where it stands, or where it stood when it was listed last.
static dlp_mover mover_of(const dlp_sph *sph, int32_t i, bool is_listed)
{
    dlp_mover mover = {.particle = i};
    const dlp_vec3 x = dlp_sph_predicted_position(sph, i);
    for (int axis = 0; axis < 3; axis++) {
        const int64_t now = dlp_units_of(&sph->params.units, axis, dlp_component(x, axis));
        mover.at[axis] = is_listed ? dlp_units_near((uint32_t)sph->state.listed.at[axis][i], now) : now;
    }
    return mover;
}

// How far a particle is from where it was sorted, in units along its worst axis.
static int64_t drift_of(const dlp_sph *sph, const dlp_mover *mover)
{
    int64_t drift = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t now = mover->at[axis];
        const int64_t then =
            dlp_units_near((uint32_t)sph->state.listed.sorted_at[axis][mover->particle], now);
        const int64_t distance = now > then ? now - then : then - now;
        drift = distance > drift ? distance : drift;
    }
    return drift;
}

// Whether the cells still serve: walls are gathered around cells that particles were in.
static bool stays_in_cells(const dlp_sph *sph, const dlp_mover *mover)
{
    const dlp_cell cell = dlp_cell_of(&sph->params.units, 0, mover->at);
    return dlp_cell_is_near(cell, sph->scratch.neighbours.layers[0].middle) &&
           drift_of(sph, mover) <= DRIFT_LIMIT &&
           dlp_layer_find(&sph->scratch.neighbours.layers[0], &sph->params.units, cell) >= 0;
}

// An array of exactly so many items; what was in it is lost.
static dlp_status make_room(int32_t **array, int32_t *capacity, int32_t count, dlp_error *error)
{
    if (*capacity >= count) return DLP_OK;
    dlp_free(*array);
    *array = dlp_alloc((size_t)count, sizeof **array, "lists");
    *capacity = *array != NULL ? count : 0;
    return *array != NULL ? DLP_OK : dlp_fail(error, DLP_OUT_OF_MEMORY, "lists: no room for %d items", count);
}

// All threads have the same room, so that a step which finds no longer list than any before needs no memory.
static dlp_status reserve_buffers(dlp_sph *sph, dlp_error *error)
{
    dlp_renew_scratch *scratch = &sph->scratch.renew;
    DLP_TRY(dlp_reserve(&scratch->buffers, &scratch->buffer_count, dlp_team_size(sph->team),
                        sizeof *scratch->buffers, "lists", error));
    int32_t entries = 0, arriving = 0;
    for (int32_t k = 0; k < scratch->buffer_count; k++) {
        const dlp_renew_buffers *b = &scratch->buffers[k];
        entries = b->found.capacity > entries ? b->found.capacity : entries;
        arriving = b->arriving_capacity > arriving ? b->arriving_capacity : arriving;
    }
    for (int32_t k = 0; k < scratch->buffer_count; k++) {
        dlp_renew_buffers *b = &scratch->buffers[k];
        DLP_TRY(make_room(&b->found.entries, &b->found.capacity, entries, error));
        DLP_TRY(make_room(&b->arriving, &b->arriving_capacity, arriving, error));
    }
    return DLP_OK;
}

static dlp_status reserve_scratch(dlp_sph *sph, dlp_error *error)
{
    DLP_TRY(dlp_renew_reserve(&sph->scratch.renew, dlp_sph_point_count(sph) + 1, error));
    return reserve_buffers(sph, error);
}

// Runs: lists of one block are made by one thread, since they share a buffer.

static int32_t block_of(const dlp_sph *sph, int32_t point)
{
    const int32_t count = sph->state.particles.count;
    return point < count ? point / DLP_LIST_BLOCK : -1 - (point - count) / DLP_LIST_BLOCK;
}

static int32_t select_mover_runs(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const renewal *r = context;
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        if (k > 0 && block_of(r->sph, r->movers[k].particle) == block_of(r->sph, r->movers[k - 1].particle))
            continue;
        if (out != NULL) out[count] = k;
        count++;
    }
    return count;
}

static int32_t select_updated_runs(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const renewal *r = context;
    const int32_t *updated = r->scratch->updated;
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        if (k > 0 && block_of(r->sph, updated[k]) == block_of(r->sph, updated[k - 1])) continue;
        if (out != NULL) out[count] = k;
        count++;
    }
    return count;
}

static int32_t run_end(const renewal *r, int32_t run, int32_t count)
{
    return run + 1 < r->run_count ? r->scratch->runs[run + 1] : count;
}

// The phases, each over all movers or updated points.

static void mark_movers(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const renewal *r = context;
    for (int32_t k = begin; k < end; k++) r->scratch->mark[r->movers[k].particle] = MOVED;
}

// A point that is no mover itself and whose list holds, held or will hold a mover.
static void note_updated(const renewal *r, int32_t point)
{
    if (point == r->def->cloud->point_count) return;
    if (__atomic_load_n(&r->scratch->mark[point], __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&r->scratch->mark[point], UPDATED, __ATOMIC_RELAXED);
}

// Who saw a mover before; and the mover takes its new place.
static void leave_lists(void *context, int32_t begin, int32_t end, void *result)
{
    const renewal *r = context;
    dlp_sph *sph = r->sph;
    int32_t *drift = result;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = r->movers[k].particle, own = (int32_t)drift_of(sph, &r->movers[k]);
        const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
        for (int32_t n = 0; n < near_i.last; n++) note_updated(r, near_i.entries[n]);
        *drift = own > *drift ? own : *drift;
        for (int axis = 0; axis < 3; axis++)
            sph->state.listed.at[axis][i] = (int32_t)(uint32_t)r->movers[k].at[axis];
    }
}

static void renew_movers(void *context, int32_t begin, int32_t end, int32_t thread)
{
    renewal *r = context;
    dlp_sph *sph = r->sph;
    dlp_found *found = &r->scratch->buffers[thread].found;
    for (int32_t run = begin; run < end; run++) {
        for (int32_t k = r->scratch->runs[run]; k < run_end(r, run, r->mover_count); k++) {
            const int32_t i = r->movers[k].particle;
            if (dlp_list_find(r->def, i, r->movers[k].at, sph->scratch.neighbours.drift, found, NULL) !=
                    DLP_OK ||
                dlp_list_replace(&sph->scratch.neighbours.lists, i, found, r->def->cloud->point_count,
                                 NULL) != DLP_OK)
                __atomic_store_n(&r->is_short, true, __ATOMIC_RELAXED);
        }
    }
}

static void count_entries(void *context, int32_t begin, int32_t end, void *result)
{
    const renewal *r = context;
    int64_t *count = result;
    for (int32_t k = begin; k < end; k++) *count += dlp_sph_neighbours(r->sph, r->movers[k].particle).last;
}

// Who sees a mover from now on. Links of a chain come in any order.
static void link_movers(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    renewal *r = context;
    dlp_renew_scratch *scratch = r->scratch;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = r->movers[k].particle;
        const dlp_neighbour_list near_i = dlp_sph_neighbours(r->sph, i);
        const int32_t first = __atomic_fetch_add(&r->link_count, near_i.last, __ATOMIC_RELAXED);
        assert(first + near_i.last <= scratch->link_capacity);
        for (int32_t n = 0; n < near_i.last; n++) {
            const int32_t j = near_i.entries[n];
            note_updated(r, j);
            if (j == r->def->cloud->point_count ||
                __atomic_load_n(&scratch->mark[j], __ATOMIC_RELAXED) == MOVED)
                continue;
            const int32_t next = __atomic_exchange_n(&scratch->head[j], first + n, __ATOMIC_RELAXED);
            scratch->links[first + n] = (dlp_renew_link){i, next};
        }
    }
}

static int32_t select_updated(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const uint8_t *mark = ((const renewal *)context)->scratch->mark;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (mark[i] != UPDATED) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

// The movers that reach a point now, in their order.
static int32_t collect_arriving(const renewal *r, int32_t point, dlp_renew_buffers *b)
{
    int32_t count = 0;
    for (int32_t link = r->scratch->head[point]; link >= 0; link = r->scratch->links[link].next) {
        if (dlp_reserve(&b->arriving, &b->arriving_capacity, count + 1, sizeof(int32_t), "lists", NULL) !=
            DLP_OK)
            return -1;
        const int32_t mover = r->scratch->links[link].mover;
        int32_t to = count++;
        for (; to > 0 && b->arriving[to - 1] > mover; to--) b->arriving[to] = b->arriving[to - 1];
        b->arriving[to] = mover;
    }
    return count;
}

// The list of a point: what did not move stays, and the movers that reach it now come in. False where there
// is no memory.
static bool update_list(const renewal *r, int32_t point, dlp_renew_buffers *b)
{
    dlp_sph *sph = r->sph;
    dlp_neighbourhood *neighbours = &sph->scratch.neighbours;
    const int32_t sentinel = r->def->cloud->point_count;
    const dlp_neighbour_list old = dlp_sph_neighbours(sph, point);
    const int32_t arriving_count = collect_arriving(r, point, b);
    if (arriving_count < 0 || dlp_reserve(&b->found.entries, &b->found.capacity, old.last + arriving_count,
                                          sizeof(int32_t), "lists", NULL) != DLP_OK)
        return false;
    int32_t count = 0, next = 0, *entries = b->found.entries;
    for (int32_t n = 0; n < old.middle; n++) {
        const int32_t j = old.entries[n];
        if (j == sentinel || r->scratch->mark[j] == MOVED) continue;
        while (next < arriving_count && b->arriving[next] < j) entries[count++] = b->arriving[next++];
        entries[count++] = j;
    }
    while (next < arriving_count) entries[count++] = b->arriving[next++];
    b->found.ends[0] = count;
    for (int32_t n = old.middle; n < old.last; n++)
        if (old.entries[n] != sentinel) entries[count++] = old.entries[n];
    b->found.ends[1] = count;
    dlp_lists *lists = point < sph->state.particles.count ? &neighbours->lists : &neighbours->wall_lists;
    return dlp_list_replace(lists, point, &b->found, sentinel, NULL) == DLP_OK;
}

static void update_lists(void *context, int32_t begin, int32_t end, int32_t thread)
{
    renewal *r = context;
    for (int32_t run = begin; run < end; run++)
        for (int32_t k = r->scratch->runs[run]; k < run_end(r, run, r->updated_count); k++)
            if (!update_list(r, r->scratch->updated[k], &r->scratch->buffers[thread]))
                __atomic_store_n(&r->is_short, true, __ATOMIC_RELAXED);
}

static void find_clearances(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const renewal *r = context;
    for (int32_t k = begin; k < end; k++) dlp_sph_find_clearance_of(r->sph, r->movers[k].particle);
}

// The movers' own lists, and links to them from whom they reach.
static dlp_status list_movers(renewal *r, dlp_error *error)
{
    dlp_sph *sph = r->sph;
    dlp_renew_scratch *scratch = r->scratch;
    r->run_count =
        dlp_parallel_compact(sph->team, r->mover_count, GRAIN, select_mover_runs, r, scratch->runs);
    dlp_parallel_for(sph->team, r->run_count, RUN_GRAIN, renew_movers, r);
    if (r->is_short) return dlp_fail(error, DLP_OUT_OF_MEMORY, "lists: no room for those of what moved");
    int64_t entries = 0;
    const dlp_reduction counting = {count_entries, dlp_combine_sum_int64, r, sizeof entries};
    dlp_parallel_reduce(sph->team, r->mover_count, GRAIN, &counting, &entries);
    if (entries > INT32_MAX) return dlp_fail(error, DLP_OUT_OF_MEMORY, "lists: too many of what moved");
    DLP_TRY(dlp_reserve(&scratch->links, &scratch->link_capacity, (int32_t)entries, sizeof *scratch->links,
                        "lists", error));
    dlp_parallel_for(sph->team, r->mover_count, GRAIN, link_movers, r);
    return DLP_OK;
}

static dlp_status renew(dlp_sph *sph, int32_t mover_count, dlp_error *error)
{
    DLP_TRY(reserve_scratch(sph, error));
    dlp_renew_scratch *scratch = &sph->scratch.renew;
    dlp_point_cloud cloud;
    const dlp_list_def def = dlp_sph_list_def(sph, &cloud);
    renewal r = {
        .sph = sph, .def = &def, .movers = scratch->movers, .mover_count = mover_count, .scratch = scratch};
    dlp_parallel_set(sph->team, scratch->mark, 0, (size_t)cloud.point_count + 1);
    dlp_parallel_set(sph->team, scratch->head, 0xff, (size_t)cloud.point_count * sizeof(int32_t));  // -1
    dlp_parallel_for(sph->team, mover_count, GRAIN, mark_movers, &r);
    const dlp_reduction leaving = {leave_lists, dlp_combine_max_int32, &r,
                                   sizeof sph->scratch.neighbours.drift};
    dlp_parallel_reduce(sph->team, mover_count, GRAIN, &leaving, &sph->scratch.neighbours.drift);
    DLP_TRY(list_movers(&r, error));
    r.updated_count =
        dlp_parallel_compact(sph->team, cloud.point_count, SCAN_GRAIN, select_updated, &r, scratch->updated);
    r.run_count =
        dlp_parallel_compact(sph->team, r.updated_count, SCAN_GRAIN, select_updated_runs, &r, scratch->runs);
    dlp_parallel_for(sph->team, r.run_count, RUN_GRAIN, update_lists, &r);
    if (r.is_short) return dlp_fail(error, DLP_OUT_OF_MEMORY, "lists: no room around what moved");
    dlp_parallel_for(sph->team, mover_count, GRAIN, find_clearances, &r);
    return DLP_OK;
}

static dlp_status reserve_movers(dlp_sph *sph, int32_t count, dlp_error *error)
{
    dlp_renew_scratch *scratch = &sph->scratch.renew;
    return dlp_reserve(&scratch->movers, &scratch->mover_capacity, count, sizeof *scratch->movers, "lists",
                       error);
}

// Whether a particle has used up so much of its lists' room that it gets new ones with those that must.
static bool has_left(const dlp_sph *sph, int32_t i)
{
    const float limit = RENEW_DISTANCE * sph->params.verlet_limit;
    return !(dlp_packed_moved(dlp_sph_packed(sph, i), sph, i) <= limit * limit);
}

// With one step for all, whoever is not asleep is due.
static int32_t select_leaving(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const dlp_sph *sph = context;
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        if (sph->state.particles.sleep[i] == DLP_ASLEEP || !has_left(sph, i)) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

static void find_strays(void *context, int32_t begin, int32_t end, void *result)
{
    dlp_sph *sph = context;
    int64_t *strays = result;
    for (int32_t k = begin; k < end; k++) {
        dlp_mover *mover = &sph->scratch.renew.movers[k];
        *mover = mover_of(sph, sph->scratch.renew.leaving[k], false);
        *strays += !stays_in_cells(sph, mover);
    }
}

dlp_status dlp_sph_renew_lists(dlp_sph *sph, dlp_error *error)
{
    DLP_TRY(reserve_movers(sph, sph->state.particles.count / RENEW_SHARE + 1, error));
    DLP_TRY(reserve_scratch(sph, error));
    const int32_t count = dlp_parallel_compact(sph->team, sph->scratch.selection.due_count, GRAIN,
                                               select_leaving, sph, sph->scratch.renew.leaving);
    if (count > sph->state.particles.count / RENEW_SHARE) return DLP_OK;
    int64_t strays = 0;
    const dlp_reduction finding = {find_strays, dlp_combine_sum_int64, sph, sizeof strays};
    dlp_parallel_reduce(sph->team, count, GRAIN, &finding, &strays);
    if (strays > 0 || dlp_sph_would_drain(sph)) return DLP_OK;
    DLP_TRY(renew(sph, count, error));
    sph->scratch.neighbours.are_stale = false;
    return DLP_OK;
}

void dlp_sph_note_sorted(dlp_sph *sph)
{
    for (int axis = 0; axis < 3 && sph->params.restrains; axis++)
        dlp_parallel_copy(sph->team, sph->state.listed.sorted_at[axis], sph->state.listed.at[axis],
                          (size_t)sph->state.particles.count * sizeof(int32_t));
    sph->scratch.neighbours.drift = 0;
}

dlp_status dlp_sph_unsort(dlp_sph *sph, int32_t *out_count, dlp_error *error)
{
    *out_count = 0;
    if (!dlp_sph_can_renew(sph)) return DLP_OK;
    DLP_TRY(reserve_movers(sph, sph->state.particles.count + 1, error));
    for (int32_t i = 0; i < sph->state.particles.count; i++) {
        const dlp_mover mover = mover_of(sph, i, true);
        const int64_t drift = drift_of(sph, &mover);
        if (drift > DRIFT_LIMIT)
            return dlp_fail(error, DLP_IO, "checkpoint: particle %d has left its cell farther than any can",
                            i);
        if (drift > 0) sph->scratch.renew.movers[(*out_count)++] = mover;
    }
    for (int axis = 0; axis < 3; axis++)
        memcpy(sph->state.listed.at[axis], sph->state.listed.sorted_at[axis],
               (size_t)sph->state.particles.count * sizeof(int32_t));
    return DLP_OK;
}

dlp_status dlp_sph_renew_again(dlp_sph *sph, int32_t count, dlp_error *error)
{
    sph->scratch.neighbours.drift = 0;
    return count > 0 ? renew(sph, count, error) : DLP_OK;
}
