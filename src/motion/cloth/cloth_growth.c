/* What the linearised step cannot mean: a stiff thread that lengthens by a share of its length. */
#include "motion/cloth/cloth_solver.h"

#include <stdatomic.h>

enum { GRAIN = 512 };
// The most that a stiff thread may lengthen in a step, in rest lengths.
#define GROWTH_LIMIT 0.1

static dlp_vec3 place_after(const dlp_cloth *cloth, int32_t i, double step)
{
    if (cloth->is_pinned[i]) return dlp_cloth_get(cloth->target_place, i);
    const dlp_vec3 u = dlp_cloth_get(cloth->effective, i), change = dlp_cloth_get(cloth->change, i);
    return dlp_along(dlp_cloth_get(cloth->particles.position, i), cloth->is_free[i] ? dlp_add(u, change) : u,
                     step);
}

// How much longer than before, and than at rest, a thread is: in rest lengths.
static double growth(dlp_vec3 before, dlp_vec3 after)
{
    const double length = dlp_length(after);
    return length - fmax(dlp_length(before), 1);
}

static double triangle_growth(const dlp_cloth *cloth, const dlp_cloth_triangle *t, double step)
{
    dlp_vec3 x[3], y[3];
    for (int k = 0; k < 3; k++) {
        x[k] = dlp_cloth_get(cloth->particles.position, t->corner[k]);
        y[k] = place_after(cloth, t->corner[k], step);
    }
    const dlp_vec3 a = dlp_sub(x[1], x[0]), b = dlp_sub(x[2], x[0]), c = dlp_sub(y[1], y[0]),
                   d = dlp_sub(y[2], y[0]);
    const double *r = t->inverse_rest;
    return fmax(growth(dlp_along(dlp_mul(a, r[0]), b, r[2]), dlp_along(dlp_mul(c, r[0]), d, r[2])),
                growth(dlp_along(dlp_mul(a, r[1]), b, r[3]), dlp_along(dlp_mul(c, r[1]), d, r[3])));
}

static bool is_triangle_overstretched(const dlp_cloth *cloth, int32_t k, double step)
{
    const dlp_cloth_triangle *t = &cloth->triangles[k];
    const dlp_fabric *f = &cloth->fabrics[t->substance];
    if (step * step * fmax(f->stretch[0], f->stretch[1]) < 2 * f->weight * t->area) return false;
    return triangle_growth(cloth, t, step) > GROWTH_LIMIT;
}

static bool is_link_overstretched(const dlp_cloth *cloth, int32_t k, double step)
{
    const dlp_cloth_link *l = &cloth->links[k];
    const double mass = cloth->particles.mass[l->end[0]];
    if (l->is_torn || step * step * l->stiffness < mass) return false;
    const dlp_vec3 before = dlp_sub(dlp_cloth_get(cloth->particles.position, l->end[1]),
                                    dlp_cloth_get(cloth->particles.position, l->end[0]));
    const dlp_vec3 after = dlp_sub(place_after(cloth, l->end[1], step), place_after(cloth, l->end[0], step));
    return growth(dlp_mul(before, 1 / l->length), dlp_mul(after, 1 / l->length)) > GROWTH_LIMIT;
}

typedef struct stretch_pass {
    const dlp_cloth *cloth;
    double step;
    _Atomic bool is_found;
} stretch_pass;

// Triangles, then links: any one is enough, and which is found first does not matter.
static void find_overstretched(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    stretch_pass *pass = context;
    const int32_t triangles = pass->cloth->triangle_count;
    if (atomic_load_explicit(&pass->is_found, memory_order_relaxed)) return;
    bool is_found = false;
    for (int32_t k = begin; k < end && !is_found; k++)
        is_found = k < triangles ? is_triangle_overstretched(pass->cloth, k, pass->step)
                                 : is_link_overstretched(pass->cloth, k - triangles, pass->step);
    if (is_found) atomic_store_explicit(&pass->is_found, true, memory_order_relaxed);
}

bool dlp_cloth_is_overstretched(const dlp_cloth *cloth, double step)
{
    stretch_pass pass = {.cloth = cloth, .step = step};
    dlp_parallel_for(cloth->team, cloth->triangle_count + cloth->link_count, GRAIN, find_overstretched,
                     &pass);
    return pass.is_found;
}
