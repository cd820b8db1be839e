/* Page D: restrained fluids beside our own plain solver. */
#include "fixture_race.h"

#include <stdio.h>

// D-fall, D-flow.

#define WATER "substances.water."
#define HONEY "substances.honey."
static const dlp_race_variant fall_plain = {{WATER "adapt.restraint", "false", NULL}};
static const dlp_race_variant fall_restrained = {{NULL}};
static const dlp_race_variant fall_energy = {{WATER "restraint.form", "energy", NULL}};
static const dlp_race_variant fall_momentum = {{WATER "restraint.form", "momentum", NULL}};

static dlp_status tell_paper_form(dlp_reproduce *reproduce, const dlp_race_variant *variants, int32_t frames,
                                  dlp_error *error)
{
    dlp_course *courses;
    dlp_status status = dlp_race_run(
        reproduce, &(dlp_race){.bundled = "fall", .variants = variants, .count = 3, .frames = frames},
        &courses, error);
    if (status == DLP_OK) {
        const dlp_gain energy = dlp_gain_of(&courses[0], &courses[1]),
                       momentum = dlp_gain_of(&courses[0], &courses[2]);
        const dlp_finding findings[] = {
            dlp_finding_number("printed-energy", "as published (by kinetic energy, no decay): mean",
                               energy.mean, "x"),
            dlp_finding_number("printed-momentum", "as published, by the momentum's norm: mean",
                               momentum.mean, "x"),
            dlp_finding_number("printed-active", "particles still active at the end, by kinetic energy",
                               courses[1].share[frames - 1], "%")};
        dlp_reproduce_add_all(reproduce, findings, 3);
    }
    dlp_race_close(courses, 3);
    return status;
}

static dlp_status run_fall(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_race_variant variants[] = {fall_plain, fall_restrained},
                           paper_forms[] = {fall_plain, fall_energy, fall_momentum};
    dlp_course *courses;
    dlp_status status = dlp_race_run(
        reproduce, &(dlp_race){.bundled = "fall", .variants = variants, .count = 2, .frames = 375}, &courses,
        error);
    if (status == DLP_OK) {
        const dlp_gain g = dlp_gain_of(&courses[0], &courses[1]);
        dlp_gain_tell(reproduce, &g, 3.85);
        dlp_gain_plot(reproduce, &courses[0], &courses[1]);
        status = dlp_fixture_picture(&courses[1].fixture, reproduce, "fall.png",
                                     "The restrained run after 15 s", error);
    }
    dlp_race_close(courses, 2);
    return status == DLP_OK ? tell_paper_form(reproduce, paper_forms, reproduce->is_full ? 375 : 150, error)
                            : status;
}

const dlp_experiment dlp_experiment_d_fall = {"D-fall", "5000 particles fall into a box, 15 s: speed-up",
                                              "manteaux2013, sec. 5", run_fall};

static dlp_status run_flow(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_race_variant variants[] = {{{HONEY "adapt.restraint", "false", NULL}}, {{NULL}}};
    dlp_course *courses;
    dlp_status status = dlp_race_run(
        reproduce, &(dlp_race){.bundled = "flow", .variants = variants, .count = 2, .frames = 750}, &courses,
        error);
    if (status == DLP_OK) {
        const dlp_gain g = dlp_gain_of(&courses[0], &courses[1]);
        dlp_gain_tell(reproduce, &g, 2.66);
        dlp_gain_plot(reproduce, &courses[0], &courses[1]);
        status = dlp_fixture_picture(&courses[1].fixture, reproduce, "flow.png",
                                     "The restrained run after 30 s", error);
    }
    dlp_race_close(courses, 2);
    return status;
}

const dlp_experiment dlp_experiment_d_flow = {"D-flow", "A permanent flow, 30 s: speed-up",
                                              "manteaux2013, sec. 5", run_flow};

// D-same.

// The place along x that one particle in a hundred has passed: a front that no single drop makes.
static double front_of(const dlp_fixture *fixture)
{
    const int32_t above = fixture->count / 100 + 1;
    double low = -1e3, high = 1e3;
    for (int32_t k = 0; k < 50; k++) {
        const double middle = 0.5 * (low + high);
        int32_t count = 0;
        for (int32_t i = 0; i < fixture->count; i++) count += fixture->x[3 * (int64_t)i] > middle;
        *(count >= above ? &low : &high) = middle;
    }
    return low;
}

// The tank's columns, two spacings wide.
static double column_height(const dlp_world *world, double x, double y)
{
    double low = 0.02, high = 0.4;
    for (int32_t k = 0; k < 24; k++) {
        const double middle = 0.5 * (low + high);
        *(dlp_world_sample_at(world, dlp_vec(x, y, middle)).fraction > 0.5 ? &low : &high) = middle;
    }
    return low;
}

