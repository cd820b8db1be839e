/* Status and errors: every call that can fail returns a status and says what was wrong. */
#ifndef DLP_BASE_STATUS_H
#define DLP_BASE_STATUS_H

#include "dollop/dollop.h"

/* Fills `error` (may be NULL) and returns `status`, so that a function can fail in one line. A message that
 * is too long is cut. */
dlp_status dlp_fail(dlp_error *error, dlp_status status, const char *format, ...) DLP_PRINTF(3, 4);
/* Puts "place: " before the message that is there, sets the status and returns it. `error` may be NULL. */
dlp_status dlp_fail_at(dlp_error *error, dlp_status status, const char *format, ...) DLP_PRINTF(3, 4);
/* Adds a line to the message (the first one while the status is DLP_OK); lines that no longer fit are counted
 * instead ("... and 12 more"). `error` may be NULL. */
void dlp_error_append(dlp_error *error, dlp_status status, const char *format, ...) DLP_PRINTF(3, 4);

/* Returns from the calling function with the status of a call that failed; for functions that own nothing
 * yet. */
#define DLP_TRY(call)                                                                                        \
    do {                                                                                                     \
        const dlp_status dlp_try_status = (call);                                                            \
        if (dlp_try_status != DLP_OK) return dlp_try_status;                                                 \
    } while (0)

/* Returns from a call of the public interface that was given NULL where it needs something. */
#define DLP_NEED(pointer, error)                                                                             \
    do {                                                                                                     \
        if ((pointer) == NULL) return dlp_fail(error, DLP_INVALID, #pointer ": is NULL; the call needs it"); \
    } while (0)

#endif
