/* A single value: from a node into a field by its row, and back into text or numbers. A row's type says what
 * the field is; memcpy moves it where the type of the field is not known here. */
#include "base/memory.h"
#include "scene/formula.h"
#include "scene/resolve.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// Inputs are numbers, vectors and pairs only (dlp_inputs).
size_t dlp_value_size(dlp_schema_row_type type)
{
    switch (type) {
    case DLP_ROW_NUMBER:
        return sizeof(double);
    case DLP_ROW_VECTOR:
        return sizeof(dlp_vec3);
    case DLP_ROW_PAIR:
        return 2 * sizeof(double);
    default:
        return 0;
    }
}

static void quote_text(const char *text, char out_text[96])
{
    char part[DLP_SHORT_TEXT];
    dlp_shorten(text, part);
    snprintf(out_text, 96, "\"%s\"", part);
}

// For messages: short, and safe to print whatever the file contains.
void dlp_node_describe(const dlp_node *node, char out_text[96])
{
    double number;
    if (dlp_node_is_empty(node))
        snprintf(out_text, 96, "nothing");
    else if (node->kind == DLP_NODE_LIST)
        snprintf(out_text, 96, "a list of %d", node->count);
    else if (node->kind == DLP_NODE_MAP)
        snprintf(out_text, 96, "a map");
    else if (!node->is_quoted && dlp_number_read(node->text, &number))
        snprintf(out_text, 96, "%.40s", node->text);
    else
        quote_text(node->text, out_text);
}

// Notes "must be ... (got ...)" and returns false.
static bool refuse(dlp_resolver *r, const dlp_node *node, const char *expected)
{
    char found[96];
    dlp_node_describe(node, found);
    dlp_mistake_at(r, node, "must be %s (got %s)", expected, found);
    return false;
}

// The allowed range as words for "must be": "≥ 0", "between 0 and 1", "2 or 3", "> 0 and ≤ 1".
static void add_range(const dlp_schema_row *row, dlp_string *text)
{
    const bool is_open_min = (row->flags & DLP_ROW_OPEN_MIN) != 0,
               is_open_max = (row->flags & DLP_ROW_OPEN_MAX) != 0;
    const bool is_pair = row->type == DLP_ROW_INTEGER && row->max - row->min == 1;
    if (row->min == row->max || is_pair) {
        dlp_string_add_number(text, row->min);
        if (is_pair) dlp_string_add(text, " or %d", (int)row->max);
        return;
    }
    if (isfinite(row->min) && isfinite(row->max) && !is_open_min && !is_open_max) {
        dlp_string_add(text, "between ");
        dlp_string_add_number(text, row->min);
        dlp_string_add(text, " and ");
        dlp_string_add_number(text, row->max);
        return;
    }
    if (isfinite(row->min)) {
        dlp_string_add(text, is_open_min ? "> " : "≥ ");
        dlp_string_add_number(text, row->min);
    }
    if (isfinite(row->min) && isfinite(row->max)) dlp_string_add(text, " and ");
    if (isfinite(row->max)) {
        dlp_string_add(text, is_open_max ? "< " : "≤ ");
        dlp_string_add_number(text, row->max);
    }
}

// Comparisons are written so that NaN fails.
static bool check_range(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, double value)
{
    const bool is_above = (row->flags & DLP_ROW_OPEN_MIN) != 0 ? value > row->min : value >= row->min;
    const bool is_below = (row->flags & DLP_ROW_OPEN_MAX) != 0 ? value < row->max : value <= row->max;
    if (is_above && is_below) return true;
    dlp_string range = {0};
    add_range(row, &range);
    refuse(r, node, range.data != NULL ? range.data : "in range");
    dlp_string_release(&range);
    return false;
}

// What YAML and others write for numbers that are not finite: they get a message of their own.
static bool is_endless(const char *text)
{
    static const char *const words[] = {"nan",  ".nan",  "inf",   ".inf", "infinity",
                                        "-inf", "-.inf", "+.inf", "+inf", "-nan"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcasecmp(text, words[k]) == 0) return true;
    return false;
}

