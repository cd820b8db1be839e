/* The loops of heat: conduction, and the temperatures of wall points; compiled once a target. */
#include "motion/sph/pairs_wide.h"

// Conduction into particles from particles and walls [cleary1999], and how free a particle is: volume in its
// neighbourhood, weighted by 1 - r^2 / (2h)^2, and its first moment.
DLP_INLINE void sum_heat(const dlp_pair_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                         bool mixed)
{
    const dlp_pair_params *params = work->params;
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        const center i = load_center(work->packed + (int64_t)p * DLP_PACKED_SIZE);
        const float *heat = work->heat + (int64_t)p * DLP_HEAT_SIZE;
        const real t_i = real_of(heat[DLP_HEAT_TEMPERATURE]), k_i = real_of(heat[DLP_HEAT_CONDUCTIVITY]);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t middle = dlp_list_end(work->lists, p, 0), last = dlp_list_end(work->lists, p, 1);
        real power = real_of(0), present = real_of(0);
        const real wide = 0.25f * i.inverse_h * i.inverse_h;
        real nx = real_of(0), ny = real_of(0), nz = real_of(0);
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const offsets o = load_offsets(work, &i, list + n);
            const dlp_wide4 m = load_part(work, list + n, DLP_PACKED_VOLUME);
            const dlp_wide4 t = dlp_wide_gather4(work->heat, list + n, DLP_HEAT_SIZE);
            const real slope = params->slope_norm * pair_slope(&i, o.r, m.d, params->dimension, kind, mixed);
            const real h = mixed ? 0.5f * (i.h + m.d) : i.h;
            const real conductivity = n < middle ? dlp_pair_conductivity_mean(k_i, t.b) : k_i * t.b;
            power += dlp_pair_conduction(i.volume * m.a, params->conduction_factor * conductivity, t_i - t.a,
                                         o.rr, dlp_pair_softened(o.rr, h), slope);
            const real weight = o.volume0 * real_max(1.0f - o.rr * wide, real_of(0));
            present += weight;
            nx += weight * o.x;
            ny += weight * o.y;
            nz += weight * o.z;
        }
        float *flow = work->flow + (int64_t)p * DLP_FLOW_SIZE;
        flow[DLP_FLOW_POWER] = dlp_wide_sum(power);
        const float x = dlp_wide_sum(nx), y = dlp_wide_sum(ny), z = dlp_wide_sum(nz);
        flow[DLP_FLOW_PRESENT] = dlp_wide_sum(present);
        flow[DLP_FLOW_MOMENT] = __builtin_sqrtf(x * x + y * y + z * z);
    }
}

// A wall point takes the temperature of the substance near it, mirrored at the wall's own, as it does with
// the velocity.
DLP_INLINE void mirror_heat(const dlp_pair_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind)
{
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        float *heat = work->heat + (int64_t)p * DLP_HEAT_SIZE;
        const center i = load_center(work->packed + (int64_t)p * DLP_PACKED_SIZE);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t last = dlp_list_end(work->lists, p, 0);
        real weight = real_of(0), sum = real_of(0);
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const offsets o = load_offsets(work, &i, list + n);
            const dlp_wide4 m = load_part(work, list + n, DLP_PACKED_VOLUME);
            const dlp_wide4 t = dlp_wide_gather4(work->heat, list + n, DLP_HEAT_SIZE);
            const real w = m.a * pair_shape(&i, o.r, m.d, work->params->dimension, kind, true);
            weight += w;
            sum += w * t.a;
        }
        const float total = dlp_wide_sum(weight), own = heat[DLP_HEAT_WALL];
        heat[DLP_HEAT_TEMPERATURE] = total > 0 ? 2.0f * own - dlp_wide_sum(sum) / total : own;
    }
}

void DLP_ON_TARGET(dlp_sph_sum_heat)(const dlp_pair_work *work, int32_t begin, int32_t end)
{
#define CALL(kind)                                                                                           \
    if (work->params->is_mixed)                                                                              \
        sum_heat(work, begin, end, kind, true);                                                              \
    else                                                                                                     \
        sum_heat(work, begin, end, kind, false)
    FOR_EACH_KERNEL(work->params->kernel, CALL)
#undef CALL
}

void DLP_ON_TARGET(dlp_sph_mirror_heat)(const dlp_pair_work *work, int32_t begin, int32_t end)
{
#define CALL(kind) mirror_heat(work, begin, end, kind)
    FOR_EACH_KERNEL(work->params->kernel, CALL)
#undef CALL
}
