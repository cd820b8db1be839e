/* The singular value decomposition of 3 x 3 matrices, with rotations on both sides. */
#ifndef DLP_BASE_SVD_H
#define DLP_BASE_SVD_H

/* F = u diag(stretch) v^T, for any F (by rows). u and v (by columns: u[row][k]) are rotations; the stretches
 * fall in absolute value, the first two are not negative, and the last has the sign of det F. F = 0 gives
 * identities.
 */
typedef struct dlp_svd3 {
    double u[3][3], v[3][3], stretch[3];
} dlp_svd3;

/* One-sided: the stretches are right to rounding of the largest, and u, v orthogonal to rounding, however
 * flat F is.  [hestenes1958] */
dlp_svd3 dlp_svd(const double f[9]);

/* out = u diag(d) v^T, by rows. */
void dlp_svd_compose(const dlp_svd3 *svd, const double d[3], double out[9]);

#endif
