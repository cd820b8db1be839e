#include "record/file_io.h"
#include "record/palette.h"
#include "record/png.h"
#include "record/preview.h"
#include "base/memory.h"
#include "test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#ifdef DLP_HAVE_PNG
#include <png.h>
#endif

static void a_picture_is_decoded_to_the_same_pixels(void **state)
{
    (void)state;
#ifdef DLP_HAVE_PNG
    dlp_error error = {0};
    for (int32_t channels = 3; channels <= 4; channels++) {
        dlp_image image;
        assert_int_equal(dlp_image_init(&image, 37, 11, channels, &error), DLP_OK);
        const size_t size = (size_t)(37 * 11 * channels);
        for (size_t k = 0; k < size; k++) image.pixels[k] = (uint8_t)(k * 31);
        assert_int_equal(dlp_png_write(in_folder("a.png"), &image, &error), DLP_OK);
        png_image read = {.version = PNG_IMAGE_VERSION};
        assert_true(png_image_begin_read_from_file(&read, in_folder("a.png")));
        assert_int_equal(read.width, 37);
        assert_int_equal(read.height, 11);
        assert_int_equal(read.format, channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB);
        uint8_t pixels[37 * 11 * 4];
        assert_true(png_image_finish_read(&read, NULL, pixels, 0, NULL));
        assert_memory_equal(pixels, image.pixels, size);
        dlp_image_release(&image);
    }
#else
    skip();
#endif
}

static void a_file_starts_with_the_signature(void **state)
{
    (void)state;
    if (!dlp_png_is_available()) skip();
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    dlp_error error = {0};
    dlp_image image;
    char *bytes;
    size_t size;
    assert_int_equal(dlp_image_init(&image, 1, 1, 3, &error), DLP_OK);
    assert_int_equal(dlp_png_write(in_folder("b.png"), &image, &error), DLP_OK);
    assert_int_equal(dlp_file_read(in_folder("b.png"), 1 << 20, &bytes, &size, &error), DLP_OK);
    assert_memory_equal(bytes, signature, sizeof signature);
    dlp_free(bytes);
    dlp_image_release(&image);
}

static void a_picture_that_cannot_be_written_is_named(void **state)
{
    (void)state;
    if (!dlp_png_is_available()) skip();
    dlp_error error = {0};
    dlp_image image;
    assert_int_equal(dlp_image_init(&image, 64, 64, 3, &error), DLP_OK);
    assert_int_equal(dlp_png_write(in_folder("nowhere/c.png"), &image, &error), DLP_IO);
    assert_non_null(strstr(error.message, "nowhere/c.png: no such file or directory"));
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(symlink("/dev/full", in_folder("c.png.part")), 0);
        assert_int_equal(dlp_png_write(in_folder("c.png"), &image, &error), DLP_IO);
        assert_non_null(strstr(error.message, "c.png: no space left on device"));
    }
    dlp_image_release(&image);
}

static void sizes_that_make_no_picture_are_refused(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_image image;
    assert_int_equal(dlp_image_init(&image, 0, 10, 3, &error), DLP_INVALID);
    assert_int_equal(dlp_image_init(&image, 10, 100000, 3, &error), DLP_INVALID);
    assert_int_equal(dlp_image_init(&image, 10, 10, 2, &error), DLP_INVALID);
}

static void light_comes_back_through_srgb(void **state)
{
    (void)state;
    for (int32_t k = 0; k <= 255; k++)
        assert_int_equal(dlp_color_byte(dlp_color_linear(dlp_vec(k / 255.0, 0, 0)).x), k);
    double before = -1;
    for (int32_t k = 0; k <= 100; k++) {  // the scale grows in luminance
        const dlp_vec3 c = dlp_color_linear(dlp_color_viridis(k / 100.0));
        const double luminance = 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
        assert_true(luminance > before);
        before = luminance;
    }
}

enum { COUNT = 400 };
static double positions[3 * COUNT];
static float radii[COUNT];

