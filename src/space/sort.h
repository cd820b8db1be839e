/* A stable radix sort of 64-bit keys in parallel; its result does not depend on the number of threads. */
#ifndef DLP_SPACE_SORT_H
#define DLP_SPACE_SORT_H

#include "base/parallel.h"

typedef struct dlp_sorter {
    uint64_t *keys;       /* borrowed. In: the keys; out: sorted */
    int32_t *order;       /* borrowed. Out: order[k] is the old place of what now stands at k */
    uint64_t *other_keys; /* borrowed scratch */
    int32_t *other_order; /* borrowed scratch */
    int32_t *histogram;
    int32_t block_capacity;
} dlp_sorter;

/* Lays the four borrowed arrays into `memory`, DLP_SORT_BYTES a key. */
enum { DLP_SORT_BYTES = 2 * (sizeof(uint64_t) + sizeof(int32_t)) };
dlp_status dlp_sorter_prepare(dlp_sorter *sorter, void *memory, int32_t count, dlp_error *error);
void dlp_sorter_sort(dlp_sorter *sorter, int32_t count, dlp_team *team);
void dlp_sorter_release(dlp_sorter *sorter);

#endif