typedef struct difference {
    double rms, largest;  // m: of the heights
    double front;   // largest difference of the fronts over the distance covered, until one meets the wall
    double energy;  // J: of the whole
} difference;

static double energy_of(dlp_world *world)
{
    dlp_stats stats = {.size = sizeof stats};
    dlp_error error = {0};
    return dlp_world_stats(world, &stats, &error) == DLP_OK ? stats.kinetic_energy + stats.potential_energy
                                                            : (double)NAN;
}

static difference compare(const dlp_course *a, const dlp_course *b)
{
    difference d = {.energy = energy_of(b->fixture.world) - energy_of(a->fixture.world)};
    double sum = 0;
    for (int32_t i = 0; i < 15; i++)
        for (int32_t j = 0; j < 11; j++) {
            const double x = 0.04 * (i + 0.5), y = 0.04 * (j + 0.5);
            const double e = column_height(b->fixture.world, x, y) - column_height(a->fixture.world, x, y);
            sum += e * e;
            d.largest = fmax(d.largest, fabs(e));
        }
    d.rms = sqrt(sum / (15 * 11));
    for (int32_t k = 0; k < a->frames && a->measured[k] < 0.57; k++)
        d.front = fmax(d.front, fabs(b->measured[k] - a->measured[k]) / (a->measured[k] - 0.05));
    return d;
}

static void tell_difference(dlp_reproduce *reproduce, const difference *restrained, const difference *scatter)
{
    const double spacing = 0.02;
    const dlp_finding findings[] = {
        dlp_finding_limited("height", "height field at rest, restrained against plain, rms",
                            restrained->rms / spacing, "spacings", 0.1),
        dlp_finding_number("height-scatter", "likewise, plain against plain from a start 1 mm aside",
                           scatter->rms / spacing, "spacings"),
        dlp_finding_number("height-max", "largest difference, restrained against plain",
                           restrained->largest / spacing, "spacings"),
        dlp_finding_limited("front", "front until it meets the wall, restrained against plain",
                            100 * restrained->front, "%", 2),
        dlp_finding_number("front-scatter", "plain against plain", 100 * scatter->front, "%"),
        dlp_finding_number("energy", "energy at the end, restrained less plain", restrained->energy, "J"),
        dlp_finding_number("energy-scatter", "plain less plain", scatter->energy, "J")};
    dlp_reproduce_add_all(reproduce, findings, 7);
}

// A longer tank, with the block at its end: there is a front, and it sloshes longer.
#define LONG_TANK                                                                                            \
    "obstacles[0].box.max", "[0.6, 0.44, 0.8]", WATER "shape",                                               \
        "{box: {min: [0.05, 0.05, 0.1], max: [0.39, 0.39, 0.44]}}"

static dlp_status run_same(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_race_variant variants[] = {
        {{WATER "adapt.restraint", "false", LONG_TANK, NULL}},
        {{LONG_TANK, NULL}},
        {{WATER "adapt.restraint", "false", LONG_TANK, WATER "shape.translate", "[0.001, 0.001, 0]", NULL}}};
    dlp_course *courses;
    dlp_status status = dlp_race_run(reproduce,
                                     &(dlp_race){.bundled = "fall",
                                                 .variants = variants,
                                                 .count = 3,
                                                 .frames = reproduce->is_full ? 375 : 200,
                                                 .measure = front_of},
                                     &courses, error);
    if (status == DLP_OK) {
        const difference restrained = compare(&courses[0], &courses[1]),
                         scatter = compare(&courses[0], &courses[2]);
        tell_difference(reproduce, &restrained, &scatter);
    }
    dlp_race_close(courses, 3);
    return status;
}

const dlp_experiment dlp_experiment_d_same = {"D-same",
                                              "Restrained against plain: front, height field at rest, energy",
                                              "manteaux2013, sec. 5", run_same};

// D-large.

