/* The comparison as tables: for the terminal, as .csv and as .json. */
#include "compare.h"

#include "base/memory.h"
#include "base/status.h"
#include "record/file_io.h"
#include "record/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void dlp_text_table_release(dlp_text_table *table)
{
    dlp_free(table->cells);
    *table = (dlp_text_table){0};
}

static char *cell_of(const dlp_text_table *table, int32_t row, int32_t column)
{
    return table->cells[row * table->column_count + column];
}

/* At most five digits, and none of those that a count does not have. */
static void write_number(double value, char out_cell[64])
{
    if (!isfinite(value))
        snprintf(out_cell, 64, "-");
    else if (value == floor(value) && fabs(value) < 1e9)
        snprintf(out_cell, 64, "%.0f", value);
    else
        snprintf(out_cell, 64, "%.4g", value);
}

/* The first column names the variant, the second says how it ended. */
dlp_status dlp_compare_table(const dlp_comparison *comparison, const dlp_quantities *quantities,
                             dlp_quantity_table which, dlp_text_table *out_table, dlp_error *error)
{
    dlp_text_table table = {.row_count = comparison->shown_count + 1, .column_count = 2};
    for (int32_t q = 0; q < quantities->count; q++) table.column_count += quantities->items[q].table == which;
    table.cells =
        dlp_alloc((size_t)table.row_count * (size_t)table.column_count, sizeof *table.cells, "compare");
    *out_table = table;
    if (table.cells == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "compare: not enough memory");

    snprintf(cell_of(&table, 0, 0), 64, "variant");
    snprintf(cell_of(&table, 0, 1), 64, "status");
    for (int32_t v = 0; v < comparison->shown_count; v++) {
        snprintf(cell_of(&table, v + 1, 0), 64, "%.63s", comparison->variants[v].label);
        dlp_variant_describe(&comparison->variants[v], cell_of(&table, v + 1, 1), 64);
    }
    for (int32_t q = 0, column = 2; q < quantities->count; q++) {
        if (quantities->items[q].table != which) continue;
        snprintf(cell_of(&table, 0, column), 64, "%s", quantities->items[q].head);
        for (int32_t v = 0; v < comparison->shown_count; v++)
            write_number(quantities->values[q][v], cell_of(&table, v + 1, column));
        column++;
    }
    return DLP_OK;
}

/* Numbers to the right, as wide as their column needs. */
void dlp_text_table_print(const dlp_text_table *table)
{
    for (int32_t row = 0; row < table->row_count; row++) {
        for (int32_t column = 0; column < table->column_count; column++) {
            int width = 0;
            for (int32_t k = 0; k < table->row_count; k++) {
                const int length = (int)strlen(cell_of(table, k, column));
                if (length > width) width = length;
            }
            printf("%s%*s", column > 0 ? "  " : "", column < 2 ? -width : width, cell_of(table, row, column));
        }
        putchar('\n');
    }
}

/* How a variant ended, then its numbers; those of the first variant are what the others are seen beside. */
static void fill_results(const dlp_comparison *comparison, const dlp_quantities *quantities,
                         dlp_result *results, char (*ids)[192], char (*endings)[64])
{
    int32_t k = 0;
    for (int32_t v = 0; v < comparison->shown_count; v++) {
        const dlp_variant *variant = &comparison->variants[v];
        dlp_variant_describe(variant, endings[v], sizeof endings[v]);
        snprintf(ids[k], sizeof ids[k], "%s.status", variant->name);
        results[k] = (dlp_result){.id = ids[k], .what = "how it ended", .unit = "", .text = endings[v]};
        k++;
        for (int32_t q = 0; q < quantities->count; q++, k++) {
            const double first = quantities->values[q][0];
            snprintf(ids[k], sizeof ids[k], "%s.%s", variant->name, quantities->items[q].id);
            results[k] = (dlp_result){.id = ids[k],
                                      .what = quantities->items[q].what,
                                      .unit = quantities->items[q].unit,
                                      .value = quantities->values[q][v],
                                      .has_reference = v > 0,
                                      .reference = first};
        }
    }
}

dlp_status dlp_compare_json(const dlp_comparison *comparison, const dlp_quantities *quantities,
                            dlp_string *out_json, dlp_error *error)
{
    const size_t count = (size_t)comparison->shown_count * ((size_t)quantities->count + 1);
    dlp_result *results = dlp_alloc(count, sizeof *results, "compare");
    char(*ids)[192] = dlp_alloc(count, sizeof *ids, "compare");
    char(*endings)[64] = dlp_alloc((size_t)comparison->shown_count, sizeof *endings, "compare");
    dlp_status status = DLP_OK;
    if (results == NULL || ids == NULL || endings == NULL) {
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "compare: not enough memory");
    } else {
        fill_results(comparison, quantities, results, ids, endings);
        dlp_results_json(results, (int32_t)count, out_json);
        status = dlp_format_check(out_json, "compare.json", error);
    }
    dlp_free(results);
    dlp_free(ids);
    dlp_free(endings);
    return status;
}

