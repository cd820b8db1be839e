/* The public view of a scene's parameters: listed with what the table knows of them, read and set as numbers,
 * read as text. */
#include "base/memory.h"
#include "base/sized.h"
#include "scene/handle.h"

#include <math.h>
#include <string.h>

// The listing.

// The public type of a row; single texts of all kinds but names, materials and files are text.
static dlp_parameter_type type_of(dlp_schema_row_type type)
{
    switch (type) {
    case DLP_ROW_NUMBER:
        return DLP_PARAMETER_NUMBER;
    case DLP_ROW_INTEGER:
        return DLP_PARAMETER_INTEGER;
    case DLP_ROW_SWITCH:
        return DLP_PARAMETER_BOOLEAN;
    case DLP_ROW_VECTOR:
    case DLP_ROW_PAIR:
        return DLP_PARAMETER_VECTOR;
    case DLP_ROW_COUNTS:
        return DLP_PARAMETER_INTEGERS;
    case DLP_ROW_NUMBERS:
        return DLP_PARAMETER_NUMBERS;
    case DLP_ROW_AXES:
        return DLP_PARAMETER_AXES;
    case DLP_ROW_WORD:
        return DLP_PARAMETER_CHOICE;
    case DLP_ROW_NAME:
        return DLP_PARAMETER_NAME;
    case DLP_ROW_MATERIAL:
        return DLP_PARAMETER_MATERIAL;
    case DLP_ROW_FILE:
        return DLP_PARAMETER_FILE;
    case DLP_ROW_LIST:
        return DLP_PARAMETER_LIST;
    default:
        return DLP_PARAMETER_TEXT;
    }
}

// 0 for rows that are no words.
static int32_t count_words(const dlp_schema_row *row)
{
    int32_t count = 0;
    while (row->type == DLP_ROW_WORD && row->words[count] != NULL) count++;
    return count;
}

// Rows of switches and words have no range of their own: 0 to 1, and 0 to the last choice.
static void fill_range(const dlp_schema_row *row, dlp_parameter_info *info)
{
    const bool is_switch = row->type == DLP_ROW_SWITCH || row->type == DLP_ROW_AXES;
    info->min = row->min;
    info->max = is_switch ? 1 : info->choice_count > 0 ? info->choice_count - 1 : row->max;
    info->is_min_open = (row->flags & DLP_ROW_OPEN_MIN) != 0;
    info->is_max_open = (row->flags & DLP_ROW_OPEN_MAX) != 0;
}

// All pointers are borrowed: from the table, or from the scene until it is resolved again.
static dlp_parameter_info describe(const dlp_parameter *parameter)
{
    const dlp_schema_row *row = parameter->row;
    const int32_t choice_count = count_words(row);
    const uint32_t all_choices = choice_count < 32 ? (1u << choice_count) - 1 : UINT32_MAX;
    const int32_t changing = row->type == DLP_ROW_VECTOR ? 3 : 1;  // what key frames and curves are made of
    dlp_parameter_info info = {
        .path = parameter->path,
        .value = parameter->value,
        .text = parameter->text,
        .unit = parameter->unit,
        .help = parameter->help,
        .origin = parameter->origin,
        .type = type_of(row->type),
        .components = parameter->has_keys || parameter->has_curve ? changing : parameter->number_count,
        .is_live = parameter->can_animate,  // what key frames may change, a host may change
        .can_have_keys = parameter->can_animate,
        .has_keys = parameter->has_keys,
        .can_have_curve = (row->flags & DLP_ROW_CURVED) != 0,
        .has_curve = parameter->has_curve,
        .choice_count = choice_count,
        .missing_choices = row->missing & all_choices,
        .choices = row->words};
    fill_range(row, &info);
    return info;
}

// Fields that the caller's version of the struct does not have are left out.
static dlp_status give_info(const dlp_parameter *parameter, dlp_parameter_info *out_info, dlp_error *error)
{
    DLP_TRY(dlp_sized_check(out_info, "dlp_parameter_info", error));
    const dlp_parameter_info info = describe(parameter);
    dlp_sized_write(out_info, &info, sizeof info);
    return DLP_OK;
}

dlp_status dlp_scene_parameter_count(dlp_scene *scene, int32_t *out_count, dlp_error *error)
{
    DLP_NEED(scene, error);
    DLP_NEED(out_count, error);
    *out_count = 0;
    DLP_TRY(dlp_scene_check(scene, error));
    *out_count = scene->parameters.count;
    return DLP_OK;
}

dlp_status dlp_scene_parameter(dlp_scene *scene, int32_t index, dlp_parameter_info *out_info,
                               dlp_error *error)
{
    DLP_NEED(scene, error);
    DLP_TRY(dlp_scene_check(scene, error));
    if (!(index >= 0 && index < scene->parameters.count))
        return dlp_fail(error, DLP_INVALID, "%s: there is no parameter %d; there are %d", scene->file, index,
                        scene->parameters.count);
    return give_info(&scene->parameters.items[index], out_info, error);
}

