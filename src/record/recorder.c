// Records a world in a folder: scene, frames, meshes, statistics, probes, checkpoints, preview
// (run_folder.h lists the files). Each file is written beside and renamed; tables grow by a row per frame
// and are cut back on resume. So a run may be killed at any time, and a run resumed from its checkpoint
// leaves what an uninterrupted one leaves.
#include "motion/world.h"
#include "record/checkpoint.h"
#include "record/csv.h"
#include "record/file_io.h"
#include "record/frame.h"
#include "record/film/frame_render.h"
#include "record/film/thumbnail.h"
#include "record/probe_meter.h"
#include "record/run_folder.h"
#include "record/stats_csv.h"
#include "record/surfaces.h"
#include "base/wall_clock.h"
#include "base/memory.h"
#include "base/sized.h"

#include <string.h>

// A run being recorded. The scene's settings are copied; the world is only seen during calls.
struct dlp_recorder {
    char *folder;           // of the run
    char *checkpoint_path;  // "FOLDER/checkpoint.h5"
    dlp_record_def settings;
    dlp_surface_def surface;  // of the scene
    dlp_skin *skin;           // of the world that is recorded; NULL before the first frame or restore
    bool has_skin;            // its surfaces were made since the run was opened
    int32_t dimension;
    int32_t last_frame;               // that was recorded; -1 for none
    double checkpoint_time;           // s of the newest checkpoint, -1 for none
    double unnoted_time;              // s of recording that no row of statistics has counted yet
    char *scene_text, *probe_header;  // of scene.yaml and probes.csv; the second NULL without probes
    char *sample_header;              // of samples.csv; NULL without probes that have a rate
    bool is_cleared;                  // a run that is there goes, unless this one goes on with it
    bool is_open;                     // the folder is prepared and the tables are open
    dlp_csv stats, probes, samples;
    dlp_probe_meter *meter;  // of the world that is recorded; NULL without such probes
    bool has_probes;         // the scene has some: `probes` is open
    dlp_frame_list particles, contours;
    dlp_surface_lists surfaces;
    void (*log)(const char *message, void *user);  // or NULL
    void *user;                                    // borrowed: of the log
};

// To the host, which may print it: the library does not.
static void note(const dlp_recorder *recorder, const char *message)
{
    if (recorder->log != NULL) recorder->log(message, recorder->user);
}

int32_t dlp_recorder_last_frame(const dlp_recorder *recorder)
{
    return recorder->last_frame;
}

void dlp_recorder_close(dlp_recorder *recorder)
{
    if (recorder == NULL) return;
    dlp_skin_destroy(recorder->skin);
    dlp_probe_meter_destroy(recorder->meter);
    dlp_csv_close(&recorder->stats);
    dlp_csv_close(&recorder->probes);
    dlp_csv_close(&recorder->samples);
    dlp_frame_list_release(&recorder->particles);
    dlp_frame_list_release(&recorder->contours);
    dlp_surface_lists_release(&recorder->surfaces);
    dlp_free(recorder->checkpoint_path);
    dlp_free(recorder->scene_text);
    dlp_free(recorder->probe_header);
    dlp_free(recorder->sample_header);
    dlp_free(recorder->folder);
    dlp_free(recorder);
}

// Opening. Steps that may be refused come before those that change the folder.

// A run can only go on with the scene that it was started with. Both are resolved, so that only values count,
// not how they were written.
static dlp_status compare_scenes(const char *path, const char *text, dlp_scene *scene, dlp_error *error)
{
    dlp_scene *old;
    dlp_status status = dlp_scene_read_text(text, strlen(text), path, NULL, &old, error);
    if (status != DLP_OK) return dlp_fail_at(error, status, "%s: its scene", path);
    const dlp_scene_def *unused;
    status = dlp_scene_resolve(old, &unused, error);
    if (status == DLP_OK) {
        char difference[1024] = "";
        dlp_scene_difference(old, scene, difference, sizeof difference);
        if (difference[0] != '\0')
            status = dlp_fail(
                error, DLP_INVALID,
                "%s: the run there is of another scene: %s; resume with the same scene, or start over "
                "with --force",
                path, difference);
    } else {
        status = dlp_fail_at(error, status, "%s: its scene", path);
    }
    dlp_scene_destroy(old);
    return status;
}

