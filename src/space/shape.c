/* Queries of a shape: distance and gradient, by the kind of each node. A union takes the smallest distance,
 * an intersection the largest, a complement the negative one; bounds let a query skip most nodes. */
#include "space/shape.h"
#include "space/mesh_nearest.h"
#include "space/shape_tree.h"

#include <assert.h>

// x and the result are in the leaf's own frame.
static dlp_probe probe_body(const dlp_shape_node *node, dlp_vec3 x)
{
    dlp_probe probe;
    switch (node->kind) {
    case DLP_SHAPE_BOX:
        return dlp_probe_box(node->half, x);
    case DLP_SHAPE_SPHERE:
        return dlp_probe_sphere(node->radius, x);
    case DLP_SHAPE_CYLINDER:
        return dlp_probe_cylinder(node->radius, node->half_length, x);
    case DLP_SHAPE_CAPSULE:
        return dlp_probe_capsule(node->radius, node->half_length, x);
    case DLP_SHAPE_TORUS:
        return dlp_probe_torus(node->radius, node->radius_to, x);
    case DLP_SHAPE_CONE:
        return dlp_probe_cone(node->radius, node->radius_to, node->half_length, x);
    case DLP_SHAPE_PLANE:
        return (dlp_probe){x.z, dlp_vec(0, 0, 1)};
    case DLP_SHAPE_HEIGHT:
        probe.distance = dlp_height_probe(node->height, x, &probe.normal);
        return probe;
    default:
        return (dlp_probe){HUGE_VAL, dlp_vec(1, 0, 0)};
    }
}

// x and the result are in world coordinates. Meshes were transformed when they were read.
static dlp_probe probe_leaf(const dlp_shape_node *node, dlp_vec3 x)
{
    dlp_probe probe;
    if (node->kind == DLP_SHAPE_MESH) {
        probe.distance = dlp_mesh_tree_probe(node->mesh, x, &probe.normal);
        return probe;
    }
    probe = probe_body(node, dlp_to_body(&node->frame, x));
    probe.normal = dlp_rotate(&node->frame, probe.normal);
    return probe;
}

// Whether something whose bounds are at this squared distance can still be nearer than the best: always where
// x is inside its bounds (0), since its distance may be negative; never from outside where the best is
// negative.
static bool can_be_nearer(double square, double best)
{
    return !(square > 0) || (best > 0 && square < best * best);
}

// The smallest distance, nearest bounds first; children whose bounds are farther than the best so far are
// skipped.
static dlp_probe probe_union(const dlp_shape *shape, const dlp_shape_node *node, dlp_vec3 x)
{
    assert(node->child_count >= 1 && node->child_count <= DLP_UNION_WIDTH);
    double squares[DLP_UNION_WIDTH];
    int32_t order[DLP_UNION_WIDTH];
    for (int32_t k = 0; k < node->child_count; k++) {
        squares[k] = dlp_box_square(&shape->nodes[node->first_child + k].bounds, x);
        int32_t place = k;
        for (; place > 0 && squares[order[place - 1]] > squares[k]; place--) order[place] = order[place - 1];
        order[place] = k;
    }
    dlp_probe best = dlp_shape_node_probe(shape, node->first_child + order[0], x);
    for (int32_t k = 1; k < node->child_count; k++) {
        if (!can_be_nearer(squares[order[k]], best.distance)) continue;
        const dlp_probe probe = dlp_shape_node_probe(shape, node->first_child + order[k], x);
        if (probe.distance < best.distance) best = probe;
    }
    return best;
}

// The largest distance: what all children share.
static dlp_probe probe_intersection(const dlp_shape *shape, const dlp_shape_node *node, dlp_vec3 x)
{
    dlp_probe best = dlp_shape_node_probe(shape, node->first_child, x);
    for (int32_t k = 1; k < node->child_count; k++) {
        const dlp_probe probe = dlp_shape_node_probe(shape, node->first_child + k, x);
        if (probe.distance > best.distance) best = probe;
    }
    return best;
}

// A search for the nearest copy.
typedef struct copy_search {
    const dlp_shape *shape;
    const dlp_shape_node *node;
    dlp_vec3 x;
    double place[3];  // m: x from the middle of the first copy's bounds, along the axes of the array
    double half[3];   // m: half of these bounds; infinite along axes without an end
    dlp_probe best;   // so far
} copy_search;

// How far x lies outside of the bounds of copy i along an axis, m.
static double gap(const copy_search *s, int32_t axis, int32_t i)
{
    const double beyond = fabs(s->place[axis] - i * s->node->steps[axis]) - s->half[axis];
    return beyond > 0 ? beyond : 0;
}

// The number of a copy along an axis, from a real number.
static int32_t clamp_index(const copy_search *s, int32_t axis, double i)
{
    return (int32_t)fmax(0, fmin(s->node->copies[axis] - 1, i));
}

// The copies along an axis whose bounds can lie within `reach` of x: first to last. Steps may be negative.
static void copy_range(const copy_search *s, int32_t axis, double reach, int32_t *out_first,
                       int32_t *out_last)
{
    const double step = s->node->steps[axis];
    *out_first = *out_last = 0;
    if (s->node->copies[axis] == 1) return;
    const double a = (s->place[axis] - s->half[axis] - reach) / step;
    const double b = (s->place[axis] + s->half[axis] + reach) / step;
    *out_first = clamp_index(s, axis, ceil(fmin(a, b)));
    *out_last = clamp_index(s, axis, floor(fmax(a, b)));
}

