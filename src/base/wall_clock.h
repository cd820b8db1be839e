/* Elapsed time, for statistics alone: no result depends on it. */
#ifndef DLP_BASE_WALL_CLOCK_H
#define DLP_BASE_WALL_CLOCK_H

#include <time.h>

/* s since some fixed point in the past; it never runs backwards. */
static inline double dlp_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
