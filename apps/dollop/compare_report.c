/* report.html: tables, curves over time, and the last picture of every variant side by side. */
#include "compare.h"

#include "base/memory.h"
#include "base/status.h"
#include "record/file_io.h"
#include "record/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static dlp_status add_table(dlp_report *report, const dlp_comparison *comparison,
                            const dlp_quantities *quantities, dlp_quantity_table which, dlp_error *error)
{
    dlp_text_table table;
    DLP_TRY(dlp_compare_table(comparison, quantities, which, &table, error));
    const int32_t count = table.row_count * table.column_count;
    const char **cells = dlp_alloc((size_t)count, sizeof *cells, "compare");
    for (int32_t k = 0; cells != NULL && k < count; k++) cells[k] = table.cells[k];
    if (cells != NULL) dlp_report_table(report, cells, table.row_count, table.column_count);
    dlp_text_table_release(&table);
    dlp_free(cells);
    return cells != NULL ? DLP_OK : dlp_fail(error, DLP_OUT_OF_MEMORY, "compare: not enough memory");
}

/* A value of a variant at a row; `column` is borrowed by those that read stats.csv. */
typedef double curve_fn(const dlp_comparison *comparison, const dlp_variant *variant, int32_t row,
                        const char *column);

static double column_at(const dlp_comparison *comparison, const dlp_variant *variant, int32_t row,
                        const char *column)
{
    (void)comparison;
    return dlp_variant_stat(variant, row, column);
}

/* Of the initial state it says nothing. */
static double count_at(const dlp_comparison *comparison, const dlp_variant *variant, int32_t row,
                       const char *column)
{
    return row > 0 ? column_at(comparison, variant, row, column) : (double)NAN;
}

static double energy_at(const dlp_comparison *comparison, const dlp_variant *variant, int32_t row,
                        const char *column)
{
    (void)comparison;
    (void)column;
    return dlp_variant_stat(variant, row, "kinetic_energy") +
           dlp_variant_stat(variant, row, "potential_energy");
}

static double energy_over_start_at(const dlp_comparison *comparison, const dlp_variant *variant, int32_t row,
                                   const char *column)
{
    return energy_at(comparison, variant, row, column) / energy_at(comparison, variant, 0, column);
}

static double front_at(const dlp_comparison *comparison, const dlp_variant *variant, int32_t row,
                       const char *column)
{
    (void)column;
    return dlp_variant_front(comparison, variant, row);
}

static double wall_at(const dlp_comparison *comparison, const dlp_variant *variant, int32_t row,
                      const char *column)
{
    (void)comparison;
    (void)column;
    return variant->frames[row].wall;
}

/* One plot with a curve per variant. */
typedef struct curves {
    const char *title, *label; /* of the plot, of its vertical axis */
    curve_fn *value;
    const char *column; /* for those that read one */
} curves;

/* The palette has eight colours: the second eight are dashed. */
static void fill_series(const dlp_comparison *comparison, const curves *what, dlp_series *series,
                        double *values)
{
    for (int32_t v = 0; v < comparison->shown_count; v++) {
        const dlp_variant *variant = &comparison->variants[v];
        double *x = values, *y = values + variant->frame_count;
        for (int32_t row = 0; row < variant->frame_count; row++) {
            x[row] = dlp_variant_stat(variant, row, "time");
            y[row] = what->value(comparison, variant, row, what->column);
        }
        series[v] = (dlp_series){.name = variant->label,
                                 .x = x,
                                 .y = y,
                                 .count = variant->frame_count,
                                 .mark = v / 8 % 2 == 0 ? DLP_MARK_LINE : DLP_MARK_DASHES};
        values += 2 * (size_t)variant->frame_count;
    }
}

static dlp_status add_plot(dlp_report *report, const dlp_comparison *comparison, const curves *what,
                           dlp_error *error)
{
    size_t count = 0;
    for (int32_t v = 0; v < comparison->shown_count; v++)
        count += 2 * (size_t)comparison->variants[v].frame_count;
    dlp_series *series = dlp_alloc((size_t)comparison->shown_count, sizeof *series, "compare");
    double *values = dlp_alloc(count, sizeof *values, "compare");
    dlp_status status = DLP_OK;
    if (series != NULL && values != NULL) {
        fill_series(comparison, what, series, values);
        const dlp_plot plot = {.title = what->title,
                               .x_label = "time (s)",
                               .y_label = what->label,
                               .has_legend_below = true,
                               .series = series,
                               .series_count = comparison->shown_count};
        dlp_report_plot(report, &plot);
    } else {
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "compare: not enough memory");
    }
    dlp_free(series);
    dlp_free(values);
    return status;
}

