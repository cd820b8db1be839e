/* The world from the inside: what its files share. */
#ifndef DLP_MOTION_WORLD_PARTS_H
#define DLP_MOTION_WORLD_PARTS_H

#include "base/memory.h"
#include "motion/setting.h"
#include "motion/watch.h"
#include "motion/world.h"

/* Steps of a frame, or of what a host asks for, at most: more would not end. */
#define DLP_STEP_LIMIT 1e7
/* s: what a host asks for, at least. Solvers divide by squares of steps, in floats. */
#define DLP_SHORTEST_SPAN 1e-12

/* A solver of this world. */
typedef struct dlp_member {
    const dlp_solver *type;
    void *self;
} dlp_member;

/* Where a world stands between calls. */
typedef struct dlp_world_phase {
    int32_t is_between; /* intervals: the next step begins a new one */
    int32_t is_in_span; /* a frame, or what a host asked for, has begun and is not complete */
} dlp_world_phase;

struct dlp_world {
    /* parameters */
    const dlp_solver *const *solvers; /* borrowed: those that were asked whether the scene is theirs */
    int32_t solver_count;
    dlp_scene *scene;           /* the world's own copy, which holds the model */
    const dlp_scene_def *model; /* borrowed from it; constant until dlp_world_set exchanges both */
    dlp_world_options options;
    dlp_target target;
    dlp_team *team;

    /* state */
    dlp_member *members; /* in the order of their particles */
    int32_t member_count;
    dlp_setting *setting; /* bodies and clock; the conditions follow from these */
    int64_t *ticks;       /* where each member stands in the interval */
    dlp_world_phase phase;
    double span_start, span_end; /* s */
    int64_t frame;               /* complete ones */
    int64_t step_count;

    /* follows from the state */
    void *retroaction; /* surfaces that act on the particles; NULL without */
    dlp_state_extension extension;
    dlp_step_observer observer;
    dlp_watch watch;
    double wall_motion, wall_skin, wall_record; /* s of wall clock, this span */
    double skin_volume;                         /* m3; 0 for none */
    void *exports[DLP_FIELD_COUNT];             /* fields that are derived when asked for */
    int32_t export_capacity[DLP_FIELD_COUNT];
};

/* prepare.c. The scene as a model: resolved, and with containers open above. */
dlp_status dlp_world_resolve(dlp_scene *scene, const dlp_scene_def **out_model, dlp_error *error);
/* s: about the shortest step that any solver would make now. */
double dlp_world_shortest_step(const dlp_world *world);
/* A run that would never end says so before it starts: `otherwise` where so many seconds take too many steps.
 */
dlp_status dlp_world_check_steps(const dlp_world *world, double seconds, dlp_status otherwise,
                                 dlp_error *error);
/* Tells the host's log what is worth knowing of the scene. */
void dlp_world_note_scene(const dlp_world *world);

/* world.c */
/* A world with the options and solvers of another, at its start, without surfaces that act on it. `team`:
 * borrowed until the caller says otherwise; NULL: one of its own. */
dlp_status dlp_world_build(const dlp_scene *scene, const dlp_world *like, dlp_team *team,
                           dlp_world **out_world, dlp_error *error);

/* The member that moves a substance; NULL: the world has none. */
const dlp_member *dlp_world_member_of(const dlp_world *world, int32_t substance);

#endif
