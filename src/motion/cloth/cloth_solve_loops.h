/* The inner loops of the linear solver, compiled once per instruction set. */
#ifndef DLP_MOTION_CLOTH_SOLVE_LOOPS_H
#define DLP_MOTION_CLOTH_SOLVE_LOOPS_H

#include "motion/cloth/cloth_system.h"

/* Each does the places begin .. end - 1 of the system's list, all within one block of sums. */
typedef struct dlp_cloth_loops {
    /* q = p + L A w; returns p . q */
    double (*multiply)(const dlp_cloth_system *system, int32_t begin, int32_t end);
    /* z += alpha p, r -= alpha q, y = inverse r; returns r . y */
    double (*descend)(const dlp_cloth_system *system, double alpha, int32_t begin, int32_t end);
    /* p = y + beta p, w = L p */
    void (*update_direction)(const dlp_cloth_system *system, double beta, int32_t begin, int32_t end);
    /* out = A x of the particles of any list */
    void (*apply)(const dlp_cloth_matrix *matrix, const int32_t *list, int32_t begin, int32_t end,
                  const double *x, double *out);
} dlp_cloth_loops;

extern const dlp_cloth_loops dlp_cloth_loops_plain, dlp_cloth_loops_avx2;

#endif
