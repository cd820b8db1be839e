/* Gates of state-equation SPH: F6 (column at rest), F10 (dam break), F15 (momentum). */
#include "fixture_world.h"

#include "record/csv.h"

#include <stdio.h>
#include <stdlib.h>

// F6: a column of water at rest.

// c = 10 sqrt(g H), as in the reference table.
static const char COLUMN[] =
    "{title: Column at rest, dimension: 2, frames: {rate: 10, count: 100},"
    " substances: {water: {material: water, stiffness: 981, particle: {spacing: 0.025},"
    " shape: {box: {min: [0, 0], max: [0.5, 1]}}}},"
    " obstacles: [{box: {min: [0, 0], max: [0.5, 2], inside: true}}]}";

// Pressure of the exact compressible (Tait) column at height z: (1 + 6 g (H - z) / c^2)^(7/6).
static double column_pressure(double z)
{
    const double k = 981, g = 9.81, B = 1000 * k / 7;
    return B * (pow(1 + 6 * g * (1 - z) / k, 7.0 / 6) - 1);
}

static dlp_status run_column(dlp_reproduce *reproduce, dlp_error *error)
{
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, COLUMN, NULL, reproduce->thread_count, error));
    dlp_status status = dlp_fixture_run(&fixture, 10, error);
    double ratio = 0, bottom = 0, centre = 0, mass = 0, volume = 0, speed = 0;
    for (int32_t i = 0; i < fixture.count && status == DLP_OK; i++) {
        const double y = fixture.x[3 * i + 1], m = (double)fixture.mass[i];
        const float *v = fixture.v + 3 * i;
        mass += m;
        centre += m * y;
        volume += m / (double)fixture.density[i];
        speed += (double)(v[0] * v[0] + v[1] * v[1]);
        if (y < 0.1) {
            ratio += (double)fixture.pressure[i] / column_pressure(y);
            bottom += 1;
        }
    }
    if (status == DLP_OK) {
        const dlp_finding findings[] = {
            dlp_finding_compared("pressure", "pressure near the bottom over the exact one", ratio / bottom,
                                 "", 1, 0.02),
            dlp_finding_limited("speed", "residual rms speed / sqrt(g H) after 10 s",
                                sqrt(speed / fixture.count / 9.81), "", 0.02),
            dlp_finding_compared("volume", "volume (sum of m / rho) over that of the column", volume / 0.5,
                                 "", 1, 0.01),
            dlp_finding_compared("height", "height of the centre over H / 2: no sinking", centre / mass / 0.5,
                                 "", 1, 0.01)};
        for (int k = 0; k < 4; k++) dlp_reproduce_add(reproduce, &findings[k]);
        static double z[4096], p[4096], exact_z[51], exact_p[51];
        const int32_t count = fixture.count < 4096 ? fixture.count : 4096;
        for (int32_t i = 0; i < count; i++) {
            z[i] = fixture.x[3 * i + 1];
            p[i] = (double)fixture.pressure[i];
        }
        for (int k = 0; k <= 50; k++) {
            exact_z[k] = k / 50.0;
            exact_p[k] = column_pressure(exact_z[k]);
        }
        const dlp_series series[] = {{"particles", z, p, count, DLP_MARK_POINTS},
                                     {"exact", exact_z, exact_p, 51, DLP_MARK_LINE}};
        dlp_reproduce_plot(reproduce, "Pressure after 10 s", "height (m)", "pressure (Pa)", series, 2);
    }
    dlp_fixture_close(&fixture);
    return status;
}

const dlp_experiment dlp_experiment_f6 = {"F6", "Water column at rest for 10 s",
                                          "hydrostatics of a Tait fluid", run_column};

// F10: dam break.

// a = 0.05715 m, twice as high; the tank is long enough for the front to run freely.
static const char DAM[] = "{title: Dam break, dimension: 2, frames: {rate: 400, count: 200},"
                          " substances: {water: {material: water, particle: {spacing: 0.0012},"
                          " shape: {box: {min: [0, 0], max: [0.05715, 0.1143]}}}},"
                          " obstacles: [{box: {min: [0, 0], max: [0.5, 0.3], inside: true}, stick: 0}]}";

