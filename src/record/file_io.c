// Files written beside and renamed. rename() replaces a file in one step within a file system, and the part
// lies in the same folder.
#include "record/file_io.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Lower case, since the message follows a colon. strerror_r, since strerror is not safe between threads.
dlp_status dlp_fail_errno(dlp_error *error, const char *path, int number)
{
    char text[256];
    if (strerror_r(number, text, sizeof text) != 0) snprintf(text, sizeof text, "system error %d", number);
    text[0] = (char)tolower((unsigned char)text[0]);
    return dlp_fail(error, DLP_IO, "%s: %s", path, text);
}

// The three joined; NULL where there is no memory.
static char *append_text(const char *a, const char *b, const char *c)
{
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = dlp_alloc(size, 1, "file names");
    if (text != NULL) snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

// No second slash where the folder ends with one.
char *dlp_folder_path(const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    const bool has_slash = length == 0 || folder[length - 1] == '/';
    return append_text(folder, has_slash ? "" : "/", name);
}

// The stream is closed by then.
static void release(dlp_outfile *file)
{
    dlp_free(file->path);
    dlp_free(file->part_path);
    *file = (dlp_outfile){0};
}

// Messages name the path that the caller knows, not the part.
dlp_status dlp_outfile_begin(dlp_outfile *file, const char *path, dlp_error *error)
{
    *file = (dlp_outfile){.path = append_text(path, "", ""), .part_path = append_text(path, ".part", "")};
    if (file->path == NULL || file->part_path == NULL) {
        release(file);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for its name", path);
    }
    errno = 0;
    file->stream = fopen(file->part_path, "wb");
    if (file->stream == NULL) {
        const int number = errno;
        release(file);
        return dlp_fail_errno(error, path, number);
    }
    return DLP_OK;
}

// errno may stay 0 after a short write; then the failure is an input/output error.
void dlp_outfile_write(dlp_outfile *file, const void *bytes, size_t size)
{
    if (file->failure != 0 || size == 0) return;
    errno = 0;
    if (fwrite(bytes, 1, size, file->stream) != size) file->failure = errno != 0 ? errno : EIO;
}

// The data must be on the disk before the rename is, or a power cut may leave an empty file under the name.
void dlp_outfile_sync(dlp_outfile *file)
{
    if (file->failure != 0) return;
    errno = 0;
    if (fflush(file->stream) != 0 || fsync(fileno(file->stream)) != 0)
        file->failure = errno != 0 ? errno : EIO;
}

// fclose writes what is buffered, so a full disk may show only here.
dlp_status dlp_outfile_commit(dlp_outfile *file, dlp_error *error)
{
    errno = 0;
    if (fclose(file->stream) != 0 && file->failure == 0) file->failure = errno != 0 ? errno : EIO;
    if (file->failure == 0 && rename(file->part_path, file->path) != 0) file->failure = errno;
    dlp_status status = DLP_OK;
    if (file->failure != 0) {
        status = dlp_fail_errno(error, file->path, file->failure);
        unlink(file->part_path);
    }
    release(file);
    return status;
}

void dlp_outfile_discard(dlp_outfile *file)
{
    if (file->stream == NULL) return;
    fclose(file->stream);
    unlink(file->part_path);
    release(file);
}

dlp_status dlp_file_write_text(const char *path, const void *bytes, size_t size, dlp_error *error)
{
    dlp_outfile file;
    DLP_TRY(dlp_outfile_begin(&file, path, error));
    dlp_outfile_write(&file, bytes, size);
    return dlp_outfile_commit(&file, error);
}

// The size is taken from the open file, not from the path, which may change meanwhile.
static dlp_status read_stream(FILE *stream, const char *path, size_t limit, char **out_bytes,
                              size_t *out_size, dlp_error *error)
{
    struct stat about;
    if (fstat(fileno(stream), &about) != 0) return dlp_fail_errno(error, path, errno);
    if (!S_ISREG(about.st_mode)) return dlp_fail(error, DLP_IO, "%s: not a file", path);
    if ((uint64_t)about.st_size > limit)
        return dlp_fail(error, DLP_IO, "%s: %lld bytes; at most %zu are read", path, (long long)about.st_size,
                        limit);
    const size_t size = (size_t)about.st_size;
    char *bytes = dlp_alloc(size + 1, 1, "file");
    if (bytes == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for its %zu bytes", path, size);
    errno = 0;
    if (fread(bytes, 1, size, stream) != size) {
        const int number = errno != 0 ? errno : EIO;
        dlp_free(bytes);
        return dlp_fail_errno(error, path, number);
    }
    *out_bytes = bytes;
    *out_size = size;
    return DLP_OK;
}

dlp_status dlp_file_read(const char *path, size_t limit, char **out_bytes, size_t *out_size, dlp_error *error)
{
    *out_bytes = NULL;
    *out_size = 0;
    errno = 0;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return dlp_fail_errno(error, path, errno);
    const dlp_status status = read_stream(stream, path, limit, out_bytes, out_size, error);
    fclose(stream);
    return status;
}

// lstat: a link that leads nowhere counts as there, since writing would meet it.
bool dlp_file_exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

// One folder; one that is there already, also through a link, is fine. Returns 0 or errno.
static int make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0) return 0;
    const int number = errno;
    struct stat about;
    if (stat(path, &about) == 0) return S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
    return number;
}

// Each prefix that ends before a slash, then the whole.
dlp_status dlp_folder_create(const char *path, dlp_error *error)
{
    if (path[0] == '\0') return dlp_fail(error, DLP_INVALID, "folder: its name is empty");
    char *part = dlp_copy_text(path, "file names");
    if (part == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for its name", path);
    int number = 0;
    for (char *c = part + 1; number == 0 && *c != '\0'; c++) {
        if (*c != '/') continue;
        *c = '\0';
        number = make_folder(part);
        *c = '/';
    }
    if (number == 0) number = make_folder(part);
    dlp_free(part);
    return number == 0 ? DLP_OK : dlp_fail_errno(error, path, number);
}
