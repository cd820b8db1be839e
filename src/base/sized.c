/* Copies records of the public interface between the caller's version of a struct and the library's. */
#include "base/sized.h"

#include <string.h>

// A size of 0 or garbage was never set by the caller: no record is smaller than its size and one field, and
// none is larger than 64 KiB.
enum { SMALLEST = 2 * sizeof(size_t), LARGEST = 1 << 16 };

// Every sized record begins with a size_t; by memcpy, since its type is not known here.
static size_t size_of(const void *record)
{
    size_t size;
    memcpy(&size, record, sizeof size);
    return size;
}

dlp_status dlp_sized_check(const void *record, const char *what, dlp_error *error)
{
    if (record == NULL) return dlp_fail(error, DLP_INVALID, "%s: is NULL; the call needs it", what);
    const size_t size = size_of(record);
    if (size >= SMALLEST && size <= LARGEST) return DLP_OK;
    return dlp_fail(error, DLP_INVALID, "%s: size is %zu; set it to sizeof(%s)", what, size, what);
}

dlp_status dlp_sized_read(const void *record, void *out_ours, size_t size, const char *what, dlp_error *error)
{
    DLP_TRY(dlp_sized_check(record, what, error));
    const size_t known = size_of(record) < size ? size_of(record) : size;
    memset(out_ours, 0, size);
    memcpy(out_ours, record, known);
    return DLP_OK;
}

void dlp_sized_write(void *out_record, const void *ours, size_t size)
{
    const size_t given = size_of(out_record), known = given < size ? given : size;
    memset(out_record, 0, given);
    memcpy(out_record, ours, known);
    memcpy(out_record, &given, sizeof given);
}
