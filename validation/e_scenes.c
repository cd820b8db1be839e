/* The source's scenes: how fast they go on this machine, and what they show, as numbers. */
#include "fixture_solid_run.h"

#include "base/memory.h"
#include "motion/solid/solid_solver.h"
#include "motion/world.h"

#include <stdio.h>

// E-tori: a heap of 324 rings.

static dlp_status run_tori(dlp_reproduce *reproduce, dlp_error *error)
{
    static const char *const settings[] = {"substances.rings.particle.spacing",
                                           "0.0163",
                                           "substances.rings.shape.torus",
                                           "{center: [0.1, 0.1, 0.1], radius: 0.07, tube: 0.021}",
                                           "substances.rings.shape.copies",
                                           "{count: [6, 6, 9], spacing: [0.2, 0.2, 0.055]}",
                                           "substances.rings.solid.substeps",
                                           "3",
                                           "substances.rings.solid.iterations",
                                           "8",
                                           "obstacles[0].box",
                                           "{min: [0, 0, 0], max: [1.2, 1.2, 2], inside: true}",
                                           "camera",
                                           "{from: [0.6, -1.9, 1.8], to: [0.6, 0.6, 0.15]}",
                                           NULL};
    dlp_solid_run run = {.scene = "tori", .settings = settings, .frames = 60, .timed = 20};
    dlp_status status = dlp_solid_run_all(reproduce, &run, error);
    if (status == DLP_OK) {
        dlp_solid_run_tell(reproduce, &run, "tori", &(dlp_solid_source){50544, 20.2, 4.266});
        status = dlp_fixture_picture(&run.fixture, reproduce, "tori", "324 rings after a second", error);
    }
    dlp_fixture_close(&run.fixture);
    return status;
}

const dlp_experiment dlp_experiment_e_tori = {"E-tori", "A heap of 324 rings", "yang2023, fig. 3, table 1",
                                              run_tori};

// E-bunny: a soft body folds over itself, with and without contacts with itself.

// How many particles are inside others of the same body that were far from them at rest: nearer than half of
// a spacing.
static int32_t count_inside(const dlp_fixture *fixture, const double *rest, double spacing)
{
    int32_t count = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        const double *x = fixture->x + 3 * (int64_t)i, *r = rest + 3 * (int64_t)i;
        bool is_inside = false;
        for (int32_t j = 0; j < fixture->count && !is_inside; j++) {
            const double *y = fixture->x + 3 * (int64_t)j, *s = rest + 3 * (int64_t)j;
            const dlp_vec3 now = dlp_vec(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
            const dlp_vec3 then = dlp_vec(r[0] - s[0], r[1] - s[1], r[2] - s[2]);
            is_inside =
                dlp_dot(now, now) < 0.25 * spacing * spacing && dlp_dot(then, then) > 16 * spacing * spacing;
        }
        count += is_inside;
    }
    return count;
}

static dlp_status drop_bunny(dlp_reproduce *reproduce, const char *self, const dlp_finding *finding,
                             const char *caption, dlp_error *error)
{
    const char *const settings[] = {"substances.body.solid.self", self, NULL};
    double *rest = NULL;
    dlp_solid_run run = {.scene = "bunny", .settings = settings, .frames = 40, .timed = 1};
    dlp_status status = dlp_solid_run_open(reproduce, &run, error);
    if (status == DLP_OK) status = dlp_fixture_keep_places(&run.fixture, &rest, error);
    if (status == DLP_OK) status = dlp_solid_run_frames(&run, error);
    if (status == DLP_OK) {
        dlp_finding found = *finding;
        found.value =
            100.0 *
            count_inside(&run.fixture, rest, dlp_solid_of(run.fixture.world)->params.materials[0].spacing) /
            run.fixture.count;
        if (found.has_reference) found.holds = found.value <= found.reference ? DLP_HOLDS_YES : DLP_HOLDS_NO;
        dlp_reproduce_add(reproduce, &found);
        status = dlp_fixture_picture(&run.fixture, reproduce, finding->id, caption, error);
    }
    dlp_free(rest);
    dlp_fixture_close(&run.fixture);
    return status;
}

