/* The only file that knows libyaml: its events become a document. Aliases become copies of what they name,
 * within the limits of a scene; tags are refused. */
#include "scene/document.h"

#if DLP_HAVE_YAML

#include <string.h>
#include <yaml.h>

enum { ANCHOR_LIMIT = 1000 };

// A value that aliases may repeat, once it is complete.
typedef struct anchor {
    const char *name;
    const dlp_node *node;
} anchor;

// The state of the events so far.
typedef struct document_builder {
    dlp_document *document;
    const char *name;                 // of the file, for messages
    dlp_node *open[DLP_DEPTH_LIMIT];  // the lists and maps around the next event
    int32_t depth;
    const char *key;  // read, its value is the next event; NULL between pairs
    dlp_place key_place;
    const char *open_anchors[DLP_DEPTH_LIMIT];  // of the lists and maps that are open; NULL: none
    anchor anchors[ANCHOR_LIMIT];
    int32_t anchor_count;
    dlp_error *error;
} document_builder;

// libyaml counts from 0.
static dlp_place place_of(yaml_mark_t mark)
{
    return (dlp_place){(int32_t)mark.line + 1, (int32_t)mark.column + 1};
}

static dlp_status refuse(const document_builder *b, dlp_place place, const char *what)
{
    return dlp_fail(b->error, DLP_INVALID, "%s:%d:%d: %s", b->name, place.line, place.column, what);
}

static dlp_status add_place(const document_builder *b, dlp_status status, dlp_place place)
{
    if (status == DLP_OK) return DLP_OK;
    return dlp_fail_at(b->error, status, "%s:%d:%d", b->name, place.line, place.column);
}

// Whether the next scalar is a key of the innermost map.
static bool wants_key(const document_builder *b)
{
    return b->depth > 0 && b->open[b->depth - 1]->kind == DLP_NODE_MAP && b->key == NULL;
}

// Appends a node, complete or just opened, to the innermost list or map, or makes it the root.
static dlp_status place_node(document_builder *b, dlp_node *node, dlp_place place)
{
    if (b->depth == 0) {
        if (b->document->root != NULL)
            return refuse(b, place, "a scene is one document; this is a second one");
        b->document->root = node;
        return DLP_OK;
    }
    if (b->key != NULL) {
        node->key = b->key;
        node->key_line = b->key_place.line;
        node->key_column = b->key_place.column;
    }
    dlp_node_append(b->open[b->depth - 1], node);
    b->key = NULL;
    return DLP_OK;
}

// Anchors and aliases.

static dlp_status copy_name(document_builder *b, const yaml_char_t *name, const char **out_name)
{
    const char *text = (const char *)name;
    *out_name = text != NULL ? dlp_arena_copy(&b->document->arena, text, strlen(text)) : NULL;
    if (text == NULL || *out_name != NULL) return DLP_OK;
    return dlp_fail(b->error, DLP_OUT_OF_MEMORY, "%s: not enough memory for it", b->name);
}

// A later anchor of the same name replaces an earlier one.
static dlp_status keep_anchor(document_builder *b, const char *name, const dlp_node *node, dlp_place place)
{
    int32_t k = 0;
    while (k < b->anchor_count && name != NULL && strcmp(b->anchors[k].name, name) != 0) k++;
    if (name == NULL) return DLP_OK;
    if (k == ANCHOR_LIMIT) return refuse(b, place, "there are too many anchors: at most 1000 are allowed");
    b->anchors[k] = (anchor){name, node};
    if (k == b->anchor_count) b->anchor_count++;
    return DLP_OK;
}

