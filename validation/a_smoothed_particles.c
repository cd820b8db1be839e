/* Page A: smoothed particles, 1996. The source's figures beside ours. */
#include "fixture_world.h"

#include "base/wall_clock.h"
#include "matter/norm.h"
#include "matter/pair_pressure.h"
#include "matter/state.h"
#include "motion/sph/sph.h"
#include "skin/contour.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A-fig3: force between two particles.

enum { FORCE_POINTS = 400 };

typedef struct pair_curve {
    double r[FORCE_POINTS], force[FORCE_POINTS];
    double centre;  // force near r = 0 over the largest repulsion
    int32_t zeros;
} pair_curve;

// Force of two particles on each other over their distance (h = 1), positive: repels. The rest density is
// that of the pair at distance h, so that the force vanishes there.
static pair_curve pair_force(dlp_kernel_kind kind)
{
    pair_curve curve = {0};
    const double norm = dlp_kernel_norm(kind, 3), k = 1, m = 1;
    const double rho0 = norm * (dlp_kernel_shape(kind, 0) + dlp_kernel_shape(kind, 1));
    double largest = 0;
    for (int n = 0; n < FORCE_POINTS; n++) {
        const double q = 2.0 * (n + 0.5) / FORCE_POINTS;
        const double delta = norm * m * (dlp_kernel_shape(kind, 0) + dlp_kernel_shape(kind, q)) / rho0;
        const double a = (double)dlp_pressure_linear((float)delta, (float)rho0, (float)k) / (delta * delta);
        const double slope = norm * dlp_kernel_slope(kind, q);
        const dlp_pair_point point = {.volume0 = (float)(m / rho0), .pressure = (float)a};
        curve.r[n] = q;
        curve.force[n] = (double)dlp_pair_pressure(point, point, (float)slope) * q;
        largest = fmax(largest, curve.force[n]);
        if (n > 0 && curve.force[n - 1] > 0 && curve.force[n] <= 0) curve.zeros++;
    }
    curve.centre = curve.force[0] / largest;
    for (int n = 0; n < FORCE_POINTS; n++) curve.force[n] /= largest;
    return curve;
}

static dlp_status run_fig3(dlp_reproduce *reproduce, dlp_error *error)
{
    (void)error;
    static pair_curve desbrun, spline;
    desbrun = pair_force(DLP_KERNEL_DESBRUN);
    spline = pair_force(DLP_KERNEL_SPLINE);
    const dlp_finding findings[] = {
        dlp_finding_compared("desbrun-zeros", "zeros of the force with the desbrun kernel", desbrun.zeros, "",
                             1, 0),
        dlp_finding_compared("desbrun-centre",
                             "desbrun: repulsion at r = 0 over the largest (source: grows towards 0)",
                             desbrun.centre, "", 1, 0.01),
        dlp_finding_limited(
            "spline-centre",
            "spline: repulsion at r = 0 over the largest (source: dies, so particles cluster)", spline.centre,
            "", 0.02)};
    for (int k = 0; k < 3; k++) dlp_reproduce_add(reproduce, &findings[k]);
    const dlp_series series[] = {{"desbrun", desbrun.r, desbrun.force, FORCE_POINTS, DLP_MARK_LINE},
                                 {"spline", spline.r, spline.force, FORCE_POINTS, DLP_MARK_DASHES}};
    dlp_reproduce_plot(reproduce, "Force between two particles", "distance / h", "force / largest repulsion",
                       series, 2);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_a_fig3 = {"A-fig3", "Force between two particles, two kernels",
                                              "desbrun1996, fig. 3", run_fig3};

// A-fig4, A-fig7: a tool cuts a body in two.

// 80 particles, k = 10, c = 2, about ten neighbours; a rigid tool comes down through the middle to the table.
static const char CUT[] =
    "{title: A rigid tool cuts a body, dimension: 2, frames: {rate: 25, count: 75}, gravity: [0, -0.5],"
    " substances: {body: {density: 1000, kernel: desbrun, state: linear, stiffness: 10, sound_speed: 2, "
    "cohesion: 1,"
    " artificial_viscosity: {alpha: 1, beta: 2}, viscosity: 20, particle: {spacing: 0.1, smoothing: 1.0},"
    " shape: {box: {min: [-0.5, 0], max: [0.5, 0.8]}}}},"
    " obstacles: [{name: table, box: {min: [-2, -0.3], max: [2, 0]}},"
    " {name: tool, stick: 0, friction: 0, capsule: {from: [0, 0.07], to: [0, 2], radius: 0.07},"
    " position: {keys: [[0, [0, 0.9, 0]], [2, [0, 0, 0]]]}}]}";

static int32_t find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// Pieces of the body: particles nearer than the reach are connected; pieces of one particle do not count.
static int32_t count_pieces(const dlp_fixture *fixture, double reach)
{
    enum { LIMIT = 1000 };
    int32_t parent[LIMIT], size[LIMIT] = {0}, pieces = 0;
    const int32_t count = fixture->count < LIMIT ? fixture->count : LIMIT;
    for (int32_t i = 0; i < count; i++) parent[i] = i;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < i; j++) {
            const double dx = fixture->x[3 * i] - fixture->x[3 * j],
                         dy = fixture->x[3 * i + 1] - fixture->x[3 * j + 1];
            if (dx * dx + dy * dy < reach * reach) parent[find_root(parent, i)] = find_root(parent, j);
        }
    for (int32_t i = 0; i < count; i++) size[find_root(parent, i)]++;
    for (int32_t i = 0; i < count; i++) pieces += size[i] > 1;
    return pieces;
}

