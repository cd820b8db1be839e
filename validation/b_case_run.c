/* Page B: runs a case and records what it costs and where the substance is. */
#include "b_case.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME 0.04  // s: the source's

// Measurements.

typedef struct weighed {
    double at, mass;
} weighed;

static int by_place(const void *a, const void *b)
{
    const double x = ((const weighed *)a)->at, y = ((const weighed *)b)->at;
    return (x < y) - (x > y);
}

// Where the foremost hundredth of the mass begins, so that a single drop does not count.
static double front_of(const dlp_fixture *fixture, bool is_round, double mass, weighed *scratch)
{
    for (int32_t i = 0; i < fixture->count; i++) {
        const double *x = fixture->x + 3 * (int64_t)i;
        scratch[i] = (weighed){is_round ? hypot(x[0], x[1]) : x[0], (double)fixture->mass[i]};
    }
    qsort(scratch, (size_t)fixture->count, sizeof *scratch, by_place);
    double before = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        before += scratch[i].mass;
        if (before >= 0.01 * mass) return scratch[i].at;
    }
    return 0;
}

static void see_places(const dlp_fixture *fixture, dlp_b_run *run, double *out_mass)
{
    double mass = 0, first[3] = {0}, second = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        const double *x = fixture->x + 3 * (int64_t)i, m = (double)fixture->mass[i];
        mass += m;
        for (int axis = 0; axis < 3; axis++) first[axis] += m * x[axis];
        second += m * (x[0] * x[0] + x[1] * x[1]);
    }
    for (int axis = 0; axis < 3; axis++) first[axis] /= mass;
    run->centre_x[run->count] = first[0];
    run->centre_z[run->count] = first[2];
    run->spread[run->count] = sqrt(fmax(second / mass - first[0] * first[0] - first[1] * first[1], 0));
    *out_mass = mass;
}

// Mean over nine points before the far wall: where there is nothing, no pressure.
static double wall_pressure(const dlp_b_case *def, const dlp_fixture *fixture)
{
    const dlp_vec3 size = dlp_sub(def->tank.max, def->tank.min);
    if (!(size.x > 0)) return 0;
    double sum = 0;
    for (int k = 0; k < 9; k++) {
        const dlp_vec3 x = dlp_vec(def->tank.max.x - 0.01, (0.3 + 0.2 * (k % 3)) * size.y,
                                   0.02 + 0.02 * (double)(k / 3));  // m: the same for all sizes
        const dlp_point_sample sample = dlp_world_sample_at(fixture->world, x);
        if (sample.fraction > 0.25) sum += sample.pressure / 9;
    }
    return sum;
}

static dlp_status measure_record(const dlp_b_case *def, dlp_fixture *fixture, dlp_b_run *run,
                                 dlp_error *error)
{
    const int32_t k = run->count;
    if (k >= DLP_B_RECORDS) return dlp_fail(error, DLP_INVALID, "experiment: more than %d records", k);
    weighed *scratch = dlp_alloc((size_t)fixture->count, sizeof *scratch, "experiment");
    if (scratch == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "experiment: no room");
    dlp_stats stats = {.size = sizeof stats};
    const dlp_status status = dlp_world_stats(fixture->world, &stats, error);
    double mass;
    see_places(fixture, run, &mass);
    run->front[k] = front_of(fixture, def->is_round, mass, scratch);
    dlp_free(scratch);
    run->time[k] = stats.time;
    run->particles[k] = stats.particles;
    run->pairs[k] = k > 0 ? stats.neighbours_mean * (double)stats.force_evaluations : 0;
    run->wall[k] = k > 0 ? stats.wall_motion : 0;
    run->kinetic[k] = stats.kinetic_energy;
    run->energy[k] = stats.kinetic_energy + stats.potential_energy;
    run->pressure[k] = wall_pressure(def, fixture);
    run->substeps += (double)stats.substeps;
    run->most_steps = fmax(run->most_steps, (double)stats.substeps);
    run->splits += (double)stats.splits;
    run->merges += (double)stats.merges;
    run->count++;
    return status;
}

// Runs.

