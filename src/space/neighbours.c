#include "space/neighbours.h"

#include <stdatomic.h>

typedef struct build_pass {
    dlp_lists *lists;
    const dlp_list_def *def;
    dlp_lists_fill_fn *fill;
    _Atomic bool is_short;  // of memory
} build_pass;

static void build_blocks(void *context, int32_t begin, int32_t end, int32_t thread)
{
    (void)thread;
    build_pass *pass = context;
    for (int32_t block = begin; block < end; block++) {
        if (!pass->fill(pass->lists, pass->def, block)) atomic_store(&pass->is_short, true);
    }
}

static dlp_status reserve_lists(dlp_lists *lists, int32_t count, dlp_error *error)
{
    int32_t begin_capacity = lists->capacity, end_capacity = lists->capacity;
    DLP_TRY(dlp_reserve(&lists->begin, &begin_capacity, count, sizeof(int32_t), "lists", error));
    DLP_TRY(
        dlp_reserve(&lists->ends, &end_capacity, count, DLP_GROUP_LIMIT * sizeof(int32_t), "lists", error));
    lists->capacity = end_capacity;
    lists->block_count = (count + DLP_LIST_BLOCK - 1) / DLP_LIST_BLOCK;
    int32_t entry_capacity = lists->block_capacity, size_capacity = lists->block_capacity;
    DLP_TRY(
        dlp_reserve(&lists->entries, &entry_capacity, lists->block_count, sizeof(int32_t *), "lists", error));
    DLP_TRY(dlp_reserve(&lists->entry_capacity, &size_capacity, lists->block_count, sizeof(int32_t), "lists",
                        error));
    lists->block_capacity = size_capacity;
    return DLP_OK;
}

dlp_status dlp_lists_build(dlp_lists *lists, const dlp_list_def *def, dlp_target target, dlp_team *team,
                           dlp_error *error)
{
    lists->first = def->first;
    lists->count = def->count;
    DLP_TRY(reserve_lists(lists, def->count, error));
    build_pass pass = {.lists = lists, .def = def, .fill = dlp_lists_fill_plain};
#if defined(DLP_HAVE_AVX2_PAIRS)
    if (target == DLP_TARGET_AVX2) pass.fill = dlp_lists_fill_avx2;
#else
    (void)target;
#endif
    dlp_parallel_for(team, lists->block_count, 1, build_blocks, &pass);
    if (atomic_load(&pass.is_short))
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "neighbours: no room for the lists of %d particles",
                        def->count);
    return DLP_OK;
}

void dlp_lists_release(dlp_lists *lists)
{
    for (int32_t block = 0; block < lists->block_capacity; block++) dlp_free(lists->entries[block]);
    dlp_free(lists->entries);
    dlp_free(lists->entry_capacity);
    dlp_free(lists->begin);
    dlp_free(lists->ends);
    *lists = (dlp_lists){0};
}

size_t dlp_lists_bytes(const dlp_lists *lists)
{
    size_t bytes = (size_t)lists->capacity * (1 + DLP_GROUP_LIMIT) * sizeof(int32_t);
    for (int32_t block = 0; block < lists->block_capacity; block++)
        bytes += (size_t)lists->entry_capacity[block] * sizeof(int32_t);
    return bytes;
}
