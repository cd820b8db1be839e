/* Meshes: reading, judging, repairing, and the distance to them. Truths: the box's closed forms, the sphere's
 * volume, brute force over all triangles, the solid angle. */
#include "base/memory.h"
#include "base/random.h"
#include "space/mesh.h"
#include "space/mesh_edges.h"
#include "space/mesh_nearest.h"
#include "space/mesh_tree.h"
#include "space/shape_leaf.h"
#include "meshes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static dlp_status parse(const char *text, dlp_mesh_format format, dlp_mesh *mesh, dlp_error *error)
{
    return dlp_mesh_parse((dlp_bytes){text, strlen(text)}, format, mesh, error);
}

static dlp_vec3 random_point(uint64_t k, double low, double high)
{
    return dlp_vec(low + (high - low) * dlp_random(k, 0, 1), low + (high - low) * dlp_random(k, 0, 2),
                   low + (high - low) * dlp_random(k, 0, 3));
}

static void expect_failure(const char *text, dlp_mesh_format format, const char *message)
{
    dlp_mesh mesh;
    dlp_error error = {0};
    const dlp_status status = parse(text, format, &mesh, &error);
    if (status == DLP_OK || strstr(error.message, message) == NULL)
        fail_msg("wanted \"%s\", got %d \"%s\"", message, status, error.message);
    assert_int_equal(mesh.vertex_count, 0);
}

static void expect_cube(const dlp_mesh *mesh)
{
    dlp_mesh_report report;
    assert_int_equal(dlp_mesh_check(mesh, &report, NULL), DLP_OK);
    assert_true(report.is_watertight);
    assert_int_equal(report.vertex_count, 8);
    assert_int_equal(report.triangle_count, 12);
    assert_int_equal(report.components, 1);
    assert_true(fabs(report.volume - 1) < 1e-15);
    assert_true(fabs(report.area - 6) < 1e-14);
}

static void an_obj_cube_of_quads_is_closed_and_has_volume_one(void **state)
{
    (void)state;
    dlp_mesh mesh = cube_mesh();
    expect_cube(&mesh);
    assert_int_equal(dlp_mesh_make_solid(&mesh, DLP_HOLES_REFUSE, NULL), DLP_OK);
    expect_cube(&mesh);
    dlp_mesh_release(&mesh);
}

// The cube's bytes as binary PLY of either endianness.
static size_t write_binary_ply(char *out, const dlp_mesh *mesh, bool is_big)
{
    size_t n = (size_t)sprintf(
        out,
        "ply\nformat binary_%s_endian 1.0\ncomment cube\nelement vertex %d\nproperty double x\n"
        "property float y\nproperty double z\nproperty uchar red\nelement face %d\n"
        "property list uchar int vertex_indices\nend_header\n",
        is_big ? "big" : "little", mesh->vertex_count, mesh->triangle_count);
#define PUT(value, type)                                                                                     \
    do {                                                                                                     \
        const type item = (type)(value);                                                                     \
        unsigned char bytes[sizeof item];                                                                    \
        memcpy(bytes, &item, sizeof item);                                                                   \
        for (size_t b = 0; b < sizeof item; b++) out[n++] = (char)bytes[is_big ? sizeof item - 1 - b : b];   \
    } while (0)
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        PUT(mesh->vertices[v].x, double);
        PUT(mesh->vertices[v].y, float);
        PUT(mesh->vertices[v].z, double);
        PUT(255, uint8_t);
    }
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        PUT(3, uint8_t);
        for (int32_t k = 0; k < 3; k++) PUT(mesh->triangles[t][k], int32_t);
    }
    return n;
}

static void binary_ply_of_either_endianness_gives_the_same_cube(void **state)
{
    (void)state;
    dlp_mesh mesh = cube_mesh(), read;
    char bytes[4096];
    for (int32_t big = 0; big < 2; big++) {
        const size_t size = write_binary_ply(bytes, &mesh, big == 1);
        assert_int_equal(dlp_mesh_parse((dlp_bytes){bytes, size}, DLP_MESH_PLY, &read, NULL), DLP_OK);
        expect_cube(&read);
        dlp_mesh_release(&read);
        for (size_t cut = 0; cut < size; cut++)
            assert_int_equal(dlp_mesh_parse((dlp_bytes){bytes, cut}, DLP_MESH_PLY, &read, NULL), DLP_IO);
    }
    dlp_mesh_release(&mesh);
}

