/* The formulas of elastic.h and plastic.h for one particle, in double precision: the singular values of F
 * come from base/svd.h, and everything else happens along the principal axes. */
#define DLP_DOUBLE
#include "matter/principal.h"
#include "base/svd.h"
#include "matter/elastic.h"
#include "matter/plastic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double dlp_lame_mu(double youngs_modulus, double poisson_ratio)
{
    return youngs_modulus / (2 * (1 + poisson_ratio));
}

double dlp_lame_lambda(double youngs_modulus, double poisson_ratio)
{
    return youngs_modulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio));
}

double dlp_lame_lambda_sheet(double mu, double lambda)
{
    return 2 * mu * lambda / (lambda + 2 * mu);
}

double dlp_wave_modulus(double mu, double lambda, double fiber_modulus)
{
    return lambda + 2 * mu + fiber_modulus;
}

double dlp_elastic_least(dlp_elastic_law law)
{
    switch (law) {
    case DLP_ELASTIC_NEO_HOOKEAN:
        return DLP_NEO_HOOKEAN_LEAST;
    case DLP_ELASTIC_STVK:
        return DLP_STVK_LEAST;
    case DLP_ELASTIC_COROTATED:
        break;
    }
    return (double)-INFINITY;
}

// Energy and principal stresses of any stretches, also negative ones.
static dlp_principal principal_at(dlp_elastic_law law, dlp_lame m, dlp_v3 s)
{
    switch (law) {
    case DLP_ELASTIC_NEO_HOOKEAN:
        return dlp_neo_hookean_principal(m, s);
    case DLP_ELASTIC_STVK:
        return dlp_stvk_principal(m, s);
    case DLP_ELASTIC_COROTATED:
        break;
    }
    return dlp_corotated_principal(m, s);
}

// The decomposition of I + h.
static dlp_svd3 svd_of_change(const double h[9])
{
    double f[9];
    for (int k = 0; k < 9; k++) f[k] = h[k] + (k % 4 == 0);
    return dlp_svd(f);
}

double dlp_elastic_at(dlp_elastic_law law, double mu, double lambda, const double h[9], double out_stress[9])
{
    const dlp_svd3 svd = svd_of_change(h);
    const dlp_v3 s = {svd.stretch[0], svd.stretch[1], svd.stretch[2]};
    const dlp_principal at = principal_at(law, (dlp_lame){mu, lambda}, s);
    dlp_svd_compose(&svd, (const double[]){at.stress.x, at.stress.y, at.stress.z}, out_stress);
    return at.energy;
}

// exp x by its series at x / 64, squared six times: by + - * / alone, so that it has the same bits
// everywhere.
static double exp_of(double x)
{
    const double t = x / 64;
    double sum = 1;
    for (int n = 12; n > 0; n--) sum = 1 + sum * t / n;
    for (int k = 0; k < 6; k++) sum *= sum;
    return sum;
}

// Deviator of the logarithms of the stretches, and returns its equivalent strain. Stretches below 0.05, also
// negative ones, count as 0.05, so that an inverted particle has a finite strain.
static double deviator_of(const double stretch[3], double out[3])
{
    const double least = 0.05;
    for (int k = 0; k < 3; k++) out[k] = dlp_log1p(fmax(stretch[k], least) - 1).log;
    const double mean = (out[0] + out[1] + out[2]) / 3;
    for (int k = 0; k < 3; k++) out[k] -= mean;
    return sqrt((out[0] * out[0] + out[1] * out[1] + out[2] * out[2]) * 2 / 3);
}

double dlp_equivalent_strain(const double h[9])
{
    double deviator[3];
    return deviator_of(svd_of_change(h).stretch, deviator);
}

static dlp_t3 matrix_of(const double a[9])
{
    return (dlp_t3){a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]};
}
static void write_matrix(double out[9], dlp_t3 a)
{
    memcpy(out, (const double[]){a.xx, a.xy, a.xz, a.yx, a.yy, a.yz, a.zx, a.zy, a.zz}, 9 * sizeof(double));
}

// g becomes (I + g) v diag(exp(-x_k)) v^T - I, scaled to a determinant of one: x is a deviator, so that only
// rounding is left to correct, and one Newton step does it.
static void undo_stretches(double g[9], dlp_svd3 svd, const double x[3])
{
    double change[9], shrink[3];
    for (int k = 0; k < 3; k++) shrink[k] = exp_of(-x[k]);
    memcpy(svd.u, svd.v, sizeof svd.u);
    dlp_svd_compose(&svd, shrink, change);
    const dlp_t3 next = dlp_t3_product(dlp_t3_shift(matrix_of(g), 1), matrix_of(change));
    const double scale = 1 - (dlp_t3_determinant(next) - 1) / 3;
    write_matrix(g, dlp_t3_shift(dlp_t3_mul(next, scale), -1));
}

// Brings the plastic strain in g back to the limit, along its own principal axes.
static void keep_limit(double g[9], double limit)
{
    const dlp_svd3 svd = svd_of_change(g);
    double plastic[3];
    const double size = deviator_of(svd.stretch, plastic);
    if (!(size > limit)) return;
    for (int k = 0; k < 3; k++) plastic[k] *= 1 - limit / size;
    undo_stretches(g, svd, plastic);
}

bool dlp_plastic_flow(const dlp_plastic_law *law, double dt, const double h[9], double g[9])
{
    assert(law->yield >= 0 && law->rate >= 0 && dt >= 0);
    double h_e[9], deviator[3];
    write_matrix(h_e, dlp_plastic_elastic_part(matrix_of(h), matrix_of(g)));
    const dlp_svd3 svd = svd_of_change(h_e);
    const double size = deviator_of(svd.stretch, deviator);
    if (!(size > law->yield)) return false;
    const double flowing = dlp_plastic_share(law->rate * dt) * (1 - law->yield / size);
    for (int k = 0; k < 3; k++) deviator[k] *= flowing;
    undo_stretches(g, svd, deviator);
    keep_limit(g, law->limit);
    return true;
}
