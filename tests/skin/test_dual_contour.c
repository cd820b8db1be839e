/* Rest meshes: closed, sharp where the shape is, with the volumes of the closed forms. */
#include "base/memory.h"
#include "meshes.h"
#include "skin/rest_mesh.h"
#include "truth.h"

#include <string.h>

static dlp_mesh mesh_of(const dlp_shape_def *def, double cell, dlp_mesh_report *out_report)
{
    dlp_error error = {0};
    dlp_mesh mesh;
    if (dlp_rest_mesh_create(def, NULL, cell, &mesh, &error) != DLP_OK) fail_msg("%s", error.message);
    assert_int_equal(dlp_mesh_check(&mesh, out_report, NULL), DLP_OK);
    assert_true(out_report->is_sound);
    return mesh;
}

// The mesh is sound and of one piece, its volume within `tolerance` of the truth (relative), no vertex off
// the surface by more than `gap` cells: vertices keep 0.02 from all sides of their cells, and those of a bent
// edge lie where planes meet.
static void check_mesh(const dlp_shape_def *def, double cell, double volume, double tolerance, double gap)
{
    dlp_mesh_report report;
    dlp_mesh mesh = mesh_of(def, cell, &report);
    assert_near(report.volume, volume, tolerance * volume);
    assert_int_equal(report.components, 1);
    dlp_shape *shape;
    assert_int_equal(dlp_shape_create(def, 3, NULL, &shape, NULL), DLP_OK);
    for (int32_t v = 0; v < mesh.vertex_count; v++)
        assert_near(dlp_shape_distance(shape, mesh.vertices[v]) / cell, 0, gap);
    dlp_shape_destroy(shape);
    dlp_mesh_release(&mesh);
}

static bool has_vertex_at(const dlp_mesh *mesh, dlp_vec3 x, double tolerance)
{
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        if (dlp_length(dlp_sub(mesh->vertices[v], x)) <= tolerance) return true;
    return false;
}

static void a_box_has_its_volume_and_corners_to_rounding(void **state)
{
    (void)state;
    dlp_shape_def box = {.kind = DLP_SHAPE_BOX,
                         .min = {0.1, 0.2, 0.3},
                         .max = {0.5, 0.45, 0.63},
                         .rotate = {20, 30, 40},
                         .translate = {1, 2, 3}};
    check_mesh(&box, 0.017, 0.4 * 0.25 * 0.33, 1e-9, 1e-9);
    dlp_mesh_report report;
    dlp_mesh mesh = mesh_of(&box, 0.017, &report);
    assert_true(report.smallest_angle > 35);
    const dlp_transform frame = dlp_transform_of(box.translate, box.rotate);
    for (int corner = 0; corner < 8; corner++) {
        const dlp_vec3 x = dlp_vec(corner & 1 ? box.min.x : box.max.x, corner & 2 ? box.min.y : box.max.y,
                                   corner & 4 ? box.min.z : box.max.z);
        assert_true(has_vertex_at(&mesh, dlp_to_world(&frame, x), 1e-9));
    }
    dlp_mesh_release(&mesh);
}

static void a_plate_thinner_than_a_cell_is_closed(void **state)
{
    (void)state;
    const dlp_shape_def sheet = {
        .kind = DLP_SHAPE_SHEET, .axis = {0, 0, 1}, .size = {0.4, 0.3, 0}, .thickness = 0.004};
    check_mesh(&sheet, 0.01, 0.4 * 0.3 * 0.004, 1e-9, 1e-9);
}

// A chord of one cell in a circle of r cells cuts off about 1 / (4 r^2) of its area twice over.
static void round_shapes_have_their_volumes(void **state)
{
    (void)state;
    const dlp_shape_def sphere = {.kind = DLP_SHAPE_SPHERE, .center = {1, 2, 3}, .radius = 0.1};
    check_mesh(&sphere, 0.01, 4 * DLP_PI / 3 * 1e-3, 0.01, 0.04);
    const dlp_shape_def torus = {.kind = DLP_SHAPE_TORUS, .axis = {1, 1, 0}, .radius = 0.2, .tube = 0.08};
    check_mesh(&torus, 0.01, 2 * DLP_PI * DLP_PI * 0.2 * 0.08 * 0.08, 0.01, 0.04);
    const dlp_shape_def capsule = {
        .kind = DLP_SHAPE_CAPSULE, .from = {0, 0, 0}, .to = {0.3, 0.1, 0}, .radius = 0.1};
    check_mesh(&capsule, 0.01, DLP_PI * 0.01 * (sqrt(0.1) + 0.4 / 3), 0.01, 0.04);
}

