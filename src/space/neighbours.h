/* Lists of neighbours, with a margin so that they serve for several steps. A list is a pure function of the
 * points' order and positions (in units): the same on any number of threads and any instruction set. */
#ifndef DLP_SPACE_NEIGHBOURS_H
#define DLP_SPACE_NEIGHBOURS_H

#include "base/parallel.h"
#include "base/target.h"
#include "space/grid.h"

enum { DLP_LIST_BLOCK = 512, DLP_GROUP_LIMIT = 2 };

/* All points that may be neighbours of one another, layer after layer. */
typedef struct dlp_point_cloud {
    const dlp_units *units;
    const int32_t *at[3]; /* low 32 bits of the position in units; 8 readable items past the end */
    const float *reach;   /* m: of each point, or NULL where all have that of the layer */
    const dlp_layer *layers;
    int32_t layer_count;
    int32_t point_count;
} dlp_point_cloud;

/* Neighbours of a point come in groups (particles, walls), each padded to a multiple of eight with
 * `point_count`, the index of a point that is far from everything. */
typedef struct dlp_lists {
    int32_t first, count; /* points that have a list: first .. first + count - 1 */
    int32_t block_count;
    int32_t **entries;              /* a buffer a block of DLP_LIST_BLOCK points */
    int32_t *entry_capacity, *used; /* of each buffer */
    int32_t *begin;                 /* per point: place in its block's buffer */
    int32_t *ends; /* per point and group: end of the group, after padding; the groups are by index */
    int32_t capacity, block_capacity;
} dlp_lists;

typedef struct dlp_list_def {
    const dlp_point_cloud *cloud;
    int32_t first, count; /* whose lists */
    int32_t group_count;
    uint32_t group_layers[DLP_GROUP_LIMIT]; /* which layers make up each group: a bit a layer */
    /* Leaves out what i cannot see (a thin wall stands between): moves what stays to the front of the entries
     * and returns how many that are. Asked only where may_hide[i]. */
    const uint8_t *may_hide;
    int32_t (*keep_visible)(const void *context, int32_t i, int32_t *entries, int32_t count);
    const void *context;
} dlp_list_def;

/* Two points are neighbours where the square of their distance is below m^2 + 5/4 d^2, with m and d half the
 * sum and half the difference of their reaches: no less than the mean of their supports that pair loops take.
 */
dlp_status dlp_lists_build(dlp_lists *lists, const dlp_list_def *def, dlp_target target, dlp_team *team,
                           dlp_error *error);
void dlp_lists_release(dlp_lists *lists);
size_t dlp_lists_bytes(const dlp_lists *lists);

/* Lists reach a hair farther, for rounding. */
#define DLP_LIST_HAIR 1.00002f

/* Where two points of these reaches are neighbours: the square of the distance, m2. */
static inline float dlp_reach_square(float a, float b)
{
    const float m = a + b, d = a - b;
    return (0.25f * DLP_LIST_HAIR) * (m * m + 1.25f * (d * d));
}

/* A list as it is now: groups without padding, one after another. */
typedef struct dlp_found {
    int32_t *entries;
    int32_t capacity;
    int32_t ends[DLP_GROUP_LIMIT];
} dlp_found;

/* Looks anew for the neighbours of a point that stands at `at`, where no point has gone more than `slack`
 * units along an axis from the cell it is indexed in. For cells that are not periodic and nothing that hides.
 */
dlp_status dlp_list_find(const dlp_list_def *def, int32_t point, const int64_t at[3], int32_t slack,
                         dlp_found *found, dlp_error *error);
/* Replaces the list of a point. */
dlp_status dlp_list_replace(dlp_lists *lists, int32_t point, const dlp_found *found, int32_t sentinel,
                            dlp_error *error);

static inline const int32_t *dlp_list_of(const dlp_lists *lists, int32_t point)
{
    const int32_t k = point - lists->first;
    return lists->entries[k / DLP_LIST_BLOCK] + lists->begin[k];
}
/* Number of entries of one group, padding included; the groups stand one after another. */
static inline int32_t dlp_list_end(const dlp_lists *lists, int32_t point, int32_t group)
{
    return lists->ends[(point - lists->first) * DLP_GROUP_LIMIT + group];
}

/* One block of lists; compiled once a target. False where there was no memory. */
typedef bool dlp_lists_fill_fn(dlp_lists *lists, const dlp_list_def *def, int32_t block);
dlp_lists_fill_fn dlp_lists_fill_plain, dlp_lists_fill_avx2;

#endif
