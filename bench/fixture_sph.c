#include "fixture_sph.h"

#include <string.h>

void dlp_sph_fixture_close(dlp_sph_fixture *fixture)
{
    dlp_sph_destroy(fixture->sph);
    dlp_team_destroy(fixture->team);
    dlp_scene_destroy(fixture->scene);
    *fixture = (dlp_sph_fixture){0};
}

static dlp_status build(dlp_sph_fixture *fixture, const char *text, int32_t thread_count, dlp_error *error)
{
    DLP_TRY(dlp_scene_read_text(text, strlen(text), "block", NULL, &fixture->scene, error));
    const dlp_scene_def *def;
    DLP_TRY(dlp_scene_resolve(fixture->scene, &def, error));
    DLP_TRY(dlp_team_create(thread_count, &fixture->team, error));
    const dlp_world_options options = {0};
    return dlp_sph_create(dlp_scene_def_mutable(fixture->scene), NULL, &options, fixture->team, &fixture->sph,
                          error);
}

dlp_status dlp_sph_fixture_open(dlp_sph_fixture *fixture, const char *text, int32_t thread_count,
                                dlp_error *error)
{
    *fixture = (dlp_sph_fixture){0};
    const dlp_status status = build(fixture, text, thread_count, error);
    if (status != DLP_OK) dlp_sph_fixture_close(fixture);
    return status;
}

static bool stop_after_one(void *context)
{
    (void)context;
    return false;
}

dlp_status dlp_sph_fixture_step(dlp_sph *sph, dlp_error *error)
{
    if (dlp_sph_is_done(sph)) dlp_sph_begin(sph, dlp_clock_time(&sph->clock) + 1 / sph->scene->frame_rate);
    const dlp_status status = dlp_sph_advance(sph, stop_after_one, NULL, error);
    return status == DLP_INTERRUPTED ? DLP_OK : status;
}
