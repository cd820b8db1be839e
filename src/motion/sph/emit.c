/* Emitters let substance in layer by layer, sinks take it away. */
#include "motion/sph/emit.h"
#include "motion/sph/sph_heat.h"
#include "motion/sph/sph_restraint.h"

#include <string.h>

// Items at once: those that are held against shapes, and those that are only counted.
enum { GRAIN = 256, SCAN_GRAIN = 4096 };

// Two directions across the mouth.
static void mouth_axes(dlp_vec3 direction, int32_t dimension, dlp_vec3 *out_u, dlp_vec3 *out_v)
{
    if (dimension == 2) {
        *out_u = dlp_vec(-direction.y, direction.x, 0);
        *out_v = dlp_vec(0, 0, 0);
        return;
    }
    const dlp_vec3 helper = fabs(direction.z) < 0.9 ? dlp_vec(0, 0, 1) : dlp_vec(1, 0, 0);
    *out_u = dlp_normalize(dlp_cross(helper, direction), dlp_vec(1, 0, 0));
    *out_v = dlp_cross(direction, *out_u);
}

// How long a particle is held on its course: until the layers behind it fill its support, but not where that
// would take longer than falling as far does.
static double hold_time(const dlp_sph *sph, const dlp_emitter_def *def, double ahead)
{
    const double distance = fmax(sph->params.support - ahead, 0), g = dlp_length(sph->scene->gravity);
    const double time = distance / def->speed;
    return g > 0 ? fmin(time, sqrt(2 * distance / g)) : time;
}

static dlp_status emit_layer(dlp_sph *sph, int32_t which, double ahead, dlp_error *error)
{
    const dlp_emitter_def *def = &sph->scene->emitters[which];
    const dlp_emitter *e = &sph->params.emitters[which];
    dlp_emitter_state *state = &sph->state.emitters[which];
    const int layer = (int)fmod(state->layers, 2);
    const dlp_vec3 direction = dlp_normalize(def->direction, dlp_vec(0, 0, -1));
    dlp_vec3 u, v;
    mouth_axes(direction, sph->scene->dimension, &u, &v);
    const double now = dlp_sph_clock_time(&sph->state.clock);
    DLP_TRY(dlp_particles_reserve(&sph->state.particles, sph->state.particles.count + e->site_count[layer],
                                  error));
    for (int32_t k = 0; k < e->site_count[layer]; k++) {
        if (def->limit > 0 && state->particles >= def->limit) break;
        const dlp_vec3 site = e->sites[layer][k];
        const dlp_vec3 mouth = dlp_add(def->position, dlp_add(dlp_mul(u, site.x), dlp_mul(v, site.y)));
        const dlp_vec3 x = dlp_along(mouth, direction, ahead);
        dlp_sph_add_particle(sph, def->substance_index, x, dlp_mul(direction, def->speed));
        sph->state.particles.held_until[sph->state.particles.count - 1] =
            (float)(now + hold_time(sph, def, ahead));
        if (def->has_temperature && dlp_sph_has_heat(sph))
            sph->state.particles.temperature[sph->state.particles.count - 1] = def->temperature;
        state->particles += 1;
    }
    state->layers += 1;
    sph->scratch.neighbours.are_stale = true;
    return DLP_OK;
}

dlp_status dlp_sph_emit(dlp_sph *sph, double seconds, dlp_error *error)
{
    const double now = dlp_sph_clock_time(&sph->state.clock);
    for (int32_t k = 0; k < sph->scene->emitter_count; k++) {
        const dlp_emitter_def *def = &sph->scene->emitters[k];
        dlp_emitter_state *state = &sph->state.emitters[k];
        if (!(def->speed > 0) || now < def->start || now >= def->stop) continue;
        if (def->limit > 0 && state->particles >= def->limit) continue;
        if (state->layers == 0)
            state->travel = sph->params.emitters[k].layer;  // the first one at once
        else
            state->travel += def->speed * seconds;
        while (state->travel >= sph->params.emitters[k].layer) {
            state->travel -= sph->params.emitters[k].layer;
            DLP_TRY(emit_layer(sph, k, state->travel, error));
        }
    }
    return DLP_OK;
}

static bool is_drained(const dlp_sph *sph, dlp_vec3 x, double now)
{
    for (int32_t k = 0; k < sph->scene->sink_count; k++) {
        const dlp_sink_def *def = &sph->scene->sinks[k];
        if (now >= def->start && now < def->stop && dlp_shape_distance(sph->params.sinks[k], x) < 0)
            return true;
    }
    return false;
}

static void count_drained(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    int64_t *count = result;
    const double now = dlp_sph_clock_time(&sph->state.clock);
    for (int32_t k = begin; k < end; k++)
        *count +=
            is_drained(sph, dlp_particle_position(&sph->state.particles, sph->scratch.selection.due[k]), now);
}

bool dlp_sph_would_drain(const dlp_sph *sph)
{
    const double now = dlp_sph_clock_time(&sph->state.clock);
    for (int32_t k = 0; k < sph->scene->sink_count; k++)
        if (sph->scene->sinks[k].start > sph->state.listed.time && sph->scene->sinks[k].start <= now)
            return true;
    int64_t count = 0;
    const dlp_reduction drained = {count_drained, dlp_combine_sum_int64, (void *)(uintptr_t)sph,
                                   sizeof count};
    if (sph->scene->sink_count > 0)
        dlp_parallel_reduce(sph->team, sph->scratch.selection.due_count, GRAIN, &drained, &count);
    return count > 0;
}

typedef struct drain_pass {
    dlp_sph *sph;
    uint8_t *is_kept;
    double now;
} drain_pass;

static void mark_drained_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const drain_pass *pass = context;
    for (int32_t i = begin; i < end; i++)
        pass->is_kept[i] =
            !is_drained(pass->sph, dlp_particle_position(&pass->sph->state.particles, i), pass->now);
}

static int32_t select_kept(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const uint8_t *is_kept = ((const drain_pass *)context)->is_kept;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (out != NULL && is_kept[i]) out[count] = i;
        count += is_kept[i];
    }
    return count;
}

void dlp_sph_drain(dlp_sph *sph)
{
    dlp_particles *p = &sph->state.particles;
    if (sph->scene->sink_count == 0 || p->count == 0) return;
    // the packed-records are free while lists are being built: who stays, in which order, and to move them
    const size_t count = (size_t)p->count, all = count * DLP_PACKED_SIZE * sizeof(float);
    const size_t order_at = (count + 63) / 64 * 64, scratch_at = order_at + (count + 15) / 16 * 64;
    const size_t bytes = all + DLP_LANES_PADDING * 64;
    char *memory = dlp_sph_borrow_packed(sph, bytes);
    int32_t *order = (int32_t *)(memory + order_at);
    drain_pass pass = {sph, (uint8_t *)memory, dlp_sph_clock_time(&sph->state.clock)};
    dlp_parallel_for(sph->team, p->count, GRAIN, mark_drained_range, &pass);
    const int32_t kept = dlp_parallel_compact(sph->team, p->count, SCAN_GRAIN, select_kept, &pass, order);
    if (kept == p->count) return;
    dlp_particles_keep_listed(p, order, kept, memory + scratch_at, bytes - scratch_at, sph->team);
    sph->scratch.neighbours.lists_hold = false;
    for (int32_t k = 0; k < sph->scene->sink_count; k++) dlp_sph_wake_around(sph, sph->params.sinks[k]);
}
