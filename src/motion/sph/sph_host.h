/* What a host does with smoothed particles: it writes, adds and removes them between intervals, and acts on
 * them with forces of its own. */
#ifndef DLP_MOTION_SPH_SPH_HOST_H
#define DLP_MOTION_SPH_SPH_HOST_H

#include "motion/sph/sph.h"

/* Contracts of motion/solver.h. A value that is the one shown changes nothing: what was read can be written
 * back. With other values, the particles' densities, pressures and steps follow when the world moves on. With
 * adapt.restraint a velocity is shown as far as it moves a particle, but written as a whole. */
bool dlp_sph_can_write(const dlp_sph *sph, dlp_field field);
dlp_status dlp_sph_write(dlp_sph *sph, dlp_field field, int32_t first, int32_t count, const void *values,
                         dlp_error *error);
dlp_status dlp_sph_add(dlp_sph *sph, const dlp_new_particles *particles, dlp_error *error);
dlp_status dlp_sph_remove(dlp_sph *sph, const int32_t *indices, int32_t count, dlp_error *error);

/* Adds the host's forces to those on the due particles. */
void dlp_sph_add_host_forces(dlp_sph *sph);
/* Whether the host's forces are others than when this was asked last. */
bool dlp_sph_has_other_forces(dlp_sph *sph);

/* Whether what moves the particles must be found anew before they move: a host changed them, or acts on a
 * substance that it did not act on before, or no longer. */
bool dlp_sph_must_restart(const dlp_sph *sph);
/* That has been done. */
void dlp_sph_note_restart(dlp_sph *sph);

#endif
