/* What solvers move in: the conditions, the bodies, the clock and the forces of a host. A world has one; so
 * has whoever wants a solver by itself, or only the bodies of a scene. */
#ifndef DLP_MOTION_SETTING_H
#define DLP_MOTION_SETTING_H

#include "motion/solver.h"

typedef struct dlp_setting {
    dlp_conditions conditions; /* at the tick of whoever moves */
    dlp_bodies bodies;         /* likewise */
    dlp_clock clock;
    dlp_host_forces *forces; /* of a host on particles */
    bool measures_loads;     /* somebody wants to know the loads on bodies */
} dlp_setting;

/* The setting of a resolved scene, which must outlive it, at time 0, with loads for `solver_count` solvers.
 * `setting` is all zero before, and must not move in memory after. */
dlp_status dlp_setting_init(dlp_setting *setting, const dlp_scene_def *model, int32_t solver_count,
                            dlp_error *error);
void dlp_setting_release(dlp_setting *setting);
/* What a solver is made with, the `index`th of the setting's. */
dlp_solver_context dlp_setting_context(const dlp_setting *setting, int32_t index, dlp_team *team,
                                       dlp_target target);
/* An interval from `start` to `end`, s, begins. */
void dlp_setting_begin(dlp_setting *setting, double start, double end);
/* Conditions and bodies as they are at a tick of the clock. */
void dlp_setting_set_tick(dlp_setting *setting, int64_t tick);
/* Another model takes the place of the present one, of which nobody has a pointer after that. */
dlp_status dlp_setting_exchange(dlp_setting *setting, const dlp_scene_def *model, dlp_error *error);

#endif
