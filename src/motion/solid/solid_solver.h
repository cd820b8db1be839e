/* The solver of solids from the inside: what its files share. */
#ifndef DLP_MOTION_SOLID_SOLVER_H
#define DLP_MOTION_SOLID_SOLVER_H

#include "base/memory.h"
#include "base/parallel.h"
#include "base/target.h"
#include "base/wide.h"
#include "motion/attachments.h"
#include "motion/solid/solid.h"

/* Constants of one substance with `model: solid`. */
typedef struct dlp_solid_material {
    double spacing, volume, mass; /* m, m3, kg: of a particle */
    double mu, lambda, young;     /* Pa */
    double support;               /* m: radius of the rest neighbourhood */
    double link_reach;            /* m: that links may have after cuts */
    double hourglass;
    bool is_irregular; /* quadratic basis */
} dlp_solid_material;

/* A particle's record in the sweeps: where it was predicted, and what that and the sweeps leave out: floats
 * that are far from zero are too coarse for what a short step does. */
enum { DLP_SWEEP_NODE_SIZE = 8 };
typedef struct dlp_sweep_node {
    float base[3], unused; /* m */
    float delta[3];        /* m: the place is base + rest */
    float inverse_mass;    /* 1/kg; 0: held */
} dlp_sweep_node;

/* A rest neighbour of each of eight particles: F = sum (x_j - x_i) b_j^T. Where a lane has no more, its own
 * particle with b = 0 and an offset at which the hourglass weight is 0. */
typedef struct dlp_solid_link {
    int32_t particle[DLP_LANES];
    float b[3][DLP_LANES];      /* 1/m */
    float offset[3][DLP_LANES]; /* m: X_j - X_i */
} dlp_solid_link;

/* Constraints of eight blocks that share no particle, solved at once: each of a particle and its links, or of
 * a tetrahedron, its first corner and the links to the others. A lane without one has a node of its own that
 * is held. Symmetric matrices: xx yy zz xy xz yz. */
typedef struct dlp_solid_row {
    int32_t particle[DLP_LANES];
    int32_t own[DLP_LANES];  /* whose rotation and plastic strain it has: the particle's, the tetrahedron's */
    float volume[DLP_LANES]; /* m3 at rest */
    float missing[6][DLP_LANES]; /* projector onto the directions in which there are no neighbours */
    float spread[6][DLP_LANES];  /* M = sum w b b^T, 1/(kg m2) */
    float reach[DLP_LANES];      /* m2: square of the support */
    float weight[DLP_LANES];     /* 1/m6: the hourglass weight is weight (reach - offset^2)^2 */
    float stress[9][DLP_LANES];  /* J: the multiplier, -dt^2 V P; by rows */
    int32_t first_link, link_count;
    bool has_missing; /* in any lane */
    bool has_tied;    /* likewise: a held particle, where some are tied to bodies */
} dlp_solid_row;

/* Rows of eight blocks: solved one after the other, by one thread. */
typedef struct dlp_solid_group {
    int32_t first_row, row_count;
    int32_t substance;
} dlp_solid_group;

#define DLP_STIFFENING_MAX 25 /* a crushed body over what it is at rest, at most */
enum { DLP_COLORS = 8, DLP_STENCIL_LIMIT = 64, DLP_FRAGMENT_SUMS = 25 };

/* The order of the sweeps: groups by colour. */
typedef struct dlp_constraint_coloring {
    dlp_solid_row *rows;
    dlp_solid_link *links;
    float (*springs)[3][DLP_LANES]; /* kg m: hourglass multipliers, one a link */
    dlp_solid_group *groups;
    int32_t row_count, link_count, group_count;
    int32_t row_capacity, link_capacity, group_capacity;
    int32_t color_begin[DLP_COLORS + 1]; /* in groups */
} dlp_constraint_coloring;

/* A run of particles of one fragment, and how a fragment is turned: solid_angular_momentum.c. */
typedef struct dlp_solid_segment {
    int32_t fragment, begin, end;
    int32_t failed; /* as of a block, after the sweeps */
} dlp_solid_segment;
typedef struct dlp_fragment_spin {
    double sums[DLP_FRAGMENT_SUMS];
    dlp_vec3 centre, omega; /* m, rad */
} dlp_fragment_spin;

/* A particle on which a load of the scene acts. */
typedef struct dlp_loaded {
    int32_t particle, load;
    dlp_vec3 area; /* m2 at rest, outward; 0 inside */
} dlp_loaded;

/* Rest neighbours of every particle: slots begin[i] .. begin[i + 1] - 1. Where a link was cut, the slot has
 * another neighbour or -1. */
