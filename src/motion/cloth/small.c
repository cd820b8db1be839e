#include "motion/cloth/small.h"

enum { SWEEPS = 8 };

// Turns rows and columns p, q of `a` so that a[p][q] vanishes, and the eigenvectors with them.
static void turn(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0) return;
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double ap = a[k][p], aq = a[k][q];
        a[k][p] = c * ap - s * aq;
        a[k][q] = s * ap + c * aq;
    }
    for (int k = 0; k < 3; k++) {
        const double ap = a[p][k], aq = a[q][k], vp = v[k][p], vq = v[k][q];
        a[p][k] = c * ap - s * aq;
        a[q][k] = s * ap + c * aq;
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
}

dlp_sym3 dlp_sym3_root(dlp_sym3 in)
{
    double a[3][3] = {{in.xx, in.xy, in.xz}, {in.xy, in.yy, in.yz}, {in.xz, in.yz, in.zz}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        turn(a, v, 0, 1);
        turn(a, v, 0, 2);
        turn(a, v, 1, 2);
    }
    dlp_sym3 root = {0};
    for (int k = 0; k < 3; k++) {
        const double value = a[k][k] > 0 ? sqrt(a[k][k]) : 0;
        root = dlp_sym3_add(root, dlp_sym3_of(dlp_vec(v[0][k], v[1][k], v[2][k]), value, 0));
    }
    return root;
}
