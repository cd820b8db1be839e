/* Smoothed particles: substances that follow a state equation. */
#ifndef DLP_MOTION_SPH_SPH_H
#define DLP_MOTION_SPH_SPH_H

#include "matter/restraint.h"
#include "matter/state.h"
#include "motion/samples.h"
#include "motion/world.h"
#include "motion/sph/pairs.h"
#include "motion/sph/particles.h"
#include "space/sort.h"

enum {
    DLP_LEVEL_LIMIT = 3,    /* the coarsest size level there is */
    DLP_UNITS_LIMIT = 1024, /* of a particle's mass, in units of the finest */
    DLP_TICK_BITS = 20,
    DLP_WALL_LEVELS = 2,
    DLP_KICK_BLOCK = 256,  /* due particles that are kicked in a row */
    DLP_LANES_PADDING = 16 /* readable items past the end of what is read eight at a time */
};

/* Share of a support by which lists reach further, so that they last while no particle has moved half of it.
 */
#define DLP_VERLET_MARGIN 0.09

/* Time within an interval as whole ticks of the solver's own, of which the world's clock has finer ones: the
 * interval is cut into `base` parts, chosen so that rounding steps to halves of a part loses little. */
typedef struct dlp_sph_clock {
    double start, end; /* s: of the interval */
    int32_t base;      /* the interval is base * 2^20 ticks long: 1 .. 15 */
    int32_t tick;      /* now */
    int32_t last_tick; /* of the step before */
    int32_t stop;      /* where the interval ends: dlp_sph_clock_end, or less where it was cut short */
} dlp_sph_clock;

static inline int32_t dlp_sph_clock_end(const dlp_sph_clock *clock)
{
    return clock->base << DLP_TICK_BITS;
}
/* Ticks of the world's clock in one of the solver's own: whole, whatever the base. */
static inline int64_t dlp_sph_clock_world_ticks(const dlp_sph_clock *clock)
{
    return DLP_INTERVAL_TICKS / dlp_sph_clock_end(clock);
}
static inline double dlp_sph_clock_seconds(const dlp_sph_clock *clock, int32_t ticks)
{
    return (clock->end - clock->start) * ((double)ticks / (double)dlp_sph_clock_end(clock));
}
static inline double dlp_sph_clock_time(const dlp_sph_clock *clock)
{
    return clock->tick == dlp_sph_clock_end(clock) ? clock->end
                                                   : clock->start + dlp_sph_clock_seconds(clock, clock->tick);
}

/* When particles of a substance split and merge. */
typedef struct dlp_adapt_rules {
    bool is_on;
    dlp_criterion criterion;
    int32_t levels;                             /* the coarsest */
    float split_above, merge_below;             /* of the criterion, which is a pure number */
    float depth[DLP_LEVEL_LIMIT + 1];           /* m: from where a level is allowed; depth[0] = 0 */
    float wall_depth[DLP_LEVEL_LIMIT + 1];      /* m: likewise, from obstacles */
    float fine_wall_depth[DLP_LEVEL_LIMIT + 1]; /* m: likewise, from those that move or are thin */
    float deepest;                              /* m: no depth beyond this makes a difference */
    float margin;                               /* m: by which it must be deeper to merge */
    float age;                                  /* s: before it may merge */
    float speed;                                /* m/s: of the scene */
    float strain;                               /* compression that this speed makes */
} dlp_adapt_rules;

/* When particles of a substance are held still. */
typedef struct dlp_sleep_rules {
    bool is_on, by_camera;
    dlp_restraint restraint;
    double tolerance;     /* m/s: effective speed below which a particle sleeps */
    double hidden_limit;  /* m/s: hidden speed that has this effective speed */
    double decay_time[3]; /* s: in which hidden momentum fades: see dlp_particle_decay_time */
    double wake_speed;    /* m/s: speed of free motion */
    double settle_time;   /* s without free motion after which a particle counts as calm */
    double static_limit;  /* m/s2: the largest push that a calm particle withstands when it falls asleep */
    float pressure;       /* Pa: change of a sleeper's pressure that its neighbours need not know of */
} dlp_sleep_rules;

