/* Sums over neighbours of the particles that are due. */
#include "motion/sph/predict.h"
#include "matter/pair_density.h"

#include <assert.h>

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
    return (loop_pass){.work = {.params = &sph->params,
                                .packed = sph->packed,
                                .lists = lists,
                                .index = index,
                                .out = sph->approach,
                                .sums = {sph->force, sph->particles.compression_rate, sph->approach},
                                .wall_sum = sph->walls.sum,
                                .wall_sum_at_rest = sph->walls.sum_at_rest,
                                .wall_first = sph->particles.count,
                                .load = sph->samples.force},
                       .loop = loop};
}

static void store_density(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->due[k];
        const dlp_substance *s = &sph->substances[sph->particles.substance[i]];
        const float sum_at_rest = dlp_sph_adapts_space(sph) ? sph->particles.rest[i] : 1.0f;
        const float delta = dlp_compression(sph->approach[i], sum_at_rest, sph->params.compression_factor);
        if (dlp_sph_report_density(sph, i, delta))
            dlp_packed_set_compression(sph->packed + (int64_t)i * DLP_PACKED_SIZE, s, sph->params.kernel,
                                       delta);
    }
}

// A carried density stands predicted in the packed-record already; here it takes the first half of its step,
// since the force loop is about to replace its rate.
static void carry_density(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const dlp_sph *sph = context;
    const dlp_particles *p = &sph->particles;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->due[k];
        const double half = 0.5 * dlp_sph_clock_seconds(&sph->clock, sph->clock.tick - p->begin[i]);
        p->compression[i] += (float)half * p->compression_rate[i];
    }
}

void dlp_sph_sum_kernel(dlp_sph *sph, const int32_t *index, int32_t count)
{
    loop_pass pass = make_pass(sph, sph->loops->sum_density, &sph->lists, index);
    dlp_parallel_for(sph->team, count, GRAIN, run_loop, &pass);
}

void dlp_sph_sum_density(dlp_sph *sph)
{
    if (dlp_sph_carries_density(sph)) {
        dlp_parallel_for(sph->team, sph->due_count, SCAN_GRAIN, carry_density, sph);
        return;
    }
    sph->density_count = sph->due_count;
    dlp_sph_sum_kernel(sph, sph->due, sph->due_count);
    dlp_parallel_for(sph->team, sph->due_count, SCAN_GRAIN, store_density, sph);
}

static void mark_walls(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    const int32_t first = sph->particles.count, last_wall = first + sph->samples.count;
    for (int32_t k = begin; k < end; k++) {
        const int32_t i = sph->due[k];
        const int32_t *list = dlp_list_of(&sph->lists, i);
        const int32_t last = dlp_list_end(&sph->lists, i, 1);
        for (int32_t n = dlp_list_end(&sph->lists, i, 0); n < last; n++) {
            if (list[n] < last_wall)
                __atomic_store_n(&sph->walls.is_marked[list[n] - first], 1, __ATOMIC_RELAXED);
        }
    }
}

static void list_wall_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    dlp_sph *sph = context;
    for (int32_t k = begin; k < end; k++) sph->walls.index[k] = sph->particles.count + k;
}

static int32_t select_marked(void *context, int32_t begin, int32_t end, int32_t *out)
{
    const dlp_sph *sph = context;
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        if (!sph->walls.is_marked[k]) continue;
        if (out != NULL) out[count] = sph->particles.count + k;
        count++;
    }
    return count;
}

// Lists the wall points that a due particle will ask.
int32_t dlp_sph_list_marked_walls(dlp_sph *sph)
{
    dlp_walls *walls = &sph->walls;
    const bool are_all = sph->due_count == sph->particles.count || (sph->is_sparse && !sph->walls_are_summed);
    if (are_all) {
        dlp_parallel_for(sph->team, sph->samples.count, SCAN_GRAIN, list_wall_range, sph);
        return sph->samples.count;
    }
    if (!sph->is_sparse) {
        dlp_parallel_set(sph->team, walls->is_marked, 0, (size_t)sph->samples.count);
        dlp_parallel_for(sph->team, sph->due_count, GRAIN, mark_walls, sph);
    }
    return dlp_parallel_compact(sph->team, sph->samples.count, SCAN_GRAIN, select_marked, sph, walls->index);
}

void dlp_sph_sum_walls(dlp_sph *sph)
{
    if (sph->samples.count == 0) return;
    const int32_t count = dlp_sph_list_marked_walls(sph);
    sph->walls_are_summed = sph->walls_are_summed || count == sph->samples.count;
    loop_pass pass = make_pass(sph, sph->loops->sum_walls, &sph->wall_lists, sph->walls.index);
    dlp_parallel_for(sph->team, count, GRAIN, run_loop, &pass);
}

void dlp_sph_sum_forces(dlp_sph *sph)
{
    loop_pass pass = make_pass(sph, sph->loops->sum_forces, &sph->lists, sph->due);
    dlp_parallel_for(sph->team, sph->due_count, GRAIN, run_loop, &pass);
}

// What the substance does to bodies: the reaction at every sample.
void dlp_sph_sum_loads(dlp_sph *sph)
{
    if (!sph->wants_loads) return;
    dlp_samples *samples = &sph->samples;
    assert(dlp_samples_hold(samples, sph->clock.tick * dlp_sph_clock_world_ticks(&sph->clock)));
    dlp_parallel_for(sph->team, samples->count, SCAN_GRAIN, list_wall_range, sph);
    loop_pass pass = make_pass(sph, sph->loops->sum_loads, &sph->wall_lists, sph->walls.index);
    dlp_parallel_for(sph->team, samples->count, GRAIN, run_loop, &pass);
    const double seconds = dlp_sph_clock_seconds(&sph->clock, sph->clock.tick - sph->clock.last_tick);
    dlp_samples_hand_back(samples, sph->team, sph->context.bodies, seconds, sph->context.loads);
}
