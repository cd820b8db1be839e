/* Cuts a closed mesh at z = 0 and sets up the outline as a ribbon, so that 2-D scenes use the same distance
 * tree as 3-D ones. */
#include "space/mesh_section.h"
#include "base/memory.h"
#include "space/mesh_edges.h"

// A vertex at z = 0 exactly counts as above, so that every triangle is cut at two edges or none.
static bool is_above(const dlp_mesh *mesh, int32_t vertex)
{
    return mesh->vertices[vertex].z >= 0;
}

// Where an edge crosses the plane, from its lower to its higher vertex: the same bits for both triangles.
static dlp_vec3 crossing(const dlp_mesh *mesh, const dlp_mesh_side *side)
{
    const dlp_vec3 a = mesh->vertices[side->low], b = mesh->vertices[side->high];
    const double t = a.z / (a.z - b.z);
    return dlp_vec(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), 0);
}

// The outline: a crossing per edge that is cut, a segment per triangle that is cut.
typedef struct outline {
    int32_t (*ends)[2];  // per triangle: its downward and its upward crossing, or -1
    dlp_vec3 *points;    // m: per crossing
    int32_t *same;       // per crossing: another one at the same place (disjoint sets), the lowest in the end
    int32_t point_count;  // crossings
} outline;

// The crossing that stands for all at one place, halving the path on the way.
static int32_t same_point(int32_t *same, int32_t k)
{
    while (same[k] != k) {
        same[k] = same[same[k]];
        k = same[k];
    }
    return k;
}

// In the order of the edges. A side that runs from below to above crosses upward.
static void find_crossings(const dlp_mesh *mesh, const dlp_mesh_edges *edges, outline *line)
{
    for (int32_t t = 0; t < mesh->triangle_count; t++) line->ends[t][0] = line->ends[t][1] = -1;
    for (int32_t first = 0; first < edges->count;) {
        const int32_t end = dlp_mesh_edge_end(edges, first);
        const dlp_mesh_side *side = &edges->sides[first];
        if (is_above(mesh, side->low) != is_above(mesh, side->high)) {
            for (int32_t k = first; k < end; k++) {
                const dlp_mesh_side *s = &edges->sides[k];
                const bool is_upward = !is_above(mesh, mesh->triangles[s->triangle][s->corner]);
                line->ends[s->triangle][is_upward] = line->point_count;
            }
            line->points[line->point_count++] = crossing(mesh, side);
        }
        first = end;
    }
}

// Segments without length (where the plane goes through a vertex) are removed by uniting their ends, so that
// the outline stays closed.
static void join_short_pieces(const dlp_mesh *mesh, outline *line, double tolerance)
{
    for (int32_t k = 0; k < line->point_count; k++) line->same[k] = k;
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *ends = line->ends[t];
        if (ends[0] < 0) continue;
        if (dlp_length(dlp_sub(line->points[ends[0]], line->points[ends[1]])) > tolerance) continue;
        const int32_t a = same_point(line->same, ends[0]), b = same_point(line->same, ends[1]);
        if (a < b)
            line->same[b] = a;
        else
            line->same[a] = b;
    }
}

// Two vertices per crossing and two triangles per segment; vertices of united crossings stay unused.
static dlp_status add_ribbon(const dlp_mesh *mesh, outline *line, double half_height,
                             const int32_t *component, dlp_mesh *ribbon, int32_t *part, dlp_error *error)
{
    for (int32_t k = 0; k < line->point_count; k++) {
        const dlp_vec3 p = line->points[k];
        DLP_TRY(dlp_mesh_add_vertex(ribbon, dlp_vec(p.x, p.y, -half_height), error));
        DLP_TRY(dlp_mesh_add_vertex(ribbon, dlp_vec(p.x, p.y, half_height), error));
    }
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        if (line->ends[t][0] < 0) continue;
        // from the downward to the upward crossing the solid lies to the left
        const int32_t d = same_point(line->same, line->ends[t][0]),
                      u = same_point(line->same, line->ends[t][1]);
        if (d == u) continue;
        part[ribbon->triangle_count] = part[ribbon->triangle_count + 1] = component[t];
        DLP_TRY(dlp_mesh_add_triangle(ribbon, 2 * d, 2 * u, 2 * u + 1, error));
        DLP_TRY(dlp_mesh_add_triangle(ribbon, 2 * d, 2 * u + 1, 2 * d + 1, error));
    }
    return DLP_OK;
}

static double size_of(const dlp_mesh *mesh)
{
    dlp_box box = {mesh->vertices[0], mesh->vertices[0]};
    for (int32_t v = 1; v < mesh->vertex_count; v++)
        box = (dlp_box){dlp_min3(box.min, mesh->vertices[v]), dlp_max3(box.max, mesh->vertices[v])};
    return dlp_length(dlp_sub(box.max, box.min));
}

// As high as the mesh is large, so that no point at z = 0 is nearer to the rim than to the side.
static dlp_status cut(const dlp_mesh *mesh, const int32_t *component, const dlp_mesh_edges *edges,
                      outline *line, dlp_mesh *ribbon, int32_t **out_part, dlp_error *error)
{
    line->ends = dlp_alloc((size_t)mesh->triangle_count, sizeof *line->ends, "mesh");
    line->points = dlp_alloc((size_t)edges->count, sizeof *line->points, "mesh");
    line->same = dlp_alloc((size_t)edges->count, sizeof *line->same, "mesh");
    *out_part = dlp_alloc(2 * (size_t)mesh->triangle_count, sizeof **out_part, "mesh");
    if (line->ends == NULL || line->points == NULL || line->same == NULL || *out_part == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: section of %d triangles", mesh->triangle_count);
    find_crossings(mesh, edges, line);
    const double size = size_of(mesh);
    join_short_pieces(mesh, line, 1e-12 * size);
    DLP_TRY(add_ribbon(mesh, line, size, component, ribbon, *out_part, error));
    if (ribbon->triangle_count == 0)
        return dlp_fail(error, DLP_INVALID, "does not meet the plane z = 0, whose section a 2-D scene takes");
    return DLP_OK;
}

dlp_status dlp_mesh_section(const dlp_mesh *mesh, const int32_t *component, dlp_mesh *out_ribbon,
                            int32_t **out_part, dlp_error *error)
{
    *out_ribbon = (dlp_mesh){0};
    *out_part = NULL;
    dlp_mesh_edges edges;
    DLP_TRY(dlp_mesh_edges_create(mesh, &edges, error));
    outline line = {0};
    const dlp_status status = cut(mesh, component, &edges, &line, out_ribbon, out_part, error);
    dlp_free(line.ends);
    dlp_free(line.points);
    dlp_free(line.same);
    dlp_mesh_edges_release(&edges);
    if (status != DLP_OK) {
        dlp_mesh_release(out_ribbon);
        dlp_free(*out_part);
        *out_part = NULL;
    }
    return status;
}
