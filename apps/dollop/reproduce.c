/* dollop reproduce: the published experiments, the source's figures beside ours. */
#include "common.h"

#include "validation/experiment.h"

#include "base/memory.h"
#include "record/file_io.h"

#include <stdio.h>
#include <string.h>

typedef struct reproduce_settings {
    const char *references, *output;
    int32_t threads;
    bool full, list, json;
} reproduce_settings;

static bool matches(const dlp_experiment *experiment, const char *prefix)
{
    return strncmp(experiment->id, prefix, strlen(prefix)) == 0;
}

static bool is_wanted(const dlp_experiment *experiment, const dlp_words *words)
{
    for (int32_t k = 0; k < words->count; k++) {
        if (matches(experiment, words->items[k])) return true;
    }
    return words->count == 0;
}

static dlp_status check_ids(const dlp_words *words, dlp_error *error)
{
    for (int32_t k = 0; k < words->count; k++) {
        bool is_known = false;
        for (int32_t i = 0; dlp_experiments[i] != NULL; i++)
            is_known |= matches(dlp_experiments[i], words->items[k]);
        if (!is_known) {
            return dlp_fail(error, DLP_INVALID,
                            "dollop reproduce: no id starts with %s; see dollop reproduce --list",
                            words->items[k]);
        }
    }
    return DLP_OK;
}

static int list_experiments(bool is_json)
{
    dlp_findings findings = {.is_json = is_json};
    if (is_json) dlp_findings_begin(&findings);
    for (int32_t k = 0; dlp_experiments[k] != NULL; k++) {
        const dlp_finding finding =
            dlp_finding_text(dlp_experiments[k]->id, dlp_experiments[k]->title, dlp_experiments[k]->source);
        if (is_json)
            dlp_findings_add(&findings, &finding);
        else
            printf("%-12s %s [%s]\n", dlp_experiments[k]->id, dlp_experiments[k]->title,
                   dlp_experiments[k]->source);
    }
    if (is_json) dlp_findings_end(&findings);
    return DLP_EXIT_DONE;
}

/* An experiment that fails is reported; the others go on. */
static int run_experiment(dlp_reproduce *reproduce, const dlp_experiment *experiment)
{
    static dlp_error error;
    char text[256];
    reproduce->experiment = experiment;
    snprintf(text, sizeof text, "%s %s", experiment->id, experiment->title);
    dlp_report_section(reproduce->report, text);
    snprintf(text, sizeof text, "Source: %s.", experiment->source);
    dlp_report_paragraph(reproduce->report, text);
    if (!reproduce->findings->is_json)
        printf("%s %s [%s]\n", experiment->id, experiment->title, experiment->source);

    const dlp_status status = experiment->run(reproduce, &error);
    dlp_reproduce_report(reproduce);
    if (status == DLP_OK) return DLP_EXIT_DONE;
    dlp_report_paragraph(reproduce->report, error.message);
    return dlp_report_error(&error);
}

static int run_wanted(dlp_reproduce *reproduce, const dlp_words *words)
{
    int exit_status = DLP_EXIT_DONE;
    dlp_findings_begin(reproduce->findings);
    for (int32_t k = 0; dlp_experiments[k] != NULL && exit_status != DLP_EXIT_INTERRUPTED; k++) {
        if (!is_wanted(dlp_experiments[k], words)) continue;
        const int one = run_experiment(reproduce, dlp_experiments[k]);
        if (one != DLP_EXIT_DONE) exit_status = one;
    }
    dlp_findings_end(reproduce->findings);
    if (exit_status == DLP_EXIT_DONE && reproduce->findings->failed_count > 0) exit_status = DLP_EXIT_FAILED;
    return exit_status;
}

static dlp_status write_report(const dlp_reproduce *reproduce, bool is_silent, dlp_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/report.html", reproduce->output);
    DLP_TRY(dlp_report_write(reproduce->report, path, error));
    if (!is_silent) {
        printf("%d findings, %d do not hold, %d experiments skipped; report in %s\n",
               reproduce->findings->count, reproduce->findings->failed_count, reproduce->skipped_count, path);
    }
    return DLP_OK;
}

static int reproduce_all(const void *settings, const dlp_words *words)
{
    const reproduce_settings *arguments = settings;
    static dlp_error error;
    if (arguments->list) return list_experiments(arguments->json);
    if (check_ids(words, &error) != DLP_OK) return dlp_report_error(&error);

    dlp_findings findings = {.is_json = arguments->json};
    dlp_reproduce reproduce = {.references = arguments->references,
                               .output = arguments->output != NULL ? arguments->output : "reproduce",
                               .is_full = arguments->full,
                               .thread_count = arguments->threads,
                               .findings = &findings};
    if (dlp_folder_create(reproduce.output, &error) != DLP_OK ||
        dlp_report_create("Dollop: published experiments", &reproduce.report, &error) != DLP_OK) {
        return dlp_report_error(&error);
    }
    int exit_status = run_wanted(&reproduce, words);
    if (write_report(&reproduce, arguments->json, &error) != DLP_OK) exit_status = dlp_report_error(&error);
    dlp_report_destroy(reproduce.report);
    dlp_free(reproduce.results);
    return exit_status;
}

static const dlp_option options[] = {
    {.name = "full",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(reproduce_settings, full),
     .help = "full length, resolution and number of cases; may take hours"},
    {.name = "references",
     .kind = DLP_OPTION_TEXT,
     .offset = offsetof(reproduce_settings, references),
     .value = "DIR",
     .help = "folder with the tables of published experiments"},
    {.name = "output",
     .letter = 'o',
     .kind = DLP_OPTION_TEXT,
     .offset = offsetof(reproduce_settings, output),
     .value = "DIR",
     .help = "where report.html goes; reproduce by default"},
    {.name = "threads",
     .kind = DLP_OPTION_INTEGER,
     .offset = offsetof(reproduce_settings, threads),
     .value = "N",
     .help = "all processors by default",
     .min = 1,
     .max = DLP_MAX_THREADS},
    {.name = "list",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(reproduce_settings, list),
     .help = "list the experiments and end"},
    {.name = "json",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(reproduce_settings, json),
     .help = "a JSON list of {id, what, value, unit, reference, holds}"},
    {0},
};

const dlp_verb dlp_verb_reproduce = {
    .name = "reproduce",
    .usage = "[ID...] [--full] [--references DIR] [-o DIR] [--threads N] [--list] [--json]",
    .summary = "run published experiments; write reproduce/report.html",
    .details =
        "Runs every experiment whose id starts with one of the IDs, or all of them, and writes report.html\n"
        "with the source's results beside ours. Closed forms are computed; tables of measurements are read\n"
        "from --references, and an experiment without its table is skipped with a message. Exit status 1: a\n"
        "result is not what it should be.",
    .options = options,
    .settings_size = sizeof(reproduce_settings),
    .max_words = INT32_MAX,
    .run = reproduce_all,
};
