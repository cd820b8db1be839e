// Opens a recorded run: its scene, its bodies and the list of its frames.
#include "record/run_read.h"
#include "record/file_io.h"
#include "record/format.h"
#include "record/run_folder.h"
#include "base/memory.h"
#include "scene/containers.h"

#include <assert.h>
#include <inttypes.h>

// Tells apart a folder that is missing from one without a run.
static dlp_status read_scene(dlp_run *run, dlp_run_set_fn *set, void *context, dlp_error *error)
{
    char *path = dlp_folder_path(run->folder, "scene.yaml");
    if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", run->folder);
    dlp_status status = DLP_OK;
    if (!dlp_file_exists(run->folder))
        status = dlp_fail(error, DLP_IO, "%s: no such folder", run->folder);
    else if (!dlp_file_exists(path))
        status = dlp_fail(error, DLP_IO,
                          "%s: there is no run in it (no scene.yaml); name the folder that dollop run made",
                          run->folder);
    if (status == DLP_OK) status = dlp_scene_read_file(path, &run->scene, error);
    dlp_free(path);
    if (status == DLP_OK && set != NULL) status = set(run->scene, context, error);
    return status == DLP_OK ? dlp_scene_resolve(run->scene, &run->def, error) : status;
}

// As a world makes them: containers are open above.
static dlp_status make_bodies(dlp_run *run, dlp_error *error)
{
    dlp_scene_def_open_containers(dlp_scene_def_mutable(run->scene));
    return dlp_setting_init(&run->setting, run->def, 1, error);
}

// Bodies are made from the scene, not from the frames: key frames say where they are at any time.
dlp_status dlp_run_open(const char *folder, dlp_run_set_fn *set, void *context, dlp_run *out_run,
                        dlp_error *error)
{
    *out_run = (dlp_run){.folder = dlp_copy_text(folder, "frames")};
    dlp_status status = DLP_OK;
    if (out_run->folder == NULL)
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for its name", folder);
    if (status == DLP_OK) status = read_scene(out_run, set, context, error);
    if (status == DLP_OK) status = make_bodies(out_run, error);
    if (status == DLP_OK)
        status = dlp_run_folder_list(folder, "particles", &out_run->frames, &out_run->frame_count, error);
    if (status != DLP_OK) dlp_run_close(out_run);
    return status;
}

// The definition belongs to the scene, and the bodies' shapes to the setting.
void dlp_run_close(dlp_run *run)
{
    dlp_setting_release(&run->setting);
    dlp_free(run->frames);
    dlp_scene_destroy(run->scene);
    dlp_free(run->folder);
    *run = (dlp_run){0};
}

// Substances index the scene's list; frame_read has checked that they are not negative.
static dlp_status check_substances(const dlp_run *run, const dlp_particle_frame *frame, const char *path,
                                   dlp_error *error)
{
    for (int32_t i = 0; i < frame->count; i++)
        if (frame->substances[i] >= run->def->substance_count)
            return dlp_fail(error, DLP_IO,
                            "%s: particle %" PRId32 " is of substance %" PRId32
                            "; the scene beside it has %" PRId32,
                            path, i, frame->substances[i], run->def->substance_count);
    return DLP_OK;
}

dlp_status dlp_run_read_frame(const dlp_run *run, int32_t index, dlp_particle_frame *out_frame,
                              dlp_error *error)
{
    assert(index >= 0 && index < run->frame_count);
    const int32_t number = run->frames[index].number;
    char *path = dlp_run_folder_frame_path(run->folder, "particles", number);
    if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", run->folder);
    dlp_status status = dlp_frame_read(path, number, out_frame, error);
    if (status == DLP_OK) {
        status = check_substances(run, out_frame, path, error);
        if (status != DLP_OK) dlp_particle_frame_release(out_frame);
    }
    dlp_free(path);
    return status;
}

// NULL where there is no such file, or no memory.
static char *surface_path(const dlp_run *run, int32_t substance, int32_t number, const char *ending)
{
    dlp_string name = {0};
    if (substance < 0)
        dlp_string_add(&name, "surface/%04" PRId32 ".%s", number, ending);
    else
        dlp_string_add(&name, "surface-%s/%04" PRId32 ".%s", run->def->substances[substance].name, number,
                       ending);
    char *path = name.has_failed ? NULL : dlp_folder_path(run->folder, name.data);
    dlp_string_release(&name);
    if (path != NULL && !dlp_file_exists(path)) {
        dlp_free(path);
        path = NULL;
    }
    return path;
}

char *dlp_run_surface_path(const dlp_run *run, int32_t substance, int32_t number)
{
    static const char *const endings[] = {"ply", "obj", "stl"};  // glTF files are not looked for
    char *path = NULL;
    for (size_t k = 0; path == NULL && k < sizeof endings / sizeof endings[0]; k++)
        path = surface_path(run, substance, number, endings[k]);
    return path;
}
