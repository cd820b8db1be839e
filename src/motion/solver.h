/* What a world asks of a solver. A solver is a folder that defines one `const dlp_solver`, and a line in
 * solvers.c.
 *
 * A solver owns particles of the substances whose model it is. It reads the conditions and the bodies as they
 * stand at the tick it is advanced to, and writes to its own state, to its loads and to nothing else. */
#ifndef DLP_MOTION_SOLVER_H
#define DLP_MOTION_SOLVER_H

#include "base/parallel.h"
#include "base/target.h"
#include "motion/body.h"
#include "motion/clock.h"
#include "motion/host_force.h"
#include "motion/manifest.h"
#include "motion/samples.h"
#include "scene/conditions.h"

/* What a world hands to a solver when it is made: all borrowed, and valid for the solver's life. */
typedef struct dlp_solver_context {
    const dlp_conditions *conditions; /* at the tick of the present call; the address never changes */
    const dlp_bodies *bodies;         /* likewise */
    const dlp_clock *clock;
    dlp_body_load *loads;    /* the solver's own: what it did to each body */
    dlp_host_forces *forces; /* what a host adds to the forces on particles */
    int64_t first_id;        /* what the world adds to this solver's ids */
    bool measures_loads;     /* somebody wants to know the loads; else they may be left out */
    dlp_team *team;
    dlp_target target;
    void (*log)(const char *message, void *user); /* may be NULL */
    void *log_user;
} dlp_solver_context;

typedef struct dlp_solver {
    const char *name;  /* of its folder and of the model in a scene; part of messages */
    bool takes_forces; /* it calls dlp_host_forces_call */
    /* For the watch over a world's energy and density (watch.h). */
    bool is_elastic;    /* strained by as much as one it stores (1/2) M c^2, c its wave_speed */
    bool keeps_density; /* its liquids stay near their density at rest */

    /* Makes the particles of the scene's substances. *out_self is NULL where the scene has none for it. */
    dlp_status (*create)(const dlp_solver_context *context, void **out_self, dlp_error *error);
    void (*destroy)(void *self);

    /* A span (a frame, or what a host asked for) begins: counts and displacements start from nothing. */
    void (*begin_span)(void *self);
    /* s: about the longest step that it would make now. Intervals are not much more than DLP_INTERVAL_STEPS
     * of these. */
    double (*step_limit)(const void *self);
    /* An interval begins; the clock shows it, and all of the solver stands at its start. */
    void (*begin)(void *self);
    /* The interval ends at the clock's `end_tick`, earlier than it was to: all must arrive there. May be
     * NULL. */
    void (*cut)(void *self);
    /* The tick at which its next step ends; at most the clock's `end_tick`. */
    int64_t (*next_tick)(const void *self);
    /* The step to `tick`, which is next_tick or earlier. *out_is_done false: that step failed, and is to be
     * repeated with a next_tick that is now earlier. */
    dlp_status (*advance)(void *self, int64_t tick, bool *out_is_done, dlp_error *error);
    /* How many particles the last step moved. */
    int32_t (*active_count)(const void *self);

    /* The scene was changed (dlp_world_set), or a host moved a body. May be NULL. */
    void (*change)(void *self);

    /* Fields. `stored` gives the field as it lies in memory, or NULL; `derive` one particle's value into
     * `to`. It may run a loop of the team (the strains of solids): within one only velocity, mass and the
     * density of a fluid may be asked for. Ids count from 0 in each solver: the world sets them apart. */
    int32_t (*count)(const void *self);
    bool (*has_field)(const void *self, dlp_field field); /* of those that not every world has; NULL: none */
    const void *(*stored)(const void *self, dlp_field field);
    void (*derive)(const void *self, dlp_field field, int32_t particle, void *to);
    /* Between intervals: adds to velocities, m/s, three per particle. */
    void (*add_velocity)(void *self, const float *change);

    /* What a host changes between intervals, when all particles stand at the same tick. What is refused
     * changes nothing, and what a solver cannot do is NULL or false. Everything that follows from the state
     * is made anew: the next step starts from it as from a loaded one, and nothing sleeps. Results have the
     * same bits for any number of threads and after saving and loading. */
    bool (*can_write)(const void *self, dlp_field field);
    /* Particles first .. first + count - 1 of the solver; `values` have the field's type and components.
     * Positions and velocities must be finite, positions inside the domain (periodic axes wrap). */
    dlp_status (*write)(void *self, dlp_field field, int32_t first, int32_t count, const void *values,
                        dlp_error *error);
    /* Particles of the finest size at the end of the order, with ids of their own. */
    dlp_status (*add)(void *self, const dlp_new_particles *particles, dlp_error *error);
    /* `indices` ascend, each once; the others keep their order. */
    dlp_status (*remove)(void *self, const int32_t *indices, int32_t count, dlp_error *error);

    /* m/s: of waves of pressure or tension in what it moves, the fastest. NULL: its energy is not watched. */
    double (*wave_speed)(const void *self);
    /* Adds the solver's part to a frame's statistics. */
    dlp_status (*measure)(void *self, dlp_stats *stats, dlp_error *error);
    /* The samples of bodies that it has taken, with the forces of its last step; NULL: it takes none. */
    const dlp_samples *(*samples)(const void *self);
    /* May be NULL: nothing of it can be probed at points. */
    dlp_point_sample (*sample)(const void *self, dlp_vec3 x);

    /* Checkpoints. Loading: make room for `count` particles, let the arrays of the manifest be filled,
     * rebuild what follows from them; `end_load` refuses values that no run can have left. */
    void (*manifest)(void *self, dlp_manifest *manifest);
    dlp_status (*begin_load)(void *self, int32_t count, dlp_error *error);
    dlp_status (*end_load)(void *self, dlp_error *error);
} dlp_solver;

/* The ids of each solver count from 0: the world adds the solver's place times 2^DLP_SOLVER_ID_BITS, so that
 * those of the next follow after all that one will ever have. */
enum { DLP_SOLVER_ID_BITS = 40 };

/* Steps of a solver in an interval, at most about: ticks must resolve steps that become shorter on the way.
 */
enum { DLP_INTERVAL_STEPS = 4096 };

/* All that there are, in the order in which their particles stand in a world's fields; `count` of them. */
extern const dlp_solver *const dlp_solvers[];
extern const int32_t dlp_solver_count;

#endif
