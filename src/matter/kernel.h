/* Smoothing kernels over q = r / h, all with support 2h. W = norm / h^d * shape(q), and the gradient is
 * grad_i W = norm / h^(d+2) * slope(q) * x_ij with slope = shape'(q) / q. */
#ifndef DLP_MATTER_KERNEL_H
#define DLP_MATTER_KERNEL_H

#include "matter/real.h"
#include "scene/kernel_kind.h"

/* (2 - q)^3: its slope does not vanish at q = 0, so particles do not cluster. [desbrun1996, eq. 6] */
DLP_FORMULA real dlp_desbrun_shape(real q)
{
    const real t = real_positive(DLP_R(2.0) - q);
    return t * t * t;
}
DLP_FORMULA real dlp_desbrun_slope(real q)
{
    const real t = real_positive(DLP_R(2.0) - q);
    return -DLP_R(3.0) * t * t / q;
}

/* Cubic spline. [monaghan1992, eq. 2.6] */
DLP_FORMULA real dlp_spline_shape(real q)
{
    const real t = real_positive(DLP_R(2.0) - q);
    return real_select(q <= DLP_R(1.0), DLP_R(1.0) - DLP_R(1.5) * q * q + DLP_R(0.75) * q * q * q,
                       DLP_R(0.25) * t * t * t);
}
DLP_FORMULA real dlp_spline_slope(real q)
{
    const real t = real_positive(DLP_R(2.0) - q);
    return real_select(q <= DLP_R(1.0), -DLP_R(3.0) + DLP_R(2.25) * q, -DLP_R(0.75) * t * t / q);
}

/* Wendland C2: positive Fourier transform, hence no pairing. [wendland1995] */
DLP_FORMULA real dlp_wendland_shape(real q)
{
    const real t = real_positive(DLP_R(1.0) - DLP_R(0.5) * q);
    return t * t * (t * t) * (DLP_R(1.0) + DLP_R(2.0) * q);
}
DLP_FORMULA real dlp_wendland_slope(real q)
{
    const real t = real_positive(DLP_R(1.0) - DLP_R(0.5) * q);
    return -DLP_R(5.0) * (t * t * t);
}

/* Poly6 of support H = 2h, for densities; with it go `desbrun` for the pressure gradient (there called spiky)
 * and the Laplacian below for viscosity. [muller2003, eq. 20-22] */
DLP_FORMULA real dlp_poly6_shape(real q)
{
    const real t = real_positive(DLP_R(4.0) - q * q);
    return t * t * t;
}
DLP_FORMULA real dlp_viscosity_laplacian(real q)
{
    return real_positive(DLP_R(2.0) - q);
}

/* shape(q) of the kernel that sums densities, and slope(q) of the one that makes gradients: they differ for
 * `muller` alone. `kind` is a constant wherever this stands in a loop, so that no branch is left. The
 * slope of `desbrun` is infinite at q = 0: offsets are softened before (pair.h). */
DLP_FORMULA real dlp_kernel_shape_of(dlp_kernel_kind kind, real q)
{
    switch (kind) {
    case DLP_KERNEL_DESBRUN:
        return dlp_desbrun_shape(q);
    case DLP_KERNEL_SPLINE:
        return dlp_spline_shape(q);
    case DLP_KERNEL_WENDLAND:
        return dlp_wendland_shape(q);
    case DLP_KERNEL_MULLER:
        return dlp_poly6_shape(q);
    }
    return real_of(DLP_R(0.0));
}
DLP_FORMULA real dlp_kernel_slope_of(dlp_kernel_kind kind, real q)
{
    switch (kind) {
    case DLP_KERNEL_SPLINE:
        return dlp_spline_slope(q);
    case DLP_KERNEL_WENDLAND:
        return dlp_wendland_slope(q);
    case DLP_KERNEL_DESBRUN:
    case DLP_KERNEL_MULLER:
        return dlp_desbrun_slope(q);
    }
    return real_of(DLP_R(0.0));
}

/* 1 / h^d, and 1 / h^(d+2): the powers of h in W and in its gradient, in dimension d = 2 or 3. */
DLP_FORMULA real dlp_kernel_scale(real inverse_h, int dimension)
{
    const real square = inverse_h * inverse_h;
    return dimension == 3 ? square * inverse_h : square;
}
DLP_FORMULA real dlp_kernel_slope_scale(real inverse_h, int dimension)
{
    return dlp_kernel_scale(inverse_h, dimension) * (inverse_h * inverse_h);
}

#endif
