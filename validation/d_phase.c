/* Page D: phase portraits of a restrained oscillator, H = T(p) + q^2 / 2 with a unit mass and spring: plain,
 * restrained, damped and implicit, by the convex form and by the two published ones. */
#include "experiment.h"

#include "matter/restraint.h"

#include <stdio.h>

// REST : FULL as the source's energies, 1 : 20.
#define REST 0.2
#define FULL (4.47 * REST)

enum { FORMS = 3, POINTS = 4000, PERIODS = 10000 };

static const char *const names[FORMS] = {"convex", "by energy, as published", "by momentum, as published"};
static const char *const ids[FORMS] = {"convex", "energy", "momentum"};
static const dlp_restraint forms[FORMS] = {{DLP_RESTRAINT_CONVEX, REST, FULL},
                                           {DLP_RESTRAINT_ENERGY, REST, FULL},
                                           {DLP_RESTRAINT_MOMENTUM, REST, FULL}};
// Nothing is held, however slow.
static const dlp_restraint unrestrained = {DLP_RESTRAINT_CONVEX, 0, 1e-12};

typedef struct restraint_phase {
    double q, p;
} restraint_phase;

static double speed_of(dlp_restraint r, double p)
{
    return dlp_restraint_gain(r, fabs(p)) * p;
}

static double energy_of(dlp_restraint r, restraint_phase at)
{
    return dlp_restraint_energy(r, fabs(at.p)) + 0.5 * at.q * at.q;
}

// Steps.

static restraint_phase leap(dlp_restraint r, restraint_phase at, double h)
{
    at.p -= 0.5 * h * at.q;
    at.q += h * speed_of(r, at.p);
    at.p -= 0.5 * h * at.q;
    return at;
}

// Three leaps, symplectic and of fourth order.  [yoshida1990]
static restraint_phase glide(dlp_restraint r, restraint_phase at, double h)
{
    const double root = cbrt(2.0), outer = 1 / (2 - root), inner = -root * outer;
    return leap(r, leap(r, leap(r, at, outer * h), inner * h), outer * h);
}

// dp/dt = -q - gamma dq/dt, split.
static restraint_phase glide_damped(dlp_restraint r, restraint_phase at, double h)
{
    const double gamma = 0.1;
    at.p -= 0.5 * h * gamma * speed_of(r, at.p);
    at = glide(r, at, h);
    at.p -= 0.5 * h * gamma * speed_of(r, at.p);
    return at;
}

// Linearised implicit Euler on the momentum: (1 + h^2 R) dp = h (-q - h s), q += h (s + R dp), with the
// tangent R.  [manteaux2013, sec. 4]
static restraint_phase step_implicitly(dlp_restraint r, restraint_phase at, double h)
{
    const double s = speed_of(r, at.p), slope = dlp_restraint_slope(r, fabs(at.p));
    const double change = -h * (at.q + h * s) / (1 + h * h * slope);
    return (restraint_phase){at.q + h * (s + slope * change), at.p + change};
}

// Portraits.

typedef restraint_phase (*stepper)(dlp_restraint r, restraint_phase at, double h);

typedef struct portrait {
    double q[POINTS], p[POINTS];
} portrait;

static restraint_phase draw(stepper step, dlp_restraint r, double h, portrait *out)
{
    restraint_phase at = {1, 0};
    for (int32_t k = 0; k < POINTS; k++) {
        out->q[k] = at.q;
        out->p[k] = at.p;
        at = step(r, at, h);
    }
    return at;
}

// One plot of all three forms; where they end, as a share of the energy at the start.
static void plot_forms(dlp_reproduce *reproduce, const char *title, stepper step, double h,
                       double out_energies[FORMS])
{
    static portrait portraits[FORMS];
    dlp_series series[FORMS];
    for (int k = 0; k < FORMS; k++) {
        out_energies[k] = energy_of(forms[k], draw(step, forms[k], h, &portraits[k])) / 0.5;
        series[k] = (dlp_series){names[k], portraits[k].q, portraits[k].p, POINTS, DLP_MARK_LINE};
    }
    dlp_reproduce_plot(reproduce, title, "q (m)", "p (kg m/s)", series, FORMS);
}

static void plot_plain(dlp_reproduce *reproduce)
{
    static portrait plain;
    draw(glide, unrestrained, 0.01, &plain);
    const dlp_series series = {"plain", plain.q, plain.p, POINTS, DLP_MARK_LINE};
    dlp_reproduce_plot(reproduce, "Plain", "q (m)", "p (kg m/s)", &series, 1);
}

