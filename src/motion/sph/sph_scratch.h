/* Scratch of the smoothed particles: what is rebuilt, and follows from the state and the parameters. A module
 * below declares its arrays once, in a list X(name, type, components, when); allocation and release
 * (sph_scratch.c) follow from it. */
#ifndef DLP_MOTION_SPH_SPH_SCRATCH_H
#define DLP_MOTION_SPH_SPH_SCRATCH_H

#include "motion/host_force.h"
#include "motion/samples.h"
#include "motion/sph/particles.h"
#include "motion/sph/sph_params.h"
#include "space/sort.h"

enum {
    DLP_KICK_BLOCK = 256,  /* due particles that are kicked in a row */
    DLP_LANES_PADDING = 16 /* readable items past the end of what is read eight at a time */
};

#define DLP_FIELD_POINTER(name, type, components, when) type *name;

/* Points are what lists hold: the particles, after them the wall points, and after these one that is far from
 * everything and pads the lists. */
#define DLP_POINT_FIELDS(X)                                                                                  \
    X(packed, float, DLP_PACKED_SIZE, DLP_STORE_ALWAYS) /* what the pair loops read: dlp_sph_predict */      \
    X(reach, float, 1, DLP_STORE_MIXED)                 /* m: its support with its margin */                 \
    X(near_thin, uint8_t, 1, DLP_STORE_THIN)            /* a thin obstacle may hide others from it */        \
    X(heat, float, DLP_HEAT_SIZE, DLP_STORE_HEAT)       /* what the heat loops read beside `packed` */
typedef struct dlp_sph_points {
    DLP_POINT_FIELDS(DLP_FIELD_POINTER)
    int32_t capacity;
} dlp_sph_points;

/* Who is evaluated at this step. */
#define DLP_SELECTION_FIELDS(X)                                                                              \
    X(due, int32_t, 1, DLP_STORE_ALWAYS)           /* the particles that end a step now, ascending */        \
    X(stamp, uint8_t, 1, DLP_STORE_PARTIAL)        /* the step it was predicted for, modulo 255 */           \
    X(work_flags, uint8_t, 1, DLP_STORE_RESTRAINT) /* what the step has to do with it: sph_restraint.c */
typedef struct dlp_selection {
    DLP_SELECTION_FIELDS(DLP_FIELD_POINTER)
    int32_t due_count;
    int32_t density_count;  /* due particles whose density was summed */
    uint8_t stamp_now;      /* 1 .. 255 */
    bool is_sparse;         /* only marked particles are evaluated at this step */
    bool are_all_predicted; /* their packed-records are those of this step */
} dlp_selection;

/* A number of each due particle that one phase of a step hands to the next. No two of its meanings are needed
 * at a time, so they share four bytes; dlp_sums.holds says which one there is. */
typedef union dlp_handover {
    float density_sum;   /* sum of V0 W, itself included */
    float approach;      /* m/s: the largest |mu_ij| */
    float dt_limit;      /* s: the step that it may make */
    int32_t chosen_step; /* ticks: the step that it makes */
} dlp_handover;
typedef enum dlp_handover_kind {
    DLP_HOLDS_NOTHING,
    DLP_HOLDS_DENSITY_SUMS, /* from dlp_sph_sum_kernel on */
    DLP_HOLDS_APPROACHES,   /* from dlp_sph_sum_forces on */
    DLP_HOLDS_DT_LIMITS,    /* from dlp_sph_kick on */
    DLP_HOLDS_CHOSEN_STEPS  /* from dlp_sph_wake_neighbours on */
} dlp_handover_kind;

/* What sums over neighbours leave for a particle. */
#define DLP_SUM_FIELDS(X)                                                                                    \
    X(force, float, 3, DLP_STORE_ALWAYS) /* N */                                                             \
    X(handover, dlp_handover, 1, DLP_STORE_ALWAYS)                                                           \
    X(heat_flow, float, DLP_FLOW_SIZE, DLP_STORE_HEAT)
typedef struct dlp_sums {
    DLP_SUM_FIELDS(DLP_FIELD_POINTER)
    dlp_handover_kind holds; /* what `handover` is of the particles that were summed last */
} dlp_sums;

