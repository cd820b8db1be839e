/* Sums over neighbours of the particles that are due. */
#include "motion/sph/predict.h"
#include "matter/pair_density.h"

// Items at once: those that are summed over their neighbours, and those that are only looked at.
enum { GRAIN = 128, SCAN_GRAIN = 1024 };

typedef struct loop_pass {
    dlp_pair_work work;
    dlp_pair_loop *loop;
} loop_pass;

static void run_loop(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const loop_pass *pass = context;
    pass->loop(&pass->work, begin, end);
}

static loop_pass make_pass(dlp_sph *sph, dlp_pair_loop *loop, const dlp_lists *lists, const int32_t *index)
{
    const dlp_sums *sums = &sph->scratch.sums;
    assert(sph->scratch.neighbours.lists_hold);
    return (loop_pass){
        .work = {.params = &sph->params.pair,
                 .packed = sph->scratch.points.packed,
                 .lists = lists,
                 .index = index,
                 .out = &sums->handover->density_sum,
                 .sums = {sums->force, sph->state.particles.compression_rate, &sums->handover->approach},
                 .wall_sum = sph->scratch.walls.sum,
                 .wall_sum_at_rest = sph->scratch.walls.sum_at_rest,
                 .wall_first = sph->state.particles.count,
                 .wall_owner = sph->scratch.walls.samples.owner,
                 .bodies = sph->context.bodies->items,
                 .load = sph->scratch.walls.samples.force},
        .loop = loop};
}

static void store_density(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        const dlp_substance *s = dlp_particle_substance(sph, i);
        const float sum_at_rest = dlp_sph_adapts_space(sph) ? sph->state.particles.sum_at_rest[i] : 1.0f;
        const float delta =
            dlp_compression(dlp_sph_density_sum(sph, i), sum_at_rest, sph->params.pair.compression_factor);
        if (dlp_sph_report_density(sph, i, delta))
            dlp_packed_set_compression(dlp_sph_packed(sph, i), s, sph->params.pair.kernel, delta);
    }
}

// A carried density stands predicted in the packed-record already; here it takes the first half of its step,
// since the force loop is about to replace its rate.
static void carry_density(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    const dlp_particles *p = &sph->state.particles;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        const double half =
            0.5 * dlp_sph_clock_seconds(&sph->state.clock, sph->state.clock.tick - p->begin[i]);
        p->compression[i] += (float)half * p->compression_rate[i];
    }
}

void dlp_sph_sum_kernel(dlp_sph *sph, const int32_t *index, int32_t count)
{
    dlp_sph_hand(sph, DLP_HOLDS_DENSITY_SUMS);
    loop_pass pass = make_pass(sph, sph->params.loops->sum_density, &sph->scratch.neighbours.lists, index);
    dlp_parallel_for(sph->team, count, GRAIN, run_loop, &pass);
}

void dlp_sph_sum_density(dlp_sph *sph)
{
    dlp_selection *selection = &sph->scratch.selection;
    if (dlp_sph_carries_density(sph)) {
        dlp_parallel_for(sph->team, selection->due_count, SCAN_GRAIN, carry_density, sph);
        return;
    }
    assert(!sph->scratch.neighbours.are_stale && dlp_sph_walls_hold(sph));
    selection->density_count = selection->due_count;
    dlp_sph_sum_kernel(sph, selection->due, selection->due_count);
    dlp_parallel_for(sph->team, selection->due_count, SCAN_GRAIN, store_density, sph);
}

static void mark_walls(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    const int32_t first = sph->state.particles.count, last_wall = first + sph->scratch.walls.samples.count;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->scratch.selection.due[k];
        const dlp_neighbour_list near_i = dlp_sph_neighbours(sph, i);
        for (int32_t n = near_i.middle; n < near_i.last; n++) {
            const int32_t wall = near_i.entries[n];
            if (wall < last_wall)
                __atomic_store_n(&sph->scratch.walls.is_marked[wall - first], 1, __ATOMIC_RELAXED);
        }
    }
}

static void list_wall_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) sph->scratch.walls.index[k] = sph->state.particles.count + k;
}

