#include "space/mesh.h"
#include "base/memory.h"
#include "space/mesh_edges.h"

void dlp_mesh_release(dlp_mesh *mesh)
{
    if (mesh == NULL) return;
    dlp_free(mesh->vertices);
    dlp_free(mesh->triangles);
    *mesh = (dlp_mesh){0};
}

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
    // A third of the range, so that sides can be counted in 32 bits too.
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

// Volume and area by triangles; the volume is taken about the middle of the bounds to keep its digits.
static void measure(const dlp_mesh *mesh, dlp_mesh_report *report)
{
    const dlp_vec3 middle = dlp_mul(dlp_add(report->bounds.min, report->bounds.max), 0.5);
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangles[t];
        const dlp_vec3 a = dlp_sub(mesh->vertices[v[0]], middle);
        const dlp_vec3 b = dlp_sub(mesh->vertices[v[1]], middle);
        const dlp_vec3 c = dlp_sub(mesh->vertices[v[2]], middle);
        const dlp_vec3 normal = dlp_cross(dlp_sub(b, a), dlp_sub(c, a));
        const double twice_area = dlp_length(normal);
        report->degenerate_triangles += !(twice_area > 0);
        report->area += twice_area / 2;
        report->volume += dlp_dot(a, normal) / 6;
    }
}

static void find_bounds(const dlp_mesh *mesh, dlp_mesh_report *report)
{
    if (mesh->vertex_count == 0) return;
    report->bounds = (dlp_box){mesh->vertices[0], mesh->vertices[0]};
    for (int32_t v = 1; v < mesh->vertex_count; v++) {
        report->bounds.min = dlp_min3(report->bounds.min, mesh->vertices[v]);
        report->bounds.max = dlp_max3(report->bounds.max, mesh->vertices[v]);
    }
}

static dlp_status count_isolated(const dlp_mesh *mesh, dlp_mesh_report *report, dlp_error *error)
{
    bool *is_used = dlp_alloc((size_t)mesh->vertex_count, sizeof *is_used, "mesh");
    if (is_used == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d vertices", mesh->vertex_count);
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        for (int32_t k = 0; k < 3; k++) is_used[mesh->triangles[t][k]] = true;
    for (int32_t v = 0; v < mesh->vertex_count; v++) report->isolated_vertices += !is_used[v];
    dlp_free(is_used);
    return DLP_OK;
}

static void count_edges(const dlp_mesh *mesh, const dlp_mesh_edges *edges, dlp_mesh_report *report)
{
    for (int32_t first = 0; first < edges->count;) {
        const int32_t end = dlp_mesh_edge_end(edges, first);
        const dlp_mesh_side *side = &edges->sides[first];
        if (side->low != side->high) {
            report->open_edges += end - first == 1;
            report->nonmanifold_edges += end - first > 2;
            report->misoriented_edges += end - first == 2 && dlp_mesh_side_is_forward(mesh, side) ==
                                                                 dlp_mesh_side_is_forward(mesh, side + 1);
        }
        first = end;
    }
}

static dlp_status count_topology(const dlp_mesh *mesh, const dlp_mesh_edges *edges, dlp_mesh_report *report,
                                 dlp_error *error)
{
    count_edges(mesh, edges, report);
    int32_t *component = NULL;
    DLP_TRY(dlp_mesh_components(mesh, edges, &component, &report->components, error));
    dlp_free(component);
    dlp_mesh_loops loops;
    DLP_TRY(dlp_mesh_loops_create(mesh, edges, &loops, error));
    report->holes = loops.count;
    dlp_mesh_loops_release(&loops);
    return DLP_OK;
}

dlp_status dlp_mesh_check(const dlp_mesh *mesh, dlp_mesh_report *out_report, dlp_error *error)
{
    *out_report =
        (dlp_mesh_report){.vertex_count = mesh->vertex_count, .triangle_count = mesh->triangle_count};
    find_bounds(mesh, out_report);
    measure(mesh, out_report);
    DLP_TRY(count_isolated(mesh, out_report, error));
    dlp_mesh_edges edges;
    DLP_TRY(dlp_mesh_edges_create(mesh, &edges, error));
    const dlp_status status = count_topology(mesh, &edges, out_report, error);
    dlp_mesh_edges_release(&edges);
    out_report->is_watertight = mesh->triangle_count > 0 && out_report->open_edges == 0 &&
                                out_report->nonmanifold_edges == 0 && out_report->misoriented_edges == 0;
    return status;
}

// Welds only where the mesh is open as it stands, first equal places, then almost equal ones: vertices that
// lie together by design (two solids that touch) stay apart.
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