/* Who is near whom. */
#define DLP_NEIGHBOUR_FIELDS(X)                                                                              \
    X(clearance, float, 1, DLP_STORE_ALWAYS) /* m: lower bound of the distance from obstacles when listed */ \
    X(fine_clearance, float, 1, DLP_STORE_SPACE) /* m: ... from those near which it must be the finest */
typedef struct dlp_neighbourhood {
    DLP_NEIGHBOUR_FIELDS(DLP_FIELD_POINTER)
    dlp_layer layers[DLP_LAYER_LIMIT + DLP_WALL_LEVELS]; /* of particles by size, then of the walls */
    int32_t layer_count, particle_layer_count;
    dlp_cell middle;             /* of the window of cells, in cells of layer 0: cell_window.c */
    bool has_warned;             /* of particles outside of it */
    dlp_lists lists, wall_lists; /* neighbours of particles, and of wall points */
    dlp_sorter sorter;
    int32_t drift;   /* units: no particle is farther from where it was sorted, along any axis */
    bool are_stale;  /* the lists are built anew before anything is summed again */
    bool lists_hold; /* they name particles by their places in the store; new ones at its end have none */
} dlp_neighbourhood;

/* What the solver knows of the samples near it besides what the store holds; rebuilt with the lists. */
#define DLP_WALL_FIELDS(X)                                                                                   \
    X(share, float, 1, DLP_STORE_ALWAYS)       /* of its volume, outside of obstacles named earlier */       \
    X(sum, float, 1, DLP_STORE_ALWAYS)         /* dlp_pair_work */                                           \
    X(sum_at_rest, float, 1, DLP_STORE_ALWAYS) /* likewise */                                                \
    X(index, int32_t, 1, DLP_STORE_ALWAYS)     /* those that a loop goes through, as points */               \
    X(is_marked, uint8_t, 1, DLP_STORE_ALWAYS) /* has a neighbour that is due */
typedef struct dlp_walls {
    DLP_WALL_FIELDS(DLP_FIELD_POINTER)
    int32_t capacity;
    dlp_samples samples;                /* of bodies, near the substance */
    int32_t level_end[DLP_WALL_LEVELS]; /* samples stand level after level, by cell in each */
    uint8_t *is_near;                   /* a point of the set that is being gathered: to particles */
    int32_t near_capacity;
    dlp_transform *transforms; /* of the bodies when the lists were built */
    bool *has_moved;           /* of each body, since the last step; adapt.restraint */
    int32_t have_left;         /* a sample has moved too far for the lists; set by any thread */
    bool are_summed;           /* all samples, since the lists were built */
    bool are_packed;           /* all samples, since the lists were built or the scene was changed */
} dlp_walls;

/* What contacts took from particles and gave to a body. */
typedef struct dlp_contact_sum {
    dlp_vec3 impulse, angular_impulse; /* N s, N m s about the pivot */
} dlp_contact_sum;
typedef struct dlp_contact_sums {
    dlp_contact_sum *sums; /* one per body and block of due particles: kick.c */
    int32_t capacity;
} dlp_contact_sums;

/* Splitting and merging; adapt.space. */
#define DLP_ADAPT_FIELDS(X)                                                                                  \
    X(plan, int8_t, 1, DLP_STORE_SPACE)         /* DLP_PLAN_ */                                              \
    X(next_depth, float, 1, DLP_STORE_SPACE)    /* m */                                                      \
    X(owner, int32_t, 1, DLP_STORE_SPACE)       /* of a candidate: its group's seed, or negative */          \
    X(group_size, int32_t, 1, DLP_STORE_SPACE)  /* of a seed: members of its group; else 0 */                \
    X(distance_bias, float, 1, DLP_STORE_SPACE) /* of a seed: m2, how much farther its group seems */        \
    X(centre, float, 3, DLP_STORE_SPACE)        /* of a seed: its group's centre from its own place, m */    \
    X(member_end, int32_t, 1, DLP_STORE_SPACE)  /* of a seed: where its group ends in `members` */           \
    X(members, int32_t, 1, DLP_STORE_SPACE)     /* of all groups, group after group */                       \
    X(part_end, int32_t, 1, DLP_STORE_SPACE)    /* of what splits: where its parts end among the new ones */ \
    X(worklist, int32_t, 1, DLP_STORE_SPACE)    /* particles that the present pass goes through */           \
    X(is_kept, uint8_t, 1, DLP_STORE_SPACE)     /* 0: split or merged */
