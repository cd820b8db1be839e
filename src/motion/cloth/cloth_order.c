/* The order of a step in time. Backward Euler is of first order: what falls for a second falls h g t / 2 too
 * far, and what swings loses a factor of 1 + omega^2 h^2 / 2 per step. Where nothing but forces acts, a step
 * goes on from the last one by the backward difference of two steps, of second order and as stable where
 * cloth is stiff [gear1971]. With the length ratio w = h / h_last of the two steps,
 *     c = w^2 / (1 + 2 w),  r = (1 + w) / (1 + 2 w),
 *     x' = x + c (x - x_last) + r h v',  v' = v + c (v - v_last) + r h f(x') / m.
 * With the mean velocity of the step (x' - x) / h = u + R dp / m, its carried part
 * u = r (v + c (v - v_last)) + c (x - x_last) / h and R = r^2 this is the step that cloth_step.c solves, with
 * its matrix and its h: dp = h f - A (u + R dp / m), and momenta change by c of the last change and r dp.
 *
 * The last change is that by forces alone, so that neighbours' changes cancel in it as forces do. Contacts,
 * tears, restraint, attachments that catch or let go, steps that had to be cut: then a step is backward
 * Euler's, which knows no past. The first step without a past gives places h^2 g / 2 instead of h^2 g, so
 * that free fall is exact. */
#include "motion/cloth/cloth_contact_phases.h"

enum { GRAIN = 1024 };
// Steps that grow faster are no longer stable with what they carry: 1 + sqrt(2) is the limit.
#define GROWTH_LIMIT 1.5
// h^2 k / m: chains as stiff as 1e6 do not come to rest, with false tensions from rounded places.
#define STIFFNESS_LIMIT 1e4

// An obstacle or restraint holds it, or an attachment has caught it or let it go. Restrained cloth that hangs
// is to come to rest: its swings are better damped.
static bool is_held(const dlp_cloth *cloth, int32_t i)
{
    const bool is_pinned = cloth->scratch.motion.is_pinned[i] != 0;
    return cloth->contact.scratch.obstacles.constraints[i].directions != 0 ||
           cloth->scratch.freedom.gain[i] != 1 || is_pinned != (cloth->state.particles.was_pinned[i] != 0) ||
           (is_pinned && dlp_cloth_fabric_of(cloth, i)->is_restrained);
}

static void count_held(void *context, int32_t begin, int32_t end, void *result)
{
    int64_t *count = result;
    for (int32_t i = begin; i < end; i++) *count += is_held(context, i);
}

static bool is_too_stiff(const dlp_cloth *cloth, double step)
{
    double most = 0;
    for (int32_t k = 0; k < cloth->params.scene->substance_count; k++) {
        const dlp_fabric *f = &cloth->params.fabrics[k];
        const double spacing = cloth->params.spacing[k], stretch = fmax(f->stretch[0], f->stretch[1]);
        if (f->weight > 0) most = fmax(most, step * step * stretch / (f->weight * spacing * spacing));
    }
    return most > STIFFNESS_LIMIT;
}

static bool is_undisturbed(dlp_cloth *cloth, double step)
{
    const dlp_reduction reduction = {count_held, dlp_combine_sum_int64, cloth, sizeof(int64_t)};
    int64_t count = 0;
    if (cloth->params.is_first_order || cloth->params.is_paper_form ||
        cloth->contact.scratch.springs.count > 0 || cloth->state.clock.stride < DLP_CLOTH_STEP_TICKS ||
        step > 1.01 * DLP_CLOTH_LONGEST_STEP || is_too_stiff(cloth, step))
        return false;
    dlp_parallel_reduce(cloth->params.team, cloth->state.particles.count, GRAIN, &reduction, &count);
    return count == 0;
}

void dlp_cloth_drop_order(dlp_cloth *cloth)
{
    cloth->scratch.motion.order = (dlp_cloth_order){.share = 1};
}

void dlp_cloth_choose_order(dlp_cloth *cloth, double step)
{
    dlp_cloth_order *order = &cloth->scratch.motion.order;
    const double last = cloth->state.last_step, w = last > 0 ? step / last : 0;
    dlp_cloth_drop_order(cloth);
    if (!is_undisturbed(cloth, step)) return;
    order->is_first = last == 0;
    if (!(w > 0 && w <= GROWTH_LIMIT)) return;
    order->carry = w * w / (1 + 2 * w);
    order->share = (1 + w) / (1 + 2 * w);
}

dlp_vec3 dlp_cloth_carried_velocity(const dlp_cloth *cloth, int32_t i, dlp_vec3 v, double step)
{
    const dlp_cloth_order *order = &cloth->scratch.motion.order;
    const dlp_cloth_particles *p = &cloth->state.particles;
    if (order->is_first) return dlp_along(v, cloth->params.scene->gravity, -0.5 * step);
    if (order->carry == 0) return v;
    const dlp_vec3 then = dlp_along(v, dlp_cloth_get(p->last_change, i), order->carry);
    return dlp_along(dlp_mul(then, order->share), dlp_cloth_get(p->last_path, i), order->carry / step);
}

// What the solve did, and whether that is all that happened.
static void note_range(void *context, int32_t begin, int32_t end, void *result)
{
    dlp_cloth *cloth = context;
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    const dlp_cloth_particles *p = &cloth->state.particles;
    const dlp_vec3 *before = cloth->contact.scratch.obstacles.velocity_before;
    int64_t *disturbed = result;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 change = dlp_mul(dlp_cloth_get(motion->momentum_change, i), 1 / p->mass[i]);
        const dlp_vec3 v = dlp_cloth_get(p->velocity, i), solved = dlp_add(before[i], change);
        const double error = dlp_length(dlp_sub(v, solved));
        *disturbed += cloth->contact.state.obstacle_contact[i] > 0 || cloth->scratch.freedom.gain[i] != 1 ||
                      (!motion->is_pinned[i] && error > 1e-9 * (dlp_length(v) + dlp_length(change)));
        dlp_cloth_set(p->last_change, i, change);
        dlp_cloth_set(p->last_path, i,
                      dlp_sub(dlp_cloth_get(p->position, i), dlp_cloth_get(motion->start, i)));
    }
}

void dlp_cloth_note_order(dlp_cloth *cloth, double step)
{
    const dlp_reduction reduction = {note_range, dlp_combine_sum_int64, cloth, sizeof(int64_t)};
    int64_t disturbed = 0;
    dlp_parallel_reduce(cloth->params.team, cloth->state.particles.count, GRAIN, &reduction, &disturbed);
    const bool is_known = disturbed == 0 && cloth->contact.scratch.springs.count == 0;
    cloth->state.last_step = is_known ? step : DLP_CLOTH_DISTURBED;
}