static void an_ascii_ply_with_polygons_is_read(void **state)
{
    (void)state;
    static const char text[] =
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n"
        "property float z\nelement face 6\nproperty list uchar uint vertex_index\n"
        "element edge 1\nproperty int vertex1\nend_header\n"
        "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n4 0 3 2 1\n4 4 5 6 7\n"
        "4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n0\n";
    dlp_mesh mesh;
    assert_int_equal(parse(text, DLP_MESH_PLY, &mesh, NULL), DLP_OK);
    expect_cube(&mesh);
    dlp_mesh_release(&mesh);
}

static void stl_of_either_kind_is_welded_into_a_closed_cube(void **state)
{
    (void)state;
    dlp_mesh mesh = cube_mesh(), read;
    static char text[8192], binary[84 + 12 * 50] = "solid but binary";
    size_t n = (size_t)sprintf(text, "solid cube\n");
    const uint32_t count = 12;
    memcpy(binary + 80, &count, 4);
    for (int32_t t = 0; t < 12; t++) {
        n += (size_t)sprintf(text + n, "facet normal 0 0 0\nouter loop\n");
        for (int32_t k = 0; k < 3; k++) {
            const dlp_vec3 x = mesh.vertices[mesh.triangles[t][k]];
            const float single[3] = {(float)x.x, (float)x.y, (float)x.z};
            n += (size_t)sprintf(text + n, "vertex %g %g %g\n", x.x, x.y, x.z == 0 ? -0.0 : x.z);
            memcpy(binary + 84 + 50 * t + 12 + 12 * k, single, 12);
        }
        n += (size_t)sprintf(text + n, "endloop\nendfacet\n");
    }
    sprintf(text + n, "endsolid cube\n");
    assert_int_equal(parse(text, DLP_MESH_STL, &read, NULL), DLP_OK);
    expect_cube(&read);
    dlp_mesh_release(&read);
    assert_int_equal(dlp_mesh_parse((dlp_bytes){binary, sizeof binary}, DLP_MESH_STL, &read, NULL), DLP_OK);
    expect_cube(&read);
    dlp_mesh_release(&read);
    dlp_error error;
    binary[0] = 'x';
    assert_int_equal(dlp_mesh_parse((dlp_bytes){binary, sizeof binary - 1}, DLP_MESH_STL, &read, &error),
                     DLP_IO);
    assert_non_null(strstr(error.message, "12 triangles need 684 bytes, 683 are there"));
    dlp_mesh_release(&mesh);
}

static void bad_files_are_refused_with_the_reason(void **state)
{
    (void)state;
    expect_failure("", DLP_MESH_OBJ, "has no faces");
    expect_failure("v 0 0\n", DLP_MESH_OBJ, "line 1: a vertex needs three numbers");
    expect_failure("v 0 0 0\nf 1 1 2\n", DLP_MESH_OBJ,
                   "line 2: corner 2 does not exist; 1 vertices came before");
    expect_failure("v 0 0 0\nf 1 1 0\n", DLP_MESH_OBJ, "corner 0 does not exist");
    expect_failure("v 0 0 0\nf 1 1 -2\n", DLP_MESH_OBJ, "corner -2 does not exist");
    expect_failure("v 0 0 0\nf 1 1 99999999999999999999\n", DLP_MESH_OBJ, "is not a corner of a face");
    expect_failure("v 0 0 0\nf 1 1\n", DLP_MESH_OBJ, "a face needs three corners or more (got 2)");
    expect_failure("v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", DLP_MESH_OBJ, "vertex 1 is (0, 0, nan)");
    expect_failure("v 0 0 1e200\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", DLP_MESH_OBJ, "must be finite");
    expect_failure("oops", DLP_MESH_PLY, "not a PLY file");
    expect_failure("ply\nformat ascii 1.0\n", DLP_MESH_PLY, "ends within its PLY header");
    expect_failure("ply\nformat ascii 1.0\nelement vertex 1000000\nproperty float x\nend_header\n1",
                   DLP_MESH_PLY, "cut short");
    expect_failure(
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 0 1\n",
        DLP_MESH_PLY, "a face has the corner 1; there are vertices 0 to 0");
    expect_failure("short", DLP_MESH_STL, "not an STL file");
    expect_failure("solid x\nfacet\nvertex 1 2\n", DLP_MESH_STL, "line 3: a vertex needs three numbers");
    expect_failure("solid x\nfacet\nvertex 1 2 3\nendfacet", DLP_MESH_STL,
                   "a facet needs three vertices (got 1)");
}

