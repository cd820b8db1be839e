/* Where every particle is at this tick: a prediction from its own last step, into the records that the pair
 * loops read. Nothing else of the state is touched, so particles that are not due cost only this. */
#include "motion/sph/predict.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 4096 };

dlp_vec3 dlp_sph_predicted_position(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->particles;
    const double dt = sph->tick_seconds * (sph->clock.tick - p->begin[i]);
    const double half = 0.5 * dt * dt;
    const double *x = p->position + 3 * (int64_t)i;
    const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
    return dlp_vec(x[0] + dt * (double)v[0] + half * (double)a[0], x[1] + dt * (double)v[1] + half * (double)a[1],
                   x[2] + dt * (double)v[2] + half * (double)a[2]);
}

void dlp_record_set_position(float *record, const dlp_units *units, dlp_vec3 x)
{
    const int32_t at[3] = {(int32_t)(uint32_t)dlp_units_of(units, 0, x.x),
                           (int32_t)(uint32_t)dlp_units_of(units, 1, x.y),
                           (int32_t)(uint32_t)dlp_units_of(units, 2, x.z)};
    memcpy(record + DLP_RECORD_AT, at, sizeof at);
}

void dlp_record_set_compression(float *record, const dlp_substance *s, dlp_kernel_kind kernel, float delta)
{
    const float pressure = dlp_substance_pressure(s, delta);
    record[DLP_RECORD_PRESSURE] = kernel == DLP_KERNEL_MULLER ? pressure : pressure / (delta * delta);
    record[DLP_RECORD_VOLUME] = record[DLP_RECORD_VOLUME0] / delta;
    record[DLP_RECORD_DENSITY] = s->rho0 * delta;
}

float dlp_record_moved(const float *record, const dlp_sph *sph, int32_t point)
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

static void write_record(const dlp_sph *sph, int32_t i, float *record)
{
    const dlp_particles *p = &sph->particles;
    const dlp_substance *s = &sph->substances[p->substance[i]];
    const float dt = (float)(sph->tick_seconds * (sph->clock.tick - p->begin[i]));
    const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
    dlp_record_set_position(record, &sph->units, dlp_sph_predicted_position(sph, i));
    record[DLP_RECORD_VOLUME0] = s->volume_unit * (float)p->units[i];
    for (int k = 0; k < 3; k++) record[DLP_RECORD_VELOCITY + k] = v[k] + sph->velocity_lead * dt * a[k];
    const float delta = p->compression[i] + dt * p->compression_rate[i];
    // a prediction may not run away between two evaluations
    dlp_record_set_compression(record, s, sph->params.kernel, delta < 0.1f ? 0.1f : delta > 10.0f ? 10.0f : delta);
    record[DLP_RECORD_VISCOSITY] = s->viscosity;
    record[DLP_RECORD_H] = s->h;
    record[DLP_RECORD_ALPHA_C] = s->alpha_c;
    record[DLP_RECORD_BETA] = s->beta;
    record[DLP_RECORD_BULK] = s->rho0 * s->k;
    record[DLP_RECORD_REST_PRESSURE] = s->state == DLP_STATE_IDEAL ? s->rho0 * s->k : 0.0f;
}

static void predict_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    float farthest = 0;
    for (int32_t i = begin; i < end; i++) {
        float *record = sph->records + (int64_t)i * DLP_RECORD_SIZE;
        write_record(sph, i, record);
        const float moved = dlp_record_moved(record, sph, i);
        // a NaN counts as moved, so that it cannot hide
        if (!(moved <= farthest)) farthest = moved;
    }
    const float limit = sph->skin_limit * sph->skin_limit;
    sph->partial[begin / GRAIN] = !(farthest <= limit);
}

void dlp_sph_predict(dlp_sph *sph)
{
    const int32_t count = sph->particles.count;
    dlp_parallel_for(sph->team, count, GRAIN, predict_range, sph);
    for (int32_t k = 0; k * GRAIN < count; k++) {
        if (sph->partial[k]) sph->lists_are_stale = true;
    }
}
