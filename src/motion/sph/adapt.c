/* Where to split and where to merge. A particle's depth is its distance, through the substance, from where it
 * must be fine: free surfaces and strong motion. The deeper it is, the larger it may be.
 *
 * The density sum of a particle near others of another size is off by a few percent, and jumps when they are
 * exchanged. So each particle carries what its sum is at rest density: it changes by as much as the sum does
 * in a split or merge, and then returns to 1 slowly, while the substance gives way. */
#include "motion/sph/adapt.h"
#include "motion/sph/sph_heat.h"

#include <string.h>

enum { GRAIN = 1024, SWEEP_LIMIT = 400 };

// A particle is at a free surface where the volumes around it lie to one side (edge: 0.7 on a flat one, below
// 0.2 inside) and do not fill its support (sum: 0.75 on a flat one), or where it is nearly alone.
// Who was there before leaves it later, so that nothing flickers.
#define SURFACE_EDGE 0.35f
#define SURFACE_SUM  0.9f
#define SHARP_EDGE   0.45f /* a surface that gravity has packed, whatever its sum */
#define LEAVING_EDGE 0.25f
#define LEAVING_SUM  0.94f
#define ALONE_SUM    0.6f

// In smoothing lengths of two particles together: who is nearer to another substance is at its border.
#define BORDER 0.6

// In the time that sound takes for the finest smoothing length: how long neighbours take to make room.
#define SETTLING 200.0f

static double mixed_geometrically(double coarse, double fine, double accuracy)
{
    return coarse * pow(fine / coarse, accuracy);
}

// A periodic domain must hold three supports of the largest particle along its axes.
static int32_t levels_within(const dlp_sph *sph, int32_t levels, double reach)
{
    const int32_t d = sph->scene->dimension;
    for (; levels > 0; levels--) {
        const double largest = reach * pow(dlp_group_size_of(d).most, (double)levels / d);
        bool does_fit = true;
        for (int axis = 0; axis < d; axis++)
            does_fit = does_fit && (!sph->params.units.is_periodic[axis] ||
                                    sph->params.units.period[axis] >= 3 * largest);
        if (does_fit) break;
    }
    return levels;
}

dlp_adapt_rules dlp_adapt_rules_of(const dlp_substance_def *def, const dlp_sph *sph, double spacing)
{
    const double a = def->adapt_accuracy, u = sph->state.speed_scale, h = def->smoothing * spacing;
    const double k = def->stiffness > 0 ? def->stiffness : sph->state.stiffness[def - sph->scene->substances];
    dlp_adapt_rules r = {.is_on = def->adapt_space,
                         .criterion = def->adapt_criterion,
                         .levels =
                             levels_within(sph, def->adapt_levels, 2 * (1 + sph->params.verlet_margin) * h),
                         .split_above = (float)mixed_geometrically(0.36, 0.07, a),
                         .margin = (float)(0.5 * spacing),
                         .age = (float)(10 * h / u),
                         .speed = (float)u,
                         .strain = (float)(u * u / k)};
    r.merge_below = r.split_above / 3;
    double depth = (1 + 3 * a) * spacing, size = 2 * spacing;
    for (int32_t level = 1; level <= DLP_LEVEL_LIMIT; level++, size *= 2) {
        r.depth[level] = (float)depth;
        // walls have points for the two finest sizes; larger particles keep away, and so does level 1 where
        // contacts are to be the finest
        const double contact = level > 1                      ? 6 * (1 << (level - 2))
                               : dlp_keeps_contacts_fine(def) ? depth / spacing + 1
                                                              : -1e6;
        r.wall_depth[level] = (float)(contact * spacing);
        r.fine_wall_depth[level] = (float)(depth + spacing);
        depth += 4 * size;
    }
    r.deepest = 1.2f * (r.depth[r.levels] + r.margin);
    return r;
}

// How much a particle's surroundings vary, over what is expected of the scene.  [desbrun1999, eq. 12]
static float variation(const dlp_sph *sph, int32_t i, const float *survey)
{
    const dlp_adapt_rules *r = dlp_particle_rules(sph, i);
    const float h = dlp_particle_h(sph, i);
    const float velocity = h * survey[DLP_SURVEY_SHEAR] / r->speed;
    const float pressure = h * survey[DLP_SURVEY_SLOPE] / r->strain;
    switch (r->criterion) {
    case DLP_CRITERION_VELOCITY:
        return velocity;
    case DLP_CRITERION_PRESSURE:
        return pressure;
    case DLP_CRITERION_BOTH:
        return velocity > pressure ? velocity : pressure;
    case DLP_CRITERION_DENSITY:
        // the source's: the largest jump to a neighbour, weighted by mass, here in units of the finest
        return survey[DLP_SURVEY_JUMP] * (float)sph->state.particles.units[i] / r->strain;
    }
    return 0;
}

