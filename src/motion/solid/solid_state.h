/* The state of solids: exactly what a checkpoint holds (solid_checkpoint.c). */
#ifndef DLP_MOTION_SOLID_STATE_H
#define DLP_MOTION_SOLID_STATE_H

#include "motion/solid/solid.h"

/* The inner clock. Its tick: a sub-step is so many of them, fewer where it must be repeated shorter. */
enum { DLP_SOLID_STEP_TICKS = 1024 };
typedef struct dlp_solid_clock {
    double start, end;  /* s: the interval */
    int32_t step_count; /* equal sub-steps it is cut into */
    int32_t step;       /* done: 0 .. step_count */
    int32_t tick;       /* done of the present one: 0 .. DLP_SOLID_STEP_TICKS - 1, a multiple of `stride` */
    int32_t stride;     /* ticks of the next: a power of two; 0 before the first interval */
} dlp_solid_clock;

typedef struct dlp_solid_counts { /* of this frame */
    int64_t substeps, solves;
    double dt_min, dt_max; /* s */
} dlp_solid_counts;

/* What later sub-steps make of the force on a body in earlier ones: solid_body_loads.c. */
typedef struct dlp_solid_echo {
    dlp_vec3 impulse, moment; /* N s, N m s about the world's origin */
} dlp_solid_echo;

/* Beside the particles. */
#define DLP_SOLID_STATE_ARRAYS(X)                                                                            \
    X(neighbour, int32_t, 1, DLP_PER_LINK) /* at the other end of a link now; -1: it was cut */              \
    X(echoes, dlp_solid_echo, 1, DLP_PER_BODY)

typedef struct dlp_solid_state {
    dlp_solid_particles particles;
    DLP_SOLID_STATE_ARRAYS(DLP_SOLID_MEMBER)
    dlp_solid_clock clock;
    double last_step;  /* s: the sub-step before; 0: none */
    double stiffening; /* of the stiffest region over what it is at rest, in that sub-step; 0: none yet */
    dlp_solid_counts counts;
} dlp_solid_state;

#endif
