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

// What is updated, and what comes near whom: lists of movers by whom they reach, as chains.
typedef struct renewal {
    dlp_sph *sph;
    const dlp_list_def *def;
    const dlp_mover *movers;
    int32_t mover_count;
    dlp_renew_scratch *scratch;
    int32_t updated_count, link_count;
} renewal;

enum { MOVED = 1, UPDATED = 2 };

// Scenes in which nothing but particles moves, all of one size, and nothing hides them from one another.
bool dlp_sph_can_renew(const dlp_sph *sph)
{
    const dlp_units *units = &sph->units;
    return sph->restrains && !sph->has_individual_steps && sph->heat == NULL && !sph->has_thin_walls &&
           !sph->has_moving_bodies && !sph->params.is_mixed && sph->scene->track_count == 0 &&
           !(units->is_periodic[0] || units->is_periodic[1] || units->is_periodic[2]);
}

// A particle where it stands, or where it stood when it was listed last.
static dlp_mover mover_of(const dlp_sph *sph, int32_t i, bool is_listed)
{
    dlp_mover mover = {.particle = i};
    const dlp_vec3 x = dlp_sph_predicted_position(sph, i);
    for (int axis = 0; axis < 3; axis++) {
        const int64_t now = dlp_units_of(&sph->units, axis, dlp_component(x, axis));
        mover.at[axis] = is_listed ? dlp_units_near((uint32_t)sph->at[axis][i], now) : now;
    }
    return mover;
}

// How far a particle is from where it was sorted, in units along its worst axis.
static int64_t drift_of(const dlp_sph *sph, const dlp_mover *mover)
{
    int64_t drift = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t now = mover->at[axis];
        const int64_t then = dlp_units_near((uint32_t)sph->sorted_at[axis][mover->particle], now);
        const int64_t distance = now > then ? now - then : then - now;
        drift = distance > drift ? distance : drift;
    }
    return drift;
}

// Whether the cells still serve: walls are gathered around cells that particles were in.
static bool stays_in_cells(const dlp_sph *sph, const dlp_mover *mover)
{
    const dlp_cell cell = dlp_cell_of(&sph->units, 0, mover->at);
    return dlp_cell_is_near(cell) && drift_of(sph, mover) <= DRIFT_LIMIT &&
           dlp_layer_find(&sph->layers[0], &sph->units, cell) >= 0;
}

static dlp_status reserve_scratch(dlp_sph *sph, dlp_error *error)
{
    dlp_renew_scratch *scratch = &sph->renew_scratch;
    const int32_t points = sph->particles.count + sph->walls.count + 1;
    int32_t capacity = scratch->capacity;
    DLP_TRY(dlp_reserve(&scratch->mark, &capacity, points, 1, "lists", error));
    capacity = scratch->capacity;
    DLP_TRY(dlp_reserve(&scratch->head, &capacity, points, sizeof(int32_t), "lists", error));
    capacity = scratch->capacity;
    DLP_TRY(dlp_reserve(&scratch->updated, &capacity, points, sizeof(int32_t), "lists", error));
    scratch->capacity = capacity;
    memset(scratch->mark, 0, (size_t)points);
    return DLP_OK;
}

// A point that is no mover itself and whose list holds, held or will hold a mover.
static void note_updated(renewal *r, int32_t point)
{
    if (point == r->def->cloud->point_count || r->scratch->mark[point] != 0) return;
    r->scratch->mark[point] = UPDATED;
    r->scratch->head[point] = -1;
    r->scratch->updated[r->updated_count++] = point;
}

static void note_old_list(renewal *r, int32_t i)
{
    const int32_t *list = dlp_list_of(&r->sph->lists, i);
    const int32_t last = dlp_list_end(&r->sph->lists, i, 1);
    for (int32_t n = 0; n < last; n++) note_updated(r, list[n]);
}

// The movers' own lists. They are looked for in falling order, so that the chains of what they reach rise.
static dlp_status renew_movers(renewal *r, dlp_error *error)
{
    dlp_sph *sph = r->sph;
    dlp_renew_scratch *scratch = r->scratch;
    for (int32_t k = r->mover_count - 1; k >= 0; k--) {
        const int32_t i = r->movers[k].particle;
        DLP_TRY(dlp_list_find(r->def, i, r->movers[k].at, sph->drift, &scratch->found, error));
        const int32_t count = scratch->found.ends[1];
        DLP_TRY(dlp_reserve(&scratch->links, &scratch->link_capacity, r->link_count + count,
                            sizeof *scratch->links, "lists", error));
        for (int32_t n = 0; n < count; n++) {
            const int32_t j = scratch->found.entries[n];
            note_updated(r, j);
            if (scratch->mark[j] == MOVED) continue;
            scratch->links[r->link_count] = (dlp_renew_link){i, scratch->head[j]};
            scratch->head[j] = r->link_count++;
        }
        DLP_TRY(dlp_list_replace(&sph->lists, i, &scratch->found, r->def->cloud->point_count, error));
    }
    return DLP_OK;
}

