/* dollop mesh: the surfaces of a recorded run, made again without simulating anything. */
#include "bar.h"
#include "common.h"
#include "render_arguments.h"
#include "findings.h"
#include "phase.h"
#include "stop.h"

#include "base/memory.h"
#include "record/file_io.h"
#include "record/mesh_files.h"
#include "record/reskin.h"
#include "record/run_folder.h"
#include "record/surfaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mesh_settings {
    const char *kind, *cell, *format, *frames, *output;
    dlp_words set;
    int32_t threads;
    bool blend, field, vtp, film, force, json;
} mesh_settings;

/* Everything that is owned during the job. */
typedef struct mesh_job {
    const mesh_settings *arguments;
    const char *folder; /* borrowed: where surfaces go */
    dlp_run run;
    dlp_team *team;
    dlp_reskin *reskin;
    bool *chosen, *needed; /* one per frame of the run */
    int32_t chosen_count, written_count;
    dlp_bar bar;
} mesh_job;

static bool is_flat(const mesh_job *job)
{
    return job->run.def->dimension == 2;
}

/* Opening: the run's scene with what is asked for. */

/* What was recorded cannot be changed any more; what is wrapped around it can. */
static bool is_about_surfaces(const char *setting)
{
    const size_t length = strcspn(setting, "=");
    const bool is_color = length > 6 && strncmp(setting + length - 6, ".color", 6) == 0;
    return strncmp(setting, "surface", 7) == 0 || strncmp(setting, "record.iso=", 11) == 0 ||
           (strncmp(setting, "substances.", 11) == 0 && is_color);
}

static dlp_status check_set(const dlp_words *settings, dlp_error *error)
{
    for (int32_t k = 0; k < settings->count; k++)
        if (strchr(settings->items[k], '=') != NULL && !is_about_surfaces(settings->items[k]))
            return dlp_fail(error, DLP_INVALID,
                            "--set %s: the motion is recorded already; surface, in 2-D record.iso, and a "
                            "substance's color can be set",
                            settings->items[k]);
    return DLP_OK;
}

/* An option that stands for a parameter; NULL where it was not given. */
static dlp_status set_option(dlp_scene *scene, const char *option, const char *path, const char *value,
                             dlp_error *error)
{
    if (value == NULL) return DLP_OK;
    const dlp_status status = dlp_scene_change(scene, path, value, error);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "dollop mesh: --%s", option);
}

static dlp_status set_options(dlp_scene *scene, const mesh_settings *arguments, dlp_error *error)
{
    DLP_TRY(set_option(scene, "kind", "surface.kind", arguments->kind, error));
    DLP_TRY(set_option(scene, "cell", "surface.cell", arguments->cell, error));
    DLP_TRY(set_option(scene, "format", "surface.format", arguments->format, error));
    DLP_TRY(set_option(scene, "blend", "surface.blend", arguments->blend ? "true" : NULL, error));
    DLP_TRY(set_option(scene, "field", "surface.field", arguments->field ? "true" : NULL, error));
    return set_option(scene, "vtp", "surface.vtp", arguments->vtp ? "true" : NULL, error);
}

/* A 2-D run has contours, and none of what belongs to meshes. */
static dlp_status check_flat(const mesh_settings *arguments, dlp_error *error)
{
    const char *option = arguments->kind != NULL     ? "kind"
                         : arguments->cell != NULL   ? "cell"
                         : arguments->format != NULL ? "format"
                         : arguments->blend          ? "blend"
                         : arguments->field          ? "field"
                         : arguments->vtp            ? "vtp"
                         : arguments->film           ? "film"
                                                     : NULL;
    if (option == NULL) return DLP_OK;
    return dlp_fail(error, DLP_INVALID,
                    "dollop mesh: --%s: the run is in the plane, where contours are written; choose their "
                    "density with --set record.iso=0.5",
                    option);
}

static dlp_status set_scene(dlp_scene *scene, void *context, dlp_error *error)
{
    const mesh_settings *arguments = context;
    const dlp_scene_def *def;
    DLP_TRY(check_set(&arguments->set, error));
    DLP_TRY(dlp_scene_resolve(scene, &def, error)); /* as it is */
    if (def->dimension == 2) DLP_TRY(check_flat(arguments, error));
    DLP_TRY(dlp_set_parameters(scene, &arguments->set, error));
    DLP_TRY(set_options(scene, arguments, error));
    /* There is nothing left to push, whatever the kind of surface. */
    DLP_TRY(dlp_scene_change(scene, "surface.retroaction", "false", error));
    return dlp_check_opened_scene(scene, &arguments->set, error);
}

