/* Intervals: where steps are planned anew, cut short, or told that the scene has changed. */
#include "motion/sph/sph_host.h"
#include "motion/sph/sph_restraint.h"

enum { GRAIN = 4096 };

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
    const double tick = dlp_sph_clock_seconds(&sph->state.clock, 1);
    int32_t ticks = 1 << DLP_TICK_BITS;
    while (ticks > 1 && ticks * tick > seconds * (1 + 1e-12)) ticks /= 2;
    return ticks;
}

bool dlp_sph_has_moving_bodies(const dlp_sph *sph)
{
    for (int32_t k = 0; k < sph->context.bodies->count; k++)
        if (sph->bodies[k].is_moving) return true;
    return false;
}

double dlp_sph_planned_step(double interval, double dt_limit)
{
    const double part = interval / base_for(interval, dt_limit);
    int32_t ticks = 1 << DLP_TICK_BITS;
    while (ticks > 1 && part * ticks > dt_limit * (1 + 1e-12) * (1 << DLP_TICK_BITS)) ticks /= 2;
    return part * ticks / (1 << DLP_TICK_BITS);
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
    const dlp_particles *p = &sph->state.particles;
    for (int32_t i = begin; i < end; i++) {
        const double own = p->step[i] * pass->old_tick;
        const bool is_longer = sph->params.has_individual_steps && own > pass->dt_limit;
        const int32_t ticks = is_longer ? ticks_within(sph, own) : pass->usual;
        p->begin[i] = 0;
        p->step[i] = ticks;
        if (dlp_particle_sleeps(sph, i))
            p->step[i] = dlp_sph_sleep_ticks(sph, i, ticks, dlp_sph_has_heat(sph) ? pass->dt_limit : 1e30);
    }
}

void dlp_sph_begin(dlp_sph *sph)
{
    const dlp_clock *world = sph->context.clock;
    dlp_sph_advance_sleepers(sph);
    dlp_sph_set_camera_detail(sph);
    const double old_tick = dlp_sph_clock_seconds(&sph->state.clock, 1);
    const double dt_limit = sph->state.dt_scale * sph->state.smallest_dt_limit;
    const int32_t base = base_for(world->end - world->start, dt_limit);
    sph->state.clock = (dlp_sph_clock){
        .start = world->start, .end = world->end, .base = base, .stop = base << DLP_TICK_BITS};
    begin_pass pass = {sph, old_tick, dt_limit, ticks_within(sph, dt_limit)};
    dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, begin_range, &pass);
    sph->params.walls.has_moving = sph->params.walls.has_moving || dlp_sph_has_moving_bodies(sph);
    dlp_samples_begin(&sph->scratch.walls.samples);
}

void dlp_sph_begin_span(dlp_sph *sph)
{
    const dlp_particles *p = &sph->state.particles;
    sph->state.counts = (dlp_sph_counts){.dt_min = 1e30};
    dlp_parallel_set(sph->team, p->displacement, 0, 3 * (size_t)p->count * sizeof *p->displacement);
}

static void cut_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    const dlp_particles *p = &sph->state.particles;
    const int32_t stop = sph->state.clock.stop;
    for (int32_t i = begin; i < end; i++)
        if (p->begin[i] + p->step[i] > stop) p->step[i] = stop - p->begin[i];
}

// All are due where the interval now ends.
void dlp_sph_cut(dlp_sph *sph)
{
    dlp_sph_clock *clock = &sph->state.clock;
    clock->stop = (int32_t)(sph->context.clock->end_tick / dlp_sph_clock_world_ticks(clock));
    assert(clock->tick <= clock->stop && clock->stop <= dlp_sph_clock_end(clock));
    dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, cut_range, sph);
}

void dlp_sph_change(dlp_sph *sph)
{
    sph->scratch.walls.are_packed = false;
    sph->params.walls.has_moving = sph->params.walls.has_moving || dlp_sph_has_moving_bodies(sph);
    // what sleeps learns of it, too; forces of a host come with a restart of their own
    if (!dlp_sph_has_other_forces(sph)) sph->state.wakes_all = 1;
}
