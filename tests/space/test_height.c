/* Height fields. Truths: half spaces, level and tilted; brute force over the segments of a profile. */
#include "base/random.h"
#include "base/vec.h"
#include "space/height.h"
#include "space/shape.h"
#include "test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dlp_shape *make(const dlp_shape_def *def, int32_t dimension)
{
    dlp_shape *shape;
    dlp_error error;
    if (dlp_shape_create(def, dimension, NULL, &shape, &error) != DLP_OK) fail_msg("%s", error.message);
    return shape;
}

static void expect_failure(const dlp_shape_def *def, int32_t dimension, const char *message)
{
    dlp_shape *shape;
    dlp_error error = {0};
    const dlp_status status = dlp_shape_create(def, dimension, NULL, &shape, &error);
    if (status == DLP_OK || strstr(error.message, message) == NULL)
        fail_msg("wanted \"%s\", got %d \"%s\"", message, status, error.message);
    assert_null(shape);
}

static dlp_vec3 random_point(uint64_t k, double low, double high)
{
    return dlp_vec(low + (high - low) * dlp_random(k, 0, 1), low + (high - low) * dlp_random(k, 0, 2),
                   low + (high - low) * dlp_random(k, 0, 3));
}

static void a_flat_field_is_a_half_space(void **state)
{
    (void)state;
    double values[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    const dlp_shape_def def = {
        .kind = DLP_SHAPE_HEIGHT, .values = values, .value_count = 6, .columns = 3, .max = {2, 1, 0}};
    dlp_shape *shape = make(&def, 3);
    for (uint64_t k = 0; k < 1000; k++) {
        const dlp_vec3 x = random_point(k, -300, 300);
        dlp_vec3 n;
        assert_true(fabs(dlp_shape_probe(shape, x, &n) - (x.z - 0.5)) < 1e-9);
        assert_true(fabs(n.z - 1) < 1e-9);
    }
    assert_true(isinf(dlp_shape_volume(shape)) && dlp_shape_bounds(shape).max.z == 0.5);
    dlp_shape_destroy(shape);
}

static void a_tilted_field_is_a_tilted_half_space_and_goes_on_level(void **state)
{
    (void)state;
    enum { N = 41 };
    double values[N * N];
    for (int32_t k = 0; k < N * N; k++) values[k] = 0.3 * (k % N) / (N - 1) - 0.2 * (k / N) / (N - 1);
    const dlp_shape_def def = {
        .kind = DLP_SHAPE_HEIGHT, .values = values, .value_count = N * N, .columns = N, .max = {1, 1, 0}};
    dlp_shape *shape = make(&def, 3);
    const double scale = 1 / sqrt(1 + 0.09 + 0.04);
    for (uint64_t k = 0; k < 2000; k++) {
        dlp_vec3 x = random_point(k, 0.3, 0.7);
        x.z -= 0.5;
        dlp_vec3 n;
        assert_true(fabs(dlp_shape_probe(shape, x, &n) - (x.z - 0.3 * x.x + 0.2 * x.y) * scale) < 1e-12);
        assert_true(dlp_length(dlp_sub(n, dlp_mul(dlp_vec(-0.3, 0.2, 1), scale))) < 1e-9);
    }
    // Far to the side the edge's height goes on.
    assert_true(fabs(dlp_shape_distance(shape, dlp_vec(50, -50, 1)) - 0.7) < 1e-9);
    assert_true(fabs(dlp_shape_distance(shape, dlp_vec(-50, 50, 1)) - 1.2) < 1e-9);
    dlp_shape_destroy(shape);
}

static void a_rough_field_agrees_with_brute_force_in_two_dimensions(void **state)
{
    (void)state;
    enum { N = 37 };
    double values[N];
    for (int32_t k = 0; k < N; k++) values[k] = 0.2 * dlp_random((uint64_t)k, 1, 1);
    const dlp_shape_def def = {
        .kind = DLP_SHAPE_HEIGHT, .values = values, .value_count = N, .min = {-1, 0, 0}, .max = {1, 0, 0}};
    dlp_shape *shape = make(&def, 2);
    for (uint64_t k = 0; k < 3000; k++) {
        const dlp_vec3 x = dlp_vec(-1.5 + 3 * dlp_random(k, 2, 2), -0.5 + 1.2 * dlp_random(k, 2, 3), 0);
        double nearest = HUGE_VAL, level = x.x < 0 ? values[0] : values[N - 1];
        for (int32_t s = -1; s < N; s++) {
            const double ax = s < 0 ? -100 : -1 + 2.0 * s / (N - 1),
                         bx = s == N - 1 ? 100 : -1 + 2.0 * (s + 1) / (N - 1);
            const double ay = values[s < 0 ? 0 : s], by = values[s == N - 1 ? s : s + 1];
            const double t = fmax(0, fmin(1, ((x.x - ax) * (bx - ax) + (x.y - ay) * (by - ay)) /
                                                 ((bx - ax) * (bx - ax) + (by - ay) * (by - ay))));
            nearest = fmin(nearest, hypot(x.x - ax - t * (bx - ax), x.y - ay - t * (by - ay)));
            if (x.x >= ax && x.x <= bx) level = ay + (by - ay) * (x.x - ax) / (bx - ax);
        }
        dlp_vec3 n;
        const double d = dlp_shape_probe(shape, x, &n);
        assert_true(fabs(d - (x.y < level ? -nearest : nearest)) < 1e-9);
        assert_true(n.z == 0);
    }
    dlp_shape_destroy(shape);
    double grid[4] = {0, 1, 0, 1};
    const dlp_shape_def two = {
        .kind = DLP_SHAPE_HEIGHT, .values = grid, .value_count = 4, .columns = 2, .max = {1, 1, 0}};
    expect_failure(&two, 2, "height: a 2-D scene needs one row (got 2)");
}

static dlp_height_table table_of(const char *bytes, size_t size, bool is_pgm)
{
    dlp_height_table table;
    dlp_error error;
    const dlp_bytes all = {bytes, size};
    const dlp_status status =
        is_pgm ? dlp_height_parse_pgm(all, &table, &error) : dlp_height_parse_numbers(all, &table, &error);
    if (status != DLP_OK) fail_msg("%s", error.message);
    return table;
}

static void expect_table_failure(const char *text, bool is_pgm, const char *message)
{
    dlp_height_table table;
    dlp_error error = {0};
    const dlp_bytes all = {text, strlen(text)};
    const dlp_status status =
        is_pgm ? dlp_height_parse_pgm(all, &table, &error) : dlp_height_parse_numbers(all, &table, &error);
    if (status != DLP_IO || strstr(error.message, message) == NULL)
        fail_msg("wanted \"%s\", got \"%s\"", message, error.message);
    assert_null(table.values);
}

static void pictures_and_tables_of_heights_are_read(void **state)
{
    (void)state;
    const struct {
        const char *bytes;
        size_t size;
        bool is_pgm;
    } files[] = {{"P2\n# a hill\n3 2\n9\n0 1 2\n3 4 9\n", 31, true},
                 {"P5 3 2 9\n\0\1\2\3\4\11", 15, true},
                 {"P5 3 2 999\n\0\0\0\1\0\2\0\3\0\4\0\11", 23, true},
                 {"0, 1; 2\n\n3 4\t9 # end\n", 21, false}};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        dlp_height_table t = table_of(files[k].bytes, files[k].size, files[k].is_pgm);
        assert_int_equal(t.columns, 3);
        assert_int_equal(t.rows, 2);
        assert_true(t.values[1] == 1 && t.values[3] == 3 && t.values[5] == 9);
        assert_true(t.largest == (k == 2 ? 999 : 9));
        dlp_height_table_release(&t);
    }
    dlp_height_table t = table_of("0.5 1.5\n", 8, false);
    assert_true(t.largest == 1);
    dlp_height_table_release(&t);
    expect_table_failure("P6 1 1 255\n", true, "must begin with P2 or P5");
    expect_table_failure("P5 100 100 255\nxx", true, "cut short");
    expect_table_failure("P2 2 1 255\n7", true, "cut short");
    expect_table_failure("P2 2 1 255\n7 300", true, "a value must be a whole number from 0 to 255");
    expect_table_failure("P2 0 1 255\n", true, "the width must be a whole number from 1");
    expect_table_failure("", false, "has no numbers");
    expect_table_failure("1 2\n3\n", false, "line 2: 1 numbers; the lines before have 2");
    expect_table_failure("1 x\n", false, "line 1: number 2 is not a number");
    expect_table_failure("1 nan\n", false, "line 1: number 2 is not finite");
}

