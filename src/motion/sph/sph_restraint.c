/* Which particles sleep, wake, and must be evaluated again.  [manteaux2013]
 *
 * A sleeper's place, velocity (zero) and pressure are constant, so what only sleepers do to one another needs
 * no update. A step therefore marks the particles that move (due ones that are not asleep); the sleepers
 * next to them, whose density changes; and the sleepers next to those whose pressure changed enough to be
 * reported, or next to a wall that either of them marked. Density and force of each marked particle are
 * summed anew in full: nothing is added and subtracted, so nothing drifts. */
#include "motion/sph/sph_restraint.h"
#include "motion/sph/sph_heat.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 64, SCAN_GRAIN = 4096 };

// What a step has to do with a particle.
enum {
    MARKED = 1, /* its density, if it was marked first, and its force are summed */
    REPORTS = 2 /* its packed-record changed: the sleepers next to it are marked */
};

// Where more than half are due there is little to save, and everything is evaluated.
#define SPARSE_SHARE 2

// Thresholds.

#define REST_SPEED     0.003 /* of the speed scale */
#define FULL_OVER_REST 4.47  /* an energy ratio of 20, the source's */
#define TOLERANCE      0.2   /* of the speed at rest */
#define FRICTION       0.005 /* of gravity */
#define ERROR          0.2   /* particle radii */
#define STATIC_LIMIT   0.045 /* of gravity */
#define PRESSURE       0.005 /* of what a spacing of depth makes */

// Hidden speed at which the effective speed reaches the tolerance.
static double hidden_speed_limit(dlp_restraint restraint, double tolerance)
{
    double low = restraint.hold_speed, high = restraint.full;
    for (int32_t k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        *(middle * dlp_restraint_gain(restraint, middle) < tolerance ? &low : &high) = middle;
    }
    return high;
}

// The slowest wave of a pool of this width, rad/s, where it is a sixth as deep as it is wide.
static double slowest_wave(const dlp_sph *sph, double g)
{
    return sqrt(0.48 * g * DLP_PI / sph->params.width);
}

dlp_sleep_rules dlp_sleep_rules_of(const dlp_substance_def *def, const dlp_sph *sph, double spacing)
{
    if (!def->adapt_restraint) return (dlp_sleep_rules){0};
    const dlp_restraint_def *given = &def->restraint;
    const double g = dlp_length(sph->scene->gravity),
                 error = (given->error > 0 ? given->error : ERROR) * def->particle_radius;
    // without gravity: what would move a particle by its spacing at a tenth of the scene's speed
    const double scale = g > 0 ? sqrt(g * spacing) : 0.1 * sph->state.speed_scale + 1e-30;
    const double acceleration = scale * scale / spacing;
    const double friction = given->friction > 0 ? given->friction : FRICTION;
    dlp_sleep_rules rules = {.is_on = true, .by_camera = given->view};
    // liquid that withstands an acceleration f g keeps a slope f: the slowest wave of a pool of width L then
    // stops up to f L / pi from its middle. What is slower than `wake_speed` for a quarter of its period
    // swings less than 1.4 wake_speed / omega.
    const double omega = slowest_wave(sph, acceleration);
    const double lively = fmin(friction, DLP_PI * error / sph->params.width);
    const double hold_speed =
        given->rest > 0 ? given->rest : fmin(REST_SPEED * scale, error * omega / FULL_OVER_REST);
    rules.restraint = (dlp_restraint){.form = given->form,
                                      .hold_speed = hold_speed,
                                      .full = given->full > 0 ? given->full : FULL_OVER_REST * hold_speed};
    rules.tolerance = given->tolerance > 0 ? given->tolerance : TOLERANCE * hold_speed;
    rules.hidden_limit = hidden_speed_limit(rules.restraint, rules.tolerance);
    rules.decay_time[0] = hold_speed / (lively * acceleration);
    rules.static_limit = fmax(STATIC_LIMIT, friction) * acceleration;
    rules.decay_time[1] = hold_speed / rules.static_limit;
    rules.decay_time[2] = hold_speed / (friction * acceleration);
    rules.wake_speed = fmax(rules.restraint.full, error * omega);
    rules.settle_time = 0.5 * DLP_PI / omega;
    if (given->form !=
        DLP_RESTRAINT_CONVEX) {  // as in the papers: nothing decays, and every change is reported
        for (int32_t k = 0; k < 3; k++) rules.decay_time[k] = 1e30;
        rules.static_limit = 0;
    }
    if (given->form == DLP_RESTRAINT_CONVEX)
        rules.pressure = (float)(PRESSURE * (friction / FRICTION) * def->density * acceleration * spacing);
    return rules;
}

