/* Vertices at one position become one, and what that leaves degenerate is dropped. */
#include "base/memory.h"
#include "space/mesh_edges.h"

#include <stdlib.h>
#include <string.h>

// Vertices by the cell they lie in: a hash table of chains. Chains may mix cells.
typedef struct cell_table {
    int32_t *heads, *next;  // -1 ends a chain
    int32_t size;           // a power of two
    double cell;            // m; 0: a cell is one exact place
} cell_table;

// Coordinates of a cell, or the bits of a position.
typedef struct cell_key {
    int64_t x, y, z;
} cell_key;

static int64_t key_of(double x, double cell)
{
    if (cell > 0) return (int64_t)fmax(-9e15, fmin(9e15, floor(x / cell)));
    const double place = x + 0.0;  // -0 and 0 are one position
    int64_t bits;
    memcpy(&bits, &place, sizeof bits);
    return bits;
}

// A hash of three words; the size is a power of two.
static uint32_t slot_of(const cell_table *table, cell_key key)
{
    uint64_t hash = (uint64_t)key.x * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ (uint64_t)key.y) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 32 ^ (uint64_t)key.z) * 0x94d049bb133111ebu;
    return (uint32_t)(hash >> 32) & (uint32_t)(table->size - 1);
}

// A vertex of the chain within the tolerance (0: at the same position), or -1.
static int32_t find_in_cell(const cell_table *table, const dlp_mesh *mesh, cell_key key, dlp_vec3 x)
{
    for (int32_t v = table->heads[slot_of(table, key)]; v >= 0; v = table->next[v])
        if (dlp_length(dlp_sub(mesh->vertices[v], x)) <= table->cell) return v;
    return -1;
}

// An earlier vertex within the tolerance, or -1: it may lie in any of the 27 cells around.
static int32_t find_near(const cell_table *table, const dlp_mesh *mesh, cell_key key, dlp_vec3 x)
{
    if (!(table->cell > 0)) return find_in_cell(table, mesh, key, x);
    for (int32_t k = 0; k < 27; k++) {
        const cell_key near = {key.x + k % 3 - 1, key.y + k / 3 % 3 - 1, key.z + k / 9 - 1};
        const int32_t v = find_in_cell(table, mesh, near, x);
        if (v >= 0) return v;
    }
    return -1;
}

// Each vertex gets an earlier one within the tolerance that is not itself merged, or stays. Chains of near
// vertices are not merged as a whole: no vertex moves by more than the tolerance.
static void find_twins(cell_table *table, const dlp_mesh *mesh, int32_t *twin)
{
    for (int32_t k = 0; k < table->size; k++) table->heads[k] = -1;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const dlp_vec3 x = mesh->vertices[v];
        const cell_key key = {key_of(x.x, table->cell), key_of(x.y, table->cell), key_of(x.z, table->cell)};
        const int32_t near = find_near(table, mesh, key, x);
        twin[v] = near >= 0 ? near : v;
        if (near >= 0) continue;
        const uint32_t slot = slot_of(table, key);
        table->next[v] = table->heads[slot];
        table->heads[slot] = v;
    }
}

// Only indices change; vertices without a triangle are left to dlp_mesh_tidy.
dlp_status dlp_mesh_weld(dlp_mesh *mesh, double tolerance, dlp_error *error)
{
    cell_table table = {.size = 1, .cell = tolerance};
    while (table.size < mesh->vertex_count && table.size < 1 << 29) table.size *= 2;
    table.heads = dlp_alloc((size_t)table.size, sizeof(int32_t), "mesh");
    table.next = dlp_alloc((size_t)mesh->vertex_count, sizeof(int32_t), "mesh");
    int32_t *twin = dlp_alloc((size_t)mesh->vertex_count, sizeof *twin, "mesh");
    const bool has_memory = table.heads != NULL && table.next != NULL && twin != NULL;
    if (has_memory) {
        find_twins(&table, mesh, twin);
        for (int32_t t = 0; t < mesh->triangle_count; t++)
            for (int32_t k = 0; k < 3; k++) mesh->triangles[t][k] = twin[mesh->triangles[t][k]];
    }
    dlp_free(table.heads);
    dlp_free(table.next);
    dlp_free(twin);
    return has_memory ? DLP_OK : dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d vertices", mesh->vertex_count);
}