static double total_mass(const dlp_fixture *fixture)
{
    double sum = 0;
    for (int32_t i = 0; i < fixture->count; i++) sum += (double)fixture->mass[i];
    return sum;
}

enum { CUT_FRAMES = 75, ISO_COUNT = 4 };

// Iso-values in rest densities: the source's 2 W(h) m, which depends on the kernel and the packing, and ours.
typedef struct area_run {
    double time[CUT_FRAMES + 1], area[ISO_COUNT][CUT_FRAMES + 1];
} area_run;

static dlp_status measure_areas(const dlp_fixture *fixture, const double isos[ISO_COUNT], double smoothing,
                                int frame, area_run *out, dlp_error *error)
{
    for (int k = 0; k < ISO_COUNT; k++) {
        dlp_contour contour = {0};
        const dlp_contour_def def = {.positions = fixture->x,
                                     .radii = fixture->radius,
                                     .count = fixture->count,
                                     .smoothing = smoothing,
                                     .iso = isos[k]};
        DLP_TRY(dlp_contour_create(&def, &contour, error));
        out->area[k][frame] = contour.area;
        dlp_contour_release(&contour);
    }
    return DLP_OK;
}

static double variation(const double *area, int32_t count)
{
    double low = 1e300, high = 0;
    for (int32_t k = 0; k < count; k++) {
        low = fmin(low, area[k]);
        high = fmax(high, area[k]);
    }
    return (high - low) / area[0];
}

static dlp_status cut_body(dlp_reproduce *reproduce, const double isos[ISO_COUNT], area_run *areas,
                           dlp_fixture *fixture, dlp_error *error)
{
    DLP_TRY(dlp_fixture_open(fixture, CUT, NULL, reproduce->thread_count, error));
    for (int k = 0; k <= CUT_FRAMES; k++) {
        dlp_status status = dlp_fixture_run(fixture, k / 25.0, error);
        areas->time[k] = k / 25.0;
        if (status == DLP_OK) status = measure_areas(fixture, isos, 1.3, k, areas, error);
        if (status == DLP_OK && (k == 0 || k == 30)) {
            status = dlp_fixture_picture(fixture, reproduce, k == 0 ? "start" : "middle",
                                         k == 0 ? "Before the cut" : "The tool goes through", error);
        }
        if (status != DLP_OK) {
            dlp_fixture_close(fixture);
            return status;
        }
    }
    return DLP_OK;
}

