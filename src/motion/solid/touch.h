/* What solids meet: one another, themselves, obstacles. A sub-step calls, in this order,
 *
 *   (the sweeps: where everybody would be if nothing were in the way)
 *   dlp_solid_touch_bodies     moves particles apart that would overlap, with friction
 *   (the velocities that follow from the places)
 *   dlp_solid_touch_obstacles  moves particles out of obstacles and answers their velocities
 *   dlp_solid_touch_settle     the velocities with which particles that touch go on
 *
 * A contact acts in one of two ways, and the second-order clock must be told which. What presses all the time
 * is a force like any other: a change dv of the velocity belongs to a change tau dv of the place. An impact
 * happens at once: it shifts the whole history, dt dv of the way gone and dv of the velocity before, or the
 * formula would go on from a motion that has ended. How much of dv is an impact is told by the approach the
 * sub-step began with. What is only moved out of where it must not be gets no velocity.
 *
 * Where two surfaces face one another they meet as planes: spheres in rows would hold one another fast
 * whatever the friction. */
#ifndef DLP_MOTION_SOLID_TOUCH_H
#define DLP_MOTION_SOLID_TOUCH_H

#include "motion/solid/solver.h"

/* Two particles that may come near one another, as places in the skin; `first` is the smaller. */
typedef struct dlp_solid_pair {
    int32_t first, second;
    float distance; /* m: that their centres keep */
    float sideways; /* m: so far apart their surfaces face one another; 0: they meet as spheres */
} dlp_solid_pair;

/* Which way the matter ends at a particle. The flatter the surface, the more its direction counts. */
typedef struct dlp_facing {
    dlp_vec3 normal; /* unit, outward; at rest, or as the particle has turned */
    double weight;   /* 0: no such direction */
} dlp_facing;

/* Two particles that touch in this sub-step. */
typedef struct dlp_touch_hit {
    int32_t pair;
    float normal[3]; /* toward the first */
} dlp_touch_hit;

/* Eight contacts. Lanes without one tell nobody. */
typedef struct dlp_touch_block {
    int32_t particle[2][DLP_LANES]; /* places in the skin */
    int32_t slot[2][DLP_LANES];     /* where their particles find what they ask for */
    float normal[3][DLP_LANES];     /* toward the first */
    float missing[DLP_LANES];       /* m, m/s: before the first iteration */
    float slip[3][DLP_LANES];       /* m, m/s: likewise, across the normal */
    float friction[DLP_LANES];      /* Coulomb */
    float share[2][DLP_LANES];      /* of a change apart that each takes: w_i / (w_i + w_j) */
    float factor[DLP_LANES];        /* of what is missing that an iteration mends: so many others wait */
    float press[DLP_LANES];         /* m moved apart; then m/s, likewise */
    float rub[3][DLP_LANES];        /* m, m/s: friction on the first */
    float moved[DLP_LANES];         /* m: press and rub as they were while they moved places */
    float rubbed[3][DLP_LANES];
} dlp_touch_block;

/* What contacts read and write: four floats a place in the skin, or a slot. */
typedef struct dlp_touch_blocks {
    dlp_touch_block *blocks;
    float (*moved)[4];             /* m, m/s: of a particle by its contacts so far */
    float (*speeds)[4];            /* m/s: after the sweeps */
    float (*befores)[4];           /* m/s: as the sub-step began */
    float (*asks)[4];              /* m, m/s: of a slot, in the present iteration */
    float (*way_asks)[4];          /* m: of a slot, of the way gone */
    float step, tau;               /* s */
    int32_t count, block_capacity; /* contacts */
    int32_t ask_capacity, way_ask_capacity;
} dlp_touch_blocks;

/* A particle of the skin in its cell, and what tells whom it may meet. */
typedef struct dlp_touch_mark {
    float rest[3], reach; /* m */
    int32_t skin, substance;
    int32_t kind;
} dlp_touch_mark;
/* Bits of a mark's kind: it is below the surface and meets only what has come through; it has lost a link. */
enum { DLP_TOUCH_INNER = 1, DLP_TOUCH_CUT = 2 };

/* The marks as a search sees them: cell by cell, or some of them; eight more than there are can be read. */
typedef struct dlp_touch_places {
    float *x, *y, *z;                /* m: from `origin` */
    float *room;                     /* m: that they may move */
    float *rest_x, *rest_y, *rest_z; /* m */
    int32_t *body, *kind;
} dlp_touch_places;

/* Holds all places of a particle in a sub-step. */
typedef struct dlp_touch_ball {
    float x, y, z, radius; /* m: from where the first of the skin was */
} dlp_touch_ball;

/* How a particle goes and what it shows. */
typedef struct dlp_touch_course {
    float half[3];      /* m: from the middle of its way to the end */
    float inverse_mass; /* 1/kg */
    float facing[3];    /* its facing now, times the weight */
    float weight;
} dlp_touch_course;

/* A mark that looks for others. */
typedef struct dlp_touch_seeker {
    float x, y, z, rest_x, rest_y, rest_z; /* m */
    float reach;                           /* m: at which it may touch others, less their rooms */
    float apart;                           /* m: at rest from what it may touch of its own body */
    int32_t body, kind;
} dlp_touch_seeker;

struct dlp_solid_touch {
    int32_t skin_count, skin_capacity;
    int32_t *skin;       /* the particles of the layers that touch others, ascending */
    dlp_vec3 *from, *to; /* m: where the sub-step began; now */
    dlp_facing *rest_facing;
    dlp_touch_ball *balls;     /* of those that are in a pair */
    dlp_touch_course *courses; /* likewise */
    int32_t *kind;             /* DLP_TOUCH_.. */
    _Atomic uint8_t *is_near;  /* it is in a pair */
    double widest;             /* m: the largest spacing */

