/* dollop compare: one scene several ways, side by side. */
#include "common.h"
#include "compare.h"
#include "stop.h"

#include "base/memory.h"
#include "base/status.h"
#include "record/file_io.h"
#include "scene/scene.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct compare_settings {
    const char *output;
    dlp_words vary, set;
    int32_t frames, threads;
    bool json;
} compare_settings;

/* The scene with the values of a variant; `given` is the scene as it was opened. */
static dlp_status make_scene(const dlp_scene *given, const dlp_vary *vary, int32_t variant,
                             dlp_scene **out_scene, dlp_error *error)
{
    dlp_scene *scene;
    DLP_TRY(dlp_scene_clone(given, &scene, error));
    dlp_status status = DLP_OK;
    for (int32_t k = 0; k < vary->list_count && status == DLP_OK; k++)
        status =
            dlp_set_parameter(scene, "--vary", vary->lists[k].path, dlp_vary_value(vary, variant, k), error);
    if (status == DLP_OK) status = dlp_check_changed_scene(scene, "--vary", error);
    if (status != DLP_OK) {
        dlp_scene_destroy(scene);
        return status;
    }
    *out_scene = scene;
    return DLP_OK;
}

static dlp_status open_scene(const char *name, const compare_settings *arguments, dlp_scene **out_scene,
                             dlp_error *error)
{
    dlp_scene *scene;
    DLP_TRY(dlp_open_scene(name, &arguments->set, &scene, error));
    dlp_status status = DLP_OK;
    const double count = arguments->frames;
    if (count >= 0) status = dlp_scene_set_numbers(scene, "frames.count", &count, 1, error);
    if (status == DLP_OK) status = dlp_check_opened_scene(scene, &arguments->set, error);
    if (status != DLP_OK) {
        dlp_scene_destroy(scene);
        return status;
    }
    *out_scene = scene;
    return DLP_OK;
}

/* A folder that is not there is empty. */
static dlp_status check_folder(const char *folder, dlp_error *error)
{
    DIR *entries = opendir(folder);
    if (entries == NULL) return errno == ENOENT ? DLP_OK : dlp_fail_errno(error, folder, errno);
    bool is_empty = true;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        is_empty = is_empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    closedir(entries);
    if (is_empty) return DLP_OK;
    return dlp_fail(error, DLP_INVALID, "dollop compare: %s is not empty; name another folder with -o",
                    folder);
}

/* Names, and every mistake of any variant, before the first one runs. */
static dlp_status prepare(dlp_comparison *comparison, const dlp_scene *given, dlp_error *error)
{
    comparison->variants =
        dlp_alloc((size_t)comparison->vary.variant_count, sizeof *comparison->variants, "compare");
    if (comparison->variants == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "compare: not enough memory");
    for (int32_t v = 0; v < comparison->vary.variant_count; v++) {
        dlp_variant *variant = &comparison->variants[v];
        dlp_vary_label(&comparison->vary, v, variant->label);
        dlp_vary_name(&comparison->vary, v, variant->name);
        const int length =
            snprintf(variant->folder, sizeof variant->folder, "%s/%s", comparison->folder, variant->name);
        if (length >= (int)sizeof variant->folder)
            return dlp_fail(error, DLP_INVALID, "dollop compare: %s: the name is too long", variant->folder);
        dlp_scene *scene;
        DLP_TRY(make_scene(given, &comparison->vary, v, &scene, error));
        const dlp_scene_def *def;
        const dlp_status status = dlp_scene_resolve(scene, &def, error);
        if (status == DLP_OK && def->dimension > comparison->dimension)
            comparison->dimension = def->dimension;
        dlp_scene_destroy(scene);
        DLP_TRY(status);
    }
    return dlp_folder_create(comparison->folder, error);
}

static void say_result(const dlp_comparison *comparison, int32_t v, bool is_silent)
{
    const dlp_variant *variant = &comparison->variants[v];
    fflush(stdout);
    if (variant->status != DLP_OK) {
        fprintf(stderr, "dollop: %s: %s\n", variant->label, variant->message);
    } else if (!is_silent) {
        char time[32];
        dlp_readable_seconds(variant->frames[variant->frame_count - 1].wall, time, sizeof time);
        printf("%d/%d  %s: frame %d, motion in %s\n", v + 1, comparison->vary.variant_count, variant->label,
               variant->frame_count - 1, time);
        fflush(stdout);
    }
}

