/* The world: a scene set in motion. It owns the model, the clock, the bodies and the solvers, and keeps the
 * frames. It knows no solver by name. */
#include "motion/world_parts.h"
#include "base/sized.h"
#include "base/wall_clock.h"

static dlp_status make_solvers(dlp_world *world, dlp_error *error)
{
    const int32_t count = world->solver_count;
    world->members = dlp_alloc((size_t)count + 1, sizeof *world->members, "world");
    world->ticks = dlp_alloc((size_t)count + 1, sizeof *world->ticks, "world");
    if (world->members == NULL || world->ticks == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "world: no room for its solvers");
    for (int32_t k = 0; k < count; k++) {
        dlp_member *member = &world->members[world->member_count];
        dlp_solver_context context =
            dlp_setting_context(world->setting, world->member_count, world->team, world->target);
        context.log = world->options.log;
        context.log_user = world->options.user;
        DLP_TRY(world->solvers[k]->create(&context, &member->self, error));
        if (member->self == NULL) continue;
        member->type = world->solvers[k];
        world->ticks[world->member_count++] = DLP_INTERVAL_TICKS;
    }
    return DLP_OK;
}

// `team` is that of the world whose place this one takes; NULL: there is none.
static dlp_status build_world(dlp_world *world, const dlp_scene *scene, dlp_team *team, dlp_error *error)
{
    DLP_TRY(dlp_scene_clone(scene, &world->scene, error));
    DLP_TRY(dlp_world_resolve(world->scene, &world->model, error));
    world->phase.is_between = true;
    world->setting = dlp_alloc(1, sizeof *world->setting, "world");
    if (world->setting == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "world: no room");
    DLP_TRY(dlp_setting_init(world->setting, world->model, world->solver_count, error));
    world->setting->measures_loads = world->setting->measures_loads || world->options.measures_loads;
    DLP_TRY(dlp_target_choose(world->options.instruction_set, &world->target, error));
    world->team = team;
    if (team == NULL)
        DLP_TRY(world->options.tasks != NULL
                    ? dlp_team_create_hosted(world->options.tasks, &world->team, error)
                    : dlp_team_create(world->options.thread_count, &world->team, error));
    return make_solvers(world, error);
}

dlp_status dlp_world_build(const dlp_scene *scene, const dlp_world *like, dlp_team *team,
                           dlp_world **out_world, dlp_error *error)
{
    dlp_world *world = *out_world = dlp_alloc(1, sizeof *world, "world");
    if (world == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "world: %zu bytes", sizeof *world);
    world->options = like->options;
    world->solvers = like->solvers;
    world->solver_count = like->solver_count;
    const dlp_status status = build_world(world, scene, team, error);
    if (status == DLP_OK) return DLP_OK;
    if (team != NULL) world->team = NULL;
    dlp_world_destroy(world);
    *out_world = NULL;
    return status;
}

dlp_status dlp_world_create_with(const dlp_scene *scene, const dlp_world_options *options,
                                 const dlp_solver *const *solvers, int32_t solver_count,
                                 dlp_world **out_world, dlp_error *error)
{
    DLP_NEED(out_world, error);
    *out_world = NULL;
    dlp_world like = {.solvers = solvers, .solver_count = solver_count};
    if (scene == NULL) return dlp_fail(error, DLP_INVALID, "world: no scene was given");
    if (options != NULL)
        DLP_TRY(dlp_sized_read(options, &like.options, sizeof like.options, "dlp_world_options", error));
    dlp_world *world;
    DLP_TRY(dlp_world_build(scene, &like, NULL, &world, error));
    dlp_status status = dlp_world_check_steps(world, 1 / world->model->frame_rate, DLP_INVALID, error);
    if (status == DLP_OK) status = dlp_retroaction_create(world, &world->retroaction, error);
    if (status != DLP_OK) {
        dlp_world_destroy(world);
        return status;
    }
    dlp_world_note_scene(world);
    *out_world = world;
    return DLP_OK;
}

dlp_status dlp_world_create(const dlp_scene *scene, const dlp_world_options *options, dlp_world **out_world,
                            dlp_error *error)
{
    return dlp_world_create_with(scene, options, dlp_solvers, dlp_solver_count, out_world, error);
}

