/* Rest in contact. A particle that hardly moved and whose contacts took all the momentum its forces gave it
 * will be in the same state after the next step as well, as long as nothing around it moves. So it stands,
 * without momentum, and neither its forces nor its contacts are summed again until something near it moves,
 * its obstacle does, or the wind changes. Without this the hidden momentum of a restrained particle on the
 * floor would grow until it moves, be stopped, and grow again. */
#include "motion/cloth/touch.h"

#include <string.h>

typedef struct settle_job {
    dlp_touch *touch;
    const dlp_cloth_parts *parts;
} settle_job;

// Moves faster than what counts as motion.
static bool is_moving(const dlp_cloth_parts *parts, int32_t i)
{
    const double limit = parts->fabrics[parts->particles->substance[i]].tolerance * parts->step;
    const dlp_vec3 way = dlp_sub(dlp_get3(parts->particles->position, i), dlp_get3(parts->start, i));
    return dlp_dot(way, way) > limit * limit;
}

static bool is_stirred(const dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i)
{
    if (is_moving(parts, i)) return true;
    for (int32_t k = touch->facet_begin[i]; k < touch->facet_begin[i + 1]; k++) {
        const dlp_facet *facet = &touch->facets[touch->facet_list[k]];
        for (int c = 0; c < 3; c++)
            if (facet->corner[c] >= 0 && is_moving(parts, facet->corner[c])) return true;
    }
    return false;
}

static bool is_steady(const dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i)
{
    const dlp_fabric *fabric = &parts->fabrics[parts->particles->substance[i]];
    const dlp_vec3 v = dlp_get3(parts->particles->velocity, i);
    const double change = dlp_length(dlp_sub(v, touch->velocity_before[i]));
    return change <= fabric->tolerance && dlp_length(v) <= fabric->restraint.rest;
}

static bool may_rest(const dlp_touch *touch, const dlp_cloth_parts *parts, int32_t i)
{
    return parts->fabrics[parts->particles->substance[i]].is_restrained && !parts->is_pinned[i] &&
           is_steady(touch, parts, i) && !is_stirred(touch, parts, i);
}

static void settle_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const settle_job *job = context;
    dlp_touch *touch = job->touch;
    for (int32_t i = begin; i < end; i++) {
        if (touch->rests[i]) {
            touch->rests[i] = !is_stirred(touch, job->parts, i);
            touch->is_changed[i] = 0;
            continue;
        }
        touch->touches[i] = touch->is_touched[i];
        touch->is_changed[i] = (touch->touches[i] || touch->contact[i] > 0) && may_rest(touch, job->parts, i);
    }
}

static int32_t root_of(int32_t *group, int32_t i)
{
    while (group[i] != i) {
        group[i] = group[group[i]];
        i = group[i];
    }
    return i;
}
static void join(int32_t *group, int32_t a, int32_t b)
{
    const int32_t p = root_of(group, a), q = root_of(group, b);
    group[p > q ? p : q] = p > q ? q : p;
}

// What touches cloth rests together with all that it hangs or lies together with, or not at all: one particle
// that stood still among others would take their load, and give it back as a blow when it wakes.
static void refuse_alone(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    const int32_t count = parts->particles->count;
    int32_t *group = touch->zone;
    for (int32_t i = 0; i < count; i++) group[i] = i;
    for (int32_t f = 0; f < touch->facet_count; f++) {
        const int32_t *c = touch->facets[f].corner;
        join(group, c[0], c[1]);
        if (c[2] >= 0) join(group, c[0], c[2]);
    }
    for (int32_t k = 0; k < touch->cushion_count; k++)
        for (int p = 1; p < 4; p++)
            join(group, touch->cushions[k].particle[0], touch->cushions[k].particle[p]);
    memset(touch->is_touched, 0,
           (size_t)count);  // now: a group in which something that touches does not rest
    for (int32_t i = 0; i < count; i++)
        if (touch->touches[i] && !touch->rests[i] && !touch->is_changed[i])
            touch->is_touched[root_of(group, i)] = 1;
    for (int32_t i = 0; i < count; i++)
        if (touch->touches[i] && touch->is_touched[root_of(group, i)]) {
            touch->is_changed[i] = 0;
            touch->rests[i] = 0;
        }
}

static void rest_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const settle_job *job = context;
    dlp_touch *touch = job->touch;
    for (int32_t i = begin; i < end; i++) {
        if (!touch->is_changed[i]) continue;
        touch->rests[i] = 1;
        touch->holds[i].directions = -1;  // to be found where it rests
        dlp_put3(job->parts->particles->velocity, i, dlp_vec(0, 0, 0));
    }
}

void dlp_touch_settle(dlp_touch *touch, const dlp_cloth_parts *parts)
{
    settle_job job = {touch, parts};
    dlp_parallel_for(parts->team, parts->particles->count, 1024, settle_range, &job);
    if (touch->cushion_count > 0) refuse_alone(touch, parts);
    dlp_parallel_for(parts->team, parts->particles->count, 1024, rest_range, &job);
}
