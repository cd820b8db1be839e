/* Reads values of a foreign scene, with their paths, and keeps what is to be said about them. */
#include "convert.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

dlp_source dlp_source_root(dlp_conversion *conversion)
{
    return (dlp_source){.conversion = conversion, .node = conversion->document.root};
}

/* Words of the file come into messages and comments: one line, and plain letters, since YAML ends a comment
 * at more characters than a newline. */
static void make_plain(char *text)
{
    for (; *text != 0; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f) *text = '.';
}

static void make_path(const dlp_source *map, const char *key, char out_path[160])
{
    char word[DLP_SHORT_TEXT];
    dlp_shorten(key, word);
    make_plain(word);
    snprintf(out_path, 160, "%.100s%s%s", map->path, map->path[0] != 0 ? "." : "", word);
}

dlp_source dlp_source_of(const dlp_source *map, const char *key)
{
    dlp_source value = {.conversion = map->conversion};
    make_path(map, key, value.path);
    if (map->node == NULL || map->node->kind != DLP_NODE_MAP) return value;
    const dlp_node *node = dlp_node_find(map->node, key);
    if (!dlp_node_is_empty(node)) value.node = node;
    return value;
}

bool dlp_source_next(const dlp_source *list, dlp_source *entry, int32_t *index)
{
    if (list->node == NULL) return false;
    if (list->node->kind != DLP_NODE_LIST) {
        dlp_source_refuse(list, "must be a list");
        return false;
    }
    for (;;) {
        const bool is_first = entry->conversion == NULL;
        const dlp_node *node = is_first ? list->node->first : entry->node->next;
        *index = is_first ? 0 : *index + 1;
        *entry = (dlp_source){.conversion = list->conversion, .node = node};
        snprintf(entry->path, sizeof entry->path, "%.140s[%d]", list->path, *index);
        if (node == NULL) return false;
        if (node->kind == DLP_NODE_MAP) return true;
        dlp_source_refuse(entry, "must be an object");
    }
}

void dlp_source_refuse(const dlp_source *at, const char *what)
{
    char got[DLP_SHORT_TEXT] = "a list or an object";
    if (at->node->kind == DLP_NODE_SCALAR) dlp_shorten(at->node->text, got);
    const char *quote = at->node->kind == DLP_NODE_SCALAR && at->node->is_quoted ? "\"" : "";
    dlp_error_append(at->conversion->error, DLP_INVALID, "%s:%d:%d: %s: %s (got %s%s%s)",
                     at->conversion->name, at->node->line, at->node->column, at->path, what, quote, got,
                     quote);
}

static bool read_number(const dlp_source *at, double *out_value)
{
    double value;
    const bool is_number = at->node->kind == DLP_NODE_SCALAR && !at->node->is_quoted &&
                           dlp_number_read(at->node->text, &value) && isfinite(value);
    if (is_number)
        *out_value = value;
    else
        dlp_source_refuse(at, "must be a finite number");
    return is_number;
}

bool dlp_source_number(const dlp_source *map, const char *key, double *out_value)
{
    const dlp_source value = dlp_source_of(map, key);
    return value.node != NULL && read_number(&value, out_value);
}

bool dlp_source_positive(const dlp_source *map, const char *key, double *out_value)
{
    const dlp_source at = dlp_source_of(map, key);
    double value;
    if (at.node == NULL || !read_number(&at, &value)) return false;
    if (!(value > 0)) {
        dlp_source_refuse(&at, "must be above 0");
        return false;
    }
    *out_value = value;
    return true;
}

bool dlp_source_vector(const dlp_source *map, const char *key, dlp_vec3 *out_value)
{
    const dlp_source value = dlp_source_of(map, key);
    if (value.node == NULL) return false;
    if (value.node->kind != DLP_NODE_LIST || value.node->count != 3) {
        dlp_source_refuse(&value, "must be a list of three numbers");
        return false;
    }
    double numbers[3];
    const dlp_node *node = value.node->first;
    for (int k = 0; k < 3; k++, node = node->next) {
        dlp_source item = {.conversion = map->conversion, .node = node};
        snprintf(item.path, sizeof item.path, "%.140s[%d]", value.path, k);
        if (!read_number(&item, &numbers[k])) return false;
    }
    *out_value = dlp_vec(numbers[0], numbers[1], numbers[2]);
    return true;
}

/* The other program takes whole numbers for true and false, too. */
bool dlp_source_flag(const dlp_source *map, const char *key, bool *out_value)
{
    const dlp_source value = dlp_source_of(map, key);
    if (value.node == NULL) return false;
    const char *text = value.node->kind == DLP_NODE_SCALAR && !value.node->is_quoted ? value.node->text : "";
    double number = 0;
    const bool is_true = strcmp(text, "true") == 0, is_false = strcmp(text, "false") == 0;
    if (!is_true && !is_false && !(dlp_number_read(text, &number) && isfinite(number))) {
        dlp_source_refuse(&value, "must be true or false");
        return false;
    }
    *out_value = is_true || number != 0;
    return true;
}

bool dlp_source_text(const dlp_source *map, const char *key, const char **out_value)
{
    const dlp_source value = dlp_source_of(map, key);
    if (value.node == NULL) return false;
    if (value.node->kind != DLP_NODE_SCALAR) {
        dlp_source_refuse(&value, "must be a text");
        return false;
    }
    *out_value = value.node->text;
    return true;
}

static void add_line(dlp_string *lines, const dlp_source *map, const char *key, char *words)
{
    char path[160];
    if (key != NULL)
        make_path(map, key, path);
    else
        snprintf(path, sizeof path, "%s", map->path);
    make_plain(words);
    dlp_string_add(lines, "%s: %s\n", path, words);
}

void dlp_convert_lose(const dlp_source *map, const char *key, const char *format, ...)
{
    char words[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    map->conversion->lost_count++;
    add_line(&map->conversion->lost, map, key, words);
}

void dlp_convert_change(const dlp_source *map, const char *key, const char *format, ...)
{
    char words[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    map->conversion->changed_count++;
    add_line(&map->conversion->changed, map, key, words);
}

void dlp_convert_add_number(dlp_string *text, double number)
{
    char digits[40];
    double rounded = 0;
    snprintf(digits, sizeof digits, "%.12g", number == 0 ? 0 : number); /* no -0 */
    if (!dlp_number_read(digits, &rounded)) rounded = number;
    dlp_string_add_number(text, rounded);
}

void dlp_convert_add_vector(dlp_string *text, dlp_vec3 v, int32_t dimension)
{
    const double numbers[3] = {v.x, v.y, v.z};
    dlp_string_add(text, "[");
    for (int k = 0; k < dimension; k++) {
        dlp_string_add(text, "%s", k > 0 ? ", " : "");
        dlp_convert_add_number(text, numbers[k]);
    }
    dlp_string_add(text, "]");
}
