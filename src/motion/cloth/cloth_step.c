/* One step: implicit Euler on momenta, linearised, where slow particles are restrained.  [manteaux2013, sec.
 * 4]
 *
 * Momentum p and effective momentum s(p) of all particles, mass m, mobility R = ds/dp: the step solves
 *     dp = h f(q + h (s + R dp) / m)   linearised:   (I + A R / m) dp = b,   b = h f - A s / m,
 * with A = h Gamma - h^2 K. Symmetrised with L = sqrt(R / m): (I + L A L) z = L b, dp = b - A L z. What is
 * restrained (R = 0) drops out, yet its momentum takes part.
 *
 * What made the source's cloth unstable, and what is done about it:
 * - R of the paper forms has a negative eigenvalue late in the passage, where the matrix turns singular.
 * The convex form has none.
 * - With a gain of its own for each particle a stiff sheet gathers hidden momentum wherever gains differ. The
 *   passage is taken by regions with one gain (cloth_region.c).
 * - The mobility R of the step must not be below the gain of s, or b is more than the matrix can take back:
 * for a stiffness h^2 k / m a momentum is multiplied by 1 + h^2 k / m (R - gain). Here both are the region's
 * gain; what rests and is woken has no s, and R = 1.
 * - What is held next to what moves takes an explicit impulse, h^2 k / m times the neighbour's speed. Being
 * more mobile than it should only makes the step more like the plain one, which is stable. So after the solve
 * every particle that ends up faster than it was let move is set free together with its surroundings, and the
 * solve goes on from where it was; the third time all are free, and the step is the plain one. No step is
 * less stable than the plain solver's, and no hidden momentum is left that exceeds the passage.
 * - The plain step itself is linearised: what moves across a stiff thread, or pulls at it, by more than a
 * share of its length is stretched by it, and the next step meets a spike of energy. Such a step is repeated,
 * half as long. */
#include "motion/cloth/cloth_contact_phases.h"
#include "motion/cloth/cloth_restraint.h"
#include "motion/cloth/sym3.h"
#include "motion/cloth/cloth_tear.h"

#include <string.h>

enum { GRAIN = 512, RELEASE_LIMIT = 3, REVIEW_LIMIT = 6 };
#define SOLVE_TOLERANCE 1e-5
// A change of velocity in one step that wakes a particle, in speeds of rest.
#define WAKE_SHARE 0.05
// A speed beyond this is no cloth's: m/s
#define SPEED_LIMIT 1e5
// Steps as short as this may lengthen threads as they will: ticks
#define GROWTH_STRIDE 8

// Velocities and impulses.

static const dlp_fabric *fabric_of(const dlp_cloth *cloth, int32_t i)
{
    return &cloth->fabrics[cloth->particles.substance[i]];
}

static void set_quad(double *array, int32_t i, dlp_vec3 v)
{
    double *a = array + DLP_QUAD * (size_t)i;
    a[0] = v.x;
    a[1] = v.y;
    a[2] = v.z;
    a[3] = 0;
}
static dlp_vec3 get_quad(const double *array, int32_t i)
{
    const double *a = array + DLP_QUAD * (size_t)i;
    return dlp_vec(a[0], a[1], a[2]);
}

// How it moves as the step begins: attachments and what a contact constrains as prescribed, others by their
// region's gain.
static dlp_vec3 velocity_now(const dlp_cloth *cloth, int32_t i, double step)
{
    if (cloth->is_pinned[i]) {
        const dlp_vec3 displacement =
            dlp_sub(dlp_cloth_get(cloth->target_place, i), dlp_cloth_get(cloth->particles.position, i));
        return dlp_mul(displacement, 1 / step);
    }
    const dlp_contact_constraint *constraint = &cloth->contact.constraints[i];
    const dlp_vec3 v = dlp_contact_constraint_free(constraint, dlp_cloth_get(cloth->particles.velocity, i));
    return dlp_along(dlp_contact_constraint_prescribed(constraint), v, cloth->gain[i]);
}

typedef struct step_pass {
    dlp_cloth *cloth;
    double step;  // s
} step_pass;

static void find_velocities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const step_pass *pass = context;
    dlp_cloth *cloth = pass->cloth;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 v = velocity_now(cloth, i, pass->step);
        dlp_cloth_set(cloth->effective, i, v);
        set_quad(cloth->system.w, i, v);
        cloth->is_near[i] = v.x != 0 || v.y != 0 || v.z != 0;
    }
}