static void unreadable_paths_are_named(void **state)
{
    (void)state;
    dlp_mesh mesh;
    dlp_error error;
    assert_int_equal(dlp_mesh_read("no/such.obj", &mesh, &error), DLP_IO);
    assert_string_equal(error.message, "no/such.obj: No such file or directory");
    assert_int_equal(dlp_mesh_read("rock.fbx", &mesh, &error), DLP_IO);
    assert_string_equal(error.message, "rock.fbx: unknown kind of mesh; .obj, .ply and .stl are read");
    assert_int_equal(dlp_file_load(".", &(dlp_bytes){0}, &error), DLP_IO);
    assert_string_equal(error.message, ".: is a folder; must be a file");
}

static void a_mesh_with_a_hole_is_refused_and_can_be_repaired(void **state)
{
    (void)state;
    dlp_mesh mesh = cube_mesh();
    mesh.triangle_count -= 2;  // without its last face
    dlp_error error;
    dlp_mesh_report report;
    assert_int_equal(dlp_mesh_check(&mesh, &report, NULL), DLP_OK);
    assert_int_equal(report.open_edges, 4);
    assert_int_equal(report.holes, 1);
    assert_false(report.is_watertight);
    assert_int_equal(dlp_mesh_make_solid(&mesh, DLP_HOLES_REFUSE, &error), DLP_IO);
    assert_non_null(
        strstr(error.message, "1 hole, 4 open edges; a solid must be closed: set `repair: true`"));
    assert_int_equal(dlp_mesh_make_solid(&mesh, DLP_HOLES_CLOSE, &error), DLP_OK);
    expect_cube(&mesh);
    dlp_mesh_release(&mesh);
}

static void a_hole_whose_diagonal_exists_is_closed_with_a_new_vertex(void **state)
{
    (void)state;
    // Four vertices: of a tetrahedron one side is missing together with nothing else, so its only filling is
    // that side; of a bipyramid without two neighbouring sides the loop's diagonal is an edge already.
    dlp_mesh mesh;
    assert_int_equal(parse("v 1 0 0\nv 0 1 0\nv -1 -1 0\nv 0 0 1\nv 0 0 -1\n"
                           "f 2 3 4\nf 3 1 4\nf 3 2 5\nf 1 3 5\n",
                           DLP_MESH_OBJ, &mesh, NULL),
                     DLP_OK);
    dlp_error error;
    if (dlp_mesh_make_solid(&mesh, DLP_HOLES_CLOSE, &error) != DLP_OK) fail_msg("%s", error.message);
    dlp_mesh_report report;
    assert_int_equal(dlp_mesh_check(&mesh, &report, NULL), DLP_OK);
    assert_true(report.is_watertight);
    assert_true(report.volume > 0);
    dlp_mesh_release(&mesh);
}

static void triangles_turned_at_random_are_turned_outward(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 8; round++) {
        dlp_mesh mesh = cube_mesh();
        for (int32_t t = 0; t < mesh.triangle_count; t++) {
            if (dlp_random((uint64_t)t, round, 7) < 0.5) continue;
            const int32_t b = mesh.triangles[t][1];
            mesh.triangles[t][1] = mesh.triangles[t][2];
            mesh.triangles[t][2] = b;
        }
        assert_int_equal(dlp_mesh_make_solid(&mesh, DLP_HOLES_REFUSE, NULL), DLP_OK);
        expect_cube(&mesh);
        dlp_mesh_release(&mesh);
    }
}

static void degenerate_double_and_unused_parts_are_dropped(void **state)
{
    (void)state;
    dlp_mesh mesh = cube_mesh();
    assert_int_equal(dlp_mesh_add_vertex(&mesh, dlp_vec(9, 9, 9), NULL), DLP_OK);
    assert_int_equal(dlp_mesh_add_triangle(&mesh, 1, 1, 2, NULL), DLP_OK);
    assert_int_equal(
        dlp_mesh_add_triangle(&mesh, mesh.triangles[0][1], mesh.triangles[0][2], mesh.triangles[0][0], NULL),
        DLP_OK);
    dlp_mesh_report report;
    assert_int_equal(dlp_mesh_check(&mesh, &report, NULL), DLP_OK);
    assert_int_equal(report.isolated_vertices, 1);
    assert_int_equal(report.degenerate_triangles, 1);
    assert_int_equal(report.nonmanifold_edges, 4);  // of the double one, and of the degenerate one
    assert_int_equal(dlp_mesh_make_solid(&mesh, DLP_HOLES_REFUSE, NULL), DLP_OK);
    expect_cube(&mesh);
    dlp_mesh_release(&mesh);
}

