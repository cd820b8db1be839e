/* Setting up wall points: private to the files that make and use them. */
#ifndef DLP_MOTION_SPH_WALLS_H
#define DLP_MOTION_SPH_WALLS_H

#include "motion/sph/sph.h"
#include "space/bins.h"

dlp_status dlp_wall_points_reserve(dlp_wall_points *points, int32_t count, dlp_error *error);
dlp_status dlp_wall_points_group(dlp_wall_points *points, dlp_error *error);
/* A box, in the body frame, that holds all of an obstacle's surface that the substance may reach. */
dlp_box dlp_sph_surface_region(const dlp_sph *sph, int32_t obstacle);

#endif
