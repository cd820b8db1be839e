/* Where every particle is at this tick: a prediction from its own last step, into the packed-records that the
 * pair loops read. Nothing else of the state is touched, so particles that are not due cost only this. */
#include "motion/sph/sph_heat.h"

#include <math.h>

enum { GRAIN = 256 };

static void write_packed(const dlp_sph *sph, int32_t i, float *packed)
{
    const dlp_particles *p = &sph->state.particles;
    const float dt = (float)(sph->params.tick_seconds * (sph->state.clock.tick - p->begin[i]));
    dlp_packed_set_position(packed, &sph->params.units, dlp_sph_predicted_position(sph, i));
    dlp_packed_set_velocity(packed, sph, i, sph->params.velocity_lead * dt);
    if (dlp_sph_has_heat(sph)) dlp_heat_predict(sph, i, packed);
    const float delta = p->compression[i] + (dlp_particle_holds(sph, i) ? 0 : dt * p->compression_rate[i]);
    // a prediction may not run away between two evaluations
    dlp_packed_set_compression(packed, dlp_particle_substance(sph, i), sph->params.pair.kernel,
                               delta < 0.1f    ? 0.1f
                               : delta > 10.0f ? 10.0f
                                               : delta);
}

static void write_constants(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++) {
        float *packed = dlp_sph_packed(sph, i);
        const dlp_substance *s = dlp_particle_substance(sph, i);
        packed[DLP_PACKED_VOLUME0] = s->volume_unit * (float)sph->state.particles.units[i];
        packed[DLP_PACKED_VISCOSITY] = s->viscosity;
        packed[DLP_PACKED_H] = dlp_particle_h(sph, i);
        // alpha c h is that of the finest size at every size: the same substance
        packed[DLP_PACKED_ALPHA_C] = s->alpha_c / sph->params.size_of[sph->state.particles.units[i]];
        packed[DLP_PACKED_BETA] = s->beta;
        packed[DLP_PACKED_BULK] = s->rho0 * s->k;
        packed[DLP_PACKED_REST_PRESSURE] = s->state == DLP_STATE_IDEAL ? s->rho0 * s->k : 0.0f;
    }
}

void dlp_sph_write_constants(dlp_sph *sph)
{
    dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, write_constants, sph);
}

// Speed that a particle may reach before it is due again. (The forms of the paper overshoot by up to 1.9.)
static float top_speed(const dlp_sph *sph, int32_t i)
{
    if (dlp_particle_holds(sph, i)) return 0;
    const float *v = sph->state.particles.velocity + 3 * (int64_t)i,
                *a = sph->state.particles.acceleration + 3 * (int64_t)i;
    const float dt = (float)(sph->params.tick_seconds * sph->state.particles.step[i]);
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           dt * sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// How far and how fast some particles are.
typedef struct motion_bounds {
    float moved, speed;  // m, m/s
} motion_bounds;

// A NaN counts as far and fast, so that it cannot hide.
static inline void raise_to(float *bound, float x)
{
    if (!(x <= *bound)) *bound = isnan(x) ? INFINITY : x;
}

static void join_motion(void *result, const void *later)
{
    motion_bounds *bounds = result;
    const motion_bounds *more = later;
    raise_to(&bounds->moved, more->moved);
    raise_to(&bounds->speed, more->speed);
}

// The particles begin..end-1 of `of`, or of all where it is NULL.
static motion_bounds predict_some(dlp_sph *sph, const int32_t *of, int32_t begin, int32_t end)
{
    float farthest = 0, fastest = 0;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = of != NULL ? of[k] : k;
        float *packed = dlp_sph_packed(sph, i);
        write_packed(sph, i, packed);
        const float moved = dlp_packed_moved(packed, sph, i), speed = top_speed(sph, i);
        raise_to(&farthest, moved);
        raise_to(&fastest, speed);
    }
    return (motion_bounds){sqrtf(farthest), fastest};
}

static void predict_range(void *context, int32_t begin, int32_t end, void *result)
{
    const motion_bounds bounds = predict_some(context, NULL, begin, end);
    join_motion(result, &bounds);
}

static void predict_due(void *context, int32_t begin, int32_t end, void *result)
{
    dlp_sph *sph = context;
    const motion_bounds bounds = predict_some(sph, sph->scratch.selection.due, begin, end);
    join_motion(result, &bounds);
}

static void predict_and_bound(dlp_sph *sph, dlp_reduce_fn *predict, int32_t count)
{
    motion_bounds bounds = {0};
    const dlp_reduction reduction = {predict, join_motion, sph, sizeof bounds};
    dlp_parallel_reduce(sph->team, count, GRAIN, &reduction, &bounds);
    sph->state.listed.moved_bound = (double)bounds.moved;
    sph->state.listed.speed_bound = (double)bounds.speed;
    if (!(bounds.moved <= sph->params.verlet_limit)) sph->scratch.neighbours.are_stale = true;
}

void dlp_sph_predict(dlp_sph *sph)
{
    predict_and_bound(sph, predict_range, sph->state.particles.count);
    sph->scratch.selection.are_all_predicted = true;
}

void dlp_sph_predict_due(dlp_sph *sph)
{
    predict_and_bound(sph, predict_due, sph->scratch.selection.due_count);
    sph->scratch.selection.are_all_predicted = false;
}

// Predicts a particle unless somebody has done so for this step.
static void predict_once(dlp_sph *sph, int32_t i)
{
    if (__atomic_exchange_n(&sph->scratch.selection.stamp[i], sph->scratch.selection.stamp_now,
                            __ATOMIC_RELAXED) == sph->scratch.selection.stamp_now)
        return;
    write_packed(sph, i, dlp_sph_packed(sph, i));
}

static void predict_list(dlp_sph *sph, int32_t point)
{
    const dlp_neighbour_list near_point = dlp_sph_neighbours(sph, point);
    for (int32_t n = 0; n < near_point.middle; n++) {
        const int32_t j = near_point.entries[n];
        if (j < sph->state.particles.count) predict_once(sph, j);
    }
}

static void predict_around_due(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        predict_once(sph, i);
        predict_list(sph, i);
    }
}

static void predict_around_walls(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) predict_list(sph, sph->scratch.walls.index[k]);
}

static void take_new_stamp(dlp_sph *sph)
{
    dlp_selection *selection = &sph->scratch.selection;
    assert(selection->stamp != NULL);
    if (selection->stamp_now == UINT8_MAX)
        dlp_parallel_set(sph->team, selection->stamp, 0, (size_t)sph->state.particles.count);
    selection->stamp_now = selection->stamp_now == UINT8_MAX ? 1 : (uint8_t)(selection->stamp_now + 1);
}

void dlp_sph_predict_more(dlp_sph *sph)
{
    if (!sph->params.has_individual_steps || sph->scratch.selection.are_all_predicted) return;
    dlp_parallel_for(sph->team, sph->scratch.selection.due_count, 64, predict_around_due, sph);
}

void dlp_sph_predict_needed(dlp_sph *sph)
{
    sph->scratch.selection.are_all_predicted = false;
    take_new_stamp(sph);
    dlp_parallel_for(sph->team, sph->scratch.selection.due_count, 64, predict_around_due, sph);
    if (sph->scratch.walls.samples.count > 0)
        dlp_parallel_for(sph->team, dlp_sph_list_marked_walls(sph), 64, predict_around_walls, sph);
}
