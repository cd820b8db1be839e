/* Surfaces as files: what is written is read back, byte for byte where the format says so. */
#include "base/memory.h"
#include "record/field_velocity.h"
#include "record/vtp.h"
#include "record/mesh_glb.h"
#include "scene/scene_text.h"
#include "record/vdb.h"
#include "meshes.h"
#include "test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void write_mesh(const char *path, dlp_mesh_file_format format, const dlp_surface_mesh *mesh)
{
    dlp_error error;
    if (dlp_surface_mesh_write(path, format, mesh, 0.04, &error) != DLP_OK) fail_msg("%s", error.message);
}

static dlp_surface_mesh read_mesh(const char *path)
{
    dlp_surface_mesh mesh;
    dlp_error error;
    if (dlp_surface_mesh_read(path, &mesh, &error) != DLP_OK) fail_msg("%s", error.message);
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
    dlp_surface_mesh mesh = torus_skin(40, 24);
    write_mesh(in_folder("torus.ply"), DLP_MESH_FILE_PLY, &mesh);
    dlp_surface_mesh read = read_mesh(in_folder("torus.ply"));
    const size_t count = (size_t)mesh.mesh.vertex_count;
    expect_same_triangles(&mesh.mesh, &read.mesh);
    assert_memory_equal(mesh.mesh.vertices, read.mesh.vertices, count * sizeof(dlp_vec3));
    assert_memory_equal(mesh.normals, read.normals, 3 * count * sizeof(float));
    assert_memory_equal(mesh.velocities, read.velocities, 3 * count * sizeof(float));
    assert_memory_equal(mesh.temperatures, read.temperatures, count * sizeof(float));
    assert_memory_equal(mesh.colors, read.colors, 3 * count * sizeof(float));
    dlp_surface_mesh_release(&read);

    dlp_free(mesh.temperatures);
    dlp_free(mesh.colors);
    mesh.temperatures = mesh.colors = NULL;
    write_mesh(in_folder("torus.ply"), DLP_MESH_FILE_PLY, &mesh);
    read = read_mesh(in_folder("torus.ply"));
    assert_null(read.temperatures);
    assert_null(read.colors);
    assert_memory_equal(mesh.velocities, read.velocities, 3 * count * sizeof(float));
    dlp_surface_mesh_release(&read);
    dlp_surface_mesh_release(&mesh);
}

static void an_empty_surface_is_written_and_read(void **state)
{
    (void)state;
    const dlp_surface_mesh empty = {0};
    write_mesh(in_folder("empty.ply"), DLP_MESH_FILE_PLY, &empty);
    write_mesh(in_folder("empty.obj"), DLP_MESH_FILE_OBJ, &empty);
    write_mesh(in_folder("empty.stl"), DLP_MESH_FILE_STL, &empty);
    write_mesh(in_folder("empty.glb"), DLP_MESH_FILE_GLB, &empty);
    dlp_surface_mesh read = read_mesh(in_folder("empty.ply"));
    assert_int_equal(read.mesh.vertex_count, 0);
    assert_int_equal(read.mesh.triangle_count, 0);
    dlp_surface_mesh_release(&read);
}

static void a_ply_of_another_program_gets_normals_and_no_velocities(void **state)
{
    (void)state;
    // The corner of a cube with unequal legs: each normal at the tip counts by its angle, a right one.
    static const char text[] =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty float y\n"
        "property float z\nproperty float red\nproperty float green\nproperty float blue\n"
        "element face 3\nproperty list uchar int vertex_index\nend_header\n"
        "0 0 0 0.5 0.25 1\n1 0 0 0 0 0\n0 2 0 0 0 0\n0 0 3 0 0 0\n3 0 2 1\n3 0 1 3\n3 0 3 2\n";
    dlp_surface_mesh mesh;
    assert_int_equal(dlp_surface_mesh_parse_ply((dlp_bytes){text, strlen(text)}, &mesh, NULL), DLP_OK);
    for (int32_t k = 0; k < 3; k++) {
        assert_true(fabs((double)mesh.normals[k] + 1 / sqrt(3)) < 1e-6);
        assert_true(mesh.velocities[k] == 0);
    }
    assert_true(mesh.colors[0] == 0.5f && mesh.colors[1] == 0.25f && mesh.colors[2] == 1);
    assert_null(mesh.temperatures);
    dlp_surface_mesh_release(&mesh);
}

