#include "motion/cloth/sym3.h"
#include "base/eigen.h"

dlp_sym3 dlp_sym3_root(dlp_sym3 in)
{
    double a[3][3] = {{in.xx, in.xy, in.xz}, {in.xy, in.yy, in.yz}, {in.xz, in.yz, in.zz}};
    double v[3][3];
    dlp_diagonalize(a, v);
    dlp_sym3 root = {0};
    for (int k = 0; k < 3; k++) {
        const double value = a[k][k] > 0 ? sqrt(a[k][k]) : 0;
        root = dlp_sym3_add(root, dlp_sym3_of(dlp_vec(v[0][k], v[1][k], v[2][k]), value, 0));
    }
    return root;
}
