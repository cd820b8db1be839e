/* Arrays that a struct owns. Each is declared once, in a list X(name, type, components, per); the members of
 * the struct, the room for them and their release follow from that list. */
#ifndef DLP_MOTION_SOLID_ARRAYS_H
#define DLP_MOTION_SOLID_ARRAYS_H

#include "base/memory.h"

#include <stddef.h>

/* One array of a list. */
typedef struct dlp_solid_array {
    size_t offset; /* bytes from the start of its struct to its pointer */
    size_t size;   /* bytes of an item */
    int32_t per;   /* what it has an item for each of: a value of the struct's own enum */
} dlp_solid_array;

typedef struct dlp_solid_array_list {
    const dlp_solid_array *arrays;
    int32_t count;
} dlp_solid_array_list;
#define DLP_SOLID_LIST_OF(arrays) ((dlp_solid_array_list){(arrays), sizeof(arrays) / sizeof(arrays)[0]})

/* How a list's row becomes a member of its struct. */
#define DLP_SOLID_MEMBER(name, type, components, per) type *name;

/* Makes room for `count` items in all arrays of the list that have one per `per`; what is new is zero.
 * `capacity` has a number for every value of the enum. */
dlp_status dlp_solid_arrays_reserve(void *owner, dlp_solid_array_list list, int32_t *capacity, int32_t per,
                                    int32_t count, dlp_error *error);
void dlp_solid_arrays_release(void *owner, dlp_solid_array_list list);

#endif