// What begins as arithmetic does gets told where it goes wrong.
static bool refuse_arithmetic(dlp_resolver *r, const dlp_node *node, const char *expected)
{
    dlp_formula formula;
    dlp_error error = {0};
    size_t at;
    const bool is_plain = node->kind == DLP_NODE_SCALAR && !node->is_quoted;
    if (!is_plain || strpbrk(node->text, "+*/^(") == NULL ||
        dlp_formula_compile(node->text, NULL, &formula, &at, &error) == DLP_OK || at == 0)
        return refuse(r, node, expected);
    char found[96];
    dlp_node_describe(node, found);
    dlp_mistake_at(r, node, "must be %s (got %s; character %zu: %s)", expected, found, at + 1, error.message);
    return false;
}

// A value that is refused leaves the field as it was: later checks still see a sound record.
static bool read_number(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, double *out)
{
    double number = 0;
    const bool is_plain = node->kind == DLP_NODE_SCALAR && !node->is_quoted;
    if (is_plain && is_endless(node->text)) return refuse(r, node, "a finite number");
    if (is_plain && dlp_number_read(node->text, &number) && !isfinite(number))
        return refuse(r, node, "a finite number");
    if (!is_plain || !dlp_constant_read(node->text, &number)) return refuse_arithmetic(r, node, "a number");
    if (!check_range(r, row, node, number)) return false;
    *out = number;
    return true;
}

// 1e3 and 2.0 are whole numbers too.
static bool read_integer(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, int32_t *out)
{
    double number = 0;
    if (node->kind != DLP_NODE_SCALAR || node->is_quoted || !dlp_constant_read(node->text, &number))
        return refuse_arithmetic(r, node, "a whole number");
    if (!(number >= INT32_MIN && number <= INT32_MAX) || number != floor(number))
        return refuse(r, node, "a whole number");
    if (!check_range(r, row, node, number)) return false;
    *out = (int32_t)number;
    return true;
}

// YAML's yes, no, on and off are not taken.
static bool read_switch(dlp_resolver *r, const dlp_node *node, bool *out)
{
    const bool is_plain = node->kind == DLP_NODE_SCALAR && !node->is_quoted;
    const bool is_true = is_plain && strcmp(node->text, "true") == 0;
    if (!is_true && !(is_plain && strcmp(node->text, "false") == 0)) return refuse(r, node, "true or false");
    *out = is_true;
    return true;
}

// All components are read, so that all mistakes are noted. The caller has checked how many there are.
static bool read_components(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, double *out)
{
    int32_t k = 0;
    bool is_good = true;
    for (const dlp_node *item = node->first; item != NULL; item = item->next)
        is_good = read_number(r, row, item, &out[k++]) && is_good;
    return is_good;
}

// In 2-D vectors must lie in the plane and axes must be along z.
static bool check_plane(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, const double *v)
{
    if (r->def->dimension != 2) return true;
    if ((row->flags & DLP_ROW_PLANAR) != 0 && v[2] != 0) {
        dlp_mistake_at(r, node, "must have z = 0 in a 2-D scene");
        return false;
    }
    if ((row->flags & DLP_ROW_TURN) != 0 && (v[0] != 0 || v[1] != 0)) {
        dlp_mistake_at(r, node, "must be about z alone in a 2-D scene: [0, 0, ...]");
        return false;
    }
    return true;
}

// In 2-D two numbers are enough, where z would be 0.
static bool read_vector(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, double *out)
{
    const bool may_be_short = r->def->dimension == 2 && (row->flags & DLP_ROW_THREE) == 0;
    const bool is_list = node->kind == DLP_NODE_LIST;
    if (!is_list || !(node->count == 3 || (may_be_short && node->count == 2)))
        return refuse(r, node, may_be_short ? "a list of 2 or 3 numbers" : "a list of 3 numbers");
    double v[3] = {0, 0, 0};
    if (!read_components(r, row, node, v) || !check_plane(r, row, node, v)) return false;
    memcpy(out, v, sizeof v);
    return true;
}

