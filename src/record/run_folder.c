// The files of a run: which are its own, by name and place. Only these are ever removed, so that a folder
// with other files in it is safe.
#include "record/run_folder.h"
#include "record/file_io.h"
#include "record/surfaces.h"
#include "base/memory.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What a run writes beside its folders of frames.
static const char *const run_files[] = {"scene.yaml",    "stats.csv",   "probes.csv",  "samples.csv",
                                        "particles.pvd", "contour.pvd", "preview.png", "checkpoint.h5"};
// Where it writes frames, beside a folder per substance with surfaces.
static const char *const run_folders[] = {"particles", "contour", "surface"};
enum {
    FILE_COUNT = sizeof run_files / sizeof run_files[0],
    FOLDER_COUNT = sizeof run_folders / sizeof run_folders[0]
};

// A message for names that could not be built.
static dlp_status no_room(dlp_error *error, const char *folder)
{
    return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a file's name", folder);
}

// The files, then frame 0 of each folder.
bool dlp_run_folder_is_used(const char *folder)
{
    bool is_used = false;
    for (int32_t k = 0; !is_used && k < FILE_COUNT; k++) {
        char *path = dlp_folder_path(folder, run_files[k]);
        is_used = path == NULL || dlp_file_exists(path);  // in doubt, do no harm
        dlp_free(path);
    }
    for (int32_t k = 0; !is_used && k < FOLDER_COUNT; k++) {
        char *path = dlp_run_folder_frame_path(folder, run_folders[k], 0);
        is_used = path == NULL || dlp_file_exists(path);
        dlp_free(path);
    }
    return is_used;
}

// `inside` is one of the short names above: particles, contour.
char *dlp_run_folder_frame_path(const char *folder, const char *inside, int32_t number)
{
    assert(strlen(inside) < DLP_SURFACE_FOLDER_SIZE && number >= 0);
    char name[DLP_SURFACE_FOLDER_SIZE + 20];
    snprintf(name, sizeof name, "%s/%04" PRId32 ".vtp", inside, number);
    return dlp_folder_path(folder, name);
}

// Endings of all files that are numbered by frames.
static const char *const frame_endings[] = {".vtp", ".ply", ".obj", ".stl", ".glb", ".vdb"};
enum { ENDING_COUNT = sizeof frame_endings / sizeof frame_endings[0] };

// The number of a frame's file, -1 for other files: "0012.vtp" and, half written, "0012.vtp.part".
static int32_t frame_number(const char *name, const char **out_ending, bool *out_is_part)
{
    const size_t digits = strspn(name, "0123456789");
    if (digits < 4 || digits > 9) return -1;
    for (int32_t k = 0; k < ENDING_COUNT; k++) {
        const size_t length = strlen(frame_endings[k]);
        if (strncmp(name + digits, frame_endings[k], length) != 0) continue;
        const char *rest = name + digits + length;
        *out_ending = frame_endings[k];
        *out_is_part = strcmp(rest, ".part") == 0;
        if (*out_is_part || rest[0] == '\0') return (int32_t)strtol(name, NULL, 10);
    }
    return -1;
}

// A file that is not there is fine.
static dlp_status remove_file(const char *folder, const char *name, dlp_error *error)
{
    char *path = dlp_folder_path(folder, name);
    if (path == NULL) return no_room(error, folder);
    dlp_status status = DLP_OK;
    if (unlink(path) != 0 && errno != ENOENT) status = dlp_fail_errno(error, path, errno);
    dlp_free(path);
    return status;
}

// Half-written files go whatever their number is: nobody reads them.
static dlp_status drop_entries(DIR *entries, const char *place, int32_t last_frame, dlp_error *error)
{
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const char *ending;
        bool is_part;
        const int32_t number = frame_number(entry->d_name, &ending, &is_part);
        if (number > last_frame || (number >= 0 && is_part))
            DLP_TRY(remove_file(place, entry->d_name, error));
    }
    return DLP_OK;
}