// As the source has it: so soft that its own weight flattens it.
static dlp_status time_bunny(dlp_reproduce *reproduce, const char *self, const char *name, dlp_error *error)
{
    const char *const settings[] = {"substances.body.particle.spacing",
                                    reproduce->is_full ? "0.006" : "0.012",
                                    "substances.body.solid.youngs_modulus",
                                    "500",
                                    "substances.body.solid.substeps",
                                    "2",
                                    "substances.body.solid.iterations",
                                    "8",
                                    "substances.body.solid.self",
                                    self,
                                    NULL};
    dlp_solid_run run = {.scene = "bunny", .settings = settings, .frames = 40, .timed = 20};
    const dlp_status status = dlp_solid_run_all(reproduce, &run, error);
    if (status == DLP_OK) dlp_solid_run_tell(reproduce, &run, name, &(dlp_solid_source){41555, 13.62, 2.994});
    dlp_fixture_close(&run.fixture);
    return status;
}

static dlp_status run_bunny(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_finding with =
        dlp_finding_limited("self", "particles inside another part of the body, with contacts", 0, "%", 0.5);
    const dlp_finding without = dlp_finding_number("none", "likewise, without", 0, "%");
    DLP_TRY(drop_bunny(reproduce, "true", &with, "With contacts with itself", error));
    DLP_TRY(drop_bunny(reproduce, "false", &without, "Without: parts lie in one another", error));
    DLP_TRY(time_bunny(reproduce, "true", "self", error));
    return time_bunny(reproduce, "false", "none", error);
}

const dlp_experiment dlp_experiment_e_bunny = {"E-bunny", "A soft body folds over itself",
                                               "yang2023, fig. 4, table 1", run_bunny};

// E-towel: threads that run slantwise skew a pull.

// The mean gradient of displacement of the particles in the middle.
static void mean_strain(const dlp_fixture *fixture, const double *rest, double out_h[9])
{
    int32_t count = 0;
    for (int k = 0; k < 9; k++) out_h[k] = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        const double *x = rest + 3 * (int64_t)i;
        double f[9];
        if (fabs(x[0]) > 0.05 || fabs(x[2] - 0.25) > 0.1) continue;
        dlp_solid_gradient(dlp_solid_of(fixture->world), i, f);
        for (int k = 0; k < 9; k++) out_h[k] += f[k] - (k % 4 == 0);
        count++;
    }
    for (int k = 0; k < 9; k++) out_h[k] /= count;
}

// A pull of sigma along z, fibres of modulus M along n = (1, 0, 1) / sqrt 2 in a body of E and nu. With the
// compliance S of the body alone and N = n n^T, the strain is S sigma - M (S N) (N S sigma) / (1 + M N S N).
static void towel_theory(double *out_along, double *out_shear)
{
    const double young = 2000, nu = 0.1, fiber = 40000, sigma = 0.1 / (0.4 * 0.03);
    const double fiber_strain = sigma * 0.5 * (1 - nu) / young, share = fiber / (1 + fiber / young);
    *out_along = sigma / young - share * fiber_strain * ((1 + nu) * 0.5 - nu) / young;
    *out_shear = -share * fiber_strain * (1 + nu) * 0.5 / young;
}

static void tell_towel(dlp_reproduce *reproduce, const double h[9])
{
    double along, shear;
    towel_theory(&along, &shear);
    const dlp_finding findings[] = {
        dlp_finding_compared("along", "strain along the pull, within 10 % of Hooke's law with fibres", h[8],
                             "", along, 0.1),
        dlp_finding_compared("skew", "shear strain that comes with it, likewise", 0.5 * (h[2] + h[6]), "",
                             shear, 0.1)};
    dlp_reproduce_add_all(reproduce, findings, 2);
}

