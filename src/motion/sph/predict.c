/* Where every particle is at this tick: a prediction from its own last step, into the records that the pair
 * loops read. Nothing else of the state is touched, so particles that are not due cost only this. */
#include "motion/sph/predict.h"

enum { GRAIN = 4096 };

static void write_record(const dlp_sph *sph, int32_t i, float *record)
{
    const dlp_particles *p = &sph->particles;
    const float dt = (float)(sph->tick_seconds * (sph->clock.tick - p->begin[i]));
    const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
    dlp_record_set_position(record, &sph->units, dlp_sph_predicted_position(sph, i));
    for (int k = 0; k < 3; k++) record[DLP_RECORD_VELOCITY + k] = v[k] + sph->velocity_lead * dt * a[k];
    const float delta = p->compression[i] + dt * p->compression_rate[i];
    // a prediction may not run away between two evaluations
    dlp_record_set_compression(record, &sph->substances[p->substance[i]], sph->params.kernel,
                               delta < 0.1f ? 0.1f : delta > 10.0f ? 10.0f : delta);
}

static void write_constants(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++) {
        float *record = sph->records + (int64_t)i * DLP_RECORD_SIZE;
        const dlp_substance *s = &sph->substances[sph->particles.substance[i]];
        record[DLP_RECORD_VOLUME0] = s->volume_unit * (float)sph->particles.units[i];
        record[DLP_RECORD_VISCOSITY] = s->viscosity;
        record[DLP_RECORD_H] = s->h;
        record[DLP_RECORD_ALPHA_C] = s->alpha_c;
        record[DLP_RECORD_BETA] = s->beta;
        record[DLP_RECORD_BULK] = s->rho0 * s->k;
        record[DLP_RECORD_REST_PRESSURE] = s->state == DLP_STATE_IDEAL ? s->rho0 * s->k : 0.0f;
    }
}

void dlp_sph_write_constants(dlp_sph *sph)
{
    dlp_parallel_for(sph->team, sph->particles.count, GRAIN, write_constants, sph);
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
