/* Page B: the results of a case's runs, as findings and plots. */
#include "b_case.h"

#include <math.h>
#include <stdio.h>

typedef struct dlp_b_baseline {
    dlp_b_variant variant;
    const char *name, *text;
} dlp_b_baseline;

static const dlp_b_baseline BASELINES[2] = {
    {DLP_B_FIXED, "a", "all finest with the fixed step"},
    {DLP_B_FINEST, "b", "all finest, the step is found"},
};

static void report_gain(dlp_reproduce *reproduce, const dlp_b_set *set, const dlp_b_baseline *baseline,
                        dlp_b_cost cost, double least)
{
    const dlp_b_gain gain = dlp_b_gain_of(set, baseline->variant, DLP_B_ADAPTIVE, cost);
    const char *unit = cost == DLP_B_PAIRS ? "pairs" : "wall";
    char id[32], what[160];
    snprintf(id, sizeof id, "%s-%s", unit, baseline->name);
    snprintf(what, sizeof what, "gain in %s over %s (frames: %.2f to %.2f)",
             cost == DLP_B_PAIRS ? "pair evaluations" : "wall time", baseline->text, gain.least, gain.most);
    const dlp_finding finding = least > 0 ? dlp_b_finding_least(id, what, gain.mean, least)
                                          : dlp_finding_number(id, what, gain.mean, "");
    dlp_reproduce_add(reproduce, &finding);
}

static double total(const double *costs, int32_t count)
{
    double sum = 0;
    for (int32_t k = 0; k < count; k++) sum += costs[k];
    return sum;
}

static void report_control_cost(dlp_reproduce *reproduce, const dlp_b_set *set)
{
    const dlp_b_run *control = &set->runs[DLP_B_COARSE], *adaptive = &set->runs[DLP_B_ADAPTIVE];
    const int32_t count = adaptive->count;
    const dlp_finding findings[] = {
        dlp_finding_number("control-particles", "particles of the control, uniformly coarse",
                           control->particles[0], ""),
        dlp_finding_number("control-pairs", "pair evaluations of the control over those of the adaptive run",
                           total(control->pairs, count) / total(adaptive->pairs, count), ""),
        dlp_finding_number("control-wall", "wall time of the control over that of the adaptive run",
                           total(control->wall, count) / total(adaptive->wall, count), "")};
    for (int k = 0; k < 3; k++) dlp_reproduce_add(reproduce, &findings[k]);
}

void dlp_b_report_gains(dlp_reproduce *reproduce, const dlp_b_set *set, double least_fixed,
                        double least_finest)
{
    const dlp_b_run *adaptive = &set->runs[DLP_B_ADAPTIVE];
    const dlp_finding findings[] = {
        dlp_finding_number("finest", "particles, all finest", set->runs[DLP_B_FINEST].particles[0], ""),
        dlp_finding_number("start", "particles of the adaptive run at its start", adaptive->particles[0], ""),
        dlp_finding_number("splits", "splits over the run", adaptive->splits, ""),
        dlp_finding_number("merges", "merges over the run", adaptive->merges, ""),
        dlp_finding_number("fixed-steps",
                           "steps of 1/25 s with the fixed step: a power of two, enough for the whole run",
                           set->fixed_steps, ""),
        dlp_finding_number("found-steps", "steps of 1/25 s, mean, where the step is found",
                           set->runs[DLP_B_FINEST].substeps / set->def->frames, "")};
    for (int k = 0; k < 6; k++) dlp_reproduce_add(reproduce, &findings[k]);
    for (int k = 0; k < 2; k++) {
        const double least = k == 0 ? least_fixed : least_finest;
        report_gain(reproduce, set, &BASELINES[k], DLP_B_PAIRS, least);
        report_gain(reproduce, set, &BASELINES[k], DLP_B_WALL, least);
    }
    report_control_cost(reproduce, set);
}

// Detail.

// Adaptive and control, each against the finest run.
typedef struct dlp_b_detail {
    double distance;  // mean over the moments, in finest spacings
    dlp_b_thin thin;  // sums over the moments
} dlp_b_detail;

static dlp_status measure_detail(const dlp_b_set *set, dlp_b_variant variant, dlp_b_detail *out,
                                 dlp_error *error)
{
    const dlp_b_run *finest = &set->runs[DLP_B_FINEST], *run = &set->runs[variant];
    const double radius = set->runs[DLP_B_COARSE].spacing / finest->spacing;
    const int32_t count = set->def->moment_count;
    *out = (dlp_b_detail){0};
    for (int32_t k = 0; k < count; k++) {
        DLP_TRY(dlp_b_thin_features(&finest->grids[k], &run->grids[k], radius, &out->thin, error));
        out->distance += dlp_b_surface_distance(&finest->grids[k], &run->grids[k]) / count;
    }
    return DLP_OK;
}