#define TOWEL "substances.towel."
// A weak pull without weight, for which there is a theory; then the scene itself for the picture and the
// time.
static dlp_status pull_towel(dlp_reproduce *reproduce, dlp_error *error)
{
    static const char *const settings[] = {
        "gravity", "[0, 0, 0]", "loads[0].force", "[0, 0, -0.1]", TOWEL "solid.damping", "20", NULL};
    double *rest = NULL, h[9];
    dlp_solid_run run = {.scene = "towel", .settings = settings, .frames = 180, .timed = 1};
    dlp_status status = dlp_solid_run_open(reproduce, &run, error);
    if (status == DLP_OK) status = dlp_fixture_keep_places(&run.fixture, &rest, error);
    if (status == DLP_OK) status = dlp_solid_run_frames(&run, error);
    if (status == DLP_OK) {
        mean_strain(&run.fixture, rest, h);
        tell_towel(reproduce, h);
    }
    dlp_free(rest);
    dlp_fixture_close(&run.fixture);
    return status;
}

static dlp_status run_towel(dlp_reproduce *reproduce, dlp_error *error)
{
    static const char *const settings[] = {TOWEL "solid.substeps", "4", TOWEL "solid.iterations", "10", NULL};
    dlp_solid_run run = {.scene = "towel", .settings = settings, .frames = 60, .timed = 20};
    DLP_TRY(pull_towel(reproduce, error));
    dlp_status status = dlp_solid_run_all(reproduce, &run, error);
    if (status == DLP_OK) {
        dlp_solid_run_tell(reproduce, &run, "towel", &(dlp_solid_source){8404, 11.952, 0});
        status =
            dlp_fixture_picture(&run.fixture, reproduce, "towel", "Pulled down, it moves sideways", error);
    }
    dlp_fixture_close(&run.fixture);
    return status;
}

const dlp_experiment dlp_experiment_e_towel = {"E-towel", "A towel is stiffer along 45 degrees",
                                               "yang2023, fig. 6, table 1", run_towel};

// E-metal: balls bend plates.

// m: how far the middle of a plate has sunk.
static double sunk(const dlp_fixture *fixture, const double *rest, int32_t substance)
{
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        if (dlp_solid_of(fixture->world)->state.particles.substance[i] != substance ||
            fabs(rest[3 * i]) > 0.02)
            continue;
        sum += rest[3 * i + 2] - fixture->x[3 * i + 2];
        count++;
    }
    return sum / count;
}

enum { SPRING, METAL, PLATES };

static void tell_metal(dlp_reproduce *reproduce, const double *most, const double *left)
{
    const dlp_finding findings[] = {
        dlp_finding_number("spring-bent", "the elastic plate is bent by", 1e3 * most[SPRING], "mm"),
        dlp_finding_limited("spring-left", "of that is left 2 s after all weight is gone",
                            100 * fabs(left[SPRING] / most[SPRING]), "%", 1),
        dlp_finding_number("metal-bent", "the plastic plate is bent by", 1e3 * most[METAL], "mm"),
        dlp_finding_reached("metal-left", "of that is left 2 s after all weight is gone",
                            100 * left[METAL] / most[METAL], "%", 50)};
    dlp_reproduce_add_all(reproduce, findings, 4);
}

static dlp_status watch_plates(dlp_solid_run *run, double *most, double *left, dlp_error *error)
{
    double *rest = NULL;
    dlp_status status = dlp_fixture_keep_places(&run->fixture, &rest, error);
    for (int32_t k = 0; k < 240 && status == DLP_OK; k++) {
        status = dlp_world_step_frame(run->fixture.world, error);
        if (status == DLP_OK) status = dlp_fixture_look(&run->fixture, error);
        for (int32_t plate = 0; plate < PLATES && status == DLP_OK; plate++) {
            left[plate] = sunk(&run->fixture, rest, plate);
            most[plate] = fmax(most[plate], left[plate]);
        }
    }
    dlp_free(rest);
    return status;
}

// Stiffness, sub-steps and sweeps of the source's table.
#define AS_SOURCE(name)                                                                                      \
    "substances." name ".solid.youngs_modulus", "2000", "substances." name ".solid.substeps", "4",           \
        "substances." name ".solid.iterations", "8"

