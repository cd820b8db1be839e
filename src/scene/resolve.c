/* The walk: every row of the table takes its value from the scene's text, else from the material, else from a
 * derivation or its default. It goes in the order of the table, so that a derivation sees what stands before
 * it. */
#include "scene/resolve.h"
#include "base/memory.h"
#include "scene/rules.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void resolve_schema(dlp_resolver *r, const dlp_schema *schema, const dlp_node *node, char *base);

// Single values.

// Where a value comes from.
typedef struct source {
    const dlp_node *node;  // borrowed; NULL: there is none
    dlp_origin origin;
} source;

// Defaults and presets are text of the library: they can fail for lack of memory only.
static const dlp_node *parse_default(dlp_resolver *r, const char *text)
{
    dlp_node *node = NULL;
    if (dlp_json_read_value(text, &r->scratch, &node, NULL) != DLP_OK) r->is_out_of_memory = true;
    r->scratch.node_count = 0;  // the limit is the file's
    return node;
}

// Derived values go through text as all others do, so that the written scene reads back with the same bits.
static source derive_value(dlp_resolver *r, const dlp_schema_row *row, const void *base)
{
    dlp_string text = {0};
    const dlp_origin origin = row->derive(r, base, &text);
    if (text.has_failed) r->is_out_of_memory = true;
    const source found = {origin != DLP_ORIGIN_NONE && text.data != NULL ? parse_default(r, text.data) : NULL,
                          origin};
    dlp_string_release(&text);
    return found;
}

// Presets know a value by its path below the substance. A row that is one of several choices has no default.
static source find_source(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *child, const void *base)
{
    if (child != NULL) return (source){child, DLP_ORIGIN_GIVEN};
    if (r->material != NULL) {
        const char *const value = dlp_preset_value_of(r->material, r->path.text + r->item_start + 1);
        if (value != NULL) return (source){parse_default(r, value), DLP_ORIGIN_MATERIAL};
    }
    if (row->derive != NULL) return derive_value(r, row, base);
    if (row->fallback != NULL && (row->flags & DLP_ROW_CHOICE) == 0)
        return (source){parse_default(r, row->fallback), DLP_ORIGIN_DEFAULT};
    return (source){NULL, DLP_ORIGIN_NONE};
}

// For `dollop check`: "default", "derived", "set", "material honey", "pour.yaml:12".
static void write_origin(const dlp_resolver *r, source from, dlp_string *text)
{
    switch (from.origin) {
    case DLP_ORIGIN_GIVEN:
        if (r->list_material != NULL)
            dlp_string_add(text, "material %s", r->list_material->name);
        else if (from.node->line > 0)
            dlp_string_add(text, "%s:%d", r->file, from.node->line);
        else
            dlp_string_add(text, "set");
        break;
    case DLP_ORIGIN_MATERIAL:
        dlp_string_add(text, "material %s", r->material->name);
        break;
    case DLP_ORIGIN_DERIVED:
        dlp_string_add(text, "derived");
        break;
    default:
        dlp_string_add(text, "default");
        break;
    }
}

// Adds a parameter to the listing; NULL when there is not enough memory.
static dlp_parameter *keep_parameter(dlp_resolver *r, const dlp_schema_row *row, const char *value,
                                     const char *origin)
{
    dlp_parameters *list = r->parameters;
    const dlp_parameter parameter = {.path = dlp_arena_copy(&list->arena, r->path.text, r->path.length),
                                     .value = dlp_arena_copy(&list->arena, value, strlen(value)),
                                     .unit = row->unit,
                                     .origin = dlp_arena_copy(&list->arena, origin, strlen(origin)),
                                     .help = row->help,
                                     .can_animate = (row->flags & DLP_ROW_ANIMATED) != 0,
                                     .row = row};
    const dlp_status status =
        dlp_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items, "scene", NULL);
    if (status != DLP_OK || parameter.path == NULL || parameter.value == NULL || parameter.origin == NULL) {
        r->is_out_of_memory = true;
        return NULL;
    }
    list->items[list->count] = parameter;
    return &list->items[list->count++];
}

