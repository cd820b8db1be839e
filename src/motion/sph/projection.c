/* The operator on all rows, and how it is inverted. */
#include "motion/sph/sph.h"
#include "matter/norm.h"

#include <math.h>
#include <string.h>

// Points at once: those that are summed over their neighbours, and those that are only looked at.
enum { GRAIN = 128, SCAN_GRAIN = 2048 };

// A solve that is exact at once is still not to be trusted.
enum { PASS_LEAST = 2 };

// Disorder raises the largest eigenvalue of the lattice by up to a third.
#define DISORDER 1.32

// h |G| of a particle at a free surface, at least: inside it is below 0.1, on a flat surface 0.7.
#define OPEN 0.3f

// Least diagonals, over the lattice's: samples in the tail of the kernel would have next to none.
#define WALL_FLOOR     0.5f
#define PARTICLE_FLOOR 0.1f
// Of those: a row below has nothing to push.
#define IMMOBILE 1e-6f

void dlp_projection_init(dlp_sph *sph)
{
    const dlp_substance_def *first = dlp_sph_definition(sph->scene, 0);
    const dlp_lattice_rows rows =
        dlp_lattice_row(first->kernel, sph->scene->dimension, first->smoothing, first->lattice);
    dlp_projection_params *params = &sph->params.projection;
    params->loops = dlp_projection_loops_of(sph->target);
    params->diagonal = (float)rows.diagonal;
    params->relaxation = (float)(0.9 * 2 / (DISORDER * rows.eigenvalue));
    params->pass_limit = 100;
    params->error = 1e-3;
    // with all of it, and still more where nothing stops divergence, pressure pumps [ihmsen2014;
    // carensac2022]
    params->warm_start = first->pressure == DLP_PRESSURE_DFSPH ? 0.9 : 0.5;
    params->has_divergence = first->pressure == DLP_PRESSURE_DFSPH;
}

typedef struct row_loop {
    dlp_projection_work work;
    dlp_projection_loop *loop;
} row_loop;

static void run_loop(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const row_loop *pass = context;
    pass->loop(&pass->work, begin, end);
}

static dlp_projection_work make_work(const dlp_sph *sph)
{
    const dlp_projection *p = &sph->scratch.projection;
    return (dlp_projection_work){.params = &sph->params.pair,
                                 .places = p->places,
                                 .paces = p->paces,
                                 .h = sph->params.pair.is_mixed ? p->row_h : NULL,
                                 .mobility = p->mobility,
                                 .kappa = p->kappa,
                                 .rows = p->rows};
}

static void run_on_particles(dlp_sph *sph, dlp_projection_loop *loop, float *out)
{
    row_loop pass = {make_work(sph), loop};
    pass.work.lists = &sph->scratch.neighbours.lists;
    pass.work.last_group = 1;
    pass.work.out = out;
    dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, run_loop, &pass);
}

// Walls ask particles alone.
static void run_on_walls(dlp_sph *sph, dlp_projection_loop *loop, float *out)
{
    row_loop pass = {make_work(sph), loop};
    pass.work.lists = &sph->scratch.neighbours.wall_lists;
    pass.work.first = sph->state.particles.count;
    pass.work.out = out;
    dlp_parallel_for(sph->team, sph->scratch.walls.samples.count, GRAIN, run_loop, &pass);
}

// Preparation.

static void write_place(dlp_sph *sph, int32_t point)
{
    dlp_projection *p = &sph->scratch.projection;
    const float *packed = dlp_sph_packed(sph, point);
    float *place = p->places + (int64_t)point * DLP_PLACE_SIZE,
          *pace = p->paces + (int64_t)point * DLP_PACE_SIZE;
    memcpy(place, packed + DLP_PACKED_AT, 3 * sizeof(float));
    place[3] = 0;
    pace[0] = pace[1] = pace[2] = 0;
    pace[3] = packed[DLP_PACKED_VOLUME0];
    p->row_h[point] = packed[DLP_PACKED_H];
    p->mobility[point] = 0;
}

static void write_particles(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_projection *p = &sph->scratch.projection;
    for (int32_t i = begin; i < end; i++) {
        write_place(sph, i);
        float *pace = p->paces + (int64_t)i * DLP_PACE_SIZE;
        pace[0] = sph->state.particles.kappa[i];
        pace[1] = sph->state.particles.kappa_rate[i];
        if (!dlp_sph_is_held(sph, i)) p->mobility[i] = 1 / dlp_particle_substance(sph, i)->rho0;
        const float *packed = dlp_sph_packed(sph, i);
        p->excess[i] = packed[DLP_PACKED_VOLUME0] / packed[DLP_PACKED_VOLUME] - 1;
    }
}

