/* Setting one parameter by its path: substances.honey.particle.radius, obstacles[1].box.max. */
#include "scene/handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where the walk along a path stands. It goes over the table and, beside it, over the document: once to see
// whether the path is valid, and once more to make what is missing, so that a refused path changes nothing.
typedef struct path_walk {
    dlp_scene *scene;
    const char *path, *at;      // the whole, and what is left of it
    bool makes;                 // the second walk
    bool keeps_names;           // goes only below names that the scene has
    const dlp_schema *schema;   // of the record that the next key belongs to
    const dlp_schema_row *row;  // of the last key; NULL at a whole entry of a list or map
    dlp_node *parent;           // holds the value; NULL where it does not exist yet
    char key[DLP_NAME_LIMIT + 1];
    int32_t index;  // in a list; -1 in a map
    dlp_error *error;
} path_walk;

// The message names the path up to where it is wrong.
static dlp_status refuse(const path_walk *w, const char *what)
{
    const size_t length = (size_t)(w->at - w->path);
    return dlp_fail(w->error, DLP_INVALID, "%.*s: %s", (int)(length < 200 ? length : 200), w->path, what);
}

// The next name, and past the dot before it.
static dlp_status take_name(path_walk *w)
{
    if (w->at > w->path && *w->at == '.') w->at++;
    const size_t length = strcspn(w->at, ".[");
    const char *const name = w->at;
    w->at += length;
    if (length == 0 || length > DLP_NAME_LIMIT)
        return refuse(w, "is not a path; write it as frames.count or obstacles[1].box");
    memcpy(w->key, name, length);
    w->key[length] = '\0';
    w->index = -1;
    if (dlp_is_name(w->key)) return DLP_OK;
    return refuse(w, "is not a name; a name is a letter, then letters, digits, _ and -");
}

// "[3]", at most six digits.
static dlp_status take_index(path_walk *w)
{
    int used = 0;
    if (sscanf(w->at, "[%6d]%n", &w->index, &used) != 1 || used == 0 || w->index < 0)
        return refuse(w, "is a list; write which entry, as [0]");
    w->at += used;
    return DLP_OK;
}

// The row of the key in the present schema, or a mistake with the nearest key.
static dlp_status find_row(path_walk *w)
{
    w->row = dlp_schema_find(w->schema, w->key);
    if (w->row != NULL) return DLP_OK;
    dlp_suggestion nearest = {.word = w->key};
    dlp_schema_offer_keys(w->schema, &nearest);
    if (nearest.best == NULL) return refuse(w, "is not known");
    char hint[128];
    snprintf(hint, sizeof hint, "is not known; did you mean %s?", nearest.best);
    return refuse(w, hint);
}

// A new child of the present parent, or the root.
static dlp_status make_child(path_walk *w, dlp_node_kind kind, dlp_node **out_child)
{
    dlp_document *document = &w->scene->document;
    DLP_TRY(dlp_document_add(document, kind, (dlp_place){0, 0}, out_child, w->error));
    if (w->index < 0) {
        (*out_child)->key = dlp_arena_copy(&document->arena, w->key, strlen(w->key));
        if ((*out_child)->key == NULL)
            return dlp_fail(w->error, DLP_OUT_OF_MEMORY, "%s: not enough memory", w->path);
    }
    if (w->parent != NULL)
        dlp_node_append(w->parent, *out_child);
    else
        document->root = *out_child;
    return DLP_OK;
}

// The child that key or index name; NULL where it is missing. An index may be one past the end: that adds an
// entry.
static dlp_status find_child(const path_walk *w, dlp_node **out_child)
{
    *out_child = NULL;
    if (w->index < 0) {
        *out_child = w->parent != NULL ? dlp_node_find(w->parent, w->key) : NULL;
        return DLP_OK;
    }
    const int32_t count = w->parent != NULL ? w->parent->count : 0;
    if (w->index < count) *out_child = dlp_node_item(w->parent, w->index);
    if (w->index <= count) return DLP_OK;
    char what[96];
    snprintf(what, sizeof what, "there are %d entries; the next one is [%d]", count, count);
    return refuse(w, what);
}

// The children are left to the next compaction.
static void clear_node(dlp_node *node, dlp_node_kind kind)
{
    node->kind = kind;
    node->first = node->last = NULL;
    node->count = 0;
}

