/* The resolved scene as text: as YAML, parameter by parameter, and compared with another one. Parameters come
 * in the order of the table, so that neighbours share the beginnings of their paths: the writers open and
 * close only what differs. */
#include "scene/handle.h"

#include <stdio.h>
#include <string.h>

// One part of a path: "obstacles", "[1]", "box". Gives its length, without the dot before it.
static const char *next_part(const char *at, size_t *out_length)
{
    if (*at == '.') at++;
    *out_length = *at == '[' ? strcspn(at, "]") + 1 : strcspn(at, ".[");
    return at;
}

// How many bytes two paths share, in whole parts, and how many parts that are.
static size_t shared_length(const char *path, const char *other, int32_t *out_parts)
{
    size_t shared = 0;
    *out_parts = 0;
    while (path[shared] != '\0' && other[shared] != '\0') {
        size_t length, other_length;
        const char *part = next_part(path + shared, &length),
                   *other_part = next_part(other + shared, &other_length);
        if (length != other_length || strncmp(part, other_part, length) != 0) break;
        shared = (size_t)(part - path) + length;
        (*out_parts)++;
    }
    return shared;
}

// Block style. Opens what this path has and the one before did not: one key per line, an entry of a list as
// "- " before its first key.
static void write_block(dlp_string *text, const char *previous, const dlp_parameter *parameter)
{
    int32_t level;
    const char *at = parameter->path + shared_length(parameter->path, previous, &level);
    bool is_after_dash = false;
    while (*at != '\0') {
        size_t length;
        at = next_part(at, &length);
        if (!is_after_dash) dlp_string_add(text, "\n%*s", 2 * level, "");
        is_after_dash = *at == '[';
        if (is_after_dash)
            dlp_string_add(text, "- ");
        else
            dlp_string_add(text, "%.*s:", (int)length, at);
        at += length;
        level++;
    }
    dlp_string_add(text, " %s", parameter->value);
}

// Flow style, which a build without libyaml can read, too. Closes what only the path before had (`at` is what
// is left of it), innermost first; the value itself has nothing to close.
static void close_flow(dlp_string *text, const char *at)
{
    size_t length;
    at = next_part(at, &length);
    if (at[length] == '\0') return;
    close_flow(text, at + length);
    const char *inner = next_part(at + length, &length);
    dlp_string_add(text, "%c", *inner == '[' ? ']' : '}');
}

// Closes what ends, then opens what begins, with commas between.
static void write_flow(dlp_string *text, const char *previous, const dlp_parameter *parameter)
{
    int32_t level;
    const size_t shared = shared_length(parameter->path, previous, &level);
    if (*previous != '\0') close_flow(text, previous + shared);
    const char *at = parameter->path + shared;
    dlp_string_add(text, "%s\n%*s", *previous != '\0' ? "," : "", level, "");
    while (*at != '\0') {
        size_t length, inner_length;
        at = next_part(at, &length);
        const char *inner = next_part(at + length, &inner_length);
        if (*at != '[') dlp_string_add(text, "\"%.*s\": ", (int)length, at);
        if (*inner != '\0') dlp_string_add(text, "%c", *inner == '[' ? '[' : '{');
        at += length;
    }
    dlp_string_add(text, "%s", parameter->value);
}

// Without libyaml the text is JSON, which both builds read.
static void write_parameters(const dlp_scene *scene, dlp_string *text)
{
    const bool is_block = dlp_yaml_is_available();
    if (is_block)
        dlp_string_add(text, "# %s, resolved: every parameter as it was run, in SI units", scene->name);
    else
        dlp_string_add(text, "{");
    const char *previous = "";
    for (int32_t k = 0; k < scene->parameters.count; k++) {
        if (is_block)
            write_block(text, previous, &scene->parameters.items[k]);
        else
            write_flow(text, previous, &scene->parameters.items[k]);
        previous = scene->parameters.items[k].path;
    }
    if (!is_block) close_flow(text, previous);
    dlp_string_add(text, is_block ? "\n" : "}\n");
}

dlp_status dlp_scene_write(dlp_scene *scene, char **out_text, dlp_error *error)
{
    *out_text = NULL;
    DLP_TRY(dlp_scene_check(scene, error));
    dlp_string text = {0};
    write_parameters(scene, &text);
    if (text.has_failed) {
        dlp_string_release(&text);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory to write it", scene->file);
    }
    *out_text = text.data;
    return DLP_OK;
}

