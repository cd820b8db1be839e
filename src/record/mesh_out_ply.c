// PLY, binary little endian: a row per vertex with all its attributes, then the triangles. Normals and
// colours have the names that other programs know.
#include "record/mesh_out.h"

#include <math.h>

static void put_header(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time)
{
    dlp_mesh_put_text(out, "ply\nformat binary_little_endian 1.0\ncomment " DLP_MESH_GENERATOR "\n");
    dlp_mesh_put_text(out, "comment time %s s\nelement vertex %d\n", dlp_mesh_number_of(time).text,
                      mesh->mesh.vertex_count);
    dlp_mesh_put_text(out, "property float x\nproperty float y\nproperty float z\n");
    dlp_mesh_put_text(out, "property float nx\nproperty float ny\nproperty float nz\n");
    dlp_mesh_put_text(out, "property float vx\nproperty float vy\nproperty float vz\n");
    if (mesh->temperatures != NULL) dlp_mesh_put_text(out, "property float temperature\n");
    if (mesh->colors != NULL)
        dlp_mesh_put_text(out, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
    dlp_mesh_put_text(out, "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
                      mesh->mesh.triangle_count);
}

// 0..1 to 0..255; NaN is 0.
static unsigned char byte_of(float share)
{
    return (unsigned char)lroundf(255 * fminf(fmaxf(share, 0), 1));
}

// In the order of the properties in the header.
static void put_vertex(dlp_mesh_out *out, const dlp_surface_mesh *mesh, size_t v)
{
    const dlp_vec3 x = mesh->mesh.vertices[v];
    const float position[3] = {(float)x.x, (float)x.y, (float)x.z};
    dlp_mesh_put(out, position, sizeof position);
    dlp_mesh_put(out, &mesh->normals[3 * v], 3 * sizeof(float));
    dlp_mesh_put(out, &mesh->velocities[3 * v], 3 * sizeof(float));
    if (mesh->temperatures != NULL) dlp_mesh_put(out, &mesh->temperatures[v], sizeof(float));
    if (mesh->colors != NULL) {
        const float *color = &mesh->colors[3 * v];
        const unsigned char bytes[3] = {byte_of(color[0]), byte_of(color[1]), byte_of(color[2])};
        dlp_mesh_put(out, bytes, sizeof bytes);
    }
}

void dlp_mesh_put_ply(dlp_mesh_out *out, const dlp_surface_mesh *mesh, double time)
{
    put_header(out, mesh, time);
    for (size_t v = 0; v < (size_t)mesh->mesh.vertex_count; v++) put_vertex(out, mesh, v);
    for (int32_t t = 0; t < mesh->mesh.triangle_count; t++) {
        unsigned char face[1 + 3 * sizeof(int32_t)] = {3};
        memcpy(face + 1, mesh->mesh.triangles[t], 3 * sizeof(int32_t));
        dlp_mesh_put(out, face, sizeof face);
    }
}
