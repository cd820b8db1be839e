/* The corrected kernel beside others: what it costs, and what becomes of a body that is turned. */
#include "experiment.h"
#include "gradients.h"

#include "base/wall_clock.h"
#include "base/memory.h"

#include <stdio.h>

typedef struct kernel {
    const char *id, *what;
    dlp_gradients_fn *run;
} kernel;

static dlp_status make_room(const dlp_gradient_lattice *lattice, dlp_vec3 **out_gradients,
                            dlp_vec3 **out_places, dlp_error *error)
{
    *out_gradients = dlp_alloc((size_t)lattice->begin[lattice->count], sizeof **out_gradients, "cloud");
    *out_places = dlp_alloc((size_t)lattice->count, sizeof **out_places, "cloud");
    if (*out_gradients == NULL || *out_places == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%d particles", lattice->count);
    return DLP_OK;
}

static dlp_vec3 apply(const double m[9], dlp_vec3 x)
{
    return dlp_vec(m[0] * x.x + m[1] * x.y + m[2] * x.z, m[3] * x.x + m[4] * x.y + m[5] * x.z,
                   m[6] * x.x + m[7] * x.y + m[8] * x.z);
}

// E-kernel: the coefficients of all particles, again and again, on one thread.

enum { KERNELS = 4, CORRECTED = 0, REDUCED, BOOK, LINEAR };

static const kernel timed[KERNELS] = {
    {"corrected", "corrected kernel, as the source prints it", dlp_gradients_corrected},
    {"reduced", "the same without what cancels, as the solver has it", dlp_gradients_reduced},
    {"mls-book", "moving least squares, linear basis, by the book", dlp_gradients_linear_book},
    {"mls", "the same without forming the inverse's derivative", dlp_gradients_linear}};

// s: the least of some runs. The kernels take turns, so that a slow moment of the machine affects all of
// them.
static void time_kernels(const dlp_gradient_lattice *lattice, int32_t runs, dlp_vec3 *gradients,
                         double out_seconds[KERNELS])
{
    for (int k = 0; k < KERNELS; k++) out_seconds[k] = HUGE_VAL;
    for (int32_t run = 0; run < runs; run++)
        for (int k = 0; k < KERNELS; k++) {
            const double start = dlp_seconds_now();
            timed[k].run(lattice, gradients);
            out_seconds[k] = fmin(out_seconds[k], dlp_seconds_now() - start);
        }
}

// The largest entry of F - M over all particles, where these are at M X.
static double affine_error(const dlp_gradient_lattice *lattice, dlp_gradients_fn *run, dlp_vec3 *gradients,
                           dlp_vec3 *places)
{
    const double m[9] = {1.2, 0.3, -0.1, -0.4, 0.7, 0.25, 0.15, -0.2, 1.5};
    double most = 0, f[9];
    run(lattice, gradients);
    for (int32_t i = 0; i < lattice->count; i++) places[i] = apply(m, lattice->rest[i]);
    for (int32_t i = 0; i < lattice->count; i++) {
        dlp_gradient_lattice_gradient(lattice, gradients, places, i, f);
        for (int k = 0; k < 9; k++) most = fmax(most, fabs(f[k] - m[k]));
    }
    return most;
}

static void tell_times(dlp_reproduce *reproduce, const dlp_gradient_lattice *lattice, double spacing,
                       const double seconds[KERNELS])
{
    char id[64], what[128];
    const double support = lattice->support / spacing;
    for (int k = 0; k < KERNELS; k++) {
        snprintf(id, sizeof id, "%s-%g", timed[k].id, support);
        snprintf(what, sizeof what, "%s: a run at a support of %g spacings", timed[k].what, support);
        // 500 runs in 1.645 s and 4.688 s
        const double source = k == CORRECTED || k == REDUCED ? 3.29 : 9.376;
        const dlp_finding finding = dlp_finding_beside(id, what, 1e3 * seconds[k], "ms", source);
        dlp_reproduce_add(reproduce, &finding);
    }
    static const int32_t pairs[][2] = {{BOOK, CORRECTED}, {LINEAR, CORRECTED}, {LINEAR, REDUCED}};
    for (int k = 0; k < 3; k++) {
        const kernel *a = &timed[pairs[k][0]], *b = &timed[pairs[k][1]];
        snprintf(id, sizeof id, "%s-over-%s-%g", a->id, b->id, support);
        snprintf(what, sizeof what, "the one's cost over the other's, %.0f neighbours each",
                 (double)lattice->begin[lattice->count] / lattice->count);
        const dlp_finding finding =
            dlp_finding_beside(id, what, seconds[pairs[k][0]] / seconds[pairs[k][1]], "x", 2.85);
        dlp_reproduce_add(reproduce, &finding);
    }
}

static dlp_status compare_kernels(dlp_reproduce *reproduce, const dlp_gradient_lattice *lattice,
                                  double spacing, dlp_error *error)
{
    dlp_vec3 *gradients = NULL, *places = NULL;
    double seconds[KERNELS], worst = 0;
    const dlp_status status = make_room(lattice, &gradients, &places, error);
    if (status == DLP_OK) {
        time_kernels(lattice, reproduce->is_full ? 500 : 20, gradients, seconds);
        tell_times(reproduce, lattice, spacing, seconds);
        for (int k = 0; k < KERNELS; k++)
            worst = fmax(worst, affine_error(lattice, timed[k].run, gradients, places));
        char id[64];
        snprintf(id, sizeof id, "affine-%g", lattice->support / spacing);
        const dlp_finding finding = dlp_finding_limited(
            id, "error of F of an affine map, the worst of the four: rounding", worst, "", 1e-13);
        dlp_reproduce_add(reproduce, &finding);
    }
    dlp_free(gradients);
    dlp_free(places);
    return status;
}

// The source gives the support, 0.0625, but not the spacing: several are tried. A box of its 17 325
// particles.
static dlp_status run_kernel(dlp_reproduce *reproduce, dlp_error *error)
{
    static const int32_t counts[3] = {33, 25, 21};
    static const double supports[] = {1.5, 2.1, 3.05};
    for (int k = 0; k < 3; k++) {
        const double support = 0.0625, spacing = support / supports[k];
        dlp_gradient_lattice lattice;
        dlp_status status = dlp_gradient_lattice_create(&lattice, counts, spacing, support, error);
        if (status == DLP_OK) status = compare_kernels(reproduce, &lattice, spacing, error);
        dlp_gradient_lattice_release(&lattice);
        DLP_TRY(status);
    }
    return DLP_OK;
}

const dlp_experiment dlp_experiment_e_kernel = {
    "E-kernel", "The corrected kernel beside moving least squares: cost for 17 325 particles, one thread",
    "yang2023, table 3", run_kernel};

// E-rotation: a body is turned, step by step.

enum { TURNED = 4, STEPS_A_TURN = 36, TURNS = 10, STEPS = TURNS * STEPS_A_TURN };

static const kernel turned[TURNED] = {
    {"plain", "plain kernel", dlp_gradients_plain},
    {"constant", "moving least squares, constant basis", dlp_gradients_constant},
    {"corrected", "corrected kernel", dlp_gradients_corrected},
    {"linear", "moving least squares, linear basis", dlp_gradients_linear}};

// The matrix of a turn about (1, 2, 3), by rows (Rodrigues)
static void turn_matrix(double angle, double out[9])
{
    const double n[3] = {1 / sqrt(14), 2 / sqrt(14), 3 / sqrt(14)}, c = cos(angle), s = sin(angle);
    const double cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
    for (int k = 0; k < 9; k++) out[k] = (k % 4 == 0 ? c : 0) + s * cross[k] + (1 - c) * n[k / 3] * n[k % 3];
}

// |F - R| / |R| over all particles, the mean. As the source has it, F is I and what displacements add: of X
// alone the plain kernel makes not even I.
static double turn_error(const dlp_gradient_lattice *lattice, const dlp_vec3 *gradients,
                         const dlp_vec3 *displacements, const double turn[9])
{
    double sum = 0, f[9];
    for (int32_t i = 0; i < lattice->count; i++) {
        double square = 0;
        dlp_gradient_lattice_gradient(lattice, gradients, displacements, i, f);
        for (int k = 0; k < 9; k++) {
            const double error = f[k] + (k % 4 == 0) - turn[k];
            square += error * error;
        }
        sum += sqrt(square / 3);
    }
    return sum / lattice->count;
}

// Turns the places by a step, from where the last one left them, and gives the displacements.
static void turn_places(const dlp_gradient_lattice *lattice, dlp_vec3 *places, dlp_vec3 *out_ways)
{
    double step[9];
    turn_matrix(2 * DLP_PI / STEPS_A_TURN, step);
    for (int32_t i = 0; i < lattice->count; i++) {
        places[i] = apply(step, places[i]);
        out_ways[i] = dlp_sub(places[i], lattice->rest[i]);
    }
}

static void turn_body(const dlp_gradient_lattice *lattice, dlp_vec3 *const gradients[TURNED],
                      dlp_vec3 *places, dlp_vec3 *displacements, double errors[TURNED][STEPS])
{
    for (int32_t i = 0; i < lattice->count; i++) places[i] = lattice->rest[i];
    for (int k = 0; k < TURNED; k++) turned[k].run(lattice, gradients[k]);
    for (int32_t step = 0; step < STEPS; step++) {
        double turn[9];
        turn_places(lattice, places, displacements);
        turn_matrix(2 * DLP_PI * (step + 1) / STEPS_A_TURN, turn);
        for (int k = 0; k < TURNED; k++)
            errors[k][step] = turn_error(lattice, gradients[k], displacements, turn);
    }
}

static void tell_errors(dlp_reproduce *reproduce, double errors[TURNED][STEPS])
{
    double turns[STEPS];
    dlp_series series[TURNED];
    for (int32_t step = 0; step < STEPS; step++) turns[step] = (step + 1.0) / STEPS_A_TURN;
    for (int k = 0; k < TURNED; k++) {
        double most = 0;
        for (int32_t step = 0; step < STEPS; step++) most = fmax(most, errors[k][step]);
        const bool is_exact =
            turned[k].run == dlp_gradients_corrected || turned[k].run == dlp_gradients_linear;
        // exact ones: ten turns of rounding; the others lose a good part of F
        const dlp_finding finding =
            is_exact
                ? dlp_finding_limited(turned[k].id,
                                      "error of F of a turned body, largest of 10 turns: rounding", most, "",
                                      1e-12)
                : dlp_finding_reached(turned[k].id, "error of F of a turned body, largest of 10 turns: large",
                                      most, "", 0.1);
        dlp_reproduce_add(reproduce, &finding);
        series[k] = (dlp_series){turned[k].what, turns, errors[k], STEPS, DLP_MARK_LINE};
    }
    const dlp_plot plot = {.title = "A body is turned: error of the deformation gradient",
                           .x_label = "turns",
                           .y_label = "mean of |F - R| / |R|",
                           .is_log_y = true,
                           .series = series,
                           .series_count = TURNED};
    dlp_report_plot(reproduce->report, &plot);
}

static dlp_status run_rotation(dlp_reproduce *reproduce, dlp_error *error)
{
    static const int32_t counts[3] = {12, 8, 6};
    double(*errors)[STEPS] = dlp_alloc(TURNED, sizeof *errors, "report");
    dlp_vec3 *gradients[TURNED] = {0}, *places[TURNED] = {0};
    dlp_gradient_lattice lattice;
    dlp_status status = dlp_gradient_lattice_create(&lattice, counts, 0.0625 / 2.1, 0.0625, error);
    if (errors == NULL) status = dlp_fail(error, DLP_OUT_OF_MEMORY, "report: no room");
    for (int k = 0; k < TURNED && status == DLP_OK; k++)
        status = make_room(&lattice, &gradients[k], &places[k], error);
    if (status == DLP_OK) {
        turn_body(&lattice, gradients, places[0], places[1], errors);
        tell_errors(reproduce, errors);
    }
    for (int k = 0; k < TURNED; k++) {
        dlp_free(gradients[k]);
        dlp_free(places[k]);
    }
    dlp_free(errors);
    dlp_gradient_lattice_release(&lattice);
    return status;
}

const dlp_experiment dlp_experiment_e_rotation = {"E-rotation",
                                                  "A body is turned: error of F, corrected and plain kernel",
                                                  "yang2023, fig. 12", run_rotation};