// A path that the table has, but not the scene, gets another message than a misspelled one.
static dlp_status refuse_path(dlp_scene *scene, const char *path, dlp_error *error)
{
    const dlp_schema_row *row = NULL;
    DLP_TRY(dlp_scene_find_row(scene, path, &row, error));
    const bool is_group = row == NULL || row->type >= DLP_ROW_SCHEMA;
    return dlp_fail(error, DLP_INVALID, "%.200s: %s", path,
                    is_group ? "is a group of parameters; name one below it" : "has no value in this scene");
}

// By its exact path, linear in the parameters of the scene.
static dlp_status find_parameter(dlp_scene *scene, const char *path, const dlp_parameter **out_parameter,
                                 dlp_error *error)
{
    *out_parameter = NULL;
    DLP_TRY(dlp_scene_check(scene, error));
    for (int32_t k = 0; k < scene->parameters.count && *out_parameter == NULL; k++)
        if (strcmp(scene->parameters.items[k].path, path) == 0) *out_parameter = &scene->parameters.items[k];
    return *out_parameter != NULL ? DLP_OK : refuse_path(scene, path, error);
}

dlp_status dlp_scene_find_parameter(dlp_scene *scene, const char *path, dlp_parameter_info *out_info,
                                    dlp_error *error)
{
    DLP_NEED(scene, error);
    DLP_NEED(path, error);
    const dlp_parameter *parameter;
    DLP_TRY(find_parameter(scene, path, &parameter, error));
    return give_info(parameter, out_info, error);
}

// Numbers.

// *out_count is set also where the array is too small, so that a caller can ask again.
dlp_status dlp_scene_get_numbers(dlp_scene *scene, const char *path, double *out_numbers, int32_t capacity,
                                 int32_t *out_count, dlp_error *error)
{
    DLP_NEED(scene, error);
    DLP_NEED(path, error);
    DLP_NEED(out_count, error);
    *out_count = 0;
    const dlp_parameter *parameter;
    DLP_TRY(find_parameter(scene, path, &parameter, error));
    const int32_t count = parameter->number_count;
    if (count == 0)
        return dlp_fail(error, DLP_INVALID, "%s: %s; read it as text", path,
                        parameter->has_keys    ? "has key frames"
                        : parameter->has_curve ? "depends on temperature"
                                               : "is not a number");
    *out_count = count;
    if (capacity < count)
        return dlp_fail(error, DLP_INVALID, "%s: has %d numbers; the array holds %d", path, count, capacity);
    DLP_NEED(out_numbers, error);
    memcpy(out_numbers, parameter->numbers, (size_t)count * sizeof *out_numbers);
    return DLP_OK;
}

// Written as text and set as any text is, so that there is one set of checks.
dlp_status dlp_scene_set_numbers(dlp_scene *scene, const char *path, const double *numbers, int32_t count,
                                 dlp_error *error)
{
    DLP_NEED(scene, error);
    DLP_NEED(path, error);
    DLP_NEED(numbers, error);
    const dlp_schema_row *row = NULL;
    const char *expected = "";
    DLP_TRY(dlp_scene_find_row(scene, path, &row, error));
    if (row == NULL || row->type >= DLP_ROW_SCHEMA)
        return dlp_fail(error, DLP_INVALID, "%.200s: is a group of parameters; name one below it", path);
    if (count < 1) return dlp_fail(error, DLP_INVALID, "%.200s: needs at least one number", path);
    dlp_string text = {0};
    dlp_status status = DLP_OK;
    if (!dlp_value_write_numbers(row, numbers, count, &text, &expected))
        status = dlp_fail(error, DLP_INVALID, "%.200s: must be %s (got %d number%s, the first %g)", path,
                          expected, count, count == 1 ? "" : "s", numbers[0]);
    else if (text.has_failed)
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "%.200s: not enough memory for %d numbers", path, count);
    else
        status = dlp_scene_set(scene, path, text.data, error);
    dlp_string_release(&text);
    return status;
}

// Text.

// *out_length is the whole length in any case; a size of 0 only asks for it. Nothing is cut: too little space
// fails.
static dlp_status give_text(const char *what, const char *text, char *out_text, size_t size,
                            size_t *out_length, dlp_error *error)
{
    const size_t length = strlen(text);
    if (out_length != NULL) *out_length = length;
    if (size == 0) return DLP_OK;
    DLP_NEED(out_text, error);
    if (length < size) {
        memcpy(out_text, text, length + 1);
        return DLP_OK;
    }
    out_text[0] = '\0';
    return dlp_fail(error, DLP_INVALID, "%s: has %zu characters; the buffer holds %zu", what, length,
                    size - 1);
}

