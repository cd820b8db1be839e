/* The only file that knows libyaml: its events become a document. Anchors, aliases and tags are refused, so
 * that a small file stays a small scene. */
#include "scene/document.h"

#if DLP_HAVE_YAML

#include <string.h>
#include <yaml.h>

// The state of the events so far.
typedef struct builder {
    dlp_document *document;
    const char *name;                 // of the file, for messages
    dlp_node *open[DLP_DEPTH_LIMIT];  // the lists and maps around the next event
    int32_t depth;
    const char *key;  // read, its value is the next event; NULL between pairs
    dlp_place key_place;
    dlp_error *error;
} builder;

// libyaml counts from 0.
static dlp_place place_of(yaml_mark_t mark)
{
    return (dlp_place){(int32_t)mark.line + 1, (int32_t)mark.column + 1};
}

static dlp_status refuse(const builder *b, dlp_place place, const char *what)
{
    return dlp_fail(b->error, DLP_INVALID, "%s:%d:%d: %s", b->name, place.line, place.column, what);
}

static dlp_status add_place(const builder *b, dlp_status status, dlp_place place)
{
    if (status == DLP_OK) return DLP_OK;
    return dlp_fail_at(b->error, status, "%s:%d:%d", b->name, place.line, place.column);
}

// Whether the next scalar is a key of the innermost map.
static bool wants_key(const builder *b)
{
    return b->depth > 0 && b->open[b->depth - 1]->kind == DLP_NODE_MAP && b->key == NULL;
}

// Appends a node, complete or just opened, to the innermost list or map, or makes it the root.
static dlp_status place_node(builder *b, dlp_node *node, dlp_place place)
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

// The key waits in the builder until its value comes.
static dlp_status take_key(builder *b, const yaml_event_t *event, dlp_place place)
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
static dlp_status take_scalar(builder *b, const yaml_event_t *event, dlp_place place)
{
    if (event->data.scalar.anchor != NULL) return refuse(b, place, "anchors and aliases are not allowed");
    if (event->data.scalar.tag != NULL) return refuse(b, place, "tags are not allowed");
    if (wants_key(b)) return take_key(b, event, place);
    dlp_node *node = NULL;
    const dlp_status status = dlp_document_add_scalar(b->document, (const char *)event->data.scalar.value,
                                                      event->data.scalar.length, place, &node, b->error);
    DLP_TRY(add_place(b, status, place));
    node->is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return place_node(b, node, place);
}

// A list or map; the limit on the depth bounds all later recursion.
static dlp_status open_node(builder *b, dlp_node_kind kind, const yaml_char_t *anchor, const yaml_char_t *tag,
                            dlp_place place)
{
    if (anchor != NULL) return refuse(b, place, "anchors and aliases are not allowed");
    if (tag != NULL) return refuse(b, place, "tags are not allowed");
    if (wants_key(b)) return refuse(b, place, "a key must be a word, not a list or a map");
    if (b->depth == DLP_DEPTH_LIMIT)
        return add_place(
            b, dlp_fail(b->error, DLP_INVALID, "is nested deeper than %d levels", DLP_DEPTH_LIMIT), place);
    dlp_node *node = NULL;
    DLP_TRY(add_place(b, dlp_document_add(b->document, kind, place, &node, b->error), place));
    DLP_TRY(place_node(b, node, place));
    b->open[b->depth++] = node;
    return DLP_OK;
}

// Starts and ends of streams and documents need nothing: place_node refuses a second root.
static dlp_status take_event(builder *b, const yaml_event_t *event)
{
    const dlp_place place = place_of(event->start_mark);
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return refuse(b, place, "anchors and aliases are not allowed");
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
        b->depth--;
        return DLP_OK;
    default:
        return DLP_OK;
    }
}

// libyaml's own message, with the place where it stopped.
static dlp_status explain(const builder *b, const yaml_parser_t *parser)
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
static dlp_status take_events(builder *b, yaml_parser_t *parser)
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
    builder b = {.document = document, .name = name, .error = error};
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
