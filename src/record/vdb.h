/* The field behind a surface as an OpenVDB level set, for programs that shade or mesh it themselves. */
#ifndef DLP_RECORD_VDB_H
#define DLP_RECORD_VDB_H

#include "base/status.h"

/* Distances on the nodes near a surface, in blocks of 4 x 4 x 4; node (i, j, k) lies at its indices times
 * the voxel's size. All pointers are borrowed. */
typedef struct dlp_vdb_def {
    const char *name;  /* of the grid; NULL: "surface" */
    double voxel;      /* m, > 0 */
    double background; /* m, > 0: distance of all other nodes; values beyond it are cut to it */
    int32_t block_count;
    const int32_t (*blocks)[3]; /* a block's nodes begin at four times these indices; within INT32_MAX / 4 */
    const float *values;        /* m, finite, positive inside; 64 per block: x fastest, then y, then z */
    const float *velocities;    /* m/s, finite, three per value: a second grid called "velocity"; or NULL */
} dlp_vdb_def;

bool dlp_vdb_is_available(void); /* whether this build can write them */
/* Written beside and renamed. The file's sign is that of OpenVDB: negative inside. */
dlp_status dlp_vdb_write(const char *path, const dlp_vdb_def *def, dlp_error *error);

#endif
