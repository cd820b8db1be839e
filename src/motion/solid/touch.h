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

/* A particle that may come near another. */
typedef struct dlp_touch_candidate {
    int32_t other;  /* place in the skin */
    float distance; /* m: that their centres keep */
    float sideways; /* m: so far apart their surfaces face one another; 0: they meet as spheres */
} dlp_touch_candidate;

/* Which way the matter ends at a particle. The flatter the surface, the more its direction counts. */
typedef struct dlp_facing {
    dlp_vec3 normal; /* unit, outward; at rest, or as the particle has turned */
    double weight;   /* 0: no such direction */
} dlp_facing;

/* Two particles that touch, as one of them sees it; the other holds the mirror image, made of the same
 * numbers. */
typedef struct dlp_solid_contact {
    int32_t other;   /* place in the skin */
    float friction;  /* Coulomb */
    double distance; /* m */
    double share;    /* of a change apart that it takes: w_i / (w_i + w_j) */
    double factor;   /* of what is missing that an iteration mends: so many other contacts wait */
    dlp_vec3 normal; /* toward it */
    double press;    /* m moved apart; then m/s, likewise */
    dlp_vec3 rub;    /* m, m/s: friction */
    double moved;    /* m: press and rub as they were while they moved places */
    dlp_vec3 rubbed;
} dlp_solid_contact;

/* A particle of the skin in its cell. */
typedef struct dlp_touch_mark {
    double x[3]; /* m */
    int32_t skin, body;
} dlp_touch_mark;

struct dlp_solid_touch {
    int32_t skin_count, skin_capacity;
    int32_t *skin;                    /* the particles of the layers that touch others, ascending */
    dlp_vec3 *from, *to, *next;       /* m: where the sub-step began; now; in the next iteration */
    dlp_facing *rest_facing, *facing; /* at rest; now, of those near others */
    dlp_vec3 *built;                  /* m: where they were when candidates were found */
    int32_t *begin;                   /* of a particle's candidates, and of its contacts: skin_count + 1 */
    int32_t *contact_count;
    int32_t *near, *met;   /* places in the skin with candidates, with contacts */
    dlp_box *drift, *ways; /* m: of a piece of the skin: since `built`; in this sub-step */
    int32_t near_count, met_count, widest_begin;
    dlp_touch_candidate *candidates;
    dlp_solid_contact *contacts;
    int32_t candidate_capacity, contact_capacity;
    dlp_touch_mark *marks; /* by cell */
    int32_t *cell_begin, *cell_of;
    int32_t cell_capacity, cell_bits; /* 2^bits cells along each axis, over and over again */
    double cell;                      /* m */
    double widest;                    /* m: the largest spacing */
    double margin;                    /* m: that two of them may move relative to one another */
    bool is_built, has_warned;
    float *clearance; /* m, a particle: no obstacle is nearer */
    int32_t clearance_capacity;
    dlp_frame *before, *after; /* of the obstacles in this sub-step */
    int32_t before_capacity, after_capacity;
};

/* The skin follows from layers and bodies: at the start, after a load, after a cut. */
dlp_status dlp_solid_touch_renew(dlp_solid *solid, dlp_error *error);
void dlp_solid_touch_release(dlp_solid_touch *touch);

dlp_status dlp_solid_touch_bodies(const dlp_solid_pass *pass, dlp_error *error);
dlp_status dlp_solid_touch_obstacles(const dlp_solid_pass *pass, double time, dlp_error *error);
void dlp_solid_touch_settle(const dlp_solid_pass *pass);

/* touch_near.c: who may come near whom before two have moved by `margin`. */
dlp_status dlp_solid_touch_find(dlp_solid *solid, dlp_error *error);

/* In contact distances: how far to the side of one another two particles still face one another (half the
 * diagonal of the coarsest rows of a lattice, so that no place of a surface is left out), and how far apart
 * they are then. */
#define DLP_TOUCH_SIDEWAYS 0.87
#define DLP_TOUCH_REACH    1.33

/* Direction from j to i in which their surfaces face one another; whether they do. */
static inline bool dlp_facing_normal(const dlp_facing *i, const dlp_facing *j, dlp_vec3 *out_normal)
{
    if (i->weight + j->weight == 0) return false;
    if (i->weight > 0 && j->weight > 0 && dlp_dot(i->normal, j->normal) > 0.5) return false;
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
