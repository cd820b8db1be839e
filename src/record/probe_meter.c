// Probes with a rate of their own. Between two steps a value is taken as the mean of what was measured after
// either, a force as the impulse over the time; samples and frames get their share of that by time.
#include "record/probe_meter.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>

// Sums over the sample and the frame under way: of values times seconds.
typedef struct meter_sums {
    double sample[3], frame[3];
    double last[3];  // measured after the last step; of a force its impulse since the span began
} meter_sums;

// What a checkpoint holds beside them.
typedef struct meter_clock {
    double last_time;                      // s: that of the last step
    double sample_seconds, frame_seconds;  // over which the sums go
} meter_clock;

struct dlp_probe_meter {
    dlp_world *world;  // borrowed
    dlp_csv *table;    // borrowed; NULL: rows are not written
    double rate;       // 1/s
    int32_t count;     // of the scene's probes: the arrays below
    int64_t sample;    // complete ones
    meter_clock clock;
    meter_sums *sums;
    dlp_vec3 *means;
};

static const dlp_probe_def *probe_of(const dlp_probe_meter *meter, int32_t p)
{
    return &dlp_world_scene(meter->world)->probes[p];
}

static double rate_of(const dlp_scene_def *scene)
{
    double rate = 0;
    for (int32_t p = 0; p < scene->probe_count; p++) rate = fmax(rate, scene->probes[p].rate);
    return rate;
}

void dlp_probe_meter_header(const dlp_scene_def *scene, dlp_string *out_header)
{
    if (!(rate_of(scene) > 0)) return;
    dlp_string_add(out_header, "sample,time");
    for (int32_t p = 0; p < scene->probe_count; p++)
        if (scene->probes[p].rate > 0) dlp_probe_add_columns(&scene->probes[p], out_header);
}

// Measuring.

static dlp_vec3 measure_now(const dlp_probe_source *source, const dlp_probe_def *probe)
{
    if (probe->measure != DLP_MEASURE_FORCE) return dlp_probe_measure(source, probe);
    return source->load(source->context, probe->body_index).impulse;
}

// The means between the last step and this one. Impulses begin anew with a span.
static void measure_step(dlp_probe_meter *meter, const dlp_probe_source *source, double seconds)
{
    const bool is_new_span = meter->clock.last_time <= dlp_world_span_start(meter->world);
    for (int32_t p = 0; p < meter->count; p++) {
        const dlp_probe_def *probe = probe_of(meter, p);
        if (!(probe->rate > 0)) continue;
        const dlp_vec3 now = measure_now(source, probe);
        double *last = meter->sums[p].last, mean[3];
        for (int k = 0; k < 3; k++) {
            const double value = dlp_component(now, k);
            mean[k] = probe->measure != DLP_MEASURE_FORCE ? (last[k] + value) / 2
                                                          : (value - (is_new_span ? 0 : last[k])) / seconds;
            last[k] = value;
        }
        meter->means[p] = dlp_vec(mean[0], mean[1], mean[2]);
    }
}

// Adds the step's means over so many seconds.
static void add_seconds(dlp_probe_meter *meter, double seconds)
{
    meter->clock.sample_seconds += seconds;
    meter->clock.frame_seconds += seconds;
    for (int32_t p = 0; p < meter->count; p++)
        for (int k = 0; k < 3; k++) {
            const double part = seconds * dlp_component(meter->means[p], k);
            meter->sums[p].sample[k] += part;
            meter->sums[p].frame[k] += part;
        }
}

static dlp_vec3 mean_of(const double sum[3], double seconds)
{
    return dlp_mul(dlp_vec(sum[0], sum[1], sum[2]), seconds > 0 ? 1 / seconds : 0);
}

static dlp_status write_row(const dlp_probe_meter *meter, double time, dlp_error *error)
{
    if (meter->table == NULL) return DLP_OK;
    dlp_string row = {0};
    dlp_string_add(&row, "%" PRId64 ",", meter->sample);
    dlp_format_number(&row, time, 9);
    for (int32_t p = 0; p < meter->count; p++) {
        if (!(probe_of(meter, p)->rate > 0)) continue;
        const dlp_vec3 mean = mean_of(meter->sums[p].sample, meter->clock.sample_seconds);
        dlp_probe_add_values(probe_of(meter, p), mean, &row);
    }
    dlp_status status = dlp_format_check(&row, "samples.csv", error);
    if (status == DLP_OK) status = dlp_csv_append(meter->table, row.data, error);
    dlp_string_release(&row);
    return status;
}

static dlp_status end_sample(dlp_probe_meter *meter, double time, dlp_error *error)
{
    meter->sample++;
    DLP_TRY(write_row(meter, time, error));
    meter->clock.sample_seconds = 0;
    for (int32_t p = 0; p < meter->count; p++)
        for (int k = 0; k < 3; k++) meter->sums[p].sample[k] = 0;
    return DLP_OK;
}

static dlp_status observe(void *user, dlp_error *error)
{
    dlp_probe_meter *meter = user;
    const double now = dlp_world_time(meter->world), rounding = 1e-6 / meter->rate;
    double from = meter->clock.last_time;
    if (!(now > from)) return DLP_OK;
    dlp_probe_source source;
    DLP_TRY(dlp_probe_source_of_world(meter->world, &source, error));
    measure_step(meter, &source, now - from);
    meter->clock.last_time = now;
    for (double end; (end = (double)(meter->sample + 1) / meter->rate) <= now + rounding;) {
        const double until = fmin(end, now);
        add_seconds(meter, fmax(0, until - from));
        DLP_TRY(end_sample(meter, end, error));
        from = fmax(from, until);
    }
    add_seconds(meter, now - from);
    return DLP_OK;
}

