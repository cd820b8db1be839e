/* How near two parts of cloth are: a corner and a triangle, or two edges, and when they would meet on their
 * path. Both are four points and four weights: sum of weight_k x_k leads from the second part to the first.
 */
#ifndef DLP_MOTION_CLOTH_CLOSEST_POINTS_H
#define DLP_MOTION_CLOTH_CLOSEST_POINTS_H

#include "base/vec.h"

typedef enum dlp_cloth_contact_kind {
    DLP_CLOTH_VERTEX_FACE, /* point 0 meets the triangle of points 1, 2, 3 */
    DLP_CLOTH_EDGE_EDGE    /* the edge of points 0, 1 meets that of points 2, 3 */
} dlp_cloth_contact_kind;

typedef struct dlp_cloth_closest {
    double weight[4];
    dlp_vec3 apart;  /* m: between the nearest points, from the second part to the first */
    double distance; /* m */
} dlp_cloth_closest;

dlp_cloth_closest dlp_cloth_closest_points(dlp_cloth_contact_kind kind, const dlp_vec3 x[4]);

/* The nearest point of a triangle to x, as weights of its corners. */
void dlp_cloth_closest_on_triangle(dlp_vec3 x, const dlp_vec3 corner[3], double out_weight[3]);

/* Share of a gap that counts as no distance at all: the two sides of a fresh tear lie in one place, and have
 * no direction apart until they moved. */
#define DLP_CLOTH_ZERO_GAP 1e-5

/* The share of the path from..to (straight, all four at once) after which the parts have come nearer than
 * `gap`; 1 where they never do. Parts that begin within ten gaps are stopped where they have lost nine tenths
 * of their distance. Never late: each stride is shorter than the distance that is left allows.  [li2021, sec.
 * 4] */
double dlp_cloth_time_of_impact(dlp_cloth_contact_kind kind, const dlp_vec3 from[4], const dlp_vec3 to[4],
                                double gap);

#endif