static void a_fin_and_a_moebius_strip_are_refused(void **state)
{
    (void)state;
    dlp_mesh mesh = cube_mesh();
    dlp_error error;
    assert_int_equal(dlp_mesh_add_vertex(&mesh, dlp_vec(2, 2, 2), NULL), DLP_OK);
    assert_int_equal(dlp_mesh_add_triangle(&mesh, 5, 6, 8, NULL), DLP_OK);
    assert_int_equal(dlp_mesh_make_solid(&mesh, DLP_HOLES_CLOSE, &error), DLP_IO);
    assert_non_null(strstr(error.message, "1 edges have more than two triangles"));
    dlp_mesh_release(&mesh);

    assert_int_equal(parse("v 1 0 0\nv 0.3 0.9 0\nv -0.8 0.6 0.4\nv -0.8 -0.6 -0.4\nv 0.3 -0.9 1\n"
                           "f 1 2 3\nf 2 3 4\nf 3 4 5\nf 4 5 1\nf 5 1 2\n",
                           DLP_MESH_OBJ, &mesh, NULL),
                     DLP_OK);
    assert_int_equal(dlp_mesh_make_solid(&mesh, DLP_HOLES_CLOSE, &error), DLP_IO);
    assert_non_null(strstr(error.message, "only one side"));
    dlp_mesh_release(&mesh);
}

static void a_concave_polygon_is_cut_without_overlap(void **state)
{
    (void)state;
    // An arrow whose fan from its first corner would overlap: the triangles' areas must add up to its own.
    dlp_mesh mesh;
    assert_int_equal(parse("v 1 1 0\nv 0 3 0\nv 0 0 0\nv 3 0 0\nf 4 1 2 3\n", DLP_MESH_OBJ, &mesh, NULL),
                     DLP_OK);
    dlp_mesh_report report;
    assert_int_equal(dlp_mesh_check(&mesh, &report, NULL), DLP_OK);
    assert_true(fabs(report.area - 3) < 1e-15);
    dlp_mesh_release(&mesh);
}

static dlp_mesh_tree *tree_of(const dlp_mesh *mesh, int32_t dimension)
{
    dlp_mesh_tree *tree;
    dlp_error error;
    if (dlp_mesh_tree_create(mesh, dimension, &tree, &error) != DLP_OK) fail_msg("%s", error.message);
    return tree;
}

static void the_distance_to_a_cube_mesh_is_that_of_the_box(void **state)
{
    (void)state;
    dlp_mesh mesh = cube_mesh();
    dlp_mesh_tree *tree = tree_of(&mesh, 3);
    for (uint64_t k = 0; k < 20000; k++) {
        // A third of the points lies on a lattice that contains corners, edges and faces exactly.
        dlp_vec3 x = random_point(k, -1, 2);
        if (k % 3 == 0) x = dlp_vec(round(x.x * 4) / 4, round(x.y * 4) / 4, round(x.z * 4) / 4);
        const dlp_probe box = dlp_probe_box(dlp_vec(0.5, 0.5, 0.5), dlp_sub(x, dlp_vec(0.5, 0.5, 0.5)));
        dlp_vec3 normal;
        const double d = dlp_mesh_tree_probe(tree, x, &normal);
        assert_true(fabs(d - box.distance) < 1e-14);
        assert_true(fabs(dlp_length(normal) - 1) < 1e-12);
        if (box.distance > 1e-9) assert_true(dlp_length(dlp_sub(normal, box.normal)) < 1e-9);
    }
    dlp_mesh_tree_destroy(tree);
    dlp_mesh_release(&mesh);
}

