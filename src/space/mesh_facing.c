/* Which components of a watertight mesh face the wrong way. Each sends a ray along x from the middle of its
 * largest triangle (a vertex may be where it touches another component); the crossings with the other
 * components tell whether it lies within them. Crossings are decided by signs of edge functions that both
 * triangles of an edge compute with the same bits, so that no ray slips through between them. */
#include "base/memory.h"
#include "space/mesh_edges.h"

// A component.
typedef struct facing_part {
    dlp_vec3 place;   // m, where its ray begins
    double largest;   // square of twice the area of its largest triangle; m4
    int32_t winding;  // how often the others go round that place
    double volume;    // m3, signed
} facing_part;

// Pieces in cells of the plane (y, z), so that a triangle is tested only against rays that may go through it.
typedef struct rays {
    const dlp_mesh *mesh;
    facing_part *pieces;
    int32_t count;
    int32_t *order;       // pieces, cell after cell
    int32_t *ends;        // per cell: end of its part of `order`, which begins where the cell before ends
    int32_t side;         // cells along y and along z
    double min[2];        // m, of the rays' y and z
    double per_metre[2];  // cells
} rays;

static void release_rays(rays *r)
{
    dlp_free(r->pieces);
    dlp_free(r->order);
    dlp_free(r->ends);
}

// Moves the ray's start to this triangle where it is larger than all before.
static void place_ray(const dlp_mesh *mesh, const int32_t v[3], facing_part *p)
{
    const dlp_vec3 a = mesh->vertices[v[0]], b = mesh->vertices[v[1]], c = mesh->vertices[v[2]];
    const dlp_vec3 normal = dlp_cross(dlp_sub(b, a), dlp_sub(c, a));
    const double square = dlp_dot(normal, normal);
    if (!(square > p->largest)) return;
    p->largest = square;
    p->place = dlp_mul(dlp_add(a, dlp_add(b, c)), 1. / 3);
}

// Two passes: volumes are taken about the ray's start, which keeps their digits.
static void measure_pieces(rays *r, const int32_t *component)
{
    const dlp_mesh *mesh = r->mesh;
    for (int32_t p = 0; p < r->count; p++) r->pieces[p].largest = -1;
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        place_ray(mesh, mesh->triangles[t], &r->pieces[component[t]]);
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        facing_part *p = &r->pieces[component[t]];
        const int32_t *v = mesh->triangles[t];
        const dlp_vec3 a = dlp_sub(mesh->vertices[v[0]], p->place);
        const dlp_vec3 b = dlp_sub(mesh->vertices[v[1]], p->place);
        p->volume += dlp_dot(a, dlp_cross(b, dlp_sub(mesh->vertices[v[2]], p->place))) / 6;
    }
}

// Clamped: triangles may reach beyond the rays.
static int32_t cell_along(const rays *r, int32_t axis, double x)
{
    const double cell = (x - r->min[axis]) * r->per_metre[axis];
    return (int32_t)fmin(fmax(cell, 0), r->side - 1);
}

static int32_t cell_of(const rays *r, int32_t p)
{
    const dlp_vec3 x = r->pieces[p].place;
    return cell_along(r, 1, x.z) * r->side + cell_along(r, 0, x.y);
}

// A square grid over the starts of all rays. A direction without extent has one cell.
static void lay_cells(rays *r)
{
    double max[2] = {-HUGE_VAL, -HUGE_VAL};
    r->min[0] = r->min[1] = HUGE_VAL;
    for (int32_t p = 0; p < r->count; p++) {
        const dlp_vec3 x = r->pieces[p].place;
        r->min[0] = fmin(r->min[0], x.y);
        r->min[1] = fmin(r->min[1], x.z);
        max[0] = fmax(max[0], x.y);
        max[1] = fmax(max[1], x.z);
    }
    for (int32_t k = 0; k < 2; k++) r->per_metre[k] = max[k] > r->min[k] ? r->side / (max[k] - r->min[k]) : 0;
}

// A counting sort; afterwards ends[c] is the end of cell c.
static void sort_pieces(rays *r)
{
    const int32_t cell_count = r->side * r->side;
    for (int32_t p = 0; p < r->count; p++) r->ends[cell_of(r, p)]++;
    int32_t begin = 0;
    for (int32_t c = 0; c < cell_count; c++) {
        const int32_t length = r->ends[c];
        r->ends[c] = begin;
        begin += length;
    }
    for (int32_t p = 0; p < r->count; p++) r->order[r->ends[cell_of(r, p)]++] = p;
}

