/* Kick: the particles that are due close their step with the new acceleration and learn how far they may go.
 */
#include "motion/sph/adapt.h"
#include "motion/sph/sph_heat.h"
#include "scene/body_force.h"

#include <math.h>

enum { GRAIN = DLP_KICK_BLOCK };

// A group of six to nine is 1.8 to 2.1 times as large as its members: all of these may make twice their step.
#define COARSE_COURANT 1.1

bool dlp_sph_is_held(const dlp_sph *sph, int32_t i)
{
    return (double)sph->state.particles.held_until[i] > dlp_sph_clock_time(&sph->state.clock);
}

dlp_vec3 dlp_sph_new_acceleration(const dlp_sph *sph, int32_t i)
{
    if (dlp_sph_is_held(sph, i)) return dlp_vec(0, 0, 0);
    const float *force = sph->scratch.sums.force + 3 * (int64_t)i;
    const double inverse = 1 / dlp_particle_mass(sph, i);
    const dlp_vec3 outside = dlp_body_acceleration(sph->scene, sph->state.particles.substance[i],
                                                   dlp_sph_predicted_position(sph, i));
    return dlp_add(
        outside, dlp_vec((double)force[0] * inverse, (double)force[1] * inverse, (double)force[2] * inverse));
}

// v(n+1) = v(n) + dt/2 (a(n) + a(n+1)): kick-drift-kick, written for a state that stands at its own time. The
// push on a sleeper was constant until now.
dlp_vec3 dlp_sph_new_velocity(const dlp_sph *sph, int32_t i, dlp_vec3 a)
{
    const double dt = sph->params.tick_seconds * (sph->state.clock.tick - sph->state.particles.begin[i]),
                 half = 0.5 * dt;
    const float *v = sph->state.particles.velocity + 3 * (int64_t)i,
                *old = sph->state.particles.acceleration + 3 * (int64_t)i;
    if (dlp_particle_sleeps(sph, i)) {
        const dlp_vec3 pushed = dlp_along(dlp_vec((double)v[0], (double)v[1], (double)v[2]),
                                          dlp_particle_excess_load(sph, i), dt);
        return dlp_particle_decay(sph, i, pushed, dt);
    }
    const dlp_vec3 new =
        dlp_vec((double)v[0] + half * ((double)old[0] + a.x), (double)v[1] + half * ((double)old[1] + a.y),
                (double)v[2] + half * ((double)old[2] + a.z));
    return dlp_particle_decay(sph, i, new, dt);
}

static bool has_failed(const dlp_sph *sph, int32_t i)
{
    const dlp_vec3 a = dlp_sph_new_acceleration(sph, i), v = dlp_sph_new_velocity(sph, i, a);
    const float delta = dlp_sph_packed(sph, i)[DLP_PACKED_DENSITY];
    return !(dlp_dot(v, v) <= sph->state.velocity_limit * sph->state.velocity_limit) || !isfinite(delta) ||
           !dlp_is_finite3(a);
}

// The first place among the due at which a step failed.
static void find_failures(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    int32_t *first = result;
    for (int32_t k = begin; k < end && k < *first; k++)
        if (has_failed(sph, sph->scratch.selection.due[k])) *first = k;
}

