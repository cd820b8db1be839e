/* Checks of shapes, as far as they are possible without reading files; space/shape_check.c and the readers
 * check the rest when a world is made. */
#include "scene/resolve.h"
#include "scene/rules.h"

#include <math.h>

enum { COPY_LIMIT = 100000 };  // of one array

// min < max along the first `axes` axes.
static void check_extent(dlp_resolver *r, const dlp_shape_def *shape, int axes)
{
    for (int axis = 0; axis < axes; axis++) {
        const double min = dlp_component(shape->min, axis), max = dlp_component(shape->max, axis);
        if (min < max && isfinite(max - min)) continue;
        dlp_mistake_add(r, "max", "must be greater than min along %c (got %g and %g)", "xyz"[axis], max, min);
    }
}

// A direction of any finite length but 0.
static void check_axis(dlp_resolver *r, const char *key, dlp_vec3 axis)
{
    const double length = dlp_length(axis);
    if (!(length > 0 && isfinite(length))) dlp_mistake_add(r, key, "must have a finite length above 0");
}

void dlp_check_box(dlp_resolver *r, void *base)
{
    check_extent(r, base, r->def->dimension);
}

// Cylinder, capsule and cone: both ends must differ.
void dlp_check_stretched(dlp_resolver *r, void *base)
{
    const dlp_shape_def *shape = base;
    const double length = dlp_length(dlp_sub(shape->to, shape->from));
    if (!(length > 0 && isfinite(length))) dlp_mistake_add(r, "to", "must differ from `from`");
}

// The tube must leave a hole.
void dlp_check_torus(dlp_resolver *r, void *base)
{
    const dlp_shape_def *shape = base;
    check_axis(r, "axis", shape->axis);
    if (!(shape->tube < shape->radius))
        dlp_mistake_add(r, "tube", "must be smaller than radius (got %g and %g)", shape->tube, shape->radius);
}

void dlp_check_sheet(dlp_resolver *r, void *base)
{
    const dlp_shape_def *shape = base;
    check_axis(r, "normal", shape->axis);
}

// One row of values in 2-D, which needs no `columns`; at least two rows in 3-D.
static void check_values(dlp_resolver *r, dlp_shape_def *shape)
{
    const bool is_flat = r->def->dimension == 2;
    if (is_flat && shape->columns == 0) shape->columns = shape->value_count;
    if (shape->columns == 0) {
        dlp_mistake_add(r, "columns", "is missing: how many of the values make a row");
        return;
    }
    const int32_t rows = shape->value_count / shape->columns;
    if (shape->value_count % shape->columns != 0 || (is_flat ? rows != 1 || shape->columns < 2 : rows < 2))
        dlp_mistake_add(r, "values", "must be %s (got %d values in rows of %d)",
                        is_flat ? "one row of at least 2" : "at least 2 whole rows", shape->value_count,
                        shape->columns);
}

// In 2-D the field is a profile along x. Values come from a file or from the scene, not from both.
void dlp_check_height(dlp_resolver *r, void *base)
{
    dlp_shape_def *shape = base;
    check_extent(r, shape, r->def->dimension - 1);
    if (!(shape->low < shape->high))
        dlp_mistake_add(r, "high", "must be greater than low (got %g and %g)", shape->high, shape->low);
    if (shape->file != NULL && shape->values != NULL)
        dlp_mistake_add(r, "values", "excludes file; give one of them");
    else if (shape->file == NULL && shape->values == NULL)
        dlp_mistake_add(r, "values", "is missing: give values or a file");
    else if (shape->values != NULL)
        check_values(r, shape);
}

// In double: the product of three counts may exceed an int32_t.
void dlp_check_copies(dlp_resolver *r, void *base)
{
    const dlp_shape_def *shape = base;
    double total = 1;
    for (int axis = 0; axis < 3; axis++) {
        total *= shape->copies[axis];
        if (shape->copies[axis] > 1 && dlp_component(shape->spacing, axis) == 0)
            dlp_mistake_add(r, "spacing", "must not be zero along %c, where there are %d copies", "xyz"[axis],
                            shape -> copies[axis]);
    }
    if (total > COPY_LIMIT)
        dlp_mistake_add(r, "count", "makes %.0f copies; at most %d are allowed", total, COPY_LIMIT);
}

// Old and new names of what moves a shape exclude each other, also where they belong to the obstacle that it
// is. The combinations are the last kinds; their keys are in the same order.
void dlp_check_shape(dlp_resolver *r, void *base)
{
    const dlp_shape_def *shape = base;
    static const char *const keys[] = {"union", "difference", "intersection"};
    static const char *const names[][2] = {{"translate", "position"}, {"rotate", "rotation"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (dlp_is_given(r, names[k][0]) && dlp_is_given(r, names[k][1]))
            dlp_mistake_add(r, names[k][0], "is the older name of %s; give one of them", names[k][1]);
    if (shape->kind < DLP_SHAPE_UNION || shape->child_count > 0) return;
    dlp_mistake_add(r, keys[shape->kind - DLP_SHAPE_UNION], "must have at least one shape");
}
