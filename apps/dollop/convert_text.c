/* Recognizes a foreign scene and converts it: from text to text, so that files are the verb's alone. */
#include "convert.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

/* A further format is a row here and a reader of its own. */
static const struct {
    const char *program;
    bool (*is)(const dlp_node *root);
    dlp_status (*convert)(dlp_conversion *conversion, dlp_error *error);
} formats[] = {
    {"SPlisHSPlasH", dlp_splishsplash_is, dlp_splishsplash_convert},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

static dlp_status refuse_format(const dlp_conversion *conversion, dlp_error *error)
{
    const dlp_node *root = conversion->document.root;
    if (root != NULL && root->kind == DLP_NODE_MAP && dlp_node_find(root, "substances") != NULL)
        return dlp_fail(error, DLP_INVALID, "%s: is a scene of Dollop already", conversion->name);
    dlp_string names = {0};
    for (int32_t k = 0; k < FORMAT_COUNT; k++)
        dlp_string_add(&names, "%s%s", k > 0 ? ", " : "", formats[k].program);
    const dlp_status status = dlp_fail(error, DLP_INVALID, "%s: is no scene of a program that is known: %s",
                                       conversion->name, names.data != NULL ? names.data : "");
    dlp_string_release(&names);
    return status;
}

/* The mark that some editors put before UTF-8. */
static size_t mark_length(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Formats so far are JSON objects; anything else would be answered with a mistake at some comma. */
static bool is_object(const char *text, size_t length)
{
    size_t k = 0;
    while (k < length && strchr(" \t\r\n", text[k]) != NULL && text[k] != 0) k++;
    return k < length && text[k] == '{';
}

static dlp_status convert_document(dlp_conversion *conversion, dlp_error *error)
{
    for (int32_t k = 0; k < FORMAT_COUNT; k++) {
        if (conversion->document.root == NULL || !formats[k].is(conversion->document.root)) continue;
        conversion->program = formats[k].program;
        return formats[k].convert(conversion, error);
    }
    return refuse_format(conversion, error);
}

/* A mistake keeps its place; a converter may have found several. */
dlp_status dlp_convert_text(dlp_conversion *conversion, const char *text, size_t length, dlp_error *error)
{
    dlp_error mistakes = {0};
    const size_t skipped = mark_length(text, length);
    if (!is_object(text + skipped, length - skipped)) return refuse_format(conversion, error);
    DLP_TRY(dlp_json_read(text + skipped, length - skipped, conversion->name, &conversion->document, error));
    conversion->error = &mistakes;
    const dlp_status status = convert_document(conversion, error);
    conversion->error = NULL;
    if (mistakes.status != DLP_OK) return dlp_fail(error, mistakes.status, "%s", mistakes.message);
    DLP_TRY(status);
    DLP_TRY(dlp_format_check(&conversion->scene, conversion->name, error));
    DLP_TRY(dlp_format_check(&conversion->lost, conversion->name, error));
    return dlp_format_check(&conversion->changed, conversion->name, error);
}

void dlp_conversion_release(dlp_conversion *conversion)
{
    dlp_document_release(&conversion->document);
    dlp_string_release(&conversion->scene);
    dlp_string_release(&conversion->lost);
    dlp_string_release(&conversion->changed);
}

static void add_comments(dlp_string *text, const char *title, const dlp_string *lines)
{
    if (lines->data == NULL) return;
    dlp_string_add(text, "#\n# %s\n", title);
    for (const char *line = lines->data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        dlp_string_add(text, "#   %.*s\n", (int)(end - line), line);
}

void dlp_conversion_write(const dlp_conversion *conversion, dlp_string *out_text)
{
    dlp_string_add(out_text, "# Converted from a scene of %s.\n", conversion->program);
    add_comments(out_text, "Not carried over:", &conversion->lost);
    add_comments(out_text, "Carried over differently:", &conversion->changed);
    dlp_string_add(out_text, "\n%s", conversion->scene.data != NULL ? conversion->scene.data : "");
}