// A square sheet of particles in the plane x, y around the origin.
static dlp_preview_def sheet(void)
{
    static const dlp_vec3 red = {0.8, 0.1, 0.1};
    for (int32_t i = 0; i < COUNT; i++) {
        positions[3 * i] = i % 20 - 9.5;
        positions[3 * i + 1] = i / 20 - 9.5;
        positions[3 * i + 2] = 0;
        radii[i] = 0.6f;
    }
    return (dlp_preview_def){.width = 160,
                             .height = 100,
                             .dimension = 2,
                             .count = COUNT,
                             .positions = positions,
                             .radii = radii,
                             .colors = &red,
                             .color_count = 1};
}

static bool is_reddish(const dlp_image *image, int32_t x, int32_t y)
{
    const uint8_t *p = image->pixels + 3 * (y * image->width + x);
    return p[0] > p[1] + 40 && p[0] > p[2] + 40;
}

static void the_substance_is_seen_in_the_middle_and_not_in_the_corners(void **state)
{
    (void)state;
    dlp_error error = {0};
    const dlp_preview_def def = sheet();
    dlp_image image;
    assert_int_equal(dlp_preview_draw(&def, &image, &error), DLP_OK);
    assert_true(is_reddish(&image, 80, 50));
    assert_false(is_reddish(&image, 0, 0));
    assert_false(is_reddish(&image, 159, 99));
    dlp_image_release(&image);
}

static void a_picture_does_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_preview_def def = sheet();
    dlp_image one, three;
    assert_int_equal(dlp_preview_draw(&def, &one, &error), DLP_OK);
    assert_int_equal(dlp_team_create(3, &def.team, &error), DLP_OK);
    assert_int_equal(dlp_preview_draw(&def, &three, &error), DLP_OK);
    assert_memory_equal(one.pixels, three.pixels, 160 * 100 * 3);
    dlp_team_destroy(def.team);
    dlp_image_release(&one);
    dlp_image_release(&three);
}

static void odd_particles_still_make_a_picture(void **state)
{
    (void)state;
    dlp_error error = {0};
    dlp_image image;
    dlp_preview_def def = sheet();
    def.count = 0;
    assert_int_equal(dlp_preview_draw(&def, &image, &error), DLP_OK);
    dlp_image_release(&image);
    def = sheet();
    positions[0] = (double)NAN;
    positions[4] = (double)INFINITY;
    positions[6] = 1e200;
    radii[5] = 0;
    radii[6] = -1;
    def.color_by = DLP_COLOR_BY_VALUE;
    def.values = radii;
    assert_int_equal(dlp_preview_draw(&def, &image, &error), DLP_OK);
    dlp_image_release(&image);
    def.count = 1;
    assert_int_equal(dlp_preview_draw(&def, &image, &error), DLP_OK);
    dlp_image_release(&image);
}

static void a_container_does_not_hide_the_substance(void **state)
{
    (void)state;
    dlp_error error = {0};
    const dlp_shape_def box = {
        .kind = DLP_SHAPE_BOX, .min = {-11, -11, -1}, .max = {11, 11, 5}, .inside = true};
    dlp_shape *shape;
    assert_int_equal(dlp_shape_create(&box, 2, NULL, &shape, &error), DLP_OK);
    const dlp_preview_obstacle obstacle = {shape, dlp_transform_identity()};
    dlp_preview_def def = sheet();
    def.obstacles = &obstacle;
    def.obstacle_count = 1;
    dlp_image image;
    assert_int_equal(dlp_preview_draw(&def, &image, &error), DLP_OK);
    int32_t seen = 0;
    for (int32_t k = 0; k < 160 * 100; k++) seen += is_reddish(&image, k % 160, k / 160);
    assert_true(seen > 160 * 100 / 10);
    dlp_image_release(&image);
    dlp_shape_destroy(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_is_decoded_to_the_same_pixels),
        cmocka_unit_test(a_file_starts_with_the_signature),
        cmocka_unit_test(a_picture_that_cannot_be_written_is_named),
        cmocka_unit_test(sizes_that_make_no_picture_are_refused),
        cmocka_unit_test(light_comes_back_through_srgb),
        cmocka_unit_test(the_substance_is_seen_in_the_middle_and_not_in_the_corners),
        cmocka_unit_test(a_picture_does_not_depend_on_the_number_of_threads),
        cmocka_unit_test(odd_particles_still_make_a_picture),
        cmocka_unit_test(a_container_does_not_hide_the_substance),
    };
    return cmocka_run_group_tests(tests, make_test_folder, remove_test_folder);
}
