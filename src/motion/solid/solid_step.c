/* A sub-step: where inertia takes the particles, the sweeps that give their stress its say, contacts, and the
 * velocity that follows. Time goes by the second-order backward formula (BDF2), which keeps spin; a first
 * sub-step, and all where the scene says so, by backward Euler. With w = dt / (the dt before),
 *     y = x + beta (x - x_before) + tau v*,  v* = v + beta (v - v_before),
 *     x_new = y + tau^2 f(x_new) / m,        v_new = (x_new - x - beta (x - x_before)) / tau,
 * beta = w^2 / (1 + 2 w), tau = dt - beta (the dt before) = dt (1 + w) / (1 + 2 w): 1/3 and 2/3 dt for equal
 * steps, 0 and dt for Euler.
 * What acts from outside adds dt a to v and to v_before, so that a sudden change of it has no echo. */
#include "base/wall_clock.h"
#include "motion/solid/solid_sweep.h"
#include "motion/solid/solid_contact.h"
#include "motion/solid/solid_host.h"
#include "motion/solid/solid_invariants.h"
#include "scene/body_force.h"

enum { GRAIN = 512, PREDICT_GRAIN = DLP_FORCE_BUFFER, HOLD_GRAIN = 4096 };

// Beyond 1 + sqrt 2 growing steps would make the formula unstable. Where w is kept smaller than it is, tau
// makes up for it: what moves evenly still does, and what lies is still held by its weight.
#define RATIO_LIMIT 2.0

// Inertia.

// Beside gravity, by place: where the particle is halfway through the sub-step, which keeps the second order.
static void add_body_forces(const dlp_solid_pass *pass, int32_t begin, int32_t end, dlp_vec3 *dv)
{
    const dlp_scene_def *scene = pass->solid->params.scene;
    const dlp_solid_particles *p = &pass->solid->state.particles;
    for (int32_t i = begin; scene->force_count > 0 && i < end; i++) {
        const dlp_vec3 middle =
            dlp_along(dlp_solid_get(p->position, i), dlp_solid_get(p->velocity, i), 0.5 * pass->step);
        const dlp_vec3 a = dlp_body_acceleration(scene, p->substance[i], middle);
        dv[i - begin] = dlp_along(dv[i - begin], dlp_sub(a, pass->gravity), pass->step);
    }
}

// What acts from outside on particles begin..end-1 in the sub-step: m/s.
static void find_outside(const dlp_solid_pass *pass, int32_t begin, int32_t end, dlp_vec3 *out_dv)
{
    const double *load_dv = pass->solid->scratch.load_dv;
    const dlp_vec3 weight = dlp_mul(pass->gravity, pass->step);
    for (int32_t i = begin; i < end; i++)
        out_dv[i - begin] = load_dv != NULL ? dlp_add(weight, dlp_solid_get(load_dv, i)) : weight;
    add_body_forces(pass, begin, end, out_dv);
    dlp_solid_add_host_forces(pass, begin, end, out_dv);
}

static void predict_particle(const dlp_solid_pass *pass, int32_t i, dlp_vec3 dv)
{
    dlp_solid *solid = pass->solid;
    const dlp_solid_particles *p = &solid->state.particles;
    const dlp_vec3 v = dlp_add(dlp_solid_get(p->velocity, i), dv);
    const dlp_vec3 before = dlp_add(dlp_solid_get(p->last_velocity, i), dv);
    const dlp_substance_def *def = &solid->params.scene->substances[p->substance[i]];
    const dlp_vec3 free = dlp_along(v, dlp_sub(v, before), pass->beta);
    const dlp_vec3 damped = dlp_mul(free, dlp_solid_drag(&def->solid, pass->tau));
    dlp_vec3 y = dlp_solid_get(p->position, i);
    y = dlp_along(dlp_along(y, dlp_solid_get(p->step_displacement, i), pass->beta), damped, pass->tau);
    if (solid->scratch.is_pinned[i]) {
        y = dlp_solid_get(solid->scratch.target_place, i);
        if (solid->scratch.tied_impulse != NULL)
            dlp_solid_set(solid->scratch.tied_impulse, i, dlp_mul(free, p->mass[i]));
    }
    dlp_solid_set(dlp_solid_made(solid)->last_velocity, i, v);
    dlp_sweep_node_set(&solid->scratch.nodes[i], y);
}

static void predict_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    dlp_vec3 dv[PREDICT_GRAIN];
    assert(end - begin <= PREDICT_GRAIN);
    dlp_solid_keep_rotations(pass->solid, begin, end);
    find_outside(pass, begin, end, dv);
    for (int32_t i = begin; i < end; i++) predict_particle(pass, i, dv[i - begin]);
}

static void set_masses(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_solid *solid = context;
    int64_t *changed = result;
    for (int32_t i = begin; i < end; i++) {
        const float inverse = solid->scratch.is_pinned[i] ? 0 : (float)(1 / solid->state.particles.mass[i]);
        *changed += solid->scratch.nodes[i].inverse_mass != inverse;
        solid->scratch.nodes[i].inverse_mass = inverse;
    }
}

// Held ones are as heavy as the world.
bool dlp_solid_set_inverse_masses(dlp_solid *solid)
{
    int64_t changed = 0;
    const dlp_reduction setting = {set_masses, dlp_combine_sum_int64, solid, sizeof changed};
    dlp_parallel_reduce(solid->params.team, solid->state.particles.count, GRAIN, &setting, &changed);
    return changed > 0;
}

