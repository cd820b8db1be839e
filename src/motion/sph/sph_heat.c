/* Heat: conduction between particles and from walls, loss through free surfaces, and what temperature makes
 * of a substance. A temperature goes straight ahead with its rate between a particle's steps (Euler forward);
 * at its turn the particle gets a new rate. With one step for all, what one particle gains others lose. */
#include "motion/sph/sph_heat.h"
#include "matter/heat.h"
#include "matter/norm.h"

#include <math.h>

enum { GRAIN = 256 };

// The longest step over rho c h^2 / k: the fastest mode of the sum decays at about 8 k / (rho c h^2), twice
// as fast beside a wall or a much better conductor, and Euler forward is stable up to 2 over that.
#define CONDUCTION_LIMIT 0.1

// The centre of its neighbours lies off a particle by less than this, in h, by mere disorder; below a plane
// surface by 0.42 for the first layer and 0.11 for the second (2-D: 0.51 and 0.21).
#define DISORDER 0.05

// Constants.

// The area that a particle shows grows with how far off the centre of its neighbours lies; the factor is such
// that the layers below a plane surface, half a spacing deep and so on, show together the plane's area.
static double area_factor(const dlp_substance_def *def, int32_t dimension)
{
    double sum = 0;
    for (double depth = 0.5; depth < 2 * def->smoothing; depth += 1) {
        double offset;
        dlp_neighbourhood_below(dimension, depth / def->smoothing, &offset);
        sum += fmax(offset - DISORDER, 0);
    }
    return def->smoothing / sum;
}

dlp_status dlp_heat_init(dlp_sph *sph, dlp_error *error)
{
    const dlp_scene_def *scene = sph->scene;
    dlp_heat_params *heat = &sph->params.heat;
    if (!dlp_sph_has_heat(sph)) return DLP_OK;
    heat->substances = dlp_alloc((size_t)scene->substance_count, sizeof *heat->substances, "heat");
    if (heat->substances == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "heat: no room");
    const dlp_substance_def *first = dlp_sph_definition(scene, 0);  // all have the same kernel and smoothing
    heat->area_factor = area_factor(first, scene->dimension);
    heat->drop_factor = first->smoothing * (scene->dimension == 3 ? cbrt(36 * DLP_PI) : 2 * sqrt(DLP_PI));
    return DLP_OK;
}

static void set_curve(dlp_heat_curve *out, const dlp_curve *curve)
{
    out->count = curve != NULL ? curve->count : 0;
    for (int32_t k = 0; k < out->count; k++) {
        out->temperature[k] = (float)curve->temperatures[k];
        out->log_value[k] = (float)log2(curve->values[k]);
    }
}

void dlp_heat_set_constants(dlp_sph *sph)
{
    for (int32_t k = 0; dlp_sph_has_heat(sph) && k < sph->scene->substance_count; k++) {
        const dlp_substance_def *def = dlp_sph_definition(sph->scene, k);
        dlp_heat_substance *s = &sph->params.heat.substances[k];
        s->conductivity = def->conductivity;
        s->capacity = def->heat_capacity;
        s->cooling = def->cooling;
        s->melt_from = def->melting_from;
        s->melt_to = def->melting_to;
        s->latent = def->melting_heat / def->heat_capacity;
        set_curve(&s->viscosity, def->viscosity_curve);
        set_curve(&s->stiffness, def->stiffness_curve);
    }
}

// One particle.

static const dlp_heat_substance *substance_of(const dlp_sph *sph, int32_t i)
{
    return &sph->params.heat.substances[sph->state.particles.substance[i]];
}

static double content(const dlp_heat_substance *s, double temperature)
{
    return s->latent > 0 ? dlp_heat_content(temperature, s->melt_from, s->melt_to, s->latent) : temperature;
}

double dlp_heat_start(const dlp_sph *sph, int32_t substance)
{
    const dlp_substance_def *def = &sph->scene->substances[substance];
    return def->has_temperature ? def->temperature : sph->scene->ambient;
}

