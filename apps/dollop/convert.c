/* dollop convert: a scene of another program as one of ours, with what could not be carried over. */
#include "common.h"
#include "convert.h"

#include "base/memory.h"
#include "base/status.h"
#include "record/file_io.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct convert_settings {
    const char *output;
} convert_settings;

/* The folder of a path: "." for a name alone. */
static void folder_of(const char *path, char out_folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const int length = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(out_folder, PATH_MAX, "%.*s", slash == NULL ? 1 : length, slash == NULL ? "." : path);
}

/* Folders that cannot be found count as different. */
static bool is_same_folder(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* "dam.yaml" in the working folder, of "scenes/dam.json". */
static void choose_output(const char *file, char out_path[PATH_MAX])
{
    const char *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    const int length = dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name);
    snprintf(out_path, PATH_MAX, "%.*s.yaml", length < 200 ? length : 200, name);
}

/* What is written must be a scene. A build that reads no YAML cannot tell. */
static dlp_status check_scene(const dlp_conversion *conversion, const dlp_string *text, const char *output,
                              dlp_error *error)
{
    char folder[PATH_MAX];
    dlp_scene *scene = NULL;
    if (!dlp_has_feature(DLP_FEATURE_YAML)) return DLP_OK;
    folder_of(output, folder);
    dlp_status status = dlp_scene_read_text(text->data, text->length, output, folder, &scene, error);
    if (status == DLP_OK) status = dlp_scene_check(scene, error);
    dlp_scene_destroy(scene);
    if (status != DLP_INVALID) return status;
    return dlp_fail_at(error, status, "%s: what it becomes is no scene, and is not written",
                       conversion->name);
}

/* Never over a file that is there. */
static dlp_status write_scene(const char *output, const dlp_string *text, dlp_error *error)
{
    if (strcmp(output, "-") == 0) {
        fwrite(text->data, 1, text->length, stdout);
        return DLP_OK;
    }
    return dlp_file_write_text(output, text->data, text->length, error);
}

static void say_lines(const dlp_string *lines, const char *what)
{
    if (lines->data == NULL) return;
    for (const char *line = lines->data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        fprintf(stderr, "%s: %.*s\n", what, (int)(end - line), line);
}

static dlp_status convert(dlp_conversion *conversion, const char *output, dlp_error *error)
{
    char *bytes;
    size_t size;
    DLP_TRY(dlp_file_read(conversion->name, DLP_SIZE_LIMIT, &bytes, &size, error));
    dlp_status status = dlp_convert_text(conversion, bytes, size, error);
    dlp_free(bytes);
    DLP_TRY(status);
    dlp_string text = {0};
    dlp_conversion_write(conversion, &text);
    status = dlp_format_check(&text, output, error);
    if (status == DLP_OK) status = check_scene(conversion, &text, output, error);
    if (status == DLP_OK) status = write_scene(output, &text, error);
    dlp_string_release(&text);
    return status;
}

static int convert_file(const void *settings, const dlp_words *words)
{
    const convert_settings *arguments = settings;
    static dlp_error error;
    static char output[PATH_MAX], folder[PATH_MAX], target[PATH_MAX];
    const char *file = words->items[0];
    if (arguments->output != NULL)
        snprintf(output, sizeof output, "%s", arguments->output);
    else
        choose_output(file, output);
    const bool is_stream = strcmp(output, "-") == 0;
    if (!is_stream && dlp_file_exists(output)) {
        dlp_fail(&error, DLP_INVALID, "dollop convert: %s exists; name another file with -o", output);
        return dlp_report_error(&error);
    }
    folder_of(file, folder);
    folder_of(output, target);
    dlp_conversion conversion = {
        .name = file, .folder = folder, .has_absolute_files = is_stream || !is_same_folder(folder, target)};
    const dlp_status status = convert(&conversion, output, &error);
    if (status == DLP_OK) {
        say_lines(&conversion.lost, "not carried over");
        say_lines(&conversion.changed, "carried over differently");
        if (!is_stream) printf("%s written. Next: dollop check %s; dollop run %s\n", output, output, output);
    }
    dlp_conversion_release(&conversion);
    return status == DLP_OK ? DLP_EXIT_DONE : dlp_report_error(&error);
}

static const dlp_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = DLP_OPTION_TEXT,
     .offset = offsetof(convert_settings, output),
     .value = "OUT.yaml",
     .help = "the scene to write; by default FILE with .yaml, in the working folder"},
    {0},
};

const dlp_verb dlp_verb_convert = {
    .name = "convert",
    .usage = "FILE [-o OUT.yaml]",
    .summary = "turn a scene of another program into one of ours",
    .details =
        "Writes the scene FILE of SPlisHSPlasH (JSON) as a scene of Dollop: blocks and meshes of fluid,\n"
        "materials, walls and still bodies, emitters, gravity, camera and length. What could not be carried\n"
        "over, and what was carried over differently, is named with its place in FILE, here and in comments\n"
        "at the top of the scene. OUT.yaml may be - for standard output. Never overwrites a file. Exit\n"
        "status 2: FILE is no such scene.",
    .options = options,
    .settings_size = sizeof(convert_settings),
    .min_words = 1,
    .max_words = 1,
    .run = convert_file,
};
