/* The linear system of a step, and its solver. */
#ifndef DLP_MOTION_CLOTH_SYSTEM_H
#define DLP_MOTION_CLOTH_SYSTEM_H

#include "base/parallel.h"
#include "base/target.h"
#include "motion/cloth/cloth_contact_spring.h"
#include "motion/cloth/cloth_fields.h"

/* Vectors of the linear solver hold four numbers per particle, the last of no meaning: one wide register. */
enum { DLP_QUAD = 4 };

/* The matrix A = h Gamma - h^2 K of all particles as rows of 3 x 3 blocks, each by columns. The pattern
 * follows from the elements: dlp_cloth_connect. Rows whose elements did not change stay as they are. */
#define DLP_CLOTH_BLOCK_FIELDS(X)                                                                            \
    X(column, int32_t, 1) /* particle of a block; the first of a row is the row's own, the others ascend */  \
    X(blocks, double, 9)  /* kg, valid after dlp_cloth_update_elements; room for one more than there are */
typedef struct dlp_cloth_matrix {
    DLP_CLOTH_ARRAYS(DLP_CLOTH_BLOCK_FIELDS)
    int32_t *begin; /* of a row; particle count + 1 */
    int32_t begin_capacity;
} dlp_cloth_matrix;

/* Each per particle; by the paper's names. Zero where a particle is not in the list, or of no meaning. */
#define DLP_CLOTH_SYSTEM_FIELDS(X)                                                                           \
    X(factor, double, 9)       /* C, by columns, 1/sqrt(kg) */                                               \
    X(inverse, double, 9)      /* of the diagonal blocks, by columns */                                      \
    X(right, double, DLP_QUAD) /* C^T b */                                                                   \
    X(z, double, DLP_QUAD)     /* in: where to start; out: the solution */                                   \
    X(r, double, DLP_QUAD)     /* residual */                                                                \
    X(y, double, DLP_QUAD)     /* residual, preconditioned */                                                \
    X(p, double, DLP_QUAD)     /* direction of descent */                                                    \
    X(w, double, DLP_QUAD)     /* m/s: C p; zero where a particle is not in the list */                      \
    X(q, double, DLP_QUAD)     /* (I + C^T A C) p */                                                         \
    X(partial, double, 1)      /* per block of the list: for sums in a fixed order */

/* The system over the particles that may move: (I + C^T A C) z = C^T b, C C^T = R / m. Without restraint
 * C = 1 / sqrt(m). Vectors are indexed by particle. */
typedef struct dlp_cloth_system {
    const dlp_cloth_matrix *matrix;
    const int32_t *list; /* particles, ascending */
    int32_t count;
    DLP_CLOTH_ARRAYS(DLP_CLOTH_SYSTEM_FIELDS)
    const dlp_contact_spring *springs; /* their part of A, beside the matrix */
    int32_t spring_count;
    const uint8_t *is_free; /* per particle: in the list */
    double tolerance;       /* relative, of the residual */
    int32_t limit;          /* of iterations */
    dlp_team *team;
    dlp_target target;
    int32_t iterations; /* out: made */
    double residual;    /* out: relative */
} dlp_cloth_system;

static inline dlp_vec3 dlp_quad_get(const double *array, int32_t i)
{
    const double *a = array + DLP_QUAD * (size_t)i;
    return dlp_vec(a[0], a[1], a[2]);
}
static inline void dlp_quad_set(double *array, int32_t i, dlp_vec3 v)
{
    double *a = array + DLP_QUAD * (size_t)i;
    a[0] = v.x;
    a[1] = v.y;
    a[2] = v.z;
    a[3] = 0;
}

/* cloth_solve.c: block-Jacobi conjugate gradients from the z that is there; false where it fails. */
bool dlp_cloth_solve(dlp_cloth_system *system);

/* A product with the matrix: result = A x of the listed particles, four numbers each. */
typedef struct dlp_cloth_product {
    const dlp_cloth_matrix *matrix;
    const int32_t *list;
    int32_t count;
    const double *x;
    double *result;
} dlp_cloth_product;
void dlp_cloth_multiply(const dlp_cloth_product *product, dlp_team *team, dlp_target target);

#endif
