/* Page D: restrained cloth beside our own plain implicit solver. */
#include "fixture_race.h"

#include "motion/cloth/cloth.h"
#include "motion/world.h"

#include <stdio.h>

// m/s: the largest momentum over mass of any particle, whether it shows as motion or not.
static double fastest_of(const dlp_fixture *fixture)
{
    const dlp_cloth_particles *p = dlp_cloth_particles_of(dlp_cloth_of(fixture->world));
    double fastest = 0;
    for (int32_t i = 0; i < p->count; i++) {
        const double *v = p->velocity + 3 * (int64_t)i;
        fastest = fmax(fastest, dlp_length(dlp_vec(v[0], v[1], v[2])));
    }
    return fastest;
}

static double largest_of(const double *values, int32_t begin, int32_t end)
{
    double largest = 0;
    for (int32_t k = begin; k < end; k++) largest = fmax(largest, values[k]);
    return largest;
}

// A cloth that swings down.

#define CLOTH "substances.cloth."
#define PLAIN CLOTH "adapt.restraint", "false"

static void tell_shape(dlp_reproduce *reproduce, const dlp_course *courses)
{
    const double spacing = 0.025;
    const dlp_finding findings[] = {
        dlp_finding_number("shape", "shape after 20 s, restrained against plain, rms",
                           dlp_fixture_distance(&courses[0].fixture, &courses[1].fixture) / spacing,
                           "spacings"),
        dlp_finding_number("shape-scatter", "likewise, plain against plain from a start at 1 cm/s",
                           dlp_fixture_distance(&courses[0].fixture, &courses[2].fixture) / spacing,
                           "spacings"),
        dlp_finding_number("active", "particles still active in the end",
                           courses[1].share[courses[1].frames - 1], "%")};
    dlp_reproduce_add_all(reproduce, findings, 3);
}

static dlp_status run_hang(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_race_variant variants[] = {
        {{PLAIN, NULL}}, {{NULL}}, {{PLAIN, CLOTH "velocity", "[0.01, 0, 0]", NULL}}};
    const dlp_race race = {.bundled = "hang", .variants = variants, .count = 3, .frames = 500};
    dlp_course *courses;
    dlp_status status = dlp_race_run(reproduce, &race, &courses, error);
    if (status == DLP_OK) {
        const dlp_gain g = dlp_gain_of(&courses[0], &courses[1]);
        const dlp_finding work = dlp_finding_number(
            "work", "products of a row of the matrix, plain over restrained", g.products, "x");
        dlp_gain_tell(reproduce, &g, 2.73);
        dlp_reproduce_add(reproduce, &work);
        tell_shape(reproduce, courses);
        dlp_gain_plot(reproduce, &courses[0], &courses[1]);
        status = dlp_fixture_picture(&courses[1].fixture, reproduce, "hang.png",
                                     "The restrained run after 20 s", error);
    }
    dlp_race_close(courses, 3);
    return status;
}

// The forms as published.

static void tell_form(dlp_reproduce *reproduce, const char *name, const char *spacing,
                      const dlp_course *plain, const dlp_course *course)
{
    const dlp_gain g = dlp_gain_of(plain, course);
    const int32_t frames = course->frames;
    char id[4][48], what[128];
    snprintf(id[0], sizeof id[0], "%s-%s", name, spacing);
    snprintf(id[1], sizeof id[1], "%s-%s-work", name, spacing);
    snprintf(id[2], sizeof id[2], "%s-%s-speed", name, spacing);
    snprintf(id[3], sizeof id[3], "%s-%s-end", name, spacing);
    snprintf(what, sizeof what, "form %s at a spacing of %s m: mean speed-up while it runs", name, spacing);
    const dlp_finding findings[] = {
        dlp_finding_number(id[0], what, g.mean, "x"),
        dlp_finding_number(id[1], "products of a row of the matrix, plain over this", g.products, "x"),
        dlp_finding_number(id[2], "its largest speed over the plain run's",
                           largest_of(course->measured, 0, frames) / largest_of(plain->measured, 0, frames),
                           "x"),
        dlp_finding_number(id[3],
                           course->has_diverged ? "DIVERGED: no step is small enough after" : "ran until",
                           frames > 0 ? course->time[frames - 1] : 0, "s")};
    dlp_reproduce_add_all(reproduce, findings, 4);
}

