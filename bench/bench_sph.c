/* How fast smoothed particles move: a block of substance at rest density, about 60 neighbours, from ten
 * thousand to a million particles; and beside it the pair rate of a perfect loop, measured in the same run.
 */
#include "bench_case.h"
#include "fixture_sph.h"

#include "base/wall_clock.h"
#include "motion/sph/predict.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

static dlp_status open_block(dlp_sph_fixture *b, double count, int32_t threads, dlp_error *error)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{title: block, frames: {rate: 100, count: 1}, gravity: [0, 0, 0], periodic: [x, y, z],"
             " domain: {min: [0, 0, 0], max: [1, 1, 1]}, time: {ratio: 1024},"
             " substances: {water: {material: water, artificial_viscosity: {alpha: 0}, stiffness: 400,"
             " adapt: {time: true}, particle: {spacing: %.9g, smoothing: 1.22, jitter: 0.1},"
             " velocity: {field: {name: taylor_green, amplitude: 1, length: 1}},"
             " shape: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}}}",
             cbrt(1 / count));
    DLP_TRY(dlp_sph_fixture_open(b, text, threads, error));
    b->sph->params.has_individual_steps = false;
    return DLP_OK;
}

// Particle-steps per second over whole steps (sorting, lists, sums, integration), about two seconds long.
static dlp_status measure_rate(dlp_sph_fixture *fixture, double *out_rate, dlp_error *error)
{
    dlp_sph *sph = fixture->sph;
    dlp_sph_fixture_begin(fixture);
    for (int k = 0; k < 4; k++) DLP_TRY(dlp_sph_fixture_step(fixture, error));
    double steps = 0;
    const double start = dlp_seconds_now();
    while (steps < 16 || dlp_seconds_now() - start < 2) {
        DLP_TRY(dlp_sph_fixture_step(fixture, error));
        steps += 1;
    }
    *out_rate = steps * sph->state.particles.count / (dlp_seconds_now() - start);
    return DLP_OK;
}

static dlp_status mean_neighbours(dlp_sph *sph, double *out_mean, dlp_error *error)
{
    dlp_stats stats = {.size = sizeof stats};
    DLP_TRY(dlp_sph_measure(sph, &stats, error));
    *out_mean = stats.neighbours_mean;
    return DLP_OK;
}

// The perfect loop's work: one block of particles per thread.
enum { PERFECT_BLOCK = 256, PERFECT_ROUNDS = 100 };

typedef struct perfect_work {
    const dlp_pair_loops *loops;
    dlp_pair_work pairs;
} perfect_work;

static void run_perfect_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const perfect_work *work = context;
    for (int32_t block = begin; block < end; block++)
        for (int32_t k = 0; k < PERFECT_ROUNDS; k++)
            work->loops->perfect(&work->pairs, block * PERFECT_BLOCK, (block + 1) * PERFECT_BLOCK);
}

// Pairs of one particle of every block, those that pad a list included.
static double padded_pairs(const dlp_lists *lists, int32_t blocks)
{
    double pairs = 0;
    for (int32_t k = 0; k < blocks; k++) {
        const int32_t first = k * PERFECT_BLOCK;
        pairs += dlp_list_end(lists, first, 0);
    }
    return pairs;
}

// Pairs per second of density and forces, on all threads of the team, where all neighbours are in the
// first-level cache: one list for all of a block. Each pair occurs in both loops, as in a step, and counted
// once.
static double perfect_rate(dlp_sph *sph, dlp_team *team)
{
    enum { MOST = 128 };
    static int32_t index[MOST * PERFECT_BLOCK];
    const int32_t threads = dlp_team_size(team), blocks = threads < MOST ? threads : MOST;
    for (int32_t k = 0; k < blocks * PERFECT_BLOCK; k++) index[k] = k;
    const dlp_lists *lists = &sph->scratch.neighbours.lists;
    float *approaches = &dlp_sph_hand(sph, DLP_HOLDS_APPROACHES)->approach;
    perfect_work work = {
        .loops = sph->params.loops,
        .pairs = {.params = &sph->params.pair,
                  .packed = sph->scratch.points.packed,
                  .lists = lists,
                  .index = index,
                  .sums = {sph->scratch.sums.force, sph->state.particles.compression_rate, approaches}}};
    const double round = PERFECT_ROUNDS * PERFECT_BLOCK * padded_pairs(lists, blocks);
    double pairs = 0;
    const double start = dlp_seconds_now();
    while (dlp_seconds_now() - start < 1) {
        dlp_parallel_for(team, blocks, 1, run_perfect_blocks, &work);
        pairs += round;
    }
    return pairs / (dlp_seconds_now() - start);
}

static void add(dlp_bench *bench, const char *id, const char *what, double value, const char *unit)
{
    const dlp_finding finding = dlp_finding_number(id, what, value, unit);
    dlp_bench_add(bench, &finding);
}