// The value of a parameter as numbers, or as text without quotes. Key frames and curves have neither.
static void keep_numbers(dlp_resolver *r, source from, const void *base, dlp_parameter *parameter)
{
    const dlp_schema_row *row = parameter->row;
    parameter->has_keys = dlp_is_keyed(from.node);
    parameter->has_curve = dlp_is_curve(from.node);
    if (parameter->has_keys || parameter->has_curve) return;
    if (row->type == DLP_ROW_TEXTS) {
        parameter->text = parameter->value;
        return;
    }
    if (row->type >= DLP_ROW_TEXT) {
        const char *const *text = (const void *)((const char *)base + row->offset);
        parameter->text = dlp_arena_copy(&r->parameters->arena, *text, strlen(*text));
        if (parameter->text == NULL) r->is_out_of_memory = true;
        return;
    }
    const int32_t count = dlp_value_count(row, base);
    double *numbers = dlp_arena_alloc(&r->parameters->arena, (size_t)count * sizeof *numbers);
    if (numbers == NULL) {
        r->is_out_of_memory = true;
        return;
    }
    dlp_value_get_numbers(row, base, numbers);
    parameter->numbers = numbers;
    parameter->number_count = count;
}

// Empty texts are listed only where the scene gives them. A track or curve that was just read is the last
// one.
static void note_parameter(dlp_resolver *r, const dlp_schema_row *row, source from, const void *base)
{
    dlp_string value = {0}, origin = {0};
    dlp_parameter *parameter = NULL;
    if (dlp_is_keyed(from.node))
        dlp_keys_write(&r->def->tracks[r->def->track_count - 1], &value);
    else if (dlp_is_curve(from.node))
        dlp_curve_write(&r->def->curves[r->def->curve_count - 1], &value);
    else
        dlp_value_write(row, base, &value);
    write_origin(r, from, &origin);
    if (value.has_failed || origin.has_failed || value.data == NULL || origin.data == NULL)
        r->is_out_of_memory = true;
    else if (strcmp(value.data, "\"\"") != 0 || from.origin == DLP_ORIGIN_GIVEN)
        parameter = keep_parameter(r, row, value.data, origin.data);
    if (parameter != NULL) keep_numbers(r, from, base, parameter);
    dlp_string_release(&value);
    dlp_string_release(&origin);
}

// A map with `keys` or `by_temperature` stands for a number everywhere; the row says whether that is allowed.
static bool read_source(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, char *base)
{
    if (dlp_is_keyed(node)) return dlp_keys_read(r, row, node, base + row->offset);
    if (dlp_is_curve(node)) return dlp_curve_read(r, row, node, (double *)(void *)(base + row->offset));
    return dlp_value_read(r, row, node, base);
}

// Inputs are zeroed first: they are shared by all items of a list.
static void resolve_value(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *child, char *base)
{
    if ((row->flags & DLP_ROW_INPUT) != 0) {
        base = (char *)&r->inputs;
        memset(base + row->offset, 0, dlp_value_size(row->type));
    }
    const source from = find_source(r, row, child, base);
    if (from.node == NULL) {
        if ((row->flags & DLP_ROW_REQUIRED) != 0) dlp_mistake_add(r, "", "is missing: %s", row->help);
        return;
    }
    const bool is_good = read_source(r, row, from.node, base);
    if (is_good && (row->flags & DLP_ROW_HIDDEN) == 0) note_parameter(r, row, from, base);
    if (!is_good && (row->flags & DLP_ROW_DECIDES) != 0)
        r->substance = NULL;  // without a model no row is refused for it
}

// Lists and maps of records.

