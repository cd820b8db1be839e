/* Records: what the pair loops know of a point. */
#ifndef DLP_MOTION_SPH_PREDICT_H
#define DLP_MOTION_SPH_PREDICT_H

#include "motion/sph/sph.h"

dlp_vec3 dlp_sph_predicted_position(const dlp_sph *sph, int32_t i);
void dlp_record_set_position(float *record, const dlp_units *units, dlp_vec3 x);
void dlp_record_set_compression(float *record, const dlp_substance *s, dlp_kernel_kind kernel, float delta);
/* Square of the way a point has gone since the lists were built, m2. */
float dlp_record_moved(const float *record, const dlp_sph *sph, int32_t point);

#endif
