/* The surfaces of all substances of a scene, for a world or for recorded frames. The public part is in
 * dollop.h. */
#ifndef DLP_SKIN_SKIN_H
#define DLP_SKIN_SKIN_H

#include "motion/world.h"
#include "skin/surface.h"

/* Surfaces for frames that come from elsewhere than a world. The scene is read during the call; `team` is
 * borrowed. */
dlp_status dlp_skin_create_for(const dlp_scene_def *scene, dlp_target target, dlp_team *team,
                               dlp_skin **out_skin, dlp_error *error);
/* Makes the surfaces of all substances from these particles; `substance` and `colors` of the view are not
 * read. Active surfaces have a history: frames are to be given in their order. */
dlp_status dlp_skin_update_from(dlp_skin *skin, const dlp_particle_view *particles, dlp_error *error);
/* Borrowed until the next update. The surface is NULL where its substance has a mesh alone: cloth, and
 * solids that carry theirs. The mesh is never NULL. */
const dlp_surface *dlp_skin_surface_at(const dlp_skin *skin, int32_t surface);
const dlp_surface_mesh *dlp_skin_mesh_at(const dlp_skin *skin, int32_t surface);
bool dlp_skin_is_solid(const dlp_skin *skin, int32_t surface);
double dlp_skin_time(const dlp_skin *skin);   /* s: of its world now; 0 without one */
double dlp_skin_volume(const dlp_skin *skin); /* m3, of all closed surfaces */

/* A world's particles where they are now; the arrays are borrowed until the world changes. */
dlp_status dlp_particle_view_of_world(const dlp_world *world, dlp_particle_view *out_particles,
                                      dlp_error *error);

/* Where the surfaces enter obstacles, the particles next to them are pushed back: the change of velocity
 * of every particle of the view, m/s, three each, is added to `out_delta_v`. A particle's change depends
 * on its neighbourhood alone: the bits do not depend on the number of threads. */
dlp_status dlp_skin_retroact(const dlp_skin *skin, const dlp_world *world, const dlp_particle_view *particles,
                             float *out_delta_v, dlp_error *error);

#endif
