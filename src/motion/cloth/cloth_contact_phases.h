/* How contacts enter the step: what a constraint leaves of a velocity and of a mobility, and the phases of
 * cloth_contact.h around the solve. */
#ifndef DLP_MOTION_CLOTH_CONTACT_PHASES_H
#define DLP_MOTION_CLOTH_CONTACT_PHASES_H

#include "motion/cloth/cloth_solver.h"
#include "scene/body_force.h"

/* Within a step a constraint is known. */
static inline bool dlp_contact_constraint_is_known(const dlp_contact_constraint *constraint)
{
    return constraint->directions == 0 || constraint->directions == 1 || constraint->directions == 3;
}
/* The part of a velocity that a constraint leaves free. */
static inline dlp_vec3 dlp_contact_constraint_free(const dlp_contact_constraint *constraint, dlp_vec3 v)
{
    assert(dlp_contact_constraint_is_known(constraint));
    if (constraint->directions == 0) return v;
    if (constraint->directions == 3) return dlp_vec(0, 0, 0);
    return dlp_along(v, constraint->normal, -dlp_dot(v, constraint->normal));
}
/* The part of its motion that a constraint prescribes. */
static inline dlp_vec3 dlp_contact_constraint_prescribed(const dlp_contact_constraint *constraint)
{
    assert(dlp_contact_constraint_is_known(constraint));
    if (constraint->directions == 0) return dlp_vec(0, 0, 0);
    if (constraint->directions == 3) return constraint->velocity;
    return dlp_mul(constraint->normal, dlp_dot(constraint->velocity, constraint->normal));
}
/* m/s: what friction takes of what slides. */
static inline dlp_vec3 dlp_contact_constraint_friction(const dlp_contact_constraint *constraint)
{
    assert(dlp_contact_constraint_is_known(constraint));
    return constraint->directions == 1 ? constraint->friction : dlp_vec(0, 0, 0);
}
/* Mobility without the constrained direction, which is an eigenvector: r was made of free parts. */
static inline dlp_sym3 dlp_contact_constraint_mobility(const dlp_contact_constraint *constraint, dlp_sym3 r)
{
    assert(dlp_contact_constraint_is_known(constraint));
    if (constraint->directions == 0) return r;
    if (constraint->directions == 3) return (dlp_sym3){0};
    const double along = dlp_dot(constraint->normal, dlp_sym3_apply(r, constraint->normal));
    return dlp_sym3_add(r, dlp_sym3_of(constraint->normal, -along, 0));
}

dlp_status dlp_cloth_init_contacts(dlp_cloth *cloth, dlp_error *error);
/* Room and what follows from the triangles: after dlp_cloth_connect. */
dlp_status dlp_cloth_rebuild_contacts(dlp_cloth *cloth, dlp_error *error);
/* ... and what follows from the rest of the state: after a load. */
void dlp_cloth_restore_air(dlp_cloth *cloth);

/* Before velocities are found: remembers where everything is and finds who is constrained. */
dlp_status dlp_cloth_begin_contacts(dlp_cloth *cloth, double time, double step, dlp_error *error);
/* With velocities, before the elements: the air's forces. */
void dlp_cloth_update_air(dlp_cloth *cloth, double time, double step);
/* Whether contacts ask for another solve of this step; then everything is back where it began. */
dlp_status dlp_cloth_review_contacts(dlp_cloth *cloth, double time, double step, bool *out_again,
                                     dlp_error *error);
/* Once all have moved: what the world and the cloth itself answer. */
dlp_status dlp_cloth_resolve_contacts(dlp_cloth *cloth, double time, double step, dlp_error *error);
/* cloth_loads.c: notes what contacts and attachments did within the solve; then adds a step's loads to the
 * bodies'. */
void dlp_cloth_note_solve(dlp_cloth *cloth, const dlp_cloth_parts *parts);
void dlp_cloth_sum_loads(dlp_cloth *cloth, double step);
/* Gravity and what acts beside it, m/s2: where the particle is halfway through the step. */
static inline dlp_vec3 dlp_cloth_outside(const dlp_cloth *cloth, int32_t i, double step)
{
    const dlp_cloth_particles *p = &cloth->state.particles;
    if (cloth->params.scene->force_count == 0) return cloth->params.scene->gravity;
    const dlp_vec3 middle =
        dlp_along(dlp_cloth_get(p->position, i), dlp_cloth_get(p->velocity, i), 0.5 * step);
    return dlp_body_acceleration(cloth->params.scene, p->substance[i], middle);
}

/* N s: what the air does in a step to what moves with `u` when it begins. The matrix holds the air's damping
 * and takes off what it does at u, which the force already has. */
static inline dlp_vec3 dlp_cloth_air_impulse(const dlp_cloth *cloth, int32_t i, dlp_vec3 u, double step)
{
    const dlp_cloth_air *air = &cloth->contact.scratch.air;
    const double *d = air->damping + 6 * (size_t)i;
    const dlp_sym3 damping = {d[0], d[1], d[2], d[3], d[4], d[5]};
    return dlp_mul(dlp_add(dlp_cloth_get(air->force, i), dlp_sym3_apply(damping, u)), step);
}

/* Adds the contact springs' part to a diagonal block. */
static inline void dlp_cloth_add_contact_springs(const dlp_cloth *cloth, int32_t i, double block[9])
{
    static const int PLACE[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const double *d = cloth->contact.scratch.springs.diagonal + 6 * (size_t)i;
    for (int k = 0; k < 9; k++) block[k] += d[PLACE[k]];
}

#endif
