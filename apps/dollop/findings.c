/* Prints findings. */
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

static void add_json(const dlp_findings *findings, const dlp_finding *finding)
{
    printf("%s\n  {\"id\": ", findings->count > 0 ? "," : "");
    dlp_json_text(finding->id);
    printf(", \"what\": ");
    dlp_json_text(finding->what);
    printf(", \"value\": ");
    if (finding->json != NULL)
        printf("%s", finding->json);
    else if (finding->text != NULL)
        dlp_json_text(finding->text);
    else
        dlp_json_number(finding->value);
    printf(", \"unit\": ");
    dlp_json_text(finding->unit != NULL ? finding->unit : "");
    printf(", \"reference\": ");
    dlp_json_number(finding->has_reference ? finding->reference : (double)NAN);
    printf(", \"holds\": %s", finding->holds == DLP_HOLDS_UNSAID ? "null"
                              : finding->holds == DLP_HOLDS_YES  ? "true"
                                                                 : "false");
    if (finding->origin != NULL) {
        printf(", \"origin\": ");
        dlp_json_text(finding->origin);
    }
    putchar('}');
}

static void add_text(const dlp_finding *finding)
{
    char value[160];
    const char *unit = finding->unit != NULL ? finding->unit : "";
    if (finding->text != NULL)
        snprintf(value, sizeof value, "%s", finding->text);
    else
        snprintf(value, sizeof value, "%.6g%s%s", finding->value, unit[0] != 0 ? " " : "", unit);
    printf("%-26s %-34s %s", finding->id, value, finding->what);
    const char *compared = finding->reference_text != NULL ? finding->reference_text : "should be";
    if (finding->has_reference) printf(" (%s %.6g)", compared, finding->reference);
    if (finding->holds != DLP_HOLDS_UNSAID)
        printf(": %s", finding->holds == DLP_HOLDS_YES ? "holds" : "DOES NOT HOLD");
    putchar('\n');
}

void dlp_findings_begin(dlp_findings *findings)
{
    findings->count = 0;
    findings->failed_count = 0;
    if (findings->is_json) putchar('[');
}

void dlp_findings_add(dlp_findings *findings, const dlp_finding *finding)
{
    if (findings->is_json)
        add_json(findings, finding);
    else
        add_text(finding);
    fflush(stdout);
    findings->count++;
    findings->failed_count += finding->holds == DLP_HOLDS_NO;
}

void dlp_findings_add_number(dlp_findings *findings, const char *id, const char *what, double value,
                             const char *unit)
{
    const dlp_finding finding = dlp_finding_number(id, what, value, unit);
    dlp_findings_add(findings, &finding);
}

void dlp_findings_add_text(dlp_findings *findings, const char *id, const char *what, const char *text)
{
    const dlp_finding finding = dlp_finding_text(id, what, text);
    dlp_findings_add(findings, &finding);
}

void dlp_findings_end(const dlp_findings *findings)
{
    if (findings->is_json) printf("%s]\n", findings->count > 0 ? "\n" : "");
}