static void report_moments(dlp_reproduce *reproduce, const dlp_b_set *set)
{
    const dlp_b_run *runs = set->runs;
    for (int32_t k = 0; k < set->def->moment_count; k++) {
        const dlp_b_grid *finest = &runs[DLP_B_FINEST].grids[k];
        char id[32], what[160];
        snprintf(id, sizeof id, "surface-%g", set->def->moments[k]);
        snprintf(what, sizeof what,
                 "mean distance from the finest run's surface at %g s, adaptive, in spacings (control: %.3f)",
                 set->def->moments[k], dlp_b_surface_distance(finest, &runs[DLP_B_COARSE].grids[k]));
        const dlp_finding finding =
            dlp_finding_number(id, what, dlp_b_surface_distance(finest, &runs[DLP_B_ADAPTIVE].grids[k]), "");
        dlp_reproduce_add(reproduce, &finding);
    }
}

// The share of what is thin in either that is not thin in both.
static double thin_error(const dlp_b_thin *thin)
{
    return 1 - thin->both / (thin->finest + thin->other - thin->both);
}

static void report_thin(dlp_reproduce *reproduce, const dlp_b_detail *adaptive, const dlp_b_detail *control)
{
    const dlp_finding findings[] = {
        dlp_finding_number("thin-adaptive",
                           "volume of what is thinner than the control's spacing, over the finest's",
                           adaptive->thin.other / adaptive->thin.finest, ""),
        dlp_finding_number("thin-control", "the same of the control",
                           control->thin.other / control->thin.finest, ""),
        dlp_finding_number("overlap-adaptive", "share of the finest run's thin parts that is thin here too",
                           adaptive->thin.both / adaptive->thin.finest, ""),
        dlp_finding_number("overlap-control", "the same of the control",
                           control->thin.both / control->thin.finest, ""),
        dlp_finding_limited("thin", "share of thin parts that are not thin in both, adaptive over control",
                            thin_error(&adaptive->thin) / thin_error(&control->thin), "", 0.5)};
    for (int k = 0; k < 5; k++) dlp_reproduce_add(reproduce, &findings[k]);
}

static void report_impact(dlp_reproduce *reproduce, const dlp_b_set *set)
{
    static const dlp_b_variant variants[] = {DLP_B_ADAPTIVE, DLP_B_COARSE};
    static const char *const names[] = {"adaptive", "control"};
    const dlp_b_run *finest = &set->runs[DLP_B_FINEST];
    for (int k = 0; k < 2; k++) {
        const dlp_b_run *run = &set->runs[variants[k]];
        char id[2][32];
        snprintf(id[0], sizeof id[0], "peak-%s", names[k]);
        snprintf(id[1], sizeof id[1], "impulse-%s", names[k]);
        const dlp_finding findings[] = {
            dlp_finding_number(id[0], "largest pressure before the far wall, over the finest run's",
                               dlp_b_largest(run->pressure, run->count) /
                                   dlp_b_largest(finest->pressure, finest->count),
                               ""),
            dlp_finding_number(id[1], "integral of that pressure over time, over the finest run's",
                               total(run->pressure, run->count) / total(finest->pressure, finest->count),
                               "")};
        for (int n = 0; n < 2; n++) dlp_reproduce_add(reproduce, &findings[n]);
    }
    const dlp_finding finding = dlp_finding_limited(
        "impact", "rms difference of that pressure from the finest run's, adaptive over control",
        dlp_b_rms(finest->pressure, set->runs[DLP_B_ADAPTIVE].pressure, finest->count) /
            dlp_b_rms(finest->pressure, set->runs[DLP_B_COARSE].pressure, finest->count),
        "", 0.5);
    dlp_reproduce_add(reproduce, &finding);
}

static void plot_impact(dlp_reproduce *reproduce, const dlp_b_set *set)
{
    static const char *const names[DLP_B_VARIANTS] = {"all finest", "fixed step", "adaptive", "control"};
    static const dlp_b_variant variants[] = {DLP_B_FINEST, DLP_B_ADAPTIVE, DLP_B_COARSE};
    dlp_series series[3];
    for (int k = 0; k < 3; k++) {
        const dlp_b_run *run = &set->runs[variants[k]];
        series[k] = (dlp_series){names[variants[k]], run->time, run->pressure, run->count,
                                 variants[k] == DLP_B_COARSE ? DLP_MARK_DASHES : DLP_MARK_LINE};
    }
    dlp_reproduce_plot(reproduce, "Pressure before the far wall", "time (s)", "pressure (Pa)", series, 3);
}

dlp_status dlp_b_report_detail(dlp_reproduce *reproduce, const dlp_b_set *set, dlp_error *error)
{
    dlp_b_detail adaptive, control;
    DLP_TRY(measure_detail(set, DLP_B_ADAPTIVE, &adaptive, error));
    DLP_TRY(measure_detail(set, DLP_B_COARSE, &control, error));
    report_moments(reproduce, set);
    const dlp_finding findings[] = {
        dlp_finding_number("surface-control", "mean of these distances, control", control.distance, ""),
        dlp_finding_number("surface-adaptive", "mean of these distances, adaptive", adaptive.distance, ""),
        dlp_finding_limited("surface", "adaptive over control: what adaptivity is for",
                            adaptive.distance / control.distance, "", 0.5)};
    for (int k = 0; k < 3; k++) dlp_reproduce_add(reproduce, &findings[k]);
    report_thin(reproduce, &adaptive, &control);
    report_impact(reproduce, set);
    plot_impact(reproduce, set);
    return DLP_OK;
}
