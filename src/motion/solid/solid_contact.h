/* What solids meet: one another, themselves, obstacles. A sub-step calls, in this order,
 *
 *   (the sweeps: where everybody would be if nothing were in the way)
 *   dlp_solid_contact_bodies     moves particles apart that would overlap, with friction
 *   (the velocities that follow from the places)
 *   dlp_solid_contact_obstacles  moves particles out of obstacles and answers their velocities
 *   dlp_solid_contact_solve_velocities     the velocities with which particles that touch go on
 *
 * A contact acts in one of two ways, and the second-order clock must be told which. What presses all the time
 * is a force like any other: a change dv of the velocity belongs to a change tau dv of the place. An impact
 * happens at once: it shifts the whole history, dt dv of the way gone and dv of the velocity before, or the
 * formula would go on from a motion that has ended. How much of dv is an impact is told by the approach the
 * sub-step began with. What is only moved out of where it must not be gets no velocity.
 *
 * Where two surfaces face one another they meet as planes: spheres in rows would hold one another fast
 * whatever the friction. */
#ifndef DLP_MOTION_SOLID_CONTACT_H
#define DLP_MOTION_SOLID_CONTACT_H

#include "motion/solid/solid_solver.h"
#include "space/sort.h"

/* Two particles that may come near one another, as places in the contact layer; `first` is the smaller. */
typedef struct dlp_solid_pair {
    int32_t first, second;
    float distance; /* m: that their centres keep */
    float sideways; /* m: so far apart their surfaces face one another; 0: they meet as spheres */
} dlp_solid_pair;

/* Which way the matter ends at a particle. The flatter the surface, the more its direction counts. */
typedef struct dlp_solid_facing {
    dlp_vec3 normal; /* unit, outward; at rest, or as the particle has turned */
    double weight;   /* 0: no such direction */
} dlp_solid_facing;

/* Two particles that touch in this sub-step. */
typedef struct dlp_solid_contact_hit {
    int32_t pair;
    float normal[3]; /* toward the first */
} dlp_solid_contact_hit;

/* Eight contacts. Lanes without one tell nobody. */
typedef struct dlp_solid_contact_block {
    int32_t particle[2][DLP_LANES];  /* places in the contact layer */
    int32_t slot[2][DLP_LANES];      /* where their particles find what they ask for */
    float normal[3][DLP_LANES];      /* toward the first */
    float violation[DLP_LANES];      /* m, m/s: before the first iteration */
    float slip[3][DLP_LANES];        /* m, m/s: likewise, across the normal */
    float friction[DLP_LANES];       /* Coulomb */
    float share[2][DLP_LANES];       /* of a change apart that each takes: w_i / (w_i + w_j) */
    float factor[DLP_LANES];         /* of what is missing that an iteration mends: so many others wait */
    float normal_impulse[DLP_LANES]; /* m moved apart; then m/s, likewise */
    float friction_impulse[3][DLP_LANES]; /* m, m/s: friction on the first */
    float normal_shift[DLP_LANES]; /* m: normal_impulse and friction_impulse as they were while they moved
                                      places */
    float friction_shift[3][DLP_LANES];
} dlp_solid_contact_block;

/* What contacts read and write: four floats a place in the contact layer, or a slot. */
typedef struct dlp_solid_contact_blocks {
    dlp_solid_contact_block *blocks;
    float (*moved)[4];                    /* m, m/s: of a particle by its contacts so far */
    float (*velocities)[4];               /* m/s: after the sweeps */
    float (*last_velocities)[4];          /* m/s: as the sub-step began */
    float (*corrections)[4];              /* m, m/s: of a slot, in the present iteration */
    float (*displacement_corrections)[4]; /* m: of a slot, of the way gone */
    float step, tau;                      /* s */
    int32_t count, block_capacity;        /* contacts */
    int32_t correction_capacity, displacement_capacity;
} dlp_solid_contact_blocks;

/* A particle of the contact layer in its cell, and what tells whom it may meet. */
typedef struct dlp_solid_grid_candidate {
    float rest[3], reach; /* m */
    int32_t contact_layer, substance;
    int32_t kind;
} dlp_solid_grid_candidate;
/* Bits of a candidate's kind: it is below the surface and meets only what has come through; it has lost a
 * link. */
enum { DLP_CONTACT_INNER = 1, DLP_CONTACT_CUT = 2 };

