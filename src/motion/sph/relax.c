/* Before the start: particles that a shape's surface crowds are pushed apart, so that the first step finds no
 * pressure that nobody asked for. */
#include "motion/sph/predict.h"

enum { SWEEP_LIMIT = 200 };

// A start is crowded where a compression is above this; a lattice that fits has 1.
#define CROWDED 1.01f

static float largest_compression(const dlp_sph *sph)
{
    float largest = 0;
    for (int32_t i = 0; i < sph->particles.count; i++) {
        const float delta = sph->records[(int64_t)i * DLP_RECORD_SIZE + DLP_RECORD_VOLUME0] /
                            sph->records[(int64_t)i * DLP_RECORD_SIZE + DLP_RECORD_VOLUME];
        largest = delta > largest ? delta : largest;
    }
    return largest;
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
    return sph->particles.count > 0;
}

// One sweep along the pressure forces: half a step's way from rest, a fiftieth of a spacing at the most.
static void push_apart(dlp_sph *sph)
{
    dlp_particles *p = &sph->particles;
    for (int32_t i = 0; i < p->count; i++) {
        const dlp_substance *s = &sph->substances[p->substance[i]];
        const double dt = 0.4 * (double)dlp_particle_h(sph, i) / (double)s->sound_speed;
        const double scale = 0.5 * dt * dt / (s->unit_mass * p->units[i]);
        const float *force = sph->force + 3 * (int64_t)i;
        dlp_vec3 way = dlp_mul(dlp_vec((double)force[0], (double)force[1], (double)force[2]), scale);
        const double length = dlp_length(way), limit = 0.02 * sph->finest;
        if (length > limit) way = dlp_mul(way, limit / length);
        const dlp_vec3 from = dlp_particle_position(p, i);
        dlp_vec3 x = dlp_add(from, way), still = dlp_vec(0, 0, 0);
        dlp_sph_resolve_contact(sph, i, from, 0, &x, &still);
        p->position[3 * (int64_t)i] = x.x;
        p->position[3 * (int64_t)i + 1] = x.y;
        p->position[3 * (int64_t)i + 2] = x.z;
    }
}

// Nothing pulls, nothing drags while it goes on.
static void quieten(dlp_sph *sph)
{
    for (int32_t k = 0; k < sph->scene->substance_count; k++) {
        sph->substances[k].cohesion = 0;
        sph->substances[k].viscosity = 0;
        sph->substances[k].alpha_c = 0;
        sph->substances[k].beta = 0;
    }
    dlp_sph_write_constants(sph);
}

static dlp_status evaluate_pressure(dlp_sph *sph, dlp_error *error)
{
    dlp_sph_predict(sph);
    if (sph->lists_are_stale) {
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

dlp_status dlp_sph_relax(dlp_sph *sph, dlp_error *error)
{
    if (!may_move(sph) || largest_compression(sph) <= CROWDED) return DLP_OK;
    quieten(sph);
    for (int32_t sweep = 0; sweep < SWEEP_LIMIT; sweep++) {
        DLP_TRY(evaluate_pressure(sph, error));
        if (largest_compression(sph) <= CROWDED) break;
        push_apart(sph);
    }
    sph->lists_are_stale = true;  // everything is looked at anew
    return dlp_sph_set_constants(sph, error);
}
