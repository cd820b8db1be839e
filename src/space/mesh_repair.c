/* Closing holes: each loop of open edges becomes a polygon, or where that would make an edge of four
 * triangles, a fan about a new vertex. */
#include "base/memory.h"
#include "space/mesh_edges.h"

bool dlp_mesh_has_edge(const dlp_mesh_edges *edges, int32_t a, int32_t b)
{
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    int32_t first = 0, end = edges->count;
    while (first < end) {
        const int32_t middle = first + (end - first) / 2;
        const dlp_mesh_side *side = &edges->sides[middle];
        if (side->low < low || (side->low == low && side->high < high))
            first = middle + 1;
        else
            end = middle;
    }
    return first < edges->count && edges->sides[first].low == low && edges->sides[first].high == high;
}

// Whether no diagonal of the polygon is an edge of the mesh, which would get four triangles then.
static bool are_diagonals_new(const dlp_mesh_edges *edges, const int32_t *loop, int32_t count,
                              int32_t (*ears)[3])
{
    // sides of an ear between neighbours on the loop are its open edges, which get their second triangle
    for (int32_t k = 0; k < 3 * (count - 2); k++) {
        const int32_t a = ears[k / 3][k % 3], b = ears[k / 3][(k + 1) % 3];
        const int32_t apart = a < b ? b - a : a - b;
        const bool is_border = apart == 1 || apart == count - 1;
        if (!is_border && dlp_mesh_has_edge(edges, loop[a], loop[b])) return false;
    }
    return true;
}

// A new vertex in the middle of the loop and a triangle to each of its edges: all inner edges are new.
static dlp_status add_umbrella(dlp_mesh *mesh, const int32_t *loop, int32_t count, dlp_error *error)
{
    dlp_vec3 sum = {0, 0, 0};
    for (int32_t k = 0; k < count; k++) sum = dlp_add(sum, mesh->vertices[loop[k]]);
    const int32_t middle = mesh->vertex_count;
    DLP_TRY(dlp_mesh_add_vertex(mesh, dlp_mul(sum, 1.0 / count), error));
    for (int32_t k = 0; k < count; k++)
        DLP_TRY(dlp_mesh_add_triangle(mesh, loop[k], loop[(k + 1) % count], middle, error));
    return DLP_OK;
}

// `edges` are those before any hole was closed; dlp_mesh_make_solid checks the whole again.
static dlp_status close_loop(dlp_mesh *mesh, const dlp_mesh_edges *edges, const int32_t *loop, int32_t count,
                             dlp_error *error)
{
    int32_t(*ears)[3] = dlp_alloc((size_t)count, sizeof *ears, "mesh");
    int32_t *scratch = dlp_alloc((size_t)count, sizeof *scratch, "mesh");
    dlp_status status = DLP_OK;
    if (ears == NULL || scratch == NULL) {
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: a hole of %d edges", count);
    } else if (dlp_mesh_cut_ears(mesh->vertices, loop, count, scratch, ears) &&
               are_diagonals_new(edges, loop, count, ears)) {
        for (int32_t k = 0; k < count - 2 && status == DLP_OK; k++)
            status = dlp_mesh_add_triangle(mesh, loop[ears[k][0]], loop[ears[k][1]], loop[ears[k][2]], error);
    } else {
        status = add_umbrella(mesh, loop, count, error);
    }
    dlp_free(ears);
    dlp_free(scratch);
    return status;
}

// A loop of fewer than three edges encloses nothing.
static dlp_status close_loops(dlp_mesh *mesh, const dlp_mesh_edges *edges, const dlp_mesh_loops *loops,
                              dlp_error *error)
{
    for (int32_t k = 0; k < loops->count; k++) {
        const int32_t first = loops->starts[k], count = loops->starts[k + 1] - first;
        if (count >= 3) DLP_TRY(close_loop(mesh, edges, loops->vertices + first, count, error));
    }
    return DLP_OK;
}

dlp_status dlp_mesh_close_holes(dlp_mesh *mesh, dlp_error *error)
{
    dlp_mesh_edges edges;
    DLP_TRY(dlp_mesh_edges_create(mesh, &edges, error));
    dlp_mesh_loops loops;
    dlp_status status = dlp_mesh_loops_create(mesh, &edges, &loops, error);
    if (status == DLP_OK) status = close_loops(mesh, &edges, &loops, error);
    dlp_mesh_loops_release(&loops);
    dlp_mesh_edges_release(&edges);
    return status;
}