// Where a resumed run goes on: at the checkpoint's frame, or at the start where there is none.
static dlp_status find_start(dlp_recorder *recorder, dlp_scene *scene, dlp_error *error)
{
    if (!dlp_file_exists(recorder->checkpoint_path)) return DLP_OK;
    dlp_checkpoint_info info;
    DLP_TRY(dlp_checkpoint_read_info(recorder->checkpoint_path, &info, error));
    const dlp_status status = compare_scenes(recorder->checkpoint_path, info.scene, scene, error);
    recorder->last_frame = info.frame;
    recorder->checkpoint_time = info.time;
    dlp_checkpoint_info_release(&info);
    return status;
}

// Whether the folder may be used, and where in the run it stands. Changes nothing but that it is there.
static dlp_status check_folder(dlp_recorder *recorder, const dlp_recorder_def *def, dlp_error *error)
{
    if (!(def->mode >= DLP_RUN_FRESH && def->mode <= DLP_RUN_RESUME))
        return dlp_fail(error, DLP_INVALID, "recorder: mode %d: there is none; 0 to %d are known",
                        (int)def->mode, DLP_RUN_RESUME);
    if (def->mode == DLP_RUN_FRESH && dlp_run_folder_is_used(def->folder))
        return dlp_fail(error, DLP_INVALID,
                        "%s: there is a run in it; --resume goes on with it, --force starts over",
                        def->folder);
    DLP_TRY(dlp_folder_create(def->folder, error));
    return def->mode == DLP_RUN_RESUME ? find_start(recorder, def->scene, error) : DLP_OK;
}

// *out_header stays NULL where the table has no columns.
static dlp_status keep_header(void (*write)(const dlp_scene_def *scene, dlp_string *out),
                              const dlp_scene_def *def, char **out_header, dlp_error *error)
{
    dlp_string header = {0};
    write(def, &header);
    dlp_status status = dlp_format_check(&header, "probes.csv", error);
    const bool has_columns = status == DLP_OK && header.length > 0;
    if (has_columns) *out_header = dlp_copy_text(header.data, "recorder");
    dlp_string_release(&header);
    if (has_columns && *out_header == NULL)
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "recorder: no room for its probes");
    return status;
}

// What the folder will get: every parameter resolved, so that the run can be repeated and read back, and the
// columns of the probes, where the scene has some.
static dlp_status write_texts(dlp_recorder *recorder, dlp_scene *scene, const dlp_scene_def *def,
                              dlp_error *error)
{
    DLP_TRY(dlp_scene_write(scene, &recorder->scene_text, error));
    if (def->probe_count == 0) return DLP_OK;
    DLP_TRY(keep_header(dlp_probes_header, def, &recorder->probe_header, error));
    return keep_header(dlp_probe_meter_header, def, &recorder->sample_header, error);
}

static dlp_status write_scene(const dlp_recorder *recorder, dlp_error *error)
{
    char *path = dlp_folder_path(recorder->folder, "scene.yaml");
    if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", recorder->folder);
    const dlp_status status =
        dlp_file_write_text(path, recorder->scene_text, strlen(recorder->scene_text), error);
    dlp_free(path);
    return status;
}

// Rows after `last_row` are cut off; a fresh run has none.
static dlp_status open_table(const dlp_recorder *recorder, const char *name, const char *header,
                             int32_t last_row, dlp_csv *table, dlp_error *error)
{
    char *path = dlp_folder_path(recorder->folder, name);
    if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", recorder->folder);
    const dlp_status status = dlp_csv_resume(table, path, header, last_row, error);
    dlp_free(path);
    return status;
}

