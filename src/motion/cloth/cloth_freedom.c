/* Who is free in a step: what moves, what is woken, and what the solve shows to be held too fast. */
#include "motion/cloth/cloth_contact_phases.h"
#include "motion/cloth/cloth_restraint.h"
#include "motion/cloth/sym3.h"

#include <string.h>

enum { GRAIN = 512 };
// A change of velocity in one step that wakes a particle, in speeds of rest.
#define WAKE_SHARE 0.05

static void set_mobility(dlp_cloth *cloth, int32_t i, dlp_sym3 r)
{
    const double values[6] = {r.xx, r.yy, r.zz, r.xy, r.xz, r.yz};
    memcpy(cloth->scratch.freedom.mobility + 6 * (size_t)i, values, sizeof values);
}

static const dlp_contact_constraint *constraint_of(const dlp_cloth *cloth, int32_t i)
{
    return &cloth->contact.scratch.obstacles.constraints[i];
}

// Nothing but others decide how it moves.
static bool is_held(const dlp_cloth *cloth, int32_t i)
{
    return cloth->scratch.motion.is_pinned[i] || constraint_of(cloth, i)->directions == 3 ||
           cloth->contact.state.at_rest[i];
}

static void set_free(dlp_cloth *cloth, int32_t i)
{
    if (is_held(cloth, i)) return;
    cloth->scratch.freedom.is_free[i] = 1;
    cloth->scratch.freedom.scalar_mobility[i] = 1;
    set_mobility(cloth, i,
                 dlp_contact_constraint_mobility(constraint_of(cloth, i), (dlp_sym3){1, 1, 1, 0, 0, 0}));
}

// What is free.

// The paper forms: what is at rest but would not stay so after its impulse is free, too.
static void classify_paper_form(dlp_cloth *cloth, int32_t i, dlp_vec3 v, dlp_vec3 change)
{
    const dlp_cloth_freedom *freedom = &cloth->scratch.freedom;
    const dlp_fabric *fabric = dlp_cloth_fabric_of(cloth, i);
    const double then = dlp_length(dlp_add(v, change));
    freedom->is_free[i] =
        freedom->gain[i] > 0 || dlp_restraint_gain(fabric->restraint, then) * then > 2 * fabric->tolerance;
    set_mobility(
        cloth, i,
        dlp_contact_constraint_mobility(constraint_of(cloth, i), dlp_mobility_at(&fabric->restraint, v)));
}

// Free is what moves; what is at rest is woken where it would not stay so after its impulse.
static void classify(dlp_cloth *cloth, int32_t i)
{
    const dlp_cloth_freedom *freedom = &cloth->scratch.freedom;
    const dlp_cloth_particles *p = &cloth->state.particles;
    const dlp_contact_constraint *constraint = constraint_of(cloth, i);
    const double share = cloth->scratch.motion.order.share, gain = freedom->gain[i] * share * share;
    freedom->scalar_mobility[i] = gain;
    if (is_held(cloth, i)) return;
    if (gain > 0 && !cloth->params.is_paper_form) {
        freedom->is_free[i] = 1;
        set_mobility(cloth, i,
                     dlp_contact_constraint_mobility(constraint, (dlp_sym3){gain, gain, gain, 0, 0, 0}));
        return;
    }
    const dlp_vec3 v = dlp_contact_constraint_free(constraint, dlp_cloth_get(p->velocity, i));
    const dlp_vec3 change = dlp_contact_constraint_free(
        constraint, dlp_mul(dlp_cloth_get(cloth->scratch.motion.impulse, i), 1 / p->mass[i]));
    freedom->scalar_mobility[i] = 0;
    if (cloth->params.is_paper_form)
        classify_paper_form(cloth, i, v, change);
    else  // what a push that lasts does is no impulse: momentum gathers until the region moves
        freedom->is_woken[i] =
            dlp_length(change) > WAKE_SHARE * dlp_cloth_fabric_of(cloth, i)->restraint.hold_speed;
}

static void classify_all(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_cloth *cloth = context;
    for (int32_t i = begin; i < end; i++) {
        cloth->scratch.freedom.is_free[i] = cloth->scratch.freedom.is_woken[i] = 0;
        classify(cloth, i);
    }
}

static void free_reached(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_cloth *cloth = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = cloth->scratch.search.reached[k];
        if (!cloth->scratch.freedom.is_free[i]) set_free(cloth, i);
    }
}

