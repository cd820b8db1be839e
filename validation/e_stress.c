/* A pull along one axis with free sides: the laws beside closed forms, and a bar of particles beside both. */
#include "fixture_world.h"

#include "matter/principal.h"

#include <stdio.h>

#define YOUNG 1e5
#define NU    0.3

typedef struct law_case {
    dlp_elastic_law law;
    const char *name;
    double from, to; /* stretches at which its own form holds, also across */
} law_case;
static const law_case laws[] = {{DLP_ELASTIC_NEO_HOOKEAN, "neo_hookean", 0.3, 1.9},
                                {DLP_ELASTIC_STVK, "stvk", 0.6, 1.75},
                                {DLP_ELASTIC_COROTATED, "corotated", 0.3, 1.9}};
enum { LAWS = 3, POINTS = 97 };

// Closed forms.

// mu (t^2 - 1) + lambda ln(l t^2) = 0 for the stretch t across.
static double neo_hookean_across(double l)
{
    const double mu = dlp_lame_mu(YOUNG, NU), lambda = dlp_lame_lambda(YOUNG, NU);
    double low = 1e-6, high = 1e3;
    for (int k = 0; k < 200; k++) {
        const double t = sqrt(low * high);
        *(mu * (t * t - 1) + lambda * log(l * t * t) < 0 ? &low : &high) = t;
    }
    return low;
}

// Pa: nominal stress at a stretch, as the law is written, without its branch for crushed matter.
static double closed_form(dlp_elastic_law law, double l)
{
    const double mu = dlp_lame_mu(YOUNG, NU), lambda = dlp_lame_lambda(YOUNG, NU);
    if (law == DLP_ELASTIC_COROTATED) return YOUNG * (l - 1);
    if (law == DLP_ELASTIC_STVK) return YOUNG * l * (l * l - 1) / 2;
    if (!(l > 0)) return (double)NAN;
    const double t = neo_hookean_across(l);
    return mu * (l - 1 / l) + lambda * log(l * t * t) / l;
}

// The program's laws.

static double stress_at(dlp_elastic_law law, double along, double across, double *out_across)
{
    double stress[9];
    const double h[9] = {along - 1, 0, 0, 0, across - 1, 0, 0, 0, across - 1};
    dlp_elastic_at(law, dlp_lame_mu(YOUNG, NU), dlp_lame_lambda(YOUNG, NU), h, stress);
    *out_across = stress[4];
    return stress[0];
}

// Pa: with the sides free.
static double law_stress(dlp_elastic_law law, double l)
{
    double low = 0.01, high = 4, across;
    for (int k = 0; k < 200; k++) {
        const double t = 0.5 * (low + high);
        stress_at(law, l, t, &across);
        *(across < 0 ? &low : &high) = t;
    }
    return stress_at(law, l, low, &across);
}

static double largest_error(const law_case *c)
{
    double largest = 0;
    for (int k = 0; k <= 100; k++) {
        const double l = c->from + (c->to - c->from) * k / 100;
        largest = fmax(largest, fabs(law_stress(c->law, l) - closed_form(c->law, l)) / YOUNG);
    }
    return largest;
}

static void plot_laws(dlp_reproduce *reproduce)
{
    static double x[POINTS], y[LAWS][POINTS], plain[LAWS][POINTS];
    dlp_series series[2 * LAWS];
    static const char *const printed[LAWS] = {"neo_hookean as published", "stvk as published",
                                              "corotated as published"};
    for (int k = 0; k < POINTS; k++) {
        x[k] = -0.5 + 0.025 * k;
        for (int n = 0; n < LAWS; n++) {
            y[n][k] = law_stress(laws[n].law, x[k]) / YOUNG;
            plain[n][k] = closed_form(laws[n].law, x[k]) / YOUNG;
            if (!(fabs(plain[n][k]) < 3)) plain[n][k] = (double)NAN;
        }
    }
    for (int n = 0; n < LAWS; n++) {
        series[n] = (dlp_series){laws[n].name, x, y[n], POINTS, DLP_MARK_LINE};
        series[LAWS + n] = (dlp_series){printed[n], x, plain[n], POINTS, DLP_MARK_DASHES};
    }
    dlp_reproduce_plot(reproduce, "A pull along one axis, sides free, nu = 0.3; below 0 turned inside out",
                       "stretch", "nominal stress (E)", series, 2 * LAWS);
}