static void write_walls(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) write_place(sph, sph->state.particles.count + k);
}

// What the walls' own sums are above those at rest. Theirs count by the same measure as the particles'
// compression.
static void find_wall_excess(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    const dlp_walls *walls = &sph->scratch.walls;
    dlp_projection *p = &sph->scratch.projection;
    for (int32_t k = begin; k < end; k++) {
        const int32_t point = sph->state.particles.count + k;
        const float sum = p->wall_means[(int64_t)point * DLP_PACE_SIZE + 3] + walls->sum[k];
        p->excess[point] = sph->params.pair.compression_factor * (sum - walls->sum_at_rest[k]);
    }
}

// The diagonal of a particle on the lattice, of that substance.
static float lattice_diagonal(const dlp_sph *sph, float h, float mobility)
{
    const dlp_substance_def *first = dlp_sph_definition(sph->scene, 0);
    const float spacing = h / (float)first->smoothing;
    return sph->params.projection.diagonal * mobility / (spacing * spacing);
}

static void raise_particle_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_projection *p = &sph->scratch.projection;
    for (int32_t i = begin; i < end; i++) {
        const float mobility = 1 / dlp_particle_substance(sph, i)->rho0;
        const float least = PARTICLE_FLOOR * lattice_diagonal(sph, p->row_h[i], mobility);
        float *diagonal = &p->rows[(int64_t)i * DLP_ROW_SIZE + 3];
        *diagonal = *diagonal < IMMOBILE * least ? INFINITY : *diagonal < least ? least : *diagonal;
    }
}

static void raise_wall_rows(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_projection *p = &sph->scratch.projection;
    const float mobility = 1 / sph->params.substances[0].rho0;
    for (int32_t k = begin; k < end; k++) {
        const int32_t point = sph->state.particles.count + k;
        const float least = WALL_FLOOR * lattice_diagonal(sph, p->row_h[point], mobility);
        float *diagonal = &p->rows[(int64_t)point * DLP_ROW_SIZE + 3];
        *diagonal = *diagonal < IMMOBILE * least ? INFINITY : *diagonal < least ? least : *diagonal;
    }
}

static void write_padding(dlp_sph *sph)
{
    const int32_t point = dlp_sph_point_count(sph);
    write_place(sph, point);
    sph->scratch.projection.kappa[point] = 0;
}

void dlp_projection_prepare(dlp_sph *sph)
{
    const dlp_projection_loops *loops = sph->params.projection.loops;
    dlp_projection *p = &sph->scratch.projection;
    const int32_t walls = sph->scratch.walls.samples.count;
    assert(!sph->scratch.neighbours.are_stale && sph->scratch.neighbours.lists_hold);
    dlp_parallel_for(sph->team, sph->state.particles.count, SCAN_GRAIN, write_particles, sph);
    dlp_parallel_for(sph->team, walls, SCAN_GRAIN, write_walls, sph);
    write_padding(sph);
    run_on_walls(sph, loops->mean, p->wall_means);
    dlp_parallel_for(sph->team, walls, SCAN_GRAIN, find_wall_excess, sph);
    run_on_particles(sph, loops->make_rows, NULL);
    run_on_walls(sph, loops->make_rows, NULL);
    dlp_parallel_for(sph->team, sph->state.particles.count, SCAN_GRAIN, raise_particle_rows, sph);
    dlp_parallel_for(sph->team, walls, SCAN_GRAIN, raise_wall_rows, sph);
}

// Rates.

static void write_velocities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_projection *p = &sph->scratch.projection;
    for (int32_t i = begin; i < end; i++)
        memcpy(p->paces + (int64_t)i * DLP_PACE_SIZE, p->velocity + 3 * (int64_t)i, 3 * sizeof(float));
}

static void write_wall_velocities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    const dlp_samples *samples = &sph->scratch.walls.samples;
    for (int32_t k = begin; k < end; k++)
        memcpy(sph->scratch.projection.paces + (int64_t)(sph->state.particles.count + k) * DLP_PACE_SIZE,
               samples->velocity + 3 * (int64_t)k, 3 * sizeof(float));
}

void dlp_projection_sum_rates(dlp_sph *sph)
{
    const dlp_projection_loops *loops = sph->params.projection.loops;
    float *source = sph->scratch.projection.source;
    dlp_parallel_for(sph->team, sph->state.particles.count, SCAN_GRAIN, write_velocities, sph);
    dlp_parallel_for(sph->team, sph->scratch.walls.samples.count, SCAN_GRAIN, write_wall_velocities, sph);
    run_on_particles(sph, loops->rate, source);
    run_on_walls(sph, loops->rate, source);
}

