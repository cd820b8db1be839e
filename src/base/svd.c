/* The one-sided Jacobi method: columns of a = F v are rotated until they are perpendicular; then their
 * lengths are the stretches and their directions are u. */
#include "base/svd.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static double column_dot(double a[3][3], int p, int q)
{
    return a[0][p] * a[0][q] + a[1][p] * a[1][q] + a[2][p] * a[2][q];
}

// Rotates columns p and q by the angle of cosine c and sine s.
static void rotate_columns(double a[3][3], int p, int q, double c, double s)
{
    for (int row = 0; row < 3; row++) {
        const double x = a[row][p], y = a[row][q];
        a[row][p] = c * x - s * y;
        a[row][q] = s * x + c * y;
    }
}

// Rotates columns p and q of a so that they become perpendicular, and those of v with them. False where they
// are already, to rounding (or where a NaN makes it impossible to say).
static bool straighten(double a[3][3], double v[3][3], int p, int q)
{
    const double pp = column_dot(a, p, p), qq = column_dot(a, q, q), pq = column_dot(a, p, q);
    if (!(fabs(pq) > 1e-15 * sqrt(pp * qq))) return false;
    const double theta = (qq - pp) / (2 * pq);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    rotate_columns(a, p, q, c, s);
    rotate_columns(v, p, q, c, s);
    return true;
}

// Column p must not be shorter than q: exchanges them by a rotation of 90 degrees, which keeps v a rotation.
static void put_longer_first(double a[3][3], double v[3][3], int p, int q)
{
    if (column_dot(a, p, p) >= column_dot(a, q, q)) return;
    rotate_columns(a, p, q, 0, 1);
    rotate_columns(v, p, q, 0, 1);
}

// The part of x that is perpendicular to the first `count` columns of u becomes the next one (Gram-Schmidt,
// twice for accuracy); false where that part is less than a tenth of x, so that its direction is uncertain.
static bool add_column(double u[3][3], int count, const double x[3])
{
    double y[3] = {x[0], x[1], x[2]};
    const double before = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            const double share = y[0] * u[0][k] + y[1] * u[1][k] + y[2] * u[2][k];
            for (int row = 0; row < 3; row++) y[row] -= share * u[row][k];
        }
    const double length = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    if (!(length > 0.1 * before)) return false;
    for (int row = 0; row < 3; row++) u[row][count] = y[row] / length;
    return true;
}

// Column k of u along that of a; where a has none, along that of v, which makes u v^T the smallest rotation.
static void make_column(double a[3][3], double v[3][3], double u[3][3], int k)
{
    const double along[3] = {a[0][k], a[1][k], a[2][k]};
    if (add_column(u, k, along)) return;
    for (int n = k; n < k + 3; n++) {
        const double other[3] = {v[0][n % 3], v[1][n % 3], v[2][n % 3]};
        if (add_column(u, k, other)) return;
    }
}

dlp_svd3 dlp_svd(const double f[9])
{
    enum { SWEEPS = 20 };  // six are enough for nearly all matrices
    dlp_svd3 svd = {.v = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double a[3][3];
    memcpy(a, f, sizeof a);
    bool moved = true;
    for (int sweep = 0; sweep < SWEEPS && moved; sweep++) {
        moved = straighten(a, svd.v, 0, 1);
        moved |= straighten(a, svd.v, 0, 2);
        moved |= straighten(a, svd.v, 1, 2);
    }
    put_longer_first(a, svd.v, 0, 1);
    put_longer_first(a, svd.v, 0, 2);
    put_longer_first(a, svd.v, 1, 2);

    // the third column by the cross product: u is a rotation, and the sign of det F goes into the last
    // stretch
    double(*u)[3] = svd.u;
    make_column(a, svd.v, u, 0);
    make_column(a, svd.v, u, 1);
    for (int k = 0; k < 3; k++)
        u[k][2] = u[(k + 1) % 3][0] * u[(k + 2) % 3][1] - u[(k + 2) % 3][0] * u[(k + 1) % 3][1];
    for (int k = 0; k < 3; k++) svd.stretch[k] = u[0][k] * a[0][k] + u[1][k] * a[1][k] + u[2][k] * a[2][k];
    return svd;
}

void dlp_svd_compose(const dlp_svd3 *svd, const double d[3], double out[9])
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += svd->u[row][k] * d[k] * svd->v[column][k];
            out[3 * row + column] = sum;
        }
}
