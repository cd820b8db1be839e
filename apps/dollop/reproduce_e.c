/* Elastic solids against theory: a hanging block for many stiffnesses, a beam for many ways of solving. */
#include "lab.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

// What a run of a body tells: the mean way of some of its particles.
typedef struct part {
    double from, to; /* m: of x at rest */
    int axis;
} part;

typedef struct trial {
    const char *scene;
    double seconds;
    const part *parts;
    int32_t part_count;
} trial;

static double mean_way(const dlp_lab *lab, const double *rest, const part *p)
{
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < lab->count; i++) {
        if (rest[3 * i] < p->from || rest[3 * i] > p->to) continue;
        sum += lab->x[3 * i + p->axis] - rest[3 * i + p->axis];
        count++;
    }
    return sum / count;
}

// Runs the trial and gives the ways of its parts, m.
static dlp_status run_trial(dlp_reproduce *reproduce, const trial *t, double *out_ways, dlp_error *error)
{
    dlp_lab lab = {0};
    double *rest = NULL;
    dlp_status status = dlp_lab_open(&lab, t->scene, NULL, reproduce->thread_count, error);
    if (status == DLP_OK) status = dlp_lab_look(&lab, error);
    if (status == DLP_OK) {
        rest = dlp_alloc(3 * (size_t)lab.count + 1, sizeof *rest, "report");
        if (rest == NULL) status = dlp_fail(error, DLP_OUT_OF_MEMORY, "report: no room");
    }
    if (status == DLP_OK) {
        memcpy(rest, lab.x, 3 * (size_t)lab.count * sizeof *rest);
        status = dlp_lab_run(&lab, t->seconds, error);
    }
    if (status == DLP_OK) status = dlp_lab_look(&lab, error);
    for (int32_t k = 0; k < t->part_count && status == DLP_OK; k++)
        out_ways[k] = mean_way(&lab, rest, &t->parts[k]);
    dlp_free(rest);
    dlp_lab_close(&lab);
    return status;
}

// ---- E-params: a block hangs by its end, in a gravity along x that strains all of them alike

static dlp_status hang_block(dlp_reproduce *reproduce, double young, double nu, double *out_way,
                             dlp_error *error)
{
    char scene[1024];
    snprintf(scene, sizeof scene,
             "{frames: {rate: 60, count: 240}, gravity: [%.17g, 0, 0],"
             " substances: {block: {model: solid, density: 1000, particle: {spacing: 0.05},"
             " solid: {youngs_modulus: %.17g, poisson_ratio: %.17g, damping: 4},"
             " shape: {box: {min: [-0.05, 0, 0], max: [1, 0.2, 0.2]}}}},"
             " attachments: [{substance: block, box: {min: [-1, -1, -1], max: [0, 1, 1]}}]}",
             9.81e-6 * young, young, nu);
    const part end = {0.96, 1, 0};
    return run_trial(reproduce, &(trial){scene, 4, &end, 1}, out_way, error);
}

static dlp_status run_params(dlp_reproduce *reproduce, dlp_error *error)
{
    // u = rho g (L x - x^2 / 2) / E at the last particles, which does not depend on E here. That the held end
    // cannot become thinner takes away about nu^2 / 5 of it, so nu is 0 where E is told.
    const double x = 0.975, theory = 9.81e-3 * (x - x * x / 2);
    static const double young[] = {1e4, 1e5, 1e6, 1e7}, nu[] = {0, 0.2, 0.4, 0.45};
    char id[64], what[128];
    double way, first = 0;
    for (int32_t k = 0; k < 4; k++) {
        DLP_TRY(hang_block(reproduce, young[k], 0, &way, error));
        snprintf(id, sizeof id, "E-%g", young[k]);
        snprintf(what, sizeof what, "way of a hanging block's end, E = %g Pa, within 2 %%", young[k]);
        const dlp_row row = dlp_row_compared(id, what, 1e3 * way, "mm", 1e3 * theory, 0.02);
        dlp_reproduce_add(reproduce, &row);
    }
    for (int32_t k = 0; k < 4; k++) {
        DLP_TRY(hang_block(reproduce, 1e5, nu[k], &way, error));
        first = k == 0 ? way : first;
        snprintf(id, sizeof id, "nu-%g", nu[k]);
        snprintf(what, sizeof what, "the same over that of nu = 0, nu = %g", nu[k]);
        const dlp_row row = dlp_row_number(id, what, way / first, "");
        dlp_reproduce_add(reproduce, &row);
    }
    return DLP_OK;
}

const dlp_experiment dlp_experiment_e_params = {
    "E-params", "A hanging block: Young's modulus and Poisson's ratio", "yang2023, fig. 6", run_params};

// ---- E-cantilever: a beam under its own weight

