/* Page B: a pool that has come to rest is as high as its all-finest twin, and nothing keeps splitting and
 * merging in it. */
#include "b_case.h"

#include <stdio.h>

static const char POOL[] =
    "{title: A column becomes a pool, frames: {rate: 25, count: 100}, time: {courant: 0.4},"
    " substances: {water: {material: water, stiffness: 1000, artificial_viscosity: {alpha: 0.5},"
    " particle: {spacing: 0.02}, adapt: {accuracy: 0}, shape: {box: {min: [0, 0, 0], max: [0.4, 0.4, "
    "0.6]}}}},"
    " obstacles: [{name: tank, box: {min: [0, 0, 0], max: [0.8, 0.4, 0.8], inside: true}, stick: 0}]}";

#define LEVEL_CENTRE 0.15  // m: of a pool at rest density

enum { POOL_FRAMES = 100, LAST_FRAMES = 25 };

typedef struct pool_run {
    double time[POOL_FRAMES + 1], centre[POOL_FRAMES + 1];
    double height;          // of the centre, mean over the last second, over a level pool's
    double splits, merges;  // in the last second
    double particles;       // at the end
} pool_run;

static double centre_height(const dlp_fixture *fixture)
{
    double mass = 0, sum = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        mass += (double)fixture->mass[i];
        sum += (double)fixture->mass[i] * fixture->x[3 * (int64_t)i + 2];
    }
    return sum / mass;
}

static dlp_status run_frames(dlp_fixture *fixture, pool_run *run, dlp_error *error)
{
    *run = (pool_run){0};
    for (int32_t k = 0; k <= POOL_FRAMES; k++) {
        dlp_stats stats = {.size = sizeof stats};
        DLP_TRY(dlp_fixture_run(fixture, k / 25.0, error));
        DLP_TRY(dlp_world_stats(fixture->world, &stats, error));
        run->time[k] = stats.time;
        run->centre[k] = centre_height(fixture);
        run->particles = stats.particles;
        if (k <= POOL_FRAMES - LAST_FRAMES) continue;
        run->height += run->centre[k] / LEVEL_CENTRE / LAST_FRAMES;
        run->splits += (double)stats.splits;
        run->merges += (double)stats.merges;
    }
    return DLP_OK;
}

static dlp_status run_pool(dlp_reproduce *reproduce, const char *adapts, pool_run *run, dlp_error *error)
{
    const char *const settings[] = {"substances.water.adapt.space", adapts, "substances.water.adapt.time",
                                    adapts, NULL};
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, POOL, settings, reproduce->thread_count, error));
    const dlp_status status = run_frames(&fixture, run, error);
    dlp_fixture_close(&fixture);
    return status;
}

static dlp_status run_rest(dlp_reproduce *reproduce, dlp_error *error)
{
    static pool_run adaptive, finest;
    DLP_TRY(run_pool(reproduce, "true", &adaptive, error));
    DLP_TRY(run_pool(reproduce, "false", &finest, error));
    const dlp_finding findings[] = {
        dlp_finding_number("finest", "particles, all finest", finest.particles, ""),
        dlp_finding_number("particles", "particles of the adaptive run at its end", adaptive.particles, ""),
        dlp_finding_compared("height",
                             "height of the pool's centre in the fourth second over that of all finest",
                             adaptive.height / finest.height, "", 1, 0.01),
        dlp_finding_number("height-finest", "that of all finest over a level pool's", finest.height, ""),
        dlp_finding_number("splits", "splits in the fourth second", adaptive.splits, ""),
        dlp_finding_number("merges", "merges in the fourth second", adaptive.merges, "")};
    for (int k = 0; k < 6; k++) dlp_reproduce_add(reproduce, &findings[k]);
    const dlp_series series[] = {
        {"all finest", finest.time, finest.centre, POOL_FRAMES + 1, DLP_MARK_LINE},
        {"adaptive", adaptive.time, adaptive.centre, POOL_FRAMES + 1, DLP_MARK_DASHES}};
    dlp_reproduce_plot(reproduce, "A column becomes a pool", "time (s)", "height of the centre (m)", series,
                       2);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_b_rest = {"B-rest", "A pool that comes to rest", "conservation of volume",
                                              run_rest};
