/* Files into memory, and words and numbers out of it. Numbers do not depend on the locale of the host
 * program. */
#include "space/text_reader.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A file that shrinks while it is read is an error; one that grows is read up to the size it had.
static dlp_status read_all(FILE *file, const char *path, size_t size, dlp_bytes *out_bytes, dlp_error *error)
{
    char *data = dlp_alloc(size + 1, 1, "file");
    if (data == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory for its %zu bytes", path, size);
    const size_t got = fread(data, 1, size, file);
    if (got != size) {
        dlp_free(data);
        return dlp_fail(error, DLP_IO, "%s: read %zu of %zu bytes: %s", path, got, size,
                        ferror(file) ? strerror(errno) : "the file ended early");
    }
    *out_bytes = (dlp_bytes){data, size};
    return DLP_OK;
}

// Devices and pipes are refused: they have no size.
dlp_status dlp_file_load(const char *path, dlp_bytes *out_bytes, dlp_error *error)
{
    *out_bytes = (dlp_bytes){0};
    struct stat about;
    if (stat(path, &about) != 0) return dlp_fail(error, DLP_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return dlp_fail(error, DLP_IO, "%s: is %s; must be a file", path,
                        S_ISDIR(about.st_mode) ? "a folder" : "not a regular file");
    if (about.st_size < 0 || (uint64_t)about.st_size > DLP_FILE_LIMIT)
        return dlp_fail(error, DLP_IO, "%s: has %lld bytes; at most %zu are read", path,
                        (long long)about.st_size, DLP_FILE_LIMIT);

    FILE *file = fopen(path, "rb");
    if (file == NULL) return dlp_fail(error, DLP_IO, "%s: %s", path, strerror(errno));
    const dlp_status status = read_all(file, path, (size_t)about.st_size, out_bytes, error);
    fclose(file);
    return status;
}

void dlp_file_release(dlp_bytes *bytes)
{
    if (bytes == NULL) return;
    dlp_free((void *)(uintptr_t)bytes->data);  // const for readers only
    *bytes = (dlp_bytes){0};
}

// Absolute names stay as they are.
char *dlp_path_join(const char *folder, const char *file)
{
    if (folder == NULL || folder[0] == '\0' || file[0] == '/') return dlp_copy_text(file, "file");
    const size_t size = strlen(folder) + strlen(file) + 2;
    char *path = dlp_alloc(size, 1, "file");
    if (path != NULL) snprintf(path, size, "%s/%s", folder, file);
    return path;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool dlp_path_ends(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    if (length < tail) return false;
    return dlp_bytes_equal_nocase((dlp_bytes){path + length - tail, tail}, ending);
}

dlp_text dlp_text_of(dlp_bytes bytes)
{
    return (dlp_text){bytes.data, bytes.size > 0 ? bytes.data + bytes.size : bytes.data, 1};
}

// Not isspace: it depends on the locale.
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void dlp_text_skip_blanks(dlp_text *text)
{
    while (text->at < text->end && is_blank(*text->at)) text->at++;
}

// Lines are counted wherever one ends.
void dlp_text_skip_space(dlp_text *text)
{
    for (; text->at < text->end && (is_blank(*text->at) || *text->at == '\n'); text->at++)
        if (*text->at == '\n') text->line++;
}

void dlp_text_skip_line(dlp_text *text)
{
    while (text->at < text->end && *text->at != '\n') text->at++;
    if (text->at < text->end) {
        text->at++;
        text->line++;
    }
}

bool dlp_text_at_line_end(dlp_text *text)
{
    dlp_text_skip_blanks(text);
    return text->at >= text->end || *text->at == '\n';
}

// Borrowed from the text.
dlp_bytes dlp_text_word(dlp_text *text)
{
    dlp_text_skip_blanks(text);
    const char *start = text->at;
    while (text->at < text->end && !is_blank(*text->at) && *text->at != '\n') text->at++;
    return (dlp_bytes){start, (size_t)(text->at - start)};
}

bool dlp_bytes_equal(dlp_bytes word, const char *text)
{
    const size_t length = strlen(text);
    return word.size == length && (length == 0 || memcmp(word.data, text, length) == 0);
}

// Only ASCII letters: the locale must not matter.
bool dlp_bytes_equal_nocase(dlp_bytes word, const char *text)
{
    if (word.size != strlen(text)) return false;
    for (size_t k = 0; k < word.size; k++)
        if (lower(word.data[k]) != lower(text[k])) return false;
    return true;
}

// A decimal number in parts: (-1)^negative digits 10^exponent.
typedef struct decimal {
    bool negative;
    char
        digits[800];  // 768 digits tell any double from its neighbours; later ones are dropped; 32 for "e..."
    int32_t digit_count;
    int64_t exponent;
} decimal;

// Leading zeros do not count; a digit that is dropped still counts in the exponent.
static void add_digit(decimal *number, char digit, bool is_fraction)
{
    if (number->digit_count == 0 && digit == '0') {
        number->exponent -= is_fraction;
        return;
    }
    if (number->digit_count < (int32_t)sizeof number->digits - 32) {
        number->digits[number->digit_count++] = digit;
        number->exponent -= is_fraction;
    } else {
        number->exponent += !is_fraction;
    }
}

// "e-12", or nothing where the letter is not followed by a number.
static const char *scan_exponent(const char *at, const char *end, int64_t *exponent)
{
    if (at >= end || (*at != 'e' && *at != 'E')) return at;
    const char *next = at + 1;
    const bool negative = next < end && *next == '-';
    if (next < end && (*next == '-' || *next == '+')) next++;
    if (next >= end || !is_digit(*next)) return at;
    int64_t value = 0;
    for (; next < end && is_digit(*next); next++)
        if (value < 100000000) value = 10 * value + (*next - '0');
    *exponent += negative ? -value : value;
    return next;
}

// Digits with at most one point, and an exponent; NULL where there is no digit.
static const char *scan_decimal(const char *at, const char *end, decimal *number)
{
    bool is_fraction = false, any = false;
    for (; at < end; at++) {
        if (*at == '.' && !is_fraction) {
            is_fraction = true;
        } else if (is_digit(*at)) {
            any = true;
            add_digit(number, *at, is_fraction);
        } else {
            break;
        }
    }
    return any ? scan_exponent(at, end, &number->exponent) : NULL;
}

// Up to 15 digits and powers of ten up to 10^22 are exact doubles, so that one operation rounds correctly;
// else the C library rounds "DIGITSeEXPONENT", a form without a decimal point, so that no locale can change
// its meaning.
static double value_of(decimal *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double value = 0;
    if (number->digit_count <= 15 && number->exponent >= -22 && number->exponent <= 22) {
        int64_t whole = 0;
        for (int32_t k = 0; k < number->digit_count; k++) whole = 10 * whole + (number->digits[k] - '0');
        value = number->exponent < 0 ? (double)whole / powers[-number->exponent]
                                     : (double)whole * powers[number->exponent];
    } else if (number->digit_count > 0) {
        snprintf(number->digits + number->digit_count, 32, "e%lld", (long long)number->exponent);
        value = strtod(number->digits, NULL);
    }
    return number->negative ? -value : value;
}

// The longer word first: "inf" begins "infinity".
static const char *scan_special(const char *at, const char *end, double *value)
{
    static const struct {
        const char *name;
        size_t length;
        double value;
    } specials[] = {{"infinity", 8, HUGE_VAL}, {"inf", 3, HUGE_VAL}, {"nan", 3, (double)NAN}};
    for (size_t k = 0; k < sizeof specials / sizeof specials[0]; k++) {
        const size_t length = specials[k].length;
        if ((size_t)(end - at) < length) continue;
        if (!dlp_bytes_equal_nocase((dlp_bytes){at, length}, specials[k].name)) continue;
        *value = specials[k].value;
        return at + length;
    }
    return NULL;
}

// The text moves only where there is a number.
bool dlp_text_number(dlp_text *text, double *out_value)
{
    dlp_text_skip_blanks(text);
    const char *at = text->at;
    decimal number;
    number.negative = at < text->end && *at == '-';
    number.digit_count = 0;
    number.exponent = 0;
    if (at < text->end && (*at == '-' || *at == '+')) at++;

    const char *after = scan_decimal(at, text->end, &number);
    if (after != NULL) {
        *out_value = value_of(&number);
    } else {
        after = scan_special(at, text->end, out_value);
        if (after == NULL) return false;
        if (number.negative) *out_value = -*out_value;
    }
    text->at = after;
    return true;
}

bool dlp_text_integer(dlp_text *text, int64_t *out_value)
{
    dlp_text_skip_blanks(text);
    const char *at = text->at;
    const bool negative = at < text->end && *at == '-';
    if (at < text->end && (*at == '-' || *at == '+')) at++;
    if (at >= text->end || !is_digit(*at)) return false;
    int64_t value = 0;
    for (; at < text->end && is_digit(*at); at++) {
        // a little before the true limit: no file has such a number on purpose
        if (value > INT64_MAX / 10 - 1) return false;
        value = 10 * value + (*at - '0');
    }
    *out_value = negative ? -value : value;
    text->at = at;
    return true;
}

// NaN fails the comparisons.
bool dlp_whole_number(double value, int64_t low, int64_t high, int64_t *out_value)
{
    if (!(value >= (double)low && value <= (double)high) || value != floor(value)) return false;
    *out_value = (int64_t)value;
    return true;
}