// Instead of moving the child, the point is moved back by the copy's offset.
static void try_copy(copy_search *s, int32_t i, int32_t j, int32_t k)
{
    const dlp_vec3 offset = dlp_vec(i * s->node->steps[0], j * s->node->steps[1], k * s->node->steps[2]);
    const dlp_vec3 x = dlp_sub(s->x, dlp_rotate(&s->node->frame, offset));
    const dlp_probe probe = dlp_shape_node_probe(s->shape, s->node->first_child, x);
    if (probe.distance < s->best.distance) s->best = probe;
}

// How far bounds may lie along the axes that are left, given the squared distance along those before.
static double reach_left(const copy_search *s, double square)
{
    const double best = s->best.distance > 0 ? s->best.distance : 0;
    const double left = best * best - square;
    return left > 0 ? sqrt(left) : 0;
}

// Copies along x, then (below) rows along y: `square` is the squared gap along the other axes.
static void try_row(copy_search *s, int32_t j, int32_t k, double square)
{
    int32_t first, last;
    copy_range(s, 0, reach_left(s, square), &first, &last);
    for (int32_t i = first; i <= last; i++) {
        const double g = gap(s, 0, i);
        if (can_be_nearer(square + g * g, s->best.distance)) try_copy(s, i, j, k);
    }
}

static void try_layer(copy_search *s, int32_t k, double square)
{
    int32_t first, last;
    copy_range(s, 1, reach_left(s, square), &first, &last);
    for (int32_t j = first; j <= last; j++) {
        const double g = gap(s, 1, j);
        if (can_be_nearer(square + g * g, s->best.distance)) try_row(s, j, k, square + g * g);
    }
}

// The copy whose place is nearest first, for a good bound; then all whose bounds are nearer than what was
// found. It is tried once more among them, which changes nothing.
static dlp_probe probe_copies(const dlp_shape *shape, const dlp_shape_node *node, dlp_vec3 x)
{
    copy_search s = {.shape = shape, .node = node, .x = x, .best = {HUGE_VAL, {1, 0, 0}}};
    const dlp_vec3 y = dlp_rotate_back(&node->frame, x);
    int32_t nearest[3] = {0, 0, 0};
    for (int32_t axis = 0; axis < 3; axis++) {
        const double low = dlp_component(node->child_box.min, axis),
                     high = dlp_component(node->child_box.max, axis);
        const bool is_bounded = isfinite(low) && isfinite(high);  // in 2-D there is no end along z
        s.place[axis] = is_bounded ? dlp_component(y, axis) - (low + high) / 2 : 0;
        s.half[axis] = is_bounded ? (high - low) / 2 : HUGE_VAL;
        if (node->copies[axis] > 1)
            nearest[axis] = clamp_index(&s, axis, round(s.place[axis] / node->steps[axis]));
    }
    try_copy(&s, nearest[0], nearest[1], nearest[2]);
    int32_t first, last;
    copy_range(&s, 2, reach_left(&s, 0), &first, &last);
    for (int32_t k = first; k <= last; k++) {
        const double g = gap(&s, 2, k);
        if (can_be_nearer(g * g, s.best.distance)) try_layer(&s, k, g * g);
    }
    return s.best;
}

dlp_probe dlp_shape_node_probe(const dlp_shape *shape, int32_t index, dlp_vec3 x)
{
    assert(index >= 0 && index < shape->node_count);
    const dlp_shape_node *node = &shape->nodes[index];
    dlp_probe probe;
    switch (node->kind) {
    case DLP_SHAPE_UNION:
        probe = probe_union(shape, node, x);
        break;
    case DLP_SHAPE_DIFFERENCE:
    case DLP_SHAPE_INTERSECTION:
        probe = probe_intersection(shape, node, x);
        break;
    case DLP_NODE_COPIES:
        probe = probe_copies(shape, node, x);
        break;
    default:
        probe = probe_leaf(node, x);
        break;
    }
    if (!node->is_complement) return probe;
    return (dlp_probe){-probe.distance, dlp_mul(probe.normal, -1)};
}

double dlp_shape_distance(const dlp_shape *shape, dlp_vec3 x)
{
    if (shape->dimension == 2) x.z = 0;
    return dlp_shape_node_probe(shape, 0, x).distance;
}

// The leaves of a 2-D shape are endless along z; what rounding leaves of z is removed.
double dlp_shape_probe(const dlp_shape *shape, dlp_vec3 x, dlp_vec3 *out_normal)
{
    if (shape->dimension == 2) x.z = 0;
    const dlp_probe probe = dlp_shape_node_probe(shape, 0, x);
    *out_normal = probe.normal;
    if (shape->dimension == 2)
        *out_normal = dlp_normalize(dlp_vec(probe.normal.x, probe.normal.y, 0), dlp_vec(1, 0, 0));
    return probe.distance;
}

dlp_box dlp_shape_bounds(const dlp_shape *shape)
{
    return shape->nodes[0].bounds;
}

double dlp_shape_volume(const dlp_shape *shape)
{
    return dlp_shape_node_volume(shape, 0);
}