static dlp_status check_settings(const mesh_settings *arguments, dlp_error *error)
{
    if (arguments->cell == NULL) return DLP_OK;
    char *end;
    const double cell = strtod(arguments->cell, &end);
    if (end != arguments->cell && *end == 0 && cell > 0 && isfinite(cell)) return DLP_OK;
    return dlp_fail(error, DLP_INVALID,
                    "dollop mesh: --cell: must be a length above 0 in metres, as in 0.005 (got %s)",
                    arguments->cell);
}

static dlp_status check_surface(const mesh_job *job, dlp_error *error)
{
    const dlp_surface_def *surface = &job->run.def->surface;
    if (surface->kind == DLP_SURFACE_NONE)
        return dlp_fail(error, DLP_INVALID,
                        "dollop mesh: %s has surface.kind none; choose --kind iso, active or anisotropic",
                        job->run.folder);
    if (job->arguments->film && surface->format != DLP_SURFACE_PLY)
        return dlp_fail(error, DLP_INVALID,
                        "dollop mesh: --film is made of the .ply files; leave the format at ply");
    return dlp_surfaces_check(surface, error);
}

static dlp_status choose_frames(mesh_job *job, dlp_error *error)
{
    const int32_t count = job->run.frame_count;
    if (count == 0)
        return dlp_fail(error, DLP_IO,
                        "%s: has no frames of particles to wrap; run it with record.particles true",
                        job->run.folder);
    dlp_frame_ref *frames = dlp_alloc((size_t)count, sizeof *frames, "options");
    job->chosen = dlp_alloc((size_t)count, sizeof *job->chosen, "options");
    job->needed = dlp_alloc((size_t)count, sizeof *job->needed, "options");
    dlp_status status = DLP_OK;
    if (frames == NULL || job->chosen == NULL || job->needed == NULL)
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "dollop mesh: no room for %d frames", count);
    for (int32_t k = 0; status == DLP_OK && k < count; k++) frames[k].number = job->run.frames[k].number;
    if (status == DLP_OK)
        status = dlp_choose_frames(job->arguments->frames, frames, count, job->chosen, error);
    for (int32_t k = 0; status == DLP_OK && k < count; k++) job->chosen_count += job->chosen[k];
    dlp_free(frames);
    return status;
}

static void plan_frames(mesh_job *job)
{
    const int32_t gap_count = dlp_reskin_plan(&job->run, job->chosen, job->needed);
    if (gap_count > 0)
        fprintf(stderr,
                "note: the frame before is not recorded for %d of the frames (record.every is %d); an active "
                "surface begins anew there and does not hide what the particles did in between\n",
                gap_count, job->run.def->record.every);
}

static dlp_status open_job(mesh_job *job, const char *folder, dlp_error *error)
{
    mesh_settings arguments = *job->arguments;
    DLP_TRY(check_settings(&arguments, error));
    DLP_TRY(dlp_run_open(folder, set_scene, &arguments, &job->run, error));
    if (!is_flat(job)) DLP_TRY(check_surface(job, error));
    job->folder = arguments.output != NULL ? arguments.output : folder;
    DLP_TRY(choose_frames(job, error));
    if (!arguments.force && dlp_run_folder_has_surfaces(job->folder, job->run.def))
        return dlp_fail(error, DLP_INVALID,
                        "%s: there are surfaces in it; --force replaces all of them, -o writes elsewhere",
                        job->folder);
    return dlp_team_create(arguments.threads, &job->team, error);
}

/* Making. */

static void print_surface(const mesh_job *job, const dlp_surface_view *view, int32_t number)
{
    static const char *const endings[] = {"ply", "obj", "stl", "glb"};
    char inside[DLP_SURFACE_FOLDER_SIZE], file[DLP_SURFACE_FOLDER_SIZE + 32];
    dlp_surface_folder(view->name, inside);
    snprintf(file, sizeof file, "%s/%04d.%s", inside, number, endings[job->run.def->surface.format]);
    printf("{\"file\": ");
    dlp_json_text(file);
    printf(", \"vertices\": %d, \"triangles\": %d, \"volume\": ", view->vertex_count, view->triangle_count);
    dlp_json_number(view->volume);
    printf(", \"area\": ");
    dlp_json_number(view->area);
    printf("}");
}

static void print_contour(const mesh_job *job, int32_t number)
{
    const dlp_contour *contour = dlp_reskin_contour(job->reskin);
    printf("{\"file\": \"contour/%04d.vtp\", \"lines\": %d, \"points\": %d, \"area\": ", number,
           contour->loop_count, contour->point_count);
    dlp_json_number(contour->area);
    printf("}");
}