// A body turned inside out must be pushed back: its stress is negative down to -0.5.
static double least_push(dlp_elastic_law law)
{
    double largest = -1e30;
    for (int k = 0; k <= 100; k++) largest = fmax(largest, law_stress(law, -0.5 + 0.01 * k) / YOUNG);
    return largest;
}

// A bar of particles, pulled or pushed by forces on its two ends.

#define LENGTH 0.6
#define WIDTH  0.2

static dlp_status open_bar(const dlp_reproduce *reproduce, const char *law, double stress,
                           dlp_fixture *fixture, dlp_error *error)
{
    char scene[1536];
    const double force = stress * WIDTH * WIDTH;
    const double damping = stress < 0 ? 300 : 30;  // pushed, it would turn around, given time
    snprintf(scene, sizeof scene,
             "{frames: {rate: 60, count: 300}, gravity: [0, 0, 0],"
             " substances: {bar: {model: solid, density: 1000, particle: {spacing: 0.025},"
             " solid: {law: %s, youngs_modulus: %.17g, poisson_ratio: %.17g, damping: %g},"
             " shape: {box: {min: [0, 0, 0], max: [%g, %g, %g]}}}},"
             " loads: [{substance: bar, box: {min: [-1, -1, -1], max: [0.025, 1, 1]}, force: [%.17g, 0, 0]},"
             " {substance: bar, box: {min: [%g, -1, -1], max: [1, 1, 1]}, force: [%.17g, 0, 0]}]}",
             law, YOUNG, NU, damping, LENGTH, WIDTH, WIDTH, -force, LENGTH - 0.025, force);
    return dlp_fixture_open(fixture, scene, NULL, reproduce->thread_count, error);
}

// The mean stretch of the middle third: the slope of x over what it was at rest.
static double middle_stretch(const dlp_fixture *fixture, const double *rest)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        const double a = rest[3 * i], b = fixture->x[3 * i];
        if (a < LENGTH / 3 || a > 2 * LENGTH / 3) continue;
        n += 1;
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

static dlp_status pull_bar(dlp_reproduce *reproduce, const law_case *c, double stress, double *out_stretch,
                           dlp_error *error)
{
    dlp_fixture fixture = {0};
    double *rest = NULL;
    dlp_status status = open_bar(reproduce, c->name, stress, &fixture, error);
    if (status == DLP_OK) status = dlp_fixture_keep_places(&fixture, &rest, error);
    if (status == DLP_OK) status = dlp_fixture_run(&fixture, 3, error);
    if (status == DLP_OK) *out_stretch = middle_stretch(&fixture, rest);
    dlp_free(rest);
    dlp_fixture_close(&fixture);
    return status;
}

static dlp_status compare_bars(dlp_reproduce *reproduce, const law_case *c, dlp_error *error)
{
    static const double asked[] = {-0.05, 0.1, 0.3};
    for (int k = 0; k < 3; k++) {
        double stretch;
        char id[64], what[160];
        DLP_TRY(pull_bar(reproduce, c, asked[k] * YOUNG, &stretch, error));
        snprintf(id, sizeof id, "%s-%g", c->name, asked[k]);
        snprintf(what, sizeof what, "stress over E on a bar of particles, by the law at its stretch, %.4f",
                 stretch);
        const dlp_finding finding =
            dlp_finding_compared(id, what, closed_form(c->law, stretch) / YOUNG, "", asked[k], 0.02);
        dlp_reproduce_add(reproduce, &finding);
    }
    return DLP_OK;
}

static dlp_status run_stress(dlp_reproduce *reproduce, dlp_error *error)
{
    char id[64];
    for (int k = 0; k < LAWS; k++) {
        snprintf(id, sizeof id, "%s", laws[k].name);
        const dlp_finding error_row =
            dlp_finding_limited(id, "nominal stress of a pull against the closed form, largest error over E",
                                largest_error(&laws[k]), "", 1e-6);
        dlp_reproduce_add(reproduce, &error_row);
        snprintf(id, sizeof id, "%s-inverted", laws[k].name);
        const dlp_finding push = dlp_finding_limited(
            id, "largest stress over E from inside out to a stretch of 0.5", least_push(laws[k].law), "", 0);
        dlp_reproduce_add(reproduce, &push);
    }
    plot_laws(reproduce);
    for (int k = 0; k < LAWS; k++) DLP_TRY(compare_bars(reproduce, &laws[k], error));
    return DLP_OK;
}

const dlp_experiment dlp_experiment_e_stress = {"E-stress",
                                                "Stress and strain of all laws, with and without inversion",
                                                "yang2023, sec. 4; bonet2008, ch. 6", run_stress};