// Falling asleep and waking.

// As friction does: what falls asleep calmly withstands the push that it then feels, but not a change of it.
static void set_static_load(dlp_sph *sph, int32_t i, dlp_vec3 a)
{
    const dlp_sleep_rules *rules = &dlp_particle_substance(sph, i)->sleep_rules;
    const bool withstands =
        dlp_particle_is_settled(sph, i) && dlp_dot(a, a) < rules->static_limit * rules->static_limit;
    float *held = sph->state.particles.static_load + 3 * (int64_t)i;
    held[0] = withstands ? (float)a.x : 0;
    held[1] = withstands ? (float)a.y : 0;
    held[2] = withstands ? (float)a.z : 0;
}

void dlp_sph_update_sleep(dlp_sph *sph, int32_t i, dlp_vec3 v, dlp_vec3 a)
{
    dlp_particles *p = &sph->state.particles;
    const dlp_sleep_rules *rules = &dlp_particle_substance(sph, i)->sleep_rules;
    if (!rules->is_on) return;
    const double hidden_limit = rules->hidden_limit * (double)p->threshold_scale[i],
                 wake_speed = rules->wake_speed * (double)p->threshold_scale[i];
    if (dlp_dot(v, v) > wake_speed * wake_speed)
        p->last_moved[i] = (float)dlp_sph_clock_time(&sph->state.clock);
    const bool holds = dlp_dot(v, v) < hidden_limit * hidden_limit &&
                       !((double)p->held_until[i] > dlp_sph_clock_time(&sph->state.clock));
    if (holds && p->sleep[i] != DLP_ASLEEP) set_static_load(sph, i, a);
    if (!holds)
        p->sleep[i] = DLP_AWAKE;
    else
        p->sleep[i] = p->sleep[i] == DLP_AWAKE ? DLP_DOZING : DLP_ASLEEP;
}

static double speed_of(const float *v)
{
    return sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] + (double)v[2] * (double)v[2]);
}

int32_t dlp_sph_sleep_ticks(const dlp_sph *sph, int32_t i, int32_t grid, double limit)
{
    const dlp_particles *p = &sph->state.particles;
    const dlp_sleep_rules *rules = &dlp_particle_substance(sph, i)->sleep_rules;
    const int32_t never = dlp_sph_clock_end(&sph->state.clock) + 1 - sph->state.clock.tick;
    const double hidden_limit = rules->hidden_limit * (double)p->threshold_scale[i],
                 speed = speed_of(p->velocity + 3 * (int64_t)i);
    // it gains no more than its push less what decays even now
    const double push = dlp_length(dlp_particle_excess_load(sph, i));
    const double gain = push - speed / dlp_particle_decay_time(sph, i);
    const bool wakes = push * dlp_particle_decay_time(sph, i) >= hidden_limit && gain > 0;
    const double seconds = wakes ? fmin(limit, (hidden_limit - speed) / gain) : limit;
    const double grids = seconds / (sph->params.tick_seconds * grid);
    if (!(grids < never / grid)) return never;
    return grids < 1 ? grid : grid * (int32_t)grids;
}

static void advance_sleeper_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    dlp_particles *p = &sph->state.particles;
    for (int32_t i = begin; i < end; i++) {
        if (p->sleep[i] != DLP_ASLEEP) continue;
        const int32_t ticks = sph->state.clock.tick - p->begin[i];
        const dlp_vec3 v = dlp_sph_new_velocity(sph, i, dlp_vec(0, 0, 0));
        float *to = p->velocity + 3 * (int64_t)i;
        to[0] = (float)v.x;
        to[1] = (float)v.y;
        to[2] = (float)v.z;
        p->begin[i] += ticks;
        p->step[i] -= ticks;
    }
}

void dlp_sph_advance_sleepers(dlp_sph *sph)
{
    if (sph->params.restrains)
        dlp_parallel_for(sph->team, sph->state.particles.count, SCAN_GRAIN, advance_sleeper_range, sph);
}

typedef struct wake_around_pass {
    dlp_sph *sph;
    const dlp_shape *sink;
} wake_around_pass;

