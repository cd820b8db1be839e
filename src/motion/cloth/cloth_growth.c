/* What the linearised step cannot mean: a stiff thread that lengthens by a share of its length. */
#include "motion/cloth/cloth_solver.h"

#include <stdatomic.h>

enum { GRAIN = 512 };
// The most that a stiff thread may lengthen in a step, in rest lengths.
#define GROWTH_LIMIT 0.1

typedef struct growth_pass {
    const dlp_cloth *cloth;
    double step;         // s
    double slack;        // m: beside the limit
    bool is_prediction;  // of where the last step's motion leads
    _Atomic bool is_found;
} growth_pass;

static dlp_vec3 place_after(const growth_pass *pass, int32_t i)
{
    const dlp_cloth *cloth = pass->cloth;
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    if (pass->is_prediction) return dlp_cloth_get(motion->predicted, i);
    const dlp_cloth_particles *p = &cloth->state.particles;
    if (motion->is_pinned[i]) return dlp_cloth_get(motion->target_place, i);
    const dlp_vec3 u = dlp_cloth_get(motion->effective, i), change = dlp_cloth_get(p->change, i);
    return dlp_along(dlp_cloth_get(p->position, i),
                     cloth->scratch.freedom.is_free[i] ? dlp_add(u, change) : u, pass->step);
}

// How much longer than before, and than at rest, a thread is: in rest lengths.
static double growth(dlp_vec3 before, dlp_vec3 after)
{
    const double length = dlp_length(after);
    return length - fmax(dlp_length(before), 1);
}

static double triangle_growth(const growth_pass *pass, int32_t triangle)
{
    const dlp_cloth *cloth = pass->cloth;
    const int32_t *corner = dlp_cloth_corners_of(&cloth->state.corners, triangle);
    dlp_vec3 x[3], y[3];
    for (int k = 0; k < 3; k++) {
        x[k] = dlp_cloth_get(cloth->state.particles.position, corner[k]);
        y[k] = place_after(pass, corner[k]);
    }
    const dlp_vec3 a = dlp_sub(x[1], x[0]), b = dlp_sub(x[2], x[0]), c = dlp_sub(y[1], y[0]),
                   d = dlp_sub(y[2], y[0]);
    const double *r = cloth->params.triangles.rest[triangle].inverse_rest;
    return fmax(growth(dlp_along(dlp_mul(a, r[0]), b, r[2]), dlp_along(dlp_mul(c, r[0]), d, r[2])),
                growth(dlp_along(dlp_mul(a, r[1]), b, r[3]), dlp_along(dlp_mul(c, r[1]), d, r[3])));
}

static bool is_triangle_overstretched(const growth_pass *pass, int32_t k)
{
    const dlp_cloth *cloth = pass->cloth;
    const double step = pass->step;
    const dlp_cloth_triangle *t = &cloth->params.triangles.rest[k];
    const dlp_fabric *f = &cloth->params.fabrics[t->substance];
    if (step * step * fmax(f->stretch[0], f->stretch[1]) < 2 * f->weight * t->area) return false;
    return triangle_growth(pass, k) > GROWTH_LIMIT + pass->slack / sqrt(2 * t->area);
}

static bool is_link_overstretched(const growth_pass *pass, int32_t k)
{
    const dlp_cloth *cloth = pass->cloth;
    const double step = pass->step;
    const dlp_cloth_link *l = &cloth->params.links.rest[k];
    const int32_t *end = dlp_cloth_ends_of(&cloth->state.ends, k);
    const double *x = cloth->state.particles.position, mass = cloth->state.particles.mass[end[0]];
    if (cloth->state.ends.is_torn[k] || step * step * l->stiffness < mass) return false;
    const dlp_vec3 before = dlp_sub(dlp_cloth_get(x, end[1]), dlp_cloth_get(x, end[0]));
    const dlp_vec3 after = dlp_sub(place_after(pass, end[1]), place_after(pass, end[0]));
    return growth(dlp_mul(before, 1 / l->length), dlp_mul(after, 1 / l->length)) >
           GROWTH_LIMIT + pass->slack / l->length;
}

// Triangles, then links: any one is enough, and which is found first does not matter.
static void find_overstretched(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    growth_pass *pass = context;
    const int32_t triangles = pass->cloth->params.triangles.count;
    if (atomic_load_explicit(&pass->is_found, memory_order_relaxed)) return;
    bool is_found = false;
    for (int32_t k = begin; k < end && !is_found; k++)
        is_found =
            k < triangles ? is_triangle_overstretched(pass, k) : is_link_overstretched(pass, k - triangles);
    if (is_found) atomic_store_explicit(&pass->is_found, true, memory_order_relaxed);
}

static bool any_overstretched(growth_pass *pass)
{
    const dlp_cloth_params *params = &pass->cloth->params;
    const int32_t count = params->triangles.count + params->links.count;
    dlp_parallel_for(params->team, count, GRAIN, find_overstretched, pass);
    return pass->is_found;
}

bool dlp_cloth_is_overstretched(const dlp_cloth *cloth, double step)
{
    growth_pass pass = {.cloth = cloth, .step = step};
    return any_overstretched(&pass);
}

// What this step's weight and a pull like it take back, a prediction may be ahead.
bool dlp_cloth_is_prediction_far(const dlp_cloth *cloth, double step)
{
    growth_pass pass = {.cloth = cloth, .step = step, .is_prediction = true};
    pass.slack = step * step * dlp_length(cloth->params.scene->gravity);
    return any_overstretched(&pass);
}
