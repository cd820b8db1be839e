/* How finely an elastic body must be stepped: computed when a solid is set up, in double precision. */
#ifndef DLP_MATTER_SOLID_SUBSTEPS_H
#define DLP_MATTER_SOLID_SUBSTEPS_H

#include "scene/scene.h"

/* m/s: of a wave that compresses the body, sqrt((lambda + 2 mu) / rho), along the fibre that makes it
 * fastest. */
double dlp_solid_wave_speed(const dlp_substance_def *substance);

/* What the scene says, or what suits the particles' order: spacings of the rest neighbours, and the strength
 * of the penalty on what the gradient does not see. */
double dlp_solid_support(const dlp_substance_def *substance);
double dlp_solid_hourglass(const dlp_substance_def *substance);

/* Iterations of a sub-step: what the scene says, or 2. */
int32_t dlp_solid_iteration_count(const dlp_solid_def *solid);

/* Sub-steps of an interval of `seconds`, at least 1: in proportion to what the scene says per frame, or so
 * many that a wave travels at most a share chi of the particles' spacing in one of them. */
int32_t dlp_solid_substep_count(const dlp_substance_def *substance, double frame_rate, double seconds);

#endif
