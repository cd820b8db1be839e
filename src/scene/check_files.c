/* The files that shapes are made of: read when a scene is checked, so that a bad mesh is told with its place
 * in the scene, together with all others, before anything is made of it. */
#include "scene/handle.h"

#include <stdio.h>
#include <string.h>

typedef struct file_check {
    const dlp_scene *scene;
    dlp_error *error; /* what was found so far */
    dlp_status status;
    char path[512]; /* of the present shape, as a scene has it: "obstacles[1].union[0]" */
} file_check;

static const dlp_node *child_at(const dlp_node *list, int32_t index)
{
    const dlp_node *child = list != NULL ? list->first : NULL;
    for (; child != NULL && index > 0; index--) child = child->next;
    return child;
}

static const dlp_node *find(const dlp_node *map, const char *key)
{
    return map != NULL && map->kind == DLP_NODE_MAP ? dlp_node_find(map, key) : NULL;
}

// The value that names the file, or what stands around it; a mesh may be written as a map or as its file.
static const dlp_node *find_file(const dlp_node *shape, const char *kind)
{
    const dlp_node *leaf = find(shape, kind), *file = find(leaf, "file");
    return file != NULL ? file : leaf != NULL ? leaf : shape;
}

static void report(file_check *check, const dlp_node *shape, const char *kind, const dlp_error *found)
{
    const dlp_node *node = find_file(shape, kind);
    if (check->status == DLP_OK && check->error != NULL) *check->error = (dlp_error){.status = DLP_OK};
    check->status = DLP_INVALID;
    if (node != NULL && node->line > 0)
        dlp_error_append(check->error, DLP_INVALID, "%s:%d:%d: %s.%s.file: %s", check->scene->file,
                         node->line, node->column, check->path, kind, found->message);
    else
        dlp_error_append(check->error, DLP_INVALID, "%s.%s.file: %s", check->path, kind, found->message);
}

static void check_file(file_check *check, const dlp_shape_def *def, const dlp_node *shape)
{
    const dlp_shape_def alone = {.kind = def->kind,
                                 .min = def->min,
                                 .max = def->max,
                                 .file = def->file,
                                 .repair = def->repair,
                                 .low = def->low,
                                 .high = def->high}; /* shares its file: not released */
    dlp_error found = {0};
    dlp_shape *made = NULL;
    const dlp_scene_def *scene = check->scene->def;
    const dlp_status status = dlp_shape_create(&alone, scene->dimension, scene->folder, &made, &found);
    dlp_shape_destroy(made);
    if (status != DLP_OK) report(check, shape, def->kind == DLP_SHAPE_MESH ? "mesh" : "height", &found);
}

// Shapes are at most as deep as the scene's text.
static void check_shape(file_check *check, const dlp_shape_def *def, const dlp_node *shape)
{
    static const char *const keys[] = {"union", "difference", "intersection"};
    const bool is_leaf = def->kind == DLP_SHAPE_MESH || def->kind == DLP_SHAPE_HEIGHT;
    if (is_leaf && def->file != NULL) check_file(check, def, shape);
    if (def->kind < DLP_SHAPE_UNION) return;
    const char *key = keys[def->kind - DLP_SHAPE_UNION];
    const size_t length = strlen(check->path);
    for (int32_t k = 0; k < def->child_count; k++) {
        snprintf(check->path + length, sizeof check->path - length, ".%s[%d]", key, k);
        check_shape(check, &def->children[k], child_at(find(shape, key), k));
    }
    check->path[length] = '\0';
}

// Of a list of records that have their shape among their own keys.
static void check_list(file_check *check, const char *key, const void *items, size_t size, size_t offset,
                       int32_t count)
{
    const dlp_node *list = find(check->scene->document.root, key);
    for (int32_t k = 0; k < count; k++) {
        snprintf(check->path, sizeof check->path, "%s[%d]", key, k);
        const void *shape = (const char *)items + (size_t)k * size + offset;
        check_shape(check, shape, child_at(list, k));
    }
}

// A cloth reads its mesh itself: it may be open.
static void check_substances(file_check *check, const dlp_scene_def *def)
{
    const dlp_node *map = find(check->scene->document.root, "substances");
    for (int32_t k = 0; k < def->substance_count; k++) {
        const dlp_substance_def *substance = &def->substances[k];
        if (substance->model == DLP_MODEL_CLOTH) continue;
        snprintf(check->path, sizeof check->path, "substances.%s.shape", substance->name);
        check_shape(check, &substance->shape, find(find(map, substance->name), "shape"));
    }
}

dlp_status dlp_scene_check(dlp_scene *scene, dlp_error *error)
{
    DLP_NEED(scene, error);
    const dlp_scene_def *def;
    DLP_TRY(dlp_scene_resolve(scene, &def, error));
    file_check check = {.scene = scene, .error = error};
    check_substances(&check, def);
    check_list(&check, "obstacles", def->obstacles, sizeof *def->obstacles, offsetof(dlp_obstacle_def, shape),
               def->obstacle_count);
    check_list(&check, "sinks", def->sinks, sizeof *def->sinks, offsetof(dlp_sink_def, shape),
               def->sink_count);
    check_list(&check, "attachments", def->attachments, sizeof *def->attachments,
               offsetof(dlp_attachment_def, shape), def->attachment_count);
    check_list(&check, "loads", def->loads, sizeof *def->loads, offsetof(dlp_load_def, shape),
               def->load_count);
    return check.status;
}
