/* Page B: sizes that the source could not run, and what happens as the finest size shrinks. */
#include "b_case.h"

#include <math.h>
#include <stdio.h>

// B-scale: the pour with many more particles.

static const dlp_b_case SCALE_CASE = {.scene = DLP_B_POUR_SCENE,
                                      .spacing = 0.0055411,
                                      .parts = 4,
                                      .frames = 7,
                                      .fixed_frames = 7,
                                      .accuracy = "0.2",
                                      .tank = DLP_B_POUR_TANK,
                                      .moments = {0.12, 0.2, 0.28, 0.4},
                                      .moment_count = 3};

static dlp_status run_size(dlp_reproduce *reproduce, const dlp_b_case *def, dlp_error *error)
{
    static dlp_b_set set;
    set = (dlp_b_set){.def = def};
    dlp_status status = dlp_b_run_all(reproduce, &set, error);
    if (status == DLP_OK) {
        dlp_b_report_gains(reproduce, &set, 7, 3.5);
        status = dlp_b_report_detail(reproduce, &set, error);
    }
    for (int k = 0; k < DLP_B_VARIANTS; k++) dlp_b_run_release(&set.runs[k]);
    return status;
}

static dlp_status run_scale(dlp_reproduce *reproduce, dlp_error *error)
{
    static dlp_b_case def;
    def = SCALE_CASE;
    if (reproduce->is_full) {
        def.frames = def.fixed_frames = 25;
        def.moment_count = 4;
    }
    return run_size(reproduce, &def, error);
}

const dlp_experiment dlp_experiment_b_scale = {"B-scale", "The pour with 100 000 finest particles",
                                               "desbrun1999, sec. 6", run_scale};

static dlp_status run_million(dlp_reproduce *reproduce, dlp_error *error)
{
    if (!reproduce->is_full) return dlp_reproduce_skip(reproduce, "takes hours; ask for it with --full");
    static dlp_b_case def;
    def = SCALE_CASE;
    def.spacing = 0.0025719;
    // one frame, while the column still moves slowly and its lists last long: the gain is underestimated
    def.fixed_frames = 1;
    return run_size(reproduce, &def, error);
}

const dlp_experiment dlp_experiment_b_million = {"B-scale-1e6", "The pour with a million finest particles",
                                                 "desbrun1999, sec. 6", run_million};

// B-converge: finer and finer.

static const char FALL[] =
    "{title: A ball falls on a floor, frames: {rate: 100, count: 40}, time: {courant: 0.4},"
    " substances: {water: {material: water, stiffness: 1000, artificial_viscosity: {alpha: 0.5},"
    " particle: {spacing: 0.03}, shape: {sphere: {center: [0, 0, 0.3], radius: 0.2}}}},"
    " obstacles: [{name: floor, box: {min: [-2, -2, -0.5], max: [2, 2, 0]}, stick: 0}]}";

enum { SIZES = 3, QUANTITIES = 3 };

// rms differences between an adaptive run and its standard twin.
static dlp_status measure_twins(dlp_reproduce *reproduce, double spacing, double out[QUANTITIES],
                                double *out_count, dlp_error *error)
{
    static dlp_b_run finest, adaptive;
    const dlp_b_case def = {
        .scene = FALL, .spacing = spacing, .parts = 4, .frames = 10, .fixed_frames = 10, .is_round = true};
    DLP_TRY(dlp_b_run_once(reproduce, &def, DLP_B_FINEST, spacing, 0, &finest, error));
    DLP_TRY(dlp_b_run_once(reproduce, &def, DLP_B_ADAPTIVE, spacing, 0, &adaptive, error));
    const double size = cbrt(4 * DLP_PI / 3) * 0.2;
    out[0] = dlp_b_rms(finest.front, adaptive.front, finest.count) / size;
    out[1] = dlp_b_rms(finest.centre_z, adaptive.centre_z, finest.count) / size;
    out[2] = dlp_b_rms(finest.kinetic, adaptive.kinetic, finest.count) /
             dlp_b_largest(finest.kinetic, finest.count);
    *out_count = finest.particles[0];
    return DLP_OK;
}

