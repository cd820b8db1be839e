#include "motion/samples.h"
#include "base/memory.h"

#include <assert.h>

enum { GRAIN = 256 };

dlp_status dlp_samples_reserve(dlp_samples *samples, int32_t count, dlp_error *error)
{
    if (count <= samples->capacity) return DLP_OK;
    int32_t capacity = 0;
#define X(name, type, components)                                                                            \
    capacity = samples->capacity;                                                                            \
    DLP_TRY(dlp_reserve(&samples->name, &capacity, count, components * sizeof(type), "samples", error));
    DLP_SAMPLE_FIELDS(X)
#undef X
    samples->capacity = capacity;
    return DLP_OK;
}

static int32_t blocks_of(const dlp_sample_run *run)
{
    return (run->end - run->begin + DLP_SAMPLE_BLOCK - 1) / DLP_SAMPLE_BLOCK;
}

static int32_t block_count(const dlp_samples *samples)
{
    if (samples->run_count == 0) return 0;
    const dlp_sample_run *last = &samples->runs[samples->run_count - 1];
    return last->first_block + blocks_of(last);
}

dlp_status dlp_samples_add_run(dlp_samples *samples, int32_t owner, int32_t begin, int32_t end,
                               dlp_error *error)
{
    assert(begin < end && end <= samples->capacity);
    const int32_t first = block_count(samples);
    const dlp_sample_run run = {owner, begin, end, first};
    const int32_t blocks = blocks_of(&run);
    DLP_TRY(dlp_reserve(&samples->runs, &samples->run_capacity, samples->run_count + 1, sizeof run, "samples",
                        error));
    DLP_TRY(dlp_reserve(&samples->block_sums, &samples->block_capacity, first + blocks,
                        sizeof *samples->block_sums, "samples", error));
    DLP_TRY(dlp_reserve(&samples->block_run, &samples->block_run_capacity, first + blocks,
                        sizeof *samples->block_run, "samples", error));
    for (int32_t k = 0; k < blocks; k++) samples->block_run[first + k] = samples->run_count;
    samples->runs[samples->run_count++] = run;
    return DLP_OK;
}

void dlp_samples_clear(dlp_samples *samples)
{
    samples->count = samples->run_count = 0;
    samples->from_tick = 0;
    samples->to_tick = -1;
}

void dlp_samples_release(dlp_samples *samples)
{
#define X(name, type, components) dlp_free(samples->name);
    DLP_SAMPLE_FIELDS(X)
#undef X
    dlp_free(samples->runs);
    dlp_free(samples->block_sums);
    dlp_free(samples->block_run);
    *samples = (dlp_samples){0};
}

typedef struct sample_placing {
    dlp_samples *samples;
    const dlp_bodies *bodies;
} sample_placing;

static void set3(float *to, dlp_vec3 a)
{
    to[0] = (float)a.x;
    to[1] = (float)a.y;
    to[2] = (float)a.z;
}

static void place_range(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const sample_placing *pass = context;
    const dlp_samples *s = pass->samples;
    for (int32_t k = begin; k < end; k++) {
        const dlp_body *body = &pass->bodies->items[s->owner[k]];
        const dlp_sample_set *set = &s->sets[s->set[k]];
        const dlp_vec3 x = dlp_to_world(&body->pose, set->at[s->point[k]]);
        double *position = s->position + 3 * (int64_t)k;
        position[0] = x.x;
        position[1] = x.y;
        position[2] = x.z;
        set3(s->velocity + 3 * (int64_t)k, dlp_twist_at(&body->twist, x));
        set3(s->normal + 3 * (int64_t)k, dlp_rotate(&body->pose, set->normal[s->point[k]]));
    }
}

void dlp_samples_place(dlp_samples *samples, dlp_team *team, const dlp_bodies *bodies, int64_t tick)
{
    sample_placing pass = {samples, bodies};
    dlp_parallel_for(team, samples->count, GRAIN, place_range, &pass);
    bool is_any_moving = false;
    for (int32_t k = 0; k < bodies->count; k++) is_any_moving = is_any_moving || bodies->items[k].is_moving;
    samples->from_tick = is_any_moving ? tick : 0;
    samples->to_tick = is_any_moving ? tick : INT64_MAX;
}

static dlp_vec3 pivot_of(const dlp_body *body)
{
    return dlp_to_world(&body->pose, body->def->pivot);
}

static void sum_block(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const sample_placing *pass = context;
    const dlp_samples *s = pass->samples;
    for (int32_t block = begin; block < end; block++) {
        const dlp_sample_run *run = &s->runs[s->block_run[block]];
        const int32_t first = run->begin + (block - run->first_block) * DLP_SAMPLE_BLOCK;
        const int32_t last = run->end - first < DLP_SAMPLE_BLOCK ? run->end : first + DLP_SAMPLE_BLOCK;
        const dlp_vec3 pivot = pivot_of(&pass->bodies->items[run->owner]);
        dlp_sample_sum sum = {0};
        for (int32_t n = first; n < last; n++) {
            const int64_t k = 3 * (int64_t)s->by_owner[n];
            assert(s->owner[k / 3] == run->owner);
            const dlp_vec3 force =
                dlp_vec((double)s->force[k], (double)s->force[k + 1], (double)s->force[k + 2]);
            const dlp_vec3 at = dlp_vec(s->position[k], s->position[k + 1], s->position[k + 2]);
            sum.force = dlp_add(sum.force, force);
            sum.torque = dlp_add(sum.torque, dlp_cross(dlp_sub(at, pivot), force));
        }
        s->block_sums[block] = sum;
    }
}

static void add_impulses(dlp_body_load *loads, int32_t count, double seconds)
{
    for (int32_t k = 0; k < count; k++) {
        loads[k].impulse = dlp_along(loads[k].impulse, loads[k].force, seconds);
        loads[k].angular_impulse = dlp_along(loads[k].angular_impulse, loads[k].torque, seconds);
    }
}

void dlp_samples_hand_back(dlp_samples *samples, dlp_team *team, const dlp_bodies *bodies, double seconds,
                           dlp_body_load *loads)
{
    sample_placing pass = {samples, bodies};
    const int32_t blocks = block_count(samples);
    dlp_parallel_for(team, blocks, 1, sum_block, &pass);
    add_impulses(loads, bodies->count, 0.5 * seconds);
    for (int32_t k = 0; k < bodies->count; k++) loads[k].force = loads[k].torque = dlp_vec(0, 0, 0);
    for (int32_t block = 0; block < blocks; block++) {
        dlp_body_load *load = &loads[samples->runs[samples->block_run[block]].owner];
        load->force = dlp_add(load->force, samples->block_sums[block].force);
        load->torque = dlp_add(load->torque, samples->block_sums[block].torque);
    }
    add_impulses(loads, bodies->count, 0.5 * seconds);
}
