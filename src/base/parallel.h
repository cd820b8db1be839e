/* Threads. Only this module knows about them: everywhere else a loop is a function over [begin, end).
 *
 * The number of threads never changes a result: where items are cut into blocks, the cut follows from the
 * number of items alone, and the blocks' results are combined in their order. A team runs one loop at a time,
 * started from one thread; a loop starts no other one on the same team. */
#ifndef DLP_BASE_PARALLEL_H
#define DLP_BASE_PARALLEL_H

#include "base/status.h"

typedef struct dlp_team dlp_team;

/* Does the items begin..end-1; `thread` (0 .. dlp_team_size - 1) says whose private scratch to use: no two
 * calls with the same number run at once. What it writes must depend only on the item, never on the thread or
 * on how the range was cut, and no two items may write to one place. */
typedef void dlp_range_fn(void *context, int32_t begin, int32_t end, int32_t thread);

/* `thread_count` 0: one per processor; at most DLP_MAX_THREADS are made. A team of one runs everything in the
 * caller's thread. */
dlp_status dlp_team_create(int32_t thread_count, dlp_team **out_team, dlp_error *error);
/* A team without threads of its own: its loops run on those of the host. `tasks` is copied. */
dlp_status dlp_team_create_hosted(const dlp_task_system *tasks, dlp_team **out_team, dlp_error *error);
/* No loop may be running. NULL is allowed. */
void dlp_team_destroy(dlp_team *team);
int32_t dlp_team_size(const dlp_team *team); /* 1 for NULL */

/* Runs `fn` over 0..count-1 in pieces of `grain` (at least 1) items, and returns when all are done. Each
 * thread begins with a share of its own, the same in every loop of this length, so that it finds in its cache
 * what it wrote in the loop before; then it takes pieces from the others. Pieces start at multiples of
 * `grain`, whatever the number of threads. A NULL team runs in the caller's thread. */
void dlp_parallel_for(dlp_team *team, int32_t count, int32_t grain, dlp_range_fn *fn, void *context);

/* Adds what the items begin..end-1 give to *result. */
typedef void dlp_reduce_fn(void *context, int32_t begin, int32_t end, void *result);
/* Adds to *result what later items gave. */
typedef void dlp_combine_fn(void *result, const void *later);

enum { DLP_REDUCE_SIZE = 192 }; /* bytes: the largest result */

/* A reduction. The functions are borrowed for the call; `combine` must be associative up to rounding. */
typedef struct dlp_reduction {
    dlp_reduce_fn *reduce;
    dlp_combine_fn *combine;
    void *context;
    size_t size; /* bytes of a result, at most DLP_REDUCE_SIZE */
} dlp_reduction;

/* Sums, minima, counts over 0..count-1. In: *result is the neutral element (0 of a sum, the largest number of
 * a minimum); every block starts with a copy of it, and it is combined once more at the end. Out: all blocks,
 * combined in their order. Blocks are `grain` items, or a multiple of it where these would be too many. Makes
 * no heap call. */
void dlp_parallel_reduce(dlp_team *team, int32_t count, int32_t grain, const dlp_reduction *reduction,
                         void *result);

/* For results that are one number. */
dlp_combine_fn dlp_combine_sum_int64, dlp_combine_min_int32, dlp_combine_max_int32, dlp_combine_min_double,
    dlp_combine_max_double;

/* Returns how many of the items begin..end-1 are wanted; where `out` is not NULL it lists them there, in
 * ascending order. It may be called twice for each item and must answer alike. */
typedef int32_t dlp_select_fn(void *context, int32_t begin, int32_t end, int32_t *out);

/* Lists the wanted items of 0..count-1 in `out`, in ascending order, and returns how many there are. `out`
 * must hold them all (`count` is always enough) and must not be what `select` reads. Makes no heap call. */
int32_t dlp_parallel_compact(dlp_team *team, int32_t count, int32_t grain, dlp_select_fn *select,
                             void *context, int32_t *out);

/* Replaces each number by the sum of all up to and including it, and returns the sum of all, which must fit
 * an int32_t. Makes no heap call. */
int32_t dlp_parallel_scan(dlp_team *team, int32_t *numbers, int32_t count);

/* Copies, or sets every byte, as memcpy and memset do: `to` and `from` must not overlap. */
void dlp_parallel_copy(dlp_team *team, void *to, const void *from, size_t bytes);
void dlp_parallel_set(dlp_team *team, void *to, int value, size_t bytes);

#endif
