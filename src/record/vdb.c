// Level sets by OpenVDB, written beside and renamed. The C++ part is vdb.cc.
#include "record/vdb.h"
#include "record/file_io.h"
#include "record/mesh_out.h"
#include "record/vdb_shim.h"

#include <math.h>

#ifndef DLP_HAVE_OPENVDB
#define DLP_HAVE_OPENVDB 0
#endif

bool dlp_vdb_is_available(void)
{
    return DLP_HAVE_OPENVDB;
}

#if DLP_HAVE_OPENVDB

// A failure is kept by the file until its commit.
static void put_bytes(void *user, const void *bytes, size_t size)
{
    dlp_outfile_write(user, bytes, size);
}

// OpenVDB's bytes go to the file part by part; its exceptions end in the shim.
static dlp_status write_grid(const char *path, const dlp_vdb_def *def, dlp_outfile *file, dlp_error *error)
{
    const dlp_vdb_shim shim = {.name = def->name != NULL ? def->name : "surface",
                               .creator = DLP_MESH_GENERATOR,
                               .voxel = def->voxel,
                               .background = def->background,
                               .block_count = def->block_count,
                               .blocks = def->blocks,
                               .values = def->values,
                               .velocities = def->velocities,
                               .put = put_bytes,
                               .user = file};
    char message[256];
    if (dlp_vdb_shim_write(&shim, message, sizeof message) == 0) return DLP_OK;
    return dlp_fail(error, DLP_IO, "%s: OpenVDB: %s", path, message);
}

#else

static dlp_status write_grid(const char *path, const dlp_vdb_def *def, dlp_outfile *file, dlp_error *error)
{
    (void)def;
    (void)file;
    return dlp_fail(error, DLP_UNSUPPORTED,
                    "%s: this build has no OpenVDB; install libopenvdb-dev and build again", path);
}

#endif

// OpenVDB would take bad numbers and write a file that others cannot use.
static dlp_status check_def(const char *path, const dlp_vdb_def *def, dlp_error *error)
{
    if (!(def->voxel > 0 && isfinite(def->voxel)) || !(def->background > 0 && isfinite(def->background)))
        return dlp_fail(error, DLP_INVALID, "%s: voxel %g m, background %g m; both must be above 0", path,
                        def->voxel, def->background);
    for (int32_t k = 0; k < def->block_count; k++)
        for (int32_t axis = 0; axis < 3; axis++)
            if (def->blocks[k][axis] < INT32_MIN / 4 || def->blocks[k][axis] > INT32_MAX / 4)
                return dlp_fail(error, DLP_INVALID, "%s: block %d lies at %d; must be within %d", path, k,
                                def->blocks[k][axis], INT32_MAX / 4);
    for (size_t k = 0; k < 64 * (size_t)def->block_count; k++)
        if (!isfinite(def->values[k]))
            return dlp_fail(error, DLP_INVALID, "%s: a value of block %zu is not finite; all must be", path,
                            k / 64);
    for (size_t k = 0; def->velocities != NULL && k < 192 * (size_t)def->block_count; k++)
        if (!isfinite(def->velocities[k]))
            return dlp_fail(error, DLP_INVALID, "%s: a velocity of block %zu is not finite; all must be",
                            path, k / 192);
    return DLP_OK;
}

// The definition is checked first, so that a refused one leaves no part.
dlp_status dlp_vdb_write(const char *path, const dlp_vdb_def *def, dlp_error *error)
{
    DLP_TRY(check_def(path, def, error));
    dlp_outfile file;
    DLP_TRY(dlp_outfile_begin(&file, path, error));
    const dlp_status status = write_grid(path, def, &file, error);
    if (status == DLP_OK) return dlp_outfile_commit(&file, error);
    dlp_outfile_discard(&file);
    return status;
}
