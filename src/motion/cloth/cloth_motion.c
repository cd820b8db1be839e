/* The solve for what is free, and the motion that follows from it.  [manteaux2013, sec. 4] */
#include "motion/cloth/cloth_contact_phases.h"
#include "motion/cloth/sym3.h"

#include <string.h>

enum { GRAIN = 512 };
#define SOLVE_TOLERANCE 1e-5
// A speed beyond this is no cloth's: m/s
#define SPEED_LIMIT 1e5

typedef struct motion_pass {
    dlp_cloth *cloth;
    double step;  // s
} motion_pass;

// The system.

// L, the inverse of the diagonal's block, L b, and the guess L dp of the change that was last.
static void prepare_particle(dlp_cloth *cloth, int32_t i)
{
    const dlp_cloth_system *s = &cloth->scratch.system;
    const dlp_cloth_matrix *m = s->matrix;
    const double mass = cloth->state.particles.mass[i];
    const dlp_sym3 r = dlp_cloth_mobility_of(cloth, i);
    const double share = cloth->scratch.motion.order.share;
    const dlp_sym3 root = share < 1                 ? (dlp_sym3){share, share, share, 0, 0, 0}
                          : dlp_sym3_is_identity(r) ? r
                                                    : dlp_sym3_root(r),
                   l = dlp_sym3_mul(root, 1 / sqrt(mass));
    double diagonal[9];
    assert(m->column[m->begin[i]] == i);
    memcpy(diagonal, m->blocks + 9 * (size_t)m->begin[i], sizeof diagonal);
    if (cloth->contact.scratch.springs.has_spring[i]) dlp_cloth_add_contact_springs(cloth, i, diagonal);
    dlp_sym3 d = dlp_sym3_congruence(l, diagonal);
    d.xx += 1;
    d.yy += 1;
    d.zz += 1;
    dlp_sym3_store(s->factor + 9 * (size_t)i, l);
    dlp_sym3_store(s->inverse + 9 * (size_t)i, dlp_sym3_inverse(d));
    dlp_quad_set(s->right, i, dlp_sym3_apply(l, dlp_cloth_get(cloth->scratch.motion.impulse, i)));
    dlp_quad_set(
        s->z, i,
        dlp_mul(dlp_sym3_apply(l, dlp_cloth_get(cloth->state.particles.change, i)), mass / (share * share)));
}

static void prepare_listed(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_cloth *cloth = context;
    for (int32_t k = begin; k < end; k++) prepare_particle(cloth, cloth->scratch.freedom.list[k]);
}

static void set_system(dlp_cloth *cloth)
{
    const dlp_cloth_params *params = &cloth->params;
    dlp_cloth_system *s = &cloth->scratch.system;
    s->matrix = &cloth->connectivity.matrix;
    s->list = cloth->scratch.freedom.list;
    s->count = cloth->scratch.freedom.count;
    s->tolerance = params->solve_tolerance > 0 ? params->solve_tolerance : SOLVE_TOLERANCE;
    s->limit = 1000 + 10 * (s->count < 1000 ? s->count : 1000);
    s->team = params->team;
    s->target = params->target;
    s->springs = cloth->contact.scratch.springs.items;
    s->spring_count = cloth->contact.scratch.springs.count;
    s->is_free = cloth->scratch.freedom.is_free;
}

static bool solve(dlp_cloth *cloth)
{
    dlp_cloth_system *s = &cloth->scratch.system;
    bool is_solved;
    set_system(cloth);
    if (cloth->params.is_paper_form) {
        is_solved = dlp_cloth_solve_paper_form(cloth);
    } else {
        dlp_parallel_set(s->team, s->w, 0, (size_t)cloth->state.particles.count * DLP_QUAD * sizeof *s->w);
        dlp_parallel_for(s->team, s->count, GRAIN, prepare_listed, cloth);
        is_solved = dlp_cloth_solve(s);
    }
    cloth->state.counts.solves++;
    cloth->state.counts.iterations += s->iterations;
    cloth->state.counts.products += (int64_t)(s->iterations + 1) * s->count;
    return is_solved;
}

// What it means.

// L z; the solver of the paper forms has left it there already.
static void set_changes(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_cloth *cloth = context;
    const dlp_cloth_system *s = &cloth->scratch.system;
    double *changes = cloth->scratch.motion.change_quad;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = cloth->scratch.freedom.list[k];
        const double *l = s->factor + 9 * (size_t)i;
        const dlp_sym3 factor = {l[0], l[4], l[8], l[3], l[6], l[7]};
        const dlp_vec3 change = cloth->params.is_paper_form ? dlp_quad_get(changes, i)
                                                            : dlp_sym3_apply(factor, dlp_quad_get(s->z, i));
        dlp_quad_set(changes, i, change);
        dlp_cloth_set(cloth->state.particles.change, i, change);
    }
}

// The change of velocity L z, and A of it: of all that it reaches.
static void find_changes(dlp_cloth *cloth)
{
    const dlp_cloth_system *s = &cloth->scratch.system;
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    if (!cloth->params.is_paper_form)
        dlp_parallel_set(s->team, motion->change_quad, 0,
                         (size_t)cloth->state.particles.count * DLP_QUAD * sizeof *motion->change_quad);
    dlp_parallel_for(s->team, s->count, GRAIN, set_changes, cloth);
    const dlp_cloth_product product = {s->matrix, motion->near_list, motion->near_count, motion->change_quad,
                                       motion->change_drag};
    dlp_cloth_multiply(&product, s->team, s->target);
    for (int32_t k = 0; k < s->spring_count; k++) {
        const dlp_contact_spring *c = &s->springs[k];
        const dlp_vec3 u = dlp_contact_spring_relative_velocity(c, motion->change_quad, DLP_QUAD);
        dlp_contact_spring_apply(c, dlp_contact_spring_drag(c, u), motion->change_drag, DLP_QUAD);
    }
}

