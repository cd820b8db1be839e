#include "motion/host_force.h"
#include "base/memory.h"

#include <assert.h>

dlp_status dlp_host_forces_create(int32_t substance_count, dlp_host_forces **out_forces, dlp_error *error)
{
    dlp_host_forces *forces = *out_forces = dlp_alloc(1, sizeof *forces, "world");
    if (forces != NULL)
        forces->items = dlp_alloc((size_t)substance_count + 1, sizeof *forces->items, "world");
    if (forces == NULL || forces->items == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "world: no room for the forces of a host");
    forces->substance_count = substance_count;
    return DLP_OK;
}

void dlp_host_forces_destroy(dlp_host_forces *forces)
{
    if (forces != NULL) dlp_free(forces->items);
    dlp_free(forces);
}

void dlp_host_forces_set(dlp_host_forces *forces, int32_t substance, dlp_force_callback *call, void *user)
{
    dlp_host_force *item = &forces->items[substance];
    forces->active_count += (call != NULL) - (item->call != NULL);
    *item = (dlp_host_force){call, user};
}

static bool is_finite(dlp_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

void dlp_host_forces_call(dlp_host_forces *forces, int32_t substance, double time, dlp_force_buffer *buffer)
{
    assert(substance >= 0 && substance < forces->substance_count && buffer->count <= DLP_FORCE_BUFFER);
    const dlp_host_force *item = &forces->items[substance];
    for (int32_t k = 0; k < buffer->count; k++) buffer->force[k] = dlp_vec(0, 0, 0);
    const dlp_force_batch batch = {.size = sizeof batch,
                                   .substance = substance,
                                   .count = buffer->count,
                                   .time = time,
                                   .ids = buffer->id,
                                   .positions = buffer->position,
                                   .velocities = buffer->velocity,
                                   .masses = buffer->mass};
    item->call(&batch, buffer->force, item->user);
    for (int32_t k = 0; k < buffer->count; k++) {
        if (is_finite(buffer->force[k])) continue;
        buffer->force[k] = dlp_vec(0, 0, 0);
        __atomic_store_n(&forces->failed_substance, substance + 1, __ATOMIC_RELAXED);
    }
}

dlp_status dlp_host_forces_check(dlp_host_forces *forces, const dlp_scene_def *scene, dlp_error *error)
{
    const int32_t failed = forces->failed_substance;
    forces->failed_substance = 0;
    return failed == 0 ? DLP_OK
                       : dlp_fail(error, DLP_INVALID, "%s: the force of the host's callback is not finite",
                                  scene->substances[failed - 1].name);
}
