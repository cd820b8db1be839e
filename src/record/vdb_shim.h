/* Between vdb.c and vdb.cc, the only file in C++: nothing but plain types, and no exception leaves it. */
#ifndef DLP_RECORD_VDB_SHIM_H
#define DLP_RECORD_VDB_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dlp_vdb_shim {
    const char *name, *creator;
    double voxel, background;
    int32_t block_count;
    const int32_t (*blocks)[3];
    const float *values;
    void (*put)(void *user, const void *bytes, size_t size); /* takes the file, piece by piece */
    void *user;
} dlp_vdb_shim;

/* 0, or 1 with OpenVDB's own message. */
__attribute__((visibility("hidden"))) int dlp_vdb_shim_write(const dlp_vdb_shim *shim, char *out_message,
                                                             size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
