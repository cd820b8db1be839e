/* Point files: every way the two formats have of writing the same four points, and of being wrong. */
#include "base/memory.h"
#include "base/vec.h"
#include "space/points.h"
#include "space/points_formats.h"
#include "test_folder.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { COUNT = 4 };
static const double places[COUNT][3] = {{0, 0.25, -1}, {1e-3, 2, 3}, {-4.5, 5e5, 6}, {7, 8, 9}};
static const double speeds[COUNT][3] = {{1, 0, 0}, {0, 2, 0}, {0, 0, -3}, {0.5, 0.5, 0.5}};

static void expect_points(const dlp_points *points, bool has_velocities, double tolerance)
{
    assert_int_equal(points->count, COUNT);
    assert_int_equal(points->velocities != NULL, has_velocities);
    for (int32_t k = 0; k < COUNT; k++) {
        const dlp_vec3 x = dlp_vec(places[k][0], places[k][1], places[k][2]);
        assert_true(dlp_length(dlp_sub(points->positions[k], x)) <= tolerance * dlp_length(x));
        if (!has_velocities) continue;
        assert_true(dlp_length(dlp_sub(points->velocities[k],
                                       dlp_vec(speeds[k][0], speeds[k][1], speeds[k][2]))) <= 1e-6);
    }
}

static void expect_failure(const char *text, size_t size, bool is_ply, const char *message)
{
    dlp_points points;
    dlp_error error = {0};
    const dlp_bytes bytes = {text, size};
    const dlp_status status = is_ply ? dlp_points_parse_ply(bytes, 10, &points, &error)
                                     : dlp_points_parse_vtp(bytes, 10, &points, &error);
    if (status != DLP_IO || strstr(error.message, message) == NULL)
        fail_msg("wanted \"%s\", got %d \"%s\"", message, status, error.message);
    assert_null(points.positions);
}

// Appends a number in the wished order of bytes.
static size_t put(char *out, double value, size_t width, bool is_big)
{
    const float single = (float)value;
    unsigned char bytes[8];
    memcpy(bytes, width == 8 ? (const void *)&value : (const void *)&single, width);
    for (size_t b = 0; b < width; b++) out[b] = (char)bytes[is_big ? width - 1 - b : b];
    return width;
}

static size_t put_size(char *out, uint64_t value, size_t width, bool is_big)
{
    for (size_t b = 0; b < width; b++) out[b] = (char)(value >> 8 * (is_big ? width - 1 - b : b) & 0xff);
    return width;
}

static size_t put_block(char *out, const double (*rows)[3], size_t width, size_t header, bool is_big)
{
    size_t n = put_size(out, COUNT * 3 * width, header, is_big);
    for (int32_t k = 0; k < 3 * COUNT; k++) n += put(out + n, rows[k / 3][k % 3], width, is_big);
    return n;
}

static size_t encode(char *out, const char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    for (size_t k = 0; k < size; k += 3) {
        uint32_t bits = 0;
        for (size_t b = 0; b < 3; b++) bits = bits << 8 | (k + b < size ? (unsigned char)bytes[k + b] : 0);
        for (size_t d = 0; d < 4; d++) out[n++] = k + d > size ? '=' : digits[bits >> (18 - 6 * d) & 63];
    }
    return n;
}

static void read_and_check_ply(const char *names, bool has_velocities)
{
    char text[1024];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "ply\nformat ascii 1.0\nelement junk 1\nproperty list uchar int a\n"
                                "element vertex 4\nproperty double x\nproperty double y\nproperty int mark\n"
                                "property double z\n%send_header\n2 8 9\n",
                                names);
    for (int32_t k = 0; k < COUNT; k++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%.17g %.17g 7 %.17g", places[k][0], places[k][1],
                              places[k][2]);
        if (has_velocities)
            n += (size_t)snprintf(text + n, sizeof text - n, " %g %g %g", speeds[k][0], speeds[k][1],
                                  speeds[k][2]);
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
    }
    dlp_points points;
    dlp_error error;
    if (dlp_points_parse_ply((dlp_bytes){text, n}, COUNT, &points, &error) != DLP_OK)
        fail_msg("%s", error.message);
    expect_points(&points, has_velocities, 0);
    dlp_points_release(&points);
}

static void ascii_ply_is_read_with_and_without_velocities(void **state)
{
    (void)state;
    read_and_check_ply("", false);
    read_and_check_ply("property float vx\nproperty float vy\nproperty float vz\n", true);
    read_and_check_ply("property float velocity_x\nproperty float velocity_y\nproperty float velocity_z\n",
                       true);
}