// Goes down into the child that key or index name. Where it is missing, the first walk goes on with no
// parent, over the table alone.
static dlp_status enter(path_walk *w, dlp_node_kind kind)
{
    dlp_node *child = NULL;
    DLP_TRY(find_child(w, &child));
    if (child == NULL && w->makes) DLP_TRY(make_child(w, kind, &child));
    if (child != NULL && dlp_node_is_empty(child) && w->makes) clear_node(child, kind);
    if (child != NULL && child->kind != kind && !dlp_node_is_empty(child))
        return refuse(w, "is written as a single value; set it as a whole");
    w->parent = child != NULL && child->kind == kind ? child : NULL;
    return DLP_OK;
}

// dlp_scene_change does not add substances by a misspelled name.
static dlp_status refuse_name(const path_walk *w)
{
    dlp_suggestion nearest = {.word = w->key};
    for (const dlp_node *node = w->parent != NULL ? w->parent->first : NULL; node != NULL; node = node->next)
        dlp_suggestion_offer(&nearest, node->key);
    const int singular = (int)strlen(w->row->key) - 1;  // of "substances", "probes"
    char what[256];
    if (nearest.best != NULL)
        snprintf(what, sizeof what, "no such %.*s; did you mean %s?", singular, w->row->key, nearest.best);
    else
        snprintf(what, sizeof what, "no such %.*s; to add one, give it as a whole: {...}", singular,
                 w->row->key);
    return refuse(w, what);
}

static bool is_new_name(const path_walk *w)
{
    return w->row->type == DLP_ROW_MAP && (w->parent == NULL || dlp_node_find(w->parent, w->key) == NULL);
}

// Where exactly one of several keys may be given, the one that is set replaces the one that was there.
static void drop_other_choices(const path_walk *w)
{
    dlp_node *parent = w->parent, *node = parent != NULL ? parent->first : NULL;
    if (node == NULL || !(w->row->flags & DLP_ROW_CHOICE)) return;
    clear_node(parent, DLP_NODE_MAP);
    for (dlp_node *next; node != NULL; node = next) {
        next = node->next;
        node->next = NULL;
        const dlp_schema_row *row = dlp_schema_find(w->schema, node->key);
        const bool is_other = row != NULL && row != w->row && row->flags & DLP_ROW_CHOICE;
        if (!is_other) dlp_node_append(parent, node);
    }
}

// One key, with the name or index after it where the row is a map or a list of records.
static dlp_status take_step(path_walk *w, bool *out_done)
{
    DLP_TRY(take_name(w));
    DLP_TRY(find_row(w));
    if (w->makes) drop_other_choices(w);
    const bool is_collection = w->row->type == DLP_ROW_MAP || w->row->type == DLP_ROW_LIST;
    *out_done = *w->at == '\0';
    if (*out_done) return DLP_OK;
    if (is_collection) {
        DLP_TRY(enter(w, w->row->type == DLP_ROW_MAP ? DLP_NODE_MAP : DLP_NODE_LIST));
        DLP_TRY(w->row->type == DLP_ROW_MAP ? take_name(w) : take_index(w));
        *out_done = *w->at == '\0';
        if (w->keeps_names && !*out_done && is_new_name(w)) return refuse_name(w);
    } else if (w->row->type == DLP_ROW_VARIABLES) {
        DLP_TRY(enter(w, DLP_NODE_MAP));
        DLP_TRY(take_name(w));
        w->row = NULL;
        *out_done = *w->at == '\0';
        return *out_done ? DLP_OK : refuse(w, "is a variable; set it as a whole");
    } else if (w->row->type != DLP_ROW_SCHEMA) {
        return refuse(w, "has nothing below it");
    }
    w->schema = w->row->schema;
    if (*out_done) {
        w->row = NULL;  // a whole entry
        DLP_TRY(is_collection ? find_child(w, &(dlp_node *){NULL}) : DLP_OK);
        return DLP_OK;
    }
    if (*w->at != '.') return refuse(w, "is not a list");
    return enter(w, DLP_NODE_MAP);
}