// Lists for lists, maps for maps, and not too many entries.
static bool check_collection(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node)
{
    const bool is_map = row->type == DLP_ROW_MAP;
    if (node->kind != (is_map ? DLP_NODE_MAP : DLP_NODE_LIST)) {
        char found[96];
        dlp_node_describe(node, found);
        dlp_mistake_at(r, node, "must be %s (got %s)", is_map ? "a map of names" : "a list", found);
        return false;
    }
    if (node->count <= DLP_LIST_LIMIT) return true;
    dlp_mistake_at(r, node, "has %d entries; at most %d are allowed", node->count, DLP_LIST_LIMIT);
    return false;
}

// The key of a map's item becomes the name in its record.
static bool keep_name(dlp_resolver *r, const dlp_schema *schema, const dlp_node *item, char *base)
{
    if (!dlp_is_name(item->key) || strlen(item->key) > DLP_NAME_LIMIT) {
        const dlp_place place = {item->key_line, item->key_column};
        char text[300], key[DLP_SHORT_TEXT];
        dlp_shorten(item->key, key);
        snprintf(text, sizeof text,
                 "\"%s\" is not a name; a name is a letter, then letters, digits, _ and -, at most %d in all",
                 key, DLP_NAME_LIMIT);
        dlp_mistake_keep(r, place, text);
        return false;
    }
    char *name = dlp_copy_text(item->key, "scene");
    if (name == NULL)
        r->is_out_of_memory = true;
    else
        memcpy(base + schema->name_offset, &name, sizeof name);
    return name != NULL;
}

// Saves the state of the walk, enters the item, restores the state.
static void resolve_item(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *item, int32_t index,
                         char *base)
{
    if (row->type == DLP_ROW_MAP && !keep_name(r, row->schema, item, base)) return;
    const dlp_preset *const outer_material = r->material;
    const dlp_substance_def *const outer_substance = r->substance;
    const size_t outer_start = r->item_start;
    const int32_t outer_index = r->index;
    const size_t before =
        row->type == DLP_ROW_MAP ? dlp_path_enter(r, item->key) : dlp_path_extend(r, "[%d]", index);
    r->material = NULL;
    if (row->schema->is_substance) r->substance = (const void *)base;
    r->item_start = r->path.length;
    r->index = index;
    const dlp_node *const outer_where = r->where;
    r->where = item;
    resolve_schema(r, row->schema, dlp_node_is_empty(item) ? NULL : item, base);
    r->where = outer_where;
    dlp_path_cut(r, before);
    r->material = outer_material;
    r->substance = outer_substance;
    r->item_start = outer_start;
    r->index = outer_index;
}

// Lists an empty list, which says that the material's own does not count: the written scene must say so too.
static void note_empty_list(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node)
{
    dlp_string origin = {0};
    write_origin(r, (source){node, DLP_ORIGIN_GIVEN}, &origin);
    if (origin.has_failed || origin.data == NULL)
        r->is_out_of_memory = true;
    else
        keep_parameter(r, row, "[]", origin.data);
    dlp_string_release(&origin);
}

// The list that counts: the scene's, even an empty one, else the material's.
static const dlp_node *find_list(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *child)
{
    if (r->material == NULL) return child;
    const char *const value = dlp_preset_value_of(r->material, r->path.text + r->item_start + 1);
    if (value == NULL) return child;
    if (child != NULL && child->count == 0) note_empty_list(r, row, child);
    if (child != NULL) return child;
    r->list_material = r->material;
    return parse_default(r, value);
}

// The array is stored in the record before its items are resolved, so that a failure frees it with the
// record. Items never move: pointers to their fields (tracks, curves) stay valid.
static void resolve_entries(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *child, char *base)
{
    if (dlp_node_is_empty(child) || !check_collection(r, row, child) || child->count == 0) return;
    const size_t size = row->schema->size;
    char *items = dlp_alloc((size_t)child->count, size, "scene");
    if (items == NULL) {
        r->is_out_of_memory = true;
        return;
    }
    assert(row->schema->size > 0);
    memcpy(base + row->offset, &items, sizeof items);
    memcpy(base + row->count_offset, &child->count, sizeof child->count);
    int32_t index = 0;
    for (const dlp_node *item = child->first; item != NULL; item = item->next, index++)
        resolve_item(r, row, item, index, items + (size_t)index * size);
}