static void a_corner_on_a_side_does_not_spoil_the_sign(void **state)
{
    (void)state;
    // A thin wedge whose sharp edge has a third vertex on it, joined by a triangle without area.
    dlp_mesh mesh;
    assert_int_equal(parse("v 0 0 0\nv 2 0 0\nv 1 0 0\nv 0 1 0.1\nv 2 1 0.1\nv 0 1 -0.1\nv 2 1 -0.1\n"
                           "f 1 2 5\nf 1 5 4\nf 1 3 2\n"
                           "f 1 6 3\nf 6 7 3\nf 3 7 2\nf 4 5 7 6\nf 1 4 6\nf 2 7 5\n",
                           DLP_MESH_OBJ, &mesh, NULL),
                     DLP_OK);
    dlp_error error;
    if (dlp_mesh_make_solid(&mesh, DLP_HOLES_REFUSE, &error) != DLP_OK) fail_msg("%s", error.message);
    dlp_mesh_report report;
    assert_int_equal(dlp_mesh_check(&mesh, &report, NULL), DLP_OK);
    assert_int_equal(report.degenerate_triangles, 0);
    assert_true(fabs(report.volume - 0.2) < 1e-15);
    dlp_mesh_tree *tree = tree_of(&mesh, 3);
    for (uint64_t k = 0; k < 3000; k++) {
        const dlp_vec3 x = random_point(k, -0.5, 2.5);
        const dlp_vec3 y =
            dlp_vec(x.x, 0.4 * (x.y - 1), 0.4 * (x.z - 1));  // mostly before and beside the edge
        const bool is_inside = y.x > 0 && y.x < 2 && y.y < 1 && fabs(y.z) < 0.1 * y.y;
        dlp_vec3 normal;
        assert_true((dlp_mesh_tree_probe(tree, y, &normal) < 0) == is_inside);
    }
    dlp_mesh_tree_destroy(tree);
    dlp_mesh_release(&mesh);
}

static void a_squashed_cube_stays_closed_when_its_slivers_are_mended(void **state)
{
    (void)state;
    // Corners in pairs at one place: slivers side by side, whose flips must not make the same edge twice.
    dlp_mesh mesh;
    assert_int_equal(parse("v 0 0 0\nv 1 1 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 0 0 1\nv 0 1 1\nv 0 1 1\n"
                           "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n",
                           DLP_MESH_OBJ, &mesh, NULL),
                     DLP_OK);
    dlp_error error;
    if (dlp_mesh_make_solid(&mesh, DLP_HOLES_REFUSE, &error) != DLP_OK) fail_msg("%s", error.message);
    dlp_mesh_report report;
    assert_int_equal(dlp_mesh_check(&mesh, &report, NULL), DLP_OK);
    assert_true(report.is_watertight);
    dlp_mesh_release(&mesh);
}

// A tetrahedron A B C D. Along AB the face ABC has vertices that ABD has not: slivers from A on close the
// gap. They share A, so that a round mends one of them.
static void a_row_of_a_hundred_slivers_is_mended(void **state)
{
    (void)state;
    enum { PARTS = 101 };
    static char text[30000];
    size_t used = 0;
    for (int k = 0; k <= PARTS; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "v %.17g 0 0\n", k / 128.0);
    const int last = PARTS + 1, c = PARTS + 2, d = PARTS + 3;
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "v 0.5 1 0\nv 0.5 0.5 1\nf 1 %d %d\nf %d %d %d\nf %d 1 %d\n", last, d, last, c,
                             d, c, d);
    for (int k = 1; k <= PARTS; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "f %d %d %d\n", k + 1, k, c);
    for (int k = 2; k <= PARTS; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "f 1 %d %d\n", k, k + 1);
    dlp_mesh mesh;
    dlp_error error;
    assert_int_equal(parse(text, DLP_MESH_OBJ, &mesh, NULL), DLP_OK);
    if (dlp_mesh_make_solid(&mesh, DLP_HOLES_REFUSE, &error) != DLP_OK) fail_msg("%s", error.message);
    dlp_mesh_report report;
    assert_int_equal(dlp_mesh_check(&mesh, &report, NULL), DLP_OK);
    assert_true(report.is_watertight);
    assert_int_equal(report.degenerate_triangles, 0);
    assert_true(fabs(report.volume - PARTS / 128.0 / 6) < 1e-12);
    dlp_mesh_release(&mesh);
}

