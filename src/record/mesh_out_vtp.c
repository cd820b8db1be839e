// A surface as VTK PolyData: what ParaView reads in full, velocities too, which its readers of PLY and OBJ
// leave out.
#include "record/mesh_files.h"
#include "record/vtp.h"

// Borrowed.
static dlp_view view_of(const dlp_surface_mesh *mesh, const float *values, int32_t components)
{
    return (dlp_view){.size = sizeof(dlp_view),
                      .data = values,
                      .type = DLP_FLOAT32,
                      .components = components,
                      .count = mesh->mesh.vertex_count};
}

dlp_status dlp_surface_mesh_write_vtp(const char *path, const dlp_surface_mesh *mesh, double time,
                                      dlp_error *error)
{
    const struct {
        const char *name;
        const float *values;
        int32_t components;
    } all[] = {{"normal", mesh->normals, 3},
               {"velocity", mesh->velocities, 3},
               {"temperature", mesh->temperatures, 1},
               {"color", mesh->colors, 3}};
    enum { COUNT = sizeof all / sizeof all[0] };
    dlp_vtp_array arrays[COUNT];
    int32_t count = 0;
    for (int32_t k = 0; k < COUNT; k++)
        if (all[k].values != NULL)
            arrays[count++] = (dlp_vtp_array){all[k].name, view_of(mesh, all[k].values, all[k].components)};
    const dlp_vtp vtp = {.time = time,
                         .positions = {.size = sizeof(dlp_view),
                                       .data = mesh->mesh.vertices,
                                       .type = DLP_FLOAT64,
                                       .components = 3,
                                       .count = mesh->mesh.vertex_count},
                         .arrays = arrays,
                         .array_count = count,
                         .woven_count = mesh->mesh.vertex_count,
                         .triangle_count = mesh->mesh.triangle_count,
                         .triangles = (const int32_t(*)[3])mesh->mesh.triangles};
    return dlp_vtp_write(path, &vtp, error);
}
