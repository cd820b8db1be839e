/* The loops over neighbours; compiled once a target (base/target.h). Each loop is written once as an inlined
 * function whose last arguments are constants: the kernel and the options, so that no branch is left inside.
 */
#include "motion/sph/pairs_wide.h"

// sum V0_j W_ij over particles and walls alike.  [desbrun1996, eq. 5]
DLP_INLINE void sum_density(const dlp_pair_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                            bool mixed)
{
    const dlp_pair_params *params = work->params;
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        const float *packed = work->packed + (int64_t)p * DLP_PACKED_SIZE;
        const center i = load_center(packed);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t last = dlp_list_end(work->lists, p, 1);
        real sum = real_of(0);
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const offsets o = load_offsets(work, &i, list + n);
            const real h_j = mixed ? load_part(work, list + n, DLP_PACKED_VOLUME).d : i.h;
            sum += o.volume0 * pair_shape(&i, o.r, h_j, params->dimension, kind, mixed);
        }
        const real self =
            i.volume0 * kernel_shape(real_of(0), kind) * volume_scale(i.inverse_h, params->dimension);
        work->out[p] = params->norm * (self[0] + dlp_wide_sum(sum));
    }
}

// What gathers on point i.
typedef struct gathered {
    real fx, fy, fz, rate, approach;
} gathered;

DLP_INLINE void add_force(gathered *sum, const offsets *o, real coefficient)
{
    sum->fx += coefficient * o->x;
    sum->fy += coefficient * o->y;
    sum->fz += coefficient * o->z;
}

DLP_INLINE void note_approach(gathered *sum, real approach, real rate)
{
    // counts within the support only; the padding has no volume, so its rate is 0
    const real size = real_max(approach, -approach);
    sum->approach = real_max(sum->approach, real_select(rate != 0.0f, size, real_of(0)));
}

// Flow of carried density from where it is high, less what gravity asks for; r^2 / (r^2 + h^2/10) tames the
// slope of kernels that do not vanish at r = 0.  [molteni2009; antuono2010]
DLP_INLINE real density_flow(const dlp_pair_params *params, const center *i, const offsets *o, real volume_j,
                             real delta_j, real h, real slope)
{
    const real depth = o->x * params->gravity[0] + o->y * params->gravity[1] + o->z * params->gravity[2];
    const real excess = delta_j - i->delta + depth * i->density / i->bulk;
    const real c = real_sqrt(i->bulk / i->density);
    return -2.0f * params->diffusion * h * c * volume_j * excess * slope * o->rr / (o->rr + 0.1f * h * h);
}

DLP_INLINE void gather_particles(const dlp_pair_work *work, const center *i, const int32_t *list,
                                 int32_t last, gathered *sum, dlp_kernel_kind kind, bool mixed,
                                 bool artificial, bool carried)
{
    const dlp_pair_params *params = work->params;
    for (int32_t n = 0; n < last; n += DLP_LANES) {
        const offsets o = load_offsets(work, i, list + n);
        const dlp_wide4 v = load_part(work, list + n, DLP_PACKED_VELOCITY);  // velocity, pressure
        const dlp_wide4 m = load_part(work, list + n, DLP_PACKED_VOLUME);    // volume, viscosity, density, h
        const real slope = params->slope_norm * pair_slope(i, o.r, m.d, params->dimension, kind, mixed);
        const real ux = i->vx - v.a, uy = i->vy - v.b, uz = i->vz - v.c;
        const real vx = (ux * o.x + uy * o.y) + uz * o.z;
        const real h = mixed ? 0.5f * (i->h + m.d) : i->h;
        const real softened = dlp_pair_softened(o.rr, h);
        const real volumes = i->volume * m.a;
        const real mu = dlp_pair_viscosity_mean(i->viscosity, m.b);

        real coefficient;
        if (kind == DLP_KERNEL_MULLER) {
            const real inverse_h = 1.0f / h;
            const real laplacian = params->laplacian_norm * dlp_viscosity_laplacian(o.r * inverse_h) *
                                   (volume_scale(inverse_h, params->dimension) * (inverse_h * inverse_h));
            const real drag = volumes * mu * laplacian;  // [muller2003, eq. 14]
            sum->fx -= drag * ux;
            sum->fy -= drag * uy;
            sum->fz -= drag * uz;
            coefficient = dlp_pair_pressure_mean(volumes, i->pressure, v.d, slope);
        } else {
            coefficient = dlp_pair_pressure(i->volume0 * o.volume0, i->pressure, v.d, slope) +
                          dlp_pair_viscosity(volumes, params->viscosity_factor * mu, vx, softened, slope);
        }
        const real approach = dlp_pair_approach(h, vx, softened);
        if (artificial) {
            const dlp_wide4 a = load_part(work, list + n, DLP_PACKED_ALPHA_C);
            const real masses = volumes * (i->density * m.c);
            coefficient += dlp_pair_artificial(masses, approach, 0.5f * (i->alpha_c + a.a),
                                               0.5f * (i->beta + a.b), 0.5f * (i->density + m.c), slope);
        }
        add_force(sum, &o, coefficient);
        const real rate = dlp_pair_divergence(o.volume0, vx, slope);
        note_approach(sum, approach, rate);
        sum->rate += rate;
        if (carried)
            sum->rate +=
                density_flow(params, i, &o, m.a, o.volume0 / (m.a + 1e-30f), real_min(i->h, m.d), slope);
    }
}

