/* How messages are made: written, given a place in front, or collected line by line. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *dlp_version(void)
{
#define TEXT(x)                      #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
    return VERSION(DLP_VERSION_MAJOR, DLP_VERSION_MINOR, DLP_VERSION_PATCH);
#undef VERSION
#undef TEXT
}

dlp_status dlp_fail(dlp_error *error, dlp_status status, const char *format, ...)
{
    if (error == NULL) return status;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

dlp_status dlp_fail_at(dlp_error *error, dlp_status status, const char *format, ...)
{
    if (error == NULL) return status;
    // a copy: `format` may not print from the buffer that it writes to
    char rest[sizeof error->message];
    memcpy(rest, error->message, sizeof rest);
    va_list arguments;
    va_start(arguments, format);
    const int used = vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    // where the place alone fills the buffer, the old message is lost
    if (used >= 0 && (size_t)used + 3 < sizeof error->message) {
        const size_t available = sizeof error->message - (size_t)used;
        snprintf(error->message + used, available, ": %.*s", (int)(available - 3), rest);
    }
    error->status = status;
    return status;
}

void dlp_error_append(dlp_error *error, dlp_status status, const char *format, ...)
{
    if (error == NULL) return;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);

    const size_t used = error->status == DLP_OK ? 0 : strlen(error->message);
    const size_t tail = 40;  // bytes kept free for "... and N more"
    error->status = status;
    if (used + strlen(line) + tail < sizeof error->message) {
        snprintf(error->message + used, sizeof error->message - used, "%s%s", used > 0 ? "\n" : "", line);
        return;
    }
    char *more = strstr(error->message, "\n... and ");
    int count = 0;
    if (more != NULL && sscanf(more, "\n... and %d more", &count) == 1) *more = '\0';
    const size_t kept = strlen(error->message);
    snprintf(error->message + kept, sizeof error->message - kept, "\n... and %d more", count + 1);
}
