/* Edges by sorting all sides of all triangles, components by disjoint sets, and the loops of open edges. All
 * results depend on the mesh alone, never on the order of equal items in a sort. */
#include "space/mesh_edges.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

// Sides of one lower vertex; never equal, since triangle and corner differ.
static int compare_sides(const void *a_item, const void *b_item)
{
    const dlp_mesh_side *a = a_item, *b = b_item;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    if (a->triangle != b->triangle) return a->triangle < b->triangle ? -1 : 1;
    return a->corner - b->corner;
}

// Sorts the sides of one lower vertex: a handful, but for hubs of many triangles.
static void sort_few(dlp_mesh_side *sides, int32_t count)
{
    enum { FEW = 32 };
    if (count > FEW) {
        qsort(sides, (size_t)count, sizeof *sides, compare_sides);
        return;
    }
    for (int32_t k = 1; k < count; k++) {
        const dlp_mesh_side side = sides[k];
        int32_t place = k;
        for (; place > 0 && compare_sides(&sides[place - 1], &side) > 0; place--)
            sides[place] = sides[place - 1];
        sides[place] = side;
    }
}

// Side k % 3 of triangle k / 3.
static dlp_mesh_side side_of(const dlp_mesh *mesh, int32_t k)
{
    const int32_t *v = mesh->triangles[k / 3];
    const int32_t a = v[k % 3], b = v[(k + 1) % 3];
    return (dlp_mesh_side){a < b ? a : b, a < b ? b : a, k / 3, k % 3};
}

// By lower vertex with a counting sort, then within each: linear for meshes whose vertices have few
// triangles. `ends` is zero before, a number per vertex.
static void sort_sides(const dlp_mesh *mesh, dlp_mesh_side *sides, int32_t *ends, int32_t count)
{
    assert(count == 3 * mesh->triangle_count);
    for (int32_t k = 0; k < count; k++) ends[side_of(mesh, k).low]++;
    int32_t begin = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const int32_t length = ends[v];
        ends[v] = begin;
        begin += length;
    }
    for (int32_t k = 0; k < count; k++) {
        const dlp_mesh_side side = side_of(mesh, k);
        assert(side.low >= 0 && side.high < mesh->vertex_count);
        sides[ends[side.low]++] = side;
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const int32_t first = v > 0 ? ends[v - 1] : 0;
        sort_few(sides + first, ends[v] - first);
    }
}

dlp_status dlp_mesh_edges_create(const dlp_mesh *mesh, dlp_mesh_edges *out_edges, dlp_error *error)
{
    *out_edges = (dlp_mesh_edges){0};
    const int32_t count = 3 * mesh->triangle_count;
    dlp_mesh_side *sides = dlp_alloc((size_t)count, sizeof *sides, "mesh");
    int32_t *ends = dlp_alloc((size_t)mesh->vertex_count, sizeof *ends, "mesh");
    if (sides == NULL || ends == NULL) {
        dlp_free(sides);
        dlp_free(ends);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d edges", count);
    }
    sort_sides(mesh, sides, ends, count);
    dlp_free(ends);
    *out_edges = (dlp_mesh_edges){sides, count};
    return DLP_OK;
}

void dlp_mesh_edges_release(dlp_mesh_edges *edges)
{
    dlp_free(edges->sides);
    *edges = (dlp_mesh_edges){0};
}

int32_t dlp_mesh_edge_end(const dlp_mesh_edges *edges, int32_t first)
{
    assert(first >= 0 && first < edges->count);
    int32_t end = first + 1;
    while (end < edges->count && edges->sides[end].low == edges->sides[first].low &&
           edges->sides[end].high == edges->sides[first].high)
        end++;
    return end;
}

bool dlp_mesh_side_is_forward(const dlp_mesh *mesh, const dlp_mesh_side *side)
{
    return mesh->triangles[side->triangle][side->corner] == side->low;
}

// The root of a tree of triangles, halving the path on the way; roots are the lowest triangles of their
// trees.
static int32_t root_of(int32_t *parent, int32_t t)
{
    while (parent[t] != t) {
        parent[t] = parent[parent[t]];
        t = parent[t];
    }
    return t;
}

