/* What a host does with solids: it writes places and velocities, and acts on particles with forces.
 *
 * The integrator knows the sub-step before by `step_displacement` and `last_velocity`. A particle that is put
 * elsewhere keeps both: it goes on from its new place as it went. One that is given a velocity gets the same
 * change in both, so that it goes on evenly, with what else acts on it. */
#include "motion/host_values.h"
#include "motion/solid/solid_contact.h"
#include "motion/solid/solid_host.h"

bool dlp_solid_can_write(dlp_field field)
{
    return field == DLP_FIELD_POSITION || field == DLP_FIELD_VELOCITY;
}

static const double *shown_values(const dlp_solid *solid, dlp_field field)
{
    const dlp_solid_particles *p = &solid->state.particles;
    return field == DLP_FIELD_POSITION ? p->position : p->velocity;
}

static void write_velocity(dlp_solid *solid, int32_t i, dlp_vec3 v)
{
    const dlp_solid_particles *p = &solid->state.particles;
    const dlp_vec3 dv = dlp_sub(v, dlp_solid_get(p->velocity, i));
    dlp_solid_set(p->velocity, i, v);
    dlp_solid_set(p->last_velocity, i, dlp_add(dlp_solid_get(p->last_velocity, i), dv));
    dlp_solid_set(p->step_displacement, i,
                  dlp_along(dlp_solid_get(p->step_displacement, i), dv, solid->state.last_step));
}

dlp_status dlp_solid_write(dlp_solid *solid, dlp_field field, int32_t first, int32_t count,
                           const void *values, dlp_error *error)
{
    assert(dlp_solid_can_write(field) && first >= 0 && first + count <= solid->state.particles.count);
    DLP_TRY(dlp_host_check_vectors(field, first, count, values, error));
    bool is_changed = false;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = first + k;
        if (dlp_host_is_shown(field, values, k, dlp_solid_get(shown_values(solid, field), i))) continue;
        is_changed = true;
        if (field == DLP_FIELD_POSITION)
            dlp_solid_set(solid->state.particles.position, i, dlp_host_vector(field, values, k));
        else
            write_velocity(solid, i, dlp_host_vector(field, values, k));
    }
    if (!is_changed) return DLP_OK;
    dlp_solid_contact_forget(solid);
    solid->scratch.has_strains = false;
    return DLP_OK;
}

// Forces.

static void put_in_buffer(const dlp_solid *solid, int32_t i, dlp_force_buffer *buffer)
{
    const dlp_solid_particles *p = &solid->state.particles;
    const int32_t k = buffer->count++;
    buffer->particle[k] = i;
    buffer->id[k] = solid->params.context.first_id + p->id[i];
    buffer->position[k] = dlp_solid_get(p->position, i);
    buffer->velocity[k] = dlp_solid_get(p->velocity, i);
    buffer->mass[k] = p->mass[i];
}

void dlp_solid_add_host_forces(const dlp_solid_pass *pass, int32_t begin, int32_t end, dlp_vec3 *dv)
{
    const dlp_solid *solid = pass->solid;
    dlp_host_forces *forces = solid->params.context.forces;
    dlp_force_buffer buffer;
    assert(end - begin <= DLP_FORCE_BUFFER);
    if (forces == NULL || forces->active_count == 0) return;
    for (int32_t substance = 0; substance < solid->params.scene->substance_count; substance++) {
        if (!dlp_host_forces_act_on(forces, substance)) continue;
        buffer.count = 0;
        for (int32_t i = begin; i < end; i++)
            if (solid->state.particles.substance[i] == substance) put_in_buffer(solid, i, &buffer);
        if (buffer.count == 0) continue;
        dlp_host_forces_call(forces, substance, dlp_solid_time(solid), &buffer);
        for (int32_t k = 0; k < buffer.count; k++)
            dv[buffer.particle[k] - begin] =
                dlp_along(dv[buffer.particle[k] - begin], buffer.force[k], pass->step / buffer.mass[k]);
    }
}
