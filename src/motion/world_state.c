/* What of a world a checkpoint holds, and how it comes back. */
#include "motion/world_parts.h"

static int32_t list_sph(dlp_sph *sph, dlp_manifest_item *items)
{
    const int32_t count = sph->particles.count;
    int32_t n = dlp_particles_manifest(&sph->particles, items, 0);
    items[n++] = (dlp_manifest_item){"lists/x", DLP_INT32, 1, count, sph->at[0], DLP_COUNT_PARTICLES};
    items[n++] = (dlp_manifest_item){"lists/y", DLP_INT32, 1, count, sph->at[1], DLP_COUNT_PARTICLES};
    items[n++] = (dlp_manifest_item){"lists/z", DLP_INT32, 1, count, sph->at[2], DLP_COUNT_PARTICLES};
    if (sph->restrains) {
        static const char *const names[3] = {"lists/sorted_x", "lists/sorted_y", "lists/sorted_z"};
        for (int axis = 0; axis < 3; axis++)
            items[n++] = (dlp_manifest_item){names[axis],          DLP_INT32,          1, count,
                                             sph->sorted_at[axis], DLP_COUNT_PARTICLES};
    }
    items[n++] = (dlp_manifest_item){"lists/time", DLP_FLOAT64, 1, 1, &sph->list_time, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"substances/stiffness",      DLP_FLOAT64,    1,
                                     sph->scene->substance_count, sph->stiffness, DLP_COUNT_FIXED};
    items[n++] =
        (dlp_manifest_item){"world/speed_scale", DLP_FLOAT64, 2, 1, &sph->speed_scale, DLP_COUNT_FIXED};
    items[n++] =
        (dlp_manifest_item){"world/velocity_limit", DLP_FLOAT64, 1, 1, &sph->velocity_limit, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"lists/bounds", DLP_FLOAT64, 2, 1, &sph->moved_bound, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"clock/interval", DLP_FLOAT64, 2, 1, &sph->clock.start, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"clock/ticks", DLP_INT32, 3, 1, &sph->clock.base, DLP_COUNT_FIXED};
    items[n++] =
        (dlp_manifest_item){"clock/wish", DLP_FLOAT64, 1, 1, &sph->smallest_dt_limit, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"clock/caution", DLP_FLOAT64, 1, 1, &sph->dt_scale, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"world/next_id", DLP_INT64, 1, 1, &sph->next_id, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"emitters",          DLP_FLOAT64,    3, sph->scene->emitter_count,
                                     sph->emitter_states, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"obstacles/impulse",        DLP_FLOAT64,  3,
                                     sph->scene->obstacle_count, sph->impulse, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"obstacles/load",           DLP_FLOAT64, 6,
                                     sph->scene->obstacle_count, sph->loads,  DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"frame/counts", DLP_INT64, 6, 1, &sph->counts.substeps, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"frame/steps", DLP_FLOAT64, 2, 1, &sph->counts.dt_min, DLP_COUNT_FIXED};
    return n;
}

// Items that count a solver's particles: each solver's are counted by themselves.
static int32_t count_own(dlp_manifest_item *items, int32_t first, int32_t end, dlp_count_kind kind)
{
    for (int32_t k = first; k < end; k++)
        if (items[k].counts == DLP_COUNT_PARTICLES) items[k].counts = kind;
    return end;
}

int32_t dlp_world_manifest(const dlp_world *world, dlp_manifest_item items[DLP_MANIFEST_LIMIT])
{
    dlp_world *owner = (dlp_world *)(uintptr_t)world;
    int32_t n = world->sph != NULL ? list_sph(world->sph, items) : 0;
    if (world->solid != NULL)
        n = count_own(items, n, dlp_solid_manifest(world->solid, items, n), DLP_COUNT_SOLID);
    if (world->cloth != NULL)
        n = count_own(items, n, dlp_cloth_manifest(world->cloth, items, n), DLP_COUNT_CLOTH);
    items[n++] = (dlp_manifest_item){"world/frame", DLP_INT64, 1, 1, &owner->frame, DLP_COUNT_FIXED};
    items[n++] = (dlp_manifest_item){"world/steps", DLP_INT64, 1, 1, &owner->step_count, DLP_COUNT_FIXED};
    if (world->extension.user == NULL) return n;
    return world->extension.manifest(world->extension.user, items, n);
}

dlp_status dlp_world_begin_save(const dlp_world *world, dlp_error *error)
{
    const dlp_state_extension *extension = &world->extension;
    return extension->user != NULL ? extension->begin_save(extension->user, error) : DLP_OK;
}

static dlp_status reserve_sph(dlp_sph *sph, int32_t particle_count, dlp_error *error)
{
    DLP_TRY(dlp_particles_reserve(&sph->particles, particle_count, error));
    DLP_TRY(dlp_sph_reserve_points(sph, particle_count + 1, error));
    sph->particles.count = particle_count;
    return DLP_OK;
}

