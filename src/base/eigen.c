/* The cyclic Jacobi method: a fixed number of sweeps, so that the same matrix gives the same bits everywhere.
 */
#include "base/eigen.h"

#include <math.h>
#include <string.h>

// Rotates rows and columns p, q of m so that m[p][q] vanishes, and the eigenvectors with them. t = tan of the
// smaller of the two possible angles; a theta that overflows when it is squared gives t = 0.
static void jacobi_rotate(double m[3][3], double vectors[3][3], int p, int q)
{
    if (m[p][q] == 0) return;
    const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b;
        m[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        const double a = m[p][k], b = m[q][k], va = vectors[k][p], vb = vectors[k][q];
        m[p][k] = c * a - s * b;
        m[q][k] = s * a + c * b;
        vectors[k][p] = c * va - s * vb;
        vectors[k][q] = s * va + c * vb;
    }
}

void dlp_diagonalize(double m[3][3], double out_vectors[3][3])
{
    enum { SWEEPS = 12 };  // convergence is quadratic: six are enough for nearly all matrices
    memset(out_vectors, 0, 9 * sizeof(double));
    for (int k = 0; k < 3; k++) out_vectors[k][k] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        jacobi_rotate(m, out_vectors, 0, 1);
        jacobi_rotate(m, out_vectors, 0, 2);
        jacobi_rotate(m, out_vectors, 1, 2);
    }
}
