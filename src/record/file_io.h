/* Files: written beside and renamed, so that a failure never costs what was there before. */
#ifndef DLP_RECORD_FILE_IO_H
#define DLP_RECORD_FILE_IO_H

#include "base/status.h"

#include <stdio.h>

/* A file being written as "PATH.part". The first failure is remembered; commit tells it. All-zero is none. */
typedef struct dlp_outfile {
    FILE *stream;
    char *path, *part_path;
    int failure; /* errno of the first failure, 0 for none */
} dlp_outfile;

dlp_status dlp_outfile_begin(dlp_outfile *file, const char *path, dlp_error *error);
void dlp_outfile_write(dlp_outfile *file, const void *bytes, size_t size);
void dlp_outfile_sync(dlp_outfile *file); /* to the disk itself */
/* Closes and renames. On any failure the part is removed, PATH stays as it was: "PATH: no space left on
 * device". Either way nothing is left to release. */
dlp_status dlp_outfile_commit(dlp_outfile *file, dlp_error *error);
void dlp_outfile_discard(dlp_outfile *file);

dlp_status dlp_file_write_text(const char *path, const void *bytes, size_t size, dlp_error *error);
/* The whole file and a '\0' after it; the caller frees. Refuses more than `limit` bytes. */
dlp_status dlp_file_read(const char *path, size_t limit, char **out_bytes, size_t *out_size,
                         dlp_error *error);
bool dlp_file_exists(const char *path); /* of any kind, also a folder */

/* Makes a folder and those above it; one that is there is fine. */
dlp_status dlp_folder_create(const char *path, dlp_error *error);

/* "FOLDER/NAME", to be freed; NULL when there is no room. */
char *dlp_folder_path(const char *folder, const char *name);

/* Fails with DLP_IO and "PATH: what errno means", in lower case. */
dlp_status dlp_fail_errno(dlp_error *error, const char *path, int number);

#endif
