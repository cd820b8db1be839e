/* Forces of a host on the particles of a substance (dlp_world_set_force), as solvers call for them.
 *
 * A solver that evaluates forces fills a buffer with particles of one substance, calls dlp_host_forces_call
 * and adds what the buffer then holds to what else acts on them. Buffers are filled and called for on all
 * threads; the contents of a buffer follow from the state alone, so that results do not depend on the
 * threads. */
#ifndef DLP_MOTION_HOST_FORCE_H
#define DLP_MOTION_HOST_FORCE_H

#include "base/status.h"
#include "base/vec.h"
#include "scene/scene.h"

enum { DLP_FORCE_BUFFER = 256 }; /* particles for which a callback is called at once, at most */

typedef struct dlp_host_force {
    dlp_force_callback *call; /* NULL: the substance has none */
    void *user;
} dlp_host_force;

/* The forces of a world's host. */
typedef struct dlp_host_forces {
    dlp_host_force *items;    /* one per substance of the scene */
    int32_t substance_count;  /* of the scene */
    int32_t active_count;     /* substances that have a callback */
    int32_t failed_substance; /* set by any thread: 1 + a substance whose callback gave what is no number */
} dlp_host_forces;

dlp_status dlp_host_forces_create(int32_t substance_count, dlp_host_forces **out_forces, dlp_error *error);
void dlp_host_forces_destroy(dlp_host_forces *forces);
/* Instead of what the substance has; NULL: none. */
void dlp_host_forces_set(dlp_host_forces *forces, int32_t substance, dlp_force_callback *call, void *user);

/* Refuses to go on once a callback gave what is no number; says so once. `scene` has the substances' names.
 */
dlp_status dlp_host_forces_check(dlp_host_forces *forces, const dlp_scene_def *scene, dlp_error *error);

/* Particles of one substance; a local variable of the loop that fills it. */
typedef struct dlp_force_buffer {
    int32_t count;                       /* 0 .. DLP_FORCE_BUFFER */
    int32_t particle[DLP_FORCE_BUFFER];  /* in the solver's order: for the solver alone */
    int64_t id[DLP_FORCE_BUFFER];        /* as the world's fields have it: with the context's `first_id` */
    dlp_vec3 position[DLP_FORCE_BUFFER]; /* m */
    dlp_vec3 velocity[DLP_FORCE_BUFFER]; /* m/s */
    double mass[DLP_FORCE_BUFFER];       /* kg (2-D: kg/m) */
    dlp_vec3 force[DLP_FORCE_BUFFER];    /* N (2-D: N/m): set by dlp_host_forces_call; finite */
} dlp_force_buffer;

/* Whether the host acts on a substance. */
static inline bool dlp_host_forces_act_on(const dlp_host_forces *forces, int32_t substance)
{
    return forces->active_count > 0 && forces->items[substance].call != NULL;
}

/* The forces on the buffer's particles, all of `substance`, at `time`, s. Where the callback gives what is no
 * number, the force is 0 and the world ends the step with a message that names the substance. */
void dlp_host_forces_call(dlp_host_forces *forces, int32_t substance, double time, dlp_force_buffer *buffer);

#endif
