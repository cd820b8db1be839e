// Reads what a .vtp says of itself: the XML before the appended data, in the form that vtp.c writes it. No
// general XML reader; what is not in that form is refused.
#include "record/file_io.h"
#include "record/format.h"
#include "record/vtp.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bytes of the XML part that are looked at: room for thousands of arrays.
enum { HEADER_LIMIT = 1 << 20 };

// The header of a file that is open.
typedef struct header {
    const char *path;
    char *text;           // up to and without the '_' that starts the data; owned
    uint64_t data_begin;  // position of the first appended byte in the file
    uint64_t file_size;
    FILE *stream;
} header;

// All damage is reported alike: where, and what was found.
static dlp_status damaged(const header *h, const char *what, dlp_error *error)
{
    return dlp_fail(error, DLP_IO, "%s: damaged or not a frame of a run: %s", h->path, what);
}

// Copies attribute `name` of the tag that starts at `tag`; false where it has none or it does not fit. A name
// counts only after a space and before =", so that "Name" is not found within another attribute.
static bool attribute(const char *tag, const char *name, char *out_value, size_t size)
{
    const char *end = strchr(tag, '>');
    const size_t length = strlen(name);
    for (const char *c = tag; end != NULL && (c = strstr(c, name)) != NULL && c < end; c += length) {
        if (c[-1] != ' ' || c[length] != '=' || c[length + 1] != '"') continue;
        const char *value = c + length + 2;
        const char *quote = strchr(value, '"');
        if (quote == NULL || quote > end || (size_t)(quote - value) >= size) return false;
        memcpy(out_value, value, (size_t)(quote - value));
        out_value[quote - value] = '\0';
        return true;
    }
    return false;
}

// A whole number of at most `limit`; false for anything else.
static bool whole_attribute(const char *tag, const char *name, uint64_t limit, uint64_t *out_value)
{
    char text[32];
    if (!attribute(tag, name, text, sizeof text) || text[0] < '0' || text[0] > '9') return false;
    errno = 0;
    char *end;
    *out_value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *out_value <= limit;
}

// NaN where there is none.
static double number_attribute(const char *tag, const char *name)
{
    char text[64];
    if (!attribute(tag, name, text, sizeof text)) return (double)NAN;
    return dlp_format_read_number(text, text + strlen(text));
}

// Bytes of a type that frames have; 0 for others.
static size_t type_size(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } known[] = {{"Float32", 4}, {"Float64", 8}, {"Int32", 4}, {"Int64", 8}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strcmp(type, known[k].name) == 0) return known[k].size;
    }
    return 0;
}

// Finds an array's bytes and checks that all of them are there: offsets and lengths come from the file and
// are compared without overflow.
static dlp_status find_extent(const header *h, const char *tag, uint64_t bytes, uint64_t *out_begin,
                              dlp_error *error)
{
    uint64_t offset, length;
    if (!whole_attribute(tag, "offset", h->file_size, &offset))
        return damaged(h, "an array has no offset", error);
    const uint64_t begin = h->data_begin + offset;
    if (begin > h->file_size || h->file_size - begin < sizeof length)
        return damaged(h, "it ends before its data", error);
    if (fseeko(h->stream, (off_t)begin, SEEK_SET) != 0 || fread(&length, sizeof length, 1, h->stream) != 1)
        return damaged(h, "an array cannot be read", error);
    if (length != bytes) return damaged(h, "an array has not the length it should have", error);
    if (h->file_size - begin - sizeof length < length) return damaged(h, "it ends before its data", error);
    *out_begin = begin + sizeof length;
    return DLP_OK;
}

// Adds the array of one <DataArray> tag to the info.
static dlp_status read_array(const header *h, const char *tag, dlp_vtp_info *info, dlp_error *error)
{
    if (info->array_count == DLP_VTP_ARRAY_LIMIT) return damaged(h, "too many arrays", error);
    dlp_vtp_array_info *array = &info->arrays[info->array_count];
    uint64_t components = 1;
    if (!attribute(tag, "Name", array->name, sizeof array->name) ||
        !attribute(tag, "type", array->type, sizeof array->type))
        return damaged(h, "an array without name or type", error);
    if (!whole_attribute(tag, "NumberOfComponents", 16, &components) || components == 0)
        return damaged(h, "an array without components", error);
    const size_t size = type_size(array->type);
    if (size == 0) return damaged(h, "an array of unknown type", error);
    array->components = (int32_t)components;
    array->min = number_attribute(tag, "RangeMin");
    array->max = number_attribute(tag, "RangeMax");
    info->array_count++;
    return find_extent(h, tag, (uint64_t)info->point_count * components * size, &array->begin, error);
}