static dlp_status see_all(dlp_reproduce *reproduce, const dlp_b_case *def, dlp_b_variant variant,
                          dlp_fixture *fixture, dlp_b_run *run, dlp_error *error)
{
    const int32_t records = def->parts * (variant == DLP_B_FIXED ? def->fixed_frames : def->frames);
    for (int32_t k = 0, moment = 0; k <= records; k++) {
        const double time = k * FRAME / def->parts;
        DLP_TRY(dlp_fixture_run(fixture, time, error));
        DLP_TRY(measure_record(def, fixture, run, error));
        if (moment == def->moment_count || time < def->moments[moment] - 1e-9) continue;
        DLP_TRY(dlp_b_grid_sample(def, fixture, &run->grids[moment], error));
        if (variant == DLP_B_ADAPTIVE && moment == def->moment_count / 2)
            DLP_TRY(dlp_fixture_picture(fixture, reproduce, "adaptive", "The adaptive run", error));
        moment++;
    }
    return DLP_OK;
}

dlp_status dlp_b_run_once(dlp_reproduce *reproduce, const dlp_b_case *def, dlp_b_variant variant,
                          double spacing, int32_t fixed_steps, dlp_b_run *out_run, dlp_error *error)
{
    char space[40], step[40];
    snprintf(space, sizeof space, "%.17g", spacing);
    // slightly longer, so that rounding to a float does not add a step
    snprintf(step, sizeof step, "%.17g", fixed_steps > 0 ? FRAME / fixed_steps * (1 + 1e-6) : 0);
    const char *adapts = variant == DLP_B_ADAPTIVE ? "true" : "false";
    const char *const settings[] = {"substances.water.particle.spacing",
                                    space,
                                    "substances.water.adapt.space",
                                    adapts,
                                    "substances.water.adapt.time",
                                    adapts,
                                    "substances.water.adapt.accuracy",
                                    def->accuracy != NULL ? def->accuracy : "0.5",
                                    "time.step",
                                    step,
                                    NULL};
    dlp_b_run_release(out_run);
    out_run->spacing = spacing;
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, def->scene, settings, reproduce->thread_count, error));
    const dlp_status status = see_all(reproduce, def, variant, &fixture, out_run, error);
    dlp_fixture_close(&fixture);
    return status;
}

void dlp_b_run_release(dlp_b_run *run)
{
    for (int k = 0; k < DLP_B_MOMENTS; k++) dlp_b_grid_release(&run->grids[k]);
    *run = (dlp_b_run){0};
}

bool dlp_b_is_stable(const dlp_b_case *def, const dlp_b_run *run, const dlp_b_run *finest, int32_t steps)
{
    const double asked = (double)steps * def->fixed_frames;
    const double off = dlp_b_most(run->energy, finest->energy, run->count);
    return run->substeps <= 1.01 * asked && off <= 0.05 * dlp_b_largest(finest->energy, finest->count);
}

static dlp_status run_fixed(dlp_reproduce *reproduce, dlp_b_set *set, dlp_error *error)
{
    const dlp_b_case *def = set->def;
    dlp_b_run *run = &set->runs[DLP_B_FIXED];
    int32_t first =
        1;  // the source's rule: a power of two that is enough wherever the substance moves fastest
    while (first < def->fixed_steps || first < def->parts * set->runs[DLP_B_FINEST].most_steps) first *= 2;
    for (int32_t steps = first; steps <= 64 * first; steps *= 2) {
        const dlp_status status =
            dlp_b_run_once(reproduce, def, DLP_B_FIXED, def->spacing, steps, run, error);
        set->fixed_steps = steps;
        if (status == DLP_OK && dlp_b_is_stable(def, run, &set->runs[DLP_B_FINEST], steps)) return DLP_OK;
        if (status != DLP_OK && status != DLP_DIVERGED) return status;
    }
    return dlp_fail(error, DLP_DIVERGED, "experiment: no fixed step was stable");
}

