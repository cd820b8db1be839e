/* The life of a scene: made from a file or a text, resolved lazily, when its record is first needed after a
 * change. */
#include "base/memory.h"
#include "scene/handle.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// "scenes/pour.yaml" gives "pour".
static char *stem_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *start = slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(start, '.');
    const size_t length = dot != NULL && dot > start ? (size_t)(dot - start) : strlen(start);
    char *stem = length > 0 ? dlp_alloc(length + 1, 1, "scene") : dlp_copy_text("scene", "scene");
    if (stem != NULL && length > 0) memcpy(stem, start, length);
    return stem;
}

// An empty scene. On failure nothing is left.
static dlp_status make_scene(const char *file, const char *folder, dlp_scene **out_scene, dlp_error *error)
{
    dlp_scene *scene = dlp_alloc(1, sizeof *scene, "scene");
    if (scene != NULL) {
        scene->file = dlp_copy_text(file, "scene");
        scene->folder = dlp_copy_text(folder, "scene");
        scene->name = stem_of(file);
    }
    if (scene == NULL || scene->file == NULL || scene->folder == NULL || scene->name == NULL) {
        dlp_scene_destroy(scene);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory for the scene", file);
    }
    *out_scene = scene;
    return DLP_OK;
}

// Parameters are then added with dlp_scene_set.
dlp_status dlp_scene_create(dlp_scene **out_scene, dlp_error *error)
{
    DLP_NEED(out_scene, error);
    *out_scene = NULL;
    return make_scene("scene", ".", out_scene, error);
}

// The clone resolves anew: its record shares nothing with the original's.
dlp_status dlp_scene_clone(const dlp_scene *scene, dlp_scene **out_scene, dlp_error *error)
{
    *out_scene = NULL;
    dlp_scene *clone = NULL;
    DLP_TRY(make_scene(scene->file, scene->folder, &clone, error));
    const dlp_status status = dlp_document_copy(&scene->document, &clone->document, error);
    if (status != DLP_OK) {
        dlp_scene_destroy(clone);
        return status;
    }
    *out_scene = clone;
    return DLP_OK;
}

// Case matters: .JSON is read as YAML.
static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), part = strlen(end);
    return length >= part && strcmp(text + length - part, end) == 0;
}

// JSON by the file's ending; all else is read as YAML, of which JSON is nearly a part.
static dlp_status read_document(dlp_scene *scene, const char *text, size_t length, dlp_error *error)
{
    if (length > DLP_SIZE_LIMIT)
        return dlp_fail(error, DLP_INVALID, "%s: is larger than %d MiB", scene->file, DLP_SIZE_LIMIT >> 20);
    if (ends_with(scene->file, ".json"))
        DLP_TRY(dlp_json_read(text, length, scene->file, &scene->document, error));
    else
        DLP_TRY(dlp_yaml_read(text, length, scene->file, &scene->document, error));
    if (dlp_node_is_empty(scene->document.root))
        return dlp_fail(error, DLP_INVALID, "%s: is empty; a scene needs at least one substance",
                        scene->file);
    return DLP_OK;
}

// `text` is read and not kept.
dlp_status dlp_scene_read_text(const char *text, size_t length, const char *name, const char *folder,
                               dlp_scene **out_scene, dlp_error *error)
{
    DLP_NEED(out_scene, error);
    *out_scene = NULL;
    DLP_NEED(text, error);
    dlp_scene *scene = NULL;
    const char *const file = name != NULL && *name != '\0' ? name : "scene";
    DLP_TRY(make_scene(file, folder != NULL && *folder != '\0' ? folder : ".", &scene, error));
    const dlp_status status = read_document(scene, text, length, error);
    if (status != DLP_OK) {
        dlp_scene_destroy(scene);
        return status;
    }
    *out_scene = scene;
    return DLP_OK;
}

