/* What others may ask of a world. */
#include "motion/world_parts.h"
#include "base/sized.h"

dlp_status dlp_world_stats(dlp_world *world, dlp_stats *out_stats, dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_TRY(dlp_sized_check(out_stats, "dlp_stats", error));
    dlp_stats stats = {.frame = (int32_t)world->frame,
                       .time = dlp_world_time(world),
                       .wall_motion = world->wall_motion,
                       .wall_skin = world->wall_skin,
                       .wall_record = world->wall_record};
    for (int32_t k = 0; k < world->member_count; k++)
        DLP_TRY(world->members[k].type->measure(world->members[k].self, &stats, error));
    if (world->skin_volume > 0) stats.volume = world->skin_volume;
    dlp_sized_write(out_stats, &stats, sizeof stats);
    return DLP_OK;
}

void dlp_world_note_skin(dlp_world *world, double seconds, double volume)
{
    world->wall_skin = seconds;
    world->skin_volume = volume;
}

void dlp_world_note_record_time(dlp_world *world, double seconds)
{
    world->wall_record = seconds;
}

const dlp_scene_def *dlp_world_scene(const dlp_world *world)
{
    return &world->setting->conditions.now;
}

dlp_scene *dlp_world_scene_handle(const dlp_world *world)
{
    return world->scene;
}

dlp_team *dlp_world_team(const dlp_world *world)
{
    return world->team;
}

dlp_target dlp_world_target(const dlp_world *world)
{
    return world->target;
}

const dlp_bodies *dlp_world_bodies(const dlp_world *world)
{
    return &world->setting->bodies;
}

void *dlp_world_solver(const dlp_world *world, const dlp_solver *type)
{
    for (int32_t k = 0; k < world->member_count; k++)
        if (world->members[k].type == type) return world->members[k].self;
    return NULL;
}

int32_t dlp_world_first_of(const dlp_world *world, const dlp_solver *type)
{
    int32_t first = 0;
    for (int32_t k = 0; k < world->member_count; k++) {
        if (world->members[k].type == type) return first;
        first += world->members[k].type->count(world->members[k].self);
    }
    return 0;
}

int32_t dlp_world_count_of(const dlp_world *world, const dlp_solver *type)
{
    const void *self = dlp_world_solver(world, type);
    return self != NULL ? type->count(self) : 0;
}

int32_t dlp_world_particle_count(const dlp_world *world)
{
    int32_t count = 0;
    for (int32_t k = 0; k < world->member_count; k++)
        count += world->members[k].type->count(world->members[k].self);
    return count;
}