// Frames after `last_frame` of one folder inside; a folder that is missing is fine.
static dlp_status drop_frames(const char *folder, const char *inside, int32_t last_frame, dlp_error *error)
{
    char *place = dlp_folder_path(folder, inside);
    if (place == NULL) return no_room(error, folder);
    dlp_status status = DLP_OK;
    errno = 0;
    DIR *entries = opendir(place);
    if (entries == NULL) {
        if (errno != ENOENT && errno != ENOTDIR) status = dlp_fail_errno(error, place, errno);
    } else {
        status = drop_entries(entries, place, last_frame, error);
        closedir(entries);
    }
    dlp_free(place);
    return status;
}

// Does something to one folder of frames inside a run.
typedef dlp_status inside_fn(const char *folder, const char *inside, int32_t last_frame, dlp_error *error);

// The scene of the run in a folder; NULL where there is none that can be read. Its mistakes are no concern
// here.
static dlp_scene *scene_of_run(const char *folder)
{
    char *path = dlp_folder_path(folder, "scene.yaml");
    dlp_scene *scene = NULL;
    const dlp_scene_def *def;
    const bool is_good = path != NULL && dlp_scene_read_file(path, &scene, NULL) == DLP_OK &&
                         dlp_scene_resolve(scene, &def, NULL) == DLP_OK;
    dlp_free(path);
    if (is_good) return scene;
    dlp_scene_destroy(scene);
    return NULL;
}

// Only the folders of the scene's substances: one that somebody calls surface-old is not the run's.
static dlp_status visit_surfaces(const char *folder, const dlp_scene_def *def, inside_fn *visit,
                                 int32_t last_frame, dlp_error *error)
{
    for (int32_t k = 0; def != NULL && k < def->substance_count; k++) {
        char inside[DLP_SURFACE_FOLDER_SIZE];
        dlp_surface_folder(def->substances[k].name, inside);
        DLP_TRY(visit(folder, inside, last_frame, error));
    }
    return DLP_OK;
}

// The known folders, then one per substance, by the scene that the folder holds.
static dlp_status visit_folders(const char *folder, inside_fn *visit, int32_t last_frame, dlp_error *error)
{
    for (int32_t k = 0; k < FOLDER_COUNT; k++) DLP_TRY(visit(folder, run_folders[k], last_frame, error));
    dlp_scene *scene = scene_of_run(folder);
    const dlp_scene_def *def = NULL;
    if (scene != NULL) dlp_scene_resolve(scene, &def, NULL);
    const dlp_status status = visit_surfaces(folder, def, visit, last_frame, error);
    dlp_scene_destroy(scene);
    return status;
}

dlp_status dlp_run_folder_drop_frames(const char *folder, int32_t last_frame, dlp_error *error)
{
    return visit_folders(folder, drop_frames, last_frame, error);
}

// The folder's frames, the film and the list of them beside it, and the folder itself.
static dlp_status remove_frames(const char *folder, const char *inside, int32_t last_frame, dlp_error *error)
{
    char name[DLP_SURFACE_FOLDER_SIZE + 8];
    snprintf(name, sizeof name, "%s.glb", inside);
    DLP_TRY(remove_file(folder, name, error));
    snprintf(name, sizeof name, "%s.pvd", inside);
    DLP_TRY(remove_file(folder, name, error));
    DLP_TRY(drop_frames(folder, inside, last_frame, error));
    char *place = dlp_folder_path(folder, inside);
    if (place == NULL) return no_room(error, folder);
    rmdir(place);  // stays where somebody keeps other files in it
    dlp_free(place);
    return DLP_OK;
}

dlp_status dlp_run_folder_clear_surfaces(const char *folder, const dlp_scene_def *def, dlp_error *error)
{
    DLP_TRY(remove_frames(folder, "contour", -1, error));
    DLP_TRY(remove_frames(folder, "surface", -1, error));
    return visit_surfaces(folder, def, remove_frames, -1, error);
}

// Whether a folder has numbered files of a run.
static bool has_frames(const char *folder, const char *inside)
{
    char *place = dlp_folder_path(folder, inside);
    DIR *entries = place != NULL ? opendir(place) : NULL;
    bool has_some = place == NULL;  // in doubt, do no harm
    dlp_free(place);
    for (const struct dirent *entry; !has_some && entries != NULL && (entry = readdir(entries)) != NULL;) {
        const char *ending;
        bool is_part;
        has_some = frame_number(entry->d_name, &ending, &is_part) >= 0;
    }
    if (entries != NULL) closedir(entries);
    return has_some;
}