typedef struct near_pass {
    const dlp_cloth *cloth;
    const uint8_t *is_marked;
} near_pass;

static void find_near(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const near_pass *pass = context;
    const dlp_cloth_matrix *m = &pass->cloth->matrix;
    for (int32_t i = begin; i < end; i++) {
        bool is_near = pass->cloth->contact.has_spring[i];
        for (int32_t k = m->begin[i]; k < m->begin[i + 1] && !is_near; k++)
            is_near = pass->is_marked[m->column[k]];
        pass->cloth->is_found[i] = is_near;
    }
}

static int32_t list_marked(const dlp_cloth *cloth, const uint8_t *is_marked, int32_t *list)
{
    int32_t count = 0;
    for (int32_t i = 0; i < cloth->particles.count; i++) {
        list[count] = i;
        count += is_marked[i] != 0;
    }
    return count;
}

// List of particles that are marked, or whose neighbour is.
static int32_t list_near(const dlp_cloth *cloth, const uint8_t *is_marked, int32_t *list)
{
    near_pass pass = {cloth, is_marked};
    if (cloth->contact.spring_count == 0 && memchr(is_marked, 1, (size_t)cloth->particles.count) == NULL)
        return 0;
    dlp_parallel_for(cloth->team, cloth->particles.count, GRAIN, find_near, &pass);
    return list_marked(cloth, cloth->is_found, list);
}

// h f and friction.
static void sum_forces(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const step_pass *pass = context;
    dlp_cloth *cloth = pass->cloth;
    const dlp_cloth_particles *p = &cloth->particles;
    const double step = pass->step;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 f = dlp_along(dlp_cloth_get(cloth->force, i), cloth->scene->gravity, p->mass[i]);
        const dlp_vec3 air = dlp_cloth_air_impulse(cloth, i, dlp_cloth_get(cloth->effective, i), step);
        const bool at_rest = cloth->contact.at_rest[i] != 0;  // contacts take all of it
        const dlp_vec3 friction =
            dlp_mul(dlp_contact_constraint_friction(&cloth->contact.constraints[i]), p->mass[i]);
        dlp_cloth_set(cloth->impulse, i,
                      at_rest ? dlp_vec(0, 0, 0) : dlp_add(dlp_along(air, f, step), friction));
    }
}

static void subtract_drag(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_cloth *cloth = ((const step_pass *)context)->cloth;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = cloth->near_list[k];
        const dlp_vec3 drag = get_quad(cloth->system.q, i);
        dlp_cloth_set(cloth->impulse, i, dlp_sub(dlp_cloth_get(cloth->impulse, i), drag));
    }
}

// b = h f - A s / m
static void find_impulses(dlp_cloth *cloth, double step)
{
    step_pass pass = {cloth, step};
    cloth->near_count = list_near(cloth, cloth->is_near, cloth->near_list);
    dlp_cloth_apply(cloth, cloth->near_list, cloth->near_count, cloth->system.w, cloth->system.q);
    dlp_parallel_for(cloth->team, cloth->particles.count, GRAIN, sum_forces, &pass);
    dlp_parallel_for(cloth->team, cloth->near_count, GRAIN, subtract_drag, &pass);
    for (int32_t k = 0; k < cloth->contact.spring_count; k++) {
        const dlp_contact_spring *c = &cloth->contact.springs[k];
        const dlp_vec3 drag =
            dlp_contact_spring_drag(c, dlp_contact_spring_relative_velocity(c, cloth->effective, 3));
        dlp_contact_spring_apply(c, dlp_sub(dlp_contact_spring_push(c, step), drag), cloth->impulse, 3);
    }
}

// Who is free.

static void set_mobility(dlp_cloth *cloth, int32_t i, dlp_sym3 r)
{
    const double values[6] = {r.xx, r.yy, r.zz, r.xy, r.xz, r.yz};
    memcpy(cloth->mobility + 6 * (size_t)i, values, sizeof values);
}
static dlp_sym3 get_mobility(const dlp_cloth *cloth, int32_t i)
{
    const double *r = cloth->mobility + 6 * (size_t)i;
    return (dlp_sym3){r[0], r[1], r[2], r[3], r[4], r[5]};
}
static void set_free(dlp_cloth *cloth, int32_t i)
{
    const dlp_contact_constraint *constraint = &cloth->contact.constraints[i];
    if (cloth->is_pinned[i] || constraint->directions == 3 || cloth->contact.at_rest[i]) return;
    cloth->is_free[i] = 1;
    cloth->scalar_mobility[i] = 1;
    set_mobility(cloth, i, dlp_contact_constraint_mobility(constraint, (dlp_sym3){1, 1, 1, 0, 0, 0}));
}

