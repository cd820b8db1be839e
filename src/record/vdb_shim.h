/* Between vdb.c and vdb.cc, the only file in C++: nothing but plain types, and no exception leaves it. */
#ifndef DLP_RECORD_VDB_SHIM_H
#define DLP_RECORD_VDB_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As dlp_vdb_def, checked; everything is borrowed during the call. */
typedef struct dlp_vdb_shim {
    const char *name, *creator;
    double voxel, background;
    int32_t block_count;
    const int32_t (*blocks)[3];
    const float *values;
    const float *velocities;                                 /* or NULL */
    void (*put)(void *user, const void *bytes, size_t size); /* takes the file's bytes, part by part */
    void *user;
} dlp_vdb_shim;

/* Returns 0, or 1 with OpenVDB's own message in `out_message`. */
__attribute__((visibility("hidden"))) int dlp_vdb_shim_write(const dlp_vdb_shim *shim, char *out_message,
                                                             size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
