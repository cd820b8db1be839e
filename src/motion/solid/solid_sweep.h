/* The sweeps: constraints solved one after the other, eight at a time. */
#ifndef DLP_MOTION_SOLID_SWEEP_H
#define DLP_MOTION_SOLID_SWEEP_H

#include "matter/principal.h"
#include "motion/solid/solid_solver.h"

/* What a group's constraints have in common. */
struct dlp_solid_step_constants {
    dlp_elastic_law law;
    dlp_constraint_kind constraint;
    float mu, lambda; /* Pa */
    float stiffness;  /* Pa: mu, and what fibres add to it: what the sweeps count on */
    float square;     /* s2: tau^2 */
    bool has_springs;
    float spring; /* 1 / (kappa E tau^2): compliance of the hourglass springs, over their weight and volume */
    int32_t fiber_count;
    float fibers[DLP_FIBER_LIMIT][4]; /* unit direction, beta in Pa */
    bool is_plastic;
    dlp_plastic_law plastic;
};

/* What a loop over groups reads and writes. */
typedef struct dlp_solid_sweep {
    dlp_constraint_coloring *coloring;
    dlp_sweep_node *nodes;
    float *rotations, *plastic;
    const dlp_solid_step_constants *constants; /* one per substance */
    float *stiffening;    /* out, one per group: of the law here over that at rest, the mean */
    double step;          /* s: of the sub-step, for what flows in it */
    double tau;           /* s */
    double *tied_impulse; /* N s, 3 per particle: what rows with `has_tied` add to */
    int32_t particle_count;
    bool is_first; /* multipliers are zero */
    bool is_last;  /* they are not needed any more */
} dlp_solid_sweep;

typedef void dlp_solid_sweep_fn(const dlp_solid_sweep *sweep, int32_t group);
dlp_solid_sweep_fn dlp_solid_sweep_group_plain, dlp_solid_sweep_group_avx2; /* solves its constraints once */
dlp_solid_sweep_fn dlp_solid_yield_group_plain,
    dlp_solid_yield_group_avx2; /* what is strained beyond its yield flows */

#endif
