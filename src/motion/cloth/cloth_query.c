/* Where the cloth's motion stands, for the world. */
#include "motion/cloth/cloth_solver.h"

double dlp_cloth_time(const dlp_cloth *cloth)
{
    const dlp_cloth_clock *clock = &cloth->state.clock;
    if (clock->step >= clock->step_count) return clock->end;
    const double done = clock->step + (double)clock->tick / DLP_CLOTH_STEP_TICKS;
    return clock->start + (clock->end - clock->start) * (done / clock->step_count);
}

double dlp_cloth_step_length(const dlp_cloth *cloth)
{
    const dlp_cloth_clock *clock = &cloth->state.clock;
    return (clock->end - clock->start) / clock->step_count;
}

int32_t dlp_cloth_active_count(const dlp_cloth *cloth)
{
    return cloth->scratch.freedom.count;
}

void dlp_cloth_add_velocity(dlp_cloth *cloth, const float *delta_v)
{
    cloth->state.last_step = 0;
    for (size_t k = 0; k < 3 * (size_t)cloth->state.particles.count; k++)
        cloth->state.particles.velocity[k] += (double)delta_v[k];
}

dlp_attachment_view dlp_cloth_attachment_view(const dlp_cloth *cloth)
{
    const dlp_cloth_particles *p = &cloth->state.particles;
    return (dlp_attachment_view){.count = p->count,
                                 .position = p->position,
                                 .substance = p->substance,
                                 .spacing = cloth->params.spacing,
                                 .model = DLP_MODEL_CLOTH,
                                 .mass = p->mass,
                                 .start_place = p->start_place,
                                 .pin = p->pin,
                                 .is_pinned = cloth->scratch.motion.is_pinned,
                                 .target_place = cloth->scratch.motion.target_place};
}
