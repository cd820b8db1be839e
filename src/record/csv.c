// Tables as text, comma-separated: appended row by row, cut back when a run resumes, and read.
#include "record/csv.h"
#include "record/file_io.h"
#include "record/format.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 30 };  // bytes of a table

// Opens for appending; after a failure the table is closed.
static dlp_status open_end(dlp_csv *table, const char *path, const char *header, dlp_error *error)
{
    table->path = dlp_copy_text(path, "file names");
    table->header = dlp_copy_text(header, "file names");
    if (table->path == NULL || table->header == NULL) {
        dlp_csv_close(table);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for its name", path);
    }
    errno = 0;
    table->stream = fopen(path, "ab");
    if (table->stream == NULL) {
        const int number = errno;
        dlp_csv_close(table);
        return dlp_fail_errno(error, path, number);
    }
    return DLP_OK;
}

// The header is written beside and renamed, so that an old table is there until the new one is.
dlp_status dlp_csv_start(dlp_csv *table, const char *path, const char *header, dlp_error *error)
{
    *table = (dlp_csv){0};
    dlp_string text = {0};
    dlp_string_add(&text, "%s\n", header);
    dlp_status status = dlp_format_check(&text, path, error);
    if (status == DLP_OK) status = dlp_file_write_text(path, text.data, text.length, error);
    dlp_string_release(&text);
    return status == DLP_OK ? open_end(table, path, header, error) : status;
}

// The header's line and the rows of frames up to `last_frame`, as they are. A row without its newline was
// half written and is dropped.
static void keep_rows(const char *text, int32_t last_frame, dlp_string *kept)
{
    bool is_header = true;
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        char *stop;
        const long long frame = strtoll(line, &stop, 10);
        const bool is_row = stop != line && (*stop == ',' || *stop == '\n') && frame <= last_frame;
        if (is_header || is_row) dlp_string_add(kept, "%.*s\n", (int)(end - line), line);
        is_header = false;
    }
}

// Rows of other columns would make the table meaningless, so it is refused rather than continued.
static dlp_status check_header(const char *path, const char *text, const char *header, dlp_error *error)
{
    const char *end = strchr(text, '\n');
    const size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
    if (length == strlen(header) && strncmp(text, header, length) == 0) return DLP_OK;
    return dlp_fail(
        error, DLP_IO,
        "%s: its columns are not those of this scene: \"%.*s\"; must be \"%s\"; move it away, or start "
        "over with --force",
        path, (int)(length < 400 ? length : 400), text, header);
}

// The whole table is read and written once per run, not per row.
dlp_status dlp_csv_resume(dlp_csv *table, const char *path, const char *header, int32_t last_frame,
                          dlp_error *error)
{
    *table = (dlp_csv){0};
    if (!dlp_file_exists(path)) return dlp_csv_start(table, path, header, error);
    char *old;
    size_t size;
    DLP_TRY(dlp_file_read(path, FILE_LIMIT, &old, &size, error));
    dlp_string kept = {0};
    dlp_status status = check_header(path, old, header, error);
    if (status == DLP_OK) {
        keep_rows(old, last_frame, &kept);
        status = dlp_format_check(&kept, path, error);
    }
    if (status == DLP_OK) status = dlp_file_write_text(path, kept.data, kept.length, error);
    dlp_string_release(&kept);
    dlp_free(old);
    return status == DLP_OK ? open_end(table, path, header, error) : status;
}

// Every cell is a finite number, as dlp_format_number writes it: neither "nan" nor "inf" has such a digit.
static dlp_status check_row(const dlp_csv *table, const char *row, dlp_error *error)
{
    const char *name = table->header;
    for (const char *cell = row; *cell != '\0';) {
        const size_t length = strcspn(cell, ","), name_length = strcspn(name, ",");
        if (strcspn(cell, "0123456789") >= length)
            return dlp_fail(error, DLP_DIVERGED,
                            "%s: frame %.*s: %.*s: is %.*s; every number must be finite: the run has failed",
                            table->path, (int)strcspn(row, ","), row, (int)name_length, name, (int)length,
                            cell);
        cell += length + (cell[length] == ',');
        name += name_length + (name[name_length] == ',');
    }
    return DLP_OK;
}