// What is woken while it rests moves freely in this step, with all that the impulse reaches. Most impulses
// are what a stop left unbalanced in stiff threads: one such step, at no speed to begin with, takes that
// away, where each particle by itself would gather it, break loose and hand it on to the next.
static void free_woken(dlp_cloth *cloth, double step)
{
    const size_t bytes = (size_t)cloth->state.particles.count;
    const uint8_t *is_woken = cloth->scratch.freedom.is_woken;
    if (cloth->params.is_paper_form || memchr(is_woken, 1, bytes) == NULL) return;
    dlp_parallel_copy(cloth->params.team, cloth->scratch.search.is_reached, is_woken, bytes);
    const int32_t count = dlp_cloth_widen(cloth, dlp_cloth_reach(cloth, step));
    dlp_parallel_for(cloth->params.team, count, GRAIN, free_reached, cloth);
}

static void list_free(dlp_cloth *cloth)
{
    dlp_cloth_freedom *freedom = &cloth->scratch.freedom;
    freedom->count = dlp_cloth_list_flagged(cloth, freedom->is_free, freedom->list);
    dlp_cloth_find_near(cloth, freedom->is_free);
}

void dlp_cloth_find_free(dlp_cloth *cloth, double step)
{
    dlp_parallel_for(cloth->params.team, cloth->state.particles.count, GRAIN, classify_all, cloth);
    free_woken(cloth, step);
    list_free(cloth);
}

// Release of what was held too fast.

// A particle that ends up faster than it was let move, by more than half the speed of rest.
static bool is_held_too_fast(const dlp_cloth *cloth, int32_t i)
{
    const dlp_cloth_particles *p = &cloth->state.particles;
    const dlp_fabric *fabric = dlp_cloth_fabric_of(cloth, i);
    const dlp_contact_constraint *constraint = constraint_of(cloth, i);
    const bool is_free = cloth->scratch.freedom.is_free[i] != 0;
    if (!fabric->is_restrained || is_held(cloth, i) || dlp_cloth_is_carried(cloth)) return false;
    if (is_free && dlp_sym3_is_identity(dlp_cloth_mobility_of(cloth, i))) return false;
    const dlp_vec3 v = dlp_contact_constraint_free(
        constraint,
        dlp_along(dlp_cloth_get(p->velocity, i), dlp_cloth_momentum_change(cloth, i), 1 / p->mass[i]));
    dlp_vec3 moved =
        dlp_contact_constraint_free(constraint, dlp_cloth_get(cloth->scratch.motion.effective, i));
    if (is_free) moved = dlp_add(moved, dlp_cloth_get(p->change, i));
    const double wanted = dlp_length(dlp_restrained_velocity(&fabric->restraint, v));
    return wanted > dlp_length(moved) + 0.5 * fabric->restraint.hold_speed;
}

static void reach_too_fast(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_cloth *cloth = context;
    const int32_t *near_list = cloth->scratch.motion.near_list;
    for (int32_t k = begin; k < end; k++)
        cloth->scratch.search.is_reached[near_list[k]] = is_held_too_fast(cloth, near_list[k]);
}

typedef struct release_pass {
    dlp_cloth *cloth;
    bool is_all;
} release_pass;

static void release_reached(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const release_pass *pass = context;
    dlp_cloth *cloth = pass->cloth;
    for (int32_t i = begin; i < end; i++) {
        if (!cloth->scratch.search.is_reached[i] && !pass->is_all) continue;
        if (!cloth->scratch.freedom.is_free[i])
            dlp_cloth_set(cloth->state.particles.change, i, dlp_vec(0, 0, 0));
        set_free(cloth, i);
    }
}

// A ring each time, at last everything.
bool dlp_cloth_release_fast(dlp_cloth *cloth, int32_t attempt)
{
    static const int32_t RINGS[DLP_CLOTH_RELEASE_LIMIT] = {1, 4, 0};
    const int32_t count = cloth->state.particles.count;
    dlp_team *team = cloth->params.team;
    dlp_cloth_motion *motion = &cloth->scratch.motion;
    uint8_t *is_reached = cloth->scratch.search.is_reached;
    assert(attempt >= 0 && attempt < DLP_CLOTH_RELEASE_LIMIT);
    dlp_parallel_set(team, is_reached, 0, (size_t)count);
    dlp_parallel_for(team, motion->near_count, GRAIN, reach_too_fast, cloth);
    if (memchr(is_reached, 1, (size_t)count) == NULL) return false;
    for (int32_t ring = 0; ring < RINGS[attempt]; ring++) {
        dlp_cloth_find_near(cloth, is_reached);
        dlp_parallel_copy(team, is_reached, motion->is_near, (size_t)count);
    }
    release_pass pass = {cloth, attempt + 1 == DLP_CLOTH_RELEASE_LIMIT};
    dlp_parallel_for(team, count, GRAIN, release_reached, &pass);
    list_free(cloth);
    return true;
}
