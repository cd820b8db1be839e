// Marching cubes over the blocks of a band in four parallel passes: signs, counts, vertices, triangles.
// Between counts and vertices a running sum over the blocks gives each of them its place in the mesh, so that
// threads write to ranges of their own.  [lorensen1987]
#include "skin/march.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

// Share of an edge by which a vertex stays away from its ends: no slivers, and the surface moves by a
// twentieth of a cell at most.
static const double nearest_to_node = 0.05;

// All borrowed during one call.
typedef struct march_pass {
    dlp_marcher *marcher;
    const dlp_band *band;
    const float *values;
    double cell;
    dlp_surface_mesh *mesh;
} march_pass;

// Where a block's node lies in its pad.
static int32_t pad_place(int32_t x, int32_t y, int32_t z)
{
    return ((z + 1) * DLP_PAD + y + 1) * DLP_PAD_ROW + x + 1;
}

// Also zeroes the block's crossings and counts.
static void sign_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const march_pass *pass = context;
    for (int32_t block = begin; block < end; block++) {
        const float *values = pass->values + (size_t)block * DLP_BLOCK_NODES;
        uint64_t signs = 0;
        for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) signs |= (uint64_t)(values[n] > 0) << n;
        pass->marcher->blocks[block] = (dlp_march_block){.signs = signs};
    }
}

// Whether a block and those behind it are all on one side, so that no cell of it is crossed: most blocks end
// here.
static bool is_plain(const march_pass *pass, int32_t block)
{
    static const int32_t behind[8] = {13, 14, 16, 17, 22, 23, 25, 26};
    uint64_t any = 0, all = UINT64_MAX;
    for (int32_t n = 0; n < 8; n++) {
        const int32_t k = pass->band->around[block][behind[n]];
        if (k == DLP_BAND_NONE) continue;
        const uint64_t signs = pass->marcher->blocks[k].signs;
        any |= signs;
        all &= signs;
    }
    return any == 0 || all == UINT64_MAX;
}

// Which corners of the cell at a node are inside, as dlp_cubes numbers them.
static int32_t case_of(const float *pad, int32_t x, int32_t y, int32_t z)
{
    int32_t inside = 0;
    for (int32_t corner = 0; corner < 8; corner++)
        inside |= (pad[pad_place(x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2))] > 0) << corner;
    return inside;
}

// Which edges are crossed and how many triangles there are. The counts stand where the first ones will.
static void count_block(const march_pass *pass, int32_t block)
{
    dlp_march_block *b = &pass->marcher->blocks[block];
    if (is_plain(pass, block)) return;
    float pad[DLP_PAD_SIZE];
    dlp_band_pad(pass->band, pass->values, block, 6, pad);
    for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) {
        const int32_t inside = case_of(pad, n % 4, n / 4 % 4, n / 16);
        for (int axis = 0; axis < 3; axis++)
            b->crossings[axis] |= (uint64_t)((inside ^ inside >> (1 << axis)) & 1) << n;
        b->first_triangle += pass->marcher->cubes.count[inside];
    }
    for (int axis = 0; axis < 3; axis++) b->first_vertex += __builtin_popcountll(b->crossings[axis]);
}

static void count_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t block = begin; block < end; block++) count_block(context, block);
}

// The vertex on the edge from a node along an axis: those before it in the block are counted by their bits.
static int32_t vertex_of(const dlp_march_block *b, int axis, int32_t node)
{
    assert(b->crossings[axis] >> node & 1);
    int32_t vertex = b->first_vertex;
    for (int before = 0; before < axis; before++) vertex += __builtin_popcountll(b->crossings[before]);
    return vertex + __builtin_popcountll(b->crossings[axis] & (((uint64_t)1 << node) - 1));
}