/* The exit status of all together: what weighs more wins, and a variant that failed otherwise stands for
 * itself. */
static int combine(int exit_status, int another)
{
    static const int by_weight[] = {DLP_EXIT_INTERRUPTED, DLP_EXIT_IO, DLP_EXIT_DIVERGED, DLP_EXIT_FAILED,
                                    DLP_EXIT_USAGE};
    for (size_t k = 0; k < sizeof by_weight / sizeof by_weight[0]; k++) {
        if (exit_status == by_weight[k] || another == by_weight[k]) return by_weight[k];
    }
    return DLP_EXIT_DONE;
}

/* A variant that fails is shown as far as it came; the others go on. Ctrl-C ends all of them. */
static int run_variants(dlp_comparison *comparison, const dlp_scene *given, const compare_settings *arguments)
{
    static dlp_error error;
    int exit_status = DLP_EXIT_DONE;
    for (int32_t v = 0; v < comparison->vary.variant_count; v++) {
        dlp_variant *variant = &comparison->variants[v];
        dlp_variant_run run = {.thread_count = arguments->threads,
                               .is_silent = arguments->json,
                               .may_leave = comparison->shown_count == 0};
        dlp_status status = make_scene(given, &comparison->vary, v, &run.scene, &error);
        if (status != DLP_OK) return dlp_report_error(&error);
        status = dlp_variant_compute(variant, &run);
        dlp_scene_destroy(run.scene);
        say_result(comparison, v, arguments->json);
        exit_status = combine(exit_status, dlp_exit_status(status));
        if (status == DLP_INTERRUPTED) {
            if (variant->is_started && dlp_has_feature(DLP_FEATURE_CHECKPOINTS))
                fprintf(stderr, "continue it with: dollop run %s/scene.yaml -o %s --resume\n",
                        variant->folder, variant->folder);
            return exit_status;
        }
        comparison->shown_count = v + 1;
    }
    return exit_status;
}

static dlp_status print_json(const dlp_comparison *comparison, const dlp_quantities *quantities,
                             dlp_error *error)
{
    dlp_string json = {0};
    const dlp_status status = dlp_compare_json(comparison, quantities, &json, error);
    if (status == DLP_OK) fputs(json.data, stdout);
    dlp_string_release(&json);
    return status;
}

static dlp_status print_tables(const dlp_comparison *comparison, const dlp_quantities *quantities,
                               dlp_error *error)
{
    static const dlp_quantity_table tables[] = {DLP_QUANTITY_COST, DLP_QUANTITY_RESULT};
    for (int k = 0; k < 2; k++) {
        dlp_text_table table;
        DLP_TRY(dlp_compare_table(comparison, quantities, tables[k], &table, error));
        putchar('\n');
        dlp_text_table_print(&table);
        dlp_text_table_release(&table);
    }
    printf("\n%s: report.html, compare.csv, compare.json, frames.csv, and a folder per variant\n",
           comparison->folder);
    return DLP_OK;
}

/* Files first, so that a script that reads the list finds them. */
static dlp_status show(dlp_comparison *comparison, bool is_json, dlp_error *error)
{
    if (comparison->shown_count == 0 && is_json) printf("[]\n");
    if (comparison->shown_count == 0) return DLP_OK;
    dlp_quantities *quantities = dlp_alloc(1, sizeof *quantities, "compare");
    if (quantities == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "compare: not enough memory");
    dlp_compare_measure(comparison, quantities);
    dlp_status status = dlp_compare_write_tables(comparison, quantities, error);
    if (status == DLP_OK) status = dlp_compare_write_report(comparison, quantities, error);
    const dlp_status written = status;
    dlp_error unused;
    status =
        is_json ? print_json(comparison, quantities, &unused) : print_tables(comparison, quantities, &unused);
    dlp_free(quantities);
    return written != DLP_OK ? written : status;
}

static void release(dlp_comparison *comparison)
{
    for (int32_t v = 0; comparison->variants != NULL && v < comparison->vary.variant_count; v++) {
        dlp_free(comparison->variants[v].frames);
        dlp_csv_data_release(&comparison->variants[v].stats);
    }
    dlp_free(comparison->variants);
    dlp_vary_release(&comparison->vary);
}