// probes.csv only where the scene has probes. Samples go on after those that the checkpoint counts, which may
// be in the middle of a frame.
static dlp_status open_tables(dlp_recorder *recorder, dlp_error *error)
{
    const int32_t last = recorder->last_frame;
    DLP_TRY(open_table(recorder, "stats.csv", dlp_stats_header(), last, &recorder->stats, error));
    recorder->has_probes = recorder->probe_header != NULL;
    if (!recorder->has_probes) return DLP_OK;
    DLP_TRY(open_table(recorder, "probes.csv", recorder->probe_header, last, &recorder->probes, error));
    if (recorder->sample_header == NULL) return DLP_OK;
    const int32_t sample =
        last >= 0 && recorder->meter != NULL ? dlp_probe_meter_last_sample(recorder->meter) : -1;
    return open_table(recorder, "samples.csv", recorder->sample_header, sample, &recorder->samples, error);
}

// The first change of the folder: an earlier run is cleared away, or its frames after the checkpoint, which
// are computed again. Where a run goes on, its checkpoint has been loaded before: one that is refused costs
// no frame.
static dlp_status open_folder(dlp_recorder *recorder, dlp_error *error)
{
    if (recorder->is_open) return DLP_OK;
    if (recorder->last_frame >= 0)
        DLP_TRY(dlp_run_folder_drop_frames(recorder->folder, recorder->last_frame, error));
    else if (recorder->is_cleared)
        DLP_TRY(dlp_run_folder_clear(recorder->folder, error));
    DLP_TRY(write_scene(recorder, error));
    DLP_TRY(open_tables(recorder, error));
    DLP_TRY(dlp_frame_list_init(&recorder->particles, recorder->folder, "particles", error));
    DLP_TRY(dlp_frame_list_init(&recorder->contours, recorder->folder, "contour", error));
    recorder->is_open = true;
    return DLP_OK;
}

// What this build cannot write is said once, at the start, and then left out.
static void note_missing(const dlp_recorder *recorder)
{
    if (!dlp_checkpoint_is_available()) note(recorder, "no checkpoints: this build has no HDF5");
    if (recorder->settings.preview && !dlp_png_is_available())
        note(recorder, "no preview: this build has no libpng");
    else if (recorder->settings.preview && !dlp_frame_render_is_available(recorder->dimension))
        note(recorder, "no preview: this build has no Embree");
}

