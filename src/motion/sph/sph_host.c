/* What a host does with smoothed particles.
 *
 * A change touches the state alone: particles keep their order, and what follows from them (lists, densities,
 * accelerations, steps) is found anew when the world moves on, by a step of no length (sph_step.c). Until
 * then lists do not hold, also after saving and loading. */
#include "motion/host_values.h"
#include "motion/sph/adapt.h"
#include "motion/sph/emit.h"
#include "motion/sph/sph_heat.h"
#include "motion/sph/sph_host.h"

#include <string.h>

enum { PARTICLE_LIMIT = 200000000, WAKE_GRAIN = 4096 };

#define COLDEST -273.15 /* degrees C */

// A velocity that a host gives is no failure of a step: what is this much faster is.
#define RUNAWAY 20

// Checks. Nothing is changed before all values have been checked.

static dlp_status check_vector(const dlp_sph *sph, dlp_field field, int32_t particle, dlp_vec3 v,
                               dlp_error *error)
{
    DLP_TRY(dlp_host_check_finite(field, particle, v, error));
    if (sph->scene->dimension == 2 && v.z != 0)
        return dlp_fail(error, DLP_INVALID, "%s: particle %d: z is %g; it is 0 in the plane",
                        dlp_field_name(field), particle, v.z);
    return DLP_OK;
}

static dlp_status check_position(const dlp_sph *sph, int32_t particle, dlp_vec3 x, dlp_error *error)
{
    DLP_TRY(check_vector(sph, DLP_FIELD_POSITION, particle, x, error));
    const double limit = (DLP_CELL_LIMIT - 2 * DLP_CELL_REACH) * sph->params.units.cell;
    for (int axis = 0; axis < 3; axis++)
        if (!(fabs(dlp_component(x, axis)) <= limit))
            return dlp_fail(error, DLP_INVALID,
                            "position: particle %d: %c is %g m; particles of this size are at most %g m from "
                            "the origin",
                            particle, "xyz"[axis], dlp_component(x, axis), limit);
    return DLP_OK;
}

static dlp_status check_temperature(int32_t particle, float temperature, dlp_error *error)
{
    if ((double)temperature >= COLDEST && isfinite(temperature)) return DLP_OK;
    return dlp_fail(error, DLP_INVALID, "temperature: particle %d: %g degrees C; at least %g are allowed",
                    particle, (double)temperature, COLDEST);
}

static dlp_status check_values(const dlp_sph *sph, dlp_field field, int32_t first, int32_t count,
                               const void *values, dlp_error *error)
{
    for (int32_t k = 0; k < count; k++) {
        if (field == DLP_FIELD_POSITION)
            DLP_TRY(check_position(sph, first + k, dlp_host_vector(field, values, k), error));
        else if (field == DLP_FIELD_VELOCITY)
            DLP_TRY(check_vector(sph, field, first + k, dlp_host_vector(field, values, k), error));
        else
            DLP_TRY(check_temperature(first + k, ((const float *)values)[k], error));
    }
    return DLP_OK;
}

// Changes.

static double wrapped(const dlp_units *units, int axis, double x)
{
    const double low = dlp_component(units->origin, axis), period = units->period[axis];
    if (!units->is_periodic[axis] || (x >= low && x < low + period)) return x;
    return x - period * floor((x - low) / period);
}

static void write_position(dlp_sph *sph, int32_t i, const double *value)
{
    double *x = sph->state.particles.position + 3 * (int64_t)i;
    for (int axis = 0; axis < 3; axis++) x[axis] = wrapped(&sph->params.units, axis, value[axis]);
}

// The bytes of a value, and of what the field shows of a particle now.
static size_t value_size(dlp_field field)
{
    return field == DLP_FIELD_POSITION   ? 3 * sizeof(double)
           : field == DLP_FIELD_VELOCITY ? 3 * sizeof(float)
                                         : sizeof(float);
}

static bool is_shown(const dlp_sph *sph, dlp_field field, int32_t i, const void *value)
{
    const dlp_particles *p = &sph->state.particles;
    float shown[3];
    if (field == DLP_FIELD_POSITION)
        return memcmp(p->position + 3 * (int64_t)i, value, value_size(field)) == 0;
    if (field == DLP_FIELD_VELOCITY)
        dlp_particle_effective_velocity(sph, i, shown);
    else
        shown[0] = (float)p->temperature[i];
    return memcmp(shown, value, value_size(field)) == 0;
}

