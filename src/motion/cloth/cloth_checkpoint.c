/* What a checkpoint must hold of the cloth, and its statistics. */
#include "motion/cloth/cloth_contact_phases.h"

#include <string.h>

// Checkpoints.

// Tears change corners and links; they are saved as whole numbers, three each.
static void copy_saved_corners(dlp_cloth *cloth, bool is_load)
{
    for (int32_t t = 0; t < cloth->triangle_count; t++) {
        int32_t *at = cloth->saved_corners + 3 * (size_t)t, *corner = cloth->triangles[t].corner;
        memcpy(is_load ? corner : at, is_load ? at : corner, 3 * sizeof(int32_t));
    }
    for (int32_t k = 0; k < cloth->link_count; k++) {
        int32_t *at = cloth->saved_corners + 3 * ((size_t)cloth->triangle_count + (size_t)k);
        dlp_cloth_link *link = &cloth->links[k];
        memcpy(is_load ? link->end : at, is_load ? at : link->end, 2 * sizeof(int32_t));
        if (is_load)
            link->is_torn = at[2] != 0;
        else
            at[2] = link->is_torn;
    }
}

void dlp_cloth_manifest(dlp_cloth *cloth, dlp_manifest *manifest)
{
    dlp_cloth_particles *p = &cloth->particles;
    const int32_t count = p->count, corner_count = cloth->triangle_count + cloth->link_count;
    copy_saved_corners(cloth, false);
    const dlp_manifest_item items[] = {
        {"cloth/position", DLP_FLOAT64, 3, count, p->position, DLP_COUNT_PARTICLES, 0},
        {"cloth/velocity", DLP_FLOAT64, 3, count, p->velocity, DLP_COUNT_PARTICLES, 0},
        {"cloth/mass", DLP_FLOAT64, 1, count, p->mass, DLP_COUNT_PARTICLES, 0},
        {"cloth/displacement", DLP_FLOAT32, 3, count, p->displacement, DLP_COUNT_PARTICLES, 0},
        {"cloth/substance", DLP_INT32, 1, count, p->substance, DLP_COUNT_PARTICLES, 0},
        {"cloth/pin", DLP_INT32, 1, count, p->pin, DLP_COUNT_PARTICLES, 0},
        {"cloth/id", DLP_INT64, 1, count, p->id, DLP_COUNT_PARTICLES, 0},
        {"cloth/state", DLP_INT32, 1, count, p->state, DLP_COUNT_PARTICLES, 0},
        {"cloth/start_place", DLP_FLOAT64, 3, count, cloth->start_place, DLP_COUNT_PARTICLES, 0},
        {"cloth/change", DLP_FLOAT64, 3, count, cloth->change, DLP_COUNT_PARTICLES, 0},
        {"cloth/corners", DLP_INT32, 3, corner_count, cloth->saved_corners, DLP_COUNT_FIXED, 0},
        {"cloth/next_id", DLP_INT64, 1, 1, &cloth->next_id, DLP_COUNT_FIXED, 0},
        {"cloth/interval", DLP_FLOAT64, 2, 1, &cloth->clock.start, DLP_COUNT_FIXED, 0},
        {"cloth/steps", DLP_INT32, 5, 1, &cloth->clock.step_count, DLP_COUNT_FIXED, 0},
        {"cloth/counts", DLP_INT64, 6, 1, &cloth->counts.substeps, DLP_COUNT_FIXED, 0},
        {"cloth/step_lengths", DLP_FLOAT64, 2, 1, &cloth->counts.dt_min, DLP_COUNT_FIXED, 0},
    };
    for (size_t k = 0; k < sizeof items / sizeof items[0]; k++) dlp_manifest_add(manifest, items[k]);
    dlp_cloth_contact_manifest(&cloth->contact, count, manifest);
}

dlp_status dlp_cloth_begin_load(dlp_cloth *cloth, int32_t particle_count, dlp_error *error)
{
    if (particle_count < 0) return dlp_fail(error, DLP_IO, "%d particles", particle_count);
    DLP_TRY(dlp_cloth_reserve(cloth, particle_count, error));
    cloth->particles.count = particle_count;
    return dlp_cloth_contact_reserve(&cloth->contact, cloth->particles.capacity, error);
}

