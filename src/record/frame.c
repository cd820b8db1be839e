// Writes the frames of a world: particles with all their fields, contours, and the .pvd that lists them.
#include "record/frame.h"
#include "motion/cloth/cloth.h"
#include "record/file_io.h"
#include "record/run_folder.h"
#include "record/surfaces.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

// "particles.pvd" beside the folder "particles".
static dlp_status write_list(const dlp_frame_list *list, dlp_error *error)
{
    char name[DLP_SURFACE_FOLDER_SIZE + 8];
    snprintf(name, sizeof name, "%s.pvd", list->inside);
    char *path = dlp_folder_path(list->folder, name);
    if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", list->folder);
    const dlp_status status = dlp_pvd_write(path, list->inside, list->frames, list->count, error);
    dlp_free(path);
    return status;
}

dlp_status dlp_frame_list_init(dlp_frame_list *list, const char *folder, const char *inside, dlp_error *error)
{
    *list = (dlp_frame_list){.inside = inside, .folder = dlp_copy_text(folder, "frames")};
    if (list->folder == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for its name", folder);
    DLP_TRY(dlp_run_folder_list(folder, inside, &list->frames, &list->count, error));
    list->capacity = list->count;
    return list->count > 0 ? write_list(list, error) : DLP_OK;
}

void dlp_frame_list_release(dlp_frame_list *list)
{
    dlp_free(list->folder);
    dlp_free(list->frames);
    *list = (dlp_frame_list){0};
}

// The folder of the frames; one that is there is fine.
static dlp_status make_inside(const dlp_frame_list *list, dlp_error *error)
{
    char *path = dlp_folder_path(list->folder, list->inside);
    if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", list->folder);
    const dlp_status status = dlp_folder_create(path, error);
    dlp_free(path);
    return status;
}

// Adds a frame to the list, after those of lower numbers, and writes the list. A run that was resumed may
// write a frame again.
dlp_status dlp_frame_list_add(dlp_frame_list *list, dlp_pvd_frame frame, dlp_error *error)
{
    while (list->count > 0 && list->frames[list->count - 1].number >= frame.number) list->count--;
    DLP_TRY(
        dlp_reserve(&list->frames, &list->capacity, list->count + 1, sizeof *list->frames, "frames", error));
    list->frames[list->count++] = frame;
    return write_list(list, error);
}

// Cloth's particles are the last ones; its triangles and links are drawn instead of points.
static dlp_status collect_cloth_topology(const dlp_world *world, dlp_vtp *vtp, dlp_error *error)
{
    dlp_cloth_topology topology;
    DLP_TRY(dlp_world_cloth_topology(world, &topology, error));
    vtp->woven_count = topology.particle_count;
    vtp->triangle_count = topology.triangle_count;
    vtp->triangles = topology.triangles;
    vtp->link_count = topology.link_count;
    vtp->links = topology.links;
    return DLP_OK;
}

// All fields in the order of the enumeration, except the position, which is the points themselves. Views are
// borrowed from the world.
static dlp_status collect_fields(const dlp_world *world, dlp_vtp_array arrays[DLP_FIELD_COUNT], dlp_vtp *vtp,
                                 dlp_error *error)
{
    for (int field = 0; field < DLP_FIELD_COUNT; field++) {
        dlp_view view = {.size = sizeof view};
        DLP_TRY(dlp_world_field(world, (dlp_field)field, &view, error));
        if (view.components == 0) continue;  // a field that this scene does not have
        if (field == DLP_FIELD_POSITION)
            vtp->positions = view;
        else
            arrays[vtp->array_count++] = (dlp_vtp_array){dlp_field_name((dlp_field)field), view};
    }
    vtp->arrays = arrays;
    vtp->time = dlp_world_time(world);
    return collect_cloth_topology(world, vtp, error);
}

// The frame is written beside and renamed; the world's arrays are written where they are.
dlp_status dlp_world_write_frame(const dlp_world *world, const char *path, dlp_error *error)
{
    DLP_NEED(world, error);
    DLP_NEED(path, error);
    dlp_vtp_array arrays[DLP_FIELD_COUNT];
    dlp_vtp vtp = {0};
    DLP_TRY(collect_fields(world, arrays, &vtp, error));
    return dlp_vtp_write(path, &vtp, error);
}

// The folder is made anew for each frame: somebody may have removed it.
dlp_status dlp_frame_write_particles(dlp_frame_list *list, const dlp_world *world, dlp_error *error)
{
    DLP_TRY(make_inside(list, error));
    char *path = dlp_run_folder_frame_path(list->folder, list->inside, dlp_world_frame(world));
    if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", list->folder);
    dlp_status status = dlp_world_write_frame(world, path, error);
    if (status == DLP_OK)
        status =
            dlp_frame_list_add(list, (dlp_pvd_frame){dlp_world_frame(world), dlp_world_time(world)}, error);
    dlp_free(path);
    return status;
}

// All substances together: the outline of everything that flows.
dlp_status dlp_frame_contour(const dlp_world *world, dlp_contour *out_contour, dlp_error *error)
{
    *out_contour = (dlp_contour){0};
    dlp_view positions = {.size = sizeof positions}, radii = {.size = sizeof radii};
    DLP_TRY(dlp_world_field(world, DLP_FIELD_POSITION, &positions, error));
    DLP_TRY(dlp_world_field(world, DLP_FIELD_RADIUS, &radii, error));
    const dlp_scene_def *scene = dlp_world_scene(world);
    const dlp_contour_def def = {
        .positions = positions.data, .radii = radii.data, .count = positions.count, .iso = scene->record.iso};
    return dlp_contour_create(&def, out_contour, error);
}

// VTK has no closed lines: each names its first point again at its end.
dlp_status dlp_contour_write(const char *path, const dlp_contour *contour, double time, dlp_error *error)
{
    const size_t index_count = (size_t)contour->point_count + (size_t)contour->loop_count;
    int32_t *points = dlp_alloc(index_count, sizeof *points, "frames");
    int32_t *ends = dlp_alloc((size_t)contour->loop_count, sizeof *ends, "frames");
    dlp_status status = DLP_OK;
    if (points == NULL || ends == NULL)
        status = dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for %" PRId32 " points", path,
                          contour->point_count);
    if (status == DLP_OK) {
        int32_t used = 0;
        for (int32_t loop = 0, k = 0; loop < contour->loop_count; loop++) {
            const int32_t first = k;
            while (k < contour->loop_ends[loop]) points[used++] = k++;
            points[used++] = first;
            ends[loop] = used;
        }
        const dlp_vtp vtp = {.time = time,
                             .positions = {.data = contour->points,
                                           .count = contour->point_count,
                                           .components = 3,
                                           .type = DLP_FLOAT64},
                             .has_lines = true,
                             .line_count = contour->loop_count,
                             .line_points = points,
                             .line_ends = ends};
        status = dlp_vtp_write(path, &vtp, error);
    }
    dlp_free(points);
    dlp_free(ends);
    return status;
}

dlp_status dlp_frame_write_contour(dlp_frame_list *list, const dlp_contour *contour, dlp_pvd_frame frame,
                                   dlp_error *error)
{
    DLP_TRY(make_inside(list, error));
    char *path = dlp_run_folder_frame_path(list->folder, list->inside, frame.number);
    if (path == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "%s: no room for a name", list->folder);
    dlp_status status = dlp_contour_write(path, contour, frame.time, error);
    if (status == DLP_OK) status = dlp_frame_list_add(list, frame, error);
    dlp_free(path);
    return status;
}
