/* Memory: one function hands it out, so that it is aligned, zeroed, overflow-checked and counted. */
#ifndef DLP_BASE_MEMORY_H
#define DLP_BASE_MEMORY_H

#include "base/status.h"

/* `count` items of `size` bytes, zeroed, aligned to 64 bytes; NULL when there is no room or the size
 * overflows. `label` (a string literal) names the purpose in dlp_memory_of. */
void *dlp_alloc(size_t count, size_t size, const char *label);
void dlp_free(void *memory); /* NULL is fine */

/* A larger copy of `memory` (which may be NULL) with the new part zeroed; the old one is freed. On failure
 * NULL comes back and `memory` stays valid. */
void *dlp_realloc(void *memory, size_t count, size_t size, const char *label);
char *dlp_copy_text(const char *text, const char *label);

size_t dlp_memory_in_use(void);          /* bytes now */
size_t dlp_memory_of(const char *label); /* bytes now under one label */
int64_t dlp_memory_call_count(void);     /* calls of dlp_alloc and dlp_realloc so far */

/* Makes room for `count` items in a growing array: *capacity at least doubles when it grows. */
dlp_status dlp_reserve(void *array_pointer, int32_t *capacity, int32_t count, size_t size, const char *label,
                       dlp_error *error);

#endif
