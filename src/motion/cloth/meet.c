#include "motion/cloth/meet.h"
#include "motion/cloth/tear.h"

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
                             .obstacles = cloth->obstacles,
                             .team = cloth->team,
                             .time = time,
                             .step = step,
                             .start = cloth->before,
                             .effective = cloth->effective,
                             .is_pinned = cloth->is_pinned};
}

static dlp_status make_room(dlp_cloth *cloth, dlp_error *error)
{
    return dlp_reserve(&cloth->before, &cloth->before_capacity, cloth->particles.count + 1,
                       3 * sizeof *cloth->before, "cloth", error);
}

dlp_status dlp_cloth_meet_init(dlp_cloth *cloth, dlp_error *error)
{
    DLP_TRY(make_room(cloth, error));
    const dlp_cloth_parts parts = parts_of(cloth, 0, 0);
    return dlp_touch_init(&cloth->touch, &parts, error);
}

dlp_status dlp_cloth_meet_again(dlp_cloth *cloth, dlp_error *error)
{
    DLP_TRY(make_room(cloth, error));
    const dlp_cloth_parts parts = parts_of(cloth, 0, 0);
    return dlp_touch_rebuild(&cloth->touch, &parts, error);
}

void dlp_cloth_meet_release(dlp_cloth *cloth)
{
    dlp_touch_release(&cloth->touch);
    dlp_free(cloth->before);
}

dlp_status dlp_cloth_meet_begin(dlp_cloth *cloth, double time, double step, dlp_error *error)
{
    const dlp_cloth_parts parts = parts_of(cloth, time, step);
    memcpy(cloth->before, cloth->particles.position, 3 * (size_t)cloth->particles.count * sizeof(double));
    dlp_touch_begin(&cloth->touch, &parts);
    return dlp_touch_lay_cushions(&cloth->touch, &parts, error);
}

// The air's forces and damping change where something moved or is about to; their rows are gathered there.
void dlp_cloth_meet_air(dlp_cloth *cloth, double time, double step)
{
    const dlp_cloth_parts parts = parts_of(cloth, time, step);
    for (int32_t i = 0; i < cloth->particles.count; i++) {
        const double *u = cloth->effective + 3 * (size_t)i;
        cloth->is_moved[i] |= u[0] != 0 || u[1] != 0 || u[2] != 0;
    }
    if (dlp_touch_blow(&cloth->touch, &parts, cloth->is_moved)) cloth->built_step = 0;
}

// Cushions follow once obstacles are settled.
dlp_status dlp_cloth_meet_review(dlp_cloth *cloth, double time, double step, bool *out_again,
                                 dlp_error *error)
{
    const dlp_cloth_parts parts = parts_of(cloth, time, step);
    *out_again = dlp_touch_review(&cloth->touch, &parts);
    if (!*out_again) DLP_TRY(dlp_touch_review_cushions(&cloth->touch, &parts, out_again, error));
    if (!*out_again) return DLP_OK;
    memcpy(cloth->particles.position, cloth->before, 3 * (size_t)cloth->particles.count * sizeof(double));
    for (int32_t i = 0; i < cloth->particles.count; i++)
        dlp_cloth_set(cloth->particles.velocity, i, cloth->touch.velocity_before[i]);
    return DLP_OK;
}

dlp_status dlp_cloth_meet_end(dlp_cloth *cloth, double time, double step, dlp_error *error)
{
    const dlp_cloth_parts parts = parts_of(cloth, time, step);
    dlp_touch_obstacles(&cloth->touch, &parts);
    DLP_TRY(dlp_touch_cloth(&cloth->touch, &parts, error));
    dlp_touch_settle(&cloth->touch, &parts);
    return DLP_OK;
}