// Free is what moves, and what is at rest but would not stay so after its impulse.
static void classify(dlp_cloth *cloth, int32_t i)
{
    const dlp_fabric *fabric = fabric_of(cloth, i);
    const dlp_contact_constraint *constraint = &cloth->contact.constraints[i];
    const double gain = cloth->gain[i];
    cloth->scalar_mobility[i] = gain;
    if (cloth->is_pinned[i] || constraint->directions == 3 || cloth->contact.at_rest[i]) return;
    if (gain > 0 && !cloth->is_paper_form) {
        cloth->is_free[i] = 1;
        set_mobility(cloth, i,
                     dlp_contact_constraint_mobility(constraint, (dlp_sym3){gain, gain, gain, 0, 0, 0}));
        return;
    }
    const dlp_vec3 v = dlp_contact_constraint_free(constraint, dlp_cloth_get(cloth->particles.velocity, i));
    const dlp_vec3 change = dlp_contact_constraint_free(
        constraint, dlp_mul(dlp_cloth_get(cloth->impulse, i), 1 / cloth->particles.mass[i]));
    cloth->scalar_mobility[i] = 0;
    if (!cloth->is_paper_form) {
        // what a push that lasts does is no impulse: momentum gathers until the region moves
        cloth->is_woken[i] = dlp_length(change) > WAKE_SHARE * fabric->restraint.hold_speed;
        return;
    }
    const double then = dlp_length(dlp_add(v, change));
    cloth->is_free[i] =
        gain > 0 || dlp_restraint_gain(fabric->restraint, then) * then > 2 * fabric->tolerance;
    set_mobility(cloth, i,
                 dlp_contact_constraint_mobility(constraint, dlp_mobility_at(&fabric->restraint, v)));
}

static void classify_all(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const step_pass *pass = context;
    for (int32_t i = begin; i < end; i++) {
        pass->cloth->is_free[i] = pass->cloth->is_woken[i] = 0;
        classify(pass->cloth, i);
    }
}

// What is woken while it rests moves freely in this step, with all that the impulse reaches. Most impulses
// are what a stop left unbalanced in stiff threads: one such step, at no speed to begin with, takes that
// away, where each particle by itself would gather it, break loose and hand it on to the next.
static void free_woken(dlp_cloth *cloth, double step)
{
    if (cloth->is_paper_form || memchr(cloth->is_woken, 1, (size_t)cloth->particles.count) == NULL) return;
    memcpy(cloth->is_marked, cloth->is_woken, (size_t)cloth->particles.count);
    const int32_t count = dlp_cloth_widen(cloth, dlp_cloth_reach(cloth, step));
    for (int32_t k = 0; k < count; k++)
        if (!cloth->is_free[cloth->list[k]]) set_free(cloth, cloth->list[k]);
}

static void list_free(dlp_cloth *cloth)
{
    cloth->list_count = list_marked(cloth, cloth->is_free, cloth->list);
    cloth->near_count = list_near(cloth, cloth->is_free, cloth->near_list);
}

// The system.

static bool is_whole(dlp_sym3 r)
{
    return r.xx == 1 && r.yy == 1 && r.zz == 1 && r.xy == 0 && r.xz == 0 && r.yz == 0;
}

// L, the inverse of the diagonal's block, L b, and the guess L dp of the change that was last.
static void prepare_particles(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const step_pass *pass = context;
    dlp_cloth *cloth = pass->cloth;
    dlp_cloth_system *s = &cloth->system;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = cloth->list[k];
        const double mass = cloth->particles.mass[i];
        const dlp_sym3 r = get_mobility(cloth, i);
        const dlp_sym3 root = is_whole(r) ? r : dlp_sym3_root(r), l = dlp_sym3_mul(root, 1 / sqrt(mass));
        double diagonal[9];
        memcpy(diagonal, cloth->matrix.blocks + 9 * (size_t)cloth->matrix.begin[i], sizeof diagonal);
        if (cloth->contact.has_spring[i]) dlp_cloth_add_contact_springs(cloth, i, diagonal);
        dlp_sym3 d = dlp_sym3_congruence(l, diagonal);
        d.xx += 1;
        d.yy += 1;
        d.zz += 1;
        dlp_sym3_store(s->factor + 9 * (size_t)i, l);
        dlp_sym3_store(s->inverse + 9 * (size_t)i, dlp_sym3_inverse(d));
        set_quad(s->right, i, dlp_sym3_apply(l, dlp_cloth_get(cloth->impulse, i)));
        set_quad(s->z, i, dlp_mul(dlp_sym3_apply(l, dlp_cloth_get(cloth->change, i)), mass));
    }
}

