/* What `dollop compare` knows of its variants, and what it shows of them. */
#ifndef DLP_APP_COMPARE_H
#define DLP_APP_COMPARE_H

#include "vary.h"

#include "base/vec.h"
#include "record/csv.h"
#include "record/format.h"

/* Beside a row of stats.csv. */
typedef struct dlp_variant_frame {
    double wall, cpu; /* s of motion since the start, without surfaces and files */
    dlp_box extent;   /* m: of all particles; empty (min > max) where there are none */
} dlp_variant_frame;

typedef struct dlp_variant {
    char label[DLP_VARIANT_LABEL], name[DLP_VARIANT_NAME];
    char folder[4096];
    bool is_started; /* its folder holds frames */
    dlp_status status;
    char message[512]; /* where it is not DLP_OK: why it ended */
    dlp_variant_frame *frames;
    int32_t frame_count, frame_capacity; /* with the initial state */
    dlp_csv_data stats;                  /* a row per frame, as its stats.csv has them */
} dlp_variant;

/* All-zero is empty. */
typedef struct dlp_comparison {
    dlp_vary vary;
    dlp_variant *variants; /* vary.variant_count of them */
    int32_t shown_count;   /* those that are shown, the first ones: less than all after Ctrl-C */
    const char *folder;    /* borrowed */
    char title[256];       /* of the report */
    int32_t dimension;
    int32_t front_axis; /* 0 to 2: along which the leading particle is followed */
    bool is_front_high; /* towards greater coordinates */
} dlp_comparison;

/* compare_run.c: how to run one. */
typedef struct dlp_variant_run {
    dlp_scene *scene; /* checked */
    int32_t thread_count;
    bool is_silent; /* no words on the streams but notes */
    bool may_leave; /* Ctrl-C during long parts ends the command: no variant is complete yet */
} dlp_variant_run;
/* Fills the variant; returns its status. DLP_INTERRUPTED leaves a checkpoint. */
dlp_status dlp_variant_compute(dlp_variant *variant, const dlp_variant_run *run);

/* compare_quantities.c: what is compared. */
typedef enum dlp_quantity_table {
    DLP_QUANTITY_UNLISTED,
    DLP_QUANTITY_COST,
    DLP_QUANTITY_RESULT
} dlp_quantity_table;

enum { DLP_QUANTITY_LIMIT = 96 };

/* One number of every variant; texts last as long as the list. */
typedef struct dlp_quantity {
    char id[64], what[96], head[32]; /* of the JSON; for people; over its column */
    const char *unit;
    dlp_quantity_table table;
} dlp_quantity;

typedef struct dlp_quantities {
    dlp_quantity items[DLP_QUANTITY_LIMIT];
    int32_t count;
    double values[DLP_QUANTITY_LIMIT][DLP_VARIANT_LIMIT]; /* NaN where a variant has none */
} dlp_quantities;
/* Chooses the direction of the front, then fills the list. */
void dlp_compare_measure(dlp_comparison *comparison, dlp_quantities *out_quantities);
/* Column of a variant's statistics at a row; NaN where there is none. */
double dlp_variant_stat(const dlp_variant *variant, int32_t row, const char *column);
/* m: how far the leading particle is at a row; NaN where there are no particles. */
double dlp_variant_front(const dlp_comparison *comparison, const dlp_variant *variant, int32_t row);
/* Whether a column of stats.csv is none that this command has words for: later versions add some. */
bool dlp_compare_is_further(const char *column);
/* "done", "diverged after frame 12" */
void dlp_variant_describe(const dlp_variant *variant, char *out_text, size_t size);

/* compare_tables.c: the tables on the terminal, the .csv and .json files. */
typedef struct dlp_text_table {
    char (*cells)[64]; /* row after row; the first one is the heading */
    int32_t row_count, column_count;
} dlp_text_table;
dlp_status dlp_compare_table(const dlp_comparison *comparison, const dlp_quantities *quantities,
                             dlp_quantity_table which, dlp_text_table *out_table, dlp_error *error);
void dlp_text_table_release(dlp_text_table *table);
void dlp_text_table_print(const dlp_text_table *table);
/* The list of findings, as --json prints it. */
dlp_status dlp_compare_json(const dlp_comparison *comparison, const dlp_quantities *quantities,
                            dlp_string *out_json, dlp_error *error);
/* compare.csv, compare.json, frames.csv */
dlp_status dlp_compare_write_tables(const dlp_comparison *comparison, const dlp_quantities *quantities,
                                    dlp_error *error);

/* compare_report.c: report.html. */
dlp_status dlp_compare_write_report(const dlp_comparison *comparison, const dlp_quantities *quantities,
                                    dlp_error *error);

#endif
