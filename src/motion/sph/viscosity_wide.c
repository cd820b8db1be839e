/* The loops of implicit viscosity; compiled once per target. The pair force is that of the explicit viscosity
 * (matter/pair_viscosity.h), written as a matrix. */
#include "motion/sph/iteration_records.h"
#include "matter/pair_density.h"
#include "matter/pair_wall.h"
#include "motion/sph/viscosity_loops.h"

// Of a spacing: how near a surface a particle counts as, at least.
#define LEAST_DISTANCE 0.25f

typedef struct sym {
    real xx, yy, zz, xy, xz, yz;
} sym;

DLP_INLINE void add_block(sym *sum, dlp_v3 x, real weight)
{
    sum->xx += weight * x.x * x.x;
    sum->yy += weight * x.y * x.y;
    sum->zz += weight * x.z * x.z;
    sum->xy += weight * x.x * x.y;
    sum->xz += weight * x.x * x.z;
    sum->yz += weight * x.y * x.z;
}

DLP_INLINE void store_block(float *to, sym sum)
{
    to[0] = dlp_wide_sum(sum.xx);
    to[1] = dlp_wide_sum(sum.yy);
    to[2] = dlp_wide_sum(sum.zz);
    to[3] = dlp_wide_sum(sum.xy);
    to[4] = dlp_wide_sum(sum.xz);
    to[5] = dlp_wide_sum(sum.yz);
}

// Weight of the pair of i and a particle, kg/(m2 s).
DLP_INLINE real pair_weight(const dlp_viscosity_work *work, const center *i, const seen *b, real volume,
                            real h_j, dlp_kernel_kind kind, bool mixed)
{
    const dlp_pair_params *params = work->base.params;
    const real slope = slope_of(params, i, b->o.r, h_j, kind, mixed);
    const real h = mixed ? dlp_pair_mean_h(i->p.h, h_j) : i->p.h;
    const real mu = dlp_pair_harmonic_mean(i->p.viscosity, b->number);
    return dlp_pair_viscous_weight(i->p.volume * volume, params->implicit_viscosity_factor * mu,
                                   dlp_pair_softened(b->o.rr, h), slope);
}

// Weight of the pair of i, a particle, and a wall point; x from the wall point to the particle.
DLP_INLINE real wall_weight(const dlp_viscosity_work *work, dlp_pair_point i, dlp_pair_offset o, real volume,
                            real slope, real stick, dlp_v3 normal, real depth)
{
    const dlp_pair_params *params = work->base.params;
    const real factor = dlp_wall_drag_factor(dlp_v3_dot(o.x, normal), depth, i.h * LEAST_DISTANCE);
    return factor * stick *
           dlp_pair_viscous_weight(i.volume * volume, params->implicit_viscosity_factor * i.viscosity,
                                   dlp_pair_softened(o.rr, i.h), slope);
}

DLP_INLINE center load_viscous(const dlp_viscosity_work *work, int32_t p)
{
    center i = load_place(&work->base, p);
    i.p.viscosity = real_of(work->base.places[(int64_t)p * DLP_PLACE_SIZE + 3]);
    i.p.volume = real_of(work->base.paces[(int64_t)p * DLP_PACE_SIZE + 3]);
    return i;
}

// Eight wall points of a list by their numbers; padding is the first of them, and has no volume.
typedef struct wall_numbers {
    int32_t at[DLP_LANES];
} wall_numbers;
DLP_INLINE int32_t wall_number(const dlp_viscosity_work *work, int32_t point)
{
    const int32_t k = point - work->wall_first;
    return k < work->wall_count ? k : 0;
}
DLP_INLINE wall_numbers walls_of(const dlp_viscosity_work *work, const int32_t *list)
{
    return (wall_numbers){{wall_number(work, list[0]), wall_number(work, list[1]), wall_number(work, list[2]),
                           wall_number(work, list[3]), wall_number(work, list[4]), wall_number(work, list[5]),
                           wall_number(work, list[6]), wall_number(work, list[7])}};
}
// One component of vectors.
DLP_INLINE real load_component(const float *of, const wall_numbers *w)
{
    return (real){of[3 * w->at[0]], of[3 * w->at[1]], of[3 * w->at[2]], of[3 * w->at[3]],
                  of[3 * w->at[4]], of[3 * w->at[5]], of[3 * w->at[6]], of[3 * w->at[7]]};
}
DLP_INLINE dlp_v3 load_vectors(const float *of, const wall_numbers *w)
{
    return (dlp_v3){load_component(of, w), load_component(of + 1, w), load_component(of + 2, w)};
}

DLP_INLINE void add_walls(const dlp_viscosity_work *work, const center *i, const int32_t *list, int32_t last,
                          sym *block, dlp_v3 *drag, dlp_kernel_kind kind, bool mixed)
{
    for (int32_t n = 0; n < last; n += DLP_LANES) {
        const seen b = load_seen(&work->base, i, list + n);
        const wall_numbers w = walls_of(work, list + n);
        const real volume = dlp_wide_gather4(work->base.paces, list + n, DLP_PACE_SIZE).d;
        const real slope =
            slope_of(work->base.params, i, b.o.r, seen_h(&work->base, i, list + n, mixed), kind, mixed);
        const real weight =
            wall_weight(work, i->p, b.o, volume, slope, load_each(work->wall_stick, w.at),
                        load_vectors(work->wall_normal, &w), load_each(work->wall_depth, w.at));
        add_block(block, b.o.x, weight);
        const dlp_v3 v = load_vectors(work->wall_velocity, &w);
        add_to(drag, dlp_v3_mul(b.o.x, weight * dlp_v3_dot(v, b.o.x)));
    }
}

