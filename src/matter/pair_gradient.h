/* Gradients of fields from neighbours: sum V_j (f_j - f_i) grad W [monaghan1992]. They decide
 * where particles split and merge. */
#ifndef DLP_MATTER_PAIR_GRADIENT_H
#define DLP_MATTER_PAIR_GRADIENT_H

#include "matter/pair.h"

/* V0_j grad W: the sum vanishes inside, and points out of the substance at a free surface. */
DLP_FORMULA dlp_v3 dlp_pair_edge(real volume0_j, real slope, dlp_v3 x)
{
    return dlp_v3_mul(x, volume0_j * slope);
}

/* -V_j grad W over x_ij: the weight of f_i - f_j. `shape_slope` is the slope over its norm. */
DLP_FORMULA real dlp_pair_gradient_weight(real volume_j, real slope_norm, real shape_slope)
{
    return -volume_j * slope_norm * shape_slope;
}
/* The velocity's: weight v_ij x_ij^T; row: component, column: direction. */
DLP_FORMULA dlp_t3 dlp_pair_velocity_gradient(real weight, dlp_v3 v_ij, dlp_v3 x)
{
    return dlp_t3_outer(dlp_v3_mul(v_ij, weight), x);
}
/* The compression's; `jump` = delta_j - delta_i. */
DLP_FORMULA dlp_v3 dlp_pair_compression_gradient(real weight, real jump, dlp_v3 x)
{
    return dlp_v3_mul(x, -(weight * jump));
}

/* sqrt(2) |D|, 1/s, D the symmetric part of the velocity gradient: the rate of a simple shear, 0 for
 * rotation. */
DLP_FORMULA real dlp_strain_rate(dlp_t3 gradient)
{
    const real xx = gradient.xx, yy = gradient.yy, zz = gradient.zz;
    const real xy = DLP_R(0.5) * (gradient.xy + gradient.yx), xz = DLP_R(0.5) * (gradient.xz + gradient.zx);
    const real yz = DLP_R(0.5) * (gradient.yz + gradient.zy), two = real_of(DLP_R(2.0));
    return real_sqrt(two * xx * xx + two * xy * xy + two * xz * xz + two * xy * xy + two * yy * yy +
                     two * yz * yz + two * xz * xz + two * yz * yz + two * zz * zz);
}

/* The part of a gradient of compression that gravity does not explain, 1/m. Gravity explains g rho / bulk at
 * rest and 0 in free fall; the smaller remainder of the two counts. */
DLP_FORMULA real dlp_unexplained_gradient(dlp_v3 gradient, dlp_v3 g, real density, real bulk)
{
    const dlp_v3 at_rest = {g.x * density / bulk, g.y * density / bulk, g.z * density / bulk};
    return real_min(dlp_v3_length(gradient), dlp_v3_length(dlp_v3_sub(gradient, at_rest)));
}

#endif
