/* dollop run: simulates a scene and records it. */
#include "common.h"
#include "phase.h"
#include "progress.h"
#include "stop.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct run_settings {
    const char *output, *device;
    dlp_words set;
    int32_t frames, threads;
    bool resume, force, json;
} run_settings;

/* Everything a run owns. */
typedef struct scene_run {
    dlp_scene *scene;
    dlp_world *world;
    dlp_recorder *recorder;
    dlp_progress_view view;
    int32_t frame_count;
    double evaluations, full_evaluations; /* of forces: made; and without adaptivity */
    int64_t finest_particles;             /* of the last frame */
    const char *name;                     /* of the scene, as it was given */
    bool has_settings;                    /* --set was given */
    bool is_complete;                     /* all frames were there when it was opened */
    char folder[4096];
} scene_run;

static void print_note(const char *message, void *user)
{
    scene_run *run = user;
    dlp_progress_clear(&run->view);
    fprintf(stderr, "note: %s\n", message);
}

static bool watch_step(const dlp_progress *progress, void *user)
{
    scene_run *run = user;
    dlp_progress_step(&run->view, progress);
    return !dlp_stop_asked();
}

static dlp_status check_settings(const run_settings *arguments, dlp_error *error)
{
    if (arguments->resume && arguments->force) {
        return dlp_fail(error, DLP_INVALID,
                        "dollop run: --resume continues a run, --force replaces it; use one");
    }
    if (arguments->device == NULL || strcmp(arguments->device, "cpu") == 0) return DLP_OK;
    if (strcmp(arguments->device, "gpu") == 0) {
        return dlp_fail(error, DLP_INVALID, "dollop run: --device gpu comes in a later version; use cpu");
    }
    return dlp_fail(error, DLP_INVALID, "dollop run: --device: must be cpu (got %s)", arguments->device);
}

static dlp_status open_scene(scene_run *run, const char *name, const run_settings *arguments,
                             dlp_error *error)
{
    run->name = name;
    run->has_settings = arguments->set.count > 0;
    DLP_TRY(dlp_open_scene(name, &arguments->set, &run->scene, error));
    if (arguments->frames >= 0) {
        const double count = arguments->frames;
        DLP_TRY(dlp_scene_set_numbers(run->scene, "frames.count", &count, 1, error));
    }
    DLP_TRY(dlp_check_opened_scene(run->scene, &arguments->set, error));
    double count;
    int32_t number_count;
    DLP_TRY(dlp_scene_get_numbers(run->scene, "frames.count", &count, 1, &number_count, error));
    run->frame_count = (int32_t)count;
    if (arguments->output != NULL)
        snprintf(run->folder, sizeof run->folder, "%s", arguments->output);
    else
        snprintf(run->folder, sizeof run->folder, "out/%s", dlp_scene_name(run->scene));
    return DLP_OK;
}

/* Scripts that read JSON get no words between. */
static const char *words_of(const run_settings *arguments, const char *what)
{
    return arguments->json ? NULL : what;
}

/* The world comes first: where it cannot be made, an older run in the folder is not touched. */
static dlp_status open_run(scene_run *run, const char *name, const run_settings *arguments, dlp_error *error)
{
    DLP_TRY(open_scene(run, name, arguments, error));
    dlp_phase_begin(words_of(arguments, "filling the scene with particles"), DLP_PHASE_LEAVES);
    const dlp_world_options options = {.size = sizeof options,
                                       .thread_count = arguments->threads,
                                       .log = print_note,
                                       .progress = watch_step,
                                       .user = run};
    DLP_TRY(dlp_world_create(run->scene, &options, &run->world, error));
    const dlp_recorder_def def = {
        .size = sizeof def,
        .folder = run->folder,
        .scene = run->scene,
        .mode = arguments->resume  ? DLP_RUN_RESUME
                : arguments->force ? DLP_RUN_FORCE
                                   : DLP_RUN_FRESH,
        .log = print_note,
        .user = run,
    };
    dlp_phase_begin(words_of(arguments, "opening the folder"), DLP_PHASE_LEAVES);
    DLP_TRY(dlp_recorder_open(&def, &run->recorder, error));
    return dlp_recorder_restore(run->recorder, run->world, error);
}

static dlp_status record_frame(scene_run *run, dlp_error *error)
{
    const bool is_json = run->view.style == DLP_PROGRESS_JSON;
    dlp_phase_begin(is_json ? NULL : "writing the frame: surfaces and files", DLP_PHASE_LEAVES);
    const dlp_status status = dlp_recorder_frame(run->recorder, run->world, error);
    dlp_phase_end();
    DLP_TRY(status);
    dlp_stats stats = {.size = sizeof stats};
    DLP_TRY(dlp_world_stats(run->world, &stats, error));
    dlp_progress_frame(&run->view, &stats);
    run->evaluations += (double)stats.force_evaluations;
    run->full_evaluations += (double)stats.full_evaluations;
    run->finest_particles = stats.finest_particles;
    return dlp_stop_asked() ? dlp_fail(error, DLP_INTERRUPTED, "interrupted") : DLP_OK;
}

/* What was computed is kept: it is not left before it is written. */
static dlp_status finish(scene_run *run, dlp_error *error)
{
    const bool is_json = run->view.style == DLP_PROGRESS_JSON;
    dlp_phase_begin(is_json ? NULL : "saving a checkpoint and a picture", DLP_PHASE_WAITS);
    const dlp_status status = dlp_recorder_finish(run->recorder, run->world, error);
    dlp_phase_end();
    return status;
}

