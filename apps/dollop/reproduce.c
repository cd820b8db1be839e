/* dollop reproduce: the published experiments, the source's figures beside ours. */
#include "reproduce.h"

#include "common.h"

#include "base/memory.h"
#include "record/file.h"

#include <stdio.h>
#include <string.h>

/* In the order of the report; ended by NULL. */
static const dlp_experiment *const experiments[] = {
    &dlp_experiment_a_fig3,
    &dlp_experiment_a_fig4,
    &dlp_experiment_a_fig6,
    &dlp_experiment_a_fig7,
    &dlp_experiment_a_linear,
    &dlp_experiment_a_steps,
    &dlp_experiment_b_obstacle,
    &dlp_experiment_b_pour,
    &dlp_experiment_b_scale,
    &dlp_experiment_b_million,
    &dlp_experiment_b_terrain,
    &dlp_experiment_b_same,
    &dlp_experiment_b_energy,
    &dlp_experiment_b_converge,
    &dlp_experiment_b_accuracy,
    &dlp_experiment_b_rest,
    &dlp_experiment_b_fig9,
    &dlp_experiment_b_fig10,
    &dlp_experiment_c1,
    &dlp_experiment_c2,
    &dlp_experiment_c3,
    &dlp_experiment_d_phase,
    &dlp_experiment_d_fall,
    &dlp_experiment_d_flow,
    &dlp_experiment_d_cloth,
    &dlp_experiment_d_large,
    &dlp_experiment_d_same,
    &dlp_experiment_e_tori,
    &dlp_experiment_e_bunny,
    &dlp_experiment_e_cow,
    &dlp_experiment_e_crush,
    &dlp_experiment_e_towel,
    &dlp_experiment_e_metal,
    &dlp_experiment_e_sausages,
    &dlp_experiment_e_params,
    &dlp_experiment_e_steps,
    &dlp_experiment_e_rotation,
    &dlp_experiment_e_stress,
    &dlp_experiment_e_kernel,
    &dlp_experiment_e_cantilever,
    &dlp_experiment_e_fig13,
    &dlp_experiment_s_cost,
    &dlp_experiment_s_pop,
    &dlp_experiment_s_lag,
    &dlp_experiment_s_volume,
    &dlp_experiment_s_mesh,
    &dlp_experiment_s_area,
    &dlp_experiment_f4,
    &dlp_experiment_f5,
    &dlp_experiment_f6,
    &dlp_experiment_f7,
    &dlp_experiment_f10,
    &dlp_experiment_f15,
    NULL,
};

typedef struct reproduce_settings {
    const char *references, *output;
    int32_t threads;
    bool full, list, json;
} reproduce_settings;

/* Keeps a finding until its experiment ends; the texts of a row may not live that long. */
static void keep_result(dlp_reproduce *reproduce, const dlp_row *row)
{
    if (dlp_reserve(&reproduce->results, &reproduce->result_capacity, reproduce->result_count + 1,
                    sizeof *reproduce->results, "results", NULL) != DLP_OK) {
        return; /* printed all the same */
    }
    char reference[64] = "";
    if (row->reference_text != NULL) {
        snprintf(reference, sizeof reference, "%s %.6g", row->reference_text, row->reference);
    }
    reproduce->results[reproduce->result_count++] = (dlp_result){
        .id = dlp_copy_text(row->id, "results"),
        .what = dlp_copy_text(row->what, "results"),
        .unit = dlp_copy_text(row->unit != NULL ? row->unit : "", "results"),
        .value = row->value,
        .has_reference = row->has_reference,
        .reference = row->reference,
        .reference_text = reference[0] != 0 ? dlp_copy_text(reference, "results") : NULL,
        .holds = row->holds == DLP_HOLDS_UNSAID ? DLP_VERDICT_NONE
                 : row->holds == DLP_HOLDS_YES  ? DLP_VERDICT_HOLDS
                                                : DLP_VERDICT_FAILS,
    };
}

static void report_results(dlp_reproduce *reproduce)
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

void dlp_reproduce_add(dlp_reproduce *reproduce, const dlp_row *row)
{
    char id[128];
    snprintf(id, sizeof id, "%s.%s", reproduce->experiment->id, row->id);
    dlp_row named = *row;
    named.id = id;
    dlp_rows_add(reproduce->rows, &named);
    keep_result(reproduce, &named);
}

