/* Symmetric 3 x 3 matrices: product, inverse, square root. */
#ifndef DLP_MOTION_CLOTH_SYM3_H
#define DLP_MOTION_CLOTH_SYM3_H

#include "matter/cloth_energy.h"

static inline dlp_sym3 dlp_sym3_inverse(dlp_sym3 a)
{
    const double cx = a.yy * a.zz - a.yz * a.yz, cy = a.xz * a.yz - a.xy * a.zz,
                 cz = a.xy * a.yz - a.xz * a.yy;
    const double s = 1 / (a.xx * cx + a.xy * cy + a.xz * cz);
    return (dlp_sym3){s * cx, s * (a.xx * a.zz - a.xz * a.xz), s * (a.xx * a.yy - a.xy * a.xy), s * cy,
                      s * cz, s * (a.xy * a.xz - a.xx * a.yz)};
}

/* The root of a positive semi-definite matrix, by Jacobi's rotations; rounding below zero counts as zero.
 * [jacobi1846] */
dlp_sym3 dlp_sym3_root(dlp_sym3 a);

static inline bool dlp_sym3_is_identity(dlp_sym3 r)
{
    return r.xx == 1 && r.yy == 1 && r.zz == 1 && r.xy == 0 && r.xz == 0 && r.yz == 0;
}

/* L A L for symmetric L and a block by columns that is symmetric. */
static inline dlp_sym3 dlp_sym3_congruence(dlp_sym3 l, const double *block)
{
    const dlp_sym3 a = {block[0], block[4], block[8], block[3], block[6], block[7]};
    const dlp_vec3 x = dlp_sym3_apply(l, dlp_sym3_apply(a, dlp_vec(l.xx, l.xy, l.xz)));
    const dlp_vec3 y = dlp_sym3_apply(l, dlp_sym3_apply(a, dlp_vec(l.xy, l.yy, l.yz)));
    const dlp_vec3 z = dlp_sym3_apply(l, dlp_sym3_apply(a, dlp_vec(l.xz, l.yz, l.zz)));
    return (dlp_sym3){x.x, y.y, z.z, y.x, z.x, z.y};
}

static inline void dlp_sym3_store(double *block, dlp_sym3 a)
{
    block[0] = a.xx;
    block[1] = block[3] = a.xy;
    block[2] = block[6] = a.xz;
    block[4] = a.yy;
    block[5] = block[7] = a.yz;
    block[8] = a.zz;
}

#endif
