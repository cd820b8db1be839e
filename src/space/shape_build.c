/* Compiles a description of a shape into the tree of shape_tree.h: transforms go into the leaves, large
 * unions become trees of small ones, differences become intersections with a complement. */
#include "base/memory.h"
#include "space/shape_tree.h"

#include <stdlib.h>

// What every level of the tree needs.
typedef struct shape_builder {
    dlp_shape *shape;    // borrowed: what is built; valid for dlp_shape_destroy at any time
    const char *folder;  // where relative file names start; may be NULL
    dlp_error *error;
} shape_builder;

static dlp_status build_def(shape_builder *b, int32_t index, const dlp_shape_def *def, dlp_similarity outer,
                            int32_t depth);

void dlp_shape_def_release(dlp_shape_def *def)
{
    if (def == NULL) return;
    dlp_free(def->file);
    dlp_free(def->values);
    for (int32_t k = 0; k < def->child_count && def->children != NULL; k++)
        dlp_shape_def_release(&def->children[k]);
    dlp_free(def->children);
    *def = (dlp_shape_def){0};
}

dlp_transform dlp_shape_placement(const dlp_shape_def *def)
{
    dlp_transform own = dlp_transform_of(def->translate, def->rotate);
    own.translation = dlp_add(own.translation, dlp_sub(def->pivot, dlp_rotate(&own, def->pivot)));
    return own;
}

// outer o own: x -> outer.scale outer.R (own.scale own.R x + own.t) + outer.t.
dlp_similarity dlp_shape_similarity(const dlp_shape_def *def, dlp_similarity outer)
{
    const dlp_transform own = dlp_shape_placement(def);
    dlp_similarity sum = {.scale = outer.scale * (def->scale > 0 ? def->scale : 1)};
    for (int32_t i = 0; i < 3; i++) {
        const dlp_vec3 row = outer.frame.rows[i];
        sum.frame.rows[i] = dlp_add(dlp_add(dlp_mul(own.rows[0], row.x), dlp_mul(own.rows[1], row.y)),
                                    dlp_mul(own.rows[2], row.z));
    }
    sum.frame.translation =
        dlp_add(dlp_mul(dlp_rotate(&outer.frame, own.translation), outer.scale), outer.frame.translation);
    return sum;
}

// Adds `count` zeroed nodes next to each other. All nodes may move: hold them by index, and fetch pointers
// anew after every call that may add some.
static dlp_status add_nodes(shape_builder *b, int32_t count, int32_t *out_first)
{
    dlp_shape *shape = b->shape;
    if (count > INT32_MAX - shape->node_count)
        return dlp_fail(b->error, DLP_INVALID, "shape: more than %d parts", INT32_MAX);
    DLP_TRY(dlp_reserve(&shape->nodes, &shape->node_capacity, shape->node_count + count, sizeof *shape->nodes,
                        "shape", b->error));
    *out_first = shape->node_count;
    shape->node_count += count;
    return DLP_OK;
}

static dlp_box join_boxes(dlp_box a, dlp_box b)
{
    return (dlp_box){dlp_min3(a.min, b.min), dlp_max3(a.max, b.max)};
}

// Where two boxes do not overlap the result is empty: min > max.
static dlp_box share_boxes(dlp_box a, dlp_box b)
{
    return (dlp_box){dlp_max3(a.min, b.min), dlp_min3(a.max, b.max)};
}

// From the children: a union joins them, an intersection shares them, a difference has those of the first.
static void set_bounds(dlp_shape *shape, int32_t index)
{
    dlp_shape_node *node = &shape->nodes[index];
    const dlp_shape_node *children = &shape->nodes[node->first_child];
    dlp_box box = children[0].bounds;
    for (int32_t k = 1; k < node->child_count; k++) {
        if (node->kind == DLP_SHAPE_UNION) box = join_boxes(box, children[k].bounds);
        if (node->kind == DLP_SHAPE_INTERSECTION) box = share_boxes(box, children[k].bounds);
    }
    node->bounds = box;
}

