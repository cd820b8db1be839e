/* Orientation: first one side for each component, then the outer side of closed ones. */
#include "base/memory.h"
#include "space/mesh_edges.h"

// What lies across a side of a triangle.
typedef struct neighbour {
    int32_t triangle;  // -1: none
    bool agrees;       // both triangles are oriented alike: they run along their edge in opposite directions
} neighbour;

// Per side, 3 triangle + corner. Edges with one side or more than two have no neighbours.
static void find_neighbours(const dlp_mesh *mesh, const dlp_mesh_edges *edges, neighbour *across)
{
    for (int32_t k = 0; k < edges->count; k++) across[k].triangle = -1;
    for (int32_t first = 0; first < edges->count;) {
        const int32_t end = dlp_mesh_edge_end(edges, first);
        const dlp_mesh_side *a = &edges->sides[first], *b = a + 1;
        if (end - first == 2) {
            const bool agrees = dlp_mesh_side_is_forward(mesh, a) != dlp_mesh_side_is_forward(mesh, b);
            across[3 * a->triangle + a->corner] = (neighbour){b->triangle, agrees};
            across[3 * b->triangle + b->corner] = (neighbour){a->triangle, agrees};
        }
        first = end;
    }
}

// Walks over a component from `seed`; orientation[t] becomes +1 (as it is) or -1 (to be flipped). False where
// a triangle is reached in both ways: a one-sided surface. `stack` holds a number per triangle.
static bool spread(const neighbour *across, int32_t seed, int8_t *orientation, int32_t *stack)
{
    int32_t depth = 0;
    orientation[seed] = 1;
    stack[depth++] = seed;
    while (depth > 0) {
        const int32_t t = stack[--depth];
        for (int32_t k = 0; k < 3; k++) {
            const neighbour n = across[3 * t + k];
            if (n.triangle < 0) continue;
            const int8_t wanted = (int8_t)(n.agrees ? orientation[t] : -orientation[t]);
            if (orientation[n.triangle] == -wanted) return false;
            if (orientation[n.triangle] == wanted) continue;
            orientation[n.triangle] = wanted;
            stack[depth++] = n.triangle;
        }
    }
    return true;
}

static void flip_triangle(int32_t triangle[3])
{
    const int32_t b = triangle[1];
    triangle[1] = triangle[2];
    triangle[2] = b;
}

// The lowest triangle of each component keeps its orientation. Nothing is flipped where any component fails.
static dlp_status orient_all(dlp_mesh *mesh, const neighbour *across, int8_t *orientation, int32_t *stack,
                             dlp_error *error)
{
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        if (orientation[t] == 0 && !spread(across, t, orientation, stack))
            return dlp_fail(error, DLP_IO,
                            "has only one side, as a Moebius strip has: it cannot enclose a solid");
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        if (orientation[t] < 0) flip_triangle(mesh->triangles[t]);
    return DLP_OK;
}

dlp_status dlp_mesh_orient(dlp_mesh *mesh, dlp_error *error)
{
    dlp_mesh_edges edges;
    DLP_TRY(dlp_mesh_edges_create(mesh, &edges, error));
    const size_t count = (size_t)mesh->triangle_count;
    neighbour *across = dlp_alloc(3 * count, sizeof *across, "mesh");
    int8_t *orientation = dlp_alloc(count, sizeof *orientation, "mesh");
    int32_t *stack = dlp_alloc(count, sizeof *stack, "mesh");  // each triangle is pushed once
    dlp_status status = DLP_OUT_OF_MEMORY;
    if (across != NULL && orientation != NULL && stack != NULL) {
        find_neighbours(mesh, &edges, across);
        status = orient_all(mesh, across, orientation, stack, error);
    } else {
        dlp_fail(error, status, "mesh: %zu triangles", count);
    }
    dlp_free(across);
    dlp_free(orientation);
    dlp_free(stack);
    dlp_mesh_edges_release(&edges);
    return status;
}

// One closed piece of a mesh.
typedef struct shell {
    int32_t first, end;  // in the list of triangles sorted by piece
    int32_t vertex;      // one of its vertices
    double volume;       // m3, negative where it faces inward
    dlp_box bounds;
} shell;

// All pieces of a mesh.
typedef struct pieces {
    shell *items;
    int32_t count;
    int32_t *order;      // triangles, piece after piece
    int32_t *component;  // per triangle: its piece
} pieces;

static void release_pieces(pieces *list)
{
    dlp_free(list->items);
    dlp_free(list->order);
    dlp_free(list->component);
}