static bool is_at_surface(const float *survey, float sum_at_rest, bool was_there, bool was_near)
{
    const float *edge = survey + DLP_SURVEY_EDGE;
    const float square = edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2];
    const float sum = survey[DLP_SURVEY_SUM];
    // a gap that a merge left inside is known to the rest sum
    const float least_edge = was_there ? LEAVING_EDGE : SURFACE_EDGE,
                most_sum = was_there ? LEAVING_SUM : SURFACE_SUM;
    if (square > SHARP_EDGE * SHARP_EDGE && was_near) return true;
    return (square > least_edge * least_edge && sum - sum_at_rest + 1 < most_sum) || sum < ALONE_SUM;
}

// Where two substances meet both are the finest: what is coarse on one side cannot follow the border.
static bool is_at_border(const dlp_sph *sph, int32_t i)
{
    if (sph->scene->substance_count < 2) return false;
    const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
    for (int32_t n = 0; n < near_i.middle; n++) {
        const int32_t j = near_i.entries[n];
        if (j >= sph->state.particles.count ||
            sph->state.particles.substance[j] == sph->state.particles.substance[i])
            continue;
        const double near = BORDER * (double)(dlp_particle_h(sph, i) + dlp_particle_h(sph, j));
        if (dlp_length(dlp_sph_offset(sph, i, j)) < near) return true;
    }
    return false;
}

// The coarsest level allowed at a depth.
static int32_t level_at(const float *depths, int32_t levels, float depth)
{
    int32_t level = 0;
    while (level < levels && depth >= depths[level + 1]) level++;
    return level;
}

// Depth of a particle, from the depths around it and its own variation.
static float new_depth(const dlp_sph *sph, int32_t i, float variation_here, const float *survey)
{
    const dlp_adapt_rules *r = dlp_particle_rules(sph, i);
    const int32_t level = dlp_particle_level(sph, i);
    if (is_at_surface(survey, sph->state.particles.sum_at_rest[i], sph->state.particles.depth[i] == 0,
                      sph->state.particles.depth[i] < 6 * r->margin) ||
        is_at_border(sph, i))
        return 0;
    float depth = fminf(survey[DLP_SURVEY_DEPTH], r->deepest);
    // strong motion allows one level less, some motion no more than there is
    const int32_t allowed = variation_here > r->split_above   ? level - 1
                            : variation_here > r->merge_below ? level
                                                              : r->levels;
    if (allowed < r->levels) depth = fminf(depth, 0.999f * r->depth[allowed < 0 ? 1 : allowed + 1]);
    return depth;
}

// The coarsest level allowed to a particle, by its depth and by what obstacles are near. `margin` takes a
// little off all distances.
static int32_t allowed_level(const dlp_sph *sph, int32_t i, float depth, float margin)
{
    const dlp_adapt_rules *r = dlp_particle_rules(sph, i);
    const float wall = sph->scratch.neighbours.clearance[i] - margin,
                tight = sph->scratch.neighbours.fine_clearance[i] - margin;
    const int32_t by_depth = level_at(r->depth, r->levels, depth - margin);
    const int32_t by_wall = level_at(r->wall_depth, by_depth, wall);
    return level_at(r->fine_wall_depth, by_wall, tight);
}

static int8_t plan_for(const dlp_sph *sph, int32_t i, float depth, float variation_here)
{
    const dlp_adapt_rules *r = dlp_particle_rules(sph, i);
    if (!r->is_on) return DLP_PLAN_STAY;
    const int32_t level = dlp_particle_level(sph, i);
    if (level > allowed_level(sph, i, depth, 0)) return DLP_PLAN_SPLIT;
    const double now = dlp_sph_clock_time(&sph->state.clock);
    const bool is_old = now - (double)sph->state.particles.born[i] >= (double)r->age || now == 0;
    const bool is_calm =
        variation_here <= r->merge_below && (double)sph->state.particles.held_until[i] <= now;
    // a path through coarse particles is shorter than one through fine ones: a tenth is kept back
    const bool is_deep = allowed_level(sph, i, 0.9f * depth, r->margin) > level;
    return is_old && is_calm && is_deep ? DLP_PLAN_MERGE : DLP_PLAN_STAY;
}