void dlp_world_destroy(dlp_world *world)
{
    if (world == NULL) return;
    dlp_retroaction_destroy(world->retroaction);
    for (int32_t k = 0; k < world->member_count; k++) world->members[k].type->destroy(world->members[k].self);
    dlp_free(world->members);
    dlp_free(world->ticks);
    dlp_setting_release(world->setting);
    dlp_free(world->setting);
    dlp_team_destroy(world->team);
    dlp_scene_destroy(world->scene);
    for (int k = 0; k < DLP_FIELD_COUNT; k++) dlp_free(world->exports[k]);
    dlp_free(world);
}

// Motion: spans (what a caller asked for) of intervals of steps.

// The share of the span that is done, as the mean of all solvers.
static double fraction_done(const dlp_world *world)
{
    double sum = 0;
    for (int32_t k = 0; k < world->member_count; k++)
        sum += dlp_clock_time(&world->setting->clock, world->ticks[k]) - world->span_start;
    return sum / (world->member_count * (world->span_end - world->span_start));
}

static bool report_progress(dlp_world *world, const dlp_member *member)
{
    world->step_count++;
    if (world->options.progress == NULL) return true;
    const dlp_progress progress = {.size = sizeof progress,
                                   .frame = (int32_t)world->frame + 1,
                                   .frame_fraction = fraction_done(world),
                                   .time = dlp_world_time(world),
                                   .particle_count = dlp_world_particle_count(world),
                                   .active_count = member->type->active_count(member->self),
                                   .step_count = world->step_count};
    return world->options.progress(&progress, world->options.user);
}

// The member whose next step ends first, and when; -1 where all have arrived.
static int32_t earliest(const dlp_world *world, int64_t *out_tick)
{
    int32_t first = -1;
    for (int32_t k = 0; k < world->member_count; k++) {
        if (world->ticks[k] >= world->setting->clock.end_tick) continue;
        const int64_t tick = world->members[k].type->next_tick(world->members[k].self);
        if (first >= 0 && tick >= *out_tick) continue;
        first = k;
        *out_tick = tick;
    }
    return first;
}

static int64_t tick_of_last(const dlp_world *world)
{
    int64_t tick = world->setting->clock.end_tick;
    for (int32_t k = 0; k < world->member_count; k++) tick = world->ticks[k] < tick ? world->ticks[k] : tick;
    return tick;
}

// To the end of the interval, step by step, in the order in which the steps end.
static dlp_status march(dlp_world *world, dlp_error *error)
{
    int64_t tick = 0;
    for (int32_t k; (k = earliest(world, &tick)) >= 0;) {
        const dlp_member *member = &world->members[k];
        bool is_done = false;
        dlp_setting_set_tick(world->setting, tick);
        DLP_TRY(member->type->advance(member->self, tick, &is_done, error));
        DLP_TRY(dlp_host_forces_check(world->setting->forces, world->model, error));
        if (!is_done) continue;
        world->ticks[k] = tick;
        world->setting->clock.tick = tick_of_last(world);
        if (world->observer.user != NULL) DLP_TRY(world->observer.observe(world->observer.user, error));
        if (!report_progress(world, member)) return dlp_fail(error, DLP_INTERRUPTED, "interrupted");
    }
    world->setting->clock.tick = world->setting->clock.end_tick;
    return DLP_OK;
}

static dlp_status begin_span(dlp_world *world, double end, dlp_error *error)
{
    world->span_end = end;
    if (world->phase.is_in_span) return DLP_OK;
    DLP_TRY(dlp_watch_begin(world, error));
    world->phase.is_in_span = true;
    world->span_start = dlp_world_time(world);
    world->wall_motion = world->wall_skin = world->wall_record = 0;
    world->skin_volume = 0;
    dlp_bodies_forget_impulses(&world->setting->bodies);
    for (int32_t k = 0; k < world->member_count; k++)
        world->members[k].type->begin_span(world->members[k].self);
    return DLP_OK;
}

// The next interval: up to the target, or one of the equal parts that are short enough for every solver's
// steps.
static void begin_interval(dlp_world *world, double target)
{
    const double now = dlp_world_time(world);
    const double parts = ceil((target - now) / (DLP_INTERVAL_STEPS * dlp_world_shortest_step(world))),
                 end = parts > 1 ? now + (target - now) / parts : target;
    dlp_setting_begin(world->setting, now, end);
    for (int32_t k = 0; k < world->member_count; k++) {
        world->ticks[k] = 0;
        world->members[k].type->begin(world->members[k].self);
    }
    world->phase.is_between = false;
}

