/* One step: implicit Euler on momenta, linearised, where slow particles are restrained.
 * [manteaux2013, sec. 4]
 *
 * Momentum p and effective momentum s(p) of all particles, mass m, mobility R = ds/dp: the step solves
 *     dp = h f(q + h (s + R dp) / m)   linearised:   (I + A R / m) dp = b,   b = h f - A s / m,
 * with A = h Gamma - h^2 K. Symmetrised with L = sqrt(R / m): (I + L A L) z = L b, dp = b - A L z. What is
 * restrained (R = 0) drops out, yet its momentum takes part. cloth_impulse.c makes s and b, cloth_freedom.c
 * R, cloth_motion.c solves and moves.
 *
 * What made the source's cloth unstable, and what is done about it:
 * - R of the paper forms has a negative eigenvalue late in the passage, where the matrix turns singular.
 * The convex form has none.
 * - With a gain of its own for each particle a stiff sheet gathers hidden momentum wherever gains differ. The
 *   passage is taken by regions with one gain (cloth_region.c).
 * - The mobility R of the step must not be below the gain of s, or b is more than the matrix can take back:
 * for a stiffness h^2 k / m a momentum is multiplied by 1 + h^2 k / m (R - gain). Here both are the region's
 * gain; what rests and is woken has no s, and R = 1.
 * - What is held next to what moves takes an explicit impulse, h^2 k / m times the neighbour's speed. Being
 * more mobile than it should only makes the step more like the plain one, which is stable. So after the solve
 * every particle that ends up faster than it was let move is set free together with its surroundings, and the
 * solve goes on from where it was; the third time all are free, and the step is the plain one. No step is
 * less stable than the plain solver's, and no hidden momentum is left that exceeds the passage.
 * - The plain step itself is linearised: what moves across a stiff thread, or pulls at it, by more than a
 * share of its length is stretched by it, and the next step meets a spike of energy. Such a step is repeated,
 * half as long. */
#include "motion/cloth/cloth_contact_phases.h"
#include "motion/cloth/cloth_host.h"
#include "motion/cloth/cloth_tear.h"

enum { GRAIN = 512, REVIEW_LIMIT = 6 };
// Steps as short as this may lengthen threads as they will: ticks
#define GROWTH_STRIDE 8

typedef struct cloth_step_pass {
    dlp_cloth *cloth;
    double step;  // s
} cloth_step_pass;

// Trying.

static dlp_status apply_conditions(dlp_cloth *cloth, double time, double step, dlp_error *error)
{
    dlp_cloth_set_fabrics(cloth);
    const dlp_attachment_view held = dlp_cloth_attachment_view(cloth);
    dlp_attachments_set_targets(cloth->params.scene, cloth->params.bodies, &held, time, time + step);
    return dlp_cloth_reserve_paper_form(cloth, error);
}

// How all would move under the present constraints. False where it fails, and then nothing has moved.
static bool solve_motion(dlp_cloth *cloth, double step, int32_t *out_failed)
{
    dlp_cloth_find_velocities(cloth, step);
    dlp_cloth_find_impulses(cloth, step);
    dlp_cloth_find_free(cloth, step);
    if (cloth->scratch.freedom.count > 0) {
        if (!dlp_cloth_solve_free(cloth, out_failed)) return false;
        if (cloth->state.clock.stride > GROWTH_STRIDE && dlp_cloth_is_overstretched(cloth, step))
            return false;
    }
    dlp_cloth_move(cloth, step);
    return true;
}

// *out_solved false: the motion cannot be solved in one such step, and nothing has moved.
static dlp_status try_step(dlp_cloth *cloth, double time, double step, bool *out_solved, int32_t *out_failed,
                           dlp_error *error)
{
    bool is_open = true;
    *out_failed = 0;
    DLP_TRY(apply_conditions(cloth, time, step, error));
    DLP_TRY(dlp_cloth_begin_contacts(cloth, time, step, error));
    dlp_cloth_find_regions(cloth, step);
    dlp_cloth_choose_order(cloth, step);
    dlp_cloth_find_velocities(cloth, step);
    if (dlp_cloth_is_carried(cloth) && dlp_cloth_is_prediction_far(cloth, step)) {
        dlp_cloth_drop_order(cloth);
        dlp_cloth_find_velocities(cloth, step);
    }
    dlp_cloth_update_air(cloth, time, step);
    dlp_cloth_update_elements(cloth, step);
    dlp_cloth_find_host_forces(cloth, time);
    for (int32_t review = 0; is_open; review++) {
        *out_solved = solve_motion(cloth, step, out_failed);
        if (!*out_solved || review == REVIEW_LIMIT) return DLP_OK;
        DLP_TRY(dlp_cloth_review_contacts(cloth, time, step, &is_open, error));
        if (!is_open || !dlp_cloth_is_carried(cloth)) continue;
        dlp_cloth_drop_order(cloth);
        cloth->scratch.terms.built_step = 0;
        dlp_cloth_update_elements(cloth, step);
    }
    return DLP_OK;
}

// The step's end.

// Momentum that is not felt fades: dp/dt = -(1 - gain) p / decay_time. The active feel nothing of it.
static dlp_vec3 decay_momentum(const dlp_cloth *cloth, int32_t i, dlp_vec3 v, double step)
{
    const double gain = cloth->scratch.freedom.gain[i], time = dlp_cloth_fabric_of(cloth, i)->decay_time;
    cloth->state.particles.state[i] = gain >= 1 ? 0 : cloth->scratch.freedom.is_free[i] ? 1 : 2;
    return gain < 1 && time > 0 ? dlp_mul(v, exp(-(1 - gain) * step / time)) : v;
}