void dlp_sph_survey(const dlp_sph *sph, int32_t first, int32_t count, float *out_survey)
{
    int32_t index[DLP_SURVEY_BLOCK];
    assert(sph->scratch.neighbours.lists_hold && first + count <= sph->scratch.neighbours.lists.count);
    for (int32_t k = 0; k < count; k++) index[k] = first + k;
    const dlp_pair_work work = {.params = &sph->params.pair,
                                .packed = sph->scratch.points.packed,
                                .lists = &sph->scratch.neighbours.lists,
                                .index = index,
                                .wall_first = sph->state.particles.count,
                                .depth = sph->state.particles.depth,
                                .measure = out_survey};
    sph->params.loops->survey(&work, 0, count);
}

// How fast a particle forgets what its sum was at rest. The sum remembers an arrangement: straining renews
// it, and where a particle has just been put among others they make room for it as fast as sound allows.
static float renewal(const dlp_sph *sph, int32_t i, float strain_rate)
{
    const dlp_substance *s = dlp_particle_substance(sph, i);
    const bool is_new = sph->state.particles.born[i] > 0;
    return is_new ? strain_rate + s->sound_speed / (SETTLING * s->h) : strain_rate;
}

static void survey_block(dlp_sph *sph, int32_t first, int32_t count)
{
    float survey[DLP_SURVEY_BLOCK * DLP_SURVEY_SIZE];
    dlp_sph_survey(sph, first, count, survey);
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = first + k;
        const float *here = survey + k * DLP_SURVEY_SIZE, variation_here = variation(sph, i, here);
        sph->scratch.adapt.next_depth[i] = new_depth(sph, i, variation_here, here);
        sph->state.particles.renewal[i] = renewal(sph, i, here[DLP_SURVEY_SHEAR]);
        sph->scratch.adapt.plan[i] = plan_for(sph, i, sph->scratch.adapt.next_depth[i], variation_here);
    }
}

static void survey_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    for (int32_t first = begin; first < end; first += DLP_SURVEY_BLOCK)
        survey_block(context, first, end - first < DLP_SURVEY_BLOCK ? end - first : DLP_SURVEY_BLOCK);
}

// Takes over the new depths and counts those that changed.
static void take_depths(void *context, int32_t begin, int32_t end, void *result)
{
    dlp_sph *sph = context;
    int64_t *changed = result;
    const size_t size = (size_t)(end - begin) * sizeof(float);
    *changed += memcmp(sph->state.particles.depth + begin, sph->scratch.adapt.next_depth + begin, size) != 0;
    memcpy(sph->state.particles.depth + begin, sph->scratch.adapt.next_depth + begin, size);
}

// Looks around once: depths travel by a support each time, so they follow the substance. False where none
// changed.
bool dlp_sph_make_plan(dlp_sph *sph)
{
    dlp_parallel_for(sph->team, sph->state.particles.count, DLP_SURVEY_BLOCK, survey_range, sph);
    int64_t changed = 0;
    const dlp_reduction take = {take_depths, dlp_combine_sum_int64, sph, sizeof changed};
    dlp_parallel_reduce(sph->team, sph->state.particles.count, GRAIN, &take, &changed);
    return changed > 0;
}

dlp_status dlp_sph_reserve_new(dlp_sph *sph, int32_t more, dlp_error *error)
{
    DLP_TRY(dlp_adapt_reserve(&sph->scratch.adapt, sph->state.particles.count + more + 1, error));
    return dlp_particles_reserve(&sph->state.particles, sph->state.particles.count + more, error);
}

static void count_plans(void *context, int32_t begin, int32_t end, void *result)
{
    const dlp_sph *sph = context;
    int64_t *count = result;
    for (int32_t i = begin; i < end; i++) *count += sph->scratch.adapt.plan[i] != DLP_PLAN_STAY;
}

static bool has_plans(dlp_sph *sph)
{
    int64_t count = 0;
    const dlp_reduction counting = {count_plans, dlp_combine_sum_int64, sph, sizeof count};
    dlp_parallel_reduce(sph->team, sph->state.particles.count, GRAIN, &counting, &count);
    return count > 0;
}

// In `sum`: nothing around this particle changes.
#define UNAFFECTED -1e30f

static int32_t select_affected(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const float *sum = ((const dlp_sph *)context)->state.particles.sum;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (sum[i] == UNAFFECTED) continue;
        if (out != NULL) out[count] = i;
        count++;
    }
    return count;
}

