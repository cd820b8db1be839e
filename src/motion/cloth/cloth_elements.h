/* Triangles and links: what they are at rest, which never changes, and between which particles they are,
 * which changes when cloth tears. */
#ifndef DLP_MOTION_CLOTH_ELEMENTS_H
#define DLP_MOTION_CLOTH_ELEMENTS_H

#include "motion/cloth/cloth.h"

#include <assert.h>

/* What the rest shape says about the side of a triangle from one corner to the next. */
typedef struct dlp_cloth_side {
    double stiffness;  /* N m: of the hinge there; 0 at an edge of the sheet */
    double rest_angle; /* rad */
} dlp_cloth_side;

#define DLP_CLOTH_TRIANGLE_FIELDS(X)                                                                         \
    X(rest, dlp_cloth_triangle, 1)                                                                           \
    X(sides, dlp_cloth_side, 3) /* side k leads from corner k to the next */
typedef struct dlp_cloth_triangles {
    int32_t count;
    DLP_CLOTH_ARRAYS(DLP_CLOTH_TRIANGLE_FIELDS)
} dlp_cloth_triangles;

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
