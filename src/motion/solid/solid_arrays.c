#include "motion/solid/solid_arrays.h"

#include <string.h>

dlp_status dlp_solid_arrays_reserve(void *owner, dlp_solid_array_list list, int32_t *capacity, int32_t per,
                                    int32_t count, dlp_error *error)
{
    int32_t grown = capacity[per];
    for (int32_t k = 0; k < list.count; k++) {
        const dlp_solid_array *array = &list.arrays[k];
        if (array->per != per) continue;
        grown = capacity[per];  // all of them grow alike
        DLP_TRY(dlp_reserve((char *)owner + array->offset, &grown, count, array->size, "solids", error));
    }
    capacity[per] = grown;
    return DLP_OK;
}

void dlp_solid_arrays_release(void *owner, dlp_solid_array_list list)
{
    for (int32_t k = 0; k < list.count; k++) {
        char *place = (char *)owner + list.arrays[k].offset;
        void *array;
        memcpy(&array, place, sizeof array);
        dlp_free(array);
        array = NULL;
        memcpy(place, &array, sizeof array);
    }
}
