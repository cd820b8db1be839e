/* Meshes of PLY files: the elements "vertex" and "face"; all others are skipped. */
#include "base/memory.h"
#include "space/mesh_edges.h"
#include "space/mesh_parse.h"
#include "space/ply.h"

#include <string.h>

// A list named x, y or z is skipped: its coordinate stays 0.
static dlp_status read_vertices(dlp_ply *ply, const dlp_ply_element *element, dlp_mesh *mesh,
                                dlp_error *error)
{
    const int32_t places[3] = {dlp_ply_find(element, "x"), dlp_ply_find(element, "y"),
                               dlp_ply_find(element, "z")};
    if (places[0] < 0 || places[1] < 0 || places[2] < 0)
        return dlp_fail(error, DLP_IO, "its vertices have no x, y and z");
    for (int32_t row = 0; row < element->count; row++) {
        double x[3] = {0, 0, 0};
        for (int32_t p = 0; p < element->property_count; p++) {
            const dlp_ply_property *property = &element->properties[p];
            const int32_t k = p == places[0] ? 0 : p == places[1] ? 1 : p == places[2] ? 2 : -1;
            if (k < 0 || property->count_type != DLP_PLY_NONE)
                DLP_TRY(dlp_ply_skip(ply, property, error));
            else
                DLP_TRY(dlp_ply_number(ply, property->type, &x[k], error));
        }
        DLP_TRY(dlp_mesh_add_vertex(mesh, dlp_vec(x[0], x[1], x[2]), error));
    }
    return DLP_OK;
}

// The corners of the face being read; reused from face to face.
typedef struct ply_face {
    int32_t *corners;  // owned
    int32_t capacity;
} ply_face;

// Indices are checked against the vertices so far: faces must follow them.
static dlp_status read_face(dlp_ply *ply, const dlp_ply_property *property, dlp_mesh *mesh, ply_face *f,
                            dlp_error *error)
{
    int32_t count;
    DLP_TRY(dlp_ply_list(ply, property, &count, error));
    DLP_TRY(dlp_reserve(&f->corners, &f->capacity, count, sizeof(int32_t), "mesh", error));
    for (int32_t k = 0; k < count; k++) {
        double value = 0;
        DLP_TRY(dlp_ply_number(ply, property->type, &value, error));
        int64_t vertex;
        if (!dlp_whole_number(value, 0, (int64_t)mesh->vertex_count - 1, &vertex))
            return dlp_fail(error, DLP_IO, "a face has the corner %g; there are vertices 0 to %d", value,
                            mesh->vertex_count - 1);
        f->corners[k] = (int32_t)vertex;
    }
    if (count < 3) return dlp_fail(error, DLP_IO, "a face needs three corners or more (got %d)", count);
    return dlp_mesh_add_polygon(mesh, f->corners, count, error);
}

static dlp_status read_faces(dlp_ply *ply, const dlp_ply_element *element, dlp_mesh *mesh, ply_face *f,
                             dlp_error *error)
{
    const int32_t list = dlp_ply_find(element, "vertex_indices|vertex_index");
    if (list < 0 || element->properties[list].count_type == DLP_PLY_NONE)
        return dlp_fail(error, DLP_IO, "its faces have no list \"vertex_indices\"");
    for (int32_t row = 0; row < element->count; row++)
        for (int32_t p = 0; p < element->property_count; p++) {
            if (p == list)
                DLP_TRY(read_face(ply, &element->properties[p], mesh, f, error));
            else
                DLP_TRY(dlp_ply_skip(ply, &element->properties[p], error));
        }
    return DLP_OK;
}

static dlp_status read_elements(dlp_ply *ply, dlp_mesh *mesh, ply_face *f, dlp_error *error)
{
    for (int32_t k = 0; k < ply->element_count; k++) {
        const dlp_ply_element *element = &ply->elements[k];
        const char *name = element->name;
        if (strcmp(name, "vertex") == 0)
            DLP_TRY(read_vertices(ply, element, mesh, error));
        else if (strcmp(name, "face") == 0)
            DLP_TRY(read_faces(ply, element, mesh, f, error));
        else
            DLP_TRY(dlp_ply_skip_element(ply, element, error));
    }
    return DLP_OK;
}

dlp_status dlp_mesh_parse_ply(dlp_bytes bytes, dlp_mesh *mesh, dlp_error *error)
{
    dlp_ply *ply = dlp_alloc(1, sizeof *ply, "mesh");
    if (ply == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %zu bytes", sizeof *ply);
    ply_face f = {0};
    dlp_status status = dlp_ply_open(ply, bytes, error);
    if (status == DLP_OK) status = read_elements(ply, mesh, &f, error);
    dlp_free(f.corners);
    dlp_free(ply);
    return status;
}