typedef struct dlp_rest_links {
    int32_t *begin;
    int32_t *neighbour; /* now */
    int32_t *first;     /* before any cut */
    int32_t count;
} dlp_rest_links;

/* What solids did to a body in a sub-step: N s, and N m s about the world's origin. */
typedef struct dlp_solid_push {
    dlp_vec3 pressed, pressed_moment; /* tau times the force: the integrator goes on with the rest of it */
    dlp_vec3 struck, struck_moment;   /* impacts, of which nothing is left */
} dlp_solid_push;

/* What later sub-steps make of that: solid_body_loads.c. */
typedef struct dlp_solid_echo {
    dlp_vec3 impulse, moment;
} dlp_solid_echo;

typedef struct dlp_body_pushes {
    dlp_solid_echo *echoes; /* state: one a body */
    dlp_solid_push *sums;   /* one a body, of each block of particles, then of each block of tied ones */
    int32_t *tied;          /* particles that attachments tie to bodies, ascending */
    int32_t tied_count;
    double *tied_impulse; /* N s, 3 a particle: of inertia and stress on what is held; NULL: none is tied */
} dlp_body_pushes;

/* The tick of the inner clock: a sub-step is so many of them, fewer where it must be repeated shorter. */
enum { DLP_SOLID_STEP_TICKS = 1024 };
typedef struct dlp_solid_clock {
    double start, end;  /* s: the interval */
    int32_t step_count; /* equal sub-steps it is cut into */
    int32_t step;       /* done */
    int32_t tick;       /* done of the present one: 0 .. DLP_SOLID_STEP_TICKS - 1 */
    int32_t stride;     /* ticks of the next: a power of two */
} dlp_solid_clock;

/* The fields of which a sub-step makes new ones; then the two change places, so that it can be undone. */
#define DLP_SOLID_MOVED_FIELDS(X)                                                                            \
    X(position, double, 3)                                                                                   \
    X(velocity, double, 3)                                                                                   \
    X(step_displacement, double, 3)                                                                          \
    X(last_velocity, double, 3)                                                                              \
    X(displacement, float, 3)
typedef struct dlp_solid_spare {
#define X(name, type, components) type *name;
    DLP_SOLID_MOVED_FIELDS(X)
#undef X
    bool is_old;               /* they are what the sub-step began with; else what it makes */
    float *rotation, *plastic; /* copies of what the sub-step began with */
    double stiffening;         /* likewise */
} dlp_solid_spare;

typedef struct dlp_solid_counts { /* of this frame */
    int64_t substeps, solves;
    double dt_min, dt_max;
} dlp_solid_counts;

/* Other constraints in the place of the particles' own in the sweeps, such as the tetrahedra that validation/
 * compares particles with. No checkpoint holds them. */
typedef struct dlp_solid_mesh {
    int32_t constraint_count;
    float *rotations,
        *plastic; /* state: as of particles, one per constraint; after them those of empty lanes */
    dlp_constraint_coloring coloring;
} dlp_solid_mesh;

typedef struct dlp_solid_step_constants dlp_solid_step_constants;
typedef struct dlp_solid_contact dlp_solid_contact;

struct dlp_solid {
    dlp_solver_context context; /* of the world; what follows are shorter names of parts of it */
    const dlp_scene_def *scene; /* as it is at the present tick */
    const dlp_body *bodies;     /* likewise */
    dlp_team *team;
    dlp_target target;
    dlp_solid_material *materials; /* one a substance of the scene */

    /* state */
    dlp_solid_particles particles;
    dlp_rest_links rest_links;
    int32_t body_count; /* copies while they are made; then what hangs together at rest */
    double last_step;   /* s: the sub-step before; 0: none */
    double stiffening;  /* of the stiffest region over what it is at rest, in that sub-step; 0: none yet */
    int64_t next_id;
    dlp_solid_clock clock;
    dlp_solid_counts counts;
    dlp_body_pushes pushes;

    /* follows from the state */
    dlp_constraint_coloring coloring;
    dlp_solid_mesh *mesh; /* borrowed; NULL: the particles' own constraints are solved */
    int32_t *fragment;    /* of each particle: what hangs together now */
    int32_t fragment_count;
    dlp_solid_segment *segments;
    int32_t segment_count, segment_capacity;
    dlp_loaded *loaded;
    int32_t loaded_count, loaded_capacity;
    double *load_mass; /* kg: of all particles of a load */

