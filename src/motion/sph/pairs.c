/* The loops over neighbours; compiled once per target (base/target.h). Each loop is written once as an
 * inlined function whose last arguments are constants: the kernel and the options, so that no branch is left
 * inside.
 */
#include "motion/sph/pairs_wide.h"
#include "matter/pair_density.h"
#include "matter/pair_pressure.h"
#include "matter/pair_wall.h"

// The sum of densities over particles and walls alike.
DLP_INLINE real gather_density(const dlp_pair_work *work, const center *i, const int32_t *list, int32_t last,
                               dlp_kernel_kind kind, bool mixed)
{
    real sum = real_of(0);
    for (int32_t n = 0; n < last; n += DLP_LANES) {
        const neighbours b = load_neighbours(work, i, list + n);
        const real h_j = mixed ? load_part(work, list + n, DLP_PACKED_VOLUME).d : i->p.h;
        sum += dlp_pair_density(b.volume0, shape_of(work->params, i, b.o.r, h_j, kind, mixed));
    }
    return sum;
}

DLP_INLINE void sum_density(const dlp_pair_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                            bool mixed)
{
    const dlp_pair_params *params = work->params;
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        const center i = load_center(work->packed + (int64_t)p * DLP_PACKED_SIZE);
        const int32_t *list = dlp_list_of(work->lists, p);
        const real sum = gather_density(work, &i, list, dlp_list_end(work->lists, p, 1), kind, mixed);
        const real self = dlp_pair_density_of_self(kind, params->dimension, i.p.volume0, i.inverse_h);
        work->out[p] = params->norm * (self[0] + dlp_wide_sum(sum));
    }
}

// What gathers on point i.
typedef struct gathered {
    dlp_v3 force;
    real rate, approach;
} gathered;

DLP_INLINE void add_divergence(gathered *sum, real volume0_j, real vx, real slope, real approach)
{
    const real rate = dlp_pair_divergence(volume0_j, vx, slope);
    sum->approach = real_max(sum->approach, dlp_pair_approach_size(approach, rate));
    sum->rate += rate;
}

// Pressure, viscosity and divergence in one loop, since they share offsets and kernel: with pressure in a
// loop of its own the instructions grow by half, with three loops they double. Each is a function of matter/.
DLP_INLINE void gather_particles(const dlp_pair_work *work, const center *i, const int32_t *list,
                                 int32_t last, gathered *sum, dlp_kernel_kind kind, bool mixed,
                                 bool artificial, bool carried)
{
    const dlp_pair_params *params = work->params;
    for (int32_t n = 0; n < last; n += DLP_LANES) {
        const neighbours b = load_neighbours(work, i, list + n);
        const dlp_pair_point j = load_points(work, list + n, b.volume0, artificial);
        const real slope = slope_of(params, i, b.o.r, j.h, kind, mixed);
        const real h = mixed ? dlp_pair_mean_h(i->p.h, j.h) : i->p.h;
        const dlp_v3 v_ij = dlp_v3_sub(i->p.v, j.v);
        const real vx = dlp_v3_dot(v_ij, b.o.x), along = dlp_pair_along(vx, dlp_pair_softened(b.o.rr, h));
        const real approach = dlp_pair_approach(h, along);

        real coefficient;
        if (kind == DLP_KERNEL_MULLER) {
            const real laplacian =
                dlp_pair_laplacian(real_of(params->laplacian_norm), params->dimension, b.o.r, h);
            add_to(&sum->force, dlp_v3_mul(v_ij, -dlp_pair_drag(i->p, j, laplacian)));
            coefficient = dlp_pair_pressure_mean(i->p, j, slope);
        } else {
            const real factor = real_of(params->viscosity_factor);
            coefficient =
                dlp_pair_pressure(i->p, j, slope) + dlp_pair_viscosity(i->p, j, factor, along, slope);
        }
        if (artificial) coefficient += dlp_pair_artificial(i->p, j, approach, slope);
        if (carried) {
            const real nearness = dlp_kernel_shape_of(kind, b.o.r * inverse_h_of(i, j.h, mixed)) *
                                  real_of(params->inverse_nearness);
            coefficient +=
                dlp_pair_tensile_control(i->p, j, real_of(params->tensile_control), nearness, slope);
        }
        add_to(&sum->force, dlp_v3_mul(b.o.x, coefficient));
        add_divergence(sum, j.volume0, vx, slope, approach);
        if (carried) {
            const real depth = dlp_v3_dot(b.o.x, broadcast(params->gravity));
            sum->rate += dlp_pair_diffusion(i->p, j, real_of(params->diffusion), depth, b.o.rr, slope);
        }
    }
}

