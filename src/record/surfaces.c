// The surfaces of a frame as files: meshes, and level sets where the scene asks for them.
#include "record/surfaces.h"
#include "base/memory.h"
#include "record/file_io.h"
#include "record/mesh_files.h"
#include "record/vdb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void dlp_surface_folder(const char *substance, char out_name[DLP_SURFACE_FOLDER_SIZE])
{
    if (substance == NULL)
        snprintf(out_name, DLP_SURFACE_FOLDER_SIZE, "surface");
    else
        snprintf(out_name, DLP_SURFACE_FOLDER_SIZE, "surface-%s", substance);
}

// Asked before a run starts, so that it does not fail at its first frame.
dlp_status dlp_surfaces_check(const dlp_surface_def *def, dlp_error *error)
{
    if (!def->field || def->kind == DLP_SURFACE_NONE || dlp_vdb_is_available()) return DLP_OK;
    return dlp_fail(
        error, DLP_UNSUPPORTED,
        "surface.field: this build has no OpenVDB; install it (Debian: libopenvdb-dev) and build again");
}

// The scene's choice as a file's format; PLY by default.
static dlp_mesh_file_format file_format(dlp_surface_format format)
{
    switch (format) {
    case DLP_SURFACE_OBJ:
        return DLP_MESH_FILE_OBJ;
    case DLP_SURFACE_STL:
        return DLP_MESH_FILE_STL;
    case DLP_SURFACE_GLB:
        return DLP_MESH_FILE_GLB;
    default:
        return DLP_MESH_FILE_PLY;
    }
}

// The field in metres, zero on the mesh, which is what the file holds.
static dlp_status write_field(const char *path, const dlp_surface *surface, dlp_error *error)
{
    const dlp_surface_field field = dlp_surface_band(surface);
    const size_t count = (size_t)field.block_count * DLP_BLOCK_NODES;
    float *values = dlp_alloc(count, sizeof *values, "surfaces");
    if (values == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for %zu values", path, count);
    for (size_t n = 0; n < count; n++) values[n] = (float)field.cell * (field.values[n] - field.shift);
    const dlp_vdb_def def = {.voxel = field.cell,
                             .background = (double)field.width * field.cell,
                             .block_count = field.block_count,
                             .blocks = field.blocks,
                             .values = values};
    const dlp_status status = dlp_vdb_write(path, &def, error);
    dlp_free(values);
    return status;
}

// `surface` is what has a field: NULL for cloth and for solids with meshes of their own.
static dlp_status write_surface(const char *place, const dlp_surface_mesh *mesh, const dlp_surface *surface,
                                const dlp_surface_def *def, dlp_pvd_frame frame, dlp_error *error)
{
    const dlp_mesh_file_format format = file_format(def->format);
    char name[2][32];
    snprintf(name[0], sizeof name[0], "%04" PRId32 ".%s", frame.number, dlp_mesh_file_ending(format));
    snprintf(name[1], sizeof name[1], "%04" PRId32 ".vdb", frame.number);
    char *mesh_path = dlp_folder_path(place, name[0]), *field_path = dlp_folder_path(place, name[1]);
    dlp_status status = DLP_OK;
    if (mesh_path == NULL || field_path == NULL)
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", place);
    // Only a PLY may be without triangles.
    const bool is_written = format == DLP_MESH_FILE_PLY || mesh->mesh.triangle_count > 0;
    if (status == DLP_OK && is_written)
        status = dlp_surface_mesh_write(mesh_path, format, mesh, frame.time, error);
    if (status == DLP_OK && def->field && surface != NULL) status = write_field(field_path, surface, error);
    dlp_free(mesh_path);
    dlp_free(field_path);
    return status;
}

// Surfaces in the order of the skin; the first failure ends it, and files that were written stay.
dlp_status dlp_surfaces_write(const char *folder, const dlp_skin *skin, const dlp_surface_def *def,
                              dlp_pvd_frame frame, dlp_error *error)
{
    for (int32_t k = 0; k < dlp_skin_surface_count(skin); k++) {
        dlp_surface_view view = {.size = sizeof view};
        DLP_TRY(dlp_skin_surface(skin, k, &view, error));
        char inside[DLP_SURFACE_FOLDER_SIZE];
        dlp_surface_folder(view.name, inside);
        char *place = dlp_folder_path(folder, inside);
        if (place == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", folder);
        dlp_status status = dlp_folder_create(place, error);
        if (status == DLP_OK)
            status = write_surface(place, dlp_skin_mesh_at(skin, k), dlp_skin_surface_at(skin, k), def, frame,
                                   error);
        dlp_free(place);
        DLP_TRY(status);
    }
    return DLP_OK;
}

// The view is asked for to check the index.
dlp_status dlp_skin_write(const dlp_skin *skin, int32_t surface, const char *path, dlp_error *error)
{
    dlp_mesh_file_format format;
    dlp_surface_view view = {.size = sizeof view};
    DLP_TRY(dlp_mesh_file_format_of(path, &format, error));
    DLP_TRY(dlp_skin_surface(skin, surface, &view, error));
    return dlp_surface_mesh_write(path, format, dlp_skin_mesh_at(skin, surface), dlp_skin_time(skin), error);
}
