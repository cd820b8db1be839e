/* What a checkpoint must hold: everything from which the next bits follow. Solvers list it, record/ writes
 * it. */
#ifndef DLP_MOTION_MANIFEST_H
#define DLP_MOTION_MANIFEST_H

#include "base/status.h"

/* What the count of an item follows from. */
typedef enum dlp_count_kind {
    DLP_COUNT_FIXED,     /* the scene */
    DLP_COUNT_PARTICLES, /* the number of particles of the solver that lists it */
    DLP_COUNT_FREE       /* nothing: it is what the checkpoint has, the same for all such items of a list */
} dlp_count_kind;

typedef struct dlp_manifest_item {
    const char *name; /* unique, [a-z_0-9/] */
    dlp_type type;
    int32_t components;
    int32_t count;
    void *data; /* borrowed */
    dlp_count_kind counts;
    int32_t
        part; /* who lists it: a solver's place in the world, or after them an extension; set by the world */
} dlp_manifest_item;

/* A list that grows; all-zero is empty. */
typedef struct dlp_manifest {
    dlp_manifest_item *items;
    double (*ranges)[2]; /* of an item's values, least and most; without a bound all finite numbers */
    int32_t count, capacity, range_capacity;
    bool is_short; /* memory ran out: the list is not whole */
} dlp_manifest;
void dlp_manifest_add(dlp_manifest *manifest, dlp_manifest_item item);
/* Says what values the item of that name may have; nothing where the list has none. */
void dlp_manifest_bound(dlp_manifest *manifest, const char *name, double least, double most);
/* DLP_IO where a value is not finite or out of its bounds: what a run can have left is neither. */
dlp_status dlp_manifest_check_values(const dlp_manifest *manifest, dlp_error *error);
/* DLP_OUT_OF_MEMORY where it is not whole. */
dlp_status dlp_manifest_check(const dlp_manifest *manifest, dlp_error *error);
void dlp_manifest_release(dlp_manifest *manifest);

#endif
