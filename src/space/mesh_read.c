/* Which reader a mesh file needs, and what all of them leave to check. */
#include "space/mesh_parse.h"

dlp_status dlp_mesh_format_of(const char *path, dlp_mesh_format *out_format, dlp_error *error)
{
    if (dlp_path_ends(path, ".obj"))
        *out_format = DLP_MESH_OBJ;
    else if (dlp_path_ends(path, ".ply"))
        *out_format = DLP_MESH_PLY;
    else if (dlp_path_ends(path, ".stl"))
        *out_format = DLP_MESH_STL;
    else
        return dlp_fail(error, DLP_IO, "%s: unknown kind of mesh; .obj, .ply and .stl are read", path);
    return DLP_OK;
}

// Written so that NaN fails.
static dlp_status check_vertices(const dlp_mesh *mesh, dlp_error *error)
{
    // Beyond this, squares of distances overflow.
    const double limit = 1e100;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        const dlp_vec3 x = mesh->vertices[v];
        if (!(fabs(x.x) <= limit && fabs(x.y) <= limit && fabs(x.z) <= limit))
            return dlp_fail(error, DLP_IO,
                            "vertex %d is (%g, %g, %g); coordinates must be finite and at most 1e100", v + 1,
                            x.x, x.y, x.z);
    }
    return DLP_OK;
}

// On failure the mesh may hold a part; the caller releases it.
static dlp_status parse(dlp_bytes bytes, dlp_mesh_format format, dlp_mesh *mesh, dlp_error *error)
{
    switch (format) {
    case DLP_MESH_OBJ:
        DLP_TRY(dlp_mesh_parse_obj(bytes, mesh, error));
        break;
    case DLP_MESH_PLY:
        DLP_TRY(dlp_mesh_parse_ply(bytes, mesh, error));
        break;
    case DLP_MESH_STL:
        DLP_TRY(dlp_mesh_parse_stl(bytes, mesh, error));
        break;
    }
    if (mesh->triangle_count == 0) return dlp_fail(error, DLP_IO, "has no faces");
    return check_vertices(mesh, error);
}

dlp_status dlp_mesh_parse(dlp_bytes bytes, dlp_mesh_format format, dlp_mesh *out_mesh, dlp_error *error)
{
    *out_mesh = (dlp_mesh){0};
    const dlp_status status = parse(bytes, format, out_mesh, error);
    if (status != DLP_OK) dlp_mesh_release(out_mesh);
    return status;
}

// The mesh as it is, not made solid.
dlp_status dlp_mesh_read(const char *path, dlp_mesh *out_mesh, dlp_error *error)
{
    *out_mesh = (dlp_mesh){0};
    dlp_mesh_format format;
    DLP_TRY(dlp_mesh_format_of(path, &format, error));
    dlp_bytes bytes;
    DLP_TRY(dlp_file_load(path, &bytes, error));
    const dlp_status status = dlp_mesh_parse(bytes, format, out_mesh, error);
    dlp_file_release(&bytes);
    return status == DLP_OK ? DLP_OK : dlp_fail_at(error, status, "%s", path);
}
