/* The 256 ways in which a surface can pass through a cell, made by rule rather than written down. */
#ifndef DLP_SKIN_CUBES_H
#define DLP_SKIN_CUBES_H

#include <stdint.h>

enum { DLP_CUBE_TRIANGLES = 5 }; /* at most, in a cell */

/* An edge is 4 axis + the place of the other two coordinates of its lower end (the lower one of them fast).
 */
typedef struct dlp_cubes {
    uint8_t count[256]; /* of triangles, by which corners are inside (bit x + 2 y + 4 z) */
    uint8_t edges[256][3 * DLP_CUBE_TRIANGLES]; /* of their corners, counter-clockwise seen from outside */
} dlp_cubes;

/* Faces with two inside corners across from each other keep them apart, seen from both cells alike, so that
 * the surface has no hole; no triangle's side lies in a face of the cell but where the surface leaves it, so
 * that no edge has four triangles.  [lorensen1987] */
void dlp_cubes_init(dlp_cubes *cubes);

/* The corner at the lower end of an edge. */
static inline int32_t dlp_cube_edge_corner(int32_t edge)
{
    const int32_t axis = edge / 4, a = edge % 2, b = edge / 2 % 2;
    return axis == 0 ? 2 * a + 4 * b : axis == 1 ? a + 4 * b : a + 2 * b;
}

#endif
