/* What contacts do to bodies. Every phase that lets a body change a particle's momentum notes the impulse
 * here, and the body has its reaction: what the cloth loses, bodies gain. Sums are kept per block of
 * particles and body, and each pass hands a block to one thread: so they do not depend on how many there are.
 */
#include "motion/cloth/cloth_contact.h"

#include <string.h>

enum { BLOCK = DLP_CLOTH_LOAD_BLOCK };

int32_t dlp_cloth_contact_load_size(const dlp_cloth_contact *contact, int32_t particle_count)
{
    return (particle_count / BLOCK + 1) * contact->params.body_count;
}

void dlp_cloth_contact_begin_loads(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    const dlp_cloth_contact_bodies *bodies = &contact->scratch.bodies;
    dlp_cloth_contact_loads *loads = &contact->scratch.loads;
    const int32_t size = dlp_cloth_contact_load_size(contact, parts->particles->count);
    assert(size <= loads->sums_capacity);
    if (size > 0) memset(loads->sums, 0, (size_t)size * sizeof *loads->sums);
    for (int32_t k = 0; k < contact->params.body_count; k++)
        bodies->pivot[k] = dlp_to_world(&bodies->after[k], parts->obstacles[k].def->pivot);
}

static int32_t nearest_body(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    const dlp_vec3 x = dlp_get3(parts->particles->position, i);
    int32_t nearest = -1;
    double least = HUGE_VAL;
    for (int32_t k = 0; k < contact->params.body_count; k++) {
        const double d =
            dlp_shape_distance(parts->obstacles[k].shape, dlp_to_body(&contact->scratch.bodies.after[k], x));
        if (!(d < least)) continue;
        least = d;
        nearest = k;
    }
    return nearest;
}

// Cloth that rests on cloth gives its load to what rests below it, and that to a body. The forces between two
// layers are equal, opposite and in one place, so the body has the same force and torque from both layers'
// loads where they are: only which body it is must be found, and that is the nearest.
int32_t dlp_cloth_contact_supporter(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    assert(i >= 0 && i < parts->particles->count);
    if (parts->is_pinned[i]) {
        const int32_t pin = parts->particles->pin[i];
        return pin >= 0 ? parts->scene->attachments[pin].body_index : -1;
    }
    if (contact->state.obstacle_contact[i] > 0) return (contact->state.obstacle_contact[i] - 1) / 2;
    if (!contact->state.at_rest[i]) return -1;
    int32_t *supporter = &contact->scratch.loads.supporter[i];
    if (*supporter < 0 || contact->scratch.bodies.max_travel > 0 || dlp_cloth_contact_moved(parts, i))
        *supporter = nearest_body(contact, parts, i);
    return *supporter;
}

void dlp_cloth_contact_note(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i, int32_t body,
                            dlp_vec3 impulse)
{
    assert(i >= 0 && i < parts->particles->count && body < contact->params.body_count);
    if (body < 0) return;
    dlp_cloth_body_sum *sum =
        &contact->scratch.loads.sums[(int64_t)(i / BLOCK) * contact->params.body_count + body];
    const dlp_vec3 arm =
        dlp_sub(dlp_get3(parts->particles->position, i), contact->scratch.bodies.pivot[body]);
    sum->impulse = dlp_sub(sum->impulse, impulse);
    sum->angular_impulse = dlp_sub(sum->angular_impulse, dlp_cross(arm, impulse));
}

void dlp_cloth_contact_note_change(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i,
                                   int32_t body, dlp_vec3 velocity_before)
{
    const dlp_vec3 change = dlp_sub(dlp_get3(parts->particles->velocity, i), velocity_before);
    dlp_cloth_contact_note(contact, parts, i, body, dlp_mul(change, parts->particles->mass[i]));
}

dlp_cloth_body_sum dlp_cloth_contact_body_sum(const dlp_cloth_contact *contact, int32_t particle_count,
                                              int32_t body)
{
    assert(body >= 0 && body < contact->params.body_count);
    const dlp_cloth_body_sum *sums = contact->scratch.loads.sums;
    dlp_cloth_body_sum sum = {0};
    for (int32_t at = body; at < dlp_cloth_contact_load_size(contact, particle_count);
         at += contact->params.body_count) {
        sum.impulse = dlp_add(sum.impulse, sums[at].impulse);
        sum.angular_impulse = dlp_add(sum.angular_impulse, sums[at].angular_impulse);
    }
    return sum;
}
