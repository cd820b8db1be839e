/* Rest in contact. A particle that did not move and whose contacts took all the momentum its forces gave it
 * will be in the same state after the next step as well, as long as nothing around it moves. So it is left
 * alone: its momentum stays, and neither its forces nor its contacts are summed again. Without this the
 * hidden momentum of a restrained particle on the floor would grow until it moves, be stopped, and grow
 * again. */
#include "motion/cloth/touch.h"

#define STEADY 0.02  // of the speed of restraint: change of the velocity in a step that counts as none

typedef struct settle_job {
    dlp_touch *touch;
    const dlp_cloth_parts *parts;
} settle_job;

static bool is_stirred(const dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i)
{
    if (dlp_touch_moved(parts, i)) return true;
    for (int32_t k = touch->facet_begin[i]; k < touch->facet_begin[i + 1]; k++) {
        const dlp_facet *facet = &touch->facets[touch->facet_list[k]];
        for (int c = 0; c < 3; c++)
            if (facet->corner[c] >= 0 && dlp_touch_moved(parts, facet->corner[c])) return true;
    }
    return false;
}

static bool is_steady(const dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i)
{
    const dlp_fabric *fabric = &parts->fabrics[parts->particles->substance[i]];
    const dlp_vec3 v = dlp_get3(parts->particles->velocity, i);
    const double change = dlp_length(dlp_sub(v, touch->velocity_before[i]));
    return change <= STEADY * fabric->restraint.rest && dlp_length(v) <= fabric->restraint.rest;
}

static void settle_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const settle_job *job = context;
    dlp_touch *touch = job->touch;
    const dlp_cloth_particles *p = job->parts->particles;
    for (int32_t i = begin; i < end; i++) {
        if (touch->rests[i]) {
            touch->rests[i] = is_steady(touch, job->parts, i) && !is_stirred(touch, job->parts, i);
            continue;
        }
        touch->touches[i] = touch->is_touched[i];
        if (!job->parts->fabrics[p->substance[i]].is_restrained || job->parts->is_pinned[i]) continue;
        if (!touch->touches[i] && touch->contact[i] == 0) continue;
        touch->rests[i] = is_steady(touch, job->parts, i) && !is_stirred(touch, job->parts, i);
    }
}

void dlp_touch_settle(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    settle_job job = {touch, parts};
    dlp_parallel_for(parts->team, parts->particles->count, 1024, settle_range, &job);
}