// A particle may be as fast as a host makes it.
static void raise_velocity_limit(dlp_sph *sph, dlp_vec3 v)
{
    sph->state.velocity_limit = fmax(sph->state.velocity_limit, RUNAWAY * dlp_length(v));
}

static void write_value(dlp_sph *sph, dlp_field field, int32_t i, const void *value)
{
    dlp_particles *p = &sph->state.particles;
    if (field == DLP_FIELD_POSITION) {
        write_position(sph, i, value);
    } else if (field == DLP_FIELD_VELOCITY) {
        memcpy(p->velocity + 3 * (int64_t)i, value, value_size(field));
        raise_velocity_limit(sph, dlp_host_vector(field, value, 0));
    } else {
        p->temperature[i] = (double)*(const float *)value;
    }
}

static void wake_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++) sph->state.particles.sleep[i] = DLP_AWAKE;
}

// After a change: nothing sleeps, and nothing that follows from the particles holds. What sleeps must have
// its momentum of now before the change (dlp_sph_advance_sleepers).
static void note_edit(dlp_sph *sph)
{
    if (sph->params.restrains)
        dlp_parallel_for(sph->team, sph->state.particles.count, WAKE_GRAIN, wake_range, sph);
    sph->state.is_edited = 1;
    sph->state.wakes_all = 1;
    sph->scratch.neighbours.are_stale = true;
    sph->scratch.neighbours.lists_hold = false;
    dlp_sph_count_finest(sph);
}

bool dlp_sph_can_write(const dlp_sph *sph, dlp_field field)
{
    return field == DLP_FIELD_POSITION || field == DLP_FIELD_VELOCITY ||
           (field == DLP_FIELD_TEMPERATURE && dlp_sph_has_heat(sph));
}

dlp_status dlp_sph_write(dlp_sph *sph, dlp_field field, int32_t first, int32_t count, const void *values,
                         dlp_error *error)
{
    assert(dlp_sph_can_write(sph, field) && first >= 0 && first + count <= sph->state.particles.count);
    DLP_TRY(check_values(sph, field, first, count, values, error));
    const char *all = values;
    const size_t size = value_size(field);
    int32_t k = 0;
    while (k < count && is_shown(sph, field, first + k, all + (size_t)k * size)) k++;
    if (k == count) return DLP_OK;
    dlp_sph_advance_sleepers(sph);
    for (; k < count; k++) {
        const void *value = all + (size_t)k * size;
        if (!is_shown(sph, field, first + k, value)) write_value(sph, field, first + k, value);
    }
    note_edit(sph);
    return DLP_OK;
}

static dlp_status check_new(const dlp_sph *sph, const dlp_new_particles *particles, dlp_error *error)
{
    const int32_t first = sph->state.particles.count;
    if (particles->count > PARTICLE_LIMIT - first)
        return dlp_fail(error, DLP_INVALID, "substances.%s: more than %d particles",
                        sph->scene->substances[particles->substance].name, PARTICLE_LIMIT);
    for (int32_t k = 0; k < particles->count; k++) {
        DLP_TRY(check_position(sph, first + k, particles->positions[k], error));
        if (particles->velocities != NULL)
            DLP_TRY(check_vector(sph, DLP_FIELD_VELOCITY, first + k, particles->velocities[k], error));
    }
    return DLP_OK;
}

dlp_status dlp_sph_add(dlp_sph *sph, const dlp_new_particles *particles, dlp_error *error)
{
    const dlp_units *units = &sph->params.units;
    const int32_t count = sph->state.particles.count + particles->count;
    DLP_TRY(check_new(sph, particles, error));
    DLP_TRY(dlp_particles_reserve(&sph->state.particles, count, error));
    DLP_TRY(dlp_listed_reserve(&sph->state.listed, sph->params.kept, count, error));
    dlp_sph_advance_sleepers(sph);
    for (int32_t k = 0; k < particles->count; k++) {
        const dlp_vec3 x = particles->positions[k];
        const dlp_vec3 v = particles->velocities != NULL ? particles->velocities[k] : dlp_vec(0, 0, 0);
        raise_velocity_limit(sph, v);
        dlp_sph_add_particle(sph, particles->substance,
                             dlp_vec(wrapped(units, 0, x.x), wrapped(units, 1, x.y), wrapped(units, 2, x.z)),
                             v);
    }
    note_edit(sph);
    return DLP_OK;
}

