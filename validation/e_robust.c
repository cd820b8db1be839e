/* What solids withstand: being crushed, being thrown, long steps. */
#include "fixture_solid_run.h"

#include "base/memory.h"
#include "motion/world.h"

#include <stdio.h>

// E-crush: ten bodies crushed to a point, each in a disorder of its own.

enum { BODIES = 10, FRAMES = 300 };

static dlp_status watch_crushed(dlp_fixture *fixture, double time[FRAMES], double volume[2][FRAMES],
                                dlp_error *error)
{
    for (int32_t k = 0; k < FRAMES; k++) {
        DLP_TRY(dlp_world_step_frame(fixture->world, error));
        DLP_TRY(dlp_fixture_look(fixture, error));
        time[k] = dlp_world_time(fixture->world);
        volume[0][k] = 1e30;
        volume[1][k] = -1e30;
        for (int32_t body = 0; body < BODIES; body++) {
            const double v = dlp_fixture_swelling(fixture, body);
            volume[0][k] = fmin(volume[0][k], v);
            volume[1][k] = fmax(volume[1][k], v);
        }
    }
    return DLP_OK;
}

static void tell_crushed(dlp_reproduce *reproduce, const double *time, double volume[2][FRAMES])
{
    const dlp_finding findings[] = {
        dlp_finding_compared("least", "volume over that at rest after 5 s, the least of ten bodies",
                             volume[0][FRAMES - 1], "", 1, 0.01),
        dlp_finding_compared("most", "the largest of them", volume[1][FRAMES - 1], "", 1, 0.01)};
    const dlp_series series[] = {{"the least of ten", time, volume[0], FRAMES, DLP_MARK_LINE},
                                 {"the largest", time, volume[1], FRAMES, DLP_MARK_LINE}};
    dlp_reproduce_add_all(reproduce, findings, 2);
    dlp_reproduce_plot(reproduce, "From a point back to a body", "time (s)", "volume over that at rest",
                       series, 2);
}

static dlp_status run_crush(dlp_reproduce *reproduce, dlp_error *error)
{
    static const char *const settings[] = {"substances.toy.shape.copies",
                                           "{count: [10, 1, 1], spacing: [2, 0, 0]}", "camera",
                                           "{from: [9, -18, 8], to: [9, 0, 0]}", NULL};
    static double time[FRAMES], volume[2][FRAMES];
    dlp_fixture fixture;
    dlp_status status = dlp_fixture_open_bundled(&fixture, "crush", settings, reproduce->thread_count, error);
    if (status == DLP_OK) {
        const dlp_finding start = dlp_finding_limited("start", "volume over that at rest at the start",
                                                      fabs(dlp_fixture_swelling(&fixture, -1)), "", 0.001);
        dlp_reproduce_add(reproduce, &start);
        status = watch_crushed(&fixture, time, volume, error);
    }
    if (status == DLP_OK) {
        tell_crushed(reproduce, time, volume);
        status = dlp_fixture_picture(&fixture, reproduce, "crush", "All ten after 5 s", error);
    }
    dlp_fixture_close(&fixture);
    return status;
}

const dlp_experiment dlp_experiment_e_crush = {"E-crush", "Bodies crushed to a point recover",
                                               "yang2023, fig. 5", run_crush};

// E-steps: sub-steps against sweeps.

#define TOY "substances.toy.solid."
static dlp_status hang_toy(const dlp_reproduce *reproduce, int32_t substeps, int32_t iterations,
                           dlp_solid_run *run, dlp_error *error)
{
    char counts[2][16];
    snprintf(counts[0], sizeof counts[0], "%d", substeps);
    snprintf(counts[1], sizeof counts[1], "%d", iterations);
    const char *const settings[] = {
        TOY "substeps", counts[0],    TOY "iterations",     counts[1], TOY "damping", "4",
        "gravity",      "[0, 0, -2]", TOY "youngs_modulus", "5000",    NULL};
    run->scene = "hold";
    run->settings = settings;
    run->frames = run->timed = reproduce->is_full ? 500 : 100;
    const dlp_status status = dlp_solid_run_all(reproduce, run, error);
    run->settings = NULL;
    return status;
}

static dlp_status compare_steps(dlp_reproduce *reproduce, const dlp_solid_run *truth, int k, dlp_error *error)
{
    static const int32_t steps[][2] = {{2, 60}, {4, 15}, {10, 3}, {21, 1}};
    static const double source[] = {12.763, 8.171, 5.275, 6.291};
    dlp_solid_run run = {0};
    char ids[2][64], what[128];
    dlp_status status = hang_toy(reproduce, steps[k][0], steps[k][1], &run, error);
    snprintf(ids[0], sizeof ids[0], "%d-%d", steps[k][0], steps[k][1]);
    snprintf(ids[1], sizeof ids[1], "%d-%d-shape", steps[k][0], steps[k][1]);
    // the wave of pressure at E = 5 kPa, nu = 0.4: 3.27 m/s
    snprintf(what, sizeof what, "500 frames of %d sub-steps, %d sweeps: chi %.2f", steps[k][0], steps[k][1],
             3.27 / (60 * 0.012 * steps[k][0]));
    if (status == DLP_OK) {
        const dlp_finding findings[] = {
            dlp_finding_beside(ids[0], what, 0.5 * run.frame, "s", source[k]),
            dlp_finding_number(ids[1], "its shape against 40 sub-steps of 4 sweeps, rms",
                               1e3 * dlp_fixture_distance(&run.fixture, &truth->fixture), "mm")};
        dlp_reproduce_add_all(reproduce, findings, 2);
    }
    dlp_fixture_close(&run.fixture);
    return status;
}

