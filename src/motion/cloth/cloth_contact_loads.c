/* What contacts do to bodies. Every phase that lets a body change a particle's momentum notes the impulse
 * here, and the body has its reaction: what the cloth loses, bodies gain. Sums are kept a block of particles
 * and a body, and each pass hands a block to one thread: so they do not depend on how many there are. */
#include "motion/cloth/cloth_contact.h"

#include <string.h>

enum { BLOCK = DLP_CLOTH_LOAD_BLOCK };

int32_t dlp_cloth_contact_load_size(const dlp_cloth_contact *contact, int32_t particle_count)
{
    return (particle_count / BLOCK + 1) * contact->body_count;
}

void dlp_cloth_contact_begin_loads(dlp_cloth_contact *contact, const dlp_cloth_parts *parts)
{
    const int32_t size = dlp_cloth_contact_load_size(contact, parts->particles->count);
    memset(contact->body_sums, 0, (size_t)size * sizeof *contact->body_sums);
    for (int32_t k = 0; k < contact->body_count; k++)
        contact->pivot[k] = dlp_to_world(&contact->frame_after[k], parts->obstacles[k].def->pivot);
}

static int32_t nearest_body(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i)
{
    const dlp_vec3 x = dlp_get3(parts->particles->position, i);
    int32_t nearest = -1;
    double least = HUGE_VAL;
    for (int32_t k = 0; k < contact->body_count; k++) {
        const double d =
            dlp_shape_distance(parts->obstacles[k].shape, dlp_to_body(&contact->frame_after[k], x));
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
    if (parts->is_pinned[i]) {
        const int32_t pin = parts->particles->pin[i];
        return pin >= 0 ? parts->scene->attachments[pin].body_index : -1;
    }
    if (contact->obstacle_contact[i] > 0) return (contact->obstacle_contact[i] - 1) / 2;
    if (!contact->at_rest[i]) return -1;
    if (contact->supporter[i] < 0 || contact->max_travel > 0 || dlp_cloth_contact_moved(parts, i))
        contact->supporter[i] = nearest_body(contact, parts, i);
    return contact->supporter[i];
}

void dlp_cloth_contact_note(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i, int32_t body,
                            dlp_vec3 impulse)
{
    if (body < 0) return;
    dlp_cloth_body_sum *sum = &contact->body_sums[(int64_t)(i / BLOCK) * contact->body_count + body];
    const dlp_vec3 arm = dlp_sub(dlp_get3(parts->particles->position, i), contact->pivot[body]);
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
    dlp_cloth_body_sum sum = {0};
    for (int32_t at = body; at < dlp_cloth_contact_load_size(contact, particle_count);
         at += contact->body_count) {
        sum.impulse = dlp_add(sum.impulse, contact->body_sums[at].impulse);
        sum.angular_impulse = dlp_add(sum.angular_impulse, contact->body_sums[at].angular_impulse);
    }
    return sum;
}
