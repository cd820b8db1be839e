/* Wavefront OBJ: lines of vertices and faces. */
#include "base/memory.h"
#include "space/mesh_edges.h"
#include "space/mesh_parse.h"

// The corners of the face being read; reused from face to face.
typedef struct obj_face {
    int32_t *corners;  // owned
    int32_t count, capacity;
} obj_face;

// A fourth number (a weight) and colours are ignored.
static dlp_status read_vertex(dlp_text *text, dlp_mesh *mesh, dlp_error *error)
{
    double x[3];
    for (int32_t k = 0; k < 3; k++)
        if (!dlp_text_number(text, &x[k]))
            return dlp_fail(error, DLP_IO, "line %d: a vertex needs three numbers", text->line);
    return dlp_mesh_add_vertex(mesh, dlp_vec(x[0], x[1], x[2]), error);
}

// "7", "7/1", "7//3", "7/1/3": the first number counts vertices from 1, a negative one back from the last.
static dlp_status read_corner(dlp_bytes word, const dlp_text *text, const dlp_mesh *mesh, int32_t *out_vertex,
                              dlp_error *error)
{
    dlp_text inner = dlp_text_of(word);
    int64_t index;
    if (!dlp_text_integer(&inner, &index) || (inner.at < inner.end && *inner.at != '/'))
        return dlp_fail(error, DLP_IO, "line %d: \"%.*s\" is not a corner of a face", text->line,
                        (int)(word.size < 40 ? word.size : 40), word.data);
    const int64_t vertex = index > 0 ? index - 1 : mesh->vertex_count + index;
    if (index == 0 || vertex < 0 || vertex >= mesh->vertex_count)
        return dlp_fail(error, DLP_IO, "line %d: corner %lld does not exist; %d vertices came before",
                        text->line, (long long)index, mesh->vertex_count);
    *out_vertex = (int32_t)vertex;
    return DLP_OK;
}

// Corners up to the end of the line or a comment.
static dlp_status read_face(dlp_text *text, dlp_mesh *mesh, obj_face *f, dlp_error *error)
{
    f->count = 0;
    while (!dlp_text_at_line_end(text) && *text->at != '#') {
        DLP_TRY(dlp_reserve(&f->corners, &f->capacity, f->count + 1, sizeof(int32_t), "mesh", error));
        DLP_TRY(read_corner(dlp_text_word(text), text, mesh, &f->corners[f->count], error));
        f->count++;
    }
    if (f->count < 3)
        return dlp_fail(error, DLP_IO, "line %d: a face needs three corners or more (got %d)", text->line,
                        f->count);
    return dlp_mesh_add_polygon(mesh, f->corners, f->count, error);
}

// Texture coordinates, normals, groups and materials are skipped: a solid needs positions alone. A face may
// name only vertices that stand before it.
static dlp_status read_lines(dlp_text *text, dlp_mesh *mesh, obj_face *f, dlp_error *error)
{
    for (; text->at < text->end; dlp_text_skip_line(text)) {
        const dlp_bytes word = dlp_text_word(text);
        if (dlp_bytes_equal(word, "v"))
            DLP_TRY(read_vertex(text, mesh, error));
        else if (dlp_bytes_equal(word, "f"))
            DLP_TRY(read_face(text, mesh, f, error));
    }
    return DLP_OK;
}

dlp_status dlp_mesh_parse_obj(dlp_bytes bytes, dlp_mesh *mesh, dlp_error *error)
{
    dlp_text text = dlp_text_of(bytes);
    obj_face f = {0};
    const dlp_status status = read_lines(&text, mesh, &f, error);
    dlp_free(f.corners);
    return status;
}
