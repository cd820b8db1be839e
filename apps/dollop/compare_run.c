/* Runs and records one variant. */
#include "compare.h"

#include "common.h"
#include "phase.h"
#include "progress.h"
#include "stop.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A variant while it runs. */
typedef struct running {
    dlp_variant *variant;
    const dlp_variant_run *run;
    dlp_world *world;
    dlp_recorder *recorder;
    dlp_progress_view view;
    bool has_bar;
    double wall, cpu; /* s of motion so far */
} running;

/* s of all threads of this program */
static double cpu_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_note(const char *message, void *user)
{
    running *r = user;
    dlp_progress_clear(&r->view);
    fprintf(stderr, "note: %s: %s\n", r->variant->label, message);
}

static bool watch_step(const dlp_progress *progress, void *user)
{
    running *r = user;
    if (r->has_bar) dlp_progress_step(&r->view, progress);
    return !dlp_stop_asked();
}

static void begin_phase(const running *r, const char *what)
{
    dlp_phase_begin(r->run->is_silent ? NULL : what, r->run->may_leave ? DLP_PHASE_LEAVES : DLP_PHASE_WAITS);
}

static dlp_status open_variant(running *r, dlp_error *error)
{
    begin_phase(r, "filling the scene with particles");
    const dlp_world_options options = {.size = sizeof options,
                                       .thread_count = r->run->thread_count,
                                       .log = print_note,
                                       .progress = watch_step,
                                       .user = r};
    DLP_TRY(dlp_world_create(r->run->scene, &options, &r->world, error));
    const dlp_recorder_def def = {.size = sizeof def,
                                  .folder = r->variant->folder,
                                  .scene = r->run->scene,
                                  .mode = DLP_RUN_FRESH,
                                  .log = print_note,
                                  .user = r};
    DLP_TRY(dlp_recorder_open(&def, &r->recorder, error));
    DLP_TRY(dlp_recorder_restore(r->recorder, r->world, error));
    r->variant->is_started = true;
    return DLP_OK;
}

/* The box around all particles; empty where there are none. */
static dlp_status find_extent(const dlp_world *world, dlp_box *out_extent, dlp_error *error)
{
    dlp_view view = {.size = sizeof view};
    DLP_TRY(dlp_world_field(world, DLP_FIELD_POSITION, &view, error));
    const double *x = view.data;
    *out_extent = (dlp_box){dlp_vec(HUGE_VAL, HUGE_VAL, HUGE_VAL), dlp_vec(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL)};
    for (int32_t k = 0; k < view.count; k++) {
        const dlp_vec3 at = dlp_vec(x[3 * k], x[3 * k + 1], x[3 * k + 2]);
        out_extent->min = dlp_min3(out_extent->min, at);
        out_extent->max = dlp_max3(out_extent->max, at);
    }
    return DLP_OK;
}

static dlp_status record_frame(running *r, dlp_error *error)
{
    dlp_variant *variant = r->variant;
    begin_phase(r, "writing the frame: surfaces and files");
    const dlp_status status = dlp_recorder_frame(r->recorder, r->world, error);
    dlp_phase_end();
    DLP_TRY(status);
    DLP_TRY(dlp_reserve(&variant->frames, &variant->frame_capacity, variant->frame_count + 1,
                        sizeof *variant->frames, "compare", error));
    dlp_variant_frame *frame = &variant->frames[variant->frame_count++];
    frame->wall = r->wall;
    frame->cpu = r->cpu;
    DLP_TRY(find_extent(r->world, &frame->extent, error));
    if (r->has_bar) {
        dlp_stats stats = {.size = sizeof stats};
        DLP_TRY(dlp_world_stats(r->world, &stats, error));
        dlp_progress_frame(&r->view, &stats);
    }
    return DLP_OK;
}

static dlp_status step_frame(running *r, dlp_error *error)
{
    const double wall = dlp_wall_clock(), cpu = cpu_clock();
    const dlp_status status = dlp_world_step_frame(r->world, error);
    r->wall += dlp_wall_clock() - wall;
    r->cpu += cpu_clock() - cpu;
    return status;
}

static dlp_status stop_if_asked(dlp_error *error)
{
    return dlp_stop_asked() ? dlp_fail(error, DLP_INTERRUPTED, "interrupted") : DLP_OK;
}

static dlp_status compute_frames(running *r, int32_t last_frame, dlp_error *error)
{
    dlp_progress_begin(&r->view, DLP_PROGRESS_BAR, 0, last_frame);
    DLP_TRY(record_frame(r, error));
    while (dlp_world_frame(r->world) < last_frame) {
        DLP_TRY(stop_if_asked(error));
        DLP_TRY(step_frame(r, error));
        DLP_TRY(record_frame(r, error));
    }
    return DLP_OK;
}

static dlp_status compute(running *r, dlp_error *error)
{
    double count;
    int32_t number_count;
    DLP_TRY(dlp_scene_get_numbers(r->run->scene, "frames.count", &count, 1, &number_count, error));
    DLP_TRY(stop_if_asked(error));
    dlp_status status = open_variant(r, error);
    dlp_phase_end();
    DLP_TRY(status);
    status = compute_frames(r, (int32_t)count, error);
    dlp_progress_clear(&r->view);
    return status;
}

/* A picture of the last frame, and a checkpoint to go on from; of a variant that failed, too, as far as it
 * can be had: the last good checkpoint stays. */
static dlp_status finish(running *r, dlp_status status, dlp_error *error)
{
    if (r->variant->frame_count == 0) return status;
    if (status != DLP_OK && status != DLP_INTERRUPTED) return status;
    dlp_phase_begin(r->run->is_silent ? NULL : "saving a checkpoint and a picture", DLP_PHASE_WAITS);
    const dlp_status finished = dlp_recorder_finish(r->recorder, r->world, error);
    dlp_phase_end();
    return finished != DLP_OK ? finished : status;
}

static dlp_status read_stats(dlp_variant *variant, dlp_error *error)
{
    char path[sizeof variant->folder + 16];
    snprintf(path, sizeof path, "%s/stats.csv", variant->folder);
    DLP_TRY(dlp_csv_read(path, &variant->stats, error));
    if (variant->frame_count > variant->stats.row_count) variant->frame_count = variant->stats.row_count;
    return DLP_OK;
}

dlp_status dlp_variant_compute(dlp_variant *variant, const dlp_variant_run *run)
{
    static dlp_error error;
    running r = {.variant = variant, .run = run, .has_bar = !run->is_silent && isatty(STDOUT_FILENO)};
    dlp_status status = compute(&r, &error);
    status = finish(&r, status, &error);
    if (status == DLP_INTERRUPTED && r.world != NULL)
        dlp_fail(&error, status, "interrupted at %.4g s", dlp_world_time(r.world));
    dlp_recorder_close(r.recorder);
    dlp_world_destroy(r.world);
    if (variant->frame_count > 0 && status != DLP_INTERRUPTED) {
        dlp_error reading;
        const dlp_status read = read_stats(variant, &reading);
        if (read != DLP_OK && status == DLP_OK) status = read, error = reading;
    }
    variant->status = status;
    if (status != DLP_OK) snprintf(variant->message, sizeof variant->message, "%.500s", error.message);
    return status;
}