// dp = b - A L z. Where the mobility is a number, the change of velocity says the same without the difference
// of two large numbers, which leaves what the solver left times the stiffness; in a direction that a contact
// holds there is none.
dlp_vec3 dlp_cloth_momentum_change(const dlp_cloth *cloth, int32_t i)
{
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    const dlp_cloth_freedom *freedom = &cloth->scratch.freedom;
    const dlp_cloth_particles *p = &cloth->state.particles;
    const dlp_vec3 whole = dlp_sub(dlp_cloth_get(motion->impulse, i), dlp_quad_get(motion->change_drag, i));
    if (!freedom->is_free[i] || !(freedom->scalar_mobility[i] > 0)) return whole;
    const dlp_contact_constraint *constraint = &cloth->contact.scratch.obstacles.constraints[i];
    const dlp_vec3 held = dlp_sub(whole, dlp_contact_constraint_free(constraint, whole));
    return dlp_along(held, dlp_cloth_get(p->change, i), p->mass[i] / freedom->scalar_mobility[i]);
}

// The particle whose equation the solver left worst.
static int32_t find_worst(const dlp_cloth *cloth)
{
    const dlp_cloth_scratch *scratch = &cloth->scratch;
    const double *r = cloth->params.is_paper_form ? scratch->paper_form.r : scratch->system.r;
    int32_t worst = scratch->freedom.list[0];
    for (int32_t k = 1; k < scratch->freedom.count; k++) {
        const double now = dlp_length(dlp_quad_get(r, scratch->freedom.list[k]));
        if (!(now <= dlp_length(dlp_quad_get(r, worst)))) worst = scratch->freedom.list[k];
    }
    return worst;
}

static void find_runaways(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_cloth *cloth = context;
    const dlp_cloth_particles *p = &cloth->state.particles;
    int32_t *first = result;
    for (int32_t k = begin; k < end && *first == INT32_MAX; k++) {
        const int32_t i = cloth->scratch.motion.near_list[k];
        const dlp_vec3 v =
            dlp_along(dlp_cloth_get(p->velocity, i), dlp_cloth_momentum_change(cloth, i), 1 / p->mass[i]);
        if (!cloth->scratch.motion.is_pinned[i] && !(dlp_dot(v, v) < SPEED_LIMIT * SPEED_LIMIT)) *first = i;
    }
}

// The first particle whose motion is none that a cloth can make; INT32_MAX for none.
static int32_t find_runaway(dlp_cloth *cloth)
{
    const dlp_reduction reduction = {find_runaways, dlp_combine_min_int32, cloth, sizeof(int32_t)};
    int32_t first = INT32_MAX;
    dlp_parallel_reduce(cloth->params.team, cloth->scratch.motion.near_count, GRAIN, &reduction, &first);
    return first;
}

bool dlp_cloth_solve_free(dlp_cloth *cloth, int32_t *out_failed)
{
    for (int32_t attempt = 0;; attempt++) {
        if (!solve(cloth)) {
            *out_failed = find_worst(cloth);
            return false;
        }
        find_changes(cloth);
        if (attempt == DLP_CLOTH_RELEASE_LIMIT || cloth->params.is_paper_form) break;
        if (!dlp_cloth_release_fast(cloth, attempt)) break;
    }
    const int32_t runaway = find_runaway(cloth);
    if (runaway == INT32_MAX) return true;
    *out_failed = runaway;
    return false;
}

// The motion.

static void move_particle(const motion_pass *pass, int32_t i)
{
    const dlp_cloth *cloth = pass->cloth;
    const dlp_cloth_motion *motion = &cloth->scratch.motion;
    const dlp_cloth_particles *p = &cloth->state.particles;
    const bool is_solved = cloth->scratch.freedom.count > 0 && motion->is_near[i];
    const dlp_vec3 now = is_solved ? dlp_cloth_momentum_change(cloth, i) : dlp_cloth_get(motion->impulse, i);
    const dlp_vec3 dp = dlp_along(dlp_mul(now, motion->order.share), dlp_cloth_get(p->last_change, i),
                                  motion->order.carry * p->mass[i]);
    const dlp_vec3 v = dlp_along(dlp_cloth_get(p->velocity, i), dp, 1 / p->mass[i]);
    const dlp_vec3 u = dlp_cloth_get(motion->effective, i);
    dlp_cloth_set(motion->momentum_change, i, dp);
    if (!cloth->scratch.freedom.is_free[i]) dlp_cloth_set(p->change, i, dlp_vec(0, 0, 0));
    const dlp_vec3 moving = dlp_add(u, dlp_cloth_get(p->change, i));
    const dlp_vec3 x = dlp_along(dlp_cloth_get(p->position, i), moving, pass->step);
    dlp_cloth_set(p->position, i, motion->is_pinned[i] ? dlp_cloth_get(motion->target_place, i) : x);
    dlp_cloth_set(p->velocity, i, motion->is_pinned[i] ? u : v);
}

static void move_all(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t i = begin; i < end; i++) move_particle(context, i);
}

void dlp_cloth_move(dlp_cloth *cloth, double step)
{
    motion_pass pass = {cloth, step};
    dlp_parallel_for(cloth->params.team, cloth->state.particles.count, GRAIN, move_all, &pass);
}
