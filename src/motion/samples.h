/* Contact samples: the store through which solvers meet.
 *
 * An owner (a body; later a solid, a sheet) shows its surface as samples. A consumer takes those that are
 * near it, finds them placed for a stated interval of ticks, and leaves at each the force that it exerts on
 * the owner. The owner's load is the sum over its samples in a fixed order: samples in the order of their
 * set, in blocks of DLP_SAMPLE_BLOCK, blocks in order. It gets impulses by the same rule by which the
 * consumer's particles are kicked, so that momentum is handed over and not only force.
 *
 * Who writes what: a set belongs to whoever made it and is constant afterwards. The consumer owns its store;
 * it fills `owner`, `set`, `point`, `volume`, `by_owner` and the runs when it takes samples, and `force` at
 * each step; dlp_samples_place writes the rest. */
#ifndef DLP_MOTION_SAMPLES_H
#define DLP_MOTION_SAMPLES_H

#include "base/parallel.h"
#include "motion/body.h"
#include "scene/kernel_kind.h"

enum { DLP_SAMPLE_BLOCK = 256 };

/* A surface at rest, in its owner's frame: layers of points below it, as frozen substance lies. */
#define DLP_SAMPLE_SET_FIELDS(X)                                                                             \
    X(at, dlp_vec3)       /* m */                                                                            \
    X(normal, dlp_vec3)   /* of the surface nearest to it, outward */                                        \
    X(face, dlp_vec3)     /* where the owner is thin: the normal times the distance to the face, m; else 0.  \
                           * Such a point stands for one side, and is seen only from there */                \
    X(depth, float)       /* m: below the surface */                                                         \
    X(volume, float)      /* m3 (2-D: m2) */                                                                 \
    X(own, float)         /* sum of V W over the points of this set */                                       \
    X(sum_at_rest, float) /* ... with substance at rest outside */

typedef struct dlp_sample_set {
    int32_t count, capacity;
    double spacing, h; /* m: of the particles for which it was made */
#define X(name, type) type *name;
    DLP_SAMPLE_SET_FIELDS(X)
#undef X
    dlp_vec3 *block_middle; /* m: spheres around runs of DLP_SAMPLE_BLOCK / 2 points, */
    double *block_radius;   /* m: which follow one another in space */
    bool is_thin;           /* somewhere */
} dlp_sample_set;
enum { DLP_SAMPLE_RUN = DLP_SAMPLE_BLOCK / 2 };

/* For whom a surface is sampled. */
typedef struct dlp_sample_request {
    const dlp_shape *shape;
    dlp_box region; /* in the shape's frame: nothing outside of it is ever met */
    int32_t dimension;
    double spacing, h; /* m */
    dlp_kernel_kind kernel;
    /* W of the consumer, calibrated, at a distance: 1/m3 (1/m2) */
    double (*weight)(const void *context, double r, double h);
    const void *context;
    bool takes_pressure; /* the samples have the consumer's pressure, and no density of their own */
    dlp_team *team;
} dlp_sample_request;

/* body_samples.c */
dlp_status dlp_sample_set_make(const dlp_sample_request *request, dlp_sample_set *out_set, dlp_error *error);
void dlp_sample_set_release(dlp_sample_set *set);

#define DLP_SAMPLE_FIELDS(X)                                                                                 \
    X(owner, int32_t, 1)    /* body */                                                                       \
    X(set, int32_t, 1)      /* among the consumer's sets, and */                                             \
    X(point, int32_t, 1)    /* in that set: where it comes from */                                           \
    X(position, double, 3)  /* m */                                                                          \
    X(velocity, float, 3)   /* m/s */                                                                        \
    X(normal, float, 3)     /* outward */                                                                    \
    X(volume, float, 1)     /* m3 (m2), without what lies in an owner that was named earlier */              \
    X(force, float, 3)      /* N: of the consumer on the owner, at the last step */                          \
    X(by_owner, int32_t, 1) /* places in the store, run after run */

/* Samples of one set: by_owner[begin .. end - 1]. */
typedef struct dlp_sample_run {
    int32_t owner, begin, end;
    int32_t first_block; /* of dlp_samples.block_sums */
} dlp_sample_run;

typedef struct dlp_sample_sum {
    dlp_vec3 force, torque; /* N, N m about the owner's pivot */
} dlp_sample_sum;

typedef struct dlp_samples {
    int32_t count, capacity;
    int64_t from_tick, to_tick; /* of the world's clock: position, velocity and normal hold, both included */
#define X(name, type, components) type *name;
    DLP_SAMPLE_FIELDS(X)
#undef X
    const dlp_sample_set *sets; /* borrowed from the consumer */
    dlp_sample_run *runs;
    int32_t run_count, run_capacity;
    dlp_sample_sum *block_sums; /* scratch of dlp_samples_hand_back */
    int32_t *block_run;         /* of each block: its run */
    int32_t block_capacity, block_run_capacity;
} dlp_samples;

/* Makes room; what is there stays. */
dlp_status dlp_samples_reserve(dlp_samples *samples, int32_t count, dlp_error *error);
dlp_status dlp_samples_add_run(dlp_samples *samples, int32_t owner, int32_t begin, int32_t end,
                               dlp_error *error);
void dlp_samples_clear(dlp_samples *samples);
void dlp_samples_release(dlp_samples *samples);

/* Position, velocity and normal with the bodies as they stand now, which is at `tick`. They hold at that tick
 * alone, or for good where no body moves. */
void dlp_samples_place(dlp_samples *samples, dlp_team *team, const dlp_bodies *bodies, int64_t tick);
/* An interval begins, with ticks of its own: what held at one tick alone does not hold any more. */
static inline void dlp_samples_begin(dlp_samples *samples)
{
    if (samples->to_tick < INT64_MAX) samples->to_tick = -1;
}
static inline bool dlp_samples_hold(const dlp_samples *samples, int64_t tick)
{
    return samples->from_tick <= tick && tick <= samples->to_tick;
}

/* The forces become the loads of their owners; the impulse of the step of `seconds` that led to them is that
 * of the mean of the forces at its start, which the loads still hold, and at its end. */
void dlp_samples_hand_back(dlp_samples *samples, dlp_team *team, const dlp_bodies *bodies, double seconds,
                           dlp_body_load *loads);

#endif
