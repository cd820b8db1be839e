/* Points of VTK's XML files (.vtp): a scan over the tags notes where the arrays are, then their numbers are
 * read. Only as much XML as such files need: no entities, no CDATA. */
#include "base/memory.h"
#include "space/points_formats.h"

#include <string.h>

// How numbers are stored; the order is that of the names in type_named.
typedef enum number_type {
    TYPE_NONE,
    INT8,
    UINT8,
    INT16,
    UINT16,
    INT32,
    UINT32,
    INT64,
    UINT64,
    FLOAT32,
    FLOAT64
} number_type;
typedef enum array_format { FORMAT_ASCII, FORMAT_BASE64, FORMAT_APPENDED } array_format;

// A DataArray: how and where its numbers stand.
typedef struct data_array {
    number_type type;
    array_format format;
    int64_t offset;  // appended: from the start of the appended data
    dlp_bytes text;  // inline: what stands between its tags
} data_array;

// One Piece of the file.
typedef struct vtp_piece {
    int64_t point_count;
    data_array positions, velocities;  // type NONE where there is none
} vtp_piece;

// What the scan found. All texts are borrowed from the file's bytes.
typedef struct vtp_file {
    bool is_big_endian;
    int32_t header_size;  // bytes of the size before each block: 4 or 8
    vtp_piece *pieces;    // owned
    int32_t piece_count, piece_capacity;
    dlp_bytes appended;  // after the '_'
    bool is_appended_base64;
    bool is_poly_data;
    bool in_points, in_point_data;  // where the scan stands
} vtp_file;

// <name attribute="value" ...>, as the bytes between the angle brackets.
typedef struct tag {
    dlp_bytes name, attributes;
} tag;

// The next tag, of whatever kind; false at the end of the text. A '>' within an attribute would end the tag;
// VTK writes none.
static bool next_tag(dlp_text *text, tag *out_tag)
{
    while (text->at < text->end && *text->at != '<') text->at++;
    if (text->at >= text->end) return false;
    const char *start = ++text->at;
    const char *close = memchr(start, '>', (size_t)(text->end - start));
    if (close == NULL) return false;
    const char *name_end = start;
    while (name_end < close && strchr(" \t\r\n", *name_end) == NULL) name_end++;
    out_tag->name = (dlp_bytes){start, (size_t)(name_end - start)};
    out_tag->attributes = (dlp_bytes){name_end, (size_t)(close - name_end)};
    text->at = close + 1;
    return true;
}

// The value of an attribute; empty where it is not given.
static dlp_bytes attribute(const tag *t, const char *name)
{
    const size_t length = strlen(name);
    const char *at = t->attributes.data, *end = at + t->attributes.size;
    while (at < end) {
        const char *equals = memchr(at, '=', (size_t)(end - at));
        if (equals == NULL || end - equals < 2) break;
        const char quote = equals[1];
        const char *close =
            quote == '"' || quote == '\'' ? memchr(equals + 2, quote, (size_t)(end - equals - 2)) : NULL;
        if (close == NULL) break;
        while (at < equals && strchr(" \t\r\n", *at) != NULL) at++;
        const char *name_end = equals;
        while (name_end > at && strchr(" \t\r\n", name_end[-1]) != NULL) name_end--;
        if ((size_t)(name_end - at) == length && memcmp(at, name, length) == 0)
            return (dlp_bytes){equals + 2, (size_t)(close - equals - 2)};
        at = close + 1;
    }
    return (dlp_bytes){"", 0};
}

// Whether a whole attribute is an integer.
static bool integer_of(dlp_bytes value, int64_t *out_value)
{
    dlp_text text = dlp_text_of(value);
    return dlp_text_integer(&text, out_value) && dlp_text_at_line_end(&text);
}

