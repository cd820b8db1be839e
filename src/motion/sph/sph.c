/* The solver: how a step goes, and what it stands on. */
#include "motion/sph/sph.h"
#include "base/wall_clock.h"
#include "matter/norm.h"
#include "motion/sph/emit.h"
#include "motion/sph/sph_heat.h"
#include "motion/sph/predict.h"
#include "motion/sph/renew.h"
#include "motion/sph/sph_scale.h"

#include <assert.h>
#include <string.h>

enum { RETRY_LIMIT = 12, GRAIN = 4096 };

// One step.

// The constants of the substances as the conditions of this tick have them.
static dlp_status apply_conditions(dlp_sph *sph, dlp_error *error)
{
    sph->tick_seconds = dlp_sph_clock_seconds(&sph->clock, 1);
    return dlp_sph_set_constants(sph, error);
}

// Where few are due, only what they will ask is predicted, as long as no particle can have left its lists.
// With one step for all, what is not due sleeps: it stands where it stood.
static void predict_packed(dlp_sph *sph)
{
    if (sph->restrains && !sph->has_individual_steps && !sph->wakes_all && sph->heat == NULL) {
        dlp_sph_predict_due(sph);
        return;
    }
    const double elapsed = sph->tick_seconds * (sph->clock.tick - sph->clock.last_tick);
    sph->moved_bound += sph->speed_bound * elapsed;
    const bool are_few = sph->due_count < sph->particles.count / 8 && !sph->wants_loads;
    if (are_few && sph->moved_bound <= (double)sph->verlet_limit)
        dlp_sph_predict_needed(sph);
    else
        dlp_sph_predict(sph);
}

static dlp_status update_neighbours(dlp_sph *sph, dlp_error *error)
{
    if (!sph->lists_are_stale) {
        dlp_sph_select_due(sph);
        dlp_sph_place_walls(sph);
        if (!sph->lists_are_stale) predict_packed(sph);
        if (sph->lists_are_stale && !sph->wakes_all && dlp_sph_can_renew(sph))
            DLP_TRY(dlp_sph_renew_lists(sph, error));
    }
    if (!sph->lists_are_stale) return DLP_OK;
    double start = dlp_seconds_now();
    if (dlp_sph_adapts_space(sph)) dlp_sph_advance_sleepers(sph);
    DLP_TRY(dlp_sph_adapt(sph, error));  // split and merge, while the old lists still hold
    sph->adapt_seconds += dlp_seconds_now() - start;
    DLP_TRY(dlp_sph_reserve_points(sph, sph->particles.count + sph->samples.count + 1, error));
    DLP_TRY(dlp_sph_find_neighbours(sph, error));
    dlp_sph_write_constants(sph);
    dlp_sph_predict(sph);
    dlp_sph_place_walls(sph);
    start = dlp_seconds_now();
    if (sph->has_adapted) dlp_sph_keep_density(sph);
    sph->adapt_seconds += dlp_seconds_now() - start;
    dlp_sph_select_due(sph);
    return DLP_OK;
}

static dlp_status evaluate(dlp_sph *sph, dlp_error *error)
{
    sph->is_sparse = false;
    DLP_TRY(apply_conditions(sph, error));
    DLP_TRY(update_neighbours(sph, error));
    dlp_sph_mark_movers(sph);
    dlp_sph_sum_density(sph);  // spec A: rho = sum m W
    dlp_sph_mark_changed(sph);
    dlp_sph_sum_walls(sph);
    dlp_sph_sum_forces(sph);  // pressure, viscosity, divergence
    return DLP_OK;
}

// The way that emitters went in the part of the step that is given back.
static void take_back_emission(dlp_sph *sph, int32_t tick)
{
    const double seconds = dlp_sph_clock_seconds(&sph->clock, sph->clock.tick - tick);
    for (int32_t k = 0; k < sph->scene->emitter_count; k++) {
        const dlp_emitter_def *def = &sph->scene->emitters[k];
        const double now = dlp_sph_clock_time(&sph->clock);
        if (sph->emitter_states[k].layers > 0 && now >= def->start && now < def->stop)
            sph->emitter_states[k].travel -= def->speed * seconds;
    }
}

