/* The strict check of a mesh. Truths: closed forms of volume, area and angle; meshes built with one known
 * mistake. */
#include "base/memory.h"
#include "meshes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static dlp_mesh_report check(const dlp_mesh *mesh)
{
    dlp_mesh_report report;
    dlp_error error;
    if (dlp_mesh_check(mesh, &report, &error) != DLP_OK) fail_msg("%s", error.message);
    return report;
}

static void a_torus_and_a_ball_with_a_cavity_are_sound(void **state)
{
    (void)state;
    dlp_mesh torus = torus_mesh(60, 32, 0.75, 0.25);
    dlp_mesh_report report = check(&torus);
    assert_true(report.is_sound);
    assert_int_equal(report.components, 1);
    // 2 pi^2 R r^2 and 4 pi^2 R r, less what chords of a sixtieth and a thirty-second of a circle cut off.
    assert_true(fabs(report.volume / (2 * DLP_PI * DLP_PI * 0.75 * 0.0625) - 1) < 0.012);
    assert_true(fabs(report.area / (4 * DLP_PI * DLP_PI * 0.75 * 0.25) - 1) < 0.006);
    dlp_mesh_release(&torus);

    const dlp_vec3 origin = {0, 0, 0};
    dlp_mesh ball = sphere_mesh(3, 1, origin), hole = sphere_mesh(3, 0.5, origin),
             island = sphere_mesh(3, 0.2, origin);
    append_mesh(&ball, &hole, true);
    assert_true(check(&ball).is_sound);
    append_mesh(&ball, &island, false);
    report = check(&ball);
    assert_true(report.is_sound);
    assert_int_equal(report.components, 3);
    dlp_mesh_release(&ball);
    dlp_mesh_release(&hole);
    dlp_mesh_release(&island);
}

static void a_mesh_turned_inside_out_is_refused(void **state)
{
    (void)state;
    const dlp_vec3 origin = {0, 0, 0};
    dlp_mesh ball = sphere_mesh(3, 1, origin), hole = sphere_mesh(3, 0.5, origin), turned = {0};
    append_mesh(&turned, &ball, true);
    dlp_mesh_report report = check(&turned);
    assert_true(report.is_watertight);
    assert_int_equal(report.misfacing_components, 1);
    assert_false(report.is_sound);
    append_mesh(&turned, &hole, true);  // as the wall of a cavity it would be right
    assert_int_equal(check(&turned).misfacing_components, 1);
    append_mesh(&ball, &hole, false);  // a cavity turned outward
    report = check(&ball);
    assert_int_equal(report.misfacing_components, 1);
    assert_false(report.is_sound);
    dlp_mesh_release(&turned);
    dlp_mesh_release(&ball);
    dlp_mesh_release(&hole);
}

static void of_many_drops_and_bubbles_the_turned_ones_are_counted(void **state)
{
    (void)state;
    // A large ball with bubbles in it and drops around it, on a lattice that puts vertices of one right
    // behind those of another.
    dlp_mesh mesh = sphere_mesh(4, 5, dlp_vec(0, 0, 0));
    int32_t turned_count = 0;
    for (int32_t k = 0; k < 9 * 9 * 9; k++) {
        const dlp_vec3 x = dlp_vec(2 * (k % 9 - 4), 2 * (k / 9 % 9 - 4), 2 * (k / 81 - 4));
        if (fabs(dlp_length(x) - 5) < 1) continue;
        dlp_mesh small = sphere_mesh(1, 0.4, x);
        const bool is_wrong = k % 7 == 0, is_bubble = dlp_length(x) < 5;
        append_mesh(&mesh, &small, is_bubble != is_wrong);
        turned_count += is_wrong;
        dlp_mesh_release(&small);
    }
    const dlp_mesh_report report = check(&mesh);
    assert_true(report.is_watertight);
    assert_true(report.components > 400);
    assert_int_equal(report.misfacing_components, turned_count);
    dlp_mesh_release(&mesh);
}