// A star of `count` corners whose radius changes by `depth` from one to the next.
static char *star_text(int count, double depth)
{
    char *text = malloc((size_t)count * 80 + 16);
    size_t used = 0;
    for (int k = 0; k < count; k++) {
        const double angle = 2 * DLP_PI * k / count, radius = k % 2 == 0 ? 1 : 1 - depth;
        used += (size_t)sprintf(text + used, "v %.17g %.17g 0\n", radius * cos(angle), radius * sin(angle));
    }
    used += (size_t)sprintf(text + used, "f");
    for (int k = 0; k < count; k++) used += (size_t)sprintf(text + used, " %d", k + 1);
    sprintf(text + used, "\n");
    return text;
}

// Faces too large to cut ears used to become fans without a word, which is right only where they are convex.
static void a_large_face_is_cut_where_it_is_convex_and_refused_where_not(void **state)
{
    (void)state;
    char *round = star_text(3000, 0), *star = star_text(3000, 0.5), *small = star_text(1000, 0.5);
    dlp_mesh mesh;
    dlp_error error;
    assert_int_equal(parse(round, DLP_MESH_OBJ, &mesh, &error), DLP_OK);
    assert_int_equal(mesh.triangle_count, 2998);
    assert_true(fabs(dlp_mesh_area(&mesh) - 1500 * sin(2 * DLP_PI / 3000)) < 1e-9);
    dlp_mesh_release(&mesh);
    assert_int_equal(parse(small, DLP_MESH_OBJ, &mesh, &error), DLP_OK);
    assert_true(fabs(dlp_mesh_area(&mesh) - 250 * sin(2 * DLP_PI / 1000)) < 1e-9);
    dlp_mesh_release(&mesh);
    assert_int_equal(parse(star, DLP_MESH_OBJ, &mesh, &error), DLP_IO);
    assert_non_null(
        strstr(error.message,
               "a face of 3000 corners is not convex; such faces may have 1024: cut it into triangles"));
    free(round);
    free(star);
    free(small);
}

static void a_sphere_mesh_has_the_volume_and_distance_of_the_ball(void **state)
{
    (void)state;
    dlp_mesh mesh = sphere_mesh(5, 1, dlp_vec(0.3, -0.2, 0.1));
    dlp_mesh_tree *tree = tree_of(&mesh, 3);
    // Chords of length 1/32: the volume falls short by about h^2.
    assert_true(fabs(dlp_mesh_tree_volume(tree) - 4 * DLP_PI / 3) < 0.012);
    for (uint64_t k = 0; k < 5000; k++) {
        const dlp_vec3 x = random_point(k, -2, 2);
        dlp_vec3 normal;
        const double truth = dlp_length(dlp_sub(x, dlp_vec(0.3, -0.2, 0.1))) - 1;
        assert_true(fabs(dlp_mesh_tree_probe(tree, x, &normal) - truth) < 0.002);
    }
    dlp_mesh_tree_destroy(tree);
    dlp_mesh_release(&mesh);
}

static void a_cavity_is_kept_and_overlapping_solids_are_joined(void **state)
{
    (void)state;
    const dlp_vec3 origin = {0, 0, 0};
    dlp_mesh outer = sphere_mesh(4, 1, origin), hole = sphere_mesh(4, 0.5, origin),
             island = sphere_mesh(3, 0.2, origin);
    append_mesh(&outer, &hole, true);
    append_mesh(&outer, &island, false);
    assert_int_equal(dlp_mesh_make_solid(&outer, DLP_HOLES_REFUSE, NULL), DLP_OK);
    dlp_mesh_tree *tree = tree_of(&outer, 3);
    dlp_vec3 normal;
    assert_true(dlp_mesh_tree_probe(tree, origin, &normal) < -0.15);
    assert_true(dlp_mesh_tree_probe(tree, dlp_vec(0.35, 0, 0), &normal) > 0.1);
    assert_true(dlp_mesh_tree_probe(tree, dlp_vec(0.75, 0, 0), &normal) < -0.2);
    assert_true(dlp_mesh_tree_probe(tree, dlp_vec(1.5, 0, 0), &normal) > 0.4);
    assert_true(fabs(dlp_mesh_tree_volume(tree) - 4 * DLP_PI / 3 * (1 - 0.125 + 0.008)) < 0.06);
    dlp_mesh_tree_destroy(tree);
    dlp_mesh_release(&outer);
    dlp_mesh_release(&hole);
    dlp_mesh_release(&island);

    dlp_mesh a = sphere_mesh(4, 1, dlp_vec(-0.5, 0, 0)), b = sphere_mesh(4, 1, dlp_vec(0.5, 0, 0));
    append_mesh(&a, &b, true);  // shows its inside, but lines no cavity: it is turned
    assert_int_equal(dlp_mesh_make_solid(&a, DLP_HOLES_REFUSE, NULL), DLP_OK);
    tree = tree_of(&a, 3);
    assert_true(dlp_mesh_tree_volume(tree) < 0);
    assert_true(dlp_mesh_tree_probe(tree, origin, &normal) < -0.4);
    assert_true(dlp_mesh_tree_probe(tree, dlp_vec(1.2, 0, 0), &normal) < -0.2);
    dlp_mesh_tree_destroy(tree);
    dlp_mesh_release(&a);
    dlp_mesh_release(&b);
}

