/* dollop check: is the scene right, what does every parameter resolve to, and what will a run cost? */
#include "common.h"
#include "estimate.h"
#include "findings.h"
#include "phase.h"
#include "stop.h"

#include "base/status.h"
#include "matter/solid_substeps.h"
#include "motion/sph/sph.h"
#include "scene/scene.h"
#include "skin/surface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check_settings {
    dlp_words set;
    int32_t threads;
    bool all, json;
} check_settings;

/* What is printed, and what the world adds to it. All pointers are borrowed. */
typedef struct parameter_list {
    dlp_findings *findings;
    const dlp_scene_def *scene;
    const double *stiffness; /* NULL where the world could not be made */
    bool shows_all;
} parameter_list;

static bool is_key(const char *path, const dlp_substance_def *substance, const char *key)
{
    char whole[128];
    snprintf(whole, sizeof whole, "substances.%s.%s", substance->name, key);
    return strcmp(path, whole) == 0;
}

/* m2/s2: the scene's, or what the world derives; 0 where neither is known. */
static double used_stiffness(const parameter_list *list, int32_t k)
{
    const double given = list->scene->substances[k].stiffness;
    return given > 0 ? given : list->stiffness != NULL ? list->stiffness[k] : 0;
}

/* The value that the world chooses for a parameter that the scene leaves at 0, or below; `text` stays empty
 * where it is none of those. */
static void write_choice(const parameter_list *list, int32_t k, const char *path, char text[32])
{
    const dlp_substance_def *substance = &list->scene->substances[k];
    const double rate = list->scene->frame_rate;
    const double stiffness = used_stiffness(list, k);
    if (is_key(path, substance, "stiffness"))
        snprintf(text, 32, "%.6g", stiffness);
    else if (is_key(path, substance, "sound_speed"))
        snprintf(text, 32, "%.6g", sqrt(stiffness));
    else if (is_key(path, substance, "artificial_viscosity.alpha") && stiffness > 0)
        snprintf(text, 32, "%.6g", dlp_substance_alpha(substance, list->scene->dimension, stiffness));
    else if (is_key(path, substance, "solid.substeps"))
        snprintf(text, 32, "%d", dlp_solid_substep_count(substance, rate, 1 / rate));
    else if (is_key(path, substance, "solid.iterations"))
        snprintf(text, 32, "%d", dlp_solid_iteration_count(&substance->solid));
    else if (is_key(path, substance, "solid.support"))
        snprintf(text, 32, "%.6g", dlp_solid_support(substance));
    else if (is_key(path, substance, "solid.hourglass"))
        snprintf(text, 32, "%.6g", dlp_solid_hourglass(substance));
}

/* The edge of the cube (2-D: square) of a particle's rest volume, m: the finest of all that get a surface. */
static double finest_spacing(const dlp_scene_def *scene)
{
    double finest = HUGE_VAL;
    for (int32_t k = 0; k < scene->substance_count; k++) {
        const double radius = scene->substances[k].particle_radius;
        if (scene->substances[k].model == DLP_MODEL_CLOTH) continue;
        finest = fmin(finest, scene->dimension == 2 ? sqrt(DLP_PI) * radius : cbrt(4 * DLP_PI / 3) * radius);
    }
    return finest;
}

static void write_surface_choice(const dlp_scene_def *scene, const char *path, char text[32])
{
    const double finest = finest_spacing(scene);
    if (strcmp(path, "surface.cell") == 0 && isfinite(finest)) snprintf(text, 32, "%.6g", finest / 2);
    if (strcmp(path, "surface.iso") == 0) snprintf(text, 32, "%.6g", DLP_SURFACE_VOLUME_ISO);
}