static const char *const QUANTITY[QUANTITIES] = {"front", "centre", "kinetic"};
static const char *const QUANTITY_TEXT[QUANTITIES] = {"front, over the body's size",
                                                      "height of the centre of mass, over the body's size",
                                                      "kinetic energy, over its largest"};

static void report_twins(dlp_reproduce *reproduce, const double found[QUANTITIES], double count)
{
    for (int k = 0; k < QUANTITIES; k++) {
        char id[40], what[120];
        snprintf(id, sizeof id, "%s-%.0f", QUANTITY[k], count);
        snprintf(what, sizeof what, "rms difference from the twin of %.0f finest particles, %s", count,
                 QUANTITY_TEXT[k]);
        const dlp_finding finding = dlp_finding_number(id, what, found[k], "");
        dlp_reproduce_add(reproduce, &finding);
    }
}

static dlp_status run_converge(dlp_reproduce *reproduce, dlp_error *error)
{
    static const double spacings[SIZES] = {0.2 / 6, 0.2 / 9, 0.2 / 13.5};
    static double found[SIZES][QUANTITIES], curves[QUANTITIES][SIZES];
    for (int n = 0; n < SIZES; n++) {
        double count;
        DLP_TRY(measure_twins(reproduce, spacings[n], found[n], &count, error));
        report_twins(reproduce, found[n], count);
    }
    dlp_series series[QUANTITIES];
    for (int k = 0; k < QUANTITIES; k++) {
        char what[120];
        snprintf(what, sizeof what, "that of the finest over that of the coarsest twins, %s", QUANTITY[k]);
        const dlp_finding finding =
            dlp_finding_limited(QUANTITY[k], what, found[SIZES - 1][k] / found[0][k], "", 1);
        dlp_reproduce_add(reproduce, &finding);
        for (int n = 0; n < SIZES; n++) curves[k][n] = found[n][k];
        series[k] = (dlp_series){QUANTITY_TEXT[k], spacings, curves[k], SIZES, DLP_MARK_LINE};
    }
    const dlp_plot plot = {.title = "Adaptive against standard",
                           .x_label = "finest spacing (m)",
                           .y_label = "rms difference",
                           .is_log_x = true,
                           .is_log_y = true,
                           .series = series,
                           .series_count = QUANTITIES};
    dlp_report_plot(reproduce->report, &plot);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_b_converge = {
    "B-converge", "Adaptive and standard as the finest size shrinks", "convergence", run_converge};

// B-energy: where fine and coarse meet.

// The drop turns slowly and drifts: drifting changes nothing but the speed that the motion inside is
// compared with, and without it a drop of this size would not merge. Cohesion holds it together.
static const char ISOLATED[] =
    "{title: A drop turns, frames: {rate: 25, count: 200}, gravity: [0, 0, 0], time: {courant: 0.4},"
    " substances: {water: {material: water, state: linear, stiffness: 1000, cohesion: 1,"
    " artificial_viscosity: {alpha: 0.5}, particle: {spacing: 0.0273}, adapt: {space: true, time: true},"
    " shape: {sphere: {center: [0, 0, 0], radius: 0.3}}, velocity: {uniform: [2, 0, 0], spin: {rate: 2}}}}}";

enum { SMALLEST_STEPS = 10000, TURN_FRAMES = 400 };

typedef struct turning {
    double time[TURN_FRAMES + 1], particles[TURN_FRAMES + 1];
    double energy[TURN_FRAMES + 1], kinetic[TURN_FRAMES + 1];  // J, without that of the drift
    double splits, merges;
    int32_t count;
} turning;

static void see_turning(const dlp_stats *stats, turning *run)
{
    const int32_t k = run->count++;
    const dlp_vec3 p = stats->momentum;
    run->time[k] = stats->time;
    run->particles[k] = stats->particles;
    run->kinetic[k] = stats->kinetic_energy - dlp_dot(p, p) / (2 * stats->mass);
    run->energy[k] = run->kinetic[k] + stats->potential_energy;
    run->splits += (double)stats->splits;
    run->merges += (double)stats->merges;
}

static dlp_status turn(dlp_reproduce *reproduce, turning *run, dlp_error *error)
{
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, ISOLATED, NULL, reproduce->thread_count, error));
    dlp_status status = DLP_OK;
    *run = (turning){0};
    for (int64_t steps = 0; steps < SMALLEST_STEPS && run->count <= TURN_FRAMES && status == DLP_OK;) {
        dlp_stats stats = {.size = sizeof stats};
        status = dlp_fixture_run(&fixture, run->count / 25.0, error);
        if (status == DLP_OK) status = dlp_world_stats(fixture.world, &stats, error);
        steps += stats.substeps;
        see_turning(&stats, run);
    }
    dlp_fixture_close(&fixture);
    return status;
}

