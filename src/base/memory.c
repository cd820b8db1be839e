#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, LABEL_COUNT = 64 };

// What stands before every block, in ALIGNMENT bytes.
typedef struct block_header {
    size_t size;  // bytes the caller asked for
    int32_t label;
} block_header;

// The allocator and the counts are the library's only process-wide state: memory belongs to the process.
static dlp_allocator replaced;
static struct {
    _Atomic(const char *) name;
    _Atomic size_t bytes;
} labels[LABEL_COUNT];
static _Atomic size_t bytes_in_use;
static _Atomic int64_t call_count;

void dlp_set_allocator(const dlp_allocator *allocator)
{
    replaced = allocator != NULL ? *allocator : (dlp_allocator){0};
}

// The slot of a label; the last one gathers what finds no room of its own.
static int32_t label_slot(const char *label)
{
    for (int32_t k = 0; k < LABEL_COUNT - 1; k++) {
        const char *name = atomic_load(&labels[k].name);
        if (name == NULL && atomic_compare_exchange_strong(&labels[k].name, &name, label)) return k;
        if (strcmp(name, label) == 0) return k;
    }
    return LABEL_COUNT - 1;
}

static void *raw_allocate(size_t size)
{
    if (replaced.allocate != NULL) return replaced.allocate(ALIGNMENT, size, replaced.user);
    return aligned_alloc(ALIGNMENT, size);
}

void *dlp_alloc(size_t count, size_t size, const char *label)
{
    if (size != 0 && count > (SIZE_MAX - 2 * ALIGNMENT) / size) return NULL;
    const size_t bytes = count * size;
    const size_t whole = (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *block = raw_allocate(whole);
    if (block == NULL) return NULL;

    memset(block, 0, whole);
    const block_header header = {bytes, label_slot(label)};
    memcpy(block, &header, sizeof header);
    atomic_fetch_add(&labels[header.label].bytes, bytes);
    atomic_fetch_add(&bytes_in_use, bytes);
    atomic_fetch_add(&call_count, 1);
    return block + ALIGNMENT;
}

void dlp_free(void *memory)
{
    if (memory == NULL) return;
    char *block = (char *)memory - ALIGNMENT;
    block_header header;
    memcpy(&header, block, sizeof header);
    atomic_fetch_sub(&labels[header.label].bytes, header.size);
    atomic_fetch_sub(&bytes_in_use, header.size);
    const size_t whole = (header.size + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (replaced.release != NULL)
        replaced.release(block, whole, replaced.user);
    else
        free(block);
}

void *dlp_realloc(void *memory, size_t count, size_t size, const char *label)
{
    void *larger = dlp_alloc(count, size, label);
    if (larger == NULL || memory == NULL) return larger;
    block_header header;
    memcpy(&header, (char *)memory - ALIGNMENT, sizeof header);
    memcpy(larger, memory, header.size < count * size ? header.size : count * size);
    dlp_free(memory);
    return larger;
}

char *dlp_copy_text(const char *text, const char *label)
{
    const size_t size = strlen(text) + 1;
    char *copy = dlp_alloc(size, 1, label);
    if (copy != NULL) memcpy(copy, text, size);
    return copy;
}

size_t dlp_memory_in_use(void)
{
    return atomic_load(&bytes_in_use);
}

size_t dlp_memory_of(const char *label)
{
    return atomic_load(&labels[label_slot(label)].bytes);
}

int64_t dlp_memory_call_count(void)
{
    return atomic_load(&call_count);
}

dlp_status dlp_reserve(void *array_pointer, int32_t *capacity, int32_t count, size_t size, const char *label,
                       dlp_error *error)
{
    if (count <= *capacity) return DLP_OK;
    const int32_t doubled = *capacity > INT32_MAX / 2 ? INT32_MAX : 2 * *capacity;
    const int32_t wanted = count > doubled ? count : doubled;
    void *array;
    memcpy(&array, array_pointer, sizeof array);
    void *larger = dlp_realloc(array, (size_t)wanted, size, label);
    if (larger == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for %d items of %zu bytes", label, wanted,
                        size);
    memcpy(array_pointer, &larger, sizeof larger);
    *capacity = wanted;
    return DLP_OK;
}
