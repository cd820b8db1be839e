/* Regions: where the cloth is disturbed, and how freely it moves there.
 *
 * The passage from rest to motion is taken by regions, not by single particles. Particles of a stiff cloth
 * cannot move alone: where each had a gain of its own, the sheet could keep its lengths only if the slow ones
 * gathered ever more momentum behind their small gain, until they broke loose: several solves a step, and a
 * sheet that does not come to rest. With one gain for all that move together, s = gain p keeps lengths where
 * p does; the region moves as if its masses were m / gain, and stops as one. */
#include "motion/cloth/cloth_contact_phases.h"

enum { GRAIN = 512, REACH_LIMIT = 12 };

typedef struct region_pass {
    dlp_cloth *cloth;
    double step;  // s
} region_pass;

static double speed_of(const dlp_cloth *cloth, int32_t i, double step)
{
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    const dlp_cloth_particles *p = &cloth->state.particles;
    if (!motion->is_pinned[i]) {
        const dlp_contact_constraint *constraint = &cloth->contact.scratch.obstacles.constraints[i];
        const dlp_vec3 v = dlp_contact_constraint_free(constraint, dlp_cloth_get(p->velocity, i));
        return dlp_length(dlp_add(v, dlp_contact_constraint_prescribed(constraint)));
    }
    return dlp_length(dlp_sub(dlp_cloth_get(motion->target_place, i), dlp_cloth_get(p->position, i))) / step;
}

// The paper forms: every particle for itself.
static double paper_form_gain(const dlp_fabric *fabric, double speed)
{
    const double gain = dlp_restraint_gain(fabric->restraint, speed);
    return gain * speed > fabric->tolerance ? gain : 0;
}

// A particle that touches cloth and has not come to rest yet. Its contact is stiff, and would kick what is
// restrained: so contacts are free until they rest (cloth_contact_settle.c).
static bool is_unsettled(const dlp_cloth *cloth, int32_t i)
{
    return cloth->contact.scratch.springs.has_spring[i] && !cloth->contact.state.at_rest[i];
}

static void find_speeds(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const region_pass *pass = context;
    const dlp_cloth *cloth = pass->cloth;
    const dlp_cloth_freedom *freedom = &cloth->scratch.freedom;
    for (int32_t i = begin; i < end; i++) {
        const dlp_fabric *fabric = dlp_cloth_fabric_of(cloth, i);
        const double speed = speed_of(cloth, i, pass->step);
        const bool is_disturbed =
            fabric->is_restrained && (speed > fabric->restraint.hold_speed || is_unsettled(cloth, i));
        freedom->speed[i] = speed;
        freedom->gain[i] = fabric->is_restrained ? 0 : 1;
        if (is_disturbed && cloth->params.is_paper_form) freedom->gain[i] = paper_form_gain(fabric, speed);
        cloth->scratch.search.is_reached[i] = is_disturbed;
    }
}

// Rings of neighbours that a step's waves reach: they travel sqrt(h^2 k / m) spacings, a ring is two of them.
int32_t dlp_cloth_reach(const dlp_cloth *cloth, double step)
{
    double most = 0;
    for (int32_t k = 0; k < cloth->params.scene->substance_count; k++) {
        const dlp_fabric *f = &cloth->params.fabrics[k];
        if (!(f->weight > 0)) continue;
        const double spacing = cloth->params.spacing[k], stretch = fmax(f->stretch[0], f->stretch[1]);
        most = fmax(most, step * step * stretch / (f->weight * spacing * spacing));
    }
    return (int32_t)fmin(fmax(1, ceil(0.5 * sqrt(most))), REACH_LIMIT);
}

int32_t dlp_cloth_widen(dlp_cloth *cloth, int32_t rings)
{
    const dlp_cloth_matrix *m = &cloth->connectivity.matrix;
    const dlp_cloth_search *search = &cloth->scratch.search;
    int32_t *queue = search->reached, count = dlp_cloth_list_flagged(cloth, search->is_reached, queue);
    for (int32_t ring = 0, begin = 0; ring < rings; ring++) {
        const int32_t end = count;
        for (; begin < end; begin++)
            for (int32_t k = m->begin[queue[begin]]; k < m->begin[queue[begin] + 1]; k++) {
                const int32_t j = m->column[k];
                if (search->is_reached[j]) continue;
                search->is_reached[j] = 1;
                queue[count++] = j;
            }
    }
    assert(count <= cloth->state.particles.count);
    return count;
}

// What was reached and hangs together with `first`, into the region; it is marked by a 2. Returns how many
// there are.
static int32_t collect(dlp_cloth *cloth, int32_t first)
{
    const dlp_cloth_matrix *m = &cloth->connectivity.matrix;
    const dlp_cloth_search *search = &cloth->scratch.search;
    int32_t *region = search->region, count = 1;
    region[0] = first;
    search->is_reached[first] = 2;
    for (int32_t done = 0; done < count; done++)
        for (int32_t k = m->begin[region[done]]; k < m->begin[region[done] + 1]; k++) {
            const int32_t j = m->column[k];
            if (search->is_reached[j] != 1) continue;
            search->is_reached[j] = 2;
            region[count++] = j;
        }
    assert(count <= cloth->state.particles.count);
    return count;
}

// One gain for a region, by the fastest in it.
static void set_gain(dlp_cloth *cloth, int32_t count)
{
    const int32_t *region = cloth->scratch.search.region;
    const dlp_cloth_freedom *freedom = &cloth->scratch.freedom;
    const dlp_fabric *fabric = dlp_cloth_fabric_of(cloth, region[0]);
    double fastest = 0;
    bool is_settled = true;
    for (int32_t k = 0; k < count; k++) {
        fastest = fmax(fastest, freedom->speed[region[k]]);
        is_settled &= !is_unsettled(cloth, region[k]);
    }
    const double gain = is_settled ? dlp_restraint_gain(fabric->restraint, fastest) : 1;
    if (is_settled && gain * fastest < fabric->tolerance) return;
    for (int32_t k = 0; k < count; k++) freedom->gain[region[k]] = gain;
}

void dlp_cloth_find_regions(dlp_cloth *cloth, double step)
{
    region_pass pass = {cloth, step};
    dlp_parallel_for(cloth->params.team, cloth->state.particles.count, GRAIN, find_speeds, &pass);
    if (cloth->params.is_paper_form) return;
    const dlp_cloth_search *search = &cloth->scratch.search;
    const int32_t count = dlp_cloth_widen(cloth, dlp_cloth_reach(cloth, step));
    for (int32_t k = 0; k < count; k++)
        if (search->is_reached[search->reached[k]] == 1) set_gain(cloth, collect(cloth, search->reached[k]));
}