// A node on its way into a tree of unions.
typedef struct placed_node {
    dlp_shape_node node;
    double middle;  // twice that of its bounds along the axis that is cut, m
} placed_node;

// Another C library may order ties differently; the distance of a union does not depend on it.
static int compare_middles(const void *a_item, const void *b_item)
{
    const placed_node *a = a_item, *b = b_item;
    return (a->middle > b->middle) - (a->middle < b->middle);
}

// Twice the middle, which is only compared; 0 for bounds without an end.
static double middle_along(const dlp_box *box, int32_t axis)
{
    const double middle = dlp_component(box->min, axis) + dlp_component(box->max, axis);
    return isfinite(middle) ? middle : 0;
}

// By the axis along which the middles spread most.
static void sort_nodes(placed_node *nodes, int32_t count)
{
    int32_t best = 0;
    double best_width = -1;
    for (int32_t axis = 0; axis < 3; axis++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int32_t k = 0; k < count; k++) {
            low = fmin(low, middle_along(&nodes[k].node.bounds, axis));
            high = fmax(high, middle_along(&nodes[k].node.bounds, axis));
        }
        if (high - low > best_width) {
            best_width = high - low;
            best = axis;
        }
    }
    for (int32_t k = 0; k < count; k++) nodes[k].middle = middle_along(&nodes[k].node.bounds, best);
    qsort(nodes, (size_t)count, sizeof *nodes, compare_middles);
}

// A union of many becomes a union of DLP_UNION_WIDTH unions, each of neighbours, so that a query can skip
// those that lie far away. Recursion is logarithmic in the count.
static dlp_status divide_union(shape_builder *b, int32_t index, placed_node *nodes, int32_t count)
{
    const bool is_small = count <= DLP_UNION_WIDTH;
    const int32_t width = is_small ? count : DLP_UNION_WIDTH;
    int32_t first;
    DLP_TRY(add_nodes(b, width, &first));
    dlp_shape_node *node = &b->shape->nodes[index];
    node->kind = DLP_SHAPE_UNION;
    node->first_child = first;
    node->child_count = width;
    if (!is_small) sort_nodes(nodes, count);
    for (int32_t k = 0; k < width; k++) {
        const int32_t begin = (int32_t)((int64_t)count * k / width),
                      end = (int32_t)((int64_t)count * (k + 1) / width);
        if (end - begin == 1)
            b->shape->nodes[first + k] = nodes[begin].node;
        else
            DLP_TRY(divide_union(b, first + k, nodes + begin, end - begin));
    }
    set_bounds(b->shape, index);
    return DLP_OK;
}

// The children are copied into the new tree; the originals stay as owners of their meshes and height fields.
static dlp_status divide_children(shape_builder *b, int32_t index)
{
    const dlp_shape_node node = b->shape->nodes[index];
    placed_node *nodes = dlp_alloc((size_t)node.child_count, sizeof *nodes, "shape");
    if (nodes == NULL) return dlp_fail(b->error, DLP_OUT_OF_MEMORY, "shape: %d parts", node.child_count);
    for (int32_t k = 0; k < node.child_count; k++) {
        nodes[k].node = b->shape->nodes[node.first_child + k];
        nodes[k].node.is_borrowing = true;
    }
    const dlp_status status = divide_union(b, index, nodes, node.child_count);
    dlp_free(nodes);
    return status;
}

// `name` and `number` say where the children stand in the scene, for messages: difference[2].
static dlp_status build_children(shape_builder *b, int32_t index, const dlp_shape_def *children,
                                 int32_t count, dlp_similarity similarity, int32_t depth, const char *name,
                                 int32_t number)
{
    int32_t first;
    DLP_TRY(add_nodes(b, count, &first));
    b->shape->nodes[index].first_child = first;
    b->shape->nodes[index].child_count = count;
    for (int32_t k = 0; k < count; k++) {
        const dlp_status status = build_def(b, first + k, &children[k], similarity, depth + 1);
        if (status != DLP_OK) return dlp_fail_at(b->error, status, "%s[%d]", name, number + k);
    }
    set_bounds(b->shape, index);
    return DLP_OK;
}

