/* State: what a checkpoint holds, and what it may hold. */
#include "motion/sph/sph.h"

dlp_status dlp_sph_state_init(dlp_sph *sph, dlp_error *error)
{
    dlp_sph_state *state = &sph->state;
    state->stiffness = dlp_alloc((size_t)sph->scene->substance_count, sizeof *state->stiffness, "scene");
    state->emitters = dlp_alloc((size_t)sph->scene->emitter_count + 1, sizeof *state->emitters, "emitters");
    state->is_forced = dlp_alloc((size_t)sph->scene->substance_count, sizeof *state->is_forced, "scene");
    const bool is_short = state->stiffness == NULL || state->emitters == NULL || state->is_forced == NULL;
    return is_short ? dlp_fail(error, DLP_OUT_OF_MEMORY, "sph: no room") : DLP_OK;
}

void dlp_sph_state_release(dlp_sph_state *state)
{
    dlp_particles_release(&state->particles);
#define X(array, name, when) dlp_free(state->listed.array);
    DLP_LISTED_FIELDS(X)
#undef X
    dlp_free(state->stiffness);
    dlp_free(state->is_forced);
    dlp_free(state->emitters);
    *state = (dlp_sph_state){0};
}

dlp_status dlp_listed_reserve(dlp_listed *listed, uint32_t kept, int32_t count, dlp_error *error)
{
    if (count <= listed->capacity) return DLP_OK;
    int32_t capacity = 0;
#define X(array, name, when)                                                                                 \
    if ((kept & (when)) != 0) {                                                                              \
        capacity = listed->capacity;                                                                         \
        DLP_TRY(dlp_reserve(&listed->array, &capacity, count, sizeof *listed->array, "particles", error));   \
    }
    DLP_LISTED_FIELDS(X)
#undef X
    listed->capacity = capacity;
    return DLP_OK;
}

static void list_listed(dlp_sph *sph, dlp_manifest *manifest)
{
    const int32_t count = sph->state.particles.count;
#define X(array, name, when)                                                                                 \
    if ((sph->params.kept & (when)) != 0)                                                                    \
        dlp_manifest_add(manifest, (dlp_manifest_item){name, DLP_INT32, 1, count, sph->state.listed.array,   \
                                                       DLP_COUNT_PARTICLES, 0});
    DLP_LISTED_FIELDS(X)
#undef X
}

// Fields of one type that follow one another in a struct are one item.
void dlp_sph_state_manifest(dlp_sph *sph, dlp_manifest *manifest)
{
    dlp_sph_state *s = &sph->state;
    const int32_t substances = sph->scene->substance_count, emitters = sph->scene->emitter_count;
    dlp_particles_manifest(&s->particles, manifest);
    list_listed(sph, manifest);
    const dlp_manifest_item items[] = {
        {"lists/time", DLP_FLOAT64, 1, 1, &s->listed.time, DLP_COUNT_FIXED, 0},
        {"lists/bounds", DLP_FLOAT64, 2, 1, &s->listed.moved_bound, DLP_COUNT_FIXED, 0},
        {"substances/stiffness", DLP_FLOAT64, 1, substances, s->stiffness, DLP_COUNT_FIXED, 0},
        {"sph/speed_scale", DLP_FLOAT64, 2, 1, &s->speed_scale, DLP_COUNT_FIXED, 0},
        {"sph/velocity_limit", DLP_FLOAT64, 1, 1, &s->velocity_limit, DLP_COUNT_FIXED, 0},
        {"sph/interval", DLP_FLOAT64, 2, 1, &s->clock.start, DLP_COUNT_FIXED, 0},
        {"sph/ticks", DLP_INT32, 4, 1, &s->clock.base, DLP_COUNT_FIXED, 0},
        {"sph/dt_limit", DLP_FLOAT64, 1, 1, &s->smallest_dt_limit, DLP_COUNT_FIXED, 0},
        {"sph/dt_scale", DLP_FLOAT64, 1, 1, &s->dt_scale, DLP_COUNT_FIXED, 0},
        {"sph/next_id", DLP_INT64, 1, 1, &s->next_id, DLP_COUNT_FIXED, 0},
        {"sph/pending", DLP_INT32, 2, 1, &s->is_edited, DLP_COUNT_FIXED, 0},
        {"sph/forced", DLP_INT32, 1, substances, s->is_forced, DLP_COUNT_FIXED, 0},
        {"emitters", DLP_FLOAT64, 3, emitters, s->emitters, DLP_COUNT_FIXED, 0},
        {"frame/counts", DLP_INT64, 6, 1, &s->counts.substeps, DLP_COUNT_FIXED, 0},
        {"frame/steps", DLP_FLOAT64, 2, 1, &s->counts.dt_min, DLP_COUNT_FIXED, 0},
    };
    for (size_t k = 0; k < sizeof items / sizeof items[0]; k++) dlp_manifest_add(manifest, items[k]);
}

static bool is_particle_sane(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->state.particles;
    const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
    const int32_t end = dlp_sph_clock_end(&sph->state.clock);
    const bool has_sane_heat =
        !dlp_sph_has_heat(sph) || (isfinite(p->temperature[i]) && isfinite(p->temperature_rate[i]));
    return has_sane_heat && dlp_is_finite3(dlp_particle_position(p, i)) && isfinite(v[0] + v[1] + v[2]) &&
           isfinite(a[0] + a[1] + a[2]) && p->compression[i] > 0 && isfinite(p->compression[i]) &&
           isfinite(p->compression_rate[i]) && p->units[i] > 0 && p->units[i] <= DLP_UNITS_LIMIT &&
           p->substance[i] >= 0 && p->substance[i] < sph->scene->substance_count && p->begin[i] >= 0 &&
           p->begin[i] <= end && p->step[i] >= 0 && p->step[i] <= end + 1 && p->id[i] >= 0 &&
           p->id[i] < sph->state.next_id;
}

static bool is_clock_sane(const dlp_sph_clock *c)
{
    return isfinite(c->start) && c->end > c->start && isfinite(c->end) && c->base >= 1 && c->base <= 15 &&
           c->stop >= 0 && c->stop <= dlp_sph_clock_end(c) && c->tick >= 0 && c->tick <= c->stop &&
           c->last_tick >= 0 && c->last_tick <= c->tick;
}

dlp_status dlp_sph_state_check(const dlp_sph *sph, dlp_error *error)
{
    const dlp_sph_state *s = &sph->state;
    const bool has_sane_bounds =
        isfinite(s->listed.time) && isfinite(s->listed.moved_bound) && isfinite(s->listed.speed_bound);
    if (!is_clock_sane(&s->clock) || !has_sane_bounds || !(s->smallest_dt_limit > 0) ||
        !(s->dt_scale > 0 && s->dt_scale <= 1))
        return dlp_fail(error, DLP_IO, "checkpoint: its clock holds values that no run can have left");
    for (int32_t i = 0; i < s->particles.count; i++)
        if (!is_particle_sane(sph, i))
            return dlp_fail(error, DLP_IO, "checkpoint: particle %d holds values that no run can have left",
                            i);
    return DLP_OK;
}