static void a_section_has_the_outline_of_the_solid(void **state)
{
    (void)state;
    dlp_mesh ball = sphere_mesh(5, 1, dlp_vec(0, 0, 0)), hole = sphere_mesh(5, 0.5, dlp_vec(0, 0, 0));
    append_mesh(&ball, &hole, true);
    assert_int_equal(dlp_mesh_make_solid(&ball, DLP_HOLES_REFUSE, NULL), DLP_OK);
    dlp_mesh_tree *tree = tree_of(&ball, 2);  // its equator's vertices lie at z = 0 exactly
    assert_true(fabs(dlp_mesh_tree_volume(tree) - 0.75 * DLP_PI) < 0.01);
    for (uint64_t k = 0; k < 5000; k++) {
        const dlp_vec3 x = random_point(k, -2, 2);
        const double r = sqrt(x.x * x.x + x.y * x.y);
        dlp_vec3 normal;
        assert_true(fabs(dlp_mesh_tree_probe(tree, x, &normal) - fmax(r - 1, 0.5 - r)) < 0.002);
        assert_true(normal.z == 0);
    }
    dlp_mesh_tree_destroy(tree);
    dlp_mesh_release(&ball);
    dlp_mesh_release(&hole);

    dlp_mesh high = sphere_mesh(2, 1, dlp_vec(0, 0, 3));
    dlp_error error;
    assert_int_equal(dlp_mesh_tree_create(&high, 2, &tree, &error), DLP_INVALID);
    assert_non_null(strstr(error.message, "does not meet the plane z = 0"));
    dlp_mesh_release(&high);
}

// Distance over all triangles, sign by the sum of solid angles: slow, and independent of tree and normals.
static double brute_distance(const dlp_mesh *mesh, dlp_vec3 x)
{
    double square = HUGE_VAL, winding = 0;
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangles[t];
        const dlp_vec3 a = dlp_sub(mesh->vertices[v[0]], x), b = dlp_sub(mesh->vertices[v[1]], x);
        const dlp_vec3 c = dlp_sub(mesh->vertices[v[2]], x);
        const dlp_nearest_point n = dlp_nearest_triangle(dlp_mul(a, -1), dlp_sub(b, a), dlp_sub(c, a));
        square = fmin(square, n.square);
        const double la = dlp_length(a), lb = dlp_length(b), lc = dlp_length(c);
        winding += atan2(dlp_dot(a, dlp_cross(b, c)),
                         la * lb * lc + dlp_dot(a, b) * lc + dlp_dot(b, c) * la + dlp_dot(c, a) * lb) /
                   (2 * DLP_PI);
    }
    return winding > 0.5 ? -sqrt(square) : sqrt(square);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check_against_brute_force(const dlp_mesh *mesh, const char *name)
{
    dlp_mesh_report report;
    assert_int_equal(dlp_mesh_check(mesh, &report, NULL), DLP_OK);
    assert_true(report.is_watertight);
    dlp_mesh_tree *tree = tree_of(mesh, 3);
    const double size = dlp_length(dlp_sub(report.bounds.max, report.bounds.min));
    int32_t wrong = 0;
    for (uint64_t k = 0; k < 400; k++) {
        // Near the surface: a vertex moved by up to a hundredth of the size.
        const int32_t v = (int32_t)(dlp_random(k, 5, 5) * mesh->vertex_count);
        const dlp_vec3 x = dlp_add(mesh->vertices[v], dlp_mul(random_point(k, -1, 1), 0.01 * size));
        dlp_vec3 normal;
        const double d = dlp_mesh_tree_probe(tree, x, &normal), truth = brute_distance(mesh, x);
        if (fabs(fabs(d) - fabs(truth)) > 1e-9 * size || (fabs(d) > 1e-9 * size && d * truth < 0)) wrong++;
    }
    double sum = 0;
    const double start = seconds();
    for (uint64_t k = 0; k < 100000; k++) {
        const int32_t v = (int32_t)(dlp_random(k, 6, 6) * mesh->vertex_count);
        dlp_vec3 normal;
        sum += dlp_mesh_tree_probe(
            tree, dlp_add(mesh->vertices[v], dlp_mul(random_point(k, -1, 1), 0.01 * size)), &normal);
    }
    print_message("%s: %d triangles, %d parts, volume %g, %.0f ns a query (%g)\n", name, mesh->triangle_count,
                  report.components, report.volume, 1e4 * (seconds() - start), sum);
    assert_int_equal(wrong, 0);
    dlp_mesh_tree_destroy(tree);
}