// Both numbers into two consecutive doubles.
static bool read_pair(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, double *out)
{
    double v[2];
    if (node->kind != DLP_NODE_LIST || node->count != 2) return refuse(r, node, "a list of 2 numbers");
    if (!read_components(r, row, node, v)) return false;
    memcpy(out, v, sizeof v);
    return true;
}

// In 2-D the third count is 1.
static bool read_counts(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, int32_t *out)
{
    const bool is_flat = r->def->dimension == 2;
    if (node->kind != DLP_NODE_LIST || !(node->count == 3 || (is_flat && node->count == 2)))
        return refuse(r, node, is_flat ? "a list of 2 or 3 whole numbers" : "a list of 3 whole numbers");
    int32_t counts[3] = {1, 1, 1}, k = 0;
    bool is_good = true;
    for (const dlp_node *item = node->first; item != NULL; item = item->next)
        is_good = read_integer(r, row, item, &counts[k++]) && is_good;
    if (is_good) memcpy(out, counts, sizeof counts);
    return is_good;
}

// The array is stored at once, so that the record frees it whatever follows.
static bool read_numbers(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, char *base)
{
    if (node->kind != DLP_NODE_LIST || node->count == 0) return refuse(r, node, "a list of numbers");
    double *values = dlp_alloc((size_t)node->count, sizeof *values, "scene");
    if (values == NULL) {
        r->is_out_of_memory = true;
        return false;
    }
    memcpy(base + row->offset, &values, sizeof(double *));
    memcpy(base + row->count_offset, &node->count, sizeof node->count);
    return read_components(r, row, node, values);
}

// x, y or z; in 2-D not z.
static bool read_axis(dlp_resolver *r, const dlp_node *node, bool *axes)
{
    static const char *const names[] = {"x", "y", "z"};
    for (int axis = 0; axis < 3; axis++) {
        if (node->kind != DLP_NODE_SCALAR || strcmp(node->text, names[axis]) != 0) continue;
        if (axis >= r->def->dimension) {
            dlp_mistake_at(r, node, "z is not an axis of a 2-D scene");
            return false;
        }
        axes[axis] = true;
        return true;
    }
    return refuse(r, node, "a list of axes: x, y, z");
}

// In any order; an empty list is no axis.
static bool read_axes(dlp_resolver *r, const dlp_node *node, bool *out)
{
    bool axes[3] = {false, false, false}, is_good = true;
    if (node->kind != DLP_NODE_LIST) return refuse(r, node, "a list of axes: x, y, z");
    for (const dlp_node *item = node->first; item != NULL; item = item->next)
        is_good = read_axis(r, item, axes) && is_good;
    if (is_good) memcpy(out, axes, sizeof axes);
    return is_good;
}

// All choices, and the nearest one.
static bool refuse_word(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node)
{
    dlp_string expected = {0};
    dlp_suggestion nearest = {.word = node->kind == DLP_NODE_SCALAR ? node->text : ""};
    for (int32_t k = 0; row->words[k] != NULL; k++) {
        dlp_string_add(&expected, "%s%s", k == 0 ? "one of " : ", ", row->words[k]);
        dlp_suggestion_offer(&nearest, row->words[k]);
    }
    char found[96];
    dlp_node_describe(node, found);
    const char *const hint = nearest.best != NULL ? "; did you mean " : "";
    dlp_mistake_at(r, node, "must be %s (got %s)%s%s%s",
                   expected.data != NULL ? expected.data : "a known word", found, hint,
                   nearest.best != NULL ? nearest.best : "", nearest.best != NULL ? "?" : "");
    dlp_string_release(&expected);
    return false;
}

// Known words of later versions get a message of their own.
static bool read_word(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, void *out)
{
    for (int32_t k = 0; node->kind == DLP_NODE_SCALAR && row->words[k] != NULL; k++) {
        if (strcmp(node->text, row->words[k]) != 0) continue;
        if ((row->missing >> k & 1) != 0) {
            dlp_mistake_at(r, node, "%s is not available in this version", row->words[k]);
            return false;
        }
        memcpy(out, &k, sizeof k);  // the enums are as wide as an int
        return true;
    }
    return refuse_word(r, row, node);
}

