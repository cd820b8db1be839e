/* Whether what a world has become can have come from what was put in: a run that gains energy out of nothing,
 * or loses its density, ends with a message instead of with pictures.
 *
 * The watch only reads. It starts anew whenever a host changes the world and after a checkpoint was loaded,
 * so that it is no state of a run. */
#ifndef DLP_MOTION_WATCH_H
#define DLP_MOTION_WATCH_H

#include "base/status.h"
#include "base/vec.h"

/* All-zero is one that has not started. */
typedef struct dlp_watch {
    bool has_started;
    double stored;       /* J: kinetic and elastic energy at the start */
    double gravity_work; /* J: of gravity since then */
    double gravity_most; /* J: the most that this was */
    double driven_speed; /* m/s: the fastest of what the scene or a host drives */
    double time;         /* s: of the last look */
    dlp_vec3 gravity;    /* m/s2: then */
    dlp_vec3 momentum;   /* kg m/s: then */
} dlp_watch;

/* How many times the energy that can have been put in: speeds are twice the largest possible ones. */
#define DLP_WATCH_ENERGY 4.0
/* The mean of all liquids' densities may be above that at rest by half of it. */
#define DLP_WATCH_DENSITY 0.5

struct dlp_world;
/* Before the world moves: what there is. */
dlp_status dlp_watch_begin(struct dlp_world *world, dlp_error *error);
/* After it moved: DLP_DIVERGED where it has more energy than can have been put in, or lost its density. */
dlp_status dlp_watch_look(struct dlp_world *world, dlp_error *error);

#endif