static void resolve_collection(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *child, char *base)
{
    const dlp_preset *const outer_material = r->list_material;
    resolve_entries(r, row, find_list(r, row, child), base);
    r->list_material = outer_material;
}

// Records.

// An optional record that is not given keeps its fields zero: its defaults do not count.
static void resolve_subschema(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *child, char *base)
{
    const bool is_empty = dlp_node_is_empty(child);
    if (child == NULL && (row->flags & (DLP_ROW_OPTIONAL | DLP_ROW_CHOICE)) != 0) return;
    if (is_empty && (row->flags & DLP_ROW_OPTIONAL) != 0) return;
    const dlp_node *const outer_where = r->where;
    if (child != NULL) r->where = child;
    resolve_schema(r, row->schema, is_empty ? NULL : child, base + row->offset);
    r->where = outer_where;
}

// Names the models that have a row: "sph", "sph or cloth".
static void list_models(const dlp_schema_row *row, dlp_string *text)
{
    const dlp_schema_row *models =
        dlp_schema_find(dlp_schema_find(dlp_table_root(), "substances")->schema, "model");
    for (int32_t k = 0; models->words[k] != NULL; k++)
        if (dlp_schema_row_has_model(row, (dlp_model)k))
            dlp_string_add(text, "%s%s", text->length > 0 ? " or " : "", models->words[k]);
}

// Names the models that have the row.
static void refuse_model(dlp_resolver *r, const dlp_schema_row *row)
{
    dlp_string models = {0};
    list_models(row, &models);
    dlp_mistake_add(r, row->key, "is for model %s; this substance is %s",
                    models.data != NULL ? models.data : "another", dlp_model_noun(r->substance->model));
    dlp_string_release(&models);
}

// Whether a row belongs to another model than the substance's. It is skipped; where the scene gives it, that
// is a mistake.
static bool is_foreign(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node)
{
    if (r->substance == NULL || dlp_schema_row_has_model(row, r->substance->model)) return false;
    if (node != NULL && dlp_node_find(node, row->key) != NULL) refuse_model(r, row);
    return true;
}

// A name that must be known. Its record's check runs only where all rows are good, so that the name is looked
// up here, where other mistakes of the record do not hide it.
static void check_reference(dlp_resolver *r, const dlp_schema_row *row, const char *base)
{
    if ((row->flags & (DLP_ROW_SUBSTANCE | DLP_ROW_OBSTACLE)) == 0) return;
    const char *name;
    memcpy(&name, base + row->offset, sizeof name);
    if (name == NULL) return;
    if ((row->flags & DLP_ROW_SUBSTANCE) != 0)
        dlp_find_substance(r, row->key, name);
    else
        dlp_find_obstacle(r, row->key, name);
}

// By the kind of the row; the path holds its key meanwhile.
static void resolve_row(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, char *base)
{
    if (row->type == DLP_ROW_VARIABLES || is_foreign(r, row, node)) return;
    const dlp_node *child = node != NULL ? dlp_node_find(node, row->key) : NULL;
    const size_t before = dlp_path_enter(r, row->key);
    if (row->type == DLP_ROW_SCHEMA) {
        resolve_subschema(r, row, child, base);
    } else if (row->type == DLP_ROW_LIST || row->type == DLP_ROW_MAP) {
        resolve_collection(r, row, child, base);
    } else {
        resolve_value(r, row, child, base);
    }
    dlp_path_cut(r, before);
    check_reference(r, row, base);
}

// "box, sphere, ...", for a message.
static void list_choices(const dlp_schema *schema, dlp_string *text)
{
    for (int32_t k = 0; k < schema->row_count; k++) {
        if ((schema->rows[k].flags & DLP_ROW_CHOICE) == 0) continue;
        dlp_string_add(text, "%s%s", text->length > 0 ? ", " : "", schema->rows[k].key);
    }
}

