#include "skin/contour.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { LIMIT = 200000 };

// Particles on a square lattice of spacing a where `is_inside` says so.
typedef struct cloud {
    double *positions;
    float *radii;
    int32_t count;
} cloud;

static void add(cloud *c, double x, double y, double spacing)
{
    assert_true(c->count < LIMIT);
    c->positions[3 * c->count] = x;
    c->positions[3 * c->count + 1] = y;
    c->positions[3 * c->count + 2] = 0;
    c->radii[c->count++] = (float)(spacing / sqrt(DLP_PI));
}

static void add_ring(cloud *c, dlp_vec3 center, double inner, double outer, double a)
{
    const int32_t n = (int32_t)ceil(outer / a);
    for (int32_t j = -n; j <= n; j++) {
        for (int32_t i = -n; i <= n; i++) {
            const double x = (i + 0.31) * a, y = (j + 0.17) * a, r = hypot(x, y);
            if (r >= inner && r < outer) add(c, center.x + x, center.y + y, a);
        }
    }
}

static int make_cloud(void **state)
{
    cloud *c = dlp_alloc(1, sizeof *c, "test");
    c->positions = dlp_alloc(3 * LIMIT, sizeof(double), "test");
    c->radii = dlp_alloc(LIMIT, sizeof(float), "test");
    *state = c;
    return 0;
}

static int free_cloud(void **state)
{
    cloud *c = *state;
    dlp_free(c->positions);
    dlp_free(c->radii);
    dlp_free(c);
    return 0;
}

static dlp_contour outline(const cloud *c)
{
    dlp_error error = {0};
    dlp_contour contour;
    const dlp_contour_def def = {.positions = c->positions, .radii = c->radii, .count = c->count};
    assert_int_equal(dlp_contour_create(&def, &contour, &error), DLP_OK);
    return contour;
}

static void a_disc_has_its_area_and_perimeter(void **state)
{
    cloud *c = *state;
    c->count = 0;
    add_ring(c, dlp_vec(3, -2, 0), 0, 0.5, 0.01);
    dlp_contour contour = outline(c);
    assert_int_equal(contour.loop_count, 1);
    assert_true(fabs(contour.area - DLP_PI * 0.25) < 0.01 * DLP_PI * 0.25);
    // The lattice's steps make the line a little longer than the circle.
    assert_true(fabs(contour.perimeter - DLP_PI) < 0.05 * DLP_PI);
    dlp_contour_release(&contour);
}

static void the_area_converges_to_that_of_the_disc(void **state)
{
    cloud *c = *state;
    double errors[2];
    for (int32_t k = 0; k < 2; k++) {
        c->count = 0;
        add_ring(c, dlp_vec(0, 0, 0), 0, 0.5, k == 0 ? 0.04 : 0.005);
        dlp_contour contour = outline(c);
        errors[k] = fabs(contour.area - DLP_PI * 0.25);
        dlp_contour_release(&contour);
    }
    assert_true(errors[1] < 0.5 * errors[0]);
}

static void two_discs_are_two_loops(void **state)
{
    cloud *c = *state;
    c->count = 0;
    add_ring(c, dlp_vec(0, 0, 0), 0, 0.3, 0.01);
    add_ring(c, dlp_vec(1e6, 5, 0), 0, 0.2, 0.01);  // memory follows the covered area, not the extent
    dlp_contour contour = outline(c);
    const double truth = DLP_PI * (0.09 + 0.04);
    assert_int_equal(contour.loop_count, 2);
    assert_true(fabs(contour.area - truth) < 0.02 * truth);
    dlp_contour_release(&contour);
}

static void the_hole_of_a_ring_does_not_count(void **state)
{
    cloud *c = *state;
    c->count = 0;
    add_ring(c, dlp_vec(-1, 1, 0), 0.2, 0.5, 0.01);
    dlp_contour contour = outline(c);
    const double truth = DLP_PI * (0.25 - 0.04);
    assert_int_equal(contour.loop_count, 2);
    assert_true(fabs(contour.area - truth) < 0.02 * truth);
    dlp_contour_release(&contour);
}

