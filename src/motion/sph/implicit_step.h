/* Steps whose pressure is solved for. */
#ifndef DLP_MOTION_SPH_IMPLICIT_STEP_H
#define DLP_MOTION_SPH_IMPLICIT_STEP_H

#include "motion/sph/predict.h"

/* What has been evaluated moves all particles; instead of the explicit kick and choice of steps.
 * `next_interval` as in dlp_sph_close_step. */
void dlp_sph_close_implicit(dlp_sph *sph, double next_interval);
/* Forces are evaluated without pressure: between the sums of densities and those of forces. */
void dlp_sph_clear_pressures(dlp_sph *sph);

#endif
