/* What a checkpoint must hold of the solids. */
#include "motion/solid/solid_sweep.h"

// Numbers that stand side by side are one item.
#define FOLLOWS(type, second, first)                                                                         \
    _Static_assert(offsetof(type, second) == offsetof(type, first) + sizeof((type *)0)->first,               \
                   #second " is the next in files")
FOLLOWS(dlp_solid_clock, end, start);
FOLLOWS(dlp_solid_clock, step, step_count);
FOLLOWS(dlp_solid_clock, tick, step);
FOLLOWS(dlp_solid_clock, stride, tick);
FOLLOWS(dlp_solid_state, stiffening, last_step);
FOLLOWS(dlp_solid_counts, solves, substeps);
FOLLOWS(dlp_solid_counts, dt_max, dt_min);
_Static_assert(sizeof(dlp_solid_echo) == 6 * sizeof(double), "six numbers in files");

// What values may come back: of what they mean, or so large that no run comes near them.
static const struct {
    const char *name;
    double least, most;
} RANGES[] = {
    {"solid/position", -1e9, 1e9},           // m
    {"solid/velocity", -1e6, 1e6},           // m/s
    {"solid/step_displacement", -1e3, 1e3},  // m, in one sub-step
    {"solid/last_velocity", -1e6, 1e6},
    {"solid/x0", -1e9, 1e9},
    {"solid/start_place", -1e9, 1e9},
    {"solid/mass", 1e-15, 1e6},  // kg
    {"solid/rotation", -1.1, 1.1},
    {"solid/plastic", -1e6, 1e6},
    {"solid/pressing", 0, 1e30},
    {"solid/contact_time", 0, 1e9},  // s
    {"solid/displacement", -1e9, 1e9},
    {"solid/substance", 0, 1e9},
    {"solid/body", 0, 1e9},
    {"solid/pin", -1, 1e9},
    {"solid/layer", 0, 2},
    {"solid/id", 0, 1e12},
    {"solid/links", -1, 2147483647},
    {"solid/steps", 0, 1e6},      // the most that a scene may ask for
    {"solid/last_step", 0, 1e9},  // s, and the stiffening
    {"solid/counts", 0, 1e18},
    {"solid/echoes", -1e9, 1e9},  // N s, N m s
    {"solid/step_lengths", 0, 1e30},
};

void dlp_solid_manifest(dlp_solid *solid, dlp_manifest *manifest)
{
    dlp_solid_state *state = &solid->state;
    const int32_t count = state->particles.count, body_count = solid->params.scene->obstacle_count;
    const dlp_manifest_item items[] = {
#define X(name, type, dlp, components)                                                                       \
    {"solid/" #name, dlp, components, count, state->particles.name, DLP_COUNT_PARTICLES, 0},
        DLP_SOLID_FIELDS(X)
#undef X
            {"solid/links", DLP_INT32, 1, solid->topology.link_count, state->neighbour, DLP_COUNT_FIXED, 0},
        {"solid/interval", DLP_FLOAT64, 2, 1, &state->clock.start, DLP_COUNT_FIXED, 0},
        {"solid/steps", DLP_INT32, 4, 1, &state->clock.step_count, DLP_COUNT_FIXED, 0},
        {"solid/last_step", DLP_FLOAT64, 2, 1, &state->last_step, DLP_COUNT_FIXED, 0},
        {"solid/counts", DLP_INT64, 2, 1, &state->counts.substeps, DLP_COUNT_FIXED, 0},
        {"solid/echoes", DLP_FLOAT64, 6, body_count, state->echoes, DLP_COUNT_FIXED, 0},
        {"solid/step_lengths", DLP_FLOAT64, 2, 1, &state->counts.dt_min, DLP_COUNT_FIXED, 0},
    };
    for (size_t k = 0; k < sizeof items / sizeof items[0]; k++) dlp_manifest_add(manifest, items[k]);
    for (size_t k = 0; k < sizeof RANGES / sizeof RANGES[0]; k++)
        dlp_manifest_bound(manifest, RANGES[k].name, RANGES[k].least, RANGES[k].most);
}

dlp_status dlp_solid_begin_load(dlp_solid *solid, int32_t particle_count, dlp_error *error)
{
    if (particle_count != solid->state.particles.count)
        return dlp_fail(error, DLP_IO, "%d particles, but the scene makes %d", particle_count,
                        solid->state.particles.count);
    return DLP_OK;
}

enum { SHORTEST_SHARE = 16 };  // an interval has at most so many times the sub-steps that were expected of it

// Before the first interval no steps are planned.
static bool is_clock_valid(const dlp_solid *solid)
{
    const dlp_solid_clock *c = &solid->state.clock;
    if (!(solid->state.stiffening <= 1.001 * DLP_STIFFENING_MAX)) return false;
    if (solid->params.context.clock->end <= 0)
        return c->end == 0 && c->step_count == 0 && c->step == 0 && c->tick == 0 && c->stride == 0;
    return dlp_clock_shows(solid->params.context.clock, c->start, c->end) && c->step_count >= 1 &&
           c->step_count <= SHORTEST_SHARE * DLP_INTERVAL_STEPS && c->step <= c->step_count &&
           c->tick < DLP_SOLID_STEP_TICKS && c->stride >= 1 && c->stride <= DLP_SOLID_STEP_TICKS &&
           (c->stride & (c->stride - 1)) == 0 && c->tick % c->stride == 0;
}

static bool is_particle_valid(const dlp_solid *solid, int32_t i)
{
    const dlp_solid_particles *p = &solid->state.particles;
    const dlp_scene_def *scene = solid->params.scene;
    const float *q = p->rotation + 4 * (int64_t)i;
    const double square = (double)(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return fabs(square - 1) < 1e-3 && p->substance[i] < scene->substance_count &&
           scene->substances[p->substance[i]].model == DLP_MODEL_SOLID &&
           p->body[i] < solid->topology.body_count && p->pin[i] < scene->attachment_count &&
           p->id[i] < p->count;
}

// A link ends at another particle of its body, within reach at rest: the colouring relies on it.
static bool are_links_valid(const dlp_solid *solid)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    const dlp_solid_particles *p = &solid->state.particles;
    for (int32_t i = 0; i < p->count; i++) {
        const double reach =
            (1 + 1e-7) * (solid->params.materials[p->substance[i]].link_reach + solid->topology.clamp_reach);
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
            const int32_t j = links.neighbour[n];
            if (j == -1) continue;
            if (j < 0 || j >= p->count || j == i || p->body[j] != p->body[i]) return false;
            const dlp_vec3 offset = dlp_sub(dlp_solid_get(p->x0, j), dlp_solid_get(p->x0, i));
            if (p->substance[j] != p->substance[i] || !(dlp_length(offset) <= reach)) return false;
        }
    }
    return true;
}

dlp_status dlp_solid_end_load(dlp_solid *solid, dlp_error *error)
{
    if (!is_clock_valid(solid))
        return dlp_fail(error, DLP_IO,
                        "checkpoint: the solids' clock holds values that no run can have left");
    for (int32_t i = 0; i < solid->state.particles.count; i++)
        if (!is_particle_valid(solid, i))
            return dlp_fail(error, DLP_IO,
                            "checkpoint: particle %d of the solids holds values that no run can have left",
                            i);
    if (!are_links_valid(solid))
        return dlp_fail(error, DLP_IO,
                        "checkpoint: the solids' links end at particles that are not, or cannot be linked");
    const double time = dlp_solid_time(solid);
    DLP_TRY(dlp_solid_find_fragments(solid, error));
    DLP_TRY(dlp_solid_color_constraints(solid, error));
    dlp_solid_hold(solid, time, time);
    dlp_solid_set_inverse_masses(solid);
    dlp_solid_set_constraint_masses(solid);
    solid->scratch.has_strains = false;
    return DLP_OK;
}
