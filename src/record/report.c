// An HTML page with its style, plots (SVG) and pictures (base64) inside it, and results as JSON.
#include "record/report.h"
#include "record/file_io.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The parts of the page, as HTML; joined when it is written.
struct dlp_report {
    dlp_string title, contents, body;
    int32_t section_count;
    int32_t holds_count, fails_count;
    bool is_broad;  // a grid needs more room than lines of text
};

// The title is escaped once, here.
dlp_status dlp_report_create(const char *title, dlp_report **out_report, dlp_error *error)
{
    dlp_report *report = dlp_alloc(1, sizeof *report, "report");
    *out_report = report;
    if (report == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "report: no room");
    dlp_format_escaped(&report->title, title);
    return DLP_OK;
}

void dlp_report_destroy(dlp_report *report)
{
    if (report == NULL) return;
    dlp_string_release(&report->title);
    dlp_string_release(&report->contents);
    dlp_string_release(&report->body);
    dlp_free(report);
}

// Sections are numbered, so that the contents can link to them.
void dlp_report_section(dlp_report *report, const char *title)
{
    report->section_count++;
    dlp_string_add(&report->contents, "<li><a href=\"#s%d\">", report->section_count);
    dlp_format_escaped(&report->contents, title);
    dlp_string_add(&report->contents, "</a></li>\n");
    dlp_string_add(&report->body, "<h2 id=\"s%d\">", report->section_count);
    dlp_format_escaped(&report->body, title);
    dlp_string_add(&report->body, "</h2>\n");
}

void dlp_report_paragraph(dlp_report *report, const char *text)
{
    dlp_string_add(&report->body, "<p>");
    dlp_format_escaped(&report->body, text);
    dlp_string_add(&report->body, "</p>\n");
}

// A cell of a table; the words are escaped.
static void add_cell(dlp_string *page, const char *class_name, const char *words)
{
    dlp_string_add(page, "<td class=\"%s\">", class_name);
    dlp_format_escaped(page, words);
    dlp_string_add(page, "</td>");
}

// One row; also counts the verdicts for the summary.
static void add_result(dlp_report *report, const dlp_result *result)
{
    assert(result->holds <= DLP_VERDICT_FAILS);
    static const char *const classes[] = {"none", "holds", "fails"};
    static const char *const words[] = {"\u2013", "holds", "fails"};
    dlp_string *page = &report->body;
    dlp_string_add(page, "<tr>");
    add_cell(page, "id", result->id);
    add_cell(page, "what", result->what);
    dlp_string_add(page, "<td class=\"number\">");
    if (result->text != NULL)
        dlp_format_escaped(page, result->text);
    else
        dlp_format_number(page, result->value, 5);
    dlp_string_add(page, "</td>");
    add_cell(page, "unit", result->unit);
    dlp_string_add(page, "<td class=\"number\">");
    if (result->reference_text != NULL)
        dlp_format_escaped(page, result->reference_text);
    else if (result->has_reference)
        dlp_format_number(page, result->reference, 5);
    dlp_string_add(page, "</td>");
    add_cell(page, classes[result->holds], words[result->holds]);
    dlp_string_add(page, "</tr>\n");
    report->holds_count += result->holds == DLP_VERDICT_HOLDS;
    report->fails_count += result->holds == DLP_VERDICT_FAILS;
}

// A table of results; several may follow one another in a section.
void dlp_report_results(dlp_report *report, const dlp_result *results, int32_t count)
{
    dlp_string_add(&report->body, "<table>\n<thead><tr><th>id</th><th>what</th><th>value</th><th>unit</th>"
                                  "<th>reference</th><th></th></tr></thead>\n<tbody>\n");
    for (int32_t k = 0; k < count; k++) add_result(report, &results[k]);
    dlp_string_add(&report->body, "</tbody>\n</table>\n");
}

