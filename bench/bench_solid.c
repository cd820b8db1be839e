/* How fast solids are solved: constraint solves per second, particles x sub-steps x sweeps over time, on one
 * thread: of the sweeps of a block of fifty thousand particles, beside those of a block so small that all it
 * reads stays in the cache; and of whole frames of a heap of rings, contacts included. */
#include "bench_case.h"

#include "base/wall_clock.h"
#include "dollop/dollop.h"
#include "motion/solid/solid_solver.h"
#include "motion/world.h"

#include <stdio.h>
#include <string.h>

typedef struct subject {
    dlp_scene *scene;
    dlp_world *world;
} subject;

static void close_subject(subject *s)
{
    dlp_world_destroy(s->world);
    dlp_scene_destroy(s->scene);
}

static dlp_status open_subject(subject *s, const char *text, int32_t threads, dlp_error *error)
{
    const dlp_world_options options = {.size = sizeof options, .thread_count = threads};
    *s = (subject){0};
    DLP_TRY(dlp_scene_read_text(text, strlen(text), "bench", NULL, &s->scene, error));
    return dlp_world_create(s->scene, &options, &s->world, error);
}

// Solves per second, in the sweeps alone.
static double sweep_rate(subject *s)
{
    dlp_solid *solid = (dlp_solid *)(uintptr_t)dlp_solid_of(s->world);
    dlp_error error = {0};
    const dlp_solid_pass pass = {.solid = solid, .step = 1.0 / 180, .tau = 1.0 / 180};
    double solves = 0;
    const double start = dlp_seconds_now();
    while (dlp_seconds_now() - start < 1) {
        const int64_t before = solid->state.counts.solves;
        if (dlp_solid_sweep_all(&pass, &error) != DLP_OK) return 0;
        solves += (double)(solid->state.counts.solves - before);
    }
    return solves / (dlp_seconds_now() - start);
}

static dlp_status measure_block(int32_t across, const char *constraint, int32_t threads, double *out_rate,
                                dlp_error *error)
{
    char text[1024];
    const double edge = 0.02 * across;
    snprintf(text, sizeof text,
             "{frames: {rate: 60, count: 1}, substances: {body: {model: solid, density: 1000,"
             " solid: {youngs_modulus: 3000, poisson_ratio: 0.4, constraint: %s, substeps: 3, iterations: 8},"
             " particle: {spacing: 0.02}, shape: {box: {min: [0, 0, 0], max: [%g, %g, %g]}}}}}",
             constraint, edge, edge, edge);
    subject s;
    dlp_status status = open_subject(&s, text, threads, error);
    if (status == DLP_OK) status = dlp_world_step_frame(s.world, error);
    if (status == DLP_OK) *out_rate = sweep_rate(&s);
    close_subject(&s);
    return status;
}

static dlp_status compare_blocks(dlp_bench *bench, const char *constraint, double asked, dlp_error *error)
{
    double small = 0, large = 0, all = 0;
    char id[3][32];
    DLP_TRY(measure_block(12, constraint, 1, &small, error));
    DLP_TRY(measure_block(37, constraint, 1, &large, error));
    DLP_TRY(measure_block(37, constraint, bench->thread_count, &all, error));
    snprintf(id[0], sizeof id[0], "%s", constraint);
    snprintf(id[1], sizeof id[1], "%s-cached", constraint);
    snprintf(id[2], sizeof id[2], "%s-threads", constraint);
    const dlp_finding findings[] = {
        dlp_finding_reached(id[0], "solves of a block of 50 653 particles, one thread", 1e-6 * large,
                            "million/s", asked),
        dlp_finding_number(id[1], "rate over that of a block of 1728, which stays in the cache",
                           large / small, ""),
        dlp_finding_number(id[2], "gain of all threads over one", all / large, "")};
    for (int k = 0; k < 3; k++) dlp_bench_add(bench, &findings[k]);
    return DLP_OK;
}

static const char heap_scene[] =
    "{frames: {rate: 60, count: 90}, substances: {rings: {model: solid, density: 1000,"
    " solid: {youngs_modulus: 3000, poisson_ratio: 0.4, substeps: 3, iterations: 8},"
    " particle: {spacing: 0.0163}, shape: {torus: {center: [0.1, 0.1, 0.1], radius: 0.07, tube: 0.021},"
    " copies: {count: [6, 6, 9], spacing: [0.2, 0.2, 0.055]}}}},"
    " obstacles: [{box: {min: [0, 0, 0], max: [1.2, 1.2, 2], inside: true}}]}";

// Mean time of the frames from..to-1, s; *out_share: the share of it that contacts take.
static dlp_status time_frames(subject *s, int32_t from, int32_t to, double *out_frame, double *out_share,
                              dlp_error *error)
{
    const dlp_solid *solid = dlp_solid_of(s->world);
    const double start = dlp_seconds_now(), before = solid->scratch.contact_seconds;
    for (int32_t k = from; k < to; k++) DLP_TRY(dlp_world_step_frame(s->world, error));
    *out_frame = (dlp_seconds_now() - start) / (to - from);
    *out_share = (solid->scratch.contact_seconds - before) / (dlp_seconds_now() - start);
    return DLP_OK;
}

// While the rings fall upon each other, and when they lie in a heap.
static dlp_status step_heap(dlp_bench *bench, subject *s, dlp_error *error)
{
    double frame, share, dense, dense_share, unused;
    DLP_TRY(time_frames(s, 0, 15, &unused, &unused, error));
    DLP_TRY(time_frames(s, 15, 30, &frame, &share, error));
    DLP_TRY(time_frames(s, 30, 75, &unused, &unused, error));
    DLP_TRY(time_frames(s, 75, 90, &dense, &dense_share, error));
    const int32_t count = dlp_world_particle_count(s->world);
    const dlp_finding findings[] = {
        dlp_finding_number("heap", "particles of a heap of 324 rings", count, ""),
        dlp_finding_number("heap-frame", "a frame of 3 x 8 solves, contacts included", 1e3 * frame, "ms"),
        dlp_finding_number("heap-rate", "solves", 1e-6 * 24 * count / frame, "million/s"),
        dlp_finding_number("heap-contacts", "share of it that contacts take", share, ""),
        dlp_finding_number("heap-dense-frame", "a frame when they lie still, after 1.25 s", 1e3 * dense,
                           "ms"),
        dlp_finding_number("heap-dense-contacts", "share of it that contacts take", dense_share, "")};
    for (size_t k = 0; k < sizeof findings / sizeof findings[0]; k++) dlp_bench_add(bench, &findings[k]);
    return DLP_OK;
}

// 324 rings, three sub-steps of eight sweeps: the source's heap.  [yang2023, table 1]
static dlp_status measure_heap(dlp_bench *bench, dlp_error *error)
{
    subject s;
    dlp_status status = open_subject(&s, heap_scene, bench->thread_count, error);
    if (status == DLP_OK) status = step_heap(bench, &s, error);
    close_subject(&s);
    return status;
}

static dlp_status run(dlp_bench *bench, dlp_error *error)
{
    DLP_TRY(compare_blocks(bench, "block", 2, error));
    DLP_TRY(compare_blocks(bench, "scalar", 5, error));
    return measure_heap(bench, error);
}

const dlp_bench_case dlp_bench_solid = {
    .name = "solid",
    .what = "elastic solids: constraint solves of a block and of a heap of rings",
    .run = run,
};
