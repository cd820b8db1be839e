// Saving and loading a world: its manifest, its scene and where it stands.
#include "record/checkpoint.h"
#include "base/memory.h"

#include <inttypes.h>

dlp_status dlp_world_save(const dlp_world *world, const char *path, dlp_error *error)
{
    dlp_manifest_item items[DLP_MANIFEST_LIMIT];
    DLP_TRY(dlp_world_begin_save(world, error));
    const int32_t item_count = dlp_world_manifest(world, items);
    dlp_checkpoint_info info = {.frame = dlp_world_frame(world),
                                .time = dlp_world_time(world),
                                .particle_count = dlp_world_particle_count(world)};
    DLP_TRY(dlp_scene_write(dlp_world_scene_handle(world), &info.scene, error));
    const dlp_status status = dlp_checkpoint_write(path, &info, items, item_count, error);
    dlp_free(info.scene);
    return status;
}

// How much there is of each kind: what a kind's first item has. Smoothed particles are those that are neither
// of solids nor of cloth.
static void count_rows(const dlp_checkpoint *checkpoint, const dlp_manifest_item *items, int32_t item_count,
                       int32_t counts[DLP_COUNT_KINDS])
{
    for (int32_t k = item_count - 1; k >= 0; k--) {
        const dlp_count_kind kind = items[k].counts;
        if (kind != DLP_COUNT_FIXED && kind != DLP_COUNT_PARTICLES)
            counts[kind] = dlp_checkpoint_length(checkpoint, items[k].name);
    }
    counts[DLP_COUNT_PARTICLES] = dlp_checkpoint_contents(checkpoint)->particle_count -
                                  counts[DLP_COUNT_SOLID] - counts[DLP_COUNT_CLOTH];
}

// All that can be checked is checked before the world's own state is given up.
static dlp_status load_state(dlp_world *world, const dlp_checkpoint *checkpoint, const char *path,
                             dlp_error *error)
{
    dlp_manifest_item items[DLP_MANIFEST_LIMIT];
    int32_t counts[DLP_COUNT_KINDS] = {0};
    const int32_t item_count = dlp_world_manifest(world, items);
    count_rows(checkpoint, items, item_count, counts);
    for (int32_t k = 0; k < item_count; k++)
        if (items[k].counts != DLP_COUNT_FIXED) items[k].count = counts[items[k].counts];
    DLP_TRY(dlp_checkpoint_match(checkpoint, items, item_count, error));
    dlp_status status = dlp_world_begin_load(world, counts, error);
    if (status != DLP_OK) return dlp_fail_at(error, status, "%s", path);
    DLP_TRY(dlp_checkpoint_fetch(checkpoint, items, dlp_world_manifest(world, items), error));
    status = dlp_world_end_load(world, error);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "%s", path);
}

dlp_status dlp_world_load(dlp_world *world, const char *path, dlp_error *error)
{
    dlp_checkpoint *checkpoint;
    DLP_TRY(dlp_checkpoint_open(path, &checkpoint, error));
    const dlp_status status = load_state(world, checkpoint, path, error);
    dlp_checkpoint_close(checkpoint);
    return status;
}
