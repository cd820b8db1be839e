/* Page D: restrained fluids beside our own plain solver. Both worlds take turns, a frame each, so that a slow
 * moment of the machine meets both. */
#include "lab.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { FRAME_LIMIT = 1024, WINDOW = 25, COLUMNS = 40, SETTING_LIMIT = 8 };

// A run, a frame after another.
typedef struct course {
    dlp_lab lab;
    double wall[FRAME_LIMIT];  // s of wall clock
    double evaluations[FRAME_LIMIT], time[FRAME_LIMIT], share[FRAME_LIMIT], front[FRAME_LIMIT];
    int32_t frames;
    double height[COLUMNS][COLUMNS];  // m, 0 where there is none
} course;

typedef struct way {
    const char *settings[2 * SETTING_LIMIT + 1];  // pairs of path and value
} way;

static dlp_status open_course(const dlp_reproduce *reproduce, const char *scene, const way *how, course *out,
                              dlp_error *error)
{
    DLP_TRY(dlp_scene_read_bundled(scene, &out->lab.scene, error));
    for (int32_t k = 0; how->settings[k] != NULL; k += 2)
        DLP_TRY(dlp_scene_set(out->lab.scene, how->settings[k], how->settings[k + 1], error));
    const dlp_world_options options = {.thread_count = reproduce->thread_count};
    DLP_TRY(dlp_world_create(out->lab.scene, &options, &out->lab.world, error));
    return dlp_lab_look(&out->lab, error);
}

// The place along x that one particle in a hundred has passed: a front that no single drop makes.
static double front_of(const dlp_lab *lab, double *room)
{
    for (int32_t i = 0; i < lab->count; i++) room[i] = lab->x[3 * (int64_t)i];
    const int32_t above = lab->count / 100 + 1;
    double low = -1e3, high = 1e3;
    for (int32_t k = 0; k < 50; k++) {
        const double middle = 0.5 * (low + high);
        int32_t count = 0;
        for (int32_t i = 0; i < lab->count; i++) count += room[i] > middle;
        *(count >= above ? &low : &high) = middle;
    }
    return low;
}

static dlp_status step_course(course *c, double *room, dlp_error *error)
{
    dlp_stats stats;
    DLP_TRY(dlp_world_step_frame(c->lab.world, error));
    DLP_TRY(dlp_world_stats(c->lab.world, &stats, error));
    DLP_TRY(dlp_lab_look(&c->lab, error));
    const int32_t k = c->frames++;
    c->wall[k] = stats.wall_motion;
    c->evaluations[k] = (double)stats.force_evaluations;
    c->time[k] = stats.time;
    c->share[k] = 100.0 * stats.active / stats.particles;
    c->front[k] = room != NULL ? front_of(&c->lab, room) : 0;
    return DLP_OK;
}

static void close_courses(course *courses, int32_t count)
{
    for (int32_t k = 0; courses != NULL && k < count; k++) dlp_lab_close(&courses[k].lab);
    dlp_free(courses);
}

// Runs several ways of one scene in turns.
static dlp_status run_courses(const dlp_reproduce *reproduce, const char *scene, const way *ways,
                              int32_t count, int32_t frames, course **out_courses, dlp_error *error)
{
    course *courses = dlp_alloc((size_t)count, sizeof *courses, "experiment");
    *out_courses = courses;
    if (courses == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "experiment: no room");
    dlp_status status = DLP_OK;
    for (int32_t k = 0; status == DLP_OK && k < count; k++)
        status = open_course(reproduce, scene, &ways[k], &courses[k], error);
    double *room =
        status == DLP_OK ? dlp_alloc((size_t)courses[0].lab.count * 4, sizeof *room, "experiment") : NULL;
    for (int32_t frame = 0; status == DLP_OK && frame < frames; frame++)
        for (int32_t k = 0; status == DLP_OK && k < count; k++)
            status = step_course(&courses[k], courses[k].lab.count < 4 * courses[0].lab.count ? room : NULL,
                                 error);
    dlp_free(room);
    return status;
}

// ---- speed-up

typedef struct gain {
    double least, most, mean, evaluations;
} gain;

static double sum_of(const double *values, int32_t begin, int32_t end)
{
    double sum = 0;
    for (int32_t k = begin; k < end; k++) sum += values[k];
    return sum;
}

