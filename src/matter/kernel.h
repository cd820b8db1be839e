/* Smoothing kernels over q = r / h, all with support 2h. W = norm / h^d * shape(q), and the gradient is
 * grad_i W = norm / h^(d+2) * slope(q) * x_ij with slope = shape'(q) / q. */
#ifndef DLP_MATTER_KERNEL_H
#define DLP_MATTER_KERNEL_H

#include "matter/real.h"

/* (2 - q)^3: its slope does not vanish at q = 0, so particles do not cluster. [desbrun1996, eq. 6] */
DLP_FORMULA real dlp_desbrun_shape(real q)
{
    const real t = real_max(2.0f - q, real_of(0.0f));
    return t * t * t;
}
DLP_FORMULA real dlp_desbrun_slope(real q)
{
    const real t = real_max(2.0f - q, real_of(0.0f));
    return -3.0f * t * t / q;
}

/* Cubic spline. [monaghan1992, eq. 2.6] */
DLP_FORMULA real dlp_spline_shape(real q)
{
    const real t = real_max(2.0f - q, real_of(0.0f));
    return real_select(q <= 1.0f, 1.0f - 1.5f * q * q + 0.75f * q * q * q, 0.25f * t * t * t);
}
DLP_FORMULA real dlp_spline_slope(real q)
{
    const real t = real_max(2.0f - q, real_of(0.0f));
    return real_select(q <= 1.0f, -3.0f + 2.25f * q, -0.75f * t * t / q);
}

/* Wendland C2: positive Fourier transform, hence no pairing. [wendland1995] */
DLP_FORMULA real dlp_wendland_shape(real q)
{
    const real t = real_max(1.0f - 0.5f * q, real_of(0.0f));
    return t * t * (t * t) * (1.0f + 2.0f * q);
}
DLP_FORMULA real dlp_wendland_slope(real q)
{
    const real t = real_max(1.0f - 0.5f * q, real_of(0.0f));
    return -5.0f * (t * t * t);
}

/* Poly6 of support H = 2h, for densities; its companions are `desbrun` for the pressure gradient (there
 * called spiky) and the Laplacian below for viscosity. [muller2003, eq. 20-22] */
DLP_FORMULA real dlp_poly6_shape(real q)
{
    const real t = real_max(4.0f - q * q, real_of(0.0f));
    return t * t * t;
}
DLP_FORMULA real dlp_viscosity_laplacian(real q)
{
    return real_max(2.0f - q, real_of(0.0f));
}

#endif
