/* Status and errors: every call that can fail returns a status and says what was wrong. */
#ifndef DLP_BASE_STATUS_H
#define DLP_BASE_STATUS_H

#include "dollop/dollop.h"

/* Fills `error` (may be NULL) and returns `status`, so that a failing function is one line. */
dlp_status dlp_fail(dlp_error *error, dlp_status status, const char *format, ...) DLP_PRINTF(3, 4);
/* Puts "place: " before the message that is there; returns the error's own status. */
dlp_status dlp_fail_at(dlp_error *error, dlp_status status, const char *format, ...) DLP_PRINTF(3, 4);
/* Adds a line to the message; past the room there is, counts instead ("... and 12 more"). */
void dlp_error_append(dlp_error *error, dlp_status status, const char *format, ...) DLP_PRINTF(3, 4);

#define DLP_TRY(call)                                                                                        \
    do {                                                                                                     \
        const dlp_status dlp_try_status = (call);                                                            \
        if (dlp_try_status != DLP_OK) return dlp_try_status;                                                 \
    } while (0)

#endif