// The record owns the copy.
static bool keep_text(dlp_resolver *r, const char *text, void *out)
{
    char *copy = dlp_copy_text(text, "scene");
    if (copy == NULL)
        r->is_out_of_memory = true;
    else
        memcpy(out, &copy, sizeof copy);
    return copy != NULL;
}

// The material counts for the rows after this one: it stands first in the table.
static bool read_material(dlp_resolver *r, const dlp_node *node, void *out)
{
    r->material = dlp_preset_find(node->text);
    if (r->material != NULL || node->text[0] == '\0') return keep_text(r, node->text, out);
    dlp_suggestion nearest = {.word = node->text};
    dlp_string known = {0};
    int32_t count = 0;
    const dlp_preset *presets = dlp_presets(&count);
    for (int32_t k = 0; k < count; k++) {
        dlp_suggestion_offer(&nearest, presets[k].name);
        dlp_string_add(&known, "%s%s", k > 0 ? ", " : "", presets[k].name);
    }
    char found[96];
    dlp_node_describe(node, found);
    if (nearest.best != NULL)
        dlp_mistake_at(r, node, "%s is not known; did you mean %s?", found, nearest.best);
    else
        dlp_mistake_at(r, node, "%s is not known; known are %s", found, known.data != NULL ? known.data : "");
    dlp_string_release(&known);
    return false;
}

// The canonical path is kept: the written scene then works from any folder.
static bool read_file(dlp_resolver *r, const dlp_node *node, void *out)
{
    char *whole = NULL;
    const dlp_status status = dlp_file_find(r->folder, node->text, &whole);
    if (status == DLP_OUT_OF_MEMORY) r->is_out_of_memory = true;
    if (status == DLP_OK) memcpy(out, &whole, sizeof whole);
    if (status != DLP_IO) return status == DLP_OK;
    char found[96];
    quote_text(node->text, found);
    dlp_mistake_at(r, node, "cannot open %s (%s)", found, strerror(errno));
    return false;
}

// The kinds of text differ in their checks; all are stored as char *.
static bool read_text(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, void *out)
{
    if (node->kind != DLP_NODE_SCALAR)
        return refuse(r, node, row->type == DLP_ROW_NAME ? "a name" : "a text");
    if (row->type == DLP_ROW_MATERIAL) return read_material(r, node, out);
    if (row->type == DLP_ROW_FILE) return read_file(r, node, out);
    if (row->type == DLP_ROW_NAME && (!dlp_is_name(node->text) || strlen(node->text) > DLP_NAME_LIMIT))
        return refuse(r, node, "a name: a letter, then letters, digits, _ and -, at most 64 in all");
    return keep_text(r, node->text, out);
}

// The array is stored at once, and its count grows with what is in it, so that the record frees it whatever
// follows.
static bool read_texts(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, char *base)
{
    if (node->kind != DLP_NODE_LIST || node->count == 0) return refuse(r, node, "a list of texts");
    char **texts = dlp_alloc((size_t)node->count, sizeof *texts, "scene");
    if (texts == NULL) {
        r->is_out_of_memory = true;
        return false;
    }
    memcpy(base + row->offset, &texts, sizeof(char **));
    bool is_good = true;
    int32_t count = 0;
    for (const dlp_node *item = node->first; item != NULL; item = item->next) {
        if (item->kind != DLP_NODE_SCALAR)
            is_good = refuse(r, item, "a text");
        else if (keep_text(r, item->text, &texts[count]))
            count++;
        else
            is_good = false;
    }
    memcpy(base + row->count_offset, &count, sizeof count);
    return is_good;
}

bool dlp_value_read_numbers(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, double *out)
{
    if (row->type == DLP_ROW_VECTOR) return read_vector(r, row, node, out);
    return read_number(r, row, node, out);
}

