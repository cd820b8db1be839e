#include "motion/cloth/cloth_contact_phases.h"

enum { GRAIN = 1024 };

static dlp_cloth_parts parts_of(dlp_cloth *cloth, double time, double step)
{
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    return (dlp_cloth_parts){.particles = &cloth->state.particles,
                             .triangles = &cloth->params.triangles,
                             .links = &cloth->params.links,
                             .corners = &cloth->state.corners,
                             .ends = &cloth->state.ends,
                             .fabrics = cloth->params.fabrics,
                             .scene = cloth->params.scene,
                             .obstacles = cloth->params.bodies,
                             .team = cloth->params.team,
                             .time = time,
                             .step = step,
                             .start = motion->start,
                             .effective = motion->effective,
                             .is_pinned = motion->is_pinned};
}

dlp_status dlp_cloth_init_contacts(dlp_cloth *cloth, dlp_error *error)
{
    const dlp_cloth_parts parts = parts_of(cloth, 0, 0);
    return dlp_cloth_contact_init(&cloth->contact, &parts, error);
}

dlp_status dlp_cloth_rebuild_contacts(dlp_cloth *cloth, dlp_error *error)
{
    const dlp_cloth_parts parts = parts_of(cloth, 0, 0);
    return dlp_cloth_contact_rebuild(&cloth->contact, &parts, error);
}

void dlp_cloth_restore_air(dlp_cloth *cloth)
{
    const dlp_cloth_parts parts = parts_of(cloth, 0, 0);
    dlp_cloth_contact_restore_wind(&cloth->contact, &parts);
}

static size_t position_bytes(const dlp_cloth *cloth)
{
    return 3 * (size_t)cloth->state.particles.count * sizeof(double);
}

dlp_status dlp_cloth_begin_contacts(dlp_cloth *cloth, double time, double step, dlp_error *error)
{
    const dlp_cloth_parts parts = parts_of(cloth, time, step);
    dlp_parallel_copy(cloth->params.team, cloth->scratch.motion.start, cloth->state.particles.position,
                      position_bytes(cloth));
    dlp_cloth_contact_begin(&cloth->contact, &parts);
    return dlp_cloth_contact_add_springs(&cloth->contact, &parts, error);
}

static void mark_moving(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_cloth *cloth = context;
    for (int32_t i = begin; i < end; i++)
        cloth->state.particles.is_moved[i] |= cloth->scratch.motion.is_moving[i];
}

// The air's forces and damping change where something moved or is about to; their rows are gathered there.
void dlp_cloth_update_air(dlp_cloth *cloth, double time, double step)
{
    const dlp_cloth_parts parts = parts_of(cloth, time, step);
    const dlp_cloth_particles *p = &cloth->state.particles;
    dlp_parallel_for(cloth->params.team, p->count, GRAIN, mark_moving, cloth);
    if (dlp_cloth_contact_update_wind(&cloth->contact, &parts, p->is_moved))
        cloth->scratch.terms.built_step = 0;
}

static void restore_velocities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_cloth *cloth = context;
    const dlp_vec3 *before = cloth->contact.scratch.obstacles.velocity_before;
    for (int32_t i = begin; i < end; i++) dlp_cloth_set(cloth->state.particles.velocity, i, before[i]);
}

// Contact springs follow once obstacles are settled.
dlp_status dlp_cloth_review_contacts(dlp_cloth *cloth, double time, double step, bool *out_again,
                                     dlp_error *error)
{
    const dlp_cloth_parts parts = parts_of(cloth, time, step);
    *out_again = dlp_cloth_contact_review(&cloth->contact, &parts);
    if (!*out_again) DLP_TRY(dlp_cloth_contact_review_springs(&cloth->contact, &parts, out_again, error));
    if (!*out_again) return DLP_OK;
    dlp_parallel_copy(cloth->params.team, cloth->state.particles.position, cloth->scratch.motion.start,
                      position_bytes(cloth));
    dlp_parallel_for(cloth->params.team, cloth->state.particles.count, GRAIN, restore_velocities, cloth);
    return DLP_OK;
}

dlp_status dlp_cloth_resolve_contacts(dlp_cloth *cloth, double time, double step, dlp_error *error)
{
    const dlp_cloth_parts parts = parts_of(cloth, time, step);
    dlp_cloth_note_solve(cloth, &parts);
    dlp_cloth_contact_resolve_obstacles(&cloth->contact, &parts);
    DLP_TRY(dlp_cloth_contact_resolve_self(&cloth->contact, &parts, error));
    dlp_cloth_contact_settle(&cloth->contact, &parts);
    dlp_cloth_sum_loads(cloth, step);
    return DLP_OK;
}
