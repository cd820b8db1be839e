// Surface meshes: joining, volume, normals and checks.
#include "skin/surface_mesh.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

void dlp_surface_mesh_release(dlp_surface_mesh *mesh)
{
    dlp_mesh_release(&mesh->mesh);
    dlp_free(mesh->normals);
    dlp_free(mesh->velocities);
    dlp_free(mesh->temperatures);
    dlp_free(mesh->colors);
    *mesh = (dlp_surface_mesh){0};
}

void dlp_surface_mesh_clear(dlp_surface_mesh *mesh)
{
    mesh->mesh.vertex_count = mesh->mesh.triangle_count = 0;
}

// Room for `capacity` vertices in an array that `from` has, too.
static dlp_status widen(float **array, const float *from, int32_t capacity, int32_t parts, dlp_error *error)
{
    if (from == NULL) return DLP_OK;
    float *larger = dlp_realloc(*array, (size_t)capacity, (size_t)parts * sizeof(float), "skin");
    if (larger == NULL)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room for %d vertices", capacity);
    *array = larger;
    return DLP_OK;
}

// The other arrays grow with the vertices: one capacity for all of them.
static dlp_status make_room(dlp_surface_mesh *to, const dlp_surface_mesh *from, int32_t vertices,
                            int32_t triangles, dlp_error *error)
{
    const int32_t before = to->mesh.vertex_capacity;
    DLP_TRY(dlp_reserve(&to->mesh.triangles, &to->mesh.triangle_capacity, triangles,
                        sizeof *to->mesh.triangles, "skin", error));
    DLP_TRY(dlp_reserve(&to->mesh.vertices, &to->mesh.vertex_capacity, vertices, sizeof *to->mesh.vertices,
                        "skin", error));
    if (to->mesh.vertex_capacity == before) return DLP_OK;
    DLP_TRY(widen(&to->normals, from->normals, to->mesh.vertex_capacity, 3, error));
    DLP_TRY(widen(&to->velocities, from->velocities, to->mesh.vertex_capacity, 3, error));
    DLP_TRY(widen(&to->temperatures, from->temperatures, to->mesh.vertex_capacity, 1, error));
    return widen(&to->colors, from->colors, to->mesh.vertex_capacity, 3, error);
}

static void copy_values(float *to, const float *from, int32_t at, const dlp_mesh_range *range, size_t parts)
{
    if (to == NULL || from == NULL) return;
    memcpy(to + parts * (size_t)at, from + parts * (size_t)range->first_vertex,
           parts * (size_t)(range->end_vertex - range->first_vertex) * sizeof *to);
}

dlp_status dlp_surface_mesh_append(dlp_surface_mesh *to, const dlp_surface_mesh *from,
                                   const dlp_mesh_range *range, dlp_error *error)
{
    assert(range->first_vertex >= 0 && range->first_vertex <= range->end_vertex);
    assert(range->end_vertex <= from->mesh.vertex_count && range->end_triangle <= from->mesh.triangle_count);
    const int32_t at = to->mesh.vertex_count, count = range->end_vertex - range->first_vertex;
    const int32_t more = range->end_triangle - range->first_triangle;
    if (count == 0) return DLP_OK;
    DLP_TRY(make_room(to, from, at + count, to->mesh.triangle_count + more, error));
    memcpy(to->mesh.vertices + at, from->mesh.vertices + range->first_vertex,
           (size_t)count * sizeof *to->mesh.vertices);
    copy_values(to->normals, from->normals, at, range, 3);
    copy_values(to->velocities, from->velocities, at, range, 3);
    copy_values(to->temperatures, from->temperatures, at, range, 1);
    copy_values(to->colors, from->colors, at, range, 3);
    for (int32_t t = range->first_triangle; t < range->end_triangle; t++)
        for (int corner = 0; corner < 3; corner++)
            to->mesh.triangles[to->mesh.triangle_count + t - range->first_triangle][corner] =
                from->mesh.triangles[t][corner] - range->first_vertex + at;
    to->mesh.vertex_count += count;
    to->mesh.triangle_count += more;
    return DLP_OK;
}