void dlp_report_table(dlp_report *report, const char *const *cells, int32_t rows, int32_t columns)
{
    dlp_string *page = &report->body;
    dlp_string_add(page, "<div class=\"wide\"><table class=\"plain\">\n");
    for (int32_t row = 0; row < rows; row++) {
        dlp_string_add(page, "<tr>");
        for (int32_t column = 0; column < columns; column++) {
            const char *tag = row == 0 || column == 0 ? "th" : "td";
            dlp_string_add(page, "<%s>", tag);
            dlp_format_escaped(page, cells[row * columns + column]);
            dlp_string_add(page, "</%s>", tag);
        }
        dlp_string_add(page, "</tr>\n");
    }
    dlp_string_add(page, "</table></div>\n");
}

void dlp_report_begin_grid(dlp_report *report)
{
    report->is_broad = true;
    dlp_string_add(&report->body, "<div class=\"grid\">\n");
}

void dlp_report_end_grid(dlp_report *report)
{
    dlp_string_add(&report->body, "</div>\n");
}

// The plot is inline SVG: no other file is needed.
void dlp_report_plot(dlp_report *report, const dlp_plot *plot)
{
    dlp_string_add(&report->body, "<figure>\n");
    dlp_plot_write(plot, &report->body);
    dlp_string_add(&report->body, "</figure>\n");
}

// The signature is checked, so that a text file is not embedded as a picture.
dlp_status dlp_report_picture(dlp_report *report, const char *png_path, const char *caption, dlp_error *error)
{
    enum { PICTURE_LIMIT = 1 << 26 };  // bytes
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    char *bytes;
    size_t size;
    DLP_TRY(dlp_file_read(png_path, PICTURE_LIMIT, &bytes, &size, error));
    dlp_status status = DLP_OK;
    if (size < sizeof signature || memcmp(bytes, signature, sizeof signature) != 0) {
        status = dlp_fail(error, DLP_IO, "%s: not a PNG picture", png_path);
    } else {
        dlp_string *page = &report->body;
        dlp_string_add(page, "<figure><img alt=\"");
        dlp_format_escaped(page, caption);
        dlp_string_add(page, "\" src=\"data:image/png;base64,");
        dlp_format_base64(page, bytes, size);
        dlp_string_add(page, "\"><figcaption>");
        dlp_format_escaped(page, caption);
        dlp_string_add(page, "</figcaption></figure>\n");
    }
    dlp_free(bytes);
    return status;
}

// Everything inline: the page must work from a file, without a network.
static const char style[] =
    "body{margin:0 auto;max-width:60rem;padding:2rem 1.5rem 4rem;font:16px/1.55 system-ui,sans-serif;"
    "color:#1d2733;background:#fff}"
    "h1{font-size:1.9rem;margin:0 0 .3rem}h2{margin:2.6rem 0 .6rem;padding-top:.6rem;"
    "border-top:1px solid #e3e7ec;font-size:1.3rem}"
    "nav "
    "ol{columns:2;padding-left:1.4rem}a{color:#1b5fa8;text-decoration:none}a:hover{text-decoration:underline}"
    ".sum{color:#46505c}table{border-collapse:collapse;width:100%;margin:1rem 0;font-size:.92rem}"
    "th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #e3e7ec;vertical-align:top}"
    "th{color:#46505c;font-weight:600}.number{text-align:right;font-variant-numeric:tabular-nums;white-space:"
    "nowrap}"
    "th:nth-child(3),th:nth-child(5){text-align:right}.id{font-family:ui-monospace,monospace;white-space:"
    "nowrap}"
    ".holds{color:#1c7a43;font-weight:600}.fails{color:#b3261e;font-weight:600}.none{color:#8a94a0}"
    "figure{margin:1.2rem 0}figure img,figure svg{width:100%;height:auto;border:1px solid #e3e7ec;"
    "border-radius:6px;background:#fff}figcaption{color:#46505c;font-size:.9rem;margin-top:.3rem}"
    ".broad{max-width:100rem}.wide{overflow-x:auto}.plain th,.plain "
    "td{text-align:right;white-space:nowrap}.plain "
    "th:first-child,.plain tr>:nth-child(2){text-align:left}.plain td{font-variant-numeric:tabular-nums}"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(28rem,1fr));gap:0 1.2rem}"
    ".halo{paint-order:stroke;stroke:#fff;stroke-width:3px}";