static dlp_status open_comparison(dlp_comparison *comparison, const char *name,
                                  const compare_settings *arguments, dlp_scene **out_scene, dlp_error *error)
{
    static char folder[4096];
    if (arguments->vary.count == 0)
        return dlp_fail(error, DLP_INVALID,
                        "dollop compare: what is to be varied? --vary substances.honey.viscosity=1,10");
    DLP_TRY(dlp_vary_read(&arguments->vary, &comparison->vary, error));
    DLP_TRY(open_scene(name, arguments, out_scene, error));
    snprintf(folder, sizeof folder, "out/%s-compare", dlp_scene_name(*out_scene));
    comparison->folder = arguments->output != NULL ? arguments->output : folder;
    snprintf(comparison->title, sizeof comparison->title, "Dollop: %s, %d ways", dlp_scene_name(*out_scene),
             comparison->vary.variant_count);
    DLP_TRY(check_folder(comparison->folder, error));
    return prepare(comparison, *out_scene, error);
}

static int compare_variants(const void *settings, const dlp_words *words)
{
    const compare_settings *arguments = settings;
    static dlp_error error;
    dlp_comparison comparison = {0};
    dlp_scene *scene = NULL;
    dlp_stop_listen();
    int exit_status = DLP_EXIT_DONE;
    if (open_comparison(&comparison, words->items[0], arguments, &scene, &error) != DLP_OK) {
        exit_status = dlp_report_error(&error);
    } else {
        exit_status = run_variants(&comparison, scene, arguments);
        if (show(&comparison, arguments->json, &error) != DLP_OK)
            exit_status = combine(exit_status, dlp_report_error(&error));
    }
    release(&comparison);
    dlp_scene_destroy(scene);
    return exit_status;
}

static const dlp_option options[] = {
    {.name = "vary",
     .kind = DLP_OPTION_LIST,
     .offset = offsetof(compare_settings, vary),
     .value = "PATH=A,B,...",
     .help = "values of a parameter; may be repeated, for all combinations"},
    {.name = "output",
     .letter = 'o',
     .kind = DLP_OPTION_TEXT,
     .offset = offsetof(compare_settings, output),
     .value = "DIR",
     .help = "an empty or new folder; out/SCENE-compare by default"},
    {.name = "frames",
     .kind = DLP_OPTION_INTEGER,
     .offset = offsetof(compare_settings, frames),
     .value = "N",
     .help = "how many frames, instead of what the scene says",
     .min = 0,
     .max = 10000000,
     .otherwise = -1},
    {.name = "threads",
     .kind = DLP_OPTION_INTEGER,
     .offset = offsetof(compare_settings, threads),
     .value = "N",
     .help = "all processors by default",
     .min = 1,
     .max = DLP_MAX_THREADS},
    {.name = "set",
     .kind = DLP_OPTION_LIST,
     .offset = offsetof(compare_settings, set),
     .value = "PATH=VALUE",
     .help = "change a parameter of all variants; may be repeated"},
    {.name = "json",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(compare_settings, json),
     .help = "a JSON list of {id, what, value, unit, reference, holds} at the end"},
    {0},
};

const dlp_verb dlp_verb_compare = {
    .name = "compare",
    .usage = "SCENE --vary PATH=A,B,... [--vary ...] [-o DIR] [--frames N] [--threads N]\n"
             "                      [--set PATH=VALUE]... [--json]",
    .summary = "run a scene several ways; show cost, error, energy and front",
    .details =
        "Runs SCENE (a path, a bundled name, or - for standard input) once for every combination of the\n"
        "values of all --vary (at most 64), and shows the variants side by side: as tables, as report.html\n"
        "with plots and pictures, as compare.csv, compare.json and, frame by frame, frames.csv. Every\n"
        "variant is a run of its own in DIR/NAME, to be drawn, meshed or continued. Commas inside of\n"
        "brackets belong to a value: --vary 'gravity=[0,0,-9.81],[0,0,-1.62]'. Ctrl-C ends after the\n"
        "current step and shows the variants that are complete. Exit status 3: a variant diverged; the\n"
        "others were completed.",
    .options = options,
    .settings_size = sizeof(compare_settings),
    .min_words = 1,
    .max_words = 1,
    .run = compare_variants,
};
