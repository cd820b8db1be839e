#include "motion/cloth/cloth_contact_phases.h"
#include "motion/cloth/cloth_tear.h"

#include <string.h>

static dlp_cloth_parts parts_of(dlp_cloth *cloth, double time, double step)
{
    return (dlp_cloth_parts){.particles = &cloth->particles,
                             .triangles = cloth->triangles,
                             .links = cloth->links,
                             .triangle_count = cloth->triangle_count,
                             .link_count = cloth->link_count,
                             .fabrics = cloth->fabrics,
                             .scene = cloth->scene,
                             .obstacles = cloth->bodies,
                             .team = cloth->team,
                             .time = time,
                             .step = step,
                             .start = cloth->before,
                             .effective = cloth->effective,
                             .is_pinned = cloth->is_pinned};
}

static dlp_status reserve_before(dlp_cloth *cloth, dlp_error *error)
{
    return dlp_reserve(&cloth->before, &cloth->before_capacity, cloth->particles.count + 1,
                       3 * sizeof *cloth->before, "cloth", error);
}

dlp_status dlp_cloth_init_contacts(dlp_cloth *cloth, dlp_error *error)
{
    DLP_TRY(reserve_before(cloth, error));
    const dlp_cloth_parts parts = parts_of(cloth, 0, 0);
    return dlp_cloth_contact_init(&cloth->contact, &parts, error);
}

dlp_status dlp_cloth_rebuild_contacts(dlp_cloth *cloth, dlp_error *error)
{
    DLP_TRY(reserve_before(cloth, error));
    const dlp_cloth_parts parts = parts_of(cloth, 0, 0);
    return dlp_cloth_contact_rebuild(&cloth->contact, &parts, error);
}

void dlp_cloth_release_contacts(dlp_cloth *cloth)
{
    dlp_cloth_contact_release(&cloth->contact);
    dlp_free(cloth->before);
}

dlp_status dlp_cloth_begin_contacts(dlp_cloth *cloth, double time, double step, dlp_error *error)
{
    const dlp_cloth_parts parts = parts_of(cloth, time, step);
    memcpy(cloth->before, cloth->particles.position, 3 * (size_t)cloth->particles.count * sizeof(double));
    dlp_cloth_contact_begin(&cloth->contact, &parts);
    return dlp_cloth_contact_add_springs(&cloth->contact, &parts, error);
}

// The air's forces and damping change where something moved or is about to; their rows are gathered there.
void dlp_cloth_update_air(dlp_cloth *cloth, double time, double step)
{
    const dlp_cloth_parts parts = parts_of(cloth, time, step);
    for (int32_t i = 0; i < cloth->particles.count; i++) {
        const double *u = cloth->effective + 3 * (size_t)i;
        cloth->is_moved[i] |= u[0] != 0 || u[1] != 0 || u[2] != 0;
    }
    if (dlp_cloth_contact_update_wind(&cloth->contact, &parts, cloth->is_moved)) cloth->built_step = 0;
}

// Contact springs follow once obstacles are settled.
dlp_status dlp_cloth_review_contacts(dlp_cloth *cloth, double time, double step, bool *out_again,
                                     dlp_error *error)
{
    const dlp_cloth_parts parts = parts_of(cloth, time, step);
    *out_again = dlp_cloth_contact_review(&cloth->contact, &parts);
    if (!*out_again) DLP_TRY(dlp_cloth_contact_review_springs(&cloth->contact, &parts, out_again, error));
    if (!*out_again) return DLP_OK;
    memcpy(cloth->particles.position, cloth->before, 3 * (size_t)cloth->particles.count * sizeof(double));
    for (int32_t i = 0; i < cloth->particles.count; i++)
        dlp_cloth_set(cloth->particles.velocity, i, cloth->contact.velocity_before[i]);
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
