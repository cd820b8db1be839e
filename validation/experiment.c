/* Findings, plots and tables of an experiment, printed and kept for the report. */
#include "experiment.h"

#include "base/memory.h"
#include "record/file_io.h"

#include <stdio.h>

/* Keeps a finding until its experiment ends; the texts of a finding may not live that long. */
static void keep_result(dlp_reproduce *reproduce, const dlp_finding *finding)
{
    if (dlp_reserve(&reproduce->results, &reproduce->result_capacity, reproduce->result_count + 1,
                    sizeof *reproduce->results, "results", NULL) != DLP_OK) {
        return; /* printed all the same */
    }
    char reference[64] = "";
    if (finding->reference_text != NULL) {
        snprintf(reference, sizeof reference, "%s %.6g", finding->reference_text, finding->reference);
    }
    reproduce->results[reproduce->result_count++] = (dlp_result){
        .id = dlp_copy_text(finding->id, "results"),
        .what = dlp_copy_text(finding->what, "results"),
        .unit = dlp_copy_text(finding->unit != NULL ? finding->unit : "", "results"),
        .value = finding->value,
        .has_reference = finding->has_reference,
        .reference = finding->reference,
        .reference_text = reference[0] != 0 ? dlp_copy_text(reference, "results") : NULL,
        .holds = finding->holds == DLP_HOLDS_UNSAID ? DLP_VERDICT_NONE
                 : finding->holds == DLP_HOLDS_YES  ? DLP_VERDICT_HOLDS
                                                    : DLP_VERDICT_FAILS,
    };
}

void dlp_reproduce_report(dlp_reproduce *reproduce)
{
    if (reproduce->result_count > 0) {
        dlp_report_results(reproduce->report, reproduce->results, reproduce->result_count);
    }
    for (int32_t k = 0; k < reproduce->result_count; k++) {
        dlp_result *result = &reproduce->results[k];
        dlp_free((void *)(uintptr_t)result->id);
        dlp_free((void *)(uintptr_t)result->what);
        dlp_free((void *)(uintptr_t)result->unit);
        dlp_free((void *)(uintptr_t)result->reference_text);
    }
    reproduce->result_count = 0;
}

void dlp_reproduce_add(dlp_reproduce *reproduce, const dlp_finding *finding)
{
    char id[128];
    snprintf(id, sizeof id, "%s.%s", reproduce->experiment->id, finding->id);
    dlp_finding named = *finding;
    named.id = id;
    dlp_findings_add(reproduce->findings, &named);
    keep_result(reproduce, &named);
}

void dlp_reproduce_add_all(dlp_reproduce *reproduce, const dlp_finding *findings, int32_t count)
{
    for (int32_t k = 0; k < count; k++) dlp_reproduce_add(reproduce, &findings[k]);
}

void dlp_reproduce_plot(dlp_reproduce *reproduce, const char *title, const char *x_label, const char *y_label,
                        const dlp_series *series, int32_t count)
{
    const dlp_plot plot = {
        .title = title, .x_label = x_label, .y_label = y_label, .series = series, .series_count = count};
    dlp_report_plot(reproduce->report, &plot);
}

dlp_status dlp_reproduce_skip(dlp_reproduce *reproduce, const char *why)
{
    fflush(stdout);
    fprintf(stderr, "%s: skipped: %s\n", reproduce->experiment->id, why);
    char text[640];
    snprintf(text, sizeof text, "Skipped: %s.", why);
    dlp_report_paragraph(reproduce->report, text);
    reproduce->skipped_count++;
    return DLP_OK;
}

bool dlp_reproduce_reference(dlp_reproduce *reproduce, const char *file, char *out_path, size_t size)
{
    char why[512];
    if (reproduce->references == NULL) {
        snprintf(why, sizeof why, "it compares with %s; name its folder with --references", file);
        dlp_reproduce_skip(reproduce, why);
        return false;
    }
    snprintf(out_path, size, "%s/%s", reproduce->references, file);
    if (dlp_file_exists(out_path)) return true;
    snprintf(why, sizeof why, "there is no %s", out_path);
    dlp_reproduce_skip(reproduce, why);
    return false;
}