// About a vertex of the mesh, so that places far from the origin lose no digits.
double dlp_surface_mesh_volume(const dlp_mesh *mesh)
{
    double volume = 0;
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangles[t];
        const dlp_vec3 a = dlp_sub(mesh->vertices[v[0]], mesh->vertices[0]),
                       b = dlp_sub(mesh->vertices[v[1]], mesh->vertices[0]),
                       c = dlp_sub(mesh->vertices[v[2]], mesh->vertices[0]);
        volume += dlp_dot(a, dlp_cross(b, c));
    }
    return volume / 6;
}

// Angle between two sides at their common corner; by atan2, which is accurate for thin triangles.
static double angle_between(dlp_vec3 a, dlp_vec3 b)
{
    return atan2(dlp_length(dlp_cross(a, b)), dlp_dot(a, b));
}

// Angles make the normal independent of how a flat face is cut into triangles.
static void add_triangle_normal(const dlp_mesh *mesh, const int32_t v[3], dlp_vec3 *sums)
{
    const dlp_vec3 x[3] = {mesh->vertices[v[0]], mesh->vertices[v[1]], mesh->vertices[v[2]]};
    const dlp_vec3 normal =
        dlp_normalize(dlp_cross(dlp_sub(x[1], x[0]), dlp_sub(x[2], x[0])), dlp_vec(0, 0, 0));
    for (int32_t k = 0; k < 3; k++) {
        const double angle = angle_between(dlp_sub(x[(k + 1) % 3], x[k]), dlp_sub(x[(k + 2) % 3], x[k]));
        sums[v[k]] = dlp_along(sums[v[k]], normal, angle);
    }
}

dlp_status dlp_surface_mesh_compute_normals(dlp_surface_mesh *skin, dlp_error *error)
{
    const dlp_mesh *mesh = &skin->mesh;
    const size_t count = (size_t)mesh->vertex_count;
    dlp_vec3 *sums = dlp_alloc(count, sizeof *sums, "mesh");
    if (skin->normals == NULL) skin->normals = dlp_alloc(3 * count, sizeof(float), "mesh");
    if (sums == NULL || skin->normals == NULL) {
        dlp_free(sums);
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "mesh: normals of %zu vertices", count);
    }
    for (int32_t t = 0; t < mesh->triangle_count; t++) add_triangle_normal(mesh, mesh->triangles[t], sums);
    for (size_t v = 0; v < count; v++) {
        const dlp_vec3 normal = dlp_normalize(sums[v], dlp_vec(0, 0, 1));
        skin->normals[3 * v] = (float)normal.x;
        skin->normals[3 * v + 1] = (float)normal.y;
        skin->normals[3 * v + 2] = (float)normal.z;
    }
    dlp_free(sums);
    return DLP_OK;
}

// Compares with the mean of the triangles' normals; NaN counts as wrong in both.
static void count_normals(const dlp_surface_mesh *skin, const float *face_normals,
                          dlp_surface_mesh_report *report)
{
    for (size_t v = 0; v < (size_t)skin->mesh.vertex_count; v++) {
        const float *n = &skin->normals[3 * v], *f = &face_normals[3 * v];
        const float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        report->nonunit_normals += !(fabsf(square - 1) < 2e-3f);
        report->flipped_normals += !(n[0] * f[0] + n[1] * f[1] + n[2] * f[2] > 0);
    }
}

dlp_status dlp_surface_mesh_check(const dlp_surface_mesh *mesh, dlp_surface_mesh_report *out_report,
                                  dlp_error *error)
{
    *out_report = (dlp_surface_mesh_report){0};
    DLP_TRY(dlp_mesh_check(&mesh->mesh, &out_report->mesh, error));
    if (mesh->normals != NULL) {
        dlp_surface_mesh faces = {.mesh = mesh->mesh};  // borrowed
        DLP_TRY(dlp_surface_mesh_compute_normals(&faces, error));
        count_normals(mesh, faces.normals, out_report);
        dlp_free(faces.normals);
    }
    out_report->is_sound =
        out_report->mesh.is_sound && out_report->nonunit_normals == 0 && out_report->flipped_normals == 0;
    return DLP_OK;
}