// Coefficient of the force on a particle from a wall point, o from there to the particle.
DLP_INLINE real wall_coefficient(const dlp_pair_params *params, dlp_pair_point i, dlp_pair_point wall,
                                 dlp_pair_offset o, real softened, real approach, real slope,
                                 dlp_kernel_kind kind, bool artificial)
{
    const real vx = dlp_v3_dot(dlp_v3_sub(i.v, wall.v), o.x), along = dlp_pair_along(vx, softened);
    const real factor = real_of(params->viscosity_factor);
    real coefficient = kind == DLP_KERNEL_MULLER ? dlp_pair_pressure_mean(i, wall, slope)
                                                 : dlp_pair_pressure(i, wall, slope);
    coefficient += dlp_wall_viscosity(i, wall, factor, along, slope);
    if (artificial) coefficient += dlp_wall_artificial(i, wall, approach, slope);
    return coefficient;
}

DLP_INLINE void gather_walls(const dlp_pair_work *work, const center *i, const int32_t *list, int32_t last,
                             gathered *sum, dlp_kernel_kind kind, bool mixed, bool artificial)
{
    const dlp_pair_params *params = work->params;
    for (int32_t n = 0; n < last; n += DLP_LANES) {
        const neighbours b = load_neighbours(work, i, list + n);
        const dlp_pair_point wall = wall_point(load_points(work, list + n, b.volume0, false));
        const dlp_wide4 own = load_part(work, list + n, DLP_PACKED_ALPHA_C);  // the wall's own velocity
        const real slope = slope_of(params, i, b.o.r, wall.h, kind, mixed);
        const real vx = dlp_v3_dot(dlp_v3_sub(i->p.v, (dlp_v3){own.a, own.b, own.c}), b.o.x);
        const real softened = dlp_pair_softened(b.o.rr, i->p.h);
        const real approach = dlp_pair_approach(i->p.h, dlp_pair_along(vx, softened));
        const real coefficient =
            wall_coefficient(params, i->p, wall, b.o, softened, approach, slope, kind, artificial);
        add_to(&sum->force, dlp_v3_mul(b.o.x, coefficient));
        add_divergence(sum, wall.volume0, vx, slope, approach);
    }
}

DLP_INLINE void sum_forces(const dlp_pair_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                           bool mixed, bool artificial, bool carried)
{
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        const center i = load_center(work->packed + (int64_t)p * DLP_PACKED_SIZE);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t middle = dlp_list_end(work->lists, p, 0), last = dlp_list_end(work->lists, p, 1);
        gathered sum = {.rate = real_of(0)};
        gather_particles(work, &i, list, middle, &sum, kind, mixed, artificial, carried);
        gather_walls(work, &i, list + middle, last - middle, &sum, kind, mixed, artificial);
        store3(work->sums.force + 3 * (int64_t)p, sum.force);
        work->sums.rate[p] = dlp_wide_sum(sum.rate);
        work->sums.approach[p] = dlp_wide_largest(sum.approach);
    }
}

// What a wall point learns from the particles around it: sums weighted by V W.
typedef struct wall_sums {
    real volume0, weight, density, bulk, rest_pressure, pressure;
    dlp_v3 velocity, offset;  // of the particles; from them to the point, m
} wall_sums;

DLP_INLINE wall_sums gather_on_wall(const dlp_pair_work *work, const center *i, int32_t p,
                                    dlp_kernel_kind kind, bool mixed)
{
    const int32_t *list = dlp_list_of(work->lists, p);
    const int32_t last = dlp_list_end(work->lists, p, 0);
    wall_sums s = {.volume0 = real_of(0)};
    for (int32_t n = 0; n < last; n += DLP_LANES) {
        const neighbours b = load_neighbours(work, i, list + n);
        const dlp_pair_point j = load_points(work, list + n, b.volume0, false);
        const dlp_wide4 a = load_part(work, list + n, DLP_PACKED_ALPHA_C);
        const real shape = shape_of(work->params, i, b.o.r, j.h, kind, mixed);
        const real weight = dlp_wall_weight(j.volume, shape);
        const real depth = dlp_v3_dot(b.o.x, broadcast(work->params->gravity));
        s.volume0 += dlp_pair_density(j.volume0, shape);
        s.weight += weight;
        add_to(&s.velocity, dlp_v3_mul(j.v, weight));
        add_to(&s.offset, dlp_v3_mul(b.o.x, weight));
        s.density += weight * j.density;
        s.bulk += weight * a.c;
        s.rest_pressure += weight * a.d;
        s.pressure += weight * dlp_wall_pressure_taken(j.pressure, j.density, depth);
    }
    return s;
}

