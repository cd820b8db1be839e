/* Where the cloth's motion stands, for the world. */
#include "motion/cloth/solver.h"

double dlp_cloth_fraction(const dlp_cloth *cloth)
{
    const dlp_cloth_clock *clock = &cloth->clock;
    return (clock->step + (double)clock->tick / DLP_CLOTH_STEP_TICKS) / clock->step_count;
}

double dlp_cloth_time(const dlp_cloth *cloth)
{
    const dlp_cloth_clock *clock = &cloth->clock;
    if (dlp_cloth_is_done(cloth)) return clock->end;
    return clock->start + (clock->end - clock->start) * dlp_cloth_fraction(cloth);
}

double dlp_cloth_step_length(const dlp_cloth *cloth)
{
    return (cloth->clock.end - cloth->clock.start) / cloth->clock.step_count;
}

int32_t dlp_cloth_active_count(const dlp_cloth *cloth)
{
    return cloth->list_count;
}

void dlp_cloth_kick(dlp_cloth *cloth, const float *kicks)
{
    for (size_t k = 0; k < 3 * (size_t)cloth->particles.count; k++)
        cloth->particles.velocity[k] += (double)kicks[k];
}

dlp_held dlp_cloth_held(const dlp_cloth *cloth)
{
    const dlp_cloth_particles *p = &cloth->particles;
    return (dlp_held){.count = p->count,
                      .position = p->position,
                      .substance = p->substance,
                      .spacing = cloth->spacing,
                      .model = DLP_MODEL_CLOTH,
                      .mass = p->mass,
                      .start_place = cloth->start_place,
                      .pin = p->pin,
                      .is_pinned = cloth->is_pinned,
                      .target_place = cloth->target_place};
}