    /* Who may come near whom: as long as nobody leaves his room. */
    dlp_vec3 *built; /* m: its middle */
    float *room;     /* m: its radius */
    dlp_vec3 shift;  /* m: by which all rooms have moved */
    dlp_vec3 drive;  /* m/s: with which they do */
    dlp_box *ways;   /* m: of a piece of the skin in this sub-step; then around its rooms' centres */
    uint8_t *is_out; /* somebody in a piece has left */
    float *roomiest; /* m: the widest room of a piece */
    int32_t lasted;  /* sub-steps since they were made */
    int32_t briefs;  /* so many more times they are made for one sub-step alone */
    bool is_built, has_warned;
    dlp_touch_mark *marks;
    dlp_touch_places places;
    dlp_vec3 origin;
    int32_t *cell_begin, *cell_of, *mark_of;
    int32_t cell_capacity, cell_bits; /* 2^bits cells along each axis, over and over again */
    double cell;                      /* m */
    dlp_solid_pair *pairs;            /* piece_room of each piece of the marks */
    int32_t *pair_count;              /* of a piece */
    int32_t *hit_begin;               /* of a piece: its first contact */
    dlp_touch_hit *hits;              /* likewise piece_room each */
    int32_t piece_room, pair_capacity, hit_capacity;

    dlp_touch_blocks contacts;
    int32_t *begin; /* of a particle's slots: skin_count + 1 */
    int64_t *of;    /* of a slot: the other particle, the contact, the side, as one number */
    int32_t *met;   /* places in the skin with contacts */
    int32_t of_capacity, met_count;

    float *clearance; /* m, a particle: no obstacle is nearer */
    int32_t clearance_capacity;
    dlp_frame *before, *after; /* of the obstacles in this sub-step */
    int32_t before_capacity, after_capacity;
};

/* Pieces in which loops over the skin go, and over the marks. */
enum { DLP_TOUCH_GRAIN = 256, DLP_TOUCH_PIECE = 64 };

/* The skin follows from layers and bodies: at the start, after a load, after a cut. */
dlp_status dlp_solid_touch_renew(dlp_solid *solid, dlp_error *error);
void dlp_solid_touch_release(dlp_solid_touch *touch);

dlp_status dlp_solid_touch_bodies(const dlp_solid_pass *pass, dlp_error *error);
dlp_status dlp_solid_touch_obstacles(const dlp_solid_pass *pass, double time, dlp_error *error);
void dlp_solid_touch_settle(const dlp_solid_pass *pass);
/* Obstacles may be elsewhere now: nobody knows any more how far away they are. */
void dlp_solid_touch_forget(dlp_solid *solid);

/* touch_near.c: lists the pairs, once `built` and `room` are set: those are inside `box`, and at most `most`
 * m. */
dlp_status dlp_solid_touch_find(dlp_solid *solid, dlp_box box, double most, dlp_error *error);
/* touch_hit.c: lists the contacts: which of the pairs touch in this sub-step. */
dlp_status dlp_solid_touch_hit(dlp_solid_pass *pass, dlp_error *error);
/* touch_contact.c: the places with which they go on. */
void dlp_solid_touch_push(dlp_solid_pass *pass);

/* touch_near_wide.c: places begin..end-1 that a mark may touch before one of them leaves his room; returns
 * how many were written. */
typedef int32_t dlp_touch_run_fn(const dlp_touch_places *places, const dlp_touch_seeker *seeker,
                                 int32_t begin, int32_t end, int32_t *out_places);
dlp_touch_run_fn dlp_touch_run_plain, dlp_touch_run_avx2;

/* touch_contact_wide.c: those of the pairs begin..end-1 that touch; returns how many. */
typedef struct dlp_touch_view {
    const dlp_touch_ball *balls;
    const dlp_touch_course *courses;
    const dlp_solid_pair *pairs;
} dlp_touch_view;
typedef int32_t dlp_touch_meet_fn(const dlp_touch_view *view, int32_t begin, int32_t end,
                                  dlp_touch_hit *out_hits);
dlp_touch_meet_fn dlp_touch_meet_plain, dlp_touch_meet_avx2;
/* What the blocks begin..end-1 ask for in an iteration; from places to velocities; what changes the history
 * of their particles: `asks` of the velocity before, `way_asks`. */
typedef void dlp_touch_blocks_fn(dlp_touch_blocks *all, int32_t begin, int32_t end);
dlp_touch_blocks_fn dlp_touch_answer_plain, dlp_touch_turn_plain, dlp_touch_end_plain;
dlp_touch_blocks_fn dlp_touch_answer_avx2, dlp_touch_turn_avx2, dlp_touch_end_avx2;

/* In contact distances: how far to the side of one another two particles still face one another (half the
 * diagonal of the coarsest rows of a lattice, so that no place of a surface is left out), and how far apart
 * they are then. */
#define DLP_TOUCH_SIDEWAYS 0.87
#define DLP_TOUCH_REACH    1.33
/* Surfaces whose directions have a larger cosine do not face one another. */
#define DLP_FACING_LIMIT 0.5

/* Direction from j to i in which their surfaces face one another; whether they do. */
static inline bool dlp_facing_normal(const dlp_facing *i, const dlp_facing *j, dlp_vec3 *out_normal)
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
    return 0.5 * solid->flesh[solid->particles.substance[particle]].spacing;
}

#endif
