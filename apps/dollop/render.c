/* dollop render: pictures and a video of a recorded run. */
#include "bar.h"
#include "common.h"
#include "render_arguments.h"
#include "findings.h"
#include "phase.h"
#include "stop.h"
#include "video.h"

#include "base/memory.h"
#include "record/file_io.h"
#include "record/render/render.h"

#include <stdio.h>
#include <string.h>

typedef struct render_settings {
    const char *as, *color, *frames, *size, *output, *beside, *captions;
    dlp_words set;
    int32_t samples, fps, threads;
    bool no_video, resume, force, json;
} render_settings;

/* Everything that is owned during the job. */
typedef struct film_job {
    const render_settings *arguments;
    dlp_run runs[2];
    dlp_team *team;
    dlp_movie *film;
    char *captions[2];
    char *folder, *video; /* DIR/pictures, DIR/film.mp4 */
    char **pictures;      /* one path per frame; NULL where it was not chosen */
    const dlp_frame_ref *frames;
    int32_t frame_count, chosen_count, drawn_count;
    dlp_bar bar;
} film_job;

static dlp_status no_room(dlp_error *error)
{
    return dlp_fail(error, DLP_OUT_OF_MEMORY, "dollop render: no room for names");
}

static bool watch_survey(int32_t done, int32_t count, void *user)
{
    film_job *job = user;
    dlp_bar_show(&job->bar, "reading frame", done, count);
    return !dlp_stop_asked();
}

static void print_json(const film_job *job, int32_t frame, double seconds)
{
    printf("{\"frame\": %d, \"time\": ", job->frames[frame].number);
    dlp_json_number(job->frames[frame].time);
    printf(", \"picture\": ");
    dlp_json_text(job->pictures[frame]);
    printf(", \"seconds\": ");
    dlp_json_number(seconds);
    printf("}\n");
    fflush(stdout);
}

static void tell_picture(film_job *job, int32_t frame, double seconds)
{
    if (job->arguments->json) print_json(job, frame, seconds);
    dlp_bar_tell(&job->bar, "picture", job->drawn_count, job->chosen_count);
}

/* Opening. */

/* What was recorded cannot be changed any more; how it is shown can. */
static bool is_about_pictures(const char *setting)
{
    const size_t length = strcspn(setting, "=");
    const bool is_color = length > 6 && strncmp(setting + length - 6, ".color", 6) == 0;
    const bool is_look = length > 5 && strncmp(setting + length - 5, ".look", 5) == 0;
    return strncmp(setting, "camera", 6) == 0 || strncmp(setting, "render", 6) == 0 ||
           (strncmp(setting, "substances.", 11) == 0 && (is_color || is_look));
}

static dlp_status set_scene(dlp_scene *scene, void *context, dlp_error *error)
{
    const dlp_words *settings = context;
    for (int32_t k = 0; k < settings->count; k++)
        if (strchr(settings->items[k], '=') != NULL && !is_about_pictures(settings->items[k]))
            return dlp_fail(
                error, DLP_INVALID,
                "--set %s: the motion is recorded already; camera, render and a substance's color "
                "and look can be set",
                settings->items[k]);
    DLP_TRY(dlp_set_parameters(scene, settings, error));
    return dlp_check_opened_scene(scene, settings, error);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != 0 ? slash + 1 : path;
}

/* The names of the two runs, or what stands before and after the bar of --captions. */
static dlp_status choose_captions(film_job *job, const char *folder, dlp_error *error)
{
    const char *given = job->arguments->captions, *beside = job->arguments->beside;
    if (beside == NULL) return DLP_OK;
    if (given != NULL) {
        const size_t length = strcspn(given, "|");
        if (given[length] != '|')
            return dlp_fail(error, DLP_INVALID,
                            "dollop render: --captions: must be two with a bar between them, as in "
                            "\"standard|adaptive\" (got %s)",
                            given);
        job->captions[0] = dlp_copy_text(given, "options");
        job->captions[1] = dlp_copy_text(given + length + 1, "options");
        if (job->captions[0] != NULL) job->captions[0][length] = 0;
    } else {
        const bool is_same = strcmp(last_part(folder), last_part(beside)) == 0;
        job->captions[0] = dlp_copy_text(is_same ? folder : last_part(folder), "options");
        job->captions[1] = dlp_copy_text(is_same ? beside : last_part(beside), "options");
    }
    return job->captions[0] != NULL && job->captions[1] != NULL ? DLP_OK : no_room(error);
}

