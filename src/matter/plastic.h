/* Plasticity: F = F_e F_p with det F_p = 1, the energy a function of F_e. The state is G = F_p^-1 - I,
 * all-zero where nothing has flowed. What yields is the deviator of the logarithmic strain ln U_e by its
 * equivalent strain sqrt(2/3) |dev ln U_e|, which in a pull at constant volume is the logarithm of the
 * stretch; so pressure never yields, and flow keeps the volume. [simo1992]
 * A sub-step of dt makes the share r dt / (1 + r dt) of what exceeds the yield strain plastic: the implicit
 * step of d(excess)/dt = -r excess. dlp_plastic_flow (principal.h) does it for one particle. */
#ifndef DLP_MATTER_PLASTIC_H
#define DLP_MATTER_PLASTIC_H

#include "matter/tensor.h"

/* F_e - I = H + G + H G */
DLP_FORMULA dlp_t3 dlp_plastic_elastic_part(dlp_t3 h, dlp_t3 g)
{
    return dlp_t3_add(dlp_t3_add(h, g), dlp_t3_product(h, g));
}

/* P = dPsi/dF = P_e F_p^-T, of the stress P_e = dPsi/dF_e. */
DLP_FORMULA dlp_t3 dlp_plastic_stress(dlp_t3 p_e, dlp_t3 g)
{
    return dlp_t3_add(p_e, dlp_t3_product_transposed(p_e, g));
}

/* The share of the excess that flows in a sub-step; `rate_dt` = r dt >= 0. */
DLP_FORMULA real dlp_plastic_share(real rate_dt)
{
    return rate_dt / (DLP_R(1.0) + rate_dt);
}

/* Whether a particle with Green's strain e of F_e may flow; where not, it does not. With the squares c_i of
 * the stretches and (ln a - ln b)^2 <= (a - b)^2 / (a b), |dev ln U|^2 = sum_(i<j) (ln c_i - ln c_j)^2 / 12
 * <= (tr C tr C^-1 - 9) / 12, which is tight where strains are small. With B = 2 E and its invariants the
 * right side times 12 det C is 2 (b_1^2 - 3 b_2) + b_1 b_2 - 9 b_3. */
DLP_FORMULA real_mask dlp_plastic_may_flow(dlp_s3 e, real yield)
{
    const dlp_s3 b = dlp_s3_mul(e, real_of(DLP_R(2.0))), c = dlp_s3_cofactor(b);
    const real b_1 = dlp_s3_trace(b), b_2 = dlp_s3_trace(c), b_3 = b.xx * c.xx + b.xy * c.xy + b.xz * c.xz;
    const real spread = DLP_R(2.0) * (b_1 * b_1 - DLP_R(3.0) * b_2) + b_1 * b_2 - DLP_R(9.0) * b_3;
    const real det_c = DLP_R(1.0) + b_1 + b_2 + b_3;
    return spread >= DLP_R(17.99) * yield * yield * det_c; /* 18, less what rounding may add */
}

/* The source's form, for comparison: E = E_e + E_p, with a yield on |E_e|. It yields under pure pressure and
 * loses volume. Returns the new E_p, whose norm is at most `limit`; the law is dlp_stvk with E - E_p. */
DLP_FORMULA dlp_s3 dlp_plastic_additive(dlp_s3 e, dlp_s3 e_p, real yield, real share, real limit)
{
    const real tiny = real_of(DLP_R(1e-30));
    const dlp_s3 e_e = dlp_s3_sub(e, e_p);
    const real size = real_sqrt(dlp_s3_dot(e_e, e_e));
    const real excess = real_max(size - yield, real_of(DLP_R(0.0))) / real_max(size, tiny);
    const dlp_s3 next = dlp_s3_add(e_p, dlp_s3_mul(e_e, share * excess));
    const real plastic = real_sqrt(dlp_s3_dot(next, next));
    return dlp_s3_mul(next, real_min(limit / real_max(plastic, tiny), real_of(DLP_R(1.0))));
}

#endif
