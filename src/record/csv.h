/* Tables that grow by a row per frame: stats.csv, probes.csv. The first column is the frame's number. */
#ifndef DLP_RECORD_CSV_H
#define DLP_RECORD_CSV_H

#include "base/status.h"

#include <stdio.h>

/* A table open for appending. All-zero is closed. */
typedef struct dlp_csv {
    FILE *stream; /* open at the end of the file */
    char *path;   /* for messages, */
    char *header; /* and these are its columns */
} dlp_csv;

/* A new table with only its header line (without newline); what was there is replaced. */
dlp_status dlp_csv_start(dlp_csv *table, const char *path, const char *header, dlp_error *error);
/* Continues the table that is there: rows of frames after `last_frame` and a half-written last row are
 * dropped. The kept rows are written beside and renamed before the first append. DLP_IO where its header
 * is not `header`. A table that is missing is started. */
dlp_status dlp_csv_resume(dlp_csv *table, const char *path, const char *header, int32_t last_frame,
                          dlp_error *error);
/* Adds a row (without newline) and flushes it, so that a kill costs at most the row being written. Numbers
 * only: DLP_DIVERGED where one is not finite, with the name of its column; the row is then not written. */
dlp_status dlp_csv_append(dlp_csv *table, const char *row, dlp_error *error);
void dlp_csv_close(dlp_csv *table);

/* A table in memory. All-zero is empty. Values are numbers alone. */
typedef struct dlp_csv_data {
    int32_t column_count, row_count;
    char **names;   /* column_count */
    double *values; /* row after row, row_count x column_count; a cell that is empty or no number is NaN */
    char *text;     /* what the names point into */
} dlp_csv_data;
/* Lines before the header that start with # are comments; a last line without newline is not read. The
 * caller releases the data. */
dlp_status dlp_csv_read(const char *path, dlp_csv_data *out_data, dlp_error *error);
int32_t dlp_csv_column(const dlp_csv_data *data, const char *name); /* -1 where there is none */
void dlp_csv_data_release(dlp_csv_data *data);

#endif