// Coefficient of the force on particle i from a wall point: it pushes with its own pressure, and drags with
// its mirrored velocity, so that the substance's velocity meets the wall's at the wall.  [adami2012]
DLP_INLINE real wall_coefficient(const dlp_pair_params *params, const center *i, const offsets *o,
                                 dlp_wide4 v, dlp_wide4 m, real approach, real softened, real slope,
                                 dlp_kernel_kind kind, bool artificial)
{
    const real ux = i->vx - v.a, uy = i->vy - v.b, uz = i->vz - v.c;
    const real vx = (ux * o->x + uy * o->y) + uz * o->z;
    const real volumes = i->volume * o->volume0;
    real coefficient = kind == DLP_KERNEL_MULLER
                           ? dlp_pair_pressure_mean(volumes, i->pressure, v.d, slope)
                           : dlp_pair_pressure(i->volume0 * o->volume0, i->pressure, v.d, slope);
    coefficient +=
        dlp_pair_viscosity(volumes, params->viscosity_factor * i->viscosity * m.b, vx, softened, slope);
    if (artificial) {
        const real masses = volumes * (i->density * i->density);
        coefficient += m.b * dlp_pair_artificial(masses, approach, i->alpha_c, i->beta, i->density, slope);
    }
    return coefficient;
}

DLP_INLINE void gather_walls(const dlp_pair_work *work, const center *i, const int32_t *list, int32_t last,
                             gathered *sum, dlp_kernel_kind kind, bool mixed, bool artificial)
{
    const dlp_pair_params *params = work->params;
    for (int32_t n = 0; n < last; n += DLP_LANES) {
        const offsets o = load_offsets(work, i, list + n);
        const dlp_wide4 v = load_part(work, list + n, DLP_PACKED_VELOCITY);
        const dlp_wide4 m = load_part(work, list + n, DLP_PACKED_VOLUME);
        const dlp_wide4 w = load_part(work, list + n, DLP_PACKED_ALPHA_C);  // the wall's own velocity
        const real slope = params->slope_norm * pair_slope(i, o.r, m.d, params->dimension, kind, mixed);
        const real vx = ((i->vx - w.a) * o.x + (i->vy - w.b) * o.y) + (i->vz - w.c) * o.z;
        const real softened = dlp_pair_softened(o.rr, i->h);
        const real approach = dlp_pair_approach(i->h, vx, softened);
        add_force(sum, &o,
                  wall_coefficient(params, i, &o, v, m, approach, softened, slope, kind, artificial));
        const real rate = dlp_pair_divergence(o.volume0, vx, slope);
        note_approach(sum, approach, rate);
        sum->rate += rate;
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
        gathered sum = {real_of(0), real_of(0), real_of(0), real_of(0), real_of(0)};
        gather_particles(work, &i, list, middle, &sum, kind, mixed, artificial, carried);
        gather_walls(work, &i, list + middle, last - middle, &sum, kind, mixed, artificial);
        work->sums.force[3 * (int64_t)p] = dlp_wide_sum(sum.fx);
        work->sums.force[3 * (int64_t)p + 1] = dlp_wide_sum(sum.fy);
        work->sums.force[3 * (int64_t)p + 2] = dlp_wide_sum(sum.fz);
        work->sums.rate[p] = dlp_wide_sum(sum.rate);
        work->sums.approach[p] = dlp_wide_largest(sum.approach);
    }
}