// Among the rows of which exactly one must be given, the one that is; NULL and a mistake where none is. With
// several the last counts, and each further one is a mistake.
static const dlp_schema_row *choose(dlp_resolver *r, const dlp_schema *schema, const dlp_node *node,
                                    char *base)
{
    const dlp_schema_row *chosen = NULL;
    for (int32_t k = 0; k < schema->row_count && node != NULL; k++) {
        const dlp_schema_row *row = &schema->rows[k];
        if ((row->flags & DLP_ROW_CHOICE) == 0 || dlp_node_find(node, row->key) == NULL) continue;
        if (chosen != NULL)
            dlp_mistake_add(r, "", "has both %s and %s; only one %s is allowed", chosen->key, row->key,
                            schema->choice);
        chosen = row;
    }
    if (chosen != NULL) {
        memcpy(base + schema->choice_offset, &chosen->choice, sizeof chosen->choice);
        return chosen;
    }
    dlp_string choices = {0};
    list_choices(schema, &choices);
    dlp_mistake_add(r, "", "has no %s; it needs one of %s", schema->choice,
                    choices.data != NULL ? choices.data : "");
    dlp_string_release(&choices);
    return NULL;
}

// Rows in the order of the table, then the schema's check, which may rely on all of them.
static void resolve_rows(dlp_resolver *r, const dlp_schema *schema, const dlp_node *node, char *base)
{
    const int32_t before = r->mistake_count + r->refused_count;
    const dlp_schema_row *const chosen = schema->choice != NULL ? choose(r, schema, node, base) : NULL;
    for (int32_t k = 0; k < schema->row_count; k++) {
        const dlp_schema_row *row = &schema->rows[k];
        // choices share fields: a second one would overwrite what the first one owns
        if (chosen != NULL && row != chosen && (row->flags & DLP_ROW_CHOICE) != 0) continue;
        if (row->type == DLP_ROW_INCLUDE)
            resolve_rows(r, row->schema, node, base + row->offset);
        else
            resolve_row(r, row, node, base);
    }
    const bool is_good =
        r->mistake_count + r->refused_count == before && r->mistakes_left_out == 0 && !r->is_out_of_memory;
    // beyond the limit mistakes are not kept, so that the count of before says nothing
    if (schema->check != NULL && is_good) schema->check(r, base);
}

// An unknown key, with the nearest known one, or where none is near with all.
static void refuse_key(dlp_resolver *r, const dlp_schema *schema, const dlp_node *child)
{
    char text[900];
    dlp_suggestion nearest = {.word = child->key};
    dlp_string known = {0};
    dlp_schema_offer_keys(schema, &nearest);
    dlp_schema_list_keys(schema, &known);
    if (nearest.best != NULL)
        snprintf(text, sizeof text, "is not known; did you mean %s?", nearest.best);
    else
        snprintf(text, sizeof text, "is not known; known are %s", known.data != NULL ? known.data : "");
    dlp_string_release(&known);
    char key[DLP_SHORT_TEXT];
    dlp_shorten(child->key, key);
    const size_t before = dlp_path_enter(r, key);
    dlp_mistake_keep(r, (dlp_place){child->key_line, child->key_column}, text);
    dlp_path_cut(r, before);
}

// Keys of the scene that the table does not have.
static void check_keys(dlp_resolver *r, const dlp_schema *schema, const dlp_node *node)
{
    for (const dlp_node *child = node->first; child != NULL; child = child->next)
        if (dlp_schema_find(schema, child->key) == NULL) refuse_key(r, schema, child);
}

