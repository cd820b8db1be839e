/* The world's clock, which all solvers share.
 *
 * Time runs in intervals: a frame, what a host asked for, or a part of either. Whatever its seconds, an
 * interval has DLP_INTERVAL_TICKS ticks: a number that can be cut into 1 to 15 equal parts, each of which can
 * be halved twenty times. So every solver finds steps of its own choice on the one grid, and any two can be
 * put in order. */
#ifndef DLP_MOTION_CLOCK_H
#define DLP_MOTION_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define DLP_INTERVAL_TICKS ((int64_t)360360 << 20)

typedef struct dlp_clock {
    double start, end; /* s: of the interval, were it not cut short */
    int64_t tick;      /* no solver is behind this one: 0 .. end_tick */
    int64_t end_tick;  /* where the interval ends: DLP_INTERVAL_TICKS, or less where it was cut short */
} dlp_clock;

/* s; exact at both ends, and the same bits however fine a solver's own grid is. */
static inline double dlp_clock_time(const dlp_clock *clock, int64_t tick)
{
    if (tick == DLP_INTERVAL_TICKS) return clock->end;
    return clock->start + (clock->end - clock->start) * ((double)tick / (double)DLP_INTERVAL_TICKS);
}

/* Whether a solver's interval is the one that the clock shows; before the first there is none. */
static inline bool dlp_clock_shows(const dlp_clock *clock, double start, double end)
{
    const bool is_first = clock->end <= 0;
    return is_first ? start == 0 && end > 0 && end <= 1e9 : start == clock->start && end == clock->end;
}

/* The tick at which `done` of `count` equal steps end. */
static inline int64_t dlp_clock_tick_of(double done, int32_t count)
{
    return (int64_t)((double)DLP_INTERVAL_TICKS * (done / count) + 0.5);
}

#endif