// Goes back to half the way since the last step, with everything that was due now due then.
static void step_back(dlp_sph *sph)
{
    dlp_particles *p = &sph->particles;
    dlp_sph_clock *clock = &sph->clock;
    const int32_t tick = clock->last_tick + (clock->tick - clock->last_tick) / 2;
    for (int32_t k = 0; k < sph->due_count; k++) {
        const int32_t i = sph->due[k];
        if (dlp_sph_carries_density(sph)) {  // undo the half step that carry_density made
            const float *packed = sph->packed + (int64_t)i * DLP_PACKED_SIZE;
            const float predicted = packed[DLP_PACKED_VOLUME0] / packed[DLP_PACKED_VOLUME];
            const float dt = (float)dlp_sph_clock_seconds(clock, clock->tick - p->begin[i]);
            p->compression[i] = 2 * p->compression[i] - predicted;
            p->compression_rate[i] = dt > 0 ? (predicted - p->compression[i]) / dt : 0;
        }
        if (p->begin[i] < tick) p->step[i] = tick - p->begin[i];
    }
    sph->wakes_all = true;  // what was reported to sleepers in the failed step does not hold
    take_back_emission(sph, tick);
    clock->tick = tick;
    sph->dt_scale *= 0.5;
}

static dlp_status explain_failure(const dlp_sph *sph, int32_t i, dlp_error *error)
{
    const dlp_particles *p = &sph->particles;
    const dlp_substance_def *def = &sph->scene->substances[p->substance[i]];
    const float delta = sph->packed[(int64_t)i * DLP_PACKED_SIZE + DLP_PACKED_DENSITY] / (float)def->density;
    const char *cause =
        sph->scene->step > 0 ? "lower the fixed `time.step`, or leave it out: the step is then found"
        : !(delta < 1.5f)    ? "it is compressed beyond reason: raise `stiffness`, lower `time.courant`, or "
                               "start with particles further apart"
        : delta < 0.3f       ? "it stands alone: look at what threw it (an obstacle's key frames, a start "
                               "velocity)"
                             : "lower `time.courant`, or raise `viscosity` or `artificial_viscosity.alpha`";
    return dlp_fail(
        error, DLP_DIVERGED,
        "time %.6g s: %s: particle %lld: its velocity runs away however small the step (density %.3g of "
        "rest); %s",
        dlp_sph_clock_time(&sph->clock), def->name, (long long)p->id[i], (double)delta, cause);
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
        const int32_t step = sph->particles.step[sph->due[k]];
        if (!dlp_particle_sleeps(sph, sph->due[k])) join_steps(result, &(step_range){step, step});
    }
}

static void count_step(dlp_sph *sph)
{
    dlp_sph_counts *c = &sph->counts;
    c->substeps++;
    c->force_evaluations += sph->due_count;
    c->density_evaluations += sph->density_count;
    c->full_evaluations += sph->finest_count;
    c->active = sph->due_count;
    step_range range = {INT32_MAX, 0};
    const dlp_reduction find = {find_steps, join_steps, sph, sizeof range};
    dlp_parallel_reduce(sph->team, sph->due_count, GRAIN, &find, &range);
    if (range.longest > 0) {
        c->dt_min = fmin(c->dt_min, dlp_sph_clock_seconds(&sph->clock, range.shortest));
        c->dt_max = fmax(c->dt_max, dlp_sph_clock_seconds(&sph->clock, range.longest));
    }
    sph->dt_scale = fmin(1, sph->dt_scale * 1.01);
}

// Where a step fails it is repeated, half as long; where that never helps, the failure is explained.
static dlp_status try_again(dlp_sph *sph, int32_t failed, dlp_error *error)
{
    if (sph->attempts == RETRY_LIMIT || sph->clock.tick - sph->clock.last_tick <= 1)
        return explain_failure(sph, failed, error);
    sph->attempts++;
    step_back(sph);
    return DLP_OK;
}

