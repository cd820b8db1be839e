/* Implicit viscosity: the pair viscosity taken at the end of the step, so that any viscosity is stable at any
 * step.
 *
 *     (M + dt L) v' = M v,   L v = sum of c x x^T v_ij over pairs,
 *
 * symmetric and positive; momentum and angular momentum are kept, and rigid motion meets no force. Solved by
 * conjugate gradients with the inverse 3 x 3 blocks of the diagonal. [weiler2018] */
#ifndef DLP_MOTION_SPH_VISCOSITY_H
#define DLP_MOTION_SPH_VISCOSITY_H

#include "motion/sph/viscosity_loops.h"

struct dlp_sph;

/* An item per point. */
#define DLP_VISCOSITY_FIELDS(X)                                                                              \
    X(blocks, float, DLP_SYM_SIZE, DLP_STORE_VISCOUS)      /* kg/s: dt is not in them */                     \
    X(wall_blocks, float, DLP_SYM_SIZE, DLP_STORE_VISCOUS) /* likewise */                                    \
    X(inverse, float, DLP_SYM_SIZE, DLP_STORE_VISCOUS)     /* 1/kg: of M + dt times both */                  \
    X(drags, float, 3, DLP_STORE_VISCOUS)                  /* N: by walls that move */                       \
    X(residual, float, 3, DLP_STORE_VISCOUS)               /* kg m/s */                                      \
    X(direction, float, 3, DLP_STORE_VISCOUS)              /* m/s */                                         \
    X(image, float, 3, DLP_STORE_VISCOUS)                  /* kg m/s: the matrix times it */                 \
    X(mass, float, 1, DLP_STORE_VISCOUS)                   /* kg; 0 of what cannot be moved */               \
    X(wall_depth, float, 1, DLP_STORE_VISCOUS)             /* m: per wall point from the first */            \
    X(wall_stick, float, 1, DLP_STORE_VISCOUS)             /* likewise */
typedef struct dlp_viscosity_scratch {
#define X(name, type, components, when) type *name;
    DLP_VISCOSITY_FIELDS(X)
#undef X
    int32_t capacity;
} dlp_viscosity_scratch;

typedef struct dlp_viscosity_report {
    int32_t passes;
    double left; /* of the residual, over what it was at first */
    bool is_converged;
} dlp_viscosity_report;

/* Changes the velocities of the projection (which is prepared) by what viscosity does in `dt`. */
dlp_viscosity_report dlp_viscosity_solve(struct dlp_sph *sph, double dt);
/* Adds the drag of the last solve to the forces on wall points. */
void dlp_viscosity_add_loads(struct dlp_sph *sph);

#endif
