/* Mesh and height readers on bytes as they come. The first byte chooses the format; what is read goes on
 * through repair, tree and distance, where it must not break anything either. */
#include "record/mesh_glb.h"
#include "space/height.h"
#include "space/mesh.h"
#include "space/mesh_tree.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What every answer must be, whatever the mesh.
static void probe_tree(const dlp_mesh *mesh, int32_t dimension)
{
    dlp_mesh_tree *tree;
    if (dlp_mesh_tree_create(mesh, dimension, &tree, NULL) != DLP_OK) return;
    const dlp_box box = dlp_mesh_tree_bounds(tree);
    const dlp_vec3 places[] = {{0, 0, 0}, {1, 2, 3}, box.min, box.max, mesh->vertices[0]};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        dlp_vec3 normal;
        const double distance = dlp_mesh_tree_probe(tree, places[k], &normal);
        if (isnan(distance) || !(fabs(dlp_length(normal) - 1) < 1e-6)) abort();
    }
    dlp_mesh_tree_destroy(tree);
}

static void try_mesh(dlp_bytes bytes, dlp_mesh_format format, dlp_mesh_holes holes)
{
    dlp_error error;
    dlp_mesh mesh;
    if (dlp_mesh_parse(bytes, format, &mesh, &error) != DLP_OK) return;
    dlp_mesh_report report;
    if (dlp_mesh_check(&mesh, &report, &error) != DLP_OK) abort();
    if (dlp_mesh_make_solid(&mesh, holes, &error) == DLP_OK) {
        if (dlp_mesh_check(&mesh, &report, &error) != DLP_OK || !report.is_watertight) abort();
        probe_tree(&mesh, 3);
        probe_tree(&mesh, 2);
    }
    dlp_mesh_release(&mesh);
}

static void try_height(dlp_bytes bytes, bool is_pgm)
{
    dlp_height_table table;
    const dlp_status status =
        is_pgm ? dlp_height_parse_pgm(bytes, &table, NULL) : dlp_height_parse_numbers(bytes, &table, NULL);
    if (status != DLP_OK) return;
    dlp_height *height;
    const dlp_box area = {{0, 0, 0}, {1, 1, 0}};
    const int32_t columns = table.columns;
    double largest = 0;
    for (int64_t k = 0; k < (int64_t)columns * table.rows; k++)
        largest = fmax(largest, fabs(table.values[k]));
    if (columns > 1 && largest < 1e60 && dlp_height_create(&table, area, &height, NULL) == DLP_OK) {
        dlp_vec3 normal;
        const double distance = dlp_height_probe(height, dlp_vec(0.3, 0.7, 0.1), &normal);
        if (isnan(distance) || !(fabs(dlp_length(normal) - 1) < 1e-6)) abort();
        dlp_height_destroy(height);
    }
    dlp_height_table_release(&table);
}

static void check_skin(const dlp_surface_mesh *mesh)
{
    dlp_surface_mesh_report report;
    if (dlp_surface_mesh_check(mesh, &report, NULL) != DLP_OK) abort();
    if (report.mesh.nonfinite_vertices > 0) abort();
    if (mesh->mesh.vertex_count > 0 && (mesh->normals == NULL || mesh->velocities == NULL)) abort();
}

static void try_skin(dlp_bytes bytes)
{
    dlp_surface_mesh mesh;
    if (dlp_surface_mesh_parse_ply(bytes, &mesh, NULL) != DLP_OK) return;
    check_skin(&mesh);
    dlp_surface_mesh_release(&mesh);
}

static void try_glb(dlp_bytes bytes)
{
    dlp_glb_file file;
    if (dlp_glb_parse(bytes, &file, NULL) == DLP_OK) {
        for (int32_t k = 0; k < file.mesh_count && k < 4; k++) {
            dlp_surface_mesh mesh;
            if (dlp_glb_read_mesh(&file, k, &mesh, NULL) != DLP_OK) continue;
            check_skin(&mesh);
            dlp_surface_mesh_release(&mesh);
        }
    }
    dlp_document_release(&file.head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const dlp_bytes bytes = {(const char *)data + 1, size - 1};
    const dlp_mesh_holes holes = data[0] & 8 ? DLP_HOLES_CLOSE : DLP_HOLES_REFUSE;
    switch (data[0] % 7) {
    case 0:
        try_mesh(bytes, DLP_MESH_OBJ, holes);
        break;
    case 1:
        try_mesh(bytes, DLP_MESH_PLY, holes);
        break;
    case 2:
        try_mesh(bytes, DLP_MESH_STL, holes);
        break;
    case 3:
        try_height(bytes, true);
        break;
    case 4:
        try_skin(bytes);
        break;
    case 5:
        try_glb(bytes);
        break;
    default:
        try_height(bytes, false);
        break;
    }
    return 0;
}