void dlp_reproduce_add_all(dlp_reproduce *reproduce, const dlp_row *rows, int32_t count)
{
    for (int32_t k = 0; k < count; k++) dlp_reproduce_add(reproduce, &rows[k]);
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
        for (int32_t i = 0; experiments[i] != NULL; i++) is_known |= matches(experiments[i], words->items[k]);
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
    dlp_rows rows = {.is_json = is_json};
    if (is_json) dlp_rows_begin(&rows);
    for (int32_t k = 0; experiments[k] != NULL; k++) {
        const dlp_row row = dlp_row_text(experiments[k]->id, experiments[k]->title, experiments[k]->source);
        if (is_json)
            dlp_rows_add(&rows, &row);
        else
            printf("%-12s %s [%s]\n", experiments[k]->id, experiments[k]->title, experiments[k]->source);
    }
    if (is_json) dlp_rows_end(&rows);
    return DLP_EXIT_DONE;
}

/* An experiment that fails is said and reported; the others go on. */
static int run_experiment(dlp_reproduce *reproduce, const dlp_experiment *experiment)
{
    static dlp_error error;
    char text[256];
    reproduce->experiment = experiment;
    snprintf(text, sizeof text, "%s %s", experiment->id, experiment->title);
    dlp_report_section(reproduce->report, text);
    snprintf(text, sizeof text, "Source: %s.", experiment->source);
    dlp_report_paragraph(reproduce->report, text);
    if (!reproduce->rows->is_json)
        printf("%s %s [%s]\n", experiment->id, experiment->title, experiment->source);

    const dlp_status status = experiment->run(reproduce, &error);
    report_results(reproduce);
    if (status == DLP_OK) return DLP_EXIT_DONE;
    dlp_report_paragraph(reproduce->report, error.message);
    return dlp_report_error(&error);
}

static int run_wanted(dlp_reproduce *reproduce, const dlp_words *words)
{
    int exit_status = DLP_EXIT_DONE;
    dlp_rows_begin(reproduce->rows);
    for (int32_t k = 0; experiments[k] != NULL && exit_status != DLP_EXIT_INTERRUPTED; k++) {
        if (!is_wanted(experiments[k], words)) continue;
        const int one = run_experiment(reproduce, experiments[k]);
        if (one != DLP_EXIT_DONE) exit_status = one;
    }
    dlp_rows_end(reproduce->rows);
    if (exit_status == DLP_EXIT_DONE && reproduce->rows->failed_count > 0) exit_status = DLP_EXIT_FAILED;
    return exit_status;
}

static dlp_status write_report(const dlp_reproduce *reproduce, bool is_silent, dlp_error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/report.html", reproduce->output);
    DLP_TRY(dlp_report_write(reproduce->report, path, error));
    if (!is_silent) {
        printf("%d findings, %d do not hold, %d experiments skipped; report in %s\n", reproduce->rows->count,
               reproduce->rows->failed_count, reproduce->skipped_count, path);
    }
    return DLP_OK;
}

static int reproduce_all(const void *settings, const dlp_words *words)
{
    const reproduce_settings *wish = settings;
    static dlp_error error;
    if (wish->list) return list_experiments(wish->json);
    if (check_ids(words, &error) != DLP_OK) return dlp_report_error(&error);

    dlp_rows rows = {.is_json = wish->json};
    dlp_reproduce reproduce = {.references = wish->references,
                               .output = wish->output != NULL ? wish->output : "reproduce",
                               .is_full = wish->full,
                               .thread_count = wish->threads,
                               .rows = &rows};
    if (dlp_folder_create(reproduce.output, &error) != DLP_OK ||
        dlp_report_create("Dollop: published experiments", &reproduce.report, &error) != DLP_OK) {
        return dlp_report_error(&error);
    }
    int exit_status = run_wanted(&reproduce, words);
    if (write_report(&reproduce, wish->json, &error) != DLP_OK) exit_status = dlp_report_error(&error);
    dlp_report_destroy(reproduce.report);
    dlp_free(reproduce.results);
    return exit_status;
}

static const dlp_option options[] = {
    {.name = "full",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(reproduce_settings, full),
     .help = "everything at full length"},
    {.name = "references",
     .kind = DLP_OPTION_TEXT,
     .offset = offsetof(reproduce_settings, references),
     .value = "DIR",
     .help = "where tabulated experiments are"},
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
     .help = "ids only"},
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
        "Runs every experiment whose id starts with one of the IDs, or all, and writes report.html with the\n"
        "source's figures beside ours. Closed forms are computed; tabulated experiments are read from\n"
        "--references, and one without its table is skipped with a message. Exit status 1: a figure does\n"
        "not hold.",
    .options = options,
    .settings_size = sizeof(reproduce_settings),
    .max_words = INT32_MAX,
    .run = reproduce_all,
};
