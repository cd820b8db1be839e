// Generates the table of marching cubes: on each face of a cell the lines along which the surface crosses it,
// then the loops that these lines form, then a fan of triangles for each loop.  [lorensen1987]
#include "skin/cubes.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { EDGES = 12, NOTHING = -1 };

// The edge between two corners that differ in one coordinate.
static int32_t edge_between(int32_t a, int32_t b)
{
    assert((a ^ b) == 1 || (a ^ b) == 2 || (a ^ b) == 4);
    const int32_t low = a & b, axis = (a ^ b) >> 1;  // 1, 2, 4 become 0, 1, 2
    const int32_t x = low & 1, y = low >> 1 & 1, z = low >> 2;
    return axis == 0 ? y + 2 * z : axis == 1 ? 4 + x + 2 * z : 8 + x + 2 * y;
}

// Corners of a face in the order counter-clockwise seen from outside.
static void face_corners(int32_t face, int32_t out[4])
{
    const int32_t axis = face / 2, side = face % 2;
    const int32_t u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
    const int32_t up[4] = {base, base + u, base + u + v, base + v};
    for (int32_t k = 0; k < 4; k++) out[k] = side == 1 ? up[k] : up[(4 - k) % 4];
}

// The surface's lines on a face: next[edge] is the edge it runs to. Every inside corner, or run of inside
// corners, is cut off by a line of its own that keeps it on its right, seen from outside the cell.
static void join_face(int32_t inside, int32_t face, int32_t next[EDGES])
{
    int32_t corner[4];
    face_corners(face, corner);
    for (int32_t k = 0; k < 4; k++) {
        const bool is_in = inside >> corner[k] & 1, was_in = inside >> corner[(k + 3) % 4] & 1;
        if (!is_in || was_in) continue;
        int32_t last = k;  // the run of inside corners that starts at k
        while (inside >> corner[(last + 1) % 4] & 1) last++;
        const int32_t entry = edge_between(corner[(k + 3) % 4], corner[k]);
        const int32_t leave = edge_between(corner[last % 4], corner[(last + 1) % 4]);
        next[entry] = leave;
    }
}

// Whether two edges lie in one face of the cell.
static bool share_face(int32_t a, int32_t b)
{
    // An edge lies in the two faces that its fixed coordinates choose.
    for (int32_t face = 0; face < 6; face++) {
        const int32_t axis = face / 2, side = face % 2;
        const bool has_a = a / 4 != axis && (dlp_cube_edge_corner(a) >> axis & 1) == side;
        const bool has_b = b / 4 != axis && (dlp_cube_edge_corner(b) >> axis & 1) == side;
        if (has_a && has_b) return true;
    }
    return false;
}

// The corner of a loop from which all diagonals pass through the inside of the cell; a loop of three has no
// diagonals.
static int32_t fan_start(const int32_t *loop, int32_t count)
{
    for (int32_t start = 0; start < count; start++) {
        bool is_good = true;
        for (int32_t k = 2; k < count - 1; k++)
            is_good = is_good && !share_face(loop[start], loop[(start + k) % count]);
        if (is_good) return start;
    }
    return 0;
}

static void add_fan(dlp_cubes *cubes, int32_t inside, const int32_t *loop, int32_t count)
{
    const int32_t start = fan_start(loop, count);
    for (int32_t k = 1; k < count - 1; k++) {
        assert(cubes->count[inside] < DLP_CUBE_TRIANGLES);
        uint8_t *triangle = cubes->edges[inside] + 3 * cubes->count[inside]++;
        triangle[0] = (uint8_t)loop[start];
        triangle[1] = (uint8_t)loop[(start + k) % count];
        triangle[2] = (uint8_t)loop[(start + k + 1) % count];
    }
}

// Each crossed edge lies in two faces; one of them has a line that starts at it. So `next` is a set of closed
// loops.
static void make_case(dlp_cubes *cubes, int32_t inside)
{
    int32_t next[EDGES];
    memset(next, 0xff, sizeof next);
    for (int32_t face = 0; face < 6; face++) join_face(inside, face, next);
    for (int32_t edge = 0; edge < EDGES; edge++) {
        int32_t loop[EDGES], count = 0;
        for (int32_t at = edge; next[at] != NOTHING;) {
            const int32_t after = next[at];
            loop[count++] = at;
            next[at] = NOTHING;
            at = after;
        }
        if (count >= 3) add_fan(cubes, inside, loop, count);
    }
}

// Cases 0 and 255 stay empty: all corners are on one side.
void dlp_cubes_init(dlp_cubes *cubes)
{
    memset(cubes, 0, sizeof *cubes);
    for (int32_t inside = 1; inside < 255; inside++) make_case(cubes, inside);
}