// Twice the signed area of a point (y, z) and the edge from the lower to the higher vertex: the same bits for
// both triangles of the edge.
static double edge_area(const dlp_mesh *mesh, int32_t low, int32_t high, dlp_vec3 x)
{
    const dlp_vec3 a = mesh->vertices[low], b = mesh->vertices[high];
    return (b.y - a.y) * (x.z - a.z) - (b.z - a.z) * (x.y - a.y);
}

// How often the edge from a to b goes round the point in the plane (y, z): +1, -1 or 0. An edge has its lower
// end but not its upper one, so that what goes through a vertex is counted once.
static int32_t edge_winding(const dlp_mesh *mesh, int32_t a, int32_t b, dlp_vec3 x)
{
    const double za = mesh->vertices[a].z, zb = mesh->vertices[b].z;
    const bool goes_up = za <= x.z && zb > x.z, goes_down = zb <= x.z && za > x.z;
    if (!goes_up && !goes_down) return 0;
    const double area = a < b ? edge_area(mesh, a, b, x) : -edge_area(mesh, b, a, x);
    if (goes_up) return area > 0 ? 1 : 0;
    return area < 0 ? -1 : 0;
}

// x where the triangle's plane meets the ray through (y, z).
static double plane_x(const dlp_mesh *mesh, const int32_t v[3], dlp_vec3 x)
{
    const dlp_vec3 a = mesh->vertices[v[0]];
    const dlp_vec3 normal = dlp_cross(dlp_sub(mesh->vertices[v[1]], a), dlp_sub(mesh->vertices[v[2]], a));
    return a.x - (normal.y * (x.y - a.y) + normal.z * (x.z - a.z)) / normal.x;
}

// Counts the triangle where the ray goes through it, with the sign of its orientation.
static void cross_ray(const rays *r, const int32_t v[3], facing_part *p)
{
    const dlp_vec3 x = p->place;
    const int32_t winding = edge_winding(r->mesh, v[0], v[1], x) + edge_winding(r->mesh, v[1], v[2], x) +
                            edge_winding(r->mesh, v[2], v[0], x);
    if (winding != 0 && plane_x(r->mesh, v, x) > x.x) p->winding += winding;
}

// Tests a triangle against the rays in the cells of its bounds, but for its own component's. Cells of a row
// are consecutive, so that a row is one range of `order`.
static void cross_rays(const rays *r, const int32_t *component, int32_t t)
{
    const int32_t *v = r->mesh->triangles[t];
    const dlp_vec3 a = r->mesh->vertices[v[0]], b = r->mesh->vertices[v[1]], c = r->mesh->vertices[v[2]];
    const int32_t y0 = cell_along(r, 0, fmin(a.y, fmin(b.y, c.y)));
    const int32_t y1 = cell_along(r, 0, fmax(a.y, fmax(b.y, c.y)));
    const int32_t z0 = cell_along(r, 1, fmin(a.z, fmin(b.z, c.z)));
    const int32_t z1 = cell_along(r, 1, fmax(a.z, fmax(b.z, c.z)));
    for (int32_t z = z0; z <= z1; z++) {
        const int32_t first = z * r->side + y0, last = z * r->side + y1;
        for (int32_t k = first > 0 ? r->ends[first - 1] : 0; k < r->ends[last]; k++)
            if (r->order[k] != component[t]) cross_ray(r, v, &r->pieces[r->order[k]]);
    }
}

static dlp_status reserve_rays(rays *r, dlp_error *error)
{
    r->side = (int32_t)fmin(ceil(sqrt(r->count)), 4096);
    const size_t cell_count = (size_t)r->side * (size_t)r->side;
    r->pieces = dlp_alloc((size_t)r->count, sizeof *r->pieces, "mesh");
    r->order = dlp_alloc((size_t)r->count, sizeof *r->order, "mesh");
    r->ends = dlp_alloc(cell_count, sizeof *r->ends, "mesh");
    if (r->pieces == NULL || r->order == NULL || r->ends == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d pieces", r->count);
    return DLP_OK;
}

// A component outside of the others must have a positive volume, one inside a negative one.
dlp_status dlp_mesh_count_misfacing(const dlp_mesh *mesh, const int32_t *component, int32_t component_count,
                                    int32_t *out_count, dlp_error *error)
{
    *out_count = 0;
    rays r = {.mesh = mesh, .count = component_count};
    const dlp_status status = reserve_rays(&r, error);
    if (status == DLP_OK) {
        measure_pieces(&r, component);
        lay_cells(&r);
        sort_pieces(&r);
        for (int32_t t = 0; r.count > 1 && t < mesh->triangle_count; t++) cross_rays(&r, component, t);
        for (int32_t p = 0; p < r.count; p++) {
            const facing_part *item = &r.pieces[p];
            *out_count += item->winding == 0 ? !(item->volume > 0) : !(item->volume < 0);
        }
    }
    release_rays(&r);
    return status;
}
