/* Checkpoints: the whole state in one HDF5 file, with a header in front.
 *
 * The first 512 bytes (an HDF5 user block, so that h5dump and h5py open the file as it is) hold a magic
 * word, the layout's version, the length of the rest and its 128-bit digest. The digest is checked before
 * a byte reaches the HDF5 library: a truncated or damaged file is refused, never parsed.
 *
 * Equal states give equal files: no times of day are stored. The rest holds the attributes of
 * dlp_checkpoint_info, a dataset "scene" with the resolved scene's text, and a group "state" with one
 * dataset of count x components per item of the world's manifest. */
#ifndef DLP_RECORD_CHECKPOINT_H
#define DLP_RECORD_CHECKPOINT_H

#include "motion/world.h"

/* What a checkpoint says of itself. All-zero is none. */
typedef struct dlp_checkpoint_info {
    int32_t version;          /* of the layout: DLP_CHECKPOINT_VERSION */
    char library_version[32]; /* of the library that wrote it, 0-terminated */
    int32_t frame;            /* complete frames since the start, at least 0 */
    double time;              /* s, finite and at least 0 */
    int32_t particle_count;   /* of all solvers together */
    char *scene;              /* the resolved scene's text; owned where it was read, borrowed for writing */
} dlp_checkpoint_info;
void dlp_checkpoint_info_release(dlp_checkpoint_info *info);

/* Whether this build can write and read them. */
bool dlp_checkpoint_is_available(void);

/* Writes PATH beside and renames it: on any failure (a full disk, a closed folder, a kill) the old one
 * stays. `version` and `library_version` of `info` are not read; this library's are written. Every item's
 * data are read during the call. Threads may write different checkpoints at once; they take turns at HDF5. */
dlp_status dlp_checkpoint_write(const char *path, const dlp_checkpoint_info *info,
                                const dlp_manifest_item *items, int32_t item_count, dlp_error *error);

/* A checkpoint held open for reading, wholly in memory: the file may change or go once it is open. `path`
 * is only for messages in the second form, which reads bytes that are in memory and copies what it needs.
 * DLP_IO where it is damaged, DLP_UNSUPPORTED where its layout is of another version. */
typedef struct dlp_checkpoint dlp_checkpoint;
dlp_status dlp_checkpoint_open(const char *path, dlp_checkpoint **out_checkpoint, dlp_error *error);
dlp_status dlp_checkpoint_open_bytes(const char *path, const void *bytes, size_t size,
                                     dlp_checkpoint **out_checkpoint, dlp_error *error);
void dlp_checkpoint_close(dlp_checkpoint *checkpoint);
const dlp_checkpoint_info *dlp_checkpoint_contents(const dlp_checkpoint *checkpoint); /* borrowed */

/* Number of rows of a dataset; 0 where there is none, or where it claims more than the file could hold. */
int32_t dlp_checkpoint_length(const dlp_checkpoint *checkpoint, const char *name);
/* Checks that every item is there with its type, components and count; reads no data. DLP_IO names what
 * does not fit. */
dlp_status dlp_checkpoint_match(const dlp_checkpoint *checkpoint, const dlp_manifest_item *items,
                                int32_t item_count, dlp_error *error);
/* Fills every item's data, which has room for its count; checks as dlp_checkpoint_match does. After a
 * failure some are filled. */
dlp_status dlp_checkpoint_fetch(const dlp_checkpoint *checkpoint, const dlp_manifest_item *items,
                                int32_t item_count, dlp_error *error);

/* The info alone, for `dollop info` and `--resume`; the caller releases it. */
dlp_status dlp_checkpoint_read_info(const char *path, dlp_checkpoint_info *out_info, dlp_error *error);

#endif