static bool solve(dlp_cloth *cloth, const step_pass *pass)
{
    dlp_cloth_system *s = &cloth->system;
    list_free(cloth);
    memset(s->w, 0, (size_t)cloth->particles.count * DLP_QUAD * sizeof(double));
    s->matrix = &cloth->matrix;
    s->list = cloth->list;
    s->count = cloth->list_count;
    s->tolerance = cloth->solve_tolerance > 0 ? cloth->solve_tolerance : SOLVE_TOLERANCE;
    s->limit = 1000 + 10 * (s->count < 1000 ? s->count : 1000);
    s->team = cloth->team;
    s->target = cloth->target;
    s->springs = cloth->contact.springs;
    s->spring_count = cloth->contact.spring_count;
    s->is_free = cloth->is_free;
    dlp_parallel_for(cloth->team, s->count, GRAIN, prepare_particles, (void *)(uintptr_t)pass);
    const bool is_solved = cloth->is_paper_form ? dlp_cloth_solve_paper_form(cloth) : dlp_cloth_solve(s);
    cloth->counts.solves++;
    cloth->counts.iterations += s->iterations;
    cloth->counts.products += (int64_t)(s->iterations + 1) * s->count;
    return is_solved;
}

// L z
static void find_velocity_changes(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_cloth *cloth = ((const step_pass *)context)->cloth;
    const dlp_cloth_system *s = &cloth->system;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = cloth->list[k];
        const double *l = s->factor + 9 * (size_t)i;
        const dlp_sym3 factor = {l[0], l[4], l[8], l[3], l[6], l[7]};
        const dlp_vec3 change =
            cloth->is_paper_form ? get_quad(s->w, i) : dlp_sym3_apply(factor, get_quad(s->z, i));
        set_quad(s->w, i, change);
        dlp_cloth_set(cloth->change, i, change);
    }
}

// With L z in `change` and w: dp = b - A L z of all that it reaches, in `impulse`.
static void find_changes(dlp_cloth *cloth, step_pass *pass)
{
    dlp_cloth_system *s = &cloth->system;
    dlp_parallel_for(cloth->team, cloth->list_count, GRAIN, find_velocity_changes, pass);
    dlp_cloth_apply(cloth, cloth->near_list, cloth->near_count, s->w, s->q);
    for (int32_t k = 0; k < s->spring_count; k++) {
        const dlp_contact_spring *c = &s->springs[k];
        dlp_contact_spring_apply(
            c, dlp_contact_spring_drag(c, dlp_contact_spring_relative_velocity(c, s->w, DLP_QUAD)), s->q,
            DLP_QUAD);
    }
}

// dp = b - A L z. Where the mobility is a number, the change of velocity says the same without the difference
// of two large numbers, which leaves what the solver left times the stiffness; in a direction that a contact
// holds there is none.
static dlp_vec3 momentum_change(const dlp_cloth *cloth, int32_t i)
{
    const dlp_vec3 whole = dlp_sub(dlp_cloth_get(cloth->impulse, i), get_quad(cloth->system.q, i));
    if (!cloth->is_free[i] || !(cloth->scalar_mobility[i] > 0)) return whole;
    const dlp_contact_constraint *constraint = &cloth->contact.constraints[i];
    const dlp_vec3 held = dlp_sub(whole, dlp_contact_constraint_free(constraint, whole));
    return dlp_along(held, dlp_cloth_get(cloth->change, i),
                     cloth->particles.mass[i] / cloth->scalar_mobility[i]);
}

// Release of what was held too fast.

