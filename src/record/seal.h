/* The seal in front of a checkpoint: what follows it is whole and unchanged, or it is not read at all. */
#ifndef DLP_RECORD_SEAL_H
#define DLP_RECORD_SEAL_H

#include "base/status.h"

enum { DLP_SEAL_SIZE = 512 }; /* the smallest user block HDF5 knows */

void dlp_seal_make(int32_t version, const void *payload, size_t size, unsigned char out_seal[DLP_SEAL_SIZE]);
/* Checks a whole file, seal and payload. The message names `path` and what is wrong. */
dlp_status dlp_seal_check(const char *path, int32_t version, const void *bytes, size_t size,
                          dlp_error *error);

#endif