static number_type type_named(dlp_bytes name)
{
    static const char *const names[] = {"",       "Int8",  "UInt8",  "Int16",   "UInt16", "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    for (int32_t k = 1; k <= FLOAT64; k++)
        if (dlp_bytes_equal(name, names[k])) return (number_type)k;
    return TYPE_NONE;
}

// Bytes of a number.
static int32_t size_of(number_type type)
{
    static const int32_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

// Without header_type the sizes before blocks have 4 bytes, as in the oldest version of the format.
static dlp_status read_file_tag(vtp_file *file, const tag *t, dlp_error *error)
{
    if (!dlp_bytes_equal(attribute(t, "type"), "PolyData"))
        return dlp_fail(error, DLP_IO, "not a VTP file: its VTKFile must be of type PolyData");
    if (attribute(t, "compressor").size > 0)
        return dlp_fail(error, DLP_IO,
                        "its data are compressed; write them uncompressed (raw appended, ascii or base64)");
    file->is_poly_data = true;
    file->is_big_endian = dlp_bytes_equal(attribute(t, "byte_order"), "BigEndian");
    file->header_size = dlp_bytes_equal(attribute(t, "header_type"), "UInt64") ? 8 : 4;
    return DLP_OK;
}

// A file may have several pieces; their points follow one another.
static dlp_status add_piece(vtp_file *file, const tag *t, dlp_error *error)
{
    int64_t count;
    if (!integer_of(attribute(t, "NumberOfPoints"), &count) || count < 0)
        return dlp_fail(error, DLP_IO, "a Piece must say its NumberOfPoints");
    DLP_TRY(dlp_reserve(&file->pieces, &file->piece_capacity, file->piece_count + 1, sizeof *file->pieces,
                        "points", error));
    file->pieces[file->piece_count++] = (vtp_piece){.point_count = count};
    return DLP_OK;
}

// What stands between a tag and the next one: the numbers of an inline array.
static dlp_bytes text_until_tag(const dlp_text *text)
{
    const size_t left = (size_t)(text->end - text->at);
    const char *close = left > 0 ? memchr(text->at, '<', left) : NULL;
    return (dlp_bytes){text->at, close != NULL ? (size_t)(close - text->at) : left};
}

// Both arrays that are read have three components per point.
static dlp_status read_array_tag(const tag *t, const dlp_text *text, const char *what, data_array *out_array,
                                 dlp_error *error)
{
    int64_t components = 1;
    const dlp_bytes given = attribute(t, "NumberOfComponents"), format = attribute(t, "format");
    if (given.size > 0 && !integer_of(given, &components)) components = 0;
    if (components != 3) return dlp_fail(error, DLP_IO, "%s: must have 3 components", what);
    out_array->type = type_named(attribute(t, "type"));
    if (out_array->type == TYPE_NONE) return dlp_fail(error, DLP_IO, "%s: unknown type of numbers", what);
    out_array->text = text_until_tag(text);
    if (dlp_bytes_equal(format, "appended"))
        out_array->format = FORMAT_APPENDED;
    else if (dlp_bytes_equal(format, "binary"))
        out_array->format = FORMAT_BASE64;
    else if (dlp_bytes_equal(format, "ascii") || format.size == 0)
        out_array->format = FORMAT_ASCII;
    else
        return dlp_fail(error, DLP_IO, "%s: unknown format; ascii, binary and appended are read", what);
    if (out_array->format == FORMAT_APPENDED &&
        (!integer_of(attribute(t, "offset"), &out_array->offset) || out_array->offset < 0))
        return dlp_fail(error, DLP_IO, "%s: its offset is missing", what);
    return DLP_OK;
}

// Positions within Points; within PointData only what is named velocity or v. All other arrays are skipped.
static dlp_status read_array(vtp_file *file, const tag *t, const dlp_text *text, dlp_error *error)
{
    if (file->piece_count == 0) return DLP_OK;
    vtp_piece *piece = &file->pieces[file->piece_count - 1];
    if (file->in_points) return read_array_tag(t, text, "Points", &piece->positions, error);
    const dlp_bytes name = attribute(t, "Name");
    if (file->in_point_data &&
        (dlp_bytes_equal_nocase(name, "velocity") || dlp_bytes_equal_nocase(name, "v")))
        return read_array_tag(t, text, "velocity", &piece->velocities, error);
    return DLP_OK;
}

// The data begin after an underscore and go up to the end of the file.
static dlp_status read_appended(vtp_file *file, const tag *t, const dlp_text *text, dlp_error *error)
{
    const dlp_bytes encoding = attribute(t, "encoding");
    file->is_appended_base64 = dlp_bytes_equal(encoding, "base64");
    if (!file->is_appended_base64 && !dlp_bytes_equal(encoding, "raw"))
        return dlp_fail(error, DLP_IO, "unknown encoding of the appended data; raw and base64 are read");
    const size_t left = (size_t)(text->end - text->at);
    const char *mark = left > 0 ? memchr(text->at, '_', left) : NULL;
    if (mark == NULL) return dlp_fail(error, DLP_IO, "the file is cut short: no appended data");
    file->appended = (dlp_bytes){mark + 1, (size_t)(text->end - mark - 1)};
    return DLP_OK;
}

// Reads tags up to the appended data, which need not be text.
static dlp_status scan(vtp_file *file, dlp_bytes bytes, dlp_error *error)
{
    dlp_text text = dlp_text_of(bytes);
    for (tag t; next_tag(&text, &t);) {
        if (dlp_bytes_equal(t.name, "VTKFile"))
            DLP_TRY(read_file_tag(file, &t, error));
        else if (dlp_bytes_equal(t.name, "Piece"))
            DLP_TRY(add_piece(file, &t, error));
        else if (dlp_bytes_equal(t.name, "Points"))
            file->in_points = true;
        else if (dlp_bytes_equal(t.name, "/Points"))
            file->in_points = false;
        else if (dlp_bytes_equal(t.name, "PointData"))
            file->in_point_data = t.attributes.size == 0 || t.attributes.data[t.attributes.size - 1] != '/';
        else if (dlp_bytes_equal(t.name, "/PointData"))
            file->in_point_data = false;
        else if (dlp_bytes_equal(t.name, "DataArray"))
            DLP_TRY(read_array(file, &t, &text, error));
        else if (dlp_bytes_equal(t.name, "AppendedData")) {
            DLP_TRY(read_appended(file, &t, &text, error));
            break;
        }
    }
    if (!file->is_poly_data) return dlp_fail(error, DLP_IO, "not a VTP file: it has no VTKFile tag");
    if (file->piece_count == 0) return dlp_fail(error, DLP_IO, "has no Piece");
    return DLP_OK;
}

// 0 .. 63, or -1.
static int32_t base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Decodes up to `size` bytes; '=' ends a run, and another may follow it (some files encode the size apart
// from the numbers). Any other character ends the text. Returns how many bytes there were.
static size_t decode_base64(dlp_bytes text, unsigned char *out, size_t size)
{
    size_t made = 0;
    uint32_t bits = 0;
    int32_t bit_count = 0;
    for (size_t k = 0; k < text.size && made < size; k++) {
        const int32_t digit = base64_digit(text.data[k]);
        if (text.data[k] == '=') bit_count = 0;
        if (digit < 0 && strchr("= \t\r\n", text.data[k]) == NULL) break;
        if (digit < 0) continue;
        bits = bits << 6 | (uint32_t)digit;
        bit_count += 6;
        if (bit_count < 8) continue;
        bit_count -= 8;
        out[made++] = (unsigned char)(bits >> bit_count & 0xff);
    }
    return made;
}

// `size` bytes as a number, in the file's byte order.
static uint64_t read_bits(const vtp_file *file, const unsigned char *at, int32_t size)
{
    uint64_t bits = 0;
    for (int32_t k = 0; k < size; k++) bits = bits << 8 | at[file->is_big_endian ? k : size - 1 - k];
    return bits;
}

// Large 64-bit integers are rounded.
static double number_at(const vtp_file *file, const unsigned char *at, number_type type)
{
    const uint64_t bits = read_bits(file, at, size_of(type));
    const uint32_t half = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case INT8:
        return (double)(int8_t)bits;
    case INT16:
        return (double)(int16_t)bits;
    case INT32:
        return (double)(int32_t)bits;
    case INT64:
        return (double)(int64_t)bits;
    case FLOAT32:
        memcpy(&single, &half, sizeof single);
        return (double)single;
    case FLOAT64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return (double)bits;
    }
}

static dlp_status fail_short(const char *what, dlp_error *error)
{
    return dlp_fail(error, DLP_IO, "%s: cut short: fewer numbers than 3 a point", what);
}

// Numbers separated by any white space.
static dlp_status read_ascii(const data_array *array, const char *what, int64_t count, double *out_values,
                             dlp_error *error)
{
    dlp_text text = dlp_text_of(array->text);
    for (int64_t k = 0; k < count; k++) {
        dlp_text_skip_space(&text);
        if (!dlp_text_number(&text, &out_values[k])) return fail_short(what, error);
    }
    return DLP_OK;
}

// The block's size in bytes stands before its numbers and must fit their count.
static dlp_status read_block(const vtp_file *file, const unsigned char *block, size_t size,
                             const data_array *array, const char *what, int64_t count, double *out_values,
                             dlp_error *error)
{
    const size_t header = (size_t)file->header_size, width = (size_t)size_of(array->type);
    const uint64_t needed = (uint64_t)count * width;
    if (size < header || size - header < needed) return fail_short(what, error);
    const uint64_t said = read_bits(file, block, file->header_size);
    if (said != needed)
        return dlp_fail(error, DLP_IO, "%s: holds %llu bytes; 3 numbers a point are %llu", what,
                        (unsigned long long)said, (unsigned long long)needed);
    for (int64_t k = 0; k < count; k++)
        out_values[k] = number_at(file, block + header + (size_t)k * width, array->type);
    return DLP_OK;
}

// The estimate refuses counts that the text cannot hold before memory is taken: four digits make three bytes.
static dlp_status read_base64(const vtp_file *file, dlp_bytes text, const data_array *array, const char *what,
                              int64_t count, double *out_values, dlp_error *error)
{
    const size_t size = (size_t)file->header_size + (size_t)count * (size_t)size_of(array->type);
    if (size / 4 > text.size / 3 + 1) return fail_short(what, error);
    unsigned char *block = dlp_alloc(size, 1, "points");
    if (block == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: %zu bytes", what, size);
    const size_t made = decode_base64(text, block, size);
    const dlp_status status = read_block(file, block, made, array, what, count, out_values, error);
    dlp_free(block);
    return status;
}

// From wherever the array says its numbers are.
static dlp_status read_numbers(const vtp_file *file, const data_array *array, const char *what, int64_t count,
                               double *out_values, dlp_error *error)
{
    if (array->format == FORMAT_ASCII) return read_ascii(array, what, count, out_values, error);
    if (array->format == FORMAT_BASE64)
        return read_base64(file, array->text, array, what, count, out_values, error);
    if (file->appended.data == NULL || (uint64_t)array->offset > file->appended.size)
        return fail_short(what, error);
    const dlp_bytes rest = {file->appended.data + array->offset, file->appended.size - (size_t)array->offset};
    if (file->is_appended_base64) return read_base64(file, rest, array, what, count, out_values, error);
    return read_block(file, (const unsigned char *)rest.data, rest.size, array, what, count, out_values,
                      error);
}

// Every point needs at least three bytes somewhere: a larger count is refused before memory is taken.
// Velocities count only where every piece has them.
static dlp_status count_points(const vtp_file *file, size_t file_size, int64_t *out_count,
                               bool *has_velocities, dlp_error *error)
{
    *out_count = 0;
    *has_velocities = true;
    for (int32_t k = 0; k < file->piece_count; k++) {
        const vtp_piece *piece = &file->pieces[k];
        if (piece->point_count > (int64_t)(file_size / 3) - *out_count)
            return dlp_fail(error, DLP_IO, "the file is cut short: it cannot hold %lld points",
                            (long long)piece->point_count);
        *out_count += piece->point_count;
        if (piece->point_count > 0 && piece->positions.type == TYPE_NONE)
            return dlp_fail(error, DLP_IO, "a Piece has no Points");
        *has_velocities = *has_velocities && (piece->point_count == 0 || piece->velocities.type != TYPE_NONE);
    }
    return DLP_OK;
}

// Piece after piece into the common arrays; a dlp_vec3 is three consecutive doubles.
static dlp_status read_pieces(const vtp_file *file, bool has_velocities, dlp_points *points, dlp_error *error)
{
    int64_t first = 0;
    for (int32_t k = 0; k < file->piece_count; k++) {
        const vtp_piece *piece = &file->pieces[k];
        if (piece->point_count == 0) continue;
        DLP_TRY(read_numbers(file, &piece->positions, "Points", 3 * piece->point_count,
                             &points->positions[first].x, error));
        if (has_velocities)
            DLP_TRY(read_numbers(file, &piece->velocities, "velocity", 3 * piece->point_count,
                                 &points->velocities[first].x, error));
        first += piece->point_count;
    }
    return DLP_OK;
}

// Counts first, then memory, then numbers.
static dlp_status read_points(vtp_file *file, dlp_bytes bytes, int32_t limit, dlp_points *points,
                              dlp_error *error)
{
    DLP_TRY(scan(file, bytes, error));
    int64_t count;
    bool has_velocities = false;
    DLP_TRY(count_points(file, bytes.size, &count, &has_velocities, error));
    DLP_TRY(dlp_points_allocate(points, count, limit, error));
    DLP_TRY(read_pieces(file, has_velocities, points, error));
    if (!has_velocities) {
        dlp_free(points->velocities);
        points->velocities = NULL;
    }
    return dlp_points_check(points, error);
}

// Complete points, or none.
dlp_status dlp_points_parse_vtp(dlp_bytes bytes, int32_t limit, dlp_points *out_points, dlp_error *error)
{
    *out_points = (dlp_points){0};
    vtp_file file = {0};
    const dlp_status status = read_points(&file, bytes, limit, out_points, error);
    dlp_free(file.pieces);
    if (status != DLP_OK) dlp_points_release(out_points);
    return status;
}
