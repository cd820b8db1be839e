// Any bytes given as a checkpoint: refused with a message, never a crash. Each is tried as it is and under a
// fresh header, so that what lies behind the digest is reached as well. Values that HDF5 has read are
// fuzz_state.c's.
#include "record/checkpoint.h"
#include "record/checkpoint_header.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_bytes(const void *bytes, size_t size)
{
    dlp_error error = {0};
    dlp_checkpoint *checkpoint;
    if (dlp_checkpoint_open_bytes("fuzz.h5", bytes, size, &checkpoint, &error) != DLP_OK) {
        if (error.message[0] == '\0') abort();
        return;
    }
    float values[16];
    const dlp_manifest_item item = {"positions", DLP_FLOAT32, 1, 16, values, DLP_COUNT_FIXED, 0};
    if (dlp_checkpoint_match(checkpoint, &item, 1, &error) == DLP_OK)
        dlp_checkpoint_fetch(checkpoint, &item, 1, &error);
    dlp_checkpoint_close(checkpoint);
}

static bool looks_like_hdf5(const uint8_t *data, size_t size)
{
    for (size_t k = 0; k + 3 <= size; k++) {
        if (memcmp(data + k, "HDF", 3) == 0) return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    // A header over text that is no HDF5 file at all: HDF5 must only say so. Inputs that look like HDF5 are
    // not sealed: what that library does with forged files is not ours to mend.
    if (size == 0 || looks_like_hdf5(data, size)) return 0;
    unsigned char *sealed = malloc(DLP_CHECKPOINT_HEADER_SIZE + size);
    if (sealed == NULL) return 0;
    dlp_checkpoint_header_make(DLP_CHECKPOINT_VERSION, data, size, sealed);
    memcpy(sealed + DLP_CHECKPOINT_HEADER_SIZE, data, size);
    try_bytes(sealed, DLP_CHECKPOINT_HEADER_SIZE + size);
    free(sealed);
    return 0;
}
