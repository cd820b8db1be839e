/* Whose turn it is, and when the next one comes: individual steps of powers of two.  [desbrun1996, sec. 3.3]
 */
#include "motion/sph/sph_host.h"
#include "motion/sph/sph_restraint.h"

// Items at once: those that are only looked at, those that choose a step, those that look at neighbours.
enum { GRAIN = 4096, CHOOSE_GRAIN = 512, WAKE_GRAIN = 256 };

static void find_earliest(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    int32_t *earliest = result;
    for (int32_t i = begin; i < end; i++) {
        const int32_t due = sph->state.particles.begin[i] + sph->state.particles.step[i];
        *earliest = due < *earliest ? due : *earliest;
    }
}

static void find_earliest_awake(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    const dlp_particles *p = &sph->state.particles;
    int32_t *earliest = result;
    for (int32_t i = begin; i < end; i++) {
        const int32_t due = p->begin[i] + p->step[i];
        const bool is_earlier = p->sleep[i] != DLP_ASLEEP && due < *earliest;
        *earliest = is_earlier ? due : *earliest;
    }
}

static int32_t earliest_of(const dlp_sph *sph, dlp_reduce_fn *find)
{
    int32_t earliest = INT32_MAX;
    const dlp_reduction reduction = {find, dlp_combine_min_int32, (void *)(uintptr_t)sph, sizeof earliest};
    dlp_parallel_reduce(sph->team, sph->state.particles.count, GRAIN, &reduction, &earliest);
    return earliest;
}

// The largest power of two of ticks within `seconds` that starts here on its own grid.
static int32_t ticks_within(const dlp_sph_clock *clock, double seconds)
{
    // a hair more, so that a step that divides the frame is met though it was stored as a float
    const double ticks =
        (1 + 1e-6) * seconds / (clock->end - clock->start) * (double)dlp_sph_clock_end(clock);
    int32_t step = 1 << DLP_TICK_BITS;
    while (step > 1 && ((double)step > ticks || clock->tick % step != 0)) step /= 2;
    const int32_t left = clock->stop - clock->tick;  // less where the interval was cut short
    return left > 0 && left < step ? left : step;
}

// Whether the scene itself moves: then it is looked at as often as if a particle did.
static bool is_scene_moving(const dlp_sph *sph)
{
    const double now = dlp_sph_clock_time(&sph->state.clock), end = sph->state.clock.end;
    for (int32_t k = 0; k < sph->scene->track_count; k++) {
        const dlp_track *track = &sph->scene->tracks[k];
        if (track->times[0] < end && now < track->times[track->key_count - 1]) return true;
    }
    for (int32_t k = 0; k < sph->scene->emitter_count; k++) {
        const dlp_emitter_def *def = &sph->scene->emitters[k];
        const bool is_spent = def->limit > 0 && sph->state.emitters[k].particles >= def->limit;
        if (def->speed > 0 && !is_spent && now < def->stop && def->start < end) return true;
    }
    return false;
}

int32_t dlp_sph_next_tick(const dlp_sph *sph)
{
    const dlp_sph_clock *clock = &sph->state.clock;
    int32_t earliest = clock->stop;
    if (sph->scratch.attempts > 0) return clock->tick;  // a step that failed, shorter
    if (dlp_sph_must_restart(sph)) return clock->tick;  // a step of no length
    // with nothing there yet, an emitter is looked at often enough
    if (sph->state.particles.count == 0 && sph->scene->emitter_count > 0)
        return clock->tick + (1 << DLP_TICK_BITS) / 32 < earliest ? clock->tick + (1 << DLP_TICK_BITS) / 32
                                                                  : earliest;
    // with one step for all, a sleeper's time comes with the next step of those that are awake
    int32_t next = INT32_MAX;
    if (sph->params.restrains && !sph->params.has_individual_steps)
        next = earliest_of(sph, find_earliest_awake);
    if (next == INT32_MAX) next = earliest_of(sph, find_earliest);
    if (sph->params.restrains && is_scene_moving(sph)) {
        const int32_t usual =
            clock->tick + ticks_within(clock, sph->state.dt_scale * sph->state.smallest_dt_limit);
        next = usual < next ? usual : next;
    }
    return next < earliest ? next : earliest;
}

static bool is_due(const dlp_sph *sph, int32_t i)
{
    return sph->state.particles.begin[i] + sph->state.particles.step[i] <= sph->state.clock.tick;
}

