/* Restraint in the implicit step: how a particle of a given velocity moves.
 */
#ifndef DLP_MOTION_CLOTH_RESTRAINT_H
#define DLP_MOTION_CLOTH_RESTRAINT_H

#include "matter/cloth_energy.h"
#include "matter/restraint.h"

/* Effective velocity s / m. */
dlp_vec3 dlp_restrained_velocity(const dlp_restraint *restraint, dlp_vec3 v);
/* R = ds/dp at a velocity.  [manteaux2013, eq. 10] */
dlp_sym3 dlp_mobility_at(const dlp_restraint *restraint, dlp_vec3 v);

#endif
