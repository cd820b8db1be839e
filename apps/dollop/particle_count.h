/* How many particles a scene has, from volumes, areas and lengths: nothing is filled. */
#ifndef DLP_APP_PARTICLE_COUNT_H
#define DLP_APP_PARTICLE_COUNT_H

#include "scene/scene.h"

/* Of one substance. All-zero is none. */
typedef struct dlp_particle_count {
    double start;   /* before any merge */
    double emitted; /* over the scene's length, before sinks take any */
} dlp_particle_count;

/* What counting needs of a scene, read once: shapes and files. All-zero is empty. */
typedef struct dlp_particle_counter {
    const dlp_scene_def *scene; /* borrowed */
    struct dlp_counted_substance *substances;
} dlp_particle_counter;

/* Reads meshes and point files. `is_stopped` (may be NULL) is asked now and then; where it says yes the call
 * ends with DLP_INTERRUPTED. Release the counter, also after a failure. */
dlp_status dlp_particle_counter_init(dlp_particle_counter *counter, const dlp_scene_def *scene,
                                     bool (*is_stopped)(void), dlp_error *error);
void dlp_particle_counter_release(dlp_particle_counter *counter);

/* One count per substance, for particles `factor` times as large as the scene has them. Fails where a fill
 * would: no particle fits, too many are needed, a mouth is smaller than a particle. */
dlp_status dlp_count_particles(const dlp_particle_counter *counter, double factor,
                               dlp_particle_count *out_counts, dlp_error *error);

/* The share of a substance that starts inside an obstacle or inside a substance named before, and is left
 * out; about 0.01 of error. */
double dlp_particle_counter_lost(const dlp_particle_counter *counter, int32_t substance);

/* Whether larger particles are fewer: not of point files and meshes of cloth, which have theirs. */
bool dlp_particle_counter_can_scale(const dlp_particle_counter *counter, int32_t substance);

#endif