/* A substance's constants, derived once a step from its definition. */
typedef struct dlp_substance {
    float rho0, k, viscosity, cohesion, alpha_c, beta;
    float h;           /* m: of the finest particle */
    float reach;       /* m: its support with its margin */
    float volume_unit; /* m3 (m2): rest volume of one unit of mass */
    float sound_speed; /* m/s: the larger of the state equation's and the viscosity's */
    int32_t gamma;
    dlp_state_kind state;
    dlp_adapt_rules rules;
    dlp_sleep_rules sleep_rules;
    double unit_mass; /* kg: the finest particle's */
} dlp_substance;

/* What the solver knows of the samples near it besides what the store holds; rebuilt with the lists. */
#define DLP_WALL_FIELDS(X)                                                                                   \
    X(share, float)       /* of its volume that lies outside of obstacles named earlier */                   \
    X(sum, float)         /* dlp_pair_work */                                                                \
    X(sum_at_rest, float) /* likewise */                                                                     \
    X(index, int32_t)     /* those that are asked for now, as places among the packed-records */             \
    X(is_marked, uint8_t) /* has a neighbour that is due */
typedef struct dlp_walls {
    int32_t capacity;
    int32_t level_end[DLP_WALL_LEVELS]; /* samples stand level after level, by cell in each */
#define X(name, type) type *name;
    DLP_WALL_FIELDS(X)
#undef X
    uint8_t *is_near; /* a point of the set that is being gathered: to particles */
    int32_t near_capacity;
} dlp_walls;
void dlp_walls_release(dlp_walls *walls);

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

/* Work space of lists that are made anew around what has moved. */
typedef struct dlp_renew_scratch {
    uint8_t *mark;    /* of each point */
    int32_t *head;    /* of each point: its first link */
    int32_t *updated; /* points that do not move but whose lists change */
    int32_t *runs;    /* places among movers or `updated` at which another block of lists begins */
    int32_t capacity;
    dlp_mover *movers;
    int32_t mover_capacity;
    dlp_renew_link *links;
    int32_t link_capacity;
    dlp_renew_buffers *buffers; /* one per thread */
    int32_t buffer_count;
} dlp_renew_scratch;

/* Work space of splitting and merging, an item a particle. */
typedef struct dlp_adapt_scratch {
    int8_t *plan;
    float *depth;         /* m: the next depths */
    int32_t *owner;       /* of a candidate: its group's seed, or -1 */
    int32_t *size;        /* of a seed: members of its group */
    float *distance_bias; /* of a seed: m2, how much farther its group seems than it is */
    float *centre;        /* of a seed: 3, its group's centre from its own place, m */
    int32_t *first;   /* of a seed: the place of its first member in `members`; of a split: of its parts */
    int32_t *members; /* of all groups, group after group; or a list of particles */
    uint8_t *is_kept;
    int32_t plan_count; /* particles that have been looked at; new ones follow them */
    int32_t capacity;
} dlp_adapt_scratch;

/* Sums of a frame for the statistics. */
typedef struct dlp_sph_counts {
    int64_t substeps, force_evaluations, splits, merges;
    int64_t density_evaluations;
    int64_t full_evaluations; /* had all particles been the finest and made the smallest step */
    double dt_min, dt_max;
    int32_t active;
} dlp_sph_counts;

typedef struct dlp_emitter {
    dlp_vec3 *sites[2]; /* m, in the mouth's plane: the two alternating layers */
    int32_t site_count[2];
    double layer; /* m between layers */
} dlp_emitter;

/* What of an emitter must survive a restart. */
typedef struct dlp_emitter_state {
    double travel; /* m since the last layer */
    double layers; /* emitted so far */
    double particles;
} dlp_emitter_state;

struct dlp_heat; /* sph_heat.h */

/* What contacts took from particles and gave to a body. */
typedef struct dlp_contact_sum {
    dlp_vec3 impulse, angular_impulse; /* N s, N m s about the pivot */
} dlp_contact_sum;