enum { DAM_FRAMES = 120 };

typedef struct dam_run {
    double T[DAM_FRAMES + 1], Z[DAM_FRAMES + 1];    // front: T = t sqrt(2 g / a), Z = x / a
    double tau[DAM_FRAMES + 1], H[DAM_FRAMES + 1];  // height at the wall: tau = t sqrt(g / a), H = y / 2a
} dam_run;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Front: where the twentieth particle from the end is, so that a single drop does not count.
static double front_of(const dlp_fixture *fixture, double *scratch)
{
    for (int32_t i = 0; i < fixture->count; i++) scratch[i] = fixture->x[3 * i];
    qsort(scratch, (size_t)fixture->count, sizeof *scratch, by_size);
    return scratch[fixture->count > 20 ? fixture->count - 20 : fixture->count - 1];
}

// Where the column ends: as a height gauge sees it two spacings from the wall, so that single drops do not
// count.
static double height_at_wall(const dlp_fixture *fixture, double spacing)
{
    for (double y = 0.2; y > 0; y -= 0.1 * spacing) {
        if (dlp_world_sample_at(fixture->world, dlp_vec(2 * spacing, y, 0)).fraction > 0.5) return y;
    }
    return 0;
}

static dlp_status simulate_dam(dlp_reproduce *reproduce, dam_run *run, dlp_error *error)
{
    const double a = 0.05715, g = 9.81;
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, DAM, NULL, reproduce->thread_count, error));
    double *scratch = malloc((size_t)fixture.count * sizeof *scratch);
    dlp_status status = scratch != NULL ? DLP_OK : dlp_fail(error, DLP_OUT_OF_MEMORY, "dam: no room");
    for (int k = 0; k <= DAM_FRAMES && status == DLP_OK; k++) {
        const double t = k / 400.0;
        status = dlp_fixture_run(&fixture, t, error);
        run->T[k] = t * sqrt(2 * g / a);
        run->tau[k] = t * sqrt(g / a);
        run->Z[k] = (front_of(&fixture, scratch) + 0.0006) / a;
        run->H[k] = height_at_wall(&fixture, 0.0012) / (2 * a);
        if (k == 60 && status == DLP_OK)
            status = dlp_fixture_picture(&fixture, reproduce, "front", "The dam break at 0.15 s", error);
    }
    free(scratch);
    dlp_fixture_close(&fixture);
    return status;
}

// Largest relative difference of the front over the table, with the time shift (up to 0.25) that makes it
// least.
static double front_error(const dam_run *run, const dlp_csv_data *table, double *out_shift)
{
    double best = 1e9;
    for (double shift = -0.25; shift <= 0.2501; shift += 0.01) {
        double worst = 0;
        for (int32_t k = 0; k < table->row_count; k++) {
            const double T = table->values[2 * k], Z = table->values[2 * k + 1];
            const double ours = dlp_between(run->T, run->Z, DAM_FRAMES + 1, T + shift);
            worst = fmax(worst, fabs(ours - Z) / Z);
        }
        if (worst < best) {
            best = worst;
            *out_shift = shift;
        }
    }
    return best;
}

static double height_error(const dam_run *run, const dlp_csv_data *table, double shift)
{
    double worst = 0;
    for (int32_t k = 0; k < table->row_count; k++) {
        const double tau = table->values[2 * k] + shift / sqrt(2);
        if (tau > run->tau[DAM_FRAMES]) continue;
        worst =
            fmax(worst, fabs(dlp_between(run->tau, run->H, DAM_FRAMES + 1, tau) - table->values[2 * k + 1]));
    }
    return worst;
}

static void plot_dam(dlp_reproduce *reproduce, const char *title, const double *x, const double *y,
                     const dlp_csv_data *table)
{
    double tx[64], ty[64];
    const int32_t count = table->row_count < 64 ? table->row_count : 64;
    for (int32_t k = 0; k < count; k++) {
        tx[k] = table->values[2 * k];
        ty[k] = table->values[2 * k + 1];
    }
    const dlp_series series[] = {{"ours", x, y, DAM_FRAMES + 1, DLP_MARK_LINE},
                                 {"experiment", tx, ty, count, DLP_MARK_POINTS}};
    dlp_reproduce_plot(reproduce, title, "dimensionless time", title, series, 2);
}