// A wall point has a pressure of its own. That of coarse particles takes over theirs, since their arrangement
// changes at once when they merge: what their own density makes of that they remember, but a wall does not.
DLP_INLINE real wall_pressure(const dlp_pair_work *work, const wall_sums *s, real inverse, int32_t wall,
                              dlp_kernel_kind kind)
{
    if (work->wall_sum_at_rest[wall] == 0) return inverse * total(s->pressure);
    const real sum = work->params->norm * total(s->volume0) + work->wall_sum[wall];
    const real delta = dlp_compression(sum / work->wall_sum_at_rest[wall], real_of(1),
                                       real_of(work->params->compression_factor));
    const real pressure = dlp_wall_pressure_own(total(s->rest_pressure), total(s->bulk), inverse, delta);
    return kind == DLP_KERNEL_MULLER ? pressure : dlp_pair_pressure_share(pressure, delta);
}

// By how much the wall's velocity at the point is ahead of that where the particles are which it mirrors:
// without it a rotating wall would drag what rotates with it ahead of itself, by about a spacing over its
// radius.
DLP_INLINE void wall_lead(const dlp_pair_work *work, int32_t wall, dlp_v3 offset, float lead[3])
{
    const dlp_vec3 w = work->bodies[work->wall_owner[wall]].twist.angular;
    const dlp_vec3 rotation =
        dlp_cross(w, dlp_vec((double)offset.x[0], (double)offset.y[0], (double)offset.z[0]));
    lead[0] = (float)rotation.x;
    lead[1] = (float)rotation.y;
    lead[2] = (float)rotation.z;
}

DLP_INLINE void sum_walls(const dlp_pair_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                          bool mixed)
{
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        float *packed = work->packed + (int64_t)p * DLP_PACKED_SIZE;
        const center i = load_center(packed);
        const wall_sums s = gather_on_wall(work, &i, p, kind, mixed);
        const float weight = dlp_wide_sum(s.weight);
        const real inverse = real_of(weight > 0 ? 1.0f / weight : 0.0f);
        const dlp_v3 own = broadcast(packed + DLP_PACKED_ALPHA_C);
        const dlp_v3 mean = dlp_v3_mul(total3(s.velocity), inverse);
        float lead[3];
        wall_lead(work, p - work->wall_first, dlp_v3_mul(total3(s.offset), inverse), lead);
        // it never pulls
        packed[DLP_PACKED_PRESSURE] =
            real_positive(wall_pressure(work, &s, inverse, p - work->wall_first, kind))[0];
        packed[DLP_PACKED_DENSITY] = (inverse * total(s.density))[0];
        packed[DLP_PACKED_VELOCITY] = dlp_wall_mirrored(own.x, mean.x)[0] - lead[0];
        packed[DLP_PACKED_VELOCITY + 1] = dlp_wall_mirrored(own.y, mean.y)[0] - lead[1];
        packed[DLP_PACKED_VELOCITY + 2] = dlp_wall_mirrored(own.z, mean.z)[0] - lead[2];
    }
}

// The reaction to gather_walls, gathered from the wall's side: from those particles near it that see it,
// since each sees the wall points of its own size alone.
DLP_INLINE void sum_loads(const dlp_pair_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                          bool mixed, bool artificial)
{
    const dlp_pair_params *params = work->params;
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        const float *packed = work->packed + (int64_t)p * DLP_PACKED_SIZE;
        const center here = load_center(packed);
        const dlp_pair_point wall = wall_point(here.p);
        const dlp_v3 own = broadcast(packed + DLP_PACKED_ALPHA_C);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t last = dlp_list_end(work->lists, p, 0);
        dlp_v3 sum = {real_of(0), real_of(0), real_of(0)};
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const neighbours b = load_neighbours(work, &here, list + n);
            const dlp_pair_point i = load_points(work, list + n, b.volume0, true);
            const dlp_pair_offset o = dlp_pair_reversed(b.o);  // as the particle sees it
            const real slope = slope_of(params, &here, o.r, i.h, kind, mixed);
            const real vx = dlp_v3_dot(dlp_v3_sub(i.v, own), o.x), softened = dlp_pair_softened(o.rr, i.h);
            const real approach = dlp_pair_approach(i.h, dlp_pair_along(vx, softened));
            const real coefficient =
                wall_coefficient(params, i, wall, o, softened, approach, slope, kind, artificial);
            const dlp_wide_int at = dlp_wide_int_load(list + n);
            const real_mask sees =
                (at >= dlp_wide_int_of(work->seen_begin)) & (at < dlp_wide_int_of(work->seen_end));
            add_to(&sum, dlp_v3_mul(b.o.x, real_select(sees, coefficient, real_of(0))));
        }
        store3(work->load + 3 * k, sum);
    }
}

