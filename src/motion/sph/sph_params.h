/* Parameters of the smoothed particles: what follows from the scene and its conditions, and is constant
 * during a step. sph_build.c makes them; dlp_sph_set_constants (substance.c) makes those of the substances
 * anew at every step. */
#ifndef DLP_MOTION_SPH_SPH_PARAMS_H
#define DLP_MOTION_SPH_SPH_PARAMS_H

#include "matter/restraint.h"
#include "matter/state.h"
#include "motion/samples.h"
#include "motion/sph/pairs.h"
#include "motion/sph/projection.h"
#include "motion/sph/viscosity.h"

enum {
    DLP_LEVEL_LIMIT = 3,    /* the coarsest size level there is */
    DLP_UNITS_LIMIT = 1024, /* of a particle's mass, in units of the finest */
    DLP_WALL_LEVELS = 2
};

/* Share of a support by which lists reach further, so that they last while no particle has moved half of it;
 * less where steps are so long that they are built at every one. */
#define DLP_VERLET_MARGIN          0.09
#define DLP_IMPLICIT_VERLET_MARGIN 0.02

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
    double settle_time;   /* s without free motion after which a particle counts as resting */
    double static_limit;  /* m/s2: the largest push that a resting particle withstands when it falls asleep */
    float pressure;       /* Pa: change of a sleeper's pressure that its neighbours need not know of */
} dlp_sleep_rules;

/* A substance's constants. */
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

/* A curve of the scene, ready to be read: values as logarithms to the base 2. */
typedef struct dlp_heat_curve {
    int32_t count; /* 0: none */
    float temperature[DLP_CURVE_LIMIT], log_value[DLP_CURVE_LIMIT];
} dlp_heat_curve;

/* A substance's constants of heat, set with those of dlp_substance. */
typedef struct dlp_heat_substance {
    double conductivity, capacity, cooling; /* W/(m K), J/(kg K), W/(m2 K) */
    double melt_from, melt_to, latent;      /* degrees C; K: heat of melting over capacity, 0 for none */
    dlp_heat_curve viscosity, stiffness;    /* Pa s, m2/s2 */
} dlp_heat_substance;

typedef struct dlp_heat_params {
    dlp_heat_substance *substances; /* one per substance; NULL where none has a temperature */
    double area_factor; /* of V / h times how far off the neighbours' centre lies: free surface, m2 */
    double drop_factor; /* of V / h: surface of a drop of that volume */
} dlp_heat_params;

/* How obstacles show themselves to the particles. */
typedef struct dlp_wall_params {
    dlp_sample_set *sets; /* one per body and wall level, level after level */
    dlp_box *bounds;      /* one per body: m, of its surface in its own frame: dlp_sph_find_bounds */
    int32_t level_count;  /* 1, or DLP_WALL_LEVELS where coarse particles touch walls */
    float reach;          /* m: of a wall point of the finest level, margin included */
    bool has_thin;        /* an obstacle is thin somewhere, and hides what is behind it */
    bool has_moving;      /* a body moves, or has moved since the start */
} dlp_wall_params;

typedef struct dlp_emitter {
    dlp_vec3 *sites[2]; /* m, in the mouth's plane: the two alternating layers */
    int32_t site_count[2];
    double layer; /* m between layers */
} dlp_emitter;

typedef struct dlp_sph_params {
    const dlp_pair_loops *loops; /* of the instruction set */
    dlp_pair_params pair;        /* what the pair loops read */
    dlp_units units;             /* in which positions are counted */
    dlp_substance *substances;   /* one per substance of the scene */
    dlp_heat_params heat;
    dlp_wall_params walls;
    dlp_emitter *emitters; /* one per emitter */
    dlp_shape **sinks;     /* one per sink */
    uint32_t kept;         /* DLP_STORE_ bits: which arrays of the field lists there are */
    bool has_individual_steps, restrains, wants_loads;
    bool is_implicit;     /* steps close as in implicit_step.c, since one of the next two holds */
    bool solves_pressure; /* there is no state equation */
    bool solves_viscosity;
    const dlp_viscosity_loops *viscosity_loops;
    dlp_projection_params projection;

    float size_of[DLP_UNITS_LIMIT + 1]; /* of a particle by its units, over the finest's */
    double support;                     /* m: the largest 2h at the start */
    double finest;                      /* m: the smallest spacing */
    double width;                       /* m: the widest that they can spread across gravity */
    double verlet_margin;               /* share of a support by which lists reach further */
    float verlet_limit;                 /* m: how far a point may move before the lists are built anew */
    float velocity_lead;  /* share of a step by which the velocity in the sums is ahead of the last kick */
    double viscous_limit; /* of the step, in h^2 / nu */
    double tick_seconds;  /* s: a tick of the present interval */
} dlp_sph_params;

#endif
