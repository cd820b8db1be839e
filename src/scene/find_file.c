/* Files that a scene names: looked for from its folder, and kept by their canonical path. */
#define _XOPEN_SOURCE 700  // realpath
#include "base/memory.h"
#include "scene/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// Sets errno where it is not.
static bool is_readable_file(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || access(path, R_OK) != 0) return false;
    if (S_ISDIR(about.st_mode)) errno = EISDIR;
    return !S_ISDIR(about.st_mode);
}

// realpath allocates with malloc: its text is copied into the library's own memory and freed. errno is
// carried past the calls that may change it, since messages print it.
dlp_status dlp_file_find(const char *folder, const char *file, char **out_path)
{
    dlp_string joined = {0};
    if (file[0] != '/') dlp_string_add(&joined, "%s/", folder);
    dlp_string_add(&joined, "%s", file);
    if (joined.has_failed || joined.data == NULL) {
        dlp_string_release(&joined);
        return DLP_OUT_OF_MEMORY;
    }
    char *whole = realpath(joined.data, NULL);
    const int reason = errno;
    dlp_string_release(&joined);
    errno = reason;
    if (whole == NULL) return DLP_IO;
    const bool is_good = is_readable_file(whole);
    *out_path = is_good ? dlp_copy_text(whole, "scene") : NULL;
    const int refusal = errno;
    free(whole);
    errno = refusal;
    return !is_good ? DLP_IO : *out_path != NULL ? DLP_OK : DLP_OUT_OF_MEMORY;
}
