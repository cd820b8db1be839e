/* Energy of compression per unit of rest volume, J/m3: the integral of P / delta^2 over delta from 1, one
 * function per state equation (state.h). For statistics: no motion depends on it. `delta` must be above 0. */
#ifndef DLP_MATTER_ENERGY_H
#define DLP_MATTER_ENERGY_H

#include <math.h>

static inline double dlp_energy_linear(double delta, double rho0, double k)
{
    return k * rho0 * (log(delta) + 1 / delta - 1);
}
static inline double dlp_energy_tait(double delta, double rho0, double k, int gamma)
{
    if (gamma == 1) return dlp_energy_linear(delta, rho0, k);
    return k * rho0 / gamma * ((pow(delta, gamma - 1) - 1) / (gamma - 1) + 1 / delta - 1);
}
static inline double dlp_energy_ideal(double delta, double rho0, double k)
{
    return k * rho0 * log(delta);
}

#endif