double dlp_heat_of(const dlp_sph *sph, int32_t i)
{
    if (!dlp_sph_has_heat(sph)) return 0;
    const dlp_heat_substance *s = substance_of(sph, i);
    const double mass = dlp_particle_mass(sph, i);
    return mass * s->capacity * content(s, sph->state.particles.temperature[i]);
}

// Temperature at this tick, from the particle's own last step.
static double temperature_now(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->state.particles;
    const dlp_heat_substance *s = substance_of(sph, i);
    const double gain =
        sph->params.tick_seconds * (sph->state.clock.tick - p->begin[i]) * (double)p->temperature_rate[i];
    if (!(s->latent > 0) || gain == 0) return p->temperature[i] + gain;
    return dlp_heat_temperature(content(s, p->temperature[i]) + gain, s->melt_from, s->melt_to, s->latent);
}

double dlp_heat_mix(const dlp_sph *sph, const int32_t *particles, int32_t count)
{
    const dlp_heat_substance *s = substance_of(sph, particles[0]);
    double mass = 0, sum = 0;
    for (int32_t n = 0; n < count; n++) {
        const double units = sph->state.particles.units[particles[n]];
        mass += units;
        sum += units * content(s, temperature_now(sph, particles[n]));
    }
    if (!(s->latent > 0)) return sum / mass;
    return dlp_heat_temperature(sum / mass, s->melt_from, s->melt_to, s->latent);
}

static float curve_value(const dlp_heat_curve *curve, float temperature)
{
    int32_t k = curve->count - 1;
    while (k > 1 && temperature < curve->temperature[k - 1]) k--;
    if (k == 0) return dlp_exp2(curve->log_value[0]);
    return dlp_curve_between(temperature, curve->temperature[k - 1], curve->log_value[k - 1],
                             curve->temperature[k], curve->log_value[k]);
}

void dlp_heat_predict(const dlp_sph *sph, int32_t i, float *packed)
{
    const dlp_heat_substance *heat = substance_of(sph, i);
    const dlp_substance *s = dlp_particle_substance(sph, i);
    const float temperature = (float)temperature_now(sph, i);
    float *point = sph->scratch.points.heat + (int64_t)i * DLP_HEAT_SIZE;
    point[DLP_HEAT_TEMPERATURE] = temperature;
    point[DLP_HEAT_CONDUCTIVITY] = (float)heat->conductivity;
    // none where it was taken away before the start
    if (heat->viscosity.count > 0 && s->viscosity > 0)
        packed[DLP_PACKED_VISCOSITY] = curve_value(&heat->viscosity, temperature);
    if (heat->stiffness.count == 0) return;
    packed[DLP_PACKED_BULK] = s->rho0 * curve_value(&heat->stiffness, temperature);
    packed[DLP_PACKED_REST_PRESSURE] = s->state == DLP_STATE_IDEAL ? packed[DLP_PACKED_BULK] : 0.0f;
}

float dlp_heat_softening(const dlp_sph *sph, int32_t i)
{
    if (!dlp_sph_has_heat(sph) || substance_of(sph, i)->stiffness.count == 0) return 1;
    return curve_value(&substance_of(sph, i)->stiffness, (float)sph->state.particles.temperature[i]) /
           dlp_particle_substance(sph, i)->k;
}

// Free surface of a particle, m2 (2-D: m). Where more neighbours are missing than beyond a plane, as in a
// thin thread, it goes over to what a drop of its volume has.
static double free_area(const dlp_sph *sph, int32_t i)
{
    const float *flow = sph->scratch.sums.heat_flow + (int64_t)i * DLP_FLOW_SIZE;
    const double h = (double)dlp_sph_packed(sph, i)[DLP_PACKED_H];
    const double there = (double)flow[DLP_FLOW_PRESENT], drop = sph->params.heat.drop_factor;
    const double whole = dlp_whole_neighbourhood(sph->params.pair.dimension) *
                         (sph->params.pair.dimension == 3 ? h * h * h : h * h);
    const double off = there > 0 ? (double)flow[DLP_FLOW_MOMENT] / (there * h) : 0;
    const double plane = off > DISORDER ? sph->params.heat.area_factor * (off - DISORDER) : 0;
    const double exposed = fmin(fmax(plane, drop * (1 - 2 * there / whole)), drop);
    return exposed * (double)dlp_particle_volume0(sph, i) / h;
}

