/* Whether two moving segments pass through one another. */
#ifndef DLP_SPACE_CROSSING_H
#define DLP_SPACE_CROSSING_H

#include "base/vec.h"

/* A segment that moves: its ends go straight from where they are before to where they are after, m. */
typedef struct dlp_moving_segment {
    dlp_vec3 before[2], after[2];
} dlp_moving_segment;

/* Whether they meet at some moment between. Segments that stay in one plane with each other do not. */
bool dlp_segments_meet(const dlp_moving_segment *a, const dlp_moving_segment *b);

#endif
