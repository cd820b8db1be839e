/* The world from the inside: what its files share. */
#ifndef DLP_MOTION_WORLD_PARTS_H
#define DLP_MOTION_WORLD_PARTS_H

#include "motion/cloth/cloth.h"
#include "motion/solid/solid.h"
#include "motion/sph/sph.h"

struct dlp_world {
    dlp_scene *scene;   /* borrowed */
    dlp_scene_def *def; /* borrowed from the scene */
    dlp_world_options options;
    dlp_target target;
    dlp_team *team;
    dlp_obstacle *obstacles;
    dlp_sph *sph;     /* NULL where no substance is of its model */
    dlp_solid *solid; /* likewise */
    dlp_cloth *cloth; /* likewise */
    int64_t frame;    /* complete ones */
    int64_t step_count;
    bool is_between_frames;                     /* frames: the next step begins a new one */
    double wall_motion, wall_skin, wall_record; /* s of wall clock, this frame */
    double skin_volume;                         /* m3, this frame; 0 for none */
    dlp_state_extension extension;
    void *exports[DLP_FIELD_COUNT]; /* fields that are derived when asked for */
    int32_t export_capacity[DLP_FIELD_COUNT];
    int32_t (*triangles)[3], (*links)[2]; /* dlp_world_cloth_topology */
    int32_t triangle_capacity, link_capacity;
};

/* Particles of each solver; a field holds those of the first, then those of the second, then of the third. */
static inline int32_t dlp_world_sph_count(const dlp_world *world)
{
    return world->sph != NULL ? world->sph->particles.count : 0;
}
static inline int32_t dlp_world_solid_count(const dlp_world *world)
{
    return world->solid != NULL ? dlp_solid_particles_of(world->solid)->count : 0;
}
static inline int32_t dlp_world_cloth_count(const dlp_world *world)
{
    return world->cloth != NULL ? dlp_cloth_particles_of(world->cloth)->count : 0;
}
/* Whether every solver has come to the end of the interval. */
bool dlp_world_is_done(const dlp_world *world);

#endif
