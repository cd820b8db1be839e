/* The strict check of a mesh as the surface of a solid. It accepts any mesh with valid indices and only
 * counts. */
#include "base/memory.h"
#include "space/mesh_edges.h"

#include <stdlib.h>

// The tangent of a triangle's smallest angle, which is never obtuse, so that corners with a negative cosine
// are left out: cross product over dot product. 0 for a triangle without extent.
static double smallest_tangent(dlp_vec3 a, dlp_vec3 b, dlp_vec3 c, double twice_area)
{
    const dlp_vec3 x[3] = {a, b, c};
    double best = HUGE_VAL;
    for (int32_t k = 0; k < 3; k++) {
        const double dot = dlp_dot(dlp_sub(x[(k + 1) % 3], x[k]), dlp_sub(x[(k + 2) % 3], x[k]));
        if (dot > 0) best = fmin(best, twice_area / dot);
    }
    return best < HUGE_VAL ? best : 0;
}

// Volume and area by triangles; the volume is taken about the middle of the bounds, which keeps its digits
// far from the origin. Comparisons are written so that NaN counts as degenerate and thin.
static void measure(const dlp_mesh *mesh, dlp_mesh_report *report)
{
    const dlp_vec3 middle = dlp_mul(dlp_add(report->bounds.min, report->bounds.max), 0.5);
    const double thin = tan(DLP_MESH_THIN_ANGLE * DLP_PI / 180);
    double smallest = HUGE_VAL;
    int32_t thin_count = 0;
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangles[t];
        const dlp_vec3 a = dlp_sub(mesh->vertices[v[0]], middle);
        const dlp_vec3 b = dlp_sub(mesh->vertices[v[1]], middle);
        const dlp_vec3 c = dlp_sub(mesh->vertices[v[2]], middle);
        const dlp_vec3 normal = dlp_cross(dlp_sub(b, a), dlp_sub(c, a));
        const double twice_area = dlp_length(normal);
        const double tangent = smallest_tangent(a, b, c, twice_area);
        report->degenerate_triangles += !(twice_area > 0);
        report->area += twice_area / 2;
        report->volume += dlp_dot(a, normal) / 6;
        thin_count += !(tangent >= thin);
        smallest = fmin(smallest, tangent);
    }
    if (mesh->triangle_count == 0) return;
    report->smallest_angle = atan(smallest) * 180 / DLP_PI;
    report->thin_share = (double)thin_count / mesh->triangle_count;
}

// Vertices that are not finite are counted here; bounds then may be infinite.
static void find_bounds(const dlp_mesh *mesh, dlp_mesh_report *report)
{
    if (mesh->vertex_count == 0) return;
    report->bounds = (dlp_box){mesh->vertices[0], mesh->vertices[0]};
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        report->bounds.min = dlp_min3(report->bounds.min, mesh->vertices[v]);
        report->bounds.max = dlp_max3(report->bounds.max, mesh->vertices[v]);
        report->nonfinite_vertices += !dlp_is_finite3(mesh->vertices[v]);
    }
}

// Edges.

// The vertex of the side's triangle that is not on the side.
static int32_t corner_across(const dlp_mesh *mesh, const dlp_mesh_side *side)
{
    return mesh->triangles[side->triangle][(side->corner + 2) % 3];
}

static int compare_indices(const void *a, const void *b)
{
    const int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

// Triangles with the same corners share the edge of their two lowest vertices: they are counted there, once,
// by equal third vertices. `scratch` holds a number per side.
static int32_t count_duplicates(const dlp_mesh *mesh, const dlp_mesh_side *sides, int32_t count,
                                int32_t *scratch)
{
    int32_t candidates = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t across = corner_across(mesh, &sides[k]);
        if (across > sides[k].high) scratch[candidates++] = across;
    }
    if (candidates < 2) return 0;
    qsort(scratch, (size_t)candidates, sizeof *scratch, compare_indices);
    int32_t found = 0;
    for (int32_t k = 1; k < candidates; k++) found += scratch[k] == scratch[k - 1];
    return found;
}

// One pass over the sorted sides. Degenerate sides are left to measure().
static void count_edges(const dlp_mesh *mesh, const dlp_mesh_edges *edges, int32_t *scratch,
                        dlp_mesh_report *report)
{
    for (int32_t first = 0; first < edges->count;) {
        const int32_t end = dlp_mesh_edge_end(edges, first);
        const dlp_mesh_side *side = &edges->sides[first];
        if (side->low != side->high) {
            report->open_edges += end - first == 1;
            report->nonmanifold_edges += end - first > 2;
            report->misoriented_edges += end - first == 2 && dlp_mesh_side_is_forward(mesh, side) ==
                                                                 dlp_mesh_side_is_forward(mesh, side + 1);
            if (end - first > 1)
                report->duplicate_triangles += count_duplicates(mesh, side, end - first, scratch);
        }
        first = end;
    }
}

// Vertices: corners of triangles are united across edges (disjoint sets); the sets of a vertex are its fans.