// Over windows of a second, and over the whole run.
static gain gain_of(const course *plain, const course *restrained)
{
    gain g = {.least = 1e30};
    for (int32_t begin = 0; begin + WINDOW <= plain->frames; begin += WINDOW) {
        const double ratio = sum_of(plain->wall, begin, begin + WINDOW) /
                             (sum_of(restrained->wall, begin, begin + WINDOW) + 1e-9);
        g.least = fmin(g.least, ratio);
        g.most = fmax(g.most, ratio);
    }
    g.mean = sum_of(plain->wall, 0, plain->frames) / sum_of(restrained->wall, 0, restrained->frames);
    g.evaluations = sum_of(plain->evaluations, 0, plain->frames) /
                    (sum_of(restrained->evaluations, 0, restrained->frames) + 1);
    return g;
}

static void tell_gain(dlp_reproduce *reproduce, const gain *g, double source_mean)
{
    const dlp_row rows[] = {
        dlp_row_number("min", "speed-up over the plain solver, slowest second", g->least, "x"),
        dlp_row_number("max", "fastest second", g->most, "x"),
        dlp_row_reached("mean", "over the whole run (the source's mean)", g->mean, "x", source_mean),
        dlp_row_number("evaluations", "of forces, plain over restrained", g->evaluations, "x")};
    dlp_reproduce_add_all(reproduce, rows, 4);
}

static void plot_courses(dlp_reproduce *reproduce, const course *plain, const course *restrained)
{
    static double ratio[FRAME_LIMIT];
    for (int32_t k = 0; k < plain->frames; k++) ratio[k] = plain->wall[k] / (restrained->wall[k] + 1e-5);
    const dlp_series share = {"active", restrained->time, restrained->share, restrained->frames,
                              DLP_MARK_LINE};
    const dlp_series gains = {"speed-up", plain->time, ratio, plain->frames, DLP_MARK_LINE};
    dlp_reproduce_plot(reproduce, "Active particles", "time (s)", "%", &share, 1);
    dlp_reproduce_plot(reproduce, "Speed-up, frame by frame", "time (s)", "x", &gains, 1);
}

// ---- D-fall, D-flow

#define WATER "substances.water."
#define RIVER "substances.river."
static const way fall_plain = {{WATER "adapt.restraint", "false", NULL}};
static const way fall_restrained = {{NULL}};
static const way fall_energy = {{WATER "restraint.form", "energy", NULL}};
static const way fall_momentum = {{WATER "restraint.form", "momentum", NULL}};

static dlp_status tell_printed(dlp_reproduce *reproduce, const way *ways, int32_t frames, dlp_error *error)
{
    course *courses;
    dlp_status status = run_courses(reproduce, "fall", ways, 3, frames, &courses, error);
    if (status == DLP_OK) {
        const gain energy = gain_of(&courses[0], &courses[1]), momentum = gain_of(&courses[0], &courses[2]);
        const dlp_row rows[] = {
            dlp_row_number("printed-energy", "as printed (by kinetic energy, nothing leaks): mean",
                           energy.mean, "x"),
            dlp_row_number("printed-momentum", "as printed, by the momentum's norm: mean", momentum.mean,
                           "x"),
            dlp_row_number("printed-active", "particles still active at the end, by kinetic energy",
                           courses[1].share[frames - 1], "%")};
        dlp_reproduce_add_all(reproduce, rows, 3);
    }
    close_courses(courses, 3);
    return status;
}

static dlp_status run_fall(dlp_reproduce *reproduce, dlp_error *error)
{
    const way ways[] = {fall_plain, fall_restrained}, printed[] = {fall_plain, fall_energy, fall_momentum};
    course *courses;
    dlp_status status = run_courses(reproduce, "fall", ways, 2, 375, &courses, error);
    if (status == DLP_OK) {
        const gain g = gain_of(&courses[0], &courses[1]);
        tell_gain(reproduce, &g, 3.85);
        plot_courses(reproduce, &courses[0], &courses[1]);
        status =
            dlp_lab_picture(&courses[1].lab, reproduce, "fall.png", "The restrained run after 15 s", error);
    }
    close_courses(courses, 2);
    return status == DLP_OK ? tell_printed(reproduce, printed, reproduce->is_full ? 375 : 150, error)
                            : status;
}