static const double ISOS[ISO_COUNT] = {0.06, 0.3, 0.4, 0.5};

static dlp_status run_fig4(dlp_reproduce *reproduce, dlp_error *error)
{
    static area_run areas;
    dlp_fixture fixture;
    DLP_TRY(cut_body(reproduce, ISOS, &areas, &fixture, error));
    const double mass = 1000 * 0.8;
    const dlp_finding findings[] = {
        dlp_finding_number("particles", "particles", fixture.count, ""),
        dlp_finding_compared("pieces", "connected pieces at the end", count_pieces(&fixture, 0.2), "", 2, 0),
        dlp_finding_compared("mass", "mass of all particles over the body's", total_mass(&fixture) / mass, "",
                             1, 1e-6)};
    for (int k = 0; k < 3; k++) dlp_reproduce_add(reproduce, &findings[k]);
    const dlp_status status = dlp_fixture_picture(&fixture, reproduce, "end", "Two pieces", error);
    dlp_fixture_close(&fixture);
    return status;
}

const dlp_experiment dlp_experiment_a_fig4 = {"A-fig4", "A rigid tool cuts a body of 80 particles in two",
                                              "desbrun1996, fig. 4", run_fig4};

static dlp_status run_fig7(dlp_reproduce *reproduce, dlp_error *error)
{
    static area_run areas;
    dlp_fixture fixture;
    DLP_TRY(cut_body(reproduce, ISOS, &areas, &fixture, error));
    dlp_fixture_close(&fixture);
    static const char *const names[ISO_COUNT] = {"0.06 (the source's)", "0.3", "0.4", "0.5 (ours)"};
    static const char *const ids[ISO_COUNT] = {"iso-0.06", "iso-0.3", "iso-0.4", "iso-0.5"};
    dlp_series series[ISO_COUNT];
    for (int k = 0; k < ISO_COUNT; k++) {
        char what[128];
        snprintf(what, sizeof what, "variation of the enclosed area, iso-value %s (source: 10 %%)", names[k]);
        const double found = variation(areas.area[k], CUT_FRAMES + 1);
        const dlp_finding finding = k == ISO_COUNT - 1 ? dlp_finding_limited(ids[k], what, found, "", 0.10)
                                                       : dlp_finding_number(ids[k], what, found, "");
        dlp_reproduce_add(reproduce, &finding);
        series[k] = (dlp_series){names[k], areas.time, areas.area[k], CUT_FRAMES + 1, DLP_MARK_LINE};
    }
    dlp_reproduce_plot(reproduce, "Enclosed area during the cut", "time (s)", "area (m2)", series, ISO_COUNT);
    return DLP_OK;
}

// The same finding among those of surfaces.
const dlp_experiment dlp_experiment_s_area = {"S-area", "Enclosed area over the cut of A-fig7",
                                              "desbrun1996, fig. 7", run_fig7};
const dlp_experiment dlp_experiment_a_fig7 = {"A-fig7", "Enclosed area over the cut, several iso-values",
                                              "desbrun1996, fig. 7", run_fig7};

// A-fig6: a quasi-liquid falls.

static const char FALL[] =
    "{title: A quasi-liquid falls, dimension: 2, frames: {rate: 25, count: 150},"
    " substances: {liquid: {density: 1000, kernel: desbrun, state: linear, stiffness: 400, cohesion: 1,"
    " artificial_viscosity: {alpha: 1, beta: 2}, viscosity: 5, particle: {spacing: 0.1, smoothing: 1.2},"
    " shape: {sphere: {center: [0, 1.2], radius: 0.5046}}}},"
    " obstacles: [{name: trough, box: {min: [-1, 0], max: [1, 2.4], inside: true}}]}";

