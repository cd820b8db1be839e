/* Checks a description of a shape before it is built, with messages that name the field. The scene's own
 * checks (scene/rules_shape.c) come first; these hold for every caller of the library. */
#include "space/shape_tree.h"

// m: lengths outside of this range have squares, or products of squares, that overflow or vanish.
static const double largest = 1e60, smallest = 1e-60;

const char *dlp_shape_name(dlp_shape_kind kind)
{
    static const char *const names[] = {"none",  "box",   "sphere",     "cylinder",    "capsule",
                                        "torus", "cone",  "sheet",      "mesh",        "height",
                                        "plane", "union", "difference", "intersection"};
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "shape";
}

// Written so that NaN fails, as all checks here.
static dlp_status check_length(double value, const char *name, const char *field, dlp_error *error)
{
    if (value >= smallest && value <= largest) return DLP_OK;
    return dlp_fail(error, DLP_INVALID, "%s.%s: must be > 0 (got %g)", name, field, value);
}

static dlp_status check_vector(dlp_vec3 value, const char *name, const char *field, dlp_error *error)
{
    if (fabs(value.x) <= largest && fabs(value.y) <= largest && fabs(value.z) <= largest) return DLP_OK;
    return dlp_fail(error, DLP_INVALID, "%s.%s: must be finite (got [%g, %g, %g])", name, field, value.x,
                    value.y, value.z);
}

// Whether a box's max lies beyond its min along the first `axes` axes.
static dlp_status check_box(const dlp_shape_def *def, const char *name, int32_t axes, dlp_error *error)
{
    DLP_TRY(check_vector(def->min, name, "min", error));
    DLP_TRY(check_vector(def->max, name, "max", error));
    for (int32_t k = 0; k < axes; k++) {
        const double low = dlp_component(def->min, k), high = dlp_component(def->max, k);
        if (!(high - low >= smallest))
            return dlp_fail(error, DLP_INVALID, "%s.max: must be beyond min along %c (got %g to %g)", name,
                            "xyz"[k], low, high);
    }
    return DLP_OK;
}

// Both ends of an axis, which must differ.
static dlp_status check_ends(const dlp_shape_def *def, const char *name, dlp_error *error)
{
    DLP_TRY(check_vector(def->from, name, "from", error));
    DLP_TRY(check_vector(def->to, name, "to", error));
    if (!(dlp_length(dlp_sub(def->to, def->from)) >= smallest))
        return dlp_fail(error, DLP_INVALID, "%s.to: must differ from `from` (both are [%g, %g, %g])", name,
                        def->to.x, def->to.y, def->to.z);
    return DLP_OK;
}

// A tube that is wider than the ring would overlap itself in the middle; the distance would not be exact
// there.
static dlp_status check_torus(const dlp_shape_def *def, dlp_error *error)
{
    DLP_TRY(check_vector(def->center, "torus", "center", error));
    DLP_TRY(check_vector(def->axis, "torus", "axis", error));
    DLP_TRY(check_length(def->radius, "torus", "radius", error));
    DLP_TRY(check_length(def->tube, "torus", "tube", error));
    if (def->tube > def->radius)
        return dlp_fail(error, DLP_INVALID, "torus.tube: must be at most the radius, %g (got %g)",
                        def->radius, def->tube);
    return DLP_OK;
}

// A radius may be 0 at one end: a tip.
static dlp_status check_cone(const dlp_shape_def *def, dlp_error *error)
{
    DLP_TRY(check_ends(def, "cone", error));
    const double radii[2] = {def->radius, def->radius_to};
    for (int32_t k = 0; k < 2; k++)
        if (!(radii[k] >= 0 && radii[k] <= largest))
            return dlp_fail(error, DLP_INVALID, "cone.%s: must be >= 0 (got %g)",
                            k == 0 ? "radius" : "radius_to", radii[k]);
    if (def->radius < smallest && def->radius_to < smallest)
        return dlp_fail(error, DLP_INVALID, "cone.radius: must be > 0 at one end at least (got 0 at both)");
    return DLP_OK;
}

// The axis may be zero, which means the default. In 2-D a sheet has no height.
static dlp_status check_sheet(const dlp_shape_def *def, int32_t dimension, dlp_error *error)
{
    DLP_TRY(check_vector(def->center, "sheet", "center", error));
    DLP_TRY(check_vector(def->axis, "sheet", "axis", error));
    DLP_TRY(check_length(def->thickness, "sheet", "thickness", error));
    DLP_TRY(check_length(def->size.x, "sheet", "size", error));
    return dimension == 2 ? DLP_OK : check_length(def->size.y, "sheet", "size", error);
}

// The axis may be zero, which means the default.
static dlp_status check_plane(const dlp_shape_def *def, dlp_error *error)
{
    DLP_TRY(check_vector(def->center, "plane", "point", error));
    return check_vector(def->axis, "plane", "normal", error);
}

