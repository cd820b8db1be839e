/* Rest in contact. A particle that hardly moved and whose contacts took all the momentum its forces gave it
 * will be in the same state after the next step as well, as long as nothing around it moves. So it stands,
 * without momentum, and neither its forces nor its contacts are summed again until something near it moves,
 * its obstacle does, or the wind changes. Without this the hidden momentum of a restrained particle on the
 * floor would grow until it moves, be stopped, and grow again. */
#include "motion/cloth/cloth_contact.h"

#include <string.h>

typedef struct settle_job {
    dlp_cloth_contact *contact;
    const dlp_cloth_parts *parts;
} settle_job;

// Moves faster than what counts as motion.
static bool is_moving(const dlp_cloth_parts *parts, int32_t i)
{
    const double limit = parts->fabrics[parts->particles->substance[i]].tolerance * parts->step;
    const dlp_vec3 displacement = dlp_sub(dlp_get3(parts->particles->position, i), dlp_get3(parts->start, i));
    return dlp_dot(displacement, displacement) > limit * limit;
}

static bool is_disturbed(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    if (is_moving(parts, i)) return true;
    for (int32_t k = contact->facet_begin[i]; k < contact->facet_begin[i + 1]; k++) {
        const dlp_facet *facet = &contact->facets[contact->facet_list[k]];
        for (int c = 0; c < 3; c++)
            if (facet->corner[c] >= 0 && is_moving(parts, facet->corner[c])) return true;
    }
    return false;
}

static bool is_steady(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    const dlp_fabric *fabric = &parts->fabrics[parts->particles->substance[i]];
    const dlp_vec3 v = dlp_get3(parts->particles->velocity, i);
    const double change = dlp_length(dlp_sub(v, contact->velocity_before[i]));
    return change <= fabric->tolerance && dlp_length(v) <= fabric->restraint.hold_speed;
}

static bool may_rest(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    return parts->fabrics[parts->particles->substance[i]].is_restrained && !parts->is_pinned[i] &&
           is_steady(contact, parts, i) && !is_disturbed(contact, parts, i);
}

static void settle_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const settle_job *job = context;
    dlp_cloth_contact *contact = job->contact;
    for (int32_t i = begin; i < end; i++) {
        if (contact->at_rest[i]) {
            contact->at_rest[i] = !is_disturbed(contact, job->parts, i);
            contact->is_changed[i] = 0;
            continue;
        }
        contact->had_contact[i] = contact->has_contact[i];
        contact->is_changed[i] =
            (contact->had_contact[i] || contact->obstacle_contact[i] > 0) && may_rest(contact, job->parts, i);
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
static void require_group_rest(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    const int32_t count = parts->particles->count;
    int32_t *group = contact->zone;
    for (int32_t i = 0; i < count; i++) group[i] = i;
    for (int32_t f = 0; f < contact->facet_count; f++) {
        const int32_t *c = contact->facets[f].corner;
        join(group, c[0], c[1]);
        if (c[2] >= 0) join(group, c[0], c[2]);
    }
    for (int32_t k = 0; k < contact->spring_count; k++)
        for (int p = 1; p < 4; p++)
            join(group, contact->springs[k].particle[0], contact->springs[k].particle[p]);
    memset(contact->has_contact, 0,
           (size_t)count);  // now: a group in which something that touches does not rest
    for (int32_t i = 0; i < count; i++)
        if (contact->had_contact[i] && !contact->at_rest[i] && !contact->is_changed[i])
            contact->has_contact[root_of(group, i)] = 1;
    for (int32_t i = 0; i < count; i++)
        if (contact->had_contact[i] && contact->has_contact[root_of(group, i)]) {
            contact->is_changed[i] = 0;
            contact->at_rest[i] = 0;
        }
}

static void rest_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const settle_job *job = context;
    dlp_cloth_contact *contact = job->contact;
    for (int32_t i = begin; i < end; i++) {
        if (!contact->is_changed[i]) continue;
        const dlp_vec3 v = dlp_get3(job->parts->particles->velocity, i);
        contact->at_rest[i] = 1;
        contact->constraints[i].directions = -1;  // to be found where it rests
        dlp_put3(job->parts->particles->velocity, i, dlp_vec(0, 0, 0));
        dlp_cloth_contact_note_change(contact, job->parts, i,
                                      dlp_cloth_contact_supporter(contact, job->parts, i), v);
    }
}

void dlp_cloth_contact_settle(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    settle_job job = {contact, parts};
    dlp_parallel_for(parts->team, parts->particles->count, 1024, settle_range, &job);
    if (contact->spring_count > 0) require_group_rest(contact, parts);
    dlp_parallel_for(parts->team, parts->particles->count, 1024, rest_range, &job);
}