// One smallest step: everything that is due at the next tick.
dlp_status dlp_sph_advance(dlp_sph *sph, int32_t tick, bool *out_is_done, dlp_error *error)
{
    if (sph->attempts == 0) {
        sph->clock.last_tick = sph->clock.tick;
        sph->clock.tick = tick;
        DLP_TRY(dlp_sph_emit(sph, dlp_sph_clock_seconds(&sph->clock, tick - sph->clock.last_tick), error));
    }
    assert(sph->clock.tick == tick);
    DLP_TRY(evaluate(sph, error));
    const int32_t failed = dlp_sph_find_failure(sph);
    *out_is_done = failed < 0;
    if (failed >= 0) return try_again(sph, failed, error);
    sph->attempts = 0;
    dlp_sph_exchange_heat(sph);
    dlp_sph_sum_loads(sph);
    dlp_sph_kick(sph);
    dlp_sph_choose_steps(sph);
    dlp_sph_wake_neighbours(sph);
    count_step(sph);
    return DLP_OK;
}

dlp_status dlp_sph_restore(dlp_sph *sph, dlp_error *error)
{
    sph->lists_are_stale = true;
    DLP_TRY(apply_conditions(sph, error));
    const double moved = sph->moved_bound, speed = sph->speed_bound;
    DLP_TRY(dlp_sph_restore_neighbours(sph, error));
    dlp_sph_write_constants(sph);
    dlp_sph_predict(sph);
    dlp_sph_place_walls(sph);
    sph->moved_bound = moved;
    sph->speed_bound = speed;
    sph->lists_are_stale = false;  // they served at this very tick before
    return DLP_OK;
}

// The interval as base * 2^q steps of about the least dt_limit, base 8 .. 15, so that little is lost by
// rounding.
static int32_t base_for(double length, double dt_limit)
{
    double steps = fmin(ceil(length / dt_limit), 1e6);
    if (steps <= 15) return (int32_t)fmax(steps, 1);
    while (steps > 15) steps = ceil(steps / 2);
    return (int32_t)steps;
}

// The largest power of two of ticks within so many seconds.
static int32_t ticks_within(const dlp_sph *sph, double seconds)
{
    const double tick = dlp_sph_clock_seconds(&sph->clock, 1);
    int32_t ticks = 1 << DLP_TICK_BITS;
    while (ticks > 1 && ticks * tick > seconds * (1 + 1e-12)) ticks /= 2;
    return ticks;
}

static bool has_moving_bodies(const dlp_sph *sph)
{
    for (int32_t k = 0; k < sph->context.bodies->count; k++)
        if (sph->bodies[k].is_moving) return true;
    return false;
}

// A new interval, in whose ticks the particles' steps are counted anew.
typedef struct begin_pass {
    dlp_sph *sph;
    double old_tick, dt_limit;  // s
    int32_t usual;              // ticks
} begin_pass;

static void begin_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const begin_pass *pass = context;
    const dlp_sph *sph = pass->sph;
    const dlp_particles *p = &sph->particles;
    for (int32_t i = begin; i < end; i++) {
        const double own = p->step[i] * pass->old_tick;
        const bool is_longer = sph->has_individual_steps && own > pass->dt_limit;
        const int32_t ticks = is_longer ? ticks_within(sph, own) : pass->usual;
        p->begin[i] = 0;
        p->step[i] = ticks;
        if (dlp_particle_sleeps(sph, i))
            p->step[i] = dlp_sph_sleep_ticks(sph, i, ticks, sph->heat != NULL ? pass->dt_limit : 1e30);
    }
}