// The largest size on one thread gives the numbers that are compared; *out_rate is its rate.
static dlp_status measure_size(dlp_bench *bench, double count, int32_t threads, double *out_rate,
                               dlp_error *error)
{
    dlp_sph_fixture b;
    double neighbours = 0, rate = 0;
    DLP_TRY(open_block(&b, count, threads, error));
    dlp_status status = measure_rate(&b, &rate, error);
    if (status == DLP_OK) status = mean_neighbours(b.sph, &neighbours, error);
    if (status == DLP_OK) {
        char id[64], what[128];
        snprintf(id, sizeof id, "rate-%.0f-%d", count, threads);
        snprintf(what, sizeof what, "%d particles, %d thread%s: particle-steps", b.sph->state.particles.count,
                 threads, threads == 1 ? "" : "s");
        add(bench, id, what, 1e-6 * rate, "million/s");
        snprintf(id, sizeof id, "pairs-%.0f-%d", count, threads);
        snprintf(what, sizeof what, "the same as ordered pairs (%.1f neighbours)", neighbours);
        add(bench, id, what, 1e-6 * rate * neighbours, "million/s");
    }
    *out_rate = rate;
    dlp_sph_fixture_close(&b);
    return status;
}

static dlp_status measure_memory_and_limit(dlp_bench *bench, dlp_error *error)
{
    dlp_sph_fixture b;
    const size_t before = dlp_memory_in_use();
    double rate = 0, neighbours = 0;
    DLP_TRY(open_block(&b, 1e5, 1, error));
    dlp_status status = measure_rate(&b, &rate, error);
    if (status == DLP_OK) status = mean_neighbours(b.sph, &neighbours, error);
    if (status == DLP_OK) {
        const double count = b.sph->state.particles.count;
        const double lists = (double)dlp_lists_bytes(&b.sph->scratch.neighbours.lists);
        const double bytes = (double)(dlp_memory_in_use() - before) - lists;
        const double perfect = perfect_rate(b.sph, NULL);
        const dlp_finding memory =
            dlp_finding_limited("bytes", "memory per particle, without the lists", bytes / count, "B", 200);
        dlp_bench_add(bench, &memory);
        add(bench, "list-bytes", "memory of the lists, per particle", lists / count, "B");
        add(bench, "perfect", "a perfect loop: pairs, density and forces, all in cache, one thread",
            1e-6 * perfect, "million/s");
        add(bench, "share", "the whole step's pair rate over the perfect loop's", rate * neighbours / perfect,
            "");
        char text[32];
        snprintf(text, sizeof text, "%s", dlp_target_name(b.sph->target));
        const dlp_finding target = dlp_finding_text("target", "instruction set", text);
        dlp_bench_add(bench, &target);
    }
    dlp_sph_fixture_close(&b);
    return status;
}

// Whether a particle is among the one per cent: one region (a splash in a lake), or one here and one there.
static bool is_chosen(const dlp_particles *p, int32_t i, bool is_region)
{
    return is_region ? i < p->count / 100 : i % 100 == 0;
}

// Time of a step at which one per cent of the particles are due.
static dlp_status time_partial(dlp_sph_fixture *fixture, bool is_region, double *out_time, dlp_error *error)
{
    dlp_sph *sph = fixture->sph;
    dlp_particles *p = &sph->state.particles;
    sph->params.has_individual_steps = true;
    double time = 0;
    int32_t steps = 0;
    while (steps < 40) {
        dlp_sph_fixture_begin(fixture);
        for (int32_t i = 0; i < p->count; i++)
            p->step[i] = is_chosen(p, i, is_region) ? 1 << 10 : 1 << DLP_TICK_BITS;
        for (int k = 0; k < 4; k++, steps++) {
            const double start = dlp_seconds_now();
            DLP_TRY(dlp_sph_fixture_step(fixture, error));
            time += dlp_seconds_now() - start;
            for (int32_t i = 0; i < p->count; i++) {
                if (is_chosen(p, i, is_region)) p->step[i] = 1 << 10;
            }
        }
        sph->state.clock.tick = sph->state.clock.stop;
    }
    *out_time = time / steps;
    return DLP_OK;
}

static dlp_status measure_partial(dlp_bench *bench, dlp_error *error)
{
    dlp_sph_fixture b;
    double rate = 0, region = 0, scattered = 0;
    DLP_TRY(open_block(&b, 1e5, 1, error));
    dlp_status status = measure_rate(&b, &rate, error);
    if (status == DLP_OK) status = time_partial(&b, true, &region, error);
    if (status == DLP_OK) status = time_partial(&b, false, &scattered, error);
    if (status == DLP_OK) {
        const double full = b.sph->state.particles.count / rate;
        const dlp_finding finding = dlp_finding_limited(
            "one-percent", "a step with 1 % of the particles due, one region, over a full one", region / full,
            "", 0.05);
        dlp_bench_add(bench, &finding);
        add(bench, "one-percent-scattered", "the same, every hundredth particle", scattered / full, "");
    }
    dlp_sph_fixture_close(&b);
    return status;
}