static void print_json(const mesh_job *job, const dlp_pvd_frame *frame, double seconds)
{
    printf("{\"frame\": %d, \"time\": ", frame->number);
    dlp_json_number(frame->time);
    printf(", \"surfaces\": [");
    if (is_flat(job)) print_contour(job, frame->number);
    const int32_t count = is_flat(job) ? 0 : dlp_skin_surface_count(dlp_reskin_skin(job->reskin));
    for (int32_t k = 0; k < count; k++) {
        dlp_surface_view view = {.size = sizeof view};
        if (dlp_skin_surface(dlp_reskin_skin(job->reskin), k, &view, NULL) != DLP_OK) continue;
        if (k > 0) printf(", ");
        print_surface(job, &view, frame->number);
    }
    printf("], \"seconds\": ");
    dlp_json_number(seconds);
    printf("}\n");
    fflush(stdout);
}

static dlp_status make_frame(mesh_job *job, int32_t index, dlp_error *error)
{
    const double start = dlp_wall_clock();
    DLP_TRY(dlp_reskin_make(job->reskin, index, error));
    if (!job->chosen[index]) return DLP_OK;
    DLP_TRY(dlp_reskin_write(job->reskin, error));
    job->written_count++;
    if (job->arguments->json) print_json(job, &job->run.frames[index], dlp_wall_clock() - start);
    return DLP_OK;
}

static dlp_status make_frames(mesh_job *job, dlp_error *error)
{
    int32_t done = 0, needed_count = 0;
    for (int32_t k = 0; k < job->run.frame_count; k++) needed_count += job->needed[k];
    dlp_bar_begin(&job->bar, job->arguments->json);
    dlp_bar_show(&job->bar, "frame", 0, needed_count);
    for (int32_t k = 0; k < job->run.frame_count; k++) {
        if (!job->needed[k]) continue;
        dlp_phase_begin(NULL, DLP_PHASE_LEAVES); /* the bar shows what is done */
        const dlp_status status = make_frame(job, k, error);
        dlp_phase_end();
        DLP_TRY(status);
        dlp_bar_tell(&job->bar, "frame", ++done, needed_count);
        if (dlp_stop_asked() && done < needed_count)
            return dlp_fail(error, DLP_INTERRUPTED,
                            "interrupted: %d of %d frames are written; begin again "
                            "with --force",
                            job->written_count, job->chosen_count);
    }
    return DLP_OK;
}

/* FOLDER/surface.glb, or one per substance. */
static dlp_status write_films(mesh_job *job, dlp_error *error)
{
    const dlp_skin *skin = dlp_reskin_skin(job->reskin);
    dlp_bar_say(&job->bar, "making one file of all frames ...");
    for (int32_t k = 0; k < dlp_skin_surface_count(skin); k++) {
        dlp_surface_view view = {.size = sizeof view};
        DLP_TRY(dlp_skin_surface(skin, k, &view, error));
        char inside[DLP_SURFACE_FOLDER_SIZE], name[DLP_SURFACE_FOLDER_SIZE + 8];
        dlp_surface_folder(view.name, inside);
        snprintf(name, sizeof name, "%s.glb", inside);
        char *path = dlp_folder_path(job->folder, name);
        if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "dollop mesh: no room for a name");
        const dlp_status status =
            dlp_mesh_animation_write(job->folder, inside, job->run.def->frame_rate, path, error);
        dlp_free(path);
        DLP_TRY(status);
    }
    return DLP_OK;
}

static void print_summary(const mesh_job *job)
{
    static const char *const kinds[] = {"no", "iso", "active", "anisotropic"};
    char time[32];
    dlp_readable_seconds(dlp_wall_clock() - job->bar.start, time, sizeof time);
    const char *plural = job->chosen_count == 1 ? "" : "s";
    if (is_flat(job)) {
        printf("%s: contours of %d frame%s in contour/, in %s\n", job->folder, job->chosen_count, plural,
               time);
        return;
    }
    const bool has_several = dlp_skin_surface_count(dlp_reskin_skin(job->reskin)) > 1;
    const bool is_cloth = dlp_scene_def_is_cloth(job->run.def);
    printf("%s: %s surfaces of %d frame%s in %s%s, in %s\n", job->folder,
           is_cloth ? "cloth" : kinds[job->run.def->surface.kind], job->chosen_count, plural,
           has_several ? "surface-*/" : "surface/",
           !job->arguments->film ? ""
           : has_several         ? " and surface-*.glb"
                                 : " and surface.glb",
           time);
}

static dlp_status make_meshes(mesh_job *job, const char *folder, dlp_error *error)
{
    DLP_TRY(open_job(job, folder, error));
    plan_frames(job);
    DLP_TRY(dlp_folder_create(job->folder, error));
    DLP_TRY(dlp_run_folder_clear_surfaces(job->folder, job->run.def, error));
    dlp_reskin_def def = {.run = &job->run, .folder = job->folder, .team = job->team};
    DLP_TRY(dlp_target_choose(NULL, &def.target, error));
    DLP_TRY(dlp_reskin_create(&def, &job->reskin, error));
    DLP_TRY(make_frames(job, error));
    dlp_phase_begin(NULL, DLP_PHASE_LEAVES);
    if (job->arguments->film) DLP_TRY(write_films(job, error));
    dlp_phase_end();
    dlp_bar_clear(&job->bar);
    if (!job->arguments->json) print_summary(job);
    return DLP_OK;
}