// What a wall point learns from the particles around it: means weighted by V W.
typedef struct wall_sums {
    real volume0, weight, vx, vy, vz, density, bulk, rest_pressure, pressure;
} wall_sums;

DLP_INLINE wall_sums gather_on_wall(const dlp_pair_work *work, const center *i, int32_t p,
                                    dlp_kernel_kind kind, bool mixed)
{
    const int32_t *list = dlp_list_of(work->lists, p);
    const int32_t last = dlp_list_end(work->lists, p, 0);
    const float *g = work->params->gravity;
    wall_sums s = {.volume0 = real_of(0)};
    for (int32_t n = 0; n < last; n += DLP_LANES) {
        const offsets o = load_offsets(work, i, list + n);
        const dlp_wide4 v = load_part(work, list + n, DLP_PACKED_VELOCITY);
        const dlp_wide4 m = load_part(work, list + n, DLP_PACKED_VOLUME);
        const dlp_wide4 a = load_part(work, list + n, DLP_PACKED_ALPHA_C);
        const real w = pair_shape(i, o.r, m.d, work->params->dimension, kind, mixed);
        const real weight = m.a * w;
        s.volume0 += o.volume0 * w;
        s.weight += weight;
        s.vx += weight * v.a;
        s.vy += weight * v.b;
        s.vz += weight * v.c;
        s.density += weight * m.c;
        s.bulk += weight * a.c;
        s.rest_pressure += weight * a.d;
        s.pressure += weight * (v.d + m.c * ((o.x * g[0] + o.y * g[1]) + o.z * g[2]));
    }
    return s;
}

// A wall is frozen substance: it has a density and a pressure of its own, and never pulls. That of coarse
// particles takes over their pressure, and what gravity adds, since their arrangement changes at once when
// they merge: what their own density makes of that they remember, but a wall does not.  [adami2012]
static inline float wall_pressure(const dlp_pair_work *work, const wall_sums *s, int32_t wall, bool muller)
{
    const float weight = dlp_wide_sum(s->weight), inverse = weight > 0 ? 1.0f / weight : 0.0f;
    if (work->wall_sum_at_rest[wall] == 0) return inverse * dlp_wide_sum(s->pressure);
    const float sum = work->params->norm * dlp_wide_sum(s->volume0) + work->wall_sum[wall];
    const float delta = dlp_compression(work->params, sum / work->wall_sum_at_rest[wall], 1.0f);
    const float pressure =
        inverse * (dlp_wide_sum(s->rest_pressure) + dlp_wide_sum(s->bulk) * (delta - 1.0f));
    return muller ? pressure : pressure / (delta * delta);
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
        const float inverse = weight > 0 ? 1.0f / weight : 0.0f;
        const int32_t wall = p - work->wall_first;
        const float pressure = wall_pressure(work, &s, wall, kind == DLP_KERNEL_MULLER);
        packed[DLP_PACKED_PRESSURE] = pressure > 0 ? pressure : 0.0f;
        packed[DLP_PACKED_DENSITY] = inverse * dlp_wide_sum(s.density);
        packed[DLP_PACKED_VELOCITY] = 2.0f * packed[DLP_PACKED_ALPHA_C] - inverse * dlp_wide_sum(s.vx);
        packed[DLP_PACKED_VELOCITY + 1] = 2.0f * packed[DLP_PACKED_BETA] - inverse * dlp_wide_sum(s.vy);
        packed[DLP_PACKED_VELOCITY + 2] = 2.0f * packed[DLP_PACKED_BULK] - inverse * dlp_wide_sum(s.vz);
    }
}

