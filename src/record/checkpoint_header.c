// The header in front of a checkpoint, in the byte order of the machine: little endian on all that are
// supported.
#include "record/checkpoint_header.h"

#include <inttypes.h>
#include <string.h>

static const char magic[8] = {'D', 'O', 'L', 'L', 'O', 'P', 'C', 'K'};

// What stands at the start of the block; the rest of the block is zero.
typedef struct checkpoint_header {
    char magic[8];
    uint32_t version;    // of the layout, outside of HDF5, so that any version can be told apart
    uint32_t reserved;   // 0
    uint64_t size;       // bytes of the payload
    uint64_t digest[2];  // of the payload
} checkpoint_header;
_Static_assert(sizeof(checkpoint_header) == 40, "the header's layout is a file format");

// `count`: 1 to 63.
static uint64_t rotate_left(uint64_t x, unsigned count)
{
    return x << count | x >> (64 - count);
}

// Two lanes of multiply and rotate. Each is a bijection of its state for a given word and of the word for a
// given state, so that a change within one word is always seen, and any other is missed once in 2^128. It
// guards against accidents, not against forgery.
static void digest_bytes(const unsigned char *bytes, size_t size, uint64_t out_digest[2])
{
    uint64_t a = 0x9e3779b97f4a7c15u ^ size, b = 0xc2b2ae3d27d4eb4fu;
    for (size_t k = 0; k < size; k += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + k, size - k < 8 ? size - k : 8);
        a = rotate_left((a ^ word) * 0xff51afd7ed558ccdu, 31);
        b = rotate_left((b + word) * 0x87c37b91114253d5u, 33);
        b ^= b >> 29;
    }
    out_digest[0] = a ^ a >> 32;
    out_digest[1] = b ^ b >> 32;
}

void dlp_checkpoint_header_make(int32_t version, const void *payload, size_t size,
                                unsigned char out_header[DLP_CHECKPOINT_HEADER_SIZE])
{
    checkpoint_header head = {.version = (uint32_t)version, .size = size};
    memcpy(head.magic, magic, sizeof magic);
    digest_bytes(payload, size, head.digest);
    memset(out_header, 0, DLP_CHECKPOINT_HEADER_SIZE);
    memcpy(out_header, &head, sizeof head);
}

// Whether the bytes of the block after the header are what was written: all zero.
static bool is_rest_zero(const unsigned char *block)
{
    unsigned char any = 0;
    for (size_t k = sizeof(checkpoint_header); k < DLP_CHECKPOINT_HEADER_SIZE; k++) any |= block[k];
    return any == 0;
}

// The version is checked before the digest, so that a newer file is called newer and not damaged.
dlp_status dlp_checkpoint_header_check(const char *path, int32_t version, const void *bytes, size_t size,
                                       dlp_error *error)
{
    checkpoint_header head;
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return dlp_fail(error, DLP_IO, "%s: not a checkpoint: it does not start with \"DOLLOPCK\"", path);
    if (size < DLP_CHECKPOINT_HEADER_SIZE)
        return dlp_fail(error, DLP_IO, "%s: damaged: it ends after %zu bytes, within its head of %d", path,
                        size, DLP_CHECKPOINT_HEADER_SIZE);
    memcpy(&head, bytes, sizeof head);
    if (head.version != (uint32_t)version)
        return dlp_fail(error, DLP_UNSUPPORTED,
                        "%s: a checkpoint of version %" PRIu32 "; this library (%s) reads version %" PRId32,
                        path, head.version, dlp_version(), version);
    const uint64_t there = size - DLP_CHECKPOINT_HEADER_SIZE;
    if (head.size != there)
        return dlp_fail(error, DLP_IO, "%s: damaged: %" PRIu64 " bytes of data; its head says %" PRIu64, path,
                        there, head.size);
    uint64_t digest[2];
    digest_bytes((const unsigned char *)bytes + DLP_CHECKPOINT_HEADER_SIZE, (size_t)there, digest);
    if (memcmp(digest, head.digest, sizeof digest) != 0 || head.reserved != 0 || !is_rest_zero(bytes))
        return dlp_fail(error, DLP_IO, "%s: damaged: its data are not those that were written (checksum)",
                        path);
    return DLP_OK;
}
