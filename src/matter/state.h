/* State equations: pressure, Pa, from compression delta = rho / rho0. k is the square of a speed of sound,
 * m2/s2. energy.h has the energies that belong to them. */
#ifndef DLP_MATTER_STATE_H
#define DLP_MATTER_STATE_H

#include "matter/real.h"

/* x^n, n >= 0, by multiplication only: the same bits everywhere. */
DLP_FORMULA real dlp_power(real x, int n)
{
    real result = real_of(DLP_R(1.0));
    for (; n > 0; n >>= 1) {
        if (n & 1) result = result * x;
        x = x * x;
    }
    return result;
}

/* P = k (rho - rho0): attracts below the rest density. c = sqrt(k). [desbrun1996, eq. 8] */
DLP_FORMULA real dlp_pressure_linear(real delta, real rho0, real k)
{
    return k * rho0 * (delta - DLP_R(1.0));
}
/* P = (k rho0 / gamma) (delta^gamma - 1), k = c^2. [cole1948; monaghan1994, eq. 2.1] */
DLP_FORMULA real dlp_pressure_tait(real delta, real rho0, real k, int gamma)
{
    return k * rho0 / DLP_R_INT(gamma) * (dlp_power(delta, gamma) - DLP_R(1.0));
}
/* P = k rho: only repels. */
DLP_FORMULA real dlp_pressure_ideal(real delta, real rho0, real k)
{
    return k * rho0 * delta;
}

#endif
