/* dollop bench: throughput, with the machine's measured limit beside it. */
#include "common.h"

#include "bench/bench_case.h"
#include "scene/scene_text.h"

#include <stdio.h>
#include <string.h>

typedef struct bench_settings {
    int32_t threads;
    bool list, json;
} bench_settings;

static int list_cases(bool is_json)
{
    dlp_findings findings = {.is_json = is_json};
    if (is_json) dlp_findings_begin(&findings);
    for (int32_t k = 0; dlp_bench_cases[k] != NULL; k++) {
        dlp_finding finding =
            dlp_finding_number(dlp_bench_cases[k]->name, dlp_bench_cases[k]->what, (double)NAN, "");
        if (is_json)
            dlp_findings_add(&findings, &finding);
        else
            printf("%-18s %s\n", dlp_bench_cases[k]->name, dlp_bench_cases[k]->what);
    }
    if (is_json) dlp_findings_end(&findings);
    return DLP_EXIT_DONE;
}

static bool is_wanted(const dlp_bench_case *bench_case, const dlp_words *words)
{
    for (int32_t k = 0; k < words->count; k++) {
        if (strcmp(words->items[k], bench_case->name) == 0) return true;
    }
    return words->count == 0;
}

static dlp_status check_name(const char *name, dlp_error *error)
{
    char known[512] = "";
    dlp_suggestion nearest = {.word = name};
    for (int32_t k = 0; dlp_bench_cases[k] != NULL; k++) {
        if (strcmp(dlp_bench_cases[k]->name, name) == 0) return DLP_OK;
        dlp_suggestion_offer(&nearest, dlp_bench_cases[k]->name);
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s", k > 0 ? ", " : "", dlp_bench_cases[k]->name);
    }
    if (nearest.best == NULL)
        return dlp_fail(error, DLP_INVALID, "dollop bench: no bench %s; there are %s", name, known);
    return dlp_fail(error, DLP_INVALID, "dollop bench: no bench %s; did you mean %s?", name, nearest.best);
}

static int run_benches(const void *settings, const dlp_words *words)
{
    const bench_settings *arguments = settings;
    static dlp_error error;
    if (arguments->list) return list_cases(arguments->json);
    for (int32_t k = 0; k < words->count; k++) {
        if (check_name(words->items[k], &error) != DLP_OK) return dlp_report_error(&error);
    }

    dlp_findings findings = {.is_json = arguments->json};
    dlp_bench bench = {.thread_count = arguments->threads, .findings = &findings};
    int exit_status = DLP_EXIT_DONE;
    dlp_findings_begin(&findings);
    for (int32_t k = 0; dlp_bench_cases[k] != NULL; k++) {
        if (!is_wanted(dlp_bench_cases[k], words)) continue;
        bench.name = dlp_bench_cases[k]->name;
        if (dlp_bench_cases[k]->run(&bench, &error) != DLP_OK) exit_status = dlp_report_error(&error);
    }
    dlp_findings_end(&findings);
    return exit_status;
}

static const dlp_option options[] = {
    {.name = "threads",
     .kind = DLP_OPTION_INTEGER,
     .offset = offsetof(bench_settings, threads),
     .value = "N",
     .help = "all processors by default",
     .min = 1,
     .max = DLP_MAX_THREADS},
    {.name = "list",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(bench_settings, list),
     .help = "list the benches and end"},
    {.name = "json",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(bench_settings, json),
     .help = "a JSON list of {id, what, value, unit, reference, holds}"},
    {0},
};

const dlp_verb dlp_verb_bench = {
    .name = "bench",
    .usage = "[NAME...] [--threads N] [--list] [--json]",
    .summary = "measure throughput, and the machine's own limit beside it",
    .details = "Runs the named benches, or all of them. Times vary on shared machines; where the machine's "
               "limit is\n"
               "measured in the same run, the ratio to it is the number that counts.",
    .options = options,
    .settings_size = sizeof(bench_settings),
    .max_words = INT32_MAX,
    .run = run_benches,
};
