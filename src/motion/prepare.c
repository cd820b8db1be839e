/* Before a world moves: its scene as a model, what is said of it, and whether its steps would ever end. */
#include "motion/world_parts.h"
#include "scene/containers.h"
#include "scene/notes.h"

dlp_status dlp_world_resolve(dlp_scene *scene, const dlp_scene_def **out_model, dlp_error *error)
{
    DLP_TRY(dlp_scene_resolve(scene, out_model, error));
    const double rate = (*out_model)->frame_rate;
    if (!(rate * DLP_SHORTEST_SPAN <= 1))
        return dlp_fail(error, DLP_INVALID, "frames.rate: frames of %g s; at least %g s are needed", 1 / rate,
                        DLP_SHORTEST_SPAN);
    dlp_scene_def_open_containers(dlp_scene_def_mutable(scene));
    return DLP_OK;
}

double dlp_world_shortest_step(const dlp_world *world)
{
    double shortest = HUGE_VAL;
    for (int32_t k = 0; k < world->member_count; k++)
        shortest = fmin(shortest, world->members[k].type->step_limit(world->members[k].self));
    return shortest;
}

dlp_status dlp_world_check_steps(const dlp_world *world, double seconds, dlp_status otherwise,
                                 dlp_error *error)
{
    const double step = dlp_world_shortest_step(world), count = seconds / step;
    if (count <= DLP_STEP_LIMIT) return DLP_OK;
    return dlp_fail(
        error, otherwise,
        "time: to advance by %.3g s would take %.2g steps of %.2g s; at most %.0e steps are allowed: "
        "advance by less, or make `time.courant`, `time.step` or the particles larger, or `stiffness`, "
        "`sound_speed`, "
        "`viscosity`, `conductivity` or what moves smaller",
        seconds, count, step, DLP_STEP_LIMIT);
}

void dlp_world_note_scene(const dlp_world *world)
{
    char note[DLP_NOTE_SIZE];
    if (world->options.log == NULL) return;
    if (dlp_scene_def_note_apart(world->model, note)) world->options.log(note, world->options.user);
    for (int32_t k = 0; k < world->model->obstacle_count; k++)
        if (dlp_scene_def_note_closed(world->model, k, note)) world->options.log(note, world->options.user);
}