DLP_INLINE void make_blocks(const dlp_viscosity_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                            bool mixed)
{
    for (int32_t p = work->base.first + begin; p < work->base.first + end; p++) {
        const center i = load_viscous(work, p);
        const int32_t *list = dlp_list_of(work->base.lists, p);
        const int32_t middle = dlp_list_end(work->base.lists, p, 0),
                      last = dlp_list_end(work->base.lists, p, 1);
        sym block = {.xx = real_of(0)}, walls = {.xx = real_of(0)};
        dlp_v3 drag = {real_of(0), real_of(0), real_of(0)};
        for (int32_t n = 0; n < middle; n += DLP_LANES) {
            const seen b = load_seen(&work->base, &i, list + n);
            const real volume = dlp_wide_gather4(work->base.paces, list + n, DLP_PACE_SIZE).d;
            const real h_j = seen_h(&work->base, &i, list + n, mixed);
            add_block(&block, b.o.x, pair_weight(work, &i, &b, volume, h_j, kind, mixed));
        }
        add_walls(work, &i, list + middle, last - middle, &walls, &drag, kind, mixed);
        store_block(work->blocks + (int64_t)p * DLP_SYM_SIZE, block);
        store_block(work->wall_blocks + (int64_t)p * DLP_SYM_SIZE, walls);
        store3(work->drags + 3 * (int64_t)p, drag);
    }
}

DLP_INLINE void sum_drag(const dlp_viscosity_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                         bool mixed)
{
    for (int32_t p = work->base.first + begin; p < work->base.first + end; p++) {
        const center i = load_viscous(work, p);
        const dlp_v3 own = broadcast(work->base.paces + (int64_t)p * DLP_PACE_SIZE);
        const int32_t *list = dlp_list_of(work->base.lists, p);
        const int32_t last = dlp_list_end(work->base.lists, p, 0);
        dlp_v3 sum = {real_of(0), real_of(0), real_of(0)};
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const seen b = load_seen(&work->base, &i, list + n);
            const dlp_wide4 pace = dlp_wide_gather4(work->base.paces, list + n, DLP_PACE_SIZE);
            const real weight =
                pair_weight(work, &i, &b, pace.d, seen_h(&work->base, &i, list + n, mixed), kind, mixed);
            const dlp_v3 apart = dlp_v3_sub(own, (dlp_v3){pace.a, pace.b, pace.c});
            add_to(&sum, dlp_v3_mul(b.o.x, -weight * dlp_v3_dot(apart, b.o.x)));
        }
        store3(work->base.out + 3 * (int64_t)p, sum);
    }
}

// From the wall's side: what its particles leave there.
DLP_INLINE void load_walls(const dlp_viscosity_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                           bool mixed)
{
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->wall_first + k;
        const center here = load_viscous(work, p);
        const dlp_v3 velocity = broadcast(work->wall_velocity + 3 * (int64_t)k);
        const dlp_v3 normal = broadcast(work->wall_normal + 3 * (int64_t)k);
        const int32_t *list = dlp_list_of(work->base.lists, p);
        const int32_t last = dlp_list_end(work->base.lists, p, 0);
        dlp_v3 sum = {real_of(0), real_of(0), real_of(0)};
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const seen b = load_seen(&work->base, &here, list + n);
            const dlp_wide4 pace = dlp_wide_gather4(work->base.paces, list + n, DLP_PACE_SIZE);
            const real h = seen_h(&work->base, &here, list + n, mixed);
            const dlp_pair_offset o = dlp_pair_reversed(b.o);
            const dlp_pair_point i = {.volume = pace.d, .viscosity = b.number, .h = h};
            const real slope = slope_of(work->base.params, &here, o.r, h, kind, mixed);
            const real weight = wall_weight(work, i, o, here.p.volume, slope, real_of(work->wall_stick[k]),
                                            normal, real_of(work->wall_depth[k]));
            const dlp_v3 apart = dlp_v3_sub((dlp_v3){pace.a, pace.b, pace.c}, velocity);
            add_to(&sum, dlp_v3_mul(o.x, weight * dlp_v3_dot(apart, o.x)));
        }
        store3(work->base.out + 3 * (int64_t)p, sum);
    }
}

#define CALL(name, kind)                                                                                     \
    if (work->base.h != NULL)                                                                                \
        name(work, begin, end, kind, true);                                                                  \
    else                                                                                                     \
        name(work, begin, end, kind, false)
#define CALL_make_blocks(kind) CALL(make_blocks, kind)
#define CALL_sum_drag(kind)    CALL(sum_drag, kind)
#define CALL_load_walls(kind)  CALL(load_walls, kind)
#define RUN(name)                                                                                            \
    static void run_##name(const dlp_viscosity_work *work, int32_t begin, int32_t end)                       \
    {                                                                                                        \
        FOR_EACH_KERNEL(work->base.params->kernel, CALL_##name)                                              \
    }
RUN(make_blocks)
RUN(sum_drag)
RUN(load_walls)

const dlp_viscosity_loops DLP_ON_TARGET(dlp_viscosity_loops) = {run_make_blocks, run_sum_drag,
                                                                run_load_walls};
