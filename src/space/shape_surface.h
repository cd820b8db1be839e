/* The surface of a shape as triangles, for pictures. */
#ifndef DLP_SPACE_SHAPE_SURFACE_H
#define DLP_SPACE_SHAPE_SURFACE_H

#include "space/shape.h"

/* All-zero is empty. Corners are not shared: three per triangle, counter-clockwise seen from outside of
 * the solid. */
typedef struct dlp_shape_surface {
    dlp_vec3 *points;  /* m */
    dlp_vec3 *normals; /* unit, out of the solid; smooth where the shape is */
    int32_t triangle_count;
    int32_t capacity; /* triangles that the arrays hold */
    bool is_endless;  /* hides what lies behind it without an end: a container, a plane */
} dlp_shape_surface;

/* For 3-D shapes. `shown` is what a picture shows, in the shape's coordinates, m: what is far larger is cut
 * off well outside of it; a height field ends where both its area and `shown` end, with upright sides. On
 * failure the surface is empty. */
dlp_status dlp_shape_surface_create(const dlp_shape *shape, const dlp_box *shown,
                                    dlp_shape_surface *out_surface, dlp_error *error);
void dlp_shape_surface_release(dlp_shape_surface *surface);

/* The finite part of a 3-D shape that is worth seeing, m: its bounds where it has an end, the inside of a
 * container, the area of a height field. */
dlp_box dlp_shape_extent(const dlp_shape *shape);

#endif
