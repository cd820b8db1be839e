// Numbers, text and bytes in the form that tables, XML, HTML and SVG take.
#include "record/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// printf follows the locale: whatever is not part of a number in the C locale is its decimal sign.
void dlp_format_number(dlp_string *text, double value, int digits)
{
    char buffer[64];
    if (isnan(value))
        snprintf(buffer, sizeof buffer, "nan");  // without the sign that some C libraries print
    else
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    for (char *c = buffer; *c != '\0'; c++) {
        if (strchr("0123456789+-aeinf", *c) == NULL) *c = '.';  // the locale's decimal sign
    }
    dlp_string_add(text, "%s", buffer);
}

// Control characters are not allowed in XML 1.0, escaped or not.
void dlp_format_escaped(dlp_string *text, const char *words)
{
    for (const char *c = words; *c != '\0'; c++) {
        switch (*c) {
        case '&':
            dlp_string_add(text, "&amp;");
            break;
        case '<':
            dlp_string_add(text, "&lt;");
            break;
        case '>':
            dlp_string_add(text, "&gt;");
            break;
        case '"':
            dlp_string_add(text, "&quot;");
            break;
        default:
            if ((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t') dlp_string_add(text, "%c", *c);
        }
    }
}

// Three bytes become four characters; the first `left` of them are there, at least one.
static void encode_group(const unsigned char *in, size_t left, char out[4])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t group =
        (uint32_t)in[0] << 16 | (left > 1 ? (uint32_t)in[1] << 8 : 0u) | (left > 2 ? (uint32_t)in[2] : 0u);
    out[0] = digits[group >> 18];
    out[1] = digits[group >> 12 & 63];
    out[2] = left > 1 ? digits[group >> 6 & 63] : '=';
    out[3] = left > 2 ? digits[group & 63] : '=';
}

// In pieces of one buffer: a picture has millions of groups, and appending each alone would be slow.
void dlp_format_base64(dlp_string *text, const void *bytes, size_t size)
{
    enum { GROUPS = 256 };
    char line[4 * GROUPS + 1];
    size_t used = 0;
    for (size_t k = 0; k < size; k += 3) {
        encode_group((const unsigned char *)bytes + k, size - k, line + used);
        used += 4;
        if (used < 4 * GROUPS && size - k > 3) continue;
        line[used] = '\0';
        dlp_string_add(text, "%s", line);
        used = 0;
    }
}

// Numbers of 64 characters and more are none that we write.
double dlp_format_read_number(const char *begin, const char *end)
{
    char copy[64];
    const size_t length = (size_t)(end - begin);
    double value;
    if (length >= sizeof copy) return (double)NAN;
    memcpy(copy, begin, length);
    copy[length] = '\0';
    return dlp_number_read(copy, &value) ? value : (double)NAN;
}

// A dlp_string stops growing at its first failure.
dlp_status dlp_format_check(const dlp_string *text, const char *what, dlp_error *error)
{
    if (!text->has_failed) return DLP_OK;
    return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for more than %zu bytes of text", what,
                    text->length);
}
