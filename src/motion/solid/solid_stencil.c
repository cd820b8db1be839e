/* The coefficients with which neighbours' places make the deformation gradient: F_i = sum_j (x_j - x_i)
 * b_j^T. With the kernel (h^2 - r^2)^3 the corrected gradient is the one of weighted least squares, weights
 * (h^2 - r^2)^2; the normalisation by the kernel's sum cancels in differences.  [yang2023, sec. 3] */
#include "base/eigen.h"
#include "motion/solid/solid_solver.h"

// Directions in which the neighbours spread less than this share of the widest have no neighbours: a sheet or
// a line of particles. There the gradient takes the rotation's.
#define FLATNESS 0.02
// On the quadratic terms, so that few neighbours suffice.
#define RIDGE 1e-3

enum { LINEAR = 3, QUADRATIC = 9 };

static double weight_of(const dlp_stencil *s, int32_t n)
{
    const double inside = s->reach - dlp_dot(s->offset[n], s->offset[n]);
    return inside * inside;
}

static void add_product(double m[3][3], dlp_vec3 a, double w)
{
    const double v[3] = {a.x, a.y, a.z};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) m[row][column] += w * v[row] * v[column];
}

// b = A^-1 w X, A = sum w X X^T, the inverse only along directions in which something spreads. Returns
// whether all three are.
static bool find_linear(dlp_stencil *s)
{
    double moments[3][3] = {{0}}, axes[3][3], missing[3][3] = {{0}};
    for (int32_t n = 0; n < s->count; n++) add_product(moments, s->offset[n], weight_of(s, n));
    dlp_diagonalize(moments, axes);
    const double widest = fmax(moments[0][0], fmax(moments[1][1], moments[2][2]));
    bool is_full = true;
    for (int32_t n = 0; n < s->count; n++) s->b[n] = dlp_vec(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        const dlp_vec3 a = dlp_vec(axes[0][k], axes[1][k], axes[2][k]);
        if (!(moments[k][k] > FLATNESS * widest)) {
            add_product(missing, a, 1);
            is_full = false;
            continue;
        }
        for (int32_t n = 0; n < s->count; n++)
            s->b[n] = dlp_along(s->b[n], a, weight_of(s, n) * dlp_dot(a, s->offset[n]) / moments[k][k]);
    }
    const double symmetric[6] = {missing[0][0], missing[1][1], missing[2][2],
                                 missing[0][1], missing[0][2], missing[1][2]};
    for (int k = 0; k < 6; k++) s->missing[k] = symmetric[k];
    return is_full;
}

// Linear and quadratic terms of an offset in supports.
static void basis_of(const dlp_stencil *s, int32_t n, double out_basis[QUADRATIC])
{
    const double scale = 1 / sqrt(s->reach);
    const dlp_vec3 x = dlp_mul(s->offset[n], scale);
    const double basis[QUADRATIC] = {x.x,       x.y,       x.z,       x.x * x.x, x.y * x.y,
                                     x.z * x.z, x.x * x.y, x.x * x.z, x.y * x.z};
    for (int k = 0; k < QUADRATIC; k++) out_basis[k] = basis[k];
}

// The lower factor of a positive definite matrix, in place.
static bool factorise(double m[QUADRATIC][QUADRATIC])
{
    for (int column = 0; column < QUADRATIC; column++) {
        for (int row = column; row < QUADRATIC; row++) {
            double sum = m[row][column];
            for (int k = 0; k < column; k++) sum -= m[row][k] * m[column][k];
            if (row == column && !(sum > 0)) return false;
            m[row][column] = row == column ? sqrt(sum) : sum / m[column][column];
        }
    }
    return true;
}

static void solve_factored(double m[QUADRATIC][QUADRATIC], double x[QUADRATIC])
{
    for (int row = 0; row < QUADRATIC; row++) {
        for (int k = 0; k < row; k++) x[row] -= m[row][k] * x[k];
        x[row] /= m[row][row];
    }
    for (int row = QUADRATIC - 1; row >= 0; row--) {
        for (int k = row + 1; k < QUADRATIC; k++) x[row] -= m[k][row] * x[k];
        x[row] /= m[row][row];
    }
}

// As the linear ones, of a fit that has quadratic terms too: at irregular places its slope is truer. The
// ridge leaves affine maps exact, since they need no quadratic terms.
static void find_quadratic(dlp_stencil *s)
{
    double m[QUADRATIC][QUADRATIC] = {{0}}, basis[QUADRATIC], sum = 0;
    for (int32_t n = 0; n < s->count; n++) {
        basis_of(s, n, basis);
        const double w = weight_of(s, n);
        sum += w;
        for (int row = 0; row < QUADRATIC; row++)
            for (int column = 0; column < QUADRATIC; column++)
                m[row][column] += w * basis[row] * basis[column];
    }
    for (int k = LINEAR; k < QUADRATIC; k++) m[k][k] += RIDGE * sum;
    if (!factorise(m)) return;
    const double scale = 1 / sqrt(s->reach);
    for (int32_t n = 0; n < s->count; n++) {
        basis_of(s, n, basis);
        solve_factored(m, basis);
        s->b[n] = dlp_mul(dlp_vec(basis[0], basis[1], basis[2]), weight_of(s, n) * scale);
    }
}

void dlp_solid_stencil(const dlp_solid *solid, int32_t i, dlp_stencil *out_stencil)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    dlp_stencil *s = out_stencil;
    const dlp_solid_particles *p = &solid->state.particles;
    const dlp_solid_material *material = &solid->params.materials[p->substance[i]];
    s->centre = i;
    s->count = 0;
    s->volume = dlp_solid_rest_volume(solid, i);
    s->reach = material->support * material->support;
    for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
        const int32_t j = links.neighbour[n];
        if (j < 0) continue;
        assert(s->count < DLP_STENCIL_LIMIT && j < p->count && j != i);
        s->neighbour[s->count] = j;
        s->offset[s->count++] = dlp_sub(dlp_solid_get(p->x0, j), dlp_solid_get(p->x0, i));
    }
    // what took the place of a lost one may be farther away than the support
    for (int32_t n = 0; n < s->count; n++) {
        const double square = dlp_dot(s->offset[n], s->offset[n]);
        if (!(square < s->reach)) s->reach = 1.2 * square;
    }
    const bool is_full = find_linear(s);
    if (is_full && material->is_irregular && s->count >= QUADRATIC) find_quadratic(s);
    double sum = 0;
    for (int32_t n = 0; n < s->count; n++) sum += weight_of(s, n) * dlp_dot(s->offset[n], s->offset[n]);
    s->weight = sum > 0 ? 1 / sum : 0;
}