double dlp_heat_step(const dlp_sph *sph, int32_t i)
{
    const float *packed = dlp_sph_packed(sph, i);
    const dlp_heat_substance *s = substance_of(sph, i);
    const double h = (double)packed[DLP_PACKED_H], volume = (double)packed[DLP_PACKED_VOLUME0];
    const double mass = (double)packed[DLP_PACKED_DENSITY] * (double)packed[DLP_PACKED_VOLUME];
    const double conduction = s->conductivity * volume / (CONDUCTION_LIMIT * h * h);
    const double cooling = s->cooling * free_area(sph, i);
    return mass * s->capacity / (conduction + cooling + 1e-30);
}

// All of them.

typedef struct heat_pass {
    dlp_pair_work work;
    dlp_pair_loop *loop;
} heat_pass;

static void run_loop(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const heat_pass *pass = context;
    pass->loop(&pass->work, begin, end);
}

static void run_over(dlp_sph *sph, dlp_pair_loop *loop, const dlp_lists *lists, const int32_t *index,
                     int32_t count)
{
    heat_pass pass = {.work = {.params = &sph->params.pair,
                               .packed = sph->scratch.points.packed,
                               .lists = lists,
                               .index = index,
                               .heat = sph->scratch.points.heat,
                               .flow = sph->scratch.sums.heat_flow},
                      .loop = loop};
    dlp_parallel_for(sph->team, count, GRAIN, run_loop, &pass);
}

// Those of obstacles without a temperature let nothing pass.
static void set_wall_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t point = sph->scratch.walls.index[k];
        const dlp_obstacle_def *def =
            &sph->scene->obstacles[sph->scratch.walls.samples.owner[point - sph->state.particles.count]];
        float *heat = sph->scratch.points.heat + (int64_t)point * DLP_HEAT_SIZE;
        heat[DLP_HEAT_CONDUCTIVITY] = def->has_temperature ? 1 : 0;
        heat[DLP_HEAT_WALL] = def->has_temperature ? (float)def->temperature : 0;
    }
}

// Wall points that a due particle will ask.
static void warm_walls(dlp_sph *sph)
{
    const int32_t count = dlp_sph_list_marked_walls(sph);
    dlp_parallel_for(sph->team, count, GRAIN, set_wall_range, sph);
    run_over(sph, sph->params.loops->mirror_heat, &sph->scratch.neighbours.wall_lists,
             sph->scratch.walls.index, count);
}

// The point that pads the lists has no volume, but it must hold numbers.
static void write_padding(dlp_sph *sph)
{
    float *point = sph->scratch.points.heat + (int64_t)(dlp_sph_point_count(sph)) * DLP_HEAT_SIZE;
    for (int32_t k = 0; k < DLP_HEAT_SIZE; k++) point[k] = 0;
}

static void store_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_particles *p = &sph->state.particles;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        const dlp_heat_substance *s = substance_of(sph, i);
        const float *flow = sph->scratch.sums.heat_flow + (int64_t)i * DLP_FLOW_SIZE;
        const double mass = dlp_particle_mass(sph, i);
        const double temperature = temperature_now(sph, i);
        const double lost = s->cooling * free_area(sph, i) * (temperature - sph->scene->ambient);
        p->temperature[i] = temperature;
        p->temperature_rate[i] = (float)(((double)flow[DLP_FLOW_POWER] - lost) / (mass * s->capacity));
    }
}

void dlp_sph_exchange_heat(dlp_sph *sph)
{
    if (!dlp_sph_has_heat(sph)) return;
    write_padding(sph);
    if (sph->scratch.walls.samples.count > 0) warm_walls(sph);
    run_over(sph, sph->params.loops->sum_heat, &sph->scratch.neighbours.lists, sph->scratch.selection.due,
             sph->scratch.selection.due_count);
    dlp_parallel_for(sph->team, sph->scratch.selection.due_count, GRAIN, store_range, sph);
}