static void known_models_are_read_and_agree_with_brute_force(void **state)
{
    (void)state;
    static const char *const names[] = {"cow", "spot", "stanford-bunny"};
    int32_t found = 0;
    for (int32_t k = 0; k < 3; k++) {
        char path[128];
        snprintf(path, sizeof path, "../shared/assets/%s.obj", names[k]);
        dlp_mesh mesh;
        dlp_error error;
        if (dlp_mesh_read(path, &mesh, &error) != DLP_OK) {
            print_message("skipped: %s\n", error.message);
            continue;
        }
        found++;
        const dlp_status status = dlp_mesh_make_solid(&mesh, DLP_HOLES_REFUSE, &error);
        if (k == 2) {
            assert_int_equal(status, DLP_IO);
            print_message("%s: %s\n", names[k], error.message);
            assert_non_null(strstr(error.message, "holes, "));
            if (dlp_mesh_make_solid(&mesh, DLP_HOLES_CLOSE, &error) != DLP_OK) fail_msg("%s", error.message);
        } else if (status != DLP_OK) {
            fail_msg("%s", error.message);
        }
        check_against_brute_force(&mesh, names[k]);
        dlp_mesh_release(&mesh);
    }
    if (found == 0) skip();
}

static void nothing_is_left_in_memory(void **state)
{
    (void)state;
    assert_int_equal(dlp_memory_of("mesh"), 0);
    assert_int_equal(dlp_memory_of("file"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_obj_cube_of_quads_is_closed_and_has_volume_one),
        cmocka_unit_test(binary_ply_of_either_endianness_gives_the_same_cube),
        cmocka_unit_test(an_ascii_ply_with_polygons_is_read),
        cmocka_unit_test(stl_of_either_kind_is_welded_into_a_closed_cube),
        cmocka_unit_test(bad_files_are_refused_with_the_reason),
        cmocka_unit_test(unreadable_paths_are_named),
        cmocka_unit_test(a_mesh_with_a_hole_is_refused_and_can_be_repaired),
        cmocka_unit_test(a_hole_whose_diagonal_exists_is_closed_with_a_new_vertex),
        cmocka_unit_test(triangles_turned_at_random_are_turned_outward),
        cmocka_unit_test(degenerate_double_and_unused_parts_are_dropped),
        cmocka_unit_test(a_fin_and_a_moebius_strip_are_refused),
        cmocka_unit_test(a_concave_polygon_is_cut_without_overlap),
        cmocka_unit_test(the_distance_to_a_cube_mesh_is_that_of_the_box),
        cmocka_unit_test(a_corner_on_a_side_does_not_spoil_the_sign),
        cmocka_unit_test(a_squashed_cube_stays_closed_when_its_slivers_are_mended),
        cmocka_unit_test(a_row_of_a_hundred_slivers_is_mended),
        cmocka_unit_test(a_large_face_is_cut_where_it_is_convex_and_refused_where_not),
        cmocka_unit_test(a_sphere_mesh_has_the_volume_and_distance_of_the_ball),
        cmocka_unit_test(a_cavity_is_kept_and_overlapping_solids_are_joined),
        cmocka_unit_test(a_section_has_the_outline_of_the_solid),
        cmocka_unit_test(known_models_are_read_and_agree_with_brute_force),
        cmocka_unit_test(nothing_is_left_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