// The published forms beside the convex one. That they diverge, or take ever smaller steps, is a finding.
static dlp_status run_forms(dlp_reproduce *reproduce, const char *spacing, int32_t frames, dlp_error *error)
{
    static const char *const names[] = {"plain", "convex", "energy", "momentum"};
    enum { VARIANTS = 4 };
    dlp_race_variant variants[VARIANTS] = {{{PLAIN, CLOTH "particle.spacing", spacing, NULL}}};
    for (int k = 1; k < VARIANTS; k++)
        variants[k] =
            (dlp_race_variant){{CLOTH "restraint.form", names[k], CLOTH "particle.spacing", spacing, NULL}};
    const dlp_race race = {.bundled = "hang",
                           .variants = variants,
                           .count = VARIANTS,
                           .frames = frames,
                           .measure = fastest_of,
                           .may_diverge = true};
    dlp_course *courses;
    const dlp_status status = dlp_race_run(reproduce, &race, &courses, error);
    for (int k = 1; status == DLP_OK && k < VARIANTS; k++)
        tell_form(reproduce, names[k], spacing, &courses[0], &courses[k]);
    dlp_race_close(courses, VARIANTS);
    return status;
}

// A coarse sheet to the end; a fine one, whose steps the published forms make ever smaller, only as it falls.
static dlp_status run_paper_form(dlp_reproduce *reproduce, dlp_error *error)
{
    DLP_TRY(run_forms(reproduce, "0.1", 500, error));
    return run_forms(reproduce, "0.025", reproduce->is_full ? 25 : 15, error);
}

// Strong disturbances.

// Hangs by its upper edge and is at rest when something happens, three seconds after the start; a step is a
// frame: h^2 k / m = 1480.
#define VICTIM                                                                                               \
    "frames: {rate: 60, count: 240},"                                                                        \
    " substances: {cloth: {material: cotton, particle: {spacing: 0.05}, cloth: {damping: 2},"                \
    " adapt: {restraint: true}, shape: {sheet: {normal: [0, 1, 0], size: [0.5, 0.5]}}}},"
#define EDGE "{name: edge, substance: cloth, box: {min: [-1, -1, 0.249], max: [1, 1, 1]}"
enum { EVENT = 180, AFTER = 36 };

typedef struct violence {
    const char *id, *what, *scene;
} violence;

static const violence violences[] = {
    {"pull", "a corner pulled at 20 m/s",
     "{title: Pull, " VICTIM " attachments: [" EDGE "}, {name: corner, substance: cloth,"
     " sphere: {center: [0.25, 0, -0.25], radius: 0.01}, start: 3,"
     " position: {keys: [[3, [0, 0, 0]], [3.02, [0.4, 0, 0]]]}}]}"},
    {"ball", "a ball at 5 m/s",
     "{title: Ball, " VICTIM " attachments: [" EDGE "}],"
     " obstacles: [{name: ball, sphere: {center: [0, -0.2, 0], radius: 0.08},"
     " position: {keys: [[3, [0, 0, 0]], [3.08, [0, 0.4, 0]]]}}]}"},
    {"pins", "pins that suddenly move at 5 m/s",
     "{title: Pins, " VICTIM " attachments: [" EDGE ", position: {keys: [[3, [0, 0, 0]],"
     " [3.1, [0.5, 0, 0]], [3.3, [-0.5, 0, 0]], [3.4, [0, 0, 0]]]}}]}"}};