// How much more a run cost than the adaptive one, by what it gains least in: pairs or wall time.
static double relative_cost(const dlp_b_set *set, dlp_b_variant variant)
{
    const double pairs = dlp_b_gain_of(set, DLP_B_FINEST, DLP_B_ADAPTIVE, DLP_B_PAIRS).mean;
    const double wall = dlp_b_gain_of(set, DLP_B_FINEST, DLP_B_ADAPTIVE, DLP_B_WALL).mean;
    return dlp_b_gain_of(set, variant, DLP_B_ADAPTIVE, pairs < wall ? DLP_B_PAIRS : DLP_B_WALL).mean;
}

// The uniformly coarse run that costs as much as the adaptive one. Cost goes about as 1 / spacing^4; what the
// first try shows of it makes the second right.
static dlp_status run_control(dlp_reproduce *reproduce, dlp_b_set *set, dlp_error *error)
{
    double spacing = set->def->spacing, cost = relative_cost(set, DLP_B_FINEST);
    for (int attempt = 0; attempt < 2 && (attempt == 0 || fabs(cost - 1) > 0.05); attempt++) {
        spacing *= pow(fmax(cost, 0.1), 0.25);
        if (spacing < set->def->spacing) spacing = set->def->spacing;
        DLP_TRY(
            dlp_b_run_once(reproduce, set->def, DLP_B_COARSE, spacing, 0, &set->runs[DLP_B_COARSE], error));
        cost = relative_cost(set, DLP_B_COARSE);
    }
    return DLP_OK;
}

dlp_status dlp_b_run_all(dlp_reproduce *reproduce, dlp_b_set *set, dlp_error *error)
{
    if (set->is_done) return DLP_OK;
    const dlp_b_case *def = set->def;
    dlp_b_run *runs = set->runs;
    DLP_TRY(dlp_b_run_once(reproduce, def, DLP_B_FINEST, def->spacing, 0, &runs[DLP_B_FINEST], error));
    DLP_TRY(run_fixed(reproduce, set, error));
    DLP_TRY(dlp_b_run_once(reproduce, def, DLP_B_ADAPTIVE, def->spacing, 0, &runs[DLP_B_ADAPTIVE], error));
    DLP_TRY(run_control(reproduce, set, error));
    set->is_done = true;
    return DLP_OK;
}

// Costs and differences.

// Cost of a frame of the source that ends with `record`; beyond a run's end, its mean.
static double frame_cost(const dlp_b_set *set, dlp_b_variant variant, int32_t record, dlp_b_cost cost)
{
    const dlp_b_run *run = &set->runs[variant];
    const double *costs = cost == DLP_B_PAIRS ? run->pairs : run->wall;
    const int32_t parts = set->def->parts;
    double sum = 0;
    if (record < run->count) {
        for (int32_t k = record - parts + 1; k <= record; k++) sum += costs[k];
        return sum;
    }
    for (int32_t k = 1; k < run->count; k++) sum += costs[k];
    return sum * parts / (run->count - 1);
}

double dlp_b_gain_at(const dlp_b_set *set, dlp_b_variant reference, int32_t record, dlp_b_cost cost)
{
    return frame_cost(set, reference, record, cost) / frame_cost(set, DLP_B_ADAPTIVE, record, cost);
}

dlp_b_gain dlp_b_gain_of(const dlp_b_set *set, dlp_b_variant reference, dlp_b_variant other, dlp_b_cost cost)
{
    dlp_b_gain gain = {.least = 1e300};
    double of_reference = 0, of_other = 0;
    const int32_t parts = set->def->parts;
    for (int32_t k = parts; k < set->runs[other].count; k += parts) {
        const double a = frame_cost(set, reference, k, cost), b = frame_cost(set, other, k, cost);
        of_reference += a;
        of_other += b;
        gain.least = fmin(gain.least, a / b);
        gain.most = fmax(gain.most, a / b);
    }
    gain.mean = of_reference / of_other;
    return gain;
}

double dlp_b_rms(const double *a, const double *b, int32_t count)
{
    double sum = 0;
    for (int32_t k = 0; k < count; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum / count);
}

double dlp_b_most(const double *a, const double *b, int32_t count)
{
    double most = 0;
    for (int32_t k = 0; k < count; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

double dlp_b_largest(const double *a, int32_t count)
{
    double largest = 0;
    for (int32_t k = 0; k < count; k++) largest = fmax(largest, fabs(a[k]));
    return largest;
}
