/* dollop check: is the scene right, what does every parameter resolve to, and what will a run cost? */
#include "common.h"
#include "estimate.h"
#include "findings.h"

#include "base/status.h"
#include "matter/solid_substeps.h"
#include "motion/sph/sph.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check_settings {
    dlp_words set;
    int32_t threads;
    bool json;
} check_settings;

/* What is printed, and what the world adds to it. All pointers are borrowed. */
typedef struct parameter_list {
    dlp_findings *findings;
    const dlp_scene_def *scene;
    const double *stiffness; /* NULL where the world could not be made */
} parameter_list;

static bool is_key(const char *path, const dlp_substance_def *substance, const char *key)
{
    char whole[128];
    snprintf(whole, sizeof whole, "substances.%s.%s", substance->name, key);
    return strcmp(path, whole) == 0;
}

/* The value that the world chooses for a parameter that the scene leaves at 0; `text` stays empty where it
 * is none of those. */
static void write_choice(const parameter_list *list, int32_t k, const char *path, char text[32])
{
    const dlp_substance_def *substance = &list->scene->substances[k];
    const double rate = list->scene->frame_rate;
    if (is_key(path, substance, "stiffness") && list->stiffness != NULL)
        snprintf(text, 32, "%.6g", list->stiffness[k]);
    else if (is_key(path, substance, "stiffness"))
        snprintf(text, 32, "0");
    else if (is_key(path, substance, "artificial_viscosity.alpha") && list->stiffness != NULL)
        snprintf(text, 32, "%.6g",
                 dlp_substance_alpha(substance, list->scene->dimension,
                                     substance->stiffness > 0 ? substance->stiffness : list->stiffness[k]));
    else if (is_key(path, substance, "solid.substeps"))
        snprintf(text, 32, "%d", dlp_solid_substep_count(substance, rate, 1 / rate));
    else if (is_key(path, substance, "solid.iterations"))
        snprintf(text, 32, "%d", dlp_solid_iteration_count(&substance->solid));
}

static dlp_parameter_info fill_in(const parameter_list *list, const dlp_parameter_info *parameter,
                                  char text[32])
{
    dlp_parameter_info filled = *parameter;
    if (strcmp(filled.origin, "set") == 0) filled.origin = "--set"; /* there is no other way here */
    text[0] = 0;
    const bool is_open = strcmp(parameter->value, "0") == 0 || strcmp(parameter->value, "-1") == 0;
    for (int32_t k = 0; k < list->scene->substance_count && is_open; k++) {
        write_choice(list, k, parameter->path, text);
    }
    if (text[0] == 0) return filled;
    filled.value = text;
    filled.origin = strcmp(text, "0") == 0 && list->stiffness == NULL ? "derived at the start" : "derived";
    return filled;
}

/* The value and its unit fill 30 columns at least; a longer one is printed whole. */
static void print_line(const dlp_parameter_info *parameter)
{
    const char *const space = parameter->unit[0] != 0 ? " " : "";
    const size_t length = strlen(parameter->value) + strlen(space) + strlen(parameter->unit);
    const int padding = length < 30 ? (int)(30 - length) : 0;
    printf("%-44s %s%s%s%*s %s\n", parameter->path, parameter->value, space, parameter->unit, padding, "",
           parameter->origin);
}

static void print_parameter(dlp_findings *findings, const dlp_parameter_info *parameter)
{
    if (!findings->is_json) {
        print_line(parameter);
        return;
    }
    dlp_finding finding = dlp_finding_text(parameter->path, parameter->help, parameter->value);
    char *end = NULL;
    finding.value = strtod(parameter->value, &end);
    if (end != parameter->value && *end == 0 && isfinite(finding.value)) finding.text = NULL;
    finding.unit = parameter->unit;
    finding.origin = parameter->origin;
    dlp_findings_add(findings, &finding);
}

static void print_parameters(dlp_scene *scene, const parameter_list *list)
{
    int32_t count = 0;
    dlp_scene_parameter_count(scene, &count, NULL);
    for (int32_t k = 0; k < count; k++) {
        char text[32];
        dlp_parameter_info parameter = {.size = sizeof parameter};
        if (dlp_scene_parameter(scene, k, &parameter, NULL) != DLP_OK) return;
        const dlp_parameter_info filled = fill_in(list, &parameter, text);
        print_parameter(list->findings, &filled);
    }
}

