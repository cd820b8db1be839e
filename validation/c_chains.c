/* Gates of cloth against closed forms, tabulated: C1 (catenary), C2 (masses on springs), C3 (modes of a
 * hanging chain). A chain is a rope of cloth: a strip a millimetre wide, of 0.15 kg/m2. */
#include "fixture_world.h"

#include "record/csv.h"

#include <stdio.h>

#define G      9.81
#define WEIGHT (0.15 * 1e-3) /* kg/m */
#define STRIP  "weight: 0.15, width: 0.001, bend: 0, inner_damping: 0, self: false"
#define STILL  "gravity: [0, 0, -9.81], air_density: 0,"

static double table_at(const dlp_csv_data *table, int32_t row, const char *column)
{
    const int32_t k = dlp_csv_column(table, column);
    return k < 0 ? (double)NAN : table->values[row * table->column_count + k];
}

static dlp_vec3 place_of(const dlp_fixture *fixture, int32_t i)
{
    const double *x = fixture->x + 3 * (int64_t)i;
    return dlp_vec(x[0], x[1], x[2]);
}

typedef struct gate {
    const char *file, *columns[4];  // of the table; ended by NULL
    int32_t row_limit;
    dlp_status (*run_row)(dlp_reproduce *reproduce, const dlp_csv_data *table, int32_t row, dlp_error *error);
} gate;

// All entries of the tables are numbers above 0 and of moderate size.
static dlp_status check_row(const gate *g, const dlp_csv_data *table, int32_t row, dlp_error *error)
{
    for (int k = 0; g->columns[k] != NULL; k++) {
        const double value = table_at(table, row, g->columns[k]);
        if (!(value > 0 && value < 1e6))
            return dlp_fail(error, DLP_INVALID, "%s: row %d: %s is %g; it must be a number above 0", g->file,
                            row + 1, g->columns[k], value);
    }
    return DLP_OK;
}

// One row of the table after another; skipped where there is no such table.
static dlp_status run_gate(dlp_reproduce *reproduce, const gate *g, dlp_error *error)
{
    char path[4096];
    if (!dlp_reproduce_reference(reproduce, g->file, path, sizeof path)) return DLP_OK;
    dlp_csv_data table = {0};
    dlp_status status = dlp_csv_read(path, &table, error);
    for (int32_t row = 0; status == DLP_OK && row < table.row_count && row < g->row_limit; row++) {
        status = check_row(g, &table, row, error);
        if (status == DLP_OK) status = g->run_row(reproduce, &table, row, error);
    }
    dlp_csv_data_release(&table);
    return status;
}

// C1: the catenary.

enum { LINKS = 120 };
#define STRETCH 1e5 /* N/m: 3e-5 longer at most */

// N: the last link's pull, and the half link that hangs on the pin itself.
static double end_tension(const dlp_fixture *fixture, double length)
{
    const dlp_vec3 d = dlp_sub(place_of(fixture, 1), place_of(fixture, 0));
    const double now = dlp_length(d), rest = length / LINKS;
    dlp_vec3 pull = dlp_mul(d, STRETCH * 1e-3 * (now / rest - 1) / now);
    pull.z -= 0.5 * WEIGHT * rest * G;
    return dlp_length(pull);
}

// Level at first; then one end comes nearer, until the span is a metre.
static dlp_status hang_chain(dlp_reproduce *reproduce, double length, dlp_fixture *fixture, dlp_error *error)
{
    char scene[1024];
    snprintf(
        scene, sizeof scene,
        "{title: Catenary, frames: {rate: 60, count: 1200}, " STILL
        " substances: {chain: {model: cloth, particle: {spacing: %.17g}, cloth: {" STRIP
        ", stretch: %g, damping: 4}, shape: {capsule: {from: [0, 0, 0], to: [%.17g, 0, 0],"
        " radius: 0.001}}}}, attachments: [{substance: chain, sphere: {center: [0, 0, 0], radius: 0.001}},"
        " {substance: chain, sphere: {center: [%.17g, 0, 0], radius: 0.001},"
        " position: {keys: [[0, [0, 0, 0]], [1, [%.17g, 0, 0]]]}}]}",
        length / LINKS, STRETCH, length, length, 1 - length);
    DLP_TRY(dlp_fixture_open(fixture, scene, NULL, reproduce->thread_count, error));
    return dlp_fixture_run(fixture, 20, error);
}

