/* The nearest point of a triangle, and which of its features it lies on. */
#ifndef DLP_SPACE_MESH_NEAREST_H
#define DLP_SPACE_MESH_NEAREST_H

#include "base/vec.h"

/* Edge k runs from corner k to the next; the order is that of the stored normals. */
enum { DLP_NEAR_EDGE = 0, DLP_NEAR_VERTEX = 3, DLP_NEAR_FACE = 6 };

/* The nearest point of some triangle to a point x. */
typedef struct dlp_nearest_point {
    dlp_vec3 offset; /* m: from the nearest point to x */
    double square;   /* m2: its length, squared */
    int32_t feature; /* DLP_NEAR_EDGE + 0..2, DLP_NEAR_VERTEX + 0..2 or DLP_NEAR_FACE */
} dlp_nearest_point;

static inline dlp_nearest_point dlp_nearest_at(dlp_vec3 offset, int32_t feature)
{
    return (dlp_nearest_point){offset, dlp_dot(offset, offset), feature};
}

/* On the segment k from its start a along `edge`; p is x - a. An edge without length gives its start. */
static inline dlp_nearest_point dlp_nearest_segment(dlp_vec3 p, dlp_vec3 edge, int32_t k)
{
    const double along = dlp_dot(p, edge), square = dlp_dot(edge, edge);
    if (!(along > 0)) return dlp_nearest_at(p, DLP_NEAR_VERTEX + k);
    if (along >= square) return dlp_nearest_at(dlp_sub(p, edge), DLP_NEAR_VERTEX + (k + 1) % 3);
    return dlp_nearest_at(dlp_along(p, edge, -along / square), DLP_NEAR_EDGE + k);
}

/* For triangles without area, which have no face: the nearest of the three sides. */
static inline dlp_nearest_point dlp_nearest_flat(dlp_vec3 ap, dlp_vec3 ab, dlp_vec3 ac)
{
    dlp_nearest_point best = dlp_nearest_segment(ap, ab, 0);
    const dlp_nearest_point bc = dlp_nearest_segment(dlp_sub(ap, ab), dlp_sub(ac, ab), 1);
    const dlp_nearest_point ca = dlp_nearest_segment(dlp_sub(ap, ac), dlp_mul(ac, -1), 2);
    if (bc.square < best.square) best = bc;
    if (ca.square < best.square) best = ca;
    return best;
}

/* By the Voronoi regions of the features.  [ericson2004, 5.1.5]  ap = x - a, ab = b - a, ac = c - a. */
static inline dlp_nearest_point dlp_nearest_triangle(dlp_vec3 ap, dlp_vec3 ab, dlp_vec3 ac)
{
    const double d1 = dlp_dot(ab, ap), d2 = dlp_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return dlp_nearest_at(ap, DLP_NEAR_VERTEX + 0);
    const dlp_vec3 bp = dlp_sub(ap, ab);
    const double d3 = dlp_dot(ab, bp), d4 = dlp_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return dlp_nearest_at(bp, DLP_NEAR_VERTEX + 1);
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0 && d1 > d3)
        return dlp_nearest_at(dlp_along(ap, ab, -d1 / (d1 - d3)), DLP_NEAR_EDGE + 0);
    const dlp_vec3 cp = dlp_sub(ap, ac);
    const double d5 = dlp_dot(ab, cp), d6 = dlp_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return dlp_nearest_at(cp, DLP_NEAR_VERTEX + 2);
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0 && d2 > d6)
        return dlp_nearest_at(dlp_along(ap, ac, -d2 / (d2 - d6)), DLP_NEAR_EDGE + 2);
    const double va = d3 * d6 - d5 * d4, e = d4 - d3, f = d5 - d6;
    if (va <= 0 && e >= 0 && f >= 0 && e + f > 0)
        return dlp_nearest_at(dlp_along(bp, dlp_sub(ac, ab), -e / (e + f)), DLP_NEAR_EDGE + 1);
    const double sum = va + vb + vc;
    if (!(sum > 0)) return dlp_nearest_flat(ap, ab, ac);
    return dlp_nearest_at(dlp_along(dlp_along(ap, ab, -vb / sum), ac, -vc / sum), DLP_NEAR_FACE);
}

/* The larger of two numbers, neither NaN: one instruction, where fmax is a call. */
static inline double dlp_larger(double a, double b)
{
    return a > b ? a : b;
}

/* Square of the distance from x to a box: 0 inside. */
static inline double dlp_box_square(const dlp_box *box, dlp_vec3 x)
{
    const double dx = dlp_larger(dlp_larger(box->min.x - x.x, x.x - box->max.x), 0);
    const double dy = dlp_larger(dlp_larger(box->min.y - x.y, x.y - box->max.y), 0);
    const double dz = dlp_larger(dlp_larger(box->min.z - x.z, x.z - box->max.z), 0);
    return dx * dx + dy * dy + dz * dz;
}

#endif
