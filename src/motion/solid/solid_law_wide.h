/* The elastic law of eight particles at once, whatever their deformation: the tensor forms where no principal
 * stretch is below the law's least, one by one by their stretches where one is. For files that are compiled
 * once a target. */
#ifndef DLP_MOTION_SOLID_LAW_WIDE_H
#define DLP_MOTION_SOLID_LAW_WIDE_H

#ifndef DLP_WIDE
#define DLP_WIDE
#endif
#include "matter/elastic.h"
#include "matter/principal.h"

static inline void law_of_lane(dlp_elastic_law law, dlp_lame m, dlp_t3 h, int lane, dlp_elastic *out)
{
    const real in[9] = {h.xx, h.xy, h.xz, h.yx, h.yy, h.yz, h.zx, h.zy, h.zz};
    double h_lane[9], stress[9];
    for (int k = 0; k < 9; k++) h_lane[k] = (double)in[k][lane];
    const double energy = dlp_elastic_at(law, (double)m.mu[lane], (double)m.lambda[lane], h_lane, stress);
    real *const to[9] = {&out->stress.xx, &out->stress.xy, &out->stress.xz, &out->stress.yx, &out->stress.yy,
                         &out->stress.yz, &out->stress.zx, &out->stress.zy, &out->stress.zz};
    out->energy[lane] = (float)energy;
    for (int k = 0; k < 9; k++) (*to[k])[lane] = (float)stress[k];
}

/* Psi and P of F = I + h, fibres apart. q is the rotation of F, which `corotated` alone reads. */
DLP_INLINE dlp_elastic law_at(dlp_elastic_law law, dlp_lame m, dlp_t3 h, dlp_rotation q)
{
    if (law == DLP_ELASTIC_COROTATED) return dlp_corotated(m, h, q);
    const bool is_stvk = law == DLP_ELASTIC_STVK;
    const dlp_t3 f = dlp_t3_shift(h, real_of(1));
    const dlp_s3 e = dlp_green(h);
    dlp_elastic out = is_stvk ? dlp_stvk(m, f, e) : dlp_neo_hookean(m, f, e);
    const real least = real_of(is_stvk ? DLP_STVK_LEAST : DLP_NEO_HOOKEAN_LEAST);
    uint32_t others = ~dlp_wide_bits(dlp_elastic_is_plain(f, e, least)) & 0xff;
    for (; others != 0; others &= others - 1) law_of_lane(law, m, h, __builtin_ctz(others), &out);
    return out;
}

#endif