// A recorder that is half open can be closed: it is zeroed at birth.
static dlp_status open_run(dlp_recorder *recorder, const dlp_recorder_def *def, dlp_error *error)
{
    const dlp_scene_def *scene;
    DLP_TRY(dlp_scene_resolve(def->scene, &scene, error));
    DLP_TRY(dlp_surfaces_check(&scene->surface, error));
    recorder->settings = scene->record;
    recorder->surface = scene->surface;
    recorder->dimension = scene->dimension;
    recorder->last_frame = -1;
    recorder->checkpoint_time = -1;
    recorder->folder = dlp_copy_text(def->folder, "recorder");
    recorder->checkpoint_path = dlp_folder_path(def->folder, "checkpoint.h5");
    if (recorder->folder == NULL || recorder->checkpoint_path == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for its name", def->folder);
    recorder->is_cleared = def->mode != DLP_RUN_FRESH;
    DLP_TRY(check_folder(recorder, def, error));
    DLP_TRY(write_texts(recorder, def->scene, scene, error));
    if (recorder->last_frame < 0) DLP_TRY(open_folder(recorder, error));
    note_missing(recorder);
    return DLP_OK;
}

// What was opened before a failure is closed; the folder stays as far as it was prepared.
dlp_status dlp_recorder_open(const dlp_recorder_def *def, dlp_recorder **out_recorder, dlp_error *error)
{
    DLP_NEED(out_recorder, error);
    *out_recorder = NULL;
    dlp_recorder_def known;
    DLP_TRY(dlp_sized_read(def, &known, sizeof known, "dlp_recorder_def", error));
    if (known.folder == NULL || known.scene == NULL)
        return dlp_fail(error, DLP_INVALID, "recorder: needs a folder and a scene");
    dlp_recorder *recorder = dlp_alloc(1, sizeof *recorder, "recorder");
    if (recorder == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "recorder: no room");
    recorder->log = known.log;
    recorder->user = known.user;
    const dlp_status status = open_run(recorder, &known, error);
    if (status != DLP_OK) {
        dlp_recorder_close(recorder);
        return status;
    }
    *out_recorder = recorder;
    return DLP_OK;
}

// The skin and the meter are made before a checkpoint is loaded, since they register what they have gathered
// with the world.
static dlp_status need_parts(dlp_recorder *recorder, dlp_world *world, dlp_error *error)
{
    if (recorder->skin != NULL) return DLP_OK;
    DLP_TRY(dlp_skin_create(world, &recorder->skin, error));
    DLP_TRY(dlp_probe_meter_create(world, &recorder->meter, error));
    if (recorder->meter != NULL) dlp_probe_meter_write_to(recorder->meter, &recorder->samples);
    return DLP_OK;
}

// Nothing to load where the run starts anew.
dlp_status dlp_recorder_restore(dlp_recorder *recorder, dlp_world *world, dlp_error *error)
{
    DLP_NEED(recorder, error);
    DLP_NEED(world, error);
    DLP_TRY(need_parts(recorder, world, error));
    if (recorder->last_frame < 0) return DLP_OK;
    DLP_TRY(dlp_world_load(world, recorder->checkpoint_path, error));
    return open_folder(recorder, error);
}

// Recording.

static bool has_contour(const dlp_recorder *recorder)
{
    return recorder->dimension == 2 && recorder->settings.contour;
}

// The files of particles, surfaces and contour. The contour is made every frame, since each row of statistics
// has its area.
static dlp_status write_frames(dlp_recorder *recorder, const dlp_world *world, double *out_area,
                               dlp_error *error)
{
    const int32_t every = recorder->settings.every > 0 ? recorder->settings.every : 1;
    const bool is_due = dlp_world_frame(world) % every == 0;
    *out_area = 0;
    if (is_due && recorder->settings.particles)
        DLP_TRY(dlp_frame_write_particles(&recorder->particles, world, error));
    const dlp_pvd_frame frame = {dlp_world_frame(world), dlp_world_time(world)};
    if (is_due)
        DLP_TRY(dlp_surfaces_write(recorder->folder, recorder->skin, &recorder->surface, frame,
                                   &recorder->surfaces, error));
    if (!has_contour(recorder)) return DLP_OK;
    dlp_contour contour;
    DLP_TRY(dlp_frame_contour(world, &contour, error));
    *out_area = contour.area;
    const dlp_status status =
        is_due ? dlp_frame_write_contour(&recorder->contours, &contour, frame, error) : DLP_OK;
    dlp_contour_release(&contour);
    return status;
}

// A row of statistics and one of probes.
static dlp_status write_rows(dlp_recorder *recorder, dlp_world *world, double contour_area, dlp_error *error)
{
    dlp_stats stats = {.size = sizeof stats};
    DLP_TRY(dlp_world_stats(world, &stats, error));
    dlp_string row = {0};
    dlp_stats_row(&stats, contour_area, &row);
    dlp_status status = dlp_format_check(&row, "stats.csv", error);
    if (status == DLP_OK) status = dlp_csv_append(&recorder->stats, row.data, error);
    if (status == DLP_OK && recorder->has_probes) {
        dlp_probe_source source;
        status = dlp_probe_source_of_world(world, &source, error);
        const dlp_vec3 *means = NULL;
        if (status == DLP_OK && recorder->meter != NULL)
            status = dlp_probe_meter_frame(recorder->meter, &means, error);
        dlp_string_cut(&row, 0);
        if (status == DLP_OK) dlp_probes_row(&source, means, stats.frame, stats.time, &row);
        if (status == DLP_OK) status = dlp_format_check(&row, "probes.csv", error);
        if (status == DLP_OK) status = dlp_csv_append(&recorder->probes, row.data, error);
    }
    dlp_string_release(&row);
    return status;
}

// Whether this frame gets a checkpoint. The initial state needs none: a run starts there anyway.
static bool is_checkpoint_due(const dlp_recorder *recorder, int32_t frame)
{
    const int32_t every = recorder->settings.checkpoint;
    return every > 0 && frame > 0 && frame % every == 0 && dlp_checkpoint_is_available();
}

// Nothing where this build has no HDF5.
static dlp_status write_checkpoint(dlp_recorder *recorder, const dlp_world *world, dlp_error *error)
{
    if (!dlp_checkpoint_is_available()) return DLP_OK;
    DLP_TRY(dlp_world_save(world, recorder->checkpoint_path, error));
    recorder->checkpoint_time = dlp_world_time(world);
    return DLP_OK;
}

// The checkpoint comes last: a run that is killed at any point finds every row and frame that the checkpoint
// counts. The time it takes goes into the next frame's row. A frame that was recorded already is passed over.
dlp_status dlp_recorder_frame(dlp_recorder *recorder, dlp_world *world, dlp_error *error)
{
    DLP_NEED(recorder, error);
    DLP_NEED(world, error);
    const int32_t frame = dlp_world_frame(world);
    if (frame <= recorder->last_frame) return DLP_OK;
    DLP_TRY(open_folder(recorder, error));
    DLP_TRY(need_parts(recorder, world, error));
    DLP_TRY(dlp_skin_update(recorder->skin, error));  // every frame, since an active surface has a history
    recorder->has_skin = true;
    double start = dlp_seconds_now();
    double contour_area;
    DLP_TRY(write_frames(recorder, world, &contour_area, error));
    dlp_world_note_record_time(world, recorder->unnoted_time + dlp_seconds_now() - start);
    start = dlp_seconds_now();
    DLP_TRY(write_rows(recorder, world, contour_area, error));
    recorder->last_frame = frame;
    if (is_checkpoint_due(recorder, frame)) DLP_TRY(write_checkpoint(recorder, world, error));
    recorder->unnoted_time = dlp_seconds_now() - start;
    return DLP_OK;
}

// With the surfaces of the last frame.
static dlp_status write_preview(const dlp_recorder *recorder, const dlp_world *world, dlp_error *error)
{
    char *path = dlp_folder_path(recorder->folder, "preview.png");
    if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", recorder->folder);
    dlp_image image;
    dlp_status status = dlp_thumbnail_of_world(world, recorder->skin, &image, error);
    if (status == DLP_OK) status = dlp_png_write(path, &image, error);
    dlp_image_release(&image);
    dlp_free(path);
    return status;
}

// A run that was stopped within a frame gets a checkpoint of just that time, too.
dlp_status dlp_recorder_finish(dlp_recorder *recorder, dlp_world *world, dlp_error *error)
{
    DLP_NEED(recorder, error);
    DLP_NEED(world, error);
    // A run may be stopped with the last step of a frame, which is then not recorded yet.
    DLP_TRY(dlp_recorder_frame(recorder, world, error));
    if (recorder->checkpoint_time != dlp_world_time(world)) DLP_TRY(write_checkpoint(recorder, world, error));
    if (!recorder->settings.preview || !dlp_png_is_available()) return DLP_OK;
    if (!dlp_frame_render_is_available(recorder->dimension)) return DLP_OK;
    if (!recorder->has_skin) return DLP_OK;  // nothing was left to do: the old picture stays
    return write_preview(recorder, world, error);
}
