#include "fixture_sph.h"

#include <string.h>

void dlp_block_close(dlp_block *block)
{
    dlp_sph_destroy(block->sph);
    dlp_team_destroy(block->team);
    dlp_scene_destroy(block->scene);
    *block = (dlp_block){0};
}

static dlp_status build(dlp_block *block, const char *text, int32_t thread_count, dlp_error *error)
{
    DLP_TRY(dlp_scene_read_text(text, strlen(text), "block", NULL, &block->scene, error));
    const dlp_scene_def *def;
    DLP_TRY(dlp_scene_resolve(block->scene, &def, error));
    DLP_TRY(dlp_team_create(thread_count, &block->team, error));
    const dlp_world_options options = {0};
    return dlp_sph_create(dlp_scene_def_mutable(block->scene), NULL, &options, block->team, &block->sph,
                          error);
}

dlp_status dlp_block_open(dlp_block *block, const char *text, int32_t thread_count, dlp_error *error)
{
    *block = (dlp_block){0};
    const dlp_status status = build(block, text, thread_count, error);
    if (status != DLP_OK) dlp_block_close(block);
    return status;
}

static bool stop_after_one(void *context)
{
    (void)context;
    return false;
}

dlp_status dlp_block_step(dlp_sph *sph, dlp_error *error)
{
    if (dlp_sph_is_done(sph)) dlp_sph_begin(sph, dlp_clock_time(&sph->clock) + 1 / sph->scene->frame_rate);
    const dlp_status status = dlp_sph_advance(sph, stop_after_one, NULL, error);
    return status == DLP_INTERRUPTED ? DLP_OK : status;
}