static void tell_ends(dlp_reproduce *reproduce, const char *id, const char *what,
                      const double energies[FORMS])
{
    for (int k = 0; k < FORMS; k++) {
        char full_id[64], text[128];
        snprintf(full_id, sizeof full_id, "%s-%s", id, ids[k]);
        snprintf(text, sizeof text, "%s, %s", what, names[k]);
        const dlp_finding finding = dlp_finding_limited(full_id, text, energies[k], "", 1);
        dlp_reproduce_add(reproduce, &finding);
    }
}

// Drift of the energy.

typedef struct drift {
    double largest[2];  // of both halves: |E - E0| / E0
    double mean[2];     // (E - E0) / E0
} drift;

// A period ends where p turns from negative to positive.
static drift measure_drift(dlp_restraint r, double h, int32_t periods)
{
    drift d = {0};
    restraint_phase at = {1, 0};
    const double start = energy_of(r, at);
    int64_t steps[2] = {0, 0};
    for (int32_t period = 0; period < periods;) {
        const double before = at.p;
        const int half = 2 * period >= periods;
        at = glide(r, at, h);
        const double off = (energy_of(r, at) - start) / start;
        d.largest[half] = fmax(d.largest[half], fabs(off));
        d.mean[half] += off;
        steps[half]++;
        period += before < 0 && at.p >= 0;
    }
    for (int half = 0; half < 2; half++) d.mean[half] /= (double)steps[half];
    return d;
}

// What is bounded is as large in the second half as in the first, and its mean stays.
static void tell_drift(dlp_reproduce *reproduce, int form)
{
    const double h = 0.005;
    const drift d = measure_drift(forms[form], h, PERIODS);
    char id[3][64], what[3][160];
    snprintf(id[0], sizeof id[0], "drift-%s", ids[form]);
    snprintf(what[0], sizeof what[0], "largest error of the energy in %d periods, %s", PERIODS, names[form]);
    snprintf(id[1], sizeof id[1], "drift-%s-halves", ids[form]);
    snprintf(what[1], sizeof what[1], "that of the second half over that of the first");
    snprintf(id[2], sizeof id[2], "drift-%s-mean", ids[form]);
    snprintf(what[2], sizeof what[2], "mean energy, second half less first");
    const dlp_finding findings[] = {
        dlp_finding_limited(id[0], what[0], fmax(d.largest[0], d.largest[1]), "", 1e-6),
        dlp_finding_limited(id[1], what[1], d.largest[1] / d.largest[0], "", 1.1),
        dlp_finding_limited(id[2], what[2], fabs(d.mean[1] - d.mean[0]), "", 1e-9)};
    dlp_reproduce_add_all(reproduce, findings, 3);
}

// The least 1 + h^2 k / m R at h^2 k / m = 1: where it is 0 an implicit step has no answer.
static void tell_least_diagonal(dlp_reproduce *reproduce)
{
    for (int form = 0; form < FORMS; form++) {
        double least = 2;
        for (int k = 0; k <= 10000; k++)
            least = fmin(least, 1 + dlp_restraint_slope(forms[form], FULL * k / 10000));
        char id[64], what[128];
        snprintf(id, sizeof id, "diagonal-%s", ids[form]);
        snprintf(what, sizeof what, "least 1 + h2 k/m ds/dp of an implicit step at h2 k/m = 1, %s",
                 names[form]);
        const dlp_finding finding =
            form == 0 ? dlp_finding_reached(id, what, least, "", 1) : dlp_finding_number(id, what, least, "");
        dlp_reproduce_add(reproduce, &finding);
    }
}

static dlp_status run_phase(dlp_reproduce *reproduce, dlp_error *error)
{
    (void)error;
    double energies[FORMS];
    plot_plain(reproduce);
    plot_forms(reproduce, "Restrained", glide, 0.01, energies);
    plot_forms(reproduce, "Restrained and damped", glide_damped, 0.02, energies);
    tell_ends(reproduce, "damped", "energy after 80 s of damping over that at the start", energies);
    plot_forms(reproduce, "Restrained, by implicit steps of 0.05 s", step_implicitly, 0.05, energies);
    tell_ends(reproduce, "implicit", "energy after 200 s of implicit steps over that at the start", energies);
    tell_least_diagonal(reproduce);
    for (int form = 0; form < FORMS; form++) tell_drift(reproduce, form);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_d_phase = {
    "D-phase", "Harmonic oscillator: plain, restrained, damped, implicit; drift of its energy",
    "manteaux2013, sec. 3", run_phase};
