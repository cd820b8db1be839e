/* The rotation in a deformation: R of F = R S, kept as a unit quaternion from step to step and improved by a
 * fixed number of iterations. No denominator vanishes: a flat, an inverted and a zero F are allowed; where F
 * does not determine a rotation, the quaternion keeps its own. */
#ifndef DLP_MATTER_POLAR_H
#define DLP_MATTER_POLAR_H

#include "matter/tensor.h"

/* A unit quaternion w + (x, y, z); all-zero is not one. */
typedef struct dlp_rotation {
    real w, x, y, z;
} dlp_rotation;

DLP_FORMULA dlp_rotation dlp_rotation_identity(void)
{
    const real o = real_of(DLP_R(0.0));
    const dlp_rotation out = {real_of(DLP_R(1.0)), o, o, o};
    return out;
}

/* R - I, without loss where the rotation is small. */
DLP_FORMULA dlp_t3 dlp_rotation_change(dlp_rotation q)
{
    const real x = DLP_R(2.0) * q.x, y = DLP_R(2.0) * q.y, z = DLP_R(2.0) * q.z;
    const real xx = x * q.x, yy = y * q.y, zz = z * q.z, xy = x * q.y, xz = x * q.z, yz = y * q.z;
    const real wx = x * q.w, wy = y * q.w, wz = z * q.w;
    const dlp_t3 out = {-(yy + zz), xy - wz, xz + wy, xy + wz,   -(xx + zz),
                        yz - wx,    xz - wy, yz + wx, -(xx + yy)};
    return out;
}
DLP_FORMULA dlp_t3 dlp_rotation_matrix(dlp_rotation q)
{
    return dlp_t3_shift(dlp_rotation_change(q), real_of(DLP_R(1.0)));
}

/* First q, then the rotation about omega by an angle whose tangent is |omega|: its quaternion is parallel to
 * (1 + sqrt(1 + omega^2), omega), since tan(a/2) = tan(a) / (1 + sqrt(1 + tan^2 a)). omega is in the
 * rotated frame. */
DLP_FORMULA dlp_rotation dlp_rotation_increment(dlp_rotation q, dlp_v3 omega)
{
    const real square = omega.x * omega.x + omega.y * omega.y + omega.z * omega.z;
    const real w = DLP_R(1.0) + real_sqrt(DLP_R(1.0) + square);
    const dlp_rotation p = {q.w * w - (q.x * omega.x + q.y * omega.y + q.z * omega.z),
                            q.x * w + (q.w * omega.x + (q.y * omega.z - q.z * omega.y)),
                            q.y * w + (q.w * omega.y + (q.z * omega.x - q.x * omega.z)),
                            q.z * w + (q.w * omega.z + (q.x * omega.y - q.y * omega.x))};
    const real length = real_sqrt((p.w * p.w + p.x * p.x) + (p.y * p.y + p.z * p.z));
    const real scale = DLP_R(1.0) / length;
    const dlp_rotation out = {p.w * scale, p.x * scale, p.y * scale, p.z * scale};
    return out;
}

/* One iteration towards the R that makes tr(R^T F) largest. With A = R^T F the slope of that trace over small
 * rotations omega is g, twice the axial vector of A, and its second derivative -K, K = tr(A) I - sym(A).
 *
 * Where K is positive definite: Newton, omega = K^-1 g, which for rotations about one axis is the tangent of
 * the missing angle, so that one iteration is exact [kugelstadt2018]. K is raised by 1e-3 |F|, so that a
 * rotation that F does not determine (rank one) does not come from rounding.
 *
 * Elsewhere: omega = g / max(|tr A|, |F|), which climbs from anywhere but a critical point; a small constant
 * moves it away from there. [muller2016] divides by |tr A| alone, which rotates inverted bodies up to twice
 * too far. */
DLP_FORMULA dlp_rotation dlp_polar_step(dlp_rotation q, dlp_t3 f)
{
    const dlp_t3 a = dlp_t3_transposed_product(dlp_rotation_matrix(q), f);
    const dlp_v3 g = {a.zy - a.yz, a.xz - a.zx, a.yx - a.xy};
    const real trace = dlp_t3_trace(a), size = real_sqrt(dlp_t3_dot(f, f));
    const dlp_s3 k =
        dlp_s3_shift(dlp_s3_mul(dlp_s3_half(a), real_of(DLP_R(-1.0))), trace + DLP_R(1e-3) * size);
    const dlp_s3 c = dlp_s3_cofactor(k);
    const real determinant = k.xx * c.xx + k.xy * c.xy + k.xz * c.xz;
    const real_mask newton =
        (k.xx > DLP_R(0.0)) & (c.zz > DLP_R(0.0)) & (determinant > DLP_R(1e-6) * size * size * size);
    const dlp_v3 cg = dlp_s3_apply(c, g);
    const real inverse = DLP_R(1.0) / real_select(newton, determinant, real_of(DLP_R(1.0)));
    const real nudge = DLP_R(1e-3) * size;
    const real climb = DLP_R(1.0) / (real_max(real_max(trace, -trace), size) + DLP_R(1e-30));
    const dlp_v3 omega = {real_select(newton, cg.x * inverse, (g.x + nudge) * climb),
                          real_select(newton, cg.y * inverse, (g.y + nudge) * climb),
                          real_select(newton, cg.z * inverse, (g.z - nudge) * climb)};
    return dlp_rotation_increment(q, omega);
}

#endif