static dlp_status run_steps(dlp_reproduce *reproduce, dlp_error *error)
{
    dlp_solid_run truth = {0};
    dlp_status status = hang_toy(reproduce, 40, 4, &truth, error);
    for (int k = 0; k < 4 && status == DLP_OK; k++) status = compare_steps(reproduce, &truth, k, error);
    if (status == DLP_OK)
        status = dlp_fixture_picture(&truth.fixture, reproduce, "hold", "Held by one hand", error);
    dlp_fixture_close(&truth.fixture);
    return status;
}

const dlp_experiment dlp_experiment_e_steps = {"E-steps", "A body held by a hand: sub-steps against sweeps",
                                               "yang2023, fig. 10, table 2", run_steps};

// E-fig13: a body is thrown on the ground.

enum { THROWS = 4, FLIGHT = 120 };

typedef struct flight {
    double time[FLIGHT], volume[FLIGHT]; /* s; over that at rest */
    double before, after;                /* J: kinetic energy */
    int32_t frames;
} flight;

static dlp_status watch_flight(dlp_fixture *fixture, flight *out, dlp_error *error)
{
    out->before = dlp_fixture_kinetic_energy(fixture);
    for (out->frames = 0; out->frames < FLIGHT; out->frames++) {
        const dlp_status status = dlp_world_step_frame(fixture->world, error);
        if (status == DLP_DIVERGED) return DLP_OK;
        if (status == DLP_OK) DLP_TRY(dlp_fixture_look(fixture, error));
        if (status != DLP_OK) return status;
        out->time[out->frames] = dlp_world_time(fixture->world);
        out->volume[out->frames] = dlp_fixture_swelling(fixture, -1);
    }
    out->after = dlp_fixture_kinetic_energy(fixture);
    return DLP_OK;
}

static void tell_flight(dlp_reproduce *reproduce, double speed, const flight *f)
{
    char ids[3][64], what[128];
    snprintf(ids[0], sizeof ids[0], "least-%g", speed);
    snprintf(ids[1], sizeof ids[1], "volume-%g", speed);
    snprintf(ids[2], sizeof ids[2], "energy-%g", speed);
    snprintf(what, sizeof what, "volume over that at rest 2 s after it was thrown at %g m/s", speed);
    double least = 1;
    for (int32_t k = 0; k < f->frames; k++) least = fmin(least, f->volume[k]);
    const bool is_whole = f->frames == FLIGHT;
    const dlp_finding findings[] = {
        dlp_finding_number(ids[0], "the least volume when it hits", least, ""),
        dlp_finding_compared(ids[1], what, is_whole ? f->volume[FLIGHT - 1] : (double)NAN, "", 1, 0.01),
        dlp_finding_limited(ids[2], "kinetic energy that is left", 100 * f->after / f->before, "%", 100)};
    dlp_reproduce_add_all(reproduce, findings, 3);
}

// Without weight, so that it flies off as it was; with some damping, so that it does not ring for ever.
static dlp_status throw_body(dlp_reproduce *reproduce, double speed, flight *out, dlp_error *error)
{
    char velocity[64];
    snprintf(velocity, sizeof velocity, "[0, 0, %g]", -speed);
    const char *const settings[] = {"substances.body.velocity",
                                    velocity,
                                    "substances.body.solid.damping",
                                    "2",
                                    "gravity",
                                    "[0, 0, 0]",
                                    NULL};
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open_bundled(&fixture, "bunny", settings, reproduce->thread_count, error));
    const dlp_status status = watch_flight(&fixture, out, error);
    dlp_fixture_close(&fixture);
    return status;
}

static dlp_status run_fig13(dlp_reproduce *reproduce, dlp_error *error)
{
    static const double speeds[THROWS] = {2, 5, 10, 20};
    static const char *const names[THROWS] = {"2 m/s", "5 m/s", "10 m/s", "20 m/s"};
    static flight flights[THROWS];
    dlp_series series[THROWS];
    for (int k = 0; k < THROWS; k++) {
        DLP_TRY(throw_body(reproduce, speeds[k], &flights[k], error));
        tell_flight(reproduce, speeds[k], &flights[k]);
        series[k] =
            (dlp_series){names[k], flights[k].time, flights[k].volume, flights[k].frames, DLP_MARK_LINE};
    }
    dlp_reproduce_plot(reproduce, "Thrown on the ground", "time (s)", "volume over that at rest", series,
                       THROWS);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_e_fig13 = {"E-fig13", "A body is thrown on the ground, ever faster",
                                               "yang2023, fig. 13", run_fig13};
