/* Strings, numbers and names of scenes. */
#include "scene/scene_text.h"
#include "base/memory.h"

#include <assert.h>
#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_LIMIT = 48 };  // longer words get no suggestion: the search costs length squared

// Doubles at least, so that appending is linear in the whole.
static bool reserve_text(dlp_string *text, size_t more)
{
    const size_t wanted = text->length + more + 1;
    if (wanted <= text->capacity) return true;
    const size_t capacity = wanted > 2 * text->capacity ? wanted + 64 : 2 * text->capacity;
    char *larger = dlp_realloc(text->data, capacity, 1, "scene");
    if (larger == NULL) {
        text->has_failed = true;
        return false;
    }
    text->data = larger;
    text->capacity = capacity;
    return true;
}

// Two passes over the arguments: one measures, one writes.
void dlp_string_add(dlp_string *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && reserve_text(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

// A length beyond the end changes nothing.
void dlp_string_cut(dlp_string *text, size_t length)
{
    if (text->data == NULL || length >= text->length) return;
    text->length = length;
    text->data[length] = '\0';
}

void dlp_string_release(dlp_string *text)
{
    dlp_free(text->data);
    *text = (dlp_string){0};
}

// The host program may have chosen a locale with a decimal comma; a scene never has one. Only the calling
// thread is affected.
static locale_t enter_c_locale(locale_t *out_previous)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *out_previous = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
    return plain;
}

static void leave_c_locale(locale_t plain, locale_t previous)
{
    if (plain == (locale_t)0) return;
    uselocale(previous);
    freelocale(plain);
}

// 15 digits are enough for most numbers, 17 for all.
void dlp_string_add_number(dlp_string *text, double number)
{
    char digits[40] = "";
    locale_t previous;
    const locale_t plain = enter_c_locale(&previous);
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number) break;
    }
    leave_c_locale(plain, previous);
    dlp_string_add(text, "%s", digits);
}

// Sets *out_any where there is a digit; leaves it as it was else.
static const char *skip_digits(const char *at, bool *out_any)
{
    while (*at >= '0' && *at <= '9') {
        *out_any = true;
        at++;
    }
    return at;
}

// Stricter than strtod: no hexadecimal numbers, no words, no blanks.
static bool is_number(const char *at)
{
    bool any = false;
    if (*at == '+' || *at == '-') at++;
    at = skip_digits(at, &any);
    if (*at == '.') at = skip_digits(at + 1, &any);
    if (!any) return false;
    if (*at == 'e' || *at == 'E') {
        at++;
        if (*at == '+' || *at == '-') at++;
        any = false;
        at = skip_digits(at, &any);
    }
    return any && *at == '\0';
}

// Digits as the C library rounds them, in the C locale.
bool dlp_number_read(const char *text, double *out_number)
{
    if (!is_number(text)) return false;
    locale_t previous;
    const locale_t plain = enter_c_locale(&previous);
    *out_number = strtod(text, NULL);
    leave_c_locale(plain, previous);
    return true;
}

// Overlong forms, surrogates and values beyond Unicode are refused.
int32_t dlp_utf8_next(const char **at, const char *end)
{
    const unsigned char *bytes = (const unsigned char *)*at;
    const int length = bytes[0] < 0x80       ? 1
                       : bytes[0] >> 5 == 6  ? 2
                       : bytes[0] >> 4 == 14 ? 3
                       : bytes[0] >> 3 == 30 ? 4
                                             : 0;
    if (length == 0 || end - *at < length) return -1;
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    static const int32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    int32_t code_point = bytes[0] & masks[length];
    for (int k = 1; k < length; k++) {
        if ((bytes[k] & 0xc0) != 0x80) return -1;
        code_point = code_point << 6 | (bytes[k] & 0x3f);
    }
    const bool is_surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
    if (code_point < smallest[length] || is_surrogate || code_point > 0x10ffff) return -1;
    *at += length;
    return code_point;
}

