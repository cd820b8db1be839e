/* dollop info: what a scene, frame, mesh, checkpoint or run holds. */
#include "common.h"
#include "info.h"

#include "record/checkpoint.h"
#include "record/vtp.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef struct info_settings {
    bool json;
} info_settings;

static double number_of(dlp_scene *scene, const char *path)
{
    double number = 0;
    int32_t count;
    dlp_scene_get_numbers(scene, path, &number, 1, &count, NULL);
    return number;
}

static void add_substances(dlp_scene *scene, dlp_findings *findings)
{
    int32_t count = 0;
    dlp_scene_item_count(scene, DLP_ITEM_SUBSTANCE, &count, NULL);
    for (int32_t k = 0; k < count; k++) {
        char id[128], path[128], model[32] = "";
        const char *name = "";
        dlp_scene_item_name(scene, DLP_ITEM_SUBSTANCE, k, &name, NULL);
        snprintf(id, sizeof id, "substances.%s", name);
        snprintf(path, sizeof path, "substances.%s.model", name);
        dlp_scene_get_text(scene, path, model, sizeof model, NULL, NULL);
        dlp_findings_add_text(findings, id, "model of the substance", model);
    }
}

static void add_item_counts(dlp_scene *scene, dlp_findings *findings)
{
    static const struct {
        dlp_item_kind kind;
        const char *id;
        bool is_rare; /* not printed where there are none */
    } kinds[] = {{DLP_ITEM_OBSTACLE, "obstacles", false},
                 {DLP_ITEM_EMITTER, "emitters", false},
                 {DLP_ITEM_SINK, "sinks", false},
                 {DLP_ITEM_ATTACHMENT, "attachments", true},
                 {DLP_ITEM_PROBE, "probes", false}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int32_t count = 0;
        dlp_scene_item_count(scene, kinds[k].kind, &count, NULL);
        if (count > 0 || !kinds[k].is_rare)
            dlp_findings_add_number(findings, kinds[k].id, "in the scene", count, "");
    }
}

static dlp_status inform_scene(const char *path, dlp_findings *findings, dlp_error *error)
{
    dlp_scene *scene = NULL;
    DLP_TRY(dlp_open_scene(path, &(dlp_words){0}, &scene, error));
    const dlp_status status = dlp_scene_check(scene, error);
    if (status == DLP_OK) {
        dlp_parameter_info title = {.size = sizeof title};
        const double frames = number_of(scene, "frames.count");
        dlp_scene_find_parameter(scene, "title", &title, NULL);
        dlp_findings_add_text(findings, "kind", "of file", "scene");
        dlp_findings_add_text(findings, "title", "of the scene", title.text != NULL ? title.text : "");
        dlp_findings_add_number(findings, "dimension", "of space", number_of(scene, "dimension"), "");
        dlp_findings_add_number(findings, "frames", "to compute", frames, "");
        dlp_findings_add_number(findings, "length", "of the scene", frames / number_of(scene, "frames.rate"),
                                "s");
        add_substances(scene, findings);
        add_item_counts(scene, findings);
    }
    dlp_scene_destroy(scene);
    return status;
}

static void add_array(dlp_findings *findings, const dlp_vtp_array_info *array)
{
    char id[DLP_VTP_NAME_SIZE + 16], text[128];
    snprintf(id, sizeof id, "arrays.%s", array->name);
    snprintf(text, sizeof text, "%s[%d]", array->type, array->components);
    if (isfinite(array->min) && isfinite(array->max)) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, ", %.6g to %.6g", array->min, array->max);
    }
    dlp_findings_add_text(findings, id,
                          array->components > 1 ? "type and range of the length" : "type and range", text);
}

static dlp_status inform_frame(const char *path, dlp_findings *findings, dlp_error *error)
{
    static dlp_vtp_info info;
    DLP_TRY(dlp_vtp_read_info(path, &info, error));
    const bool is_contour = info.line_count > 0 && info.links_begin == 0;
    dlp_findings_add_text(findings, "kind", "of file", is_contour ? "lines" : "frame of particles");
    dlp_findings_add_number(findings, "time", "of the frame", info.time, "s");
    dlp_findings_add_number(findings, "points", "in the file", info.point_count, "");
    if (is_contour) dlp_findings_add_number(findings, "lines", "in the file", info.line_count, "");
    if (info.triangle_count > 0)
        dlp_findings_add_number(findings, "triangles", "of cloth", info.triangle_count, "");
    if (info.links_begin > 0) dlp_findings_add_number(findings, "links", "of ropes", info.line_count, "");
    for (int32_t k = 0; k < info.array_count; k++) add_array(findings, &info.arrays[k]);
    return DLP_OK;
}

