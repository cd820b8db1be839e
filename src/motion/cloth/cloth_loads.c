/* The load on bodies: the momentum that contacts and attachments took from the cloth in a step. Of a particle
 *     momentum after - momentum before = what the solve did + what contacts did after it,
 * and what the solve did has in it, or leaves out, contacts too; those are noted here, the others where they
 * act. */
#include "motion/cloth/cloth_contact_phases.h"

enum { GRAIN = 512 };  // a multiple of DLP_CLOTH_LOAD_BLOCK

typedef struct cloth_load_pass {
    dlp_cloth *cloth;
    const dlp_cloth_parts *parts;
} cloth_load_pass;

// N s: elastic forces, weight and air, which the solve does not count where a particle is at rest.
static dlp_vec3 resting_impulse(const dlp_cloth *cloth, int32_t i, double step)
{
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    const dlp_vec3 f = dlp_along(dlp_cloth_get(motion->force, i), dlp_cloth_outside(cloth, i, step),
                                 cloth->state.particles.mass[i]);
    return dlp_along(dlp_cloth_air_impulse(cloth, i, dlp_cloth_get(motion->effective, i), step), f, step);
}

static void note_particle(const cloth_load_pass *pass, int32_t i)
{
    dlp_cloth *cloth = pass->cloth;
    dlp_cloth_contact *contact = &cloth->contact;
    const dlp_cloth_obstacle_contacts *obstacles = &contact->scratch.obstacles;
    const dlp_contact_constraint *constraint = &obstacles->constraints[i];
    const bool at_rest = contact->state.at_rest[i] != 0, is_pinned = cloth->scratch.motion.is_pinned[i] != 0;
    const double mass = cloth->state.particles.mass[i];
    dlp_vec3 impulse = dlp_vec(0, 0, 0);  // of a body on the particle
    if (is_pinned) {
        const dlp_vec3 v = dlp_cloth_get(cloth->state.particles.velocity, i);
        impulse = dlp_mul(dlp_sub(v, obstacles->velocity_before[i]), mass);
        impulse = dlp_sub(impulse, dlp_cloth_get(cloth->scratch.motion.momentum_change, i));
    } else if (!at_rest) {
        impulse = dlp_mul(dlp_contact_constraint_friction(constraint), mass);
    }
    if (at_rest) impulse = dlp_sub(impulse, resting_impulse(cloth, i, pass->parts->step));
    if (is_pinned || at_rest || constraint->directions == 1)
        dlp_cloth_contact_note(contact, pass->parts, i, dlp_cloth_contact_supporter(contact, pass->parts, i),
                               impulse);
}

static void note_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t i = begin; i < end; i++) note_particle(context, i);
}

void dlp_cloth_note_solve(dlp_cloth *cloth, const dlp_cloth_parts *parts)
{
    cloth_load_pass pass = {cloth, parts};
    if (cloth->contact.params.body_count == 0) return;
    dlp_parallel_for(cloth->params.team, cloth->state.particles.count, GRAIN, note_range, &pass);
}

void dlp_cloth_sum_loads(dlp_cloth *cloth, double step)
{
    for (int32_t k = 0; k < cloth->contact.params.body_count; k++) {
        const dlp_cloth_body_sum sum =
            dlp_cloth_contact_body_sum(&cloth->contact, cloth->state.particles.count, k);
        dlp_body_load *load = &cloth->params.context.loads[k];
        load->force = dlp_mul(sum.impulse, 1 / step);
        load->torque = dlp_mul(sum.angular_impulse, 1 / step);
        load->impulse = dlp_add(load->impulse, sum.impulse);
        load->angular_impulse = dlp_add(load->angular_impulse, sum.angular_impulse);
    }
}