// A particle that ends up faster than it was let move, by more than half the speed of rest.
static bool is_held_too_fast(const dlp_cloth *cloth, int32_t i)
{
    const dlp_fabric *fabric = fabric_of(cloth, i);
    const dlp_contact_constraint *constraint = &cloth->contact.constraints[i];
    if (!fabric->is_restrained || cloth->is_pinned[i] || constraint->directions == 3 ||
        cloth->contact.at_rest[i])
        return false;
    if (cloth->is_free[i] && is_whole(get_mobility(cloth, i))) return false;
    const dlp_vec3 v = dlp_contact_constraint_free(
        constraint, dlp_along(dlp_cloth_get(cloth->particles.velocity, i), momentum_change(cloth, i),
                              1 / cloth->particles.mass[i]));
    dlp_vec3 moved = dlp_contact_constraint_free(constraint, dlp_cloth_get(cloth->effective, i));
    if (cloth->is_free[i]) moved = dlp_add(moved, dlp_cloth_get(cloth->change, i));
    const double wanted = dlp_length(dlp_restrained_velocity(&fabric->restraint, v));
    return wanted > dlp_length(moved) + 0.5 * fabric->restraint.hold_speed;
}

static void mark_too_fast(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_cloth *cloth = ((const step_pass *)context)->cloth;
    for (int32_t k = begin; k < end; k++)
        cloth->is_marked[cloth->near_list[k]] = is_held_too_fast(cloth, cloth->near_list[k]);
}

static void spread(dlp_cloth *cloth, uint8_t *is_marked)
{
    const int32_t count = list_near(cloth, is_marked, cloth->near_list);
    for (int32_t k = 0; k < count; k++) is_marked[cloth->near_list[k]] = 1;
}

// Sets free what was held too fast and what is around it: further each time, at last everything.
static bool release(dlp_cloth *cloth, step_pass *pass, int32_t attempt)
{
    static const int32_t RINGS[RELEASE_LIMIT] = {1, 4, 0};
    const int32_t count = cloth->particles.count;
    uint8_t *is_marked = cloth->is_marked;
    memset(is_marked, 0, (size_t)count);
    dlp_parallel_for(cloth->team, cloth->near_count, GRAIN, mark_too_fast, pass);
    if (memchr(is_marked, 1, (size_t)count) == NULL) return false;
    for (int32_t ring = 0; ring < RINGS[attempt]; ring++) spread(cloth, is_marked);
    for (int32_t i = 0; i < count; i++) {
        if (!is_marked[i] && attempt + 1 < RELEASE_LIMIT) continue;
        if (!cloth->is_free[i]) dlp_cloth_set(cloth->change, i, dlp_vec(0, 0, 0));
        set_free(cloth, i);
    }
    return true;
}

// The particle whose equation the solver left worst.
static int32_t find_worst(const dlp_cloth *cloth)
{
    int32_t worst = cloth->list[0];
    for (int32_t k = 1; k < cloth->list_count; k++) {
        const double now = dlp_length(get_quad(cloth->system.r, cloth->list[k]));
        if (!(now <= dlp_length(get_quad(cloth->system.r, worst)))) worst = cloth->list[k];
    }
    return worst;
}

static bool solve_and_release(dlp_cloth *cloth, step_pass *pass, int32_t *out_failed)
{
    for (int32_t attempt = 0;; attempt++) {
        if (!solve(cloth, pass)) {
            *out_failed = find_worst(cloth);
            return false;
        }
        find_changes(cloth, pass);
        if (attempt == RELEASE_LIMIT || cloth->is_paper_form || !release(cloth, pass, attempt)) return true;
    }
}

// The step's end.

static void mark_runaways(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_cloth *cloth = ((const step_pass *)context)->cloth;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = cloth->near_list[k];
        const dlp_vec3 v = dlp_along(dlp_cloth_get(cloth->particles.velocity, i), momentum_change(cloth, i),
                                     1 / cloth->particles.mass[i]);
        cloth->is_found[k] = !cloth->is_pinned[i] && !(dlp_dot(v, v) < SPEED_LIMIT * SPEED_LIMIT);
    }
}

// The first particle whose motion is none that a cloth can make; -1 for none.
static int32_t find_runaway(dlp_cloth *cloth, step_pass *pass)
{
    dlp_parallel_for(cloth->team, cloth->near_count, GRAIN, mark_runaways, pass);
    const uint8_t *first = memchr(cloth->is_found, 1, (size_t)cloth->near_count);
    return first != NULL ? cloth->near_list[first - cloth->is_found] : -1;
}

