#include "motion/manifest.h"
#include "base/memory.h"

void dlp_manifest_add(dlp_manifest *manifest, dlp_manifest_item item)
{
    if (dlp_reserve(&manifest->items, &manifest->capacity, manifest->count + 1, sizeof item, "manifest",
                    NULL) != DLP_OK)
        manifest->is_short = true;
    else
        manifest->items[manifest->count++] = item;
}

dlp_status dlp_manifest_check(const dlp_manifest *manifest, dlp_error *error)
{
    return manifest->is_short ? dlp_fail(error, DLP_OUT_OF_MEMORY, "checkpoint: no room to list the state")
                              : DLP_OK;
}

void dlp_manifest_release(dlp_manifest *manifest)
{
    dlp_free(manifest->items);
    *manifest = (dlp_manifest){0};
}
