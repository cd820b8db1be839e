/* Builds a mesh's tree: pieces, a balanced tree of boxes over the triangles of each, and the normals of all
 * features. O(n log n). */
#include "base/memory.h"
#include "space/mesh_edges.h"
#include "space/mesh_nearest.h"
#include "space/mesh_section.h"
#include "space/mesh_tree_parts.h"

#include <assert.h>
#include <stdlib.h>

// What building needs beside the tree: boxes and an order of the triangles.
typedef struct tree_builder {
    const dlp_mesh *mesh;  // borrowed
    dlp_box *boxes;        // owned, m: per triangle
    int32_t *order;        // owned: per place in the order of the leaves, the triangle of the mesh
    dlp_mesh_tree *tree;   // borrowed
} tree_builder;

// Twice the middle: only compared.
static double middle_of(const dlp_box *box, int32_t axis)
{
    return dlp_component(box->min, axis) + dlp_component(box->max, axis);
}

// Bounds of order[first .. first+count-1], at least one.
static dlp_box box_of(const tree_builder *b, int32_t first, int32_t count)
{
    assert(count > 0);
    dlp_box box = b->boxes[b->order[first]];
    for (int32_t k = first + 1; k < first + count; k++) {
        box.min = dlp_min3(box.min, b->boxes[b->order[k]].min);
        box.max = dlp_max3(box.max, b->boxes[b->order[k]].max);
    }
    return box;
}

// The axis along which the triangles' middles spread most.
static int32_t widest_axis(const tree_builder *b, int32_t first, int32_t count)
{
    int32_t best = 0;
    double best_width = -1;
    for (int32_t axis = 0; axis < 3; axis++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int32_t k = first; k < first + count; k++) {
            const double m = middle_of(&b->boxes[b->order[k]], axis);
            low = fmin(low, m);
            high = fmax(high, m);
        }
        if (high - low > best_width) {
            best_width = high - low;
            best = axis;
        }
    }
    return best;
}

// Puts the triangles with the lowest middles first, up to `place` (Hoare's quickselect about the middle
// item). Linear on average; equal middles are shared between both sides, so that many of them do no harm.
static void part_by_middle(const tree_builder *b, int32_t first, int32_t end, int32_t place, int32_t axis)
{
    int32_t *order = b->order;
    while (end - first > 1) {
        const double pivot = middle_of(&b->boxes[order[first + (end - first) / 2]], axis);
        int32_t i = first, j = end - 1;
        while (i <= j) {
            while (middle_of(&b->boxes[order[i]], axis) < pivot) i++;
            while (middle_of(&b->boxes[order[j]], axis) > pivot) j--;
            if (i > j) break;
            const int32_t other = order[i];
            order[i++] = order[j];
            order[j--] = other;
        }
        if (place <= j)
            end = j + 1;
        else if (place >= i)
            first = i;
        else
            return;
    }
}

// The tree over order[first .. first+count-1], more than a leaf holds; returns its node. Halves are equal, so
// that the recursion is at most 31 deep.
static int32_t build_node(tree_builder *b, int32_t first, int32_t count)
{
    const int32_t index = b->tree->node_count++;
    const int32_t half = count / 2;
    part_by_middle(b, first, first + count, first + half, widest_axis(b, first, count));
    const int32_t firsts[2] = {first, first + half}, counts[2] = {half, count - half};
    for (int32_t k = 0; k < 2; k++) {
        const bool is_leaf = counts[k] <= DLP_MESH_LEAF_SIZE;
        dlp_mesh_node *n = &b->tree->nodes[index];
        n->boxes[k] = box_of(b, firsts[k], counts[k]);
        n->count[k] = is_leaf ? counts[k] : 0;
        const int32_t place = is_leaf ? firsts[k] : build_node(b, firsts[k], counts[k]);
        b->tree->nodes[index].first[k] = place;
    }
    return index;
}