// The reaction to gather_walls, from the wall's side. i is the particle in wall_coefficient, so the roles of
// centre and neighbour change, and with them the sign of the offset and of the result: two changes, none
// left.
DLP_INLINE void sum_loads(const dlp_pair_work *work, int32_t begin, int32_t end, dlp_kernel_kind kind,
                          bool mixed, bool artificial)
{
    const dlp_pair_params *params = work->params;
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        const float *packed = work->packed + (int64_t)p * DLP_PACKED_SIZE;
        const center b = load_center(packed);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t last = dlp_list_end(work->lists, p, 0);
        gathered sum = {real_of(0), real_of(0), real_of(0), real_of(0), real_of(0)};
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            offsets o = load_offsets(work, &b, list + n);
            const dlp_wide4 v = load_part(work, list + n, DLP_PACKED_VELOCITY);
            const dlp_wide4 m = load_part(work, list + n, DLP_PACKED_VOLUME);
            const dlp_wide4 a = load_part(work, list + n, DLP_PACKED_ALPHA_C);
            const real slope = params->slope_norm * pair_slope(&b, o.r, m.d, params->dimension, kind, mixed);
            const center i = {.volume0 = o.volume0,
                              .vx = v.a,
                              .vy = v.b,
                              .vz = v.c,
                              .pressure = v.d,
                              .volume = m.a,
                              .viscosity = m.b,
                              .density = m.c,
                              .h = m.d,
                              .alpha_c = a.a,
                              .beta = a.b};
            const real vx = -(((v.a - b.alpha_c) * o.x + (v.b - b.beta) * o.y) + (v.c - b.bulk) * o.z);
            const real softened = dlp_pair_softened(o.rr, m.d);
            const dlp_wide4 wall_v = {b.vx, b.vy, b.vz, b.pressure},
                            wall_m = {b.volume, b.viscosity, b.density, b.h};
            o.volume0 = b.volume0;
            o.x = -o.x;
            o.y = -o.y;
            o.z = -o.z;
            const real c =
                wall_coefficient(params, &i, &o, wall_v, wall_m, dlp_pair_approach(m.d, vx, softened),
                                 softened, slope, kind, artificial);
            add_force(&sum, &o, -c);
        }
        work->load[3 * k] = dlp_wide_sum(sum.fx);
        work->load[3 * k + 1] = dlp_wide_sum(sum.fy);
        work->load[3 * k + 2] = dlp_wide_sum(sum.fz);
    }
}

static void measure(const dlp_pair_work *work, int32_t begin, int32_t end)
{
    for (int32_t k = begin; k < end; k++) {
        const int32_t p = work->index[k];
        const center i = load_center(work->packed + (int64_t)p * DLP_PACKED_SIZE);
        const int32_t *list = dlp_list_of(work->lists, p);
        const int32_t last = dlp_list_end(work->lists, p, 1);
        real count = real_of(0), weight = real_of(0), x = real_of(0), y = real_of(0), z = real_of(0);
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const offsets o = load_offsets(work, &i, list + n);
            const real h_j = load_part(work, list + n, DLP_PACKED_VOLUME).d;
            const real reach = 2.0f * real_max(i.h, h_j);
            const real is_near = real_select((o.r < reach) & (o.volume0 > 0.0f), real_of(1), real_of(0));
            count += is_near;
            weight += is_near * o.volume0;
            x += is_near * o.volume0 * o.x;
            y += is_near * o.volume0 * o.y;
            z += is_near * o.volume0 * o.z;
        }
        const float total = dlp_wide_sum(weight);
        const float cx = dlp_wide_sum(x), cy = dlp_wide_sum(y), cz = dlp_wide_sum(z);
        float *out = work->measure + (int64_t)k * DLP_MEASURE_SIZE;
        out[DLP_MEASURE_NEIGHBOURS] = dlp_wide_sum(count);
        out[DLP_MEASURE_OFFSET] =
            total > 0 ? __builtin_sqrtf(cx * cx + cy * cy + cz * cz) / (total * i.h[0]) : 2.0f;
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
        real density = real_of(0);
        for (int32_t n = 0; n < last; n += DLP_LANES) {
            const offsets o = load_offsets(work, &i, list + n);
            density +=
                o.volume0 * pair_shape(&i, o.r, i.h, work->params->dimension, DLP_KERNEL_WENDLAND, false);
        }
        gathered sum = {real_of(0), real_of(0), real_of(0), real_of(0), real_of(0)};
        gather_particles(work, &i, list, last, &sum, DLP_KERNEL_WENDLAND, false, false, false);
        work->sums.force[3 * (int64_t)p] = dlp_wide_sum(sum.fx) + dlp_wide_sum(sum.fy) + dlp_wide_sum(sum.fz);
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
