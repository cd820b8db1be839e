#include "motion/setting.h"

dlp_status dlp_setting_init(dlp_setting *setting, const dlp_scene_def *model, int32_t solver_count,
                            dlp_error *error)
{
    setting->clock = (dlp_clock){.tick = DLP_INTERVAL_TICKS, .end_tick = DLP_INTERVAL_TICKS};
    DLP_TRY(dlp_conditions_init(&setting->conditions, model, 0, error));
    DLP_TRY(dlp_bodies_init(&setting->bodies, &setting->conditions.now, solver_count, error));
    dlp_bodies_place(&setting->bodies, 0);
    for (int32_t k = 0; k < model->probe_count; k++)
        if (model->probes[k].measure == DLP_MEASURE_FORCE) setting->measures_loads = true;
    return dlp_host_forces_create(model->substance_count, &setting->forces, error);
}

void dlp_setting_release(dlp_setting *setting)
{
    if (setting == NULL) return;
    dlp_bodies_release(&setting->bodies);
    dlp_conditions_release(&setting->conditions);
    dlp_host_forces_destroy(setting->forces);
}

dlp_solver_context dlp_setting_context(const dlp_setting *setting, int32_t index, dlp_team *team,
                                       dlp_target target)
{
    return (dlp_solver_context){.conditions = &setting->conditions,
                                .bodies = &setting->bodies,
                                .clock = &setting->clock,
                                .loads = dlp_bodies_loads(&setting->bodies, index),
                                .forces = setting->forces,
                                .measures_loads = setting->measures_loads,
                                .first_id = (int64_t)index << DLP_SOLVER_ID_BITS,
                                .team = team,
                                .target = target};
}

void dlp_setting_begin(dlp_setting *setting, double start, double end)
{
    setting->clock = (dlp_clock){.start = start, .end = end, .end_tick = DLP_INTERVAL_TICKS};
    dlp_bodies_begin(&setting->bodies, start, end);
    dlp_setting_set_tick(setting, 0);
}

void dlp_setting_set_tick(dlp_setting *setting, int64_t tick)
{
    const double time = dlp_clock_time(&setting->clock, tick);
    dlp_conditions_set_time(&setting->conditions, time);
    dlp_bodies_place(&setting->bodies, time);
}

dlp_status dlp_setting_exchange(dlp_setting *setting, const dlp_scene_def *model, dlp_error *error)
{
    const double now = dlp_clock_time(&setting->clock, setting->clock.tick);
    dlp_conditions old = setting->conditions;
    setting->conditions = (dlp_conditions){0};
    const dlp_status status = dlp_conditions_init(&setting->conditions, model, now, error);
    if (status != DLP_OK) {
        setting->conditions = old;
        return status;
    }
    dlp_bodies_change(&setting->bodies, &setting->conditions.now, now);
    dlp_conditions_release(&old);
    return DLP_OK;
}