static dlp_status run_fig6(dlp_reproduce *reproduce, dlp_error *error)
{
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, FALL, NULL, reproduce->thread_count, error));
    static const double times[] = {0.4, 0.8, 6};
    static const char *const names[] = {"fall", "splash", "rest"};
    static const char *const captions[] = {"Falling, 0.4 s", "0.8 s", "At rest, 6 s"};
    dlp_status status = DLP_OK;
    double worst = 0;
    for (int k = 0; k < 3 && status == DLP_OK; k++) {
        status = dlp_fixture_run(&fixture, times[k], error);
        for (int32_t i = 0; i < fixture.count && status == DLP_OK; i++)
            worst = fmax(worst, fabs((double)fixture.density[i] / 1000 - 1));
        if (status == DLP_OK) status = dlp_fixture_picture(&fixture, reproduce, names[k], captions[k], error);
    }
    if (status == DLP_OK) {
        const double speed = sqrt(2 * dlp_fixture_kinetic_energy(&fixture) / total_mass(&fixture));
        const dlp_finding findings[] = {
            dlp_finding_number("particles", "particles", fixture.count, ""),
            dlp_finding_limited("rest", "rms speed at 6 s over that of the impact (source: comes to rest)",
                                speed / sqrt(2 * 9.81 * 0.7), "", 0.01)};
        for (int k = 0; k < 2; k++) dlp_reproduce_add(reproduce, &findings[k]);
    }
    dlp_fixture_close(&fixture);
    return status;
}

const dlp_experiment dlp_experiment_a_fig6 = {
    "A-fig6", "A quasi-liquid of 80 particles falls, with its iso-line", "desbrun1996, fig. 6", run_fig6};

// A-linear: cost over the number of particles.

static dlp_status time_block(dlp_reproduce *reproduce, double count, double *out_seconds, double *out_count,
                             dlp_error *error)
{
    char text[640];
    snprintf(text, sizeof text,
             "{title: block, frames: {rate: 1000, count: 4}, gravity: [0, 0, 0], periodic: [x, y, z],"
             " domain: {min: [0, 0, 0], max: [1, 1, 1]}, time: {step: 2.5e-4},"
             " substances: {water: {material: water, stiffness: 100, particle: {spacing: %.9g, jitter: 0.1},"
             " velocity: {field: {name: taylor_green, amplitude: 1, length: 1}},"
             " shape: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}}}",
             cbrt(1 / count));
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, text, NULL, reproduce->thread_count, error));
    dlp_status status = dlp_fixture_run(&fixture, 0.001, error);
    int frames = 0;
    const double start = dlp_seconds_now();
    while (status == DLP_OK && (frames < 2 || dlp_seconds_now() - start < 1)) {
        status = dlp_world_step_frame(fixture.world, error);
        frames++;
    }
    *out_seconds = (dlp_seconds_now() - start) / (4 * frames);
    *out_count = fixture.count;
    dlp_fixture_close(&fixture);
    return status;
}

