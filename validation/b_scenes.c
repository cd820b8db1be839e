/* Page B: space-time adaptive substances, 1999. The source's scenes, gains beside two baselines and a control
 * of equal cost. */
#include "b_case.h"

#include <math.h>
#include <stdio.h>

// B-obstacle, B-fig9: over an obstacle.

// 20 kg are a spacing of 0.27144 m; 105 particles fall on a sphere, off its middle.
static const char OBSTACLE[] =
    "{title: Over an obstacle, frames: {rate: 25, count: 50}, time: {courant: 0.4},"
    " substances: {water: {material: water, stiffness: 100000, artificial_viscosity: {alpha: 0.5},"
    " particle: {spacing: 0.27144}, shape: {box: {min: [-0.5, -0.7, 2.4], max: [0.4, 0.7, 4.07]}}}},"
    " obstacles: [{name: floor, box: {min: [-8, -8, -2], max: [8, 8, 0]}},"
    " {name: ball, sphere: {center: [0, 0, 0.8], radius: 0.8}}]}";

static const dlp_b_case OBSTACLE_CASE = {.scene = OBSTACLE,
                                         .spacing = 0.27144,
                                         .parts = 1,
                                         .frames = 50,
                                         .fixed_frames = 50,
                                         .fixed_steps = 128,
                                         .is_round = true};

static dlp_status run_obstacle_ways(dlp_reproduce *reproduce, const dlp_b_set **out_set, dlp_error *error)
{
    static dlp_b_set set = {.def = &OBSTACLE_CASE};
    *out_set = &set;
    return dlp_b_run_all(reproduce, &set, error);
}

