/* The header in front of a checkpoint: what follows it is whole and unchanged, or it is not read at all. */
#ifndef DLP_RECORD_CHECKPOINT_HEADER_H
#define DLP_RECORD_CHECKPOINT_HEADER_H

#include "base/status.h"

enum { DLP_CHECKPOINT_HEADER_SIZE = 512 }; /* the smallest user block HDF5 knows */

void dlp_checkpoint_header_make(int32_t version, const void *payload, size_t size,
                                unsigned char out_header[DLP_CHECKPOINT_HEADER_SIZE]);
/* Checks a whole file, header and payload. The message names `path` and what is wrong. */
dlp_status dlp_checkpoint_header_check(const char *path, int32_t version, const void *bytes, size_t size,
                                       dlp_error *error);

#endif
