/* Elastic solids against theory: a hanging block and a beam for many stiffnesses and ways of solving. */
#include "fixture_world.h"

#include "matter/solid_substeps.h"

#include <stdio.h>

// What a run of a body measures: the mean displacement of some of its particles.
typedef struct part {
    double from, to; /* m: of x at rest */
    int axis;
    double beyond; /* m: at least so far along y at rest */
} part;

typedef struct trial {
    const char *scene;
    double seconds;
    const part *parts;
    int32_t part_count;
    const char
        *substeps; /* path of that setting, to have twice as many as the program would choose; or NULL */
} trial;

static double mean_way(const dlp_fixture *fixture, const double *rest, const part *p)
{
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        if (rest[3 * i] < p->from || rest[3 * i] > p->to || rest[3 * i + 1] < p->beyond) continue;
        sum += fixture->x[3 * i + p->axis] - rest[3 * i + p->axis];
        count++;
    }
    return sum / count;
}

static dlp_status open_trial(const dlp_reproduce *reproduce, const trial *t, dlp_fixture *fixture,
                             dlp_error *error)
{
    DLP_TRY(dlp_fixture_open(fixture, t->scene, NULL, reproduce->thread_count, error));
    if (t->substeps == NULL) return DLP_OK;
    const dlp_scene_def *scene = dlp_world_scene(fixture->world);
    char count[16];
    snprintf(count, sizeof count, "%d",
             2 * dlp_solid_substep_count(&scene->substances[0], scene->frame_rate, 1 / scene->frame_rate));
    const char *const settings[] = {t->substeps, count, NULL};
    dlp_fixture_close(fixture);
    return dlp_fixture_open(fixture, t->scene, settings, reproduce->thread_count, error);
}

// Runs the trial and gives the displacements of its parts, m.
static dlp_status run_trial(dlp_reproduce *reproduce, const trial *t, double *out_ways, dlp_error *error)
{
    dlp_fixture fixture = {0};
    double *rest = NULL;
    dlp_status status = open_trial(reproduce, t, &fixture, error);
    if (status == DLP_OK) status = dlp_fixture_keep_places(&fixture, &rest, error);
    if (status == DLP_OK) status = dlp_fixture_run(&fixture, t->seconds, error);
    for (int32_t k = 0; k < t->part_count && status == DLP_OK; k++)
        out_ways[k] = mean_way(&fixture, rest, &t->parts[k]);
    dlp_free(rest);
    dlp_fixture_close(&fixture);
    return status;
}

// E-params: a block hangs by its end, in a gravity along x that strains all of them alike.

// m: the displacement of the end along x, and in the middle along y that of one side and of the whole, which
// sways.
static dlp_status hang_block(dlp_reproduce *reproduce, double young, double nu, double out_ways[3],
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
    const part parts[] = {{0.96, 1, 0, 0}, {0.45, 0.55, 1, 0.15}, {0.45, 0.55, 1, -1}};
    return run_trial(reproduce, &(trial){scene, 4, parts, 3, NULL}, out_ways, error);
}