// Bounds of each triangle.
static void measure_triangles(tree_builder *b)
{
    for (int32_t t = 0; t < b->mesh->triangle_count; t++) {
        const int32_t *v = b->mesh->triangles[t];
        const dlp_vec3 x = b->mesh->vertices[v[0]], y = b->mesh->vertices[v[1]], z = b->mesh->vertices[v[2]];
        b->boxes[t] = (dlp_box){dlp_min3(x, dlp_min3(y, z)), dlp_max3(x, dlp_max3(y, z))};
    }
}

// A counting sort of the triangles by part, which sets each part's range.
static void sort_by_part(tree_builder *b, const int32_t *part_of)
{
    dlp_mesh_tree *tree = b->tree;
    assert(tree->part_count > 0);
    for (int32_t t = 0; t < tree->triangle_count; t++) tree->parts[part_of[t]].count++;
    for (int32_t p = 1; p < tree->part_count; p++)
        tree->parts[p].first = tree->parts[p - 1].first + tree->parts[p - 1].count;
    for (int32_t p = 0; p < tree->part_count; p++) tree->parts[p].count = 0;
    for (int32_t t = 0; t < tree->triangle_count; t++) {
        dlp_mesh_part *p = &tree->parts[part_of[t]];
        b->order[p->first + p->count++] = t;
    }
}

// About the middle of its box, which keeps the digits. In 2-D the area below the outline's segments: each
// strip of the ribbon has one triangle whose second corner is at the bottom.
static double part_volume(const tree_builder *b, const dlp_mesh_part *p)
{
    const dlp_vec3 origin = dlp_mul(dlp_add(p->box.min, p->box.max), 0.5);
    double volume = 0;
    for (int32_t k = p->first; k < p->first + p->count; k++) {
        const int32_t *v = b->mesh->triangles[b->order[k]];
        const dlp_vec3 x = dlp_sub(b->mesh->vertices[v[0]], origin);
        const dlp_vec3 y = dlp_sub(b->mesh->vertices[v[1]], origin);
        const dlp_vec3 z = dlp_sub(b->mesh->vertices[v[2]], origin);
        if (b->tree->dimension == 3)
            volume += dlp_dot(x, dlp_cross(y, z)) / 6;
        else if (y.z < 0)
            volume += (x.x * y.y - x.y * y.x) / 2;  // the lower edge of each strip
    }
    return volume;
}