dlp_status dlp_world_begin_load(dlp_world *world, const int32_t counts[DLP_COUNT_KINDS], dlp_error *error)
{
    const int32_t sph_count = counts[DLP_COUNT_PARTICLES], solid_count = counts[DLP_COUNT_SOLID],
                  cloth_count = counts[DLP_COUNT_CLOTH];
    if (sph_count < 0 || (world->sph == NULL && sph_count > 0) || solid_count < 0 || cloth_count < 0)
        return dlp_fail(error, DLP_IO,
                        "checkpoint: %d particles, %d of solids, %d of cloth, which the scene cannot have",
                        sph_count, solid_count, cloth_count);
    if (world->sph != NULL) DLP_TRY(reserve_sph(world->sph, sph_count, error));
    if (world->solid != NULL) DLP_TRY(dlp_solid_begin_load(world->solid, solid_count, error));
    if (world->cloth != NULL) DLP_TRY(dlp_cloth_begin_load(world->cloth, cloth_count, error));
    const dlp_state_extension *extension = &world->extension;
    return extension->user != NULL ? extension->begin_load(extension->user, counts[DLP_COUNT_FREE], error)
                                   : DLP_OK;
}

static dlp_status check_particle(const dlp_world *world, int32_t i, dlp_error *error)
{
    const dlp_particles *p = &world->sph->particles;
    const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
    const int32_t end = dlp_clock_end(&world->sph->clock);
    const bool is_sane = dlp_is_finite3(dlp_particle_position(p, i)) && isfinite(v[0] + v[1] + v[2]) &&
                         isfinite(a[0] + a[1] + a[2]) && p->compression[i] > 0 &&
                         isfinite(p->compression[i]) && isfinite(p->compression_rate[i]) && p->units[i] > 0 &&
                         p->units[i] <= DLP_UNITS_LIMIT && p->substance[i] >= 0 &&
                         p->substance[i] < world->def->substance_count && p->begin[i] >= 0 &&
                         p->begin[i] <= end && p->step[i] >= 0 && p->step[i] <= end + 1 && p->id[i] >= 0 &&
                         p->id[i] < world->sph->next_id;
    const bool has_sane_heat =
        world->sph->heat == NULL || (isfinite(p->temperature[i]) && isfinite(p->temperature_rate[i]));
    if (is_sane && has_sane_heat) return DLP_OK;
    return dlp_fail(error, DLP_IO, "checkpoint: particle %d holds values that no run can have left", i);
}

static bool is_clock_sane(const dlp_sph *sph)
{
    const dlp_clock *c = &sph->clock;
    return isfinite(c->start) && c->end > c->start && isfinite(c->end) && c->base >= 1 && c->base <= 15 &&
           c->tick >= 0 && c->tick <= dlp_clock_end(c) && c->last_tick >= 0 && c->last_tick <= c->tick &&
           isfinite(sph->list_time) && isfinite(sph->moved_bound) && isfinite(sph->speed_bound) &&
           sph->smallest_dt_limit > 0 && sph->dt_scale > 0 && sph->dt_scale <= 1;
}

static dlp_status check_sph(const dlp_world *world, dlp_error *error)
{
    if (!is_clock_sane(world->sph))
        return dlp_fail(error, DLP_IO, "checkpoint: its clock holds values that no run can have left");
    for (int32_t i = 0; i < world->sph->particles.count; i++) DLP_TRY(check_particle(world, i, error));
    return DLP_OK;
}

// The solver that goes first has not made a step: nothing has begun yet.
static bool is_at_start(const dlp_world *world)
{
    if (world->sph != NULL) return world->sph->clock.tick == 0;
    return (world->solid != NULL ? dlp_solid_fraction(world->solid) : dlp_cloth_fraction(world->cloth)) == 0;
}

dlp_status dlp_world_end_load(dlp_world *world, dlp_error *error)
{
    if (world->frame < 0)
        return dlp_fail(error, DLP_IO, "checkpoint: frame %lld is none", (long long)world->frame);
    if (world->sph != NULL) DLP_TRY(check_sph(world, error));
    if (world->solid != NULL) DLP_TRY(dlp_solid_end_load(world->solid, error));
    if (world->cloth != NULL) DLP_TRY(dlp_cloth_end_load(world->cloth, error));
    world->is_between_frames = dlp_world_is_done(world) || is_at_start(world);
    if (world->sph != NULL) DLP_TRY(dlp_sph_restore(world->sph, error));
    const dlp_state_extension *extension = &world->extension;
    return extension->user != NULL ? extension->end_load(extension->user, error) : DLP_OK;
}
