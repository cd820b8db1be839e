/* Elastic laws: the energy per unit of rest volume, Psi(F), and the first Piola-Kirchhoff stress P = dPsi/dF.
 * F is the deformation gradient, H = F - I that of the displacement; mu and lambda are Lame's constants. Each
 * law is written in a strain that is exact where it is small, so that nothing is lost near rest:
 *     P = B (2 mu e + lambda t I)
 *     neo_hookean   B = F^-T  e = E           t = ln J     Psi = mu (tr E - ln J) + lambda/2 ln^2 J
 *     stvk          B = F     e = E           t = tr E     Psi = mu |E|^2 + lambda/2 tr^2 E
 *     corotated     B = R     e = R^T F - I   t = tr e     Psi = mu |e|^2 + lambda/2 tr^2 e
 * with Green's strain E = (F^T F - I)/2. [bonet2008, ch. 6; muller2004]
 *
 * Below a least principal stretch the first two have no sense (ln 0, softening), and there the strain of that
 * stretch goes on along its tangent: Psi is then quadratic in it, never negative, and, with P, continuous;
 * a body crushed to a point is pushed out again [irving2004; stomakhin2012]. The tensor forms here are the
 * laws above that stretch, dlp_elastic_is_plain tells where that is, and the principal forms hold everywhere.
 */
#ifndef DLP_MATTER_ELASTIC_H
#define DLP_MATTER_ELASTIC_H

#include "matter/logarithm.h"
#include "matter/polar.h"
#include "matter/tensor.h"

/* mu > 0; lambda >= 0 for `neo_hookean`, whose energy else has no lower bound. */
typedef struct dlp_lame { /* Pa */
    real mu, lambda;
} dlp_lame;
/* What a law gives; all-zero at rest. */
typedef struct dlp_elastic {
    real energy;   /* J/m3 */
    dlp_t3 stress; /* Pa */
} dlp_elastic;

/* The least stretch of a law's own form; corotated needs none. That of stvk is 1/sqrt 3, where
 * its stress begins to fall again. */
#define DLP_NEO_HOOKEAN_LEAST DLP_R(0.2)
#define DLP_STVK_LEAST        DLP_R(0.57735026918962576)

/* E = sym H + H^T H / 2 */
DLP_FORMULA dlp_s3 dlp_green(dlp_t3 h)
{
    return dlp_s3_add(dlp_s3_half(h), dlp_s3_mul(dlp_s3_of_product(h), real_of(DLP_R(0.5))));
}

/* Whether det F > 0 and all principal stretches are above `least`: F^T F - least^2 I is positive definite.
 * This is exact, where the cheaper sigma_min >= 2 J / |F|^2 (because sigma_min = J / (sigma_1 sigma_2) and
 * sigma_1 sigma_2 <= (sigma_1^2 + sigma_2^2) / 2 <= |F|^2 / 2) gives up at a pull of one half for stvk. */
DLP_FORMULA real_mask dlp_elastic_is_plain(dlp_t3 f, dlp_s3 e, real least)
{
    const dlp_s3 above = dlp_s3_shift(dlp_s3_mul(e, real_of(DLP_R(2.0))), DLP_R(1.0) - least * least);
    return (dlp_t3_determinant(f) > DLP_R(0.0)) & dlp_s3_is_positive(above);
}

/* What the tensor and the principal forms share. */

/* mu |e|^2 + lambda/2 t^2 */
DLP_FORMULA real dlp_hooke_energy(dlp_lame m, real e_square, real t)
{
    return m.mu * e_square + DLP_R(0.5) * m.lambda * t * t;
}
/* mu (tr E - ln J) + lambda/2 ln^2 J, given that difference, which is never negative. */
DLP_FORMULA real dlp_neo_hookean_energy(dlp_lame m, real excess, real log_j)
{
    return m.mu * excess + DLP_R(0.5) * m.lambda * log_j * log_j;
}
/* 2 mu e + lambda t: of one principal strain, or of an entry of the diagonal. */
DLP_FORMULA real dlp_hooke_stress(dlp_lame m, real e, real t)
{
    return DLP_R(2.0) * m.mu * e + m.lambda * t;
}

/* Tensor forms. */

