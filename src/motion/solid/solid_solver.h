/* The solver of solids from the inside: what its files share. */
#ifndef DLP_MOTION_SOLID_SOLVER_H
#define DLP_MOTION_SOLID_SOLVER_H

#include "base/parallel.h"
#include "base/target.h"
#include "motion/attachments.h"
#include "motion/solid/solid_arrays.h"
#include "motion/solid/solid_params.h"
#include "motion/solid/solid_scratch.h"
#include "motion/solid/solid_state.h"
#include "motion/solid/solid_topology.h"

#include <assert.h>

#define DLP_STIFFENING_MAX 25 /* a crushed body over what it is at rest, at most */

/* What an array of solids has one item for. */
typedef enum dlp_solid_per {
    DLP_PER_SUBSTANCE, /* of the scene */
    DLP_PER_BODY,      /* likewise: its obstacles */
    DLP_PER_LOAD,      /* likewise */
    DLP_PER_BLADE,     /* likewise */
    DLP_PER_PARTICLE,  /* and after them the groups of the colouring, whose empty lanes have a rotation */
    DLP_PER_LINK,      /* rest neighbours of all particles */
    DLP_PER_NODE,      /* particles, and after them the groups of a colouring */
    DLP_PER_GROUP,     /* of a colouring */
    DLP_PER_FRAGMENT,
    DLP_PER_SEGMENT,
    DLP_PER_LOADED,       /* particles on which loads act, once per load */
    DLP_PER_DRIVEN,       /* all particles where a load acts on any, else none: NULL */
    DLP_PER_TIED,         /* particles that are tied to bodies */
    DLP_PER_TIEABLE,      /* all particles where any is tied, else none: NULL */
    DLP_PER_BREAKABLE,    /* all particles where anything can break, else none: NULL */
    DLP_PER_CONTACT_PUSH, /* bodies, for each block of particles */
    DLP_PER_TIED_PUSH,    /* bodies, for each block of tied particles */
    DLP_PER_COUNT
} dlp_solid_per;

typedef struct dlp_solid_contact dlp_solid_contact;

struct dlp_solid {
    dlp_solid_params params;         /* constant during a sub-step */
    dlp_solid_state state;           /* what a checkpoint holds */
    dlp_solid_topology topology;     /* follows from the scene and the state */
    dlp_solid_scratch scratch;       /* rebuilt */
    dlp_solid_contact *contact;      /* what it meets: solid_contact.h */
    int32_t capacity[DLP_PER_COUNT]; /* items that the arrays have room for */
};

static inline dlp_vec3 dlp_solid_get(const double *array, int32_t i)
{
    const double *a = array + 3 * (size_t)i;
    return dlp_vec(a[0], a[1], a[2]);
}
static inline void dlp_solid_set(double *array, int32_t i, dlp_vec3 v)
{
    double *a = array + 3 * (size_t)i;
    a[0] = v.x;
    a[1] = v.y;
    a[2] = v.z;
}

static inline dlp_rest_links dlp_solid_links(const dlp_solid *solid)
{
    return (dlp_rest_links){.begin = solid->topology.link_begin,
                            .neighbour = solid->state.neighbour,
                            .first = solid->topology.first_neighbour,
                            .count = solid->topology.link_count};
}

/* What the sweeps solve. */
static inline dlp_constraint_coloring *dlp_solid_active_coloring(dlp_solid *solid)
{
    return solid->topology.mesh != NULL ? &solid->topology.mesh->coloring : &solid->topology.coloring;
}
static inline int32_t dlp_solid_constraint_count(const dlp_solid *solid)
{
    return solid->topology.mesh != NULL ? solid->topology.mesh->constraint_count
                                        : solid->state.particles.count;
}

/* solid_memory.c: room for `count` items in all arrays of solids that have one per `per`. */
dlp_status dlp_solid_reserve(dlp_solid *solid, dlp_solid_per per, int32_t count, dlp_error *error);
/* Frees all arrays of solids. */
void dlp_solid_release(dlp_solid *solid);

/* solid_clamp.c: m3: of a particle at rest, without what lies in an attachment that holds now. */
double dlp_solid_rest_volume(const dlp_solid *solid, int32_t i);
/* solid_queries.c: particles begin..end-1 as attachments see them. */
dlp_attachment_view dlp_solid_held(const dlp_solid *solid, int32_t begin, int32_t end);

/* The sub-step. */

/* What the loops over particles of a sub-step know. */
typedef struct dlp_solid_pass {
    dlp_solid *solid;
    double step, beta, tau; /* s, 1, s: of the integrator: solid_step.c */
    dlp_vec3 gravity;
} dlp_solid_pass;