void dlp_sph_begin(dlp_sph *sph)
{
    const dlp_clock *world = sph->context.clock;
    dlp_sph_advance_sleepers(sph);
    dlp_sph_set_camera_detail(sph);
    const double old_tick = dlp_sph_clock_seconds(&sph->clock, 1);
    const double dt_limit = sph->dt_scale * sph->smallest_dt_limit;
    const int32_t base = base_for(world->end - world->start, dt_limit);
    sph->clock = (dlp_sph_clock){
        .start = world->start, .end = world->end, .base = base, .stop = base << DLP_TICK_BITS};
    begin_pass pass = {sph, old_tick, dt_limit, ticks_within(sph, dt_limit)};
    dlp_parallel_for(sph->team, sph->particles.count, GRAIN, begin_range, &pass);
    sph->has_moving_bodies = sph->has_moving_bodies || has_moving_bodies(sph);
    dlp_samples_begin(&sph->samples);
}

void dlp_sph_begin_span(dlp_sph *sph)
{
    sph->counts = (dlp_sph_counts){.dt_min = 1e30};
    dlp_parallel_set(sph->team, sph->particles.displacement, 0,
                     3 * (size_t)sph->particles.count * sizeof *sph->particles.displacement);
}

static void cut_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    const dlp_particles *p = &sph->particles;
    for (int32_t i = begin; i < end; i++)
        if (p->begin[i] + p->step[i] > sph->clock.stop) p->step[i] = sph->clock.stop - p->begin[i];
}

// All are due where the interval now ends.
void dlp_sph_cut(dlp_sph *sph)
{
    sph->clock.stop = (int32_t)(sph->context.clock->end_tick / dlp_sph_clock_world_ticks(&sph->clock));
    dlp_parallel_for(sph->team, sph->particles.count, GRAIN, cut_range, sph);
}

void dlp_sph_change(dlp_sph *sph)
{
    sph->walls_are_packed = false;
    sph->has_moving_bodies = sph->has_moving_bodies || has_moving_bodies(sph);
    sph->wakes_all = true;  // what sleeps learns of it, too
}

// Birth and end.

dlp_status dlp_sph_reserve_points(dlp_sph *sph, int32_t count, dlp_error *error)
{
    if (count + DLP_LANES_PADDING <= sph->point_capacity) return DLP_OK;
    const int32_t wanted = count + DLP_LANES_PADDING;
    int32_t capacity = 0;
    struct {
        void *array;
        size_t size;
    } arrays[] = {
        {&sph->at[0], sizeof(int32_t)},
        {&sph->at[1], sizeof(int32_t)},
        {&sph->at[2], sizeof(int32_t)},
        {&sph->packed, DLP_PACKED_SIZE * sizeof(float)},
        {&sph->due, sizeof(int32_t)},
        {&sph->force, 3 * sizeof(float)},
        {&sph->approach, sizeof(float)},
        {&sph->clearance, sizeof(float)},
        {&sph->stamp, 1},
        {&sph->work_flags, 1},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        capacity = sph->point_capacity;
        DLP_TRY(dlp_reserve(arrays[k].array, &capacity, wanted, arrays[k].size, "particles", error));
    }
    for (int axis = 0; axis < 3 && sph->restrains; axis++) {
        int32_t sorted_capacity = sph->point_capacity;
        DLP_TRY(dlp_reserve(&sph->sorted_at[axis], &sorted_capacity, wanted, sizeof(int32_t), "particles",
                            error));
    }
    int32_t thin_capacity = sph->point_capacity;
    if (sph->has_thin_walls)
        DLP_TRY(dlp_reserve(&sph->near_thin, &thin_capacity, wanted, 1, "particles", error));
    int32_t tight_capacity = sph->point_capacity;
    if (dlp_sph_adapts_space(sph))
        DLP_TRY(
            dlp_reserve(&sph->fine_clearance, &tight_capacity, wanted, sizeof(float), "particles", error));
    int32_t reach_capacity = sph->point_capacity;
    if (sph->params.is_mixed)
        DLP_TRY(dlp_reserve(&sph->reach, &reach_capacity, wanted, sizeof(float), "particles", error));
    const int32_t sums = sph->wants_loads ? (wanted / DLP_KICK_BLOCK + 2) * sph->context.bodies->count : 0;
    DLP_TRY(dlp_reserve(&sph->contact_sums, &sph->contact_sum_capacity, sums, sizeof *sph->contact_sums,
                        "particles", error));
    sph->point_capacity = capacity;
    return dlp_heat_reserve(sph->heat, wanted, error);
}

