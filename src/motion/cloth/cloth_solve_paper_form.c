/* The paper forms of restraint, for comparison: (I + A R / m) dp = b with R at the step's beginning, which
 * may be indefinite, so that the system has no symmetric form. Stabilised biconjugate gradients,
 * preconditioned by the diagonal's blocks.  [manteaux2013, sec. 4; vandervorst1992] */
#include "motion/cloth/cloth_solver.h"
#include "motion/cloth/sym3.h"

enum { LIMIT = 2000 };

static double dot(const dlp_cloth_freedom *free, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t k = 0; k < free->count; k++) {
        const size_t at = DLP_QUAD * (size_t)free->list[k];
        sum += a[at] * b[at] + a[at + 1] * b[at + 1] + a[at + 2] * b[at + 2];
    }
    return sum;
}

// a = a s + b t
static void blend(const dlp_cloth_freedom *free, double *a, double s, const double *b, double t)
{
    for (int32_t k = 0; k < free->count; k++) {
        const size_t at = DLP_QUAD * (size_t)free->list[k];
        for (size_t e = 0; e < 3; e++) a[at + e] = a[at + e] * s + b[at + e] * t;
    }
}

// R / m
static dlp_sym3 mobility_of(const dlp_cloth *cloth, int32_t i)
{
    return dlp_sym3_mul(dlp_cloth_mobility_of(cloth, i), 1 / cloth->state.particles.mass[i]);
}

// The change of velocity R x / m, and x + A of it.
static void apply(dlp_cloth *cloth, const double *x, double *out)
{
    const dlp_cloth_freedom *free = &cloth->scratch.freedom;
    double *change = cloth->scratch.motion.change_quad;
    for (int32_t k = 0; k < free->count; k++)
        dlp_quad_set(change, free->list[k],
                     dlp_sym3_apply(mobility_of(cloth, free->list[k]), dlp_quad_get(x, free->list[k])));
    const dlp_cloth_product product = {&cloth->connectivity.matrix, free->list, free->count, change, out};
    dlp_cloth_multiply(&product, cloth->params.team, cloth->params.target);
    blend(free, out, 1, x, 1);
}

// Inverse of I + A_ii R / m, by columns; I where it has none.
static void set_inverse(dlp_cloth *cloth, int32_t i)
{
    const dlp_cloth_matrix *m = &cloth->connectivity.matrix;
    const double *a = m->blocks + 9 * (size_t)m->begin[i];
    const dlp_sym3 r = mobility_of(cloth, i);
    const dlp_vec3 rows[3] = {{r.xx, r.xy, r.xz}, {r.xy, r.yy, r.yz}, {r.xz, r.yz, r.zz}};
    dlp_vec3 c[3];  // columns of the block
    for (int k = 0; k < 3; k++)
        c[k] = dlp_vec(a[0] * rows[k].x + a[3] * rows[k].y + a[6] * rows[k].z + (k == 0),
                       a[1] * rows[k].x + a[4] * rows[k].y + a[7] * rows[k].z + (k == 1),
                       a[2] * rows[k].x + a[5] * rows[k].y + a[8] * rows[k].z + (k == 2));
    const double whole = dlp_dot(c[0], dlp_cross(c[1], c[2]));
    const double s = fabs(whole) > 1e-12 ? 1 / whole : 0;
    double *out = cloth->scratch.paper_form.inverse + 9 * (size_t)i;
    for (int k = 0; k < 3; k++) {
        const dlp_vec3 row = dlp_mul(dlp_cross(c[(k + 1) % 3], c[(k + 2) % 3]), s);
        out[k] = s != 0 ? row.x : k == 0;
        out[k + 3] = s != 0 ? row.y : k == 1;
        out[k + 6] = s != 0 ? row.z : k == 2;
    }
}

static void precondition(const dlp_cloth *cloth, const double *x, double *out)
{
    const dlp_cloth_freedom *free = &cloth->scratch.freedom;
    for (int32_t k = 0; k < free->count; k++) {
        const size_t i = (size_t)free->list[k], at = DLP_QUAD * i;
        const double *m = cloth->scratch.paper_form.inverse + 9 * i;
        for (size_t e = 0; e < 3; e++)
            out[at + e] = m[e] * x[at] + m[e + 3] * x[at + 1] + m[e + 6] * x[at + 2];
    }
}

// From dp = 0; the change of velocity stays zero of what is not free.
static void begin(dlp_cloth *cloth)
{
    const dlp_cloth_paper_form *it = &cloth->scratch.paper_form;
    const dlp_cloth_freedom *free = &cloth->scratch.freedom;
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    assert(cloth->state.particles.count < it->capacity);
    dlp_parallel_set(cloth->params.team, motion->change_quad, 0,
                     (size_t)cloth->state.particles.count * DLP_QUAD * sizeof *motion->change_quad);
    for (int32_t k = 0; k < free->count; k++) {
        const int32_t i = free->list[k];
        const dlp_vec3 b = dlp_cloth_get(motion->impulse, i), zero = {0, 0, 0};
        set_inverse(cloth, i);
        dlp_quad_set(it->x, i, zero);
        dlp_quad_set(it->p, i, zero);
        dlp_quad_set(it->v, i, zero);
        dlp_quad_set(it->r, i, b);
        dlp_quad_set(it->shadow, i, b);
    }
}

bool dlp_cloth_solve_paper_form(dlp_cloth *cloth)
{
    const dlp_cloth_paper_form *it = &cloth->scratch.paper_form;
    const dlp_cloth_freedom *free = &cloth->scratch.freedom;
    dlp_cloth_system *system = &cloth->scratch.system;
    begin(cloth);
    const double goal = system->tolerance * system->tolerance * dot(free, it->r, it->r);
    double rho = 1, alpha = 1, omega = 1;
    int32_t k = 0;
    for (; k < LIMIT && dot(free, it->r, it->r) > goal; k++) {
        const double next = dot(free, it->shadow, it->r), beta = next / rho * alpha / omega;
        blend(free, it->p, 1, it->v, -omega);
        blend(free, it->p, beta, it->r, 1);
        precondition(cloth, it->p, it->image);
        apply(cloth, it->image, it->v);
        alpha = next / dot(free, it->shadow, it->v);
        blend(free, it->x, 1, it->image, alpha);
        blend(free, it->r, 1, it->v, -alpha);
        precondition(cloth, it->r, it->image);
        apply(cloth, it->image, it->t);
        omega = dot(free, it->t, it->r) / dot(free, it->t, it->t);
        blend(free, it->x, 1, it->image, omega);
        blend(free, it->r, 1, it->t, -omega);
        rho = next;
        if (!isfinite(omega) || omega == 0) break;
    }
    system->iterations = 2 * k;
    apply(cloth, it->x, it->v);  // leaves the change of velocity
    return isfinite(dot(free, it->x, it->x));
}