static void wake_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const wake_around_pass *pass = context;
    const dlp_sph *sph = pass->sph;
    const dlp_particles *p = &sph->state.particles;
    for (int32_t i = begin; i < end; i++) {
        if (p->sleep[i] != DLP_ASLEEP) continue;
        if (!(dlp_shape_distance(pass->sink, dlp_particle_position(p, i)) < sph->params.support)) continue;
        p->sleep[i] = DLP_DOZING;
        p->step[i] = sph->state.clock.tick - p->begin[i];
    }
}

void dlp_sph_wake_around(dlp_sph *sph, const dlp_shape *sink)
{
    wake_around_pass pass = {sph, sink};
    if (sph->params.restrains)
        dlp_parallel_for(sph->team, sph->state.particles.count, GRAIN, wake_range, &pass);
}

// Who is marked.

// Marks the sleepers of a list: of all others the due ones are marked already, and the rest does not hear.
static void mark_list(dlp_sph *sph, int32_t point)
{
    const dlp_neighbour_list near_point = dlp_sph_neighbours(sph, point);
    const int32_t count = sph->state.particles.count;
    uint8_t *flags = sph->scratch.selection.work_flags;
    for (int32_t n = 0; n < near_point.middle; n++) {
        const int32_t j = near_point.entries[n];
        if (j < count && (__atomic_load_n(&flags[j], __ATOMIC_RELAXED) & MARKED) == 0 &&
            sph->state.particles.sleep[j] == DLP_ASLEEP)
            __atomic_fetch_or(&flags[j], MARKED, __ATOMIC_RELAXED);
    }
}

static void mark_walls_of(dlp_sph *sph, int32_t i)
{
    const int32_t first = sph->state.particles.count, last_wall = first + sph->scratch.walls.samples.count;
    const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
    for (int32_t n = near_i.middle; n < near_i.last; n++) {
        const int32_t wall = near_i.entries[n];
        if (wall < last_wall)
            __atomic_store_n(&sph->scratch.walls.is_marked[wall - first], 1, __ATOMIC_RELAXED);
    }
}

// Each due particle that reports marks the sleepers and the walls next to it.
static void report_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        if ((__atomic_load_n(&sph->scratch.selection.work_flags[i], __ATOMIC_RELAXED) & REPORTS) == 0)
            continue;
        __atomic_fetch_and(&sph->scratch.selection.work_flags[i], (uint8_t)~REPORTS,
                           __ATOMIC_RELAXED);  // once
        mark_list(sph, i);
        mark_walls_of(sph, i);
    }
}

static void report_around_walls(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++)
        if (sph->scratch.walls.is_marked[k]) mark_list(sph, sph->state.particles.count + k);
}

static void mark_moved_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++)
        if (sph->scratch.walls.has_moved[sph->scratch.walls.samples.owner[k]])
            sph->scratch.walls.is_marked[k] = 1;
}

static void mark_moved_walls(dlp_sph *sph)
{
    const double before = sph->state.clock.start + sph->params.tick_seconds * sph->state.clock.last_tick;
    for (int32_t o = 0; o < sph->scene->obstacle_count; o++) {
        const dlp_transform then = dlp_body_transform_at(&sph->bodies[o], before);
        sph->scratch.walls.has_moved[o] = memcmp(&then, &sph->bodies[o].pose, sizeof then) != 0;
    }
    dlp_parallel_for(sph->team, sph->scratch.walls.samples.count, SCAN_GRAIN, mark_moved_range, sph);
}

static int32_t select_marked(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const dlp_sph *sph = context;
    int32_t count = 0;
    for (int32_t i = begin; out == NULL && i < end; i++)
        count += sph->scratch.selection.work_flags[i] & MARKED;
    for (int32_t i = begin; out != NULL && i < end;) {
        uint64_t eight = 0;
        const int32_t at_once = end - i < 8 ? end - i : 8;
        memcpy(&eight, sph->scratch.selection.work_flags + i, (size_t)at_once);
        for (int32_t n = 0; eight != 0 && n < at_once; n++)
            if (sph->scratch.selection.work_flags[i + n] & MARKED) out[count++] = i + n;
        i += at_once;
    }
    return count;
}

// All marked particles, in the order of the particles.
static void list_all_marked(dlp_sph *sph)
{
    sph->scratch.selection.due_count = dlp_parallel_compact(sph->team, sph->state.particles.count, SCAN_GRAIN,
                                                            select_marked, sph, sph->scratch.selection.due);
}

static void mark_due_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        sph->scratch.selection.work_flags[i] =
            sph->state.particles.sleep[i] == DLP_ASLEEP ? MARKED : MARKED | REPORTS;
    }
}