// The representative of a set, halving the path on the way.
static int32_t root_of(int32_t *parent, int32_t k)
{
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

// The lower root stays, so that the result does not depend on the order.
static void join(int32_t *parent, int32_t a, int32_t b)
{
    const int32_t root_a = root_of(parent, a), root_b = root_of(parent, b);
    if (root_a < root_b)
        parent[root_b] = root_a;
    else
        parent[root_a] = root_b;
}

// The corner, 3 triangle + place, that a side has at its lower or its higher vertex.
static int32_t corner_at(const dlp_mesh *mesh, const dlp_mesh_side *side, bool is_low)
{
    const bool is_start = dlp_mesh_side_is_forward(mesh, side) == is_low;
    return 3 * side->triangle + (is_start ? side->corner : (side->corner + 1) % 3);
}

static void join_corners(const dlp_mesh *mesh, const dlp_mesh_edges *edges, int32_t *parent)
{
    for (int32_t k = 0; k < edges->count; k++) parent[k] = k;
    for (int32_t k = 1; k < edges->count; k++) {
        const dlp_mesh_side *side = &edges->sides[k];
        if (side->low != side[-1].low || side->high != side[-1].high || side->low == side->high) continue;
        join(parent, corner_at(mesh, side - 1, true), corner_at(mesh, side, true));
        join(parent, corner_at(mesh, side - 1, false), corner_at(mesh, side, false));
    }
}

// `parent` holds a number per corner, `fans` one per vertex.
static void count_vertices(const dlp_mesh *mesh, const dlp_mesh_edges *edges, int32_t *parent, int32_t *fans,
                           dlp_mesh_report *report)
{
    join_corners(mesh, edges, parent);
    for (int32_t v = 0; v < mesh->vertex_count; v++) fans[v] = 0;
    for (int32_t k = 0; k < edges->count; k++)
        if (parent[k] == k) fans[mesh->triangles[k / 3][k % 3]]++;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        report->isolated_vertices += fans[v] == 0;
        report->nonmanifold_vertices += fans[v] > 1;
    }
}

// `parent` serves twice: as scratch of count_edges, and for the corners.
static dlp_status count_local(const dlp_mesh *mesh, const dlp_mesh_edges *edges, dlp_mesh_report *report,
                              dlp_error *error)
{
    int32_t *parent = dlp_alloc((size_t)edges->count, sizeof *parent, "mesh");
    int32_t *fans = dlp_alloc((size_t)mesh->vertex_count, sizeof *fans, "mesh");
    const bool has_memory = parent != NULL && fans != NULL;
    if (has_memory) {
        count_edges(mesh, edges, parent, report);
        count_vertices(mesh, edges, parent, fans, report);
    }
    dlp_free(parent);
    dlp_free(fans);
    return has_memory ? DLP_OK : dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d edges", edges->count);
}

// The whole mesh.

// Which way components face is defined for watertight, finite meshes only.
static dlp_status count_components(const dlp_mesh *mesh, const dlp_mesh_edges *edges, dlp_mesh_report *report,
                                   dlp_error *error)
{
    int32_t *component = NULL;
    DLP_TRY(dlp_mesh_components(mesh, edges, &component, &report->components, error));
    dlp_status status = DLP_OK;
    if (report->is_watertight && report->nonfinite_vertices == 0)
        status = dlp_mesh_count_misfacing(mesh, component, report->components, &report->misfacing_components,
                                          error);
    dlp_free(component);
    return status;
}

static dlp_status count_holes(const dlp_mesh *mesh, const dlp_mesh_edges *edges, dlp_mesh_report *report,
                              dlp_error *error)
{
    if (report->open_edges == 0) return DLP_OK;
    dlp_mesh_loops loops;
    DLP_TRY(dlp_mesh_loops_create(mesh, edges, &loops, error));
    report->holes = loops.count;
    dlp_mesh_loops_release(&loops);
    return DLP_OK;
}

// In this order: is_watertight is needed for the components.
static dlp_status count_all(const dlp_mesh *mesh, const dlp_mesh_edges *edges, dlp_mesh_report *report,
                            dlp_error *error)
{
    DLP_TRY(count_local(mesh, edges, report, error));
    DLP_TRY(count_holes(mesh, edges, report, error));
    report->is_watertight = mesh->triangle_count > 0 && report->open_edges == 0 &&
                            report->nonmanifold_edges == 0 && report->misoriented_edges == 0;
    return count_components(mesh, edges, report, error);
}

// The edges are made once and shared by all counts.
dlp_status dlp_mesh_check(const dlp_mesh *mesh, dlp_mesh_report *out_report, dlp_error *error)
{
    dlp_mesh_report *report = out_report;
    *report = (dlp_mesh_report){.vertex_count = mesh->vertex_count, .triangle_count = mesh->triangle_count};
    find_bounds(mesh, report);
    measure(mesh, report);
    dlp_mesh_edges edges;
    DLP_TRY(dlp_mesh_edges_create(mesh, &edges, error));
    const dlp_status status = count_all(mesh, &edges, report, error);
    dlp_mesh_edges_release(&edges);
    report->is_sound = report->is_watertight && report->nonmanifold_vertices == 0 &&
                       report->degenerate_triangles == 0 && report->duplicate_triangles == 0 &&
                       report->nonfinite_vertices == 0 && report->misfacing_components == 0;
    return status;
}