typedef struct dlp_adapt_scratch {
    DLP_ADAPT_FIELDS(DLP_FIELD_POINTER)
    int32_t capacity;
    int32_t plan_count; /* particles that have been looked at; new ones follow them */
    bool has_adapted;   /* particles were split or merged since the lists were built */
} dlp_adapt_scratch;

/* A particle that has left its lists, and where it stands, in units. */
typedef struct dlp_mover {
    int32_t particle;
    int64_t at[3];
} dlp_mover;

/* A mover that reaches some point, and the next one that does; -1 for none. */
typedef struct dlp_renew_link {
    int32_t mover, next;
} dlp_renew_link;

/* A thread's own: a list while it is made, and the movers that come into it. */
typedef struct dlp_renew_buffers {
    dlp_found found;
    int32_t *arriving;
    int32_t arriving_capacity;
} dlp_renew_buffers;

/* Lists that are made anew around what has moved (renew.c), an item per point. */
#define DLP_RENEW_FIELDS(X)                                                                                  \
    X(mark, uint8_t, 1, DLP_STORE_RESTRAINT)    /* whether it moved, or its list changes */                  \
    X(head, int32_t, 1, DLP_STORE_RESTRAINT)    /* its first link */                                         \
    X(leaving, int32_t, 1, DLP_STORE_RESTRAINT) /* particles that get new lists */                           \
    X(updated, int32_t, 1, DLP_STORE_RESTRAINT) /* points that do not move but whose lists change */         \
    X(runs, int32_t, 1, DLP_STORE_RESTRAINT)    /* where a block of lists begins in what is gone through */
typedef struct dlp_renew_scratch {
    DLP_RENEW_FIELDS(DLP_FIELD_POINTER)
    int32_t capacity;
    dlp_mover *movers;
    int32_t mover_capacity;
    dlp_renew_link *links;
    int32_t link_capacity;
    dlp_renew_buffers *buffers; /* one per thread */
    int32_t buffer_count;
} dlp_renew_scratch;

typedef struct dlp_sph_scratch {
    dlp_projection projection;
    dlp_viscosity_scratch viscosity;
    dlp_sph_points points;
    dlp_selection selection;
    dlp_sums sums;
    dlp_neighbourhood neighbours;
    int32_t particle_capacity; /* of the arrays of selection, sums and neighbours */
    dlp_walls walls;
    dlp_contact_sums contacts;
    dlp_adapt_scratch adapt;
    dlp_renew_scratch renew;
    dlp_host_force *forces_seen; /* one per substance: as they were when a change was told last */
    double wall_speed;           /* m/s: the fastest sample; implicit_step.c */
    bool has_told_capped;        /* the user knows */
    int32_t attempts;            /* of the present step that failed */
    int64_t finest_count;        /* particles there were if all were the finest */
    double adapt_seconds;        /* of wall clock spent on splitting and merging */
} dlp_sph_scratch;

struct dlp_sph;

/* sph_scratch.c */
/* Room for the particles there are and for so many points, padding included. */
dlp_status dlp_sph_reserve_points(struct dlp_sph *sph, int32_t point_count, dlp_error *error);
dlp_status dlp_projection_reserve(dlp_projection *projection, uint32_t kept, int32_t count, dlp_error *error);
dlp_status dlp_viscosity_reserve(dlp_viscosity_scratch *viscosity, uint32_t kept, int32_t count,
                                 dlp_error *error);
dlp_status dlp_walls_reserve(dlp_walls *walls, int32_t count, dlp_error *error);
dlp_status dlp_adapt_reserve(dlp_adapt_scratch *adapt, int32_t count, dlp_error *error);
dlp_status dlp_renew_reserve(dlp_renew_scratch *renew, int32_t point_count, dlp_error *error);
void dlp_sph_scratch_release(dlp_sph_scratch *scratch);

#endif
