/* Regions: where the cloth is disturbed, and how freely it moves there.
 *
 * The passage from rest to motion is taken by regions, not by single particles. Particles of a stiff cloth
 * cannot move alone: where each had a gain of its own, the sheet could keep its lengths only if the slow ones
 * gathered ever more momentum behind their small gain, until they broke loose: several solves a step, and a
 * sheet that does not come to rest. With one gain for all that move together, s = gain p keeps lengths where
 * p does; the region moves as if its masses were m / gain, and stops as one. */
#include "motion/cloth/cloth_contact_phases.h"

#include <string.h>

enum { GRAIN = 512, REACH_LIMIT = 12 };

typedef struct region_pass {
    dlp_cloth *cloth;
    double step;
} region_pass;

static double speed_of(const dlp_cloth *cloth, int32_t i, double step)
{
    if (!cloth->is_pinned[i]) {
        const dlp_contact_constraint *constraint = &cloth->contact.constraints[i];
        const dlp_vec3 v =
            dlp_contact_constraint_free(constraint, dlp_cloth_get(cloth->particles.velocity, i));
        return dlp_length(dlp_add(v, dlp_contact_constraint_prescribed(constraint)));
    }
    return dlp_length(
               dlp_sub(dlp_cloth_get(cloth->target_place, i), dlp_cloth_get(cloth->particles.position, i))) /
           step;
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
    return cloth->contact.has_spring[i] && !cloth->contact.at_rest[i];
}

static void find_speeds(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const region_pass *pass = context;
    dlp_cloth *cloth = pass->cloth;
    for (int32_t i = begin; i < end; i++) {
        const dlp_fabric *fabric = &cloth->fabrics[cloth->particles.substance[i]];
        cloth->speed[i] = speed_of(cloth, i, pass->step);
        cloth->gain[i] = fabric->is_restrained ? 0 : 1;
        cloth->is_marked[i] = fabric->is_restrained &&
                              (cloth->speed[i] > fabric->restraint.hold_speed || is_unsettled(cloth, i));
        if (cloth->is_marked[i] && cloth->is_paper_form)
            cloth->gain[i] = paper_form_gain(fabric, cloth->speed[i]);
    }
}

// Rings of neighbours that a step's waves reach: they travel sqrt(h^2 k / m) spacings, a ring is two of them.
int32_t dlp_cloth_reach(const dlp_cloth *cloth, double step)
{
    double most = 0;
    for (int32_t k = 0; k < cloth->scene->substance_count; k++) {
        const dlp_fabric *f = &cloth->fabrics[k];
        if (!(f->weight > 0)) continue;
        const double spacing = cloth->spacing[k], stretch = fmax(f->stretch[0], f->stretch[1]);
        most = fmax(most, step * step * stretch / (f->weight * spacing * spacing));
    }
    return (int32_t)fmin(fmax(1, ceil(0.5 * sqrt(most))), REACH_LIMIT);
}

int32_t dlp_cloth_widen(dlp_cloth *cloth, int32_t reach)
{
    const dlp_cloth_matrix *m = &cloth->matrix;
    int32_t *queue = cloth->list, count = 0;
    for (int32_t i = 0; i < cloth->particles.count; i++)
        if (cloth->is_marked[i]) queue[count++] = i;
    for (int32_t ring = 0, begin = 0; ring < reach; ring++) {
        const int32_t end = count;
        for (; begin < end; begin++)
            for (int32_t k = m->begin[queue[begin]]; k < m->begin[queue[begin] + 1]; k++) {
                const int32_t j = m->column[k];
                if (cloth->is_marked[j]) continue;
                cloth->is_marked[j] = 1;
                queue[count++] = j;
            }
    }
    return count;
}

// The marked particles that hang together with `first`, into the list; their marks become 2. Returns how
// many.
static int32_t collect(dlp_cloth *cloth, int32_t first, int32_t *list)
{
    const dlp_cloth_matrix *m = &cloth->matrix;
    int32_t count = 1;
    list[0] = first;
    cloth->is_marked[first] = 2;
    for (int32_t done = 0; done < count; done++)
        for (int32_t k = m->begin[list[done]]; k < m->begin[list[done] + 1]; k++) {
            const int32_t j = m->column[k];
            if (cloth->is_marked[j] != 1) continue;
            cloth->is_marked[j] = 2;
            list[count++] = j;
        }
    return count;
}

// One gain for a region, by the fastest in it.
static void set_gain(dlp_cloth *cloth, const int32_t *list, int32_t count)
{
    const dlp_fabric *fabric = &cloth->fabrics[cloth->particles.substance[list[0]]];
    double fastest = 0;
    bool is_settled = true;
    for (int32_t k = 0; k < count; k++) {
        fastest = fmax(fastest, cloth->speed[list[k]]);
        is_settled &= !is_unsettled(cloth, list[k]);
    }
    const double gain = is_settled ? dlp_restraint_gain(fabric->restraint, fastest) : 1;
    if (is_settled && gain * fastest < fabric->tolerance) return;
    for (int32_t k = 0; k < count; k++) cloth->gain[list[k]] = gain;
}

void dlp_cloth_find_regions(dlp_cloth *cloth, double step)
{
    region_pass pass = {cloth, step};
    dlp_parallel_for(cloth->team, cloth->particles.count, GRAIN, find_speeds, &pass);
    if (cloth->is_paper_form || memchr(cloth->is_marked, 1, (size_t)cloth->particles.count) == NULL) return;
    const int32_t count = dlp_cloth_widen(cloth, dlp_cloth_reach(cloth, step));
    for (int32_t k = 0; k < count; k++) {
        const int32_t first = cloth->list[k];
        if (cloth->is_marked[first] == 1)
            set_gain(cloth, cloth->near_list, collect(cloth, first, cloth->near_list));
    }
}
