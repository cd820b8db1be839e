// Saving and loading a world: its manifest (what its solvers register), its scene, its time.
#include "record/checkpoint.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

// Saving changes nothing: extensions pack copies of their state before the manifest is asked for.
dlp_status dlp_world_save(const dlp_world *world, const char *path, dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_NEED(path, error);
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

// A copy of what the world holds, for the case that the checkpoint is refused.
typedef struct world_copy {
    dlp_manifest manifest;   // the data belong to `bytes`
    dlp_part_count *counts;  // one per part
    char *bytes;
} world_copy;

static size_t size_of_item(const dlp_manifest_item *item)
{
    const bool is_wide = item->type == DLP_FLOAT64 || item->type == DLP_INT64;
    return (size_t)item->count * (size_t)item->components * (is_wide ? 8 : 4);
}

static void release_copy(world_copy *copy)
{
    dlp_manifest_release(&copy->manifest);
    dlp_free(copy->counts);
    dlp_free(copy->bytes);
}

// `manifest`: of the world as it stands.
static dlp_status copy_world(const dlp_world *world, const dlp_manifest *manifest, world_copy *out_copy,
                             dlp_error *error)
{
    size_t size = 0;
    for (int32_t k = 0; k < manifest->count; k++) size += size_of_item(&manifest->items[k]);
    *out_copy = (world_copy){
        .counts = dlp_alloc((size_t)dlp_world_part_count(world), sizeof *out_copy->counts, "checkpoint"),
        .bytes = dlp_alloc(size + 1, 1, "checkpoint")};
    for (int32_t k = 0; k < manifest->count; k++) dlp_manifest_add(&out_copy->manifest, manifest->items[k]);
    if (out_copy->counts == NULL || out_copy->bytes == NULL || out_copy->manifest.is_short)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "checkpoint: no room to keep the present state");
    char *to = out_copy->bytes;
    for (int32_t k = 0; k < manifest->count; k++) {
        dlp_manifest_item *item = &out_copy->manifest.items[k];
        const size_t bytes = size_of_item(item);
        if (bytes > 0) memcpy(to, item->data, bytes);
        item->data = to;
        to += bytes;
        if (item->counts == DLP_COUNT_FREE) out_copy->counts[item->part].free = item->count;
        if (item->counts == DLP_COUNT_PARTICLES) out_copy->counts[item->part].particles = item->count;
    }
    return DLP_OK;
}

// The world as it was when it was copied. It cannot fail but for memory: there was room, and the values were
// the world's own.
static dlp_status put_back(dlp_world *world, const world_copy *copy)
{
    dlp_manifest now = {0};
    dlp_status status = dlp_world_begin_load(world, copy->counts, NULL);
    if (status == DLP_OK) status = dlp_world_manifest(world, &now, NULL);
    for (int32_t k = 0; status == DLP_OK && k < now.count; k++) {
        const size_t bytes = size_of_item(&copy->manifest.items[k]);
        if (bytes > 0) memcpy(now.items[k].data, copy->manifest.items[k].data, bytes);
    }
    dlp_manifest_release(&now);
    return status == DLP_OK ? dlp_world_end_load(world, NULL) : status;
}

// What the head says of the state must be so: a run goes on by the head.
static dlp_status compare_head(const dlp_world *world, const dlp_checkpoint_info *info, dlp_error *error)
{
    if (dlp_world_frame(world) == info->frame && dlp_world_time(world) == info->time &&
        dlp_world_particle_count(world) == info->particle_count)
        return DLP_OK;
    return dlp_fail(error, DLP_IO,
                    "damaged: its head says frame %" PRId32 ", %g s and %" PRId32
                    " particles; its state has frame %" PRId32 ", %g s and %" PRId32,
                    info->frame, info->time, info->particle_count, dlp_world_frame(world),
                    dlp_world_time(world), dlp_world_particle_count(world));
}

// `manifest` is asked for anew: arrays move when the solvers make room for the checkpoint's counts.
static dlp_status exchange_state(dlp_world *world, const dlp_checkpoint *checkpoint,
                                 const dlp_part_count *counts, dlp_manifest *manifest, dlp_error *error)
{
    DLP_TRY(dlp_world_begin_load(world, counts, error));
    manifest->count = 0;
    DLP_TRY(dlp_world_manifest(world, manifest, error));
    DLP_TRY(dlp_checkpoint_fetch(checkpoint, manifest->items, manifest->count, error));
    DLP_TRY(dlp_manifest_check_values(manifest, error));
    DLP_TRY(dlp_world_end_load(world, error));
    return compare_head(world, dlp_checkpoint_contents(checkpoint), error);
}

// All that can be checked is checked before the world's own state is given up; what is refused after that
// puts it back.
static dlp_status load_parts(dlp_world *world, const dlp_checkpoint *checkpoint, const char *path,
                             dlp_manifest *manifest, dlp_part_count *counts, dlp_error *error)
{
    DLP_TRY(dlp_world_begin_save(world, error));
    DLP_TRY(dlp_world_manifest(world, manifest, error));
    world_copy copy;
    dlp_status status = copy_world(world, manifest, &copy, error);
    if (status == DLP_OK) {
        count_rows(checkpoint, manifest, counts);
        status = dlp_checkpoint_match(checkpoint, manifest->items, manifest->count, error);
        if (status == DLP_OK) {
            status = exchange_state(world, checkpoint, counts, manifest, error);
            if (status != DLP_OK) {
                dlp_fail_at(error, status, "%s", path);
                put_back(world, &copy);
            }
        }
    }
    release_copy(&copy);
    return status;
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
    DLP_NEED(world, error);
    DLP_NEED(path, error);
    dlp_checkpoint *checkpoint;
    DLP_TRY(dlp_checkpoint_open(path, &checkpoint, error));
    const dlp_status status = load_state(world, checkpoint, path, error);
    dlp_checkpoint_close(checkpoint);
    return status;
}