// What it has gathered, in checkpoints.

static void list_state(void *user, dlp_manifest *manifest)
{
    dlp_probe_meter *meter = user;
    dlp_manifest_add(
        manifest, (dlp_manifest_item){"probes/sample", DLP_INT64, 1, 1, &meter->sample, DLP_COUNT_FIXED, 0});
    dlp_manifest_add(manifest,
                     (dlp_manifest_item){"probes/clock", DLP_FLOAT64, (int32_t)(sizeof meter->clock / 8), 1,
                                         &meter->clock, DLP_COUNT_FIXED, 0});
    dlp_manifest_add(manifest,
                     (dlp_manifest_item){"probes/sums", DLP_FLOAT64, (int32_t)(sizeof *meter->sums / 8),
                                         meter->count, meter->sums, DLP_COUNT_FIXED, 0});
    dlp_manifest_bound(manifest, "probes/sample", 0, 2e9);
    dlp_manifest_bound(manifest, "probes/clock", 0, 1e9);
    dlp_manifest_bound(manifest, "probes/sums", -1e30, 1e30);
}

static dlp_status end_load(void *user, dlp_error *error)
{
    const dlp_probe_meter *meter = user;
    const double now = dlp_world_time(meter->world), next = (double)(meter->sample + 1) / meter->rate;
    const bool is_sane = meter->clock.last_time == now && next > now && next <= now + 2 / meter->rate &&
                         meter->clock.sample_seconds <= 2 / meter->rate && meter->clock.frame_seconds <= now;
    return is_sane ? DLP_OK
                   : dlp_fail(error, DLP_IO, "checkpoint: samples of probes that no run can have left");
}

// Where the world stands now.
static dlp_status begin(dlp_probe_meter *meter, dlp_error *error)
{
    dlp_probe_source source;
    DLP_TRY(dlp_probe_source_of_world(meter->world, &source, error));
    meter->clock = (meter_clock){.last_time = dlp_world_time(meter->world)};
    meter->sample = (int64_t)floor(meter->clock.last_time * meter->rate + 1e-6);
    for (int32_t p = 0; p < meter->count; p++) {
        meter->sums[p] = (meter_sums){0};
        if (!(probe_of(meter, p)->rate > 0)) continue;
        const dlp_vec3 now = measure_now(&source, probe_of(meter, p));
        for (int k = 0; k < 3; k++) meter->sums[p].last[k] = dlp_component(now, k);
    }
    return DLP_OK;
}

static void reset(void *user)
{
    (void)begin(user, NULL);  // fails without memory alone: then the means of the first step are wrong
}

dlp_status dlp_probe_meter_create(dlp_world *world, dlp_probe_meter **out_meter, dlp_error *error)
{
    *out_meter = NULL;
    const dlp_scene_def *scene = dlp_world_scene(world);
    if (!(rate_of(scene) > 0)) return DLP_OK;
    dlp_probe_meter *meter = dlp_alloc(1, sizeof *meter, "probes");
    if (meter == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "probes: no room");
    meter->world = world;
    meter->rate = rate_of(scene);
    meter->count = scene->probe_count;
    meter->sums = dlp_alloc((size_t)meter->count, sizeof *meter->sums, "probes");
    meter->means = dlp_alloc((size_t)meter->count, sizeof *meter->means, "probes");
    const dlp_status status = meter->sums != NULL && meter->means != NULL
                                  ? begin(meter, error)
                                  : dlp_fail(error, DLP_OUT_OF_MEMORY, "probes: no room");
    if (status != DLP_OK) {
        dlp_probe_meter_destroy(meter);
        return status;
    }
    dlp_world_observe(world, &(dlp_step_observer){meter, observe, list_state, end_load, reset});
    *out_meter = meter;
    return DLP_OK;
}

void dlp_probe_meter_destroy(dlp_probe_meter *meter)
{
    if (meter == NULL) return;
    dlp_world_unobserve(meter->world, meter);
    dlp_free(meter->sums);
    dlp_free(meter->means);
    dlp_free(meter);
}

void dlp_probe_meter_write_to(dlp_probe_meter *meter, dlp_csv *table)
{
    meter->table = table;
}

int32_t dlp_probe_meter_last_sample(const dlp_probe_meter *meter)
{
    return (int32_t)meter->sample;
}

dlp_status dlp_probe_meter_frame(dlp_probe_meter *meter, const dlp_vec3 **out_means, dlp_error *error)
{
    dlp_probe_source source;
    DLP_TRY(dlp_probe_source_of_world(meter->world, &source, error));
    for (int32_t p = 0; p < meter->count; p++) {
        const dlp_probe_def *probe = probe_of(meter, p);
        meter->means[p] = meter->clock.frame_seconds > 0
                              ? mean_of(meter->sums[p].frame, meter->clock.frame_seconds)
                              : dlp_probe_measure(&source, probe);
        for (int k = 0; k < 3; k++) meter->sums[p].frame[k] = 0;
    }
    meter->clock.frame_seconds = 0;
    *out_means = meter->means;
    return DLP_OK;
}