int32_t dlp_sph_find_failure(const dlp_sph *sph)
{
    int32_t first = INT32_MAX;
    const dlp_reduction find = {find_failures, dlp_combine_min_int32, (void *)(uintptr_t)sph, sizeof first};
    dlp_parallel_reduce(sph->team, sph->scratch.selection.due_count, GRAIN, &find, &first);
    return first < INT32_MAX ? sph->scratch.selection.due[first] : -1;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

// The step a particle may make next.  [desbrun1996, eq. 14; monaghan1992]
double dlp_sph_dt_limit_of(const dlp_sph *sph, int32_t i, dlp_vec3 v, dlp_vec3 a, double approach)
{
    const dlp_substance *s = dlp_particle_substance(sph, i);
    const double courant = sph->scene->courant, h = (double)dlp_particle_h(sph, i);
    const double c = (double)s->sound_speed, alpha_c = (double)(s->alpha_c * s->h) / h;
    if (sph->scene->step > 0) return sph->scene->step;
    const double quadratic = s->beta > 1 ? (double)s->beta : 1;
    double step =
        (h > (double)s->h ? COARSE_COURANT : 1) * courant * h / (c + 0.6 * (alpha_c + quadratic * approach));
    step = smaller(step, courant * h / (dlp_length(v) + 1e-30));
    step = smaller(step, 0.25 * sqrt(h / (dlp_length(a) + 1e-30)));
    const float *packed = dlp_sph_packed(sph, i);
    if (packed[DLP_PACKED_VISCOSITY] > 0 && !sph->params.solves_viscosity) {
        const double rho = (double)packed[DLP_PACKED_DENSITY];
        step = smaller(step, sph->params.viscous_limit * h * h * rho / (double)packed[DLP_PACKED_VISCOSITY]);
    }
    return dlp_sph_has_heat(sph) ? smaller(step, dlp_heat_step(sph, i)) : step;
}

void dlp_sph_store_motion(dlp_sph *sph, int32_t i, dlp_vec3 x, dlp_vec3 v, dlp_vec3 a)
{
    dlp_particles *p = &sph->state.particles;
    const double new_x[3] = {x.x, x.y, x.z};
    const float new_v[3] = {(float)v.x, (float)v.y, (float)v.z},
                new_a[3] = {(float)a.x, (float)a.y, (float)a.z};
    for (int axis = 0; axis < 3; axis++) {
        const int64_t k = 3 * (int64_t)i + axis;
        p->displacement[k] += (float)(new_x[axis] - p->position[k]);
        p->position[k] = new_x[axis];
        p->velocity[k] = new_v[axis];
        p->acceleration[k] = new_a[axis];
    }
}

static void kick_particle(dlp_sph *sph, int32_t i, dlp_contact_sum *sums)
{
    dlp_particles *p = &sph->state.particles;
    assert(dlp_particle_times_hold(sph, i) && p->begin[i] <= sph->state.clock.tick);
    const float *packed = dlp_sph_packed(sph, i);
    const float half = (float)(0.5 * sph->params.tick_seconds * (sph->state.clock.tick - p->begin[i]));
    const dlp_vec3 a = dlp_sph_new_acceleration(sph, i);
    const double begin_time = sph->state.clock.start + sph->params.tick_seconds * p->begin[i];
    dlp_vec3 v = dlp_sph_new_velocity(sph, i, a), x = dlp_sph_predicted_position(sph, i);
    const bool holds = dlp_particle_holds(sph, i);
    if (!holds || sph->params.walls.has_moving)
        dlp_sph_resolve_contact(sph, i, dlp_particle_position(p, i), begin_time, &x, &v, sums);
    const dlp_vec3 displacement = dlp_sub(x, dlp_particle_position(p, i));
    if (holds && dlp_dot(displacement, displacement) > 0) p->sleep[i] = DLP_AWAKE;  // an obstacle moved it
    dlp_sph_store_motion(sph, i, x, v, a);
    if (dlp_sph_carries_density(sph))
        p->compression[i] += half * p->compression_rate[i];
    else if (!holds)
        p->compression[i] = packed[DLP_PACKED_VOLUME0] / packed[DLP_PACKED_VOLUME];
    if (dlp_sph_adapts_space(sph) && !holds) {
        const float share = 2 * half * p->renewal[i];
        p->sum_at_rest[i] += (1 - p->sum_at_rest[i]) * (share < 1 ? share : 1);
    }
    p->begin[i] = sph->state.clock.tick;
    if (sph->params.restrains) dlp_sph_update_sleep(sph, i, v, a);
    sph->scratch.sums.handover[i].dt_limit =
        (float)dlp_sph_dt_limit_of(sph, i, v, a, (double)dlp_sph_approach(sph, i));
}

dlp_contact_sum *dlp_sph_begin_contacts(dlp_sph *sph, int32_t block)
{
    const int32_t body_count = sph->context.bodies->count;
    if (!sph->params.wants_loads) return NULL;
    assert((block + 1) * body_count <= sph->scratch.contacts.capacity);
    dlp_contact_sum *sums = sph->scratch.contacts.sums + (int64_t)block * body_count;
    for (int32_t k = 0; k < body_count; k++) sums[k] = (dlp_contact_sum){0};
    return sums;
}

static void kick_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_contact_sum *sums = dlp_sph_begin_contacts(sph, begin / GRAIN);
    for (int32_t k = begin; k < end; k++) kick_particle(sph, sph->scratch.selection.due[k], sums);
}

// Impulses of the contacts of this step, block after block.
void dlp_sph_add_contacts(dlp_sph *sph)
{
    const int32_t body_count = sph->context.bodies->count;
    for (int32_t block = 0; sph->params.wants_loads && block * GRAIN < sph->scratch.selection.due_count;
         block++)
        for (int32_t k = 0; k < body_count; k++) {
            const dlp_contact_sum *sum = &sph->scratch.contacts.sums[(int64_t)block * body_count + k];
            dlp_body_load *load = &sph->context.loads[k];
            load->impulse = dlp_add(load->impulse, sum->impulse);
            load->angular_impulse = dlp_add(load->angular_impulse, sum->angular_impulse);
        }
}

// What is due may have become faster than anything was before: speed until it is due again.
static void find_fastest(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    const dlp_particles *p = &sph->state.particles;
    double *fastest = result;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        if (dlp_particle_holds(sph, i)) continue;
        const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
        const double dt = (double)dlp_sph_dt_limit(sph, i);
        const double speed = sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])) +
                             dt * sqrt((double)(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
        if (speed > *fastest) *fastest = speed;
    }
}

static void raise_speed_bound(dlp_sph *sph)
{
    const dlp_reduction fastest = {find_fastest, dlp_combine_max_double, sph,
                                   sizeof sph->state.listed.speed_bound};
    dlp_parallel_reduce(sph->team, sph->scratch.selection.due_count, GRAIN, &fastest,
                        &sph->state.listed.speed_bound);
}

void dlp_sph_kick(dlp_sph *sph)
{
    dlp_parallel_for(sph->team, sph->scratch.selection.due_count, GRAIN, kick_range, sph);
    dlp_sph_hand(sph, DLP_HOLDS_DT_LIMITS);
    dlp_sph_add_contacts(sph);
    if (sph->params.has_individual_steps || sph->scratch.selection.is_sparse) raise_speed_bound(sph);
}
