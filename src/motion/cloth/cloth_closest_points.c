#include "motion/cloth/cloth_closest_points.h"

static double clamp(double v)
{
    return v > 0 ? (v < 1 ? v : 1) : 0;  // 0 for NaN
}

// By the region of the triangle in whose prism x lies.  [ericson2004, sec. 5.1.5]
void dlp_cloth_closest_on_triangle(dlp_vec3 x, const dlp_vec3 corner[3], double out_weight[3])
{
    const dlp_vec3 ab = dlp_sub(corner[1], corner[0]), ac = dlp_sub(corner[2], corner[0]);
    const dlp_vec3 ax = dlp_sub(x, corner[0]), bx = dlp_sub(x, corner[1]), cx = dlp_sub(x, corner[2]);
    const double d1 = dlp_dot(ab, ax), d2 = dlp_dot(ac, ax), d3 = dlp_dot(ab, bx), d4 = dlp_dot(ac, bx);
    const double d5 = dlp_dot(ab, cx), d6 = dlp_dot(ac, cx);
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    double v, w;
    if (d1 <= 0 && d2 <= 0) {
        v = 0, w = 0;
    } else if (d3 >= 0 && d4 <= d3) {
        v = 1, w = 0;
    } else if (d6 >= 0 && d5 <= d6) {
        v = 0, w = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        v = d1 / (d1 - d3), w = 0;
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        v = 0, w = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        v = 1 - w;
    } else {  // inside; a triangle without area has no inside, and rounding must not make one
        v = clamp(vb / (va + vb + vc));
        w = fmin(clamp(vc / (va + vb + vc)), 1 - v);
    }
    out_weight[0] = 1 - v - w;
    out_weight[1] = v;
    out_weight[2] = w;
}

// Places s, t on two segments that are nearest to each other.  [ericson2004, sec. 5.1.9]
static void find_closest_on_segments(const dlp_vec3 x[4], double *out_s, double *out_t)
{
    const dlp_vec3 d1 = dlp_sub(x[1], x[0]), d2 = dlp_sub(x[3], x[2]), r = dlp_sub(x[0], x[2]);
    const double a = dlp_dot(d1, d1), e = dlp_dot(d2, d2), b = dlp_dot(d1, d2);
    const double c = dlp_dot(d1, r), f = dlp_dot(d2, r), denominator = a * e - b * b;
    double s = denominator > 1e-12 * a * e ? clamp((b * f - c * e) / denominator) : 0.5, t = 0.5;
    if (e > 0) t = (b * s + f) / e;
    if (!(t >= 0 && t <= 1)) {
        t = clamp(t);
        s = a > 0 ? clamp((b * t - c) / a) : 0;
    } else if (a > 0 && !(denominator > 1e-12 * a * e)) {
        s = clamp((b * t - c) / a);
    }
    *out_s = s;
    *out_t = t;
}

dlp_cloth_closest dlp_cloth_closest_points(dlp_cloth_contact_kind kind, const dlp_vec3 x[4])
{
    dlp_cloth_closest closest = {{1, 0, 0, 0}, {0, 0, 0}, 0};
    if (kind == DLP_CLOTH_VERTEX_FACE) {
        double weight[3];
        dlp_cloth_closest_on_triangle(x[0], x + 1, weight);
        for (int k = 0; k < 3; k++) closest.weight[k + 1] = -weight[k];
    } else {
        double s, t;
        find_closest_on_segments(x, &s, &t);
        closest.weight[0] = 1 - s;
        closest.weight[1] = s;
        closest.weight[2] = t - 1;
        closest.weight[3] = -t;
    }
    for (int k = 0; k < 4; k++) closest.apart = dlp_along(closest.apart, x[k], closest.weight[k]);
    closest.distance = dlp_length(closest.apart);
    return closest;
}

// The longest path of a point of the first part relative to one of the second, once their common motion is
// taken off, which brings nothing nearer.
static double find_relative_path(dlp_cloth_contact_kind kind, const dlp_vec3 from[4], const dlp_vec3 to[4])
{
    dlp_vec3 path[4], mean = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        path[k] = dlp_sub(to[k], from[k]);
        mean = dlp_along(mean, path[k], 0.25);
    }
    const int first = kind == DLP_CLOTH_VERTEX_FACE ? 1 : 2;
    double longest[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
        const double length = dlp_length(dlp_sub(path[k], mean));
        longest[k >= first] = fmax(longest[k >= first], length);
    }
    return longest[0] + longest[1];
}

double dlp_cloth_time_of_impact(dlp_cloth_contact_kind kind, const dlp_vec3 from[4], const dlp_vec3 to[4],
                                double gap)
{
    enum { STRIDE_LIMIT = 64 };
    const double path = find_relative_path(kind, from, to);
    const double start = dlp_cloth_closest_points(kind, from).distance, least = fmin(gap, 0.1 * start);
    if (path <= start - gap || path == 0 || !(start > DLP_CLOTH_ZERO_GAP * gap)) return 1;
    double share = 0, distance = start;
    for (int k = 0; k < STRIDE_LIMIT; k++) {
        share += fmax(0.9 * (distance - least), 0.02 * least) / path;
        if (share >= 1) return 1;
        dlp_vec3 x[4];
        for (int p = 0; p < 4; p++) x[p] = dlp_along(from[p], dlp_sub(to[p], from[p]), share);
        distance = dlp_cloth_closest_points(kind, x).distance;
        if (distance < 1.1 * least) return share;
    }
    return share;
}
