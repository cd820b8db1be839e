/* Projection of velocities: what pressure makes of them, so that the substance keeps its density.
 *
 * The rows are particles and wall points; the unknown is kappa (matter/pair_projection.h), at least 0. Two
 * solves share the operator: one for the density after the step, whose unknown is kappa dt^2 and whose answer
 * is a displacement; and one for the divergence now, whose unknown is kappa dt and whose answer is a change
 * of velocity. [bender2017] */
#ifndef DLP_MOTION_SPH_PROJECTION_H
#define DLP_MOTION_SPH_PROJECTION_H

#include "motion/sph/projection_loops.h"

struct dlp_sph;

/* Constants; made with the kernel. */
typedef struct dlp_projection_params {
    const dlp_projection_loops *loops;
    float diagonal;   /* of the lattice, times rho0 and the square of the spacing: pure number */
    float relaxation; /* of Jacobi's passes: nine tenths of what is stable */
    int32_t pass_limit;
    bool has_divergence; /* velocities are made free of divergence first */
    double warm_start;   /* share of the last pressure with which the next solve for the density begins */
    double error;        /* mean compression at which a solve may stop */
} dlp_projection_params;

/* An item per point: particles, wall points, the one that pads. */
#define DLP_PROJECTION_FIELDS(X)                                                                             \
    X(places, float, DLP_PLACE_SIZE, DLP_STORE_IMPLICIT)                                                     \
    X(paces, float, DLP_PACE_SIZE, DLP_STORE_IMPLICIT)                                                       \
    X(rows, float, DLP_ROW_SIZE, DLP_STORE_IMPLICIT) /* G and the diagonal with its floor */                 \
    X(velocity, float, 3, DLP_STORE_IMPLICIT)        /* m/s: of particles; as far as it is known */          \
    X(velocity_before, float, 3, DLP_STORE_IMPLICIT) /* m/s: before viscosity acted */                       \
    X(mobility, float, 1, DLP_STORE_IMPLICIT)        /* m3/kg */                                             \
    X(row_h, float, 1, DLP_STORE_IMPLICIT)           /* m: smoothing length */                               \
    X(source, float, 1, DLP_STORE_IMPLICIT)          /* compression, or its rate, without pressure */        \
    X(response, float, 1, DLP_STORE_IMPLICIT)        /* what pressure adds to that */                        \
    X(kappa, float, 1, DLP_STORE_IMPLICIT)           /* the unknown */                                       \
    X(before, float, 1, DLP_STORE_IMPLICIT)          /* what it was a pass ago */                            \
    X(next, float, 1, DLP_STORE_IMPLICIT)            /* what it will be */                                   \
    X(pushed, float, 1, DLP_STORE_VISCOUS)           /* response to the last pressures, ... */               \
    X(push_way, float, 3, DLP_STORE_VISCOUS)         /* m: ... and what they do to places */                 \
    X(excess, float, 1, DLP_STORE_IMPLICIT)          /* delta - 1; of walls by their own sum */              \
    X(wall_means, float, DLP_PACE_SIZE, DLP_STORE_IMPLICIT)
typedef struct dlp_projection {
#define X(name, type, components, when) type *name;
    DLP_PROJECTION_FIELDS(X)
#undef X
    int32_t capacity;
} dlp_projection;

/* What a solve came to. */
typedef struct dlp_solve_report {
    int32_t passes;
    double mean, largest; /* of the residuals of particles that are left */
    bool is_converged;
} dlp_solve_report;

typedef enum dlp_solve_kind { DLP_SOLVE_DIVERGENCE, DLP_SOLVE_DENSITY } dlp_solve_kind;

/* The largest residual that may stand, over the mean one. */
enum { DLP_LARGEST_OVER_MEAN = 20 };

/* When a solve stops: the mean and the largest residual, in its own unit. */
typedef struct dlp_solve_limits {
    double mean, largest;
    double closed_mean; /* the mean in a vessel without a free surface, where that is more */
    int32_t pass_limit;
} dlp_solve_limits;

/* projection.c */
void dlp_projection_init(struct dlp_sph *sph);
/* Places, rows and diagonals of the present arrangement, once per step; the mass of what is held in an
 * emitter's mouth is without limit. */
void dlp_projection_prepare(struct dlp_sph *sph);
/* `source`: the rate of compression by `velocity`, and by the walls', 1/s. */
void dlp_projection_sum_rates(struct dlp_sph *sph);
/* `paces` = a(kappa), `response` = A kappa. */
void dlp_projection_apply(struct dlp_sph *sph);
/* Solves source + A trial <= 0 with trial >= 0, from the trial that stands there; then `paces` are what the
 * solution does to particles. */
dlp_solve_report dlp_projection_solve(struct dlp_sph *sph, const dlp_solve_limits *limits);

#endif
