// The mesh of a shape at rest: its file's triangles, or dual contouring at the cell asked for and, where that
// fails, at finer ones.
#include "skin/rest_mesh.h"
#include "skin/dual_contour.h"
#include "space/shape_tree.h"

// A finer grid meets thin places differently. Returns an empty mesh where none is sound.
static dlp_status try_cells(const dlp_shape *shape, double cell, dlp_mesh *mesh, dlp_error *error)
{
    enum { TRIES = 3 };
    static const double finer = 0.87;
    for (int32_t k = 0; k < TRIES; k++, cell *= finer) {
        dlp_mesh_report report;
        DLP_TRY(dlp_dual_mesh(shape, cell, mesh, error));
        dlp_status status = dlp_mesh_check(mesh, &report, error);
        if (status == DLP_OK && report.is_sound) return DLP_OK;
        dlp_mesh_release(mesh);
        DLP_TRY(status);
    }
    return DLP_OK;
}

dlp_status dlp_rest_mesh_create(const dlp_shape_def *def, const char *folder, double cell, dlp_mesh *out_mesh,
                                dlp_error *error)
{
    *out_mesh = (dlp_mesh){0};
    dlp_shape_def alone = *def;
    for (int k = 0; k < 3; k++) alone.copies[k] = 1;
    if (def->kind == DLP_SHAPE_MESH) {
        const dlp_similarity similarity =
            dlp_shape_similarity(&alone, (dlp_similarity){dlp_transform_identity(), 1});
        return dlp_shape_load_mesh(&alone, folder, &similarity, out_mesh, error);
    }
    dlp_shape *shape;
    DLP_TRY(dlp_shape_create(&alone, 3, folder, &shape, error));
    const dlp_status status = try_cells(shape, cell, out_mesh, error);
    dlp_shape_destroy(shape);
    return status;
}
