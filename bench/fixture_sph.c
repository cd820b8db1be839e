// A world of smoothed particles whose steps are made one by one.
#include "fixture_sph.h"

#include <string.h>

void dlp_sph_fixture_close(dlp_sph_fixture *fixture)
{
    dlp_sph_destroy(fixture->sph);
    dlp_setting_release(&fixture->setting);
    dlp_team_destroy(fixture->team);
    dlp_scene_destroy(fixture->scene);
    *fixture = (dlp_sph_fixture){0};
}

static dlp_status build(dlp_sph_fixture *fixture, const char *text, int32_t thread_count, dlp_error *error)
{
    DLP_TRY(dlp_scene_read_text(text, strlen(text), "block", NULL, &fixture->scene, error));
    const dlp_scene_def *def;
    dlp_target target;
    DLP_TRY(dlp_scene_resolve(fixture->scene, &def, error));
    DLP_TRY(dlp_target_choose(NULL, &target, error));
    DLP_TRY(dlp_team_create(thread_count, &fixture->team, error));
    DLP_TRY(dlp_setting_init(&fixture->setting, def, 1, error));
    const dlp_solver_context context = dlp_setting_context(&fixture->setting, 0, fixture->team, target);
    return dlp_sph_create(&context, &fixture->sph, error);
}

dlp_status dlp_sph_fixture_open(dlp_sph_fixture *fixture, const char *text, int32_t thread_count,
                                dlp_error *error)
{
    *fixture = (dlp_sph_fixture){0};
    const dlp_status status = build(fixture, text, thread_count, error);
    if (status != DLP_OK) dlp_sph_fixture_close(fixture);
    return status;
}

void dlp_sph_fixture_begin(dlp_sph_fixture *fixture)
{
    const double now = dlp_sph_clock_time(&fixture->sph->state.clock);
    dlp_setting_begin(&fixture->setting, now, now + 1 / fixture->sph->scene->frame_rate);
    dlp_sph_begin(fixture->sph);
}

dlp_status dlp_sph_fixture_step(dlp_sph_fixture *fixture, dlp_error *error)
{
    const dlp_solver *solver = &dlp_sph_solver;
    if (fixture->sph->state.clock.tick == fixture->sph->state.clock.stop) dlp_sph_fixture_begin(fixture);
    for (bool is_done = false; !is_done;) {
        const int64_t tick = solver->next_tick(fixture->sph);
        dlp_setting_set_tick(&fixture->setting, tick);
        DLP_TRY(solver->advance(fixture->sph, tick, &is_done, error));
    }
    return DLP_OK;
}
