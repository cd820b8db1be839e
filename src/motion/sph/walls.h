/* Setting up wall points: private to the files that make and use them. */
#ifndef DLP_MOTION_SPH_WALLS_H
#define DLP_MOTION_SPH_WALLS_H

#include "motion/sph/sph.h"

/* Points in hashed cells, for setting up: add one at a time, ask who is near. */
typedef struct dlp_bins {
    double cell;
    int32_t *heads, *next; /* -1 ends a chain */
    int32_t head_count, capacity;
} dlp_bins;

dlp_status dlp_bins_init(dlp_bins *bins, double cell, int32_t expected, dlp_error *error);
dlp_status dlp_bins_add(dlp_bins *bins, int32_t index, dlp_vec3 x, dlp_error *error);
/* Points within `distance` (at most a cell), in a fixed order. */
int32_t dlp_bins_within(const dlp_bins *bins, const dlp_vec3 *points, dlp_vec3 x, double distance,
                        int32_t *out_index, int32_t limit);
void dlp_bins_release(dlp_bins *bins);

dlp_status dlp_wall_points_reserve(dlp_wall_points *points, int32_t count, dlp_error *error);
dlp_status dlp_wall_points_group(dlp_wall_points *points, dlp_error *error);
/* A box, in the body frame, that holds all of an obstacle's surface that the substance may reach. */
dlp_box dlp_sph_surface_region(const dlp_sph *sph, int32_t obstacle);

#endif