// What a pool of a hundred thousand costs once it sleeps. It is poured flat and has wide thresholds, so that
// it sleeps soon: asleep it costs the same whatever they are. The plain solver is timed on its first frames,
// all of which cost it the same.
static dlp_status run_settled(dlp_reproduce *reproduce, dlp_error *error)
{
    enum { TIMED = 3, LIMIT = 100, AFTER = 25 };
#define FLAT                                                                                                 \
    WATER "particle.spacing", "0.0073", WATER "shape",                                                       \
        "{box: {min: [0, 0, 0.005], max: [0.5, 0.44, 0.184]}}", WATER "artificial_viscosity.alpha", "0.3",   \
        WATER "restraint.rest", "0.1", WATER "restraint.friction", "0.5", "emitters",                        \
        "[{substance: water, position: [0.25, 0.22, 0.25], radius: 0.005, speed: 1e-9}]"
    const dlp_race_variant variants[] = {{{WATER "adapt.restraint", "false", FLAT, NULL}}, {{FLAT, NULL}}};
    dlp_course *courses;
    dlp_status status = dlp_race_run(
        reproduce, &(dlp_race){.bundled = "fall", .variants = variants, .count = 2, .frames = TIMED},
        &courses, error);
    dlp_stats plain = {.size = sizeof plain}, still = {.size = sizeof still};
    if (status == DLP_OK) status = dlp_world_stats(courses[0].fixture.world, &plain, error);
    dlp_course *c = &courses[1];
    while (status == DLP_OK && c->share[c->frames - 1] > 0 && c->frames < LIMIT)
        status = dlp_course_step(c, NULL, error);
    const int32_t settled = c->frames;
    for (int32_t k = 0; status == DLP_OK && k < AFTER; k++) status = dlp_course_step(c, NULL, error);
    if (status == DLP_OK) status = dlp_world_stats(c->fixture.world, &still, error);
    if (status == DLP_OK) {
        const double full = dlp_sum(courses[0].wall, 0, TIMED) / TIMED,
                     rest = dlp_sum(c->wall, settled, c->frames) / AFTER;
        const dlp_finding findings[] = {
            dlp_finding_number("particles", "poured flat", plain.particles, ""),
            dlp_finding_number("settle", "time until nothing is active", c->time[settled - 1], "s"),
            dlp_finding_reached("settled", "speed-up over the plain solver once settled",
                                full / (rest + 1e-9), "x", 25),
            dlp_finding_limited("idle", "a step in which nothing is active, of a full one",
                                100 * (rest / (double)still.substeps) / (full / (double)plain.substeps), "%",
                                2)};
        dlp_reproduce_add_all(reproduce, findings, 4);
    }
    dlp_race_close(courses, 2);
    return status;
}

// The fall of one and the same liquid at another size: its viscosity and the allowed error stay what they are
// in metres. Both runs go on until the restrained one has slept for ten frames. From then on the plain one
// costs what its last ten frames cost, and the restrained one likewise.
static dlp_status tell_mean(dlp_reproduce *reproduce, double spacing, dlp_error *error)
{
    enum { AFTER = 10, FRAMES = 375 };
    char size[32], alpha[32], drift[32], id[64], what[128];
    snprintf(size, sizeof size, "%g", spacing);
    snprintf(alpha, sizeof alpha, "%g", 0.1 * 0.02 / spacing);
    snprintf(drift, sizeof drift, "%g", 0.2 * 0.02 / spacing);
#define SIZED                                                                                                \
    WATER "particle.spacing", size, WATER "artificial_viscosity.alpha", alpha, WATER "restraint.error", drift
    const dlp_race_variant variants[] = {{{WATER "adapt.restraint", "false", SIZED, NULL}}, {{SIZED, NULL}}};
    dlp_course *courses;
    dlp_status status =
        dlp_race_run(reproduce, &(dlp_race){.bundled = "fall", .variants = variants, .count = 2, .frames = 1},
                     &courses, error);
    dlp_course *plain = &courses[0], *restrained = &courses[1];
    for (int32_t asleep = 0; status == DLP_OK && asleep < AFTER && plain->frames < FRAMES;) {
        status = dlp_course_step(plain, NULL, error);
        if (status == DLP_OK) status = dlp_course_step(restrained, NULL, error);
        asleep = restrained->share[restrained->frames - 1] > 0 ? 0 : asleep + 1;
    }
    if (status == DLP_OK) {
        const int32_t ran = plain->frames, rest = FRAMES - ran;
        const double late = dlp_sum(plain->wall, ran - AFTER, ran) / AFTER,
                     idle = dlp_sum(restrained->wall, ran - AFTER, ran) / AFTER;
        const double mean =
            (dlp_sum(plain->wall, 0, ran) + rest * late) / (dlp_sum(restrained->wall, 0, ran) + rest * idle);
        snprintf(id, sizeof id, "mean-%d", plain->fixture.count);
        snprintf(what, sizeof what, "mean speed-up of the fall with %d particles, asleep after %.2f s",
                 plain->fixture.count, restrained->time[ran - AFTER]);
        const dlp_finding finding = dlp_finding_number(id, what, mean, "x");
        dlp_reproduce_add(reproduce, &finding);
    }
    dlp_race_close(courses, 2);
    return status;
}

static dlp_status run_large(dlp_reproduce *reproduce, dlp_error *error)
{
    static const double spacings[] = {0.03, 0.02, 0.0125, 0.0073};
    DLP_TRY(run_settled(reproduce, error));
    for (int32_t k = 0; k < (reproduce->is_full ? 4 : 2); k++)
        DLP_TRY(tell_mean(reproduce, spacings[k], error));
    return DLP_OK;
}

const dlp_experiment dlp_experiment_d_large = {
    "D-large", "The fall at 100 000 particles: once settled, and the mean by size", "manteaux2013, sec. 5",
    run_large};