// Appending is the one write that is not beside and renamed; a half-written row is dropped on resume.
dlp_status dlp_csv_append(dlp_csv *table, const char *row, dlp_error *error)
{
    DLP_TRY(check_row(table, row, error));
    errno = 0;
    if (fprintf(table->stream, "%s\n", row) < 0 || fflush(table->stream) != 0)
        return dlp_fail_errno(error, table->path, errno != 0 ? errno : EIO);
    return DLP_OK;
}

void dlp_csv_close(dlp_csv *table)
{
    if (table->stream != NULL) fclose(table->stream);
    dlp_free(table->path);
    dlp_free(table->header);
    *table = (dlp_csv){0};
}

// How often a character occurs.
static int32_t count_of(const char *text, const char *end, char sign)
{
    int32_t count = 0;
    for (const char *c = text; c < end; c++) count += *c == sign;
    return count;
}

// Cuts the header's line into names, in place.
static void split_names(dlp_csv_data *data)
{
    char *name = data->text;
    for (int32_t k = 0; k < data->column_count; k++) {
        data->names[k] = name;
        char *comma = strchr(name, ',');
        if (comma == NULL) return;
        *comma = '\0';
        name = comma + 1;
    }
}

// Cells that the row lacks are NaN; those past the last column are ignored.
static void read_row(const char *line, const char *end, int32_t column_count, double *out_values)
{
    for (int32_t k = 0; k < column_count; k++) {
        const char *comma = line < end ? memchr(line, ',', (size_t)(end - line)) : NULL;
        out_values[k] = dlp_format_read_number(line, comma != NULL ? comma : end);
        line = comma != NULL ? comma + 1 : end;
    }
}

// `text` has no zero byte, so that strchr finds every newline that was counted.
static dlp_status parse(const char *path, size_t size, dlp_csv_data *data, dlp_error *error)
{
    char *header_end = strchr(data->text, '\n');
    if (header_end == NULL) return dlp_fail(error, DLP_IO, "%s: not a table: it has no header line", path);
    data->column_count = count_of(data->text, header_end, ',') + 1;
    data->row_count = count_of(header_end + 1, data->text + size, '\n');
    const size_t cell_count = (size_t)data->column_count * (size_t)data->row_count;
    data->names = dlp_alloc((size_t)data->column_count, sizeof *data->names, "table");
    data->values = dlp_alloc(cell_count, sizeof *data->values, "table");
    if (data->names == NULL || data->values == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for %" PRId32 " rows", path, data->row_count);
    const char *line = header_end + 1;
    for (int32_t k = 0; k < data->row_count; k++) {
        const char *end = strchr(line, '\n');
        read_row(line, end, data->column_count, data->values + (size_t)k * (size_t)data->column_count);
        line = end + 1;
    }
    *header_end = '\0';
    split_names(data);
    return DLP_OK;
}

// Removes the lines before the table that start with a #; returns the size that is left.
static size_t drop_comments(char *text, size_t size)
{
    size_t start = 0;
    while (start < size && text[start] == '#') {
        const char *end = memchr(text + start, '\n', size - start);
        start = end != NULL ? (size_t)(end - text) + 1 : size;
    }
    memmove(text, text + start, size - start);
    text[size - start] = '\0';
    return size - start;
}

// Zero bytes are refused, since the parser looks for ends of lines in a string.
dlp_status dlp_csv_read(const char *path, dlp_csv_data *out_data, dlp_error *error)
{
    *out_data = (dlp_csv_data){0};
    size_t size;
    DLP_TRY(dlp_file_read(path, FILE_LIMIT, &out_data->text, &size, error));
    dlp_status status = DLP_OK;
    if (memchr(out_data->text, '\0', size) != NULL)
        status = dlp_fail(error, DLP_IO, "%s: not a table: it holds a zero byte", path);
    if (status == DLP_OK) size = drop_comments(out_data->text, size);
    if (status == DLP_OK) status = parse(path, size, out_data, error);
    if (status != DLP_OK) dlp_csv_data_release(out_data);
    return status;
}

// Tables have a few dozen columns: a search from the front does.
int32_t dlp_csv_column(const dlp_csv_data *data, const char *name)
{
    for (int32_t k = 0; k < data->column_count; k++) {
        if (strcmp(data->names[k], name) == 0) return k;
    }
    return -1;
}

void dlp_csv_data_release(dlp_csv_data *data)
{
    dlp_free(data->names);
    dlp_free(data->values);
    dlp_free(data->text);
    *data = (dlp_csv_data){0};
}