static dlp_status inform_checkpoint(const char *path, dlp_findings *findings, dlp_error *error)
{
    dlp_checkpoint_info info = {0};
    DLP_TRY(dlp_checkpoint_read_info(path, &info, error));
    dlp_findings_add_text(findings, "kind", "of file", "checkpoint");
    dlp_findings_add_number(findings, "version", "of its layout", info.version, "");
    dlp_findings_add_text(findings, "library", "version that wrote it", info.library_version);
    dlp_findings_add_number(findings, "frame", "complete frames", info.frame, "");
    dlp_findings_add_number(findings, "time", "of the state", info.time, "s");
    dlp_findings_add_number(findings, "particles", "in the state", info.particle_count, "");
    if (findings->is_json) dlp_findings_add_text(findings, "scene", "that made it", info.scene);
    dlp_checkpoint_info_release(&info);
    return DLP_OK;
}

typedef dlp_status inform_fn(const char *path, dlp_findings *findings, dlp_error *error);

static const struct {
    const char *ending;
    inform_fn *inform;
} kinds[] = {
    {".yaml", inform_scene}, {".yml", inform_scene},  {".json", inform_scene},
    {".vtp", inform_frame},  {".obj", dlp_info_mesh}, {".ply", dlp_info_mesh},
    {".stl", dlp_info_mesh}, {".glb", dlp_info_mesh}, {".h5", inform_checkpoint},
};

static dlp_status inform(const char *path, dlp_findings *findings, dlp_error *error)
{
    struct stat file;
    const bool exists = stat(path, &file) == 0;
    if (exists && S_ISDIR(file.st_mode)) return dlp_info_folder(path, findings, error);
    const char *ending = strrchr(path, '.');
    for (size_t k = 0; ending != NULL && k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strcasecmp(ending, kinds[k].ending) == 0) return kinds[k].inform(path, findings, error);
    }
    if (strcmp(path, "-") == 0 || (!exists && strpbrk(path, "/.") == NULL))
        return inform_scene(path, findings, error);
    return dlp_fail(error, exists ? DLP_INVALID : DLP_IO,
                    "%s: %s; names end in .yaml .json .vtp .obj .ply .stl .glb or .h5", path,
                    exists ? "a file of no known kind" : "no such file");
}

static int inform_file(const void *settings, const dlp_words *words)
{
    const info_settings *arguments = settings;
    static dlp_error error;
    dlp_findings findings = {.is_json = arguments->json};
    dlp_findings_begin(&findings);
    const dlp_status status = inform(words->items[0], &findings, &error);
    dlp_findings_end(&findings);
    if (status != DLP_OK) return dlp_report_error(&error);
    struct stat about;
    const bool is_folder = stat(words->items[0], &about) == 0 && S_ISDIR(about.st_mode);
    return is_folder && findings.failed_count > 0 ? DLP_EXIT_FAILED : DLP_EXIT_DONE;
}

static const dlp_option options[] = {
    {.name = "json",
     .kind = DLP_OPTION_FLAG,
     .offset = offsetof(info_settings, json),
     .help = "a JSON list of {id, what, value, unit, reference, holds}"},
    {0},
};

const dlp_verb dlp_verb_info = {
    .name = "info",
    .usage = "FILE|DIR [--json]",
    .summary = "show what a scene, frame, mesh or checkpoint holds; check the meshes of a run",
    .details =
        "Shows what FILE holds: a scene (.yaml .json, or - for one on standard input), a frame (.vtp), a\n"
        "mesh (.obj .ply .stl .glb) with everything that is wrong with it as the surface of a solid, or a\n"
        "checkpoint (.h5). For the folder DIR of a run, checks every mesh of its surfaces; the exit status\n"
        "is 1 if one is not sound.",
    .options = options,
    .settings_size = sizeof(info_settings),
    .min_words = 1,
    .max_words = 1,
    .run = inform_file,
};
