/* What solids meet: one another, themselves, obstacles. A sub-step calls, in this order,
 *
 *   (the sweeps: where everybody would be if nothing were in the way)
 *   dlp_solid_contact_hold       between them: holds particles out of one another and of obstacles, so that
 *                                those behind them know
 *   dlp_solid_contact_let_go     after them: what is held stands where its own forces take it
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
 * Were contacts solved after the sweeps alone, what is behind a surface would feel them a sub-step late, and
 * a body that strikes would gain energy, as by an explicit step.
 *
 * Where two surfaces face one another they meet as planes: spheres in rows would hold one another fast
 * whatever the friction. */
#ifndef DLP_MOTION_SOLID_CONTACT_H
#define DLP_MOTION_SOLID_CONTACT_H

#include "motion/solid/solid_contact_data.h"
#include "motion/solid/solid_solver.h"

/* Contacts have no parameters of their own, and no state: a checkpoint holds nothing of them. What is kept
 * from one sub-step to the next (bounds, pairs, clearances) saves work and changes no result. */
struct dlp_solid_contact {
    dlp_solid_contact_layer layer; /* follows from the state; what follows is scratch */
    dlp_solid_contact_paths paths;
    dlp_solid_contact_bounds bounds;
    dlp_solid_contact_grid grid;
    dlp_solid_contact_pairs pairs;
    dlp_solid_contact_slots slots;
    dlp_solid_contact_blocks contacts;
    dlp_solid_obstacle_contacts obstacles;
    int32_t capacity[DLP_CONTACT_PER_COUNT]; /* items that the arrays have room for */
    bool has_warned;
};

/* Chunks in which loops over the contact layer go, and over the candidates. */
enum { DLP_CONTACT_GRAIN = 256, DLP_CONTACT_CHUNK = 64 };
/* Blocks in which particles meet obstacles, and in which those that are tied to bodies are summed. */
enum { DLP_OBSTACLE_GRAIN = 512 };

/* solid_contact_layer.c: makes the contact layer, at the start, after a load and after a cut. */
dlp_status dlp_solid_contact_rebuild(dlp_solid *solid, dlp_error *error);
void dlp_solid_contact_release(dlp_solid_contact *contact);

dlp_status dlp_solid_contact_bodies(const dlp_solid_pass *pass, dlp_error *error);
/* Where obstacles are in a sub-step that begins at `time`; before all else. */
dlp_status dlp_solid_contact_place_obstacles(const dlp_solid_pass *pass, double time, dlp_error *error);
dlp_status dlp_solid_contact_hold(const dlp_solid_pass *pass, dlp_error *error);
void dlp_solid_contact_let_go(const dlp_solid_pass *pass);
void dlp_solid_contact_obstacles(const dlp_solid_pass *pass);
void dlp_solid_contact_solve_velocities(const dlp_solid_pass *pass);
/* Obstacles may be elsewhere now: nobody knows any more how far away they are. */
void dlp_solid_contact_reset_clearance(dlp_solid *solid);
/* Particles are elsewhere now: likewise, and nobody knows who is near whom. */
void dlp_solid_contact_forget(dlp_solid *solid);

/* solid_contact_layer.c: room for `count` items in all arrays of contacts that have one per `per`. */
dlp_status dlp_solid_contact_reserve(dlp_solid_contact *contact, dlp_contact_per per, int32_t count,
                                     dlp_error *error);

/* ... the part of dlp_solid_contact_hold that parts bodies. */
dlp_status dlp_solid_contact_hold_bodies(const dlp_solid_pass *pass, dlp_error *error);

/* solid_contact_broad.c: lists the pairs, once the bounds are set: their centres are inside `box`, and their
 * radii at most `most` m. */
dlp_status dlp_solid_contact_find_pairs(dlp_solid *solid, dlp_box box, double most, dlp_error *error);
/* solid_contact_narrow.c: lists the contacts: which of the pairs touch in this sub-step. */
dlp_status dlp_solid_contact_find_hits(dlp_solid_pass *pass, dlp_error *error);
/* solid_contact_solve.c: the places with which they go on. */
void dlp_solid_contact_solve_positions(dlp_solid_pass *pass);

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
