/* What a host asks a world: its items, parameters, bodies, substances and points. */
#include "motion/world_parts.h"
#include "base/sized.h"

#include <string.h>

const char *dlp_model_name(int32_t index)
{
    return index >= 0 && index < dlp_solver_count ? dlp_solvers[index]->name : NULL;
}

// Items. The scene is the world's own and resolved, so that asking cannot fail but for a bad kind or index.

int32_t dlp_world_item_count(const dlp_world *world, dlp_item_kind kind)
{
    int32_t count = 0;
    return dlp_scene_item_count(world->scene, kind, &count, NULL) == DLP_OK ? count : 0;
}

const char *dlp_world_item_name(const dlp_world *world, dlp_item_kind kind, int32_t index)
{
    const char *name = NULL;
    return dlp_scene_item_name(world->scene, kind, index, &name, NULL) == DLP_OK ? name : NULL;
}

dlp_status dlp_world_item_find(const dlp_world *world, dlp_item_kind kind, const char *name,
                               int32_t *out_index, dlp_error *error)
{
    DLP_NEED(world, error);
    return dlp_scene_item_find(world->scene, kind, name, out_index, error);
}

// Parameters.

dlp_status dlp_world_copy_scene(const dlp_world *world, dlp_scene **out_scene, dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_NEED(out_scene, error);
    return dlp_scene_clone(world->scene, out_scene, error);
}

dlp_status dlp_world_get_numbers(const dlp_world *world, const char *path, double *out_numbers,
                                 int32_t capacity, int32_t *out_count, dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_NEED(path, error);
    DLP_NEED(out_count, error);
    const dlp_conditions *conditions = &world->setting->conditions;
    for (int32_t k = 0; k < conditions->now.track_count; k++) {
        const dlp_track *track = &conditions->now.tracks[k];
        if (strcmp(track->path, path) != 0) continue;
        *out_count = track->components;
        if (capacity < track->components)
            return dlp_fail(error, DLP_INVALID, "%s: has %d numbers; there is room for %d", path,
                            track->components, capacity);
        DLP_NEED(out_numbers, error);
        memcpy(out_numbers, conditions->targets[k], (size_t)track->components * sizeof *out_numbers);
        return DLP_OK;
    }
    return dlp_scene_get_numbers(world->scene, path, out_numbers, capacity, out_count, error);
}

// Bodies.

static dlp_status check_body(const dlp_world *world, int32_t body, dlp_error *error)
{
    const int32_t count = world->setting->bodies.count;
    if (body >= 0 && body < count) return DLP_OK;
    return dlp_fail(error, DLP_INVALID, "body %d: there is none; there are %d", body, count);
}

dlp_status dlp_world_body(const dlp_world *world, int32_t body, dlp_body_info *out_info, dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_TRY(dlp_sized_check(out_info, "dlp_body_info", error));
    DLP_TRY(check_body(world, body, error));
    const dlp_body *item = &world->setting->bodies.items[body];
    const dlp_placement placement = dlp_body_placement_at(item, dlp_world_time(world));
    const dlp_vec3 pivot = dlp_to_world(&item->pose, item->def->pivot);
    const dlp_body_info info = {.name = item->def->name,
                                .is_moving = item->is_moving,
                                .pose = {placement.position, placement.rotation},
                                .pivot = pivot,
                                .velocity = dlp_twist_at(&item->twist, pivot),
                                .angular_velocity = item->twist.angular};
    dlp_sized_write(out_info, &info, sizeof info);
    return DLP_OK;
}

dlp_body_force dlp_world_body_load_by(const dlp_world *world, int32_t body, const char *model)
{
    dlp_body_load sum = {0};
    for (int32_t k = 0; k < world->member_count; k++) {
        if (model != NULL && strcmp(world->members[k].type->name, model) != 0) continue;
        const dlp_body_load *load = &dlp_bodies_loads(&world->setting->bodies, k)[body];
        sum.force = dlp_add(sum.force, load->force);
        sum.torque = dlp_add(sum.torque, load->torque);
        sum.impulse = dlp_add(sum.impulse, load->impulse);
        sum.angular_impulse = dlp_add(sum.angular_impulse, load->angular_impulse);
    }
    const double length = dlp_world_time(world) - world->span_start, rate = length > 0 ? 1 / length : 0;
    return (dlp_body_force){.force = sum.force,
                            .torque = sum.torque,
                            .impulse = sum.impulse,
                            .angular_impulse = sum.angular_impulse,
                            .mean_force = dlp_mul(sum.impulse, rate),
                            .mean_torque = dlp_mul(sum.angular_impulse, rate)};
}

