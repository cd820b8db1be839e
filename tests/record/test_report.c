#include "record/file_io.h"
#include "record/report.h"
#include "base/memory.h"
#include "test_folder.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const dlp_result results[] = {{.id = "A1",
                                      .what = "front < 3 \"cm\" & \\ more",
                                      .unit = "m",
                                      .value = 0.0312,
                                      .has_reference = true,
                                      .reference = 0.03,
                                      .holds = DLP_VERDICT_HOLDS},
                                     {.id = "A2",
                                      .what = "energy",
                                      .unit = "J",
                                      .value = (double)NAN,
                                      .reference_text = "< 0.05",
                                      .holds = DLP_VERDICT_FAILS},
                                     {.id = "A3", .what = "speed", .unit = "1/s", .value = 1e6}};

static void json_has_the_agreed_keys(void **state)
{
    (void)state;
    dlp_string json = {0};
    dlp_results_json(results, 3, &json);
    assert_string_equal(
        json.data, "[\n{\"id\": \"A1\", \"what\": \"front < 3 \\\"cm\\\" & \\\\ more\", \"value\": 0.0312, "
                   "\"unit\": \"m\", \"reference\": 0.03, \"holds\": true},\n"
                   "{\"id\": \"A2\", \"what\": \"energy\", \"value\": null, \"unit\": \"J\", "
                   "\"reference\": \"< 0.05\", \"holds\": false},\n"
                   "{\"id\": \"A3\", \"what\": \"speed\", \"value\": 1000000, \"unit\": \"1/s\", "
                   "\"reference\": null, \"holds\": null}\n]\n");
    dlp_string_release(&json);
}

// Every number in every coordinate of the plots is finite and on the page.
static void check_coordinates(const char *page)
{
    static const char *const names[] = {" x=\"", " y=\"", "x1=\"", "y1=\"",
                                        "x2=\"", "y2=\"", "cx=\"", "cy=\""};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        for (const char *c = page; (c = strstr(c, names[n])) != NULL;) {
            c += strlen(names[n]);
            char *end;
            const double value = strtod(c, &end);
            assert_true(end != c && *end == '"');
            assert_true(value >= -100 && value <= 820);
        }
    }
    for (const char *c = page; (c = strstr(c, " d=\"")) != NULL;) {
        for (c += 4; *c != '"'; c++) assert_non_null(strchr("ML .-0123456789", *c));
    }
    assert_null(strstr(page, "nan\""));
    assert_null(strstr(page, "inf"));
}

static void try_plot(const double *x, const double *y, int32_t count, bool is_log)
{
    const dlp_series series[] = {{"ours", x, y, count, DLP_MARK_LINE},
                                 {"theirs <b>", x, y, count, DLP_MARK_POINTS},
                                 {"law", y, x, count, DLP_MARK_DASHES}};
    dlp_plot plot = {.title = "Front",
                     .x_label = "time (s)",
                     .y_label = "x & y (m)",
                     .is_log_x = is_log,
                     .is_log_y = is_log,
                     .series = series,
                     .series_count = 3};
    dlp_string page = {0};
    dlp_plot_write(&plot, &page);
    check_coordinates(page.data);
    assert_null(strstr(page.data, "<b>"));
    assert_non_null(strstr(page.data, "theirs &lt;b&gt;"));
    assert_non_null(strstr(page.data, "</svg>"));
    dlp_string_cut(&page, 0);
    plot.has_legend_below = true;
    dlp_plot_write(&plot, &page);
    check_coordinates(page.data);
    assert_non_null(strstr(page.data, "theirs &lt;b&gt;"));
    dlp_string_release(&page);
}