static void a_bow_tie_is_not_manifold_at_its_vertex(void **state)
{
    (void)state;
    // Two tetrahedra with a corner in common.
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv -1 0 0\nv 0 -1 0\nv 0 0 -1\n"
                               "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
                               "f 1 5 6\nf 1 7 5\nf 1 6 7\nf 5 7 6\n";
    dlp_mesh mesh;
    assert_int_equal(dlp_mesh_parse((dlp_bytes){text, strlen(text)}, DLP_MESH_OBJ, &mesh, NULL), DLP_OK);
    const dlp_mesh_report report = check(&mesh);
    assert_true(report.is_watertight);
    assert_int_equal(report.nonmanifold_vertices, 1);
    assert_int_equal(report.nonmanifold_edges, 0);
    assert_int_equal(report.components, 2);
    assert_int_equal(report.misfacing_components, 0);
    assert_false(report.is_sound);
    dlp_mesh_release(&mesh);
}

static void double_triangles_and_wild_vertices_are_counted(void **state)
{
    (void)state;
    dlp_mesh mesh = cube_mesh();
    for (int32_t k = 0; k < 3; k++) {
        const int32_t *t = mesh.triangles[k == 2 ? 5 : 3];
        assert_int_equal(dlp_mesh_add_triangle(&mesh, t[k], t[(k + 2) % 3], t[(k + 1) % 3], NULL), DLP_OK);
    }
    assert_int_equal(check(&mesh).duplicate_triangles, 3);
    mesh.triangle_count -= 3;
    mesh.vertices[2].y = (double)NAN;
    mesh.vertices[4].x = HUGE_VAL;
    const dlp_mesh_report report = check(&mesh);
    assert_int_equal(report.duplicate_triangles, 0);
    assert_int_equal(report.nonfinite_vertices, 2);
    assert_false(report.is_sound);
    dlp_mesh_release(&mesh);
}

static void angles_are_measured_in_degrees(void **state)
{
    (void)state;
    dlp_mesh mesh = cube_mesh();  // halves of squares
    assert_true(fabs(check(&mesh).smallest_angle - 45) < 1e-12);
    assert_true(check(&mesh).thin_share == 0);
    for (int32_t v = 0; v < 8; v++) mesh.vertices[v].z *= tan(3 * DLP_PI / 180);
    const dlp_mesh_report report = check(&mesh);  // now its eight side triangles have three degrees
    assert_true(fabs(report.smallest_angle - 3) < 1e-12);
    assert_true(fabs(report.thin_share - 8. / 12) < 1e-15);
    dlp_mesh_release(&mesh);
}

static void edges_are_found_however_many_meet_at_a_hub(void **state)
{
    (void)state;
    // A double cone of 200 sides: its tips have 200 edges each, the first of which has three triangles.
    dlp_mesh mesh = {0};
    for (int32_t k = 0; k < 2; k++)
        assert_int_equal(dlp_mesh_add_vertex(&mesh, dlp_vec(0, 0, k == 0 ? 1 : -1), NULL), DLP_OK);
    for (int32_t k = 0; k < 200; k++) {
        const double angle = DLP_PI * k / 100;
        assert_int_equal(dlp_mesh_add_vertex(&mesh, dlp_vec(cos(angle), sin(angle), 0), NULL), DLP_OK);
    }
    for (int32_t k = 0; k < 200; k++) {
        const int32_t a = 2 + (57 * k) % 200, b = 2 + (57 * k + 1) % 200;
        assert_int_equal(dlp_mesh_add_triangle(&mesh, 0, a, b, NULL), DLP_OK);
        assert_int_equal(dlp_mesh_add_triangle(&mesh, 1, b, a, NULL), DLP_OK);
    }
    assert_true(check(&mesh).is_sound);
    assert_int_equal(dlp_mesh_add_triangle(&mesh, 0, 2, 100, NULL), DLP_OK);
    const dlp_mesh_report report = check(&mesh);
    assert_int_equal(report.nonmanifold_edges, 2);
    assert_int_equal(report.open_edges, 1);
    dlp_mesh_release(&mesh);
}

static void nothing_is_left_in_memory(void **state)
{
    (void)state;
    assert_int_equal(dlp_memory_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torus_and_a_ball_with_a_cavity_are_sound),
        cmocka_unit_test(a_mesh_turned_inside_out_is_refused),
        cmocka_unit_test(of_many_drops_and_bubbles_the_turned_ones_are_counted),
        cmocka_unit_test(a_bow_tie_is_not_manifold_at_its_vertex),
        cmocka_unit_test(double_triangles_and_wild_vertices_are_counted),
        cmocka_unit_test(angles_are_measured_in_degrees),
        cmocka_unit_test(edges_are_found_however_many_meet_at_a_hub),
        cmocka_unit_test(nothing_is_left_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
