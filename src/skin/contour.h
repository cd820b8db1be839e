/* The outline of a 2-D substance: closed lines on which the smoothed density has a given value (marching
 * squares). */
#ifndef DLP_SKIN_CONTOUR_H
#define DLP_SKIN_CONTOUR_H

#include "base/status.h"

/* What an outline is made of. All-zero is legal and gives an empty contour. */
typedef struct dlp_contour_def {
    const double *positions; /* m, three per particle (z is not read); borrowed */
    const float *radii;      /* m: of a disc of the particle's rest area; borrowed */
    int32_t count;
    double smoothing; /* h / spacing of the kernel, which reaches 2h; 0 counts as 1.2 */
    double iso;       /* in rest densities; 0 counts as 0.5, where the kernel sees half of its disc filled */
    double cell;      /* m: of the grid; 0: half the finest spacing */
} dlp_contour_def;

/* Loops run with the substance on their left, so that outer ones run counter-clockwise and holes
 * clockwise. All-zero is an empty contour. */
typedef struct dlp_contour {
    double *points; /* m, three per point (z = 0), loop after loop; the first point is not repeated */
    int32_t point_count;
    /* where in the points each loop ends, exclusive: ascending, the last is point_count */
    int32_t *loop_ends;
    int32_t loop_count;
    double area;      /* m2, enclosed: holes do not count */
    double perimeter; /* m, of all loops */
} dlp_contour;

/* Makes the contour; the caller releases it. On failure *out_contour is empty. The memory needed follows
 * the area that is covered, not the extent. Particles whose position or radius is not finite, or that lie
 * absurdly far away (2^30 cells), are left out. Runs in the caller's thread, so that the order of the
 * sums, and with it every bit, follows from the order of the particles. */
dlp_status dlp_contour_create(const dlp_contour_def *def, dlp_contour *out_contour, dlp_error *error);
void dlp_contour_release(dlp_contour *contour);

#endif