static dlp_status take_alias(document_builder *b, const char *name, dlp_place place)
{
    if (wants_key(b)) return refuse(b, place, "a key must be a word, not an alias");
    for (int32_t k = 0; k < b->anchor_count; k++) {
        if (strcmp(b->anchors[k].name, name) != 0) continue;
        dlp_node *copy = NULL;
        DLP_TRY(add_place(
            b, dlp_node_repeat(b->anchors[k].node, b->document, place, b->depth, &copy, b->error), place));
        return place_node(b, copy, place);
    }
    return dlp_fail(b->error, DLP_INVALID, "%s:%d:%d: no anchor &%.60s is complete before this alias",
                    b->name, place.line, place.column, name);
}

// The pairs of `from` whose keys the map does not have become its own.
static dlp_status merge_map(document_builder *b, dlp_node *map, dlp_node *from)
{
    const dlp_place place = {from->line, from->column};
    if (from->kind != DLP_NODE_MAP) return refuse(b, place, "<< needs a map, or a list of maps");
    for (dlp_node *child = from->first, *next; child != NULL; child = next) {
        next = child->next;
        if (dlp_node_find(map, child->key) != NULL) continue;
        DLP_TRY(add_place(b, dlp_node_check_room(map, b->error), place));
        dlp_node_append(map, child);
    }
    return DLP_OK;
}

static void remove_child(dlp_node *map, dlp_node *child)
{
    dlp_node *before = NULL;
    for (dlp_node *node = map->first; node != child; node = node->next) before = node;
    *(before != NULL ? &before->next : &map->first) = child->next;
    if (map->last == child) map->last = before;
    map->count--;
}

// A merge key stands for the pairs of the maps that it names; the map's own, then those of the first count.
static dlp_status merge(document_builder *b, dlp_node *map)
{
    dlp_node *child = map->kind == DLP_NODE_MAP ? dlp_node_find(map, "<<") : NULL;
    if (child == NULL) return DLP_OK;
    remove_child(map, child);
    if (child->kind != DLP_NODE_LIST) return merge_map(b, map, child);
    for (dlp_node *item = child->first, *next; item != NULL; item = next) {
        next = item->next;
        DLP_TRY(merge_map(b, map, item));
    }
    return DLP_OK;
}

static dlp_status close_node(document_builder *b, dlp_place place)
{
    dlp_node *node = b->open[--b->depth];
    DLP_TRY(merge(b, node));
    return keep_anchor(b, b->open_anchors[b->depth], node, place);
}

// The key waits in the builder until its value comes.
static dlp_status take_key(document_builder *b, const yaml_event_t *event, dlp_place place)
{
    const char *text = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (memchr(text, '\0', length) != NULL) return refuse(b, place, "a key must not contain the character 0");
    DLP_TRY(add_place(b, dlp_node_check_room(b->open[b->depth - 1], b->error), place));
    b->key = dlp_arena_copy(&b->document->arena, text, length);
    b->key_place = place;
    return b->key != NULL ? DLP_OK
                          : dlp_fail(b->error, DLP_OUT_OF_MEMORY, "%s: not enough memory for it", b->name);
}

// Quoted and block scalars are text whatever they look like.
static dlp_status take_scalar(document_builder *b, const yaml_event_t *event, dlp_place place)
{
    if (event->data.scalar.tag != NULL) return refuse(b, place, "tags are not allowed");
    if (wants_key(b) && event->data.scalar.anchor != NULL)
        return refuse(b, place, "an anchor belongs to a value, not to a key");
    if (wants_key(b)) return take_key(b, event, place);
    const char *name = NULL;
    DLP_TRY(copy_name(b, event->data.scalar.anchor, &name));
    dlp_node *node = NULL;
    const dlp_status status = dlp_document_add_scalar(b->document, (const char *)event->data.scalar.value,
                                                      event->data.scalar.length, place, &node, b->error);
    DLP_TRY(add_place(b, status, place));
    node->is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    DLP_TRY(keep_anchor(b, name, node, place));
    return place_node(b, node, place);
}