static void print_estimate_json(dlp_findings *findings, const dlp_estimate *estimate)
{
    const dlp_finding all[] = {
        dlp_finding_number("estimate.particles", "at the start", estimate->particles, ""),
        dlp_finding_number("estimate.particles_later", "with everything that emitters add",
                           estimate->particles_later, ""),
        dlp_finding_number("estimate.memory", "of the run", estimate->memory, "bytes"),
        dlp_finding_number("estimate.steps", "smallest steps per frame", estimate->steps_a_frame, "1/frame"),
        dlp_finding_number("estimate.time", "of the run on this machine", estimate->seconds, "s"),
        dlp_finding_number("estimate.disk", "frames and checkpoint", estimate->disk, "bytes"),
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) dlp_findings_add(findings, &all[k]);
}

static void print_estimate_text(const dlp_estimate *estimate)
{
    char text[64], later[64];
    dlp_readable_count(estimate->particles, text, sizeof text);
    printf("\nEstimates, from a short trial on this machine:\n  particles        %s", text);
    dlp_readable_count(estimate->particles_later, later, sizeof later);
    if (estimate->particles_later > estimate->particles)
        printf(" at the start, up to %s with emitters", later);
    dlp_readable_bytes(estimate->memory, text, sizeof text);
    printf("\n  memory           %s\n", text);
    printf("  steps per frame  about %.0f\n", ceil(estimate->steps_a_frame));
    dlp_readable_seconds(estimate->seconds, text, sizeof text);
    printf("  time             about %s\n", text);
    dlp_readable_bytes(estimate->disk, text, sizeof text);
    printf("  disk             about %s\n", text);
}

/* Every mistake of the scene is one finding that does not hold. */
static void print_mistakes_json(dlp_findings *findings, const dlp_error *error)
{
    for (const char *line = error->message; *line != 0;) {
        char text[1024];
        const size_t length = strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        dlp_finding finding = dlp_finding_text("mistake", text, NULL);
        finding.value = (double)NAN;
        finding.holds = DLP_HOLDS_NO;
        dlp_findings_add(findings, &finding);
        line += length + (line[length] == '\n');
    }
}

static void print_estimate(dlp_findings *findings, const dlp_estimate *estimate)
{
    if (findings->is_json)
        print_estimate_json(findings, estimate);
    else
        print_estimate_text(estimate);
}

/* Parameters are printed also where no world can be made of them: they may show why. */
static dlp_status check_opened(dlp_scene *scene, const check_settings *arguments, dlp_findings *findings,
                               dlp_error *error)
{
    parameter_list list = {.findings = findings};
    DLP_TRY(dlp_check_opened_scene(scene, &arguments->set, error));
    DLP_TRY(dlp_scene_resolve(scene, &list.scene, error));
    dlp_estimate estimate;
    const dlp_status status = dlp_estimate_scene(scene, arguments->threads, &estimate, error);
    list.stiffness = estimate.stiffness;
    print_parameters(scene, &list);
    if (status == DLP_OK) print_estimate(findings, &estimate);
    dlp_estimate_release(&estimate);
    return status;
}

static int check_scene(const void *settings, const dlp_words *words)
{
    const check_settings *arguments = settings;
    static dlp_error error;
    dlp_scene *scene = NULL;
    dlp_findings findings = {.is_json = arguments->json};
    dlp_findings_begin(&findings);
    dlp_status status = dlp_open_scene(words->items[0], &arguments->set, &scene, &error);
    if (status == DLP_OK) status = check_opened(scene, arguments, &findings, &error);
    dlp_scene_destroy(scene);
    if (status != DLP_OK && arguments->json) print_mistakes_json(&findings, &error);
    dlp_findings_end(&findings);
    return status != DLP_OK ? dlp_report_error(&error) : DLP_EXIT_DONE;
}

static const dlp_option options[] = {
    {.name = "set",
     .kind = DLP_OPTION_LIST,
     .offset = offsetof(check_settings, set),
     .value = "PATH=VALUE",
     .help = "change a parameter; may be repeated"},
    {.name = "threads",
     .kind = DLP_OPTION_INTEGER,
     .offset = offsetof(check_settings, threads),
     .value = "N",
     .help = "threads of the trial; all processors by default",
     .min = 1,
     .max = DLP_MAX_THREADS},
    {.name = "json",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(check_settings, json),
     .help = "a JSON list of {id, what, value, unit, reference, holds, origin}"},
    {0},
};

const dlp_verb dlp_verb_check = {
    .name = "check",
    .usage = "SCENE [--set PATH=VALUE]... [--threads N] [--json]",
    .summary = "validate a scene; print every parameter and what a run will cost",
    .details =
        "Validates SCENE (a path, a bundled name, or - for standard input) and reports all its mistakes at\n"
        "once. Prints every resolved parameter with its unit and where it came from. Then simulates for "
        "about\n"
        "a second, without recording, to estimate particles, memory, steps per frame, time and disk space "
        "of\n"
        "a run.",
    .options = options,
    .settings_size = sizeof(check_settings),
    .min_words = 1,
    .max_words = 1,
    .run = check_scene,
};
