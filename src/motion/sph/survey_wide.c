/* The look around before particles are split and merged; compiled once a target. */
#include "motion/sph/pairs_wide.h"

// Sums over the neighbours of a particle.
typedef struct survey_sums {
    real edge[3], shear[9], slope[3];
    real sum, jump, depth;
} survey_sums;

// A field of eight neighbours; `other` for padding.
DLP_INLINE real load_field(const dlp_pair_work *work, const int32_t *list, float other)
{
    real value;
    for (int k = 0; k < DLP_LANES; k++) value[k] = list[k] < work->wall_first ? work->depth[list[k]] : other;
    return value;
}

DLP_INLINE void add_kernel(survey_sums *s, const dlp_pair_params *params, const center *i, const offsets *o,
                           real h_j, dlp_kernel_kind kind)
{
    const real slope = params->slope_norm * pair_slope(i, o->r, h_j, params->dimension, kind, true);
    s->sum += o->volume0 * pair_shape(i, o->r, h_j, params->dimension, kind, true);
    s->edge[0] += o->volume0 * slope * o->x;
    s->edge[1] += o->volume0 * slope * o->y;
    s->edge[2] += o->volume0 * slope * o->z;
}

// Gradients of velocity and compression, and what is near.
DLP_INLINE void add_particles(survey_sums *s, const dlp_pair_work *work, const center *i, const int32_t *list,
                              dlp_kernel_kind kind)
{
    const dlp_pair_params *params = work->params;
    const offsets o = load_offsets(work, i, list);
    const dlp_wide4 v = load_part(work, list, DLP_PACKED_VELOCITY);
    const dlp_wide4 m = load_part(work, list, DLP_PACKED_VOLUME);
    add_kernel(s, params, i, &o, m.d, kind);
    const real weight = -m.a * params->slope_norm * pair_slope(i, o.r, m.d, params->dimension, kind, true);
    const real offset[3] = {o.x, o.y, o.z}, u[3] = {i->vx - v.a, i->vy - v.b, i->vz - v.c};
    const real jump = o.volume0 / (m.a + 1e-30f) - i->delta;
    const real_mask is_near = (o.r < 2.0f * real_max(i->h, m.d)) & (o.volume0 > 0.0f);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) s->shear[3 * a + b] += weight * u[a] * offset[b];
        s->slope[a] -= weight * jump * offset[a];
    }
    s->jump = real_max(s->jump, real_select(is_near, real_max(jump, -jump), real_of(0)));
    s->depth = real_min(s->depth, load_field(work, list, 1e30f) + o.r);
}

static float length_of(const real *sums, int count, const float *less)
{
    float square = 0;
    for (int k = 0; k < count; k++) {
        const float x = dlp_wide_sum(sums[k]) - (less != NULL ? less[k] : 0.0f);
        square += x * x;
    }
    return __builtin_sqrtf(square);
}

// sqrt(2) |D|, D the symmetric part of the velocity gradient: the rate of a simple shear, 0 for rotation.
static float strain_of(const real *gradient)
{
    float square = 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            const float d = 0.5f * (dlp_wide_sum(gradient[3 * a + b]) + dlp_wide_sum(gradient[3 * b + a]));
            square += 2 * d * d;
        }
    return __builtin_sqrtf(square);
}

// In rest under gravity density grows with depth; in free fall it does not: whatever explains more counts.
static float unexplained_slope(const survey_sums *s, const dlp_pair_params *params, const center *i)
{
    float at_rest[3];
    for (int k = 0; k < 3; k++) at_rest[k] = params->gravity[k] * i->density[0] / i->bulk[0];
    const float plain = length_of(s->slope, 3, NULL), less = length_of(s->slope, 3, at_rest);
    return plain < less ? plain : less;
}

DLP_INLINE void survey(const dlp_pair_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind)
{
    const dlp_pair_params *params = work->params;
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        const center i = load_center(work->packed + (int64_t)p * DLP_PACKED_SIZE);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t middle = dlp_list_end(work->lists, p, 0), last = dlp_list_end(work->lists, p, 1);
        survey_sums s = {.depth = real_of(1e30f)};
        for (int32_t n = 0; n < middle; n += DLP_LANES) add_particles(&s, work, &i, list + n, kind);
        for (int32_t n = middle; n < last; n += DLP_LANES) {
            const offsets o = load_offsets(work, &i, list + n);
            add_kernel(&s, params, &i, &o, load_part(work, list + n, DLP_PACKED_VOLUME).d, kind);
        }
        const real self =
            i.volume0 * kernel_shape(real_of(0), kind) * volume_scale(i.inverse_h, params->dimension);
        float *out = work->measure + (int64_t)k * DLP_SURVEY_SIZE;
        for (int a = 0; a < 3; a++) out[DLP_SURVEY_EDGE + a] = i.h[0] * dlp_wide_sum(s.edge[a]);
        out[DLP_SURVEY_SUM] = params->norm * (self[0] + dlp_wide_sum(s.sum));
        out[DLP_SURVEY_SHEAR] = strain_of(s.shear);
        out[DLP_SURVEY_SLOPE] = unexplained_slope(&s, params, &i);
        out[DLP_SURVEY_JUMP] = dlp_wide_largest(s.jump);
        out[DLP_SURVEY_DEPTH] = -dlp_wide_largest(-s.depth);
    }
}

void DLP_ON_TARGET(dlp_sph_survey)(const dlp_pair_work *work, int32_t begin, int32_t end)
{
#define CALL(kind) survey(work, begin, end, kind)
    FOR_EACH_KERNEL(work->params->kernel, CALL)
#undef CALL
}