static void coarse_and_fine_particles_cover_the_same_area(void **state)
{
    cloud *c = *state;
    c->count = 0;
    for (int32_t j = 0; j < 40; j++) {
        for (int32_t i = 0; i < 40; i++) add(c, (i + 0.5) * 0.01, (j + 0.5) * 0.01, 0.01);
    }
    for (int32_t j = 0; j < 20; j++) {
        for (int32_t i = 0; i < 20; i++) add(c, 0.4 + (i + 0.5) * 0.02, (j + 0.5) * 0.02, 0.02);
    }
    dlp_contour contour = outline(c);
    assert_int_equal(contour.loop_count, 1);
    assert_true(fabs(contour.area - 0.32) < 0.02 * 0.32);
    dlp_contour_release(&contour);
}

// Every loop must close, whatever the field: neighbours on a loop are within one cell of each other.
static void loops_of_scattered_particles_close(void **state)
{
    cloud *c = *state;
    c->count = 0;
    for (uint64_t k = 0; k < 3000; k++) add(c, dlp_random(k, 1, 0), dlp_random(k, 2, 0) - 0.5, 0.01);
    dlp_contour contour = outline(c);
    assert_true(contour.loop_count > 10);
    int32_t begin = 0;
    for (int32_t loop = 0; loop < contour.loop_count; loop++) {
        const int32_t end = contour.loop_ends[loop];
        assert_true(end - begin >= 4);
        for (int32_t k = begin; k < end; k++) {
            const double *a = contour.points + 3 * k;
            const double *b = contour.points + 3 * (k + 1 < end ? k + 1 : begin);
            assert_true(hypot(a[0] - b[0], a[1] - b[1]) <= 0.005 * sqrt(2) * 1.001);
        }
        begin = end;
    }
    assert_int_equal(begin, contour.point_count);
    dlp_contour_release(&contour);
}

static void nothing_has_no_contour(void **state)
{
    cloud *c = *state;
    c->count = 0;
    dlp_contour contour = outline(c);
    assert_int_equal(contour.loop_count, 0);
    assert_true(contour.area == 0);
    dlp_contour_release(&contour);
}

static void particles_that_are_not_finite_are_left_out(void **state)
{
    cloud *c = *state;
    c->count = 0;
    add_ring(c, dlp_vec(0, 0, 0), 0, 0.2, 0.01);
    const double odd[] = {(double)NAN, (double)INFINITY, -1e300, 1e18};
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) add(c, odd[k], odd[(k + 1) % 4], 0.01);
    add(c, 0, 0, 1e30);
    add(c, 0, 0, 0);
    c->radii[c->count - 1] = -1;
    dlp_contour contour = outline(c);
    assert_int_equal(contour.loop_count, 1);
    assert_true(fabs(contour.area - DLP_PI * 0.04) < 0.03 * DLP_PI * 0.04);
    dlp_contour_release(&contour);
}

static void the_contour_does_not_depend_on_where_it_lies(void **state)
{
    cloud *c = *state;
    double areas[2];
    for (int32_t k = 0; k < 2; k++) {
        c->count = 0;
        add_ring(c, dlp_vec(k * -1024, k * 512, 0), 0, 0.25, 0.015625);  // whole cells: the same grid
        dlp_contour contour = outline(c);
        areas[k] = contour.area;
        dlp_contour_release(&contour);
    }
    assert_true(fabs(areas[1] - areas[0]) < 1e-4 * areas[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disc_has_its_area_and_perimeter),
        cmocka_unit_test(the_area_converges_to_that_of_the_disc),
        cmocka_unit_test(two_discs_are_two_loops),
        cmocka_unit_test(the_hole_of_a_ring_does_not_count),
        cmocka_unit_test(coarse_and_fine_particles_cover_the_same_area),
        cmocka_unit_test(loops_of_scattered_particles_close),
        cmocka_unit_test(nothing_has_no_contour),
        cmocka_unit_test(particles_that_are_not_finite_are_left_out),
        cmocka_unit_test(the_contour_does_not_depend_on_where_it_lies),
    };
    return cmocka_run_group_tests(tests, make_cloud, free_cloud);
}