/* Only where no variant starts with none: emitters start with nothing. */
static bool has_energy_at_start(const dlp_comparison *comparison)
{
    for (int32_t v = 0; v < comparison->shown_count; v++) {
        const dlp_variant *variant = &comparison->variants[v];
        if (variant->frame_count > 0 && !(fabs(energy_at(comparison, variant, 0, NULL)) > 0)) return false;
    }
    return true;
}

static dlp_status add_further_plots(dlp_report *report, const dlp_comparison *comparison, dlp_error *error)
{
    const dlp_csv_data *stats = NULL;
    for (int32_t v = 0; v < comparison->shown_count && stats == NULL; v++)
        if (comparison->variants[v].stats.row_count > 0) stats = &comparison->variants[v].stats;
    for (int32_t k = 0; stats != NULL && k < stats->column_count; k++) {
        const char *column = stats->names[k];
        if (!dlp_compare_is_further(column)) continue;
        const curves what = {column, column, count_at, column};
        DLP_TRY(add_plot(report, comparison, &what, error));
    }
    return DLP_OK;
}

static dlp_status add_plots(dlp_report *report, const dlp_comparison *comparison, dlp_error *error)
{
    const bool is_relative = has_energy_at_start(comparison);
    char title[64], label[16];
    snprintf(title, sizeof title, "Front: %s %c of all particles",
             comparison->is_front_high ? "greatest" : "smallest", "xyz"[comparison->front_axis]);
    snprintf(label, sizeof label, "%c (m)", "xyz"[comparison->front_axis]);
    const curves plots[] = {
        {is_relative ? "Kinetic and potential energy over that at the start" : "Kinetic and potential energy",
         is_relative ? "energy / energy at the start" : "energy (J)",
         is_relative ? energy_over_start_at : energy_at, NULL},
        {"Kinetic energy", "energy (J)", column_at, "kinetic_energy"},
        {"Mean density error", "density error", column_at, "density_error_mean"},
        {"Largest density error", "density error", column_at, "density_error_max"},
        {title, label, front_at, NULL},
        {"Steps per frame", "smallest steps", count_at, "substeps"},
        {"Wall clock of motion since the start", "wall clock (s)", wall_at, NULL},
        {"Particles", "particles", column_at, "particles"},
    };
    dlp_report_begin_grid(report);
    for (size_t k = 0; k < sizeof plots / sizeof plots[0]; k++)
        DLP_TRY(add_plot(report, comparison, &plots[k], error));
    DLP_TRY(add_further_plots(report, comparison, error));
    dlp_report_end_grid(report);
    return DLP_OK;
}

/* A build without pictures, and variants that failed, have none. */
static dlp_status add_pictures(dlp_report *report, const dlp_comparison *comparison, dlp_error *error)
{
    bool has_some = false;
    for (int32_t v = 0; v < comparison->shown_count; v++) {
        const dlp_variant *variant = &comparison->variants[v];
        char path[sizeof variant->folder + 16];
        snprintf(path, sizeof path, "%s/preview.png", variant->folder);
        if (!dlp_file_exists(path)) continue;
        if (!has_some) {
            dlp_report_section(report, "Last pictures");
            dlp_report_begin_grid(report);
        }
        has_some = true;
        DLP_TRY(dlp_report_picture(report, path, variant->label, error));
    }
    if (has_some) dlp_report_end_grid(report);
    return DLP_OK;
}

static void add_failures(dlp_report *report, const dlp_comparison *comparison)
{
    for (int32_t v = 0; v < comparison->shown_count; v++) {
        const dlp_variant *variant = &comparison->variants[v];
        if (variant->status == DLP_OK) continue;
        char text[1024];
        snprintf(text, sizeof text, "%s: %s", variant->label, variant->message);
        dlp_report_paragraph(report, text);
    }
}

static dlp_status fill_report(dlp_report *report, const dlp_comparison *comparison,
                              const dlp_quantities *quantities, dlp_error *error)
{
    dlp_report_section(report, "Cost");
    dlp_report_paragraph(report, "Clocks count the motion alone, without surfaces and files.");
    DLP_TRY(add_table(report, comparison, quantities, DLP_QUANTITY_COST, error));
    add_failures(report, comparison);
    dlp_report_section(report, "Result");
    DLP_TRY(add_table(report, comparison, quantities, DLP_QUANTITY_RESULT, error));
    dlp_report_section(report, "Against time");
    DLP_TRY(add_plots(report, comparison, error));
    return add_pictures(report, comparison, error);
}

dlp_status dlp_compare_write_report(const dlp_comparison *comparison, const dlp_quantities *quantities,
                                    dlp_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/report.html", comparison->folder);
    dlp_report *report;
    DLP_TRY(dlp_report_create(comparison->title, &report, error));
    dlp_status status = fill_report(report, comparison, quantities, error);
    if (status == DLP_OK) status = dlp_report_write(report, path, error);
    dlp_report_destroy(report);
    return status;
}
