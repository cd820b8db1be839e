/* The mesh itself, and the steps from a file's triangles to the surface of a solid. */
#include "space/mesh.h"
#include "base/memory.h"
#include "space/mesh_edges.h"

#include <assert.h>

void dlp_mesh_release(dlp_mesh *mesh)
{
    if (mesh == NULL) return;
    dlp_free(mesh->vertices);
    dlp_free(mesh->triangles);
    *mesh = (dlp_mesh){0};
}

// Arrays double, so that adding is constant time on average.
dlp_status dlp_mesh_add_vertex(dlp_mesh *mesh, dlp_vec3 x, dlp_error *error)
{
    if (mesh->vertex_count == INT32_MAX) return dlp_fail(error, DLP_IO, "more than %d vertices", INT32_MAX);
    DLP_TRY(dlp_reserve(&mesh->vertices, &mesh->vertex_capacity, mesh->vertex_count + 1, sizeof(dlp_vec3),
                        "mesh", error));
    mesh->vertices[mesh->vertex_count++] = x;
    return DLP_OK;
}

dlp_status dlp_mesh_add_triangle(dlp_mesh *mesh, int32_t a, int32_t b, int32_t c, dlp_error *error)
{
    assert(a >= 0 && b >= 0 && c >= 0);
    // a third of the range, so that sides can be counted in 32 bits too
    if (mesh->triangle_count == INT32_MAX / 3)
        return dlp_fail(error, DLP_IO, "more than %d triangles", INT32_MAX / 3);
    DLP_TRY(dlp_reserve(&mesh->triangles, &mesh->triangle_capacity, mesh->triangle_count + 1,
                        sizeof mesh->triangles[0], "mesh", error));
    int32_t *triangle = mesh->triangles[mesh->triangle_count++];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
    return DLP_OK;
}

// Welds only where the mesh is open as it stands, first equal positions, then those within 1e-7 of the mesh's
// size: vertices that coincide by design (two solids that touch) stay separate.
static dlp_status weld_as_needed(dlp_mesh *mesh, dlp_mesh_report *report, dlp_error *error)
{
    const double size = dlp_length(dlp_sub(report->bounds.max, report->bounds.min));
    const double tolerances[] = {0, 1e-7 * size};
    for (int32_t k = 0; k < 2 && report->open_edges > 0; k++) {
        DLP_TRY(dlp_mesh_weld(mesh, tolerances[k], error));
        DLP_TRY(dlp_mesh_tidy(mesh, error));
        DLP_TRY(dlp_mesh_check(mesh, report, error));
    }
    return DLP_OK;
}

// Closes the holes where that is asked for; the mesh must be oriented.
static dlp_status close_or_refuse(dlp_mesh *mesh, dlp_mesh_holes holes, dlp_mesh_report *report,
                                  dlp_error *error)
{
    if (report->open_edges == 0) return DLP_OK;
    if (holes == DLP_HOLES_REFUSE)
        return dlp_fail(error, DLP_IO,
                        "%d hole%s, %d open edges; a solid must be closed: set `repair: true` to close "
                        "the holes, or close them in a modeller",
                        report->holes, report->holes == 1 ? "" : "s", report->open_edges);
    const int32_t hole_count = report->holes, open_count = report->open_edges;
    DLP_TRY(dlp_mesh_close_holes(mesh, error));
    DLP_TRY(dlp_mesh_check(mesh, report, error));
    if (!report->is_watertight)
        return dlp_fail(error, DLP_IO,
                        "%d holes with %d open edges could not be closed (%d edges stay open, %d have "
                        "more than two triangles); close them in a modeller",
                        hole_count, open_count, report->open_edges, report->nonmanifold_edges);
    return DLP_OK;
}

// Tidy before the first check, so that degenerate triangles do not count as open edges; orient before holes
// are closed, since their loops run against the triangles; slivers last, since they need two sides at every
// edge.
dlp_status dlp_mesh_make_solid(dlp_mesh *mesh, dlp_mesh_holes holes, dlp_error *error)
{
    DLP_TRY(dlp_mesh_tidy(mesh, error));
    dlp_mesh_report report;
    DLP_TRY(dlp_mesh_check(mesh, &report, error));
    DLP_TRY(weld_as_needed(mesh, &report, error));
    if (mesh->triangle_count == 0) return dlp_fail(error, DLP_IO, "has no triangles (with an area)");
    if (report.nonmanifold_edges > 0)
        return dlp_fail(error, DLP_IO,
                        "%d edges have more than two triangles; the surface of a solid has two at every "
                        "edge: separate the parts that touch",
                        report.nonmanifold_edges);
    DLP_TRY(dlp_mesh_orient(mesh, error));
    DLP_TRY(dlp_mesh_check(mesh, &report, error));
    DLP_TRY(close_or_refuse(mesh, holes, &report, error));
    DLP_TRY(dlp_mesh_face_outward(mesh, error));
    DLP_TRY(dlp_mesh_flip_slivers(mesh, error));
    DLP_TRY(dlp_mesh_check(mesh, &report, error));
    if (!(fabs(report.volume) > 0)) return dlp_fail(error, DLP_IO, "encloses no volume");
    return DLP_OK;
}

double dlp_mesh_area(const dlp_mesh *mesh)
{
    double area = 0;
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangles[t];
        const dlp_vec3 a = mesh->vertices[v[0]];
        area +=
            0.5 * dlp_length(dlp_cross(dlp_sub(mesh->vertices[v[1]], a), dlp_sub(mesh->vertices[v[2]], a)));
    }
    return area;
}