static int32_t list_due(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const dlp_sph *sph = context;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (!is_due(sph, i)) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

void dlp_sph_select_due(dlp_sph *sph)
{
    dlp_selection *selection = &sph->scratch.selection;
    assert(sph->state.particles.count <= sph->scratch.particle_capacity);
    selection->due_count =
        dlp_parallel_compact(sph->team, sph->state.particles.count, GRAIN, list_due, sph, selection->due);
}

static void let_sleep(dlp_sph *sph, int32_t i, int32_t grid)
{
    // it goes on being warmed
    const double limit =
        dlp_sph_has_heat(sph) ? sph->state.dt_scale * (double)dlp_sph_dt_limit(sph, i) : 1e30;
    sph->state.particles.step[i] = dlp_sph_sleep_ticks(sph, i, grid, limit);
}

static void choose_own(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k], before = sph->state.particles.step[i];
        const int32_t wanted =
            ticks_within(&sph->state.clock, sph->state.dt_scale * (double)dlp_sph_dt_limit(sph, i));
        // a step grows by two at the most, and only where the larger one's grid allows
        sph->state.particles.step[i] = before > 0 && wanted > 2 * before ? 2 * before : wanted;
        if (dlp_particle_sleeps(sph, i)) let_sleep(sph, i, wanted);
        assert(sph->state.particles.step[i] > 0 && dlp_particle_times_hold(sph, i));
    }
}

static void find_smallest(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    double *smallest = result;
    for (int32_t k = begin; k < end; k++) {
        const double dt_limit = (double)dlp_sph_dt_limit(sph, sph->scratch.selection.due[k]);
        *smallest = dt_limit < *smallest ? dt_limit : *smallest;
    }
}

typedef struct step_pass {
    dlp_sph *sph;
    int32_t step;  // ticks, of all that are due
} step_pass;

static void take_common(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const step_pass *pass = context;
    dlp_sph *sph = pass->sph;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        sph->state.particles.step[i] = pass->step;
        if (dlp_particle_sleeps(sph, i)) let_sleep(sph, i, pass->step);
        assert(sph->state.particles.step[i] > 0 && dlp_particle_times_hold(sph, i));
    }
}

void dlp_sph_choose_steps(dlp_sph *sph)
{
    const dlp_selection *selection = &sph->scratch.selection;
    if (selection->due_count == 0) return;
    sph->state.smallest_dt_limit = 1e30;
    const dlp_reduction smallest = {find_smallest, dlp_combine_min_double, sph, sizeof(double)};
    dlp_parallel_reduce(sph->team, selection->due_count, GRAIN, &smallest, &sph->state.smallest_dt_limit);
    if (sph->params.has_individual_steps) {
        dlp_parallel_for(sph->team, selection->due_count, CHOOSE_GRAIN, choose_own, sph);
        return;
    }
    step_pass pass = {sph,
                      ticks_within(&sph->state.clock, sph->state.dt_scale * sph->state.smallest_dt_limit)};
    dlp_parallel_for(sph->team, selection->due_count, GRAIN, take_common, &pass);
}

// Lowers *value to `to`, from any thread; the result does not depend on the order.
static void atomic_min(int32_t *value, int32_t to)
{
    int32_t seen = __atomic_load_n(value, __ATOMIC_RELAXED);
    while (to < seen &&
           !__atomic_compare_exchange_n(value, &seen, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

typedef struct wake_pass {
    dlp_sph *sph;
    int32_t longest;  // step of all particles, ticks
} wake_pass;

static void wake_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const wake_pass *pass = context;
    dlp_sph *sph = pass->sph;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k], step = dlp_sph_chosen_step(sph, i);
        if (dlp_particle_sleeps(sph, i)) continue;
        if (pass->longest <= sph->scene->step_ratio * (int64_t)step) continue;  // nobody sleeps longer
        const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
        for (int32_t n = 0; n < near_i.middle; n++) {
            const int32_t j = near_i.entries[n];
            if (j >= sph->state.particles.count || dlp_particle_sleeps(sph, j)) continue;
            // its step is at most the ratio times mine, and its turn not before my next
            const int32_t next = sph->state.clock.tick + step - sph->state.particles.begin[j];
            const int32_t longest = sph->scene->step_ratio * step;
            atomic_min(&sph->state.particles.step[j], next > longest ? next : longest);
        }
    }
}

static void find_longest(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    int32_t *longest = result;
    for (int32_t i = begin; i < end; i++) {
        const int32_t step = dlp_particle_sleeps(sph, i) ? 0 : sph->state.particles.step[i];
        *longest = step > *longest ? step : *longest;
    }
}

static void note_chosen(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        sph->scratch.sums.handover[i].chosen_step = sph->state.particles.step[i];
    }
}

// A particle on a long step that is reached by one on a short step must not sleep through it.  [saitoh2009]
void dlp_sph_wake_neighbours(dlp_sph *sph)
{
    if (!sph->params.has_individual_steps) return;
    dlp_sph_hand(sph, DLP_HOLDS_CHOSEN_STEPS);
    dlp_parallel_for(sph->team, sph->scratch.selection.due_count, GRAIN, note_chosen, sph);
    wake_pass pass = {.sph = sph};
    const dlp_reduction longest = {find_longest, dlp_combine_max_int32, sph, sizeof pass.longest};
    dlp_parallel_reduce(sph->team, sph->state.particles.count, GRAIN, &longest, &pass.longest);
    dlp_parallel_for(sph->team, sph->scratch.selection.due_count, WAKE_GRAIN, wake_range, &pass);
}