// The volume is taken about one of its vertices, which keeps its digits.
static void measure_piece(const dlp_mesh *mesh, const pieces *list, shell *p)
{
    p->vertex = mesh->triangles[list->order[p->first]][0];
    const dlp_vec3 origin = mesh->vertices[p->vertex];
    p->bounds = (dlp_box){origin, origin};
    for (int32_t k = p->first; k < p->end; k++) {
        dlp_vec3 x[3];
        for (int32_t c = 0; c < 3; c++) {
            const dlp_vec3 corner = mesh->vertices[mesh->triangles[list->order[k]][c]];
            p->bounds = (dlp_box){dlp_min3(p->bounds.min, corner), dlp_max3(p->bounds.max, corner)};
            x[c] = dlp_sub(corner, origin);
        }
        p->volume += dlp_dot(x[0], dlp_cross(x[1], x[2])) / 6;
    }
}

// A counting sort of the triangles by piece; `end` counts first and becomes the end then.
static dlp_status find_pieces(const dlp_mesh *mesh, pieces *list, dlp_error *error)
{
    dlp_mesh_edges edges;
    DLP_TRY(dlp_mesh_edges_create(mesh, &edges, error));
    const dlp_status status = dlp_mesh_components(mesh, &edges, &list->component, &list->count, error);
    dlp_mesh_edges_release(&edges);
    DLP_TRY(status);
    list->items = dlp_alloc((size_t)list->count, sizeof *list->items, "mesh");
    list->order = dlp_alloc((size_t)mesh->triangle_count, sizeof *list->order, "mesh");
    if (list->items == NULL || list->order == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d pieces", list->count);

    for (int32_t t = 0; t < mesh->triangle_count; t++) list->items[list->component[t]].end++;
    for (int32_t p = 1; p < list->count; p++) {
        list->items[p].first = list->items[p - 1].first + list->items[p - 1].end;
    }
    for (int32_t p = 0; p < list->count; p++) list->items[p].end = list->items[p].first;
    for (int32_t t = 0; t < mesh->triangle_count; t++) list->order[list->items[list->component[t]].end++] = t;
    for (int32_t p = 0; p < list->count; p++) measure_piece(mesh, list, &list->items[p]);
    return DLP_OK;
}

// Solid angle of a triangle seen from the origin, over 4 pi.  (van Oosterom and Strackee 1983, eq. 8)
static double solid_angle(dlp_vec3 a, dlp_vec3 b, dlp_vec3 c)
{
    const double la = dlp_length(a), lb = dlp_length(b), lc = dlp_length(c);
    const double above = dlp_dot(a, dlp_cross(b, c));
    const double below = la * lb * lc + dlp_dot(a, b) * lc + dlp_dot(b, c) * la + dlp_dot(c, a) * lb;
    return atan2(above, below) / (2 * DLP_PI);
}

// By the winding number, which is +-1 inside and 0 outside; linear in the triangles of the piece.
static bool encloses(const dlp_mesh *mesh, const pieces *list, const shell *p, dlp_vec3 x)
{
    const dlp_box b = p->bounds;
    if (x.x < b.min.x || x.y < b.min.y || x.z < b.min.z || x.x > b.max.x || x.y > b.max.y || x.z > b.max.z)
        return false;
    double winding = 0;
    for (int32_t k = p->first; k < p->end; k++) {
        const int32_t *v = mesh->triangles[list->order[k]];
        winding += solid_angle(dlp_sub(mesh->vertices[v[0]], x), dlp_sub(mesh->vertices[v[1]], x),
                               dlp_sub(mesh->vertices[v[2]], x));
    }
    return fabs(winding) > 0.5;
}

// Whether a larger piece encloses it: a piece that faces inward is the wall of a cavity then.
static bool lines_cavity(const dlp_mesh *mesh, const pieces *list, const shell *inner)
{
    const dlp_vec3 x = mesh->vertices[inner->vertex];
    for (int32_t p = 0; p < list->count; p++) {
        const shell *outer = &list->items[p];
        if (fabs(outer->volume) > fabs(inner->volume) && encloses(mesh, list, outer, x)) return true;
    }
    return false;
}

static void flip_piece(dlp_mesh *mesh, const pieces *list, shell *p)
{
    for (int32_t k = p->first; k < p->end; k++) flip_triangle(mesh->triangles[list->order[k]]);
    p->volume = -p->volume;
}

// Where all pieces together have a negative volume, the whole file faces inward and is flipped first, so that
// its cavities stay cavities.
static void face_outward(dlp_mesh *mesh, pieces *list)
{
    double total = 0;
    for (int32_t p = 0; p < list->count; p++) total += list->items[p].volume;
    for (int32_t p = 0; p < list->count && total < 0; p++) flip_piece(mesh, list, &list->items[p]);
    for (int32_t p = 0; p < list->count; p++) {
        shell *item = &list->items[p];
        if (item->volume < 0 && !lines_cavity(mesh, list, item)) flip_piece(mesh, list, item);
    }
}

dlp_status dlp_mesh_face_outward(dlp_mesh *mesh, dlp_error *error)
{
    pieces list = {0};
    const dlp_status status = find_pieces(mesh, &list, error);
    if (status == DLP_OK) face_outward(mesh, &list);
    release_pieces(&list);
    return status;
}
