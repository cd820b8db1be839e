/* The one allocator of the library. A header before each block remembers its size and its label. */
#include "base/memory.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, LABEL_COUNT = 64 };

// Stands before every block and takes ALIGNMENT bytes, so that the block itself is aligned.
typedef struct block_header {
    size_t size;    // bytes the caller asked for
    int32_t label;  // its slot in `labels`
} block_header;

// The allocator and the counts are the library's only process-wide state: memory belongs to the process. The
// counts are atomic, so any thread may allocate; the allocator itself is set before the first block is made.
static dlp_allocator replaced;
static struct {
    _Atomic(const char *) name;  // borrowed string literal; NULL: free. Once set it never changes
    _Atomic size_t bytes;        // now in use under this name
} labels[LABEL_COUNT];
static _Atomic size_t bytes_in_use;
static _Atomic int64_t call_count;

void dlp_set_allocator(const dlp_allocator *allocator)
{
    replaced = allocator != NULL ? *allocator : (dlp_allocator){0};
}

// The slot of a label, which is made where there is none; the last slot counts all labels beyond the limit.
// Slots are only ever filled, in order, so that a search needs no lock: a thread that loses the exchange
// reads the winner's name in `name`.
static int32_t label_slot(const char *label)
{
    for (int32_t k = 0; k < LABEL_COUNT - 1; k++) {
        const char *name = atomic_load(&labels[k].name);
        if (name == NULL && atomic_compare_exchange_strong(&labels[k].name, &name, label)) return k;
        if (strcmp(name, label) == 0) return k;
    }
    return LABEL_COUNT - 1;
}

// `size` is a multiple of ALIGNMENT, as aligned_alloc asks.
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
    assert(header.label >= 0 && header.label < LABEL_COUNT);  // else it is not a block of dlp_alloc
    atomic_fetch_sub(&labels[header.label].bytes, header.size);
    atomic_fetch_sub(&bytes_in_use, header.size);
    const size_t whole = (header.size + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (replaced.release != NULL)
        replaced.release(block, whole, replaced.user);
    else
        free(block);
}

// Always makes a new block: the library grows arrays by doubling, so that growing in place would save little,
// and the new part is zeroed as that of any block.
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
    assert(count >= 0 && *capacity >= 0 && size > 0);
    if (count <= *capacity) return DLP_OK;
    // doubling keeps the total cost of growing linear in the final count
    const int32_t doubled = *capacity > INT32_MAX / 2 ? INT32_MAX : 2 * *capacity;
    const int32_t wanted = count > doubled ? count : doubled;
    void *array;  // by memcpy: the caller's pointer has another type than void *
    memcpy(&array, array_pointer, sizeof array);
    void *larger = dlp_realloc(array, (size_t)wanted, size, label);
    if (larger == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: not enough memory for %d items of %zu bytes", label,
                        wanted, size);
    memcpy(array_pointer, &larger, sizeof larger);
    *capacity = wanted;
    return DLP_OK;
}
