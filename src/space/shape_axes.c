/* The axes along which a lattice fits a shape best, and its bounds along them: used when a shape is filled.
 */
#include "space/shape_tree.h"

// Axis k of the body in world coordinates: a column of the rotation.
static dlp_vec3 axis_of(const dlp_transform *frame, int32_t k)
{
    return dlp_vec(dlp_component(frame->rows[0], k), dlp_component(frame->rows[1], k),
                   dlp_component(frame->rows[2], k));
}

static double half_of(const dlp_box *box, int32_t k)
{
    return (dlp_component(box->max, k) - dlp_component(box->min, k)) / 2;
}

// In 2-D: among the two body axes that lie in the plane, the one that points most along x, in either
// direction, becomes x; the box is that of the body, endless along z.
static dlp_transform flat_axes(const dlp_shape_node *node, dlp_box *out_box)
{
    const dlp_box body = dlp_shape_body_box(node);
    int32_t upright = 0;
    for (int32_t k = 1; k < 3; k++)
        if (fabs(axis_of(&node->frame, k).z) > fabs(axis_of(&node->frame, upright).z)) upright = k;
    int32_t a = (upright + 1) % 3, b = (upright + 2) % 3;
    if (fabs(axis_of(&node->frame, a).x) < fabs(axis_of(&node->frame, b).x)) {
        const int32_t other = a;
        a = b;
        b = other;
    }
    const dlp_vec3 along = axis_of(&node->frame, a);
    const dlp_vec3 x =
        dlp_normalize(dlp_mul(dlp_vec(along.x, along.y, 0), dlp_sign_of(along.x)), dlp_vec(1, 0, 0));
    const dlp_vec3 half = dlp_vec(half_of(&body, a), half_of(&body, b), HUGE_VAL);
    *out_box = (dlp_box){dlp_mul(half, -1), half};
    return (dlp_transform){{{x.x, -x.y, 0}, {x.y, x.x, 0}, {0, 0, 1}}, node->frame.translation};
}

static bool is_unrotated(const dlp_transform *frame)
{
    return frame->rows[0].x == 1 && frame->rows[1].y == 1 && frame->rows[2].z == 1;
}

// 0 along axes without an end.
static dlp_vec3 middle_of(const dlp_box *box)
{
    const dlp_vec3 sum = dlp_mul(dlp_add(box->min, box->max), 0.5);
    return dlp_vec(isfinite(sum.x) ? sum.x : 0, isfinite(sum.y) ? sum.y : 0, isfinite(sum.z) ? sum.z : 0);
}

// The bounds of the world-aligned box along other axes, about its middle: too large where these are not the
// world's, which costs only candidates that lie outside.
static dlp_transform rotate_bounds(const dlp_shape_node *node, dlp_transform axes, dlp_box *out_box)
{
    axes.translation = middle_of(&node->bounds);
    const dlp_box centred = {dlp_sub(node->bounds.min, axes.translation),
                             dlp_sub(node->bounds.max, axes.translation)};
    const dlp_transform back = dlp_transform_transposed(&axes);
    *out_box = dlp_box_rotated(&back, &centred);
    return axes;
}

dlp_transform dlp_shape_node_axes(const dlp_shape *shape, int32_t index, dlp_box *out_box)
{
    const dlp_shape_node *node = &shape->nodes[index];
    if (node->kind == DLP_SHAPE_DIFFERENCE) return dlp_shape_node_axes(shape, node->first_child, out_box);
    if (node->child_count > 0) {
        const dlp_transform axes = dlp_shape_node_axes(shape, node->first_child, out_box);
        return rotate_bounds(node, axes, out_box);
    }
    // meshes, height fields and planes have bounds in the world only
    const bool is_measured =
        node->kind == DLP_SHAPE_MESH || node->kind == DLP_SHAPE_HEIGHT || node->kind == DLP_SHAPE_PLANE;
    if (is_measured)
        return rotate_bounds(node, shape->dimension == 2 ? dlp_transform_identity() : node->frame, out_box);
    if (shape->dimension == 2) return flat_axes(node, out_box);
    *out_box = dlp_shape_body_box(node);
    if (is_unrotated(&node->frame))
        return rotate_bounds(node, node->frame, out_box);  // keeps the bounds' last bits
    return node->frame;
}

dlp_transform dlp_shape_axes(const dlp_shape *shape)
{
    dlp_box box;
    return dlp_shape_node_axes(shape, 0, &box);
}
