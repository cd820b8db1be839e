/* The loops of heat: conduction, and the temperatures of wall points; compiled once per target. */
#include "motion/sph/pairs_wide.h"
#include "matter/pair_heat.h"
#include "matter/pair_wall.h"

// Conduction into particles from particles and walls, and how free a particle is: volume in its neighbourhood
// and its first moment.
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
        dlp_v3 moment = {real_of(0), real_of(0), real_of(0)};
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const neighbours b = load_neighbours(work, &i, list + n);
            const dlp_wide4 m = load_part(work, list + n, DLP_PACKED_VOLUME);
            const dlp_wide4 t = dlp_wide_gather4(work->heat, list + n, DLP_HEAT_SIZE);
            const real slope = slope_of(params, &i, b.o.r, m.d, kind, mixed);
            const real h = mixed ? dlp_pair_mean_h(i.p.h, m.d) : i.p.h;
            const real conductivity =
                n < middle ? dlp_pair_harmonic_mean(k_i, t.b) : dlp_wall_conductivity(k_i, t.b);
            power += dlp_pair_conduction(i.p.volume * m.a, params->conduction_factor * conductivity,
                                         t_i - t.a, b.o.rr, dlp_pair_softened(b.o.rr, h), slope);
            const real weight = dlp_pair_presence(b.volume0, b.o.rr, i.inverse_h);
            present += weight;
            add_to(&moment, dlp_v3_mul(b.o.x, weight));
        }
        float *flow = work->flow + (int64_t)p * DLP_FLOW_SIZE;
        flow[DLP_FLOW_POWER] = dlp_wide_sum(power);
        flow[DLP_FLOW_PRESENT] = dlp_wide_sum(present);
        flow[DLP_FLOW_MOMENT] = dlp_v3_length(total3(moment))[0];
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
            const neighbours b = load_neighbours(work, &i, list + n);
            const dlp_wide4 m = load_part(work, list + n, DLP_PACKED_VOLUME);
            const dlp_wide4 t = dlp_wide_gather4(work->heat, list + n, DLP_HEAT_SIZE);
            const real w = dlp_wall_weight(m.a, shape_of(work->params, &i, b.o.r, m.d, kind, true));
            weight += w;
            sum += w * t.a;
        }
        const real own = real_of(heat[DLP_HEAT_WALL]), all = total(weight);
        heat[DLP_HEAT_TEMPERATURE] = all[0] > 0 ? dlp_wall_mirrored(own, total(sum) / all)[0] : own[0];
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
