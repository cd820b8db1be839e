/* Lists of neighbours, with a margin so that they serve for several steps. A list is a pure function of the
 * points' order and positions (in units): the same on any number of threads and any instruction set. */
#ifndef DLP_SPACE_NEIGHBOURS_H
#define DLP_SPACE_NEIGHBOURS_H

#include "base/parallel.h"
#include "base/target.h"
#include "space/grid.h"

enum {
    DLP_LIST_BLOCK = 512, /* points whose lists share a buffer: the unit of parallel work */
    DLP_GROUP_LIMIT = 2   /* groups of a list: particles, walls */
};

/* All points that may be neighbours of one another, layer after layer. Everything is borrowed. The arrays
 * have 8 readable items past the end (wide loads go on there), and point `point_count` is far from
 * everything. */
typedef struct dlp_point_cloud {
    const dlp_units *units;
    const int32_t *at[3];    /* low 32 bits of the position in units */
    const float *reach;      /* m: per point, or NULL where all have that of the layer */
    const dlp_layer *layers; /* indexed, and in the order of their points */
    int32_t layer_count;
    int32_t point_count;
} dlp_point_cloud;

/* Neighbours of a point come in groups (particles, walls), each in ascending order and padded to a multiple
 * of eight with `point_count`, the index of a point that is far from everything. The arrays are owned and
 * reused; all-zero is empty. */
typedef struct dlp_lists {
    int32_t first, count; /* points that have a list: first .. first + count - 1 */
    int32_t block_count;
    int32_t **entries;                /* per block of DLP_LIST_BLOCK points: its buffer */
    int32_t *entry_capacity, *used;   /* per block: of its buffer */
    int32_t *begin;                   /* per point: place in its block's buffer */
    int32_t *ends;                    /* per point and group: end of the group, after padding, from `begin` */
    int32_t capacity, block_capacity; /* points and blocks that the arrays hold */
} dlp_lists;

/* Which lists to make. Everything is borrowed for the call. */
typedef struct dlp_list_def {
    const dlp_point_cloud *cloud;
    int32_t first, count;                   /* whose lists: points first .. first + count - 1 */
    int32_t group_count;                    /* at most DLP_GROUP_LIMIT; further groups are empty */
    uint32_t group_layers[DLP_GROUP_LIMIT]; /* which layers make up each group: a bit per layer */
    /* Leaves out what i cannot see because a thin wall stands between: moves the visible entries to the
     * front, in their order, and returns how many there are. Called only where may_hide[i], from several
     * threads at once. */
    const uint8_t *may_hide; /* per point; NULL: nothing is hidden */
    int32_t (*keep_visible)(const void *context, int32_t i, int32_t *entries, int32_t count);
    const void *context;
} dlp_list_def;

/* Two points are neighbours where the square of their distance is below m^2 + 5/4 d^2, with m and d half the
 * sum and half the difference of their reaches: no less than the quadratic mean of their supports that pair
 * loops take (matter/pair.h). */
dlp_status dlp_lists_build(dlp_lists *lists, const dlp_list_def *def, dlp_target target, dlp_team *team,
                           dlp_error *error);
void dlp_lists_release(dlp_lists *lists);
size_t dlp_lists_bytes(const dlp_lists *lists); /* in memory now */

/* Factor of the squared reach that covers the rounding of float distances. */
#define DLP_LIST_HAIR 1.00002f

/* Where two points of these reaches are neighbours: the square of the distance, m2. */
static inline float dlp_reach_square(float a, float b)
{
    const float m = a + b, d = a - b;
    return (0.25f * DLP_LIST_HAIR) * (m * m + 1.25f * (d * d));
}

/* One list: groups without padding, one after another. Owned and reused; the user frees `entries`. */
typedef struct dlp_found {
    int32_t *entries;
    int32_t capacity;
    int32_t ends[DLP_GROUP_LIMIT]; /* per group: one past its last entry */
} dlp_found;

/* Finds the neighbours of a point that now stands at `at` (in units), while the cells are those of an earlier
 * time, since which no point has left its cell by more than `slack` units along an axis. The list is the one
 * that dlp_lists_build would make. Only where no axis is periodic and nothing is hidden. */
dlp_status dlp_list_find(const dlp_list_def *def, int32_t point, const int64_t at[3], int32_t slack,
                         dlp_found *found, dlp_error *error);
/* Replaces the list of a point; may move the buffer of its block. `sentinel` is the cloud's point_count. */
dlp_status dlp_list_replace(dlp_lists *lists, int32_t point, const dlp_found *found, int32_t sentinel,
                            dlp_error *error);

/* The entries of a point's first group; the others follow. Valid until its block is built or changed. */
static inline const int32_t *dlp_list_of(const dlp_lists *lists, int32_t point)
{
    const int32_t k = point - lists->first;
    return lists->entries[k / DLP_LIST_BLOCK] + lists->begin[k];
}
/* Where a group ends, counted from the beginning of the point's list, padding included; it begins where the
 * group before it ends. */
static inline int32_t dlp_list_end(const dlp_lists *lists, int32_t point, int32_t group)
{
    return lists->ends[(point - lists->first) * DLP_GROUP_LIMIT + group];
}

/* Fills one block of lists; compiled once per target. Blocks may be filled in parallel: each writes to its
 * own buffer and to the entries of its own points. False where there was not enough memory. */
typedef bool dlp_lists_fill_fn(dlp_lists *lists, const dlp_list_def *def, int32_t block);
dlp_lists_fill_fn dlp_lists_fill_plain, dlp_lists_fill_avx2;

#endif
