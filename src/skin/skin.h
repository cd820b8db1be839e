/* The surfaces of all substances of a scene, for a world or for recorded frames. The public part is in
 * dollop.h. */
#ifndef DLP_SKIN_SKIN_H
#define DLP_SKIN_SKIN_H

#include "motion/world.h"
#include "skin/surface.h"

/* Surfaces for frames that come from elsewhere; `team` is borrowed. */
dlp_status dlp_skin_create_for(const dlp_scene_def *scene, dlp_target target, dlp_team *team,
                               dlp_skin **out_skin, dlp_error *error);
/* Makes the surfaces of the particles of all substances; `substance` and `colors` of the matter are not read.
 */
dlp_status dlp_skin_wrap(dlp_skin *skin, const dlp_matter *matter, dlp_error *error);
/* Borrowed; the surface is NULL where its substance has a mesh alone: cloth and solids. */
const dlp_surface *dlp_skin_surface_at(const dlp_skin *skin, int32_t surface);
const dlp_skin_mesh *dlp_skin_mesh_at(const dlp_skin *skin, int32_t surface);
bool dlp_skin_is_solid(const dlp_skin *skin, int32_t surface);
double dlp_skin_volume(const dlp_skin *skin); /* m3, of all closed surfaces */

/* A world's particles as they stand; borrowed until it changes. */
dlp_status dlp_matter_of_world(const dlp_world *world, dlp_matter *out_matter, dlp_error *error);

/* Where the surfaces enter obstacles, the particles next to them are pushed back: the change of velocity of
 * every particle, m/s, three each, is added to `out_kicks`. */
dlp_status dlp_skin_retroact(const dlp_skin *skin, const dlp_world *world, const dlp_matter *matter,
                             float *out_kicks, dlp_error *error);

#endif
