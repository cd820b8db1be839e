/* How a step goes. */
#include "motion/sph/sph.h"
#include "base/wall_clock.h"
#include "motion/sph/sph_heat.h"
#include "motion/sph/sph_host.h"
#include "motion/sph/implicit_step.h"
#include "motion/sph/renew.h"
#include "scene/body_force.h"

enum { RETRY_LIMIT = 12, GRAIN = 4096 };

// The constants of the substances as the conditions of this tick have them.
static dlp_status apply_conditions(dlp_sph *sph, dlp_error *error)
{
    sph->params.tick_seconds = dlp_sph_clock_seconds(&sph->state.clock, 1);
    return dlp_sph_set_constants(sph, error);
}

// Where few are due, only what they will ask is predicted, as long as no particle can have left its lists.
// With one step for all, what is not due sleeps: it stands where it stood.
static void predict_packed(dlp_sph *sph)
{
    const dlp_sph_params *params = &sph->params;
    const dlp_selection *selection = &sph->scratch.selection;
    const dlp_sph_clock *clock = &sph->state.clock;
    dlp_listed *listed = &sph->state.listed;
    const bool do_others_sleep = params->restrains && !params->has_individual_steps;
    if (do_others_sleep && !sph->state.wakes_all && !dlp_sph_has_heat(sph)) {
        dlp_sph_predict_due(sph);
        return;
    }
    listed->moved_bound += listed->speed_bound * (params->tick_seconds * (clock->tick - clock->last_tick));
    const bool are_few = selection->due_count < sph->state.particles.count / 8 && !params->wants_loads;
    if (are_few && listed->moved_bound <= (double)params->verlet_limit)
        dlp_sph_predict_needed(sph);
    else
        dlp_sph_predict(sph);
}

// Splits and merges while the old lists still hold, then builds new ones.
static dlp_status rebuild_neighbours(dlp_sph *sph, dlp_error *error)
{
    double start = dlp_seconds_now();
    if (dlp_sph_adapts_space(sph)) dlp_sph_advance_sleepers(sph);
    DLP_TRY(dlp_sph_adapt(sph, error));
    sph->scratch.adapt_seconds += dlp_seconds_now() - start;
    DLP_TRY(dlp_sph_reserve_points(sph, dlp_sph_point_count(sph) + 1, error));
    DLP_TRY(dlp_sph_find_neighbours(sph, error));
    dlp_sph_write_constants(sph);
    dlp_sph_predict(sph);
    dlp_sph_place_walls(sph);
    start = dlp_seconds_now();
    if (sph->scratch.adapt.has_adapted) dlp_sph_keep_density(sph);
    sph->scratch.adapt_seconds += dlp_seconds_now() - start;
    dlp_sph_select_due(sph);
    return DLP_OK;
}

static dlp_status update_neighbours(dlp_sph *sph, dlp_error *error)
{
    dlp_neighbourhood *neighbours = &sph->scratch.neighbours;
    if (!neighbours->are_stale) {
        dlp_sph_select_due(sph);
        dlp_sph_place_walls(sph);
        if (!neighbours->are_stale) predict_packed(sph);
        if (neighbours->are_stale && !sph->state.wakes_all && dlp_sph_can_renew(sph))
            DLP_TRY(dlp_sph_renew_lists(sph, error));
    }
    return neighbours->are_stale ? rebuild_neighbours(sph, error) : DLP_OK;
}

dlp_status dlp_sph_evaluate(dlp_sph *sph, dlp_error *error)
{
    sph->scratch.selection.is_sparse = false;
    DLP_TRY(apply_conditions(sph, error));
    DLP_TRY(update_neighbours(sph, error));
    dlp_sph_mark_movers(sph);
    dlp_sph_sum_density(sph);  // spec A: rho = sum m W
    dlp_sph_mark_changed(sph);
    dlp_sph_sum_walls(sph);
    if (sph->params.solves_pressure) dlp_sph_clear_pressures(sph);
    dlp_sph_sum_forces(sph);  // pressure, viscosity, divergence
    dlp_sph_add_host_forces(sph);
    return DLP_OK;
}

