#include "findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 sequence that starts here, or 0 where there is none. */
static size_t utf8_length(const unsigned char *text)
{
    const size_t length = text[0] < 0x80   ? 1
                          : text[0] < 0xc2 ? 0
                          : text[0] < 0xe0 ? 2
                          : text[0] < 0xf0 ? 3
                          : text[0] < 0xf5 ? 4
                                           : 0;
    for (size_t k = 1; k < length; k++) {
        if ((text[k] & 0xc0) != 0x80) return 0;
    }
    return length;
}

void dlp_json_text(const char *text)
{
    if (text == NULL) {
        printf("null");
        return;
    }
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c != 0;) {
        const size_t length = utf8_length(c);
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c == '\n')
            printf("\\n");
        else if (*c < 0x20)
            printf("\\u%04x", *c);
        else if (length == 0)
            printf("\\ufffd");
        else
            fwrite(c, 1, length, stdout);
        c += length > 0 ? length : 1;
    }
    putchar('"');
}

void dlp_json_number(double value)
{
    if (!isfinite(value)) {
        printf("null");
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    printf("%s", text);
}

static void add_json(const dlp_rows *rows, const dlp_row *row)
{
    printf("%s\n  {\"id\": ", rows->count > 0 ? "," : "");
    dlp_json_text(row->id);
    printf(", \"what\": ");
    dlp_json_text(row->what);
    printf(", \"value\": ");
    if (row->text != NULL)
        dlp_json_text(row->text);
    else
        dlp_json_number(row->value);
    printf(", \"unit\": ");
    dlp_json_text(row->unit != NULL ? row->unit : "");
    printf(", \"reference\": ");
    dlp_json_number(row->has_reference ? row->reference : (double)NAN);
    printf(", \"holds\": %s", row->holds == DLP_HOLDS_UNSAID ? "null"
                              : row->holds == DLP_HOLDS_YES  ? "true"
                                                             : "false");
    if (row->origin != NULL) {
        printf(", \"origin\": ");
        dlp_json_text(row->origin);
    }
    putchar('}');
}

static void add_text(const dlp_row *row)
{
    char value[160];
    const char *unit = row->unit != NULL ? row->unit : "";
    if (row->text != NULL)
        snprintf(value, sizeof value, "%s", row->text);
    else
        snprintf(value, sizeof value, "%.6g%s%s", row->value, unit[0] != 0 ? " " : "", unit);
    printf("%-26s %-34s %s", row->id, value, row->what);
    const char *compared = row->reference_text != NULL ? row->reference_text : "should be";
    if (row->has_reference) printf(" (%s %.6g)", compared, row->reference);
    if (row->holds != DLP_HOLDS_UNSAID)
        printf(": %s", row->holds == DLP_HOLDS_YES ? "holds" : "DOES NOT HOLD");
    putchar('\n');
}

void dlp_rows_begin(dlp_rows *rows)
{
    rows->count = 0;
    rows->failed_count = 0;
    if (rows->is_json) putchar('[');
}

void dlp_rows_add(dlp_rows *rows, const dlp_row *row)
{
    if (rows->is_json)
        add_json(rows, row);
    else
        add_text(row);
    fflush(stdout);
    rows->count++;
    rows->failed_count += row->holds == DLP_HOLDS_NO;
}

void dlp_rows_add_number(dlp_rows *rows, const char *id, const char *what, double value, const char *unit)
{
    const dlp_row row = dlp_row_number(id, what, value, unit);
    dlp_rows_add(rows, &row);
}

void dlp_rows_add_text(dlp_rows *rows, const char *id, const char *what, const char *text)
{
    const dlp_row row = dlp_row_text(id, what, text);
    dlp_rows_add(rows, &row);
}

void dlp_rows_end(const dlp_rows *rows)
{
    if (rows->is_json) printf("%s]\n", rows->count > 0 ? "\n" : "");
}