static void a_ply_cut_short_anywhere_is_refused(void **state)
{
    (void)state;
    dlp_surface_mesh mesh = torus_skin(4, 3);
    write_mesh(in_folder("torus.ply"), DLP_MESH_FILE_PLY, &mesh);
    dlp_surface_mesh_release(&mesh);
    dlp_bytes bytes;
    assert_int_equal(dlp_file_load(in_folder("torus.ply"), &bytes, NULL), DLP_OK);
    for (size_t size = 0; size < bytes.size; size++)
        assert_int_equal(dlp_surface_mesh_parse_ply((dlp_bytes){bytes.data, size}, &mesh, NULL), DLP_IO);
    dlp_file_release(&bytes);
}

static void expect_near(const dlp_mesh *a, const dlp_mesh *b, double tolerance)
{
    for (int32_t v = 0; v < a->vertex_count; v++)
        assert_true(dlp_length(dlp_sub(a->vertices[v], b->vertices[v])) <= tolerance);
}

static void an_obj_file_has_the_same_vertices_and_triangles(void **state)
{
    (void)state;
    dlp_surface_mesh mesh = torus_skin(40, 24);
    for (double scale = 1e-6; scale < 1e13; scale *= 1e3) {
        for (int32_t v = 0; v < mesh.mesh.vertex_count; v++)
            mesh.mesh.vertices[v] = dlp_mul(mesh.mesh.vertices[v], scale);
        write_mesh(in_folder("torus.obj"), DLP_MESH_FILE_OBJ, &mesh);
        dlp_surface_mesh read = read_mesh(in_folder("torus.obj"));
        expect_same_triangles(&mesh.mesh, &read.mesh);
        expect_near(&mesh.mesh, &read.mesh, 9e-9 * scale);  // half a step of nine digits, on each axis
        dlp_surface_mesh_release(&read);
        for (int32_t v = 0; v < mesh.mesh.vertex_count; v++)
            mesh.mesh.vertices[v] = dlp_mul(mesh.mesh.vertices[v], 1 / scale);
    }
    dlp_surface_mesh_release(&mesh);
}

static void an_obj_file_reads_as_its_specification_says(void **state)
{
    (void)state;
    dlp_surface_mesh mesh = {0};
    const dlp_vec3 places[3] = {{0, 0, -0.5}, {1.25, 0, 0}, {0, 100, 0}};
    for (int32_t v = 0; v < 3; v++)
        assert_int_equal(dlp_mesh_add_vertex(&mesh.mesh, places[v], NULL), DLP_OK);
    assert_int_equal(dlp_mesh_add_triangle(&mesh.mesh, 0, 1, 2, NULL), DLP_OK);
    float normals[9] = {0, 0, 1, 0, -1, 0, 0.6f, 0, -0.8f}, velocities[9] = {0}, colors[9] = {1, 0.5f, 0};
    mesh.normals = normals;
    mesh.velocities = velocities;
    mesh.colors = colors;
    write_mesh(in_folder("one.obj"), DLP_MESH_FILE_OBJ, &mesh);
    dlp_mesh_release(&mesh.mesh);
    dlp_bytes bytes;
    assert_int_equal(dlp_file_load(in_folder("one.obj"), &bytes, NULL), DLP_OK);
    const char *lines = strstr(bytes.data, "\nv ");
    const char *wanted = "\nv 0 0 -0.5 1 0.5 0\nv 1.25 0 0 0 0 0\nv 0 100 0 0 0 0\nvn 0 0 1\nvn 0 -1 0\n"
                         "vn 0.6 0 -0.8\nf 1//1 2//2 3//3\n";
    assert_non_null(lines);
    assert_memory_equal(lines, wanted, strlen(wanted));
    assert_non_null(strstr(bytes.data, "# time 0.04 s\n"));
    dlp_file_release(&bytes);
}