// The whole path, from the root.
static dlp_status follow(path_walk *w, bool makes)
{
    w->at = w->path;
    w->makes = makes;
    w->schema = dlp_table_root();
    w->parent = w->scene->document.root;
    if (w->parent != NULL && w->parent->kind != DLP_NODE_MAP)
        return refuse(w, "the scene is not a map of keys");
    if (w->parent == NULL && makes)
        DLP_TRY(dlp_document_add(&w->scene->document, DLP_NODE_MAP, (dlp_place){0, 0}, &w->parent, w->error));
    if (makes) w->scene->document.root = w->parent;
    for (bool done = false; !done;) DLP_TRY(take_step(w, &done));
    return DLP_OK;
}

// Without resolving: the scene may have mistakes elsewhere.
static int32_t dimension_of(const dlp_scene *scene)
{
    const dlp_node *root = scene->document.root;
    const dlp_node *node = root != NULL ? dlp_node_find(root, "dimension") : NULL;
    return node != NULL && node->kind == DLP_NODE_SCALAR && strcmp(node->text, "2") == 0 ? 2 : 3;
}

// Its value is known when the scene is resolved.
static bool has_variable(const dlp_node *node)
{
    if (node->kind == DLP_NODE_SCALAR) return strchr(node->text, '$') != NULL;
    for (const dlp_node *child = node->first; child != NULL; child = child->next)
        if (has_variable(child)) return true;
    return false;
}

// Numbers and words are checked at once; texts, lists and records, which may need the rest of the scene, when
// it is resolved.
static dlp_status check_value(const path_walk *w, const dlp_node *value)
{
    if (w->row == NULL || w->row->type >= DLP_ROW_TEXT || w->row->type == DLP_ROW_NUMBERS) return DLP_OK;
    if (has_variable(value)) return DLP_OK;
    return dlp_resolve_value(w->row, value, w->path, dimension_of(w->scene), w->error);
}

// The node keeps its key and its place among its siblings; only the value changes.
static dlp_status put(path_walk *w, const dlp_node *value)
{
    dlp_node *child = NULL, *copy = NULL;
    DLP_TRY(dlp_node_copy(value, &w->scene->document, &copy, w->error));
    DLP_TRY(find_child(w, &child));
    if (child == NULL) DLP_TRY(make_child(w, value->kind, &child));
    const dlp_node old = *child;
    *child = *copy;
    child->key = old.key;
    child->next = old.next;
    return DLP_OK;
}

// Space for nodes first, so that the limit on their number cannot stop a change halfway.
static dlp_status put_value(path_walk *w, const dlp_document *value)
{
    const int32_t along_path = 2 * DLP_DEPTH_LIMIT;  // nodes that may have to be made
    DLP_TRY(check_value(w, value->root));
    const dlp_status status =
        dlp_document_make_room(&w->scene->document, value->node_count + along_path, w->error);
    if (status != DLP_OK) return dlp_fail_at(w->error, status, "%.200s", w->path);
    DLP_TRY(follow(w, true));
    w->scene->is_resolved = false;
    return put(w, value->root);
}

// The value is read into a document of its own first, so that one that is refused leaves nothing behind.
static dlp_status set_value(path_walk *w, const char *value)
{
    DLP_TRY(follow(w, false));
    dlp_document document = {0};
    dlp_status status = dlp_json_read_value(value, &document, &document.root, w->error);
    if (status != DLP_OK)
        dlp_fail_at(w->error, status, "%.200s", w->path);
    else
        status = put_value(w, &document);
    dlp_document_release(&document);
    return status;
}

dlp_status dlp_scene_find_row(dlp_scene *scene, const char *path, const dlp_schema_row **out_row,
                              dlp_error *error)
{
    path_walk w = {.scene = scene, .path = path, .at = path, .error = error};
    DLP_TRY(follow(&w, false));
    *out_row = w.row;
    return DLP_OK;
}

dlp_status dlp_scene_set(dlp_scene *scene, const char *path, const char *value, dlp_error *error)
{
    DLP_NEED(scene, error);
    DLP_NEED(path, error);
    DLP_NEED(value, error);
    path_walk w = {.scene = scene, .path = path, .at = path, .error = error};
    return set_value(&w, value);
}

dlp_status dlp_scene_change(dlp_scene *scene, const char *path, const char *value, dlp_error *error)
{
    DLP_NEED(scene, error);
    DLP_NEED(path, error);
    DLP_NEED(value, error);
    path_walk w = {.scene = scene, .path = path, .at = path, .keeps_names = true, .error = error};
    return set_value(&w, value);
}
