/* The look around before particles are split and merged; compiled once per target. */
#include "motion/sph/pairs_wide.h"
#include "matter/pair_density.h"
#include "matter/pair_gradient.h"

// Sums over the neighbours of a particle.
typedef struct survey_sums {
    dlp_v3 edge, slope;
    dlp_t3 shear;
    real sum, jump, depth;
} survey_sums;

// A field of eight neighbours; `other` for padding.
DLP_INLINE real load_field(const dlp_pair_work *work, const int32_t *list, float other)
{
    real value;
    for (int k = 0; k < DLP_LANES; k++) value[k] = list[k] < work->wall_first ? work->depth[list[k]] : other;
    return value;
}

DLP_INLINE void add_kernel(survey_sums *s, const dlp_pair_params *params, const center *i,
                           const neighbours *b, real h_j, dlp_kernel_kind kind)
{
    const real slope = slope_of(params, i, b->o.r, h_j, kind, true);
    s->sum += dlp_pair_density(b->volume0, shape_of(params, i, b->o.r, h_j, kind, true));
    add_to(&s->edge, dlp_pair_edge(b->volume0, slope, b->o.x));
}

// Gradients of velocity and compression, and what is near.
DLP_INLINE void add_particles(survey_sums *s, const dlp_pair_work *work, const center *i, const int32_t *list,
                              dlp_kernel_kind kind)
{
    const dlp_pair_params *params = work->params;
    const neighbours b = load_neighbours(work, i, list);
    const dlp_pair_point j = load_points(work, list, b.volume0, false);
    add_kernel(s, params, i, &b, j.h, kind);
    const real bare = dlp_pair_slope(kind, params->dimension, b.o.r, inverse_h_of(i, j.h, true));
    const real weight = dlp_pair_gradient_weight(j.volume, real_of(params->slope_norm), bare);
    const real jump =
        dlp_pair_compression(j.volume0, j.volume) - dlp_pair_compression(i->p.volume0, i->p.volume);
    s->shear = dlp_t3_add(s->shear, dlp_pair_velocity_gradient(weight, dlp_v3_sub(i->p.v, j.v), b.o.x));
    add_to(&s->slope, dlp_pair_compression_gradient(weight, jump, b.o.x));
    const real_mask is_near = dlp_pair_is_near(b.o.r, i->p.h, j.h, j.volume0);
    s->jump = real_max(s->jump, real_select(is_near, real_max(jump, -jump), real_of(0)));
    s->depth = real_min(s->depth, load_field(work, list, 1e30f) + b.o.r);
}

DLP_INLINE dlp_t3 total9(dlp_t3 sum)
{
    return (dlp_t3){total(sum.xx), total(sum.xy), total(sum.xz), total(sum.yx), total(sum.yy),
                    total(sum.yz), total(sum.zx), total(sum.zy), total(sum.zz)};
}

DLP_INLINE void store_survey(float *out, const survey_sums *s, const dlp_pair_params *params, const center *i,
                             dlp_kernel_kind kind)
{
    const real self = dlp_pair_density_of_self(kind, params->dimension, i->p.volume0, i->inverse_h);
    const dlp_v3 edge = dlp_v3_mul(total3(s->edge), i->p.h);
    out[DLP_SURVEY_EDGE] = edge.x[0];
    out[DLP_SURVEY_EDGE + 1] = edge.y[0];
    out[DLP_SURVEY_EDGE + 2] = edge.z[0];
    out[DLP_SURVEY_SUM] = params->norm * (self[0] + dlp_wide_sum(s->sum));
    out[DLP_SURVEY_SHEAR] = dlp_strain_rate(total9(s->shear))[0];
    out[DLP_SURVEY_SLOPE] =
        dlp_unexplained_gradient(total3(s->slope), broadcast(params->gravity), i->p.density, i->p.bulk)[0];
    out[DLP_SURVEY_JUMP] = dlp_wide_largest(s->jump);
    out[DLP_SURVEY_DEPTH] = -dlp_wide_largest(-s->depth);
}

DLP_INLINE void survey(const dlp_pair_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind)
{
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        const center i = load_center(work->packed + (int64_t)p * DLP_PACKED_SIZE);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t middle = dlp_list_end(work->lists, p, 0), last = dlp_list_end(work->lists, p, 1);
        survey_sums s = {.depth = real_of(1e30f)};
        for (int32_t n = 0; n < middle; n += DLP_LANES) add_particles(&s, work, &i, list + n, kind);
        for (int32_t n = middle; n < last; n += DLP_LANES) {
            const neighbours b = load_neighbours(work, &i, list + n);
            add_kernel(&s, work->params, &i, &b, load_part(work, list + n, DLP_PACKED_VOLUME).d, kind);
        }
        store_survey(work->measure + (int64_t)k * DLP_SURVEY_SIZE, &s, work->params, &i, kind);
    }
}

void DLP_ON_TARGET(dlp_sph_survey)(const dlp_pair_work *work, int32_t begin, int32_t end)
{
#define CALL(kind) survey(work, begin, end, kind)
    FOR_EACH_KERNEL(work->params->kernel, CALL)
#undef CALL
}