typedef struct dlp_sph {
    /* parameters */
    dlp_solver_context context; /* of the world; what follows are shorter names of parts of it */
    const dlp_scene_def *scene; /* as it is at the present tick */
    const dlp_body *bodies;     /* likewise */
    dlp_team *team;
    const dlp_pair_loops *loops;
    dlp_target target;
    dlp_substance *substances;
    dlp_sample_set *sample_sets; /* one per body and wall level, level after level */
    int32_t wall_level_count;
    dlp_emitter *emitters;
    dlp_shape **sinks;
    dlp_pair_params params;
    float size_of[DLP_UNITS_LIMIT + 1]; /* of a particle by its units, over the finest's */
    double support;                     /* m: the largest 2h at the start */
    double finest;                      /* m: the smallest spacing */
    double width;                       /* m: the widest that they can spread across gravity */
    float verlet_limit;                 /* m: how far a point may move before the lists are built anew */
    double velocity_limit;              /* m/s: beyond it a step has failed */
    float velocity_lead;  /* share of a step by which the velocity in the sums is ahead of the last kick */
    double viscous_limit; /* of the step, in h^2 / nu */
    float wall_reach;     /* m: of a wall point, margin included */
    bool has_individual_steps, restrains, wants_loads, has_moving_bodies, has_thin_walls;

    /* state */
    dlp_particles particles;
    dlp_sph_clock clock;
    int64_t next_id;
    double speed_scale;       /* m/s: what the scene was expected to reach at its start */
    double adapt_time;        /* s: when particles were last split and merged */
    double moved_bound;       /* m: no particle has moved farther since the lists were built */
    double speed_bound;       /* m/s: nor does one move faster until all are looked at again */
    double list_time;         /* s: when the lists were built, for the obstacles' place then */
    double *stiffness;        /* m2/s2: derived, one a substance; for those that name none */
    double smallest_dt_limit; /* s: the smallest step that a particle asked for when last asked */
    double dt_scale;          /* 1, or less after a step that had to be repeated */
    dlp_emitter_state *emitter_states;
    dlp_sph_counts counts;
    int32_t *at[3];        /* position in units when the lists were built; wall points follow the particles */
    int32_t *sorted_at[3]; /* ... when the particles were sorted into cells; adapt.restraint */

    /* scratch */
    dlp_units units;
    float *packed; /* DLP_PACKED_SIZE a point, and one far from everything */
    float *reach;  /* m a point where supports differ, else NULL */
    dlp_layer layers[DLP_LAYER_LIMIT + DLP_WALL_LEVELS]; /* of particles by size, then of the walls */
    int32_t layer_count, particle_layer_count;
    dlp_lists lists, wall_lists;
    dlp_samples samples; /* of bodies, near the substance */
    dlp_walls walls;
    dlp_sorter sorter;
    dlp_adapt_scratch adapt_scratch;
    dlp_renew_scratch renew_scratch;
    int32_t drift;        /* units: no particle is farther from where it was sorted, along any axis */
    int64_t finest_count; /* particles there were if all were the finest */
    double adapt_seconds; /* of wall clock spent on splitting and merging */
    bool has_adapted;     /* since the lists were built */
    int32_t *due;
    int32_t due_count;
    int32_t density_count; /* of them whose density was summed */
    uint8_t
        *work_flags; /* of each particle: what a step has to do with it; adapt.restraint (sph_restraint.c) */
    bool is_sparse;  /* only marked particles are evaluated at this step */
    bool are_all_predicted; /* their packed-records, at this step */
    bool wakes_all;         /* everything is evaluated at the next step: something changed for all */
    uint8_t *stamp;         /* of each particle: the step it was predicted for, modulo 255 */
    uint8_t stamp_now;
    float *force;    /* N: 3 a particle */
    float *approach; /* a particle: its density sum, then its largest approach, then the step it may make */
    float *
        fine_clearance; /* m: likewise, from obstacles near which particles must be the finest; adapt.space */
    float *clearance; /* m: a lower bound of each particle's distance from obstacles when lists were built */
    uint8_t *near_thin;             /* points near a thin obstacle */
    const uint8_t *may_hide;        /* near_thin, or NULL where no obstacle is thin */
    bool *has_moved;                /* obstacles since the last step; adapt.restraint */
    dlp_transform *list_transforms; /* bodies when the lists were built */
    dlp_contact_sum *contact_sums;  /* one per body and block of due particles: see kick.c */
    int32_t contact_sum_capacity;
    int32_t attempts; /* of the present step that failed */
    int32_t point_capacity;
    double tick_seconds;   /* of the present interval */
    struct dlp_heat *heat; /* NULL where no substance has a temperature */
    bool lists_are_stale;
    int32_t walls_moved;   /* set by any thread */
    bool walls_are_summed; /* all of them, since the lists were built */
    bool walls_are_packed; /* the samples, since the lists were built */
} dlp_sph;