static dlp_status run_catenary(dlp_reproduce *reproduce, const dlp_csv_data *table, int32_t row,
                               dlp_error *error)
{
    const double length = table_at(table, row, "length_over_span");
    dlp_fixture fixture = {0};
    const dlp_status status = hang_chain(reproduce, length, &fixture, error);
    if (status == DLP_OK) {
        char id[2][48], what[2][96];
        snprintf(id[0], sizeof id[0], "sag-%g", length);
        snprintf(what[0], sizeof what[0], "sag of a chain %g spans long, within 1 %%", length);
        snprintf(id[1], sizeof id[1], "tension-%g", length);
        snprintf(what[1], sizeof what[1], "tension at its end over the weight of a span, within 1 %%");
        const dlp_finding findings[] = {dlp_finding_compared(id[0], what[0], -place_of(&fixture, LINKS / 2).z,
                                                             "spans", table_at(table, row, "sag"), 0.01),
                                        dlp_finding_compared(id[1], what[1],
                                                             end_tension(&fixture, length) / (WEIGHT * G), "",
                                                             table_at(table, row, "Tend_over_w"), 0.01)};
        dlp_reproduce_add_all(reproduce, findings, 2);
    }
    dlp_fixture_close(&fixture);
    return status;
}

static dlp_status run_c1(dlp_reproduce *reproduce, dlp_error *error)
{
    static const gate g = {.file = "cloth/catenary.csv",
                           .columns = {"length_over_span", "sag", "Tend_over_w"},
                           .row_limit = INT32_MAX,
                           .run_row = run_catenary};
    return run_gate(reproduce, &g, error);
}

const dlp_experiment dlp_experiment_c1 = {"C1", "A hanging chain: sag and tension at its ends",
                                          "closed form: the catenary", run_c1};

// C2: masses on springs.

// n equal masses below a fixed one: the last has half a link's mass, and a load as heavy.
static dlp_status run_springs(dlp_reproduce *reproduce, const dlp_csv_data *table, int32_t row,
                              dlp_error *error)
{
    const int32_t n = (int32_t)ceil(table_at(table, row, "N"));
    const double mass = WEIGHT / n, stiffness = 50 * 1e-3 * n;
    char scene[1024], id[32], what[96];
    snprintf(
        scene, sizeof scene,
        "{title: Springs, frames: {rate: 60, count: 1200}, " STILL
        " substances: {chain: {model: cloth, particle: {spacing: %.17g}, cloth: {" STRIP
        ", stretch: 50, damping: 10}, shape: {capsule: {from: [0, 0, 0], to: [0, 0, -1],"
        " radius: 0.001}}}}, attachments: [{substance: chain, sphere: {center: [0, 0, 0], radius: 0.001}},"
        " {substance: chain, sphere: {center: [0, 0, -1], radius: 0.001}, hold: false, mass: %.17g}]}",
        1.0 / n, mass / 2);
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, scene, NULL, reproduce->thread_count, error));
    const dlp_status status = dlp_fixture_run(&fixture, 20, error);
    if (status == DLP_OK) {
        snprintf(id, sizeof id, "elongation-%d", n);
        snprintf(what, sizeof what, "of %d masses on springs, in m g / k, within 1e-6", n);
        const double elongation = (-place_of(&fixture, n).z - 1) * stiffness / (mass * G);
        const dlp_finding result = dlp_finding_compared(
            id, what, elongation, "", table_at(table, row, "tip_elongation_k_over_mg"), 1e-6);
        dlp_reproduce_add(reproduce, &result);
    }
    dlp_fixture_close(&fixture);
    return status;
}

