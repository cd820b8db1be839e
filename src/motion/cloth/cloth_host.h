/* What a host does with cloth: as dlp_solver says. */
#ifndef DLP_MOTION_CLOTH_HOST_H
#define DLP_MOTION_CLOTH_HOST_H

#include "motion/cloth/cloth_solver.h"

/* m/s: the velocity with which a particle moves; a restrained one's momentum is hidden. */
dlp_vec3 dlp_cloth_effective_velocity(const dlp_cloth *cloth, int32_t i);

bool dlp_cloth_can_write(dlp_field field);
/* Particles that attachments hold go back to where these have them; of restrained cloth the momentum is
 * written. */
dlp_status dlp_cloth_write(dlp_cloth *cloth, dlp_field field, int32_t first, int32_t count,
                           const void *values, dlp_error *error);
/* The forces of a host in a step that begins at `time`, s. */
void dlp_cloth_find_host_forces(dlp_cloth *cloth, double time);

#endif
