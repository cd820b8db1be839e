/* How finely an elastic body must be stepped: setting-up arithmetic in double precision. */
#ifndef DLP_MATTER_SOLID_SUBSTEPS_H
#define DLP_MATTER_SOLID_SUBSTEPS_H

#include "scene/scene.h"

/* m/s: of a wave that compresses the body, sqrt((lambda + 2 mu) / rho), along the fibre that makes it
 * fastest. */
double dlp_solid_wave_speed(const dlp_substance_def *substance);

/* Iterations of a sub-step: what the scene says, or 2. */
int32_t dlp_solid_iteration_count(const dlp_solid_def *solid);

/* Sub-steps of an interval of `seconds`: what the scene says a frame, or as many as let a wave pass at most a
 * share chi of a particle's spacing in one of them. */
int32_t dlp_solid_substep_count(const dlp_substance_def *substance, double frame_rate, double seconds);

#endif
