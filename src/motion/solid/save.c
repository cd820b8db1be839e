/* What a checkpoint must hold of the solids. */
#include "motion/solid/solve.h"

int32_t dlp_solid_manifest(dlp_solid *solid, dlp_manifest_item *items, int32_t n)
{
    dlp_solid_particles *p = &solid->particles;
#define X(name, type, dlp, components)                                                                       \
    items[n++] = (dlp_manifest_item){"solid/" #name, dlp, components, p->count, p->name, DLP_COUNT_SOLID};
    DLP_SOLID_FIELDS(X)
#undef X
#define ONCE(name, type, components, data)                                                                   \
    items[n++] = (dlp_manifest_item){"solid/" name, type, components, 1, data, DLP_COUNT_FIXED}
    items[n++] = (dlp_manifest_item){"solid/links",         DLP_INT32,      1, solid->rest.count,
                                     solid->rest.neighbour, DLP_COUNT_FIXED};
    ONCE("clock/interval", DLP_FLOAT64, 2, &solid->clock.start);
    ONCE("clock/steps", DLP_INT32, 2, &solid->clock.step_count);
    ONCE("last_step", DLP_FLOAT64, 2, &solid->last_step);
    ONCE("counts/work", DLP_INT64, 2, &solid->counts.substeps);
    ONCE("counts/steps", DLP_FLOAT64, 2, &solid->counts.dt_min);
#undef ONCE
    return n;
}

dlp_status dlp_solid_begin_load(dlp_solid *solid, int32_t particle_count, dlp_error *error)
{
    if (particle_count != solid->particles.count)
        return dlp_fail(error, DLP_IO, "checkpoint: %d particles of solids, but the scene makes %d",
                        particle_count, solid->particles.count);
    return DLP_OK;
}

static bool is_clock_sane(const dlp_solid *solid)
{
    const dlp_solid_clock *c = &solid->clock;
    return isfinite(c->start) && isfinite(c->end) && c->end >= c->start && c->step >= 0 &&
           c->step <= c->step_count && solid->last_step >= 0 && isfinite(solid->last_step) &&
           solid->stiffening >= 0 && isfinite(solid->stiffening);
}

static bool is_particle_sane(const dlp_solid *solid, int32_t i)
{
    const dlp_solid_particles *p = &solid->particles;
    const float *q = p->turn + 4 * (int64_t)i, *g = p->lasting + 9 * (int64_t)i;
    const double turn = (double)(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    bool is_finite = true;
    for (int k = 0; k < 9; k++) is_finite = is_finite && isfinite(g[k]);
    return is_finite && fabs(turn - 1) < 1e-3 && dlp_is_finite3(dlp_solid_get(p->position, i)) &&
           dlp_is_finite3(dlp_solid_get(p->velocity, i)) && dlp_is_finite3(dlp_solid_get(p->way, i)) &&
           dlp_is_finite3(dlp_solid_get(p->last_velocity, i)) && dlp_is_finite3(dlp_solid_get(p->rest, i)) &&
           dlp_is_finite3(dlp_solid_get(p->start_place, i)) && p->mass[i] > 0 && isfinite(p->mass[i]) &&
           p->substance[i] >= 0 && p->substance[i] < solid->scene->substance_count &&
           solid->scene->substances[p->substance[i]].model == DLP_MODEL_SOLID && p->body[i] >= 0 &&
           p->body[i] < solid->body_count && p->pin[i] >= -1 && p->pin[i] < solid->scene->attachment_count &&
           p->layer[i] >= 0 && p->layer[i] <= 2 && p->id[i] >= 0 && p->id[i] < solid->next_id;
}

dlp_status dlp_solid_end_load(dlp_solid *solid, dlp_error *error)
{
    if (!is_clock_sane(solid))
        return dlp_fail(error, DLP_IO,
                        "checkpoint: the solids' clock holds values that no run can have left");
    for (int32_t i = 0; i < solid->particles.count; i++)
        if (!is_particle_sane(solid, i))
            return dlp_fail(error, DLP_IO,
                            "checkpoint: particle %d of the solids holds values that no run can have left",
                            i);
    for (int32_t k = 0; k < solid->rest.count; k++)
        if (solid->rest.neighbour[k] < -1 || solid->rest.neighbour[k] >= solid->particles.count)
            return dlp_fail(error, DLP_IO,
                            "checkpoint: the solids' links end at particles that do not exist");
    const double time = dlp_solid_time(solid);
    DLP_TRY(dlp_solid_find_pieces(solid, error));
    DLP_TRY(dlp_solid_order(solid, error));
    const dlp_held held = dlp_solid_held(solid);
    dlp_attach_place(solid->scene, solid->obstacles, &held, time, time);
    dlp_solid_weigh(solid);
    dlp_solid_weigh_rows(solid);
    solid->is_seen = false;
    return DLP_OK;
}
