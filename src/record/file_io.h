/* Files: written beside and renamed, so that a failure never costs what was there before. A reader sees
 * the old file or the new one, never a part. */
#ifndef DLP_RECORD_FILE_IO_H
#define DLP_RECORD_FILE_IO_H

#include "base/status.h"

#include <stdio.h>

/* A file being written as "PATH.part". Writing never fails by itself: the first failure is remembered,
 * later writes do nothing, and commit reports it. All-zero is none. */
typedef struct dlp_outfile {
    FILE *stream;
    char *path, *part_path; /* owned */
    int failure;            /* errno of the first failure, 0 for none */
} dlp_outfile;

/* Creates the part, or replaces one that a killed run left. */
dlp_status dlp_outfile_begin(dlp_outfile *file, const char *path, dlp_error *error);
void dlp_outfile_write(dlp_outfile *file, const void *bytes, size_t size);
/* Flushes to the disk itself, for files that must survive a power cut. */
void dlp_outfile_sync(dlp_outfile *file);
/* Closes and renames. On any failure the part is removed, PATH stays as it was, and the message reads
 * "PATH: no space left on device". Either way nothing is left to release. */
dlp_status dlp_outfile_commit(dlp_outfile *file, dlp_error *error);
/* Removes the part; PATH stays as it was. All-zero is fine. */
void dlp_outfile_discard(dlp_outfile *file);

/* A whole file at once, beside and renamed. */
dlp_status dlp_file_write_text(const char *path, const void *bytes, size_t size, dlp_error *error);
/* The whole of a regular file and a '\0' after it; the caller frees it with dlp_free. Refuses more than
 * `limit` bytes. */
dlp_status dlp_file_read(const char *path, size_t limit, char **out_bytes, size_t *out_size,
                         dlp_error *error);
bool dlp_file_exists(const char *path); /* of any kind, also a folder or a link that leads nowhere */

/* Makes a folder and those above it; one that is there is fine. */
dlp_status dlp_folder_create(const char *path, dlp_error *error);

/* "FOLDER/NAME", to be freed; NULL where there is no memory. */
char *dlp_folder_path(const char *folder, const char *name);

/* Fails with DLP_IO and "PATH: what errno means", in lower case. */
dlp_status dlp_fail_errno(dlp_error *error, const char *path, int number);

#endif
