/* How near two parts of cloth are: a corner and a triangle, or two edges, and when they would meet on their
 * way. Both are four points and four weights: sum of weight_k x_k leads from the second part to the first. */
#ifndef DLP_MOTION_CLOTH_NEAR_H
#define DLP_MOTION_CLOTH_NEAR_H

#include "base/vec.h"

typedef enum dlp_meeting_kind {
    DLP_MEETING_CORNER, /* point 0 meets the triangle of points 1, 2, 3 */
    DLP_MEETING_EDGES   /* the edge of points 0, 1 meets that of points 2, 3 */
} dlp_meeting_kind;

typedef struct dlp_near {
    double weight[4];
    dlp_vec3 apart;  /* m: between the nearest points, from the second part to the first */
    double distance; /* m */
} dlp_near;

dlp_near dlp_near_of(dlp_meeting_kind kind, const dlp_vec3 x[4]);

/* The nearest point of a triangle to x, as weights of its corners. */
void dlp_near_triangle(dlp_vec3 x, const dlp_vec3 corner[3], double out_weight[3]);

/* Share of a gap that counts as no distance at all: the two sides of a fresh tear lie in one place, and have
 * no direction apart until they moved. */
#define DLP_NEAR_NOTHING 1e-5

/* The share of the way from..to (straight, all four at once) after which the parts have come nearer than
 * `gap`; 1 where they never do. Parts that begin within ten gaps are stopped where they have lost nine tenths
 * of their distance. Never late: each stride is shorter than the distance that is left allows.  [li2021, sec.
 * 4] */
double dlp_near_share(dlp_meeting_kind kind, const dlp_vec3 from[4], const dlp_vec3 to[4], double gap);

#endif
