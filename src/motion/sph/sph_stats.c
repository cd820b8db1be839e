/* Where things stand: sums over all particles, in fixed blocks so that threads do not change them. */
#include "motion/sph/sph_heat.h"
#include "scene/body_force.h"

enum { GRAIN = 4096, SURFACE_GRAIN = 256 };

typedef struct block_sums {
    dlp_vec3 spin; /* kg m2/s */
    double kinetic, potential, px, py, pz, volume, neighbours, error_sum, error_max, heat;
    int32_t inner_count;
} block_sums;

typedef struct stats_pass {
    dlp_sph *sph;
    dlp_pair_work work;
} stats_pass;

// A particle whose neighbours' centre lies off by more than this (in h) is at a free surface: 0.75 on a flat
// one, below 0.1 inside.
#define SURFACE_OFFSET 0.2f

float dlp_particle_pressure(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->state.particles;
    const float delta = p->compression[i];
    if (sph->params.solves_pressure) return (p->kappa[i] + p->kappa_rate[i]) * (delta * delta);
    return dlp_heat_softening(sph, i) * dlp_substance_pressure(dlp_particle_substance(sph, i), delta);
}

// What it took to compress a particle; nothing where pressure is a constraint.
static double compression_energy(const dlp_sph *sph, int32_t i)
{
    if (sph->params.solves_pressure) return 0;
    const dlp_substance *s = dlp_particle_substance(sph, i);
    const double volume0 = (double)s->volume_unit * sph->state.particles.units[i];
    return (double)dlp_heat_softening(sph, i) * volume0 *
           dlp_substance_energy(s, (double)sph->state.particles.compression[i]);
}

static void add_particle(const dlp_sph *sph, int32_t i, const float *measure, block_sums *sums)
{
    const dlp_particles *p = &sph->state.particles;
    const dlp_substance *s = dlp_particle_substance(sph, i);
    const double mass = s->unit_mass * p->units[i], delta = (double)p->compression[i];
    const double volume0 = (double)s->volume_unit * p->units[i];
    const float *v = p->velocity + 3 * (int64_t)i;
    const double vx = (double)v[0], vy = (double)v[1], vz = (double)v[2];
    sums->kinetic += mass * dlp_particle_kinetic(sph, i, vx * vx + vy * vy + vz * vz);
    sums->potential += mass * dlp_body_potential(sph->scene, p->substance[i], dlp_particle_position(p, i));
    sums->potential += compression_energy(sph, i);
    sums->heat += dlp_heat_of(sph, i);
    sums->px += mass * vx;
    sums->py += mass * vy;
    sums->pz += mass * vz;
    sums->spin = dlp_along(sums->spin, dlp_cross(dlp_particle_position(p, i), dlp_vec(vx, vy, vz)), mass);
    sums->volume += volume0 / delta;
    sums->neighbours += (double)measure[DLP_MEASURE_NEIGHBOURS];
    if (measure[DLP_MEASURE_OFFSET] > SURFACE_OFFSET) return;
    const double error = fabs(delta - 1);
    sums->error_sum += error;
    sums->error_max = fmax(sums->error_max, error);
    sums->inner_count++;
}

// Before lists have been built: as if all were at a free surface.
static void measure_nothing(float *measure, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        measure[k * DLP_MEASURE_SIZE + DLP_MEASURE_NEIGHBOURS] = 0;
        measure[k * DLP_MEASURE_SIZE + DLP_MEASURE_OFFSET] = 2;
    }
}

static void sum_block(void *context, int32_t begin, int32_t end, void *result)
{
    const stats_pass *pass = context;
    int32_t index[SURFACE_GRAIN];
    float measure[SURFACE_GRAIN * DLP_MEASURE_SIZE];
    for (int32_t first = begin; first < end; first += SURFACE_GRAIN) {
        const int32_t count = end - first < SURFACE_GRAIN ? end - first : SURFACE_GRAIN;
        dlp_pair_work work = pass->work;
        for (int32_t k = 0; k < count; k++) index[k] = first + k;
        work.index = index;
        work.measure = measure;
        if (pass->sph->scratch.neighbours.lists_hold)
            pass->sph->params.loops->measure(&work, 0, count);
        else
            measure_nothing(measure, count);
        for (int32_t k = 0; k < count; k++)
            add_particle(pass->sph, first + k, measure + k * DLP_MEASURE_SIZE, result);
    }
}

static void add_sums(void *result, const void *later)
{
    block_sums *all = result;
    const block_sums *b = later;
    all->kinetic += b->kinetic;
    all->potential += b->potential;
    all->px += b->px;
    all->py += b->py;
    all->pz += b->pz;
    all->spin = dlp_add(all->spin, b->spin);
    all->volume += b->volume;
    all->neighbours += b->neighbours;
    all->error_sum += b->error_sum;
    all->error_max = fmax(all->error_max, b->error_max);
    all->inner_count += b->inner_count;
    all->heat += b->heat;
}

