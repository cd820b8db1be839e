/* What of a world a checkpoint holds, and how it comes back. */
#include "motion/world_parts.h"

// What values may come back: of what they mean, or so large that no run comes near them.
static void bound_values(dlp_manifest *manifest)
{
    dlp_manifest_bound(manifest, "world/frame", 0, 2e9);
    dlp_manifest_bound(manifest, "world/steps", 0, 1e18);
    dlp_manifest_bound(manifest, "world/phase", 0, 1);
    dlp_manifest_bound(manifest, "world/span", 0, 1e9);
    dlp_manifest_bound(manifest, "world/interval", 0, 1e9);
    dlp_manifest_bound(manifest, "world/ticks", 0, (double)DLP_INTERVAL_TICKS);
    dlp_manifest_bound(manifest, "world/solver_ticks", 0, (double)DLP_INTERVAL_TICKS);
    dlp_manifest_bound(manifest, "bodies/loads", -1e30, 1e30);
    dlp_manifest_bound(manifest, "bodies/hosts", -1e9, 1e9);
}

static void list_world(dlp_world *world, dlp_manifest *manifest)
{
    dlp_bodies *bodies = &world->setting->bodies;
    const dlp_manifest_item items[] = {
        {"world/frame", DLP_INT64, 1, 1, &world->frame, DLP_COUNT_FIXED, 0},
        {"world/steps", DLP_INT64, 1, 1, &world->step_count, DLP_COUNT_FIXED, 0},
        {"world/phase", DLP_INT32, 2, 1, &world->phase, DLP_COUNT_FIXED, 0},
        {"world/span", DLP_FLOAT64, 2, 1, &world->span_start, DLP_COUNT_FIXED, 0},
        {"world/interval", DLP_FLOAT64, 2, 1, &world->setting->clock.start, DLP_COUNT_FIXED, 0},
        {"world/ticks", DLP_INT64, 2, 1, &world->setting->clock.tick, DLP_COUNT_FIXED, 0},
        {"world/solver_ticks", DLP_INT64, 1, world->member_count, world->ticks, DLP_COUNT_FIXED, 0},
        {"bodies/loads", DLP_FLOAT64, 12, bodies->count * world->member_count, bodies->loads, DLP_COUNT_FIXED,
         0},
        {"bodies/hosts", DLP_FLOAT64, DLP_HOST_MOTION_SIZE, bodies->count, bodies->packed_hosts,
         DLP_COUNT_FIXED, 0},
    };
    dlp_bodies_pack(bodies);
    for (size_t k = 0; k < sizeof items / sizeof items[0]; k++) dlp_manifest_add(manifest, items[k]);
    bound_values(manifest);
}

// Says whose the items are that were added since `first`.
static void claim(dlp_manifest *manifest, int32_t first, int32_t part)
{
    for (int32_t k = first; k < manifest->count; k++) manifest->items[k].part = part;
}

int32_t dlp_world_part_count(const dlp_world *world)
{
    return world->member_count + 1;
}

dlp_status dlp_world_manifest(const dlp_world *world, dlp_manifest *manifest, dlp_error *error)
{
    const dlp_state_extension *extension = &world->extension;
    for (int32_t k = 0; k < world->member_count; k++) {
        const int32_t first = manifest->count;
        world->members[k].type->manifest(world->members[k].self, manifest);
        claim(manifest, first, k);
    }
    const int32_t first = manifest->count;
    list_world((dlp_world *)(uintptr_t)world, manifest);
    if (extension->user != NULL) extension->manifest(extension->user, manifest);
    if (world->observer.user != NULL) world->observer.manifest(world->observer.user, manifest);
    claim(manifest, first, world->member_count);
    return dlp_manifest_check(manifest, error);
}

dlp_status dlp_world_begin_save(const dlp_world *world, dlp_error *error)
{
    const dlp_state_extension *extension = &world->extension;
    return extension->user != NULL ? extension->begin_save(extension->user, error) : DLP_OK;
}

dlp_status dlp_world_begin_load(dlp_world *world, const dlp_part_count *counts, dlp_error *error)
{
    for (int32_t k = 0; k < world->member_count; k++) {
        const dlp_status status =
            world->members[k].type->begin_load(world->members[k].self, counts[k].particles, error);
        if (status != DLP_OK)
            return dlp_fail_at(error, status, "checkpoint: %s", world->members[k].type->name);
    }
    const dlp_state_extension *extension = &world->extension;
    if (extension->user == NULL) return DLP_OK;
    return extension->begin_load(extension->user, counts[world->member_count].free, error);
}

static bool is_clock_sane(const dlp_world *world)
{
    const dlp_clock *c = &world->setting->clock;
    bool is_sane = c->end >= c->start && c->tick <= c->end_tick && world->span_end >= world->span_start;
    for (int32_t k = 0; k < world->member_count; k++)
        is_sane = is_sane && world->ticks[k] >= c->tick && world->ticks[k] <= c->end_tick;
    return is_sane;
}

dlp_status dlp_world_end_load(dlp_world *world, dlp_error *error)
{
    if (!is_clock_sane(world) || !dlp_bodies_unpack(&world->setting->bodies))
        return dlp_fail(error, DLP_IO,
                        "checkpoint: its clock or its bodies hold values that no run can have left");
    for (int32_t k = 0; k < world->member_count; k++) {
        dlp_setting_set_tick(world->setting, world->ticks[k]);
        DLP_TRY(world->members[k].type->end_load(world->members[k].self, error));
    }
    dlp_setting_set_tick(world->setting, world->setting->clock.tick);
    world->watch.has_started = false;
    if (world->observer.user != NULL) DLP_TRY(world->observer.end_load(world->observer.user, error));
    const dlp_state_extension *extension = &world->extension;
    return extension->user != NULL ? extension->end_load(extension->user, error) : DLP_OK;
}

void dlp_world_observe(dlp_world *world, const dlp_step_observer *observer)
{
    world->observer = *observer;
}

void dlp_world_unobserve(dlp_world *world, const void *user)
{
    if (world->observer.user == user) world->observer = (dlp_step_observer){0};
}

double dlp_world_span_start(const dlp_world *world)
{
    return world->span_start;
}

void dlp_world_register(dlp_world *world, const dlp_state_extension *extension)
{
    world->extension = *extension;
}

void *dlp_world_extension(const dlp_world *world)
{
    return world->extension.user;
}

void dlp_world_unregister(dlp_world *world, const void *user)
{
    if (world->extension.user == user) world->extension = (dlp_state_extension){0};
}
