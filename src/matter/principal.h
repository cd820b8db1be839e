/* A solid's material in double precision: moduli, and the laws for one particle whatever its deformation, by
 * its principal stretches. The formulas are those of elastic.h and plastic.h. Matrices are by rows. */
#ifndef DLP_MATTER_PRINCIPAL_H
#define DLP_MATTER_PRINCIPAL_H

#include "scene/scene.h"

/* Pa, from Young's modulus (Pa) and Poisson's ratio (-1 < nu < 1/2). */
double dlp_lame_mu(double youngs_modulus, double poisson_ratio);
double dlp_lame_lambda(double youngs_modulus, double poisson_ratio);
/* lambda of a sheet one particle thick, whose thickness is free: 2 mu lambda / (lambda + 2 mu). */
double dlp_lame_lambda_sheet(double mu, double lambda);
/* Pa: modulus of a pressure wave, rho c^2 = lambda + 2 mu and what fibres along its path add. */
double dlp_wave_modulus(double mu, double lambda, double fiber_modulus);

/* The stretch below which a law goes on along its tangent; no stretch is below that of `corotated`. */
double dlp_elastic_least(dlp_elastic_law law);

/* Psi, J/m3, and P, Pa, of F = I + h. Finite for every F, and Psi >= 0. */
double dlp_elastic_at(dlp_elastic_law law, double mu, double lambda, const double h[9], double out_stress[9]);

/* When a solid flows. */
typedef struct dlp_plastic_law {
    double yield; /* equivalent logarithmic strain that stays elastic */
    double rate;  /* 1/s: at which the excess becomes plastic */
    double limit; /* plastic equivalent strain that is not exceeded */
} dlp_plastic_law;

/* sqrt(2/3) |dev ln U| of I + h; stretches below 0.05 count as that. */
double dlp_equivalent_strain(const double h[9]);
/* Flow during dt (s) at F = I + h. g = F_p^-1 - I before and after; false where nothing flows and g stays. */
bool dlp_plastic_flow(const dlp_plastic_law *law, double dt, const double h[9], double g[9]);

#endif