static dlp_vec3 edge_of(const double *x, int32_t from, int32_t to)
{
    const double *a = x + 3 * (int64_t)from, *b = x + 3 * (int64_t)to;
    return dlp_vec(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
}

// The largest strain of warp or weft.
static double strain_of(const dlp_fixture *fixture)
{
    int32_t count;
    const dlp_cloth *cloth = dlp_cloth_of(fixture->world);
    const dlp_cloth_triangle *triangles = dlp_cloth_rest_triangles(cloth, &count);
    const int32_t *corners = dlp_cloth_triangle_corners(cloth);
    double largest = 0;
    for (int32_t k = 0; k < count; k++) {
        const dlp_cloth_triangle *t = &triangles[k];
        const int32_t *corner = corners + 3 * (int64_t)k;
        const dlp_vec3 a = edge_of(fixture->x, corner[0], corner[1]),
                       b = edge_of(fixture->x, corner[0], corner[2]);
        const double warp = dlp_length(dlp_along(dlp_mul(a, t->inverse_rest[0]), b, t->inverse_rest[2])),
                     weft = dlp_length(dlp_along(dlp_mul(a, t->inverse_rest[1]), b, t->inverse_rest[3]));
        largest = fmax(largest, fmax(warp, weft) - 1);
    }
    return largest;
}

// What the event does to the plain and to the restrained cloth, by one measure: the largest within 0.6 s, and
// the share of active particles of the latter before it, %.
static dlp_status suffer(const dlp_reproduce *reproduce, const violence *v,
                         double (*measure)(const dlp_fixture *fixture), double out_largest[2],
                         double *out_active, dlp_error *error)
{
    const dlp_race_variant variants[] = {{{PLAIN, NULL}}, {{NULL}}};
    const dlp_race race = {
        .text = v->scene, .variants = variants, .count = 2, .frames = EVENT + AFTER, .measure = measure};
    dlp_course *courses;
    const dlp_status status = dlp_race_run(reproduce, &race, &courses, error);
    for (int k = 0; status == DLP_OK && k < 2; k++)
        out_largest[k] = largest_of(courses[k].measured, EVENT, EVENT + AFTER);
    if (status == DLP_OK) *out_active = courses[1].share[EVENT - 1];
    dlp_race_close(courses, 2);
    return status;
}

// A stiff cloth multiplies what differs in the first step: hence the shares.
static dlp_status run_violence(dlp_reproduce *reproduce, const violence *v, dlp_error *error)
{
    double speed[2], strain[2], active;
    DLP_TRY(suffer(reproduce, v, fastest_of, speed, &active, error));
    DLP_TRY(suffer(reproduce, v, strain_of, strain, &active, error));
    char id[5][48], what[3][128];
    snprintf(id[0], sizeof id[0], "%s-speed-plain", v->id);
    snprintf(id[1], sizeof id[1], "%s-speed", v->id);
    snprintf(id[2], sizeof id[2], "%s-strain-plain", v->id);
    snprintf(id[3], sizeof id[3], "%s-strain", v->id);
    snprintf(id[4], sizeof id[4], "%s-active", v->id);
    snprintf(what[2], sizeof what[2], "%s: active particles before", v->what);
    snprintf(what[0], sizeof what[0], "%s: largest speed, plain", v->what);
    snprintf(what[1], sizeof what[1], "%s: largest strain, plain", v->what);
    const dlp_finding findings[] = {
        dlp_finding_number(id[4], what[2], active, "%"), dlp_finding_number(id[0], what[0], speed[0], "m/s"),
        dlp_finding_limited(id[1], "restrained, hidden momentum included", speed[1], "m/s",
                            1.2 * speed[0] + 0.1),
        dlp_finding_number(id[2], what[1], 100 * strain[0], "%"),
        dlp_finding_limited(id[3], "restrained", 100 * strain[1], "%", 115 * strain[0] + 2)};
    dlp_reproduce_add_all(reproduce, findings, 5);
    return DLP_OK;
}

static dlp_status run_cloth(dlp_reproduce *reproduce, dlp_error *error)
{
    DLP_TRY(run_hang(reproduce, error));
    for (size_t k = 0; k < sizeof violences / sizeof *violences; k++)
        DLP_TRY(run_violence(reproduce, &violences[k], error));
    return run_paper_form(reproduce, error);
}

const dlp_experiment dlp_experiment_d_cloth = {
    "D-cloth", "A hanging cloth, 20 s: speed-up, shape, stability, and the published forms",
    "manteaux2013, sec. 5", run_cloth};
