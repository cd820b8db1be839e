#include "formulas.h"
#include "base/target.h"
#include "matter/elastic.h"
#include "matter/plastic.h"
#include "matter/principal.h"

#if defined(DLP_WIDE)
#include "motion/solid/solid_law_wide.h"
enum { LANES = DLP_LANES };
#define LANE(x, k) (x)[k]
#else
enum { LANES = 1 };
#define LANE(x, k) (x)
static dlp_elastic law_at(dlp_elastic_law law, dlp_lame m, dlp_t3 h, dlp_rotation q)
{
    (void)q;
    const dlp_t3 f = dlp_t3_shift(h, 1);
    const dlp_s3 e = dlp_green(h);
    if (dlp_elastic_is_plain(f, e, (float)dlp_elastic_least(law)))
        return law == DLP_ELASTIC_STVK ? dlp_stvk(m, f, e) : dlp_neo_hookean(m, f, e);
    const double in[9] = {(double)h.xx, (double)h.xy, (double)h.xz, (double)h.yx, (double)h.yy,
                          (double)h.yz, (double)h.zx, (double)h.zy, (double)h.zz};
    double p[9];
    const float energy = (float)dlp_elastic_at(law, (double)m.mu, (double)m.lambda, in, p);
    return (dlp_elastic){energy,
                         {(float)p[0], (float)p[1], (float)p[2], (float)p[3], (float)p[4], (float)p[5],
                          (float)p[6], (float)p[7], (float)p[8]}};
}
#endif

static void write_elastic(real *out, dlp_elastic a)
{
    const real all[10] = {a.energy,    a.stress.xx, a.stress.xy, a.stress.xz, a.stress.yx,
                          a.stress.yy, a.stress.yz, a.stress.zx, a.stress.zy, a.stress.zz};
    for (int k = 0; k < 10; k++) out[k] = all[k];
}

static void evaluate(const real *in, real *out)
{
    const real one = real_of(1), nothing = real_of(0);
    const dlp_t3 h = {in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8]};
    const dlp_t3 f = dlp_t3_shift(h, one);
    const dlp_lame m = {in[9], in[10]};
    const dlp_s3 e = dlp_green(h), none = {nothing, nothing, nothing, nothing, nothing, nothing};
    const dlp_fiber fiber = {{real_of(0.6f), nothing, real_of(0.8f)}, m.mu};
    dlp_rotation q = dlp_rotation_identity();
    for (int k = 0; k < 4; k++) q = dlp_polar_step(q, f);
    const dlp_s3 e_p = dlp_plastic_additive(e, none, real_of(0.1f), real_of(0.5f), real_of(0.3f));

    write_elastic(out + FORMULA_NEO_HOOKEAN, dlp_neo_hookean(m, f, e));
    write_elastic(out + FORMULA_STVK, dlp_stvk(m, f, e));
    write_elastic(out + FORMULA_COROTATED, dlp_corotated(m, h, q));
    write_elastic(out + FORMULA_FIBER, dlp_fiber_law(fiber, f, e));
    const real rest[] = {
        q.w,
        q.x,
        q.y,
        q.z,
        e_p.xx,
        e_p.yy,
        e_p.zz,
        e_p.xy,
        e_p.xz,
        e_p.yz,
        real_select(dlp_elastic_is_plain(f, e, real_of(DLP_NEO_HOOKEAN_LEAST)), one, nothing),
        real_select(dlp_elastic_is_plain(f, e, real_of(DLP_STVK_LEAST)), one, nothing),
        real_select(dlp_plastic_may_flow(e, real_of(0.1f)), one, nothing)};
    write_elastic(out + FORMULA_LAWS, law_at(DLP_ELASTIC_NEO_HOOKEAN, m, h, q));
    write_elastic(out + FORMULA_LAWS + 10, law_at(DLP_ELASTIC_STVK, m, h, q));
    for (int k = FORMULA_TURN; k < FORMULA_LAWS; k++) out[k] = rest[k - FORMULA_TURN];
}

void DLP_ON_TARGET(formulas)(int32_t count, const float *inputs, float *outputs)
{
    for (int32_t i = 0; i < count; i += LANES) {
        real in[FORMULA_INPUTS], out[FORMULA_OUTPUTS];
        for (int k = 0; k < FORMULA_INPUTS; k++)
            for (int lane = 0; lane < LANES; lane++)
                LANE(in[k], lane) = inputs[(i + lane) * FORMULA_INPUTS + k];
        evaluate(in, out);
        for (int k = 0; k < FORMULA_OUTPUTS; k++)
            for (int lane = 0; lane < LANES; lane++)
                outputs[(i + lane) * FORMULA_OUTPUTS + k] = LANE(out[k], lane);
    }
}