// A file's contents are checked when it is read (shape_leaf.c).
static dlp_status check_height(const dlp_shape_def *def, int32_t dimension, dlp_error *error)
{
    const bool has_file = def->file != NULL && def->file[0] != '\0';
    if (!has_file && (def->values == NULL || def->value_count <= 0))
        return dlp_fail(error, DLP_INVALID, "height: needs a file or values");
    if (!has_file && (def->columns < 0 || (def->columns > 0 && def->value_count % def->columns != 0)))
        return dlp_fail(error, DLP_INVALID, "height.columns: must divide the %d values (got %d)",
                        def->value_count, def->columns);
    for (int32_t k = 0; !has_file && k < def->value_count; k++)
        if (!(fabs(def->values[k]) <= largest))
            return dlp_fail(error, DLP_INVALID, "height.values[%d]: must be finite (got %g)", k,
                            def->values[k]);
    if (!(fabs(def->low) <= largest && fabs(def->high) <= largest))
        return dlp_fail(error, DLP_INVALID, "height.low, high: must be finite (got %g, %g)", def->low,
                        def->high);
    const bool is_row =
        dimension == 2 || (!has_file && (def->columns == 0 || def->columns == def->value_count));
    return check_box(def, "height", is_row ? 1 : 2, error);
}

// The limit keeps the number of nodes, which are counted in 32 bits, far from overflow.
static dlp_status check_children(const dlp_shape_def *def, dlp_error *error)
{
    const char *name = dlp_shape_name(def->kind);
    if (def->child_count < 1 || def->children == NULL)
        return dlp_fail(error, DLP_INVALID, "%s: needs at least one shape", name);
    if (def->child_count > 1000000)
        return dlp_fail(error, DLP_INVALID, "%s: at most 1000000 shapes (got %d)", name, def->child_count);
    return DLP_OK;
}

// No default case: a new kind must be added here.
static dlp_status check_kind(const dlp_shape_def *def, int32_t dimension, dlp_error *error)
{
    const char *name = dlp_shape_name(def->kind);
    switch (def->kind) {
    case DLP_SHAPE_NONE:
        return dlp_fail(error, DLP_INVALID, "shape: no kind is given (box, sphere, mesh, ...)");
    case DLP_SHAPE_BOX:
        return check_box(def, name, dimension, error);
    case DLP_SHAPE_SPHERE:
        DLP_TRY(check_vector(def->center, name, "center", error));
        return check_length(def->radius, name, "radius", error);
    case DLP_SHAPE_CYLINDER:
    case DLP_SHAPE_CAPSULE:
        DLP_TRY(check_ends(def, name, error));
        return check_length(def->radius, name, "radius", error);
    case DLP_SHAPE_TORUS:
        return check_torus(def, error);
    case DLP_SHAPE_CONE:
        return check_cone(def, error);
    case DLP_SHAPE_SHEET:
        return check_sheet(def, dimension, error);
    case DLP_SHAPE_MESH:
        if (def->file != NULL && def->file[0] != '\0') return DLP_OK;
        return dlp_fail(error, DLP_INVALID, "mesh.file: must name a file (.obj, .ply, .stl)");
    case DLP_SHAPE_HEIGHT:
        return check_height(def, dimension, error);
    case DLP_SHAPE_PLANE:
        return check_plane(def, error);
    case DLP_SHAPE_UNION:
    case DLP_SHAPE_DIFFERENCE:
    case DLP_SHAPE_INTERSECTION:
        return check_children(def, error);
    }
    return dlp_fail(error, DLP_INVALID, "shape: unknown kind %d", (int)def->kind);
}

// 0 copies count as 1.
static dlp_status check_copies(const dlp_shape_def *def, int32_t dimension, dlp_error *error)
{
    const char *name = dlp_shape_name(def->kind);
    DLP_TRY(check_vector(def->spacing, name, "spacing", error));
    for (int32_t k = 0; k < 3; k++) {
        if (!(def->copies[k] >= 0 && def->copies[k] <= 1000000))
            return dlp_fail(error, DLP_INVALID, "%s.copies: must be from 1 to 1000000 (got %d along %c)",
                            name, def->copies[k], "xyz"[k]);
        if (def->copies[k] > 1 && !(fabs(dlp_component(def->spacing, k)) >= smallest))
            return dlp_fail(error, DLP_INVALID,
                            "%s.spacing: must not be 0 along %c, where there are %d copies", name, "xyz"[k],
                            def -> copies[k]);
    }
    if (dimension == 2 && def->copies[2] > 1)
        return dlp_fail(error, DLP_INVALID, "%s.copies: must be 1 along z in 2-D (got %d)", name,
                        def->copies[2]);
    return DLP_OK;
}

// Only this shape: children are checked when they are built.
dlp_status dlp_shape_check(const dlp_shape_def *def, int32_t dimension, dlp_error *error)
{
    DLP_TRY(check_kind(def, dimension, error));
    const char *name = dlp_shape_name(def->kind);
    DLP_TRY(check_vector(def->translate, name, "translate", error));
    DLP_TRY(check_vector(def->rotate, name, "rotate", error));
    DLP_TRY(check_vector(def->pivot, name, "pivot", error));
    if (def->scale != 0) DLP_TRY(check_length(def->scale, name, "scale", error));
    return check_copies(def, dimension, error);
}