static void binary_ply_is_read_and_refused_when_cut(void **state)
{
    (void)state;
    for (int32_t big = 0; big < 2; big++) {
        char bytes[1024];
        size_t n = (size_t)snprintf(bytes, sizeof bytes,
                                    "ply\nformat binary_%s_endian 1.0\nelement vertex 4\n"
                                    "property float x\nproperty float y\nproperty float z\nend_header\n",
                                    big == 1 ? "big" : "little");
        for (int32_t k = 0; k < 3 * COUNT; k++) n += put(bytes + n, places[k / 3][k % 3], 4, big == 1);
        dlp_points points;
        assert_int_equal(dlp_points_parse_ply((dlp_bytes){bytes, n}, COUNT, &points, NULL), DLP_OK);
        expect_points(&points, false, 1e-7);
        dlp_points_release(&points);
        for (size_t cut = 0; cut < n; cut++)
            assert_int_equal(dlp_points_parse_ply((dlp_bytes){bytes, cut}, COUNT, &points, NULL), DLP_IO);
    }
}

static size_t vtp_head(char *out, size_t room, const char *format, size_t width, size_t header, bool is_big)
{
    return (size_t)snprintf(
        out, room,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
        "byte_order=\"%s\"%s>\n<PolyData>\n<Piece NumberOfPoints=\"4\" NumberOfVerts=\"0\">\n<Points>\n"
        "<DataArray type=\"Float%zu\" Name='position' NumberOfComponents=\"3\" format=\"%s\" offset=\"0\"",
        is_big ? "BigEndian" : "LittleEndian", header == 8 ? " header_type=\"UInt64\"" : "", 8 * width,
        format);
}

// A whole file with positions and velocities as appended data.
static size_t vtp_appended(char *out, size_t room, size_t width, size_t header, bool is_big, bool is_base64)
{
    char blocks[2][512], coded[2][1024];
    const size_t size = put_block(blocks[0], places, width, header, is_big);
    put_block(blocks[1], speeds, width, header, is_big);
    const size_t coded_size = encode(coded[0], blocks[0], size);
    encode(coded[1], blocks[1], size);
    const size_t each = is_base64 ? coded_size : size;
    size_t n = vtp_head(out, room, "appended", width, header, is_big);
    n += (size_t)snprintf(
        out + n, room - n,
        "/>\n</Points>\n<PointData Scalars=\"x\">\n<DataArray type=\"Int32\" Name=\"id\" "
        "format=\"appended\" offset=\"9999\"/>\n<DataArray type=\"Float%zu\" Name=\"velocity\" "
        "NumberOfComponents=\"3\" format=\"appended\" offset=\"%zu\"/>\n</PointData>\n</Piece>\n</PolyData>\n"
        "<AppendedData encoding=\"%s\">\n_",
        8 * width, each, is_base64 ? "base64" : "raw");
    for (int32_t k = 0; k < 2; k++) {
        memcpy(out + n, is_base64 ? coded[k] : blocks[k], each);
        n += each;
    }
    return n;
}

static void appended_vtp_is_read_in_every_form(void **state)
{
    (void)state;
    for (int32_t form = 0; form < 16; form++) {
        char bytes[4096];
        const size_t width = form & 1 ? 8 : 4, header = form & 2 ? 8 : 4;
        const size_t n = vtp_appended(bytes, sizeof bytes, width, header, (form & 4) != 0, (form & 8) != 0);
        dlp_points points;
        dlp_error error;
        if (dlp_points_parse_vtp((dlp_bytes){bytes, n}, COUNT, &points, &error) != DLP_OK)
            fail_msg("form %d: %s", form, error.message);
        expect_points(&points, true, width == 8 ? 0 : 1e-7);
        dlp_points_release(&points);
        for (size_t cut = 0; cut + 4 < n; cut++)  // base64 ends in up to two signs that carry nothing
            assert_int_equal(dlp_points_parse_vtp((dlp_bytes){bytes, cut}, COUNT, &points, NULL), DLP_IO);
    }
}

static void inline_vtp_is_read(void **state)
{
    (void)state;
    for (int32_t form = 0; form < 2; form++) {
        char bytes[2048], block[512];
        size_t n = vtp_head(bytes, sizeof bytes, form == 0 ? "ascii" : "binary", 8, 4, false);
        n += (size_t)snprintf(bytes + n, sizeof bytes - n, ">\n");
        for (int32_t k = 0; k < 3 * COUNT && form == 0; k++)
            n += (size_t)snprintf(bytes + n, sizeof bytes - n, "%.17g\n", places[k / 3][k % 3]);
        if (form == 1) n += encode(bytes + n, block, put_block(block, places, 8, 4, false));
        n += (size_t)snprintf(bytes + n, sizeof bytes - n,
                              "\n</DataArray>\n</Points>\n</Piece>\n</PolyData>\n</VTKFile>\n");
        dlp_points points;
        dlp_error error;
        if (dlp_points_parse_vtp((dlp_bytes){bytes, n}, COUNT, &points, &error) != DLP_OK)
            fail_msg("%s", error.message);
        expect_points(&points, false, 0);
        dlp_points_release(&points);
    }
}

