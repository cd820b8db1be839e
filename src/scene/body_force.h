/* What accelerates every particle from outside: gravity, and the scene's forces by place and time. */
#ifndef DLP_SCENE_BODY_FORCE_H
#define DLP_SCENE_BODY_FORCE_H

#include "scene/scene.h"

/* m/s2 at x, of the conditions' time; in 2-D without z. Not finite where a formula is not defined. */
dlp_vec3 dlp_body_acceleration(const dlp_scene_def *scene, int32_t substance, dlp_vec3 x);
/* J/kg: of gravity, and of the forces that are central or have a potential; forces given by formulas of their
 * components count nothing. */
double dlp_body_potential(const dlp_scene_def *scene, int32_t substance, dlp_vec3 x);
/* The square of a speed that the forces, without gravity, may give to what starts at rest at x: an estimate
 * for choosing a sound speed. `reach`, m: how far it may fall where the force does not say it. */
double dlp_body_speed_square(const dlp_scene_def *scene, int32_t substance, dlp_vec3 x, double reach);

#endif
