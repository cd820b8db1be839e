/* Triangles and links: what they are at rest, which never changes, and between which particles they are,
 * which changes when cloth tears. */
#ifndef DLP_MOTION_CLOTH_ELEMENTS_H
#define DLP_MOTION_CLOTH_ELEMENTS_H

#include "motion/cloth/cloth.h"

#include <assert.h>

/* What the rest shape says about the side of a triangle from one corner to the next. */
typedef struct dlp_cloth_side {
    double stiffness;  /* N m: against the bend there, N/m: of the twist; 0 at an edge of the sheet */
    double rest_angle; /* rad */
    int32_t is_twist;  /* 1: the diagonal of a grid's cell, across which the cell twists */
} dlp_cloth_side;

/* Three particles of a grid that follow one another along warp or weft, seen from the cells on one side of
 * them. Places in dlp_cloth_corners: the middle particle has two, which part where the cloth tears there. */
typedef struct dlp_cloth_line {
    int32_t first, middle[2], last;
    double length;    /* m: of a cell along it */
    double stiffness; /* N m2 / m: of the change of its tangent */
} dlp_cloth_line;

#define DLP_CLOTH_TRIANGLE_FIELDS(X)                                                                         \
    X(rest, dlp_cloth_triangle, 1)                                                                           \
    X(sides, dlp_cloth_side, 3) /* side k leads from corner k to the next */
typedef struct dlp_cloth_triangles {
    int32_t count;
    DLP_CLOTH_ARRAYS(DLP_CLOTH_TRIANGLE_FIELDS)
} dlp_cloth_triangles;

#define DLP_CLOTH_LINE_FIELDS(X) X(rest, dlp_cloth_line, 1)
typedef struct dlp_cloth_lines {
    int32_t count;
    DLP_CLOTH_ARRAYS(DLP_CLOTH_LINE_FIELDS)
} dlp_cloth_lines;

#define DLP_CLOTH_LINK_FIELDS(X) X(rest, dlp_cloth_link, 1)
typedef struct dlp_cloth_links {
    int32_t count;
    DLP_CLOTH_ARRAYS(DLP_CLOTH_LINK_FIELDS)
} dlp_cloth_links;

/* State, per triangle. */
#define DLP_CLOTH_CORNER_FIELDS(X) X(corner, int32_t, 3, "cloth/corner") /* particles */
typedef struct dlp_cloth_corners {
    DLP_CLOTH_SAVED_ARRAYS(DLP_CLOTH_CORNER_FIELDS)
} dlp_cloth_corners;

/* State, per link. */
#define DLP_CLOTH_END_FIELDS(X)                                                                              \
    X(end, int32_t, 2, "cloth/end") /* particles */                                                          \
    X(is_torn, int32_t, 1, "cloth/is_torn")
typedef struct dlp_cloth_ends {
    DLP_CLOTH_SAVED_ARRAYS(DLP_CLOTH_END_FIELDS)
} dlp_cloth_ends;

/* The three particles of a triangle, the two of a link. */
static inline int32_t *dlp_cloth_corners_of(const dlp_cloth_corners *corners, int32_t triangle)
{
    assert(triangle >= 0 && triangle < corners->capacity);
    return corners->corner + 3 * (size_t)triangle;
}
static inline int32_t *dlp_cloth_ends_of(const dlp_cloth_ends *ends, int32_t link)
{
    assert(link >= 0 && link < ends->capacity);
    return ends->end + 2 * (size_t)link;
}

#endif
