#ifndef DLP_MOTION_SPH_SPH_SCALE_H
#define DLP_MOTION_SPH_SPH_SCALE_H

#include "motion/sph/sph.h"

/* Bounds of the surfaces of all bodies, in their own frames; what follows reads them. */
dlp_status dlp_sph_find_bounds(dlp_sph *sph, dlp_error *error);
/* The fastest that something in this scene may get, m/s: from heights, drops, starts, jets and tools. */
double dlp_sph_expected_speed(const dlp_sph *sph);
/* The widest that it can spread across gravity, m. */
double dlp_sph_expected_width(const dlp_sph *sph);

#endif