// Momentum that is not felt fades: dp/dt = -(1 - gain) p / decay_time. The active feel nothing of it.
static dlp_vec3 decay_momentum(const dlp_cloth *cloth, int32_t i, dlp_vec3 v, double step)
{
    const double gain = cloth->gain[i], time = fabric_of(cloth, i)->decay_time;
    cloth->particles.state[i] = gain >= 1 ? 0 : cloth->is_free[i] ? 1 : 2;
    return gain < 1 && time > 0 ? dlp_mul(v, exp(-(1 - gain) * step / time)) : v;
}

// p += dp, q += h (s + R dp) / m
static void move_all(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const step_pass *pass = context;
    dlp_cloth *cloth = pass->cloth;
    dlp_cloth_particles *p = &cloth->particles;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 v =
            dlp_along(dlp_cloth_get(p->velocity, i), dlp_cloth_get(cloth->impulse, i), 1 / p->mass[i]);
        const dlp_vec3 u = dlp_cloth_get(cloth->effective, i);
        if (!cloth->is_free[i]) dlp_cloth_set(cloth->change, i, dlp_vec(0, 0, 0));
        const dlp_vec3 moving = dlp_add(u, dlp_cloth_get(cloth->change, i));
        const dlp_vec3 x = dlp_along(dlp_cloth_get(p->position, i), moving, pass->step);
        dlp_cloth_set(p->position, i, cloth->is_pinned[i] ? dlp_cloth_get(cloth->target_place, i) : x);
        dlp_cloth_set(p->velocity, i, cloth->is_pinned[i] ? u : v);
    }
}

// Once contacts have had their say: how far it went, and whether it is at rest.
static void note_motion(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const step_pass *pass = context;
    dlp_cloth *cloth = pass->cloth;
    dlp_cloth_particles *p = &cloth->particles;
    for (int32_t i = begin; i < end; i++) {
        const dlp_vec3 v = dlp_cloth_get(p->velocity, i);
        const dlp_vec3 displacement = dlp_sub(dlp_cloth_get(p->position, i), dlp_cloth_get(cloth->before, i));
        float *moved = p->displacement + 3 * (size_t)i;
        cloth->is_moved[i] = displacement.x != 0 || displacement.y != 0 || displacement.z != 0;
        moved[0] += (float)displacement.x;
        moved[1] += (float)displacement.y;
        moved[2] += (float)displacement.z;
        if (cloth->is_pinned[i])
            p->state[i] = !cloth->is_moved[i] && fabric_of(cloth, i)->is_restrained ? 2 : 0;
        else if (cloth->contact.at_rest[i])
            p->state[i] = 2;
        else
            dlp_cloth_set(p->velocity, i, decay_momentum(cloth, i, v, pass->step));
    }
}

// dp of what the solve reached takes the place of b.
static void take_changes(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_cloth *cloth = ((const step_pass *)context)->cloth;
    for (int32_t k = begin; k < end; k++)
        dlp_cloth_set(cloth->impulse, cloth->near_list[k], momentum_change(cloth, cloth->near_list[k]));
}

// The step.

static void apply_conditions(dlp_cloth *cloth, double time, double step)
{
    dlp_cloth_set_fabrics(cloth);
    const dlp_attachment_view held = dlp_cloth_attachment_view(cloth);
    dlp_attachments_set_targets(cloth->scene, cloth->bodies, &held, time, time + step);
}

// How all would move under the present constraints. False where it fails, and then nothing has changed.
static bool solve_motion(dlp_cloth *cloth, double step, int32_t *out_failed)
{
    step_pass pass = {cloth, step};
    const int32_t count = cloth->particles.count;
    dlp_parallel_for(cloth->team, count, GRAIN, find_velocities, &pass);
    find_impulses(cloth, step);
    dlp_parallel_for(cloth->team, count, GRAIN, classify_all, &pass);
    free_woken(cloth, step);
    list_free(cloth);
    if (cloth->list_count > 0) {
        if (!solve_and_release(cloth, &pass, out_failed)) return false;
        *out_failed = find_runaway(cloth, &pass);
        if (*out_failed >= 0) return false;
        if (cloth->clock.stride > GROWTH_STRIDE && dlp_cloth_is_overstretched(cloth, step)) return false;
        dlp_parallel_for(cloth->team, cloth->near_count, GRAIN, take_changes, &pass);
    }
    dlp_parallel_for(cloth->team, count, GRAIN, move_all, &pass);
    return true;
}

