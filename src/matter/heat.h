/* Heat in one particle: how its material depends on temperature, and what melting takes. Temperatures are in
 * degrees C. */
#ifndef DLP_MATTER_HEAT_H
#define DLP_MATTER_HEAT_H

#include "matter/state.h"

/* 2^x to a few units in the last place, by multiplication and addition only: the same bits everywhere. The
 * series of exp(f ln 2) for f in -1/2 .. 1/2, times a power of two. |x| must be far below 2^31; beyond the
 * range of a float the result is 0 or infinite. */
static inline float dlp_exp2(float x)
{
    const int n = (int)(x < 0 ? x - 0.5f : x + 0.5f);
    const float t = (x - (float)n) * 0.693147181f;
    const float sum =
        1.0f +
        t * (1.0f + t * (0.5f + t * (1.0f / 6 +
                                     t * (1.0f / 24 + t * (1.0f / 120 + t * (1.0f / 720 + t / 5040.0f))))));
    float scale = 1.0f;
    for (int k = 0; k < (n < 0 ? -n : n); k++) scale = scale * (n < 0 ? 0.5f : 2.0f);
    return sum * scale;
}

/* A value at temperature t between two points of a curve, t_0 < t_1, whose values are given by their
 * logarithms to the base 2; outside of them it is that of the nearer point. */
static inline float dlp_curve_between(float t, float t_0, float log_0, float t_1, float log_1)
{
    const float share = (t - t_0) / (t_1 - t_0);
    const float inside = share < 0 ? 0 : share > 1 ? 1 : share;
    return dlp_exp2(log_0 + inside * (log_1 - log_0));
}

/* Heat over heat capacity, K: the temperature plus what melting has taken, spread evenly from `from` to `to`,
 * from < to. `latent` is the heat of melting over the heat capacity, K. Grows strictly with t. */
static inline double dlp_heat_content(double t, double from, double to, double latent)
{
    const double share = (t - from) / (to - from);
    return t + latent * (share < 0 ? 0 : share > 1 ? 1 : share);
}
/* The inverse: the temperature that has this content. */
static inline double dlp_heat_temperature(double content, double from, double to, double latent)
{
    if (content <= from) return content;
    if (content >= to + latent) return content - latent;
    return from + (content - from) * ((to - from) / (to - from + latent));
}

#endif
