/* The solvers that there are: a line each. */
#include "motion/cloth/cloth.h"
#include "motion/solid/solid.h"
#include "motion/sph/sph.h"

const dlp_solver *const dlp_solvers[] = {&dlp_sph_solver, &dlp_solid_solver, &dlp_cloth_solver};
const int32_t dlp_solver_count = sizeof dlp_solvers / sizeof dlp_solvers[0];
