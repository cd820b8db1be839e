/* Products with the blocks of the matrix and the vector sums of conjugate gradients. A particle's vector is
 * one register of four numbers, the last of them zero: a block by columns is then three products. */
#include "motion/cloth/cloth_solve_loops.h"

typedef double quad __attribute__((vector_size(32)));
typedef double loose_quad __attribute__((vector_size(32), aligned(8), may_alias));

#define INLINE static inline __attribute__((always_inline))

INLINE quad load(const double *from)
{
    return *(const loose_quad *)from;
}
INLINE void store(double *to, quad a)
{
    *(loose_quad *)to = a;
}
INLINE quad all(double s)
{
    return (quad){s, s, s, s};
}
// The first three of four.
INLINE quad three(quad a)
{
    return (quad){a[0], a[1], a[2], 0};
}
// A block of nine by columns, times a vector in memory; the fourth is what stands behind a column.
INLINE quad times_at(const double *block, const double *x)
{
    return load(block) * all(x[0]) + load(block + 3) * all(x[1]) + load(block + 6) * all(x[2]);
}
INLINE quad times(const double *block, quad x)
{
    return load(block) * all(x[0]) + load(block + 3) * all(x[1]) + load(block + 6) * all(x[2]);
}
INLINE double sum_of(quad a)
{
    return a[0] + a[1] + a[2];
}

INLINE quad row_times(const dlp_cloth_matrix *matrix, int32_t i, const double *x)
{
    const int32_t begin = matrix->begin[i], end = matrix->begin[i + 1];
    const int32_t *column = matrix->column;
    const double *blocks = matrix->blocks;
    quad sum = all(0), other = all(0);
    int32_t k = begin;
    for (; k + 1 < end; k += 2) {
        sum += times_at(blocks + 9 * (size_t)k, x + DLP_QUAD * (size_t)column[k]);
        other += times_at(blocks + 9 * (size_t)(k + 1), x + DLP_QUAD * (size_t)column[k + 1]);
    }
    if (k < end) sum += times_at(blocks + 9 * (size_t)k, x + DLP_QUAD * (size_t)column[k]);
    return three(sum + other);
}

static double multiply(const dlp_cloth_system *s, int32_t begin, int32_t end)
{
    quad sum = all(0);
    for (int32_t k = begin; k < end; k++) {
        const size_t i = (size_t)s->list[k];
        const quad p = load(s->p + DLP_QUAD * i);
        const quad q = p + three(times(s->factor + 9 * i, row_times(s->matrix, s->list[k], s->w)));
        store(s->q + DLP_QUAD * i, q);
        sum += p * q;
    }
    return sum_of(sum);
}

static double descend(const dlp_cloth_system *s, double alpha, int32_t begin, int32_t end)
{
    quad sum = all(0);
    for (int32_t k = begin; k < end; k++) {
        const size_t i = (size_t)s->list[k], at = DLP_QUAD * i;
        store(s->z + at, load(s->z + at) + all(alpha) * load(s->p + at));
        const quad r = load(s->r + at) - all(alpha) * load(s->q + at);
        const quad y = three(times(s->inverse + 9 * i, r));
        store(s->r + at, r);
        store(s->y + at, y);
        sum += r * y;
    }
    return sum_of(sum);
}

static void update_direction(const dlp_cloth_system *s, double beta, int32_t begin, int32_t end)
{
    for (int32_t k = begin; k < end; k++) {
        const size_t i = (size_t)s->list[k], at = DLP_QUAD * i;
        const quad p = load(s->y + at) + all(beta) * load(s->p + at);
        store(s->p + at, p);
        store(s->w + at, three(times(s->factor + 9 * i, p)));
    }
}

static void apply(const dlp_cloth_matrix *matrix, const int32_t *list, int32_t begin, int32_t end,
                  const double *x, double *out)
{
    for (int32_t k = begin; k < end; k++)
        store(out + DLP_QUAD * (size_t)list[k], row_times(matrix, list[k], x));
}

const dlp_cloth_loops DLP_ON_TARGET(dlp_cloth_loops) = {multiply, descend, update_direction, apply};