// More children than a node may have are divided into a tree.
static dlp_status build_union(shape_builder *b, int32_t index, const dlp_shape_def *children, int32_t count,
                              dlp_similarity similarity, int32_t depth, const char *name, int32_t number)
{
    b->shape->nodes[index].kind = DLP_SHAPE_UNION;
    DLP_TRY(build_children(b, index, children, count, similarity, depth, name, number));
    return count > DLP_UNION_WIDTH ? divide_children(b, index) : DLP_OK;
}

// The first child, and the complement of the union of the others: what both share is the difference. It has
// its own kind, so that its bounds are those of the first child.
static dlp_status build_difference(shape_builder *b, int32_t index, const dlp_shape_def *def,
                                   dlp_similarity similarity, int32_t depth)
{
    int32_t first;
    DLP_TRY(add_nodes(b, def->child_count > 1 ? 2 : 1, &first));
    dlp_shape_node *node = &b->shape->nodes[index];
    node->kind = DLP_SHAPE_DIFFERENCE;
    node->first_child = first;
    node->child_count = def->child_count > 1 ? 2 : 1;
    const dlp_status status = build_def(b, first, &def->children[0], similarity, depth + 1);
    if (status != DLP_OK) return dlp_fail_at(b->error, status, "difference[0]");
    if (def->child_count > 1) {
        DLP_TRY(build_union(b, first + 1, def->children + 1, def->child_count - 1, similarity, depth,
                            "difference", 1));
        b->shape->nodes[first + 1].is_complement = true;
        b->shape->nodes[first + 1].bounds = dlp_box_endless();
    }
    set_bounds(b->shape, index);
    return DLP_OK;
}

static dlp_status build_single(shape_builder *b, int32_t index, const dlp_shape_def *def,
                               dlp_similarity outer, int32_t depth)
{
    const dlp_similarity similarity = dlp_shape_similarity(def, outer);
    switch (def->kind) {
    case DLP_SHAPE_UNION:
        return build_union(b, index, def->children, def->child_count, similarity, depth, "union", 0);
    case DLP_SHAPE_INTERSECTION:
        b->shape->nodes[index].kind = DLP_SHAPE_INTERSECTION;
        return build_children(b, index, def->children, def->child_count, similarity, depth, "intersection",
                              0);
    case DLP_SHAPE_DIFFERENCE:
        return build_difference(b, index, def, similarity, depth);
    default:
        return dlp_shape_build_leaf(def, b->shape->dimension, b->folder, &similarity, &b->shape->nodes[index],
                                    b->error);
    }
}

// `child` is built already. The array runs along the axes of what contains it, not along the shape's own.
static void set_copies(shape_builder *b, int32_t index, const dlp_shape_def *def, const dlp_similarity *outer,
                       int32_t child)
{
    dlp_shape_node *node = &b->shape->nodes[index];
    const dlp_box box = b->shape->nodes[child].bounds;
    node->kind = DLP_NODE_COPIES;
    node->first_child = child;
    node->child_count = 1;
    node->frame = outer->frame;
    node->frame.translation = dlp_vec(0, 0, 0);
    const dlp_transform back = dlp_transform_transposed(&outer->frame);
    node->child_box = dlp_box_rotated(&back, &box);
    node->bounds = box;
    for (int32_t k = 0; k < 3; k++) {
        node->copies[k] = def->copies[k] > 1 ? def->copies[k] : 1;
        node->steps[k] = outer->scale * dlp_component(def->spacing, k);
        if (node->copies[k] == 1) node->steps[k] = 0;
        // the bounds are swept along one axis after another
        const double length = node->steps[k] * (node->copies[k] - 1);
        const dlp_vec3 far =
            dlp_rotate(&node->frame, dlp_vec(k == 0 ? length : 0, k == 1 ? length : 0, k == 2 ? length : 0));
        node->bounds = join_boxes(node->bounds,
                                  (dlp_box){dlp_add(node->bounds.min, far), dlp_add(node->bounds.max, far)});
    }
}