const dlp_experiment dlp_experiment_d_fall = {"D-fall", "5000 particles fall into a box, 15 s: speed-up",
                                              "manteaux2013, sec. 5", run_fall};

static dlp_status run_flow(dlp_reproduce *reproduce, dlp_error *error)
{
    const way ways[] = {{{RIVER "adapt.restraint", "false", NULL}}, {{NULL}}};
    course *courses;
    dlp_status status = run_courses(reproduce, "flow", ways, 2, 750, &courses, error);
    if (status == DLP_OK) {
        const gain g = gain_of(&courses[0], &courses[1]);
        tell_gain(reproduce, &g, 2.66);
        plot_courses(reproduce, &courses[0], &courses[1]);
        status =
            dlp_lab_picture(&courses[1].lab, reproduce, "flow.png", "The restrained run after 30 s", error);
    }
    close_courses(courses, 2);
    return status;
}

const dlp_experiment dlp_experiment_d_flow = {"D-flow", "A permanent flow, 30 s: speed-up",
                                              "manteaux2013, sec. 5", run_flow};

// ---- D-same

// The tank's columns, two spacings wide.
static double column_height(const dlp_world *world, double x, double y)
{
    double low = 0.02, high = 0.4;
    for (int32_t k = 0; k < 24; k++) {
        const double middle = 0.5 * (low + high);
        *(dlp_world_sample(world, dlp_vec(x, y, middle)).fraction > 0.5 ? &low : &high) = middle;
    }
    return low;
}

static void measure_heights(course *c)
{
    for (int32_t i = 0; i < 15; i++)
        for (int32_t j = 0; j < 11; j++)
            c->height[i][j] = column_height(c->lab.world, 0.04 * (i + 0.5), 0.04 * (j + 0.5));
}

typedef struct difference {
    double rms, largest;  // m: of the heights
    double front;         // largest difference of the fronts over the way gone, until one meets the wall
    double energy;        // J: of the whole
} difference;

static double energy_of(dlp_world *world)
{
    dlp_stats stats = {0};
    dlp_error error = {0};
    return dlp_world_stats(world, &stats, &error) == DLP_OK ? stats.kinetic_energy + stats.potential_energy
                                                            : (double)NAN;
}

static difference compare(const course *a, const course *b)
{
    difference d = {.energy = energy_of(b->lab.world) - energy_of(a->lab.world)};
    double sum = 0;
    for (int32_t i = 0; i < 15; i++)
        for (int32_t j = 0; j < 11; j++) {
            const double e = b->height[i][j] - a->height[i][j];
            sum += e * e;
            d.largest = fmax(d.largest, fabs(e));
        }
    d.rms = sqrt(sum / (15 * 11));
    for (int32_t k = 0; k < a->frames && a->front[k] < 0.57; k++)
        d.front = fmax(d.front, fabs(b->front[k] - a->front[k]) / (a->front[k] - 0.05));
    return d;
}

static void tell_difference(dlp_reproduce *reproduce, const difference *restrained, const difference *scatter)
{
    const double spacing = 0.02;
    const dlp_row rows[] = {
        dlp_row_limited("height", "height field at rest, restrained against plain, rms",
                        restrained->rms / spacing, "spacings", 0.1),
        dlp_row_number("height-scatter", "likewise, plain against plain from a start 1 mm aside",
                       scatter->rms / spacing, "spacings"),
        dlp_row_number("height-max", "largest difference, restrained against plain",
                       restrained->largest / spacing, "spacings"),
        dlp_row_limited("front", "front until it meets the wall, restrained against plain",
                        100 * restrained->front, "%", 2),
        dlp_row_number("front-scatter", "plain against plain", 100 * scatter->front, "%"),
        dlp_row_number("energy", "energy at the end, restrained less plain", restrained->energy, "J"),
        dlp_row_number("energy-scatter", "plain less plain", scatter->energy, "J")};
    dlp_reproduce_add_all(reproduce, rows, 7);
}

static dlp_status run_same(dlp_reproduce *reproduce, dlp_error *error)
{
    const way ways[] = {
        fall_plain,
        fall_restrained,
        {{WATER "adapt.restraint", "false", WATER "shape.translate", "[0.001, 0.001, 0]", NULL}}};
    course *courses;
    dlp_status status =
        run_courses(reproduce, "fall", ways, 3, reproduce->is_full ? 375 : 200, &courses, error);
    if (status == DLP_OK) {
        for (int32_t k = 0; k < 3; k++) measure_heights(&courses[k]);
        const difference restrained = compare(&courses[0], &courses[1]),
                         scatter = compare(&courses[0], &courses[2]);
        tell_difference(reproduce, &restrained, &scatter);
    }
    close_courses(courses, 3);
    return status;
}

