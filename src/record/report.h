/* Results for people and for scripts: an HTML page that needs no other file, and JSON. */
#ifndef DLP_RECORD_REPORT_H
#define DLP_RECORD_REPORT_H

#include "record/plot.h"

typedef enum dlp_verdict { DLP_VERDICT_NONE, DLP_VERDICT_HOLDS, DLP_VERDICT_FAILS } dlp_verdict;

/* One measured number, and what it is compared with. All texts are borrowed. */
typedef struct dlp_result {
    const char *id, *what, *unit;
    const char *text; /* the value where it is no number, else NULL */
    double value;
    bool has_reference;
    double reference;
    const char *reference_text; /* in place of the number: "< 0.05"; may be NULL */
    dlp_verdict holds;          /* NONE where there is nothing to compare with */
} dlp_result;

/* A page that grows as it is filled. Adding never fails by itself: where memory is short, dlp_report_write
 * says so. Texts are escaped and copied. */
typedef struct dlp_report dlp_report;
dlp_status dlp_report_create(const char *title, dlp_report **out_report, dlp_error *error);
void dlp_report_destroy(dlp_report *report);

void dlp_report_section(dlp_report *report, const char *title); /* also a line of the page's contents */
void dlp_report_paragraph(dlp_report *report, const char *text);
void dlp_report_results(dlp_report *report, const dlp_result *results, int32_t count);
/* A table of `rows` x `columns` cells, row after row; the first row and the first column are headings, other
 * cells are aligned to the right. Wide ones scroll. */
void dlp_report_table(dlp_report *report, const char *const *cells, int32_t rows, int32_t columns);
/* The plots and pictures between the two calls stand side by side. */
void dlp_report_begin_grid(dlp_report *report);
void dlp_report_end_grid(dlp_report *report);
void dlp_report_plot(dlp_report *report, const dlp_plot *plot);
/* Embeds a PNG file in the page, so that it needs no other file. DLP_IO where it is none, or over 64 MiB. */
dlp_status dlp_report_picture(dlp_report *report, const char *png_path, const char *caption,
                              dlp_error *error);
/* Written beside and renamed. DLP_OUT_OF_MEMORY where a part did not fit. */
dlp_status dlp_report_write(const dlp_report *report, const char *path, dlp_error *error);

/* A list of objects {id, what, value, unit, reference, holds}, in this order; the names are a contract
 * with scripts. Numbers that are not finite, and what does not apply, are null. */
void dlp_results_json(const dlp_result *results, int32_t count, dlp_string *out_json);

#endif
