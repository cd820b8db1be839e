/* Conjugate gradients for (I + L A L) z = L b, preconditioned by the inverses of the diagonal's 3 x 3 blocks.
 * [baraff1998, sec. 5.2; hestenes1952]. Sums run over fixed blocks of the list, so that the bits do not
 * depend on threads. */
#include "motion/cloth/cloth_solve_loops.h"

#include <assert.h>
#include <string.h>

enum { BLOCK = 128 };
// A relative residual that will do where rounding lets no smaller one be reached.
#define ENOUGH 1e-2

typedef struct implicit_solve_pass {
    dlp_cloth_system *s;
    const dlp_cloth_loops *loops;
    double factor;
} implicit_solve_pass;

static const dlp_cloth_loops *loops_of(dlp_target target)
{
#if defined(DLP_HAVE_AVX2_PAIRS)
    if (target == DLP_TARGET_AVX2) return &dlp_cloth_loops_avx2;
#endif
    (void)target;
    return &dlp_cloth_loops_plain;
}

// The loops over blocks.

static void do_multiply(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const implicit_solve_pass *pass = context;
    pass->s->partial[begin / BLOCK] = pass->loops->multiply(pass->s, begin, end);
}

static void do_descend(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const implicit_solve_pass *pass = context;
    pass->s->partial[begin / BLOCK] = pass->loops->descend(pass->s, pass->factor, begin, end);
}

static void do_update_direction(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const implicit_solve_pass *pass = context;
    pass->loops->update_direction(pass->s, pass->factor, begin, end);
}

static double sum_partials(const dlp_cloth_system *s)
{
    double sum = 0;
    for (int32_t k = 0; k * BLOCK < s->count; k++) sum += s->partial[k];
    return sum;
}

// The contact springs' part of q = p + L A w and of p . q, one after another.
static double add_contact_springs(const dlp_cloth_system *s)
{
    double sum = 0;
    for (int32_t k = 0; k < s->spring_count; k++) {
        const dlp_contact_spring *c = &s->springs[k];
        const dlp_vec3 u = dlp_contact_spring_relative_velocity(c, s->w, DLP_QUAD),
                       drag = dlp_contact_spring_drag(c, u);
        sum += dlp_dot(u, drag);
        for (int p = 0; p < 4; p++) {
            const int32_t i = c->particle[p];
            const double *l = s->factor + 9 * (size_t)i, w = c->weight[p];
            double *q = s->q + DLP_QUAD * (size_t)i;
            for (int row = 0; row < 3 && s->is_free[i]; row++)
                q[row] += w * (l[row] * drag.x + l[row + 3] * drag.y + l[row + 6] * drag.z);
        }
    }
    return sum;
}

static double run(implicit_solve_pass *pass, dlp_range_fn *fn, double factor)
{
    pass->factor = factor;
    dlp_parallel_for(pass->s->team, pass->s->count, BLOCK, fn, pass);
    if (fn == do_update_direction) return 0;
    const double sum = sum_partials(pass->s);
    return fn == do_multiply && pass->s->spring_count > 0 ? sum + add_contact_springs(pass->s) : sum;
}

// The solver.

// |L b| in the preconditioner's norm: what the residual is measured by.
static double right_norm(const implicit_solve_pass *pass)
{
    dlp_cloth_system *s = pass->s;
    double sum = 0;
    for (int32_t k = 0; k < s->count; k++) {
        const double *b = s->right + DLP_QUAD * (size_t)s->list[k], *m = s->inverse + 9 * (size_t)s->list[k];
        for (int row = 0; row < 3; row++)
            sum += b[row] * (m[row] * b[0] + m[row + 3] * b[1] + m[row + 6] * b[2]);
    }
    return sum;
}

static void do_start(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_cloth_system *s = ((const implicit_solve_pass *)context)->s;
    for (int32_t k = begin; k < end; k++) {
        const size_t at = DLP_QUAD * (size_t)s->list[k], size = DLP_QUAD * sizeof(double);
        assert(s->is_free[s->list[k]] && (k == 0 || s->list[k] > s->list[k - 1]));
        memcpy(s->y + at, s->z + at, size);
        memcpy(s->r + at, s->right + at, size);
        memset(s->p + at, 0, size);
        memset(s->z + at, 0, size);
    }
}

// r = L b - (I + L A L) z, y, and its norm. With p = z and q the product, a descent by 1 from r = L b gives
// r.
static double start(implicit_solve_pass *pass)
{
    dlp_parallel_for(pass->s->team, pass->s->count, BLOCK, do_start, pass);
    run(pass, do_update_direction, 0);  // p = y, w = L p
    run(pass, do_multiply, 0);          // q
    return run(pass, do_descend, 1);
}

bool dlp_cloth_solve(dlp_cloth_system *s)
{
    implicit_solve_pass pass = {.s = s, .loops = loops_of(s->target)};
    const double norm = right_norm(&pass), goal = s->tolerance * s->tolerance * norm;
    s->iterations = 0;
    double rho = start(&pass), beta = 0;
    while (rho > goal && s->iterations < s->limit) {
        run(&pass, do_update_direction, beta);
        const double curvature = run(&pass, do_multiply, 0);
        if (!(curvature > 0)) break;
        const double next = run(&pass, do_descend, rho / curvature);
        beta = next / rho;
        rho = next;
        s->iterations++;
    }
    s->residual = norm > 0 ? sqrt(rho / norm) : 0;
    // what stops early is still a descent; false for NaN
    return rho <= goal || rho <= ENOUGH * ENOUGH * norm;
}

// Products.

typedef struct product_pass {
    const dlp_cloth_product *product;
    const dlp_cloth_loops *loops;
} product_pass;

static void do_product(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const product_pass *pass = context;
    const dlp_cloth_product *p = pass->product;
    pass->loops->apply(p->matrix, p->list, begin, end, p->x, p->result);
}

void dlp_cloth_multiply(const dlp_cloth_product *product, dlp_team *team, dlp_target target)
{
    product_pass pass = {product, loops_of(target)};
    dlp_parallel_for(team, product->count, BLOCK, do_product, &pass);
}
