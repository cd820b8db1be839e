/* How a step closes where pressure is solved for: particles arrive where their velocity took them, a step is
 * chosen, and forces and pressure make the velocity of that step. Velocities are therefore half a step ahead
 * of positions (leapfrog), and a particle moves in a straight line: its acceleration is 0. */
#include "motion/sph/implicit_step.h"
#include "motion/sph/sph_heat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRAIN = 1024, CONTACT_GRAIN = DLP_KICK_BLOCK, CAPPED_LIMIT = 3 };

// Walls answer within half a spacing.
#define REACH_PER_STEP 0.4
#define LONGEST_STEP   (1 / 60.0) /* s */
#define LEAST_DT_SCALE 0.0625
// Share of a compression that one step takes back: all of it would be paid back by the next step as speed, so
// that pressure would pump. [carensac2022]
#define CORRECTION 0.25f
// Below it sums of floats say nothing.
#define LEAST_ERROR 1e-6
// Particles that are emptier than at rest by no more are kept from becoming fuller at once, or a pool would
// rattle.
#define LOOSENESS 0.005f

static void clear_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t k = begin; k < end; k++) dlp_sph_packed(context, k)[DLP_PACKED_PRESSURE] = 0;
}

void dlp_sph_clear_pressures(dlp_sph *sph)
{
    dlp_parallel_for(sph->team, dlp_sph_point_count(sph), GRAIN, clear_range, sph);
}

// Arrival.

// [desbrun1996, eq. 14], without sound. What is thick enough to calm within such a step may take a longer one
// than gravity would allow.
static double dt_limit_of(const dlp_sph *sph, int32_t i, dlp_vec3 v)
{
    const dlp_substance *s = dlp_particle_substance(sph, i);
    if (!sph->params.solves_pressure)
        return dlp_sph_dt_limit_of(sph, i, v, dlp_sph_new_acceleration(sph, i),
                                   (double)dlp_sph_approach(sph, i));
    const double spacing = (double)s->h / dlp_sph_definition(sph->scene, 0)->smoothing;
    if (sph->scene->step > 0) return sph->scene->step;
    const double share = sph->scene->courant / 0.3;
    const double reach = share * REACH_PER_STEP * spacing, speed = dlp_length(v);
    const double a = dlp_length(dlp_sph_new_acceleration(sph, i)) + 1e-30;
    const double nu = (double)(dlp_sph_packed(sph, i)[DLP_PACKED_VISCOSITY] / s->rho0);
    // speed step + a step^2 = reach
    const double step = 2 * reach / (speed + sqrt(speed * speed + 4 * a * reach) + 1e-30);
    const double calm = share * 0.25 * sqrt(spacing / a);
    const double walls = reach / (sph->scratch.wall_speed + 1e-30);
    const bool is_thick = sph->params.solves_viscosity && nu * calm > spacing * spacing;
    const double viscous = nu > 0 && !sph->params.solves_viscosity
                               ? sph->params.viscous_limit * (double)(s->h * s->h) / nu
                               : step;
    const double heat = dlp_sph_has_heat(sph) ? dlp_heat_step(sph, i) : step;
    return fmin(fmin(fmin(is_thick ? step : fmin(step, calm), viscous), heat), fmin(walls, LONGEST_STEP));
}

static void arrive_particle(dlp_sph *sph, int32_t i, dlp_contact_sum *sums)
{
    dlp_particles *p = &sph->state.particles;
    const float *packed = dlp_sph_packed(sph, i), *u = p->velocity + 3 * (int64_t)i;
    const double begin_time = dlp_sph_clock_time(&sph->state.clock) -
                              dlp_sph_clock_seconds(&sph->state.clock, sph->state.clock.tick - p->begin[i]);
    dlp_vec3 x = dlp_sph_predicted_position(sph, i), v = dlp_vec((double)u[0], (double)u[1], (double)u[2]);
    dlp_sph_resolve_contact(sph, i, dlp_particle_position(p, i), begin_time, &x, &v, sums);
    dlp_sph_store_motion(sph, i, x, v, dlp_vec(0, 0, 0));
    p->compression[i] = packed[DLP_PACKED_VOLUME0] / packed[DLP_PACKED_VOLUME];
    p->compression_rate[i] = 0;
    p->begin[i] = sph->state.clock.tick;
    sph->scratch.sums.handover[i].dt_limit = (float)dt_limit_of(sph, i, v);
}