/* b (2 mu e + lambda t I) */
DLP_FORMULA dlp_t3 dlp_elastic_stress(dlp_lame m, dlp_t3 b, dlp_s3 e, real t)
{
    const real twice = DLP_R(2.0) * m.mu;
    const dlp_s3 s = {dlp_hooke_stress(m, e.xx, t),
                      dlp_hooke_stress(m, e.yy, t),
                      dlp_hooke_stress(m, e.zz, t),
                      twice * e.xy,
                      twice * e.xz,
                      twice * e.yz};
    return dlp_t3_product_symmetric(b, s);
}

/* J^2 = det(I + 2 E) = 1 + y with y = 2 tr E + 4 I_2 + 8 I_3, so that tr E - ln J = (y - ln(1 + y))/2 - 2 I_2
 * - 4 I_3 loses nothing; e must be Green's strain of f, and f plain. */
DLP_FORMULA dlp_elastic dlp_neo_hookean(dlp_lame m, dlp_t3 f, dlp_s3 e)
{
    const dlp_s3 c = dlp_s3_cofactor(e);
    const real i_2 = c.xx + c.yy + c.zz, i_3 = e.xx * c.xx + e.xy * c.xy + e.xz * c.xz;
    const real half_y = dlp_s3_trace(e) + (DLP_R(2.0) * i_2 + DLP_R(4.0) * i_3);
    const dlp_log_pair pair = dlp_log1p(DLP_R(2.0) * half_y);
    const real log_j = DLP_R(0.5) * pair.log;
    const real excess = DLP_R(0.5) * pair.rest - (DLP_R(2.0) * i_2 + DLP_R(4.0) * i_3);
    const dlp_elastic out = {dlp_neo_hookean_energy(m, excess, log_j),
                             dlp_elastic_stress(m, dlp_t3_inverse_transpose(f), e, log_j)};
    return out;
}

/* e is Green's strain of f, or what is elastic of it. */
DLP_FORMULA dlp_elastic dlp_stvk(dlp_lame m, dlp_t3 f, dlp_s3 e)
{
    const real t = dlp_s3_trace(e);
    const dlp_elastic out = {dlp_hooke_energy(m, dlp_s3_dot(e, e), t), dlp_elastic_stress(m, f, e, t)};
    return out;
}

/* With the rotation q of F, for any F. e = R^T F - I = R^T H + (R - I)^T is symmetric only as far as q has
 * converged; the formula does not count on it. */
DLP_FORMULA dlp_elastic dlp_corotated(dlp_lame m, dlp_t3 h, dlp_rotation q)
{
    const dlp_t3 change = dlp_rotation_change(q), r = dlp_t3_shift(change, real_of(DLP_R(1.0)));
    const dlp_t3 e = dlp_t3_add(dlp_t3_transposed_product(r, h), dlp_t3_transpose(change));
    const real t = dlp_t3_trace(e);
    const dlp_t3 s = dlp_t3_shift(dlp_t3_mul(e, DLP_R(2.0) * m.mu), m.lambda * t);
    const dlp_elastic out = {dlp_hooke_energy(m, dlp_t3_dot(e, e), t), dlp_t3_product(r, s)};
    return out;
}

/* Principal forms, for any stretches. With s' = max(s, least) the strain of one stretch and its slope are
 *     stvk          e = (s'^2 - 1)/2 + s' (s - s')    slope s'
 *     neo_hookean   l = ln s' + (s - s')/s'           slope 1/s', and e = (s s' - 1)/2 in its stress */

/* What a law gives for three principal stretches; the stress is in their order. */
typedef struct dlp_principal {
    real energy;   /* J/m3 */
    dlp_v3 stress; /* Pa: of P = U diag(stress) V^T where F = U diag(s) V^T */
} dlp_principal;

