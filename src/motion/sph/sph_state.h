/* State of the smoothed particles: exactly what a checkpoint holds. All else follows from it and from the
 * parameters. */
#ifndef DLP_MOTION_SPH_SPH_STATE_H
#define DLP_MOTION_SPH_SPH_STATE_H

#include "motion/sph/particles.h"
#include "motion/sph/sph_clock.h"

/* What the lists of neighbours were built from. The lists themselves are not saved, but built from this. */
typedef struct dlp_listed {
    double time;           /* s: when; the bodies stand there as they stood then */
    double moved_bound;    /* m: no particle has moved farther since then */
    double speed_bound;    /* m/s: nor does one move faster until all are predicted again */
    int32_t *at[3];        /* low 32 bits of the position in units; wall points, which are scratch, follow */
    int32_t *sorted_at[3]; /* ... of the particles when they were sorted into cells; adapt.restraint */
    int32_t capacity;      /* points */
} dlp_listed;

/* X(array, name in a checkpoint, when). */
#define DLP_LISTED_FIELDS(X)                                                                                 \
    X(at[0], "lists/x", DLP_STORE_ALWAYS)                                                                    \
    X(at[1], "lists/y", DLP_STORE_ALWAYS)                                                                    \
    X(at[2], "lists/z", DLP_STORE_ALWAYS)                                                                    \
    X(sorted_at[0], "lists/sorted_x", DLP_STORE_RESTRAINT)                                                   \
    X(sorted_at[1], "lists/sorted_y", DLP_STORE_RESTRAINT)                                                   \
    X(sorted_at[2], "lists/sorted_z", DLP_STORE_RESTRAINT)

/* What of an emitter must survive a restart. */
typedef struct dlp_emitter_state {
    double travel; /* m since the last layer */
    double layers; /* emitted so far */
    double particles;
} dlp_emitter_state;

/* Sums since the span began, for the statistics. */
typedef struct dlp_sph_counts {
    int64_t substeps, force_evaluations, splits, merges;
    int64_t density_evaluations;
    int64_t full_evaluations; /* had all particles been the finest and made the smallest step */
    double dt_min, dt_max;    /* s */
    int64_t solves, density_passes, divergence_passes, viscosity_passes;
    int64_t capped;                    /* solves that ended before they were as exact as asked */
    double residual_sum, residual_max; /* of the solves for the density: mean and largest compression left */
} dlp_sph_counts;

typedef struct dlp_sph_state {
    dlp_particles particles;
    dlp_listed listed;
    dlp_sph_clock clock;
    int64_t next_id;
    double speed_scale;       /* m/s: what the scene was expected to reach at its start */
    double adapt_time;        /* s: when particles were last split and merged */
    double velocity_limit;    /* m/s: beyond it a step has failed */
    double smallest_dt_limit; /* s: the smallest step that a particle allowed when it was last due */
    double velocity_ahead;    /* s: by which velocities are ahead of positions; implicit_step.c */
    double dt_scale;          /* 1, or less after a step that had to be repeated */
    int32_t is_edited; /* a host changed particles: lists and accelerations are found anew before any moves */
    int32_t wakes_all; /* everything is evaluated at the next step: something changed for all */
    int32_t capped_in_row;       /* steps whose pressures were not found, up to now */
    int32_t *is_forced;          /* one per substance: accelerations hold a force of a host */
    double *stiffness;           /* m2/s2: derived, one per substance; for those that name none */
    dlp_emitter_state *emitters; /* one per emitter */
    dlp_sph_counts counts;
} dlp_sph_state;

struct dlp_sph;

/* sph_state.c */
dlp_status dlp_sph_state_init(struct dlp_sph *sph, dlp_error *error);
void dlp_sph_state_release(dlp_sph_state *state);
/* Room to note where so many points are listed. */
dlp_status dlp_listed_reserve(dlp_listed *listed, uint32_t kept, int32_t point_count, dlp_error *error);
void dlp_sph_state_manifest(struct dlp_sph *sph, dlp_manifest *manifest);
/* DLP_IO where a loaded state holds values that no run can have left. */
dlp_status dlp_sph_state_check(const struct dlp_sph *sph, dlp_error *error);

#endif
