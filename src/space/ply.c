/* The PLY reader. Nothing in a file is trusted: counts are checked against the bytes that are left before
 * anything is allocated or read. */
#include "space/ply.h"

#include <string.h>

// Bytes of a number in a binary file.
static int32_t size_of(dlp_ply_type type)
{
    static const int32_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

// Both families of names that files use.
static dlp_ply_type type_named(dlp_bytes word)
{
    static const struct {
        const char *name;
        dlp_ply_type type;
    } names[] = {{"char", DLP_PLY_INT8},      {"int8", DLP_PLY_INT8},       {"uchar", DLP_PLY_UINT8},
                 {"uint8", DLP_PLY_UINT8},    {"short", DLP_PLY_INT16},     {"int16", DLP_PLY_INT16},
                 {"ushort", DLP_PLY_UINT16},  {"uint16", DLP_PLY_UINT16},   {"int", DLP_PLY_INT32},
                 {"int32", DLP_PLY_INT32},    {"uint", DLP_PLY_UINT32},     {"uint32", DLP_PLY_UINT32},
                 {"float", DLP_PLY_FLOAT32},  {"float32", DLP_PLY_FLOAT32}, {"double", DLP_PLY_FLOAT64},
                 {"float64", DLP_PLY_FLOAT64}};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (dlp_bytes_equal(word, names[k].name)) return names[k].type;
    return DLP_PLY_NONE;
}

// Names are kept as C strings; longer ones are refused instead of cut, so that no two become equal.
static dlp_status copy_name(char name[DLP_PLY_NAME_LIMIT], dlp_bytes word, int32_t line, dlp_error *error)
{
    if (word.size == 0 || word.size >= DLP_PLY_NAME_LIMIT)
        return dlp_fail(error, DLP_IO, "line %d: a name must have 1 to %d letters", line,
                        DLP_PLY_NAME_LIMIT - 1);
    memcpy(name, word.data, word.size);
    name[word.size] = '\0';
    return DLP_OK;
}

// The version that follows is not read.
static dlp_status read_format(dlp_ply *ply, dlp_error *error)
{
    const dlp_bytes word = dlp_text_word(&ply->text);
    if (dlp_bytes_equal(word, "ascii"))
        ply->format = DLP_PLY_ASCII;
    else if (dlp_bytes_equal(word, "binary_little_endian"))
        ply->format = DLP_PLY_LITTLE;
    else if (dlp_bytes_equal(word, "binary_big_endian"))
        ply->format = DLP_PLY_BIG;
    else
        return dlp_fail(
            error, DLP_IO,
            "line %d: unknown PLY format; ascii, binary_little_endian and binary_big_endian are read",
            ply->text.line);
    return DLP_OK;
}

// Counted only when it is complete, so that a failure leaves no half element.
static dlp_status read_element(dlp_ply *ply, dlp_error *error)
{
    if (ply->element_count == DLP_PLY_ELEMENT_LIMIT)
        return dlp_fail(error, DLP_IO, "line %d: more than %d elements", ply->text.line,
                        DLP_PLY_ELEMENT_LIMIT);
    dlp_ply_element *element = &ply->elements[ply->element_count];
    DLP_TRY(copy_name(element->name, dlp_text_word(&ply->text), ply->text.line, error));
    int64_t count;
    if (!dlp_text_integer(&ply->text, &count) || count < 0 || count > INT32_MAX)
        return dlp_fail(error, DLP_IO, "line %d: element %s: its count must be a whole number from 0 to %d",
                        ply->text.line, element->name, INT32_MAX);
    element->count = (int32_t)count;
    ply->element_count++;
    return DLP_OK;
}

// Belongs to the element read last.
static dlp_status read_property(dlp_ply *ply, dlp_error *error)
{
    if (ply->element_count == 0)
        return dlp_fail(error, DLP_IO, "line %d: a property before any element", ply->text.line);
    dlp_ply_element *element = &ply->elements[ply->element_count - 1];
    if (element->property_count == DLP_PLY_PROPERTY_LIMIT)
        return dlp_fail(error, DLP_IO, "line %d: element %s has more than %d properties", ply->text.line,
                        element->name, DLP_PLY_PROPERTY_LIMIT);
    dlp_ply_property *property = &element->properties[element->property_count];
    dlp_bytes word = dlp_text_word(&ply->text);
    const bool is_list = dlp_bytes_equal(word, "list");
    if (is_list) {
        property->count_type = type_named(dlp_text_word(&ply->text));
        word = dlp_text_word(&ply->text);
    }
    property->type = type_named(word);
    if (property->type == DLP_PLY_NONE || (is_list && property->count_type == DLP_PLY_NONE))
        return dlp_fail(error, DLP_IO, "line %d: unknown type of a property", ply->text.line);
    DLP_TRY(copy_name(property->name, dlp_text_word(&ply->text), ply->text.line, error));
    element->property_count++;
    return DLP_OK;
}

// Empty lines are allowed.
static dlp_status read_header_line(dlp_ply *ply, bool *has_format, bool *is_end, dlp_error *error)
{
    const dlp_bytes word = dlp_text_word(&ply->text);
    if (dlp_bytes_equal(word, "end_header")) {
        *is_end = true;
    } else if (dlp_bytes_equal(word, "format")) {
        *has_format = true;
        DLP_TRY(read_format(ply, error));
    } else if (dlp_bytes_equal(word, "element")) {
        DLP_TRY(read_element(ply, error));
    } else if (dlp_bytes_equal(word, "property")) {
        DLP_TRY(read_property(ply, error));
    } else if (!dlp_bytes_equal(word, "comment") && !dlp_bytes_equal(word, "obj_info") && word.size > 0) {
        return dlp_fail(error, DLP_IO, "line %d: not a line of a PLY header", ply->text.line);
    }
    dlp_text_skip_line(&ply->text);
    return DLP_OK;
}

// Every row takes at least one byte per number (a list: its count), so that larger counts are wrong. In
// double: the product may exceed 64 bits.
static dlp_status check_counts(const dlp_ply *ply, dlp_error *error)
{
    const double left = (double)(ply->text.end - ply->text.at);
    double needed = 0;
    for (int32_t k = 0; k < ply->element_count; k++) {
        const dlp_ply_element *element = &ply->elements[k];
        for (int32_t p = 0; p < element->property_count; p++) {
            const dlp_ply_property *property = &element->properties[p];
            const bool is_list = property->count_type != DLP_PLY_NONE;
            const int32_t bytes = size_of(is_list ? property->count_type : property->type);
            needed += (double)element->count * (ply->format == DLP_PLY_ASCII ? 1 : bytes);
        }
    }
    if (needed > left)
        return dlp_fail(error, DLP_IO,
                        "the file is cut short: its header promises at least %.0f bytes, %.0f are there",
                        needed, left);
    return DLP_OK;
}

// Some files have binary data right after the line "end_header": the text stands at its first byte then.
dlp_status dlp_ply_open(dlp_ply *ply, dlp_bytes bytes, dlp_error *error)
{
    memset(ply, 0, sizeof *ply);
    ply->text = dlp_text_of(bytes);
    if (!dlp_bytes_equal(dlp_text_word(&ply->text), "ply"))
        return dlp_fail(error, DLP_IO, "not a PLY file: it must begin with the line \"ply\"");
    dlp_text_skip_line(&ply->text);
    bool has_format = false, is_end = false;
    while (!is_end) {
        if (ply->text.at >= ply->text.end)
            return dlp_fail(error, DLP_IO, "the file ends within its PLY header");
        DLP_TRY(read_header_line(ply, &has_format, &is_end, error));
    }
    if (!has_format) return dlp_fail(error, DLP_IO, "the PLY header has no \"format\" line");
    return check_counts(ply, error);
}

// The body is shorter than the header says.
static dlp_status fail_short(dlp_error *error)
{
    return dlp_fail(error, DLP_IO, "the file is cut short: it ends before its last row");
}

// From bytes in little-endian order, whatever the machine is. Signed types by conversion of the low bits.
static double binary_value(const unsigned char *b, dlp_ply_type type)
{
    uint64_t bits = 0;
    for (int32_t k = size_of(type) - 1; k >= 0; k--) bits = bits << 8 | b[k];
    float single;
    double value;
    switch (type) {
    case DLP_PLY_INT8:
        return (double)(int8_t)bits;
    case DLP_PLY_INT16:
        return (double)(int16_t)bits;
    case DLP_PLY_INT32:
        return (double)(int32_t)bits;
    case DLP_PLY_FLOAT32: {
        const uint32_t half = (uint32_t)bits;
        memcpy(&single, &half, sizeof single);
        return (double)single;
    }
    case DLP_PLY_FLOAT64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return (double)bits;
    }
}

// An ascii file may break lines anywhere: the header alone says how many numbers a row has.
dlp_status dlp_ply_number(dlp_ply *ply, dlp_ply_type type, double *out_value, dlp_error *error)
{
    if (ply->format == DLP_PLY_ASCII) {
        dlp_text_skip_space(&ply->text);
        if (dlp_text_number(&ply->text, out_value)) return DLP_OK;
        if (ply->text.at >= ply->text.end) return fail_short(error);
        return dlp_fail(error, DLP_IO, "line %d: not a number", ply->text.line);
    }
    const int32_t size = size_of(type);
    if (ply->text.end - ply->text.at < size) return fail_short(error);
    unsigned char b[8];
    for (int32_t k = 0; k < size; k++)
        b[k] = (unsigned char)ply->text.at[ply->format == DLP_PLY_LITTLE ? k : size - 1 - k];
    *out_value = binary_value(b, type);
    ply->text.at += size;
    return DLP_OK;
}

dlp_status dlp_ply_list(dlp_ply *ply, const dlp_ply_property *property, int32_t *out_count, dlp_error *error)
{
    double value = 0;
    DLP_TRY(dlp_ply_number(ply, property->count_type, &value, error));
    // no more than the bytes left can hold, so that the caller may allocate it
    const int64_t left = (int64_t)(ply->text.end - ply->text.at);
    const int64_t size = ply->format == DLP_PLY_ASCII ? 1 : size_of(property->type);
    const int64_t most = left / size < INT32_MAX ? left / size : INT32_MAX;
    int64_t count;
    if (!dlp_whole_number(value, 0, most, &count))
        return dlp_fail(error, DLP_IO, "a list of %g numbers, but only %lld bytes are left", value,
                        (long long)left);
    *out_count = (int32_t)count;
    return DLP_OK;
}

dlp_status dlp_ply_skip(dlp_ply *ply, const dlp_ply_property *property, dlp_error *error)
{
    double ignored;
    int32_t count = 1;
    if (property->count_type != DLP_PLY_NONE) DLP_TRY(dlp_ply_list(ply, property, &count, error));
    for (int32_t k = 0; k < count; k++) DLP_TRY(dlp_ply_number(ply, property->type, &ignored, error));
    return DLP_OK;
}

dlp_status dlp_ply_skip_element(dlp_ply *ply, const dlp_ply_element *element, dlp_error *error)
{
    // rows without properties take no bytes, however many there are
    if (element->property_count == 0) return DLP_OK;
    for (int32_t row = 0; row < element->count; row++)
        for (int32_t p = 0; p < element->property_count; p++)
            DLP_TRY(dlp_ply_skip(ply, &element->properties[p], error));
    return DLP_OK;
}

// Names are separated by |, the preferred one first.
int32_t dlp_ply_find(const dlp_ply_element *element, const char *names)
{
    for (const char *name = names; *name != '\0';) {
        const size_t length = strcspn(name, "|");
        for (int32_t p = 0; p < element->property_count; p++) {
            const char *candidate = element->properties[p].name;
            if (strlen(candidate) == length && memcmp(candidate, name, length) == 0) return p;
        }
        name += length + (name[length] == '|');
    }
    return -1;
}
