/* A stable radix sort of 64-bit keys in parallel; its result does not depend on the number of threads. */
#ifndef DLP_SPACE_SORT_H
#define DLP_SPACE_SORT_H

#include "base/parallel.h"

/* A sort's arrays. All-zero is valid; it grows in dlp_sorter_prepare. After a sort `keys` and `order` may
 * have changed places with the scratch: read them through the struct. */
typedef struct dlp_sorter {
    uint64_t *keys;         /* borrowed. In: the keys; out: sorted */
    int32_t *order;         /* borrowed. Out: order[k] is the old place of what now stands at k */
    uint64_t *other_keys;   /* borrowed scratch */
    int32_t *other_order;   /* borrowed scratch */
    int32_t *histogram;     /* owned: per block of keys and digit, how many there are */
    int32_t block_capacity; /* blocks that the histogram holds */
} dlp_sorter;

/* Lays the four borrowed arrays into `memory`, DLP_SORT_BYTES per key, aligned to 8 bytes. Then fill in
 * `keys`. */
enum { DLP_SORT_BYTES = 2 * (sizeof(uint64_t) + sizeof(int32_t)) };
dlp_status dlp_sorter_prepare(dlp_sorter *sorter, void *memory, int32_t count, dlp_error *error);
/* Sorts keys[0 .. count-1] in ascending order; equal keys keep their order. One pass per 9 bits in which
 * keys differ. `count` is at most that of dlp_sorter_prepare. */
void dlp_sorter_sort(dlp_sorter *sorter, int32_t count, dlp_team *team);
void dlp_sorter_release(dlp_sorter *sorter);

#endif
