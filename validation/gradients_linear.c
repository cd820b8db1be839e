/* Moving least squares with the basis 1, x, y, z, two ways: by the book, and with as little as it takes.
 * Shape functions phi_j = p(x)^T A^-1 p_j W_j, A = sum W p p^T, p = (1, d) about the particle, so that p(x_i)
 * is (1, 0, 0, 0).  [lancaster1981] */
#include "gradients_around.h"

// By the book.

// Sums over the neighbours of weight p p^T.
static void sum_products(const dlp_around *a, const double *weight, const double *times, double out[4][4])
{
    double m[10] = {0};
    for (int32_t n = 0; n < a->count; n++) {
        const double x = a->x[n], y = a->y[n], z = a->z[n];
        const double w = times != NULL ? weight[n] * times[n] : weight[n], wx = w * x, wy = w * y, wz = w * z;
        m[0] += w;
        m[1] += wx;
        m[2] += wy;
        m[3] += wz;
        m[4] += wx * x;
        m[5] += wx * y;
        m[6] += wx * z;
        m[7] += wy * y;
        m[8] += wy * z;
        m[9] += wz * z;
    }
    const double full[4][4] = {{m[0], m[1], m[2], m[3]},
                               {m[1], m[4], m[5], m[6]},
                               {m[2], m[5], m[7], m[8]},
                               {m[3], m[6], m[8], m[9]}};
    for (int k = 0; k < 16; k++) out[k / 4][k % 4] = full[k / 4][k % 4];
}

// The inverse of a 4 x 4 matrix by products of 2 x 2 determinants.
static void invert4(double m[4][4], double out[4][4])
{
    const double a0 = m[0][0] * m[1][1] - m[0][1] * m[1][0], a1 = m[0][0] * m[1][2] - m[0][2] * m[1][0],
                 a2 = m[0][0] * m[1][3] - m[0][3] * m[1][0], a3 = m[0][1] * m[1][2] - m[0][2] * m[1][1],
                 a4 = m[0][1] * m[1][3] - m[0][3] * m[1][1], a5 = m[0][2] * m[1][3] - m[0][3] * m[1][2];
    const double b0 = m[2][0] * m[3][1] - m[2][1] * m[3][0], b1 = m[2][0] * m[3][2] - m[2][2] * m[3][0],
                 b2 = m[2][0] * m[3][3] - m[2][3] * m[3][0], b3 = m[2][1] * m[3][2] - m[2][2] * m[3][1],
                 b4 = m[2][1] * m[3][3] - m[2][3] * m[3][1], b5 = m[2][2] * m[3][3] - m[2][3] * m[3][2];
    const double over = 1 / (a0 * b5 - a1 * b4 + a2 * b3 + a3 * b2 - a4 * b1 + a5 * b0);
    out[0][0] = over * (m[1][1] * b5 - m[1][2] * b4 + m[1][3] * b3);
    out[0][1] = over * (m[0][2] * b4 - m[0][1] * b5 - m[0][3] * b3);
    out[0][2] = over * (m[3][1] * a5 - m[3][2] * a4 + m[3][3] * a3);
    out[0][3] = over * (m[2][2] * a4 - m[2][1] * a5 - m[2][3] * a3);
    out[1][1] = over * (m[0][0] * b5 - m[0][2] * b2 + m[0][3] * b1);
    out[1][2] = over * (m[3][2] * a2 - m[3][0] * a5 - m[3][3] * a1);
    out[1][3] = over * (m[2][0] * a5 - m[2][2] * a2 + m[2][3] * a1);
    out[2][2] = over * (m[3][0] * a4 - m[3][1] * a2 + m[3][3] * a0);
    out[2][3] = over * (m[2][1] * a2 - m[2][0] * a4 - m[2][3] * a0);
    out[3][3] = over * (m[2][0] * a3 - m[2][1] * a1 + m[2][2] * a0);
    for (int k = 0; k < 16; k++)
        if (k / 4 > k % 4) out[k / 4][k % 4] = out[k % 4][k / 4];
}

static void multiply4(double a[4][4], double b[4][4], double out[4][4])
{
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            out[row][column] = a[row][0] * b[0][column] + a[row][1] * b[1][column] +
                               a[row][2] * b[2][column] + a[row][3] * b[3][column];
}

// p_j . (A^-1)_,k p + p_j . A^-1 p_,k for an axis k, with (A^-1)_,k = -A^-1 A_,k A^-1; what is left of p_j.
static void derive_inverse(const dlp_around *a, double inverse[4][4], int axis, double out[4])
{
    const double *const d[3] = {a->x, a->y, a->z};
    double change[4][4], half[4][4], derived[4][4];
    sum_products(a, a->slope, d[axis], change);
    multiply4(inverse, change, half);
    multiply4(half, inverse, derived);
    for (int k = 0; k < 4; k++) out[k] = inverse[axis + 1][k] - derived[0][k];
}