/* The candidates as a search sees them: cell by cell, or some of them; eight more than there are can be read.
 */
typedef struct dlp_solid_grid_places {
    float *x, *y, *z;                /* m: from `origin` */
    float *bound_radius;             /* m: that they may move */
    float *rest_x, *rest_y, *rest_z; /* m */
    int32_t *body, *kind;
} dlp_solid_grid_places;

/* Holds all places of a particle in a sub-step. */
typedef struct dlp_solid_swept_sphere {
    float x, y, z, radius; /* m: from where the first of the contact layer was */
} dlp_solid_swept_sphere;

/* How a particle goes and what it shows. */
typedef struct dlp_solid_contact_motion {
    float half[3];      /* m: from the middle of its way to the end */
    float inverse_mass; /* 1/kg */
    float facing[3];    /* its facing now, times the weight */
    float weight;
} dlp_solid_contact_motion;

/* A candidate that looks for others. */
typedef struct dlp_solid_grid_query {
    float x, y, z, rest_x, rest_y, rest_z; /* m */
    float reach;                           /* m: at which it may touch others, less their bounds */
    float apart;                           /* m: at rest from what it may touch of its own body */
    int32_t body, kind;
} dlp_solid_grid_query;

struct dlp_solid_contact {
    int32_t layer_count, layer_capacity;
    int32_t *contact_layer; /* the particles of the layers that touch others, ascending */
    dlp_vec3 *from, *to;    /* m: where the sub-step began; now */
    dlp_solid_facing *rest_facing;
    dlp_solid_swept_sphere *spheres;   /* of those that are in a pair */
    dlp_solid_contact_motion *motions; /* likewise */
    int32_t *kind;                     /* DLP_CONTACT_.. */
    _Atomic uint8_t *is_near;          /* it is in a pair */
    double widest;                     /* m: the largest spacing */

    /* Who may come near whom: as long as nobody leaves his bound. */
    dlp_vec3 *bound_centre; /* m: its middle */
    float *bound_radius;    /* m: its radius */
    dlp_vec3 shift;         /* m: by which all bounds have moved */
    dlp_vec3 drift;         /* m/s: with which they do */
    dlp_box *boxes; /* m: of a chunk of the contact layer in this sub-step; then around its bounds' centres */
    uint8_t *is_out;     /* somebody in a chunk has left */
    float *bound_widest; /* m: the widest bound of a chunk */
    int32_t bound_age;   /* sub-steps since they were made */
    int32_t brief_count; /* so many more times they are made for one sub-step alone */
    bool is_built, has_warned;
    dlp_solid_grid_candidate *candidates;
    dlp_solid_grid_places places;
    dlp_vec3 origin;
    int32_t *cell_begin, *cell_of, *candidate_of;
    dlp_sorter sorter;                /* of the candidates into cells */
    void *sort_memory;                /* of the sorter's arrays */
    int32_t sort_capacity;            /* candidates it holds */
    int32_t cell_capacity, cell_bits; /* 2^bits cells along each axis, over and over again */
    double cell;                      /* m */
    dlp_solid_pair *pairs;            /* chunk_capacity of each chunk of the candidates */
    int32_t *pair_count;              /* of a chunk */
    int32_t *hit_begin;               /* of a chunk: its first contact */
    dlp_solid_contact_hit *hits;      /* likewise chunk_capacity each */
    int32_t chunk_capacity, pair_capacity, hit_capacity;

    dlp_solid_contact_blocks contacts;
    int32_t *begin;    /* of a particle's slots: layer_count + 1 */
    int64_t *slot_key; /* of a slot: the other particle, the contact, the side, as one number */
    int32_t *active;   /* places in the contact layer with contacts */
    int32_t slot_key_capacity, active_count;

    float *clearance; /* m, a particle: no obstacle is nearer */
    int32_t clearance_capacity;
    dlp_transform *before, *after; /* of the obstacles in this sub-step */
    int32_t before_capacity, after_capacity;
};

/* Chunks in which loops over the contact layer go, and over the candidates. */
enum { DLP_CONTACT_GRAIN = 256, DLP_CONTACT_CHUNK = 64 };
/* Blocks in which particles meet obstacles, and in which those that are tied to bodies are summed. */
enum { DLP_OBSTACLE_GRAIN = 512 };

