// The surfaces of a frame as files: meshes, and level sets where the scene asks for them.
#include "record/surfaces.h"
#include "base/memory.h"
#include "record/field_velocity.h"
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
static dlp_status write_field(const char *path, const dlp_surface *surface, const dlp_surface_mesh *mesh,
                              dlp_error *error)
{
    const dlp_surface_field field = dlp_surface_band(surface);
    float *velocities;
    DLP_TRY(dlp_field_velocities(&field, mesh, &velocities, error));
    const size_t count = (size_t)field.block_count * DLP_BLOCK_NODES;
    float *values = dlp_alloc(count, sizeof *values, "surfaces");
    if (values == NULL) {
        dlp_free(velocities);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for %zu values", path, count);
    }
    for (size_t n = 0; n < count; n++) values[n] = (float)field.cell * (field.values[n] - field.shift);
    const dlp_vdb_def def = {.voxel = field.cell,
                             .background = (double)field.width * field.cell,
                             .block_count = field.block_count,
                             .blocks = field.blocks,
                             .values = values,
                             .velocities = velocities};
    const dlp_status status = dlp_vdb_write(path, &def, error);
    dlp_free(values);
    dlp_free(velocities);
    return status;
}

// What is written of one surface at one time; borrowed.
typedef struct surface_frame {
    const char *folder, *inside;  // of the run; of the surface in it
    const dlp_surface_mesh *mesh;
    const dlp_surface *surface;  // what has a field: NULL for cloth and for solids with meshes of their own
    dlp_pvd_frame at;
} surface_frame;

// "FOLDER/INSIDE/0012.ENDING", to be freed; NULL after a failure.
static char *path_of(const surface_frame *f, const char *ending, dlp_error *error)
{
    char name[DLP_SURFACE_FOLDER_SIZE + 24];
    snprintf(name, sizeof name, "%s/%04" PRId32 ".%s", f->inside, f->at.number, ending);
    char *path = dlp_folder_path(f->folder, name);
    if (path == NULL) dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", f->folder);
    return path;
}

// Only a PLY may be without triangles.
static dlp_status write_mesh(const surface_frame *f, dlp_surface_format wanted, dlp_error *error)
{
    const dlp_mesh_file_format format = file_format(wanted);
    if (format != DLP_MESH_FILE_PLY && f->mesh->mesh.triangle_count == 0) return DLP_OK;
    char *path = path_of(f, dlp_mesh_file_ending(format), error);
    if (path == NULL) return DLP_OUT_OF_MEMORY;
    const dlp_status status = dlp_surface_mesh_write(path, format, f->mesh, f->at.time, error);
    dlp_free(path);
    return status;
}

static dlp_status write_level_set(const surface_frame *f, dlp_error *error)
{
    char *path = path_of(f, "vdb", error);
    if (path == NULL) return DLP_OUT_OF_MEMORY;
    const dlp_status status = write_field(path, f->surface, f->mesh, error);
    dlp_free(path);
    return status;
}

// A frame without triangles is written, too, so that ParaView shows nothing then.
static dlp_status write_vtp(const surface_frame *f, dlp_surface_list *list, dlp_error *error)
{
    if (list->frames.folder == NULL) {  // the first one: takes over those of a run that is resumed
        snprintf(list->inside, sizeof list->inside, "%s", f->inside);
        DLP_TRY(dlp_frame_list_init(&list->frames, f->folder, list->inside, error));
    }
    char *path = path_of(f, "vtp", error);
    if (path == NULL) return DLP_OUT_OF_MEMORY;
    dlp_status status = dlp_surface_mesh_write_vtp(path, f->mesh, f->at.time, error);
    if (status == DLP_OK) status = dlp_frame_list_add(&list->frames, f->at, error);
    dlp_free(path);
    return status;
}

void dlp_surface_lists_release(dlp_surface_lists *lists)
{
    for (int32_t k = 0; k < lists->count; k++) dlp_frame_list_release(&lists->items[k].frames);
    dlp_free(lists->items);
    *lists = (dlp_surface_lists){0};
}

// One list per surface of the skin, whose number does not change.
static dlp_status need_lists(dlp_surface_lists *lists, int32_t count, dlp_error *error)
{
    if (lists->items != NULL) return DLP_OK;
    lists->items = dlp_alloc((size_t)count, sizeof *lists->items, "surfaces");
    if (lists->items == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surfaces: no room for %" PRId32 " lists", count);
    lists->count = count;
    return DLP_OK;
}

static dlp_status make_folder(const surface_frame *f, dlp_error *error)
{
    char *place = dlp_folder_path(f->folder, f->inside);
    if (place == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", f->folder);
    const dlp_status status = dlp_folder_create(place, error);
    dlp_free(place);
    return status;
}

// Surfaces in the order of the skin; the first failure ends it, and files that were written stay.
dlp_status dlp_surfaces_write(const char *folder, const dlp_skin *skin, const dlp_surface_def *def,
                              dlp_pvd_frame frame, dlp_surface_lists *lists, dlp_error *error)
{
    DLP_TRY(need_lists(lists, dlp_skin_surface_count(skin), error));
    for (int32_t k = 0; k < dlp_skin_surface_count(skin); k++) {
        dlp_surface_view view = {.size = sizeof view};
        DLP_TRY(dlp_skin_surface(skin, k, &view, error));
        char inside[DLP_SURFACE_FOLDER_SIZE];
        dlp_surface_folder(view.name, inside);
        const surface_frame f = {folder, inside, dlp_skin_mesh_at(skin, k), dlp_skin_surface_at(skin, k),
                                 frame};
        DLP_TRY(make_folder(&f, error));
        DLP_TRY(write_mesh(&f, def->format, error));
        if (def->field && f.surface != NULL) DLP_TRY(write_level_set(&f, error));
        if (def->vtp) DLP_TRY(write_vtp(&f, &lists->items[k], error));
    }
    return DLP_OK;
}

// The view is asked for to check the index.
dlp_status dlp_skin_write(const dlp_skin *skin, int32_t surface, const char *path, dlp_error *error)
{
    DLP_NEED(skin, error);
    DLP_NEED(path, error);
    dlp_mesh_file_format format;
    dlp_surface_view view = {.size = sizeof view};
    DLP_TRY(dlp_mesh_file_format_of(path, &format, error));
    DLP_TRY(dlp_skin_surface(skin, surface, &view, error));
    return dlp_surface_mesh_write(path, format, dlp_skin_mesh_at(skin, surface), dlp_skin_time(skin), error);
}