static void arrive_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_contact_sum *sums = dlp_sph_begin_contacts(sph, begin / CONTACT_GRAIN);
    for (int32_t k = begin; k < end; k++) arrive_particle(sph, sph->scratch.selection.due[k], sums);
}

static void find_fastest_wall(void *context, int32_t begin, int32_t end, void *result)
{
    const float *velocity = ((const dlp_sph *)context)->scratch.walls.samples.velocity;
    double *fastest = result;
    for (int32_t k = begin; k < end; k++) {
        const float *v = velocity + 3 * (int64_t)k;
        *fastest = fmax(*fastest, sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])));
    }
}

static void arrive(dlp_sph *sph)
{
    sph->scratch.wall_speed = 0;
    const dlp_reduction fastest = {find_fastest_wall, dlp_combine_max_double, sph, sizeof(double)};
    dlp_parallel_reduce(sph->team, sph->scratch.walls.samples.count, GRAIN, &fastest,
                        &sph->scratch.wall_speed);
    dlp_parallel_for(sph->team, sph->scratch.selection.due_count, CONTACT_GRAIN, arrive_range, sph);
    dlp_sph_hand(sph, DLP_HOLDS_DT_LIMITS);
    dlp_sph_add_contacts(sph);
}

// Solving.

typedef struct solving {
    dlp_sph *sph;
    double dt, kick;  // s: the step, and how long forces act on the velocity
    float start;      // what the last pressure is multiplied with to begin
} solving;

static void take_velocity(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    memcpy(sph->scratch.projection.velocity + 3 * (int64_t)begin,
           sph->state.particles.velocity + 3 * (int64_t)begin, 3 * sizeof(float) * (size_t)(end - begin));
}

// By how much a point is emptier than it may rest, at most 0.
static float gap_of(float excess)
{
    return excess < -LOOSENESS ? excess + LOOSENESS : 0;
}

// What has room may be pressed together.
static void start_divergence(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const solving *s = context;
    dlp_projection *p = &s->sph->scratch.projection;
    const int32_t count = s->sph->state.particles.count;
    for (int32_t k = begin; k < end; k++) {
        const bool is_wall = k >= count;
        p->source[k] += gap_of(p->excess[k]) / (float)s->dt;
        const float before =
            is_wall ? p->wall_means[(int64_t)k * DLP_PACE_SIZE + 1] : s->sph->state.particles.kappa_rate[k];
        p->kappa[k] = p->source[k] > 0 ? s->start * before : 0;
    }
}

// From the rate to what the step makes of the compression.
static void start_density(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const solving *s = context;
    dlp_projection *p = &s->sph->scratch.projection;
    const int32_t count = s->sph->state.particles.count;
    for (int32_t k = begin; k < end; k++) {
        const float excess = CORRECTION * p->excess[k] + (1 - CORRECTION) * gap_of(p->excess[k]);
        p->source[k] = excess + (float)s->dt * p->source[k];
        const float before =
            k >= count ? p->wall_means[(int64_t)k * DLP_PACE_SIZE] : s->sph->state.particles.kappa[k];
        p->kappa[k] = s->start * before;
    }
}

typedef struct velocity_pass {
    dlp_sph *sph;
    float factor;
} velocity_pass;

static void add_answer(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const velocity_pass *pass = context;
    dlp_projection *p = &pass->sph->scratch.projection;
    for (int32_t i = begin; i < end; i++)
        for (int axis = 0; axis < 3; axis++)
            p->velocity[3 * (int64_t)i + axis] += pass->factor * p->paces[(int64_t)i * DLP_PACE_SIZE + axis];
}