// An interval that was interrupted ends where the new target is, or where the solver that is furthest stands.
static void cut_interval(dlp_world *world, double target)
{
    dlp_clock *clock = &world->setting->clock;
    const double share = (target - clock->start) / (clock->end - clock->start);
    const int64_t grid = DLP_INTERVAL_TICKS >> 20;  // on which every solver has ticks of its own
    int64_t tick = (int64_t)(share * (1 << 20) + 0.5) * grid;
    for (int32_t k = 0; k < world->member_count; k++)
        while (tick < world->ticks[k]) tick += grid;
    clock->end_tick = tick;
    for (int32_t k = 0; k < world->member_count; k++)
        if (world->members[k].type->cut != NULL) world->members[k].type->cut(world->members[k].self);
}

// Whole frames up to a time; what a rounding leaves out of one still counts.
static int64_t frames_until(const dlp_world *world, double time)
{
    return (int64_t)floor(time * world->model->frame_rate + 1e-9);
}

static dlp_status advance_to(dlp_world *world, double target, dlp_error *error)
{
    for (bool is_there = false; !is_there;) {
        if (world->phase.is_between) {  // steps may have become shorter on the way
            DLP_TRY(dlp_world_check_steps(world, target - dlp_world_time(world), DLP_DIVERGED, error));
            begin_interval(world, target);
        }
        if (world->setting->clock.end > target) cut_interval(world, target);
        is_there = world->setting->clock.end >= target;
        const dlp_status status = march(world, error);
        // a stop that comes with the interval's last step leaves nothing behind
        world->phase.is_between = world->setting->clock.tick == world->setting->clock.end_tick;
        if (world->phase.is_between && is_there) world->phase.is_in_span = false;
        DLP_TRY(status);
    }
    return DLP_OK;
}

static dlp_status advance(dlp_world *world, double target, dlp_error *error)
{
    const double start = dlp_seconds_now();
    if (world->phase.is_between)
        DLP_TRY(dlp_world_check_steps(world, target - dlp_world_time(world), DLP_INVALID, error));
    DLP_TRY(begin_span(world, target, error));
    dlp_status status = advance_to(world, target, error);
    dlp_setting_set_tick(world->setting, world->setting->clock.tick);
    if (!world->phase.is_in_span && status == DLP_OK) status = dlp_watch_look(world, error);
    world->wall_motion += dlp_seconds_now() - start;
    if (status == DLP_DIVERGED) return dlp_fail_at(error, status, "frame %lld", (long long)world->frame + 1);
    const int64_t frame = world->frame;
    if (!world->phase.is_in_span) world->frame = frames_until(world, dlp_world_time(world));
    if (world->frame > frame && world->retroaction != NULL)
        DLP_TRY(dlp_retroaction_apply(world->retroaction, error));
    return status;
}

dlp_status dlp_world_step_frame(dlp_world *world, dlp_error *error)
{
    DLP_NEED(world, error);
    const int64_t next = frames_until(world, dlp_world_time(world)) + 1;
    return advance(world, (double)next / world->model->frame_rate, error);
}

dlp_status dlp_world_advance(dlp_world *world, double seconds, dlp_error *error)
{
    DLP_NEED(world, error);
    const double now = dlp_world_time(world), target = now + seconds;
    if (!(seconds >= DLP_SHORTEST_SPAN && seconds <= 1e6 && target > now))
        return dlp_fail(
            error, DLP_INVALID,
            "world: cannot advance by %g s at %g s; %g to 1e6 is allowed, and enough to change the "
            "time",
            seconds, now, DLP_SHORTEST_SPAN);
    DLP_TRY(dlp_world_check_steps(world, seconds, DLP_INVALID, error));
    // surfaces that act back do so at the end of every frame
    while (world->retroaction != NULL &&
           frames_until(world, target) > frames_until(world, dlp_world_time(world))) {
        DLP_TRY(dlp_world_step_frame(world, error));
        if (dlp_world_time(world) >= target) return DLP_OK;
    }
    return advance(world, target, error);
}

double dlp_world_time(const dlp_world *world)
{
    return dlp_clock_time(&world->setting->clock, world->setting->clock.tick);
}

int32_t dlp_world_frame(const dlp_world *world)
{
    return (int32_t)world->frame;
}
