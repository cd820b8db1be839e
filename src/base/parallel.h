/* Threads. Only this knows about them: a loop is a function over [begin, end). */
#ifndef DLP_BASE_PARALLEL_H
#define DLP_BASE_PARALLEL_H

#include "base/status.h"

typedef struct dlp_team dlp_team;

/* Does the items begin..end-1; `thread` (0 .. thread_count-1) says whose private scratch to use. What it
 * writes must depend only on the item, never on the thread or on how the range was cut. */
typedef void dlp_range_fn(void *context, int32_t begin, int32_t end, int32_t thread);

/* `thread_count` 0: one a processor. A team of one runs everything in the caller's thread. */
dlp_status dlp_team_create(int32_t thread_count, dlp_team **out_team, dlp_error *error);
void dlp_team_destroy(dlp_team *team);
int32_t dlp_team_size(const dlp_team *team); /* 1 for NULL */

/* Runs `fn` over 0..count-1 in pieces of `grain` items, handed out as threads become free. Pieces start at
 * multiples of `grain`, whatever the number of threads. A NULL team runs in the caller's thread. */
void dlp_parallel_for(dlp_team *team, int32_t count, int32_t grain, dlp_range_fn *fn, void *context);

#endif
