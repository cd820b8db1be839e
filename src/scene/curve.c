/* Values over temperature: {by_temperature: [[degrees, value], [degrees, value], ...]} in place of a number.
 */
#include "base/memory.h"
#include "scene/resolve.h"

#include <math.h>

static const double CLOSEST = 1e-3;  // degrees between two points, so that slopes stay finite

bool dlp_is_curve(const dlp_node *node)
{
    return node->kind == DLP_NODE_MAP && dlp_node_find(node, "by_temperature") != NULL;
}

// Notes the first mistake in the form of a curve.
static bool check_shape(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node)
{
    const dlp_node *points = dlp_node_find(node, "by_temperature");
    if ((row->flags & DLP_ROW_CURVED) == 0)
        dlp_mistake_at(r, node, "cannot depend on temperature");
    else if (node->count > 1)
        dlp_mistake_at(r, node, "no other key is allowed beside by_temperature");
    else if (points->kind != DLP_NODE_LIST || points->count == 0)
        dlp_mistake_at(r, points, "by_temperature must be a list of [degrees, value]");
    else if (points->count > DLP_CURVE_LIMIT)
        dlp_mistake_at(r, points, "has %d points; at most %d are allowed", points->count, DLP_CURVE_LIMIT);
    else
        return true;
    return false;
}

// Points after the first must be warmer by at least CLOSEST.
static bool read_point(dlp_resolver *r, const dlp_node *point, dlp_curve *curve, int32_t k)
{
    static const dlp_schema_row degrees = {.key = "", DLP_ROW_NUMBER, 0, 0, "°C", -273.15, 1e9};
    static const dlp_schema_row value = {.key = "", DLP_ROW_NUMBER, DLP_ROW_OPEN_MIN, 0, "", 0, HUGE_VAL};
    if (point->kind != DLP_NODE_LIST || point->count != 2) {
        char found[96];
        dlp_node_describe(point, found);
        dlp_mistake_at(r, point, "a point must be [degrees, value] (got %s)", found);
        return false;
    }
    if (!dlp_value_read_numbers(r, &degrees, point->first, &curve->temperatures[k])) return false;
    if (!dlp_value_read_numbers(r, &value, point->last, &curve->values[k])) return false;
    if (k == 0 || curve->temperatures[k] - curve->temperatures[k - 1] >= CLOSEST) return true;
    dlp_mistake_at(r, point, "temperatures must grow (got %g after %g)", curve->temperatures[k],
                   curve->temperatures[k - 1]);
    return false;
}

// On failure the curve holds a part; the scene's record frees it.
static bool read_points(dlp_resolver *r, const dlp_node *points, dlp_curve *curve)
{
    const size_t count = (size_t)points->count;
    curve->temperatures = dlp_alloc(count, sizeof *curve->temperatures, "scene");
    curve->values = dlp_alloc(count, sizeof *curve->values, "scene");
    if (curve->temperatures == NULL || curve->values == NULL) {
        r->is_out_of_memory = true;
        return false;
    }
    for (const dlp_node *point = points->first; point != NULL; point = point->next)
        if (!read_point(r, point, curve, curve->count++)) return false;
    return true;
}

bool dlp_curve_read(dlp_resolver *r, const dlp_schema_row *row, const dlp_node *node, double *target)
{
    if (!check_shape(r, row, node)) return false;
    dlp_scene_def *def = r->def;
    if (dlp_reserve(&def->curves, &r->curve_capacity, def->curve_count + 1, sizeof *def->curves, "scene",
                    NULL) != DLP_OK) {
        r->is_out_of_memory = true;
        return false;
    }
    // later curves may move the array: pointers to curves are set at the end (link_curves)
    dlp_curve *curve = &def->curves[def->curve_count++];
    curve->target = target;
    if (!read_points(r, dlp_node_find(node, "by_temperature"), curve)) return false;
    // the largest value, from which solvers choose steps before temperatures are known
    *target = 0;
    for (int32_t k = 0; k < curve->count; k++)
        if (curve->values[k] > *target) *target = curve->values[k];
    return true;
}

void dlp_curve_write(const dlp_curve *curve, dlp_string *text)
{
    dlp_string_add(text, "{by_temperature: [");
    for (int32_t k = 0; k < curve->count; k++) {
        dlp_string_add(text, "%s[", k > 0 ? ", " : "");
        dlp_string_add_number(text, curve->temperatures[k]);
        dlp_string_add(text, ", ");
        dlp_string_add_number(text, curve->values[k]);
        dlp_string_add(text, "]");
    }
    dlp_string_add(text, "]}");
}