// A key without a value is a mistake: it would otherwise look like a default.
bool dlp_value_read(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, void *base)
{
    void *target = (char *)base + row->offset;
    if (dlp_node_is_empty(node)) {
        dlp_mistake_at(r, node, "has no value");
        return false;
    }
    switch (row->type) {
    case DLP_ROW_NUMBER:
    case DLP_ROW_VECTOR:
        return dlp_value_read_numbers(r, row, node, target);
    case DLP_ROW_INTEGER:
        return read_integer(r, row, node, target);
    case DLP_ROW_SWITCH:
        return read_switch(r, node, target);
    case DLP_ROW_PAIR:
        return read_pair(r, row, node, target);
    case DLP_ROW_COUNTS:
        return read_counts(r, row, node, target);
    case DLP_ROW_NUMBERS:
        return read_numbers(r, row, node, base);
    case DLP_ROW_AXES:
        return read_axes(r, node, target);
    case DLP_ROW_WORD:
        return read_word(r, row, node, target);
    case DLP_ROW_TEXTS:
        return read_texts(r, row, node, base);
    default:
        return read_text(r, row, node, target);
    }
}

static void write_numbers(const double *numbers, int32_t count, dlp_string *text)
{
    dlp_string_add(text, "[");
    for (int32_t k = 0; k < count; k++) {
        dlp_string_add(text, "%s", k > 0 ? ", " : "");
        dlp_string_add_number(text, numbers[k]);
    }
    dlp_string_add(text, "]");
}

// [x, z]; [] for none.
static void write_axes(const bool *axes, dlp_string *text)
{
    bool any = false;
    dlp_string_add(text, "[");
    for (int axis = 0; axis < 3; axis++) {
        if (!axes[axis]) continue;
        dlp_string_add(text, "%s%c", any ? ", " : "", "xyz"[axis]);
        any = true;
    }
    dlp_string_add(text, "]");
}

// A $ is doubled, since a single one would name a variable.
static void write_text(const char *value, dlp_string *text)
{
    if (strchr(value, '$') == NULL) {
        dlp_string_add_value(text, value);
        return;
    }
    dlp_string doubled = {0};
    for (const char *at = value; *at != '\0'; at++) dlp_string_add(&doubled, *at == '$' ? "$$" : "%c", *at);
    if (doubled.data != NULL) dlp_string_add_value(text, doubled.data);
    text->has_failed = text->has_failed || doubled.has_failed;
    dlp_string_release(&doubled);
}

static void write_texts(char *const *texts, int32_t count, dlp_string *text)
{
    dlp_string_add(text, "[");
    for (int32_t k = 0; k < count; k++) {
        dlp_string_add(text, "%s", k > 0 ? ", " : "");
        write_text(texts[k], text);
    }
    dlp_string_add(text, "]");
}

// Numbers as the shortest text that reads back with the same bits.
void dlp_value_write(const dlp_schema_row *row, const void *base, dlp_string *text)
{
    const void *target = (const char *)base + row->offset;
    int32_t integers[3];
    const char *const *string = target;
    double *const *numbers = target;
    char *const *const *texts = target;
    switch (row->type) {
    case DLP_ROW_NUMBER:
        dlp_string_add_number(text, *(const double *)target);
        break;
    case DLP_ROW_VECTOR:
        write_numbers(target, 3, text);
        break;
    case DLP_ROW_PAIR:
        write_numbers(target, 2, text);
        break;
    case DLP_ROW_NUMBERS:
        memcpy(integers, (const char *)base + row->count_offset, sizeof *integers);
        write_numbers(*numbers, integers[0], text);
        break;
    case DLP_ROW_INTEGER:
        dlp_string_add(text, "%d", *(const int32_t *)target);
        break;
    case DLP_ROW_SWITCH:
        dlp_string_add(text, "%s", *(const bool *)target ? "true" : "false");
        break;
    case DLP_ROW_COUNTS:
        memcpy(integers, target, sizeof integers);
        dlp_string_add(text, "[%d, %d, %d]", integers[0], integers[1], integers[2]);
        break;
    case DLP_ROW_AXES:
        write_axes(target, text);
        break;
    case DLP_ROW_WORD:
        memcpy(integers, target, sizeof *integers);
        dlp_string_add(text, "%s", row->words[integers[0]]);
        break;
    case DLP_ROW_TEXTS:
        memcpy(integers, (const char *)base + row->count_offset, sizeof *integers);
        write_texts(*texts, integers[0], text);
        break;
    default:
        write_text(*string, text);
        break;
    }
}

