/* Where the solids' motion stands, and what others may ask of them. */
#include "motion/solid/solid_gradient.h"

enum { GRAIN = 1024 };

double dlp_solid_time(const dlp_solid *solid)
{
    const dlp_solid_clock *clock = &solid->state.clock;
    if (clock->step >= clock->step_count) return clock->end;
    const double done = clock->step + (double)clock->tick / DLP_SOLID_STEP_TICKS;
    return clock->start + (clock->end - clock->start) * (done / clock->step_count);
}

double dlp_solid_step_length(const dlp_solid *solid)
{
    const dlp_solid_clock *clock = &solid->state.clock;
    const double whole = clock->step_count > 0 ? (clock->end - clock->start) / clock->step_count : 0;
    return whole * ((double)clock->stride / DLP_SOLID_STEP_TICKS);
}

int64_t dlp_solid_next_tick(const dlp_solid *solid)
{
    const dlp_solid_clock *clock = &solid->state.clock;
    const double done = clock->step + (double)(clock->tick + clock->stride) / DLP_SOLID_STEP_TICKS;
    return dlp_clock_tick_of(done, clock->step_count);
}

typedef struct solid_velocity_pass {
    dlp_solid *solid;
    const float *dv; /* m/s */
} solid_velocity_pass;

static void add_velocities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const solid_velocity_pass *pass = context;
    const dlp_solid_state *state = &pass->solid->state;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; k++) {
        state->particles.velocity[k] += (double)pass->dv[k];
        state->particles.last_velocity[k] += (double)pass->dv[k];
        state->particles.step_displacement[k] += (double)pass->dv[k] * state->last_step;
    }
}

void dlp_solid_add_velocity(dlp_solid *solid, const float *dv)
{
    solid_velocity_pass pass = {solid, dv};
    dlp_parallel_for(solid->params.team, solid->state.particles.count, GRAIN, add_velocities, &pass);
}

const dlp_solid_particles *dlp_solid_particles_of(const dlp_solid *solid)
{
    return &solid->state.particles;
}

double dlp_solid_radius(const dlp_solid *solid, int32_t particle)
{
    return cbrt(solid->params.materials[solid->state.particles.substance[particle]].volume * 3 /
                (4 * DLP_PI));
}

bool dlp_solid_is_cut(const dlp_solid *solid, int32_t substance)
{
    const dlp_solid_particles *p = &solid->state.particles;
    const dlp_rest_links links = dlp_solid_links(solid);
    for (int32_t i = 0; i < p->count; i++) {
        if (p->substance[i] != substance) continue;
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++)
            if (links.neighbour[n] != links.first[n]) return true;
    }
    return false;
}

bool dlp_solid_may_break(const dlp_solid *solid)
{
    return solid->params.may_break;
}

const int32_t *dlp_solid_fragments_of(const dlp_solid *solid)
{
    return solid->topology.fragment;
}

int32_t dlp_solid_fragment_count(const dlp_solid *solid)
{
    return solid->topology.fragment_count;
}

static bool is_linked(const dlp_rest_links *links, int32_t i, int32_t j)
{
    for (int32_t n = links->begin[i]; n < links->begin[i + 1]; n++)
        if (links->neighbour[n] == j) return true;
    return false;
}

// Two that were parted, of one fragment all the same, are this many times as far apart as at rest.
#define OPEN_RATIO 2.0

static bool is_open_at(const dlp_solid *solid, const double *positions, int32_t i)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    const double *x0 = solid->state.particles.x0;
    for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
        const int32_t j = links.first[n];
        if (links.neighbour[n] == j || solid->topology.fragment[i] != solid->topology.fragment[j] ||
            is_linked(&links, i, j))
            continue;
        const dlp_vec3 offset = dlp_sub(dlp_solid_get(positions, j), dlp_solid_get(positions, i));
        const dlp_vec3 at_rest = dlp_sub(dlp_solid_get(x0, j), dlp_solid_get(x0, i));
        if (dlp_dot(offset, offset) > OPEN_RATIO * OPEN_RATIO * dlp_dot(at_rest, at_rest)) return true;
    }
    return false;
}

void dlp_solid_find_open_cuts(const dlp_solid *solid, const double *positions, uint8_t *out_is_open)
{
    for (int32_t k = 0; k < solid->topology.fragment_count; k++) out_is_open[k] = 0;
    for (int32_t i = 0; i < solid->state.particles.count; i++)
        if (!out_is_open[solid->topology.fragment[i]] && is_open_at(solid, positions, i))
            out_is_open[solid->topology.fragment[i]] = 1;
}

dlp_attachment_view dlp_solid_held(const dlp_solid *solid, int32_t begin, int32_t end)
{
    const dlp_solid_particles *p = &solid->state.particles;
    const size_t first = (size_t)begin;
    return (dlp_attachment_view){.count = end - begin,
                                 .position = p->position + 3 * first,
                                 .substance = p->substance + first,
                                 .spacing = solid->params.spacings,
                                 .model = DLP_MODEL_SOLID,
                                 .mass = p->mass + first,
                                 .start_place = p->start_place + 3 * first,
                                 .pin = p->pin + first,
                                 .is_pinned = solid->scratch.is_pinned + first,
                                 .target_place = solid->scratch.target_place + 3 * first};
}

// Along directions without neighbours the rotation's.
void dlp_solid_gradient(const dlp_solid *solid, int32_t particle, double out_gradient[9])
{
    dlp_stencil s;
    const dlp_solid_particles *p = &solid->state.particles;
    const dlp_vec3 at = dlp_solid_get(p->position, particle);
    dlp_solid_stencil(solid, particle, &s);
    for (int k = 0; k < 9; k++) out_gradient[k] = 0;
    for (int32_t n = 0; n < s.count; n++)
        dlp_solid_add_outer(out_gradient, dlp_sub(dlp_solid_get(p->position, s.neighbour[n]), at), s.b[n]);
    const float *q = p->rotation + 4 * (int64_t)particle;
    const double w = (double)q[0], x = (double)q[1], y = (double)q[2], z = (double)q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    const double m[9] = {s.missing[0], s.missing[3], s.missing[4], s.missing[3], s.missing[1],
                         s.missing[5], s.missing[4], s.missing[5], s.missing[2]};
    for (int k = 0; k < 9; k++)
        for (int n = 0; n < 3; n++) out_gradient[k] += r[k / 3 * 3 + n] * m[n * 3 + k % 3];
}