static void rims_stay_sharp(void **state)
{
    (void)state;
    const dlp_shape_def cylinder = {
        .kind = DLP_SHAPE_CYLINDER, .from = {0, 0, 0}, .to = {0, 0.2, 0.2}, .radius = 0.1};
    check_mesh(&cylinder, 0.01, DLP_PI * 0.01 * 0.2 * sqrt(2), 0.01, 0.1);
    const dlp_shape_def cone = {
        .kind = DLP_SHAPE_CONE, .from = {0, 0, 0}, .to = {0, 0, 0.2}, .radius = 0.1, .radius_to = 0.05};
    check_mesh(&cone, 0.01, DLP_PI * 0.2 / 3 * (0.01 + 0.005 + 0.0025), 0.01, 0.1);
}

static void what_is_taken_from_a_box_leaves_sharp_edges(void **state)
{
    (void)state;
    dlp_shape_def children[2] = {{.kind = DLP_SHAPE_BOX, .max = {0.3, 0.2, 0.2}},
                                 {.kind = DLP_SHAPE_BOX, .min = {0.104, 0.093, 0.112}, .max = {1, 1, 1}}};
    const dlp_shape_def rest = {.kind = DLP_SHAPE_DIFFERENCE, .children = children, .child_count = 2};
    check_mesh(&rest, 0.01, 0.3 * 0.2 * 0.2 - 0.196 * 0.107 * 0.088, 1e-3, 0.05);
    dlp_mesh_report report;
    dlp_mesh mesh = mesh_of(&rest, 0.01, &report);
    assert_true(has_vertex_at(&mesh, dlp_vec(0.104, 0.093, 0.112), 1e-6));
    assert_true(has_vertex_at(&mesh, dlp_vec(0.104, 0.2, 0.2), 1e-6));
    dlp_mesh_release(&mesh);
}

// The distance within a union is only a bound, but 0 where its surface is.
static void joined_shapes_are_one_surface(void **state)
{
    (void)state;
    dlp_shape_def children[2] = {{.kind = DLP_SHAPE_SPHERE, .radius = 0.1},
                                 {.kind = DLP_SHAPE_SPHERE, .center = {0.12, 0.03, 0}, .radius = 0.08}};
    const dlp_shape_def both = {.kind = DLP_SHAPE_UNION, .children = children, .child_count = 2};
    // the lens that both have
    const double d = sqrt(0.12 * 0.12 + 0.03 * 0.03), a = 0.1, b = 0.08, gap = a + b - d;
    const double lens = DLP_PI * gap * gap * (d * d + 2 * d * (a + b) - 3 * (a - b) * (a - b)) / (12 * d);
    check_mesh(&both, 0.01, 4 * DLP_PI / 3 * (a * a * a + b * b * b) - lens, 0.01, 0.2);
}

// Cells through which two faces pass: a cube of two plates with a slit narrower than a cell.
static void faces_that_share_a_cell_stay_apart(void **state)
{
    (void)state;
    dlp_shape_def children[2] = {{.kind = DLP_SHAPE_BOX, .max = {0.2, 0.2, 0.2}},
                                 {.kind = DLP_SHAPE_BOX, .min = {0.096, -1, -1}, .max = {0.103, 1, 0.15}}};
    const dlp_shape_def slit = {.kind = DLP_SHAPE_DIFFERENCE, .children = children, .child_count = 2};
    check_mesh(&slit, 0.01, 0.008 - 0.007 * 0.2 * 0.15, 0.03, 1);
}

static void a_finer_grid_than_numbers_can_hold_is_refused(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_mesh mesh;
    const dlp_shape_def box = {.kind = DLP_SHAPE_BOX, .max = {1, 1, 1}};
    assert_int_equal(dlp_rest_mesh_create(&box, NULL, 1e-5, &mesh, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "surface.cell: 1e-05 m is too fine for a body of 1 m"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_its_volume_and_corners_to_rounding),
        cmocka_unit_test(a_plate_thinner_than_a_cell_is_closed),
        cmocka_unit_test(round_shapes_have_their_volumes),
        cmocka_unit_test(rims_stay_sharp),
        cmocka_unit_test(what_is_taken_from_a_box_leaves_sharp_edges),
        cmocka_unit_test(joined_shapes_are_one_surface),
        cmocka_unit_test(faces_that_share_a_cell_stay_apart),
        cmocka_unit_test(a_finer_grid_than_numbers_can_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