// The path that emitters went in the part of the step that is given back.
static void take_back_emission(dlp_sph *sph, int32_t tick)
{
    const double seconds = dlp_sph_clock_seconds(&sph->state.clock, sph->state.clock.tick - tick);
    for (int32_t k = 0; k < sph->scene->emitter_count; k++) {
        const dlp_emitter_def *def = &sph->scene->emitters[k];
        const double now = dlp_sph_clock_time(&sph->state.clock);
        if (sph->state.emitters[k].layers > 0 && now >= def->start && now < def->stop)
            sph->state.emitters[k].travel -= def->speed * seconds;
    }
}

typedef struct back_pass {
    dlp_sph *sph;
    int32_t tick;  // to which the step goes back
} back_pass;

// What was due now is due then.
static void step_back_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const back_pass *pass = context;
    const dlp_sph *sph = pass->sph;
    const dlp_particles *p = &sph->state.particles;
    const dlp_sph_clock *clock = &sph->state.clock;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        if (dlp_sph_carries_density(sph)) {  // undo the half step that carry_density made
            const float *packed = dlp_sph_packed(sph, i);
            const float predicted = packed[DLP_PACKED_VOLUME0] / packed[DLP_PACKED_VOLUME];
            const float dt = (float)dlp_sph_clock_seconds(clock, clock->tick - p->begin[i]);
            p->compression[i] = 2 * p->compression[i] - predicted;
            p->compression_rate[i] = dt > 0 ? (predicted - p->compression[i]) / dt : 0;
        }
        if (p->begin[i] < pass->tick) p->step[i] = pass->tick - p->begin[i];
    }
}

// Goes back to the middle of the time since the last step.
static void step_back(dlp_sph *sph)
{
    dlp_sph_clock *clock = &sph->state.clock;
    back_pass pass = {sph, clock->last_tick + (clock->tick - clock->last_tick) / 2};
    dlp_parallel_for(sph->team, sph->scratch.selection.due_count, GRAIN, step_back_range, &pass);
    sph->state.wakes_all = 1;  // what was reported to sleepers in the failed step does not hold
    take_back_emission(sph, pass.tick);
    clock->tick = pass.tick;
    sph->state.dt_scale *= 0.5;
}

static dlp_status explain_failure(const dlp_sph *sph, int32_t i, dlp_error *error)
{
    const dlp_particles *p = &sph->state.particles;
    const dlp_substance_def *def = &sph->scene->substances[p->substance[i]];
    const float delta = dlp_sph_packed(sph, i)[DLP_PACKED_DENSITY] / (float)def->density;
    const dlp_vec3 outside =
        dlp_body_acceleration(sph->scene, p->substance[i], dlp_sph_predicted_position(sph, i));
    const char *cause =
        !dlp_is_finite3(outside) ? "one of the scene's `forces` is not finite there"
        : sph->scene->step > 0   ? "lower the fixed `time.step`, or leave it out: the step is then found"
        : !(delta < 1.5f) ? "it is compressed beyond reason: raise `stiffness`, lower `time.courant`, or "
                            "start with particles further apart"
        : delta < 0.3f    ? "it stands alone: look at what threw it (an obstacle's key frames, a start "
                            "velocity)"
                          : "lower `time.courant`, or raise `viscosity` or `artificial_viscosity.alpha`";
    return dlp_fail(
        error, DLP_DIVERGED,
        "time %.6g s: %s: particle %lld: its velocity runs away however small the step (density %.3g of "
        "rest); %s",
        dlp_sph_clock_time(&sph->state.clock), def->name, (long long)p->id[i], (double)delta, cause);
}

typedef struct step_range {
    int32_t shortest, longest;  // ticks
} step_range;

static void join_steps(void *result, const void *later)
{
    step_range *range = result;
    const step_range *more = later;
    range->shortest = more->shortest < range->shortest ? more->shortest : range->shortest;
    range->longest = more->longest > range->longest ? more->longest : range->longest;
}

// Steps of those that are due and awake; with one step for all, that is everybody's.
static void find_steps(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k], step = sph->state.particles.step[i];
        if (!dlp_particle_sleeps(sph, i)) join_steps(result, &(step_range){step, step});
    }
}

static void count_step(dlp_sph *sph)
{
    dlp_sph_counts *c = &sph->state.counts;
    const dlp_selection *selection = &sph->scratch.selection;
    c->substeps++;
    c->force_evaluations += selection->due_count;
    c->density_evaluations += selection->density_count;
    c->full_evaluations += sph->scratch.finest_count;
    step_range range = {INT32_MAX, 0};
    const dlp_reduction find = {find_steps, join_steps, sph, sizeof range};
    dlp_parallel_reduce(sph->team, selection->due_count, GRAIN, &find, &range);
    if (range.longest > 0) {
        c->dt_min = fmin(c->dt_min, dlp_sph_clock_seconds(&sph->state.clock, range.shortest));
        c->dt_max = fmax(c->dt_max, dlp_sph_clock_seconds(&sph->state.clock, range.longest));
    }
    sph->state.dt_scale = fmin(1, sph->state.dt_scale * 1.01);
}

