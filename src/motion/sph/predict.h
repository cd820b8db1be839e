/* Packed-records: what the pair loops know of a point. */
#ifndef DLP_MOTION_SPH_PREDICT_H
#define DLP_MOTION_SPH_PREDICT_H

#include "motion/sph/sph_restraint.h"

#include <string.h>

/* Where a particle is at this tick. */
static inline dlp_vec3 dlp_sph_predicted_position(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->state.particles;
    const double dt = sph->params.tick_seconds * (sph->state.clock.tick - p->begin[i]);
    const double half = 0.5 * dt * dt;
    const double *x = p->position + 3 * (int64_t)i;
    const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
    if (sph->params.restrains) {  // with the effective velocity of the middle of the step
        const dlp_vec3 middle =
            dlp_vec((double)v[0] + 0.5 * dt * (double)a[0], (double)v[1] + 0.5 * dt * (double)a[1],
                    (double)v[2] + 0.5 * dt * (double)a[2]);
        const double gain = dlp_particle_gain(sph, i, dlp_dot(middle, middle));
        return dlp_along(dlp_vec(x[0], x[1], x[2]), middle, gain * dt);
    }
    return dlp_vec(x[0] + dt * (double)v[0] + half * (double)a[0],
                   x[1] + dt * (double)v[1] + half * (double)a[1],
                   x[2] + dt * (double)v[2] + half * (double)a[2]);
}

static inline void dlp_packed_set_position(float *packed, const dlp_units *units, dlp_vec3 x)
{
    const int32_t at[3] = {(int32_t)(uint32_t)dlp_units_of(units, 0, x.x),
                           (int32_t)(uint32_t)dlp_units_of(units, 1, x.y),
                           (int32_t)(uint32_t)dlp_units_of(units, 2, x.z)};
    memcpy(packed + DLP_PACKED_AT, at, sizeof at);
}

static inline void dlp_packed_set_compression(float *packed, const dlp_substance *s, dlp_kernel_kind kernel,
                                              float delta)
{
    // a packed-record may be softer than its substance: all state equations are proportional to their
    // stiffness
    const float softening = packed[DLP_PACKED_BULK] / (s->rho0 * s->k);
    const float pressure = softening * dlp_substance_pressure(s, delta), inverse = 1.0f / delta;
    packed[DLP_PACKED_PRESSURE] = kernel == DLP_KERNEL_MULLER ? pressure : pressure * inverse * inverse;
    packed[DLP_PACKED_VOLUME] = packed[DLP_PACKED_VOLUME0] * inverse;
    packed[DLP_PACKED_DENSITY] = s->rho0 * delta;
}

/* Square of the distance a point has gone since the lists were built, m2. */
static inline float dlp_packed_moved(const float *packed, const dlp_sph *sph, int32_t point)
{
    float sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        int32_t at;
        memcpy(&at, packed + DLP_PACKED_AT + axis, sizeof at);
        const float moved = (float)(int32_t)((uint32_t)at - (uint32_t)sph->state.listed.at[axis][point]) *
                            sph->params.pair.unit[axis];
        sum += moved * moved;
    }
    return sum;
}

/* Velocity that the pair loops see: predicted by `lead` of the time since the particle's own step, and as
 * much of it as moves. */
static inline void dlp_packed_set_velocity(float *packed, const dlp_sph *sph, int32_t i, float lead)
{
    const float *v = sph->state.particles.velocity + 3 * (int64_t)i,
                *a = sph->state.particles.acceleration + 3 * (int64_t)i;
    float u[3];
    for (int k = 0; k < 3; k++) u[k] = v[k] + lead * a[k];
    const float gain =
        sph->params.restrains
            ? (float)dlp_particle_gain(sph, i, (double)(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]))
            : 1;
    for (int k = 0; k < 3; k++) packed[DLP_PACKED_VELOCITY + k] = gain * u[k];
}

/* What of a particle's packed-record changes only with its substance; after the lists were built. */
void dlp_sph_write_constants(dlp_sph *sph);

#endif
