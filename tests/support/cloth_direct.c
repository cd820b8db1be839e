/* The step's system by a direct sparse solver, KLU of SuiteSparse: the reference the iterative one is held
 * against.  [davis2010] */
#include "cloth_direct.h"

#if defined(DLP_HAVE_KLU)

#include <klu.h>

// The system by columns; it is symmetric, so that rows are as good.
typedef struct columns {
    int32_t *begin, *row;
    double *value, *right;
    int32_t *place;  // of a particle in the list, or -1
} columns;

static void release_columns(columns *c)
{
    dlp_free(c->begin);
    dlp_free(c->row);
    dlp_free(c->value);
    dlp_free(c->right);
    dlp_free(c->place);
}

static int32_t count_blocks(const dlp_cloth_system *s)
{
    int32_t count = 0;
    for (int32_t k = 0; k < s->count; k++)
        count += s->matrix->begin[s->list[k] + 1] - s->matrix->begin[s->list[k]];
    return count;
}

// out = a b, all by columns
static void multiply(const double *a, const double *b, double *out)
{
    for (int column = 0; column < 3; column++)
        for (int row = 0; row < 3; row++)
            out[3 * column + row] =
                a[row] * b[3 * column] + a[row + 3] * b[3 * column + 1] + a[row + 6] * b[3 * column + 2];
}

// The three columns of a particle: L_j A_ji L_i of all its neighbours j in the list, and 1.
static int32_t fill_particle(const dlp_cloth_system *s, columns *c, int32_t k, int32_t filled)
{
    const int32_t i = s->list[k];
    for (int axis = 0; axis < 3; axis++) {
        c->begin[3 * k + axis] = filled;
        c->right[3 * k + axis] = s->right[DLP_QUAD * (size_t)i + (size_t)axis];
        for (int32_t at = s->matrix->begin[i]; at < s->matrix->begin[i + 1]; at++) {
            const int32_t j = s->matrix->column[at];
            if (c->place[j] < 0) continue;
            double half[9], whole[9];
            multiply(s->matrix->blocks + 9 * (size_t)at, s->factor + 9 * (size_t)j, half);
            multiply(s->factor + 9 * (size_t)i, half, whole);
            for (int row = 0; row < 3; row++) {  // row `axis` of block (i, j) is column `axis` of (j, i)
                c->row[filled] = 3 * c->place[j] + row;
                c->value[filled++] = whole[axis + 3 * row] + (j == i && row == axis ? 1 : 0);
            }
        }
    }
    return filled;
}

static dlp_status make_columns(const dlp_cloth_system *s, int32_t particle_count, columns *c,
                               dlp_error *error)
{
    const size_t entries = 9 * (size_t)count_blocks(s) + 1;
    c->begin = dlp_alloc(3 * (size_t)s->count + 1, sizeof *c->begin, "cloth");
    c->row = dlp_alloc(entries, sizeof *c->row, "cloth");
    c->value = dlp_alloc(entries, sizeof *c->value, "cloth");
    c->right = dlp_alloc(3 * (size_t)s->count + 1, sizeof *c->right, "cloth");
    c->place = dlp_alloc((size_t)particle_count + 1, sizeof *c->place, "cloth");
    if (c->begin == NULL || c->row == NULL || c->value == NULL || c->right == NULL || c->place == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "direct solver: no room for %zu entries", entries);
    for (int32_t i = 0; i < particle_count; i++) c->place[i] = -1;
    for (int32_t k = 0; k < s->count; k++) c->place[s->list[k]] = k;
    int32_t filled = 0;
    for (int32_t k = 0; k < s->count; k++) filled = fill_particle(s, c, k, filled);
    c->begin[3 * s->count] = filled;
    return DLP_OK;
}

static bool solve_columns(const columns *c, int32_t size)
{
    klu_common common;
    klu_defaults(&common);
    klu_symbolic *symbolic = klu_analyze(size, c->begin, c->row, &common);
    klu_numeric *numeric =
        symbolic != NULL ? klu_factor(c->begin, c->row, c->value, symbolic, &common) : NULL;
    const bool is_solved = numeric != NULL && klu_solve(symbolic, numeric, size, 1, c->right, &common);
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
    return is_solved;
}

dlp_status dlp_cloth_solve_directly(dlp_cloth_system *s, int32_t particle_count, dlp_error *error)
{
    columns c = {0};
    dlp_status status = make_columns(s, particle_count, &c, error);
    if (status == DLP_OK && !solve_columns(&c, 3 * s->count))
        status =
            dlp_fail(error, DLP_DIVERGED, "direct solver: the matrix of %d rows is singular", 3 * s->count);
    for (int32_t k = 0; status == DLP_OK && k < s->count; k++)
        for (int axis = 0; axis < 3; axis++)
            s->z[DLP_QUAD * (size_t)s->list[k] + (size_t)axis] = c.right[3 * k + axis];
    release_columns(&c);
    return status;
}

#else

dlp_status dlp_cloth_solve_directly(dlp_cloth_system *s, int32_t particle_count, dlp_error *error)
{
    (void)s;
    (void)particle_count;
    return dlp_fail(error, DLP_UNSUPPORTED,
                    "this build has no direct sparse solver; install libsuitesparse-dev and build again");
}

#endif