dlp_body_force dlp_world_body_load(const dlp_world *world, int32_t body)
{
    return dlp_world_body_load_by(world, body, NULL);
}

static bool is_model(const char *name)
{
    for (int32_t k = 0; dlp_model_name(k) != NULL; k++)
        if (strcmp(dlp_model_name(k), name) == 0) return true;
    return false;
}

dlp_status dlp_world_body_force(const dlp_world *world, int32_t body, const char *model_or_null,
                                dlp_body_force *out_force, dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_TRY(dlp_sized_check(out_force, "dlp_body_force", error));
    DLP_TRY(check_body(world, body, error));
    if (!world->setting->measures_loads)
        return dlp_fail(
            error, DLP_INVALID,
            "body %s: forces on bodies are not computed; set measures_loads in dlp_world_options, "
            "or give the scene a probe of a force",
            world->setting->bodies.items[body].def->name);
    if (model_or_null != NULL && !is_model(model_or_null))
        return dlp_fail(error, DLP_INVALID, "model %s: there is none of that name (dlp_model_name)",
                        model_or_null);
    const dlp_body_force force = dlp_world_body_load_by(world, body, model_or_null);
    dlp_sized_write(out_force, &force, sizeof force);
    return DLP_OK;
}

// Substances.

static int32_t count_particles(const dlp_member *member, int32_t substance)
{
    const int32_t *of = member->type->stored(member->self, DLP_FIELD_SUBSTANCE);
    int32_t found = 0;
    for (int32_t i = 0; i < member->type->count(member->self); i++) {
        int32_t own;
        if (of != NULL)
            own = of[i];
        else
            member->type->derive(member->self, DLP_FIELD_SUBSTANCE, i, &own);
        found += own == substance;
    }
    return found;
}

static uint32_t writable_fields(const dlp_member *member)
{
    uint32_t fields = 0;
    for (int k = 0; k < DLP_FIELD_COUNT && member->type->can_write != NULL; k++)
        fields |= (uint32_t)member->type->can_write(member->self, (dlp_field)k) << k;
    return fields;
}

dlp_status dlp_world_substance(const dlp_world *world, int32_t substance, dlp_substance_info *out_info,
                               dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_TRY(dlp_sized_check(out_info, "dlp_substance_info", error));
    if (!(substance >= 0 && substance < world->model->substance_count))
        return dlp_fail(error, DLP_INVALID, "substance %d: there is none; there are %d", substance,
                        world->model->substance_count);
    const dlp_substance_def *def = &world->model->substances[substance];
    dlp_substance_info info = {.name = def->name, .model = dlp_model_word(def->model)};
    const dlp_member *member = dlp_world_member_of(world, substance);
    if (member != NULL) {
        info.particle_count = count_particles(member, substance);
        info.writable_fields = writable_fields(member);
        info.can_add = member->type->add != NULL;
        info.can_remove = member->type->remove != NULL;
        info.can_have_force = member->type->takes_forces && !def->adapt_restraint;
    }
    dlp_sized_write(out_info, &info, sizeof info);
    return DLP_OK;
}

// Points.

dlp_point_sample dlp_world_sample_at(const dlp_world *world, dlp_vec3 x)
{
    dlp_point_sample best = {0};
    for (int32_t k = 0; k < world->member_count; k++) {
        const dlp_member *member = &world->members[k];
        if (member->type->sample == NULL) continue;
        const dlp_point_sample sample = member->type->sample(member->self, x);
        if (sample.fraction > best.fraction) best = sample;
    }
    return best;
}

dlp_status dlp_world_sample(const dlp_world *world, dlp_vec3 point, dlp_point_sample *out_sample,
                            dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_TRY(dlp_sized_check(out_sample, "dlp_point_sample", error));
    if (!dlp_is_finite3(point)) return dlp_fail(error, DLP_INVALID, "point: is not finite");
    const dlp_point_sample sample = dlp_world_sample_at(world, point);
    dlp_sized_write(out_sample, &sample, sizeof sample);
    return DLP_OK;
}