extern const dlp_solver dlp_sph_solver; /* sph_solver.c: what the world asks */
/* That of a world; NULL where it has none. */
static inline dlp_sph *dlp_sph_of(const dlp_world *world)
{
    return (dlp_sph *)dlp_world_solver(world, &dlp_sph_solver);
}

/* NULL in *out_sph where no substance is of this model. */
dlp_status dlp_sph_create(const dlp_solver_context *context, dlp_sph **out_sph, dlp_error *error);
void dlp_sph_destroy(dlp_sph *sph);

void dlp_sph_begin_span(dlp_sph *sph);
void dlp_sph_begin(dlp_sph *sph);
void dlp_sph_cut(dlp_sph *sph);
/* The step to a tick of the solver's own clock; false in *out_is_done where it failed and is to be tried
 * shorter. */
dlp_status dlp_sph_advance(dlp_sph *sph, int32_t tick, bool *out_is_done, dlp_error *error);
/* What has changed in the scene is felt at the next step. */
void dlp_sph_change(dlp_sph *sph);
/* Rebuilds all that follows from a loaded state. */
dlp_status dlp_sph_restore(dlp_sph *sph, dlp_error *error);

/* The phases of a step, in their order. Each file holds one. */
dlp_status dlp_sph_start(dlp_sph *sph, dlp_error *error);         /* sph_start.c: fill the shapes */
dlp_status dlp_sph_set_constants(dlp_sph *sph, dlp_error *error); /* substance.c */
void dlp_sph_predict(dlp_sph *sph);                               /* predict.c */
void dlp_sph_find_clearance_of(dlp_sph *sph, int32_t particle);
void dlp_sph_predict_due(dlp_sph *sph);    /* where the others stand still */
void dlp_sph_predict_needed(dlp_sph *sph); /* only what the due particles will ask */
void dlp_sph_predict_more(dlp_sph *sph);   /* ... that have become due since */
int32_t dlp_sph_list_marked_walls(dlp_sph *sph);
dlp_status dlp_sph_adapt(dlp_sph *sph, dlp_error *error); /* adapt.c */
dlp_status dlp_sph_coarsen_start(dlp_sph *sph, dlp_error *error);
void dlp_sph_note_density(dlp_sph *sph);
void dlp_sph_keep_density(dlp_sph *sph);
dlp_status dlp_sph_find_neighbours(dlp_sph *sph, dlp_error *error); /* neighbourhood.c */
dlp_status dlp_sph_restore_neighbours(dlp_sph *sph, dlp_error *error);
void dlp_sph_select_due(dlp_sph *sph); /* time_bins.c */
int32_t dlp_sph_next_tick(const dlp_sph *sph);
void dlp_sph_sum_density(dlp_sph *sph);                                     /* forces.c */
void dlp_sph_sum_kernel(dlp_sph *sph, const int32_t *index, int32_t count); /* into approach */
void dlp_sph_sum_walls(dlp_sph *sph);
void dlp_sph_sum_forces(dlp_sph *sph);
void dlp_sph_sum_loads(dlp_sph *sph);
void dlp_sph_kick(dlp_sph *sph); /* kick.c */
dlp_vec3 dlp_sph_new_velocity(const dlp_sph *sph, int32_t i, dlp_vec3 acceleration);
int32_t dlp_sph_find_failure(const dlp_sph *sph);         /* a due particle, or -1 */
dlp_status dlp_sph_relax(dlp_sph *sph, dlp_error *error); /* relax.c: before the start */
dlp_status dlp_sph_even_out(dlp_sph *sph, dlp_error *error);
void dlp_sph_choose_steps(dlp_sph *sph); /* time_bins.c */
void dlp_sph_wake_neighbours(dlp_sph *sph);
dlp_status dlp_sph_emit(dlp_sph *sph, double seconds, dlp_error *error); /* emit.c */
void dlp_sph_drain(dlp_sph *sph);

/* near_walls.c */
/* A box, in the body's frame, that holds all of its surface that the substance may reach: sph_scale.c. */
dlp_box dlp_sph_surface_region(const dlp_sph *sph, int32_t body);
dlp_status dlp_sph_gather_walls(dlp_sph *sph, double time, dlp_error *error); /* those near particles */
void dlp_sph_sum_other_walls(dlp_sph *sph);
void dlp_sph_place_walls(dlp_sph *sph); /* packed-records of the wall points, now */
int32_t dlp_sph_keep_visible(const void *context, int32_t i, int32_t *entries, int32_t count);

