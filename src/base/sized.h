/* Records of the public interface that begin with `size_t size`, the bytes that the caller was compiled with.
 * New fields are added at the end only: a caller with an older header then still works. */
#ifndef DLP_BASE_SIZED_H
#define DLP_BASE_SIZED_H

#include "base/status.h"

/* Reads a caller's record into one of ours, of `size` bytes: fields that the caller does not know become 0.
 * DLP_INVALID where the caller's size is not set. `what` names the record in the message. */
dlp_status dlp_sized_read(const void *record, void *out_ours, size_t size, const char *what,
                          dlp_error *error);
/* Whether there is a record and it says its size; DLP_INVALID and a message where not. */
dlp_status dlp_sized_check(const void *record, const char *what, dlp_error *error);
/* Writes our record, of `size` bytes, to the caller's, as far as that goes; its own size field stays as it
 * is, and fields that we do not know become 0. The caller's size must have been checked. */
void dlp_sized_write(void *out_record, const void *ours, size_t size);

#endif