static void a_file_is_read_by_its_path(void **state)
{
    char bytes[4096];
    const size_t n = vtp_appended(bytes, sizeof bytes, 8, 8, false, false);
    assert_int_equal(make_test_folder(state), 0);
    const char *path = in_folder("start.vtp");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
    dlp_points points;
    dlp_error error;
    assert_int_equal(dlp_points_read(path, COUNT, &points, &error), DLP_OK);
    expect_points(&points, true, 0);
    dlp_points_release(&points);
    assert_int_equal(dlp_points_read(path, COUNT - 1, &points, &error), DLP_IO);
    assert_non_null(strstr(error.message, "start.vtp: has 4 points; at most 3 are allowed"));
    remove_test_folder(state);
}

static void wrong_files_are_refused_with_the_reason(void **state)
{
    (void)state;
    static const char bare[] =
        "<VTKFile type=\"PolyData\"><Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Float32\" "
        "NumberOfComponents=\"3\">1 2 nan</DataArray></Points></Piece></VTKFile>";
    expect_failure(bare, strlen(bare), false, "the position of point 1 is not finite");
    const struct {
        const char *text, *message;
        bool is_ply;
    } cases[] = {
        {"", "not a PLY file", true},
        {"ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float "
         "z\nend_header\n",
         "has no points", true},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", "have no x, y and z",
         true},
        {"ply\nformat ascii 1.0\nelement face 0\nend_header\n", "has no element \"vertex\"", true},
        {"ply\nformat ascii 1.0\nelement vertex 11\nproperty char x\nproperty char y\nproperty char "
         "z\nend_header\n"
         "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3\n",
         "has 11 points; at most 10", true},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float "
         "z\nend_header\n1 b 3\n",
         "line 8: not a number", true},
        {"", "not a VTP file", false},
        {"<VTKFile type=\"ImageData\">", "must be of type PolyData", false},
        {"<VTKFile type=\"PolyData\" compressor=\"vtkZLibDataCompressor\">", "compressed", false},
        {"<VTKFile type=\"PolyData\">", "has no Piece", false},
        {"<VTKFile type=\"PolyData\"><Piece>", "must say its NumberOfPoints", false},
        {"<VTKFile type=\"PolyData\"><Piece NumberOfPoints=\"3\">", "a Piece has no Points", false},
        {"<VTKFile type=\"PolyData\"><Piece NumberOfPoints=\"9223372036854775\">", "cannot hold", false},
        {"<VTKFile type=\"PolyData\"><Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Float32\">",
         "3 components", false},
        {"<VTKFile type=\"PolyData\"><Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Half\" "
         "NumberOfComponents=\"3\">",
         "unknown type", false},
        {"<VTKFile type=\"PolyData\"><Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Float32\" "
         "NumberOfComponents=\"3\" "
         "format=\"appended\" offset=\"0\"/>",
         "cut short", false},
        {"<VTKFile type=\"PolyData\"><Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Float32\" "
         "NumberOfComponents=\"3\">"
         "1 2</DataArray>",
         "fewer numbers than 3 a point", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        expect_failure(cases[k].text, strlen(cases[k].text), cases[k].is_ply, cases[k].message);
    dlp_points points;
    dlp_error error;
    assert_int_equal(dlp_points_read("a.csv", 5, &points, &error), DLP_IO);
    assert_string_equal(error.message, "a.csv: unknown kind of point file; .vtp and .ply are read");
    assert_int_equal(dlp_points_read("no/such.vtp", 5, &points, &error), DLP_IO);
    assert_string_equal(error.message, "no/such.vtp: No such file or directory");
}

static void numbers_are_rounded_as_the_c_library_does(void **state)
{
    (void)state;
    const char *const texts[] = {"0.1",
                                 "1e22",
                                 "1e23",
                                 "123456789012345678",
                                 "3.14159265358979323846264338327950288",
                                 "4.9e-324",
                                 "1.7976931348623157e308",
                                 "1e999",
                                 "-2.5E-3",
                                 "+.5",
                                 "5.",
                                 "1e-400",
                                 "0e5",
                                 "9007199254740993",
                                 "2.2250738585072011e-308"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        dlp_text text = dlp_text_of((dlp_bytes){texts[k], strlen(texts[k])});
        double value;
        assert_true(dlp_text_number(&text, &value));
        assert_true(value == strtod(texts[k], NULL));
        assert_true(text.at == text.end);
    }
    const char *const wrong[] = {"", "-", ".", "e5", "x", "--1"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        dlp_text text = dlp_text_of((dlp_bytes){wrong[k], strlen(wrong[k])});
        double value;
        assert_false(dlp_text_number(&text, &value));
    }
}

static void nothing_is_left_in_memory(void **state)
{
    (void)state;
    dlp_points_release(NULL);
    assert_int_equal(dlp_memory_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_ply_is_read_with_and_without_velocities),
        cmocka_unit_test(binary_ply_is_read_and_refused_when_cut),
        cmocka_unit_test(appended_vtp_is_read_in_every_form),
        cmocka_unit_test(inline_vtp_is_read),
        cmocka_unit_test(a_file_is_read_by_its_path),
        cmocka_unit_test(wrong_files_are_refused_with_the_reason),
        cmocka_unit_test(numbers_are_rounded_as_the_c_library_does),
        cmocka_unit_test(nothing_is_left_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