static dlp_status run_c2(dlp_reproduce *reproduce, dlp_error *error)
{
    static const gate g = {.file = "cloth/mass_spring_chain.csv",
                           .columns = {"N", "tip_elongation_k_over_mg"},
                           .row_limit = INT32_MAX,
                           .run_row = run_springs};
    return run_gate(reproduce, &g, error);
}

const dlp_experiment dlp_experiment_c2 = {"C2", "A chain of masses and springs: how long it hangs",
                                          "closed form", run_c2};

// C3: modes of a hanging chain.

enum { MODE_LINKS = 80, MODE_RATE = 1000, SETTLING = 300, CROSSINGS = 5 };

static double bessel_0(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; k < 40; k++) {
        term *= -(x * x / 4) / (k * k);
        sum += term;
    }
    return sum;
}

// A push along y in the shape of the first mode: J0(j01 sqrt(z / L)), z from the free end, j01 = 2 omega_1
// sqrt(L / g).
static void push_mode(dlp_fixture *fixture, double omega)
{
    static float kicks[3 * (MODE_LINKS + 1)];
    for (int32_t i = 1; i <= MODE_LINKS; i++)
        kicks[3 * i + 1] = (float)(3e-3 * bessel_0(2 * omega * sqrt(1.0 - (double)i / MODE_LINKS)));
    dlp_world_add_velocity(fixture->world, kicks);
}

// rad/s: from the times at which the free end passes the middle, over two periods.
static dlp_status measure_omega(dlp_fixture *fixture, double *out_omega, dlp_error *error)
{
    const double h = 1.0 / MODE_RATE;
    double last = 0, first = 0, crossing = 0;
    int32_t count = 0;
    for (int32_t k = 0; count < CROSSINGS && k < 8 * MODE_RATE; k++) {
        DLP_TRY(dlp_world_step_frame(fixture->world, error));
        DLP_TRY(dlp_fixture_look(fixture, error));
        const double now = place_of(fixture, MODE_LINKS).y;
        if (last * now < 0) {
            crossing = k * h + h * last / (last - now);
            if (count++ == 0) first = crossing;
        }
        last = now;
    }
    *out_omega = count == CROSSINGS ? (CROSSINGS - 1) * DLP_PI / (crossing - first) : (double)NAN;
    return DLP_OK;
}

static dlp_status run_mode(dlp_reproduce *reproduce, const dlp_csv_data *table, int32_t row, dlp_error *error)
{
    static const char scene[] =
        "{title: Modes, frames: {rate: 1000, count: 9000}, " STILL
        " substances: {chain: {model: cloth, particle: {spacing: 0.0125}, cloth: {" STRIP
        ", stretch: 1.0e4, damping: 0}, shape: {capsule: {from: [0, 0, 0], to: [0, 0, -1], radius: 0.001}}}},"
        " attachments: [{substance: chain, sphere: {center: [0, 0, 0], radius: 0.001}}]}";
    const double truth = table_at(table, row, "omega_over_sqrt_g_L");
    double omega = 0;
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, scene, NULL, reproduce->thread_count, error));
    dlp_status status = dlp_fixture_run(&fixture, (double)SETTLING / MODE_RATE,
                                        error);  // until it is as long as its weight makes it
    push_mode(&fixture, truth);
    if (status == DLP_OK) status = measure_omega(&fixture, &omega, error);
    if (status == DLP_OK) {
        const dlp_finding result = dlp_finding_compared(
            "omega", "lowest frequency in sqrt(g / L), within 2 %", omega / sqrt(G), "", truth, 0.02);
        dlp_reproduce_add(reproduce, &result);
    }
    dlp_fixture_close(&fixture);
    return status;
}

static dlp_status run_c3(dlp_reproduce *reproduce, dlp_error *error)
{
    static const gate g = {.file = "cloth/hanging_chain_modes.csv",
                           .columns = {"omega_over_sqrt_g_L"},
                           .row_limit = 1,
                           .run_row = run_mode};
    return run_gate(reproduce, &g, error);
}

const dlp_experiment dlp_experiment_c3 = {"C3", "A hanging chain swings in its first mode",
                                          "closed form: Bessel functions", run_c3};
