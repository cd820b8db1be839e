/* Values that a host writes (dlp_world_write), as solvers read and check them. */
#ifndef DLP_MOTION_HOST_VALUES_H
#define DLP_MOTION_HOST_VALUES_H

#include "base/status.h"
#include "base/vec.h"

/* What solids and cloth take: beyond these their steps report a divergence, or have no digits left. */
#define DLP_HOST_DISTANCE_LIMIT 1e9 /* m from the origin, along each axis */
#define DLP_HOST_SPEED_LIMIT    9e4 /* m/s */
#define DLP_HOST_ANGLE_LIMIT    1e9 /* degrees that a body is turned by */

/* The k-th position or velocity of `values`. */
dlp_vec3 dlp_host_vector(dlp_field field, const void *values, int32_t k);
/* The value as the field shows it: whether it is the same, bit for bit. */
bool dlp_host_is_shown(dlp_field field, const void *values, int32_t k, dlp_vec3 shown);

/* Refuses a vector that is not finite; `field` and `particle` are for the message. */
dlp_status dlp_host_check_finite(dlp_field field, int32_t particle, dlp_vec3 v, dlp_error *error);
/* Refuses positions and velocities of particles first .. first + count - 1 that are not finite or beyond the
 * limits above. */
dlp_status dlp_host_check_vectors(dlp_field field, int32_t first, int32_t count, const void *values,
                                  dlp_error *error);

#endif