static void an_stl_file_is_the_same_closed_solid(void **state)
{
    (void)state;
    dlp_surface_mesh mesh = torus_skin(40, 24);
    write_mesh(in_folder("torus.stl"), DLP_MESH_FILE_STL, &mesh);
    dlp_surface_mesh read = read_mesh(in_folder("torus.stl"));
    dlp_mesh_report before, after;
    assert_int_equal(dlp_mesh_check(&mesh.mesh, &before, NULL), DLP_OK);
    assert_int_equal(dlp_mesh_check(&read.mesh, &after, NULL), DLP_OK);
    assert_int_equal(after.vertex_count, before.vertex_count);
    assert_int_equal(after.triangle_count, before.triangle_count);
    assert_true(after.is_sound);
    assert_true(fabs(after.volume - before.volume) < 1e-12);
    struct stat about;
    assert_int_equal(stat(in_folder("torus.stl"), &about), 0);
    assert_int_equal(about.st_size, 84 + 50 * before.triangle_count);
    dlp_surface_mesh_release(&read);
    dlp_surface_mesh_release(&mesh);
}

// glTF 2.0, section 4.4: header, chunks, their alignment and lengths. Gives the two chunks.
static void expect_chunks(dlp_bytes bytes, dlp_bytes *json, dlp_bytes *binary)
{
    uint32_t words[5];
    memcpy(words, bytes.data, sizeof words);
    assert_memory_equal(bytes.data, "glTF", 4);
    assert_int_equal(words[1], 2);
    assert_int_equal(words[2], bytes.size);
    assert_int_equal(words[3] % 4, 0);
    assert_int_equal(words[4], 0x4E4F534A);
    *json = (dlp_bytes){bytes.data + 20, words[3]};
    *binary = (dlp_bytes){0};
    if (20 + json->size == bytes.size) return;
    memcpy(words, bytes.data + 20 + json->size, 8);
    assert_int_equal(words[0] % 4, 0);
    assert_int_equal(words[1], 0x004E4942);
    *binary = (dlp_bytes){bytes.data + 28 + json->size, words[0]};
    assert_int_equal(28 + json->size + binary->size, bytes.size);
}

static int64_t number_in(const dlp_node *map, const char *key)
{
    const dlp_node *node = dlp_node_find(map, key);
    double value;
    if (node == NULL || !dlp_number_read(node->text, &value)) return -1;
    return (int64_t)value;
}

// Sections 3.6.2: every accessor lies within its view, every view within the buffer, all aligned.
static void expect_accessors(const dlp_node *root, size_t binary_size)
{
    const dlp_node *buffers = dlp_node_find(root, "buffers"), *views = dlp_node_find(root, "bufferViews");
    assert_int_equal(number_in(buffers->first, "byteLength"), binary_size);
    int64_t used = 0;
    for (const dlp_node *a = dlp_node_find(root, "accessors")->first; a != NULL; a = a->next) {
        const dlp_node *view = dlp_node_item(views, (int32_t)number_in(a, "bufferView"));
        const char *type = dlp_node_find(a, "type")->text;
        const int64_t width = strcmp(type, "SCALAR") == 0 ? 1 : type[3] - '0';
        const int64_t component = number_in(a, "componentType") == 5123 ? 2 : 4;
        const int64_t offset = number_in(view, "byteOffset"), length = number_in(view, "byteLength");
        assert_true(number_in(a, "count") >= 1);
        assert_int_equal(number_in(a, "count") * width * component, length);
        assert_int_equal(offset % 4, 0);
        assert_true(offset + length <= (int64_t)binary_size);
        used += length;
    }
    assert_int_equal(used, binary_size);
}

static const float *numbers_of(const dlp_node *root, dlp_bytes binary, int64_t accessor)
{
    const dlp_node *a = dlp_node_item(dlp_node_find(root, "accessors"), (int32_t)accessor);
    const dlp_node *view =
        dlp_node_item(dlp_node_find(root, "bufferViews"), (int32_t)number_in(a, "bufferView"));
    return (const float *)(const void *)(binary.data + number_in(view, "byteOffset"));
}

