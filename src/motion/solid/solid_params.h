/* What is constant during a sub-step of solids. */
#ifndef DLP_MOTION_SOLID_PARAMS_H
#define DLP_MOTION_SOLID_PARAMS_H

#include "motion/solid/solid.h"

/* Constants of one substance with `model: solid`. */
typedef struct dlp_solid_material {
    double spacing;           /* m */
    double volume, mass;      /* m3, kg: of a particle; dlp_solid_fill */
    double mu, lambda, young; /* Pa */
    double support;           /* m: radius of the rest neighbourhood */
    double link_reach;        /* m: that links may have after cuts; at least the support */
    double hourglass;         /* kappa: stiffness of the hourglass springs over Young's modulus; >= 0 */
    bool is_irregular;        /* quadratic basis */
} dlp_solid_material;

#define DLP_SOLID_PARAMS_ARRAYS(X)                                                                           \
    X(materials, dlp_solid_material, 1, DLP_PER_SUBSTANCE)                                                   \
    X(spacings, double, 1, DLP_PER_SUBSTANCE) /* m, as in `materials`: for attachments */

/* Set at birth, and again by dlp_solid_change. */
typedef struct dlp_solid_params {
    dlp_solver_context context; /* the world's; the next four are shorter names of its parts, borrowed */
    const dlp_scene_def *scene; /* as it is at the present tick */
    const dlp_body *bodies;     /* likewise: its obstacles */
    dlp_team *team;
    dlp_target target;
    DLP_SOLID_PARAMS_ARRAYS(DLP_SOLID_MEMBER)
    bool may_break; /* there are blades, or substances that break */
    bool is_euler;  /* backward Euler throughout */
} dlp_solid_params;

#endif