    /* scratch */
    dlp_sweep_node *nodes; /* one a particle, and one a group for lanes without a particle */
    int32_t node_capacity;
    float *group_stiffening;
    int32_t stiffening_capacity;
    double *load_dv; /* m/s, 3 each: what loads add in this sub-step; NULL where there are none */
    double *segment_sums;
    dlp_fragment_spin *fragment_spins;
    double *target_place;                     /* m, 3 each: of what attachments hold */
    uint8_t *is_pinned;                       /* in this sub-step */
    dlp_solid_step_constants *step_constants; /* one a substance of the scene */
    double *spacings;                         /* m, likewise */
    uint8_t *is_cut;                          /* it lost a link in this sub-step */
    dlp_solid_spare spare;                    /* solid_retry.c */
    dlp_solid_contact *contact;               /* what it meets: solid_contact.h */
    bool may_break;                           /* there are blades, or substances that break */
    dlp_solid_strain *strains;                /* as they are while has_strains */
    bool has_strains;
    bool is_euler;          /* backward Euler throughout */
    double contact_seconds; /* of wall clock spent on contacts since it was made */
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

/* solid_fill.c: fills the shape of a substance, copy by copy. */
dlp_status dlp_solid_fill(dlp_solid *solid, int32_t substance, dlp_error *error);
dlp_status dlp_solid_reserve(dlp_solid *solid, int32_t count, dlp_error *error);
/* Bodies that start smaller than they are at rest. */
dlp_status dlp_solid_squeeze(dlp_solid *solid, dlp_error *error);

/* solid_prune_fill.c: takes particles out of a fill that would dangle or fall off; the total volume stays. */
dlp_status dlp_solid_prune_fill(const dlp_solid *solid, int32_t substance, const dlp_shape *shape,
                                dlp_fill *fill, dlp_error *error);

/* solid_rest_links.c: who is whose neighbour at rest. */
dlp_status dlp_solid_find_links(dlp_solid *solid, dlp_error *error);
/* Numbers the fragments that hang together, in the order of their first particles; returns how many. */
int32_t dlp_solid_number_fragments(const dlp_solid *solid, int32_t *out_fragment, int32_t *parent);

/* solid_stencil.c: the coefficients b and weights of particle i from its links that are not cut. */
typedef struct dlp_stencil {
    int32_t centre, count;
    double volume; /* m3 */
    int32_t neighbour[DLP_STENCIL_LIMIT];
    dlp_vec3 offset[DLP_STENCIL_LIMIT], b[DLP_STENCIL_LIMIT];
    double missing[6]; /* projector onto directions without neighbours */
    double reach;      /* m2 */
    double weight;     /* 1/m6 */
} dlp_stencil;
void dlp_solid_stencil(const dlp_solid *solid, int32_t i, dlp_stencil *out_stencil);

/* solid_constraint_coloring.c: rows, groups and colours of constraints from the rest shape. */
typedef struct dlp_constraint_info { /* a constraint as the order sees it */
    int32_t particle;                /* of whose body and substance it is */
    int32_t link_count;
    dlp_vec3 at; /* m: at rest */
    double edge; /* m: of blocks of which every other one shares no particle */
} dlp_constraint_info;
typedef struct dlp_constraints { /* what is ordered */
    int32_t count;
    dlp_constraint_info (*info)(const dlp_solid *solid, int32_t constraint);
    void (*stencil)(const dlp_solid *solid, int32_t constraint, dlp_stencil *out_stencil);
} dlp_constraints;
dlp_status dlp_constraint_coloring_make(dlp_solid *solid, const dlp_constraints *constraints,
                                        dlp_constraint_coloring *coloring, dlp_error *error);
void dlp_constraint_coloring_release(dlp_constraint_coloring *coloring);
/* The particles' own; again after a cut. */
dlp_status dlp_solid_color_constraints(dlp_solid *solid, dlp_error *error);
/* Fills the lanes of particles that lost a link anew. */
void dlp_solid_refill_rows(dlp_solid *solid);
/* solid_constraint_mass.c: the parts of the rows that depend on masses. */
void dlp_solid_set_constraint_masses(dlp_solid *solid);
void dlp_solid_set_row_mass(const dlp_solid *solid, const dlp_constraint_coloring *coloring,
                            dlp_solid_row *row);

/* What the sweeps solve. */
static inline dlp_constraint_coloring *dlp_solid_active_coloring(dlp_solid *solid)
{
    return solid->mesh != NULL ? &solid->mesh->coloring : &solid->coloring;
}
static inline int32_t dlp_solid_constraint_count(const dlp_solid *solid)
{
    return solid->mesh != NULL ? solid->mesh->constraint_count : solid->particles.count;
}

/* solid_loads.c: who is loaded, and what that does to velocities in a sub-step that begins at `time`. */
dlp_status dlp_solid_find_loads(dlp_solid *solid, dlp_error *error);
void dlp_solid_sum_loads(dlp_solid *solid, double time, double step);

/* solid_cut.c: what blades sweep between two moments, and what is stretched too far. */
dlp_status dlp_solid_cut(dlp_solid *solid, double before, double after, dlp_error *error);
/* Whether a cut runs between two that were near one another at rest: they are not linked, and one is beyond a
 * link that the other has lost. */
bool dlp_solid_is_severed(const dlp_solid *solid, int32_t i, int32_t j);

/* solid_sweep.c: all sweeps of a sub-step whose effective length is `step`. */
void dlp_solid_sweep_all(dlp_solid *solid, double step);

/* What is strained beyond its yield flows for `step` s. */
void dlp_solid_yield(dlp_solid *solid, double step);

/* What the loops over particles of a sub-step know. */
typedef struct dlp_solid_pass {
    dlp_solid *solid;
    double step, beta, tau; /* s, 1, s: of the integrator: solid_step.c */
    dlp_vec3 gravity;
} dlp_solid_pass;

/* What damping leaves of all that changes places in a sub-step: m (v_new - v*) / tau = f - m damping v_new,
 * so that v_new = drag (v* + tau f / m), and what rests stays where its forces hold it. */
static inline double dlp_solid_drag(const dlp_solid_def *def, double tau)
{
    return 1 / (1 + def->damping * tau);
}

/* v of a particle with what acts from outside, as the sweeps begin: its last velocity when they are done. */
static inline dlp_vec3 dlp_solid_start_velocity(const dlp_solid *solid, int32_t i)
{
    return dlp_solid_get(solid->spare.last_velocity, i);
}

/* v_new of a particle that went to x. */
static inline dlp_vec3 dlp_solid_new_velocity(const dlp_solid_pass *pass, int32_t i, dlp_vec3 x)
{
    const dlp_solid_particles *p = &pass->solid->particles;
    const dlp_vec3 displacement = dlp_sub(x, dlp_solid_get(p->position, i));
    return dlp_mul(dlp_sub(displacement, dlp_mul(dlp_solid_get(p->step_displacement, i), pass->beta)),
                   1 / pass->tau);
}

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

/* solid_queries.c: its particles as attachments see them. */
dlp_attachment_view dlp_solid_held(const dlp_solid *solid);

/* solid_rest_links.c: what hangs together now, and its runs. solid_angular_momentum.c */
dlp_status dlp_solid_find_fragments(dlp_solid *solid, dlp_error *error);
dlp_status dlp_solid_find_segments(dlp_solid *solid, dlp_error *error);
/* Returns a particle that the sweeps have moved as nothing can move; -1: none. */
int32_t dlp_solid_keep_angular_momentum(dlp_solid_pass *pass);

/* solid_body_loads.c: who is tied to bodies; then, at the end of a sub-step, what it did to bodies. */
dlp_status dlp_solid_find_tied(dlp_solid *solid, dlp_error *error);
void dlp_solid_note_body_loads(dlp_solid_pass *pass);

/* A body got that from a particle at x. */
static inline void dlp_solid_push_add(dlp_solid_push *sum, dlp_vec3 x, dlp_vec3 pressed, dlp_vec3 struck)
{
    sum->pressed = dlp_add(sum->pressed, pressed);
    sum->pressed_moment = dlp_add(sum->pressed_moment, dlp_cross(x, pressed));
    sum->struck = dlp_add(sum->struck, struck);
    sum->struck_moment = dlp_add(sum->struck_moment, dlp_cross(x, struck));
}

/* solid_retry.c: a sub-step begins; of particles begin..end-1 it is kept what they have no spare of. */
dlp_status dlp_solid_reserve_spare(dlp_solid *solid, dlp_error *error);
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
           (solid->is_pinned[particle] && isfinite(square));
}
/* The first whose motion or strain is none that a solid can have; -1: none. */
int32_t dlp_solid_find_failure(dlp_solid *solid);
/* All are where the sub-step began, in which the particle got that velocity. The next is shorter; where it
 * cannot be, the failure is explained. */
dlp_status dlp_solid_try_again(dlp_solid_pass *pass, int32_t failed, dlp_vec3 velocity, dlp_error *error);

/* solid_step.c: inverse masses of the nodes, 0 where pinned; whether one changed. */
bool dlp_solid_set_inverse_masses(dlp_solid *solid);

#endif