static void finish_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_solid_pass *pass = context;
    dlp_solid *solid = pass->solid;
    const dlp_solid_particles *p = &solid->state.particles;
    const dlp_solid_moved *made = dlp_solid_made(solid);
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 x = dlp_sweep_node_position(&solid->scratch.nodes[i]),
                       v = dlp_solid_new_velocity(pass, i, x);
        const dlp_vec3 step_displacement = dlp_sub(x, dlp_solid_get(p->position, i));
        dlp_solid_set(made->velocity, i, v);
        dlp_solid_set(made->step_displacement, i, step_displacement);
        dlp_solid_set(made->position, i, x);
        const float *before = p->displacement + 3 * (int64_t)i;
        float *displacement = made->displacement + 3 * (int64_t)i;
        displacement[0] = before[0] + (float)step_displacement.x;
        displacement[1] = before[1] + (float)step_displacement.y;
        displacement[2] = before[2] + (float)step_displacement.z;
        made->pressing[i] = p->pressing[i];
        made->contact_time[i] = fmaxf(p->contact_time[i] - (float)pass->step, 0);  // as if nothing touched
    }
}

// The sub-step.

// From one time to another.
typedef struct hold_pass {
    const dlp_solid *solid;
    double before, time; /* s */
} hold_pass;

static void hold_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const hold_pass *pass = context;
    const dlp_solid_params *params = &pass->solid->params;
    const dlp_attachment_view some = dlp_solid_held(pass->solid, begin, end);
    dlp_attachments_set_targets(params->scene, params->bodies, &some, pass->before, pass->time);
}

void dlp_solid_hold(dlp_solid *solid, double before, double time)
{
    if (solid->params.scene->attachment_count == 0) return;
    hold_pass pass = {solid, before, time};
    dlp_parallel_for(solid->params.team, solid->state.particles.count, HOLD_GRAIN, hold_range, &pass);
}

static dlp_solid_pass pass_of(dlp_solid *solid, double step)
{
    const bool is_euler = solid->state.last_step == 0 || solid->params.is_euler;
    const double ratio = is_euler ? 0 : fmin(step / solid->state.last_step, RATIO_LIMIT);
    const double beta = ratio * ratio / (1 + 2 * ratio);
    return (dlp_solid_pass){.solid = solid,
                            .step = step,
                            .beta = beta,
                            .tau = step - beta * solid->state.last_step,
                            .gravity = solid->params.scene->gravity};
}

static dlp_vec3 swept_velocity(const dlp_solid_pass *pass, int32_t i)
{
    return dlp_solid_new_velocity(pass, i, dlp_sweep_node_position(&pass->solid->scratch.nodes[i]));
}

// Solves the contacts, and finds the velocities that follow from the places in between.
static dlp_status solve_contacts(dlp_solid_pass *pass, dlp_error *error)
{
    dlp_solid *solid = pass->solid;
    double start = dlp_seconds_now();
    DLP_TRY(dlp_solid_contact_bodies(pass, error));
    solid->scratch.contact_seconds += dlp_seconds_now() - start;
    dlp_parallel_for(solid->params.team, solid->state.particles.count, GRAIN, finish_range, pass);
    dlp_solid_exchange(solid);
    start = dlp_seconds_now();
    dlp_solid_contact_obstacles(pass);
    dlp_solid_contact_solve_velocities(pass);
    solid->scratch.contact_seconds += dlp_seconds_now() - start;
    return DLP_OK;
}

static void count_step(dlp_solid *solid, double step)
{
    solid->scratch.has_strains = false;
    solid->state.last_step = step;
    solid->state.counts.substeps++;
    solid->state.counts.dt_min = fmin(solid->state.counts.dt_min, step);
    solid->state.counts.dt_max = fmax(solid->state.counts.dt_max, step);
    dlp_solid_clock *clock = &solid->state.clock;
    clock->tick += clock->stride;
    if (clock->stride < DLP_SOLID_STEP_TICKS && clock->tick % (2 * clock->stride) == 0) clock->stride *= 2;
    if (clock->tick < DLP_SOLID_STEP_TICKS) return;
    assert(clock->tick == DLP_SOLID_STEP_TICKS);
    clock->tick = 0;
    clock->step++;
}

dlp_status dlp_solid_step(dlp_solid *solid, double step, bool *out_is_done, dlp_error *error)
{
    const double time = dlp_solid_time(solid);
    dlp_solid_pass pass = pass_of(solid, step);
    *out_is_done = false;
    assert(step > 0 && pass.tau > 0 && pass.beta >= 0 && dlp_solid_is_clock_valid(&solid->state.clock));
    dlp_solid_hold(solid, time, time + step);
    if (dlp_solid_set_inverse_masses(solid)) dlp_solid_set_constraint_masses(solid);
    dlp_solid_sum_loads(solid, time, step);
    DLP_TRY(dlp_solid_contact_place_obstacles(&pass, time, error));
    dlp_solid_begin_step(solid);
    dlp_parallel_for(solid->params.team, solid->state.particles.count, PREDICT_GRAIN, predict_range, &pass);
    DLP_TRY(dlp_solid_sweep_all(&pass, error));
    dlp_solid_yield(solid, step);
    int32_t failed = dlp_solid_keep_angular_momentum(&pass);
    if (failed >= 0) return dlp_solid_try_again(&pass, failed, swept_velocity(&pass, failed), error);
    DLP_TRY(solve_contacts(&pass, error));
    failed = dlp_solid_find_failure(solid);
    if (failed >= 0)
        return dlp_solid_try_again(&pass, failed, dlp_solid_get(solid->state.particles.velocity, failed),
                                   error);
    *out_is_done = true;
    dlp_solid_note_body_loads(&pass);
    DLP_TRY(dlp_solid_cut(solid, time, time + step, error));
    count_step(solid, step);
    return DLP_OK;
}