// The list of a point: what did not move stays, and the movers that reach it now come in, in their order.
static dlp_status update_list(renewal *r, int32_t point, dlp_error *error)
{
    dlp_sph *sph = r->sph;
    dlp_renew_scratch *scratch = r->scratch;
    dlp_lists *lists = point < sph->particles.count ? &sph->lists : &sph->wall_lists;
    const int32_t sentinel = r->def->cloud->point_count;
    const int32_t *list = dlp_list_of(lists, point);
    const int32_t middle = dlp_list_end(lists, point, 0), last = dlp_list_end(lists, point, 1);
    DLP_TRY(dlp_reserve(&scratch->found.entries, &scratch->found.capacity, last + r->mover_count,
                        sizeof(int32_t), "lists", error));
    int32_t count = 0, link = scratch->head[point];
    for (int32_t n = 0; n < middle; n++) {
        const int32_t j = list[n];
        if (j == sentinel || scratch->mark[j] == MOVED) continue;
        for (; link >= 0 && scratch->links[link].mover < j; link = scratch->links[link].next)
            scratch->found.entries[count++] = scratch->links[link].mover;
        scratch->found.entries[count++] = j;
    }
    for (; link >= 0; link = scratch->links[link].next)
        scratch->found.entries[count++] = scratch->links[link].mover;
    scratch->found.ends[0] = count;
    for (int32_t n = middle; n < last; n++)
        if (list[n] != sentinel) scratch->found.entries[count++] = list[n];
    scratch->found.ends[1] = count;
    return dlp_list_replace(lists, point, &scratch->found, sentinel, error);
}

static dlp_status renew(dlp_sph *sph, int32_t mover_count, dlp_error *error)
{
    DLP_TRY(reserve_scratch(sph, error));
    const dlp_mover *movers = sph->renew_scratch.movers;
    dlp_point_cloud cloud;
    const dlp_list_def def = dlp_sph_list_def(sph, &cloud);
    renewal r = {.sph = sph,
                 .def = &def,
                 .movers = movers,
                 .mover_count = mover_count,
                 .scratch = &sph->renew_scratch};
    for (int32_t k = 0; k < mover_count; k++) r.scratch->mark[movers[k].particle] = MOVED;
    for (int32_t k = 0; k < mover_count; k++) {
        note_old_list(&r, movers[k].particle);
        const int32_t drift = (int32_t)drift_of(sph, &movers[k]);
        sph->drift = drift > sph->drift ? drift : sph->drift;
        for (int axis = 0; axis < 3; axis++)
            sph->at[axis][movers[k].particle] = (int32_t)(uint32_t)movers[k].at[axis];
    }
    DLP_TRY(renew_movers(&r, error));
    for (int32_t k = 0; k < r.updated_count; k++) DLP_TRY(update_list(&r, r.scratch->updated[k], error));
    for (int32_t k = 0; k < mover_count; k++) dlp_sph_find_clearance_of(sph, movers[k].particle);
    return DLP_OK;
}

static dlp_status reserve_movers(dlp_sph *sph, int32_t count, dlp_error *error)
{
    dlp_renew_scratch *scratch = &sph->renew_scratch;
    return dlp_reserve(&scratch->movers, &scratch->mover_capacity, count, sizeof *scratch->movers, "lists",
                       error);
}

// Whether a particle has used up so much of its lists' room that it gets new ones with those that must.
static bool has_left(const dlp_sph *sph, int32_t i)
{
    const float limit = RENEW_DISTANCE * sph->verlet_limit;
    return !(dlp_packed_moved(sph->packed + (int64_t)i * DLP_PACKED_SIZE, sph, i) <= limit * limit);
}

// With one step for all, whoever is not asleep is due.
dlp_status dlp_sph_renew_lists(dlp_sph *sph, dlp_error *error)
{
    DLP_TRY(reserve_movers(sph, sph->particles.count / RENEW_SHARE + 1, error));
    int32_t count = 0;
    for (int32_t k = 0; k < sph->due_count; k++) {
        const int32_t i = sph->due[k];
        if (sph->particles.sleep[i] == DLP_ASLEEP || !has_left(sph, i)) continue;
        const dlp_mover mover = mover_of(sph, i, false);
        if (count == sph->particles.count / RENEW_SHARE || !stays_in_cells(sph, &mover)) return DLP_OK;
        sph->renew_scratch.movers[count++] = mover;
    }
    if (dlp_sph_would_drain(sph)) return DLP_OK;
    DLP_TRY(renew(sph, count, error));
    sph->lists_are_stale = false;
    return DLP_OK;
}

void dlp_sph_note_sorted(dlp_sph *sph)
{
    for (int axis = 0; axis < 3 && sph->restrains; axis++)
        memcpy(sph->sorted_at[axis], sph->at[axis], (size_t)sph->particles.count * sizeof(int32_t));
    sph->drift = 0;
}

dlp_status dlp_sph_unsort(dlp_sph *sph, int32_t *out_count, dlp_error *error)
{
    *out_count = 0;
    if (!dlp_sph_can_renew(sph)) return DLP_OK;
    DLP_TRY(reserve_movers(sph, sph->particles.count + 1, error));
    for (int32_t i = 0; i < sph->particles.count; i++) {
        const dlp_mover mover = mover_of(sph, i, true);
        const int64_t drift = drift_of(sph, &mover);
        if (drift > DRIFT_LIMIT)
            return dlp_fail(error, DLP_IO, "checkpoint: particle %d has left its cell farther than any can",
                            i);
        if (drift > 0) sph->renew_scratch.movers[(*out_count)++] = mover;
    }
    for (int axis = 0; axis < 3; axis++)
        memcpy(sph->at[axis], sph->sorted_at[axis], (size_t)sph->particles.count * sizeof(int32_t));
    return DLP_OK;
}

dlp_status dlp_sph_renew_again(dlp_sph *sph, int32_t count, dlp_error *error)
{
    sph->drift = 0;
    return count > 0 ? renew(sph, count, error) : DLP_OK;
}

void dlp_renew_scratch_release(dlp_renew_scratch *scratch)
{
    dlp_free(scratch->mark);
    dlp_free(scratch->head);
    dlp_free(scratch->updated);
    dlp_free(scratch->movers);
    dlp_free(scratch->links);
    dlp_free(scratch->found.entries);
    *scratch = (dlp_renew_scratch){0};
}
