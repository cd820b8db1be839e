/* Time within an interval as whole ticks of the solver's own, of which the world's clock has finer ones: the
 * interval is cut into `base` parts, chosen so that rounding steps to halves of a part loses little. */
#ifndef DLP_MOTION_SPH_SPH_CLOCK_H
#define DLP_MOTION_SPH_SPH_CLOCK_H

#include "motion/clock.h"

enum { DLP_TICK_BITS = 20 };

typedef struct dlp_sph_clock {
    double start, end; /* s: of the interval */
    int32_t base;      /* the interval is base * 2^20 ticks long: 1 .. 15 */
    int32_t tick;      /* now */
    int32_t last_tick; /* of the step before */
    int32_t stop;      /* where the interval ends: dlp_sph_clock_end, or less where it was cut short */
} dlp_sph_clock;

static inline int32_t dlp_sph_clock_end(const dlp_sph_clock *clock)
{
    return clock->base << DLP_TICK_BITS;
}
/* Ticks of the world's clock in one of the solver's own: whole, whatever the base. */
static inline int64_t dlp_sph_clock_world_ticks(const dlp_sph_clock *clock)
{
    return DLP_INTERVAL_TICKS / dlp_sph_clock_end(clock);
}
static inline double dlp_sph_clock_seconds(const dlp_sph_clock *clock, int32_t ticks)
{
    return (clock->end - clock->start) * ((double)ticks / (double)dlp_sph_clock_end(clock));
}
static inline double dlp_sph_clock_time(const dlp_sph_clock *clock)
{
    return clock->tick == dlp_sph_clock_end(clock) ? clock->end
                                                   : clock->start + dlp_sph_clock_seconds(clock, clock->tick);
}

#endif
