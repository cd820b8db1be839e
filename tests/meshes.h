/* Meshes of known shape for the tests. */
#ifndef DLP_TEST_MESHES_H
#define DLP_TEST_MESHES_H

#include "base/memory.h"
#include "skin/skin_mesh.h"

/* A torus about z: `around` times `across` vertices, twice as many triangles, outward. */
static inline dlp_mesh torus_mesh(int32_t around, int32_t across, double large, double small)
{
    dlp_mesh mesh = {0};
    for (int32_t i = 0; i < around; i++)
        for (int32_t j = 0; j < across; j++) {
            const double u = 2 * DLP_PI * i / around, v = 2 * DLP_PI * j / across;
            const double r = large + small * cos(v);
            dlp_mesh_add_vertex(&mesh, dlp_vec(r * cos(u), r * sin(u), small * sin(v)), NULL);
        }
    for (int32_t i = 0; i < around; i++)
        for (int32_t j = 0; j < across; j++) {
            const int32_t i1 = (i + 1) % around, j1 = (j + 1) % across;
            const int32_t a = i * across + j, b = i1 * across + j, c = i1 * across + j1, d = i * across + j1;
            dlp_mesh_add_triangle(&mesh, a, b, c, NULL);
            dlp_mesh_add_triangle(&mesh, a, c, d, NULL);
        }
    return mesh;
}

/* The same as a surface with every attribute; coordinates are whole steps of 2^-20 m, colours bytes / 255. */
static inline dlp_skin_mesh torus_skin(int32_t around, int32_t across)
{
    dlp_skin_mesh skin = {.mesh = torus_mesh(around, across, 0.75, 0.25)};
    const size_t count = (size_t)skin.mesh.vertex_count;
    dlp_skin_mesh_compute_normals(&skin, NULL);
    skin.velocities = dlp_alloc(3 * count, sizeof(float), "mesh");
    skin.temperatures = dlp_alloc(count, sizeof(float), "mesh");
    skin.colors = dlp_alloc(3 * count, sizeof(float), "mesh");
    for (size_t v = 0; v < count; v++) {
        dlp_vec3 *x = &skin.mesh.vertices[v];
        *x = dlp_vec(round(x->x * 0x1p20) / 0x1p20, round(x->y * 0x1p20) / 0x1p20,
                     round(x->z * 0x1p20) / 0x1p20);
        skin.temperatures[v] = 20 + 0.1f * (float)v;
        for (size_t k = 0; k < 3; k++) {
            skin.velocities[3 * v + k] = (float)(v + k) / 7;
            skin.colors[3 * v + k] = (float)((double)((v * (k + 1)) % 256) / 255);
        }
    }
    return skin;
}

#endif
