/* A solver by itself, without a world. */
#ifndef TESTS_SUPPORT_SOLO_H
#define TESTS_SUPPORT_SOLO_H

#include "base/memory.h"
#include "motion/setting.h"

/* On the heap, since it must not move; NULL where the scene's obstacles cannot be made. */
static inline dlp_setting *make_setting(const dlp_scene_def *scene)
{
    dlp_setting *setting = dlp_alloc(1, sizeof *setting, "test");
    if (setting != NULL && dlp_setting_init(setting, scene, 1, NULL) == DLP_OK) return setting;
    if (setting != NULL) dlp_setting_release(setting);
    dlp_free(setting);
    return NULL;
}

static inline void free_setting(dlp_setting *setting)
{
    if (setting != NULL) dlp_setting_release(setting);
    dlp_free(setting);
}

static inline dlp_solver_context make_context(const dlp_setting *setting, dlp_team *team,
                                              const char *instruction_set)
{
    dlp_target target = 0;
    dlp_target_choose(instruction_set, &target, NULL);
    return dlp_setting_context(setting, 0, team, target);
}

/* The conditions follow what a test changed in its scene. */
static inline void refresh_conditions(dlp_scene_def *now, const dlp_scene_def *scene)
{
    now->gravity = scene->gravity;
    now->wind = scene->wind;
    now->air_density = scene->air_density;
    now->step = scene->step;
    for (int32_t k = 0; k < scene->substance_count; k++) now->substances[k] = scene->substances[k];
    for (int32_t k = 0; k < scene->obstacle_count; k++) now->obstacles[k] = scene->obstacles[k];
    for (int32_t k = 0; k < scene->attachment_count; k++) now->attachments[k] = scene->attachments[k];
    for (int32_t k = 0; k < scene->load_count; k++) now->loads[k] = scene->loads[k];
    for (int32_t k = 0; k < scene->blade_count; k++) now->blades[k] = scene->blades[k];
}

/* An interval begins, with the scene as it is now. */
static inline void begin_solo(dlp_setting *setting, const dlp_scene_def *scene, const dlp_solver *solver,
                              void *self, double start, double end)
{
    refresh_conditions(&setting->conditions.now, scene);
    dlp_setting_begin(setting, start, end);
    solver->begin_span(self);
    solver->begin(self);
}

/* At most `limit` steps of it. */
static inline dlp_status step_solo(dlp_setting *setting, const dlp_solver *solver, void *self, int32_t limit,
                                   dlp_error *error)
{
    for (int32_t k = 0; k < limit && setting->clock.tick < setting->clock.end_tick; k++) {
        for (bool is_done = false; !is_done;) {
            const int64_t tick = solver->next_tick(self);
            dlp_setting_set_tick(setting, tick);
            DLP_TRY(solver->advance(self, tick, &is_done, error));
            if (is_done) setting->clock.tick = tick;
        }
    }
    return DLP_OK;
}

#endif