static dlp_status allocate(dlp_sph *sph, dlp_error *error)
{
    const size_t obstacles = (size_t)sph->scene->obstacle_count + 1;
    sph->substances = dlp_alloc((size_t)sph->scene->substance_count, sizeof *sph->substances, "scene");
    sph->stiffness = dlp_alloc((size_t)sph->scene->substance_count, sizeof *sph->stiffness, "scene");
    sph->sample_sets = dlp_alloc(obstacles * DLP_WALL_LEVELS, sizeof *sph->sample_sets, "walls");
    sph->samples.sets = sph->sample_sets;
    sph->list_transforms = dlp_alloc(obstacles, sizeof *sph->list_transforms, "walls");
    sph->has_moved = dlp_alloc(obstacles, sizeof *sph->has_moved, "walls");
    sph->emitters = dlp_alloc((size_t)sph->scene->emitter_count + 1, sizeof *sph->emitters, "emitters");
    sph->emitter_states =
        dlp_alloc((size_t)sph->scene->emitter_count + 1, sizeof *sph->emitter_states, "emitters");
    sph->sinks = dlp_alloc((size_t)sph->scene->sink_count + 1, sizeof *sph->sinks, "emitters");
    const bool is_short = sph->substances == NULL || sph->stiffness == NULL || sph->sample_sets == NULL ||
                          sph->list_transforms == NULL || sph->has_moved == NULL || sph->emitters == NULL ||
                          sph->emitter_states == NULL || sph->sinks == NULL;
    return is_short ? dlp_fail(error, DLP_OUT_OF_MEMORY, "sph: no room") : DLP_OK;
}

// Sizes of particles and what the kernel makes of them.
static dlp_status set_sizes(dlp_sph *sph, dlp_error *error)
{
    const dlp_scene_def *scene = sph->scene;
    const dlp_substance_def *first = dlp_sph_definition(scene, 0);
    const int32_t d = scene->dimension;
    double h_min = 1e30, h_max = 0;
    sph->finest = 1e30;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_substance_def *def = dlp_sph_definition(scene, k);
        if (def->smoothing != first->smoothing)
            return dlp_fail(error, DLP_INVALID,
                            "substances.%s.particle.smoothing: %g, but %g in %s; it must be the same",
                            def->name, def->smoothing, first->smoothing, first->name);
        const double spacing = dlp_substance_spacing(def, d);
        dlp_substance *s = &sph->substances[k];
        s->h = (float)(def->smoothing * spacing);
        s->reach = (float)(2 * (1 + DLP_VERLET_MARGIN) * (double)s->h);
        s->volume_unit = (float)pow(spacing, d);
        s->unit_mass = def->density * pow(spacing, d);
        sph->finest = fmin(sph->finest, spacing);
        h_min = fmin(h_min, (double)s->h);
        h_max = fmax(h_max, (double)s->h);
    }
    if (h_max > 64 * h_min)
        return dlp_fail(
            error, DLP_INVALID,
            "substances: the largest particles are %.0f times the size of the smallest; at most 64 are "
            "allowed",
            h_max / h_min);
    sph->support = 2 * h_max;
    sph->wall_reach = (float)(2 * (1 + DLP_VERLET_MARGIN) * h_min);
    sph->verlet_limit = (float)(0.5 * DLP_VERLET_MARGIN * 2 * h_min);
    sph->params.h = (float)h_min;
    sph->params.is_mixed = h_max > h_min || dlp_sph_adapts_space(sph);
    for (int32_t k = 0; k <= DLP_UNITS_LIMIT; k++) sph->size_of[k] = (float)pow(k, 1.0 / d);
    // a group of nine is a little more than twice as large: its cells must hold it
    const double cell = (dlp_sph_adapts_space(sph) ? 1.045 : 1) * (double)sph->wall_reach;
    return dlp_units_init(&sph->units, cell, scene->periodic, &scene->domain, error);
}