static dlp_status run_params(dlp_reproduce *reproduce, dlp_error *error)
{
    // At x hangs p E = rho g (L - x). The law's p = (l - 1/l) / 2 for nu = 0 gives l - 1 = p + p^2 / 2; its
    // integral up to the last particles does not depend on E here. That the held end cannot become thinner
    // takes away about nu^2 / 5 of it, so nu is 0 where E is measured.
    const double x = 0.975, p = 9.81e-3,
                 theory = p * (x - x * x / 2) + p * p / 6 * (1 - (1 - x) * (1 - x) * (1 - x));
    static const double young[] = {1e4, 1e5, 1e6, 1e7}, nu[] = {0.1, 0.2, 0.4, 0.45};
    char id[64], what[128];
    double displacements[3];
    for (int32_t k = 0; k < 4; k++) {
        DLP_TRY(hang_block(reproduce, young[k], 0, displacements, error));
        snprintf(id, sizeof id, "E-%g", young[k]);
        snprintf(what, sizeof what, "displacement of a hanging block's end, E = %g Pa, within 2 %%",
                 young[k]);
        const dlp_finding finding =
            dlp_finding_compared(id, what, 1e3 * displacements[0], "mm", 1e3 * theory, 0.02);
        dlp_reproduce_add(reproduce, &finding);
    }
    for (int32_t k = 0; k < 4; k++) {
        DLP_TRY(hang_block(reproduce, 1e5, nu[k], displacements, error));
        // at x = 0.5 the strain along x is p / 2; the outer particles are 0.075 from the middle
        const double thinner = -(displacements[1] - displacements[2]) / 0.075 / (p / 2);
        snprintf(id, sizeof id, "nu-%g", nu[k]);
        snprintf(what, sizeof what, "thinner over longer in the middle of the block, nu = %g", nu[k]);
        const dlp_finding finding = dlp_finding_compared(id, what, thinner, "", nu[k], 0.03);
        dlp_reproduce_add(reproduce, &finding);
    }
    return DLP_OK;
}

const dlp_experiment dlp_experiment_e_params = {
    "E-params", "A hanging block: Young's modulus and Poisson's ratio", "yang2023, fig. 6", run_params};

// E-cantilever: a beam under its own weight.

typedef struct beam {
    double young, g; /* Pa; m/s2 at 1 MPa: g over E is kept, so that every beam bends alike */
    const char *how; /* further settings of the solid */
    bool is_doubled; /* twice the sub-steps */
} beam;

static dlp_status bend_beam(dlp_reproduce *reproduce, const beam *b, double *out_way, dlp_error *error)
{
    const double young = b->young;
    char scene[1024];
    snprintf(scene, sizeof scene,
             "{frames: {rate: 60, count: 600}, gravity: [0, 0, %.17g],"
             " substances: {beam: {model: solid, density: 1000, particle: {spacing: 0.025},"
             " solid: {youngs_modulus: %.17g, poisson_ratio: 0.3, damping: %.17g%s},"
             " shape: {box: {min: [-0.025, 0, 0], max: [1, 0.1, 0.1]}}}},"
             " attachments: [{substance: beam, box: {min: [-1, -1, -1], max: [0, 1, 1]}}]}",
             -b->g * young / 1e6, young, 3 * sqrt(young / 1e6), b->how);
    const part end = {0.98, 1, 2, 0};
    const char *substeps = b->is_doubled ? "substances.beam.solid.substeps" : NULL;
    DLP_TRY(run_trial(reproduce, &(trial){scene, 5 / sqrt(young / 1e6), &end, 1, substeps}, out_way, error));
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
            double displacement;
            snprintf(how, sizeof how, ", constraint: %s, substeps: %d, iterations: %d", constraints[c],
                     steps[k][0], steps[k][1]);
            DLP_TRY(
                bend_beam(reproduce, &(beam){.young = 1e6, .g = 0.0981, .how = how}, &displacement, error));
            snprintf(id, sizeof id, "%s-%d-%d", constraints[c], steps[k][0], steps[k][1]);
            // the wave of pressure at E = 1 MPa, nu = 0.3: 36.7 m/s
            snprintf(what, sizeof what, "drop over theory, %d sub-steps of %d sweeps: chi %.2f", steps[k][0],
                     steps[k][1], 36.7 / (60 * 0.025 * steps[k][0]));
            const dlp_finding finding = dlp_finding_number(id, what, displacement / beam_theory(WEIGHT), "");
            dlp_reproduce_add(reproduce, &finding);
        }
    return DLP_OK;
}