// Whether there is a film of a folder's frames beside it.
static bool has_film(const char *folder, const char *inside)
{
    char name[DLP_SURFACE_FOLDER_SIZE + 8];
    snprintf(name, sizeof name, "%s.glb", inside);
    char *path = dlp_folder_path(folder, name);
    const bool is_there = path == NULL || dlp_file_exists(path);
    dlp_free(path);
    return is_there;
}

bool dlp_run_folder_has_surfaces(const char *folder, const dlp_scene_def *def)
{
    bool has_some =
        has_frames(folder, "contour") || has_frames(folder, "surface") || has_film(folder, "surface");
    for (int32_t k = 0; !has_some && k < def->substance_count; k++) {
        char inside[DLP_SURFACE_FOLDER_SIZE];
        dlp_surface_folder(def->substances[k].name, inside);
        has_some = has_frames(folder, inside) || has_film(folder, inside);
    }
    return has_some;
}

// Also the parts that a killed run left of its files.
dlp_status dlp_run_folder_clear(const char *folder, dlp_error *error)
{
    // First, while the scene is there to name the substances.
    DLP_TRY(visit_folders(folder, remove_frames, -1, error));
    for (int32_t k = 0; k < FILE_COUNT; k++) {
        char part[64];
        snprintf(part, sizeof part, "%s.part", run_files[k]);
        DLP_TRY(remove_file(folder, run_files[k], error));
        DLP_TRY(remove_file(folder, part, error));
    }
    return DLP_OK;
}

// By number.
static int compare_frames(const void *a, const void *b)
{
    const int32_t left = ((const dlp_pvd_frame *)a)->number, right = ((const dlp_pvd_frame *)b)->number;
    return (left > right) - (left < right);
}

// A growing list; all-zero is empty.
typedef struct frame_list {
    dlp_pvd_frame *frames;
    int32_t count, capacity;
} frame_list;

// Adds a frame with the time in its header; one whose header cannot be read is left out.
static dlp_status list_frame(const char *folder, const char *inside, int32_t number, frame_list *list,
                             dlp_error *error)
{
    char *path = dlp_run_folder_frame_path(folder, inside, number);
    dlp_vtp_info *info = dlp_alloc(1, sizeof *info, "frames");
    dlp_status status = path == NULL || info == NULL ? no_room(error, folder) : DLP_OK;
    if (status == DLP_OK && dlp_vtp_read_info(path, info, NULL) == DLP_OK) {
        status = dlp_reserve(&list->frames, &list->capacity, list->count + 1, sizeof *list->frames, "frames",
                             error);
        if (status == DLP_OK) list->frames[list->count++] = (dlp_pvd_frame){number, info->time};
    }
    dlp_free(info);
    dlp_free(path);
    return status;
}

// Each header is read, for the time; the data are not.
dlp_status dlp_run_folder_list(const char *folder, const char *inside, dlp_pvd_frame **out_frames,
                               int32_t *out_count, dlp_error *error)
{
    *out_frames = NULL;
    *out_count = 0;
    char *place = dlp_folder_path(folder, inside);
    if (place == NULL) return no_room(error, folder);
    DIR *entries = opendir(place);
    dlp_free(place);
    if (entries == NULL) return DLP_OK;
    frame_list list = {0};
    dlp_status status = DLP_OK;
    for (const struct dirent *entry; status == DLP_OK && (entry = readdir(entries)) != NULL;) {
        const char *ending;
        bool is_part;
        const int32_t number = frame_number(entry->d_name, &ending, &is_part);
        if (number >= 0 && !is_part && strcmp(ending, ".vtp") == 0)
            status = list_frame(folder, inside, number, &list, error);
    }
    closedir(entries);
    if (status != DLP_OK) {
        dlp_free(list.frames);
        return status;
    }
    if (list.count > 1) qsort(list.frames, (size_t)list.count, sizeof *list.frames, compare_frames);
    *out_frames = list.frames;
    *out_count = list.count;
    return DLP_OK;
}