static void set_kernel(dlp_sph *sph)
{
    const dlp_substance_def *first = dlp_sph_definition(sph->scene, 0);
    const int32_t d = sph->scene->dimension;
    const dlp_lattice_sums sums = dlp_lattice_sum(first->kernel, d, first->smoothing, first->lattice);
    dlp_pair_params *p = &sph->params;
    p->kernel = first->kernel;
    p->dimension = d;
    p->norm = (float)(dlp_kernel_norm(first->kernel, d) / sums.density);
    const double seen = first->kernel == DLP_KERNEL_MULLER ? 1 : sums.gradient;
    p->compression_factor = (float)(1 / seen);
    p->slope_norm = (float)(dlp_kernel_slope_norm(first->kernel, d) / (sums.density * seen));
    p->laplacian_norm = (float)(dlp_viscosity_norm(d) / sums.laplacian);
    p->viscosity_factor = (float)(2 * (d + 2) * sums.density * seen / sums.viscosity);
    p->conduction_factor = (float)(2 * sums.density * seen / sums.conduction);
    p->carries_density = dlp_sph_carries_density(sph);
    p->diffusion = p->carries_density ? (float)first->diffusion : 0;
    for (int axis = 0; axis < 3; axis++) p->unit[axis] = (float)sph->units.unit[axis];
}

// Stiffness where none was given: sound ten times as fast as anything else, so that densities vary by 1 %.
static void derive_stiffness(dlp_sph *sph)
{
    const double c = 10 * sph->speed_scale;
    for (int32_t k = 0; k < sph->scene->substance_count; k++) sph->stiffness[k] = c * c;
}

// Explicit viscosity with kick-drift-kick: with the drag evaluated at v + lead dt a, the amplification of a
// decay rate L is stable up to L dt = 4 for a lead of 1/4, but only up to 1 for a full prediction, which
// carried densities (sound needs the true velocity) and steps of different length (neighbours must agree) ask
// for.
static void set_viscous_step(dlp_sph *sph)
{
    const bool is_full = sph->has_individual_steps || dlp_sph_carries_density(sph);
    sph->velocity_lead = is_full ? 1 : 0.25f;
    sph->viscous_limit = is_full ? 0.05 : 0.125;
}

static void set_limits(dlp_sph *sph)
{
    double c = 0;
    for (int32_t k = 0; k < sph->scene->substance_count; k++)
        c = fmax(c, (double)sph->substances[k].sound_speed);
    sph->velocity_limit = 20 * c + 20 * sph->speed_scale;
}

static double weight_at(const void *context, double r, double h)
{
    return dlp_sph_weight(context, r, h);
}

// The samples of a body for the finest particles (level 0), or for those twice as large.
static dlp_status sample_body(dlp_sph *sph, int32_t body, int32_t level, dlp_error *error)
{
    const dlp_sample_request request = {.shape = sph->bodies[body].shape,
                                        .region = dlp_sph_surface_region(sph, body),
                                        .dimension = sph->params.dimension,
                                        .spacing = sph->finest * (1 << level),
                                        .h = (double)sph->params.h * (1 << level),
                                        .kernel = sph->params.kernel,
                                        .weight = weight_at,
                                        .context = sph,
                                        .takes_pressure = dlp_sph_has_coarse_contacts(sph),
                                        .team = sph->team};
    const dlp_status status =
        dlp_sample_set_make(&request, &sph->sample_sets[level * sph->scene->obstacle_count + body], error);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "obstacles[%d]", body);
}