static void expect_positions(const dlp_node *root, dlp_bytes binary, const dlp_surface_mesh *mesh)
{
    const dlp_node *primitive = dlp_node_find(dlp_node_find(root, "meshes")->first, "primitives")->first;
    const dlp_node *attributes = dlp_node_find(primitive, "attributes");
    const float *x = numbers_of(root, binary, number_in(attributes, "POSITION"));
    const float *u = numbers_of(root, binary, number_in(attributes, "_VELOCITY"));
    const float *t = numbers_of(root, binary, number_in(attributes, "_TEMPERATURE"));
    const uint16_t *c = (const void *)numbers_of(root, binary, number_in(attributes, "COLOR_0"));
    float low = HUGE_VALF;
    for (int32_t v = 0; v < mesh->mesh.vertex_count; v++) {
        const dlp_vec3 place = mesh->mesh.vertices[v];
        assert_true((double)x[3 * v] == place.x && (double)x[3 * v + 1] == place.z &&
                    (double)x[3 * v + 2] == -place.y);
        assert_true(u[3 * v + 1] == mesh->velocities[3 * v + 2]);
        assert_true(t[v] == mesh->temperatures[v]);
        assert_int_equal(c[4 * v + 3], 65535);
        low = fminf(low, x[3 * v + 2]);
    }
    assert_int_equal(c[4 * 255], 65535);  // full red stays full, black stays black
    assert_int_equal(c[0], 0);
    const dlp_node *min = dlp_node_find(
        dlp_node_item(dlp_node_find(root, "accessors"), (int32_t)number_in(attributes, "POSITION")), "min");
    double value;
    assert_true(dlp_number_read(min->last->text, &value) && (float)value == low);
    const void *indices = numbers_of(root, binary, number_in(primitive, "indices"));
    assert_memory_equal(indices, mesh->mesh.triangles, (size_t)mesh->mesh.triangle_count * 12);
}

static void a_glb_file_is_laid_out_as_gltf_says(void **state)
{
    (void)state;
    dlp_surface_mesh mesh = torus_skin(40, 24);
    write_mesh(in_folder("torus.glb"), DLP_MESH_FILE_GLB, &mesh);
    dlp_bytes bytes, json, binary;
    assert_int_equal(dlp_file_load(in_folder("torus.glb"), &bytes, NULL), DLP_OK);
    expect_chunks(bytes, &json, &binary);
    dlp_document head = {0};
    assert_int_equal(dlp_json_read(json.data, json.size, "head", &head, NULL), DLP_OK);
    assert_string_equal(dlp_node_find(dlp_node_find(head.root, "asset"), "version")->text, "2.0");
    expect_accessors(head.root, binary.size);
    expect_positions(head.root, binary, &mesh);
    dlp_document_release(&head);
    dlp_file_release(&bytes);

    dlp_surface_mesh read = read_mesh(in_folder("torus.glb"));
    expect_same_triangles(&mesh.mesh, &read.mesh);
    expect_near(&mesh.mesh, &read.mesh, 0);
    assert_memory_equal(mesh.normals, read.normals, 3 * (size_t)mesh.mesh.vertex_count * sizeof(float));
    dlp_surface_mesh_release(&read);
    dlp_surface_mesh_release(&mesh);
}

static void write_frame(int32_t number, int32_t around)
{
    dlp_surface_mesh mesh = around > 0 ? torus_skin(around, 6) : (dlp_surface_mesh){0};
    char name[32];
    snprintf(name, sizeof name, "surface/%04d.ply", number);
    write_mesh(in_folder(name), DLP_MESH_FILE_PLY, &mesh);
    dlp_surface_mesh_release(&mesh);
}

// The times and scales of a node's animation against the frame that should be seen then.
static void expect_keys(const dlp_node *root, dlp_bytes binary, int32_t node, float begin, float end,
                        bool stays)
{
    const dlp_node *animation = dlp_node_find(root, "animations")->first;
    const dlp_node *sampler = dlp_node_item(dlp_node_find(animation, "samplers"), node);
    assert_string_equal(dlp_node_find(sampler, "interpolation")->text, "STEP");
    const int64_t input = number_in(sampler, "input");
    const int64_t count = number_in(dlp_node_item(dlp_node_find(root, "accessors"), (int32_t)input), "count");
    const float *times = numbers_of(root, binary, input);
    const float *scales = numbers_of(root, binary, number_in(sampler, "output"));
    assert_int_equal(count, node == 0 ? 2 : 3);
    if (node > 0) assert_true(times[0] == 0 && scales[0] == 0);
    assert_true(times[count - 2] == begin && scales[3 * (count - 2)] == 1);
    assert_true(times[count - 1] == end && scales[3 * (count - 1)] == (stays ? 1 : 0));
}

