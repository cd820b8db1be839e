/* Splits --vary and counts through the combinations. */
#include "vary.h"

#include "base/memory.h"
#include "base/status.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void dlp_vary_release(dlp_vary *vary)
{
    for (int32_t k = 0; k < vary->list_count; k++) {
        dlp_vary_list *list = &vary->lists[k];
        for (int32_t i = 0; i < list->count; i++) dlp_free(list->values[i]);
        dlp_free(list->values);
        dlp_free(list->path);
    }
    dlp_free(vary->lists);
    *vary = (dlp_vary){0};
}

/* Where a value ends: at the first comma outside of brackets and quotes, or at the end; NULL where a bracket
 * or a quote does not match. Brackets nest as in a scene. */
static const char *end_of_value(const char *at)
{
    enum { DEPTH = 32 };
    char open[DEPTH];
    int depth = 0;
    for (; *at != 0 && (depth > 0 || *at != ','); at++) {
        if (*at == '[' || *at == '{') {
            if (depth == DEPTH) return NULL;
            open[depth++] = *at == '[' ? ']' : '}';
        } else if (*at == ']' || *at == '}') {
            if (depth == 0 || open[--depth] != *at) return NULL;
        } else if (*at == '"' || *at == '\'') {
            at = strchr(at + 1, *at);
            if (at == NULL) return NULL;
        }
    }
    return depth == 0 ? at : NULL;
}

/* Without blanks at its ends; NULL when there is not enough memory. */
static char *copy_trimmed(const char *begin, const char *end)
{
    while (begin < end && isspace((unsigned char)*begin)) begin++;
    while (end > begin && isspace((unsigned char)end[-1])) end--;
    const size_t length = (size_t)(end - begin);
    char *copy = dlp_alloc(length + 1, 1, "options");
    if (copy != NULL) memcpy(copy, begin, length);
    return copy;
}

static dlp_status add_value(dlp_vary_list *list, int32_t *capacity, const char *begin, const char *end,
                            dlp_error *error)
{
    DLP_TRY(dlp_reserve(&list->values, capacity, list->count + 1, sizeof *list->values, "options", error));
    char *value = copy_trimmed(begin, end);
    if (value == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "--vary: not enough memory");
    list->values[list->count++] = value;
    if (value[0] == 0)
        return dlp_fail(error, DLP_INVALID, "--vary %s: value %d is missing", list->path, list->count);
    for (int32_t k = 0; k + 1 < list->count; k++) {
        if (strcmp(list->values[k], value) == 0)
            return dlp_fail(error, DLP_INVALID, "--vary %s: %s is given twice", list->path, value);
    }
    return DLP_OK;
}

static dlp_status read_values(dlp_vary_list *list, const char *at, dlp_error *error)
{
    for (int32_t capacity = 0;; at++) {
        const char *end = end_of_value(at);
        if (end == NULL)
            return dlp_fail(error, DLP_INVALID,
                            "--vary %s: a bracket or quote of value %d has no counterpart: %s", list->path,
                            list->count + 1, at);
        DLP_TRY(add_value(list, &capacity, at, end, error));
        at = end;
        if (*at == 0) return DLP_OK;
    }
}

static dlp_status read_list(dlp_vary *vary, const char *option, dlp_error *error)
{
    const size_t length = strcspn(option, "=");
    if (option[length] != '=' || length == 0)
        return dlp_fail(error, DLP_INVALID,
                        "--vary %s: must be PATH=A,B,..., as in substances.honey.viscosity=1,10", option);
    dlp_vary_list *list = &vary->lists[vary->list_count++];
    list->path = copy_trimmed(option, option + length);
    if (list->path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "--vary: not enough memory");
    for (int32_t k = 0; k + 1 < vary->list_count; k++) {
        if (strcmp(vary->lists[k].path, list->path) == 0)
            return dlp_fail(error, DLP_INVALID, "--vary %s: is given twice; put all values into one",
                            list->path);
    }
    return read_values(list, option + length + 1, error);
}

/* The part of a path after its last dot but `dots`; the whole where it has fewer. */
static const char *path_end(const char *path, int dots)
{
    const char *at = path + strlen(path);
    while (at > path && (at[-1] != '.' || dots-- > 0)) at--;
    return at;
}

