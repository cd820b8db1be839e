/* Before the start: particles that a shape's surface crowds are pushed apart, so that the first step finds no
 * pressure that nobody asked for. */
#include "motion/sph/adapt.h"

enum { SWEEP_LIMIT = 200, SWEEP_TRIAL = 20, EVEN_SWEEPS = 30, GRAIN = 256, SCAN_GRAIN = 2048 };

// A start is crowded where a compression is above this; a lattice that fits has 1. Without gravity nothing
// holds a body together, and whatever pressure it starts with drives it apart for ever. (Where sizes meet,
// sums differ by more than that.)
#define CROWDED            1.01f
#define CROWDED_WEIGHTLESS 1.0001f

static void find_largest(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    double *largest = result;
    for (int32_t i = begin; i < end; i++) {
        const float *packed = dlp_sph_packed(sph, i);
        const double delta = (double)(packed[DLP_PACKED_VOLUME0] / packed[DLP_PACKED_VOLUME]);
        *largest = delta > *largest ? delta : *largest;
    }
}

static float largest_compression(dlp_sph *sph)
{
    double largest = 0;
    const dlp_reduction find = {find_largest, dlp_combine_max_double, sph, sizeof largest};
    dlp_parallel_reduce(sph->team, sph->state.particles.count, SCAN_GRAIN, &find, &largest);
    return (float)largest;
}

// Whether the places are ours to choose: not where they were disordered on purpose or read from a file.
static bool may_move(const dlp_sph *sph)
{
    for (int32_t k = 0; k < sph->scene->substance_count; k++) {
        const dlp_substance_def *def = &sph->scene->substances[k];
        const bool has_points = def->points_file != NULL && def->points_file[0] != '\0';
        if (def->jitter > 0 || has_points || def->density_from != DLP_DENSITY_SUMMATION) return false;
        if (def->state == DLP_STATE_IDEAL) return false;  // a gas pushes whatever its density
    }
    return sph->state.particles.count > 0;
}

// One sweep along the pressure forces: half a step's displacement from rest, a fiftieth of a spacing at the
// most.
static void push_apart(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_particles *p = &sph->state.particles;
    for (int32_t i = begin; i < end; i++) {
        const dlp_substance *s = dlp_particle_substance(sph, i);
        const double dt = 0.4 * (double)dlp_particle_h(sph, i) / (double)s->sound_speed;
        const double scale = 0.5 * dt * dt / (s->unit_mass * p->units[i]);
        const float *force = sph->scratch.sums.force + 3 * (int64_t)i;
        dlp_vec3 displacement = dlp_mul(dlp_vec((double)force[0], (double)force[1], (double)force[2]), scale);
        const double length = dlp_length(displacement), limit = 0.02 * sph->params.finest;
        if (length > limit) displacement = dlp_mul(displacement, limit / length);
        const dlp_vec3 from = dlp_particle_position(p, i);
        dlp_vec3 x = dlp_add(from, displacement), still = dlp_vec(0, 0, 0);
        dlp_sph_resolve_contact(sph, i, from, 0, &x, &still, NULL);
        p->position[3 * (int64_t)i] = x.x;
        p->position[3 * (int64_t)i + 1] = x.y;
        p->position[3 * (int64_t)i + 2] = x.z;
    }
}

// Nothing pulls, nothing drags while it goes on.
static void keep_pressure_only(dlp_sph *sph)
{
    for (int32_t k = 0; k < sph->scene->substance_count; k++) {
        sph->params.substances[k].cohesion = 0;
        sph->params.substances[k].viscosity = 0;
        sph->params.substances[k].alpha_c = 0;
        sph->params.substances[k].beta = 0;
    }
    dlp_sph_write_constants(sph);
}

