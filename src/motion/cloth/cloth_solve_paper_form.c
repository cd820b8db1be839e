/* The paper forms of restraint, for comparison: (I + A R / m) dp = b with R at the step's beginning, which
 * may be indefinite, so that the system has no symmetric form. Stabilised biconjugate gradients,
 * preconditioned by the diagonal's blocks.  [manteaux2013, sec. 4; vandervorst1992] */
#include "motion/cloth/sym3.h"
#include "motion/cloth/cloth_solver.h"

#include <string.h>

enum { LIMIT = 2000 };

// Vectors of the iteration lie in the arrays of the symmetric solver, four numbers a particle.
typedef struct iteration {
    dlp_cloth *cloth;
    double *x, *r, *shadow, *p, *v, *image;  // dp; residual; its first; direction; A of it; preconditioned
} iteration;

static double dot(const dlp_cloth *cloth, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t k = 0; k < cloth->list_count; k++) {
        const size_t at = DLP_QUAD * (size_t)cloth->list[k];
        sum += a[at] * b[at] + a[at + 1] * b[at + 1] + a[at + 2] * b[at + 2];
    }
    return sum;
}

// a = a s + b t
static void blend(const dlp_cloth *cloth, double *a, double s, const double *b, double t)
{
    for (int32_t k = 0; k < cloth->list_count; k++) {
        const size_t at = DLP_QUAD * (size_t)cloth->list[k];
        for (size_t e = 0; e < 3; e++) a[at + e] = a[at + e] * s + b[at + e] * t;
    }
}

static dlp_sym3 mobility_of(const dlp_cloth *cloth, int32_t i)
{
    const double *r = cloth->mobility + 6 * (size_t)i, s = 1 / cloth->particles.mass[i];
    return (dlp_sym3){r[0] * s, r[1] * s, r[2] * s, r[3] * s, r[4] * s, r[5] * s};
}

// The change of velocity R x / m in w, and A of it.
static void apply(dlp_cloth *cloth, const double *x, double *out)
{
    double *w = cloth->system.w;
    for (int32_t k = 0; k < cloth->list_count; k++) {
        const size_t at = DLP_QUAD * (size_t)cloth->list[k];
        const dlp_vec3 v =
            dlp_sym3_apply(mobility_of(cloth, cloth->list[k]), dlp_vec(x[at], x[at + 1], x[at + 2]));
        w[at] = v.x;
        w[at + 1] = v.y;
        w[at + 2] = v.z;
    }
    dlp_cloth_apply(cloth, cloth->list, cloth->list_count, w, out);
    blend(cloth, out, 1, x, 1);
}

// Inverse of I + A_ii R / m, by columns; I where it has none.
static void set_inverse(dlp_cloth *cloth, int32_t i)
{
    const double *a = cloth->matrix.blocks + 9 * (size_t)cloth->matrix.begin[i];
    const dlp_sym3 r = mobility_of(cloth, i);
    const dlp_vec3 rows[3] = {{r.xx, r.xy, r.xz}, {r.xy, r.yy, r.yz}, {r.xz, r.yz, r.zz}};
    dlp_vec3 c[3];  // columns of the block
    for (int k = 0; k < 3; k++)
        c[k] = dlp_vec(a[0] * rows[k].x + a[3] * rows[k].y + a[6] * rows[k].z + (k == 0),
                       a[1] * rows[k].x + a[4] * rows[k].y + a[7] * rows[k].z + (k == 1),
                       a[2] * rows[k].x + a[5] * rows[k].y + a[8] * rows[k].z + (k == 2));
    const double whole = dlp_dot(c[0], dlp_cross(c[1], c[2]));
    const double s = fabs(whole) > 1e-12 ? 1 / whole : 0;
    double *out = cloth->system.inverse + 9 * (size_t)i;
    for (int k = 0; k < 3; k++) {
        const dlp_vec3 row = dlp_mul(dlp_cross(c[(k + 1) % 3], c[(k + 2) % 3]), s);
        out[k] = s != 0 ? row.x : k == 0;
        out[k + 3] = s != 0 ? row.y : k == 1;
        out[k + 6] = s != 0 ? row.z : k == 2;
    }
}

static void precondition(const dlp_cloth *cloth, const double *x, double *out)
{
    for (int32_t k = 0; k < cloth->list_count; k++) {
        const size_t i = (size_t)cloth->list[k], at = DLP_QUAD * i;
        const double *m = cloth->system.inverse + 9 * i;
        for (size_t e = 0; e < 3; e++)
            out[at + e] = m[e] * x[at] + m[e + 3] * x[at + 1] + m[e + 6] * x[at + 2];
    }
}

static iteration begin(dlp_cloth *cloth)
{
    dlp_cloth_system *s = &cloth->system;
    const iteration it = {cloth, s->z, s->r, s->right, s->p, s->q, s->y};
    for (int32_t k = 0; k < cloth->list_count; k++) {
        const int32_t i = cloth->list[k];
        const size_t at = DLP_QUAD * (size_t)i;
        set_inverse(cloth, i);
        for (size_t e = 0; e < 3; e++) {
            it.x[at + e] = it.p[at + e] = it.v[at + e] = 0;
            it.r[at + e] = it.shadow[at + e] = cloth->impulse[3 * (size_t)i + e];
        }
    }
    return it;
}

bool dlp_cloth_solve_paper_form(dlp_cloth *cloth)
{
    iteration it = begin(cloth);
    double *const t = cloth->solve_extra;
    const double goal = cloth->system.tolerance * cloth->system.tolerance * dot(cloth, it.r, it.r);
    double rho = 1, alpha = 1, omega = 1;
    int32_t k = 0;
    for (; k < LIMIT && dot(cloth, it.r, it.r) > goal; k++) {
        const double next = dot(cloth, it.shadow, it.r), beta = next / rho * alpha / omega;
        blend(cloth, it.p, 1, it.v, -omega);
        blend(cloth, it.p, beta, it.r, 1);
        precondition(cloth, it.p, it.image);
        apply(cloth, it.image, it.v);
        alpha = next / dot(cloth, it.shadow, it.v);
        blend(cloth, it.x, 1, it.image, alpha);
        blend(cloth, it.r, 1, it.v, -alpha);
        precondition(cloth, it.r, it.image);
        apply(cloth, it.image, t);
        omega = dot(cloth, t, it.r) / dot(cloth, t, t);
        blend(cloth, it.x, 1, it.image, omega);
        blend(cloth, it.r, 1, t, -omega);
        rho = next;
        if (!isfinite(omega) || omega == 0) break;
    }
    cloth->system.iterations = 2 * k;
    apply(cloth, it.x, it.v);  // leaves the change of velocity in w
    return isfinite(dot(cloth, it.x, it.x));
}
