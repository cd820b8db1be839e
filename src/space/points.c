/* Points from files: the choice of the reader and the checks that all formats share. */
#include "space/points.h"
#include "base/memory.h"
#include "base/vec.h"
#include "space/points_formats.h"

void dlp_points_release(dlp_points *points)
{
    if (points == NULL) return;
    dlp_free(points->positions);
    dlp_free(points->velocities);
    *points = (dlp_points){0};
}

dlp_status dlp_points_allocate(dlp_points *points, int64_t count, int32_t limit, dlp_error *error)
{
    if (count > limit)
        return dlp_fail(error, DLP_IO, "has %lld points; at most %d are allowed", (long long)count, limit);
    // velocities always; a reader that finds none frees them
    points->positions = dlp_alloc((size_t)count, sizeof *points->positions, "points");
    points->velocities = dlp_alloc((size_t)count, sizeof *points->velocities, "points");
    if (points->positions == NULL || points->velocities == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "not enough memory for %lld points", (long long)count);
    points->count = (int32_t)count;
    return DLP_OK;
}

dlp_status dlp_points_check(const dlp_points *points, dlp_error *error)
{
    if (points->count == 0) return dlp_fail(error, DLP_IO, "has no points");
    for (int32_t k = 0; k < points->count; k++) {
        if (!dlp_is_finite3(points->positions[k]))
            return dlp_fail(error, DLP_IO, "the position of point %d is not finite", k + 1);
        if (points->velocities != NULL && !dlp_is_finite3(points->velocities[k]))
            return dlp_fail(error, DLP_IO, "the velocity of point %d is not finite", k + 1);
    }
    return DLP_OK;
}

// The ending was checked before.
static dlp_status parse(const char *path, dlp_bytes bytes, int32_t limit, dlp_points *out_points,
                        dlp_error *error)
{
    if (dlp_path_ends(path, ".ply")) return dlp_points_parse_ply(bytes, limit, out_points, error);
    return dlp_points_parse_vtp(bytes, limit, out_points, error);
}

dlp_status dlp_points_read(const char *path, int32_t limit, dlp_points *out_points, dlp_error *error)
{
    *out_points = (dlp_points){0};
    if (!dlp_path_ends(path, ".ply") && !dlp_path_ends(path, ".vtp"))
        return dlp_fail(error, DLP_IO, "%s: unknown kind of point file; .vtp and .ply are read", path);
    dlp_bytes bytes;
    DLP_TRY(dlp_file_load(path, &bytes, error));
    const dlp_status status = parse(path, bytes, limit, out_points, error);
    dlp_file_release(&bytes);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "%s", path);
}