// A list or map; the limit on the depth bounds all later recursion.
static dlp_status open_node(document_builder *b, dlp_node_kind kind, const yaml_char_t *anchor_name,
                            const yaml_char_t *tag, dlp_place place)
{
    if (tag != NULL) return refuse(b, place, "tags are not allowed");
    if (wants_key(b)) return refuse(b, place, "a key must be a word, not a list or a map");
    if (b->depth == DLP_DEPTH_LIMIT)
        return add_place(
            b, dlp_fail(b->error, DLP_INVALID, "is nested deeper than %d levels", DLP_DEPTH_LIMIT), place);
    dlp_node *node = NULL;
    DLP_TRY(add_place(b, dlp_document_add(b->document, kind, place, &node, b->error), place));
    DLP_TRY(place_node(b, node, place));
    DLP_TRY(copy_name(b, anchor_name, &b->open_anchors[b->depth]));
    b->open[b->depth++] = node;
    return DLP_OK;
}

// Starts and ends of streams and documents need nothing: place_node refuses a second root.
static dlp_status take_event(document_builder *b, const yaml_event_t *event)
{
    const dlp_place place = place_of(event->start_mark);
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return take_alias(b, (const char *)event->data.alias.anchor, place);
    case YAML_SCALAR_EVENT:
        return take_scalar(b, event, place);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(b, DLP_NODE_LIST, event->data.sequence_start.anchor, event->data.sequence_start.tag,
                         place);
    case YAML_MAPPING_START_EVENT:
        return open_node(b, DLP_NODE_MAP, event->data.mapping_start.anchor, event->data.mapping_start.tag,
                         place);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_node(b, place);
    default:
        return DLP_OK;
    }
}

// libyaml's own message, with the place where it stopped.
static dlp_status explain(const document_builder *b, const yaml_parser_t *parser)
{
    const char *problem = parser->problem != NULL ? parser->problem : "cannot be read";
    if (parser->error == YAML_MEMORY_ERROR)
        return dlp_fail(b->error, DLP_OUT_OF_MEMORY, "%s: not enough memory to read it", b->name);
    if (parser->error == YAML_READER_ERROR)
        return dlp_fail(b->error, DLP_INVALID, "%s: byte %zu: %s; a scene is UTF-8 text", b->name,
                        parser->problem_offset, problem);
    const dlp_place place = place_of(parser->problem_mark);
    if (parser->context == NULL) return refuse(b, place, problem);
    return dlp_fail(b->error, DLP_INVALID, "%s:%d:%d: %s that starts in line %d, %s", b->name, place.line,
                    place.column, parser->context, place_of(parser->context_mark).line, problem);
}

// Every event is deleted, also after a failure.
static dlp_status take_events(document_builder *b, yaml_parser_t *parser)
{
    for (bool done = false; !done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) return explain(b, parser);
        const dlp_status status = take_event(b, &event);
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        DLP_TRY(status);
    }
    return DLP_OK;
}

// On failure the document holds a part; the scene that owns it is destroyed.
dlp_status dlp_yaml_read(const char *text, size_t length, const char *name, dlp_document *document,
                         dlp_error *error)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory to read it", name);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    document_builder b = {.document = document, .name = name, .error = error};
    const dlp_status status = take_events(&b, &parser);
    yaml_parser_delete(&parser);
    return status;
}

bool dlp_yaml_is_available(void)
{
    return true;
}

#else

bool dlp_yaml_is_available(void)
{
    return false;
}

dlp_status dlp_yaml_read(const char *text, size_t length, const char *name, dlp_document *document,
                         dlp_error *error)
{
    size_t first = 0;
    while (first < length &&
           (text[first] == ' ' || text[first] == '\t' || text[first] == '\n' || text[first] == '\r'))
        first++;
    if (first == length) return DLP_OK;
    if (text[first] == '{') return dlp_json_read(text, length, name, document, error);
    return dlp_fail(
        error, DLP_UNSUPPORTED,
        "%s: is not JSON; this build reads YAML only as far as it is JSON (it was made without libyaml)",
        name);
}

#endif