// The child is placed as if it were alone; the array is a node above it.
static dlp_status build_copies(shape_builder *b, int32_t index, const dlp_shape_def *def,
                               dlp_similarity outer, int32_t depth)
{
    int32_t child;
    DLP_TRY(add_nodes(b, 1, &child));
    DLP_TRY(build_single(b, child, def, outer, depth));
    set_copies(b, index, def, &outer, child);
    const dlp_box box = b->shape->nodes[index].child_box;
    const bool is_bounded = isfinite(box.min.x) && isfinite(box.max.x) && isfinite(box.min.y) &&
                            isfinite(box.max.y) &&
                            (b->shape->dimension == 2 || (isfinite(box.min.z) && isfinite(box.max.z)));
    if (!is_bounded)
        return dlp_fail(b->error, DLP_INVALID, "%s.copies: a shape without an end cannot be copied",
                        dlp_shape_name(def->kind));
    return DLP_OK;
}

// One shape of the description, within `outer`; "inside" is applied last, to the copies together.
static dlp_status build_def(shape_builder *b, int32_t index, const dlp_shape_def *def, dlp_similarity outer,
                            int32_t depth)
{
    if (depth > DLP_SHAPE_DEPTH_LIMIT)
        return dlp_fail(b->error, DLP_INVALID, "shapes within shapes: at most %d levels",
                        DLP_SHAPE_DEPTH_LIMIT);
    DLP_TRY(dlp_shape_check(def, b->shape->dimension, b->error));
    const bool has_copies = def->copies[0] > 1 || def->copies[1] > 1 || def->copies[2] > 1;
    if (has_copies)
        DLP_TRY(build_copies(b, index, def, outer, depth));
    else
        DLP_TRY(build_single(b, index, def, outer, depth));
    if (def->inside) {
        dlp_shape_node *node = &b->shape->nodes[index];
        node->is_complement = true;
        node->bounds = dlp_box_endless();
    }
    return DLP_OK;
}

static dlp_status build_shape(dlp_shape *shape, const dlp_shape_def *def, const char *folder,
                              dlp_error *error)
{
    shape_builder b = {shape, folder, error};
    int32_t root;
    DLP_TRY(add_nodes(&b, 1, &root));
    return build_def(&b, root, def, (dlp_similarity){dlp_transform_identity(), 1}, 0);
}

dlp_status dlp_shape_create(const dlp_shape_def *def, int32_t dimension, const char *folder,
                            dlp_shape **out_shape, dlp_error *error)
{
    *out_shape = NULL;
    if (dimension != 2 && dimension != 3)
        return dlp_fail(error, DLP_INVALID, "shape: dimension must be 2 or 3 (got %d)", dimension);
    dlp_shape *shape = dlp_alloc(1, sizeof *shape, "shape");
    if (shape == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "shape: %zu bytes", sizeof *shape);
    shape->dimension = dimension;
    const dlp_status status = build_shape(shape, def, folder, error);
    if (status != DLP_OK) {
        dlp_shape_destroy(shape);
        return status;
    }
    *out_shape = shape;
    return DLP_OK;
}

// Works on a half-built tree too: nodes are zeroed when they are added.
void dlp_shape_destroy(dlp_shape *shape)
{
    if (shape == NULL) return;
    for (int32_t k = 0; k < shape->node_count; k++) {
        if (shape->nodes[k].is_borrowing) continue;
        dlp_mesh_tree_destroy(shape->nodes[k].mesh);
        dlp_height_destroy(shape->nodes[k].height);
    }
    dlp_free(shape->nodes);
    dlp_free(shape);
}