static void plots_have_finite_coordinates_whatever_they_show(void **state)
{
    (void)state;
    const double plain[] = {0, 0.5, 1, 2}, odd[] = {(double)NAN, 1, (double)INFINITY, -3};
    const double same[] = {5, 5, 5, 5}, huge[] = {-1e300, 0, 1e300, 1}, tiny[] = {1e-300, 2e-300, 1e-308, 0};
    const double *const sets[] = {plain, odd, same, huge, tiny};
    for (size_t a = 0; a < 5; a++) {
        for (size_t b = 0; b < 5; b++) {
            try_plot(sets[a], sets[b], 4, false);
            try_plot(sets[a], sets[b], 4, true);
        }
    }
    try_plot(plain, plain, 0, false);
    try_plot(plain, plain, 0, true);
}

static void a_report_is_one_file_that_needs_no_other(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_report *report;
    assert_int_equal(dlp_report_create("Dam <break>", &report, &error), DLP_OK);
    dlp_report_section(report, "Front & height");
    dlp_report_paragraph(report, "The front after Martin & Moyce.");
    dlp_report_results(report, results, 3);
    static const char *const cells[] = {"way", "steps", "<2>", "3"};
    dlp_report_table(report, cells, 2, 2);
    dlp_report_begin_grid(report);
    static const char png[] = "\x89PNG\r\n\x1a\n and more";
    assert_int_equal(dlp_file_write_text(in_folder("p.png"), png, sizeof png - 1, &error), DLP_OK);
    assert_int_equal(dlp_report_picture(report, in_folder("p.png"), "last frame", &error), DLP_OK);
    dlp_report_end_grid(report);
    assert_int_equal(dlp_report_write(report, in_folder("report.html"), &error), DLP_OK);
    dlp_report_destroy(report);
    char *page;
    size_t size;
    assert_int_equal(dlp_file_read(in_folder("report.html"), 1 << 20, &page, &size, &error), DLP_OK);
    assert_non_null(strstr(page, "<title>Dam &lt;break&gt;</title>"));
    assert_non_null(strstr(page, "<h2 id=\"s1\">Front &amp; height</h2>"));
    assert_non_null(strstr(page, "1 of 2 comparisons hold"));
    assert_non_null(strstr(page, "data:image/png;base64,iVBORw0KGgogYW5kIG1vcmU=\""));
    assert_non_null(strstr(page, "<tr><th>&lt;2&gt;</th><td>3</td></tr>"));
    assert_null(strstr(page, "http"));
    assert_null(strstr(page, "src=\"/"));
    dlp_free(page);
}

static void base64_is_that_of_the_standard(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};  // RFC 4648, section 10
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        dlp_string text = {0};
        dlp_format_base64(&text, pairs[k][0], strlen(pairs[k][0]));
        assert_string_equal(text.data != NULL ? text.data : "", pairs[k][1]);
        dlp_string_release(&text);
    }
    static char many[10000];
    memset(many, 'M', sizeof many);
    dlp_string text = {0};
    dlp_format_base64(&text, many, sizeof many);
    assert_int_equal(text.length, (sizeof many + 2) / 3 * 4);
    dlp_string_release(&text);
}

static void what_is_no_picture_is_refused(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_report *report;
    assert_int_equal(dlp_report_create("x", &report, &error), DLP_OK);
    assert_int_equal(dlp_report_picture(report, in_folder("none.png"), "", &error), DLP_IO);
    assert_int_equal(dlp_file_write_text(in_folder("text.png"), "hello", 5, &error), DLP_OK);
    assert_int_equal(dlp_report_picture(report, in_folder("text.png"), "", &error), DLP_IO);
    assert_non_null(strstr(error.message, "text.png: not a PNG picture"));
    assert_int_equal(dlp_report_write(report, in_folder("nowhere/report.html"), &error), DLP_IO);
    dlp_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_the_agreed_keys),
        cmocka_unit_test(plots_have_finite_coordinates_whatever_they_show),
        cmocka_unit_test(a_report_is_one_file_that_needs_no_other),
        cmocka_unit_test(base64_is_that_of_the_standard),
        cmocka_unit_test(what_is_no_picture_is_refused),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
