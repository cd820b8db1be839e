/* Points of PLY files: the rows of the element "vertex". */
#include "base/memory.h"
#include "space/ply.h"
#include "space/points_formats.h"

#include <string.h>

// Which properties of a vertex are read: their numbers, or -1.
typedef struct point_columns {
    int32_t places[6];  // x y z, then vx vy vz
} point_columns;

// Positions are needed; velocities count only where all three components are there.
static dlp_status find_columns(const dlp_ply_element *element, point_columns *c, bool *has_velocity,
                               dlp_error *error)
{
    static const char *const names[6] = {"x", "y", "z", "vx|velocity_x", "vy|velocity_y", "vz|velocity_z"};
    for (int32_t k = 0; k < 6; k++) {
        c->places[k] = dlp_ply_find(element, names[k]);
        if (c->places[k] >= 0 && element->properties[c->places[k]].count_type != DLP_PLY_NONE)
            c->places[k] = -1;
    }
    if (c->places[0] < 0 || c->places[1] < 0 || c->places[2] < 0)
        return dlp_fail(error, DLP_IO, "its vertices have no x, y and z");
    *has_velocity = c->places[3] >= 0 && c->places[4] >= 0 && c->places[5] >= 0;
    return DLP_OK;
}

// Properties come in the order of the header, which need not be ours.
static dlp_status read_row(dlp_ply *ply, const dlp_ply_element *element, const point_columns *c,
                           double out_values[6], dlp_error *error)
{
    for (int32_t p = 0; p < element->property_count; p++) {
        int32_t k = 0;
        while (k < 6 && c->places[k] != p) k++;
        if (k < 6)
            DLP_TRY(dlp_ply_number(ply, element->properties[p].type, &out_values[k], error));
        else
            DLP_TRY(dlp_ply_skip(ply, &element->properties[p], error));
    }
    return DLP_OK;
}

static dlp_status read_vertices(dlp_ply *ply, const dlp_ply_element *element, int32_t limit,
                                dlp_points *points, dlp_error *error)
{
    point_columns c;
    bool has_velocity = false;
    DLP_TRY(find_columns(element, &c, &has_velocity, error));
    DLP_TRY(dlp_points_allocate(points, element->count, limit, error));
    for (int32_t row = 0; row < element->count; row++) {
        double v[6] = {0, 0, 0, 0, 0, 0};
        DLP_TRY(read_row(ply, element, &c, v, error));
        points->positions[row] = (dlp_vec3){v[0], v[1], v[2]};
        points->velocities[row] = (dlp_vec3){v[3], v[4], v[5]};
    }
    if (!has_velocity) {
        dlp_free(points->velocities);
        points->velocities = NULL;
    }
    return dlp_points_check(points, error);
}

// What follows the vertices is not read.
static dlp_status read_elements(dlp_ply *ply, int32_t limit, dlp_points *points, dlp_error *error)
{
    for (int32_t k = 0; k < ply->element_count; k++) {
        const dlp_ply_element *element = &ply->elements[k];
        if (strcmp(element->name, "vertex") == 0) return read_vertices(ply, element, limit, points, error);
        DLP_TRY(dlp_ply_skip_element(ply, element, error));
    }
    return dlp_fail(error, DLP_IO, "has no element \"vertex\"");
}

dlp_status dlp_points_parse_ply(dlp_bytes bytes, int32_t limit, dlp_points *out_points, dlp_error *error)
{
    *out_points = (dlp_points){0};
    dlp_ply *ply = dlp_alloc(1, sizeof *ply, "points");
    if (ply == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "points: %zu bytes", sizeof *ply);
    dlp_status status = dlp_ply_open(ply, bytes, error);
    if (status == DLP_OK) status = read_elements(ply, limit, out_points, error);
    dlp_free(ply);
    if (status != DLP_OK) dlp_points_release(out_points);
    return status;
}
