/* What solids compute anew: in every sub-step, or when somebody asks. No later sub-step reads it, but for
 * what says so. */
#ifndef DLP_MOTION_SOLID_SCRATCH_H
#define DLP_MOTION_SOLID_SCRATCH_H

#include "motion/solid/solid_arrays.h"
#include "motion/solid/solid.h"
#include "space/crossing.h"

/* A particle's record in the sweeps: where it was predicted, and what that and the sweeps leave out: floats
 * that are far from zero are too coarse for what a short step does. */
enum { DLP_SWEEP_NODE_SIZE = 8 };
typedef struct dlp_sweep_node {
    float base[3], unused; /* m */
    float delta[3];        /* m: the place is base + delta */
    float inverse_mass;    /* 1/kg; 0: held. From the sub-step before: dlp_solid_set_inverse_masses */
} dlp_sweep_node;

/* The fields of which a sub-step makes new ones; then the two change places, so that it can be undone. */
#define DLP_SOLID_MOVED_FIELDS(X)                                                                            \
    X(position, double, 3, DLP_PER_PARTICLE)                                                                 \
    X(velocity, double, 3, DLP_PER_PARTICLE)                                                                 \
    X(step_displacement, double, 3, DLP_PER_PARTICLE)                                                        \
    X(last_velocity, double, 3, DLP_PER_PARTICLE)                                                            \
    X(displacement, float, 3, DLP_PER_PARTICLE)                                                              \
    X(pressing, float, 1, DLP_PER_PARTICLE)                                                                  \
    X(contact_time, float, 1, DLP_PER_PARTICLE)
typedef struct dlp_solid_moved {
    DLP_SOLID_MOVED_FIELDS(DLP_SOLID_MEMBER)
} dlp_solid_moved;

/* Sums over a segment, and how a fragment is turned: solid_angular_momentum.c. */
enum { DLP_FRAGMENT_SUMS = 25 };
typedef struct dlp_segment_sums {
    double sums[DLP_FRAGMENT_SUMS];
    int32_t failed; /* its first particle that cannot move as the sweeps have it; -1: none */
} dlp_segment_sums;
typedef struct dlp_fragment_spin {
    double sums[DLP_FRAGMENT_SUMS];
    dlp_vec3 centre, omega; /* m, rad */
} dlp_fragment_spin;

/* How a torque speeds up what it acts on. */
typedef struct dlp_solid_torque_share {
    dlp_vec3 centre, rate; /* m, rad/s2 */
} dlp_solid_torque_share;

/* What solids did to a body in a sub-step: N s, and N m s about the world's origin. */
typedef struct dlp_solid_push {
    dlp_vec3 pressed, pressed_moment; /* tau times the force: the integrator goes on with the rest of it */
    dlp_vec3 struck, struck_moment;   /* impacts, of which nothing is left */
} dlp_solid_push;

/* How a blade's edge moves in a sub-step, and a box around that: solid_cut.c. */
typedef struct dlp_swept_blade {
    dlp_moving_segment edge;
    dlp_box box; /* m */
} dlp_swept_blade;

typedef struct dlp_solid_step_constants dlp_solid_step_constants; /* solid_sweep.h */

