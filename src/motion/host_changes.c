/* What a host changes in a world while it moves: parameters, bodies, particles, forces; and the way back to
 * the start. */
#include "motion/world_parts.h"
#include "base/sized.h"
#include "motion/host_values.h"

#include <string.h>

static void tell_change(dlp_world *world)
{
    for (int32_t k = 0; k < world->member_count; k++)
        if (world->members[k].type->change != NULL) world->members[k].type->change(world->members[k].self);
}

// What there is now was put there: the watch over energy starts from it.
static void watch_anew(dlp_world *world)
{
    world->watch.has_started = false;
}

// Parameters.

static dlp_status exchange_model(dlp_world *world, dlp_scene *scene, dlp_error *error)
{
    const dlp_scene_def *model;
    DLP_TRY(dlp_world_resolve(scene, &model, error));
    DLP_TRY(dlp_setting_exchange(world->setting, model, error));
    dlp_scene_destroy(world->scene);
    world->scene = scene;
    world->model = model;
    tell_change(world);
    watch_anew(world);
    return DLP_OK;
}

// A copy of the world's scene in which a parameter that may change can be set.
static dlp_status begin_change(const dlp_world *world, const char *path, dlp_scene **out_scene,
                               dlp_error *error)
{
    dlp_parameter_info info = {.size = sizeof info};
    DLP_TRY(dlp_scene_find_parameter(world->scene, path, &info, error));
    if (!info.is_live)
        return dlp_fail(error, DLP_INVALID, "%s: cannot change while the world moves; make a new world",
                        path);
    return dlp_scene_clone(world->scene, out_scene, error);
}

static dlp_status end_change(dlp_world *world, dlp_scene *changed, dlp_status status, dlp_error *error)
{
    if (status == DLP_OK) status = exchange_model(world, changed, error);
    if (status != DLP_OK) dlp_scene_destroy(changed);
    return status;
}

dlp_status dlp_world_set(dlp_world *world, const char *path, const char *value, dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_NEED(path, error);
    DLP_NEED(value, error);
    dlp_scene *changed;
    DLP_TRY(begin_change(world, path, &changed, error));
    return end_change(world, changed, dlp_scene_set(changed, path, value, error), error);
}

dlp_status dlp_world_set_numbers(dlp_world *world, const char *path, const double *numbers, int32_t count,
                                 dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_NEED(path, error);
    DLP_NEED(numbers, error);
    dlp_scene *changed;
    DLP_TRY(begin_change(world, path, &changed, error));
    return end_change(world, changed, dlp_scene_set_numbers(changed, path, numbers, count, error), error);
}

// Bodies.

static dlp_status check_pose(const dlp_pose *pose, const char *name, dlp_error *error)
{
    const double distance = dlp_length(pose->position), angle = dlp_length(pose->rotation);
    if (distance <= DLP_HOST_DISTANCE_LIMIT && angle <= DLP_HOST_ANGLE_LIMIT) return DLP_OK;
    return dlp_fail(error, DLP_INVALID,
                    "body %s: cannot go %g m away and turn by %g degrees; at most %g m and %g degrees are "
                    "allowed",
                    name, distance, angle, DLP_HOST_DISTANCE_LIMIT, DLP_HOST_ANGLE_LIMIT);
}

dlp_status dlp_world_move_body(dlp_world *world, int32_t body, const dlp_pose *pose, dlp_error *error)
{
    DLP_NEED(world, error);
    dlp_bodies *bodies = &world->setting->bodies;
    if (!(body >= 0 && body < bodies->count))
        return dlp_fail(error, DLP_INVALID, "body %d: there is none; there are %d", body, bodies->count);
    if (pose != NULL) DLP_TRY(check_pose(pose, bodies->items[body].def->name, error));
    dlp_body *moved = &bodies->items[body];
    const dlp_placement from = dlp_body_placement_at(moved, dlp_world_time(world));
    if (pose != NULL)
        dlp_body_want(moved, from, (dlp_placement){pose->position, pose->rotation});
    else
        dlp_body_follow_scene(moved, from);
    tell_change(world);
    return DLP_OK;
}

// Particles.

static dlp_status check_between(const dlp_world *world, const char *what, dlp_error *error)
{
    if (world->phase.is_between) return DLP_OK;
    return dlp_fail(error, DLP_INVALID,
                    "%s: the world was interrupted within a step of all particles; let it arrive first "
                    "(dlp_world_step_frame or dlp_world_advance)",
                    what);
}