typedef struct units_pass {
    const dlp_sph *sph;
    int32_t substance;
} units_pass;

static void add_units(void *context, int32_t begin, int32_t end, void *result)
{
    const units_pass *pass = context;
    const dlp_particles *p = &pass->sph->state.particles;
    int64_t *units = result;
    for (int32_t i = begin; i < end; i++) *units += p->substance[i] == pass->substance ? p->units[i] : 0;
}

// Whole numbers of units, so that the sum does not depend on the particles' order.
static double whole_mass(const dlp_sph *sph)
{
    double mass = 0;
    for (int32_t k = 0; k < sph->scene->substance_count; k++) {
        int64_t units = 0;
        units_pass pass = {sph, k};
        const dlp_reduction adding = {add_units, dlp_combine_sum_int64, &pass, sizeof units};
        dlp_parallel_reduce(sph->team, sph->state.particles.count, GRAIN, &adding, &units);
        mass += sph->params.substances[k].unit_mass * (double)units;
    }
    return mass;
}

static void count_held(void *context, int32_t begin, int32_t end, void *result)
{
    int64_t *count = result;
    for (int32_t i = begin; i < end; i++) *count += dlp_particle_holds(context, i);
}

static int64_t held_count(dlp_sph *sph)
{
    int64_t count = 0;
    const dlp_reduction counting = {count_held, dlp_combine_sum_int64, sph, sizeof count};
    if (sph->params.restrains)
        dlp_parallel_reduce(sph->team, sph->state.particles.count, GRAIN, &counting, &count);
    return count;
}

dlp_status dlp_sph_measure(dlp_sph *sph, dlp_stats *stats, dlp_error *error)
{
    (void)error;
    const int32_t count = sph->state.particles.count;
    assert(!sph->scratch.neighbours.lists_hold || sph->scratch.neighbours.lists.count == count);
    stats_pass pass = {.sph = sph,
                       .work = {.params = &sph->params.pair,
                                .packed = sph->scratch.points.packed,
                                .lists = &sph->scratch.neighbours.lists}};
    block_sums all = {0};
    const dlp_reduction summing = {sum_block, add_sums, &pass, sizeof all};
    dlp_parallel_reduce(sph->team, count, GRAIN, &summing, &all);

    const dlp_sph_counts *c = &sph->state.counts;
    stats->particles = count;
    stats->active = count;
    stats->restrained += (int32_t)held_count(sph);
    stats->active -= stats->restrained;
    stats->substeps = c->substeps;
    stats->splits = c->splits;
    stats->merges = c->merges;
    stats->finest_particles = sph->scratch.finest_count;
    stats->full_evaluations = c->full_evaluations;
    stats->force_evaluations = c->force_evaluations;
    stats->dt_min = c->dt_max > 0 ? c->dt_min : sph->state.smallest_dt_limit;
    stats->dt_max = c->dt_max > 0 ? c->dt_max : sph->state.smallest_dt_limit;
    if (c->solves > 0) {
        stats->density_passes = (double)c->density_passes / (double)c->solves;
        stats->divergence_passes = (double)c->divergence_passes / (double)c->solves;
        stats->viscosity_passes = (double)c->viscosity_passes / (double)c->solves;
        stats->residual_mean = c->residual_sum / (double)c->solves;
        stats->residual_max = c->residual_max;
        stats->capped = (double)c->capped / (double)c->solves;
    }
    stats->neighbours_mean = count > 0 ? all.neighbours / count : 0;
    stats->kinetic_energy = all.kinetic;
    stats->potential_energy = all.potential;
    stats->momentum = dlp_vec(all.px, all.py, all.pz);
    stats->angular_momentum = all.spin;
    stats->mass = whole_mass(sph);
    stats->volume = all.volume;
    stats->density_error_mean = all.inner_count > 0 ? all.error_sum / all.inner_count : 0;
    stats->density_error_max = all.error_max;
    stats->heat = all.heat;
    return DLP_OK;
}

// The weight of a point at a place: W as the pair loops have it.
static double weight_at(const dlp_sph *sph, dlp_vec3 x, dlp_vec3 point, double h)
{
    dlp_vec3 offset = dlp_sub(x, point);
    double *along[3] = {&offset.x, &offset.y, &offset.z};
    for (int axis = 0; axis < 3; axis++) {
        if (sph->params.units.is_periodic[axis])
            *along[axis] -=
                sph->params.units.period[axis] * round(*along[axis] / sph->params.units.period[axis]);
    }
    return dlp_sph_weight(sph, dlp_length(offset), h);
}

