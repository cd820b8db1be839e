#include "space/mesh_tree.h"
#include "base/memory.h"
#include "space/mesh_edges.h"
#include "space/mesh_nearest.h"
#include "space/mesh_section.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF_SIZE = 4, STACK_SIZE = 64 };

// Of two halves: the box of each, and where it goes on: a node, or (count > 0) triangles.
typedef struct node {
    dlp_box boxes[2];
    int32_t first[2], count[2];
} node;

typedef struct corner_frame {
    dlp_vec3 a, ab, ac;  // m
} corner_frame;

// The normals of a triangle's features by dlp_nearest.feature; outward, not of unit length.
typedef struct feature_normals {
    dlp_vec3 normals[7];
} feature_normals;

// One closed piece. Pieces are combined from the largest to the smallest: a solid one is added, a cavity (its
// surface shows the other side, its volume is negative) is taken away.
typedef struct part {
    dlp_box box;
    int32_t first, count;  // triangles
    int32_t root;          // node, or -1 where the triangles are few
    double volume;         // m3 (2-D: m2)
} part;

struct dlp_mesh_tree {
    part *parts;
    int32_t part_count;
    node *nodes;
    int32_t node_count;
    corner_frame *frames;       // triangle by triangle, in the order of the leaves
    feature_normals *features;
    int32_t triangle_count;
    int32_t dimension;
    double volume;              // -1 where parts overlap
    dlp_box box;
};

// What building needs besides: boxes and an order of the triangles.
typedef struct builder {
    const dlp_mesh *mesh;
    dlp_box *boxes;   // of each triangle
    int32_t *order;   // leaf order -> triangle
    dlp_mesh_tree *tree;
} builder;

static double middle_of(const dlp_box *box, int32_t axis)
{
    return dlp_component(box->min, axis) + dlp_component(box->max, axis);
}

static dlp_box box_of(const builder *b, int32_t first, int32_t count)
{
    dlp_box box = b->boxes[b->order[first]];
    for (int32_t k = first + 1; k < first + count; k++) {
        box.min = dlp_min3(box.min, b->boxes[b->order[k]].min);
        box.max = dlp_max3(box.max, b->boxes[b->order[k]].max);
    }
    return box;
}

// The axis along which the triangles' middles spread most.
static int32_t widest_axis(const builder *b, int32_t first, int32_t count)
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

// Puts the `place` lowest middles first (quickselect about the middle item).
static void part_by_middle(const builder *b, int32_t first, int32_t end, int32_t place, int32_t axis)
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
        if (place <= j) end = j + 1;
        else if (place >= i) first = i;
        else return;
    }
}

// The tree over order[first .. first+count-1]; returns its node. Halves are equal, so it is never deep.
static int32_t build_node(builder *b, int32_t first, int32_t count)
{
    const int32_t index = b->tree->node_count++;
    const int32_t half = count / 2;
    part_by_middle(b, first, first + count, first + half, widest_axis(b, first, count));
    const int32_t firsts[2] = {first, first + half}, counts[2] = {half, count - half};
    for (int32_t k = 0; k < 2; k++) {
        const bool is_leaf = counts[k] <= LEAF_SIZE;
        node *n = &b->tree->nodes[index];
        n->boxes[k] = box_of(b, firsts[k], counts[k]);
        n->count[k] = is_leaf ? counts[k] : 0;
        const int32_t place = is_leaf ? firsts[k] : build_node(b, firsts[k], counts[k]);
        b->tree->nodes[index].first[k] = place;
    }
    return index;
}

static void measure_triangles(builder *b)
{
    for (int32_t t = 0; t < b->mesh->triangle_count; t++) {
        const int32_t *v = b->mesh->triangles[t];
        const dlp_vec3 x = b->mesh->vertices[v[0]], y = b->mesh->vertices[v[1]], z = b->mesh->vertices[v[2]];
        b->boxes[t] = (dlp_box){dlp_min3(x, dlp_min3(y, z)), dlp_max3(x, dlp_max3(y, z))};
    }
}

// Triangles by part, and each part's range.
static void sort_by_part(builder *b, const int32_t *part_of)
{
    dlp_mesh_tree *tree = b->tree;
    for (int32_t t = 0; t < tree->triangle_count; t++) tree->parts[part_of[t]].count++;
    for (int32_t p = 1; p < tree->part_count; p++)
        tree->parts[p].first = tree->parts[p - 1].first + tree->parts[p - 1].count;
    for (int32_t p = 0; p < tree->part_count; p++) tree->parts[p].count = 0;
    for (int32_t t = 0; t < tree->triangle_count; t++) {
        part *p = &tree->parts[part_of[t]];
        b->order[p->first + p->count++] = t;
    }
}

