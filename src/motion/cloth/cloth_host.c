/* What a host does with cloth: it writes places and velocities, and acts on particles with forces. */
#include "motion/cloth/cloth_contact_phases.h"
#include "motion/cloth/cloth_host.h"
#include "motion/host_values.h"

dlp_vec3 dlp_cloth_effective_velocity(const dlp_cloth *cloth, int32_t i)
{
    const dlp_fabric *fabric = dlp_cloth_fabric_of(cloth, i);
    const dlp_vec3 v = dlp_cloth_get(cloth->state.particles.velocity, i);
    return fabric->is_restrained ? dlp_mul(v, dlp_restraint_gain(fabric->restraint, dlp_length(v))) : v;
}

bool dlp_cloth_can_write(dlp_field field)
{
    return field == DLP_FIELD_POSITION || field == DLP_FIELD_VELOCITY;
}

// What it touched is where it was.
static void write_position(dlp_cloth *cloth, int32_t i, dlp_vec3 x)
{
    dlp_cloth_contact_state *contact = &cloth->contact.state;
    dlp_cloth_set(cloth->state.particles.position, i, x);
    contact->obstacle_contact[i] = contact->had_contact[i] = 0;
    contact->held_pull[i] = contact->load[i] = 0;
    cloth->state.particles.is_moved[i] = 1;
}

static bool is_shown(const dlp_cloth *cloth, dlp_field field, const void *values, int32_t k, int32_t i)
{
    const dlp_vec3 shown = field == DLP_FIELD_POSITION ? dlp_cloth_get(cloth->state.particles.position, i)
                                                       : dlp_cloth_effective_velocity(cloth, i);
    return dlp_host_is_shown(field, values, k, shown);
}

// Nothing rests any more, and who is near whom is found anew.
static dlp_status note_edit(dlp_cloth *cloth, dlp_error *error)
{
    for (int32_t i = 0; i < cloth->state.particles.count; i++) cloth->contact.state.at_rest[i] = 0;
    cloth->state.last_step = 0;
    return dlp_cloth_rebuild_contacts(cloth, error);
}

dlp_status dlp_cloth_write(dlp_cloth *cloth, dlp_field field, int32_t first, int32_t count,
                           const void *values, dlp_error *error)
{
    assert(dlp_cloth_can_write(field) && first >= 0 && first + count <= cloth->state.particles.count);
    DLP_TRY(dlp_host_check_vectors(field, first, count, values, error));
    bool is_changed = false;
    for (int32_t k = 0; k < count; k++) {
        if (is_shown(cloth, field, values, k, first + k)) continue;
        is_changed = true;
        if (field == DLP_FIELD_POSITION)
            write_position(cloth, first + k, dlp_host_vector(field, values, k));
        else
            dlp_cloth_set(cloth->state.particles.velocity, first + k, dlp_host_vector(field, values, k));
    }
    return is_changed ? note_edit(cloth, error) : DLP_OK;
}

// Forces.

typedef struct force_pass {
    dlp_cloth *cloth;
    double time;  // s
} force_pass;

static void put_in_buffer(const dlp_cloth *cloth, int32_t i, dlp_force_buffer *buffer)
{
    const dlp_cloth_particles *p = &cloth->state.particles;
    const int32_t k = buffer->count++;
    buffer->particle[k] = i;
    buffer->id[k] = cloth->params.context.first_id + p->id[i];
    buffer->position[k] = dlp_cloth_get(p->position, i);
    buffer->velocity[k] = dlp_cloth_get(p->velocity, i);
    buffer->mass[k] = p->mass[i];
}

// A block of particles, substance after substance.
static void force_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const force_pass *pass = context;
    dlp_cloth *cloth = pass->cloth;
    dlp_host_forces *forces = cloth->params.context.forces;
    double *host_force = cloth->scratch.motion.host_force;
    dlp_force_buffer buffer;
    assert(end - begin <= DLP_FORCE_BUFFER);
    for (int32_t i = begin; i < end; i++) dlp_cloth_set(host_force, i, dlp_vec(0, 0, 0));
    for (int32_t substance = 0; substance < cloth->params.scene->substance_count; substance++) {
        if (!dlp_host_forces_act_on(forces, substance)) continue;
        buffer.count = 0;
        for (int32_t i = begin; i < end; i++)
            if (cloth->state.particles.substance[i] == substance) put_in_buffer(cloth, i, &buffer);
        if (buffer.count == 0) continue;
        dlp_host_forces_call(forces, substance, pass->time, &buffer);
        for (int32_t k = 0; k < buffer.count; k++)
            dlp_cloth_set(host_force, buffer.particle[k], buffer.force[k]);
    }
}

void dlp_cloth_find_host_forces(dlp_cloth *cloth, double time)
{
    force_pass pass = {cloth, time};
    const dlp_host_forces *forces = cloth->params.context.forces;
    cloth->scratch.motion.has_host_force = forces != NULL && forces->active_count > 0;
    if (cloth->scratch.motion.has_host_force)
        dlp_parallel_for(cloth->params.team, cloth->state.particles.count, DLP_FORCE_BUFFER, force_range,
                         &pass);
}