static dlp_status make_neighbourhood(dlp_sph *sph, dlp_error *error)
{
    const dlp_scene_def *scene = sph->scene;
    sph->wall_level_count = dlp_sph_has_coarse_contacts(sph) ? 2 : 1;
    for (int32_t k = 0; k < scene->obstacle_count; k++) {
        for (int32_t level = 0; level < sph->wall_level_count; level++)
            DLP_TRY(sample_body(sph, k, level, error));
        DLP_TRY(dlp_reserve(&sph->walls.is_near, &sph->walls.near_capacity, sph->sample_sets[k].count + 1, 1,
                            "walls", error));
        sph->has_thin_walls = sph->has_thin_walls || sph->sample_sets[k].is_thin;
    }
    for (int32_t k = 0; k < scene->emitter_count; k++) {
        const dlp_emitter_def *def = &scene->emitters[k];
        const double volume = (double)sph->substances[def->substance_index].volume_unit;
        DLP_TRY(dlp_emitter_init(&sph->emitters[k], def, scene->dimension,
                                 pow(volume, 1.0 / scene->dimension), error));
    }
    for (int32_t k = 0; k < scene->sink_count; k++) {
        const dlp_status status =
            dlp_shape_create(&scene->sinks[k].shape, scene->dimension, scene->folder, &sph->sinks[k], error);
        if (status != DLP_OK) return dlp_fail_at(error, status, "sinks[%d]", k);
    }
    return DLP_OK;
}

// What need not be fine merges before the first step, level after level.  [desbrun1999, sec. 4.3]
static dlp_status coarsen(dlp_sph *sph, dlp_error *error)
{
    if (!dlp_sph_adapts_space(sph)) return DLP_OK;
    DLP_TRY(evaluate(sph, error));
    for (int32_t level = 0; level < DLP_LEVEL_LIMIT; level++) {
        DLP_TRY(dlp_sph_coarsen_start(sph, error));
        if (!sph->has_adapted) break;
        DLP_TRY(evaluate(sph, error));
        DLP_TRY(dlp_sph_even_out(sph, error));
    }
    return DLP_OK;
}

// The first accelerations and dt_limits, so that the first step starts like any other.
static dlp_status evaluate_start(dlp_sph *sph, dlp_error *error)
{
    sph->clock = (dlp_sph_clock){.end = 1 / sph->scene->frame_rate, .base = 1, .stop = 1 << DLP_TICK_BITS};
    sph->dt_scale = 1;
    sph->smallest_dt_limit = sph->clock.end;
    DLP_TRY(evaluate(sph, error));
    DLP_TRY(dlp_sph_relax(sph, error));
    DLP_TRY(coarsen(sph, error));
    DLP_TRY(dlp_sph_emit(sph, 0, error));
    DLP_TRY(evaluate(sph, error));
    dlp_sph_exchange_heat(sph);
    dlp_sph_sum_loads(sph);
    dlp_sph_kick(sph);
    dlp_sph_choose_steps(sph);
    if (sph->due_count == 0) sph->smallest_dt_limit = sph->clock.end;
    return DLP_OK;
}

static dlp_status build(dlp_sph *sph, dlp_error *error)
{
    DLP_TRY(allocate(sph, error));
    DLP_TRY(dlp_heat_create(sph, error));
    DLP_TRY(set_sizes(sph, error));
    set_kernel(sph);
    set_viscous_step(sph);
    DLP_TRY(dlp_sph_start(sph, error));
    sph->speed_scale = dlp_sph_expected_speed(sph);
    sph->width = dlp_sph_expected_width(sph);
    derive_stiffness(sph);
    DLP_TRY(dlp_sph_set_constants(sph, error));
    set_limits(sph);
    DLP_TRY(make_neighbourhood(sph, error));
    DLP_TRY(dlp_sph_reserve_points(sph, sph->particles.count + 1, error));
    return evaluate_start(sph, error);
}

