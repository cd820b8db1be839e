/* Emitters, for the solver that owns them. */
#ifndef DLP_MOTION_SPH_EMIT_H
#define DLP_MOTION_SPH_EMIT_H

#include "motion/sph/sph.h"

/* emit_mouth.c */
dlp_status dlp_emitter_init(dlp_emitter *emitter, const dlp_emitter_def *def, int32_t dimension,
                            double spacing, dlp_error *error);
void dlp_emitter_release(dlp_emitter *emitter);

/* emit.c */
/* Appends one particle of one unit of mass at rest density; there must be room. */
void dlp_sph_add_particle(dlp_sph *sph, int32_t substance, dlp_vec3 x, dlp_vec3 v);

/* Whether a sink would take one of the due particles, or has opened since particles were sorted. */
bool dlp_sph_would_drain(const dlp_sph *sph);

#endif
