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

// What values may come back: of what they mean, or so large that no run comes near them.
static const struct {
    const char *name;
    double least, most;
} RANGES[] = {
    {"particles/position", -1e9, 1e9},      // m
    {"particles/displacement", -1e9, 1e9},  // m
    {"particles/compression", 1e-6, 1e6},   // 1
    {"particles/compression_rate", -1e9, 1e9},
    {"particles/held_until", -1e9, 1e9},
    {"particles/units", 1, 1e9},
    {"particles/substance", 0, 1e9},
    {"particles/begin", 0, 1e9},
    {"particles/step", 0, 1e9},
    {"particles/id", 0, 1e12},
    {"particles/sum_at_rest", 0.01, 100},
    {"particles/sum", -1e31, 1e6},    // -1e30: none yet
    {"particles/depth", -1e9, 1e31},  // 1e30 is far from any
    {"particles/born", -1e9, 1e9},
    {"particles/renewal", 0, 1e9},
    {"particles/sleep", DLP_AWAKE, DLP_ASLEEP},
    {"particles/static_load", -1e9, 1e9},
    {"particles/last_moved", -1e9, 1e9},
    {"particles/threshold_scale", 1e-6, 1e9},
    {"particles/temperature", -1e6, 1e6},
    {"particles/temperature_rate", -1e9, 1e9},
    {"lists/time", 0, 1e9},
    {"lists/bounds", 0, 1e9},
    {"sph/speed_scale", -1e9, 1e9},  // and the time of the last split
    {"sph/velocity_limit", 1e-9, 1e9},
    {"sph/dt_limit", 1e-300, 1e30},
    {"sph/dt_scale", 1e-300, 1},
    {"sph/next_id", 0, 1e12},
    {"sph/pending", 0, 1},
    {"sph/forced", 0, 1},
    {"emitters", -1e9, 1e15},
    {"frame/counts", 0, 1e18},
    {"frame/steps", 0, 1e30},
    {"frame/solves", 0, 1e18},
    {"frame/residuals", 0, 1e30},
    {"sph/velocity_ahead", 0, 1e9},
    {"sph/capped", 0, 2},
    {"particles/viscous_change", -1e9, 1e9},
    {"particles/kappa", 0, 1e30},
    {"particles/kappa_rate", 0, 1e30},
};

static void bound_values(dlp_manifest *manifest)
{
    for (size_t k = 0; k < sizeof RANGES / sizeof RANGES[0]; k++)
        dlp_manifest_bound(manifest, RANGES[k].name, RANGES[k].least, RANGES[k].most);
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
        {"frame/solves", DLP_INT64, 5, 1, &s->counts.solves, DLP_COUNT_FIXED, 0},
        {"frame/residuals", DLP_FLOAT64, 2, 1, &s->counts.residual_sum, DLP_COUNT_FIXED, 0},
        {"sph/velocity_ahead", DLP_FLOAT64, 1, 1, &s->velocity_ahead, DLP_COUNT_FIXED, 0},
        {"sph/capped", DLP_INT32, 1, 1, &s->capped_in_row, DLP_COUNT_FIXED, 0},
    };
    for (size_t k = 0; k < sizeof items / sizeof items[0]; k++) dlp_manifest_add(manifest, items[k]);
    bound_values(manifest);
}

static bool is_clock_sane(const dlp_sph *sph)
{
    const dlp_sph_clock *c = &sph->state.clock;
    return dlp_clock_shows(sph->context.clock, c->start, c->end) && c->base >= 1 && c->base <= 15 &&
           c->stop >= 0 && c->stop <= dlp_sph_clock_end(c) && c->tick >= 0 && c->tick <= c->stop &&
           c->last_tick >= 0 && c->last_tick <= c->tick;
}

// Those that follow from the scene at its start, and the limits that follow from these. Steps so short that a
// frame would take more than ten million of them are none that a run makes.
static bool are_scales_sane(const dlp_sph *sph)
{
    const dlp_sph_state *s = &sph->state;
    const double c = 10 * s->speed_scale, shortest = 1e-7 / sph->scene->frame_rate;
    bool is_sane = s->speed_scale > 0 && s->velocity_limit >= 20 * s->speed_scale &&
                   s->dt_scale * s->smallest_dt_limit >= shortest;
    for (int32_t k = 0; k < sph->scene->substance_count; k++) is_sane = is_sane && s->stiffness[k] == c * c;
    return is_sane;
}

// After every step less than a layer is left to be emitted.
static bool is_emitter_sane(const dlp_sph *sph, int32_t k)
{
    const dlp_emitter_state *state = &sph->state.emitters[k];
    return state->travel <= sph->params.emitters[k].layer && state->layers == floor(state->layers) &&
           state->particles == floor(state->particles);
}

static bool is_particle_mobile(const dlp_sph *sph, int32_t i)
{
    const dlp_sph_state *s = &sph->state;
    const dlp_particles *p = &s->particles;
    const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
    // beyond the limit the next step fails; 100 leaves room for what is evaluated before a first step
    const dlp_vec3 velocity = dlp_vec((double)v[0], (double)v[1], (double)v[2]);
    const dlp_vec3 acceleration = dlp_vec((double)a[0], (double)a[1], (double)a[2]);
    const double change = s->dt_scale * s->smallest_dt_limit * dlp_length(acceleration);
    return dlp_dot(velocity, velocity) <= s->velocity_limit * s->velocity_limit &&
           change <= 100 * s->velocity_limit;
}

// Its step reaches beyond the present tick; with one step for all, they end at the same.
static bool is_in_step(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->state.particles;
    const int64_t due = (int64_t)p->begin[i] + p->step[i], first = (int64_t)p->begin[0] + p->step[0];
    const bool is_free = sph->params.has_individual_steps || sph->params.restrains || sph->state.is_edited;
    const dlp_sph_clock *clock = &sph->state.clock;
    const bool is_over = clock->tick >= clock->stop || sph->state.is_edited;
    return p->begin[i] <= clock->tick && due + (is_over ? 1 : 0) > clock->tick && (is_free || due == first);
}

static bool is_particle_sane(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->state.particles;
    const int32_t end = dlp_sph_clock_end(&sph->state.clock);
    return is_particle_mobile(sph, i) && is_in_step(sph, i) && p->units[i] <= DLP_UNITS_LIMIT &&
           p->substance[i] < sph->scene->substance_count &&
           sph->scene->substances[p->substance[i]].model == DLP_MODEL_SPH && p->begin[i] <= end &&
           p->step[i] <= end + 1 && p->id[i] < sph->state.next_id;
}

dlp_status dlp_sph_state_check(const dlp_sph *sph, dlp_error *error)
{
    const dlp_sph_state *s = &sph->state;
    if (!is_clock_sane(sph))
        return dlp_fail(error, DLP_IO, "checkpoint: its clock holds values that no run can have left");
    if (!are_scales_sane(sph))
        return dlp_fail(error, DLP_IO,
                        "checkpoint: its scales of speed and time hold values that no run can have left");
    for (int32_t k = 0; k < sph->scene->emitter_count; k++)
        if (!is_emitter_sane(sph, k))
            return dlp_fail(error, DLP_IO, "checkpoint: emitter %d holds values that no run can have left",
                            k);
    for (int32_t i = 0; i < s->particles.count; i++)
        if (!is_particle_sane(sph, i))
            return dlp_fail(error, DLP_IO, "checkpoint: particle %d holds values that no run can have left",
                            i);
    return DLP_OK;
}
