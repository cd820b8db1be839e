#include "motion/manifest.h"
#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

void dlp_manifest_add(dlp_manifest *manifest, dlp_manifest_item item)
{
    const int32_t k = manifest->count;
    if (dlp_reserve(&manifest->items, &manifest->capacity, k + 1, sizeof item, "manifest", NULL) != DLP_OK ||
        dlp_reserve(&manifest->ranges, &manifest->range_capacity, k + 1, sizeof *manifest->ranges, "manifest",
                    NULL) != DLP_OK) {
        manifest->is_short = true;
        return;
    }
    manifest->items[k] = item;
    manifest->ranges[k][0] = -DBL_MAX;
    manifest->ranges[k][1] = DBL_MAX;
    manifest->count++;
}

void dlp_manifest_bound(dlp_manifest *manifest, const char *name, double least, double most)
{
    assert(least < most);
    for (int32_t k = manifest->count - 1; k >= 0; k--) {
        if (strcmp(manifest->items[k].name, name) != 0) continue;
        manifest->ranges[k][0] = least;
        manifest->ranges[k][1] = most;
        return;
    }
}

static double value_at(const dlp_manifest_item *item, int64_t n)
{
    switch (item->type) {
    case DLP_FLOAT32:
        return (double)((const float *)item->data)[n];
    case DLP_FLOAT64:
        return ((const double *)item->data)[n];
    case DLP_INT32:
        return (double)((const int32_t *)item->data)[n];
    case DLP_INT64:
        return (double)((const int64_t *)item->data)[n];
    }
    return (double)NAN;
}

static dlp_status check_item(const dlp_manifest_item *item, const double range[2], dlp_error *error)
{
    for (int64_t n = 0; n < (int64_t)item->count * item->components; n++) {
        const double value = value_at(item, n);
        if (!(value >= range[0] && value <= range[1]))
            return dlp_fail(error, DLP_IO,
                            "checkpoint: %s of %lld is %g, which no run can have left; %g to %g is possible",
                            item->name, (long long)(n / item->components), value, range[0], range[1]);
    }
    return DLP_OK;
}

dlp_status dlp_manifest_check_values(const dlp_manifest *manifest, dlp_error *error)
{
    for (int32_t k = 0; k < manifest->count; k++)
        DLP_TRY(check_item(&manifest->items[k], manifest->ranges[k], error));
    return DLP_OK;
}

dlp_status dlp_manifest_check(const dlp_manifest *manifest, dlp_error *error)
{
    return manifest->is_short ? dlp_fail(error, DLP_OUT_OF_MEMORY, "checkpoint: no room to list the state")
                              : DLP_OK;
}

void dlp_manifest_release(dlp_manifest *manifest)
{
    dlp_free(manifest->items);
    dlp_free(manifest->ranges);
    *manifest = (dlp_manifest){0};
}
