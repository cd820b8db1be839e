/* How contacts enter the step: what a hold leaves of a velocity and of a mobility, and the phases of touch.h
 * around the solve. */
#ifndef DLP_MOTION_CLOTH_MEET_H
#define DLP_MOTION_CLOTH_MEET_H

#include "motion/cloth/solver.h"

/* The part of a velocity that a hold leaves free. */
static inline dlp_vec3 dlp_hold_free(const dlp_hold *hold, dlp_vec3 v)
{
    if (hold->directions == 0) return v;
    if (hold->directions == 3) return dlp_vec(0, 0, 0);
    return dlp_along(v, hold->normal, -dlp_dot(v, hold->normal));
}
/* The part of its motion that a hold prescribes. */
static inline dlp_vec3 dlp_hold_told(const dlp_hold *hold)
{
    if (hold->directions == 0) return dlp_vec(0, 0, 0);
    if (hold->directions == 3) return hold->velocity;
    return dlp_mul(hold->normal, dlp_dot(hold->velocity, hold->normal));
}
/* m/s: what friction takes of what slides. */
static inline dlp_vec3 dlp_hold_rub(const dlp_hold *hold)
{
    return hold->directions == 1 ? hold->rub : dlp_vec(0, 0, 0);
}
/* Mobility without the held direction, which is an eigenvector: r was made of free parts. */
static inline dlp_sym3 dlp_hold_mobility(const dlp_hold *hold, dlp_sym3 r)
{
    if (hold->directions == 0) return r;
    if (hold->directions == 3) return (dlp_sym3){0};
    const double along = dlp_dot(hold->normal, dlp_sym3_apply(r, hold->normal));
    return dlp_sym3_add(r, dlp_sym3_of(hold->normal, -along, 0));
}

dlp_status dlp_cloth_meet_init(dlp_cloth *cloth, dlp_error *error);
/* Room and what follows from the triangles: after dlp_cloth_connect. */
dlp_status dlp_cloth_meet_again(dlp_cloth *cloth, dlp_error *error);
void dlp_cloth_meet_release(dlp_cloth *cloth);

/* Before velocities are found: remembers where everything is and finds who is held. */
dlp_status dlp_cloth_meet_begin(dlp_cloth *cloth, double time, double step, dlp_error *error);
/* With velocities, before the elements: the air's forces. */
void dlp_cloth_meet_air(dlp_cloth *cloth, double time, double step);
/* Whether contacts ask for another solve of this step; then everything is back where it began. */
dlp_status dlp_cloth_meet_review(dlp_cloth *cloth, double time, double step, bool *out_again,
                                 dlp_error *error);
/* Once all have moved: what the world and the cloth itself answer. */
dlp_status dlp_cloth_meet_end(dlp_cloth *cloth, double time, double step, dlp_error *error);
/* N s: what the air does in a step to what moves with `u` when it begins. The matrix holds the air's damping
 * and takes off what it does at u, which the force already has. */
static inline dlp_vec3 dlp_cloth_air_kick(const dlp_cloth *cloth, int32_t i, dlp_vec3 u, double step)
{
    const double *d = cloth->touch.air_damping + 6 * (size_t)i;
    const dlp_sym3 damping = {d[0], d[1], d[2], d[3], d[4], d[5]};
    return dlp_mul(dlp_add(dlp_cloth_get(cloth->touch.air_force, i), dlp_sym3_apply(damping, u)), step);
}

/* Adds the cushions' part to a diagonal block. */
static inline void dlp_cloth_add_cushions(const dlp_cloth *cloth, int32_t i, double block[9])
{
    static const int PLACE[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const double *d = cloth->touch.cushion_diagonal + 6 * (size_t)i;
    for (int k = 0; k < 9; k++) block[k] += d[PLACE[k]];
}

#endif