// In the worklist: whose surroundings change.
static int32_t list_affected(dlp_sph *sph, int32_t count)
{
    assert(count <= sph->scratch.adapt.capacity);
    return dlp_parallel_compact(sph->team, count, GRAIN, select_affected, sph, sph->scratch.adapt.worklist);
}

static void note_sums(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.adapt.worklist[k];
        sph->state.particles.sum[i] = dlp_sph_density_sum(sph, i);
    }
}

static void note_affected(dlp_sph *sph, int32_t count)
{
    const int32_t affected = list_affected(sph, count);
    dlp_sph_sum_kernel(sph, sph->scratch.adapt.worklist, affected);
    dlp_parallel_for(sph->team, affected, GRAIN, note_sums, sph);
}

// What all sums are before anything moves.
void dlp_sph_note_density(dlp_sph *sph)
{
    dlp_parallel_set(sph->team, sph->state.particles.sum, 0,
                     (size_t)sph->state.particles.count * sizeof(float));
    note_affected(sph, sph->state.particles.count);
}

static void clear_affected(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    for (int32_t i = begin; i < end; i++) sph->state.particles.sum[i] = UNAFFECTED;
}

// Several threads may write the same zero.
static void mark_affected(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    const int32_t count = sph->scratch.adapt.plan_count;
    for (int32_t i = begin; i < end; i++) {
        if (sph->scratch.adapt.is_kept[i]) continue;
        const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
        for (int32_t n = 0; n < near_i.middle; n++) {
            const int32_t j = near_i.entries[n];
            float zero = 0;
            if (j < count) __atomic_store(&sph->state.particles.sum[j], &zero, __ATOMIC_RELAXED);
        }
    }
}

// What the sums were of all who see a particle that goes.
static void note_density_around_events(dlp_sph *sph)
{
    const int32_t count = sph->scratch.adapt.plan_count;
    dlp_parallel_for(sph->team, count, GRAIN, clear_affected, sph);
    dlp_parallel_for(sph->team, count, GRAIN, mark_affected, sph);
    note_affected(sph, count);
}

static void keep_densities(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    const dlp_particles *p = &sph->state.particles;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.adapt.worklist[k];
        const float sum_at_rest = p->sum_at_rest[i] + (dlp_sph_density_sum(sph, i) - p->sum[i]);
        p->sum_at_rest[i] = fminf(fmaxf(sum_at_rest, 0.3f), 2.0f);
    }
}

// What a sum changed by, the rest sum changes by: no density jumps.
void dlp_sph_keep_density(dlp_sph *sph)
{
    const int32_t count = list_affected(sph, sph->state.particles.count);
    dlp_sph_sum_kernel(sph, sph->scratch.adapt.worklist, count);
    dlp_parallel_for(sph->team, count, GRAIN, keep_densities, sph);
    sph->scratch.adapt.has_adapted = false;
}

void dlp_sph_request_density(dlp_sph *sph, int32_t i, float delta)
{
    sph->state.particles.sum_at_rest[i] = 0;
    sph->state.particles.sum[i] = (delta - 1) / sph->params.pair.compression_factor;
}

void dlp_sph_put_like(dlp_sph *sph, int32_t i, int32_t to)
{
    dlp_particles *p = &sph->state.particles;
    assert(i < p->count && to >= p->count && to < p->capacity);
#define X(name, type, dlp, components, when)                                                                 \
    if (dlp_particles_have(p, when))                                                                         \
        memcpy(p->name + components * (int64_t)to, p->name + components * (int64_t)i,                        \
               components * sizeof(type));
    DLP_SPH_FIELDS(X)
#undef X
    if (dlp_sph_has_heat(sph)) p->temperature[to] = dlp_heat_mix(sph, &i, 1);
    p->id[to] = sph->state.next_id + (to - p->count);
    p->begin[to] = sph->state.clock.tick;
    p->step[to] = 0;  // due at once
    if (sph->params.restrains) p->sleep[to] = DLP_AWAKE;
    p->born[to] = (float)dlp_sph_clock_time(&sph->state.clock);
}

void dlp_sph_take_new(dlp_sph *sph, int32_t count)
{
    sph->state.particles.count += count;
    sph->state.next_id += count;
    assert(sph->state.particles.count <= sph->state.particles.capacity);
}