static dlp_status run_metal(dlp_reproduce *reproduce, dlp_error *error)
{
    static const char *const source[] = {AS_SOURCE("spring"), AS_SOURCE("metal"), AS_SOURCE("balls"),
                                         "gravity",           "[0, 0, -0.1]",     NULL};
    // after 2 s all weight is taken away, since the plates sag under their own, and the swings are damped
    static const char *const settled[] = {
        "gravity",
        "{keys: [[0, [0, 0, -9.81]], [2, [0, 0, -9.81]], [2.1, [0, 0, 0]]]}",
        "substances.spring.solid.damping",
        "{keys: [[2, 0], [2.2, 10]]}",
        "substances.metal.solid.damping",
        "{keys: [[2, 0], [2.2, 10]]}",
        NULL};
    double most[PLATES] = {0}, left[PLATES];
    dlp_solid_run slow = {.scene = "metal", .settings = settled};
    dlp_solid_run quick = {.scene = "metal", .settings = source, .frames = 20, .timed = 10};
    dlp_status status = dlp_solid_run_open(reproduce, &slow, error);
    if (status == DLP_OK) status = watch_plates(&slow, most, left, error);
    if (status == DLP_OK) tell_metal(reproduce, most, left);
    if (status == DLP_OK)
        status = dlp_fixture_picture(&slow.fixture, reproduce, "metal",
                                     "In front the elastic plate, behind the plastic one", error);
    if (status == DLP_OK) status = dlp_solid_run_all(reproduce, &quick, error);
    if (status == DLP_OK)
        dlp_solid_run_tell(reproduce, &quick, "metal", &(dlp_solid_source){4875, 15.978, 7.2});
    dlp_fixture_close(&quick.fixture);
    dlp_fixture_close(&slow.fixture);
    return status;
}

const dlp_experiment dlp_experiment_e_metal = {"E-metal", "Balls fall on elastic and on plastic plates",
                                               "yang2023, fig. 7, table 1", run_metal};

// E-sausages: sliced, and the slices in a box.

static double mass_of(const dlp_fixture *fixture)
{
    double mass = 0;
    for (int32_t i = 0; i < fixture->count; i++)
        mass += dlp_solid_of(fixture->world)->state.particles.mass[i];
    return mass;
}

#define SAUSAGE "substances.sausage."
static dlp_status run_sausages(dlp_reproduce *reproduce, dlp_error *error)
{
    const char *const source[] = {SAUSAGE "particle.spacing",
                                  reproduce->is_full ? "0.0031" : "0.006",
                                  SAUSAGE "solid.youngs_modulus",
                                  "2000",
                                  SAUSAGE "solid.substeps",
                                  "3",
                                  SAUSAGE "solid.iterations",
                                  "8",
                                  NULL};
    dlp_solid_run quick = {.scene = "sausages", .settings = source, .frames = 60, .timed = 20};
    dlp_solid_run slow = {.scene = "sausages", .frames = 150, .timed = 1};
    dlp_status status = dlp_solid_run_all(reproduce, &slow, error);
    if (status == DLP_OK) {
        // 3 x (pi r^2 L + 4/3 pi r^3) of the scene, 1050 kg/m3; a fill keeps the volume of the shape
        const double mass = 3 * 1050 * DLP_PI * 0.02 * 0.02 * (0.26 + 4.0 / 3 * 0.02);
        const dlp_finding findings[] = {
            dlp_finding_compared("pieces", "pieces of 3 sausages after 4 cuts through each",
                                 dlp_solid_of(slow.fixture.world)->topology.fragment_count, "", 15, 0),
            dlp_finding_compared("mass", "of all pieces", mass_of(&slow.fixture), "kg", mass, 1e-3)};
        dlp_reproduce_add_all(reproduce, findings, 2);
        status = dlp_fixture_picture(&slow.fixture, reproduce, "sausages", "Slices in the box", error);
    }
    if (status == DLP_OK) status = dlp_solid_run_all(reproduce, &quick, error);
    if (status == DLP_OK)
        dlp_solid_run_tell(reproduce, &quick, "sausages", &(dlp_solid_source){38448, 21.676, 5.683});
    dlp_fixture_close(&quick.fixture);
    dlp_fixture_close(&slow.fixture);
    return status;
}

const dlp_experiment dlp_experiment_e_sausages = {"E-sausages", "Sausages are pushed out and sliced",
                                                  "yang2023, fig. 8, table 1", run_sausages};
