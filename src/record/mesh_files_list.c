// The numbered meshes of a folder.
#include "base/memory.h"
#include "record/file_io.h"
#include "record/mesh_files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Four digits at least, as the recorder numbers them.
char *dlp_mesh_file_path(const char *folder, const char *inside, dlp_mesh_file file)
{
    char name[32];
    snprintf(name, sizeof name, "%04" PRId32 ".%s", file.number, dlp_mesh_file_ending(file.format));
    char *place = dlp_folder_path(folder, inside);
    char *path = place != NULL ? dlp_folder_path(place, name) : NULL;
    dlp_free(place);
    return path;
}

// Whether a name is a numbered mesh: four digits or more, without needless zeros, and a known ending. So each
// number and format has one name.
static bool read_name(const char *name, dlp_mesh_file *out_file)
{
    const size_t digits = strspn(name, "0123456789");
    if (digits < 4 || digits > 9 || (digits > 4 && name[0] == '0') || name[digits] != '.') return false;
    out_file->number = (int32_t)strtol(name, NULL, 10);
    for (int32_t format = DLP_MESH_FILE_PLY; format <= DLP_MESH_FILE_GLB; format++) {
        out_file->format = (dlp_mesh_file_format)format;
        if (strcmp(name + digits + 1, dlp_mesh_file_ending(out_file->format)) == 0) return true;
    }
    return false;
}

// A total order, so that the list does not depend on the order of the folder.
static int compare_files(const void *a_item, const void *b_item)
{
    const dlp_mesh_file *a = a_item, *b = b_item;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    return (int)a->format - (int)b->format;
}

// In the order of the file system, then sorted.
static dlp_status list_entries(DIR *entries, dlp_mesh_file **files, int32_t *count, dlp_error *error)
{
    int32_t capacity = 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        dlp_mesh_file file;
        if (!read_name(entry->d_name, &file)) continue;
        DLP_TRY(dlp_reserve(files, &capacity, *count + 1, sizeof file, "mesh files", error));
        (*files)[(*count)++] = file;
    }
    if (*count > 1) qsort(*files, (size_t)*count, sizeof **files, compare_files);
    return DLP_OK;
}

dlp_status dlp_mesh_files_list(const char *folder, const char *inside, dlp_mesh_file **out_files,
                               int32_t *out_count, dlp_error *error)
{
    *out_files = NULL;
    *out_count = 0;
    char *place = dlp_folder_path(folder, inside);
    if (place == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", folder);
    errno = 0;
    DIR *entries = opendir(place);
    dlp_status status;
    if (entries == NULL) {
        status = dlp_fail_errno(error, place, errno);
    } else {
        status = list_entries(entries, out_files, out_count, error);
        closedir(entries);
    }
    dlp_free(place);
    if (status != DLP_OK) {
        dlp_free(*out_files);
        *out_files = NULL;
        *out_count = 0;
    }
    return status;
}
