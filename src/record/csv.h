/* Tables that grow by a row a frame: stats.csv, probes.csv. The first column is the frame's number. */
#ifndef DLP_RECORD_CSV_H
#define DLP_RECORD_CSV_H

#include "base/status.h"

#include <stdio.h>

typedef struct dlp_csv { /* all-zero: closed */
    FILE *stream;
    char *path;
} dlp_csv;

/* A new table with only its header line (without newline); what was there is replaced. */
dlp_status dlp_csv_start(dlp_csv *table, const char *path, const char *header, dlp_error *error);
/* Goes on with the table that is there: rows of frames after `last_frame` and a half-written last row are
 * dropped. Its header must be `header`. A table that is missing is started. */
dlp_status dlp_csv_resume(dlp_csv *table, const char *path, const char *header, int32_t last_frame,
                          dlp_error *error);
/* Adds a row (without newline) and hands it to the system at once. */
dlp_status dlp_csv_append(dlp_csv *table, const char *row, dlp_error *error);
void dlp_csv_close(dlp_csv *table);

/* A table in memory. */
typedef struct dlp_csv_data {
    int32_t column_count, row_count;
    char **names;   /* column_count */
    double *values; /* row after row; an empty or odd cell is NaN */
    char *text;     /* what the names point into */
} dlp_csv_data;
/* Lines before the header that start with # are comments. */
dlp_status dlp_csv_read(const char *path, dlp_csv_data *out_data, dlp_error *error);
int32_t dlp_csv_column(const dlp_csv_data *data, const char *name); /* -1 where there is none */
void dlp_csv_data_release(dlp_csv_data *data);

#endif