// Twice the gradient, in values per cell, by central differences.
static dlp_vec3 slope_at(const float *pad, int32_t x, int32_t y, int32_t z)
{
    const float *at = pad + pad_place(x, y, z);
    const int32_t row = DLP_PAD_ROW, plane = DLP_PAD * DLP_PAD_ROW;
    return dlp_vec((double)(at[1] - at[-1]), (double)(at[row] - at[-row]), (double)(at[plane] - at[-plane]));
}

// Linear interpolation along the edge, of the place and of the slope, which is the normal.
static void place_vertex(const march_pass *pass, const float *pad, int32_t block, int axis, int32_t node,
                         int32_t vertex)
{
    const int32_t x = node % 4, y = node / 4 % 4, z = node / 16;
    const int32_t to[3] = {x + (axis == 0), y + (axis == 1), z + (axis == 2)};
    const double a = (double)pad[pad_place(x, y, z)], b = (double)pad[pad_place(to[0], to[1], to[2])];
    assert((a > 0) != (b > 0));
    const double share = fmin(fmax(a / (a - b), nearest_to_node), 1 - nearest_to_node);
    const int32_t *at = pass->band->blocks[block];
    dlp_vec3 place = dlp_vec(4.0 * at[0] + x, 4.0 * at[1] + y, 4.0 * at[2] + z);
    if (axis == 0) place.x += share;
    if (axis == 1) place.y += share;
    if (axis == 2) place.z += share;
    pass->mesh->mesh.vertices[vertex] = dlp_mul(place, pass->cell);
    dlp_vec3 slope = dlp_add(dlp_mul(slope_at(pad, x, y, z), 1 - share),
                             dlp_mul(slope_at(pad, to[0], to[1], to[2]), share));
    // Along its own edge the surface is known to face from the inner to the outer node.
    if (axis == 0 && !(slope.x * (b - a) > 0)) slope.x = 2 * (b - a);
    if (axis == 1 && !(slope.y * (b - a) > 0)) slope.y = 2 * (b - a);
    if (axis == 2 && !(slope.z * (b - a) > 0)) slope.z = 2 * (b - a);
    const dlp_vec3 normal = dlp_normalize(dlp_mul(slope, -1), dlp_vec(0, 0, 1));
    float *out = pass->mesh->normals + 3 * (size_t)vertex;
    out[0] = (float)normal.x;
    out[1] = (float)normal.y;
    out[2] = (float)normal.z;
}

static void place_vertices(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const march_pass *pass = context;
    for (int32_t block = begin; block < end; block++) {
        const dlp_march_block *b = &pass->marcher->blocks[block];
        if (b[1].first_vertex == b->first_vertex) continue;
        float pad[DLP_PAD_SIZE];
        dlp_band_pad(pass->band, pass->values, block, 7, pad);
        int32_t vertex = b->first_vertex;
        for (int axis = 0; axis < 3; axis++) {
            for (uint64_t rest = b->crossings[axis]; rest != 0; rest &= rest - 1)
                place_vertex(pass, pad, block, axis, __builtin_ctzll(rest), vertex++);
        }
    }
}

// The vertex on an edge of the cell that starts at a block's node: the edge may belong to a block behind,
// which is there, since the surface passes it.
static int32_t edge_vertex(const march_pass *pass, int32_t block, int32_t node, int32_t edge)
{
    const int32_t corner = dlp_cube_edge_corner(edge), axis = edge / 4;
    const int32_t x = node % 4 + (corner & 1), y = node / 4 % 4 + (corner >> 1 & 1),
                  z = node / 16 + (corner >> 2);
    const int32_t place = DLP_BAND_HERE + x / 4 + 3 * (y / 4) + 9 * (z / 4);
    const int32_t owner = pass->band->around[block][place];
    assert(owner != DLP_BAND_NONE);
    return vertex_of(&pass->marcher->blocks[owner], axis, x % 4 + 4 * (y % 4) + 16 * (z % 4));
}