static int32_t select_marked(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const dlp_sph *sph = context;
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        if (!sph->scratch.walls.is_marked[k]) continue;
        if (out != NULL) out[count] = sph->state.particles.count + k;
        count++;
    }
    return count;
}

// Lists the wall points that a due particle will ask; all where loads are wanted, since these are summed over
// every point, and an old value would depend on when its neighbours were due (and on a restart).
int32_t dlp_sph_list_marked_walls(dlp_sph *sph)
{
    const dlp_selection *selection = &sph->scratch.selection;
    dlp_walls *walls = &sph->scratch.walls;
    const int32_t wall_count = walls->samples.count;
    const bool are_all = selection->due_count == sph->state.particles.count || sph->params.wants_loads ||
                         (selection->is_sparse && !walls->are_summed);
    assert(wall_count <= walls->capacity);
    if (are_all) {
        dlp_parallel_for(sph->team, wall_count, SCAN_GRAIN, list_wall_range, sph);
        return wall_count;
    }
    if (!selection->is_sparse) {
        dlp_parallel_set(sph->team, walls->is_marked, 0, (size_t)wall_count);
        dlp_parallel_for(sph->team, selection->due_count, GRAIN, mark_walls, sph);
    }
    return dlp_parallel_compact(sph->team, wall_count, SCAN_GRAIN, select_marked, sph, walls->index);
}

void dlp_sph_sum_walls(dlp_sph *sph)
{
    dlp_walls *walls = &sph->scratch.walls;
    if (walls->samples.count == 0) return;
    const int32_t count = dlp_sph_list_marked_walls(sph);
    walls->are_summed = walls->are_summed || count == walls->samples.count;
    loop_pass pass =
        make_pass(sph, sph->params.loops->sum_walls, &sph->scratch.neighbours.wall_lists, walls->index);
    dlp_parallel_for(sph->team, count, GRAIN, run_loop, &pass);
}

void dlp_sph_sum_forces(dlp_sph *sph)
{
    assert(!sph->scratch.neighbours.are_stale && dlp_sph_walls_hold(sph));
    dlp_sph_hand(sph, DLP_HOLDS_APPROACHES);
    loop_pass pass = make_pass(sph, sph->params.loops->sum_forces, &sph->scratch.neighbours.lists,
                               sph->scratch.selection.due);
    dlp_parallel_for(sph->team, sph->scratch.selection.due_count, GRAIN, run_loop, &pass);
}

// The samples of one size, and the particles that see them.
static void sum_loads_of_level(dlp_sph *sph, int32_t level)
{
    const dlp_walls *walls = &sph->scratch.walls;
    const int32_t first = level > 0 ? walls->level_end[level - 1] : 0;
    loop_pass pass = make_pass(sph, sph->params.loops->sum_loads, &sph->scratch.neighbours.wall_lists,
                               walls->index + first);
    pass.work.load += 3 * (int64_t)first;
    dlp_sph_find_viewers(sph, level, &pass.work.seen_begin, &pass.work.seen_end);
    dlp_parallel_for(sph->team, walls->level_end[level] - first, GRAIN, run_loop, &pass);
}

// What the substance does to bodies: the reaction at every sample.
void dlp_sph_sum_loads(dlp_sph *sph)
{
    const dlp_sph_clock *clock = &sph->state.clock;
    if (!sph->params.wants_loads) return;
    dlp_samples *samples = &sph->scratch.walls.samples;
    assert(dlp_sph_walls_hold(sph));
    dlp_parallel_for(sph->team, samples->count, SCAN_GRAIN, list_wall_range, sph);
    for (int32_t level = 0; level < sph->params.walls.level_count && samples->count > 0; level++)
        sum_loads_of_level(sph, level);
    if (sph->params.solves_viscosity) dlp_viscosity_add_loads(sph);
    const double seconds = dlp_sph_clock_seconds(clock, clock->tick - clock->last_tick);
    dlp_samples_hand_back(samples, sph->team, sph->context.bodies, seconds, sph->context.loads);
}