// Passes.

static void write_shares(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_projection *p = &((dlp_sph *)context)->scratch.projection;
    for (int32_t k = begin; k < end; k++)
        p->places[(int64_t)k * DLP_PLACE_SIZE + 3] = p->paces[(int64_t)k * DLP_PACE_SIZE + 3] * p->kappa[k];
}

static void still_walls(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++)
        memset(sph->scratch.projection.paces + (int64_t)(sph->state.particles.count + k) * DLP_PACE_SIZE, 0,
               3 * sizeof(float));
}

// paces = a(kappa), response = A kappa.
void dlp_projection_apply(dlp_sph *sph)
{
    dlp_parallel_for(sph->team, sph->scratch.walls.samples.count, SCAN_GRAIN, still_walls, sph);
    const dlp_projection_loops *loops = sph->params.projection.loops;
    dlp_projection *p = &sph->scratch.projection;
    dlp_parallel_for(sph->team, dlp_sph_point_count(sph), SCAN_GRAIN, write_shares, sph);
    run_on_particles(sph, loops->push, p->paces);
    run_on_particles(sph, loops->rate, p->response);
    run_on_walls(sph, loops->rate, p->response);
}

// Without a free surface the mean pressure is free, and what is asked for in the mean cannot be given.

typedef struct source_sums {
    double volume, source;  // m3; of all rows
    int64_t open_count;     // particles at a free surface
} source_sums;

static void join_sources(void *result, const void *later)
{
    source_sums *sums = result;
    const source_sums *more = later;
    sums->volume += more->volume;
    sums->source += more->source;
    sums->open_count += more->open_count;
}

static bool is_open(const dlp_projection *p, int32_t i)
{
    const float *g = p->rows + (int64_t)i * DLP_ROW_SIZE, h = p->row_h[i];
    return h * h * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) > OPEN * OPEN;
}

static void sum_sources(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    const dlp_projection *p = &sph->scratch.projection;
    source_sums *sums = result;
    for (int32_t k = begin; k < end; k++) {
        const double volume = (double)p->paces[(int64_t)k * DLP_PACE_SIZE + 3];
        if (isinf(p->rows[(int64_t)k * DLP_ROW_SIZE + 3])) continue;
        sums->volume += volume;
        sums->source += volume * (double)p->source[k];
        sums->open_count += k < sph->state.particles.count && is_open(p, k);
    }
}

typedef struct balance_pass {
    float *numbers;  // of all rows
    float by;
} balance_pass;

static void shift_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const balance_pass *pass = context;
    for (int32_t k = begin; k < end; k++) pass->numbers[k] -= pass->by;
}

// Whether there is no free surface; then what is asked for in the mean is taken from the source.
static bool balance_source(dlp_sph *sph)
{
    source_sums sums = {0};
    const int32_t points = dlp_sph_point_count(sph);
    const dlp_reduction sum = {sum_sources, join_sources, sph, sizeof sums};
    dlp_parallel_reduce(sph->team, points, SCAN_GRAIN, &sum, &sums);
    if (sums.open_count > 0 || !(sums.volume > 0)) return false;
    balance_pass pass = {sph->scratch.projection.source, (float)(sums.source / sums.volume)};
    dlp_parallel_for(sph->team, points, SCAN_GRAIN, shift_range, &pass);
    return true;
}

static void find_least(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_projection *p = &((const dlp_sph *)context)->scratch.projection;
    double *least = result;
    for (int32_t k = begin; k < end; k++)
        if ((double)p->kappa[k] < *least && !isinf(p->rows[(int64_t)k * DLP_ROW_SIZE + 3]))
            *least = (double)p->kappa[k];
}

typedef struct lower_pass {
    float *kappa, by;
} lower_pass;

static void lower_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const lower_pass *pass = context;
    for (int32_t k = begin; k < end; k++) pass->kappa[k] = fmaxf(pass->kappa[k] - pass->by, 0);
}

// The least pressure of a closed vessel is 0: passes raise all of them alike, which nothing resists.
static void lower_pressures(dlp_sph *sph)
{
    const int32_t points = dlp_sph_point_count(sph);
    double least = 1e30;
    const dlp_reduction find = {find_least, dlp_combine_min_double, sph, sizeof least};
    dlp_parallel_reduce(sph->team, points, SCAN_GRAIN, &find, &least);
    lower_pass pass = {sph->scratch.projection.kappa, (float)least};
    if (least < 1e30) dlp_parallel_for(sph->team, points, SCAN_GRAIN, lower_range, &pass);
}