// Where a step fails it is repeated, half as long; where that never helps, the failure is explained.
static dlp_status try_again(dlp_sph *sph, int32_t failed, dlp_error *error)
{
    if (sph->scratch.attempts == RETRY_LIMIT || sph->state.clock.tick - sph->state.clock.last_tick <= 1)
        return explain_failure(sph, failed, error);
    sph->scratch.attempts++;
    step_back(sph);
    return DLP_OK;
}

// What has been evaluated moves the due particles.
void dlp_sph_close_step(dlp_sph *sph, double next_interval)
{
    dlp_sph_exchange_heat(sph);
    if (sph->params.is_implicit) {
        dlp_sph_close_implicit(sph, next_interval);
        return;
    }
    dlp_sph_sum_loads(sph);
    dlp_sph_kick(sph);
    dlp_sph_choose_steps(sph);
    dlp_sph_wake_neighbours(sph);
}

static void make_due(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    const dlp_particles *p = &sph->state.particles;
    for (int32_t i = begin; i < end; i++) p->step[i] = sph->state.clock.tick - p->begin[i];
}

// A step of no length: all particles get lists, densities, accelerations and steps as they stand, so that the
// next step starts like any other.
static dlp_status restart(dlp_sph *sph, dlp_error *error)
{
    dlp_sph_clock *clock = &sph->state.clock;
    clock->last_tick = clock->tick;
    dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, make_due, sph);
    sph->scratch.neighbours.are_stale = true;
    sph->state.wakes_all = 1;
    DLP_TRY(dlp_sph_evaluate(sph, error));
    dlp_sph_close_step(sph, 0);
    dlp_sph_note_restart(sph);
    return DLP_OK;
}

// One smallest step: everything that is due at the next tick.
dlp_status dlp_sph_advance(dlp_sph *sph, int32_t tick, bool *out_is_done, dlp_error *error)
{
    dlp_sph_clock *clock = &sph->state.clock;
    *out_is_done = true;
    if (sph->scratch.attempts == 0 && dlp_sph_must_restart(sph)) return restart(sph, error);
    if (sph->scratch.attempts == 0) {
        clock->last_tick = clock->tick;
        clock->tick = tick;
        DLP_TRY(dlp_sph_emit(sph, dlp_sph_clock_seconds(clock, tick - clock->last_tick), error));
    }
    assert(clock->tick == tick && clock->last_tick < tick && tick <= clock->stop);
    DLP_TRY(dlp_sph_evaluate(sph, error));
    const int32_t failed = dlp_sph_find_failure(sph);
    *out_is_done = failed < 0;
    if (failed >= 0) return try_again(sph, failed, error);
    sph->scratch.attempts = 0;
    dlp_sph_close_step(sph, clock->tick == clock->stop ? clock->end - clock->start : 0);
    count_step(sph);
    return DLP_OK;
}

dlp_status dlp_sph_restore(dlp_sph *sph, dlp_error *error)
{
    dlp_listed *listed = &sph->state.listed;
    const int32_t wakes_all = sph->state.wakes_all;
    sph->scratch.attempts = 0;  // of a step of another state, which may have failed
    sph->scratch.neighbours.are_stale = true;
    sph->scratch.neighbours.lists_hold = false;
    DLP_TRY(apply_conditions(sph, error));
    sph->state.wakes_all = wakes_all;  // not for what was loaded
    dlp_sph_count_finest(sph);
    if (sph->state.is_edited) return DLP_OK;  // lists are built when it moves on
    const double moved = listed->moved_bound, speed = listed->speed_bound;
    DLP_TRY(dlp_sph_restore_neighbours(sph, error));
    dlp_sph_write_constants(sph);
    dlp_sph_predict(sph);
    dlp_sph_place_walls(sph);
    listed->moved_bound = moved;
    listed->speed_bound = speed;
    sph->scratch.neighbours.are_stale = false;  // they served at this very tick before
    return DLP_OK;
}