#define DLP_SOLID_SCRATCH_ARRAYS(X)                                                                          \
    /* what holds particles, and what pushes them: dlp_solid_hold, dlp_solid_sum_loads */                    \
    X(target_place, double, 3, DLP_PER_PARTICLE)              /* m: of what attachments hold */              \
    X(is_pinned, uint8_t, 1, DLP_PER_PARTICLE)                /* in this sub-step */                         \
    X(load_dv, double, 3, DLP_PER_DRIVEN)                     /* m/s: what loads add; 0 where none acts */   \
    X(torque_shares, dlp_solid_torque_share, 1, DLP_PER_LOAD) /* of loads with a torque */                   \
    /* the sweeps, and what they leave to mend */                                                            \
    X(nodes, dlp_sweep_node, 1, DLP_PER_NODE)                                                                \
    X(step_constants, dlp_solid_step_constants, 1, DLP_PER_SUBSTANCE)                                        \
    X(group_stiffening, float, 1, DLP_PER_GROUP) /* of the law over that at rest, the mean */                \
    X(segment_sums, dlp_segment_sums, 1, DLP_PER_SEGMENT)                                                    \
    X(fragment_spins, dlp_fragment_spin, 1, DLP_PER_FRAGMENT)                                                \
    /* what the sub-step began with and is not in `spare`: dlp_solid_keep_rotations */                       \
    X(begun_rotation, float, 4, DLP_PER_PARTICLE)                                                            \
    X(begun_plastic, float, 9, DLP_PER_PARTICLE) /* where anything can flow */                               \
    /* what bodies get */                                                                                    \
    X(tied_impulse, double, 3, DLP_PER_TIEABLE) /* N s: of inertia and stress on what is held */             \
    X(contact_pushes, dlp_solid_push, 1, DLP_PER_CONTACT_PUSH) /* by particles that touch them */            \
    X(tied_pushes, dlp_solid_push, 1, DLP_PER_TIED_PUSH)       /* by particles that are tied to them */      \
    /* cuts, and what others read */                                                                         \
    X(blades, dlp_swept_blade, 1, DLP_PER_BLADE) /* those that cut in this sub-step */                       \
    X(cutting, int32_t, 1, DLP_PER_BREAKABLE)    /* particles of which a link is swept or overstretched */   \
    X(cut, int32_t, 1, DLP_PER_BREAKABLE)        /* particles that lost a link, ascending */                 \
    X(is_cut, uint8_t, 1, DLP_PER_BREAKABLE)     /* likewise; 0 for all outside of dlp_solid_cut */          \
    X(strains, dlp_solid_strain, 1, DLP_PER_PARTICLE) /* of the present places while has_strains */

typedef struct dlp_solid_scratch {
    DLP_SOLID_SCRATCH_ARRAYS(DLP_SOLID_MEMBER)
    dlp_solid_moved spare;   /* dlp_solid_made and dlp_solid_begun say which of the two it is */
    bool is_spare_begun;     /* it is what the sub-step began with; else what it makes */
    double begun_stiffening; /* what the sub-step began with */
    bool has_strains;
    double contact_seconds; /* of wall clock spent on contacts since solids were made */
} dlp_solid_scratch;

static inline void dlp_sweep_node_set(dlp_sweep_node *node, dlp_vec3 x)
{
    const double place[3] = {x.x, x.y, x.z};
    for (int axis = 0; axis < 3; axis++) {
        volatile float base = (float)place[axis]; /* gcc 12 takes a float made of a double for that double */
        node->base[axis] = base;
        node->delta[axis] = (float)(place[axis] - (double)node->base[axis]);
    }
}
static inline void dlp_sweep_node_move(dlp_sweep_node *node, dlp_vec3 displacement)
{
    node->delta[0] += (float)displacement.x;
    node->delta[1] += (float)displacement.y;
    node->delta[2] += (float)displacement.z;
}
static inline dlp_vec3 dlp_sweep_node_position(const dlp_sweep_node *node)
{
    return dlp_vec((double)node->base[0] + (double)node->delta[0],
                   (double)node->base[1] + (double)node->delta[1],
                   (double)node->base[2] + (double)node->delta[2]);
}

/* A body got that from a particle at x. */
static inline void dlp_solid_push_add(dlp_solid_push *sum, dlp_vec3 x, dlp_vec3 pressed, dlp_vec3 struck)
{
    sum->pressed = dlp_add(sum->pressed, pressed);
    sum->pressed_moment = dlp_add(sum->pressed_moment, dlp_cross(x, pressed));
    sum->struck = dlp_add(sum->struck, struck);
    sum->struck_moment = dlp_add(sum->struck_moment, dlp_cross(x, struck));
}

#endif
