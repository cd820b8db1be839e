/* Lists of fields. A struct of arrays that are all of one length is declared by a list, a macro
 * LIST(X) of entries X(name, type, components). Its members, room for it and its release follow from the
 * list. State has lists of entries X(name, type, components, saved_as); its part of a checkpoint follows,
 * too. */
#ifndef DLP_MOTION_CLOTH_FIELDS_H
#define DLP_MOTION_CLOTH_FIELDS_H

#include "base/memory.h"

/* The members of a struct: how many entries there is room for, then one array per entry of the list. */
#define DLP_CLOTH_ARRAYS(LIST)                                                                               \
    int32_t capacity;                                                                                        \
    LIST(DLP_CLOTH_DECLARE)
#define DLP_CLOTH_SAVED_ARRAYS(LIST)                                                                         \
    int32_t capacity;                                                                                        \
    LIST(DLP_CLOTH_DECLARE_SAVED)
#define DLP_CLOTH_DECLARE(name, type, components)                 type *name;
#define DLP_CLOTH_DECLARE_SAVED(name, type, components, saved_as) type *name;

/* Arrays that grow by themselves, X(name, type): each with a capacity of its own. */
#define DLP_CLOTH_DECLARE_POOL(name, type)                                                                   \
    type *name;                                                                                              \
    int32_t name##_capacity;
#define DLP_CLOTH_FREE_POOL(name, type) dlp_free(pools->name);
#define DLP_CLOTH_RESERVE_POOL(pools, name, count, error)                                                    \
    dlp_reserve(&(pools)->name, &(pools)->name##_capacity, count, sizeof *(pools)->name, "cloth", error)

/* Inside functions whose parameter `arrays` is such a struct: see DLP_CLOTH_DEFINE_ARRAYS. */
#define DLP_CLOTH_GROW(name, type, components)                                                               \
    grown = arrays->capacity;                                                                                \
    DLP_TRY(dlp_reserve(&arrays->name, &grown, count, (components) * sizeof(type), "cloth", error));
#define DLP_CLOTH_FREE(name, type, components)                 dlp_free(arrays->name);
#define DLP_CLOTH_GROW_SAVED(name, type, components, saved_as) DLP_CLOTH_GROW(name, type, components)
#define DLP_CLOTH_FREE_SAVED(name, type, components, saved_as) dlp_free(arrays->name);

/* Defines reserve_NAME (makes room; what is there stays, new entries are zero; where memory runs out
 * `capacity` stays as it was) and release_NAME, both of a dlp_cloth_NAME that LIST declares. */
#define DLP_CLOTH_DEFINE_ARRAYS(name, LIST)                                                                  \
    DLP_CLOTH_DEFINE_ARRAYS_BY(name, LIST, DLP_CLOTH_GROW, DLP_CLOTH_FREE)
#define DLP_CLOTH_DEFINE_SAVED_ARRAYS(name, LIST)                                                            \
    DLP_CLOTH_DEFINE_ARRAYS_BY(name, LIST, DLP_CLOTH_GROW_SAVED, DLP_CLOTH_FREE_SAVED)
#define DLP_CLOTH_DEFINE_ARRAYS_BY(name, LIST, GROW, FREE)                                                   \
    static dlp_status reserve_##name(dlp_cloth_##name *arrays, int32_t count, dlp_error *error)              \
    {                                                                                                        \
        int32_t grown = arrays->capacity;                                                                    \
        LIST(GROW)                                                                                           \
        arrays->capacity = grown;                                                                            \
        return DLP_OK;                                                                                       \
    }                                                                                                        \
    static void release_##name(dlp_cloth_##name *arrays)                                                     \
    {                                                                                                        \
        LIST(FREE)                                                                                           \
    }
#define DLP_CLOTH_DEFINE_POOLS(name, LIST)                                                                   \
    static void release_##name(dlp_cloth_##name *pools)                                                      \
    {                                                                                                        \
        LIST(DLP_CLOTH_FREE_POOL)                                                                            \
    }

/* dlp_type of a C type. */
#define DLP_CLOTH_TYPE(type)                                                                                 \
    _Generic((type)0, double : DLP_FLOAT64, float : DLP_FLOAT32, int32_t : DLP_INT32, int64_t : DLP_INT64)

#endif