dlp_status dlp_scene_get_text(dlp_scene *scene, const char *path, char *out_text, size_t size,
                              size_t *out_length, dlp_error *error)
{
    DLP_NEED(scene, error);
    DLP_NEED(path, error);
    const dlp_parameter *parameter;
    if (out_length != NULL) *out_length = 0;
    DLP_TRY(find_parameter(scene, path, &parameter, error));
    return give_text(path, parameter->value, out_text, size, out_length, error);
}

dlp_status dlp_scene_get_yaml(dlp_scene *scene, char *out_text, size_t size, size_t *out_length,
                              dlp_error *error)
{
    DLP_NEED(scene, error);
    char *text = NULL;
    if (out_length != NULL) *out_length = 0;
    DLP_TRY(dlp_scene_write(scene, &text, error));
    const dlp_status status = give_text(scene->file, text, out_text, size, out_length, error);
    dlp_free(text);
    return status;
}

// Items of a scene: the entries of its lists and maps, found through the table. Records of lists start with
// their name (rules.h), so that name_offset is 0; those of maps say where it is.

// One list or map, borrowed from the resolved scene.
typedef struct item_list {
    const char *key;    // of the scene: "substances"
    const char *items;  // `count` records of `size` bytes
    size_t size, name_offset;
    int32_t count;
} item_list;

// The order of `keys` is that of dlp_item_kind.
static dlp_status find_items(dlp_scene *scene, dlp_item_kind kind, item_list *out_list, dlp_error *error)
{
    static const char *const keys[] = {"substances",  "obstacles", "emitters", "sinks",
                                       "attachments", "blades",    "loads",    "probes"};
    const dlp_scene_def *def;
    *out_list = (item_list){0};
    if (!((int)kind >= 0 && (size_t)kind < sizeof keys / sizeof *keys))
        return dlp_fail(error, DLP_INVALID, "%s: there is no kind %d of items", scene->file, (int)kind);
    DLP_TRY(dlp_scene_resolve(scene, &def, error));
    const dlp_schema_row *row = dlp_schema_find(dlp_table_root(), keys[kind]);
    *out_list =
        (item_list){.key = row->key, .size = row->schema->size, .name_offset = row->schema->name_offset};
    memcpy(&out_list->items, (const char *)def + row->offset, sizeof out_list->items);
    memcpy(&out_list->count, (const char *)def + row->count_offset, sizeof out_list->count);
    return DLP_OK;
}

// The name of an item, borrowed.
static const char *name_of(const item_list *list, int32_t index)
{
    const char *name;
    memcpy(&name, list->items + (size_t)index * list->size + list->name_offset, sizeof name);
    return name;
}

// "substances" gives "substance".
static int singular(const item_list *list)
{
    return (int)strlen(list->key) - 1;
}

dlp_status dlp_scene_item_count(dlp_scene *scene, dlp_item_kind kind, int32_t *out_count, dlp_error *error)
{
    DLP_NEED(scene, error);
    DLP_NEED(out_count, error);
    item_list list;
    *out_count = 0;
    DLP_TRY(find_items(scene, kind, &list, error));
    *out_count = list.count;
    return DLP_OK;
}

dlp_status dlp_scene_item_name(dlp_scene *scene, dlp_item_kind kind, int32_t index, const char **out_name,
                               dlp_error *error)
{
    DLP_NEED(scene, error);
    DLP_NEED(out_name, error);
    item_list list;
    *out_name = NULL;
    DLP_TRY(find_items(scene, kind, &list, error));
    if (!(index >= 0 && index < list.count))
        return dlp_fail(error, DLP_INVALID, "%s: there is no %.*s %d; there are %d", scene->file,
                        singular(&list), list.key, index, list.count);
    *out_name = name_of(&list, index);
    return DLP_OK;
}

dlp_status dlp_scene_item_find(dlp_scene *scene, dlp_item_kind kind, const char *name, int32_t *out_index,
                               dlp_error *error)
{
    DLP_NEED(scene, error);
    DLP_NEED(name, error);
    DLP_NEED(out_index, error);
    item_list list;
    *out_index = -1;
    DLP_TRY(find_items(scene, kind, &list, error));
    dlp_suggestion nearest = {.word = name};
    for (int32_t k = 0; k < list.count; k++) {
        dlp_suggestion_offer(&nearest, name_of(&list, k));
        if (strcmp(name_of(&list, k), name) != 0) continue;
        *out_index = k;
        return DLP_OK;
    }
    const char *const hint = nearest.best != NULL ? "; did you mean " : "";
    return dlp_fail(error, DLP_INVALID, "%s: there is no %.*s %.64s%s%s%s", scene->file, singular(&list),
                    list.key, name, hint, nearest.best != NULL ? nearest.best : "",
                    nearest.best != NULL ? "?" : "");
}