/* (s^2 - 1)/2 - l(s), never negative; and l(s). */
DLP_FORMULA dlp_log_pair dlp_neo_hookean_strain(real s)
{
    const real up = real_max(s, real_of(DLP_NEO_HOOKEAN_LEAST)), below = s - up;
    const dlp_log_pair pair = dlp_log1p((up - DLP_R(1.0)) * (up + DLP_R(1.0)));
    const dlp_log_pair out = {DLP_R(0.5) * pair.log + below / up,
                              DLP_R(0.5) * pair.rest + (DLP_R(0.5) * below * (s + up) - below / up)};
    return out;
}
/* Principal stress of the stretch s, where t is the sum of all three l. */
DLP_FORMULA real dlp_neo_hookean_pull(dlp_lame m, real s, real t)
{
    const real up = real_max(s, real_of(DLP_NEO_HOOKEAN_LEAST));
    return dlp_hooke_stress(m, DLP_R(0.5) * (s * up - DLP_R(1.0)), t) / up;
}
DLP_FORMULA dlp_principal dlp_neo_hookean_principal(dlp_lame m, dlp_v3 s)
{
    const dlp_log_pair x = dlp_neo_hookean_strain(s.x), y = dlp_neo_hookean_strain(s.y),
                       z = dlp_neo_hookean_strain(s.z);
    const real t = x.log + y.log + z.log;
    const dlp_principal out = {
        dlp_neo_hookean_energy(m, x.rest + y.rest + z.rest, t),
        {dlp_neo_hookean_pull(m, s.x, t), dlp_neo_hookean_pull(m, s.y, t), dlp_neo_hookean_pull(m, s.z, t)}};
    return out;
}

DLP_FORMULA real dlp_stvk_strain(real s)
{
    const real up = real_max(s, real_of(DLP_STVK_LEAST));
    return DLP_R(0.5) * (up - DLP_R(1.0)) * (up + DLP_R(1.0)) + up * (s - up);
}
DLP_FORMULA dlp_principal dlp_stvk_principal(dlp_lame m, dlp_v3 s)
{
    const real x = dlp_stvk_strain(s.x), y = dlp_stvk_strain(s.y), z = dlp_stvk_strain(s.z);
    const real t = x + y + z, least = real_of(DLP_STVK_LEAST);
    const dlp_principal out = {dlp_hooke_energy(m, x * x + y * y + z * z, t),
                               {dlp_hooke_stress(m, x, t) * real_max(s.x, least),
                                dlp_hooke_stress(m, y, t) * real_max(s.y, least),
                                dlp_hooke_stress(m, z, t) * real_max(s.z, least)}};
    return out;
}

DLP_FORMULA dlp_principal dlp_corotated_principal(dlp_lame m, dlp_v3 s)
{
    const real x = s.x - DLP_R(1.0), y = s.y - DLP_R(1.0), z = s.z - DLP_R(1.0), t = x + y + z;
    const dlp_principal out = {
        dlp_hooke_energy(m, x * x + y * y + z * z, t),
        {dlp_hooke_stress(m, x, t), dlp_hooke_stress(m, y, t), dlp_hooke_stress(m, z, t)}};
    return out;
}

/* Fibres. */

/* A family of parallel fibres; no stress and no energy at rest. */
typedef struct dlp_fiber {
    dlp_v3 along; /* unit vector b of the rest shape */
    real beta;    /* Pa: half the modulus it adds along itself */
} dlp_fiber;

/* Psi = beta ((xi^2 - 1)/2 - ln xi), P = beta (1 - 1/xi^2) F b b^T with the stretch xi = |F b|; with
 * y = xi^2 - 1 = 2 b.E b this is beta/2 (y - ln(1 + y)) and beta y/(1 + y) F b b^T. Below xi = 0.2 Psi goes
 * on along its tangent over y, so that P stays continuous and falls to 0 with F b. For any F. */
DLP_FORMULA dlp_elastic dlp_fiber_law(dlp_fiber fiber, dlp_t3 f, dlp_s3 e)
{
    const dlp_v3 b = fiber.along, eb = dlp_s3_apply(e, b);
    const real y = DLP_R(2.0) * (b.x * eb.x + b.y * eb.y + b.z * eb.z);
    const real up = real_max(y, real_of(DLP_R(-0.96))), slope = up / (DLP_R(1.0) + up);
    const real energy = DLP_R(0.5) * fiber.beta * (dlp_log1p(up).rest + slope * (y - up));
    const dlp_v3 fb = dlp_t3_apply(f, b);
    const real pull = fiber.beta * slope;
    const dlp_v3 force = {fb.x * pull, fb.y * pull, fb.z * pull};
    const dlp_elastic out = {energy, dlp_t3_outer(force, b)};
    return out;
}

DLP_FORMULA dlp_elastic dlp_elastic_add(dlp_elastic a, dlp_elastic b)
{
    const dlp_elastic out = {a.energy + b.energy, dlp_t3_add(a.stress, b.stress)};
    return out;
}

#endif