static dlp_status check_settings(const render_settings *arguments, dlp_error *error)
{
    if (arguments->resume && arguments->force)
        return dlp_fail(error, DLP_INVALID,
                        "dollop render: --resume keeps existing pictures, --force replaces them; use one");
    if (arguments->captions != NULL && arguments->beside == NULL)
        return dlp_fail(error, DLP_INVALID, "dollop render: --captions needs --beside DIR");
    if (!dlp_png_is_available())
        return dlp_fail(error, DLP_UNSUPPORTED,
                        "dollop render: this build writes no pictures; install libpng (Debian: libpng-dev), "
                        "configure and build again");
    return DLP_OK;
}

static dlp_status open_film(film_job *job, const char *folder, dlp_error *error)
{
    const render_settings *arguments = job->arguments;
    dlp_movie_def def = {.team = NULL, .samples = arguments->samples, .watch = watch_survey, .user = job};
    if (arguments->as != NULL) DLP_TRY(dlp_read_kind(arguments->as, &def.kind, error));
    if (arguments->size != NULL) DLP_TRY(dlp_read_size(arguments->size, &def.width, &def.height, error));
    if (arguments->color != NULL) {
        const dlp_status status = dlp_color_field_find(arguments->color, &def.color, error);
        if (status != DLP_OK) return dlp_fail_at(error, status, "dollop render: --color");
    }
    DLP_TRY(choose_captions(job, folder, error));
    dlp_words set = arguments->set;
    const char *const folders[] = {folder, arguments->beside};
    for (int32_t k = 0; k < 2 && folders[k] != NULL; k++) {
        DLP_TRY(dlp_run_open(folders[k], set_scene, &set, &job->runs[k], error));
        def.runs[k] = &job->runs[k];
        def.captions[k] = job->captions[k];
    }
    if (job->runs[0].def->dimension == 3 && !dlp_render_is_available())
        return dlp_fail(
            error, DLP_UNSUPPORTED,
            "dollop render: this build draws no pictures of scenes in space; install Embree (Debian: "
            "libembree-dev), configure and build again");
    DLP_TRY(dlp_team_create(arguments->threads, &job->team, error));
    def.team = job->team;
    DLP_TRY(dlp_movie_create(&def, &job->film, error));
    job->frames = dlp_movie_frames(job->film, &job->frame_count);
    return DLP_OK;
}

/* Which pictures: their paths, and that none is lost. */

static dlp_status name_pictures(film_job *job, const bool *chosen, dlp_error *error)
{
    for (int32_t k = 0; k < job->frame_count; k++) {
        if (!chosen[k]) continue;
        char name[32];
        snprintf(name, sizeof name, "%04d.png", job->frames[k].number);
        job->pictures[k] = dlp_folder_path(job->folder, name);
        if (job->pictures[k] == NULL) return no_room(error);
        job->chosen_count++;
        if (dlp_file_exists(job->pictures[k]) && !job->arguments->force && !job->arguments->resume)
            return dlp_fail(error, DLP_INVALID,
                            "%s: exists already; --force draws it again, --resume draws what is missing",
                            job->pictures[k]);
    }
    return DLP_OK;
}

static dlp_status plan_pictures(film_job *job, const char *folder, dlp_error *error)
{
    const char *output = job->arguments->output != NULL ? job->arguments->output : folder;
    job->folder = dlp_folder_path(output, "pictures");
    job->video = dlp_folder_path(output, "film.mp4");
    job->pictures = dlp_alloc((size_t)job->frame_count, sizeof *job->pictures, "options");
    bool *chosen = dlp_alloc((size_t)job->frame_count, sizeof *chosen, "options");
    const bool has_room =
        job->folder != NULL && job->video != NULL && job->pictures != NULL && chosen != NULL;
    dlp_status status = has_room ? DLP_OK : no_room(error);
    if (status == DLP_OK)
        status = dlp_choose_frames(job->arguments->frames, job->frames, job->frame_count, chosen, error);
    if (status == DLP_OK) status = name_pictures(job, chosen, error);
    dlp_free(chosen);
    return status == DLP_OK ? dlp_folder_create(job->folder, error) : status;
}