// The member that has the particles first .. first + count - 1, and where they stand in it.
static dlp_status find_member(const dlp_world *world, int32_t first, int32_t count, const char *what,
                              dlp_member *out_member, int32_t *out_first, dlp_error *error)
{
    const int32_t all = dlp_world_particle_count(world);
    if (!(first >= 0 && count >= 0 && count <= all - first))
        return dlp_fail(error, DLP_INVALID, "%s: particles %d to %lld; there are %d", what, first,
                        (long long)first + count - 1, all);
    int32_t begin = 0;
    for (int32_t k = 0; k < world->member_count; k++) {
        const dlp_member *member = &world->members[k];
        const int32_t end = begin + member->type->count(member->self);
        if (first < end && first + count > end)
            return dlp_fail(error, DLP_INVALID,
                            "%s: particles before %d are of model %s, those after of another; change each "
                            "model's by themselves",
                            what, end, member->type->name);
        *out_member = *member;
        *out_first = first - begin;
        if (first < end) return DLP_OK;
        begin = end;
    }
    return DLP_OK;
}

dlp_status dlp_world_write(dlp_world *world, dlp_field field, int32_t first, int32_t count,
                           const void *values, dlp_error *error)
{
    DLP_NEED(world, error);
    const char *name = dlp_field_name(field);
    if (name == NULL) return dlp_fail(error, DLP_INVALID, "field %d: there is none", (int)field);
    DLP_TRY(check_between(world, name, error));
    dlp_member member = {0};
    int32_t begin = 0;
    DLP_TRY(find_member(world, first, count, name, &member, &begin, error));
    if (count == 0) return DLP_OK;
    DLP_NEED(values, error);
    if (member.type->can_write == NULL || !member.type->can_write(member.self, field))
        return dlp_fail(error, DLP_INVALID, "%s: cannot be written for model %s", name, member.type->name);
    watch_anew(world);
    return member.type->write(member.self, field, begin, count, values, error);
}

const dlp_member *dlp_world_member_of(const dlp_world *world, int32_t substance)
{
    const char *model = dlp_model_word(world->model->substances[substance].model);
    for (int32_t k = 0; k < world->member_count; k++)
        if (strcmp(world->members[k].type->name, model) == 0) return &world->members[k];
    return NULL;
}

static dlp_status check_substance(const dlp_world *world, int32_t substance, dlp_error *error)
{
    if (substance >= 0 && substance < world->model->substance_count) return DLP_OK;
    return dlp_fail(error, DLP_INVALID, "substance %d: there is none; there are %d", substance,
                    world->model->substance_count);
}

dlp_status dlp_world_add_particles(dlp_world *world, const dlp_new_particles *particles, dlp_error *error)
{
    DLP_NEED(world, error);
    dlp_new_particles added;
    DLP_TRY(dlp_sized_read(particles, &added, sizeof added, "dlp_new_particles", error));
    DLP_TRY(check_substance(world, added.substance, error));
    const char *name = world->model->substances[added.substance].name;
    DLP_TRY(check_between(world, name, error));
    if (added.count < 0 || (added.count > 0 && added.positions == NULL))
        return dlp_fail(error, DLP_INVALID, "%s: %d particles %s", name, added.count,
                        added.count < 0 ? "cannot be added" : "have no positions");
    const dlp_member *member = dlp_world_member_of(world, added.substance);
    if (member == NULL || member->type->add == NULL)
        return dlp_fail(error, DLP_INVALID, "%s: particles cannot be added to model %s", name,
                        dlp_model_word(world->model->substances[added.substance].model));
    watch_anew(world);
    return added.count > 0 ? member->type->add(member->self, &added, error) : DLP_OK;
}

// Removes those of the indices that are a member's, which stand from `begin` on.
static dlp_status remove_from(const dlp_member *member, const int32_t *indices, int32_t count, int32_t begin,
                              dlp_error *error)
{
    int32_t *own = dlp_alloc((size_t)count, sizeof *own, "world");
    if (own == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "world: no room to remove particles");
    for (int32_t k = 0; k < count; k++) own[k] = indices[k] - begin;
    const dlp_status status = member->type->remove(member->self, own, count, error);
    dlp_free(own);
    return status;
}

