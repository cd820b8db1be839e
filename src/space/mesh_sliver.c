/* Triangles without area have no normal, which signed distances need. Flipping the longest side of such a
 * sliver makes two triangles with an area of it and its neighbour. */
#include "base/memory.h"
#include "space/mesh_edges.h"

#include <string.h>

// A flip can leave another sliver beside it, which the next round finds. Two slivers may flip each other for
// ever: after FREE_ROUNDS only those next to a triangle with an area are flipped, so that their number falls
// in every round. A fan of n slivers, which share a corner, then takes n rounds.
enum { FREE_ROUNDS = 16, ROUND_LIMIT = 1000 };

// The squared length of side k, m2.
static double side_square(const dlp_mesh *mesh, const int32_t *v, int32_t k)
{
    const dlp_vec3 side = dlp_sub(mesh->vertices[v[(k + 1) % 3]], mesh->vertices[v[k]]);
    return dlp_dot(side, side);
}

// The longest side of a triangle without area, or -1 where it has an area: twice the area above 1e-14 of the
// squared longest side, which is a little more than rounding.
static int32_t sliver_side(const dlp_mesh *mesh, int32_t triangle)
{
    const int32_t *v = mesh->triangles[triangle];
    int32_t longest = 0;
    for (int32_t k = 1; k < 3; k++)
        if (side_square(mesh, v, k) > side_square(mesh, v, longest)) longest = k;
    const dlp_vec3 ab = dlp_sub(mesh->vertices[v[1]], mesh->vertices[v[0]]);
    const dlp_vec3 ac = dlp_sub(mesh->vertices[v[2]], mesh->vertices[v[0]]);
    const bool is_sliver = dlp_length(dlp_cross(ab, ac)) <= 1e-14 * side_square(mesh, v, longest);
    return is_sliver ? longest : -1;
}

// The side beyond each side, by 3 triangle + corner.
static void find_across(const dlp_mesh_edges *edges, dlp_mesh_side *across)
{
    for (int32_t k = 0; k + 1 < edges->count; k += 2) {  // closed: two sides per edge
        const dlp_mesh_side *a = &edges->sides[k], *b = a + 1;
        across[3 * a->triangle + a->corner] = *b;
        across[3 * b->triangle + b->corner] = *a;
    }
}

// a -> c is the long side with b on it; beyond it lies d: a c b and c a d become a d b and d c b. Vertices of
// a flip are left alone for the rest of the round, since `edges` and `across` are those from before it. False
// where the new edge exists already.
static bool flip(dlp_mesh *mesh, const dlp_mesh_edges *edges, int32_t triangle, int32_t side,
                 dlp_mesh_side beyond, bool *is_changed)
{
    int32_t *one = mesh->triangles[triangle], *other = mesh->triangles[beyond.triangle];
    const int32_t a = one[side], c = one[(side + 1) % 3], b = one[(side + 2) % 3];
    const int32_t d = other[(beyond.corner + 2) % 3];
    if (is_changed[a] || is_changed[b] || is_changed[c] || is_changed[d]) return false;
    if (b == d || dlp_mesh_has_edge(edges, b, d)) return false;
    is_changed[a] = is_changed[b] = is_changed[c] = is_changed[d] = true;
    const int32_t triangles[2][3] = {{a, d, b}, {d, c, b}};
    memcpy(one, triangles[0], sizeof triangles[0]);
    memcpy(other, triangles[1], sizeof triangles[1]);
    return true;
}

// In the order of the triangles. Where `is_free` is false, two slivers beside each other are left for a later
// round.
static int32_t flip_round(dlp_mesh *mesh, const dlp_mesh_edges *edges, const dlp_mesh_side *across,
                          bool is_free, bool *is_changed)
{
    int32_t flips = 0;
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangles[t];
        if (is_changed[v[0]] || is_changed[v[1]] || is_changed[v[2]]) continue;
        const int32_t side = sliver_side(mesh, t);
        if (side < 0) continue;
        const dlp_mesh_side beyond = across[3 * t + side];
        if (!is_free && sliver_side(mesh, beyond.triangle) >= 0) continue;
        flips += flip(mesh, edges, t, side, beyond, is_changed);
    }
    return flips;
}

static bool has_sliver(const dlp_mesh *mesh)
{
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        if (sliver_side(mesh, t) >= 0) return true;
    return false;
}

// One round with edges of its own; *out_flips says how many triangles were flipped.
static dlp_status try_round(dlp_mesh *mesh, bool is_free, int32_t *out_flips, dlp_error *error)
{
    *out_flips = 0;
    dlp_mesh_edges edges;
    DLP_TRY(dlp_mesh_edges_create(mesh, &edges, error));
    dlp_mesh_side *across = dlp_alloc((size_t)edges.count, sizeof *across, "mesh");
    bool *is_changed = dlp_alloc((size_t)mesh->vertex_count, sizeof *is_changed, "mesh");
    const bool has_memory = across != NULL && is_changed != NULL;
    if (has_memory) {
        find_across(&edges, across);
        *out_flips = flip_round(mesh, &edges, across, is_free, is_changed);
    }
    dlp_free(across);
    dlp_free(is_changed);
    dlp_mesh_edges_release(&edges);
    return has_memory ? DLP_OK
                      : dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d triangles", mesh->triangle_count);
}

dlp_status dlp_mesh_flip_slivers(dlp_mesh *mesh, dlp_error *error)
{
    for (int32_t round = 0; round < ROUND_LIMIT; round++) {
        int32_t flips;
        if (!has_sliver(mesh)) return DLP_OK;
        DLP_TRY(try_round(mesh, round < FREE_ROUNDS, &flips, error));
        if (flips == 0) return DLP_OK;
    }
    return dlp_fail(
        error, DLP_IO,
        "has triangles without an area that are still there after %d rounds of flipping their edges: "
        "merge vertices that lie in a row along an edge",
        ROUND_LIMIT);
}