// Title and contents were escaped when they were added.
static void assemble(const dlp_report *report, dlp_string *page)
{
    const char *title = report->title.data != NULL ? report->title.data : "";
    dlp_string_add(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n"
        "<style>%s</style>\n</head>\n<body%s>\n<h1>%s</h1>\n",
        title, style, report->is_broad ? " class=\"broad\"" : "", title);
    dlp_string_add(page, "<p class=\"sum\">Dollop %s.", dlp_version());
    const int32_t judged_count = report->holds_count + report->fails_count;
    if (judged_count > 0)
        dlp_string_add(page, " %d of %d comparisons hold.", report->holds_count, judged_count);
    dlp_string_add(page, "</p>\n");
    if (report->contents.data != NULL)
        dlp_string_add(page, "<nav><ol>\n%s</ol></nav>\n", report->contents.data);
    if (report->body.data != NULL) dlp_string_add(page, "%s", report->body.data);
    dlp_string_add(page, "</body>\n</html>\n");
}

// The parts are checked before they are joined, so that the message names this page.
dlp_status dlp_report_write(const dlp_report *report, const char *path, dlp_error *error)
{
    DLP_TRY(dlp_format_check(&report->contents, path, error));
    DLP_TRY(dlp_format_check(&report->body, path, error));
    dlp_string page = {0};
    assemble(report, &page);
    dlp_status status = dlp_format_check(&page, path, error);
    if (status == DLP_OK) status = dlp_file_write_text(path, page.data, page.length, error);
    dlp_string_release(&page);
    return status;
}

// Quotes, backslashes and control characters are escaped; UTF-8 stays as it is.
static void add_json_text(dlp_string *json, const char *words)
{
    dlp_string_add(json, "\"");
    for (const char *c = words; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            dlp_string_add(json, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            dlp_string_add(json, "\\u%04x", (unsigned)*c);
        else
            dlp_string_add(json, "%c", *c);
    }
    dlp_string_add(json, "\"");
}

// JSON has no NaN or infinity: null.
static void add_json_number(dlp_string *json, double value)
{
    if (isfinite(value))
        dlp_format_number(json, value, 9);
    else
        dlp_string_add(json, "null");
}

void dlp_results_json(const dlp_result *results, int32_t count, dlp_string *out_json)
{
    static const char *const verdicts[] = {"null", "true", "false"};
    dlp_string_add(out_json, "[");
    for (int32_t k = 0; k < count; k++) {
        const dlp_result *result = &results[k];
        dlp_string_add(out_json, "%s\n{\"id\": ", k > 0 ? "," : "");
        add_json_text(out_json, result->id);
        dlp_string_add(out_json, ", \"what\": ");
        add_json_text(out_json, result->what);
        dlp_string_add(out_json, ", \"value\": ");
        if (result->text != NULL)
            add_json_text(out_json, result->text);
        else
            add_json_number(out_json, result->value);
        dlp_string_add(out_json, ", \"unit\": ");
        add_json_text(out_json, result->unit);
        dlp_string_add(out_json, ", \"reference\": ");
        if (result->reference_text != NULL)
            add_json_text(out_json, result->reference_text);
        else if (result->has_reference)
            add_json_number(out_json, result->reference);
        else
            dlp_string_add(out_json, "null");
        dlp_string_add(out_json, ", \"holds\": %s}", verdicts[result->holds]);
    }
    dlp_string_add(out_json, "\n]\n");
}