// Every array that a .vtp says it has, by name; NULL where it has none.
static const dlp_vtp_array_info *array_of(const dlp_vtp_info *info, const char *name)
{
    for (int32_t k = 0; k < info->array_count; k++)
        if (strcmp(info->arrays[k].name, name) == 0) return &info->arrays[k];
    return NULL;
}

// The bytes of the file are compared with those in memory.
static void a_vtp_file_has_all_attributes_and_the_time(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_surface_mesh mesh = torus_skin(40, 24);
    if (dlp_surface_mesh_write_vtp(in_folder("torus.vtp"), &mesh, 0.04, &error) != DLP_OK)
        fail_msg("%s", error.message);
    dlp_vtp_info info;
    if (dlp_vtp_read_info(in_folder("torus.vtp"), &info, &error) != DLP_OK) fail_msg("%s", error.message);
    assert_true(info.time == 0.04);
    assert_int_equal(info.point_count, mesh.mesh.vertex_count);
    assert_int_equal(info.triangle_count, mesh.mesh.triangle_count);
    dlp_bytes bytes;
    assert_int_equal(dlp_file_load(in_folder("torus.vtp"), &bytes, NULL), DLP_OK);
    const size_t count = (size_t)mesh.mesh.vertex_count;
    const struct {
        const char *name;
        const void *data;
        size_t size;
    } wanted[] = {{"position", mesh.mesh.vertices, 24 * count},
                  {"normal", mesh.normals, 12 * count},
                  {"velocity", mesh.velocities, 12 * count},
                  {"temperature", mesh.temperatures, 4 * count},
                  {"color", mesh.colors, 12 * count}};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        const dlp_vtp_array_info *array = array_of(&info, wanted[k].name);
        assert_non_null(array);
        assert_memory_equal(bytes.data + array->begin, wanted[k].data, wanted[k].size);
    }
    assert_memory_equal(bytes.data + info.triangles_begin, mesh.mesh.triangles,
                        12 * (size_t)mesh.mesh.triangle_count);
    dlp_file_release(&bytes);
    dlp_surface_mesh_release(&mesh);
}

// A block of the field on each side of the plane x = 0, and a mesh in that plane that turns about z.
static void a_field_has_the_velocity_of_the_mesh_in_it(void **state)
{
    (void)state;
    enum { SIDE = 9 };
    const double cell = 0.25, omega = 3;
    const int32_t blocks[][3] = {{-1, 0, 0}, {0, 0, 0}, {0, 0, 40}};
    dlp_surface_mesh mesh = {0};
    dlp_vec3 vertices[SIDE * SIDE];
    float velocities[3 * SIDE * SIDE];
    for (int32_t v = 0; v < SIDE * SIDE; v++) {
        vertices[v] = dlp_vec(0, 0.5 * cell * (v % SIDE), 0.5 * cell * (v / SIDE));
        velocities[3 * v] = (float)(-omega * vertices[v].y);
        velocities[3 * v + 1] = 7;
        velocities[3 * v + 2] = 0;
    }
    mesh.mesh.vertices = vertices;
    mesh.mesh.vertex_count = SIDE * SIDE;
    mesh.velocities = velocities;
    const dlp_surface_field field = {.blocks = blocks, .block_count = 3, .width = 2, .cell = cell};
    float *u;
    assert_int_equal(dlp_field_velocities(&field, &mesh, &u, NULL), DLP_OK);
    // A node in the middle, right on the plane: by symmetry the mean is the vertex's own velocity.
    const size_t middle = 64 + 0 + 4 * 2 + 16 * 2;
    assert_true(fabs((double)u[3 * middle] + omega * 2 * cell) < 1e-5);
    for (size_t n = 0; n < 128; n++) {
        const size_t x = n < 64 ? 4 - n % 4 : n % 4;  // cells from the plane
        const bool is_near = x < 3;                   // the reach, with a vertex right across from every node
        assert_true(fabs((double)u[3 * n + 1] - (is_near ? 7 : 0)) < 1e-5);  // what is uniform stays so
        // A mean of what the vertices within the reach have.
        const double y = cell * (double)(n / 4 % 4);
        if (is_near) assert_true(fabs((double)u[3 * n] + omega * y) < omega * 3 * cell);
        assert_true(u[3 * n + 2] == 0);
    }
    for (size_t k = 3 * 128; k < 3 * 192; k++) assert_true(u[k] == 0);  // far away
    dlp_free(u);
}