static bool is_particle_sane(const dlp_cloth *cloth, int32_t i)
{
    const dlp_cloth_particles *p = &cloth->particles;
    return dlp_is_finite3(dlp_cloth_get(p->position, i)) && dlp_is_finite3(dlp_cloth_get(p->velocity, i)) &&
           dlp_is_finite3(dlp_cloth_get(cloth->start_place, i)) &&
           dlp_is_finite3(dlp_cloth_get(cloth->change, i)) && p->mass[i] > 0 && isfinite(p->mass[i]) &&
           p->substance[i] >= 0 && p->substance[i] < cloth->scene->substance_count &&
           cloth->scene->substances[p->substance[i]].model == DLP_MODEL_CLOTH && p->pin[i] >= -1 &&
           p->pin[i] < cloth->scene->attachment_count && cloth->contact.obstacle_contact[i] >= 0 &&
           cloth->contact.obstacle_contact[i] <= 2 * cloth->scene->obstacle_count && p->id[i] >= 0 &&
           p->id[i] < cloth->next_id;
}

static bool is_clock_sane(const dlp_cloth_clock *c)
{
    const int32_t stride = c->stride;
    return isfinite(c->start) && isfinite(c->end) && c->end > c->start && c->step_count >= 1 &&
           c->step >= 0 && c->step <= c->step_count && c->tick >= 0 && c->tick < DLP_CLOTH_STEP_TICKS &&
           stride >= 1 && stride <= DLP_CLOTH_STEP_TICKS && (stride & (stride - 1)) == 0 &&
           c->tick % stride == 0;
}

dlp_status dlp_cloth_end_load(dlp_cloth *cloth, dlp_error *error)
{
    if (!is_clock_sane(&cloth->clock))
        return dlp_fail(error, DLP_IO,
                        "checkpoint: the cloth's clock holds values that no run can have left");
    for (int32_t i = 0; i < cloth->particles.count; i++)
        if (!is_particle_sane(cloth, i))
            return dlp_fail(error, DLP_IO,
                            "checkpoint: particle %d of the cloth holds values that no run can "
                            "have left",
                            i);
    for (int32_t k = 0; k < 3 * cloth->triangle_count + 3 * cloth->link_count; k++) {
        const bool is_flag = k >= 3 * cloth->triangle_count && k % 3 == 2;
        if (cloth->saved_corners[k] < 0 || cloth->saved_corners[k] >= (is_flag ? 2 : cloth->particles.count))
            return dlp_fail(error, DLP_IO,
                            "checkpoint: the cloth's elements end at particles that do not exist");
    }
    copy_saved_corners(cloth, true);
    dlp_cloth_set_fabrics(cloth);
    DLP_TRY(dlp_cloth_connect(cloth, error));
    return dlp_cloth_rebuild_contacts(cloth, error);
}

// Statistics.

// Restrained particles have the energy with which they move, which is less than their momentum's.
static double kinetic_energy(const dlp_cloth *cloth, int32_t i)
{
    const dlp_fabric *fabric = &cloth->fabrics[cloth->particles.substance[i]];
    const dlp_vec3 v = dlp_cloth_get(cloth->particles.velocity, i);
    if (!fabric->is_restrained) return 0.5 * cloth->particles.mass[i] * dlp_dot(v, v);
    return cloth->particles.mass[i] * dlp_restraint_energy(fabric->restraint, dlp_length(v));
}

void dlp_cloth_measure(const dlp_cloth *cloth, dlp_stats *stats)
{
    const dlp_cloth_particles *p = &cloth->particles;
    const dlp_cloth_counts *c = &cloth->counts;
    const bool is_first = stats->particles == 0;
    for (int32_t i = 0; i < p->count; i++) {
        stats->active += p->state[i] < 2;
        stats->restrained += p->state[i] == 2;
        stats->kinetic_energy += kinetic_energy(cloth, i);
        stats->potential_energy -= p->mass[i] * dlp_dot(cloth->scene->gravity, dlp_cloth_get(p->position, i));
        stats->momentum = dlp_along(stats->momentum, dlp_cloth_get(p->velocity, i), p->mass[i]);
        stats->mass += p->mass[i];
    }
    stats->potential_energy += dlp_cloth_elastic_energy(cloth);
    stats->particles += p->count;
    stats->finest_particles += p->count;
    stats->substeps = stats->substeps > c->substeps ? stats->substeps : c->substeps;
    stats->force_evaluations += c->force_evaluations;
    stats->full_evaluations += c->full_evaluations;
    if (c->substeps == 0) return;
    stats->dt_min = is_first ? c->dt_min : fmin(stats->dt_min, c->dt_min);
    stats->dt_max = is_first ? c->dt_max : fmax(stats->dt_max, c->dt_max);
}
