/* What a host does with solids: as dlp_solver says. */
#ifndef DLP_MOTION_SOLID_HOST_H
#define DLP_MOTION_SOLID_HOST_H

#include "motion/solid/solid_solver.h"

bool dlp_solid_can_write(dlp_field field);
/* Particles that attachments hold go back to where these have them. */
dlp_status dlp_solid_write(dlp_solid *solid, dlp_field field, int32_t first, int32_t count,
                           const void *values, dlp_error *error);
/* Adds what a host's forces do to the velocities of particles begin .. end - 1 in the sub-step, m/s; at most
 * DLP_FORCE_BUFFER of them. */
void dlp_solid_add_host_forces(const dlp_solid_pass *pass, int32_t begin, int32_t end, dlp_vec3 *dv);

#endif
