/* Small vectors and 3 x 3 matrices of formulas, by value: deformation gradients, stresses, strains. Entry xy
 * of a general matrix is row x, column y. */
#ifndef DLP_MATTER_TENSOR_H
#define DLP_MATTER_TENSOR_H

#include "matter/real.h"

typedef struct dlp_v3 {
    real x, y, z;
} dlp_v3;
typedef struct dlp_t3 {
    real xx, xy, xz, yx, yy, yz, zx, zy, zz;
} dlp_t3;
/* A symmetric matrix: the diagonal, then what lies above it. */
typedef struct dlp_s3 {
    real xx, yy, zz, xy, xz, yz;
} dlp_s3;

DLP_FORMULA dlp_v3 dlp_v3_sub(dlp_v3 a, dlp_v3 b)
{
    const dlp_v3 out = {a.x - b.x, a.y - b.y, a.z - b.z};
    return out;
}
DLP_FORMULA dlp_v3 dlp_v3_mul(dlp_v3 a, real s)
{
    const dlp_v3 out = {a.x * s, a.y * s, a.z * s};
    return out;
}
DLP_FORMULA real dlp_v3_dot(dlp_v3 a, dlp_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
DLP_FORMULA real dlp_v3_length(dlp_v3 a)
{
    return real_sqrt(dlp_v3_dot(a, a));
}

DLP_FORMULA dlp_t3 dlp_t3_diagonal(real x, real y, real z)
{
    const real o = real_of(DLP_R(0.0));
    const dlp_t3 out = {x, o, o, o, y, o, o, o, z};
    return out;
}
DLP_FORMULA dlp_t3 dlp_t3_identity(void)
{
    const real one = real_of(DLP_R(1.0));
    return dlp_t3_diagonal(one, one, one);
}

DLP_FORMULA dlp_t3 dlp_t3_add(dlp_t3 a, dlp_t3 b)
{
    const dlp_t3 out = {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
                        a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
    return out;
}
DLP_FORMULA dlp_t3 dlp_t3_sub(dlp_t3 a, dlp_t3 b)
{
    const dlp_t3 out = {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yx - b.yx, a.yy - b.yy,
                        a.yz - b.yz, a.zx - b.zx, a.zy - b.zy, a.zz - b.zz};
    return out;
}
DLP_FORMULA dlp_t3 dlp_t3_mul(dlp_t3 a, real s)
{
    const dlp_t3 out = {a.xx * s, a.xy * s, a.xz * s, a.yx * s, a.yy * s,
                        a.yz * s, a.zx * s, a.zy * s, a.zz * s};
    return out;
}
/* a + s I */
DLP_FORMULA dlp_t3 dlp_t3_shift(dlp_t3 a, real s)
{
    const dlp_t3 out = {a.xx + s, a.xy, a.xz, a.yx, a.yy + s, a.yz, a.zx, a.zy, a.zz + s};
    return out;
}
DLP_FORMULA dlp_t3 dlp_t3_transpose(dlp_t3 a)
{
    const dlp_t3 out = {a.xx, a.yx, a.zx, a.xy, a.yy, a.zy, a.xz, a.yz, a.zz};
    return out;
}

/* a b */
DLP_FORMULA dlp_t3 dlp_t3_product(dlp_t3 a, dlp_t3 b)
{
    const dlp_t3 out = {a.xx * b.xx + a.xy * b.yx + a.xz * b.zx, a.xx * b.xy + a.xy * b.yy + a.xz * b.zy,
                        a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.yx * b.xx + a.yy * b.yx + a.yz * b.zx,
                        a.yx * b.xy + a.yy * b.yy + a.yz * b.zy, a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
                        a.zx * b.xx + a.zy * b.yx + a.zz * b.zx, a.zx * b.xy + a.zy * b.yy + a.zz * b.zy,
                        a.zx * b.xz + a.zy * b.yz + a.zz * b.zz};
    return out;
}
/* a^T b */
DLP_FORMULA dlp_t3 dlp_t3_transposed_product(dlp_t3 a, dlp_t3 b)
{
    const dlp_t3 out = {a.xx * b.xx + a.yx * b.yx + a.zx * b.zx, a.xx * b.xy + a.yx * b.yy + a.zx * b.zy,
                        a.xx * b.xz + a.yx * b.yz + a.zx * b.zz, a.xy * b.xx + a.yy * b.yx + a.zy * b.zx,
                        a.xy * b.xy + a.yy * b.yy + a.zy * b.zy, a.xy * b.xz + a.yy * b.yz + a.zy * b.zz,
                        a.xz * b.xx + a.yz * b.yx + a.zz * b.zx, a.xz * b.xy + a.yz * b.yy + a.zz * b.zy,
                        a.xz * b.xz + a.yz * b.yz + a.zz * b.zz};
    return out;
}
/* a b^T */
DLP_FORMULA dlp_t3 dlp_t3_product_transposed(dlp_t3 a, dlp_t3 b)
{
    const dlp_t3 out = {a.xx * b.xx + a.xy * b.xy + a.xz * b.xz, a.xx * b.yx + a.xy * b.yy + a.xz * b.yz,
                        a.xx * b.zx + a.xy * b.zy + a.xz * b.zz, a.yx * b.xx + a.yy * b.xy + a.yz * b.xz,
                        a.yx * b.yx + a.yy * b.yy + a.yz * b.yz, a.yx * b.zx + a.yy * b.zy + a.yz * b.zz,
                        a.zx * b.xx + a.zy * b.xy + a.zz * b.xz, a.zx * b.yx + a.zy * b.yy + a.zz * b.yz,
                        a.zx * b.zx + a.zy * b.zy + a.zz * b.zz};
    return out;
}
/* a b */
DLP_FORMULA dlp_t3 dlp_t3_product_symmetric(dlp_t3 a, dlp_s3 b)
{
    const dlp_t3 out = {a.xx * b.xx + a.xy * b.xy + a.xz * b.xz, a.xx * b.xy + a.xy * b.yy + a.xz * b.yz,
                        a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.yx * b.xx + a.yy * b.xy + a.yz * b.xz,
                        a.yx * b.xy + a.yy * b.yy + a.yz * b.yz, a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
                        a.zx * b.xx + a.zy * b.xy + a.zz * b.xz, a.zx * b.xy + a.zy * b.yy + a.zz * b.yz,
                        a.zx * b.xz + a.zy * b.yz + a.zz * b.zz};
    return out;
}
/* a v */
DLP_FORMULA dlp_v3 dlp_t3_apply(dlp_t3 a, dlp_v3 v)
{
    const dlp_v3 out = {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.yx * v.x + a.yy * v.y + a.yz * v.z,
                        a.zx * v.x + a.zy * v.y + a.zz * v.z};
    return out;
}
/* a^T v */
DLP_FORMULA dlp_v3 dlp_t3_apply_transposed(dlp_t3 a, dlp_v3 v)
{
    const dlp_v3 out = {a.xx * v.x + a.yx * v.y + a.zx * v.z, a.xy * v.x + a.yy * v.y + a.zy * v.z,
                        a.xz * v.x + a.yz * v.y + a.zz * v.z};
    return out;
}
/* a b^T */
DLP_FORMULA dlp_t3 dlp_t3_outer(dlp_v3 a, dlp_v3 b)
{
    const dlp_t3 out = {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y,
                        a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
    return out;
}

DLP_FORMULA real dlp_t3_trace(dlp_t3 a)
{
    return a.xx + a.yy + a.zz;
}
/* Sum of the products of the entries; with itself the square of the Frobenius norm. */
DLP_FORMULA real dlp_t3_dot(dlp_t3 a, dlp_t3 b)
{
    return (a.xx * b.xx + a.xy * b.xy + a.xz * b.xz) + (a.yx * b.yx + a.yy * b.yy + a.yz * b.yz) +
           (a.zx * b.zx + a.zy * b.zy + a.zz * b.zz);
}
/* det(a) a^-T, also where a has no inverse: the derivative of det. */
DLP_FORMULA dlp_t3 dlp_t3_cofactor(dlp_t3 a)
{
    const dlp_t3 out = {a.yy * a.zz - a.yz * a.zy, a.yz * a.zx - a.yx * a.zz, a.yx * a.zy - a.yy * a.zx,
                        a.zy * a.xz - a.zz * a.xy, a.zz * a.xx - a.zx * a.xz, a.zx * a.xy - a.zy * a.xx,
                        a.xy * a.yz - a.xz * a.yy, a.xz * a.yx - a.xx * a.yz, a.xx * a.yy - a.xy * a.yx};
    return out;
}
DLP_FORMULA real dlp_t3_determinant_by(dlp_t3 a, dlp_t3 cofactor)
{
    return a.xx * cofactor.xx + a.xy * cofactor.xy + a.xz * cofactor.xz;
}
DLP_FORMULA real dlp_t3_determinant(dlp_t3 a)
{
    return dlp_t3_determinant_by(a, dlp_t3_cofactor(a));
}
/* a^-T; a must have an inverse. */
DLP_FORMULA dlp_t3 dlp_t3_inverse_transpose(dlp_t3 a)
{
    const dlp_t3 cofactor = dlp_t3_cofactor(a);
    return dlp_t3_mul(cofactor, DLP_R(1.0) / dlp_t3_determinant_by(a, cofactor));
}

DLP_FORMULA dlp_s3 dlp_s3_add(dlp_s3 a, dlp_s3 b)
{
    const dlp_s3 out = {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
    return out;
}
DLP_FORMULA dlp_s3 dlp_s3_sub(dlp_s3 a, dlp_s3 b)
{
    const dlp_s3 out = {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
    return out;
}
DLP_FORMULA dlp_s3 dlp_s3_mul(dlp_s3 a, real s)
{
    const dlp_s3 out = {a.xx * s, a.yy * s, a.zz * s, a.xy * s, a.xz * s, a.yz * s};
    return out;
}
/* a + s I */
DLP_FORMULA dlp_s3 dlp_s3_shift(dlp_s3 a, real s)
{
    const dlp_s3 out = {a.xx + s, a.yy + s, a.zz + s, a.xy, a.xz, a.yz};
    return out;
}
/* a v */
DLP_FORMULA dlp_v3 dlp_s3_apply(dlp_s3 a, dlp_v3 v)
{
    const dlp_v3 out = {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
                        a.xz * v.x + a.yz * v.y + a.zz * v.z};
    return out;
}
DLP_FORMULA real dlp_s3_trace(dlp_s3 a)
{
    return a.xx + a.yy + a.zz;
}
/* Sum of the products of all nine entries. */
DLP_FORMULA real dlp_s3_dot(dlp_s3 a, dlp_s3 b)
{
    return (a.xx * b.xx + a.yy * b.yy + a.zz * b.zz) + DLP_R(2.0) * (a.xy * b.xy + a.xz * b.xz + a.yz * b.yz);
}
/* det(a) a^-1 */
DLP_FORMULA dlp_s3 dlp_s3_cofactor(dlp_s3 a)
{
    const dlp_s3 out = {a.yy * a.zz - a.yz * a.yz, a.xx * a.zz - a.xz * a.xz, a.xx * a.yy - a.xy * a.xy,
                        a.xz * a.yz - a.xy * a.zz, a.xy * a.yz - a.xz * a.yy, a.xy * a.xz - a.xx * a.yz};
    return out;
}
DLP_FORMULA real dlp_s3_determinant(dlp_s3 a)
{
    const dlp_s3 cofactor = dlp_s3_cofactor(a);
    return a.xx * cofactor.xx + a.xy * cofactor.xy + a.xz * cofactor.xz;
}
/* a^-1; a must have one. */
DLP_FORMULA dlp_s3 dlp_s3_inverse(dlp_s3 a)
{
    const dlp_s3 cofactor = dlp_s3_cofactor(a);
    return dlp_s3_mul(cofactor, DLP_R(1.0) / (a.xx * cofactor.xx + a.xy * cofactor.xy + a.xz * cofactor.xz));
}
/* Whether all eigenvalues are above 0: by Sylvester's criterion, all leading minors are. False for NaN. */
DLP_FORMULA real_mask dlp_s3_is_positive(dlp_s3 a)
{
    const dlp_s3 cofactor = dlp_s3_cofactor(a);
    const real determinant = a.xx * cofactor.xx + a.xy * cofactor.xy + a.xz * cofactor.xz;
    return (a.xx > DLP_R(0.0)) & (cofactor.zz > DLP_R(0.0)) & (determinant > DLP_R(0.0));
}
/* a^T a */
DLP_FORMULA dlp_s3 dlp_s3_of_product(dlp_t3 a)
{
    const dlp_s3 out = {a.xx * a.xx + a.yx * a.yx + a.zx * a.zx, a.xy * a.xy + a.yy * a.yy + a.zy * a.zy,
                        a.xz * a.xz + a.yz * a.yz + a.zz * a.zz, a.xx * a.xy + a.yx * a.yy + a.zx * a.zy,
                        a.xx * a.xz + a.yx * a.yz + a.zx * a.zz, a.xy * a.xz + a.yy * a.yz + a.zy * a.zz};
    return out;
}
/* The symmetric half, (a + a^T) / 2. */
DLP_FORMULA dlp_s3 dlp_s3_half(dlp_t3 a)
{
    const dlp_s3 out = {
        a.xx, a.yy, a.zz, DLP_R(0.5) * (a.xy + a.yx), DLP_R(0.5) * (a.xz + a.zx), DLP_R(0.5) * (a.yz + a.zy)};
    return out;
}
DLP_FORMULA dlp_t3 dlp_s3_full(dlp_s3 a)
{
    const dlp_t3 out = {a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz};
    return out;
}

#endif
