/* Height tables from files: PGM pictures and lines of numbers. Every count is checked against the bytes there
 * are before memory is taken. */
#include "base/memory.h"
#include "space/height.h"

#include <string.h>

// The caller has checked that both fit an int32_t.
static dlp_status make_table(dlp_height_table *table, int64_t columns, int64_t rows, dlp_error *error)
{
    table->values = dlp_alloc((size_t)columns * (size_t)rows, sizeof *table->values, "height");
    if (table->values == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%lld by %lld values", (long long)columns, (long long)rows);
    table->columns = (int32_t)columns;
    table->rows = (int32_t)rows;
    return DLP_OK;
}

// Blanks, line ends and comments between the numbers of a PGM.
static void skip_pgm_space(dlp_text *text)
{
    for (;;) {
        dlp_text_skip_space(text);
        if (text->at >= text->end || *text->at != '#') return;
        dlp_text_skip_line(text);
    }
}

// The next number of a header or of a P2 picture, within a range.
static dlp_status read_pgm_number(dlp_text *text, int64_t low, int64_t high, const char *what,
                                  int64_t *out_value, dlp_error *error)
{
    skip_pgm_space(text);
    if (text->at >= text->end) return dlp_fail(error, DLP_IO, "the file is cut short: no %s", what);
    if (!dlp_text_integer(text, out_value) || *out_value < low || *out_value > high)
        return dlp_fail(error, DLP_IO, "line %d: %s must be a whole number from %lld to %lld", text->line,
                        what, (long long)low, (long long)high);
    return DLP_OK;
}

// P5: one byte per value, or two, the high one first. The bytes are known to be there.
static dlp_status read_raw(dlp_text *text, int64_t depth, dlp_height_table *table, dlp_error *error)
{
    const size_t count = (size_t)table->columns * (size_t)table->rows, bytes = depth > 255 ? 2 : 1;
    text->at++;  // one blank, then the picture
    const unsigned char *at = (const unsigned char *)text->at;
    for (size_t k = 0; k < count; k++) {
        const int32_t value = bytes == 2 ? at[2 * k] << 8 | at[2 * k + 1] : at[k];
        if (value > depth)
            return dlp_fail(error, DLP_IO, "value %zu is %d; the header allows %lld", k + 1, value,
                            (long long)depth);
        table->values[k] = value;
    }
    return DLP_OK;
}

// P2: numbers as text.
static dlp_status read_plain(dlp_text *text, int64_t depth, dlp_height_table *table, dlp_error *error)
{
    const size_t count = (size_t)table->columns * (size_t)table->rows;
    for (size_t k = 0; k < count; k++) {
        int64_t value;
        DLP_TRY(read_pgm_number(text, 0, depth, "a value", &value, error));
        table->values[k] = (double)value;
    }
    return DLP_OK;
}

// On failure the table may hold memory; the caller releases it.
static dlp_status parse_pgm(dlp_bytes bytes, dlp_height_table *table, dlp_error *error)
{
    dlp_text text = dlp_text_of(bytes);
    const bool is_raw = bytes.size >= 2 && memcmp(bytes.data, "P5", 2) == 0;
    if (!is_raw && !(bytes.size >= 2 && memcmp(bytes.data, "P2", 2) == 0))
        return dlp_fail(error, DLP_IO, "not a PGM picture: it must begin with P2 or P5");
    text.at += 2;
    int64_t columns, rows, depth;
    DLP_TRY(read_pgm_number(&text, 1, 1 << 20, "the width", &columns, error));
    DLP_TRY(read_pgm_number(&text, 1, 1 << 20, "the height", &rows, error));
    DLP_TRY(read_pgm_number(&text, 1, 65535, "the largest value", &depth, error));
    const int64_t left = (int64_t)(text.end - text.at);
    const int64_t needed = columns * rows * (is_raw && depth > 255 ? 2 : 1) + (is_raw ? 1 : 0);
    if (needed > left)
        return dlp_fail(error, DLP_IO,
                        "the file is cut short: %lld by %lld values need %lld bytes, %lld are there",
                        (long long)columns, (long long)rows, (long long)needed, (long long)left);
    DLP_TRY(make_table(table, columns, rows, error));
    table->largest = (double)depth;
    return is_raw ? read_raw(&text, depth, table, error) : read_plain(&text, depth, table, error);
}

dlp_status dlp_height_parse_pgm(dlp_bytes bytes, dlp_height_table *out_table, dlp_error *error)
{
    *out_table = (dlp_height_table){0};
    const dlp_status status = parse_pgm(bytes, out_table, error);
    if (status != DLP_OK) dlp_height_table_release(out_table);
    return status;
}

// Blanks, commas and semicolons, in any number: empty fields do not count.
static void skip_separators(dlp_text *text)
{
    for (dlp_text_skip_blanks(text); text->at < text->end && (*text->at == ',' || *text->at == ';');
         dlp_text_skip_blanks(text))
        text->at++;
}

// The end of the text, of the line, or a comment.
static bool at_row_end(dlp_text *text)
{
    skip_separators(text);
    return text->at >= text->end || *text->at == '\n' || *text->at == '#';
}

// The numbers of one line; a line without any is no row. The first row decides how many there are.
static dlp_status read_row(dlp_text *text, dlp_height_table *table, int32_t *capacity, dlp_error *error)
{
    int32_t columns = 0;
    for (; !at_row_end(text); columns++) {
        const int64_t place = (int64_t)table->rows * table->columns + columns;
        if (place >= INT32_MAX) return dlp_fail(error, DLP_IO, "line %d: too many numbers", text->line);
        DLP_TRY(dlp_reserve(&table->values, capacity, (int32_t)place + 1, sizeof(double), "height", error));
        if (!dlp_text_number(text, &table->values[place]))
            return dlp_fail(error, DLP_IO, "line %d: number %d is not a number", text->line, columns + 1);
        if (!isfinite(table->values[place]))
            return dlp_fail(error, DLP_IO, "line %d: number %d is not finite", text->line, columns + 1);
    }
    if (columns == 0) return DLP_OK;
    if (table->rows > 0 && columns != table->columns)
        return dlp_fail(error, DLP_IO, "line %d: %d numbers; the lines before have %d", text->line, columns,
                        table->columns);
    table->columns = columns;
    table->rows++;
    return DLP_OK;
}

// Whole numbers count up to their largest, as a picture's do; fractions count as they are.
static void find_largest(dlp_height_table *table)
{
    const int64_t count = (int64_t)table->columns * table->rows;
    bool are_whole = true;
    double largest = 0;
    for (int64_t k = 0; k < count; k++) {
        are_whole = are_whole && table->values[k] == floor(table->values[k]);
        largest = fmax(largest, table->values[k]);
    }
    table->largest = are_whole && largest > 0 ? largest : 1;
}

static dlp_status parse_numbers(dlp_bytes bytes, dlp_height_table *table, dlp_error *error)
{
    int32_t capacity = 0;
    for (dlp_text text = dlp_text_of(bytes); text.at < text.end; dlp_text_skip_line(&text))
        DLP_TRY(read_row(&text, table, &capacity, error));
    if (table->rows == 0) return dlp_fail(error, DLP_IO, "has no numbers");
    find_largest(table);
    return DLP_OK;
}

dlp_status dlp_height_parse_numbers(dlp_bytes bytes, dlp_height_table *out_table, dlp_error *error)
{
    *out_table = (dlp_height_table){0};
    const dlp_status status = parse_numbers(bytes, out_table, error);
    if (status != DLP_OK) dlp_height_table_release(out_table);
    return status;
}