static void a_film_shows_each_frame_in_its_time(void **state)
{
    (void)state;
    dlp_error error;
    assert_int_equal(dlp_mesh_animation_write(test_folder, "surface", 20, in_folder("film.glb"), &error),
                     DLP_IO);
    assert_non_null(strstr(error.message, "surface: no such file"));
    assert_int_equal(mkdir(in_folder("surface"), 0777), 0);
    assert_int_equal(dlp_mesh_animation_write(test_folder, "surface", 20, in_folder("film.glb"), &error),
                     DLP_IO);
    assert_non_null(strstr(error.message, "has no numbered PLY files"));
    write_frame(10, 8);
    write_frame(12, 0);  // empty
    write_frame(14, 9);
    if (dlp_mesh_animation_write(test_folder, "surface", 20, in_folder("film.glb"), &error) != DLP_OK)
        fail_msg("%s", error.message);
    dlp_glb_file film;
    assert_int_equal(dlp_glb_open(in_folder("film.glb"), &film, NULL), DLP_OK);
    dlp_bytes json, binary;
    expect_chunks(film.bytes, &json, &binary);
    expect_accessors(film.head.root, binary.size);
    assert_int_equal(film.mesh_count, 2);
    assert_int_equal(film.animation_count, 1);
    assert_int_equal(dlp_node_find(film.head.root, "nodes")->count, 3);
    expect_keys(film.head.root, binary, 0, 0.5f, 0.6f, false);
    expect_keys(film.head.root, binary, 1, 0.6f, 0.7f, false);
    expect_keys(film.head.root, binary, 2, 0.7f, 0.8f, true);
    dlp_surface_mesh mesh;
    assert_int_equal(dlp_glb_read_mesh(&film, 1, &mesh, NULL), DLP_OK);
    assert_int_equal(mesh.mesh.vertex_count, 9 * 6);
    dlp_surface_mesh_release(&mesh);
    dlp_glb_close(&film);
    assert_int_equal(dlp_mesh_animation_write(test_folder, "surface", 0, in_folder("film.glb"), &error),
                     DLP_INVALID);
}

static void a_full_disk_is_told_and_costs_nothing(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    dlp_surface_mesh mesh = torus_skin(40, 24);
    for (int32_t format = DLP_MESH_FILE_PLY; format <= DLP_MESH_FILE_GLB; format++) {
        // The half-written file is a link to the full device.
        unlink(in_folder("full.part"));
        assert_int_equal(symlink("/dev/full", in_folder("full.part")), 0);
        FILE *old = fopen(in_folder("full"), "w");
        fputs("old", old);
        fclose(old);
        dlp_error error;
        assert_int_equal(
            dlp_surface_mesh_write(in_folder("full"), (dlp_mesh_file_format)format, &mesh, 0, &error),
            DLP_IO);
        assert_non_null(strstr(error.message, "full: no space left on device"));
        dlp_bytes bytes;
        assert_int_equal(dlp_file_load(in_folder("full"), &bytes, NULL), DLP_OK);
        assert_string_equal(bytes.data, "old");
        dlp_file_release(&bytes);
    }
    dlp_surface_mesh_release(&mesh);
}

static void a_format_is_known_by_the_names_ending(void **state)
{
    (void)state;
    dlp_mesh_file_format format;
    dlp_error error;
    assert_int_equal(dlp_mesh_file_format_of("a/b.GLB", &format, NULL), DLP_OK);
    assert_int_equal(format, DLP_MESH_FILE_GLB);
    assert_int_equal(dlp_mesh_file_format_of("b.fbx", &format, &error), DLP_INVALID);
    assert_string_equal(error.message, "b.fbx: unknown kind of mesh; .ply, .obj, .stl and .glb are written");
}