static dlp_status run_linear(dlp_reproduce *reproduce, dlp_error *error)
{
    static double counts[4], seconds[4], ideal[4];
    static const double sizes[4] = {8e3, 3e4, 1.25e5, 1e6};
    for (int k = 0; k < 4; k++) DLP_TRY(time_block(reproduce, sizes[k], &seconds[k], &counts[k], error));
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < 4; k++) {
        const double x = log(counts[k]), y = log(seconds[k]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        ideal[k] = seconds[0] * counts[k] / counts[0];
    }
    const dlp_finding finding = dlp_finding_limited(
        "exponent", "cost of a step as a power of the number of particles (source: linear)",
        (4 * sxy - sx * sy) / (4 * sxx - sx * sx), "", 1.05);
    dlp_reproduce_add(reproduce, &finding);
    const dlp_series series[] = {{"a step", counts, seconds, 4, DLP_MARK_POINTS},
                                 {"linear", counts, ideal, 4, DLP_MARK_DASHES}};
    const dlp_plot plot = {.title = "Cost of a step",
                           .x_label = "particles",
                           .y_label = "time (s)",
                           .is_log_x = true,
                           .is_log_y = true,
                           .series = series,
                           .series_count = 2};
    dlp_report_plot(reproduce->report, &plot);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_a_linear = {"A-linear", "Cost over the number of particles",
                                                "desbrun1996, sec. 5.1", run_linear};

// A-steps: individual against global steps.

// A stiff and a soft substance side by side: the stiff one's short step need not be that of all.
static const char STEPS[] =
    "{title: Individual steps, dimension: 2, frames: {rate: 25, count: 20},"
    " substances: {soft: {density: 1000, kernel: desbrun, state: linear, stiffness: 100, cohesion: 0.5, "
    "viscosity: 1,"
    " artificial_viscosity: {alpha: 1, beta: 2}, particle: {spacing: 0.04}, shape: {box: {min: [0, 0], max: "
    "[1.6, 0.8]}}},"
    " stiff: {density: 1000, kernel: desbrun, state: linear, stiffness: 1600, cohesion: 0.5, viscosity: 1,"
    " artificial_viscosity: {alpha: 1, beta: 2}, particle: {spacing: 0.04}, shape: {sphere: {center: [0.8, "
    "1.3], radius: 0.2}}}},"
    " obstacles: [{box: {min: [0, 0], max: [1.6, 2.5], inside: true}}]}";

typedef struct step_run {
    double evaluations, time[21], energy[21];
} step_run;

static dlp_status run_with_steps(dlp_reproduce *reproduce, const char *individual, step_run *run,
                                 dlp_error *error)
{
    const char *const settings[] = {"substances.soft.adapt.time", individual, "substances.stiff.adapt.time",
                                    individual, NULL};
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, STEPS, settings, reproduce->thread_count, error));
    dlp_status status = DLP_OK;
    run->evaluations = 0;
    for (int k = 0; k <= 20 && status == DLP_OK; k++) {
        status = dlp_fixture_run(&fixture, k / 25.0, error);
        dlp_stats stats = {.size = sizeof stats};
        if (status == DLP_OK) status = dlp_world_stats(fixture.world, &stats, error);
        run->evaluations += (double)stats.force_evaluations;
        run->time[k] = stats.time;
        run->energy[k] = stats.kinetic_energy + stats.potential_energy;
    }
    dlp_fixture_close(&fixture);
    return status;
}

static dlp_status run_steps(dlp_reproduce *reproduce, dlp_error *error)
{
    static step_run global, individual;
    DLP_TRY(run_with_steps(reproduce, "false", &global, error));
    DLP_TRY(run_with_steps(reproduce, "true", &individual, error));
    const double lost = global.energy[0] - global.energy[20],
                 other = individual.energy[0] - individual.energy[20];
    const dlp_finding findings[] = {
        dlp_finding_limited("evaluations",
                            "force evaluations over those with the global smallest step (source: fewer)",
                            individual.evaluations / global.evaluations, "", 1),
        dlp_finding_compared("energy", "energy lost over that with the global step (equal behaviour)",
                             other / lost, "", 1, 0.1)};
    for (int k = 0; k < 2; k++) dlp_reproduce_add(reproduce, &findings[k]);
    const dlp_series series[] = {
        {"global step", global.time, global.energy, 21, DLP_MARK_LINE},
        {"individual steps", individual.time, individual.energy, 21, DLP_MARK_DASHES}};
    dlp_reproduce_plot(reproduce, "Energy", "time (s)", "energy (J/m)", series, 2);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_a_steps = {"A-steps", "Force evaluations with individual steps",
                                               "desbrun1996, sec. 5.2", run_steps};