const dlp_experiment dlp_experiment_d_same = {"D-same",
                                              "Restrained against plain: front, height field at rest, energy",
                                              "manteaux2013, sec. 5", run_same};

// ---- D-large

// A hundred thousand particles poured flat, so that they come to rest within a second; the plain solver is
// timed on its first frames, all of which cost it the same.
static dlp_status run_settled(dlp_reproduce *reproduce, dlp_error *error)
{
    enum { TIMED = 3, LIMIT = 100, AFTER = 25 };
#define FLAT                                                                                                 \
    WATER "particle.spacing", "0.0073", WATER "shape",                                                       \
        "{box: {min: [0, 0, 0.005], max: [0.6, 0.44, 0.154]}}", WATER "artificial_viscosity.alpha", "0.3"
    const way ways[] = {{{WATER "adapt.restraint", "false", FLAT, NULL}}, {{FLAT, NULL}}};
    course *courses;
    dlp_status status = run_courses(reproduce, "fall", ways, 2, TIMED, &courses, error);
    dlp_stats plain = {0}, still = {0};
    if (status == DLP_OK) status = dlp_world_stats(courses[0].lab.world, &plain, error);
    course *c = &courses[1];
    while (status == DLP_OK && c->share[c->frames - 1] > 0 && c->frames < LIMIT)
        status = step_course(c, NULL, error);
    const int32_t settled = c->frames;
    for (int32_t k = 0; status == DLP_OK && k < AFTER; k++) status = step_course(c, NULL, error);
    if (status == DLP_OK) status = dlp_world_stats(c->lab.world, &still, error);
    if (status == DLP_OK) {
        const double full = sum_of(courses[0].wall, 0, TIMED) / TIMED,
                     rest = sum_of(c->wall, settled, c->frames) / AFTER;
        const dlp_row rows[] = {
            dlp_row_number("particles", "poured flat", plain.particles, ""),
            dlp_row_number("settle", "time until nothing is active", c->time[settled - 1], "s"),
            dlp_row_reached("settled", "speed-up over the plain solver once settled", full / (rest + 1e-9),
                            "x", 25),
            dlp_row_limited("idle", "a step in which nothing is active, of a full one",
                            100 * (rest / (double)still.substeps) / (full / (double)plain.substeps), "%", 2)};
        dlp_reproduce_add_all(reproduce, rows, 4);
    }
    close_courses(courses, 2);
    return status;
}

// The mean of the fall at one size.
static dlp_status tell_mean(dlp_reproduce *reproduce, const char *spacing, dlp_error *error)
{
    const way ways[] = {{{WATER "adapt.restraint", "false", WATER "particle.spacing", spacing, NULL}},
                        {{WATER "particle.spacing", spacing, NULL}}};
    course *courses;
    dlp_status status = run_courses(reproduce, "fall", ways, 2, 375, &courses, error);
    if (status == DLP_OK) {
        char id[64], what[128];
        snprintf(id, sizeof id, "mean-%d", courses[0].lab.count);
        snprintf(what, sizeof what, "mean speed-up of the fall with %d particles", courses[0].lab.count);
        const dlp_row row = dlp_row_number(id, what, gain_of(&courses[0], &courses[1]).mean, "x");
        dlp_reproduce_add(reproduce, &row);
    }
    close_courses(courses, 2);
    return status;
}

static dlp_status run_large(dlp_reproduce *reproduce, dlp_error *error)
{
    static const char *const spacings[] = {"0.03", "0.02", "0.0125", "0.0073"};
    DLP_TRY(run_settled(reproduce, error));
    for (int32_t k = 0; k < (reproduce->is_full ? 4 : 1); k++)
        DLP_TRY(tell_mean(reproduce, spacings[k], error));
    return DLP_OK;
}

const dlp_experiment dlp_experiment_d_large = {
    "D-large", "The fall at 100 000 particles: once settled, and the mean by size", "manteaux2013, sec. 5",
    run_large};