// A triangle by its corners in ascending order, and its orientation.
typedef struct sorted_triangle {
    int32_t corners[3];
    int32_t index;
    int32_t orientation;  // +1 or -1: that of the permutation
} sorted_triangle;

// A sorting network of three exchanges; each one reverses the orientation.
static sorted_triangle sort_corners(const int32_t triangle[3], int32_t index)
{
    sorted_triangle s = {{triangle[0], triangle[1], triangle[2]}, index, 1};
    static const int32_t swaps[3] = {0, 1, 0};
    for (int32_t k = 0; k < 3; k++) {
        int32_t *a = &s.corners[swaps[k]];
        if (a[0] <= a[1]) continue;
        const int32_t larger = a[0];
        a[0] = a[1];
        a[1] = larger;
        s.orientation = -s.orientation;
    }
    return s;
}

static int compare_triangles(const void *a_item, const void *b_item)
{
    const sorted_triangle *a = a_item, *b = b_item;
    for (int32_t k = 0; k < 3; k++)
        if (a->corners[k] != b->corners[k]) return a->corners[k] < b->corners[k] ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

// Among triangles on the same corners, opposite orientations cancel in pairs and one of the rest stays (none
// where nothing is left): two sheets back to back vanish, copies become one. Marks what is dropped.
static void mark_doubles(const sorted_triangle *sorted, int32_t count, bool *is_dropped)
{
    for (int32_t first = 0; first < count;) {
        int32_t end = first, sum = 0;
        while (end < count &&
               memcmp(sorted[end].corners, sorted[first].corners, sizeof sorted[0].corners) == 0)
            sum += sorted[end++].orientation;
        int32_t kept = -1;
        for (int32_t k = first; k < end; k++) {
            const bool stays = kept < 0 && sum * sorted[k].orientation > 0;
            if (stays) kept = k;
            is_dropped[sorted[k].index] = !stays;
        }
        first = end;
    }
}

// The order of the triangles that stay is kept.
static dlp_status drop_triangles(dlp_mesh *mesh, dlp_error *error)
{
    sorted_triangle *sorted = dlp_alloc((size_t)mesh->triangle_count, sizeof *sorted, "mesh");
    bool *is_dropped = dlp_alloc((size_t)mesh->triangle_count, sizeof *is_dropped, "mesh");
    const bool has_memory = sorted != NULL && is_dropped != NULL;
    if (has_memory) {
        for (int32_t t = 0; t < mesh->triangle_count; t++) sorted[t] = sort_corners(mesh->triangles[t], t);
        qsort(sorted, (size_t)mesh->triangle_count, sizeof *sorted, compare_triangles);
        mark_doubles(sorted, mesh->triangle_count, is_dropped);
        int32_t kept = 0;
        for (int32_t t = 0; t < mesh->triangle_count; t++) {
            const int32_t *v = mesh->triangles[t];
            if (is_dropped[t] || v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
            memmove(mesh->triangles[kept++], v, sizeof mesh->triangles[0]);
        }
        mesh->triangle_count = kept;
    }
    dlp_free(sorted);
    dlp_free(is_dropped);
    return has_memory ? DLP_OK
                      : dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d triangles", mesh->triangle_count);
}

// Renumbers the used vertices in their order; `number` is 1 where a vertex is used, then its new index.
static dlp_status drop_vertices(dlp_mesh *mesh, dlp_error *error)
{
    int32_t *number = dlp_alloc((size_t)mesh->vertex_count, sizeof *number, "mesh");
    if (number == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d vertices", mesh->vertex_count);
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        for (int32_t k = 0; k < 3; k++) number[mesh->triangles[t][k]] = 1;
    int32_t kept = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        if (number[v] == 0) continue;
        mesh->vertices[kept] = mesh->vertices[v];
        number[v] = kept++;
    }
    mesh->vertex_count = kept;
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        for (int32_t k = 0; k < 3; k++) mesh->triangles[t][k] = number[mesh->triangles[t][k]];
    dlp_free(number);
    return DLP_OK;
}

dlp_status dlp_mesh_tidy(dlp_mesh *mesh, dlp_error *error)
{
    DLP_TRY(drop_triangles(mesh, error));
    return drop_vertices(mesh, error);
}