static dlp_status run_dam(dlp_reproduce *reproduce, dlp_error *error)
{
    char front_path[4096], height_path[4096];
    if (!dlp_reproduce_reference(reproduce, "dam_break/martin_moyce1952_n2eq2_front.csv", front_path,
                                 sizeof front_path))
        return DLP_OK;
    if (!dlp_reproduce_reference(reproduce, "dam_break/martin_moyce1952_n2eq2_height.csv", height_path,
                                 sizeof height_path))
        return DLP_OK;
    static dam_run run;
    dlp_csv_data front = {0}, height = {0};
    dlp_status status = dlp_csv_read(front_path, &front, error);
    if (status == DLP_OK) status = dlp_csv_read(height_path, &height, error);
    if (status == DLP_OK) status = simulate_dam(reproduce, &run, error);
    if (status == DLP_OK) {
        double shift = 0;
        const double worst = front_error(&run, &front, &shift);
        const dlp_finding findings[] = {
            dlp_finding_limited("front", "largest relative error of the front after one time shift", worst,
                                "", 0.08),
            dlp_finding_limited("shift", "size of that time shift", fabs(shift), "", 0.25),
            dlp_finding_limited("height", "largest error of the height at the wall over 2a",
                                height_error(&run, &height, shift), "", 0.05)};
        for (int k = 0; k < 3; k++) dlp_reproduce_add(reproduce, &findings[k]);
        plot_dam(reproduce, "front Z", run.T, run.Z, &front);
        plot_dam(reproduce, "height H", run.tau, run.H, &height);
    }
    dlp_csv_data_release(&front);
    dlp_csv_data_release(&height);
    return status;
}

const dlp_experiment dlp_experiment_f10 = {"F10", "Dam break, column twice as high as wide", "martin1952",
                                           run_dam};

// F15: momentum.

static const char BLOBS[] =
    "{title: Two blobs meet, frames: {rate: 100, count: 100}, gravity: [0, 0, 0],"
    " time: {step: 1.0e-4}, substances: {"
    "a: {material: water, viscosity: 1, stiffness: 400, particle: {spacing: 0.05},"
    " shape: {sphere: {center: [-0.35, 0.05, 0], radius: 0.3}}, velocity: [2, 0, 0]},"
    "b: {material: oil, stiffness: 400, particle: {spacing: 0.05},"
    " shape: {sphere: {center: [0.35, 0, 0.1], radius: 0.3}}, velocity: [-1, 0.5, 0]}}}";

static void momentum_of(const dlp_fixture *fixture, double p[3], double *out_size)
{
    p[0] = p[1] = p[2] = *out_size = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        const float *v = fixture->v + 3 * i;
        for (int axis = 0; axis < 3; axis++) p[axis] += (double)fixture->mass[i] * (double)v[axis];
        *out_size += (double)fixture->mass[i] * sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
}

static dlp_status run_momentum(dlp_reproduce *reproduce, dlp_error *error)
{
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, BLOBS, NULL, reproduce->thread_count, error));
    double start[3], now[3], size, unused;
    momentum_of(&fixture, start, &size);
    const dlp_status status = dlp_fixture_run(&fixture, 0.1, error);  // 1000 steps
    if (status == DLP_OK) {
        momentum_of(&fixture, now, &unused);
        const double drift =
            sqrt(pow(now[0] - start[0], 2) + pow(now[1] - start[1], 2) + pow(now[2] - start[2], 2));
        const dlp_finding finding = dlp_finding_limited(
            "drift", "drift of the momentum over 1000 steps, relative to sum m |v|", drift / size, "", 1e-5);
        dlp_reproduce_add(reproduce, &finding);
    }
    dlp_fixture_close(&fixture);
    return status;
}

const dlp_experiment dlp_experiment_f15 = {"F15", "Momentum without obstacles", "Newton's third law",
                                           run_momentum};