static void linear_book_at(const dlp_around *a, dlp_vec3 *out)
{
    double m[4][4], inverse[4][4], ck[3][4];
    sum_products(a, a->weight, NULL, m);
    m[0][0] += a->weight_here;
    invert4(m, inverse);
    for (int k = 0; k < 3; k++) derive_inverse(a, inverse, k, ck[k]);
    const double *c = inverse[0];
    for (int32_t n = 0; n < a->count; n++) {
        const double x = a->x[n], y = a->y[n], z = a->z[n], w = a->weight[n];
        const double slope = a->slope[n] * (c[0] + c[1] * x + c[2] * y + c[3] * z);
        out[n] = dlp_vec(w * (ck[0][0] + ck[0][1] * x + ck[0][2] * y + ck[0][3] * z) + slope * x,
                         w * (ck[1][0] + ck[1][1] * x + ck[1][2] * y + ck[1][3] * z) + slope * y,
                         w * (ck[2][0] + ck[2][1] * x + ck[2][2] * y + ck[2][3] * z) + slope * z);
    }
}

// With as little as it takes.

// A: the sums of W, W d and W d d^T. Solved by its first row, then the 3 x 3 rest.
typedef struct normal_equations {
    double over;       /* 1 / sum W */
    dlp_vec3 mean;     /* sum W d / sum W */
    double inverse[9]; /* of sum W d d^T - mean mean^T sum W */
} normal_equations;

static void find_equations(const dlp_around *a, normal_equations *out)
{
    double w = a->weight_here, x = 0, y = 0, z = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    for (int32_t n = 0; n < a->count; n++) {
        const double wx = a->weight[n] * a->x[n], wy = a->weight[n] * a->y[n], wz = a->weight[n] * a->z[n];
        w += a->weight[n];
        x += wx;
        y += wy;
        z += wz;
        xx += wx * a->x[n];
        xy += wx * a->y[n];
        xz += wx * a->z[n];
        yy += wy * a->y[n];
        yz += wy * a->z[n];
        zz += wz * a->z[n];
    }
    const double over = 1 / w, mx = x * over, my = y * over, mz = z * over;
    const double m[9] = {xx - mx * x, xy - mx * y, xz - mx * z, xy - mx * y, yy - my * y,
                         yz - my * z, xz - mx * z, yz - my * z, zz - mz * z};
    dlp_invert3(m, out->inverse);
    out->over = over;
    out->mean = dlp_vec(mx, my, mz);
}

// Coefficients of 1 and of x, y, z.
typedef struct linear_terms {
    double one;
    dlp_vec3 d;
} linear_terms;

static linear_terms solve(const normal_equations *a, double one, dlp_vec3 d)
{
    const dlp_vec3 slope = dlp_apply3(a->inverse, dlp_along(d, a->mean, -one));
    return (linear_terms){one * a->over - dlp_dot(a->mean, slope), slope};
}

static double value_of(const linear_terms *c, double x, double y, double z)
{
    return c->one + c->d.x * x + c->d.y * y + c->d.z * z;
}

// A_k c for the three axes k, A_k = sum W_k p p^T the derivative of A: sum W_k (c . p) p, W_k = slope d_k.
static void derive(const dlp_around *a, const linear_terms *c, linear_terms out[3])
{
    double x = 0, y = 0, z = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    for (int32_t n = 0; n < a->count; n++) {
        const double w = a->slope[n] * value_of(c, a->x[n], a->y[n], a->z[n]);
        const double wx = w * a->x[n], wy = w * a->y[n], wz = w * a->z[n];
        x += wx;
        y += wy;
        z += wz;
        xx += wx * a->x[n];
        xy += wx * a->y[n];
        xz += wx * a->z[n];
        yy += wy * a->y[n];
        yz += wy * a->z[n];
        zz += wz * a->z[n];
    }
    out[0] = (linear_terms){x, dlp_vec(xx, xy, xz)};
    out[1] = (linear_terms){y, dlp_vec(xy, yy, yz)};
    out[2] = (linear_terms){z, dlp_vec(xz, yz, zz)};
}

// phi_j = c . p_j W_j with A c = p(x), p(x_i) = (1, 0, 0, 0); along axis k
//     phi_j,k = c_k . p_j W_j + c . p_j W_j,k,  A c_k = p_,k - A_k c:
// the derivative of A^-1 without forming it.  [belytschko1994]
static void linear_at(const dlp_around *a, dlp_vec3 *out)
{
    normal_equations equations;
    linear_terms change[3], ck[3];
    find_equations(a, &equations);
    const linear_terms c = solve(&equations, 1, dlp_vec(0, 0, 0));
    derive(a, &c, change);
    for (int k = 0; k < 3; k++) {
        const dlp_vec3 axis = dlp_vec(k == 0, k == 1, k == 2);
        ck[k] = solve(&equations, -change[k].one, dlp_sub(axis, change[k].d));
    }
    for (int32_t n = 0; n < a->count; n++) {
        const double x = a->x[n], y = a->y[n], z = a->z[n], w = a->weight[n];
        const double slope = a->slope[n] * value_of(&c, x, y, z);
        out[n] = dlp_vec(w * value_of(&ck[0], x, y, z) + slope * x, w * value_of(&ck[1], x, y, z) + slope * y,
                         w * value_of(&ck[2], x, y, z) + slope * z);
    }
}

// All particles.

DLP_GRADIENTS_OF_ALL(linear)
DLP_GRADIENTS_OF_ALL(linear_book)