// Adds a triangle's share of volume and area, about a point of the surface: small numbers lose fewer digits.
static void measure(const march_pass *pass, const int32_t triangle[3], dlp_vec3 origin, double *volume,
                    double *area)
{
    const dlp_vec3 *v = pass->mesh->mesh.vertices;
    const dlp_vec3 a = v[triangle[0]], b = v[triangle[1]], c = v[triangle[2]];
    const dlp_vec3 normal = dlp_cross(dlp_sub(b, a), dlp_sub(c, a));
    *volume += dlp_dot(dlp_sub(a, origin), normal) / 6;
    *area += dlp_length(normal) / 2;
}

// A block's share of volume and area is summed on its own; the shares are added in the order of the blocks.
static void make_triangles(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const march_pass *pass = context;
    const dlp_cubes *cubes = &pass->marcher->cubes;
    for (int32_t block = begin; block < end; block++) {
        const dlp_march_block *b = &pass->marcher->blocks[block];
        pass->marcher->volumes[block] = pass->marcher->areas[block] = 0;
        if (b[1].first_triangle == b->first_triangle) continue;
        float pad[DLP_PAD_SIZE];
        dlp_band_pad(pass->band, pass->values, block, 6, pad);
        int32_t(*out)[3] = pass->mesh->mesh.triangles + b->first_triangle;
        for (int32_t n = 0; n < DLP_BLOCK_NODES; n++) {
            const int32_t inside = case_of(pad, n % 4, n / 4 % 4, n / 16);
            for (int32_t t = 0; t < cubes->count[inside]; t++, out++) {
                for (int corner = 0; corner < 3; corner++)
                    (*out)[corner] = edge_vertex(pass, block, n, cubes->edges[inside][3 * t + corner]);
                measure(pass, *out, pass->mesh->mesh.vertices[0], &pass->marcher->volumes[block],
                        &pass->marcher->areas[block]);
            }
        }
    }
}

// Counts become places: each block's first vertex and triangle; the entry behind the last block has the
// totals.
static dlp_status add_up(dlp_marcher *marcher, int32_t count, int32_t *out_vertices, int32_t *out_triangles,
                         dlp_error *error)
{
    int64_t vertices = 0, triangles = 0;
    for (int32_t block = 0; block <= count; block++) {
        dlp_march_block *b = &marcher->blocks[block];
        const int32_t own_vertices = block < count ? b->first_vertex : 0;
        const int32_t own_triangles = block < count ? b->first_triangle : 0;
        b->first_vertex = (int32_t)vertices;
        b->first_triangle = (int32_t)triangles;
        vertices += own_vertices;
        triangles += own_triangles;
        if (triangles > INT32_MAX / 3 || vertices > INT32_MAX / 3)
            return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: more than %d triangles; use larger cells",
                            INT32_MAX / 3);
    }
    *out_vertices = (int32_t)vertices;
    *out_triangles = (int32_t)triangles;
    return DLP_OK;
}

// Normals have the capacity of the vertices, which is changed after theirs.
static dlp_status size_mesh(dlp_surface_mesh *mesh, int32_t vertices, int32_t triangles, dlp_error *error)
{
    dlp_mesh *m = &mesh->mesh;
    int32_t capacity = m->vertex_capacity;
    DLP_TRY(dlp_reserve(&mesh->normals, &capacity, vertices, 3 * sizeof *mesh->normals, "skin", error));
    DLP_TRY(dlp_reserve(&m->vertices, &m->vertex_capacity, vertices, sizeof *m->vertices, "skin", error));
    DLP_TRY(
        dlp_reserve(&m->triangles, &m->triangle_capacity, triangles, sizeof *m->triangles, "skin", error));
    m->vertex_count = vertices;
    m->triangle_count = triangles;
    return DLP_OK;
}

static dlp_status size_marcher(dlp_marcher *marcher, int32_t count, dlp_error *error)
{
    if (!marcher->has_cubes) dlp_cubes_init(&marcher->cubes);
    marcher->has_cubes = true;
    DLP_TRY(dlp_reserve(&marcher->blocks, &marcher->block_capacity, count + 1, sizeof *marcher->blocks,
                        "skin", error));
    DLP_TRY(dlp_reserve(&marcher->volumes, &marcher->volume_capacity, count, sizeof(double), "skin", error));
    return dlp_reserve(&marcher->areas, &marcher->area_capacity, count, sizeof(double), "skin", error);
}