typedef struct sample_sums {
    double weight, volume0, density, pressure, temperature;
    dlp_vec3 velocity;
    double obstacles; /* of one layer of wall points */
} sample_sums;

static void add_sample(const dlp_sph *sph, dlp_vec3 x, int32_t j, sample_sums *sums)
{
    const dlp_particles *p = &sph->state.particles;
    const dlp_substance *s = dlp_particle_substance(sph, j);
    const double w = weight_at(sph, x, dlp_particle_position(p, j), (double)dlp_particle_h(sph, j));
    if (w <= 0) return;
    const double delta = (double)p->compression[j], volume0 = (double)dlp_particle_volume0(sph, j);
    const double weight = w * volume0 / delta;
    const float *v = p->velocity + 3 * (int64_t)j;
    sums->volume0 += w * volume0;
    sums->weight += weight;
    sums->density += weight * delta * (double)s->rho0;
    sums->pressure += weight * (double)dlp_particle_pressure(sph, j);
    if (dlp_sph_has_heat(sph)) sums->temperature += weight * p->temperature[j];
    sums->velocity = dlp_along(sums->velocity, dlp_vec((double)v[0], (double)v[1], (double)v[2]), weight);
}

// A wall point counts with its volume; one of a thin obstacle has none of its own.
static void add_wall_point(const dlp_sph *sph, dlp_vec3 x, int32_t j, sample_sums *sums)
{
    const int32_t k = j - sph->state.particles.count;
    const dlp_samples *walls = &sph->scratch.walls.samples;
    const dlp_sample_set *set = dlp_wall_set(sph, k);
    const dlp_vec3 face = set->face[walls->point[k]];
    if (dlp_dot(face, face) > 0) return;
    const double *at = walls->position + 3 * (int64_t)k;
    sums->obstacles += (double)walls->volume[k] * weight_at(sph, x, dlp_vec(at[0], at[1], at[2]), set->h);
}

typedef void add_fn(const dlp_sph *sph, dlp_vec3 x, int32_t j, sample_sums *sums);

// The points of a layer in the cells around a place.
static void add_cells(const dlp_sph *sph, dlp_vec3 x, const dlp_layer *layer, add_fn *add, sample_sums *sums)
{
    const dlp_units *units = &sph->params.units;
    const int64_t at[3] = {dlp_units_of(units, 0, x.x), dlp_units_of(units, 1, x.y),
                           dlp_units_of(units, 2, x.z)};
    const dlp_cell cell = dlp_cell_of(units, layer->level, at);
    for (int32_t n = 0; n < 27 && dlp_cell_is_near(cell, layer->middle); n++) {
        const dlp_cell near = {cell.x + n % 3 - 1, cell.y + n / 3 % 3 - 1, cell.z + n / 9 - 1};
        const int32_t found = dlp_layer_find(layer, units, near);
        if (found < 0) continue;
        for (int32_t j = layer->cell_begin[found]; j < layer->cell_begin[found + 1]; j++)
            add(sph, x, j, sums);
    }
}

// Wall points of each size stand only near particles of that size: the layer that knows most of the walls
// counts.
static void add_layers(const dlp_sph *sph, dlp_vec3 x, sample_sums *sums)
{
    const dlp_neighbourhood *neighbours = &sph->scratch.neighbours;
    for (int32_t k = 0; k < neighbours->particle_layer_count; k++)
        add_cells(sph, x, &neighbours->layers[k], add_sample, sums);
    double most = 0;
    for (int32_t k = neighbours->particle_layer_count; k < neighbours->layer_count; k++) {
        sums->obstacles = 0;
        add_cells(sph, x, &neighbours->layers[k], add_wall_point, sums);
        most = fmax(most, sums->obstacles);
    }
    sums->obstacles = most;
}

dlp_point_sample dlp_sph_sample(const dlp_sph *sph, dlp_vec3 x)
{
    sample_sums sums = {0};
    if (sph->scratch.neighbours.lists_hold)
        add_layers(sph, x, &sums);
    else  // a host changed particles, and they have not been sorted since
        for (int32_t j = 0; j < sph->state.particles.count; j++) add_sample(sph, x, j, &sums);
    if (!(sums.weight > 0)) return (dlp_point_sample){0};
    return (dlp_point_sample){.density = sums.density / sums.weight,
                              .pressure = sums.pressure / sums.weight,
                              .velocity = dlp_mul(sums.velocity, 1 / sums.weight),
                              .temperature = sums.temperature / sums.weight,
                              .fraction = sums.volume0,
                              .obstacle_fraction = sums.obstacles};
}
