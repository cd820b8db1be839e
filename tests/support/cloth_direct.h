/* The step's system of cloth by a direct sparse solver: what the iterative one is held against. */
#ifndef DLP_TESTS_CLOTH_DIRECT_H
#define DLP_TESTS_CLOTH_DIRECT_H

#include "motion/cloth/cloth_solver.h"

/* Puts the solution into the system's z. DLP_UNSUPPORTED where the build has no such solver. */
dlp_status dlp_cloth_solve_directly(dlp_cloth_system *system, int32_t particle_count, dlp_error *error);

#endif