// Most by which the energy rises above what it was before: the surface, which contracts at the start, gives
// off far more than the turning holds.
static double growth(const turning *run)
{
    double least = run->energy[0], grown = 0;
    for (int32_t k = 0; k < run->count; k++) {
        least = fmin(least, run->energy[k]);
        grown = fmax(grown, run->energy[k] - least);
    }
    return grown;
}

static dlp_status report_turning(dlp_reproduce *reproduce, dlp_error *error)
{
    static turning run;
    DLP_TRY(turn(reproduce, &run, error));
    const dlp_finding findings[] = {
        dlp_finding_limited(
            "growth",
            "drop that turns, 10000 smallest steps: most that its energy rises, over the kinetic "
            "energy of the start",
            growth(&run) / run.kinetic[0], "", 0.01),
        dlp_finding_number("kept", "its kinetic energy at the end over that of the start",
                           run.kinetic[run.count - 1] / run.kinetic[0], ""),
        dlp_finding_number("drop", "its particles at the start", run.particles[0], ""),
        dlp_finding_number("splits", "splits", run.splits, ""),
        dlp_finding_number("merges", "merges", run.merges, "")};
    for (int k = 0; k < 5; k++) dlp_reproduce_add(reproduce, &findings[k]);
    const dlp_series series[] = {{"energy", run.time + 1, run.energy + 1, run.count - 1, DLP_MARK_LINE},
                                 {"kinetic", run.time + 1, run.kinetic + 1, run.count - 1, DLP_MARK_DASHES}};
    dlp_reproduce_plot(reproduce, "A drop that turns", "time (s)", "energy (J)", series, 2);
    const dlp_series particles = {"adaptive", run.time, run.particles, run.count, DLP_MARK_LINE};
    dlp_reproduce_plot(reproduce, "A drop that turns", "time (s)", "particles", &particles, 1);
    return DLP_OK;
}

static dlp_status run_energy(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_b_set *set;
    DLP_TRY(dlp_b_pour(reproduce, &set, error));
    const dlp_b_run *finest = &set->runs[DLP_B_FINEST], *adaptive = &set->runs[DLP_B_ADAPTIVE];
    double above = -1e300, below = 1e300;
    for (int32_t k = 0; k < finest->count; k++) {
        above = fmax(above, adaptive->energy[k] - finest->energy[k]);
        below = fmin(below, adaptive->energy[k] - finest->energy[k]);
    }
    const double scale = dlp_b_largest(finest->energy, finest->count);
    const dlp_finding findings[] = {
        dlp_finding_number("above",
                           "pour: most by which the adaptive run's energy lies above all finest's, over "
                           "its largest",
                           above / scale, ""),
        dlp_finding_number("below", "pour: most by which it lies below", below / scale, "")};
    for (int k = 0; k < 2; k++) dlp_reproduce_add(reproduce, &findings[k]);
    const dlp_series series[] = {
        {"all finest", finest->time, finest->energy, finest->count, DLP_MARK_LINE},
        {"adaptive", adaptive->time, adaptive->energy, adaptive->count, DLP_MARK_DASHES}};
    dlp_reproduce_plot(reproduce, "Energy of the pour", "time (s)", "energy (J)", series, 2);
    return report_turning(reproduce, error);
}

const dlp_experiment dlp_experiment_b_energy = {"B-energy", "Energy where fine and coarse particles meet",
                                                "conservation of energy", run_energy};
