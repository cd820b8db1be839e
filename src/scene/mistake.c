/* Mistakes of a scene: noted with path and place while it is resolved, reported all at once. */
#include "base/memory.h"
#include "scene/resolve.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A path that is too long is cut; only messages are the worse for it.
size_t dlp_path_extend(dlp_resolver *r, const char *format, ...)
{
    const size_t before = r->path.length, room = sizeof r->path.text - before;
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(r->path.text + before, room, format, arguments);
    va_end(arguments);
    if (added > 0) r->path.length = (size_t)added < room ? before + (size_t)added : sizeof r->path.text - 1;
    return before;
}

void dlp_path_cut(dlp_resolver *r, size_t length)
{
    r->path.length = length;
    r->path.text[length] = '\0';
}

// With a dot before all but the first key.
size_t dlp_path_enter(dlp_resolver *r, const char *key)
{
    return dlp_path_extend(r, "%s%s", r->path.length > 0 ? "." : "", key);
}

// Beyond the limit mistakes are only counted: a broken file cannot take all memory or time.
void dlp_mistake_keep(dlp_resolver *r, dlp_place place, const char *text)
{
    if (r->mistake_count == DLP_MISTAKE_LIMIT) {
        r->mistakes_left_out++;
        return;
    }
    const dlp_mistake mistake = {place.line, place.column, r->mistake_count,
                                 dlp_arena_copy(&r->scratch.arena, r->path.text, r->path.length),
                                 dlp_arena_copy(&r->scratch.arena, text, strlen(text))};
    const dlp_status status = dlp_reserve(&r->mistakes, &r->mistake_capacity, r->mistake_count + 1,
                                          sizeof *r->mistakes, "scene", NULL);
    if (status != DLP_OK || mistake.path == NULL || mistake.text == NULL)
        r->is_out_of_memory = true;
    else
        r->mistakes[r->mistake_count++] = mistake;
}

// Longer messages are cut; 600 bytes are enough for a list of choices.
void dlp_mistake_at(dlp_resolver *r, const dlp_node *node, const char *format, ...)
{
    if (node != NULL && node->is_refused) {
        r->refused_count++;
        return;
    }
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dlp_mistake_keep(r, node != NULL ? (dlp_place){node->line, node->column} : (dlp_place){0, 0}, text);
}

// The node that a dotted key names below the present record, or the nearest one around it.
static const dlp_node *find_below(const dlp_resolver *r, const char *key)
{
    const dlp_node *found = r->where;
    const dlp_node *node = r->node;
    while (node != NULL && *key != '\0') {
        char part[DLP_NAME_LIMIT + 1];
        const size_t length = strcspn(key, ".");
        snprintf(part, sizeof part, "%.*s", (int)length, key);
        node = dlp_node_find(node, part);
        if (node != NULL) found = node;
        key += key[length] == '.' ? length + 1 : length;
    }
    return found;
}

// Points at the value where that is a scalar, else at its key: a list or map may begin on another line.
void dlp_mistake_add(dlp_resolver *r, const char *key, const char *format, ...)
{
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t before = *key != '\0' ? dlp_path_enter(r, key) : r->path.length;
    const dlp_node *node = find_below(r, key);
    const bool is_scalar = node != NULL && node->kind == DLP_NODE_SCALAR;
    dlp_place place = {0, 0};
    if (node != NULL && node->key_line > 0 && !is_scalar)
        place = (dlp_place){node->key_line, node->key_column};
    else if (node != NULL)
        place = (dlp_place){node->line, node->column};
    dlp_mistake_keep(r, place, text);
    dlp_path_cut(r, before);
}

// One mistake per repeated pair, at its key.
static void note_repeated(dlp_resolver *r, const dlp_node *map)
{
    for (const dlp_node *pair = map->repeated; pair != NULL; pair = pair->next) {
        char key[DLP_SHORT_TEXT], text[64];
        dlp_shorten(pair->key, key);
        snprintf(text, sizeof text, "is given twice (first in line %d)",
                 dlp_node_find(map, pair->key)->key_line);
        const size_t before = dlp_path_enter(r, key);
        dlp_mistake_keep(r, (dlp_place){pair->key_line, pair->key_column}, text);
        dlp_path_cut(r, before);
    }
}

// Recursion is at most DLP_DEPTH_LIMIT deep.
void dlp_mistakes_find_repeated(dlp_resolver *r, const dlp_node *node)
{
    note_repeated(r, node);
    int32_t index = 0;
    for (const dlp_node *child = node->first; child != NULL; child = child->next, index++) {
        if (child->kind == DLP_NODE_SCALAR) continue;
        const size_t before =
            child->key != NULL ? dlp_path_enter(r, child->key) : dlp_path_extend(r, "[%d]", index);
        dlp_mistakes_find_repeated(r, child);
        dlp_path_cut(r, before);
    }
}

bool dlp_is_given(const dlp_resolver *r, const char *key)
{
    return r->node != NULL && dlp_node_find(r->node, key) != NULL;
}

// strchr finds the zero byte at the end of its text too, so that the path itself counts.
bool dlp_has_mistake_under(const dlp_resolver *r, const char *path)
{
    const size_t length = strlen(path);
    for (int32_t k = 0; k < r->mistake_count; k++) {
        const char *const other = r->mistakes[k].path;
        if (strncmp(other, path, length) == 0 && strchr(".[", other[length]) != NULL) return true;
    }
    return false;
}

// By line, then column, then the order of finding: a total order.
static bool is_before(const dlp_mistake *a, const dlp_mistake *b)
{
    if (a->line != b->line) return a->line < b->line;
    if (a->column != b->column) return a->column < b->column;
    return a->order < b->order;
}

// In the order of the file, as a compiler does; mistakes without a place first. Insertion sort: at most
// DLP_MISTAKE_LIMIT, and most are in order.
static void sort_mistakes(dlp_resolver *r)
{
    for (int32_t k = 1; k < r->mistake_count; k++) {
        const dlp_mistake moved = r->mistakes[k];
        int32_t at = k;
        for (; at > 0 && is_before(&moved, &r->mistakes[at - 1]); at--) r->mistakes[at] = r->mistakes[at - 1];
        r->mistakes[at] = moved;
    }
}

// One line per mistake: "pour.yaml:12:5: substances.honey.density: must be > 0 (got -3)".
dlp_status dlp_mistakes_report(dlp_resolver *r, dlp_error *error)
{
    if (r->is_out_of_memory)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory for the scene", r->file);
    if (r->mistake_count == 0) return DLP_OK;
    sort_mistakes(r);
    if (error != NULL) *error = (dlp_error){.status = DLP_OK};
    for (int32_t k = 0; k < r->mistake_count; k++) {
        const dlp_mistake *m = &r->mistakes[k];
        const char *const colon = m->path[0] != '\0' ? ": " : "";
        if (m->line > 0)
            dlp_error_append(error, DLP_INVALID, "%s:%d:%d: %s%s%s", r->file, m->line, m->column, m->path,
                             colon, m->text);
        else
            dlp_error_append(error, DLP_INVALID, "%s%s%s", m->path, colon, m->text);
    }
    // each only raises the count at the end of the message
    for (int32_t k = 0; k < r->mistakes_left_out; k++)
        dlp_error_append(error, DLP_INVALID, "%s: more", r->file);
    return DLP_INVALID;
}