static dlp_parameter_info fill_in(const parameter_list *list, const dlp_parameter_info *parameter,
                                  char text[32])
{
    dlp_parameter_info filled = *parameter;
    if (strcmp(filled.origin, "set") == 0) filled.origin = "--set"; /* there is no other way here */
    text[0] = 0;
    const bool is_chosen = strcmp(parameter->value, "0") == 0 || strcmp(parameter->value, "-1") == 0;
    if (is_chosen) write_surface_choice(list->scene, parameter->path, text);
    for (int32_t k = 0; k < list->scene->substance_count && is_chosen; k++)
        write_choice(list, k, parameter->path, text);
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

/* "[x, y]" with its words in quotes. */
static void quote_words(const char *list, char *out_text, size_t size)
{
    size_t length = 0;
    for (; *list != 0 && length + 4 < size; list++) {
        const bool is_word = strchr("xyz", *list) != NULL;
        if (is_word) out_text[length++] = '"';
        out_text[length++] = *list;
        if (is_word) out_text[length++] = '"';
    }
    out_text[length] = 0;
}

/* Lists and truth values read as JSON as they stand; numbers that change with time or temperature, and words,
 * are texts. */
static void print_json(dlp_findings *findings, const dlp_parameter_info *parameter)
{
    char axes[32];
    const bool is_plain = !parameter->has_keys && !parameter->has_curve;
    dlp_finding finding = dlp_finding_text(parameter->path, parameter->help,
                                           parameter->text != NULL ? parameter->text : parameter->value);
    switch (is_plain ? parameter->type : DLP_PARAMETER_TEXT) {
    case DLP_PARAMETER_NUMBER:
    case DLP_PARAMETER_INTEGER:
        finding.value = strtod(parameter->value, NULL);
        finding.text = NULL;
        break;
    case DLP_PARAMETER_AXES:
        quote_words(parameter->value, axes, sizeof axes);
        finding.json = axes;
        break;
    case DLP_PARAMETER_BOOLEAN:
    case DLP_PARAMETER_VECTOR:
    case DLP_PARAMETER_INTEGERS:
    case DLP_PARAMETER_NUMBERS:
    case DLP_PARAMETER_LIST:
        finding.json = parameter->value;
        break;
    default:
        break;
    }
    finding.unit = parameter->unit;
    finding.origin = parameter->origin;
    dlp_findings_add(findings, &finding);
}

/* What the scene or --set says, as opposed to a default, a material or what follows from others; the radius
 * follows from the spacing alone. */
static bool is_changed(const dlp_parameter_info *parameter)
{
    const bool is_derived = strcmp(parameter->origin, "derived") == 0;
    if (is_derived && strstr(parameter->path, ".particle.radius") != NULL) return true;
    return strcmp(parameter->origin, "--set") == 0 || strchr(parameter->origin, ':') != NULL;
}

/* People see what the scene changes, or all; scripts see all. */
static void print_parameters(dlp_scene *scene, const parameter_list *list)
{
    int32_t count = 0, hidden_count = 0;
    dlp_scene_parameter_count(scene, &count, NULL);
    for (int32_t k = 0; k < count; k++) {
        char text[32];
        dlp_parameter_info parameter = {.size = sizeof parameter};
        if (dlp_scene_parameter(scene, k, &parameter, NULL) != DLP_OK) return;
        const dlp_parameter_info filled = fill_in(list, &parameter, text);
        if (list->findings->is_json)
            print_json(list->findings, &filled);
        else if (list->shows_all || is_changed(&filled) || filled.value == text)
            print_line(&filled);
        else
            hidden_count++;
    }
    if (hidden_count > 0) printf("%d more are not changed by the scene; --all shows them\n", hidden_count);
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
        dlp_finding_number("estimate.processor_time", "of the run, of all threads together",
                           estimate->processor_seconds, "s"),
        dlp_finding_number("estimate.disk", "frames and checkpoint", estimate->disk, "bytes"),
        dlp_finding_number("estimate.trial.particles", "in the finest copy that was tried",
                           estimate->trial_particles, ""),
        dlp_finding_number("estimate.trial.share", "of the film that it saw", estimate->trial_share, ""),
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) dlp_findings_add(findings, &all[k]);
    for (int32_t k = 0; k < estimate->doubt_count; k++) {
        const dlp_finding doubt =
            dlp_finding_text("estimate.doubt", "why it may be wrong", estimate->doubts[k]);
        dlp_findings_add(findings, &doubt);
    }
}

/* What was counted, what was measured, and what follows from that by a law. */
static void print_method(const dlp_estimate *estimate)
{
    char tried[32];
    dlp_readable_count(estimate->trial_particles, tried, sizeof tried);
    printf("\nEstimates: particles are counted from volumes");
    if (!estimate->has_time)
        printf("\n");
    else if (estimate->trial_particles >= estimate->particles_later)
        printf(", the rest is measured: %.0f %% of the film was simulated\n", 100 * estimate->trial_share);
    else
        printf(
            ";\n%.0f %% of the film was simulated with %s larger particles, the rest is reckoned from that\n",
            100 * estimate->trial_share, tried);
}

