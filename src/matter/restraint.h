/* Restraint: how fast a particle of a given momentum moves.  [artemova2012; manteaux2013]
 * A restrained particle keeps its momentum p and holds its place; an active one moves with p / m; between
 * them a smooth passage keeps the motion Hamiltonian: H = T(p) + V(q), dq/dt = dT/dp = s / m.
 * Everything is per unit of mass and along p: v = |p| / m, and the effective speed s(v) = gain v. */
#ifndef DLP_MATTER_RESTRAINT_H
#define DLP_MATTER_RESTRAINT_H

#include "scene/restraint_form.h"

/* The passage from rest to motion. Convex: s = v S(t), t = (v - hold_speed) / (full - hold_speed), S the
 * quintic smooth step: s never overshoots and never falls. The two forms of the paper prescribe T = (1 - rho)
 * v^2 / 2 instead, rho = 1 - S(t), with t from the kinetic energy or from the momentum's norm; their s
 * overshoots v, and its slope becomes negative late in the passage, where implicit steps become singular. */
typedef struct dlp_restraint {
    dlp_restraint_form form;
    double hold_speed, full; /* m/s: held below the one, free above the other; 0 <= hold_speed < full */
} dlp_restraint;

/* S(t) = 10 t^3 - 15 t^4 + 6 t^5, and its first and second derivative. For 0 <= t <= 1. */
static inline double dlp_smooth_step(double t)
{
    return t * t * t * (10 - t * (15 - 6 * t));
}
static inline double dlp_smooth_step_slope(double t)
{
    return 30 * t * t * (1 - t) * (1 - t);
}
static inline double dlp_smooth_step_curve(double t)
{
    return 60 * t * (1 - t) * (1 - 2 * t);
}

/* t of a speed, and its first and second derivative to the speed. 0 to 1 between hold_speed and full. */
static inline double dlp_restraint_parameter(dlp_restraint r, double v)
{
    return r.form == DLP_RESTRAINT_ENERGY
               ? (v * v - r.hold_speed * r.hold_speed) / (r.full * r.full - r.hold_speed * r.hold_speed)
               : (v - r.hold_speed) / (r.full - r.hold_speed);
}
static inline double dlp_restraint_parameter_slope(dlp_restraint r, double v)
{
    return r.form == DLP_RESTRAINT_ENERGY ? 2 * v / (r.full * r.full - r.hold_speed * r.hold_speed)
                                          : 1 / (r.full - r.hold_speed);
}
static inline double dlp_restraint_parameter_curve(dlp_restraint r)
{
    return r.form == DLP_RESTRAINT_ENERGY ? 2 / (r.full * r.full - r.hold_speed * r.hold_speed) : 0;
}

/* s / v: 0 restrained, 1 active. The paper's forms: (1 - rho) - v/2 d rho/dv.  [manteaux2013, eq. 3] */
static inline double dlp_restraint_gain(dlp_restraint r, double v)
{
    if (v >= r.full) return 1;
    if (v <= r.hold_speed) return 0;
    const double t = dlp_restraint_parameter(r, v), step = dlp_smooth_step(t);
    if (r.form == DLP_RESTRAINT_CONVEX) return step;
    return step + 0.5 * v * dlp_smooth_step_slope(t) * dlp_restraint_parameter_slope(r, v);
}

/* ds/dv: with the gain it makes the Jacobian R = gain I + (slope - gain) p p^T / p^2.  [manteaux2013, eq. 10,
 * whose last term is the scalar p^T p] */
static inline double dlp_restraint_slope(dlp_restraint r, double v)
{
    if (v >= r.full) return 1;
    if (v <= r.hold_speed) return 0;
    const double t = dlp_restraint_parameter(r, v), dt = dlp_restraint_parameter_slope(r, v);
    const double slope = dlp_smooth_step_slope(t) * dt;
    if (r.form == DLP_RESTRAINT_CONVEX) return dlp_smooth_step(t) + v * slope;
    const double curve =
        dlp_smooth_step_curve(t) * dt * dt + dlp_smooth_step_slope(t) * dlp_restraint_parameter_curve(r);
    return dlp_smooth_step(t) + 2 * v * slope + 0.5 * v * v * curve;
}

/* T / m, m2/s2: the integral of s. Above `full` the convex form's differs from v^2 / 2 by a constant. */
static inline double dlp_restraint_energy(dlp_restraint r, double v)
{
    if (v <= r.hold_speed) return 0;
    const double end = v < r.full ? v : r.full, t = dlp_restraint_parameter(r, end);
    const double free = 0.5 * (v * v - end * end);
    if (r.form != DLP_RESTRAINT_CONVEX) return 0.5 * end * end * dlp_smooth_step(t) + free;
    const double width = r.full - r.hold_speed, t4 = t * t * t * t;
    return width * t4 * (r.hold_speed * (2.5 - t * (3 - t)) + width * t * (2 - t * (2.5 - 6 * t / 7))) + free;
}

#endif