static dlp_status run_obstacle(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_b_set *set;
    DLP_TRY(run_obstacle_ways(reproduce, &set, error));
    dlp_report_paragraph(reproduce->report,
                         "The source says 4.6 times (1220 s to 263 s). With a hundred particles nearly all "
                         "are at the surface, and wall time measures what is around the pairs.");
    dlp_b_report_gains(reproduce, set, 0, 0);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_b_obstacle = {"B-obstacle", "A substance falls over an obstacle",
                                                  "desbrun1999, fig. 9", run_obstacle};

// Gains of every frame over time, and how many particles there are.
static void plot_gains(dlp_reproduce *reproduce, const dlp_b_set *set)
{
    static double time[DLP_B_RECORDS], gains[3][DLP_B_RECORDS];
    const dlp_b_run *adaptive = &set->runs[DLP_B_ADAPTIVE];
    int32_t count = 0;
    for (int32_t k = set->def->parts; k < adaptive->count; k += set->def->parts, count++) {
        time[count] = adaptive->time[k];
        gains[0][count] = dlp_b_gain_at(set, DLP_B_FIXED, k, DLP_B_PAIRS);
        gains[1][count] = dlp_b_gain_at(set, DLP_B_FINEST, k, DLP_B_PAIRS);
        gains[2][count] = dlp_b_gain_at(set, DLP_B_FINEST, k, DLP_B_WALL);
    }
    const dlp_series curves[] = {{"pairs, over the fixed step", time, gains[0], count, DLP_MARK_LINE},
                                 {"pairs, over the found step", time, gains[1], count, DLP_MARK_LINE},
                                 {"wall time, over the found step", time, gains[2], count, DLP_MARK_DASHES}};
    dlp_reproduce_plot(reproduce, "Gain", "time (s)", "gain", curves, 3);
    const dlp_series particles[] = {
        {"adaptive", adaptive->time, adaptive->particles, adaptive->count, DLP_MARK_LINE},
        {"all finest", set->runs[DLP_B_FINEST].time, set->runs[DLP_B_FINEST].particles,
         set->runs[DLP_B_FINEST].count, DLP_MARK_DASHES}};
    dlp_reproduce_plot(reproduce, "Particles", "time (s)", "particles", particles, 2);
}

static void report_curve(dlp_reproduce *reproduce, const dlp_b_set *set)
{
    const dlp_b_run *run = &set->runs[DLP_B_ADAPTIVE];
    const dlp_b_gain gain = dlp_b_gain_of(set, DLP_B_FIXED, DLP_B_ADAPTIVE, DLP_B_PAIRS);
    double least = 1e300;
    for (int32_t k = 0; k < run->count; k++) least = fmin(least, run->particles[k]);
    const dlp_finding findings[] = {
        dlp_finding_number("least", "least gain of a frame, pairs, over the fixed step", gain.least, ""),
        dlp_finding_number("most", "largest gain of a frame", gain.most, ""),
        dlp_finding_number("fewest", "fewest particles", least, ""),
        dlp_finding_number("largest", "most particles", dlp_b_largest(run->particles, run->count), "")};
    for (int k = 0; k < 4; k++) dlp_reproduce_add(reproduce, &findings[k]);
    plot_gains(reproduce, set);
}

static dlp_status run_fig9(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_b_set *set;
    DLP_TRY(run_obstacle_ways(reproduce, &set, error));
    report_curve(reproduce, set);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_b_fig9 = {"B-fig9", "Gain over time, over an obstacle",
                                              "desbrun1999, fig. 9", run_fig9};

// B-pour, B-fig10: into a box.

static const dlp_b_case POUR_CASE = {.scene = DLP_B_POUR_SCENE,
                                     .spacing = 0.02237,
                                     .accuracy = "0",
                                     .parts = 4,
                                     .frames = 75,
                                     .fixed_frames = 75,
                                     .tank = DLP_B_POUR_TANK,
                                     .moments = {0.12, 0.2, 0.28, 0.4},
                                     .moment_count = 4};

dlp_status dlp_b_pour(dlp_reproduce *reproduce, const dlp_b_set **out_set, dlp_error *error)
{
    static dlp_b_set set = {.def = &POUR_CASE};
    *out_set = &set;
    return dlp_b_run_all(reproduce, &set, error);
}

// How far two runs of all finest particles, which differ in their steps alone, come apart.
static void report_floor(dlp_reproduce *reproduce, const dlp_b_set *set)
{
    double sum = 0;
    for (int32_t k = 0; k < set->def->moment_count; k++)
        sum += dlp_b_surface_distance(&set->runs[DLP_B_FINEST].grids[k], &set->runs[DLP_B_FIXED].grids[k]);
    const dlp_finding finding =
        dlp_finding_number("surface-floor", "mean of these distances, all finest with the fixed step: chance",
                           sum / set->def->moment_count, "");
    dlp_reproduce_add(reproduce, &finding);
}

static dlp_status find_largest_fixed_step(dlp_reproduce *reproduce, const dlp_b_set *set, dlp_error *error)
{
    static dlp_b_set trial;
    static dlp_b_case def;
    def = POUR_CASE;
    def.frames = def.fixed_frames = 15;
    def.moment_count = 0;
    trial = (dlp_b_set){.def = &def};
    dlp_b_run *runs = trial.runs;
    DLP_TRY(dlp_b_run_once(reproduce, &def, DLP_B_FINEST, def.spacing, 0, &runs[DLP_B_FINEST], error));
    int32_t steps = 16;
    for (; steps < set->fixed_steps; steps *= 2) {
        const dlp_status status =
            dlp_b_run_once(reproduce, &def, DLP_B_FIXED, def.spacing, steps, &runs[DLP_B_FIXED], error);
        if (status != DLP_OK && status != DLP_DIVERGED) return status;
        if (status == DLP_OK && dlp_b_is_stable(&def, &runs[DLP_B_FIXED], &runs[DLP_B_FINEST], steps)) break;
    }
    const dlp_finding finding = dlp_finding_number(
        "fixed-least", "fewest steps of 1/25 s (a power of two) at which a fixed step is stable", steps, "");
    dlp_reproduce_add(reproduce, &finding);
    return DLP_OK;
}

static dlp_status run_pour(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_b_set *set;
    DLP_TRY(dlp_b_pour(reproduce, &set, error));
    dlp_b_report_gains(reproduce, set, 4, 2);
    DLP_TRY(find_largest_fixed_step(reproduce, set, error));
    report_floor(reproduce, set);
    return dlp_b_report_detail(reproduce, set, error);
}

const dlp_experiment dlp_experiment_b_pour = {"B-pour", "A substance of 1519 finest particles fills a box",
                                              "desbrun1999, fig. 10", run_pour};

static dlp_status run_fig10(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_b_set *set;
    DLP_TRY(dlp_b_pour(reproduce, &set, error));
    report_curve(reproduce, set);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_b_fig10 = {"B-fig10", "Gain over time, into a box",
                                               "desbrun1999, fig. 10", run_fig10};

// B-same: another approximation of the same substance.

typedef struct compared {
    const char *name, *text;
    size_t offset;  // of the curve in a run
    double limit;   // of the root of the mean square, over the scale
    bool is_energy;
} compared;

static const compared CURVES[] = {
    {"front", "front", offsetof(dlp_b_run, front), 0.03, false},
    {"centre-x", "centre of mass, along", offsetof(dlp_b_run, centre_x), 0.03, false},
    {"centre-z", "centre of mass, height", offsetof(dlp_b_run, centre_z), 0.03, false},
    {"spread", "spread", offsetof(dlp_b_run, spread), 0.05, false},
    {"kinetic", "kinetic energy", offsetof(dlp_b_run, kinetic), 0.05, true},
};

static const double *curve_of(const dlp_b_run *run, const compared *curve)
{
    return (const double *)(const void *)((const char *)run + curve->offset);
}

static void compare_curve(dlp_reproduce *reproduce, const dlp_b_set *set, const compared *curve)
{
    const double size = cbrt(0.2237 * 0.2237 * 0.34);
    const dlp_b_run *finest = &set->runs[DLP_B_FINEST];
    const double *a = curve_of(finest, curve), *b = curve_of(&set->runs[DLP_B_ADAPTIVE], curve),
                 *c = curve_of(&set->runs[DLP_B_COARSE], curve);
    const double scale = curve->is_energy ? dlp_b_largest(a, finest->count) : size;
    char what[200];
    snprintf(what, sizeof what, "rms difference over the %s, %s (largest: %.4f; control: %.4f, %.4f)",
             curve->is_energy ? "largest" : "body's size", curve->text,
             dlp_b_most(a, b, finest->count) / scale, dlp_b_rms(a, c, finest->count) / scale,
             dlp_b_most(a, c, finest->count) / scale);
    const dlp_finding finding =
        dlp_finding_limited(curve->name, what, dlp_b_rms(a, b, finest->count) / scale, "", curve->limit);
    dlp_reproduce_add(reproduce, &finding);
    const dlp_series series[] = {{"all finest", finest->time, a, finest->count, DLP_MARK_LINE},
                                 {"adaptive", finest->time, b, finest->count, DLP_MARK_LINE},
                                 {"control", finest->time, c, finest->count, DLP_MARK_DASHES}};
    dlp_reproduce_plot(reproduce, curve->text, "time (s)", curve->is_energy ? "energy (J)" : "m", series, 3);
}

// Height of the centre over the last half second: the pool's, up to a factor.
static double settled_height(const dlp_b_run *run)
{
    double sum = 0;
    for (int32_t k = run->count - 50; k < run->count; k++) sum += run->centre_z[k] / 50;
    return sum;
}

static dlp_status run_same(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_b_set *set;
    DLP_TRY(dlp_b_pour(reproduce, &set, error));
    for (int k = 0; k < (int)(sizeof CURVES / sizeof *CURVES); k++) compare_curve(reproduce, set, &CURVES[k]);
    const double finest = settled_height(&set->runs[DLP_B_FINEST]), ideal = 0.34 / 4;
    const dlp_finding findings[] = {
        dlp_finding_compared("height", "height of the settled pool's centre over that of all finest",
                             settled_height(&set->runs[DLP_B_ADAPTIVE]) / finest, "", 1, 0.01),
        dlp_finding_number("height-control", "the same of the control",
                           settled_height(&set->runs[DLP_B_COARSE]) / finest, ""),
        dlp_finding_number("height-finest", "that of all finest over a level pool's", finest / ideal, "")};
    for (int k = 0; k < 3; k++) dlp_reproduce_add(reproduce, &findings[k]);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_b_same = {"B-same", "Adaptive and standard: the same substance",
                                              "desbrun1999, sec. 6", run_same};