static dlp_status check_indices(const dlp_world *world, const int32_t *indices, int32_t count,
                                dlp_error *error)
{
    const int32_t all = dlp_world_particle_count(world);
    for (int32_t k = 0; k < count; k++) {
        if (!(indices[k] >= 0 && indices[k] < all))
            return dlp_fail(error, DLP_INVALID, "particle %d: there is none; there are %d", indices[k], all);
        if (k > 0 && indices[k] <= indices[k - 1])
            return dlp_fail(error, DLP_INVALID, "particle %d after %d: indices must ascend, each once",
                            indices[k], indices[k - 1]);
    }
    return DLP_OK;
}

// Members in order: first whether all can, then one after the other.
static dlp_status remove_particles(dlp_world *world, const int32_t *indices, int32_t count, bool is_trial,
                                   dlp_error *error)
{
    int32_t begin = 0, first = 0;
    for (int32_t k = 0; k < world->member_count; k++) {
        const dlp_member *member = &world->members[k];
        const int32_t end = begin + member->type->count(member->self);
        int32_t last = first;
        while (last < count && indices[last] < end) last++;
        if (last > first && member->type->remove == NULL)
            return dlp_fail(error, DLP_INVALID, "particle %d: those of model %s cannot be removed",
                            indices[first], member->type->name);
        if (last > first && !is_trial)
            DLP_TRY(remove_from(member, indices + first, last - first, begin, error));
        first = last;
        begin = end;
    }
    return DLP_OK;
}

dlp_status dlp_world_remove_particles(dlp_world *world, const int32_t *indices, int32_t count,
                                      dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_TRY(check_between(world, "particles", error));
    if (count < 0) return dlp_fail(error, DLP_INVALID, "particles: %d of them cannot be removed", count);
    if (count > 0) DLP_NEED(indices, error);
    DLP_TRY(check_indices(world, indices, count, error));
    DLP_TRY(remove_particles(world, indices, count, true, error));
    watch_anew(world);
    return remove_particles(world, indices, count, false, error);
}

void dlp_world_add_velocity(dlp_world *world, const float *change)
{
    for (int32_t k = 0; k < world->member_count; k++) {
        const dlp_member *member = &world->members[k];
        member->type->add_velocity(member->self, change);
        change += 3 * (size_t)member->type->count(member->self);
    }
}

// Forces.

dlp_status dlp_world_set_force(dlp_world *world, int32_t substance, dlp_force_callback *callback, void *user,
                               dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_TRY(check_substance(world, substance, error));
    const dlp_substance_def *def = &world->model->substances[substance];
    const dlp_member *member = dlp_world_member_of(world, substance);
    if (callback != NULL && (member == NULL || !member->type->takes_forces))
        return dlp_fail(error, DLP_INVALID, "%s: no force of a host can act on model %s", def->name,
                        dlp_model_word(def->model));
    if (callback != NULL && def->adapt_restraint)
        return dlp_fail(error, DLP_INVALID,
                        "%s: adapt.restraint holds particles whose forces are not evaluated, so a force of a "
                        "host would not reach them; switch one of the two off",
                        def->name);
    dlp_host_forces_set(world->setting->forces, substance, callback, user);
    watch_anew(world);
    tell_change(world);
    return DLP_OK;
}

// The start.

// The new one takes the place of the old: whoever has the handle, or surfaces of the world, keeps them.
static void exchange_worlds(dlp_world *world, dlp_world *fresh)
{
    const dlp_world old = *world;
    *world = *fresh;
    *fresh = old;
    world->retroaction = old.retroaction;
    world->extension = old.extension;
    world->observer = old.observer;
    fresh->retroaction = NULL;
    fresh->team = NULL;
}

dlp_status dlp_world_reset(dlp_world *world, dlp_error *error)
{
    DLP_NEED(world, error);
    dlp_world *fresh;
    DLP_TRY(dlp_world_build(world->scene, world, world->team, &fresh, error));
    const dlp_host_forces *forces = world->setting->forces;
    for (int32_t k = 0; k < forces->substance_count; k++)
        dlp_host_forces_set(fresh->setting->forces, k, forces->items[k].call, forces->items[k].user);
    exchange_worlds(world, fresh);
    dlp_world_destroy(fresh);
    if (world->extension.user != NULL) world->extension.reset(world->extension.user);
    if (world->observer.user != NULL) world->observer.reset(world->observer.user);
    return world->retroaction != NULL ? dlp_retroaction_apply(world->retroaction, error) : DLP_OK;
}