static bool is_key_unique(const dlp_vary *vary, int32_t list, const char *key, int dots)
{
    for (int32_t k = 0; k < vary->list_count; k++) {
        if (k != list && strcmp(path_end(vary->lists[k].path, dots), key) == 0) return false;
    }
    return true;
}

static void choose_keys(dlp_vary *vary)
{
    for (int32_t k = 0; k < vary->list_count; k++) {
        const char *path = vary->lists[k].path, *key = path_end(path, 0);
        for (int dots = 0; key > path && !is_key_unique(vary, k, key, dots); dots++)
            key = path_end(path, dots + 1);
        vary->lists[k].key = key;
    }
}

static dlp_status read_lists(dlp_vary *vary, const dlp_words *options, dlp_error *error)
{
    vary->lists = dlp_alloc((size_t)options->count, sizeof *vary->lists, "options");
    if (vary->lists == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "--vary: not enough memory");
    double product = 1;
    for (int32_t k = 0; k < options->count; k++) {
        DLP_TRY(read_list(vary, options->items[k], error));
        product *= vary->lists[k].count;
    }
    if (product > DLP_VARIANT_LIMIT)
        return dlp_fail(error, DLP_INVALID, "--vary: %.15g combinations; at most %d are allowed", product,
                        DLP_VARIANT_LIMIT);
    vary->variant_count = (int32_t)product;
    choose_keys(vary);
    return DLP_OK;
}

dlp_status dlp_vary_read(const dlp_words *options, dlp_vary *out_vary, dlp_error *error)
{
    *out_vary = (dlp_vary){0};
    const dlp_status status = read_lists(out_vary, options, error);
    if (status != DLP_OK) dlp_vary_release(out_vary);
    return status;
}

const char *dlp_vary_value(const dlp_vary *vary, int32_t variant, int32_t list)
{
    for (int32_t k = vary->list_count - 1; k > list; k--) variant /= vary->lists[k].count;
    return vary->lists[list].values[variant % vary->lists[list].count];
}

void dlp_vary_label(const dlp_vary *vary, int32_t variant, char out_label[DLP_VARIANT_LABEL])
{
    size_t length = 0;
    out_label[0] = 0;
    for (int32_t k = 0; k < vary->list_count && length < DLP_VARIANT_LABEL; k++)
        length += (size_t)snprintf(out_label + length, DLP_VARIANT_LABEL - length, "%s%s=%s",
                                   k > 0 ? ", " : "", vary->lists[k].key, dlp_vary_value(vary, variant, k));
}

/* Letters that are safe in a file's name on every system stay; runs of others become one underscore, at most
 * between two that stay. */
static void add_safe(const char *words, char *text, size_t size)
{
    size_t length = strlen(text);
    bool is_gap = false;
    const size_t start = length;
    for (; *words != 0 && length + 2 < size; words++) {
        const bool is_safe = isalnum((unsigned char)*words) || strchr(".+-", *words) != NULL;
        if (is_safe && is_gap && length > start) text[length++] = '_';
        if (is_safe) text[length++] = *words;
        is_gap = !is_safe;
    }
    text[length] = 0;
}

static void write_name(const dlp_vary *vary, int32_t variant, char *out_name, size_t size)
{
    out_name[0] = 0;
    for (int32_t k = 0; k < vary->list_count; k++) {
        const size_t length = strlen(out_name);
        if (k > 0) snprintf(out_name + length, size - length, "_");
        add_safe(vary->lists[k].key, out_name, size);
        snprintf(out_name + strlen(out_name), size - strlen(out_name), "=");
        add_safe(dlp_vary_value(vary, variant, k), out_name, size);
    }
}

/* Values that differ only in what was left out, or that were cut, get the variant's number. */
void dlp_vary_name(const dlp_vary *vary, int32_t variant, char out_name[DLP_VARIANT_NAME])
{
    enum { SIZE = DLP_VARIANT_NAME - 8 };
    char other[SIZE];
    bool is_taken = false;
    write_name(vary, variant, out_name, SIZE);
    for (int32_t k = 0; k < vary->variant_count && !is_taken; k++) {
        if (k == variant) continue;
        write_name(vary, k, other, SIZE);
        is_taken = strcmp(out_name, other) == 0;
    }
    const size_t length = strlen(out_name);
    if (is_taken) snprintf(out_name + length, DLP_VARIANT_NAME - length, "-%d", variant + 1);
}
