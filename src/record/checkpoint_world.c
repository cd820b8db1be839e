// Saving and loading a world: its manifest (what its solvers register), its scene, its time.
#include "record/checkpoint.h"
#include "base/memory.h"

// Saving changes nothing: extensions pack copies of their state before the manifest is asked for.
dlp_status dlp_world_save(const dlp_world *world, const char *path, dlp_error *error)
{
    dlp_manifest manifest = {0};
    dlp_checkpoint_info info = {.frame = dlp_world_frame(world),
                                .time = dlp_world_time(world),
                                .particle_count = dlp_world_particle_count(world)};
    dlp_status status = dlp_world_begin_save(world, error);
    if (status == DLP_OK) status = dlp_world_manifest(world, &manifest, error);
    if (status == DLP_OK) status = dlp_scene_write(dlp_world_scene_handle(world), &info.scene, error);
    if (status == DLP_OK) status = dlp_checkpoint_write(path, &info, manifest.items, manifest.count, error);
    dlp_free(info.scene);
    dlp_manifest_release(&manifest);
    return status;
}

// How many rows the checkpoint has of each part: what the first item of a kind says, hence from the last to
// the first. All items of that kind are then expected to have as many.
static void count_rows(const dlp_checkpoint *checkpoint, dlp_manifest *manifest, dlp_part_count *counts)
{
    for (int32_t k = manifest->count - 1; k >= 0; k--) {
        const dlp_manifest_item *item = &manifest->items[k];
        if (item->counts == DLP_COUNT_FIXED) continue;
        const int32_t rows = dlp_checkpoint_length(checkpoint, item->name);
        *(item->counts == DLP_COUNT_FREE ? &counts[item->part].free : &counts[item->part].particles) = rows;
    }
    for (int32_t k = 0; k < manifest->count; k++) {
        dlp_manifest_item *item = &manifest->items[k];
        if (item->counts == DLP_COUNT_FREE) item->count = counts[item->part].free;
        if (item->counts == DLP_COUNT_PARTICLES) item->count = counts[item->part].particles;
    }
}

// All that can be checked is checked before the world's own state is given up. The manifest is asked for
// twice: arrays move when the solvers make room for the checkpoint's counts.
static dlp_status load_parts(dlp_world *world, const dlp_checkpoint *checkpoint, const char *path,
                             dlp_manifest *manifest, dlp_part_count *counts, dlp_error *error)
{
    DLP_TRY(dlp_world_manifest(world, manifest, error));
    count_rows(checkpoint, manifest, counts);
    DLP_TRY(dlp_checkpoint_match(checkpoint, manifest->items, manifest->count, error));
    dlp_status status = dlp_world_begin_load(world, counts, error);
    if (status != DLP_OK) return dlp_fail_at(error, status, "%s", path);
    manifest->count = 0;
    DLP_TRY(dlp_world_manifest(world, manifest, error));
    DLP_TRY(dlp_checkpoint_fetch(checkpoint, manifest->items, manifest->count, error));
    status = dlp_world_end_load(world, error);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "%s", path);
}

// `counts`: one entry per part of the world, zeroed.
static dlp_status load_state(dlp_world *world, const dlp_checkpoint *checkpoint, const char *path,
                             dlp_error *error)
{
    dlp_manifest manifest = {0};
    dlp_part_count *counts = dlp_alloc((size_t)dlp_world_part_count(world), sizeof *counts, "checkpoint");
    const dlp_status status = counts != NULL
                                  ? load_parts(world, checkpoint, path, &manifest, counts, error)
                                  : dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room to read it", path);
    dlp_free(counts);
    dlp_manifest_release(&manifest);
    return status;
}

dlp_status dlp_world_load(dlp_world *world, const char *path, dlp_error *error)
{
    dlp_checkpoint *checkpoint;
    DLP_TRY(dlp_checkpoint_open(path, &checkpoint, error));
    const dlp_status status = load_state(world, checkpoint, path, error);
    dlp_checkpoint_close(checkpoint);
    return status;
}
