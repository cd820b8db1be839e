#ifndef DLP_BASE_EIGEN_H
#define DLP_BASE_EIGEN_H

/* Eigenvalues (on the diagonal of m) and eigenvectors (columns) of a symmetric matrix.  [jacobi1846] */
void dlp_diagonalize(double m[3][3], double out_vectors[3][3]);

#endif