static void mark_due(dlp_sph *sph)
{
    dlp_parallel_set(sph->team, sph->scratch.selection.work_flags, 0, (size_t)sph->state.particles.count);
    dlp_parallel_set(sph->team, sph->scratch.walls.is_marked, 0, (size_t)sph->scratch.walls.samples.count);
    dlp_parallel_for(sph->team, sph->scratch.selection.due_count, SCAN_GRAIN, mark_due_range, sph);
}

static void list_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++) sph->scratch.selection.due[i] = i;
}

static void mark_sleepers(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++)
        if (sph->state.particles.sleep[i] == DLP_ASLEEP) sph->scratch.selection.work_flags[i] |= MARKED;
}

// Every sleeper beside those that are due: with one step for all, everybody.
static void take_all_sleepers(dlp_sph *sph)
{
    if (!sph->params.has_individual_steps) {
        dlp_parallel_for(sph->team, sph->state.particles.count, SCAN_GRAIN, list_range, sph);
        sph->scratch.selection.due_count = sph->state.particles.count;
        return;
    }
    mark_due(sph);
    dlp_parallel_for(sph->team, sph->state.particles.count, SCAN_GRAIN, mark_sleepers, sph);
    list_all_marked(sph);
    dlp_sph_predict_more(sph);
}

static void mark_hidden_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++)
        if (sph->scratch.points.near_thin[i] && sph->state.particles.sleep[i] == DLP_ASLEEP)
            sph->scratch.selection.work_flags[i] |= MARKED;
}

// Lists that were built just now may show what a thin obstacle hid before, and hide what it showed.
static void mark_hidden(dlp_sph *sph)
{
    const bool are_new = sph->state.listed.time == dlp_sph_clock_time(&sph->state.clock);
    if (are_new && sph->scratch.points.near_thin != NULL)
        dlp_parallel_for(sph->team, sph->state.particles.count, SCAN_GRAIN, mark_hidden_range, sph);
}

void dlp_sph_mark_movers(dlp_sph *sph)
{
    dlp_selection *selection = &sph->scratch.selection;
    selection->is_sparse = false;
    const bool wakes_all = sph->state.wakes_all != 0;
    sph->state.wakes_all = 0;
    if (!sph->params.restrains) return;
    selection->is_sparse = !wakes_all && selection->due_count <= sph->state.particles.count / SPARSE_SHARE;
    if (!selection->is_sparse) {
        take_all_sleepers(sph);
        return;
    }
    mark_due(sph);
    mark_hidden(sph);
    if (sph->params.walls.has_moving) {
        mark_moved_walls(sph);
        dlp_parallel_for(sph->team, sph->scratch.walls.samples.count, 256, report_around_walls, sph);
    }
    dlp_parallel_for(sph->team, selection->due_count, GRAIN, report_range, sph);
    list_all_marked(sph);
    selection->is_sparse = selection->due_count <= (int64_t)sph->state.particles.count * 3 / 4;
    if (!selection->is_sparse)
        take_all_sleepers(sph);
    else
        dlp_sph_predict_more(sph);
}

bool dlp_sph_report_density(dlp_sph *sph, int32_t i, float delta)
{
    dlp_particles *p = &sph->state.particles;
    if (!dlp_particle_holds(sph, i)) return true;
    const dlp_substance *s = dlp_particle_substance(sph, i);
    const float change = dlp_substance_pressure(s, delta) - dlp_substance_pressure(s, p->compression[i]);
    const bool is_reported =
        fabsf(dlp_heat_softening(sph, i) * change) > s->sleep_rules.pressure * p->threshold_scale[i];
    if (sph->scratch.selection.is_sparse && p->sleep[i] == DLP_ASLEEP && !is_reported) return false;
    if (sph->scratch.selection.is_sparse && p->sleep[i] == DLP_ASLEEP)
        sph->scratch.selection.work_flags[i] |= REPORTS;
    p->compression[i] = delta;  // exactly what the packed-record shows from now on
    return true;
}

void dlp_sph_mark_changed(dlp_sph *sph)
{
    if (!sph->scratch.selection.is_sparse) return;
    dlp_parallel_for(sph->team, sph->scratch.selection.due_count, GRAIN, report_range, sph);
    dlp_parallel_for(sph->team, sph->scratch.walls.samples.count, 256, report_around_walls, sph);
    list_all_marked(sph);
    dlp_sph_predict_more(sph);
}