/* The contact layer follows from layers and bodies: at the start, after a load, after a cut. */
dlp_status dlp_solid_contact_rebuild(dlp_solid *solid, dlp_error *error);
void dlp_solid_contact_release(dlp_solid_contact *contact);

dlp_status dlp_solid_contact_bodies(const dlp_solid_pass *pass, dlp_error *error);
dlp_status dlp_solid_contact_obstacles(const dlp_solid_pass *pass, double time, dlp_error *error);
void dlp_solid_contact_solve_velocities(const dlp_solid_pass *pass);
/* Obstacles may be elsewhere now: nobody knows any more how far away they are. */
void dlp_solid_contact_reset_clearance(dlp_solid *solid);

/* solid_contact_broad.c: lists the pairs, once `bound_centre` and `bound` are set: those are inside `box`,
 * and at most `most` m. */
dlp_status dlp_solid_contact_find_pairs(dlp_solid *solid, dlp_box box, double most, dlp_error *error);
/* solid_contact_narrow.c: lists the contacts: which of the pairs touch in this sub-step. */
dlp_status dlp_solid_contact_find_hits(dlp_solid_pass *pass, dlp_error *error);
/* solid_contact_solve.c: the places with which they go on. */
void dlp_solid_contact_solve_positions(dlp_solid_pass *pass);

/* solid_contact_broad_wide.c: places begin..end-1 that a candidate may touch before one of them leaves his
 * bound; returns how many were written. */
typedef int32_t dlp_solid_grid_scan_fn(const dlp_solid_grid_places *places, const dlp_solid_grid_query *query,
                                       int32_t begin, int32_t end, int32_t *out_places);
dlp_solid_grid_scan_fn dlp_solid_grid_scan_plain, dlp_solid_grid_scan_avx2;

/* solid_contact_wide.c: those of the pairs begin..end-1 that touch; returns how many. */
typedef struct dlp_solid_pair_view {
    const dlp_solid_swept_sphere *spheres;
    const dlp_solid_contact_motion *motions;
    const dlp_solid_pair *pairs;
} dlp_solid_pair_view;
typedef int32_t dlp_solid_test_pairs_fn(const dlp_solid_pair_view *view, int32_t begin, int32_t end,
                                        dlp_solid_contact_hit *out_hits);
dlp_solid_test_pairs_fn dlp_solid_test_pairs_plain, dlp_solid_test_pairs_avx2;
/* What the blocks begin..end-1 ask for in an iteration; from places to velocities; what changes the history
 * of their particles: `corrections` of the velocity before, `displacement_corrections`. */
typedef void dlp_solid_contact_blocks_fn(dlp_solid_contact_blocks *all, int32_t begin, int32_t end);
dlp_solid_contact_blocks_fn dlp_solid_contact_iterate_plain, dlp_solid_contact_to_velocities_plain,
    dlp_solid_contact_split_impacts_plain;
dlp_solid_contact_blocks_fn dlp_solid_contact_iterate_avx2, dlp_solid_contact_to_velocities_avx2,
    dlp_solid_contact_split_impacts_avx2;

/* In contact distances: how far to the side of one another two particles still face one another (half the
 * diagonal of the coarsest rows of a lattice, so that no place of a surface is left out), and how far apart
 * they are then. */
#define DLP_CONTACT_SIDEWAYS 0.87
#define DLP_CONTACT_REACH    1.33
/* Surfaces whose directions have a larger cosine do not face one another. */
#define DLP_FACING_LIMIT 0.5

/* Direction from j to i in which their surfaces face one another; whether they do. */
static inline bool dlp_solid_facing_normal(const dlp_solid_facing *i, const dlp_solid_facing *j,
                                           dlp_vec3 *out_normal)
{
    if (i->weight + j->weight == 0) return false;
    if (i->weight > 0 && j->weight > 0 && dlp_dot(i->normal, j->normal) > DLP_FACING_LIMIT) return false;
    const dlp_vec3 sum = dlp_sub(dlp_mul(j->normal, j->weight), dlp_mul(i->normal, i->weight));
    const double length = dlp_length(sum);
    if (!(length > 0)) return false;
    *out_normal = dlp_mul(sum, 1 / length);
    return true;
}

/* m: how far a particle's matter reaches from its centre. */
static inline double dlp_solid_reach(const dlp_solid *solid, int32_t particle)
{
    return 0.5 * solid->params.materials[solid->state.particles.substance[particle]].spacing;
}

#endif