/* Drawing. */

static dlp_status draw_picture(film_job *job, int32_t frame, dlp_error *error)
{
    const bool is_there = job->arguments->resume && dlp_file_exists(job->pictures[frame]);
    const double start = dlp_wall_clock();
    if (!is_there) {
        dlp_phase_begin(NULL, DLP_PHASE_LEAVES); /* the bar shows what is done */
        dlp_image image = {0};
        dlp_status status = dlp_movie_draw(job->film, frame, &image, error);
        if (status == DLP_OK) status = dlp_png_write(job->pictures[frame], &image, error);
        dlp_phase_end();
        dlp_image_release(&image);
        if (status != DLP_OK) return status;
    }
    job->drawn_count++;
    tell_picture(job, frame, dlp_wall_clock() - start);
    if (!dlp_stop_asked() || job->drawn_count == job->chosen_count) return DLP_OK;
    return dlp_fail(error, DLP_INTERRUPTED, "interrupted after picture %d of %d; go on with --resume",
                    job->drawn_count, job->chosen_count);
}

static dlp_status draw_pictures(film_job *job, dlp_error *error)
{
    dlp_bar_begin(&job->bar, job->arguments->json);
    dlp_bar_show(&job->bar, "picture", 0, job->chosen_count);
    for (int32_t k = 0; k < job->frame_count; k++)
        if (job->pictures[k] != NULL) DLP_TRY(draw_picture(job, k, error));
    return DLP_OK;
}

/* The video of what was drawn. A recorded frame is shown for as long as it lasts: `every` frames of the
 * scene. */
static dlp_status make_video(film_job *job, bool *out_is_made, dlp_error *error)
{
    *out_is_made = false;
    if (job->arguments->no_video || job->chosen_count < 2) return DLP_OK;
    if (!dlp_video_is_available()) {
        dlp_bar_clear(&job->bar);
        fprintf(stderr,
                "note: no video: ffmpeg is not installed (Debian: apt install ffmpeg); the pictures are "
                "in %s\n",
                job->folder);
        return DLP_OK;
    }
    dlp_bar_say(&job->bar, "ffmpeg makes the video ...");
    const dlp_scene_def *scene = job->runs[0].def;
    const double rate =
        job->arguments->fps > 0 ? job->arguments->fps : scene->frame_rate / scene->record.every;
    int32_t count = 0; /* the chosen ones move to the front */
    for (int32_t k = 0; k < job->frame_count; k++) {
        char *picture = job->pictures[k];
        job->pictures[k] = NULL;
        if (picture != NULL) job->pictures[count++] = picture;
    }
    DLP_TRY(dlp_video_write(job->video, rate, job->pictures, count, error));
    *out_is_made = true;
    return DLP_OK;
}

static void print_summary(const film_job *job, bool has_video)
{
    char time[32];
    dlp_readable_seconds(dlp_wall_clock() - job->bar.start, time, sizeof time);
    if (job->chosen_count == 1) {
        for (int32_t k = 0; k < job->frame_count; k++)
            if (job->pictures[k] != NULL) printf("%s, in %s\n", job->pictures[k], time);
        return;
    }
    printf("%s: %d pictures%s%s, in %s\n", job->folder, job->chosen_count, has_video ? "; " : "",
           has_video ? job->video : "", time);
}

static dlp_status render(film_job *job, const char *folder, dlp_error *error)
{
    DLP_TRY(check_settings(job->arguments, error));
    DLP_TRY(open_film(job, folder, error));
    DLP_TRY(plan_pictures(job, folder, error));
    dlp_bar_clear(&job->bar);
    DLP_TRY(draw_pictures(job, error));
    bool has_video;
    DLP_TRY(make_video(job, &has_video, error));
    dlp_bar_clear(&job->bar);
    if (!job->arguments->json) print_summary(job, has_video);
    return DLP_OK;
}

static void release(film_job *job)
{
    dlp_movie_destroy(job->film);
    dlp_team_destroy(job->team);
    for (int32_t k = 0; k < 2; k++) {
        dlp_run_close(&job->runs[k]);
        dlp_free(job->captions[k]);
    }
    for (int32_t k = 0; job->pictures != NULL && k < job->frame_count; k++) dlp_free(job->pictures[k]);
    dlp_free(job->pictures);
    dlp_free(job->folder);
    dlp_free(job->video);
}