// One byte more than is allowed is enough to know that a file is too large, even one without an end.
static dlp_status read_stream(FILE *stream, const char *path, char *buffer, size_t *out_length,
                              dlp_error *error)
{
    errno = 0;
    *out_length = fread(buffer, 1, DLP_SIZE_LIMIT + 1, stream);
    if (ferror(stream)) return dlp_fail(error, DLP_IO, "%s: cannot be read (%s)", path, strerror(errno));
    return DLP_OK;
}

// "." for a name alone, "/" for a file of the root.
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return dlp_copy_text(".", "scene");
    const size_t length = slash > path ? (size_t)(slash - path) : 1;
    char *folder = dlp_alloc(length + 1, 1, "scene");
    if (folder != NULL) memcpy(folder, path, length);
    return folder;
}

// Read as a stream, not by its size: scenes may come from pipes.
dlp_status dlp_scene_read_file(const char *path, dlp_scene **out_scene, dlp_error *error)
{
    DLP_NEED(out_scene, error);
    *out_scene = NULL;
    DLP_NEED(path, error);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return dlp_fail(error, DLP_IO, "%s: cannot be opened (%s)", path, strerror(errno));
    char *buffer = dlp_alloc(DLP_SIZE_LIMIT + 1, 1, "scene"), *folder = folder_of(path);
    size_t length = 0;
    dlp_status status = buffer != NULL && folder != NULL
                            ? read_stream(stream, path, buffer, &length, error)
                            : dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory to read it", path);
    fclose(stream);
    if (status == DLP_OK) status = dlp_scene_read_text(buffer, length, path, folder, out_scene, error);
    dlp_free(buffer);
    dlp_free(folder);
    return status;
}

// NULL is allowed.
static void discard(dlp_scene_def *def)
{
    dlp_scene_def_release(def);
    dlp_free(def);
}

// Worlds have copies of their own: they may outlive the scene.
void dlp_scene_destroy(dlp_scene *scene)
{
    if (scene == NULL) return;
    dlp_document_release(&scene->document);
    dlp_parameters_release(&scene->parameters);
    discard(scene->def);
    dlp_free(scene->file);
    dlp_free(scene->folder);
    dlp_free(scene->name);
    dlp_free(scene);
}

// On failure `def` holds a part, which the caller discards.
static dlp_status fill_def(const dlp_scene *scene, dlp_scene_def *def, dlp_parameters *parameters,
                           dlp_error *error)
{
    def->folder = dlp_copy_text(scene->folder, "scene");
    def->name = dlp_copy_text(scene->name, "scene");
    if (def->folder == NULL || def->name == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory for the scene", scene->file);
    return dlp_resolve(scene->document.root, scene->file, scene->folder, def, parameters, error);
}

// A scene that fails leaves the record of before as it was.
static dlp_status resolve_again(dlp_scene *scene, dlp_error *error)
{
    dlp_parameters parameters = {0};
    dlp_scene_def *def = dlp_alloc(1, sizeof *def, "scene");
    const dlp_status status =
        def != NULL ? fill_def(scene, def, &parameters, error)
                    : dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory for the scene", scene->file);
    if (status != DLP_OK) {
        discard(def);
        dlp_parameters_release(&parameters);
        return status;
    }
    discard(scene->def);
    scene->def = def;
    dlp_parameters_release(&scene->parameters);
    scene->parameters = parameters;
    scene->is_resolved = true;
    return DLP_OK;
}

// The cache is valid while no parameter is set.
dlp_status dlp_scene_resolve(dlp_scene *scene, const dlp_scene_def **out_def, dlp_error *error)
{
    *out_def = NULL;
    if (!scene->is_resolved) DLP_TRY(resolve_again(scene, error));
    *out_def = scene->def;
    return DLP_OK;
}

// The last good record where a parameter was set that spoils the scene; NULL where there never was one.
dlp_scene_def *dlp_scene_def_mutable(dlp_scene *scene)
{
    const dlp_scene_def *def;
    dlp_scene_resolve(scene, &def, NULL);
    return scene->def;
}

const char *dlp_scene_name(const dlp_scene *scene)
{
    return scene->name;
}
