/* STL, binary and ascii. Corners come without indices; equal positions are welded at the end. */
#include "space/mesh_edges.h"
#include "space/mesh_parse.h"

#include <string.h>

enum { HEADER_SIZE = 84, RECORD_SIZE = 50 };  // bytes: 80 of text and a count; a triangle

// Little-endian, whatever the machine is.
static uint32_t read_uint32(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_float(const char *at)
{
    const uint32_t bits = read_uint32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

// Three vertices of its own for each triangle.
static dlp_status add_corners(dlp_mesh *mesh, const dlp_vec3 corners[3], dlp_error *error)
{
    for (int32_t k = 0; k < 3; k++) DLP_TRY(dlp_mesh_add_vertex(mesh, corners[k], error));
    const int32_t first = mesh->vertex_count - 3;
    return dlp_mesh_add_triangle(mesh, first, first + 1, first + 2, error);
}

// The caller has checked that `count` records are there.
static dlp_status parse_binary(dlp_bytes bytes, uint32_t count, dlp_mesh *mesh, dlp_error *error)
{
    for (uint32_t t = 0; t < count; t++) {
        // Normal (not read: the corners' order says the same), three corners, two bytes of attributes.
        const char *record = bytes.data + HEADER_SIZE + (size_t)RECORD_SIZE * t + 12;
        dlp_vec3 corners[3];
        for (int32_t k = 0; k < 3; k++)
            corners[k] = dlp_vec(read_float(record + 12 * k), read_float(record + 12 * k + 4),
                                 read_float(record + 12 * k + 8));
        DLP_TRY(add_corners(mesh, corners, error));
    }
    return DLP_OK;
}

static dlp_status read_facet_vertex(dlp_text *text, dlp_vec3 *out_vertex, dlp_error *error)
{
    double x[3];
    for (int32_t k = 0; k < 3; k++)
        if (!dlp_text_number(text, &x[k]))
            return dlp_fail(error, DLP_IO, "line %d: a vertex needs three numbers", text->line);
    *out_vertex = dlp_vec(x[0], x[1], x[2]);
    return DLP_OK;
}

// Only "vertex" and "endfacet" are read; all other words, normals among them, are skipped.
static dlp_status parse_ascii(dlp_bytes bytes, dlp_mesh *mesh, dlp_error *error)
{
    dlp_text text = dlp_text_of(bytes);
    dlp_vec3 corners[3];
    int32_t count = 0;
    for (; text.at < text.end; dlp_text_skip_line(&text)) {
        const dlp_bytes word = dlp_text_word(&text);
        if (dlp_bytes_equal_nocase(word, "vertex")) {
            if (count == 3)
                return dlp_fail(error, DLP_IO, "line %d: a facet with more than three vertices", text.line);
            DLP_TRY(read_facet_vertex(&text, &corners[count++], error));
        } else if (dlp_bytes_equal_nocase(word, "endfacet")) {
            if (count != 3)
                return dlp_fail(error, DLP_IO, "line %d: a facet needs three vertices (got %d)", text.line,
                                count);
            DLP_TRY(add_corners(mesh, corners, error));
            count = 0;
        }
    }
    if (count > 0) return dlp_fail(error, DLP_IO, "the file is cut short: it ends within a facet");
    return DLP_OK;
}

static bool begins_with_solid(dlp_bytes bytes)
{
    dlp_text text = dlp_text_of(bytes);
    dlp_text_skip_space(&text);
    return dlp_bytes_equal_nocase(dlp_text_word(&text), "solid");
}

// Binary headers may begin with "solid" too: an exact size decides first, then the word, then a size that has
// something to spare at the end.
static dlp_status parse_either(dlp_bytes bytes, dlp_mesh *mesh, dlp_error *error)
{
    const bool has_header = bytes.size >= HEADER_SIZE;
    const uint32_t count = has_header ? read_uint32(bytes.data + HEADER_SIZE - 4) : 0;
    const uint64_t wanted = HEADER_SIZE + (uint64_t)RECORD_SIZE * count;
    if (has_header && bytes.size == wanted) return parse_binary(bytes, count, mesh, error);
    if (begins_with_solid(bytes)) return parse_ascii(bytes, mesh, error);
    if (has_header && bytes.size > wanted) return parse_binary(bytes, count, mesh, error);
    return dlp_fail(error, DLP_IO,
                    "not an STL file, or cut short: %u triangles need %llu bytes, %zu are there", count,
                    (unsigned long long)wanted, bytes.size);
}

dlp_status dlp_mesh_parse_stl(dlp_bytes bytes, dlp_mesh *mesh, dlp_error *error)
{
    DLP_TRY(parse_either(bytes, mesh, error));
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        if (!dlp_is_finite3(mesh->vertices[v])) return DLP_OK;  // refused by the caller, who names the vertex
    DLP_TRY(dlp_mesh_weld(mesh, 0, error));
    return dlp_mesh_tidy(mesh, error);
}
