/* Plots as SVG: lines and points over two axes. */
#ifndef DLP_RECORD_PLOT_H
#define DLP_RECORD_PLOT_H

#include "record/format.h"

typedef enum dlp_mark { DLP_MARK_LINE, DLP_MARK_POINTS, DLP_MARK_DASHES } dlp_mark;

/* Points of one line or cloud. All pointers are borrowed. */
typedef struct dlp_series {
    const char *name;    /* in the legend */
    const double *x, *y; /* borrowed; points that are not finite (or not > 0 on a log axis) are left out */
    int32_t count;       /* of points */
    dlp_mark mark;
} dlp_series;

/* All pointers are borrowed. Axes fit the points that are shown. */
typedef struct dlp_plot {
    const char *title;             /* may be NULL */
    const char *x_label, *y_label; /* with their units: "time (s)" */
    bool is_log_x, is_log_y;
    bool has_legend_below; /* under the plot, where many series would hide it */
    const dlp_series *series;
    int32_t series_count;
} dlp_plot;

/* Appends an <svg> element to a page, which remembers where memory fails. */
void dlp_plot_write(const dlp_plot *plot, dlp_string *out_page);

#endif
