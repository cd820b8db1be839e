/* How the cost of a scene follows from the size of its particles. */
#ifndef DLP_APP_COST_LAW_H
#define DLP_APP_COST_LAW_H

#include "particle_count.h"
#include "trial.h"

/* What a frame costs in relation to another size of particles. */
typedef struct dlp_cost_ratio {
    double motion; /* processor time of a frame's motion, over the trial's */
    double steps;  /* smallest steps, over the trial's */
    double count;  /* of particles */
} dlp_cost_ratio;

/* From a trial to the scene itself; both counts are one per substance. */
dlp_cost_ratio dlp_cost_ratio_of(const dlp_scene_def *scene, const dlp_trial *trial,
                                 const dlp_particle_count *coarse, const dlp_particle_count *fine);

/* Of all substances, start and emitted. */
double dlp_particle_count_sum(const dlp_scene_def *scene, const dlp_particle_count *counts);

#endif
