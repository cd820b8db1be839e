/* Page B: what `adapt.accuracy` costs and what it gives, on two scenes. */
#include "b_case.h"

#include <math.h>
#include <stdio.h>

static const char BALL[] =
    "{title: A ball falls into a tank, frames: {rate: 100, count: 28}, time: {courant: 0.4},"
    " substances: {water: {material: water, stiffness: 1000, artificial_viscosity: {alpha: 0.5},"
    " particle: {spacing: 0.0145}, shape: {sphere: {center: [0, 0, 0.3], radius: 0.2}}}},"
    " obstacles: [{name: tank, box: {min: [-0.4, -0.4, 0], max: [0.4, 0.4, 1], inside: true}, stick: 0}]}";

static const dlp_b_case CASES[] = {
    {.scene = DLP_B_POUR_SCENE,
     .spacing = 0.0105,
     .parts = 4,
     .frames = 7,
     .tank = DLP_B_POUR_TANK,
     .moments = {0.12, 0.2, 0.28},
     .moment_count = 3},
    {.scene = BALL,
     .spacing = 0.0145,
     .parts = 4,
     .frames = 7,
     .is_round = true,
     .tank = {{-0.4, -0.4, 0}, {0.4, 0.4, 0.6}},
     .moments = {0.12, 0.2, 0.28},
     .moment_count = 3},
};
static const char *const CASE_NAMES[] = {"pour", "ball"};

enum { CASES_COUNT = 2, STEPS = 5 };
static const char *const ACCURACIES[STEPS] = {"0", "0.25", "0.5", "0.75", "1"};

static double mean_distance(const dlp_b_run *finest, const dlp_b_run *run, int32_t moments)
{
    double sum = 0;
    for (int32_t k = 0; k < moments; k++) sum += dlp_b_surface_distance(&finest->grids[k], &run->grids[k]);
    return sum / moments;
}

// Cost and error of one setting; the finest run is there already.
static dlp_status measure(dlp_reproduce *reproduce, dlp_b_set *set, const char *name, const char *accuracy,
                          double *out_cost, double *out_error, dlp_error *error)
{
    dlp_b_case def = *set->def;
    def.accuracy = accuracy;
    const dlp_b_run *finest = &set->runs[DLP_B_FINEST];
    dlp_b_run *run = &set->runs[DLP_B_ADAPTIVE];
    DLP_TRY(dlp_b_run_once(reproduce, &def, DLP_B_ADAPTIVE, def.spacing, 0, run, error));
    const double pairs = dlp_b_gain_of(set, DLP_B_FINEST, DLP_B_ADAPTIVE, DLP_B_PAIRS).mean;
    const double wall = dlp_b_gain_of(set, DLP_B_FINEST, DLP_B_ADAPTIVE, DLP_B_WALL).mean;
    *out_cost = 1 / pairs;
    *out_error = mean_distance(finest, run, def.moment_count);
    char id[40], what[200];
    snprintf(id, sizeof id, "%s-%s", name, accuracy);
    snprintf(what, sizeof what,
             "%s of %.0f finest, accuracy %s: mean distance of its surface, in spacings (gain %.2f in pairs, "
             "%.2f in "
             "wall time; kinetic energy %.1f %% rms)",
             name, finest->particles[0], accuracy, pairs, wall,
             100 * dlp_b_rms(finest->kinetic, run->kinetic, finest->count) /
                 dlp_b_largest(finest->kinetic, finest->count));
    const dlp_finding finding = dlp_finding_number(id, what, *out_error, "");
    dlp_reproduce_add(reproduce, &finding);
    return DLP_OK;
}

static dlp_status run_accuracy(dlp_reproduce *reproduce, dlp_error *error)
{
    static dlp_b_set set;
    static double cost[CASES_COUNT][STEPS], distance[CASES_COUNT][STEPS];
    dlp_series series[CASES_COUNT];
    for (int c = 0; c < CASES_COUNT; c++) {
        set = (dlp_b_set){.def = &CASES[c]};
        dlp_status status = dlp_b_run_once(reproduce, set.def, DLP_B_FINEST, set.def->spacing, 0,
                                           &set.runs[DLP_B_FINEST], error);
        for (int k = 0; k < STEPS && status == DLP_OK; k++)
            status =
                measure(reproduce, &set, CASE_NAMES[c], ACCURACIES[k], &cost[c][k], &distance[c][k], error);
        for (int k = 0; k < DLP_B_VARIANTS; k++) dlp_b_run_release(&set.runs[k]);
        DLP_TRY(status);
        series[c] = (dlp_series){CASE_NAMES[c], cost[c], distance[c], STEPS, DLP_MARK_LINE};
    }
    dlp_reproduce_plot(reproduce, "Accuracy 0 to 1: error against cost", "pairs, over all finest",
                       "distance of surfaces (spacings)", series, CASES_COUNT);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_b_accuracy = {"B-accuracy", "What accuracy costs and gives",
                                                  "adapt.accuracy", run_accuracy};