static void measure(const dlp_pair_work *work, int32_t begin, int32_t end)
{
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        const center i = load_center(work->packed + (int64_t)p * DLP_PACKED_SIZE);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t last = dlp_list_end(work->lists, p, 1);
        real count = real_of(0), weight = real_of(0);
        dlp_v3 moment = {real_of(0), real_of(0), real_of(0)};
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const neighbours b = load_neighbours(work, &i, list + n);
            const real h_j = load_part(work, list + n, DLP_PACKED_VOLUME).d;
            const real_mask is_near = dlp_pair_is_near(b.o.r, i.p.h, h_j, b.volume0);
            const real one = real_select(is_near, real_of(1), real_of(0));
            count += one;
            weight += one * b.volume0;
            add_to(&moment, dlp_v3_mul(b.o.x, one * b.volume0));
        }
        const float all = dlp_wide_sum(weight);
        float *out = work->measure + (int64_t)k * DLP_MEASURE_SIZE;
        out[DLP_MEASURE_NEIGHBOURS] = dlp_wide_sum(count);
        out[DLP_MEASURE_OFFSET] = all > 0 ? dlp_v3_length(total3(moment))[0] / (all * i.p.h[0]) : 2.0f;
    }
}

static void run_density(const dlp_pair_work *work, int32_t begin, int32_t end)
{
#define CALL(kind)                                                                                           \
    if (work->params->is_mixed)                                                                              \
        sum_density(work, begin, end, kind, true);                                                           \
    else                                                                                                     \
        sum_density(work, begin, end, kind, false)
    FOR_EACH_KERNEL(work->params->kernel, CALL)
#undef CALL
}

static void run_forces(const dlp_pair_work *work, int32_t begin, int32_t end)
{
#define CALL(kind)                                                                                           \
    if (work->params->carries_density)                                                                       \
        sum_forces(work, begin, end, kind, true, true, true);                                                \
    else if (work->params->is_mixed && work->params->has_artificial)                                         \
        sum_forces(work, begin, end, kind, true, true, false);                                               \
    else if (work->params->is_mixed)                                                                         \
        sum_forces(work, begin, end, kind, true, false, false);                                              \
    else if (work->params->has_artificial)                                                                   \
        sum_forces(work, begin, end, kind, false, true, false);                                              \
    else                                                                                                     \
        sum_forces(work, begin, end, kind, false, false, false)
    FOR_EACH_KERNEL(work->params->kernel, CALL)
#undef CALL
}

static void run_walls(const dlp_pair_work *work, int32_t begin, int32_t end)
{
#define CALL(kind) sum_walls(work, begin, end, kind, true)
    FOR_EACH_KERNEL(work->params->kernel, CALL)
#undef CALL
}

static void run_loads(const dlp_pair_work *work, int32_t begin, int32_t end)
{
#define CALL(kind) sum_loads(work, begin, end, kind, true, true)
    FOR_EACH_KERNEL(work->params->kernel, CALL)
#undef CALL
}

// Density and forces of many points over one and the same list of neighbours: nothing but arithmetic and
// first-level cache.
static void run_perfect(const dlp_pair_work *work, int32_t begin, int32_t end)
{
    const int32_t first = work->index[begin];
    const int32_t *list = dlp_list_of(work->lists, first);
    const int32_t last = dlp_list_end(work->lists, first, 0);
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        const center i = load_center(work->packed + (int64_t)p * DLP_PACKED_SIZE);
        const real density = gather_density(work, &i, list, last, DLP_KERNEL_WENDLAND, false);
        gathered sum = {.rate = real_of(0)};
        gather_particles(work, &i, list, last, &sum, DLP_KERNEL_WENDLAND, false, false, false);
        store3(work->sums.force + 3 * (int64_t)p, sum.force);
        work->sums.rate[p] = dlp_wide_sum(sum.rate) + dlp_wide_sum(density);
        work->sums.approach[p] = dlp_wide_largest(sum.approach);
    }
}

const dlp_pair_loops DLP_ON_TARGET(dlp_pair_loops) = {
    run_density,
    run_forces,
    run_walls,
    run_loads,
    measure,
    DLP_ON_TARGET(dlp_sph_survey),
    DLP_ON_TARGET(dlp_sph_sum_heat),
    DLP_ON_TARGET(dlp_sph_mirror_heat),
    run_perfect,
};