static void a_height_file_spans_low_to_high(void **state)
{
    assert_int_equal(make_test_folder(state), 0);
    const char *folder = test_folder, *path = in_folder("hill.pgm");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("P2 2 2 200\n0 0\n200 200\n", file);
    fclose(file);
    dlp_shape_def def = {.kind = DLP_SHAPE_HEIGHT, .file = "hill.pgm", .max = {1, 1, 0}, .low = 2, .high = 3};
    dlp_shape *shape;
    dlp_error error;
    assert_int_equal(dlp_shape_create(&def, 3, folder, &shape, &error), DLP_OK);
    assert_true(fabs(dlp_shape_distance(shape, dlp_vec(0.5, 0.5, 2.5))) < 1e-12);
    assert_true(fabs(dlp_shape_distance(shape, dlp_vec(0.5, -9, 3)) - 1) < 1e-12);
    assert_true(dlp_shape_bounds(shape).max.z == 3);
    dlp_shape_destroy(shape);
    file = fopen(path, "w");
    fputs("P2 2 2 200\n0 0\n", file);
    fclose(file);
    assert_int_equal(dlp_shape_create(&def, 3, folder, &shape, &error), DLP_IO);
    assert_non_null(strstr(error.message, "hill.pgm: "));
    remove_test_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_field_is_a_half_space),
        cmocka_unit_test(a_tilted_field_is_a_tilted_half_space_and_goes_on_level),
        cmocka_unit_test(a_rough_field_agrees_with_brute_force_in_two_dimensions),
        cmocka_unit_test(pictures_and_tables_of_heights_are_read),
        cmocka_unit_test(a_height_file_spans_low_to_high),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
