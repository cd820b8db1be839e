/* Leaves in 2-D: what a shape is at z = 0, as another leaf that is constant along z. */
#include "space/shape_tree.h"

// How far a direction may lean, or (times its size) a centre lie outside of the plane, and still count as in
// it.
static const double tolerance = 1e-9;

static dlp_vec3 upright_row(const dlp_shape_node *node)
{
    return node->frame.rows[2];  // how much of each body axis is the world's z
}

static dlp_status fail_missing(const char *name, dlp_error *error)
{
    return dlp_fail(error, DLP_INVALID, "%s: does not meet the plane z = 0, whose section a 2-D scene takes",
                    name);
}

// The radius that a ball of `radius` at height z has in the plane; 0 where it does not reach it.
static double section_radius(double radius, double z)
{
    const double square = radius * radius - z * z;
    return square > 0 ? sqrt(square) : 0;
}

// A disc is a ball at z = 0: probes have z = 0.
static dlp_status make_disc(dlp_shape_node *node, double radius, const char *name, dlp_error *error)
{
    if (!(radius > 0)) return fail_missing(name, error);
    const dlp_vec3 center = node->frame.translation;
    node->kind = DLP_SHAPE_SPHERE;
    node->frame = dlp_transform_identity();
    node->frame.translation = dlp_vec(center.x, center.y, 0);
    node->radius = radius;
    return DLP_OK;
}

// The body axis that is the world's z becomes endless; in 2-D boxes have no end along it anyway.
static dlp_status flatten_box(dlp_shape_node *node, const char *name, dlp_error *error)
{
    const dlp_vec3 up = upright_row(node);
    const dlp_vec3 half = node->half;
    node->frame.translation.z = 0;
    if (fabs(up.x) > 1 - tolerance)
        node->half = dlp_vec(HUGE_VAL, half.y, half.z);
    else if (fabs(up.y) > 1 - tolerance)
        node->half = dlp_vec(half.x, HUGE_VAL, half.z);
    else if (fabs(up.z) > 1 - tolerance)
        node->half = dlp_vec(half.x, half.y, HUGE_VAL);
    else
        return dlp_fail(error, DLP_INVALID, "%s.rotate: in 2-D shapes are rotated about z only", name);
    return DLP_OK;
}

// Round shapes whose axis stands on the plane: a disc, or a ring.
static dlp_status flatten_upright(dlp_shape_node *node, const char *name, dlp_error *error)
{
    const double z = node->frame.translation.z, beyond = fabs(z) - node->half_length;
    switch (node->kind) {
    case DLP_SHAPE_CYLINDER:
        return make_disc(node, beyond <= 0 ? node->radius : 0, name, error);
    case DLP_SHAPE_CAPSULE:
        return make_disc(node, section_radius(node->radius, beyond > 0 ? beyond : 0), name, error);
    case DLP_SHAPE_CONE: {
        const double share = 0.5 - z * dlp_sign_of(upright_row(node).z) / (2 * node->half_length);
        const double radius = node->radius + share * (node->radius_to - node->radius);
        return make_disc(node, beyond <= 0 ? radius : 0, name, error);
    }
    default:
        node->radius_to = section_radius(node->radius_to, z);
        node->frame.translation.z = 0;
        return node->radius_to > 0 ? DLP_OK : fail_missing(name, error);
    }
}

// Round shapes whose axis lies along the plane: a rectangle, a stadium, a trapezium, two discs.
static dlp_status flatten_lying(dlp_shape_node *node, const char *name, dlp_error *error)
{
    const dlp_transform *frame = &node->frame;
    const double z = frame->translation.z;
    // a rotation about its own axis leaves a round shape as it is: the frame is made anew, so that one of its
    // axes is z
    node->frame = dlp_transform_along(dlp_vec(frame->rows[0].z, frame->rows[1].z, 0),
                                      dlp_vec(frame->translation.x, frame->translation.y, 0));
    if (node->kind == DLP_SHAPE_CYLINDER || node->kind == DLP_SHAPE_CAPSULE) {
        node->radius = section_radius(node->radius, z);
        if (!(node->radius > 0)) return fail_missing(name, error);
        if (node->kind == DLP_SHAPE_CAPSULE) return DLP_OK;
        node->kind = DLP_SHAPE_BOX;
        node->half = dlp_vec(node->radius, HUGE_VAL, node->half_length);
        return DLP_OK;
    }
    const double size = node->radius + node->radius_to + node->half_length;
    if (fabs(z) <= tolerance * size) return DLP_OK;
    return dlp_fail(error, DLP_INVALID,
                    "%s: in 2-D its axis must lie at z = 0, or along z (it lies at z = %g)", name, z);
}

// `lean` is the cosine between the body's axis and z.
dlp_status dlp_shape_flatten(dlp_shape_node *node, const char *name, dlp_error *error)
{
    const double lean = fabs(upright_row(node).z);
    switch (node->kind) {
    case DLP_SHAPE_MESH:
        return DLP_OK;  // its tree is the section's already
    case DLP_SHAPE_SPHERE:
        return make_disc(node, section_radius(node->radius, node->frame.translation.z), name, error);
    case DLP_SHAPE_BOX:
        return flatten_box(node, name, error);
    case DLP_SHAPE_PLANE:
        if (lean < tolerance) return DLP_OK;
        return dlp_fail(error, DLP_INVALID, "%s.normal: must lie in the plane z = 0 in a 2-D scene", name);
    case DLP_SHAPE_HEIGHT:
        node->frame.translation.z = 0;
        if (fabs(upright_row(node).y) > 1 - tolerance) return DLP_OK;
        return dlp_fail(error, DLP_INVALID, "%s.rotate: in 2-D shapes are rotated about z only", name);
    default:
        if (lean > 1 - tolerance) return flatten_upright(node, name, error);
        if (lean < tolerance) return flatten_lying(node, name, error);
        return dlp_fail(error, DLP_INVALID, "%s: in 2-D its axis must lie in the plane or along z", name);
    }
}