// The largest first; parts of equal size in the order of their triangles, so that the result does not depend
// on qsort.
static int compare_parts(const void *a_item, const void *b_item)
{
    const dlp_mesh_part *a = a_item, *b = b_item;
    const double va = fabs(a->volume), vb = fabs(b->volume);
    if (va != vb) return va > vb ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

// Nodes are at most as many as triangles, since every leaf has at least two.
static void build_parts(tree_builder *b)
{
    dlp_mesh_tree *tree = b->tree;
    int32_t kept = 0;
    for (int32_t k = 0; k < tree->part_count; k++) {
        dlp_mesh_part p = tree->parts[k];
        if (p.count == 0) continue;  // a piece that the section misses
        p.box = box_of(b, p.first, p.count);
        p.volume = part_volume(b, &p);
        p.root = p.count > DLP_MESH_LEAF_SIZE ? build_node(b, p.first, p.count) : -1;
        tree->parts[kept++] = p;
    }
    tree->part_count = kept;
    qsort(tree->parts, (size_t)kept, sizeof *tree->parts, compare_parts);
    tree->box = tree->parts[0].box;
    for (int32_t k = 1; k < kept; k++) {
        tree->box.min = dlp_min3(tree->box.min, tree->parts[k].box.min);
        tree->box.max = dlp_max3(tree->box.max, tree->parts[k].box.max);
    }
}

// Unit normal; zero where the triangle has no area.
static dlp_vec3 face_normal(const dlp_mesh *mesh, int32_t triangle)
{
    const int32_t *v = mesh->triangles[triangle];
    const dlp_vec3 ab = dlp_sub(mesh->vertices[v[1]], mesh->vertices[v[0]]);
    const dlp_vec3 ac = dlp_sub(mesh->vertices[v[2]], mesh->vertices[v[0]]);
    const dlp_vec3 normal = dlp_cross(ab, ac);
    const double length = dlp_length(normal);
    // without area the cross product is rounding alone
    if (!(length > 1e-14 * (dlp_dot(ab, ab) + dlp_dot(ac, ac)))) return dlp_vec(0, 0, 0);
    return dlp_mul(normal, 1 / length);
}

// rad, by atan2: exact for small and flat angles, too.
static double corner_angle(const dlp_mesh *mesh, const int32_t v[3], int32_t k)
{
    const dlp_vec3 x = mesh->vertices[v[k]];
    const dlp_vec3 a = dlp_sub(mesh->vertices[v[(k + 1) % 3]], x),
                   b = dlp_sub(mesh->vertices[v[(k + 2) % 3]], x);
    return atan2(dlp_length(dlp_cross(a, b)), dlp_dot(a, b));
}

// Face normals; at an edge the sum of both faces'; at a vertex the sum weighted by the angles there: the sign
// of a distance by these is right everywhere [baerentzen2005]. `place` maps triangles to the order of the
// leaves.
static void find_normals(tree_builder *b, const dlp_mesh_edges *edges, const int32_t *place,
                         dlp_vec3 *at_vertex)
{
    const dlp_mesh *mesh = b->mesh;
    dlp_mesh_features *features = b->tree->features;
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const dlp_vec3 normal = face_normal(mesh, t);
        features[place[t]].normals[DLP_NEAR_FACE] = normal;
        for (int32_t k = 0; k < 3; k++) {
            dlp_vec3 *sum = &at_vertex[mesh->triangles[t][k]];
            *sum = dlp_along(*sum, normal, corner_angle(mesh, mesh->triangles[t], k));
        }
    }
    for (int32_t first = 0; first < edges->count;) {
        const int32_t end = dlp_mesh_edge_end(edges, first);
        dlp_vec3 sum = {0, 0, 0};
        for (int32_t k = first; k < end; k++)
            sum = dlp_add(sum, features[place[edges->sides[k].triangle]].normals[DLP_NEAR_FACE]);
        for (int32_t k = first; k < end; k++)
            features[place[edges->sides[k].triangle]].normals[DLP_NEAR_EDGE + edges->sides[k].corner] = sum;
        first = end;
    }
    for (int32_t t = 0; t < mesh->triangle_count; t++)
        for (int32_t k = 0; k < 3; k++)
            features[place[t]].normals[DLP_NEAR_VERTEX + k] = at_vertex[mesh->triangles[t][k]];
}

static dlp_status build_normals(tree_builder *b, dlp_error *error)
{
    dlp_mesh_edges edges;
    DLP_TRY(dlp_mesh_edges_create(b->mesh, &edges, error));
    dlp_vec3 *at_vertex = dlp_alloc((size_t)b->mesh->vertex_count, sizeof *at_vertex, "mesh");
    int32_t *place = dlp_alloc((size_t)b->mesh->triangle_count, sizeof *place, "mesh");
    const bool has_memory = at_vertex != NULL && place != NULL;
    if (has_memory) {
        for (int32_t k = 0; k < b->mesh->triangle_count; k++) place[b->order[k]] = k;
        find_normals(b, &edges, place, at_vertex);
    }
    dlp_free(at_vertex);
    dlp_free(place);
    dlp_mesh_edges_release(&edges);
    return has_memory ? DLP_OK
                      : dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d triangles", b->mesh->triangle_count);
}

// In the order of the leaves, so that a leaf reads consecutive memory.
static void build_frames(tree_builder *b)
{
    for (int32_t k = 0; k < b->mesh->triangle_count; k++) {
        const int32_t *v = b->mesh->triangles[b->order[k]];
        const dlp_vec3 a = b->mesh->vertices[v[0]];
        b->tree->frames[k] =
            (dlp_mesh_corner){a, dlp_sub(b->mesh->vertices[v[1]], a), dlp_sub(b->mesh->vertices[v[2]], a)};
    }
}