// All arrays between <NAME ...> and </NAME>.
static dlp_status read_section(const header *h, const char *name, dlp_vtp_info *info, dlp_error *error)
{
    char opening[32], closing[32];
    snprintf(opening, sizeof opening, "<%s", name);
    snprintf(closing, sizeof closing, "</%s>", name);
    const char *begin = strstr(h->text, opening);
    const char *end = begin != NULL ? strstr(begin, closing) : NULL;
    if (end == NULL) return damaged(h, "a section is missing", error);
    const char *tag = begin;
    while ((tag = strstr(tag, "<DataArray ")) != NULL && tag < end) {
        DLP_TRY(read_array(h, tag, info, error));
        tag++;
    }
    return DLP_OK;
}

// Where the corners of cells lie that all have the same number of corners.
static dlp_status find_cells(const header *h, const char *name, uint64_t index_count, uint64_t *out_begin,
                             dlp_error *error)
{
    char opening[32];
    snprintf(opening, sizeof opening, "<%s>", name);
    const char *begin = strstr(h->text, opening);
    const char *tag =
        begin != NULL ? strstr(begin, "<DataArray type=\"Int32\" Name=\"connectivity\" ") : NULL;
    if (tag == NULL) return damaged(h, "its cells have no corners", error);
    return find_extent(h, tag, index_count * sizeof(int32_t), out_begin, error);
}

// The text of the TimeValue array; NaN where it is no number.
static void read_time(const header *h, dlp_vtp_info *info)
{
    const char *tag = strstr(h->text, "Name=\"TimeValue\"");
    const char *end = tag != NULL ? strchr(tag, '>') : NULL;
    const char *stop = end != NULL ? strchr(end, '<') : NULL;
    info->time = stop != NULL ? dlp_format_read_number(end + 1, stop) : (double)NAN;
}

// Lines beside vertices are the links of cloth; lines alone are a contour, whose corners are not read.
static dlp_status read_header(const header *h, dlp_vtp_info *info, dlp_error *error)
{
    if (strstr(h->text, "<VTKFile type=\"PolyData\"") == NULL || strstr(h->text, "\"UInt64\"") == NULL)
        return damaged(h, "not PolyData with 64-bit headers", error);
    const char *piece = strstr(h->text, "<Piece ");
    uint64_t points = 0, lines = 0, polys = 0;
    if (piece == NULL || !whole_attribute(piece, "NumberOfPoints", INT32_MAX, &points))
        return damaged(h, "no number of points", error);
    if (!whole_attribute(piece, "NumberOfLines", INT32_MAX, &lines))
        return damaged(h, "no number of lines", error);
    info->point_count = (int32_t)points;
    info->line_count = (int32_t)lines;
    if (whole_attribute(piece, "NumberOfPolys", INT32_MAX, &polys)) info->triangle_count = (int32_t)polys;
    if (polys > 0) DLP_TRY(find_cells(h, "Polys", 3 * polys, &info->triangles_begin, error));
    if (lines > 0 && strstr(h->text, "<Verts>") != NULL)
        DLP_TRY(find_cells(h, "Lines", 2 * lines, &info->links_begin, error));
    read_time(h, info);
    DLP_TRY(read_section(h, "Points", info, error));
    return read_section(h, "PointData", info, error);
}

// Loads the XML part and finds where the data begin.
static dlp_status load_header(header *h, dlp_error *error)
{
    if (fseeko(h->stream, 0, SEEK_END) != 0) return dlp_fail_errno(error, h->path, errno);
    h->file_size = (uint64_t)ftello(h->stream);
    rewind(h->stream);
    const size_t most = h->file_size < HEADER_LIMIT ? (size_t)h->file_size : HEADER_LIMIT;
    h->text = dlp_alloc(most + 1, 1, "file");
    if (h->text == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for its header", h->path);
    const size_t size = fread(h->text, 1, most, h->stream);
    if (ferror(h->stream)) return dlp_fail_errno(error, h->path, errno);
    h->text[size] = '\0';
    char *appended = strstr(h->text, "<AppendedData encoding=\"raw\">");
    char *begin = appended != NULL ? strchr(appended, '_') : NULL;
    if (begin == NULL) return damaged(h, "no raw appended data", error);
    *begin = '\0';
    h->data_begin = (uint64_t)(begin + 1 - h->text);
    return DLP_OK;
}

dlp_status dlp_vtp_read_info(const char *path, dlp_vtp_info *out_info, dlp_error *error)
{
    *out_info = (dlp_vtp_info){.time = (double)NAN};
    errno = 0;
    header h = {.path = path, .stream = fopen(path, "rb")};
    if (h.stream == NULL) return dlp_fail_errno(error, path, errno);
    dlp_status status = load_header(&h, error);
    if (status == DLP_OK) status = read_header(&h, out_info, error);
    dlp_free(h.text);
    fclose(h.stream);
    return status;
}