// The inverse of dlp_utf8_next.
void dlp_utf8_add(dlp_string *text, int32_t c)
{
    if (c < 0x80)
        dlp_string_add(text, "%c", c);
    else if (c < 0x800)
        dlp_string_add(text, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
    else if (c < 0x10000)
        dlp_string_add(text, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
    else
        dlp_string_add(text, "%c%c%c%c", 0xf0 | c >> 18, 0x80 | (c >> 12 & 0x3f), 0x80 | (c >> 6 & 0x3f),
                       0x80 | (c & 0x3f));
}

// At most four bytes of a character follow byte 39, then "...": 48 are enough.
void dlp_shorten(const char *text, char out_text[DLP_SHORT_TEXT])
{
    const char *at = text, *const end = text + strlen(text);
    size_t length = 0;
    while (at < end && length < 40) {
        const char *const start = at;
        const int32_t c = dlp_utf8_next(&at, end);
        if (c < 0) at++;
        if (c < ' ' || c == 0x7f) {
            out_text[length++] = '.';
        } else {
            memcpy(out_text + length, start, (size_t)(at - start));
            length += (size_t)(at - start);
        }
    }
    const char *const tail = at < end ? "..." : "";
    memcpy(out_text + length, tail, strlen(tail) + 1);
}

// Whether YAML and JSON would read the bare text back as this text.
static bool is_plain_word(const char *value)
{
    static const char *const reserved[] = {"true", "false", "null", "~"};
    for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
        if (strcmp(value, reserved[k]) == 0) return false;
    if (!isalpha((unsigned char)value[0]) && value[0] != '_' && value[0] != '/') return false;
    return value[strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-")] == '\0';
}

// What libyaml takes as it stands inside double quotes: printable, and no line break of any kind.
static bool is_printable(int32_t c)
{
    if (c < 0xa0) return c >= 0x20 && c < 0x7f;
    return c != 0x2028 && c != 0x2029 && c != 0xfeff && c != 0xfffe && c != 0xffff;
}

// A JSON string, which YAML reads too.
void dlp_string_add_value(dlp_string *text, const char *value)
{
    if (is_plain_word(value)) {
        dlp_string_add(text, "%s", value);
        return;
    }
    const char *const end = value + strlen(value);
    dlp_string_add(text, "\"");
    while (value < end) {
        const int32_t c = dlp_utf8_next(&value, end);
        if (c < 0)
            value++;  // not UTF-8, which the readers refuse: dropped
        else if (c == '"' || c == '\\')
            dlp_string_add(text, "\\%c", c);
        else if (is_printable(c))
            dlp_utf8_add(text, c);
        else
            dlp_string_add(text, "\\u%04x", (unsigned)c);
    }
    dlp_string_add(text, "\"");
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other (the
// restricted Damerau-Levenshtein distance), upper and lower case alike.
static int32_t edit_distance(const char *a, const char *b)
{
    const int32_t rows = (int32_t)strlen(a), columns = (int32_t)strlen(b);
    assert(rows <= WORD_LIMIT && columns <= WORD_LIMIT);
    int32_t table[WORD_LIMIT + 1][WORD_LIMIT + 1];
    for (int32_t j = 0; j <= columns; j++) table[0][j] = j;
    for (int32_t i = 1; i <= rows; i++) {
        table[i][0] = i;
        for (int32_t j = 1; j <= columns; j++) {
            const int32_t replaced = table[i - 1][j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
            table[i][j] = smaller(replaced, 1 + smaller(table[i - 1][j], table[i][j - 1]));
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                table[i][j] = smaller(table[i][j], table[i - 2][j - 2] + 1);
        }
    }
    return table[rows][columns];
}

// Edits between a word and a name; -1 where they are not alike. A beginning ("visc") is alike too, but
// farther than any misspelling.
static int32_t distance_of(const char *word, const char *name)
{
    const size_t length = strlen(word);
    const int32_t slips = edit_distance(word, name);
    const int32_t allowed = (int32_t)(length < 3 ? 1 : length < 6 ? 2 : length / 3);
    if (slips <= allowed && slips < (int32_t)strlen(name)) return slips;
    return length >= 3 && strncmp(word, name, length) == 0 ? WORD_LIMIT : -1;
}

// Strictly nearer wins, so that the first of equals stays.
void dlp_suggestion_offer(dlp_suggestion *nearest, const char *name)
{
    if (strlen(nearest->word) > WORD_LIMIT || strlen(name) > WORD_LIMIT) return;
    const int32_t distance = distance_of(nearest->word, name);
    if (distance < 0 || (nearest->best != NULL && distance >= nearest->distance)) return;
    nearest->best = name;
    nearest->distance = distance;
}

// By characters, not by isalpha: the locale must not matter.
bool dlp_is_name(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-";
    if (text[0] == '\0' || text[0] == '-' || (text[0] >= '0' && text[0] <= '9')) return false;
    return text[strspn(text, letters)] == '\0';
}