dlp_status dlp_mesh_components(const dlp_mesh *mesh, const dlp_mesh_edges *edges, int32_t **out_component,
                               int32_t *out_count, dlp_error *error)
{
    *out_count = 0;
    int32_t *parent = dlp_alloc((size_t)mesh->triangle_count, sizeof *parent, "mesh");
    *out_component = parent;
    if (parent == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d triangles", mesh->triangle_count);
    for (int32_t t = 0; t < mesh->triangle_count; t++) parent[t] = t;
    for (int32_t k = 1; k < edges->count; k++) {
        const dlp_mesh_side *side = &edges->sides[k];
        if (side->low != side[-1].low || side->high != side[-1].high) continue;
        const int32_t a = root_of(parent, side[-1].triangle), b = root_of(parent, side->triangle);
        if (a < b)
            parent[b] = a;
        else
            parent[a] = b;
    }
    for (int32_t t = 0; t < mesh->triangle_count; t++) parent[t] = root_of(parent, t);
    // A root is the lowest triangle of its tree, so that its component is known before the others of the tree
    // need it.
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        parent[t] = parent[t] == t ? (*out_count)++ : parent[parent[t]];
    return DLP_OK;
}

// An open side reversed: the direction in which the hole's border runs.
typedef struct border {
    int32_t from, to;
} border;

static int compare_borders(const void *a_item, const void *b_item)
{
    const border *a = a_item, *b = b_item;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

// Lists the borders, or only counts them where `borders` is NULL.
static int32_t gather_borders(const dlp_mesh *mesh, const dlp_mesh_edges *edges, border *borders)
{
    int32_t count = 0;
    for (int32_t first = 0; first < edges->count;) {
        const int32_t end = dlp_mesh_edge_end(edges, first);
        const dlp_mesh_side *side = &edges->sides[first];
        if (end - first == 1 && side->low != side->high) {
            const bool forward = dlp_mesh_side_is_forward(mesh, side);
            if (borders != NULL)
                borders[count] = (border){forward ? side->high : side->low, forward ? side->low : side->high};
            count++;
        }
        first = end;
    }
    return count;
}

// The first border from a vertex, or where it would stand: a binary search.
static int32_t first_from(const border *borders, int32_t count, int32_t vertex)
{
    int32_t low = 0, high = count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (borders[middle].from < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// A walk along borders; where it crosses its own path, a simple loop is taken off it.
typedef struct edge_walk {
    const border *borders;  // sorted by `from`
    int32_t count;
    bool *is_taken;
    int32_t *path;     // vertices so far
    int32_t *place;    // per vertex of the mesh: its place on the path, or -1
    int32_t length;    // of the path
    int32_t *next_of;  // per first border of a vertex: how many of its borders are taken
} edge_walk;

// Takes the next free border from a vertex; -1 where there is none. Borders of a vertex are taken in order.
static int32_t take_border(edge_walk *w, int32_t vertex)
{
    const int32_t first = first_from(w->borders, w->count, vertex);
    if (first == w->count || w->borders[first].from != vertex) return -1;
    int32_t k = first + w->next_of[first];
    if (k == w->count || w->borders[k].from != vertex) return -1;
    w->next_of[first]++;
    w->is_taken[k] = true;
    return k;
}

// The path from `vertex` on becomes a loop; the walk goes on from `vertex`.
static void take_loop_off(edge_walk *w, int32_t vertex, dlp_mesh_loops *loops)
{
    int32_t end = loops->starts[loops->count];
    for (int32_t k = w->place[vertex]; k < w->length; k++) loops->vertices[end++] = w->path[k];
    for (int32_t k = w->place[vertex] + 1; k < w->length; k++) w->place[w->path[k]] = -1;
    w->length = w->place[vertex] + 1;
    loops->starts[++loops->count] = end;
}

// Follows borders from `start` until none leads on. A path that ends elsewhere (only where triangles are
// oriented against each other) counts as a loop too: it is a hole, though not one that can be closed.
static void follow(edge_walk *w, int32_t start, dlp_mesh_loops *loops)
{
    w->length = 0;
    w->path[w->length++] = start;
    w->place[start] = 0;
    for (int32_t vertex = start;;) {
        const int32_t k = take_border(w, vertex);
        if (k < 0) break;
        vertex = w->borders[k].to;
        if (w->place[vertex] >= 0) {
            take_loop_off(w, vertex, loops);
        } else {
            w->place[vertex] = w->length;
            w->path[w->length++] = vertex;
        }
    }
    if (w->length > 1) take_loop_off(w, w->path[0], loops);
    w->place[w->path[0]] = -1;
}

static void walk_borders(edge_walk *w, int32_t vertex_count, dlp_mesh_loops *loops)
{
    for (int32_t v = 0; v < vertex_count; v++) w->place[v] = -1;
    for (int32_t k = 0; k < w->count; k++)
        while (!w->is_taken[k]) follow(w, w->borders[k].from, loops);
}

// Loops have at most as many vertices as there are borders, and one more per walk that does not close.
dlp_status dlp_mesh_loops_create(const dlp_mesh *mesh, const dlp_mesh_edges *edges, dlp_mesh_loops *out_loops,
                                 dlp_error *error)
{
    *out_loops = (dlp_mesh_loops){0};
    const int32_t count = gather_borders(mesh, edges, NULL);
    const size_t capacity = (size_t)count + 1;
    border *borders = dlp_alloc(capacity, sizeof *borders, "mesh");
    edge_walk w = {.borders = borders, .count = count};
    w.is_taken = dlp_alloc(capacity, sizeof *w.is_taken, "mesh");
    w.path = dlp_alloc(capacity, sizeof *w.path, "mesh");
    w.next_of = dlp_alloc(capacity, sizeof *w.next_of, "mesh");
    w.place = dlp_alloc((size_t)mesh->vertex_count, sizeof *w.place, "mesh");
    out_loops->vertices = dlp_alloc(2 * capacity, sizeof(int32_t), "mesh");
    out_loops->starts = dlp_alloc(capacity + 1, sizeof(int32_t), "mesh");
    const bool has_memory = borders != NULL && w.is_taken != NULL && w.path != NULL && w.next_of != NULL &&
                            w.place != NULL && out_loops->vertices != NULL && out_loops->starts != NULL;
    if (has_memory) {
        gather_borders(mesh, edges, borders);
        qsort(borders, (size_t)count, sizeof *borders, compare_borders);
        walk_borders(&w, mesh->vertex_count, out_loops);
    }
    dlp_free(borders);
    dlp_free(w.is_taken);
    dlp_free(w.path);
    dlp_free(w.next_of);
    dlp_free(w.place);
    if (has_memory) return DLP_OK;
    dlp_mesh_loops_release(out_loops);
    return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d open edges", count);
}

void dlp_mesh_loops_release(dlp_mesh_loops *loops)
{
    dlp_free(loops->vertices);
    dlp_free(loops->starts);
    *loops = (dlp_mesh_loops){0};
}