/* sph_contact.c: the last line: keeps a particle that moved from `from` to `*x` out of every obstacle. */
/* Adds what bodies took to `sums`, one per body, where that is not NULL. */
void dlp_sph_resolve_contact(dlp_sph *sph, int32_t particle, dlp_vec3 from, double from_time, dlp_vec3 *x,
                             dlp_vec3 *v, dlp_contact_sum *sums);
void dlp_sph_find_clearance(dlp_sph *sph);

dlp_status dlp_sph_reserve_points(dlp_sph *sph, int32_t point_count, dlp_error *error);
static inline float dlp_substance_pressure(const dlp_substance *s, float delta)
{
    float pressure = 0;
    switch (s->state) {
    case DLP_STATE_LINEAR:
        pressure = dlp_pressure_linear(delta, s->rho0, s->k);
        break;
    case DLP_STATE_TAIT:
        pressure = dlp_pressure_tait(delta, s->rho0, s->k, s->gamma);
        break;
    case DLP_STATE_IDEAL:
        pressure = dlp_pressure_ideal(delta, s->rho0, s->k);
        break;
    }
    return pressure < 0 ? s->cohesion * pressure : pressure;
}
/* Edge of the cube (2-D: square) of a particle's rest volume, m. */
double dlp_substance_spacing(const dlp_substance_def *def, int32_t dimension);
/* W as the pair loops have it, calibrated, at a distance: 1/m3 (1/m2). */
double dlp_sph_weight(const dlp_sph *sph, double r, double h);
double dlp_substance_energy(const dlp_substance *substance, double delta); /* a unit rest volume */
/* Definition of a substance. One that another solver moves has the constants of the first that is ours:
 * nothing of it is here, and nothing of it can spoil a minimum. */
static inline const dlp_substance_def *dlp_sph_definition(const dlp_scene_def *scene, int32_t k)
{
    const dlp_substance_def *def = &scene->substances[k];
    return def->model == DLP_MODEL_SPH ? def : dlp_first_of_model(scene, DLP_MODEL_SPH);
}
static inline bool dlp_sph_carries_density(const dlp_sph *sph)
{
    return dlp_sph_definition(sph->scene, 0)->density_from == DLP_DENSITY_CONTINUITY;
}
/* Smoothing length and reach follow from the mass.  [desbrun1999, sec. 3.1] */
static inline float dlp_particle_h(const dlp_sph *sph, int32_t i)
{
    return sph->substances[sph->particles.substance[i]].h * sph->size_of[sph->particles.units[i]];
}
static inline float dlp_particle_reach(const dlp_sph *sph, int32_t i)
{
    return sph->substances[sph->particles.substance[i]].reach * sph->size_of[sph->particles.units[i]];
}
static inline bool dlp_sph_adapts_space(const dlp_sph *sph)
{
    return dlp_particles_have(&sph->particles, DLP_STORE_SPACE);
}
/* Above this accuracy contacts are the finest. */
static inline bool dlp_keeps_contacts_fine(const dlp_substance_def *def)
{
    return def->adapt_accuracy > 0.75;
}
/* Whether coarse particles touch walls: these then take over the pressure of the substance. */
static inline bool dlp_sph_has_coarse_contacts(const dlp_sph *sph)
{
    for (int32_t k = 0; k < sph->scene->substance_count; k++) {
        const dlp_substance_def *def = dlp_sph_definition(sph->scene, k);
        if (def->adapt_space && !dlp_keeps_contacts_fine(def)) return true;
    }
    return false;
}
static inline float dlp_particle_volume0(const dlp_sph *sph, int32_t i)
{
    return sph->substances[sph->particles.substance[i]].volume_unit * (float)sph->particles.units[i];
}

static inline const dlp_sample_set *dlp_wall_set(const dlp_sph *sph, int32_t k)
{
    return &sph->sample_sets[sph->samples.set[k]];
}

/* sph_stats.c */
dlp_status dlp_sph_measure(dlp_sph *sph, dlp_stats *stats, dlp_error *error);
dlp_point_sample dlp_sph_sample(const dlp_sph *sph, dlp_vec3 x);

#endif
