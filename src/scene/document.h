/* A scene's text as a tree of nodes that remember where they stood. Filled by yaml.c and json.c, read by the
 * parameter table's walk (resolve.c) alone; json.c also reads the heads of glTF files. */
#ifndef DLP_SCENE_DOCUMENT_H
#define DLP_SCENE_DOCUMENT_H

#include "base/status.h"

/* Limits that keep a hostile file from taking all memory, stack or time. */
enum {
    DLP_DEPTH_LIMIT = 32,             /* lists and maps within one another */
    DLP_NODE_LIMIT = 200000,          /* values */
    DLP_MAP_LIMIT = 1000,             /* keys of one map: they are searched one by one */
    DLP_SIZE_LIMIT = 16 * 1024 * 1024 /* bytes of a text */
};

/* Memory that is freed all at once. All-zero is empty. */
typedef struct dlp_arena {
    struct dlp_arena_block *blocks; /* the one in use first */
} dlp_arena;
void *dlp_arena_alloc(dlp_arena *arena, size_t size); /* zeroed, aligned to 16; NULL without memory */
/* `length` bytes of a text, and a zero byte after them; NULL when there is not enough memory. */
char *dlp_arena_copy(dlp_arena *arena, const char *text, size_t length);
void dlp_arena_release(dlp_arena *arena);

typedef enum dlp_node_kind { DLP_NODE_SCALAR, DLP_NODE_LIST, DLP_NODE_MAP } dlp_node_kind;

/* A value: a scalar, a list or a map. Nodes, keys and texts live in the document's arena. */
typedef struct dlp_node dlp_node;
struct dlp_node {
    dlp_node_kind kind;
    bool is_quoted;                /* a scalar in quotes is text, whatever it looks like */
    bool is_refused;               /* a mistake of it was noted: no further one is */
    int32_t line, column;          /* of the value, from 1; 0: not from a file */
    int32_t key_line, key_column;  /* of its key, in a map */
    const char *key;               /* in a map, else NULL */
    const char *text;              /* of a scalar, never NULL there */
    dlp_node *first, *last, *next; /* children in order; the next of its parent's */
    int32_t count;                 /* of children */
    dlp_node *repeated;            /* of a map: pairs whose key it had already, the latest first; the children
                                      have unique keys */
    int32_t repeated_count;
};

/* A tree of nodes. All-zero is empty. */
typedef struct dlp_document {
    dlp_arena arena;
    dlp_node *root;         /* NULL while there is nothing */
    int32_t node_count;     /* made, including those that were replaced since the last compaction */
    int64_t repeated_bytes; /* of texts that dlp_node_repeat copied: at most DLP_SIZE_LIMIT */
    int32_t compact_at;     /* node_count from which on dlp_document_make_room frees what was replaced */
} dlp_document;

/* A place in a file, from 1; 0, 0: none. Columns count characters. */
typedef struct dlp_place {
    int32_t line, column;
} dlp_place;

/* Makes a node; DLP_INVALID past the limit. The message has no place yet. */
dlp_status dlp_document_add(dlp_document *document, dlp_node_kind kind, dlp_place place, dlp_node **out_node,
                            dlp_error *error);
dlp_status dlp_document_add_scalar(dlp_document *document, const char *text, size_t length, dlp_place place,
                                   dlp_node **out_node, dlp_error *error);
/* Refuses one key too many. */
dlp_status dlp_node_check_room(const dlp_node *map, dlp_error *error);
/* Adds a child at the end. A pair whose key the map has already goes to `repeated`, so that it can be
 * reported beside other mistakes. */
void dlp_node_append(dlp_node *parent, dlp_node *child);
void dlp_document_release(dlp_document *document);
/* A deep copy that shares nothing; `copy` is empty before. */
dlp_status dlp_document_copy(const dlp_document *document, dlp_document *copy, dlp_error *error);

dlp_node *dlp_node_find(const dlp_node *map, const char *key); /* NULL where there is none */
dlp_node *dlp_node_item(const dlp_node *list, int32_t index);  /* NULL past the end */
/* Nothing written after the key, or null: as if the key were not there. NULL is empty, too. */
bool dlp_node_is_empty(const dlp_node *node);

/* A deep copy of a node, its key and all that is below it, made in `document`. */
dlp_status dlp_node_copy(const dlp_node *node, dlp_document *document, dlp_node **out_copy, dlp_error *error);
/* A copy without a key, as if it were written at `place` within `depth` lists and maps; what is inside of it
 * keeps its own places. DLP_INVALID, without a place in the message, where it is nested too deeply or all
 * copies together would be larger than a scene may be. */
dlp_status dlp_node_repeat(const dlp_node *node, dlp_document *document, dlp_place place, int32_t depth,
                           dlp_node **out_copy, dlp_error *error);
/* Counts `bytes` of a copy against that limit. */
dlp_status dlp_document_count_repeated(dlp_document *document, size_t bytes, dlp_error *error);
/* Makes room for `more` nodes: what the root does not reach any more, because it was replaced, is freed once
 * it is about half of all. DLP_INVALID past the limit; then, and without memory, the document stays as it
 * was. */
dlp_status dlp_document_make_room(dlp_document *document, int32_t more, dlp_error *error);

/* yaml.c; without libyaml only what json.c reads is left, and the message says so. */
dlp_status dlp_yaml_read(const char *text, size_t length, const char *name, dlp_document *document,
                         dlp_error *error);
bool dlp_yaml_is_available(void);

/* json.c: JSON, and bare words beside it. */
dlp_status dlp_json_read(const char *text, size_t length, const char *name, dlp_document *document,
                         dlp_error *error);
/* One value as `--set` writes it: `8`, `[0, 0, 1]`, `honey`, `{sphere: {radius: 1}}`. Nodes have no place. */
dlp_status dlp_json_read_value(const char *text, dlp_document *document, dlp_node **out_node,
                               dlp_error *error);

#endif
