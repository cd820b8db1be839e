/* Records: what the pair loops know of a point. */
#ifndef DLP_MOTION_SPH_PREDICT_H
#define DLP_MOTION_SPH_PREDICT_H

#include "motion/sph/sph.h"

#include <string.h>

/* Where a particle is at this tick. */
static inline dlp_vec3 dlp_sph_predicted_position(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->particles;
    const double dt = sph->tick_seconds * (sph->clock.tick - p->begin[i]);
    const double half = 0.5 * dt * dt;
    const double *x = p->position + 3 * (int64_t)i;
    const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
    return dlp_vec(x[0] + dt * (double)v[0] + half * (double)a[0],
                   x[1] + dt * (double)v[1] + half * (double)a[1],
                   x[2] + dt * (double)v[2] + half * (double)a[2]);
}

static inline void dlp_record_set_position(float *record, const dlp_units *units, dlp_vec3 x)
{
    const int32_t at[3] = {(int32_t)(uint32_t)dlp_units_of(units, 0, x.x),
                           (int32_t)(uint32_t)dlp_units_of(units, 1, x.y),
                           (int32_t)(uint32_t)dlp_units_of(units, 2, x.z)};
    memcpy(record + DLP_RECORD_AT, at, sizeof at);
}

static inline void dlp_record_set_compression(float *record, const dlp_substance *s, dlp_kernel_kind kernel,
                                              float delta)
{
    // a record may be softer than its substance: all state equations are proportional to their stiffness
    const float softening = record[DLP_RECORD_BULK] / (s->rho0 * s->k);
    const float pressure = softening * dlp_substance_pressure(s, delta), inverse = 1.0f / delta;
    record[DLP_RECORD_PRESSURE] = kernel == DLP_KERNEL_MULLER ? pressure : pressure * inverse * inverse;
    record[DLP_RECORD_VOLUME] = record[DLP_RECORD_VOLUME0] * inverse;
    record[DLP_RECORD_DENSITY] = s->rho0 * delta;
}

/* Square of the way a point has gone since the lists were built, m2. */
static inline float dlp_record_moved(const float *record, const dlp_sph *sph, int32_t point)
{
    float sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        int32_t at;
        memcpy(&at, record + DLP_RECORD_AT + axis, sizeof at);
        const float moved =
            (float)(int32_t)((uint32_t)at - (uint32_t)sph->at[axis][point]) * sph->params.unit[axis];
        sum += moved * moved;
    }
    return sum;
}

/* What of a particle's record changes only with its substance; after the lists were built. */
void dlp_sph_write_constants(dlp_sph *sph);

#endif
