/* What adaptivity costs: the pair rate where sizes are mixed, and the share of a run that goes into splitting
 * and merging. */
#include "bench_case.h"
#include "fixture_sph.h"

#include "base/wall_clock.h"
#include "motion/world.h"

#include <stdio.h>

// A free block of water, with particles of three sizes or of one.
static dlp_status open_block(dlp_sph_fixture *b, double spacing, bool is_adaptive, dlp_error *error)
{
    char text[512];
    snprintf(text, sizeof text,
             "{gravity: [0, 0, 0], substances: {water: {material: water, stiffness: 400,"
             " adapt: {space: %s, accuracy: 0, levels: 3}, particle: {spacing: %.9g},"
             " shape: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}}}",
             is_adaptive ? "true" : "false", spacing);
    return dlp_sph_fixture_open(b, text, 1, error);
}

// Pairs per second of whole steps in which all particles are due.
static dlp_status measure_pairs(dlp_sph_fixture *fixture, double *out_rate, dlp_error *error)
{
    dlp_sph *sph = fixture->sph;
    dlp_stats stats = {.size = sizeof stats};
    DLP_TRY(dlp_sph_measure(sph, &stats, error));
    dlp_sph_fixture_begin(fixture);
    int32_t steps = 0;
    const double start = dlp_seconds_now();
    while (steps < 8 || dlp_seconds_now() - start < 2) {
        DLP_TRY(dlp_sph_fixture_step(fixture, error));
        steps++;
    }
    *out_rate = steps * stats.neighbours_mean * sph->state.particles.count / (dlp_seconds_now() - start);
    return DLP_OK;
}

static dlp_status measure_block(double spacing, bool is_adaptive, double *out_rate, int32_t *out_count,
                                dlp_error *error)
{
    dlp_sph_fixture b;
    DLP_TRY(open_block(&b, spacing, is_adaptive, error));
    const dlp_status status = measure_pairs(&b, out_rate, error);
    *out_count = b.sph->state.particles.count;
    dlp_sph_fixture_close(&b);
    return status;
}

static dlp_status compare_rates(dlp_bench *bench, dlp_error *error)
{
    double mixed = 0, uniform = 0;
    int32_t count = 0, same = 0;
    DLP_TRY(measure_block(0.02, true, &mixed, &count, error));
    DLP_TRY(measure_block(1 / cbrt(count), false, &uniform, &same, error));
    const dlp_finding findings[] = {
        dlp_finding_number("mixed", "pairs per second with three sizes, one thread", 1e-6 * mixed,
                           "million/s"),
        dlp_finding_number("uniform", "pairs per second with one size and as many particles", 1e-6 * uniform,
                           "million/s"),
        dlp_finding_limited("mixed-cost", "time of a pair with three sizes over that with one",
                            uniform / mixed, "", 1 / 0.7)};
    for (size_t k = 0; k < sizeof findings / sizeof findings[0]; k++) dlp_bench_add(bench, &findings[k]);
    return DLP_OK;
}

// A dam break, a few frames of it.
static dlp_status measure_share(dlp_bench *bench, dlp_error *error)
{
    static const char text[] =
        "{frames: {rate: 25, count: 4}, substances: {water: {material: water, particle: {spacing: 0.0125},"
        " adapt: {space: true, time: true}, shape: {box: {min: [0, 0, 0], max: [0.4, 0.4, 0.6]}}}},"
        " obstacles: [{box: {min: [0, 0, 0], max: [0.8, 0.4, 0.8], inside: true}}]}";
    dlp_scene *scene = NULL;
    dlp_world *world = NULL;
    DLP_TRY(dlp_scene_read_text(text, sizeof text - 1, "dam", NULL, &scene, error));
    const dlp_world_options options = {.size = sizeof options, .thread_count = bench->thread_count};
    dlp_status status = dlp_world_create(scene, &options, &world, error);
    const double start = dlp_seconds_now(),
                 before = status == DLP_OK ? dlp_sph_of(world)->scratch.adapt_seconds : 0;
    for (int32_t frame = 0; frame < 4 && status == DLP_OK; frame++)
        status = dlp_world_step_frame(world, error);
    if (status == DLP_OK) {
        const dlp_finding finding = dlp_finding_limited(
            "share", "of a dam break's time that goes into splitting and merging",
            (dlp_sph_of(world)->scratch.adapt_seconds - before) / (dlp_seconds_now() - start), "", 0.1);
        dlp_bench_add(bench, &finding);
    }
    dlp_world_destroy(world);
    dlp_scene_destroy(scene);
    return status;
}

static dlp_status run(dlp_bench *bench, dlp_error *error)
{
    DLP_TRY(compare_rates(bench, error));
    return measure_share(bench, error);
}

const dlp_bench_case dlp_bench_adapt = {
    .name = "adapt",
    .what = "particles of different sizes: pair rate, cost of splitting and merging",
    .run = run,
};