// A beam by default and with twice the sub-steps, g as in `beam`, against what theory says, m.
static dlp_status compare_beam(dlp_reproduce *reproduce, double young, double g, double theory,
                               dlp_error *error)
{
    const bool is_large = g > 0.1;
    char id[64], what[160];
    double displacement, doubled;
    DLP_TRY(bend_beam(reproduce, &(beam){.young = young, .g = g, .how = ""}, &displacement, error));
    DLP_TRY(bend_beam(reproduce, &(beam){.young = young, .g = g, .how = "", .is_doubled = true}, &doubled,
                      error));
    snprintf(id, sizeof id, "%s-%g", is_large ? "large" : "small", young);
    snprintf(what, sizeof what, "drop of a beam's end, E = %g Pa, within 5 %% of %s", young,
             is_large ? "the elastica with shear" : "Timoshenko");
    const dlp_finding finding = dlp_finding_compared(id, what, 1e3 * displacement, "mm", 1e3 * theory, 0.05);
    dlp_reproduce_add(reproduce, &finding);
    snprintf(id, sizeof id, "%s-%g-doubled", is_large ? "large" : "small", young);
    const dlp_finding change = dlp_finding_limited(id, "change with twice the sub-steps",
                                                   100 * fabs(doubled / displacement - 1), "%", 3);
    dlp_reproduce_add(reproduce, &change);
    return DLP_OK;
}

// A slender beam under a force at its end, so large that the beam hangs.

// Drop of the end over the length, for P L^2 / (E I).  [bisshopp1945; mattiasson1981]
static const double elastica[][2] = {{1, 0.30172}, {2, 0.49346}, {5, 0.71379}};

static dlp_status load_end(dlp_reproduce *reproduce, const double *row, dlp_error *error)
{
    // 1 m, 5 cm thick; the last layer of particles, where the force acts, is at 0.99375 m
    const double length = 0.99375, force = row[0] * 1e6 * 0.05 * 0.05 * 0.05 * 0.05 / 12 / (length * length);
    char scene[1024], id[64];
    double displacement;
    snprintf(
        scene, sizeof scene,
        "{frames: {rate: 60, count: 600}, gravity: [0, 0, 0],"
        " substances: {beam: {model: solid, density: 1000, particle: {spacing: 0.0125},"
        " solid: {youngs_modulus: 1e6, poisson_ratio: 0.3, damping: 3},"
        " shape: {box: {min: [-0.0125, 0, 0], max: [1, 0.05, 0.05]}}}},"
        " loads: [{substance: beam, box: {min: [0.9875, -1, -1], max: [2, 1, 1]}, force: [0, 0, %.17g]}],"
        " attachments: [{substance: beam, box: {min: [-1, -1, -1], max: [0, 1, 1]}}]}",
        -force);
    const part end = {0.9875, 1, 2, 0};
    DLP_TRY(run_trial(reproduce, &(trial){scene, 8, &end, 1, NULL}, &displacement, error));
    snprintf(id, sizeof id, "end-%g", row[0]);
    const dlp_finding found =
        dlp_finding_compared(id, "drop over length under a force at the end, by P L^2 / (E I)",
                             -displacement / length, "", row[1], 0.05);
    dlp_reproduce_add(reproduce, &found);
    return DLP_OK;
}

static dlp_status run_cantilever(dlp_reproduce *reproduce, dlp_error *error)
{
    static const double young[] = {1e4, 1e5, 1e6, 1e7};
    for (int32_t k = 0; k < 4; k++) {
        DLP_TRY(compare_beam(reproduce, young[k], 0.0981, beam_theory(WEIGHT), error));
        DLP_TRY(compare_beam(reproduce, young[k], 0.981, elastica_theory(10 * WEIGHT), error));
    }
    for (int32_t k = 0; k < 3; k++) DLP_TRY(load_end(reproduce, elastica[k], error));
    return compare_ways(reproduce, error);
}

const dlp_experiment dlp_experiment_e_cantilever = {
    "E-cantilever", "A beam bends under its weight: by default, and by sub-steps and sweeps",
    "timoshenko1921", run_cantilever};