// What the substances of this model ask for; those of others change nothing here.
static void set_switches(dlp_sph *sph)
{
    const dlp_scene_def *scene = sph->scene;
    sph->particles.kept = DLP_STORE_ALWAYS;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const dlp_substance_def *def = dlp_sph_definition(scene, k);
        sph->has_individual_steps = sph->has_individual_steps || def->adapt_time;
        if (def->adapt_space) sph->particles.kept |= DLP_STORE_SPACE;
        if (def->adapt_restraint) sph->particles.kept |= DLP_STORE_RESTRAINT;
        if (def->has_temperature) sph->particles.kept |= DLP_STORE_HEAT;
    }
    sph->wants_loads = sph->context.measures_loads;
    sph->restrains = dlp_particles_have(&sph->particles, DLP_STORE_RESTRAINT);
    sph->has_moving_bodies = has_moving_bodies(sph);
}

dlp_status dlp_sph_create(const dlp_solver_context *context, dlp_sph **out_sph, dlp_error *error)
{
    *out_sph = NULL;
    if (dlp_first_of_model(&context->conditions->now, DLP_MODEL_SPH) == NULL) return DLP_OK;
    dlp_sph *sph = dlp_alloc(1, sizeof *sph, "sph");
    if (sph == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "sph: no room");
    sph->context = *context;
    sph->scene = &context->conditions->now;
    sph->bodies = context->bodies->items;
    sph->team = context->team;
    sph->target = context->target;
    sph->loops = dlp_pair_loops_of(sph->target);
    sph->lists_are_stale = true;
    set_switches(sph);
    const dlp_status status = build(sph, error);
    if (status != DLP_OK) {
        dlp_sph_destroy(sph);
        return status;
    }
    *out_sph = sph;
    return DLP_OK;
}

void dlp_sph_destroy(dlp_sph *sph)
{
    if (sph == NULL) return;
    for (int32_t k = 0; sph->sample_sets != NULL && k < DLP_WALL_LEVELS * sph->scene->obstacle_count; k++)
        dlp_sample_set_release(&sph->sample_sets[k]);
    for (int32_t k = 0; sph->emitters != NULL && k < sph->scene->emitter_count; k++)
        dlp_emitter_release(&sph->emitters[k]);
    for (int32_t k = 0; sph->sinks != NULL && k < sph->scene->sink_count; k++)
        dlp_shape_destroy(sph->sinks[k]);
    for (int32_t k = 0; k < DLP_LAYER_LIMIT + DLP_WALL_LEVELS; k++) dlp_layer_release(&sph->layers[k]);
    dlp_particles_release(&sph->particles);
    dlp_lists_release(&sph->lists);
    dlp_lists_release(&sph->wall_lists);
    dlp_sorter_release(&sph->sorter);
    dlp_heat_destroy(sph->heat);
    dlp_renew_scratch_release(&sph->renew_scratch);
    dlp_samples_release(&sph->samples);
    dlp_walls_release(&sph->walls);
    for (int axis = 0; axis < 3; axis++) dlp_free(sph->sorted_at[axis]);
    void *owned[] = {sph->adapt_scratch.plan,
                     sph->adapt_scratch.depth,
                     sph->adapt_scratch.owner,
                     sph->adapt_scratch.size,
                     sph->adapt_scratch.centre,
                     sph->adapt_scratch.distance_bias,
                     sph->adapt_scratch.first,
                     sph->adapt_scratch.members,
                     sph->adapt_scratch.is_kept,
                     sph->substances,
                     sph->stiffness,
                     sph->sample_sets,
                     sph->list_transforms,
                     sph->has_moved,
                     sph->emitters,
                     sph->emitter_states,
                     sph->sinks,
                     sph->at[0],
                     sph->at[1],
                     sph->at[2],
                     sph->packed,
                     sph->reach,
                     sph->due,
                     sph->force,
                     sph->approach,
                     sph->clearance,
                     sph->stamp,
                     sph->work_flags,
                     sph->near_thin,
                     sph->contact_sums,
                     sph->fine_clearance};
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) dlp_free(owned[k]);
    dlp_free(sph);
}