static void add_forces(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const solving *s = context;
    float *velocity = s->sph->scratch.projection.velocity;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 a = dlp_sph_new_acceleration(s->sph, i);
        const double change[3] = {s->kick * a.x, s->kick * a.y, s->kick * a.z};
        for (int axis = 0; axis < 3; axis++) velocity[3 * (int64_t)i + axis] += (float)change[axis];
    }
}

// Extent along gravity, and how it moves.
typedef struct flow_sums {
    double low, high;  // m2/s2: position times gravity
    double square;     // m2/s2: sum of v^2
} flow_sums;

static void join_motion(void *result, const void *later)
{
    flow_sums *all = result;
    const flow_sums *more = later;
    all->low = fmin(all->low, more->low);
    all->high = fmax(all->high, more->high);
    all->square += more->square;
}

static void find_motion(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    const dlp_particles *p = &sph->state.particles;
    for (int32_t i = begin; i < end; i++) {
        const float *v = p->velocity + 3 * (int64_t)i;
        const double along = dlp_dot(dlp_particle_position(p, i), sph->scene->gravity);
        join_motion(result, &(flow_sums){along, along, (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])});
    }
}

// Mean compression at which a solve stops. A pool needs its pressure down to the floor: a tenth of what
// gravity does to the whole of it in a step of the length that a pool takes. What moves may be off by a
// twentieth of how much it strains.
static double density_error(dlp_sph *sph, double dt)
{
    const double g = dlp_length(sph->scene->gravity), error = sph->params.projection.error;
    const int32_t count = sph->state.particles.count;
    flow_sums all = {1e300, -1e300, 0};
    const dlp_reduction find = {find_motion, join_motion, sph, sizeof all};
    if (!(g > 0) || count == 0) return error;
    dlp_parallel_reduce(sph->team, count, GRAIN, &find, &all);
    const double height = fmax((all.high - all.low) / g, 1e-6 * sph->params.finest);
    const double calm = fmax(dt, 0.25 * sqrt(sph->params.finest / g));
    const double still = 0.1 * dt * calm * g / height, moving = 0.05 * dt * sqrt(all.square / count) / height;
    return fmax(fmin(error, fmax(still, moving)), LEAST_ERROR);
}

static dlp_solve_report solve_divergence(const solving *s, double error)
{
    dlp_sph *sph = s->sph;
    solving start = *s;
    start.start = (float)s->dt;
    dlp_projection_sum_rates(sph);
    dlp_parallel_for(sph->team, dlp_sph_point_count(sph), GRAIN, start_divergence, &start);
    const dlp_solve_limits limits = {.mean = error / s->dt,
                                     .closed_mean = sph->params.projection.error / s->dt,
                                     .largest = DLP_LARGEST_OVER_MEAN * error / s->dt,
                                     .pass_limit = sph->params.projection.pass_limit};
    const dlp_solve_report report = dlp_projection_solve(sph, &limits);
    velocity_pass pass = {sph, 1};
    dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, add_answer, &pass);
    return report;
}

// Unknowns as the last step left them.
static void take_last_kappa(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const solving *s = context;
    dlp_projection *p = &s->sph->scratch.projection;
    const int32_t count = s->sph->state.particles.count;
    const float factor = (float)(s->dt * s->dt);
    for (int32_t k = begin; k < end; k++)
        p->kappa[k] = factor * (k >= count ? p->wall_means[(int64_t)k * DLP_PACE_SIZE]
                                           : s->sph->state.particles.kappa[k]);
}

static void remember_push(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_projection *p = &sph->scratch.projection;
    memcpy(p->pushed + begin, p->response + begin, (size_t)(end - begin) * sizeof *p->pushed);
    for (int32_t i = begin; i < end && i < sph->state.particles.count; i++)
        memcpy(p->push_way + 3 * (int64_t)i, p->paces + (int64_t)i * DLP_PACE_SIZE, 3 * sizeof(float));
}

// What has been pushed already counts as the solve's.
static void take_back_push(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_projection *p = &sph->scratch.projection;
    for (int32_t k = begin; k < end; k++) p->source[k] -= p->pushed[k];
}