static dlp_status evaluate_pressure(dlp_sph *sph, dlp_error *error)
{
    dlp_sph_predict(sph);
    if (sph->scratch.neighbours.are_stale) {
        DLP_TRY(dlp_sph_find_neighbours(sph, error));
        dlp_sph_write_constants(sph);
        dlp_sph_predict(sph);
    }
    dlp_sph_place_walls(sph);
    dlp_sph_select_due(sph);
    dlp_sph_sum_density(sph);
    dlp_sph_sum_walls(sph);
    dlp_sph_sum_forces(sph);
    return DLP_OK;
}

static bool sees_other_sizes(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->state.particles;
    const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
    for (int32_t n = 0; n < near_i.middle; n++) {
        const int32_t j = near_i.entries[n];
        if (j < p->count && p->units[j] != p->units[i]) return true;
    }
    return false;
}

// What particles of different sizes make of an arrangement that was even: each moves from where the volumes
// around it are denser, h^2 / 4 times their gradient, a twentieth of h at the most.
static void even_out_block(dlp_sph *sph, int32_t first, int32_t count)
{
    dlp_particles *p = &sph->state.particles;
    float survey[DLP_SURVEY_BLOCK * DLP_SURVEY_SIZE];
    dlp_sph_survey(sph, first, count, survey);
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = first + k;
        const float *edge = survey + k * DLP_SURVEY_SIZE + DLP_SURVEY_EDGE;
        const double h = (double)dlp_particle_h(sph, i);
        dlp_vec3 displacement =
            dlp_mul(dlp_vec((double)edge[0], (double)edge[1], (double)edge[2]), -0.25 * h);
        const double length = dlp_length(displacement), limit = 0.05 * h;
        // what sees a free surface stays, and what sees its like alone
        if (((double)p->depth[i] < 1.9 * h && p->units[i] == 1) || !sees_other_sizes(sph, i)) continue;
        if ((double)sph->scratch.neighbours.clearance[i] < 0.5 * h) continue;  // walls hold it
        if (length > limit) displacement = dlp_mul(displacement, limit / length);
        for (int axis = 0; axis < 3; axis++)
            p->position[3 * (int64_t)i + axis] += dlp_component(displacement, axis);
    }
}

static void even_out_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t first = begin; first < end; first += DLP_SURVEY_BLOCK)
        even_out_block(context, first, end - first < DLP_SURVEY_BLOCK ? end - first : DLP_SURVEY_BLOCK);
}

dlp_status dlp_sph_even_out(dlp_sph *sph, dlp_error *error)
{
    dlp_sph_note_density(sph);
    for (int32_t sweep = 0; sweep < EVEN_SWEEPS; sweep++) {
        dlp_parallel_for(sph->team, sph->state.particles.count, DLP_SURVEY_BLOCK, even_out_range, sph);
        DLP_TRY(evaluate_pressure(sph, error));
    }
    dlp_sph_keep_density(sph);
    return evaluate_pressure(sph, error);
}

dlp_status dlp_sph_relax(dlp_sph *sph, dlp_error *error)
{
    const bool is_weightless = !(dlp_dot(sph->scene->gravity, sph->scene->gravity) > 0);
    const float crowded = is_weightless && !dlp_sph_adapts_space(sph) ? CROWDED_WEIGHTLESS : CROWDED;
    if (!may_move(sph) || largest_compression(sph) <= crowded) return DLP_OK;
    keep_pressure_only(sph);
    float before = 1e30f;
    for (int32_t sweep = 0; sweep < SWEEP_LIMIT; sweep++) {
        DLP_TRY(evaluate_pressure(sph, error));
        const float now = largest_compression(sph);
        if (now <= crowded) break;
        if (sweep % SWEEP_TRIAL == 0) {
            if (now - 1 > 0.95f * (before - 1)) break;  // it helps no more
            before = now;
        }
        dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, push_apart, sph);
    }
    sph->scratch.neighbours.are_stale = true;  // everything is looked at anew
    return dlp_sph_set_constants(sph, error);
}
