/* The loops of a projection; compiled once per target. */
#include "motion/sph/iteration_records.h"
#include "matter/pair_density.h"
#include "matter/pair_projection.h"

DLP_INLINE void make_rows(const dlp_projection_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                          bool mixed)
{
    const dlp_pair_params *params = work->params;
    for (int32_t p = work->first + begin; p < work->first + end; p++) {
        const center i = load_place(work, p);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t last = dlp_list_end(work->lists, p, work->last_group);
        dlp_v3 gradient = {real_of(0), real_of(0), real_of(0)};
        real squares = real_of(0);
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const seen b = load_seen(work, &i, list + n);
            const real volume = dlp_wide_gather4(work->paces, list + n, DLP_PACE_SIZE).d;
            const real slope = slope_of(params, &i, b.o.r, seen_h(work, &i, list + n, mixed), kind, mixed);
            add_to(&gradient, dlp_pair_edge(volume, slope, b.o.x));
            squares += dlp_pair_diagonal(volume * load_each(work->mobility, list + n), slope, b.o.rr);
        }
        float *row = work->rows + (int64_t)p * DLP_ROW_SIZE;
        store3(row, gradient);
        const dlp_v3 g = broadcast(row);
        row[3] =
            dlp_projection_diagonal(real_of(work->mobility[p]), dlp_v3_dot(g, g),
                                    real_of(work->paces[(int64_t)p * DLP_PACE_SIZE + 3]), total(squares))[0];
    }
}

DLP_INLINE void push(const dlp_projection_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                     bool mixed)
{
    const dlp_pair_params *params = work->params;
    for (int32_t p = work->first + begin; p < work->first + end; p++) {
        const center i = load_place(work, p);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t last = dlp_list_end(work->lists, p, work->last_group);
        dlp_v3 sum = {real_of(0), real_of(0), real_of(0)};
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const seen b = load_seen(work, &i, list + n);
            const real slope = slope_of(params, &i, b.o.r, seen_h(work, &i, list + n, mixed), kind, mixed);
            add_to(&sum, dlp_pair_push(b.number, slope, b.o.x));
        }
        const dlp_v3 a =
            dlp_projection_acceleration(real_of(work->mobility[p]), real_of(work->kappa[p]),
                                        broadcast(work->rows + (int64_t)p * DLP_ROW_SIZE), total3(sum));
        float *out = work->out + (int64_t)p * DLP_PACE_SIZE;
        out[0] = a.x[0];
        out[1] = a.y[0];
        out[2] = a.z[0];
    }
}

DLP_INLINE void rate(const dlp_projection_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                     bool mixed)
{
    const dlp_pair_params *params = work->params;
    for (int32_t p = work->first + begin; p < work->first + end; p++) {
        const center i = load_place(work, p);
        const dlp_v3 own = broadcast(work->paces + (int64_t)p * DLP_PACE_SIZE);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t last = dlp_list_end(work->lists, p, work->last_group);
        real sum = real_of(0);
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const seen b = load_seen(work, &i, list + n);
            const dlp_wide4 pace = dlp_wide_gather4(work->paces, list + n, DLP_PACE_SIZE);
            const real slope = slope_of(params, &i, b.o.r, seen_h(work, &i, list + n, mixed), kind, mixed);
            const dlp_v3 apart = dlp_v3_sub(own, (dlp_v3){pace.a, pace.b, pace.c});
            sum += dlp_pair_divergence(pace.d, dlp_v3_dot(apart, b.o.x), slope);
        }
        work->out[p] = dlp_wide_sum(sum);
    }
}

DLP_INLINE void mean(const dlp_projection_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                     bool mixed)
{
    const dlp_pair_params *params = work->params;
    for (int32_t p = work->first + begin; p < work->first + end; p++) {
        const center i = load_place(work, p);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t last = dlp_list_end(work->lists, p, work->last_group);
        dlp_v3 sum = {real_of(0), real_of(0), real_of(0)};
        real all = real_of(0);
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const seen b = load_seen(work, &i, list + n);
            const dlp_wide4 pace = dlp_wide_gather4(work->paces, list + n, DLP_PACE_SIZE);
            const real shape = shape_of(params, &i, b.o.r, seen_h(work, &i, list + n, mixed), kind, mixed);
            const real weight = dlp_pair_density(pace.d, shape);
            all += weight;
            add_to(&sum, dlp_v3_mul((dlp_v3){pace.a, pace.b, pace.c}, weight));
        }
        const float weight = dlp_wide_sum(all), inverse = weight > 0 ? 1.0f / weight : 0.0f;
        float *out = work->out + (int64_t)p * DLP_PACE_SIZE;
        store3(out, sum);
        for (int axis = 0; axis < 3; axis++) out[axis] *= inverse;
        out[3] = params->norm * weight;
    }
}

#define CALL(name, kind)                                                                                     \
    if (work->h != NULL)                                                                                     \
        name(work, begin, end, kind, true);                                                                  \
    else                                                                                                     \
        name(work, begin, end, kind, false)
#define CALL_make_rows(kind) CALL(make_rows, kind)
#define CALL_push(kind)      CALL(push, kind)
#define CALL_rate(kind)      CALL(rate, kind)
#define CALL_mean(kind)      CALL(mean, kind)
#define RUN(name)                                                                                            \
    static void run_##name(const dlp_projection_work *work, int32_t begin, int32_t end)                      \
    {                                                                                                        \
        FOR_EACH_KERNEL(work->params->kernel, CALL_##name)                                                   \
    }
RUN(make_rows)
RUN(push)
RUN(rate)
RUN(mean)

const dlp_projection_loops DLP_ON_TARGET(dlp_projection_loops) = {run_make_rows, run_push, run_rate,
                                                                  run_mean};