static dlp_status compute_frames(scene_run *run, dlp_error *error)
{
    if (dlp_recorder_last_frame(run->recorder) < 0) DLP_TRY(record_frame(run, error));
    while (dlp_world_frame(run->world) < run->frame_count) {
        DLP_TRY(dlp_world_step_frame(run->world, error));
        DLP_TRY(record_frame(run, error));
    }
    return finish(run, error);
}

/* Ctrl-C came: what was computed is kept, with a checkpoint and a picture of that time. */
static dlp_status leave(scene_run *run, dlp_error *error)
{
    dlp_progress_clear(&run->view);
    DLP_TRY(finish(run, error));
    if (!dlp_has_feature(DLP_FEATURE_CHECKPOINTS)) {
        return dlp_fail(error, DLP_INTERRUPTED,
                        "interrupted at %.4g s; this build has no checkpoints to continue from",
                        dlp_world_time(run->world));
    }
    return dlp_fail(
        error, DLP_INTERRUPTED, "interrupted at %.4g s; continue with: dollop run %s -o %s --resume%s",
        dlp_world_time(run->world), run->name, run->folder, run->has_settings ? " and the same --set" : "");
}

static void print_summary(const scene_run *run)
{
    if (run->is_complete) {
        printf("%s: frame %d is the last; nothing was left to do\n", run->folder,
               dlp_world_frame(run->world));
        return;
    }
    char particles[32], time[32];
    dlp_readable_count(dlp_world_particle_count(run->world), particles, sizeof particles);
    dlp_readable_seconds(dlp_wall_clock() - run->view.start, time, sizeof time);
    printf("%s: frame %d, %s particles, in %s. Frames: particles.pvd; numbers: stats.csv\n", run->folder,
           dlp_world_frame(run->world), particles, time);
    const bool has_saved = run->finest_particles > dlp_world_particle_count(run->world);
    if (!has_saved || !(run->evaluations > 0)) return;
    dlp_readable_count((int32_t)run->finest_particles, particles, sizeof particles);
    printf("They stand for %s of the finest size; forces were evaluated %.1f times less often than without "
           "adaptivity.\n",
           particles, run->full_evaluations / run->evaluations);
}

static dlp_status run_opened(scene_run *run, const run_settings *arguments, dlp_error *error)
{
    const dlp_progress_style style = arguments->json         ? DLP_PROGRESS_JSON
                                     : isatty(STDOUT_FILENO) ? DLP_PROGRESS_BAR
                                                             : DLP_PROGRESS_LINES;
    dlp_progress_begin(&run->view, style, dlp_world_frame(run->world), run->frame_count);
    run->is_complete = dlp_recorder_last_frame(run->recorder) >= run->frame_count;
    const dlp_status status = compute_frames(run, error);
    if (status == DLP_INTERRUPTED) return leave(run, error);
    dlp_progress_clear(&run->view);
    if (status == DLP_OK && !arguments->json) print_summary(run);
    return status;
}

static int run_scene(const void *settings, const dlp_words *words)
{
    const run_settings *arguments = settings;
    static dlp_error error;
    static scene_run run;
    dlp_stop_listen();
    dlp_status status = check_settings(arguments, &error);
    if (status == DLP_OK) status = open_run(&run, words->items[0], arguments, &error);
    dlp_phase_end();
    if (status == DLP_OK) status = run_opened(&run, arguments, &error);
    dlp_recorder_close(run.recorder);
    dlp_world_destroy(run.world);
    dlp_scene_destroy(run.scene);
    return status == DLP_OK ? DLP_EXIT_DONE : dlp_report_error(&error);
}

static const dlp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = DLP_OPTION_TEXT,
     .offset = offsetof(run_settings, output),
     .value = "DIR",
     .help = "where the run is recorded; out/SCENE by default"},
    {.name = "frames",
     .kind = DLP_OPTION_INTEGER,
     .offset = offsetof(run_settings, frames),
     .value = "N",
     .help = "how many frames, instead of what the scene says",
     .min = 0,
     .max = 10000000,
     .otherwise = -1},
    {.name = "threads",
     .kind = DLP_OPTION_INTEGER,
     .offset = offsetof(run_settings, threads),
     .value = "N",
     .help = "all processors by default; the result does not depend on it",
     .min = 1,
     .max = DLP_MAX_THREADS},
    {.name = "set",
     .kind = DLP_OPTION_LIST,
     .offset = offsetof(run_settings, set),
     .value = "PATH=VALUE",
     .help = "change a parameter; may be repeated"},
    {.name = "resume",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(run_settings, resume),
     .help = "continue from the checkpoint in DIR"},
    {.name = "force",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(run_settings, force),
     .help = "replace the run that is in DIR"},
    {.name = "device",
     .kind = DLP_OPTION_TEXT,
     .offset = offsetof(run_settings, device),
     .value = "cpu",
     .help = "what computes; cpu is the only choice so far"},
    {.name = "json",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(run_settings, json),
     .help = "one JSON object per frame instead of progress"},
    {0},
};

const dlp_verb dlp_verb_run = {
    .name = "run",
    .usage = "SCENE [-o DIR] [--frames N] [--threads N] [--set PATH=VALUE]... [--resume | --force]\n"
             "                  [--device cpu] [--json]",
    .summary = "simulate a scene and record it",
    .details =
        "Simulates SCENE (a path, a bundled name, or - for standard input) and records frames, statistics,\n"
        "probes, checkpoints and a picture in DIR. Ctrl-C ends after the current step with a checkpoint.\n"
        "Exit status: 0 done, 1 failed, 2 bad usage or scene, 3 diverged, 4 input or output error, 130\n"
        "interrupted.",
    .options = options,
    .settings_size = sizeof(run_settings),
    .min_words = 1,
    .max_words = 1,
    .run = run_scene,
};
