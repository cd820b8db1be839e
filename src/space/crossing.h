/* Whether two moving segments pass through one another. */
#ifndef DLP_SPACE_CROSSING_H
#define DLP_SPACE_CROSSING_H

#include "base/vec.h"

/* A segment that moves: each end goes straight and at constant speed from `before` to `after`, m. */
typedef struct dlp_moving_segment {
    dlp_vec3 before[2], after[2];
} dlp_moving_segment;

/* Whether they touch at some time in between. Segments that stay in one common plane all the time do not
 * count, nor do parallel ones. Symmetric in a and b up to rounding. */
bool dlp_segments_meet(const dlp_moving_segment *a, const dlp_moving_segment *b);

#endif
