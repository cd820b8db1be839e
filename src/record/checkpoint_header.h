/* The header in front of a checkpoint: what follows it is whole and unchanged, or it is not read at all. */
#ifndef DLP_RECORD_CHECKPOINT_HEADER_H
#define DLP_RECORD_CHECKPOINT_HEADER_H

#include "base/status.h"

enum { DLP_CHECKPOINT_HEADER_SIZE = 512 }; /* the smallest user block HDF5 knows */

/* Fills the block that goes in front of `payload`. */
void dlp_checkpoint_header_make(int32_t version, const void *payload, size_t size,
                                unsigned char out_header[DLP_CHECKPOINT_HEADER_SIZE]);
/* Checks a whole file, header and payload, in this order: magic word, version, length, digest. The message
 * names `path` and what is wrong. */
dlp_status dlp_checkpoint_header_check(const char *path, int32_t version, const void *bytes, size_t size,
                                       dlp_error *error);

#endif