static void print_time(const dlp_estimate *estimate)
{
    char text[64], processor[64];
    dlp_readable_seconds(estimate->seconds, text, sizeof text);
    dlp_readable_seconds(estimate->processor_seconds, processor, sizeof processor);
    printf("  time             about %s, where the machine has nothing else to do; %s of processor time\n",
           text, processor);
}

static void print_estimate_text(const dlp_estimate *estimate)
{
    char text[64], later[64];
    print_method(estimate);
    dlp_readable_count(estimate->particles, text, sizeof text);
    dlp_readable_count(estimate->particles_later, later, sizeof later);
    printf("  particles        %s", text);
    if (estimate->particles_later > estimate->particles)
        printf(" at the start, up to %s with emitters", later);
    printf("\n");
    if (estimate->has_time) {
        dlp_readable_bytes(estimate->memory, text, sizeof text);
        printf("  memory           about %s\n", text);
        printf("  steps per frame  about %.0f\n", ceil(estimate->steps_a_frame));
        print_time(estimate);
        dlp_readable_bytes(estimate->disk, text, sizeof text);
        printf("  disk             about %s\n", text);
    }
    for (int32_t k = 0; k < estimate->doubt_count; k++) printf("  doubtful: %s\n", estimate->doubts[k]);
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

/* A fixed step beside what each substance's smoothed particles can take. */
static void compare_step(dlp_findings *findings, const parameter_list *list)
{
    const dlp_scene_def *scene = list->scene;
    for (int32_t k = 0; k < scene->substance_count && scene->step > 0; k++) {
        const dlp_substance_def *substance = &scene->substances[k];
        if (substance->model != DLP_MODEL_SPH || list->stiffness == NULL) continue;
        const double stable =
            dlp_substance_stable_step(substance, scene->dimension, used_stiffness(list, k), scene->courant);
        char id[128];
        snprintf(id, sizeof id, "time.step.%s", substance->name);
        dlp_finding finding =
            dlp_finding_limited(id, "the fixed step beside the stable one at rest", scene->step, "s", stable);
        if (findings->is_json)
            dlp_findings_add(findings, &finding);
        else
            printf("\n%s: time.step is %.3g s, the stable step at rest is %.2g s%s\n", substance->name,
                   scene->step, stable, scene->step > stable ? ": IT IS TOO LONG" : "");
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
    parameter_list list = {.findings = findings, .shows_all = arguments->all};
    DLP_TRY(dlp_check_opened_scene(scene, &arguments->set, error));
    DLP_TRY(dlp_scene_resolve(scene, &list.scene, error));
    dlp_estimate estimate;
    dlp_phase_begin(arguments->json ? NULL : "trying the scene", DLP_PHASE_LEAVES);
    const dlp_status status = dlp_estimate_scene(scene, arguments->threads, &estimate, error);
    dlp_phase_end();
    list.stiffness = estimate.stiffness;
    print_parameters(scene, &list);
    compare_step(findings, &list);
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
    dlp_stop_listen();
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
     .help = "threads that the run will have; all processors by default",
     .min = 1,
     .max = DLP_MAX_THREADS},
    {.name = "all",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(check_settings, all),
     .help = "print all parameters, not only those that the scene changes"},
    {.name = "json",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(check_settings, json),
     .help = "a JSON list of {id, what, value, unit, reference, holds, origin}"},
    {0},
};

const dlp_verb dlp_verb_check = {
    .name = "check",
    .usage = "SCENE [--set PATH=VALUE]... [--threads N] [--all] [--json]",
    .summary = "validate a scene; print its parameters and what a run will cost",
    .details =
        "Validates SCENE (a path, a bundled name, or - for standard input) and reports all its mistakes\n"
        "at once. Prints the parameters that the scene changes, or with --all every one, with its unit\n"
        "and where it came from. Particles are counted from volumes, nothing is filled; then copies with\n"
        "larger particles are simulated for about two seconds, without recording, from which memory, steps\n"
        "per frame, time and disk space of a run are reckoned. It says where that is doubtful.",
    .options = options,
    .settings_size = sizeof(check_settings),
    .min_words = 1,
    .max_words = 1,
    .run = check_scene,
};