// Twice the area long.
static dlp_vec3 triangle_normal(const dlp_mesh *mesh, int32_t triangle)
{
    const int32_t *corner = mesh->triangles[triangle];
    const dlp_vec3 a = mesh->vertices[corner[0]];
    return dlp_cross(dlp_sub(mesh->vertices[corner[1]], a), dlp_sub(mesh->vertices[corner[2]], a));
}

// The vertices whose normal points into a triangle of theirs: where two parts of a surface nearly touch, the
// slope across the gap may be that of the other part.
static int32_t mark_flipped(const dlp_surface_mesh *mesh, uint8_t *is_turned)
{
    int32_t count = 0;
    for (int32_t t = 0; t < mesh->mesh.triangle_count; t++) {
        const dlp_vec3 normal = triangle_normal(&mesh->mesh, t);
        for (int corner = 0; corner < 3; corner++) {
            const int32_t v = mesh->mesh.triangles[t][corner];
            const float *n = mesh->normals + 3 * (size_t)v;
            if (dlp_dot(normal, dlp_vec((double)n[0], (double)n[1], (double)n[2])) > 0) continue;
            is_turned[v] = 1;
            count++;
        }
    }
    return count;
}

// Gives them the mean of their triangles' normals instead. `faces` borrows the mesh.
static dlp_status flip_back(dlp_surface_mesh *mesh, const uint8_t *is_turned, dlp_error *error)
{
    dlp_surface_mesh faces = {.mesh = mesh->mesh};
    DLP_TRY(dlp_surface_mesh_compute_normals(&faces, error));
    for (size_t v = 0; v < (size_t)mesh->mesh.vertex_count; v++)
        if (is_turned[v]) memcpy(mesh->normals + 3 * v, faces.normals + 3 * v, 3 * sizeof *mesh->normals);
    dlp_free(faces.normals);
    return DLP_OK;
}

static dlp_status repair_normals(dlp_surface_mesh *mesh, dlp_error *error)
{
    const size_t count = (size_t)mesh->mesh.vertex_count;
    uint8_t *is_turned = dlp_alloc(count, sizeof *is_turned, "skin");
    if (is_turned == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for %zu normals", count);
    const dlp_status status = mark_flipped(mesh, is_turned) > 0 ? flip_back(mesh, is_turned, error) : DLP_OK;
    dlp_free(is_turned);
    return status;
}

dlp_status dlp_march(dlp_marcher *marcher, const dlp_band *band, const float *values, double cell,
                     dlp_team *team, dlp_surface_mesh *mesh, dlp_error *error)
{
    march_pass pass = {marcher, band, values, cell, mesh};
    int32_t vertices = 0, triangles = 0;
    DLP_TRY(size_marcher(marcher, band->count, error));
    dlp_parallel_for(team, band->count, 64, sign_blocks, &pass);
    dlp_parallel_for(team, band->count, 64, count_blocks, &pass);
    DLP_TRY(add_up(marcher, band->count, &vertices, &triangles, error));
    DLP_TRY(size_mesh(mesh, vertices, triangles, error));
    dlp_parallel_for(team, band->count, 64, place_vertices, &pass);
    dlp_parallel_for(team, band->count, 64, make_triangles, &pass);
    marcher->volume = marcher->area = 0;
    for (int32_t block = 0; block < band->count; block++) {
        marcher->volume += marcher->volumes[block];
        marcher->area += marcher->areas[block];
    }
    return repair_normals(mesh, error);
}

void dlp_marcher_release(dlp_marcher *marcher)
{
    dlp_free(marcher->blocks);
    dlp_free(marcher->volumes);
    dlp_free(marcher->areas);
    *marcher = (dlp_marcher){0};
}