// *out_solved false: the motion cannot be solved in one such step, and nothing has changed.
static dlp_status try_step(dlp_cloth *cloth, double time, double step, bool *out_solved, int32_t *out_failed,
                           dlp_error *error)
{
    step_pass pass = {cloth, step};
    bool is_open = true;
    *out_failed = 0;
    apply_conditions(cloth, time, step);
    DLP_TRY(dlp_cloth_begin_contacts(cloth, time, step, error));
    dlp_cloth_find_regions(cloth, step);
    dlp_parallel_for(cloth->team, cloth->particles.count, GRAIN, find_velocities, &pass);
    dlp_cloth_update_air(cloth, time, step);
    dlp_cloth_update_elements(cloth, step);
    for (int32_t review = 0; is_open; review++) {
        *out_solved = solve_motion(cloth, step, out_failed);
        if (!*out_solved || review == REVIEW_LIMIT) return DLP_OK;
        DLP_TRY(dlp_cloth_review_contacts(cloth, time, step, &is_open, error));
    }
    return DLP_OK;
}

// What has moved meets obstacles and other cloth, and tears.
static dlp_status finish_step(dlp_cloth *cloth, double time, double step, dlp_error *error)
{
    step_pass pass = {cloth, step};
    DLP_TRY(dlp_cloth_resolve_contacts(cloth, time, step, error));
    dlp_parallel_for(cloth->team, cloth->particles.count, GRAIN, note_motion, &pass);
    return dlp_cloth_tear(cloth, error);
}

static dlp_status explain(const dlp_cloth *cloth, int32_t i, double time, dlp_error *error)
{
    const dlp_substance_def *def = &cloth->scene->substances[cloth->particles.substance[i]];
    return dlp_fail(
        error, DLP_DIVERGED,
        "time %.6g s: %s: particle %lld: its motion cannot be solved however small the step; look "
        "at what pulls it (an attachment's key frames, an obstacle), or lower `cloth.stretch`",
        time, def->name, (long long)cloth->particles.id[i]);
}

// A length whose last bits do not depend on where in time the frame lies, so that what was built for one
// serves the next.
static double rounded(double seconds)
{
    return ldexp(round(ldexp(seconds, 40)), -40);
}

static void count_step(dlp_cloth *cloth, double step)
{
    dlp_cloth_counts *c = &cloth->counts;
    c->substeps++;
    c->force_evaluations += cloth->list_count;
    c->full_evaluations += cloth->particles.count;
    c->dt_min = fmin(c->dt_min, step);
    c->dt_max = fmax(c->dt_max, step);
    dlp_cloth_clock *clock = &cloth->clock;
    clock->tick += clock->stride;
    if (clock->stride < DLP_CLOTH_STEP_TICKS && clock->tick % (2 * clock->stride) == 0) clock->stride *= 2;
    if (clock->tick < DLP_CLOTH_STEP_TICKS) return;
    clock->tick = 0;
    clock->step++;
}

// What is left of an interval that was cut short, or a share of a whole step.
static double step_length(const dlp_cloth *cloth, double time)
{
    const dlp_cloth_clock *clock = &cloth->clock;
    const double whole = (clock->end - clock->start) / clock->step_count;
    const double step = rounded(whole * clock->stride / DLP_CLOTH_STEP_TICKS);
    if (!clock->is_cut) return step;
    const double left = dlp_clock_time(cloth->context.clock, cloth->context.clock->end_tick) - time;
    return left < step ? left : step;
}

// A step that fails is repeated, half as long, and if that never helps, explained.
dlp_status dlp_cloth_step(dlp_cloth *cloth, bool *out_is_done, dlp_error *error)
{
    const double time = dlp_cloth_time(cloth), step = step_length(cloth, time);
    int32_t failed;
    *out_is_done = true;
    if (!(step > 0)) return DLP_OK;  // cut to nothing
    DLP_TRY(try_step(cloth, time, step, out_is_done, &failed, error));
    if (*out_is_done) {
        count_step(cloth, step);
        return finish_step(cloth, time, step, error);
    }
    if (cloth->clock.stride == 1) return explain(cloth, failed, time, error);
    cloth->clock.stride /= 2;
    return DLP_OK;
}