// In the order of the table; the visitor must not change the scene.
dlp_status dlp_scene_visit(dlp_scene *scene, dlp_parameter_fn *visit, void *context, dlp_error *error)
{
    DLP_TRY(dlp_scene_check(scene, error));
    for (int32_t k = 0; k < scene->parameters.count; k++) visit(context, &scene->parameters.items[k]);
    return DLP_OK;
}

static bool ends_with(const char *path, const char *end)
{
    const size_t length = strlen(path), part = strlen(end);
    return length >= part && strcmp(path + length - part, end) == 0;
}

// Length, recording and pictures change nothing about the motion.
static bool is_free(const char *path)
{
    const bool is_substance = strncmp(path, "substances.", 11) == 0;
    return strcmp(path, "title") == 0 || strcmp(path, "frames.count") == 0 ||
           strncmp(path, "record.", 7) == 0 || strncmp(path, "camera.", 7) == 0 ||
           strncmp(path, "render.", 7) == 0 ||
           (is_substance && (ends_with(path, ".color") || ends_with(path, ".look")));
}

// The next parameter that counts.
static const dlp_parameter *next_of(const dlp_parameters *list, int32_t *k)
{
    while (*k < list->count && is_free(list->items[*k].path)) (*k)++;
    return *k < list->count ? &list->items[(*k)++] : NULL;
}

static const dlp_parameter *find_path(const dlp_parameters *list, const char *path)
{
    for (int32_t k = 0; k < list->count; k++)
        if (strcmp(list->items[k].path, path) == 0) return &list->items[k];
    return NULL;
}

// Where long values begin to be shown: a little before they differ.
static size_t start_of_difference(const char *a, const char *b)
{
    enum { BEFORE = 20 };
    size_t same = 0;
    while (a[same] != '\0' && a[same] == b[same]) same++;
    size_t start = same > BEFORE ? same - BEFORE : 0;
    while (start > 0 && ((unsigned char)a[start] & 0xc0) == 0x80) start--;  // not inside of a character
    return start;
}

// A part of a value that is short enough for a message.
static void show_value(const char *value, size_t start, char out_text[112])
{
    enum { SHOWN = 100 };
    const bool is_long = strlen(value) > SHOWN;
    const char *const at = is_long ? value + start : value;
    size_t length = strlen(at) > SHOWN ? SHOWN : strlen(at);
    while (length > 0 && ((unsigned char)at[length] & 0xc0) == 0x80) length--;
    snprintf(out_text, 112, "%s%.*s%s", at > value ? "..." : "", (int)length, at,
             at[length] != '\0' ? "..." : "");
}

// "path: one against other"; "nothing" where a scene does not have it.
static void tell_difference(const char *path, const dlp_parameter *a, const dlp_parameter *b, char *out_text,
                            size_t size)
{
    const char *const one = a != NULL ? a->value : "nothing", *const other = b != NULL ? b->value : "nothing";
    const size_t start = start_of_difference(one, other);
    char shown[2][112];
    show_value(one, start, shown[0]);
    show_value(other, start, shown[1]);
    snprintf(out_text, size, "%s: %s against %s", path, shown[0], shown[1]);
}

// Both lists are in the order of the table, so that the first difference is found in one pass.
void dlp_scene_difference(dlp_scene *a, dlp_scene *b, char *out_text, size_t size)
{
    int32_t at_a = 0, at_b = 0;
    snprintf(out_text, size, "%s", "");
    dlp_error error = {0};
    if (dlp_scene_check(a, &error) != DLP_OK || dlp_scene_check(b, &error) != DLP_OK) {
        snprintf(out_text, size, "%s", error.message);
        return;
    }
    for (;;) {
        const dlp_parameter *p = next_of(&a->parameters, &at_a), *q = next_of(&b->parameters, &at_b);
        if (p == NULL && q == NULL) return;
        if (p != NULL && q != NULL && strcmp(p->path, q->path) == 0) {
            if (strcmp(p->value, q->value) == 0) continue;
            tell_difference(p->path, p, q, out_text, size);
            return;
        }
        // the lists differ here: one has a parameter that the other lacks
        const bool is_a_alone = p != NULL && find_path(&b->parameters, p->path) == NULL;
        if (is_a_alone)
            tell_difference(p->path, p, NULL, out_text, size);
        else if (q != NULL)
            tell_difference(q->path, find_path(&a->parameters, q->path), q, out_text, size);
        else
            tell_difference(p->path, p, find_path(&b->parameters, p->path), out_text, size);
        return;
    }
}