/* I omega = t, for a symmetric I by rows. */
static inline dlp_vec3 dlp_solid_solve(const dlp_vec3 rows[3], dlp_vec3 t)
{
    const dlp_vec3 a = dlp_cross(rows[1], rows[2]), b = dlp_cross(rows[2], rows[0]),
                   c = dlp_cross(rows[0], rows[1]);
    const double det = dlp_dot(rows[0], a);
    return dlp_mul(dlp_vec(dlp_dot(a, t), dlp_dot(b, t), dlp_dot(c, t)), det > 0 ? 1 / det : 0);
}

/* What damping leaves of all that changes places in a sub-step: m (v_new - v*) / tau = f - m damping v_new,
 * so that v_new = drag (v* + tau f / m), and what rests stays where its forces hold it. */
static inline double dlp_solid_drag(const dlp_solid_def *def, double tau)
{
    return 1 / (1 + def->damping * tau);
}

/* What the sub-step makes, until dlp_solid_exchange puts it in the place of what it began with. */
static inline const dlp_solid_moved *dlp_solid_made(const dlp_solid *solid)
{
    assert(!solid->scratch.is_spare_begun);
    return &solid->scratch.spare;
}
/* What it began with, from then on. */
static inline const dlp_solid_moved *dlp_solid_begun(const dlp_solid *solid)
{
    assert(solid->scratch.is_spare_begun);
    return &solid->scratch.spare;
}

/* v of a particle with what acts from outside, as the sweeps begin: its last velocity when they are done. */
static inline dlp_vec3 dlp_solid_start_velocity(const dlp_solid *solid, int32_t i)
{
    return dlp_solid_get(dlp_solid_made(solid)->last_velocity, i);
}

/* v_new of a particle that went to x. */
static inline dlp_vec3 dlp_solid_new_velocity(const dlp_solid_pass *pass, int32_t i, dlp_vec3 x)
{
    const dlp_solid_particles *p = &pass->solid->state.particles;
    const dlp_vec3 displacement = dlp_sub(x, dlp_solid_get(p->position, i));
    return dlp_mul(dlp_sub(displacement, dlp_mul(dlp_solid_get(p->step_displacement, i), pass->beta)),
                   1 / pass->tau);
}

/* solid_step.c: who is pinned at `time`, the end of a step that began `before`, and where. */
void dlp_solid_hold(dlp_solid *solid, double before, double time);
/* Inverse masses of the nodes, 0 where pinned; whether one changed. */
bool dlp_solid_set_inverse_masses(dlp_solid *solid);

/* solid_loads.c: what loads do to velocities in a sub-step that begins at `time`. */
void dlp_solid_sum_loads(dlp_solid *solid, double time, double step);

/* solid_sweep.c: all sweeps of a sub-step. */
dlp_status dlp_solid_sweep_all(const dlp_solid_pass *pass, dlp_error *error);
/* What is strained beyond its yield flows for `step` s. */
void dlp_solid_yield(dlp_solid *solid, double step);

/* solid_angular_momentum.c: returns a particle that the sweeps have moved as nothing can move; -1: none. */
int32_t dlp_solid_keep_angular_momentum(dlp_solid_pass *pass);

/* solid_body_loads.c: at the end of a sub-step, what it did to bodies. */
void dlp_solid_note_body_loads(dlp_solid_pass *pass);

/* solid_cut.c: what blades sweep between two moments, and what is stretched too far. */
dlp_status dlp_solid_cut(dlp_solid *solid, double before, double after, dlp_error *error);
/* Whether a cut runs between two that were near one another at rest: they are not linked, and one is beyond a
 * link that the other has lost. */
bool dlp_solid_is_severed(const dlp_solid *solid, int32_t i, int32_t j);

/* solid_retry.c: a sub-step begins; of particles begin..end-1 it is kept what they have no spare of. */
void dlp_solid_begin_step(dlp_solid *solid);
void dlp_solid_keep_rotations(dlp_solid *solid, int32_t begin, int32_t end);
/* The new fields are made: they and the old ones change places. */
void dlp_solid_exchange(dlp_solid *solid);
/* Whether a particle can move like that: no solid is as fast as this, m/s, unless it is held and moved. */
#define DLP_SOLID_SPEED_LIMIT 1e5
static inline bool dlp_solid_can_move(const dlp_solid *solid, int32_t particle, dlp_vec3 velocity)
{
    const double square = dlp_dot(velocity, velocity);
    return square <= DLP_SOLID_SPEED_LIMIT * DLP_SOLID_SPEED_LIMIT ||
           (solid->scratch.is_pinned[particle] && isfinite(square));
}
/* The first whose motion or strain is none that a solid can have; -1: none. */
int32_t dlp_solid_find_failure(dlp_solid *solid);
/* All are where the sub-step began, in which the particle got that velocity. The next is shorter; where it
 * cannot be, the failure is explained. */
dlp_status dlp_solid_try_again(dlp_solid_pass *pass, int32_t failed, dlp_vec3 velocity, dlp_error *error);

#endif