// A value where a record is expected: as if the shorthand's key had been written. The node is copied, since a
// node has one parent and one next.
static const dlp_node *wrap_shorthand(dlp_resolver *r, const dlp_schema *schema, const dlp_node *node)
{
    dlp_node *map = NULL, *value = dlp_arena_alloc(&r->scratch.arena, sizeof *value);
    const dlp_place place = {node->line, node->column};
    if (value == NULL || dlp_document_add(&r->scratch, DLP_NODE_MAP, place, &map, NULL) != DLP_OK) {
        r->is_out_of_memory = true;
        return NULL;
    }
    *value = *node;
    value->key = schema->shorthand;
    dlp_node_append(map, value);
    return map;
}

// One record: unknown keys, then rows. `node` may be NULL: all rows take their defaults.
static void resolve_schema(dlp_resolver *r, const dlp_schema *schema, const dlp_node *node, char *base)
{
    const dlp_node *const outer = r->node;
    if (node != NULL && node->kind != DLP_NODE_MAP) {
        if (schema->shorthand == NULL) {
            char found[96];
            dlp_node_describe(node, found);
            dlp_mistake_at(r, node, "must be a map of keys (got %s)", found);
            return;
        }
        node = wrap_shorthand(r, schema, node);
    }
    r->node = node;
    if (node != NULL) check_keys(r, schema, node);
    resolve_rows(r, schema, node, base);
    r->node = outer;
}

static void release_resolver(dlp_resolver *r)
{
    dlp_document_release(&r->scratch);
    dlp_document_release(&r->expanded);
    dlp_free(r->mistakes);
    dlp_free(r);
}

// The checks of the whole scene run also where parts have mistakes, unlike a schema's check; they look at
// sound parts alone.
static void check_whole(dlp_resolver *r, const dlp_node *root)
{
    if (r->is_out_of_memory || r->mistakes_left_out > 0 || (root != NULL && root->kind != DLP_NODE_MAP))
        return;
    r->node = root;
    dlp_check_scene(r, r->def);
}

dlp_status dlp_resolve(const dlp_node *root, const char *file, const char *folder, dlp_scene_def *def,
                       dlp_parameters *parameters, dlp_error *error)
{
    dlp_resolver *r = dlp_alloc(1, sizeof *r, "scene");
    if (r == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory for the scene", file);
    r->file = file;
    r->folder = folder;
    r->def = def;
    r->parameters = parameters;
    def->dimension = 3;  // until the scene says otherwise
    const dlp_node *expanded = root;
    dlp_status status = dlp_variables_expand(r, root, &expanded, error);
    if (status == DLP_OK) {
        r->where = expanded;
        resolve_schema(r, dlp_table_root(), dlp_node_is_empty(expanded) ? NULL : expanded, (char *)def);
        check_whole(r, expanded);
        if (root != NULL) dlp_mistakes_find_repeated(r, root);
        status = dlp_mistakes_report(r, error);
    }
    release_resolver(r);
    return status;
}

// Into a field of its own and an empty scene, with the row moved to offset 0: only the value itself is
// checked. Four doubles hold any single value that is checked here.
dlp_status dlp_resolve_value(const dlp_schema_row *row, const dlp_node *node, const char *path,
                             int32_t dimension, dlp_error *error)
{
    dlp_resolver *r = dlp_alloc(1, sizeof *r, "scene");
    dlp_scene_def *def = dlp_alloc(1, sizeof *def, "scene");
    double target[4] = {0};
    dlp_schema_row alone = *row;
    alone.offset = 0;
    dlp_status status = DLP_OK;
    if (r == NULL || def == NULL) {
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory to check it", path);
    } else {
        r->file = path;
        r->folder = ".";
        r->def = def;
        def->dimension = dimension;
        dlp_path_extend(r, "%s", path);
        read_source(r, &alone, node, (char *)target);
        status = dlp_mistakes_report(r, error);
    }
    dlp_scene_def_release(def);
    dlp_free(def);
    if (r != NULL) release_resolver(r);
    return status;
}

void dlp_parameters_release(dlp_parameters *parameters)
{
    dlp_free(parameters->items);
    dlp_arena_release(&parameters->arena);
    *parameters = (dlp_parameters){0};
}
