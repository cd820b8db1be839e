/* Surfaces as files: what is written is read back, byte for byte where the format says so. */
#include "base/memory.h"
#include "record/mesh_files.h"
#include "meshes.h"
#include "test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void write_mesh(const char *path, dlp_mesh_file_format format, const dlp_skin_mesh *mesh)
{
    dlp_error error;
    if (dlp_skin_mesh_write(path, format, mesh, 0.04, &error) != DLP_OK) fail_msg("%s", error.message);
}

static dlp_skin_mesh read_mesh(const char *path)
{
    dlp_skin_mesh mesh;
    dlp_error error;
    if (dlp_skin_mesh_read(path, &mesh, &error) != DLP_OK) fail_msg("%s", error.message);
    return mesh;
}

static void expect_same_triangles(const dlp_mesh *a, const dlp_mesh *b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_memory_equal(a->triangles, b->triangles, (size_t)a->triangle_count * sizeof a->triangles[0]);
}

static void a_ply_file_gives_every_attribute_back_bit_for_bit(void **state)
{
    (void)state;
    dlp_skin_mesh mesh = torus_skin(40, 24);
    write_mesh(in_folder("torus.ply"), DLP_MESH_FILE_PLY, &mesh);
    dlp_skin_mesh read = read_mesh(in_folder("torus.ply"));
    const size_t count = (size_t)mesh.mesh.vertex_count;
    expect_same_triangles(&mesh.mesh, &read.mesh);
    assert_memory_equal(mesh.mesh.vertices, read.mesh.vertices, count * sizeof(dlp_vec3));
    assert_memory_equal(mesh.normals, read.normals, 3 * count * sizeof(float));
    assert_memory_equal(mesh.velocities, read.velocities, 3 * count * sizeof(float));
    assert_memory_equal(mesh.temperatures, read.temperatures, count * sizeof(float));
    assert_memory_equal(mesh.colors, read.colors, 3 * count * sizeof(float));
    dlp_skin_mesh_release(&read);

    dlp_free(mesh.temperatures);
    dlp_free(mesh.colors);
    mesh.temperatures = mesh.colors = NULL;
    write_mesh(in_folder("torus.ply"), DLP_MESH_FILE_PLY, &mesh);
    read = read_mesh(in_folder("torus.ply"));
    assert_null(read.temperatures);
    assert_null(read.colors);
    assert_memory_equal(mesh.velocities, read.velocities, 3 * count * sizeof(float));
    dlp_skin_mesh_release(&read);
    dlp_skin_mesh_release(&mesh);
}

static void an_empty_surface_is_written_and_read(void **state)
{
    (void)state;
    const dlp_skin_mesh empty = {0};
    write_mesh(in_folder("empty.ply"), DLP_MESH_FILE_PLY, &empty);
    write_mesh(in_folder("empty.obj"), DLP_MESH_FILE_OBJ, &empty);
    write_mesh(in_folder("empty.stl"), DLP_MESH_FILE_STL, &empty);
    write_mesh(in_folder("empty.glb"), DLP_MESH_FILE_GLB, &empty);
    dlp_skin_mesh read = read_mesh(in_folder("empty.ply"));
    assert_int_equal(read.mesh.vertex_count, 0);
    assert_int_equal(read.mesh.triangle_count, 0);
    dlp_skin_mesh_release(&read);
}

static void nothing_is_left_in_memory(void **state)
{
    (void)state;
    assert_int_equal(dlp_memory_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ply_file_gives_every_attribute_back_bit_for_bit),
        cmocka_unit_test(an_empty_surface_is_written_and_read),
        cmocka_unit_test(nothing_is_left_in_memory),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
