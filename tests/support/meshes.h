/* Meshes of known shape for the tests. */
#ifndef DLP_TEST_MESHES_H
#define DLP_TEST_MESHES_H

#include "base/memory.h"
#include "skin/surface_mesh.h"

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

/* An octahedron divided `levels` times and blown up to a sphere. */
static inline dlp_mesh sphere_mesh(int32_t levels, double radius, dlp_vec3 center)
{
    dlp_mesh mesh = {0};
    const int32_t n = 1 << levels;
    for (int32_t octant = 0; octant < 8; octant++) {
        const double sx = octant & 1 ? -1 : 1, sy = octant & 2 ? -1 : 1, sz = octant & 4 ? -1 : 1;
        const bool is_turned = sx * sy * sz < 0;
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; i + j < n; j++)
                for (int32_t half = 0; half < (i + j + 1 < n ? 2 : 1); half++) {
                    const int32_t corners[2][3][2] = {{{i, j}, {i + 1, j}, {i, j + 1}},
                                                      {{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
                    const int32_t first = mesh.vertex_count;
                    for (int32_t c = 0; c < 3; c++) {
                        const int32_t a = corners[half][c][0], b = corners[half][c][1];
                        const dlp_vec3 p =
                            dlp_normalize(dlp_vec(sx * a, sy * b, sz * (n - a - b)), dlp_vec(1, 0, 0));
                        dlp_mesh_add_vertex(&mesh, dlp_along(center, p, radius), NULL);
                    }
                    dlp_mesh_add_triangle(&mesh, first, first + (is_turned ? 2 : 1),
                                          first + (is_turned ? 1 : 2), NULL);
                }
    }
    dlp_mesh_make_solid(&mesh, DLP_HOLES_REFUSE, NULL);
    return mesh;
}

/* Adds another mesh, turned inside out where asked. */
static inline void append_mesh(dlp_mesh *mesh, const dlp_mesh *other, bool is_turned)
{
    const int32_t first = mesh->vertex_count;
    for (int32_t v = 0; v < other->vertex_count; v++) dlp_mesh_add_vertex(mesh, other->vertices[v], NULL);
    for (int32_t t = 0; t < other->triangle_count; t++) {
        const int32_t *c = other->triangles[t];
        dlp_mesh_add_triangle(mesh, first + c[0], first + c[is_turned ? 2 : 1], first + c[is_turned ? 1 : 2],
                              NULL);
    }
}

static const char cube_obj[] =
    "# a cube as quads\n"
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 4 3 2\nf 5/1 6/2 7/3 8/4\nf 1//1 2//1 6//1 5//1\nf 2/1/1 3/1/1 7/1/1 6/1/1\n"
    "f -6 -5 -1 -2\nf 4 1 5 8 # last\n";

static inline dlp_mesh cube_mesh(void)
{
    dlp_mesh mesh;
    dlp_mesh_parse((dlp_bytes){cube_obj, sizeof cube_obj - 1}, DLP_MESH_OBJ, &mesh, NULL);
    return mesh;
}

/* A torus as a surface with every attribute, about (1/8, 1/4, 1/2) so that no axis is like another;
 * coordinates are whole steps of 2^-20 m, colours bytes / 255. */
static inline dlp_surface_mesh torus_skin(int32_t around, int32_t across)
{
    dlp_surface_mesh skin = {.mesh = torus_mesh(around, across, 0.75, 0.25)};
    const size_t count = (size_t)skin.mesh.vertex_count;
    dlp_surface_mesh_compute_normals(&skin, NULL);
    skin.velocities = dlp_alloc(3 * count, sizeof(float), "mesh");
    skin.temperatures = dlp_alloc(count, sizeof(float), "mesh");
    skin.colors = dlp_alloc(3 * count, sizeof(float), "mesh");
    for (size_t v = 0; v < count; v++) {
        dlp_vec3 *x = &skin.mesh.vertices[v];
        *x = dlp_add(*x, dlp_vec(0.125, 0.25, 0.5));
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