// Once contacts have had their say: how far it went, and whether it is at rest.
static void note_particle(const cloth_step_pass *pass, int32_t i)
{
    dlp_cloth *cloth = pass->cloth;
    dlp_cloth_particles *p = &cloth->state.particles;
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    const dlp_vec3 v = dlp_cloth_get(p->velocity, i);
    const dlp_vec3 displacement = dlp_sub(dlp_cloth_get(p->position, i), dlp_cloth_get(motion->start, i));
    float *moved = p->displacement + 3 * (size_t)i;
    p->is_moved[i] = displacement.x != 0 || displacement.y != 0 || displacement.z != 0;
    if (dlp_cloth_is_carried(cloth) && motion->is_moving[i]) p->is_moved[i] = 1;  // its elements were ahead
    moved[0] += (float)displacement.x;
    moved[1] += (float)displacement.y;
    moved[2] += (float)displacement.z;
    if (motion->is_pinned[i])
        p->state[i] = !p->is_moved[i] && dlp_cloth_fabric_of(cloth, i)->is_restrained ? 2 : 0;
    else if (cloth->contact.state.at_rest[i])
        p->state[i] = 2;
    else
        dlp_cloth_set(p->velocity, i, decay_momentum(cloth, i, v, pass->step));
}

static void note_motion(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t i = begin; i < end; i++) note_particle(context, i);
}

// What has moved meets obstacles and other cloth, and tears.
static dlp_status finish_step(dlp_cloth *cloth, double time, double step, dlp_error *error)
{
    cloth_step_pass pass = {cloth, step};
    DLP_TRY(dlp_cloth_resolve_contacts(cloth, time, step, error));
    dlp_cloth_note_order(cloth, step);
    dlp_parallel_for(cloth->params.team, cloth->state.particles.count, GRAIN, note_motion, &pass);
    return dlp_cloth_tear(cloth, error);
}

static dlp_status explain(const dlp_cloth *cloth, int32_t i, double time, dlp_error *error)
{
    const dlp_cloth_particles *p = &cloth->state.particles;
    assert(i >= 0 && i < p->count);
    return dlp_fail(
        error, DLP_DIVERGED,
        "time %.6g s: %s: particle %lld: its motion cannot be solved however small the step; look "
        "at what pulls it (an attachment's key frames, an obstacle), or lower `cloth.stretch`",
        time, cloth->params.scene->substances[p->substance[i]].name, (long long)p->id[i]);
}

// The clock.

// A length whose last bits do not depend on where in time the frame lies, so that what was built for one
// serves the next.
static double rounded(double seconds)
{
    return ldexp(round(ldexp(seconds, 40)), -40);
}

static void check_clock(const dlp_cloth_clock *clock)
{
    (void)clock;
    assert(clock->stride >= 1 && clock->stride <= DLP_CLOTH_STEP_TICKS);
    assert((clock->stride & (clock->stride - 1)) == 0 && clock->tick % clock->stride == 0);
    assert(clock->tick >= 0 && clock->tick < DLP_CLOTH_STEP_TICKS && clock->step >= 0);
}

static void count_step(dlp_cloth *cloth, double step)
{
    dlp_cloth_counts *c = &cloth->state.counts;
    c->substeps++;
    c->force_evaluations += cloth->scratch.freedom.count;
    c->full_evaluations += cloth->state.particles.count;
    c->dt_min = fmin(c->dt_min, step);
    c->dt_max = fmax(c->dt_max, step);
    dlp_cloth_clock *clock = &cloth->state.clock;
    clock->tick += clock->stride;
    if (clock->stride < DLP_CLOTH_STEP_TICKS && clock->tick % (2 * clock->stride) == 0) clock->stride *= 2;
    if (clock->tick < DLP_CLOTH_STEP_TICKS) return;
    clock->tick = 0;
    clock->step++;
}

// What is left of an interval that was cut short, or a share of a whole step.
static double step_length(const dlp_cloth *cloth, double time)
{
    const dlp_cloth_clock *clock = &cloth->state.clock;
    const dlp_clock *world = cloth->params.context.clock;
    const double whole = (clock->end - clock->start) / clock->step_count;
    const double step = rounded(whole * clock->stride / DLP_CLOTH_STEP_TICKS);
    if (!clock->is_cut) return step;
    const double left = dlp_clock_time(world, world->end_tick) - time;
    return left < step ? left : step;
}

// A step that fails is repeated, half as long, and if that never helps, explained.
dlp_status dlp_cloth_step(dlp_cloth *cloth, bool *out_is_done, dlp_error *error)
{
    const double time = dlp_cloth_time(cloth), step = step_length(cloth, time);
    int32_t failed;
    check_clock(&cloth->state.clock);
    *out_is_done = true;
    if (!(step > 0)) return DLP_OK;  // cut to nothing
    DLP_TRY(try_step(cloth, time, step, out_is_done, &failed, error));
    if (*out_is_done) {
        count_step(cloth, step);
        return finish_step(cloth, time, step, error);
    }
    if (cloth->state.clock.stride == 1) return explain(cloth, failed, time, error);
    cloth->state.clock.stride /= 2;
    cloth->state.last_step = DLP_CLOTH_DISTURBED;
    return DLP_OK;
}