static void take_back_way(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_projection *p = &sph->scratch.projection;
    for (int32_t i = begin; i < end; i++)
        for (int axis = 0; axis < 3; axis++)
            p->paces[(int64_t)i * DLP_PACE_SIZE + axis] -= p->push_way[3 * (int64_t)i + axis];
}

static dlp_solve_report solve_density(const solving *s, double error)
{
    dlp_sph *sph = s->sph;
    solving start = *s;
    start.start = (float)(sph->params.projection.warm_start * s->dt * s->dt);
    dlp_projection_sum_rates(sph);
    dlp_parallel_for(sph->team, dlp_sph_point_count(sph), GRAIN, start_density, &start);
    const bool is_ahead = sph->params.solves_viscosity;
    if (is_ahead) dlp_parallel_for(sph->team, dlp_sph_point_count(sph), GRAIN, take_back_push, sph);
    const dlp_solve_limits limits = {.mean = error,
                                     .closed_mean = sph->params.projection.error,
                                     .largest = DLP_LARGEST_OVER_MEAN * error,
                                     .pass_limit = sph->params.projection.pass_limit};
    const dlp_solve_report report = dlp_projection_solve(sph, &limits);
    velocity_pass pass = {sph, (float)(1 / s->dt)};
    if (is_ahead) dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, take_back_way, sph);
    dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, add_answer, &pass);
    return report;
}

// The pressures of a solve, Pa over delta^2; those of walls stay in wall_means until all is done.
static void keep_kappa(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const solving *s = context;
    dlp_projection *p = &s->sph->scratch.projection;
    const float factor = (float)(1 / (s->dt * s->dt));
    for (int32_t k = begin; k < end; k++) {
        const float kappa = factor * p->kappa[k];
        if (k < s->sph->state.particles.count)
            s->sph->state.particles.kappa[k] = kappa;
        else
            p->wall_means[(int64_t)k * DLP_PACE_SIZE] = kappa;
    }
}

static void keep_kappa_rate(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const solving *s = context;
    dlp_projection *p = &s->sph->scratch.projection;
    const float factor = (float)(1 / s->dt);
    for (int32_t k = begin; k < end; k++) {
        const float kappa = factor * p->kappa[k];
        if (k < s->sph->state.particles.count)
            s->sph->state.particles.kappa_rate[k] = kappa;
        else
            p->wall_means[(int64_t)k * DLP_PACE_SIZE + 1] = kappa;
    }
}

// Where the next interval will count in ticks of its own, as it will begin.
static double step_seconds(const dlp_sph *sph, double next_interval)
{
    return next_interval > 0
               ? dlp_sph_planned_step(next_interval, sph->state.dt_scale * sph->state.smallest_dt_limit)
               : dlp_sph_clock_seconds(&sph->state.clock, sph->state.particles.step[0]);
}

// Solves that end before they are done, again and again: shorter steps are easier.
static void note_capped(dlp_sph *sph, const dlp_solve_report *density)
{
    char message[256];
    dlp_sph_state *state = &sph->state;
    state->capped_in_row = density->is_converged ? 0 : state->capped_in_row + 1;
    if (state->capped_in_row < CAPPED_LIMIT) return;
    state->capped_in_row = 0;
    state->dt_scale = fmax(0.5 * state->dt_scale, LEAST_DT_SCALE);
    if (sph->context.log == NULL || sph->scratch.has_told_capped) return;
    sph->scratch.has_told_capped = true;
    snprintf(
        message, sizeof message,
        "time %.4g s: %d passes were not enough to find the pressures in %d steps in a row; steps are halved "
        "(stats.csv: capped)",
        dlp_sph_clock_time(&sph->state.clock), density->passes, CAPPED_LIMIT);
    sph->context.log(message, sph->context.log_user);
}

static void count_solves(dlp_sph *sph, const dlp_solve_report *divergence, const dlp_solve_report *density)
{
    dlp_sph_counts *c = &sph->state.counts;
    c->solves++;
    c->divergence_passes += divergence->passes;
    c->density_passes += density->passes;
    c->capped += !density->is_converged;
    c->residual_sum += density->mean;
    c->residual_max = fmax(c->residual_max, density->largest);
}

