/* Heat: temperatures that conduct, cool at free surfaces and walls, and make the substance thick or thin.
 * Only where a substance has a temperature; temperatures are in degrees C. */
#ifndef DLP_MOTION_SPH_SPH_HEAT_H
#define DLP_MOTION_SPH_SPH_HEAT_H

#include "motion/sph/predict.h"

/* Sets params.heat where a substance has a temperature. */
dlp_status dlp_heat_init(dlp_sph *sph, dlp_error *error);
void dlp_heat_set_constants(dlp_sph *sph);

/* Temperature of a new particle, degrees C. */
double dlp_heat_start(const dlp_sph *sph, int32_t substance);
/* Temperature now, for the loops, and what it makes of the packed-record's viscosity and stiffness. */
void dlp_heat_predict(const dlp_sph *sph, int32_t i, float *packed);
/* Temperature of several particles of one substance mixed together, now. */
double dlp_heat_mix(const dlp_sph *sph, const int32_t *particles, int32_t count);
/* New temperatures and rates of the due particles. */
void dlp_sph_exchange_heat(dlp_sph *sph);
/* The step that conduction and cooling allow, s. */
double dlp_heat_step(const dlp_sph *sph, int32_t i);

/* Stiffness of a particle over its substance's; 1 without a curve. */
float dlp_heat_softening(const dlp_sph *sph, int32_t i);
/* Heat of a particle above 0 degrees C, J; 0 where there are no temperatures. */
double dlp_heat_of(const dlp_sph *sph, int32_t i);

#endif
