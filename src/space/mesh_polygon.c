/* Polygons become triangles by cutting ears, seen along the main axis of their normal. */
#include "base/memory.h"
#include "space/mesh_edges.h"

// Cutting ears takes time that grows with the cube of the corners: beyond EAR_LIMIT polygons must be convex
// and become fans. Up to STACK_LIMIT corners no memory is allocated.
enum { EAR_LIMIT = 1024, STACK_LIMIT = 32 };

// The polygon's corners in the coordinate plane that its normal is most perpendicular to, so that it runs
// counter-clockwise. Corners are named by their place in `corners`.
typedef struct projection {
    const dlp_vec3 *vertices;
    const int32_t *corners;
    int32_t u, v;  // axes of the plane
    double sign;   // -1 where the polygon runs clockwise in (u, v)
} projection;

// Newell's normal, twice the vector area: right also for polygons that are not quite flat.
static dlp_vec3 polygon_normal(const dlp_vec3 *vertices, const int32_t *corners, int32_t count)
{
    const dlp_vec3 origin = vertices[corners[0]];
    dlp_vec3 normal = {0, 0, 0};
    for (int32_t k = 1; k + 1 < count; k++)
        normal = dlp_add(normal, dlp_cross(dlp_sub(vertices[corners[k]], origin),
                                           dlp_sub(vertices[corners[k + 1]], origin)));
    return normal;
}

static projection project(const dlp_vec3 *vertices, const int32_t *corners, int32_t count)
{
    const dlp_vec3 normal = polygon_normal(vertices, corners, count);
    int32_t axis = 0;
    for (int32_t k = 1; k < 3; k++)
        if (fabs(dlp_component(normal, k)) > fabs(dlp_component(normal, axis))) axis = k;
    return (projection){vertices, corners, (axis + 1) % 3, (axis + 2) % 3,
                        dlp_component(normal, axis) < 0 ? -1.0 : 1.0};
}

// Twice the signed area of corners a, b, c.
static double orient2d(const projection *p, int32_t a, int32_t b, int32_t c)
{
    const dlp_vec3 origin = p->vertices[p->corners[a]];
    const dlp_vec3 ab = dlp_sub(p->vertices[p->corners[b]], origin);
    const dlp_vec3 ac = dlp_sub(p->vertices[p->corners[c]], origin);
    return p->sign * (dlp_component(ab, p->u) * dlp_component(ac, p->v) -
                      dlp_component(ab, p->v) * dlp_component(ac, p->u));
}

// Whether the corner b is convex and no other corner lies in the triangle a b c or on its sides.
static bool is_ear(const projection *p, const int32_t *next, int32_t a, int32_t b, int32_t c)
{
    if (!(orient2d(p, a, b, c) > 0)) return false;
    for (int32_t k = next[c]; k != a; k = next[k])
        if (orient2d(p, a, b, k) >= 0 && orient2d(p, b, c, k) >= 0 && orient2d(p, c, a, k) >= 0) return false;
    return true;
}

// `next` is a ring of the corners that are left. A full round without an ear means that there is none.
bool dlp_mesh_cut_ears(const dlp_vec3 *vertices, const int32_t *corners, int32_t count, int32_t *scratch,
                       int32_t (*out_triangles)[3])
{
    if (count < 3 || count > EAR_LIMIT) return false;
    const projection p = project(vertices, corners, count);
    int32_t *next = scratch;
    for (int32_t k = 0; k < count; k++) next[k] = (k + 1) % count;
    int32_t a = count - 1, tries = 0, made = 0;
    for (int32_t left = count; left > 3;) {
        const int32_t b = next[a], c = next[b];
        if (is_ear(&p, next, a, b, c)) {
            out_triangles[made][0] = a;
            out_triangles[made][1] = b;
            out_triangles[made++][2] = c;
            next[a] = c;
            left--;
            tries = 0;
        } else if (++tries > left) {
            return false;
        }
        a = next[a];
    }
    out_triangles[made][0] = a;
    out_triangles[made][1] = next[a];
    out_triangles[made][2] = next[next[a]];
    return true;
}

static dlp_status add_fan(dlp_mesh *mesh, const int32_t *corners, int32_t count, dlp_error *error)
{
    for (int32_t k = 1; k + 1 < count; k++)
        DLP_TRY(dlp_mesh_add_triangle(mesh, corners[0], corners[k], corners[k + 1], error));
    return DLP_OK;
}

// A polygon that crosses itself has no ears and becomes a fan: its triangles overlap, but its border is
// right.
static dlp_status add_ears(dlp_mesh *mesh, const int32_t *corners, int32_t count, int32_t *scratch,
                           int32_t (*triangles)[3], dlp_error *error)
{
    if (!dlp_mesh_cut_ears(mesh->vertices, corners, count, scratch, triangles))
        return add_fan(mesh, corners, count, error);
    for (int32_t k = 0; k < count - 2; k++)
        DLP_TRY(dlp_mesh_add_triangle(mesh, corners[triangles[k][0]], corners[triangles[k][1]],
                                      corners[triangles[k][2]], error));
    return DLP_OK;
}

// Whether no triangle of the fan about the first corner is flipped.
static bool is_fan(const dlp_vec3 *vertices, const int32_t *corners, int32_t count)
{
    const projection p = project(vertices, corners, count);
    for (int32_t k = 1; k + 1 < count; k++)
        if (orient2d(&p, 0, k, k + 1) < 0) return false;
    return true;
}

static dlp_status add_large_fan(dlp_mesh *mesh, const int32_t *corners, int32_t count, dlp_error *error)
{
    if (is_fan(mesh->vertices, corners, count)) return add_fan(mesh, corners, count, error);
    return dlp_fail(error, DLP_IO,
                    "a face of %d corners is not convex; such faces may have %d: cut it into triangles",
                    count, EAR_LIMIT);
}

dlp_status dlp_mesh_add_polygon(dlp_mesh *mesh, const int32_t *corners, int32_t count, dlp_error *error)
{
    if (count < 4) return add_fan(mesh, corners, count, error);
    if (count > EAR_LIMIT) return add_large_fan(mesh, corners, count, error);
    int32_t few_scratch[STACK_LIMIT], few_triangles[STACK_LIMIT][3];
    if (count <= STACK_LIMIT) return add_ears(mesh, corners, count, few_scratch, few_triangles, error);

    int32_t(*triangles)[3] = dlp_alloc((size_t)count, 4 * sizeof(int32_t), "mesh");
    if (triangles == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: a polygon of %d corners", count);
    int32_t *scratch = (int32_t *)(triangles + count);  // the last quarter
    const dlp_status status = add_ears(mesh, corners, count, scratch, triangles, error);
    dlp_free(triangles);
    return status;
}
