/* Memory: one function hands it out, so that it is aligned, zeroed, overflow-checked and counted. */
#ifndef DLP_BASE_MEMORY_H
#define DLP_BASE_MEMORY_H

#include "base/status.h"

/* `count` items of `size` bytes, zeroed, aligned to 64 bytes; NULL when there is not enough memory or the
 * size overflows. A count of 0 gives a valid block of no bytes. `label` names the purpose in dlp_memory_of;
 * it is kept by address and must be a string literal. Safe from several threads. */
void *dlp_alloc(size_t count, size_t size, const char *label);
void dlp_free(void *memory); /* a block of dlp_alloc or dlp_realloc, or NULL */

/* A copy of `memory` (which may be NULL) of another size: a larger one has its new part zeroed, a smaller one
 * is cut. The old block is freed. On failure NULL comes back and `memory` stays valid. */
void *dlp_realloc(void *memory, size_t count, size_t size, const char *label);
/* A copy of a text, freed with dlp_free; NULL when there is not enough memory. */
char *dlp_copy_text(const char *text, const char *label);

size_t dlp_memory_in_use(void);          /* bytes now */
size_t dlp_memory_of(const char *label); /* bytes now under one label */
int64_t dlp_memory_call_count(void);     /* calls of dlp_alloc and dlp_realloc so far */

/* Makes a growing array hold at least `count` items of `size` bytes: *capacity at least doubles when it
 * grows, and the new items are zeroed. `array_pointer` is the address of the array's pointer, which may hold
 * NULL with a capacity of 0; items may move. On failure array and capacity stay as they were. */
dlp_status dlp_reserve(void *array_pointer, int32_t *capacity, int32_t count, size_t size, const char *label,
                       dlp_error *error);

#endif