static void the_numbered_files_of_a_folder_are_listed_by_number(void **state)
{
    (void)state;
    static const char *const names[] = {"list/0010.obj",      "list/0002.ply", "list/12345.stl",
                                        "list/0010.ply",      "list/010.ply",  "list/00010.ply",
                                        "list/0003.ply.part", "list/notes.txt"};
    assert_int_equal(mkdir(in_folder("list"), 0777), 0);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) fclose(fopen(in_folder(names[k]), "w"));
    dlp_mesh_file *files;
    int32_t count;
    assert_int_equal(dlp_mesh_files_list(test_folder, "list", &files, &count, NULL), DLP_OK);
    static const int32_t numbers[] = {2, 10, 10, 12345};
    assert_int_equal(count, 4);
    for (int32_t k = 0; k < 4; k++) assert_int_equal(files[k].number, numbers[k]);
    assert_int_equal(files[1].format, DLP_MESH_FILE_PLY);
    assert_int_equal(files[2].format, DLP_MESH_FILE_OBJ);
    dlp_free(files);
}

static void a_mesh_with_a_number_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    dlp_surface_mesh mesh = torus_skin(12, 8);
    dlp_error error;
    mesh.velocities[4] = (float)NAN;
    for (int32_t format = DLP_MESH_FILE_PLY; format <= DLP_MESH_FILE_GLB; format++) {
        assert_int_equal(
            dlp_surface_mesh_write(in_folder("nan"), (dlp_mesh_file_format)format, &mesh, 0, &error),
            DLP_DIVERGED);
        assert_non_null(strstr(error.message, "nan: a velocity is nan; every number must be finite"));
    }
    mesh.velocities[4] = 0;
    mesh.mesh.vertices[3].y = 1e39;  // more than a float holds
    assert_int_equal(dlp_surface_mesh_write(in_folder("nan"), DLP_MESH_FILE_PLY, &mesh, 0, &error),
                     DLP_DIVERGED);
    dlp_surface_mesh_release(&mesh);
}

static void normals_that_are_wrong_are_counted(void **state)
{
    (void)state;
    dlp_surface_mesh mesh = torus_skin(40, 24);
    dlp_surface_mesh_report report;
    assert_int_equal(dlp_surface_mesh_check(&mesh, &report, NULL), DLP_OK);
    assert_true(report.is_sound);
    for (int32_t k = 0; k < 3; k++) mesh.normals[k] *= -1;
    for (int32_t k = 3; k < 6; k++) mesh.normals[k] *= 1.01f;
    mesh.normals[6] = NAN;
    assert_int_equal(dlp_surface_mesh_check(&mesh, &report, NULL), DLP_OK);
    assert_int_equal(report.flipped_normals, 2);
    assert_int_equal(report.nonunit_normals, 2);
    assert_true(report.mesh.is_sound);
    assert_false(report.is_sound);
    dlp_surface_mesh_release(&mesh);
}

static void a_build_without_openvdb_says_so(void **state)
{
    (void)state;
    if (dlp_vdb_is_available()) skip();
    dlp_error error;
    assert_int_equal(dlp_vdb_write(in_folder("a.vdb"), &(dlp_vdb_def){.voxel = 1, .background = 3}, &error),
                     DLP_UNSUPPORTED);
    assert_non_null(
        strstr(error.message, "this build has no OpenVDB; install libopenvdb-dev and build again"));
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
        cmocka_unit_test(a_ply_of_another_program_gets_normals_and_no_velocities),
        cmocka_unit_test(a_ply_cut_short_anywhere_is_refused),
        cmocka_unit_test(an_obj_file_has_the_same_vertices_and_triangles),
        cmocka_unit_test(an_obj_file_reads_as_its_specification_says),
        cmocka_unit_test(an_stl_file_is_the_same_closed_solid),
        cmocka_unit_test(a_glb_file_is_laid_out_as_gltf_says),
        cmocka_unit_test(a_film_shows_each_frame_in_its_time),
        cmocka_unit_test(a_vtp_file_has_all_attributes_and_the_time),
        cmocka_unit_test(a_field_has_the_velocity_of_the_mesh_in_it),
        cmocka_unit_test(a_full_disk_is_told_and_costs_nothing),
        cmocka_unit_test(a_format_is_known_by_the_names_ending),
        cmocka_unit_test(the_numbered_files_of_a_folder_are_listed_by_number),
        cmocka_unit_test(a_mesh_with_a_number_that_is_not_finite_is_refused),
        cmocka_unit_test(normals_that_are_wrong_are_counted),
        cmocka_unit_test(a_build_without_openvdb_says_so),
        cmocka_unit_test(nothing_is_left_in_memory),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