dlp_status dlp_sph_remove(dlp_sph *sph, const int32_t *indices, int32_t count, dlp_error *error)
{
    dlp_particles *p = &sph->state.particles;
    uint8_t *is_kept = dlp_alloc((size_t)p->count + 1, 1, "particles");
    if (is_kept == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "particles: no room to remove some");
    dlp_sph_advance_sleepers(sph);
    memset(is_kept, 1, (size_t)p->count);
    for (int32_t k = 0; k < count; k++) {
        assert(indices[k] >= 0 && indices[k] < p->count);
        is_kept[indices[k]] = 0;
    }
    dlp_particles_keep(p, is_kept);
    dlp_free(is_kept);
    note_edit(sph);
    return DLP_OK;
}

// Forces.

static void put_in_buffer(const dlp_sph *sph, int32_t i, dlp_force_buffer *buffer)
{
    const int32_t k = buffer->count++;
    buffer->particle[k] = i;
    buffer->id[k] = sph->context.first_id + sph->state.particles.id[i];
    buffer->position[k] = dlp_sph_predicted_position(sph, i);
    buffer->velocity[k] = dlp_sph_predicted_velocity(sph, i);
    buffer->mass[k] = dlp_particle_mass(sph, i);
}

static void add_forces(const dlp_sph *sph, const dlp_force_buffer *buffer)
{
    const bool is_plane = sph->scene->dimension == 2;
    for (int32_t k = 0; k < buffer->count; k++) {
        float *force = sph->scratch.sums.force + 3 * (int64_t)buffer->particle[k];
        force[0] += (float)buffer->force[k].x;
        force[1] += (float)buffer->force[k].y;
        force[2] += is_plane ? 0 : (float)buffer->force[k].z;
    }
}

// A block of due particles, substance after substance.
static void force_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_host_forces *forces = sph->context.forces;
    dlp_force_buffer buffer;
    assert(end - begin <= DLP_FORCE_BUFFER);
    for (int32_t substance = 0; substance < sph->scene->substance_count; substance++) {
        if (!dlp_host_forces_act_on(forces, substance)) continue;
        buffer.count = 0;
        for (int32_t k = begin; k < end; k++) {
            const int32_t i = sph->scratch.selection.due[k];
            if (sph->state.particles.substance[i] == substance) put_in_buffer(sph, i, &buffer);
        }
        if (buffer.count == 0) continue;
        dlp_host_forces_call(forces, substance, dlp_sph_clock_time(&sph->state.clock), &buffer);
        add_forces(sph, &buffer);
    }
}

void dlp_sph_add_host_forces(dlp_sph *sph)
{
    if (sph->context.forces->active_count > 0)
        dlp_parallel_for(sph->team, sph->scratch.selection.due_count, DLP_FORCE_BUFFER, force_range, sph);
}

bool dlp_sph_has_other_forces(dlp_sph *sph)
{
    bool are_others = false;
    for (int32_t k = 0; k < sph->scene->substance_count; k++) {
        const dlp_host_force *now = &sph->context.forces->items[k];
        dlp_host_force *seen = &sph->scratch.forces_seen[k];
        are_others = are_others || now->call != seen->call || now->user != seen->user;
        *seen = *now;
    }
    return are_others;
}

// Whether a host acts on particles of ours.
static bool is_forced_now(const dlp_sph *sph, int32_t substance)
{
    return sph->scene->substances[substance].model == DLP_MODEL_SPH &&
           dlp_host_forces_act_on(sph->context.forces, substance);
}

bool dlp_sph_must_restart(const dlp_sph *sph)
{
    bool must = sph->state.is_edited != 0;
    for (int32_t k = 0; k < sph->scene->substance_count; k++)
        must = must || is_forced_now(sph, k) != (sph->state.is_forced[k] != 0);
    return must;
}

void dlp_sph_note_restart(dlp_sph *sph)
{
    sph->state.is_edited = 0;
    for (int32_t k = 0; k < sph->scene->substance_count; k++) sph->state.is_forced[k] = is_forced_now(sph, k);
}
