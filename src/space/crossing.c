/* Two segments can only touch while all four ends lie in one plane: where the volume of the tetrahedron that
 * they span, a polynomial of the third degree in time, is zero. The cubic is cut at its extrema; each
 * monotonic part has at most one zero, which bisection finds. Time runs from 0 to 1. */
#include "space/crossing.h"

#include <math.h>

// Share of a segment by which its ends may be missed, so that no gap is left between two that share an end.
#define SLACK 1e-9

enum { BISECTIONS = 60 };  // more than the bits of a double's fraction

// The segments as vectors that change with time: along a, along b, and from the beginning of a to that of b.
typedef struct motion {
    dlp_vec3 along_a[2], along_b[2], between[2]; /* at 0, and the change until 1 */
} motion;

static void set_motion(dlp_vec3 at[2], dlp_vec3 before, dlp_vec3 after)
{
    at[0] = before;
    at[1] = dlp_sub(after, before);
}

static motion motion_of(const dlp_moving_segment *a, const dlp_moving_segment *b)
{
    motion m;
    set_motion(m.along_a, dlp_sub(a->before[1], a->before[0]), dlp_sub(a->after[1], a->after[0]));
    set_motion(m.along_b, dlp_sub(b->before[1], b->before[0]), dlp_sub(b->after[1], b->after[0]));
    set_motion(m.between, dlp_sub(b->before[0], a->before[0]), dlp_sub(b->after[0], a->after[0]));
    return m;
}

// Linear in time, since both ends move straight.
static dlp_vec3 at_time(const dlp_vec3 v[2], double t)
{
    return dlp_along(v[0], v[1], t);
}

// Six times the signed volume of the tetrahedron, m3.
static double volume_at(const motion *m, double t)
{
    return dlp_dot(at_time(m->between, t), dlp_cross(at_time(m->along_a, t), at_time(m->along_b, t)));
}

// One of the eight triple products of which the coefficients of the cubic are sums.
static double product(const motion *m, int between, int a, int b)
{
    return dlp_dot(m->between[between], dlp_cross(m->along_a[a], m->along_b[b]));
}

// The times in 0..1 between which the volume only grows or only falls, ascending, 0 and 1 among them; returns
// how many. Roots that are NaN or infinite (a polynomial of lower degree) fail the comparisons and are left
// out.
static int find_extrema(const motion *m, double out_times[4])
{
    const double linear = product(m, 1, 0, 0) + product(m, 0, 1, 0) + product(m, 0, 0, 1);
    const double square = product(m, 1, 1, 0) + product(m, 1, 0, 1) + product(m, 0, 1, 1);
    const double cube = product(m, 1, 1, 1);
    // 3 cube t^2 + 2 square t + linear = 0, in the form that does not cancel
    const double root = square * square - 3 * cube * linear;
    int count = 0;
    out_times[count++] = 0;
    if (root > 0) {
        const double q = -(square + copysign(sqrt(root), square));
        const double first = q / (3 * cube), second = linear / q;
        const double low = fmin(first, second), high = fmax(first, second);
        if (low > 0 && low < 1) out_times[count++] = low;
        if (high > 0 && high < 1) out_times[count++] = high;
    }
    out_times[count++] = 1;
    return count;
}

// The time between two at which the volume changes its sign, given that it changes it once.
static double find_zero(const motion *m, double low, double high)
{
    const bool is_rising = volume_at(m, low) <= volume_at(m, high);
    for (int k = 0; k < BISECTIONS; k++) {
        const double middle = 0.5 * (low + high);
        *((volume_at(m, middle) < 0) == is_rising ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static bool is_within(double share)
{
    return share >= -SLACK && share <= 1 + SLACK;
}

// Whether the point that both lines share at this time lies on both segments. Parallel lines share none.
static bool meet_at(const motion *m, double t)
{
    const dlp_vec3 a = at_time(m->along_a, t), b = at_time(m->along_b, t), w = at_time(m->between, t);
    const dlp_vec3 normal = dlp_cross(a, b);
    const double square = dlp_dot(normal, normal);
    if (!(square > 0)) return false;
    return is_within(dlp_dot(dlp_cross(w, b), normal) / square) &&
           is_within(dlp_dot(dlp_cross(w, a), normal) / square);
}

bool dlp_segments_meet(const dlp_moving_segment *a, const dlp_moving_segment *b)
{
    const motion m = motion_of(a, b);
    double times[4];
    const int count = find_extrema(&m, times);
    for (int k = 0; k + 1 < count; k++) {
        const double from = volume_at(&m, times[k]), to = volume_at(&m, times[k + 1]);
        // no change of sign, or a volume that is zero all the time: the segments stay in one plane
        if ((from > 0 && to > 0) || (from < 0 && to < 0) || (from == 0 && to == 0)) continue;
        if (meet_at(&m, find_zero(&m, times[k], times[k + 1]))) return true;
    }
    return false;
}