// What a pass adds up.
typedef struct row_sums {
    double residual, largest;  // that are left of particles: the sum, and the largest
    double turn;               // above 0: the step before went uphill
} row_sums;

static void join_sums(void *result, const void *later)
{
    row_sums *sums = result;
    const row_sums *more = later;
    sums->residual += more->residual;
    sums->largest = !(more->largest <= sums->largest) ? more->largest : sums->largest;
    sums->turn += more->turn;
}

typedef struct row_pass {
    dlp_sph *sph;
    float relaxation, ahead;
} row_pass;

// A step of Jacobi's for every row, projected to pressures of at least 0. What is left of a row counts from
// both sides where it has a pressure: too much of it pushes, too. A row that nothing can move has none.
static void relax_range(void *context, int32_t begin, int32_t end, void *result)
{
    const row_pass *pass = context;
    dlp_projection *p = &pass->sph->scratch.projection;
    const int32_t count = pass->sph->state.particles.count;
    row_sums *sums = result;
    for (int32_t k = begin; k < end; k++) {
        const float diagonal = p->rows[(int64_t)k * DLP_ROW_SIZE + 3];
        p->next[k] = 0;
        if (isinf(diagonal)) continue;
        const float residual = p->source[k] + p->response[k];
        const float relaxed = p->kappa[k] + pass->relaxation * residual / diagonal;
        const float next = relaxed <= 0 ? 0 : relaxed, volume = p->paces[(int64_t)k * DLP_PACE_SIZE + 3];
        sums->turn +=
            (double)(volume * diagonal) * (double)(p->kappa[k] - next) * (double)(next - p->before[k]);
        p->next[k] = next;
        if (k >= count) continue;
        const double left = next > 0 || !(residual <= 0) ? fabs((double)residual) : 0;
        sums->residual += left;
        sums->largest = !(left <= sums->largest) ? left : sums->largest;
    }
}

// As far again as the pressure went in the pass before, times `ahead`.
static void extrapolate_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const row_pass *pass = context;
    dlp_projection *p = &pass->sph->scratch.projection;
    for (int32_t k = begin; k < end; k++) {
        const float next = p->next[k], farther = next + pass->ahead * (next - p->before[k]);
        p->kappa[k] = farther > 0 ? farther : 0;
        p->before[k] = next;
    }
}

// Accelerated as by Nesterov, with a restart where a pass goes uphill: the number of passes then grows with
// the depth and not with its square. The accelerated step is half as long as the plain one. [odonoghue2015]
static dlp_solve_report iterate(dlp_sph *sph, const dlp_solve_limits *limits)
{
    const int32_t points = dlp_sph_point_count(sph), count = sph->state.particles.count;
    dlp_projection *p = &sph->scratch.projection;
    dlp_solve_report report = {0};
    row_pass pass = {sph, 0.5f * sph->params.projection.relaxation, 0};
    const dlp_reduction relax = {relax_range, join_sums, &pass, sizeof(row_sums)};
    double momentum = 1;
    dlp_parallel_copy(sph->team, p->before, p->kappa, (size_t)points * sizeof *p->kappa);
    for (;;) {
        dlp_projection_apply(sph);
        report.passes++;
        row_sums sums = {0};
        dlp_parallel_reduce(sph->team, points, SCAN_GRAIN, &relax, &sums);
        report.mean = count > 0 ? sums.residual / count : 0;
        report.largest = sums.largest;
        report.is_converged = report.mean <= limits->mean && report.largest <= limits->largest;
        if ((report.is_converged && report.passes >= PASS_LEAST) || report.passes >= limits->pass_limit)
            return report;
        const double before = momentum;
        momentum = sums.turn > 0 ? 1 : 0.5 * (1 + sqrt(1 + 4 * momentum * momentum));
        pass.ahead = momentum > 1 ? (float)((before - 1) / momentum) : 0;
        dlp_parallel_for(sph->team, points, SCAN_GRAIN, extrapolate_range, &pass);
    }
}

dlp_solve_report dlp_projection_solve(dlp_sph *sph, const dlp_solve_limits *limits)
{
    if (!balance_source(sph)) return iterate(sph, limits);
    dlp_solve_limits closed = *limits;  // it has no depth whose pressure would ask for more
    closed.mean = fmax(limits->mean, limits->closed_mean);
    closed.largest = fmax(limits->largest, DLP_LARGEST_OVER_MEAN * closed.mean);
    const dlp_solve_report report = iterate(sph, &closed);
    lower_pressures(sph);
    return report;
}
