/* Least significant digit first: each pass is a stable counting sort by 9 bits, block by block. A block's
 * items go to places that the counts of all blocks before it fix, so that threads need no order among them.
 */
#include "space/sort.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

// 512 counts of a block fit the first-level cache, and there are enough blocks for many threads. Blocks are
// fixed: the result cannot depend on the threads.
enum { DIGIT_BITS = 9, DIGIT_COUNT = 1 << DIGIT_BITS, BLOCK = 4096 };
// Digits that one thread sums at once, and the number of blocks from which on several threads pay.
enum { DIGIT_GRAIN = 32, MANY_BLOCKS = 32 };

dlp_status dlp_sorter_prepare(dlp_sorter *sorter, void *memory, int32_t count, dlp_error *error)
{
    assert(count >= 0);
    uint64_t *words = memory;
    sorter->keys = words;
    sorter->other_keys = words + count;
    sorter->order = (int32_t *)(words + 2 * (size_t)count);
    sorter->other_order = sorter->order + count;
    const int32_t blocks = (count + BLOCK - 1) / BLOCK;
    return dlp_reserve(&sorter->histogram, &sorter->block_capacity, blocks, DIGIT_COUNT * sizeof(int32_t),
                       "sorting", error);
}

void dlp_sorter_release(dlp_sorter *sorter)
{
    dlp_free(sorter->histogram);
    *sorter = (dlp_sorter){0};
}

// One pass: sorts by the bits shift .. shift + 8 of the keys.
typedef struct digit_pass {
    dlp_sorter *sorter;
    int32_t shift;
} digit_pass;

static inline uint32_t digit_of(uint64_t key, int32_t shift)
{
    return (uint32_t)(key >> shift) & (DIGIT_COUNT - 1);
}

// The histogram of one block; begin is a multiple of BLOCK.
static void count_digits(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const digit_pass *pass = context;
    const uint64_t *keys = pass->sorter->keys;
    int32_t *counts = pass->sorter->histogram + (size_t)(begin / BLOCK) * DIGIT_COUNT;
    memset(counts, 0, DIGIT_COUNT * sizeof *counts);
    for (int32_t k = begin; k < end; k++) counts[digit_of(keys[k], pass->shift)]++;
}

// The histogram now holds places: each block writes to places of its own, in the order of its items.
static void move_items(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    const digit_pass *pass = context;
    const dlp_sorter *s = pass->sorter;
    int32_t *places = s->histogram + (size_t)(begin / BLOCK) * DIGIT_COUNT;
    for (int32_t k = begin; k < end; k++) {
        const int32_t place = places[digit_of(s->keys[k], pass->shift)]++;
        s->other_keys[place] = s->keys[k];
        s->other_order[place] = s->order[k];
    }
}

// Turns counts into first places: digit by digit, and within a digit block by block, so that the order is
// stable.
typedef struct count_pass {
    int32_t *histogram;
    int32_t block_count;
    int32_t first[DIGIT_COUNT];  // of each digit: how many there are, then the first place
} count_pass;

// Row by row over the histogram, for the cache, and some digits per thread.
static void sum_digits(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    count_pass *pass = context;
    for (int32_t digit = begin; digit < end; digit++) pass->first[digit] = 0;
    for (int32_t block = 0; block < pass->block_count; block++) {
        const int32_t *counts = pass->histogram + (size_t)block * DIGIT_COUNT;
        for (int32_t digit = begin; digit < end; digit++) pass->first[digit] += counts[digit];
    }
}

static void place_digits(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    count_pass *pass = context;
    for (int32_t block = 0; block < pass->block_count; block++) {
        int32_t *counts = pass->histogram + (size_t)block * DIGIT_COUNT;
        for (int32_t digit = begin; digit < end; digit++) {
            const int32_t here = counts[digit];
            counts[digit] = pass->first[digit];
            pass->first[digit] += here;
        }
    }
}

// Two short parallel loops with a serial sum over the digits between them.
static void sum_counts(int32_t *histogram, int32_t block_count, dlp_team *team)
{
    count_pass pass = {.histogram = histogram, .block_count = block_count};
    dlp_team *helpers = block_count >= MANY_BLOCKS ? team : NULL;
    dlp_parallel_for(helpers, DIGIT_COUNT, DIGIT_GRAIN, sum_digits, &pass);
    int32_t place = 0;
    for (int32_t digit = 0; digit < DIGIT_COUNT; digit++) {
        const int32_t here = pass.first[digit];
        pass.first[digit] = place;
        place += here;
    }
    dlp_parallel_for(helpers, DIGIT_COUNT, DIGIT_GRAIN, place_digits, &pass);
}

// After a pass the scratch holds the sorted items.
static void swap_buffers(dlp_sorter *s)
{
    uint64_t *keys = s->keys;
    s->keys = s->other_keys;
    s->other_keys = keys;
    int32_t *order = s->order;
    s->order = s->other_order;
    s->other_order = order;
}

// The identity as the order, and the bits in which any key differs from the first.
static void begin_order(void *context, int32_t begin, int32_t end, void *result)
{
    dlp_sorter *sorter = context;
    uint64_t *varying = result;
    for (int32_t k = begin; k < end; k++) {
        sorter->order[k] = k;
        *varying |= sorter->keys[k] ^ sorter->keys[0];
    }
}

static void join_bits(void *result, const void *later)
{
    uint64_t bits;
    memcpy(&bits, later, sizeof bits);
    *(uint64_t *)result |= bits;
}

// Bits in which no two keys differ are skipped: keys of nearby cells need few passes.
void dlp_sorter_sort(dlp_sorter *sorter, int32_t count, dlp_team *team)
{
    uint64_t varying = 0;
    const dlp_reduction begin = {begin_order, join_bits, sorter, sizeof varying};
    dlp_parallel_reduce(team, count, BLOCK, &begin, &varying);
    const int32_t block_count = (count + BLOCK - 1) / BLOCK;
    assert(block_count <= sorter->block_capacity);
    for (int32_t shift = 0; shift < 64 && varying >> shift != 0; shift += DIGIT_BITS) {
        while ((varying >> shift & 1) == 0) shift++;  // bits that all keys share need no sorting
        digit_pass pass = {sorter, shift};
        dlp_parallel_for(team, count, BLOCK, count_digits, &pass);
        sum_counts(sorter->histogram, block_count, team);
        dlp_parallel_for(team, count, BLOCK, move_items, &pass);
        swap_buffers(sorter);
    }
}
