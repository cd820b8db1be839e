/* Nodes live in an arena and are never freed one by one: what dlp_scene_set replaces stays as waste until a
 * compaction copies what the root still reaches. */
#include "scene/document.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum { BLOCK_SIZE = 16 * 1024 };  // bytes of a block at least

// A block of the arena; its memory follows the header.
typedef struct dlp_arena_block {
    struct dlp_arena_block *next;
    size_t used, size;  // bytes after the header
} dlp_arena_block;

// The header's size in whole steps of the alignment.
enum { HEADER = (sizeof(dlp_arena_block) + 15) / 16 * 16 };

// A new block becomes the one in use; what is left of the block before is given up.
static dlp_arena_block *add_block(dlp_arena *arena, size_t size)
{
    const size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    dlp_arena_block *block = dlp_alloc(1, HEADER + room, "scene");
    if (block == NULL) return NULL;
    block->size = room;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

// Blocks come zeroed from dlp_alloc and are never reused, so that memory is zero without work.
void *dlp_arena_alloc(dlp_arena *arena, size_t size)
{
    const size_t rounded = (size + 15) / 16 * 16;
    dlp_arena_block *block = arena->blocks;
    if (block == NULL || block->size - block->used < rounded) block = add_block(arena, rounded);
    if (block == NULL) return NULL;
    char *memory = (char *)block + HEADER + block->used;
    block->used += rounded;
    return memory;
}

char *dlp_arena_copy(dlp_arena *arena, const char *text, size_t length)
{
    char *copy = dlp_arena_alloc(arena, length + 1);
    if (copy != NULL && length > 0) memcpy(copy, text, length);
    return copy;
}

void dlp_arena_release(dlp_arena *arena)
{
    while (arena->blocks != NULL) {
        dlp_arena_block *next = arena->blocks->next;
        dlp_free(arena->blocks);
        arena->blocks = next;
    }
}

// The limit counts nodes that were replaced too; dlp_document_make_room compacts before it is reached.
dlp_status dlp_document_add(dlp_document *document, dlp_node_kind kind, dlp_place place, dlp_node **out_node,
                            dlp_error *error)
{
    *out_node = NULL;
    if (document->node_count >= DLP_NODE_LIMIT)
        return dlp_fail(error, DLP_INVALID, "there are more than %d values", DLP_NODE_LIMIT);
    dlp_node *node = dlp_arena_alloc(&document->arena, sizeof *node);
    if (node == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "not enough memory for the scene's text");
    document->node_count++;
    node->kind = kind;
    node->line = place.line;
    node->column = place.column;
    *out_node = node;
    return DLP_OK;
}

// Texts are C strings: a zero byte inside would cut them.
dlp_status dlp_document_add_scalar(dlp_document *document, const char *text, size_t length, dlp_place place,
                                   dlp_node **out_node, dlp_error *error)
{
    if (memchr(text, '\0', length) != NULL)
        return dlp_fail(error, DLP_INVALID, "a text must not contain the character 0");
    DLP_TRY(dlp_document_add(document, DLP_NODE_SCALAR, place, out_node, error));
    (*out_node)->text = dlp_arena_copy(&document->arena, text, length);
    if ((*out_node)->text == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "not enough memory for the scene's text");
    return DLP_OK;
}

// Repeated keys count, since they are searched and kept too.
dlp_status dlp_node_check_room(const dlp_node *map, dlp_error *error)
{
    if (map->count + map->repeated_count < DLP_MAP_LIMIT) return DLP_OK;
    return dlp_fail(error, DLP_INVALID, "a map has more than %d keys", DLP_MAP_LIMIT);
}

// Linear in the keys of a map; DLP_MAP_LIMIT bounds it.
void dlp_node_append(dlp_node *parent, dlp_node *child)
{
    assert(parent->kind != DLP_NODE_SCALAR && (parent->kind != DLP_NODE_MAP || child->key != NULL));
    if (parent->kind == DLP_NODE_MAP && dlp_node_find(parent, child->key) != NULL) {
        child->next = parent->repeated;
        parent->repeated = child;
        parent->repeated_count++;
        return;
    }
    child->next = NULL;
    if (parent->last != NULL)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

void dlp_document_release(dlp_document *document)
{
    dlp_arena_release(&document->arena);
    *document = (dlp_document){0};
}

// NULL for a node that is no map.
dlp_node *dlp_node_find(const dlp_node *map, const char *key)
{
    if (map->kind != DLP_NODE_MAP) return NULL;
    for (dlp_node *child = map->first; child != NULL; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

dlp_node *dlp_node_item(const dlp_node *list, int32_t index)
{
    dlp_node *item = list->first;
    for (int32_t k = 0; k < index && item != NULL; k++) item = item->next;
    return item;
}

bool dlp_node_is_empty(const dlp_node *node)
{
    if (node == NULL) return true;
    if (node->kind != DLP_NODE_SCALAR || node->is_quoted) return false;
    return node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}

static dlp_status copy_text(const char *text, dlp_document *document, const char **out_text, dlp_error *error)
{
    *out_text = text != NULL ? dlp_arena_copy(&document->arena, text, strlen(text)) : NULL;
    if (text != NULL && *out_text == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "not enough memory for the scene's text");
    return DLP_OK;
}

// Copies a chain of siblings in their order. Repeated pairs are copied by it too, so that they stay apart.
static dlp_status copy_row(const dlp_node *from, dlp_document *document, dlp_node **out_first,
                           dlp_node **out_last, dlp_error *error)
{
    dlp_node **link = out_first;
    for (*out_first = *out_last = NULL; from != NULL; from = from->next) {
        DLP_TRY(dlp_node_copy(from, document, link, error));
        *out_last = *link;
        link = &(*link)->next;
    }
    return DLP_OK;
}

// Recursion is at most DLP_DEPTH_LIMIT deep: the readers refuse more.
dlp_status dlp_node_copy(const dlp_node *node, dlp_document *document, dlp_node **out_copy, dlp_error *error)
{
    DLP_TRY(dlp_document_add(document, node->kind, (dlp_place){node->line, node->column}, out_copy, error));
    dlp_node *copy = *out_copy, *last;
    *copy = *node;
    copy->next = copy->first = copy->last = copy->repeated = NULL;
    DLP_TRY(copy_text(node->key, document, &copy->key, error));
    DLP_TRY(copy_text(node->text, document, &copy->text, error));
    DLP_TRY(copy_row(node->first, document, &copy->first, &copy->last, error));
    return copy_row(node->repeated, document, &copy->repeated, &last, error);
}

// Bytes of all texts of a tree, and how deep it is: a scalar has no depth.
typedef struct extent {
    size_t bytes;
    int32_t depth;
} extent;

static extent measure(const dlp_node *node)
{
    if (node->kind == DLP_NODE_SCALAR) return (extent){strlen(node->text), 0};
    extent whole = {0, 0};
    for (const dlp_node *child = node->first; child != NULL; child = child->next) {
        const extent part = measure(child);
        whole.bytes += part.bytes + (child->key != NULL ? strlen(child->key) : 0);
        whole.depth = part.depth > whole.depth ? part.depth : whole.depth;
    }
    whole.depth++;
    return whole;
}

dlp_status dlp_document_count_repeated(dlp_document *document, size_t bytes, dlp_error *error)
{
    document->repeated_bytes += (int64_t)bytes;
    if (document->repeated_bytes <= DLP_SIZE_LIMIT) return DLP_OK;
    return dlp_fail(error, DLP_INVALID, "aliases and variables make the scene larger than %d MiB",
                    DLP_SIZE_LIMIT >> 20);
}

dlp_status dlp_node_repeat(const dlp_node *node, dlp_document *document, dlp_place place, int32_t depth,
                           dlp_node **out_copy, dlp_error *error)
{
    const extent size = measure(node);
    *out_copy = NULL;
    if (depth + size.depth > DLP_DEPTH_LIMIT)
        return dlp_fail(error, DLP_INVALID, "is nested deeper than %d levels", DLP_DEPTH_LIMIT);
    DLP_TRY(dlp_document_count_repeated(document, size.bytes, error));
    DLP_TRY(dlp_node_copy(node, document, out_copy, error));
    dlp_node *copy = *out_copy;
    copy->key = NULL;
    copy->key_line = copy->key_column = 0;
    copy->line = place.line;
    copy->column = place.column;
    return DLP_OK;
}

dlp_status dlp_document_copy(const dlp_document *document, dlp_document *copy, dlp_error *error)
{
    return document->root != NULL ? dlp_node_copy(document->root, copy, &copy->root, error) : DLP_OK;
}

// Copies what the root reaches and frees the rest. On failure the document stays as it was.
static dlp_status compact(dlp_document *document, dlp_error *error)
{
    dlp_document copy = {0};
    const dlp_status status = dlp_document_copy(document, &copy, error);
    if (status != DLP_OK) {
        dlp_document_release(&copy);
        return status;
    }
    dlp_document_release(document);
    *document = copy;
    document->compact_at = 2 * document->node_count;
    return DLP_OK;
}

dlp_status dlp_document_make_room(dlp_document *document, int32_t more, dlp_error *error)
{
    enum { COMPACT_FROM = 4096 };
    // at twice the size after the last compaction: the cost per node that was set is constant
    const int32_t from = document->compact_at > COMPACT_FROM ? document->compact_at : COMPACT_FROM;
    const int32_t wanted = document->node_count + more;
    if (wanted > from || wanted > DLP_NODE_LIMIT) DLP_TRY(compact(document, error));
    if (document->node_count + more <= DLP_NODE_LIMIT) return DLP_OK;
    return dlp_fail(error, DLP_INVALID, "there are more than %d values", DLP_NODE_LIMIT);
}
