// Writes a surface in one of the formats. Numbers go through a buffer, and the file is written beside and
// renamed.
#include "record/mesh_files.h"
#include "base/memory.h"
#include "record/mesh_out.h"

#include <math.h>
#include <stdarg.h>

// By format, without the dot.
static const char *const endings[] = {[DLP_MESH_FILE_PLY] = "ply",
                                      [DLP_MESH_FILE_OBJ] = "obj",
                                      [DLP_MESH_FILE_STL] = "stl",
                                      [DLP_MESH_FILE_GLB] = "glb"};
enum { FORMAT_COUNT = sizeof endings / sizeof endings[0] };

const char *dlp_mesh_file_ending(dlp_mesh_file_format format)
{
    return endings[format];
}

dlp_status dlp_mesh_file_format_of(const char *path, dlp_mesh_file_format *out_format, dlp_error *error)
{
    for (int32_t k = 0; k < FORMAT_COUNT; k++) {
        char ending[8];
        snprintf(ending, sizeof ending, ".%s", endings[k]);
        if (!dlp_path_ends(path, ending)) continue;
        *out_format = (dlp_mesh_file_format)k;
        return DLP_OK;
    }
    return dlp_fail(error, DLP_INVALID, "%s: unknown kind of mesh; .ply, .obj, .stl and .glb are written",
                    path);
}

// The outfile begins last, so that a failure leaves no part behind.
dlp_status dlp_mesh_out_open(const char *path, dlp_mesh_out **out_out, dlp_error *error)
{
    dlp_mesh_out *out = dlp_alloc(1, sizeof *out, "mesh files");
    *out_out = out;
    if (out == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: %zu bytes", path, sizeof *out);
    const dlp_status status = dlp_outfile_begin(&out->file, path, error);
    if (status != DLP_OK) {
        dlp_free(out);
        *out_out = NULL;
    }
    return status;
}

void dlp_mesh_out_flush(dlp_mesh_out *out)
{
    dlp_outfile_write(&out->file, out->bytes, out->used);
    out->used = 0;
}

// Failures of all writes come out here.
dlp_status dlp_mesh_out_commit(dlp_mesh_out *out, dlp_error *error)
{
    dlp_mesh_out_flush(out);
    const dlp_status status = dlp_outfile_commit(&out->file, error);
    dlp_free(out);
    return status;
}

void dlp_mesh_out_discard(dlp_mesh_out *out)
{
    dlp_outfile_discard(&out->file);
    dlp_free(out);
}

// A longer line would be cut; the headers' lines are well below that.
void dlp_mesh_put_text(dlp_mesh_out *out, const char *format, ...)
{
    char line[256];
    va_list words;
    va_start(words, format);
    const int length = vsnprintf(line, sizeof line, format, words);
    va_end(words);
    if (length > 0) dlp_mesh_put(out, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
}

// Nine digits tell all floats apart.
dlp_mesh_number dlp_mesh_number_of(double value)
{
    dlp_mesh_number number;
    snprintf(number.text, sizeof number.text, "%.9g", value);
    for (char *c = number.text; *c != '\0'; c++) {
        if (strchr("0123456789+-aeinf", *c) == NULL) *c = '.';  // the locale's decimal sign
    }
    return number;
}

// All writers read normals and velocities without asking.
static dlp_status check_attributes(const char *path, const dlp_surface_mesh *mesh, dlp_error *error)
{
    if (mesh->mesh.vertex_count > 0 && (mesh->normals == NULL || mesh->velocities == NULL))
        return dlp_fail(error, DLP_INVALID, "%s: the mesh has no %s; it must have normals and velocities",
                        path, mesh->normals == NULL ? "normals" : "velocities");
    return DLP_OK;
}

static dlp_status check_floats(const char *path, const char *name, const float *values, size_t count,
                               dlp_error *error)
{
    for (size_t k = 0; values != NULL && k < count; k++)
        if (!isfinite(values[k]))
            return dlp_fail(error, DLP_DIVERGED,
                            "%s: a %s is %g; every number must be finite: the run has failed", path, name,
                            (double)values[k]);
    return DLP_OK;
}

// Positions as floats, since that is what the formats hold.
static dlp_status check_finite(const char *path, const dlp_surface_mesh *mesh, dlp_error *error)
{
    const size_t count = (size_t)mesh->mesh.vertex_count;
    for (size_t v = 0; v < count; v++) {
        const dlp_vec3 x = mesh->mesh.vertices[v];
        const float position[3] = {(float)x.x, (float)x.y, (float)x.z};
        DLP_TRY(check_floats(path, "position", position, 3, error));
    }
    DLP_TRY(check_floats(path, "normal", mesh->normals, 3 * count, error));
    DLP_TRY(check_floats(path, "velocity", mesh->velocities, 3 * count, error));
    DLP_TRY(check_floats(path, "temperature", mesh->temperatures, count, error));
    return check_floats(path, "colour", mesh->colors, 3 * count, error);
}

// Attributes are checked before the file is opened, so that a refused mesh leaves no file.
dlp_status dlp_surface_mesh_write(const char *path, dlp_mesh_file_format format, const dlp_surface_mesh *mesh,
                                  double time, dlp_error *error)
{
    DLP_TRY(check_attributes(path, mesh, error));
    DLP_TRY(check_finite(path, mesh, error));
    dlp_mesh_out *out;
    DLP_TRY(dlp_mesh_out_open(path, &out, error));
    dlp_status status = DLP_OK;
    switch (format) {
    case DLP_MESH_FILE_PLY:
        dlp_mesh_put_ply(out, mesh, time);
        break;
    case DLP_MESH_FILE_OBJ:
        dlp_mesh_put_obj(out, mesh, time);
        break;
    case DLP_MESH_FILE_STL:
        dlp_mesh_put_stl(out, mesh, time);
        break;
    case DLP_MESH_FILE_GLB:
        status = dlp_mesh_put_glb(out, mesh, time, error);
        break;
    }
    if (status == DLP_OK) return dlp_mesh_out_commit(out, error);
    dlp_mesh_out_discard(out);
    return dlp_fail_at(error, status, "%s", path);
}