// g over E is kept, so that every beam bends alike.
static dlp_status bend_beam(dlp_reproduce *reproduce, double young, double g, const char *how,
                            double *out_way, dlp_error *error)
{
    char scene[1024];
    snprintf(scene, sizeof scene,
             "{frames: {rate: 60, count: 600}, gravity: [0, 0, %.17g],"
             " substances: {beam: {model: solid, density: 1000, particle: {spacing: 0.025},"
             " solid: {youngs_modulus: %.17g, poisson_ratio: 0.3, damping: %.17g%s},"
             " shape: {box: {min: [-0.025, 0, 0], max: [1, 0.1, 0.1]}}}},"
             " attachments: [{substance: beam, box: {min: [-1, -1, -1], max: [0, 1, 1]}}]}",
             -g * young / 1e6, young, 3 * sqrt(young / 1e6), how);
    const part end = {0.98, 1, 2};
    const double seconds = 5 / sqrt(young / 1e6);
    DLP_TRY(run_trial(reproduce, &(trial){scene, seconds < 20 ? seconds : 20, &end, 1}, out_way, error));
    *out_way *= -1;
    return DLP_OK;
}

// The beam that is compared: 1 m long, 0.1 m thick, E = 1 MPa, nu = 0.3; seen where its last particles are.
#define WEIGHT (1000 * 0.0981 * 0.01) /* N/m */
#define SEEN   0.9875
#define EI     (1e6 * 1e-4 / 12)
#define SHEAR  (10 * 1.3 / (12 + 11 * 0.3) * 1e6 / 2.6 * 0.01) /* kappa G A  [cowper1966] */

// m: what shear adds under a weight of q N/m.
static double shear_drop(double q)
{
    return q * (SEEN - SEEN * SEEN / 2) / SHEAR;
}

static double beam_theory(double q)
{
    return q * SEEN * SEEN * (6 - 4 * SEEN + SEEN * SEEN) / (24 * EI) + shear_drop(q);
}

// The elastica EI theta'' = -q (1 - s) cos theta from a curvature at the clamp; returns that at the end and
// the drop of where it is seen.
static double bend_from(double curvature, double q, double *out_drop)
{
    enum { STEPS = 4000 };
    const double h = 1.0 / STEPS;
    double theta = 0, drop = 0;
    for (int k = 0; k < STEPS; k++) {  // the middle of each step
        const double middle = theta + 0.5 * h * curvature;
        if ((k + 0.5) * h < SEEN) drop += h * sin(middle);
        const double slope = -q * (1 - (k + 0.5) * h) * cos(middle) / EI;
        theta += h * (curvature + 0.5 * h * slope);
        curvature += h * slope;
    }
    *out_drop = drop;
    return curvature;
}

static double elastica_theory(double q)
{
    double low = 0, high = q / EI, drop = 0;
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        *(bend_from(middle, q, &drop) < 0 ? &low : &high) = middle;
    }
    return drop + shear_drop(q);
}

static dlp_status compare_ways(dlp_reproduce *reproduce, dlp_error *error)
{
    static const char *const constraints[] = {"block", "scalar", "energy"};
    static const int32_t steps[][2] = {{4, 15}, {10, 3}, {21, 1}};
    for (int32_t c = 0; c < 3; c++)
        for (int32_t k = 0; k < 3; k++) {
            char how[128], id[64], what[160];
            double way;
            snprintf(how, sizeof how, ", constraint: %s, substeps: %d, iterations: %d", constraints[c],
                     steps[k][0], steps[k][1]);
            DLP_TRY(bend_beam(reproduce, 1e6, 0.0981, how, &way, error));
            snprintf(id, sizeof id, "%s-%d-%d", constraints[c], steps[k][0], steps[k][1]);
            // the wave of pressure at E = 1 MPa, nu = 0.3: 36.7 m/s
            snprintf(what, sizeof what, "drop over theory, %d sub-steps of %d sweeps: chi %.2f", steps[k][0],
                     steps[k][1], 36.7 / (60 * 0.025 * steps[k][0]));
            const dlp_row row = dlp_row_number(id, what, way / beam_theory(WEIGHT), "");
            dlp_reproduce_add(reproduce, &row);
        }
    return DLP_OK;
}

static dlp_status run_cantilever(dlp_reproduce *reproduce, dlp_error *error)
{
    static const double young[] = {1e5, 1e6, 1e7};
    for (int32_t k = 0; k < (reproduce->is_full ? 3 : 2); k++) {
        char id[64], what[128];
        double way;
        DLP_TRY(bend_beam(reproduce, young[k], 0.0981, "", &way, error));
        snprintf(id, sizeof id, "E-%g", young[k]);
        snprintf(what, sizeof what, "drop of a beam's end, E = %g Pa, within 5 %% of Timoshenko", young[k]);
        const dlp_row row = dlp_row_compared(id, what, 1e3 * way, "mm", 1e3 * beam_theory(WEIGHT), 0.05);
        dlp_reproduce_add(reproduce, &row);
    }
    double way;
    DLP_TRY(bend_beam(reproduce, 1e6, 0.981, "", &way, error));
    const dlp_row row =
        dlp_row_compared("large", "under ten times the weight, within 5 % of the elastica with shear",
                         1e3 * way, "mm", 1e3 * elastica_theory(10 * WEIGHT), 0.05);
    dlp_reproduce_add(reproduce, &row);
    return compare_ways(reproduce, error);
}

const dlp_experiment dlp_experiment_e_cantilever = {
    "E-cantilever", "A beam bends under its weight: by default, and by sub-steps and sweeps",
    "timoshenko1921", run_cantilever};