// On failure the tree holds what it got; dlp_mesh_tree_destroy frees it.
static dlp_status allocate(tree_builder *b, int32_t part_count, dlp_error *error)
{
    const size_t count = (size_t)b->mesh->triangle_count;
    dlp_mesh_tree *tree = b->tree;
    tree->triangle_count = b->mesh->triangle_count;
    tree->part_count = part_count;
    tree->parts = dlp_alloc((size_t)part_count, sizeof *tree->parts, "mesh");
    tree->nodes = dlp_alloc(count, sizeof *tree->nodes, "mesh");
    tree->frames = dlp_alloc(count, sizeof *tree->frames, "mesh");
    tree->features = dlp_alloc(count, sizeof *tree->features, "mesh");
    b->boxes = dlp_alloc(count, sizeof *b->boxes, "mesh");
    b->order = dlp_alloc(count, sizeof *b->order, "mesh");
    if (tree->parts == NULL || tree->nodes == NULL || tree->frames == NULL || tree->features == NULL ||
        b->boxes == NULL || b->order == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: a tree of %zu triangles", count);
    return DLP_OK;
}

// The order of the leaves is final after build_parts: frames and normals follow it.
static dlp_status build(dlp_mesh_tree *tree, const dlp_mesh *mesh, const int32_t *part_of, int32_t part_count,
                        dlp_error *error)
{
    tree_builder b = {.mesh = mesh, .tree = tree};
    dlp_status status = allocate(&b, part_count, error);
    if (status == DLP_OK) {
        measure_triangles(&b);
        sort_by_part(&b, part_of);
        build_parts(&b);
        build_frames(&b);
        status = build_normals(&b, error);
    }
    if (status == DLP_OK) tree->volume = dlp_mesh_tree_sum_volume(tree);
    dlp_free(b.boxes);
    dlp_free(b.order);
    return status;
}

static dlp_status build_section(dlp_mesh_tree *tree, const dlp_mesh *mesh, const int32_t *component,
                                int32_t count, dlp_error *error)
{
    dlp_mesh ribbon;
    int32_t *part_of;
    DLP_TRY(dlp_mesh_section(mesh, component, &ribbon, &part_of, error));
    const dlp_status status = build(tree, &ribbon, part_of, count, error);
    dlp_mesh_release(&ribbon);
    dlp_free(part_of);
    return status;
}

// 3-D from the mesh itself, 2-D from the ribbon of its section; parts are the components of the mesh in both.
static dlp_status build_any(dlp_mesh_tree *tree, const dlp_mesh *mesh, dlp_error *error)
{
    dlp_mesh_edges edges;
    DLP_TRY(dlp_mesh_edges_create(mesh, &edges, error));
    int32_t *component = NULL, count = 0;
    dlp_status status = dlp_mesh_components(mesh, &edges, &component, &count, error);
    dlp_mesh_edges_release(&edges);
    if (status == DLP_OK)
        status = tree->dimension == 2 ? build_section(tree, mesh, component, count, error)
                                      : build(tree, mesh, component, count, error);
    dlp_free(component);
    return status;
}

dlp_status dlp_mesh_tree_create(const dlp_mesh *mesh, int32_t dimension, dlp_mesh_tree **out_tree,
                                dlp_error *error)
{
    *out_tree = NULL;
    dlp_mesh_tree *tree = dlp_alloc(1, sizeof *tree, "mesh");
    if (tree == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %zu bytes", sizeof *tree);
    tree->dimension = dimension;
    const dlp_status status = build_any(tree, mesh, error);
    if (status != DLP_OK) {
        dlp_mesh_tree_destroy(tree);
        return status;
    }
    *out_tree = tree;
    return DLP_OK;
}

void dlp_mesh_tree_destroy(dlp_mesh_tree *tree)
{
    if (tree == NULL) return;
    dlp_free(tree->parts);
    dlp_free(tree->nodes);
    dlp_free(tree->frames);
    dlp_free(tree->features);
    dlp_free(tree);
}