static int mesh_run(const void *settings, const dlp_words *words)
{
    static dlp_error error;
    mesh_job job = {.arguments = settings};
    dlp_stop_listen();
    const dlp_status status = make_meshes(&job, words->items[0], &error);
    dlp_bar_clear(&job.bar);
    dlp_reskin_destroy(job.reskin);
    dlp_team_destroy(job.team);
    dlp_run_close(&job.run);
    dlp_free(job.chosen);
    dlp_free(job.needed);
    return status == DLP_OK ? DLP_EXIT_DONE : dlp_report_error(&error);
}

#define FIELD(name) offsetof(mesh_settings, name)
static const dlp_option options[] = {
    {.name = "kind",
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(kind),
     .value = "KIND",
     .help = "iso, active or anisotropic; surface.kind of the run by default"},
    {.name = "cell",
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(cell),
     .value = "METRES",
     .help = "cell of the grid; half the finest particle spacing by default"},
    {.name = "format",
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(format),
     .value = "FORMAT",
     .help = "ply, obj, stl or glb; surface.format of the run by default"},
    {.name = "blend",
     .kind = DLP_OPTION_FLAG,
     .offset = FIELD(blend),
     .help = "one surface around all substances together"},
    {.name = "field",
     .kind = DLP_OPTION_FLAG,
     .offset = FIELD(field),
     .help = "write the field and its velocity, too, as .vdb beside each mesh (needs OpenVDB)"},
    {.name = "vtp",
     .kind = DLP_OPTION_FLAG,
     .offset = FIELD(vtp),
     .help = "write each mesh, too, as .vtp with its velocity, and a .pvd with the times"},
    {.name = "film",
     .kind = DLP_OPTION_FLAG,
     .offset = FIELD(film),
     .help = "write all frames, too, as one animated glTF file, surface.glb"},
    {.name = "frames",
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(frames),
     .value = "LIST",
     .help = "which frames: 12, or 0..24, or 0,10,last; all by default"},
    {.name = "output",
     .letter = 'o',
     .kind = DLP_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "DIR2",
     .help = "where the surfaces go; DIR by default"},
    {.name = "set",
     .kind = DLP_OPTION_LIST,
     .offset = FIELD(set),
     .value = "PATH=VALUE",
     .help = "change surface, record.iso, or a substance's color; may be repeated"},
    {.name = "threads",
     .kind = DLP_OPTION_INTEGER,
     .offset = FIELD(threads),
     .value = "N",
     .help = "all processors by default; the surfaces are the same",
     .min = 1,
     .max = DLP_MAX_THREADS},
    {.name = "force",
     .kind = DLP_OPTION_FLAG,
     .offset = FIELD(force),
     .help = "replace all surfaces that are there"},
    {.name = "json",
     .kind = DLP_OPTION_FLAG,
     .offset = FIELD(json),
     .help = "one JSON object per frame instead of progress"},
    {0},
};

const dlp_verb dlp_verb_mesh = {
    .name = "mesh",
    .usage = "DIR [--kind iso|active|anisotropic] [--cell METRES] [--format ply|obj|stl|glb]\n"
             "                   [--blend] [--field] [--vtp] [--film] [--frames LIST] [-o DIR2]\n"
             "                   [--set PATH=VALUE]... [--threads N] [--force] [--json]",
    .summary = "make the surfaces of a recorded run again",
    .details =
        "Makes surfaces around the particles that a run recorded in DIR, without simulating again, and\n"
        "writes them as DIR/surface/0000.ply ... (with several substances a folder per substance, such as\n"
        "surface-honey; for a 2-D run contours, contour/0000.vtp ...). With the run's settings they are\n"
        "what the run wrote, bit for bit, except where a cut in a solid stands open without parting it:\n"
        "frames do not record that. An active surface follows from the frame before: with --frames earlier\n"
        "frames are computed, too, and where record.every left frames out it begins anew. Existing surfaces\n"
        "are kept, and the command refuses to start, unless --force is given, which replaces all of them.\n"
        "Ctrl-C ends after the current frame. Exit status: 0 done, 1 failed, 2 bad usage, 4 input or output\n"
        "error, 130 interrupted.",
    .options = options,
    .settings_size = sizeof(mesh_settings),
    .min_words = 1,
    .max_words = 1,
    .run = mesh_run,
};