static int render_run(const void *settings, const dlp_words *words)
{
    static dlp_error error;
    film_job job = {.arguments = settings};
    dlp_bar_begin(&job.bar, job.arguments->json);
    dlp_stop_listen();
    const dlp_status status = render(&job, words->items[0], &error);
    dlp_bar_clear(&job.bar);
    release(&job);
    return status == DLP_OK ? DLP_EXIT_DONE : dlp_report_error(&error);
}

#define FIELD(name) offsetof(render_settings, name)
static const dlp_option options[] = {
    {.name = "as",
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(as),
     .value = "KIND",
     .help = "surface, particles or auto (surfaces where there are some); auto by default"},
    {.name = "color",
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(color),
     .value = "FIELD",
     .help = "by substance, speed, density, pressure, temperature, level, step or state"},
    {.name = "frames",
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(frames),
     .value = "LIST",
     .help = "which frames: 12, or 0..24, or 0,10,last; all by default"},
    {.name = "samples",
     .kind = DLP_OPTION_INTEGER,
     .offset = FIELD(samples),
     .value = "N",
     .help = "rays per pixel; the scene's render.samples by default",
     .min = 1,
     .max = 65536},
    {.name = "size",
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(size),
     .value = "WxH",
     .help = "pixels of a picture (with --beside, of each of the two)"},
    {.name = "output",
     .letter = 'o',
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "DIR2",
     .help = "where pictures and film go; DIR by default"},
    {.name = "beside",
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(beside),
     .value = "DIR_B",
     .help = "draw another run next to it, with one camera and one range of colours"},
    {.name = "captions",
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(captions),
     .value = "\"A|B\"",
     .help = "captions over the two; the folders' names by default"},
    {.name = "fps",
     .kind = DLP_OPTION_INTEGER,
     .offset = FIELD(fps),
     .value = "N",
     .help = "pictures per second of the video; the scene's frames.rate by default",
     .min = 1,
     .max = 1000},
    {.name = "no-video", .kind = DLP_OPTION_FLAG, .offset = FIELD(no_video), .help = "make pictures alone"},
    {.name = "set",
     .kind = DLP_OPTION_LIST,
     .offset = FIELD(set),
     .value = "PATH=VALUE",
     .help = "change camera, render, or a substance's color or look; may be repeated"},
    {.name = "threads",
     .kind = DLP_OPTION_INTEGER,
     .offset = FIELD(threads),
     .value = "N",
     .help = "all processors by default; the pictures are the same",
     .min = 1,
     .max = DLP_MAX_THREADS},
    {.name = "resume",
     .kind = DLP_OPTION_FLAG,
     .offset = FIELD(resume),
     .help = "keep existing pictures, draw the others"},
    {.name = "force", .kind = DLP_OPTION_FLAG, .offset = FIELD(force), .help = "replace existing pictures"},
    {.name = "json",
     .kind = DLP_OPTION_FLAG,
     .offset = FIELD(json),
     .help = "one JSON object per picture instead of progress"},
    {0},
};

const dlp_verb dlp_verb_render = {
    .name = "render",
    .usage =
        "DIR [--as surface|particles|auto] [--color FIELD] [--frames LIST] [--samples N]\n"
        "                     [--size WxH] [-o DIR2] [--beside DIR_B [--captions \"A|B\"]] [--fps N]\n"
        "                     [--no-video] [--set PATH=VALUE]... [--threads N] [--resume | --force] [--json]",
    .summary = "draw pictures and a video of a recorded run",
    .details =
        "Draws the frames that a run recorded in DIR as DIR/pictures/0000.png ... and, where ffmpeg is\n"
        "installed, makes DIR/film.mp4 of them. The camera stands still and shows everything that happens "
        "in\n"
        "any frame, unless the scene's `camera` says otherwise; the scene also sets light and looks. With\n"
        "--color the whole film has one range of colours and a legend. The command refuses to start where\n"
        "pictures exist, unless --force or --resume is given. Ctrl-C ends after the current picture. Exit\n"
        "status: 0 done, 1 failed, 2 bad usage, 4 input or output error, 130 interrupted.",
    .options = options,
    .settings_size = sizeof(render_settings),
    .min_words = 1,
    .max_words = 1,
    .run = render_run,
};
