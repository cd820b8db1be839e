#ifndef DLP_BASE_EIGEN_H
#define DLP_BASE_EIGEN_H

/* Eigenvalues and eigenvectors of a symmetric matrix.  [jacobi1846]
 * In: m is symmetric. Out: its eigenvalues on the diagonal of m, in no particular order, and beside them only
 * rounding; out_vectors[row][k] is the unit eigenvector of m[k][k]. */
void dlp_diagonalize(double m[3][3], double out_vectors[3][3]);

#endif