static void store_velocities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    memcpy(sph->state.particles.velocity + 3 * (int64_t)begin,
           sph->scratch.projection.velocity + 3 * (int64_t)begin, 3 * sizeof(float) * (size_t)(end - begin));
}

// What presses on walls, for their loads.
static void write_pressures(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    const dlp_particles *p = &sph->state.particles;
    for (int32_t k = begin; k < end; k++) {
        const float *wall = sph->scratch.projection.wall_means + (int64_t)k * DLP_PACE_SIZE;
        dlp_sph_packed(sph, k)[DLP_PACKED_PRESSURE] =
            k < p->count ? p->kappa[k] + p->kappa_rate[k] : wall[0] + wall[1];
    }
}

// What the last pressures do to velocities, before viscosity acts: it then sees what it will meet.
// `wall_means` and the particles' kappa hold them.
static void push_ahead(const solving *s)
{
    dlp_sph *sph = s->sph;
    dlp_parallel_for(sph->team, dlp_sph_point_count(sph), GRAIN, take_last_kappa, (void *)(uintptr_t)s);
    dlp_projection_apply(sph);
    dlp_parallel_for(sph->team, dlp_sph_point_count(sph), GRAIN, remember_push, sph);
    velocity_pass pass = {sph, (float)(1 / s->dt)};
    dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, add_answer, &pass);
}

// Velocities of the next step, without what keeps the density.
static void make_velocities(const solving *s, dlp_solve_report *divergence, double error)
{
    dlp_sph *sph = s->sph;
    const int32_t count = sph->state.particles.count;
    if (sph->params.solves_pressure && sph->params.projection.has_divergence) {
        *divergence = solve_divergence(s, error);
        dlp_parallel_for(sph->team, dlp_sph_point_count(sph), GRAIN, keep_kappa_rate, (void *)(uintptr_t)s);
    }
    dlp_parallel_for(sph->team, count, GRAIN, add_forces, (void *)(uintptr_t)s);
    if (!sph->params.solves_viscosity) return;
    if (sph->params.solves_pressure) push_ahead(s);
    const dlp_viscosity_report viscosity = dlp_viscosity_solve(sph, s->dt);
    sph->state.counts.viscosity_passes += viscosity.passes;
    sph->state.counts.capped += !viscosity.is_converged;
}

void dlp_sph_close_implicit(dlp_sph *sph, double next_interval)
{
    const dlp_sph_clock *clock = &sph->state.clock;
    const double elapsed = dlp_sph_clock_seconds(clock, clock->tick - clock->last_tick);
    const int32_t count = sph->state.particles.count, points = dlp_sph_point_count(sph);
    arrive(sph);
    dlp_sph_choose_steps(sph);
    const bool is_made =
        elapsed == 0 && sph->state.velocity_ahead > 0;  // the step before made the velocities
    if (count == 0) sph->state.velocity_ahead = 0;
    if (count == 0 || is_made) return;
    solving s = {.sph = sph, .dt = step_seconds(sph, next_interval)};
    s.kick = fmax(elapsed + 0.5 * s.dt - sph->state.velocity_ahead, 0);
    const double error = density_error(sph, s.dt);
    dlp_projection_prepare(sph);
    dlp_parallel_for(sph->team, count, GRAIN, take_velocity, sph);
    dlp_solve_report divergence = {0}, density = {.is_converged = true};
    make_velocities(&s, &divergence, error);
    if (sph->params.solves_pressure) {
        density = solve_density(&s, error);
        dlp_parallel_for(sph->team, points, GRAIN, keep_kappa, &s);
        dlp_parallel_for(sph->team, points, GRAIN, write_pressures, sph);
    }
    count_solves(sph, &divergence, &density);
    note_capped(sph, &density);
    dlp_parallel_for(sph->team, count, GRAIN, store_velocities, sph);
    sph->state.velocity_ahead = 0.5 * s.dt;
    dlp_sph_sum_loads(sph);
}
