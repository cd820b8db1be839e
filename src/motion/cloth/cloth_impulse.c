/* How all move as the step begins, and b = h f - A s / m: what the step does to momenta before anything gives
 * way.  [manteaux2013, sec. 4] */
#include "motion/cloth/cloth_contact_phases.h"

#include <string.h>

enum { GRAIN = 512 };

typedef struct impulse_pass {
    dlp_cloth *cloth;
    double step;  // s
} impulse_pass;

// Effective velocities.

// Attachments and what a contact constrains move as prescribed, others by their region's gain.
static dlp_vec3 velocity_now(const dlp_cloth *cloth, int32_t i, double step)
{
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    const dlp_cloth_particles *p = &cloth->state.particles;
    if (motion->is_pinned[i]) {
        const dlp_vec3 displacement =
            dlp_sub(dlp_cloth_get(motion->target_place, i), dlp_cloth_get(p->position, i));
        return dlp_mul(displacement, 1 / step);
    }
    const dlp_contact_constraint *constraint = &cloth->contact.scratch.obstacles.constraints[i];
    if (constraint->directions == 0 && cloth->scratch.freedom.gain[i] == 1)
        return dlp_cloth_carried_velocity(cloth, i, dlp_cloth_get(p->velocity, i), step);
    const dlp_vec3 v = dlp_contact_constraint_free(constraint, dlp_cloth_get(p->velocity, i));
    return dlp_along(dlp_contact_constraint_prescribed(constraint), v, cloth->scratch.freedom.gain[i]);
}

static void set_velocities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const impulse_pass *pass = context;
    const dlp_cloth_motion *motion = &pass->cloth->scratch.motion;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 v = velocity_now(pass->cloth, i, pass->step);
        dlp_cloth_set(motion->effective, i, v);
        dlp_quad_set(motion->effective_quad, i, v);
        motion->is_moving[i] = v.x != 0 || v.y != 0 || v.z != 0;
        dlp_cloth_set(motion->predicted, i,
                      dlp_along(dlp_cloth_get(pass->cloth->state.particles.position, i), v, pass->step));
    }
}

void dlp_cloth_find_velocities(dlp_cloth *cloth, double step)
{
    impulse_pass pass = {cloth, step};
    dlp_parallel_for(cloth->params.team, cloth->state.particles.count, GRAIN, set_velocities, &pass);
}

// Who is near.

static int32_t select_flagged(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const uint8_t *flags = context;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (!flags[i]) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

int32_t dlp_cloth_list_flagged(const dlp_cloth *cloth, const uint8_t *flags, int32_t *out_list)
{
    return dlp_parallel_compact(cloth->params.team, cloth->state.particles.count, GRAIN, select_flagged,
                                (void *)(uintptr_t)flags, out_list);
}

typedef struct near_pass {
    const dlp_cloth *cloth;
    const uint8_t *is_marked;
} near_pass;

static void set_near(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const near_pass *pass = context;
    const dlp_cloth_matrix *m = &pass->cloth->connectivity.matrix;
    for (int32_t i = begin; i < end; i++) {
        bool is_near = pass->cloth->contact.scratch.springs.has_spring[i];
        for (int32_t k = m->begin[i]; k < m->begin[i + 1] && !is_near; k++)
            is_near = pass->is_marked[m->column[k]];
        pass->cloth->scratch.motion.is_near[i] = is_near;
    }
}

void dlp_cloth_find_near(dlp_cloth *cloth, const uint8_t *is_marked)
{
    near_pass pass = {cloth, is_marked};
    dlp_cloth_motion *motion = &cloth->scratch.motion;
    const int32_t count = cloth->state.particles.count;
    if (cloth->contact.scratch.springs.count == 0 && memchr(is_marked, 1, (size_t)count) == NULL) {
        dlp_parallel_set(cloth->params.team, motion->is_near, 0, (size_t)count);
        motion->near_count = 0;
        return;
    }
    dlp_parallel_for(cloth->params.team, count, GRAIN, set_near, &pass);
    motion->near_count = dlp_cloth_list_flagged(cloth, motion->is_near, motion->near_list);
}

// Impulses.

// h f and friction. What is at rest gives all of it to its contacts.
static dlp_vec3 force_impulse(const dlp_cloth *cloth, int32_t i, double step)
{
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    const double mass = cloth->state.particles.mass[i];
    if (cloth->contact.state.at_rest[i]) return dlp_vec(0, 0, 0);
    dlp_vec3 f = dlp_along(dlp_cloth_get(motion->force, i), dlp_cloth_outside(cloth, i, step), mass);
    if (motion->has_host_force) f = dlp_add(f, dlp_cloth_get(motion->host_force, i));
    const dlp_vec3 u = dlp_cloth_get(motion->effective, i);
    if (dlp_cloth_is_carried(cloth)) {  // with what damps it; nothing holds it
        f = dlp_along(f, u, -dlp_cloth_fabric_of(cloth, i)->damping * mass);
        return dlp_mul(dlp_add(f, dlp_cloth_get(cloth->contact.scratch.air.force, i)), step);
    }
    const dlp_vec3 air = dlp_cloth_air_impulse(cloth, i, u, step);
    const dlp_vec3 friction =
        dlp_mul(dlp_contact_constraint_friction(&cloth->contact.scratch.obstacles.constraints[i]), mass);
    return dlp_add(dlp_along(air, f, step), friction);
}

static void sum_forces(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const impulse_pass *pass = context;
    double *impulse = pass->cloth->scratch.motion.impulse;
    for (int32_t i = begin; i < end; i++)
        dlp_cloth_set(impulse, i, force_impulse(pass->cloth, i, pass->step));
}

static void subtract_drag(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_cloth_motion *motion = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = motion->near_list[k];
        const dlp_vec3 drag = dlp_quad_get(motion->effective_drag, i);
        dlp_cloth_set(motion->impulse, i, dlp_sub(dlp_cloth_get(motion->impulse, i), drag));
    }
}

// One after another, since several may act on one particle.
static void add_springs(dlp_cloth *cloth, double step)
{
    const dlp_cloth_springs *springs = &cloth->contact.scratch.springs;
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    for (int32_t k = 0; k < springs->count; k++) {
        const dlp_contact_spring *c = &springs->items[k];
        const dlp_vec3 drag =
            dlp_contact_spring_drag(c, dlp_contact_spring_relative_velocity(c, motion->effective, 3));
        dlp_contact_spring_apply(c, dlp_sub(dlp_contact_spring_push(c, step), drag), motion->impulse, 3);
    }
}

void dlp_cloth_find_impulses(dlp_cloth *cloth, double step)
{
    impulse_pass pass = {cloth, step};
    const dlp_cloth_params *params = &cloth->params;
    dlp_cloth_motion *motion = &cloth->scratch.motion;
    dlp_parallel_for(params->team, cloth->state.particles.count, GRAIN, sum_forces, &pass);
    if (dlp_cloth_is_carried(cloth)) return;
    dlp_cloth_find_near(cloth, motion->is_moving);
    const dlp_cloth_product product = {&cloth->connectivity.matrix, motion->near_list, motion->near_count,
                                       motion->effective_quad, motion->effective_drag};
    dlp_cloth_multiply(&product, params->team, params->target);
    dlp_parallel_for(params->team, motion->near_count, GRAIN, subtract_drag, motion);
    add_springs(cloth, step);
}
