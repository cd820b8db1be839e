/* Rest in contact. A particle that hardly moved and whose contacts took all the momentum its forces gave it
 * will be in the same state after the next step as well, as long as nothing around it moves. So it stands,
 * without momentum, and neither its forces nor its contacts are summed again until something near it moves,
 * its obstacle does, or the wind changes. Without this the hidden momentum of a restrained particle on the
 * floor would grow until it moves, be stopped, and grow again. */
#include "motion/cloth/cloth_contact.h"
#include "motion/cloth/cloth_groups.h"

enum { GRAIN = 1024 };  // a multiple of DLP_CLOTH_LOAD_BLOCK

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
    const dlp_cloth_facets *facets = &contact->scratch.facets;
    if (is_moving(parts, i)) return true;
    for (int32_t k = facets->begin[i]; k < facets->begin[i + 1]; k++) {
        const dlp_facet *facet = &facets->items[facets->list[k]];
        for (int c = 0; c < 3; c++)
            if (facet->corner[c] >= 0 && is_moving(parts, facet->corner[c])) return true;
    }
    return false;
}

static bool is_steady(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    const dlp_fabric *fabric = &parts->fabrics[parts->particles->substance[i]];
    const dlp_vec3 v = dlp_get3(parts->particles->velocity, i);
    const double change = dlp_length(dlp_sub(v, contact->scratch.obstacles.velocity_before[i]));
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
    dlp_cloth_contact_state *state = &job->contact->state;
    const dlp_cloth_contact_scratch *s = &job->contact->scratch;
    for (int32_t i = begin; i < end; i++) {
        s->settling.comes_to_rest[i] = 0;
        if (state->at_rest[i]) {
            state->at_rest[i] = !is_disturbed(job->contact, job->parts, i);
            continue;
        }
        state->had_contact[i] = s->self.has_contact[i];
        s->settling.comes_to_rest[i] = (state->had_contact[i] || state->obstacle_contact[i] > 0) &&
                                       may_rest(job->contact, job->parts, i);
    }
}

static int32_t select_restless(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const settle_job *job = context;
    const dlp_cloth_contact_state *state = &job->contact->state;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (!state->had_contact[i] || state->at_rest[i]) continue;
        if (job->contact->scratch.settling.comes_to_rest[i]) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

static void disturb_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const settle_job *job = context;
    dlp_cloth_contact_state *state = &job->contact->state;
    const dlp_cloth_settling *settling = &job->contact->scratch.settling;
    for (int32_t i = begin; i < end; i++) {
        if (!state->had_contact[i]) continue;
        if (!settling->is_group_restless[dlp_group_find(settling->group, i)]) continue;
        settling->comes_to_rest[i] = 0;
        state->at_rest[i] = 0;
    }
}

// What touches cloth rests together with all that it hangs or lies together with, or not at all: one particle
// that stood still among others would take their load, and give it back as a blow when it wakes.
static void require_group_rest(settle_job *job)
{
    const dlp_cloth_contact_scratch *s = &job->contact->scratch;
    const dlp_cloth_settling *settling = &s->settling;
    dlp_team *team = job->parts->team;
    const int32_t count = job->parts->particles->count;
    dlp_parallel_copy(team, settling->group, s->facets.piece, (size_t)count * sizeof *settling->group);
    for (int32_t k = 0; k < s->springs.count; k++) {
        const int32_t *particle = s->springs.items[k].particle;
        for (int p = 1; p < 4; p++) dlp_group_join(settling->group, particle[0], particle[p]);
    }
    const int32_t restless_count =
        dlp_parallel_compact(team, count, GRAIN, select_restless, job, settling->restless);
    dlp_parallel_set(team, settling->is_group_restless, 0, (size_t)count);
    for (int32_t k = 0; k < restless_count; k++)
        settling->is_group_restless[dlp_group_root(settling->group, settling->restless[k])] = 1;
    dlp_parallel_for(team, count, GRAIN, disturb_range, job);
}

static void rest_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const settle_job *job = context;
    dlp_cloth_contact *contact = job->contact;
    for (int32_t i = begin; i < end; i++) {
        if (!contact->scratch.settling.comes_to_rest[i]) continue;
        const dlp_vec3 v = dlp_get3(job->parts->particles->velocity, i);
        contact->state.at_rest[i] = 1;
        contact->scratch.obstacles.constraints[i].directions = DLP_CONSTRAINT_UNKNOWN;  // where it rests
        dlp_put3(job->parts->particles->velocity, i, dlp_vec(0, 0, 0));
        dlp_cloth_contact_note_change(contact, job->parts, i,
                                      dlp_cloth_contact_supporter(contact, job->parts, i), v);
    }
}

void dlp_cloth_contact_settle(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    settle_job job = {contact, parts};
    dlp_parallel_for(parts->team, parts->particles->count, GRAIN, settle_range, &job);
    if (contact->scratch.springs.count > 0) require_group_rest(&job);
    dlp_parallel_for(parts->team, parts->particles->count, GRAIN, rest_range, &job);
}