// Adds the rate of `count` particles on several threads, over the rate on one.
static dlp_status measure_scaling(dlp_bench *bench, double count, int32_t threads, double rate_of_one,
                                  dlp_error *error)
{
    double rate;
    char id[64], what[128];
    DLP_TRY(measure_size(bench, count, threads, &rate, error));
    snprintf(id, sizeof id, "scaling-%.0f-%d", count, threads);
    snprintf(what, sizeof what, "%.0f particles: rate on %d threads over that on one", count, threads);
    add(bench, id, what, rate / rate_of_one, "");
    return DLP_OK;
}

// What the machine itself gains: its cores share their clock rate, and some share a core.
static dlp_status measure_limit(dlp_bench *bench, int32_t threads, dlp_error *error)
{
    dlp_sph_fixture b;
    DLP_TRY(open_block(&b, 1e5, threads, error));
    double rate = 0;
    const dlp_status status = measure_rate(&b, &rate, error);
    if (status == DLP_OK) {
        char id[64], what[128];
        snprintf(id, sizeof id, "perfect-scaling-%d", threads);
        snprintf(what, sizeof what, "the machine's limit: the perfect loop on %d threads over that on one",
                 threads);
        add(bench, id, what, perfect_rate(b.sph, b.team) / perfect_rate(b.sph, NULL), "");
    }
    dlp_sph_fixture_close(&b);
    return status;
}

// 10^5 particles on 2, 4, 8, ... threads, 10^6 on all; `rates` are those of 10^4, 10^5, 10^6 on one thread.
static dlp_status measure_threads(dlp_bench *bench, const double rates[3], dlp_error *error)
{
    dlp_team *team;
    DLP_TRY(dlp_team_create(bench->thread_count, &team, error));
    const int32_t most = dlp_team_size(team);
    dlp_team_destroy(team);
    for (int32_t threads = 2; threads <= most; threads *= 2) {
        DLP_TRY(measure_scaling(bench, 1e5, threads, rates[1], error));
        DLP_TRY(measure_limit(bench, threads, error));
    }
    return most > 1 ? measure_scaling(bench, 1e6, most, rates[2], error) : DLP_OK;
}

static dlp_status run(dlp_bench *bench, dlp_error *error)
{
    static const double sizes[] = {1e4, 1e5, 1e6};
    double rates[3];
    for (int k = 0; k < 3; k++) DLP_TRY(measure_size(bench, sizes[k], 1, &rates[k], error));
    // time ~ n^e: e = 1 + log(rate ratio) / log(size ratio)
    const dlp_finding exponent =
        dlp_finding_limited("exponent", "growth of the cost from 10^4 to 10^6, as a power of the size",
                            1 + log(rates[0] / rates[2]) / log(100), "", 1.05);
    dlp_bench_add(bench, &exponent);
    DLP_TRY(measure_threads(bench, rates, error));
    DLP_TRY(measure_memory_and_limit(bench, error));
    return measure_partial(bench, error);
}

const dlp_bench_case dlp_bench_sph = {
    .name = "sph",
    .what = "smoothed particles: a block at about 60 neighbours, 10^4 to 10^6 particles",
    .run = run,
};

// Neighbours.

static dlp_status run_neighbours(dlp_bench *bench, dlp_error *error)
{
    dlp_sph_fixture b;
    DLP_TRY(open_block(&b, 1e5, 1, error));
    dlp_status status = DLP_OK;
    double neighbours = 0;
    int32_t builds = 0;
    const double start = dlp_seconds_now();
    while (status == DLP_OK && (builds < 3 || dlp_seconds_now() - start < 2)) {
        status = dlp_sph_find_neighbours(b.sph, error);
        builds++;
    }
    const double seconds = (dlp_seconds_now() - start) / builds;
    if (status == DLP_OK) {
        dlp_sph_write_constants(b.sph);
        dlp_sph_predict(b.sph);
        status = mean_neighbours(b.sph, &neighbours, error);
    }
    if (status == DLP_OK) {
        add(bench, "build", "sorting, cells and lists of 10^5 particles, one thread", 1e3 * seconds, "ms");
        add(bench, "rate", "particles listed", 1e-6 * b.sph->state.particles.count / seconds, "million/s");
        add(bench, "pairs", "pairs found", 1e-6 * b.sph->state.particles.count * neighbours / seconds,
            "million/s");
    }
    dlp_sph_fixture_close(&b);
    return status;
}

const dlp_bench_case dlp_bench_neighbours = {
    .name = "neighbours",
    .what = "sorting particles and building neighbour lists",
    .run = run_neighbours,
};