dlp_vec3 dlp_sph_offset(const dlp_sph *sph, int32_t from, int32_t to)
{
    const float *a = dlp_sph_packed(sph, from), *b = dlp_sph_packed(sph, to);
    int32_t at_a[3], at_b[3];
    memcpy(at_a, a + DLP_PACKED_AT, sizeof at_a);
    memcpy(at_b, b + DLP_PACKED_AT, sizeof at_b);
    double d[3];
    for (int axis = 0; axis < 3; axis++)
        d[axis] = (int32_t)((uint32_t)at_b[axis] - (uint32_t)at_a[axis]) * sph->params.units.unit[axis];
    return dlp_vec(d[0], d[1], d[2]);
}

dlp_vec3 dlp_sph_predicted_velocity(const dlp_sph *sph, int32_t i)
{
    const dlp_particles *p = &sph->state.particles;
    const double dt = sph->params.tick_seconds * (sph->state.clock.tick - p->begin[i]);
    const float *v = p->velocity + 3 * (int64_t)i, *a = p->acceleration + 3 * (int64_t)i;
    return dlp_vec((double)v[0] + dt * (double)a[0], (double)v[1] + dt * (double)a[1],
                   (double)v[2] + dt * (double)a[2]);
}

static int32_t select_kept(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const uint8_t *is_kept = ((const dlp_sph *)context)->scratch.adapt.is_kept;
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        if (out != NULL && is_kept[i]) out[count] = i;
        count += is_kept[i];
    }
    return count;
}

// What was replaced goes, and with it what lists say; the packed-records are free until lists are built.
static void drop_replaced(dlp_sph *sph)
{
    dlp_neighbourhood *neighbours = &sph->scratch.neighbours;
    neighbours->are_stale = true;
    neighbours->lists_hold = false;
    const size_t bytes = (size_t)sph->scratch.points.capacity * DLP_PACKED_SIZE * sizeof(float);
    int32_t *order = sph->scratch.adapt.worklist;
    const int32_t count =
        dlp_parallel_compact(sph->team, sph->state.particles.count, GRAIN, select_kept, sph, order);
    dlp_particles_keep_listed(&sph->state.particles, order, count, dlp_sph_borrow_packed(sph, bytes), bytes,
                              sph->team);
}

// Splits and merges by plan. What is new stands at the end; what it replaces goes.
dlp_status dlp_sph_apply_plan(dlp_sph *sph, dlp_error *error)
{
    if (!has_plans(sph)) return DLP_OK;
    sph->scratch.adapt.plan_count = sph->state.particles.count;
    dlp_parallel_set(sph->team, sph->scratch.adapt.is_kept, 1, (size_t)sph->state.particles.count);
    const int64_t before = sph->state.counts.splits + sph->state.counts.merges;
    DLP_TRY(dlp_sph_merge(sph, error));
    DLP_TRY(dlp_sph_split(sph, error));
    if (sph->state.counts.splits + sph->state.counts.merges == before) return DLP_OK;
    note_density_around_events(sph);
    drop_replaced(sph);
    sph->scratch.adapt.has_adapted = true;
    return DLP_OK;
}

dlp_status dlp_sph_adapt(dlp_sph *sph, dlp_error *error)
{
    const double now = dlp_sph_clock_time(&sph->state.clock);
    const dlp_neighbourhood *neighbours = &sph->scratch.neighbours;
    const int32_t count = sph->state.particles.count;
    if (!dlp_sph_adapts_space(sph) || count == 0) return DLP_OK;
    if (!neighbours->lists_hold || neighbours->lists.count != count) return DLP_OK;
    if (now - sph->state.adapt_time < sph->params.finest / sph->state.speed_scale * 0.4) return DLP_OK;
    DLP_TRY(dlp_adapt_reserve(&sph->scratch.adapt, count + 1, error));
    dlp_sph_predict(sph);
    dlp_sph_place_walls(sph);
    dlp_sph_make_plan(sph);
    sph->state.adapt_time = now;
    return dlp_sph_apply_plan(sph, error);
}

// At the start everything is looked at until the depths no longer change; then one level merges.
dlp_status dlp_sph_coarsen_start(dlp_sph *sph, dlp_error *error)
{
    dlp_particles *p = &sph->state.particles;
    if (!dlp_sph_adapts_space(sph) || p->count == 0) return DLP_OK;
    for (int32_t i = 0; i < p->count; i++) p->depth[i] = 1e30f;
    DLP_TRY(dlp_adapt_reserve(&sph->scratch.adapt, p->count + 1, error));
    for (int32_t sweep = 0; sweep < SWEEP_LIMIT && dlp_sph_make_plan(sph); sweep++) {}
    return dlp_sph_apply_plan(sph, error);
}
