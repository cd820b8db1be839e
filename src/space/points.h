/* Points from a file: where a substance starts. */
#ifndef DLP_SPACE_POINTS_H
#define DLP_SPACE_POINTS_H

#include "base/status.h"

/* Points in the order of the file, all finite. All-zero is empty. */
typedef struct dlp_points {
    int32_t count;        /* at least 1 after reading */
    dlp_vec3 *positions;  /* m */
    dlp_vec3 *velocities; /* m/s, or NULL where the file has none */
} dlp_points;

/* Reads the points of a .vtp (as `dollop run` writes them: raw appended; also ascii and base64 arrays) or a
 * .ply (ascii, binary of either endianness; vx/vy/vz or velocity_x/... are taken as velocities).
 * DLP_IO with the file's name and what is wrong; never more than `limit` points. */
dlp_status dlp_points_read(const char *path, int32_t limit, dlp_points *out_points, dlp_error *error);
void dlp_points_release(dlp_points *points);

#endif