// How many numbers the value has; 0 for texts.
int32_t dlp_value_count(const dlp_schema_row *row, const void *base)
{
    int32_t count;
    switch (row->type) {
    case DLP_ROW_NUMBER:
    case DLP_ROW_INTEGER:
    case DLP_ROW_SWITCH:
    case DLP_ROW_WORD:
        return 1;
    case DLP_ROW_PAIR:
        return 2;
    case DLP_ROW_VECTOR:
    case DLP_ROW_COUNTS:
    case DLP_ROW_AXES:
        return 3;
    case DLP_ROW_NUMBERS:
        memcpy(&count, (const char *)base + row->count_offset, sizeof count);
        return count;
    default:
        return 0;
    }
}

// Number k of a field; words and integers by memcpy, since enumerations are stored as int.
static double number_at(const dlp_schema_row *row, const void *target, int32_t k)
{
    double *const *numbers = target;
    int32_t integer;
    switch (row->type) {
    case DLP_ROW_INTEGER:
    case DLP_ROW_COUNTS:
    case DLP_ROW_WORD:
        memcpy(&integer, (const char *)target + (size_t)k * sizeof integer, sizeof integer);
        return integer;
    case DLP_ROW_SWITCH:
    case DLP_ROW_AXES:
        return ((const bool *)target)[k];
    case DLP_ROW_NUMBERS:
        return (*numbers)[k];
    default:
        return ((const double *)target)[k];
    }
}

void dlp_value_get_numbers(const dlp_schema_row *row, const void *base, double *out_numbers)
{
    const int32_t count = dlp_value_count(row, base);
    for (int32_t k = 0; k < count; k++) out_numbers[k] = number_at(row, (const char *)base + row->offset, k);
}

// Whether all are 0 or 1.
static bool are_switches(const double *numbers, int32_t count)
{
    for (int32_t k = 0; k < count; k++)
        if (numbers[k] != 0 && numbers[k] != 1) return false;
    return true;
}

static int32_t word_count(const dlp_schema_row *row)
{
    int32_t count = 0;
    while (row->words[count] != NULL) count++;
    return count;
}

// Two or three switches; two in 2-D.
static bool write_axes_of_numbers(const double *numbers, int32_t count, dlp_string *text)
{
    if (!(count == 2 || count == 3) || !are_switches(numbers, count)) return false;
    const bool axes[3] = {numbers[0] != 0, numbers[1] != 0, count == 3 && numbers[2] != 0};
    write_axes(axes, text);
    return true;
}

// Ranges are not checked here: the text is read back by dlp_scene_set, which does.
bool dlp_value_write_numbers(const dlp_schema_row *row, const double *numbers, int32_t count,
                             dlp_string *text, const char **out_expected)
{
    const bool is_list = row->type == DLP_ROW_NUMBERS || count != 1;
    switch (row->type) {
    case DLP_ROW_SWITCH:
        *out_expected = "0 for false or 1 for true";
        if (count != 1 || !are_switches(numbers, 1)) return false;
        dlp_string_add(text, "%s", numbers[0] != 0 ? "true" : "false");
        return true;
    case DLP_ROW_WORD:
        *out_expected = "the index of one of its choices";
        if (count != 1 || !(numbers[0] >= 0 && numbers[0] < word_count(row)) ||
            numbers[0] != floor(numbers[0]))
            return false;
        dlp_string_add(text, "%s", row->words[(int32_t)numbers[0]]);
        return true;
    case DLP_ROW_AXES:
        *out_expected = "0 or 1 for each axis";
        return write_axes_of_numbers(numbers, count, text);
    default:
        *out_expected = "given as text, not as numbers";
        if (row->type >= DLP_ROW_TEXT) return false;
        if (is_list)
            write_numbers(numbers, count, text);
        else
            dlp_string_add_number(text, numbers[0]);
        return true;
    }
}