static double part_volume(const builder *b, const part *p)
{
    const dlp_vec3 origin = dlp_mul(dlp_add(p->box.min, p->box.max), 0.5);
    double volume = 0;
    for (int32_t k = p->first; k < p->first + p->count; k++) {
        const int32_t *v = b->mesh->triangles[b->order[k]];
        const dlp_vec3 x = dlp_sub(b->mesh->vertices[v[0]], origin);
        const dlp_vec3 y = dlp_sub(b->mesh->vertices[v[1]], origin);
        const dlp_vec3 z = dlp_sub(b->mesh->vertices[v[2]], origin);
        if (b->tree->dimension == 3) volume += dlp_dot(x, dlp_cross(y, z)) / 6;
        else if (y.z < 0) volume += (x.x * y.y - x.y * y.x) / 2;  // the lower edge of each strip
    }
    return volume;
}

static int compare_parts(const void *a_item, const void *b_item)
{
    const part *a = a_item, *b = b_item;
    const double va = fabs(a->volume), vb = fabs(b->volume);
    if (va != vb) return va > vb ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static void build_parts(builder *b)
{
    dlp_mesh_tree *tree = b->tree;
    int32_t kept = 0;
    for (int32_t k = 0; k < tree->part_count; k++) {
        part p = tree->parts[k];
        if (p.count == 0) continue;  // a piece that the section misses
        p.box = box_of(b, p.first, p.count);
        p.volume = part_volume(b, &p);
        p.root = p.count > LEAF_SIZE ? build_node(b, p.first, p.count) : -1;
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

static dlp_vec3 face_normal(const dlp_mesh *mesh, int32_t triangle)
{
    const int32_t *v = mesh->triangles[triangle];
    const dlp_vec3 ab = dlp_sub(mesh->vertices[v[1]], mesh->vertices[v[0]]);
    const dlp_vec3 ac = dlp_sub(mesh->vertices[v[2]], mesh->vertices[v[0]]);
    const dlp_vec3 normal = dlp_cross(ab, ac);
    const double length = dlp_length(normal);
    // Without area there is only noise.
    if (!(length > 1e-14 * (dlp_dot(ab, ab) + dlp_dot(ac, ac)))) return dlp_vec(0, 0, 0);
    return dlp_mul(normal, 1 / length);
}

static double corner_angle(const dlp_mesh *mesh, const int32_t v[3], int32_t k)
{
    const dlp_vec3 x = mesh->vertices[v[k]];
    const dlp_vec3 a = dlp_sub(mesh->vertices[v[(k + 1) % 3]], x), b = dlp_sub(mesh->vertices[v[(k + 2) % 3]], x);
    return atan2(dlp_length(dlp_cross(a, b)), dlp_dot(a, b));
}

// Face normals; at an edge the sum of both faces'; at a vertex the sum weighted by the angles there.
static void find_normals(builder *b, const dlp_mesh_edges *edges, const int32_t *place, dlp_vec3 *at_vertex)
{
    const dlp_mesh *mesh = b->mesh;
    feature_normals *features = b->tree->features;
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

static dlp_status build_normals(builder *b, dlp_error *error)
{
    dlp_mesh_edges edges;
    DLP_TRY(dlp_mesh_edges_create(b->mesh, &edges, error));
    dlp_vec3 *at_vertex = dlp_alloc((size_t)b->mesh->vertex_count, sizeof *at_vertex, "mesh");
    int32_t *place = dlp_alloc((size_t)b->mesh->triangle_count, sizeof *place, "mesh");
    const bool has_room = at_vertex != NULL && place != NULL;
    if (has_room) {
        for (int32_t k = 0; k < b->mesh->triangle_count; k++) place[b->order[k]] = k;
        find_normals(b, &edges, place, at_vertex);
    }
    dlp_free(at_vertex);
    dlp_free(place);
    dlp_mesh_edges_release(&edges);
    return has_room ? DLP_OK : dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: %d triangles", b->mesh->triangle_count);
}

static void build_frames(builder *b)
{
    for (int32_t k = 0; k < b->mesh->triangle_count; k++) {
        const int32_t *v = b->mesh->triangles[b->order[k]];
        const dlp_vec3 a = b->mesh->vertices[v[0]];
        b->tree->frames[k] =
            (corner_frame){a, dlp_sub(b->mesh->vertices[v[1]], a), dlp_sub(b->mesh->vertices[v[2]], a)};
    }
}

typedef struct found {
    dlp_nearest nearest;
    int32_t triangle;  // -1: none within reach
} found;

static inline void try_triangles(const dlp_mesh_tree *tree, dlp_vec3 x, int32_t first, int32_t count, found *best)
{
    for (int32_t k = first; k < first + count; k++) {
        const corner_frame *frame = &tree->frames[k];
        const dlp_nearest n = dlp_nearest_triangle(dlp_sub(x, frame->a), frame->ab, frame->ac);
        if (n.square < best->nearest.square) *best = (found){n, k};
    }
}

// The nearest triangle of a part that is closer than the root of `square`.
static found find_nearest(const dlp_mesh_tree *tree, const part *p, dlp_vec3 x, double square)
{
    found best = {.nearest = {.square = square}, .triangle = -1};
    if (p->root < 0) {
        try_triangles(tree, x, p->first, p->count, &best);
        return best;
    }
    struct {
        int32_t node;
        double square;
    } stack[STACK_SIZE];
    int32_t depth = 0;
    for (int32_t at = p->root; at >= 0;) {
        const node *n = &tree->nodes[at];
        const double squares[2] = {dlp_box_square(&n->boxes[0], x), dlp_box_square(&n->boxes[1], x)};
        const int32_t near = squares[1] < squares[0];
        at = -1;
        for (int32_t k = 0; k < 2; k++) {
            const int32_t side = k == 0 ? 1 - near : near;  // the far half is pushed first
            if (n->count[side] > 0 || !(squares[side] < best.nearest.square)) continue;
            stack[depth].node = n->first[side];
            stack[depth++].square = squares[side];
        }
        for (int32_t k = 0; k < 2; k++) {
            const int32_t side = k == 0 ? near : 1 - near;
            if (n->count[side] > 0 && squares[side] < best.nearest.square)
                try_triangles(tree, x, n->first[side], n->count[side], &best);
        }
        while (depth > 0 && at < 0)
            if (stack[--depth].square < best.nearest.square) at = stack[depth].node;
    }
    return best;
}

static double signed_distance(const dlp_mesh_tree *tree, const found *f, dlp_vec3 *out_normal)
{
    const dlp_vec3 pseudo = tree->features[f->triangle].normals[f->nearest.feature];
    const double distance = sqrt(f->nearest.square);
    const bool is_inside = dlp_dot(f->nearest.offset, pseudo) < 0;
    // So close that the offset has lost its direction, the surface's own normal says more.
    const dlp_vec3 a = tree->frames[f->triangle].a;
    const double noise = 1e-13 * (fabs(a.x) + fabs(a.y) + fabs(a.z)) + 1e-150;
    if (distance <= noise) *out_normal = dlp_normalize(pseudo, dlp_vec(1, 0, 0));
    else *out_normal = dlp_mul(f->nearest.offset, (is_inside ? -1 : 1) / distance);
    return is_inside ? -distance : distance;
}

// Adds a solid piece: the smaller distance counts. Within its box x may be inside, so only outside of it does
// the distance found so far limit the search.
static void add_solid(const dlp_mesh_tree *tree, const part *p, dlp_vec3 x, double *distance, dlp_vec3 *normal)
{
    const double square = dlp_box_square(&p->box, x);
    const bool is_outside = square > 0;
    if (is_outside && (*distance <= 0 || square >= *distance * *distance)) return;
    const double reach = is_outside ? *distance * *distance : HUGE_VAL;
    const found f = find_nearest(tree, p, x, reach);
    if (f.triangle < 0) return;
    dlp_vec3 n;
    const double d = signed_distance(tree, &f, &n);
    if (!(d < *distance)) return;
    *distance = d;
    *normal = n;
}

// Takes away a cavity: the larger distance counts.
static void take_cavity(const dlp_mesh_tree *tree, const part *p, dlp_vec3 x, double *distance, dlp_vec3 *normal)
{
    const double square = dlp_box_square(&p->box, x);
    const bool is_outside = square > 0;
    if (is_outside && (*distance >= 0 || square >= *distance * *distance)) return;
    const found f = find_nearest(tree, p, x, is_outside ? *distance * *distance : HUGE_VAL);
    if (f.triangle < 0) return;
    dlp_vec3 n;
    const double d = signed_distance(tree, &f, &n);
    if (!(d > *distance)) return;
    *distance = d;
    *normal = n;
}

// All pieces up to the first `count`.
static double probe_parts(const dlp_mesh_tree *tree, int32_t count, dlp_vec3 x, dlp_vec3 *out_normal)
{
    double distance = HUGE_VAL;
    *out_normal = dlp_vec(1, 0, 0);
    for (int32_t k = 0; k < count; k++) {
        const part *p = &tree->parts[k];
        if (p->volume < 0) take_cavity(tree, p, x, &distance, out_normal);
        else add_solid(tree, p, x, &distance, out_normal);
    }
    return distance;
}

double dlp_mesh_tree_probe(const dlp_mesh_tree *tree, dlp_vec3 x, dlp_vec3 *out_normal)
{
    if (tree->dimension == 3) return probe_parts(tree, tree->part_count, x, out_normal);
    x.z = 0;
    const double distance = probe_parts(tree, tree->part_count, x, out_normal);
    *out_normal = dlp_normalize(dlp_vec(out_normal->x, out_normal->y, 0), dlp_vec(1, 0, 0));
    return distance;
}

static bool do_boxes_meet(const dlp_box *a, const dlp_box *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

static dlp_vec3 vertex_of(const dlp_mesh_tree *tree, int32_t triangle)
{
    const dlp_vec3 a = tree->frames[triangle].a;
    return tree->dimension == 2 ? dlp_vec(a.x, a.y, 0) : a;
}

// Whether a piece lies where the larger ones left room for it: a solid in the open, a cavity in the solid.
static bool has_own_place(const dlp_mesh_tree *tree, int32_t index)
{
    const part *p = &tree->parts[index];
    const double sign = p->volume < 0 ? -1 : 1;
    for (int32_t k = p->first; k < p->first + p->count; k++) {
        dlp_vec3 normal;
        if (sign * probe_parts(tree, index, vertex_of(tree, k), &normal) < 0) return false;
    }
    return true;
}

// Whether a vertex of the larger piece pokes into the smaller one.
static bool does_poke(const dlp_mesh_tree *tree, const part *larger, const part *smaller)
{
    for (int32_t k = larger->first; k < larger->first + larger->count; k++) {
        const dlp_vec3 x = vertex_of(tree, k);
        if (dlp_box_square(&smaller->box, x) > 0) continue;
        const found f = find_nearest(tree, smaller, x, HUGE_VAL);
        dlp_vec3 normal;
        const double sign = smaller->volume < 0 ? -1 : 1;
        if (f.triangle >= 0 && sign * signed_distance(tree, &f, &normal) < 0) return true;
    }
    return false;
}

// The sum over all pieces, or -1 where they overlap, so that it must be counted.
static double total_volume(const dlp_mesh_tree *tree)
{
    double sum = 0;
    for (int32_t i = 0; i < tree->part_count; i++) {
        const part *p = &tree->parts[i];
        bool meets = false;
        for (int32_t j = 0; j < i; j++) {
            if (!do_boxes_meet(&tree->parts[j].box, &p->box)) continue;
            meets = true;
            if (does_poke(tree, &tree->parts[j], p)) return -1;
        }
        if (meets && !has_own_place(tree, i)) return -1;
        sum += p->volume;
    }
    return sum;
}

static dlp_status allocate(builder *b, int32_t part_count, dlp_error *error)
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

static dlp_status build(dlp_mesh_tree *tree, const dlp_mesh *mesh, const int32_t *part_of, int32_t part_count,
                        dlp_error *error)
{
    builder b = {.mesh = mesh, .tree = tree};
    dlp_status status = allocate(&b, part_count, error);
    if (status == DLP_OK) {
        measure_triangles(&b);
        sort_by_part(&b, part_of);
        build_parts(&b);
        build_frames(&b);
        status = build_normals(&b, error);
    }
    if (status == DLP_OK) tree->volume = total_volume(tree);
    dlp_free(b.boxes);
    dlp_free(b.order);
    return status;
}

static dlp_status build_section(dlp_mesh_tree *tree, const dlp_mesh *mesh, const int32_t *component, int32_t count,
                                dlp_error *error)
{
    dlp_mesh ribbon;
    int32_t *part_of;
    DLP_TRY(dlp_mesh_section(mesh, component, &ribbon, &part_of, error));
    const dlp_status status = build(tree, &ribbon, part_of, count, error);
    dlp_mesh_release(&ribbon);
    dlp_free(part_of);
    return status;
}

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

dlp_box dlp_mesh_tree_bounds(const dlp_mesh_tree *tree)
{
    return tree->box;
}

double dlp_mesh_tree_volume(const dlp_mesh_tree *tree)
{
    return tree->volume;
}