/* A cell of a .csv: in quotes where commas or quotes are in it. (RFC 4180, 2.6, 2.7) */
static void add_csv_text(dlp_string *text, const char *words)
{
    if (strpbrk(words, ",\"\n") == NULL) {
        dlp_string_add(text, "%s", words);
        return;
    }
    dlp_string_add(text, "\"");
    for (; *words != 0; words++) dlp_string_add(text, "%s%c", *words == '"' ? "\"" : "", *words);
    dlp_string_add(text, "\"");
}

/* What is not finite is an empty cell. */
static void add_csv_number(dlp_string *text, double value)
{
    dlp_string_add(text, ",");
    if (isfinite(value)) dlp_format_number(text, value, 9);
}

/* A row per variant: what was varied, how it ended, every quantity. */
static void write_summary(const dlp_comparison *comparison, const dlp_quantities *quantities,
                          dlp_string *text)
{
    dlp_string_add(text, "variant");
    for (int32_t k = 0; k < comparison->vary.list_count; k++) {
        dlp_string_add(text, ",");
        add_csv_text(text, comparison->vary.lists[k].path);
    }
    dlp_string_add(text, ",status");
    for (int32_t q = 0; q < quantities->count; q++) dlp_string_add(text, ",%s", quantities->items[q].id);
    dlp_string_add(text, "\n");
    for (int32_t v = 0; v < comparison->shown_count; v++) {
        char ending[64];
        dlp_variant_describe(&comparison->variants[v], ending, sizeof ending);
        add_csv_text(text, comparison->variants[v].name);
        for (int32_t k = 0; k < comparison->vary.list_count; k++) {
            dlp_string_add(text, ",");
            add_csv_text(text, dlp_vary_value(&comparison->vary, v, k));
        }
        dlp_string_add(text, ",%s", ending);
        for (int32_t q = 0; q < quantities->count; q++) add_csv_number(text, quantities->values[q][v]);
        dlp_string_add(text, "\n");
    }
}

static void write_frame_row(const dlp_variant *variant, int32_t row, dlp_string *text)
{
    const dlp_variant_frame *frame = &variant->frames[row];
    const bool is_empty = frame->extent.min.x > frame->extent.max.x;
    const double none = (double)NAN;
    add_csv_text(text, variant->name);
    for (int32_t k = 0; k < variant->stats.column_count; k++)
        add_csv_number(text,
                       variant->stats.values[(size_t)row * (size_t)variant->stats.column_count + (size_t)k]);
    add_csv_number(text, frame->wall);
    add_csv_number(text, frame->cpu);
    for (int axis = 0; axis < 3; axis++)
        add_csv_number(text, is_empty ? none : dlp_component(frame->extent.min, axis));
    for (int axis = 0; axis < 3; axis++)
        add_csv_number(text, is_empty ? none : dlp_component(frame->extent.max, axis));
    dlp_string_add(text, "\n");
}

/* A row per variant and frame: the columns of stats.csv, then what was measured beside them. */
static void write_frames(const dlp_comparison *comparison, dlp_string *text)
{
    bool has_header = false;
    for (int32_t v = 0; v < comparison->shown_count; v++) {
        const dlp_variant *variant = &comparison->variants[v];
        if (!has_header && variant->stats.column_count > 0) {
            has_header = true;
            dlp_string_add(text, "variant");
            for (int32_t k = 0; k < variant->stats.column_count; k++)
                dlp_string_add(text, ",%s", variant->stats.names[k]);
            dlp_string_add(text, ",wall_seconds,cpu_seconds,x_min,y_min,z_min,x_max,y_max,z_max\n");
        }
        for (int32_t row = 0; row < variant->frame_count; row++) write_frame_row(variant, row, text);
    }
}

static dlp_status write_file(const dlp_comparison *comparison, const char *name, dlp_string *text,
                             dlp_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", comparison->folder, name);
    dlp_status status = dlp_format_check(text, path, error);
    if (status == DLP_OK)
        status = dlp_file_write_text(path, text->data != NULL ? text->data : "", text->length, error);
    dlp_string_release(text);
    return status;
}

dlp_status dlp_compare_write_tables(const dlp_comparison *comparison, const dlp_quantities *quantities,
                                    dlp_error *error)
{
    dlp_string text = {0};
    write_summary(comparison, quantities, &text);
    DLP_TRY(write_file(comparison, "compare.csv", &text, error));
    write_frames(comparison, &text);
    DLP_TRY(write_file(comparison, "frames.csv", &text, error));
    const dlp_status status = dlp_compare_json(comparison, quantities, &text, error);
    if (status == DLP_OK) return write_file(comparison, "compare.json", &text, error);
    dlp_string_release(&text);
    return status;
}
