/* Shapes. Truths: closed forms; the nearest of many points sampled on the surface; distances grow by one
 * metre a metre along the gradient; one description of a solid against another. */
#include "base/memory.h"
#include "base/random.h"
#include "base/vec.h"
#include "space/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static const dlp_shape_def box = {.kind = DLP_SHAPE_BOX, .min = {-0.5, -0.3, -0.2}, .max = {0.6, 0.4, 0.7}};
static const dlp_shape_def ball = {.kind = DLP_SHAPE_SPHERE, .center = {0.1, 0.2, -0.1}, .radius = 0.6};
static const dlp_shape_def cylinder = {
    .kind = DLP_SHAPE_CYLINDER, .from = {-0.4, 0.1, 0}, .to = {0.5, -0.2, 0.3}, .radius = 0.35};
static const dlp_shape_def capsule = {
    .kind = DLP_SHAPE_CAPSULE, .from = {-0.4, 0.1, 0}, .to = {0.5, -0.2, 0.3}, .radius = 0.35};
static const dlp_shape_def torus = {
    .kind = DLP_SHAPE_TORUS, .axis = {1, 2, -0.5}, .radius = 0.6, .tube = 0.2};
static const dlp_shape_def cone = {
    .kind = DLP_SHAPE_CONE, .from = {-0.4, 0.1, 0}, .to = {0.5, -0.2, 0.3}, .radius = 0.5, .radius_to = 0.1};
static const dlp_shape_def tip = {
    .kind = DLP_SHAPE_CONE, .from = {0, 0, 0.4}, .to = {0, 0, -0.6}, .radius = 0, .radius_to = 0.5};
static const dlp_shape_def sheet = {
    .kind = DLP_SHAPE_SHEET, .axis = {1, 1, 3}, .size = {1, 0.6, 0}, .thickness = 0.05};
static const dlp_shape_def turned = {.kind = DLP_SHAPE_BOX,
                                     .min = {-0.2, -0.3, -0.2},
                                     .max = {0.3, 0.2, 0.35},
                                     .scale = 1.5,
                                     .rotate = {20, -35, 70},
                                     .translate = {0.1, -0.1, 0.2}};
static const dlp_shape_def *const singles[] = {&box,  &ball, &cylinder, &capsule, &torus,
                                               &cone, &tip,  &sheet,    &turned};
enum { SINGLE_COUNT = sizeof singles / sizeof singles[0] };

// Points of the zero level: found by halving lines from the inside to the outside.
static int32_t sample_surface(const dlp_shape *shape, dlp_vec3 *points, int32_t limit)
{
    int32_t count = 0;
    for (uint64_t k = 0; count < limit && k < (uint64_t)limit * 400; k++) {
        dlp_vec3 a = random_point(k, -1.2, 1.2), b = random_point(k + 1000000007, -1.2, 1.2);
        double da = dlp_shape_distance(shape, a);
        if (da * dlp_shape_distance(shape, b) > 0) continue;
        for (int32_t step = 0; step < 50; step++) {
            const dlp_vec3 middle = dlp_mul(dlp_add(a, b), 0.5);
            const double d = dlp_shape_distance(shape, middle);
            if (da * d > 0) {
                a = middle;
                da = d;
            } else {
                b = middle;
            }
        }
        points[count++] = a;
    }
    return count;
}

static void distances_are_those_to_the_nearest_point_of_the_surface(void **state)
{
    (void)state;
    enum { SAMPLES = 20000 };
    dlp_vec3 *points = dlp_alloc(SAMPLES, sizeof *points, "test");
    for (int32_t s = 0; s < SINGLE_COUNT; s++) {
        dlp_shape *shape = make(singles[s], 3);
        const int32_t count = sample_surface(shape, points, SAMPLES);
        assert_int_equal(count, SAMPLES);
        double worst = 0;
        for (uint64_t k = 0; k < 300; k++) {
            const dlp_vec3 x = random_point(k + 77, -1.2, 1.2);
            double nearest = HUGE_VAL;
            for (int32_t p = 0; p < count; p++) nearest = fmin(nearest, dlp_length(dlp_sub(points[p], x)));
            const double d = fabs(dlp_shape_distance(shape, x));
            // Never more than the distance to any surface point; and not less than it by more than the gaps
            // allow.
            assert_true(d <= nearest + 1e-9);
            worst = fmax(worst, nearest - d);
        }
        if (worst > 0.06) fail_msg("shape %d: %g", s, worst);
        dlp_shape_destroy(shape);
    }
    dlp_free(points);
}

static void gradients_have_length_one_and_point_along_the_distance(void **state)
{
    (void)state;
    for (int32_t s = 0; s < SINGLE_COUNT; s++) {
        dlp_shape *shape = make(singles[s], 3);
        int32_t off = 0;
        for (uint64_t k = 0; k < 4000; k++) {
            const dlp_vec3 x = random_point(k, -1.5, 1.5);
            dlp_vec3 n;
            const double d = dlp_shape_probe(shape, x, &n), h = 1e-6;
            assert_true(d == dlp_shape_distance(shape, x));
            assert_true(fabs(dlp_length(n) - 1) < 1e-12);
            const double slope = (dlp_shape_distance(shape, dlp_along(x, n, h)) -
                                  dlp_shape_distance(shape, dlp_along(x, n, -h))) /
                                 (2 * h);
            off += fabs(slope - 1) > 1e-5;
            // The step along the gradient lands on the surface.
            assert_true(fabs(dlp_shape_distance(shape, dlp_along(x, n, -d))) < 1e-9 || d < 0);
        }
        assert_true(off < 40);  // only across the ridges inside, where the gradient jumps
        dlp_shape_destroy(shape);
    }
}

static void gradients_exist_at_centres_axes_corners_and_far_away(void **state)
{
    (void)state;
    for (int32_t s = 0; s < SINGLE_COUNT; s++) {
        dlp_shape *shape = make(singles[s], 3);
        const dlp_transform axes = dlp_shape_axes(shape);
        const dlp_box b = dlp_shape_bounds(shape);
        const dlp_vec3 places[] = {axes.translation,
                                   b.min,
                                   b.max,
                                   dlp_to_world(&axes, dlp_vec(0, 0, 0.1)),
                                   dlp_to_world(&axes, dlp_vec(0.6, 0, 0)),
                                   dlp_vec(1e9, -1e9, 1e9),
                                   dlp_vec(0, 0, 0),
                                   singles[s]->from,
                                   singles[s]->to,
                                   singles[s]->min,
                                   singles[s]->max};
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
            dlp_vec3 n;
            assert_true(isfinite(dlp_shape_probe(shape, places[k], &n)));
            assert_true(fabs(dlp_length(n) - 1) < 1e-12);
        }
        dlp_shape_destroy(shape);
    }
}

static void single_shapes_have_their_volumes_and_bounds(void **state)
{
    (void)state;
    const double length = sqrt(0.81 + 0.09 + 0.09), r = 0.35;
    const double volumes[SINGLE_COUNT] = {1.1 * 0.7 * 0.9,
                                          4 * DLP_PI / 3 * 0.216,
                                          DLP_PI * r * r * length,
                                          DLP_PI * r * r * (length + 4 * r / 3),
                                          2 * DLP_PI * DLP_PI * 0.6 * 0.04,
                                          DLP_PI * length / 3 * 0.31,
                                          DLP_PI / 3 * 0.25,
                                          1 * 0.6 * 0.05,
                                          0.5 * 0.5 * 0.55 * 3.375};
    for (int32_t s = 0; s < SINGLE_COUNT; s++) {
        dlp_shape *shape = make(singles[s], 3);
        assert_true(fabs(dlp_shape_volume(shape) / volumes[s] - 1) < 1e-12);
        const dlp_box b = dlp_shape_bounds(shape);
        for (uint64_t k = 0; k < 3000; k++) {
            const dlp_vec3 x = random_point(k, -1.5, 1.5);
            if (dlp_shape_distance(shape, x) > 0) continue;
            assert_true(x.x >= b.min.x && x.y >= b.min.y && x.z >= b.min.z);
            assert_true(x.x <= b.max.x && x.y <= b.max.y && x.z <= b.max.z);
        }
        dlp_shape_destroy(shape);
    }
}

static void inside_turns_the_sign_and_has_no_end(void **state)
{
    (void)state;
    dlp_shape_def def = box;
    def.inside = true;
    dlp_shape *shape = make(&def, 3), *solid = make(&box, 3);
    for (uint64_t k = 0; k < 500; k++) {
        const dlp_vec3 x = random_point(k, -1, 1);
        dlp_vec3 n, m;
        assert_true(dlp_shape_probe(shape, x, &n) == -dlp_shape_probe(solid, x, &m));
        assert_true(dlp_length(dlp_add(n, m)) == 0);
    }
    assert_true(isinf(dlp_shape_volume(shape)) && isinf(dlp_shape_bounds(shape).min.y));
    dlp_shape_destroy(shape);
    dlp_shape_destroy(solid);
}

static void a_placed_shape_is_the_shape_at_the_point_placed_back(void **state)
{
    (void)state;
    dlp_shape_def def = torus, outer = {.kind = DLP_SHAPE_UNION, .children = &def, .child_count = 1};
    def.scale = 0.5;
    def.rotate = dlp_vec(10, 20, 30);
    def.translate = dlp_vec(1, 2, 3);
    outer.scale = 3;
    outer.rotate = dlp_vec(-50, 5, 15);
    outer.translate = dlp_vec(-1, 0, 2);
    dlp_shape *placed = make(&outer, 3), *plain = make(&torus, 3);
    const dlp_transform inner_frame = dlp_transform_of(def.translate, def.rotate);
    const dlp_transform outer_frame = dlp_transform_of(outer.translate, outer.rotate);
    for (uint64_t k = 0; k < 1000; k++) {
        const dlp_vec3 x = random_point(k, -1, 1);
        const dlp_vec3 y =
            dlp_to_world(&outer_frame, dlp_mul(dlp_to_world(&inner_frame, dlp_mul(x, 0.5)), 3));
        assert_true(fabs(dlp_shape_distance(placed, y) - 1.5 * dlp_shape_distance(plain, x)) < 1e-12);
    }
    dlp_shape_destroy(placed);
    dlp_shape_destroy(plain);
}

static void many_balls_are_as_far_as_the_nearest(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    dlp_shape_def *balls = dlp_alloc(COUNT, sizeof *balls, "test");
    for (int32_t k = 0; k < COUNT; k++)
        balls[k] = (dlp_shape_def){.kind = DLP_SHAPE_SPHERE,
                                   .center = random_point((uint64_t)k, -5, 5),
                                   .radius = 0.1 + 0.5 * dlp_random((uint64_t)k, 3, 3)};
    const dlp_shape_def def = {.kind = DLP_SHAPE_UNION, .children = balls, .child_count = COUNT};
    dlp_shape *shape = make(&def, 3);
    for (uint64_t k = 0; k < 3000; k++) {
        const dlp_vec3 x = random_point(k + 5000, -8, 8);
        double nearest = HUGE_VAL;
        for (int32_t b = 0; b < COUNT; b++)
            nearest = fmin(nearest, dlp_length(dlp_sub(x, balls[b].center)) - balls[b].radius);
        assert_true(fabs(dlp_shape_distance(shape, x) - nearest) < 1e-12);
    }
    dlp_shape_destroy(shape);
    dlp_free(balls);
}

static void copies_are_as_far_as_the_nearest_copy(void **state)
{
    (void)state;
    dlp_shape_def def = cone;
    def.copies[0] = 5;
    def.copies[1] = 3;
    def.copies[2] = 4;
    def.spacing = dlp_vec(0.7, -1.5, 2.5);  // they overlap along x
    const dlp_shape_def outer = {
        .kind = DLP_SHAPE_UNION, .children = &def, .child_count = 1, .rotate = {10, 40, -20}, .scale = 0.5};
    const dlp_transform frame = dlp_transform_of(dlp_vec(0, 0, 0), outer.rotate);
    dlp_shape *shape = make(&outer, 3), *one = make(&cone, 3);
    for (uint64_t k = 0; k < 3000; k++) {
        const dlp_vec3 x = random_point(k, -10, 10);
        double nearest = HUGE_VAL;
        for (int32_t c = 0; c < 60; c++) {
            const dlp_vec3 offset = dlp_vec(0.7 * (c % 5), -1.5 * (c / 5 % 3), 2.5 * (c / 15));
            nearest = fmin(nearest, dlp_shape_distance(one, dlp_sub(x, offset)));
        }
        assert_true(fabs(dlp_shape_distance(shape, dlp_mul(dlp_rotate(&frame, x), 0.5)) - 0.5 * nearest) <
                    1e-12);
    }
    dlp_shape_destroy(shape);
    dlp_shape_destroy(one);

    def = ball;
    def.copies[0] = def.copies[1] = def.copies[2] = 1000;
    def.spacing = dlp_vec(2, 2, 2);
    shape = make(&def, 3);
    assert_true(fabs(dlp_shape_volume(shape) / (1e9 * 4 * DLP_PI / 3 * 0.216) - 1) < 1e-12);
    for (uint64_t k = 0; k < 20000; k++) {  // in and around a billion of them: must not take long
        const dlp_vec3 x = random_point(k, -500, 2500);
        dlp_vec3 n;
        assert_true(dlp_shape_probe(shape, x, &n) > -0.6 - 1e-12);
    }
    dlp_shape_destroy(shape);
}

static void difference_and_intersection_have_the_right_sign_and_volume(void **state)
{
    (void)state;
    dlp_shape_def parts[2] = {{.kind = DLP_SHAPE_SPHERE, .radius = 1},
                              {.kind = DLP_SHAPE_SPHERE, .center = {1, 0, 0}, .radius = 1}};
    const double lens = 5 * DLP_PI / 12;  // of two unit balls one apart
    const struct {
        dlp_shape_kind kind;
        double volume;
    } cases[] = {{DLP_SHAPE_UNION, 8 * DLP_PI / 3 - lens},
                 {DLP_SHAPE_DIFFERENCE, 4 * DLP_PI / 3 - lens},
                 {DLP_SHAPE_INTERSECTION, lens}};
    for (int32_t c = 0; c < 3; c++) {
        const dlp_shape_def def = {.kind = cases[c].kind, .children = parts, .child_count = 2};
        dlp_shape *shape = make(&def, 3);
        assert_true(fabs(dlp_shape_volume(shape) / cases[c].volume - 1) < 1e-4);
        for (uint64_t k = 0; k < 2000; k++) {
            const dlp_vec3 x = random_point(k, -2, 3);
            const bool a = dlp_length(x) < 1, b = dlp_length(dlp_sub(x, dlp_vec(1, 0, 0))) < 1;
            const bool is_inside = c == 0 ? a || b : c == 1 ? a && !b : a && b;
            assert_true((dlp_shape_distance(shape, x) < 0) == is_inside);
        }
        dlp_shape_destroy(shape);
    }
}

static void the_volume_of_parts_that_stand_apart_is_exact(void **state)
{
    (void)state;
    dlp_shape_def parts[2] = {ball, ball};
    parts[1].center.x += 5;
    const dlp_shape_def def = {.kind = DLP_SHAPE_UNION, .children = parts, .child_count = 2};
    dlp_shape *shape = make(&def, 3);
    assert_true(fabs(dlp_shape_volume(shape) / (8 * DLP_PI / 3 * 0.216) - 1) < 1e-14);
    dlp_shape_destroy(shape);
}

static void sections_are_exact_in_two_dimensions(void **state)
{
    (void)state;
    const dlp_shape_def disc = {.kind = DLP_SHAPE_SPHERE, .center = {0.1, 0.2, 0.3}, .radius = 0.5};
    dlp_shape *shape = make(&disc, 2);
    const dlp_shape_def rod = {
        .kind = DLP_SHAPE_CYLINDER, .from = {-1, -1, 0}, .to = {1, 1, 0}, .radius = 0.25};
    const dlp_shape_def post = {
        .kind = DLP_SHAPE_CYLINDER, .from = {0.1, 0.2, -1}, .to = {0.1, 0.2, 1}, .radius = 0.4};
    const dlp_shape_def ring = {.kind = DLP_SHAPE_TORUS, .center = {0, 0, 0.1}, .radius = 0.6, .tube = 0.2};
    dlp_shape_def spun = rod;
    spun.rotate = dlp_vec(0, 0, 30);
    dlp_shape *bar = make(&rod, 2), *round = make(&post, 2), *annulus = make(&ring, 2),
              *turn = make(&spun, 2);
    for (uint64_t k = 0; k < 2000; k++) {
        const dlp_vec3 x = random_point(k, -2, 2);  // its z must not matter
        const double r = sqrt((x.x - 0.1) * (x.x - 0.1) + (x.y - 0.2) * (x.y - 0.2));
        assert_true(fabs(dlp_shape_distance(shape, x) - (r - 0.4)) < 1e-12);
        assert_true(fabs(dlp_shape_distance(round, x) - (r - 0.4)) < 1e-12);
        const double along = fabs(x.x + x.y) / sqrt(2) - sqrt(2), across = fabs(x.x - x.y) / sqrt(2) - 0.25;
        const double outside = sqrt(fmax(along, 0) * fmax(along, 0) + fmax(across, 0) * fmax(across, 0));
        assert_true(fabs(dlp_shape_distance(bar, x) - (outside > 0 ? outside : fmax(along, across))) < 1e-12);
        const double c = cos(DLP_PI / 6), s = sin(DLP_PI / 6);
        assert_true(fabs(dlp_shape_distance(turn, dlp_vec(c * x.x - s * x.y, s * x.x + c * x.y, 0)) -
                         dlp_shape_distance(bar, x)) < 1e-12);
        assert_true(fabs(dlp_shape_distance(annulus, x) -
                         (fabs(sqrt(x.x * x.x + x.y * x.y) - 0.6) - sqrt(0.03))) < 1e-12);
        dlp_vec3 n;
        dlp_shape_probe(bar, x, &n);
        assert_true(n.z == 0 && fabs(dlp_length(n) - 1) < 1e-12);
    }
    assert_true(fabs(dlp_shape_volume(shape) - DLP_PI * 0.16) < 1e-14);
    assert_true(fabs(dlp_shape_volume(bar) - 2 * sqrt(2) * 0.5) < 1e-14);
    assert_true(fabs(dlp_shape_volume(annulus) - 4 * DLP_PI * 0.6 * sqrt(0.03)) < 1e-14);
    dlp_shape_destroy(shape);
    dlp_shape_destroy(bar);
    dlp_shape_destroy(round);
    dlp_shape_destroy(annulus);
    dlp_shape_destroy(turn);
}

static void other_sections_have_their_areas(void **state)
{
    (void)state;
    const struct {
        dlp_shape_def def;
        double area;
    } cases[] = {
        {{.kind = DLP_SHAPE_BOX, .min = {0, 0, 0}, .max = {2, 3, 0}}, 6},
        {{.kind = DLP_SHAPE_CAPSULE, .from = {0, 0, 0}, .to = {2, 0, 0}, .radius = 0.5}, 2 + DLP_PI * 0.25},
        {{.kind = DLP_SHAPE_CAPSULE, .from = {0, 0, 0.3}, .to = {0, 0, 2}, .radius = 0.5}, DLP_PI * 0.16},
        {{.kind = DLP_SHAPE_CONE, .from = {0, 0, 0}, .to = {0, 2, 0}, .radius = 0.5, .radius_to = 0.1}, 1.2},
        {{.kind = DLP_SHAPE_CONE, .from = {0, 0, -1}, .to = {0, 0, 3}, .radius = 0.4, .radius_to = 0},
         DLP_PI * 0.09},
        {{.kind = DLP_SHAPE_TORUS, .axis = {0, 1, 0}, .radius = 0.6, .tube = 0.2}, 2 * DLP_PI * 0.04},
        {{.kind = DLP_SHAPE_SHEET, .size = {2, 0, 0}, .thickness = 0.1}, 0.2},
        {{.kind = DLP_SHAPE_CYLINDER, .from = {0, 0, 0.3}, .to = {1, 0, 0.3}, .radius = 0.5}, 0.8},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dlp_shape *shape = make(&cases[k].def, 2);
        assert_true(fabs(dlp_shape_volume(shape) / cases[k].area - 1) < 1e-12);
        const dlp_box b = dlp_shape_bounds(shape);
        assert_true(isfinite(b.min.x) && isfinite(b.max.y) && isinf(b.max.z));
        // The same, counted: through a union with a part of itself.
        dlp_shape_def twice[2] = {cases[k].def, cases[k].def};
        const dlp_shape_def both = {.kind = DLP_SHAPE_UNION, .children = twice, .child_count = 2};
        dlp_shape *counted = make(&both, 2);
        assert_true(fabs(dlp_shape_volume(counted) / cases[k].area - 1) < 1e-3);
        dlp_shape_destroy(counted);
        dlp_shape_destroy(shape);
    }
}

static void a_sheet_lies_flat_unless_it_is_told_otherwise(void **state)
{
    (void)state;
    const dlp_shape_def def = {.kind = DLP_SHAPE_SHEET, .size = {2, 1, 0}, .thickness = 0.1};
    dlp_shape *flat = make(&def, 3), *line = make(&def, 2);
    assert_true(fabs(dlp_shape_bounds(flat).max.x - 1) < 1e-15 &&
                fabs(dlp_shape_bounds(flat).max.y - 0.5) < 1e-15);
    assert_true(fabs(dlp_shape_bounds(flat).max.z - 0.05) < 1e-15);
    assert_true(fabs(dlp_shape_bounds(line).max.x - 1) < 1e-15 &&
                fabs(dlp_shape_bounds(line).max.y - 0.05) < 1e-15);
    dlp_shape_destroy(flat);
    dlp_shape_destroy(line);
}

static void wrong_fields_are_named(void **state)
{
    (void)state;
    dlp_shape_def def = ball;
    def.radius = -1;
    expect_failure(&def, 3, "sphere.radius: must be > 0 (got -1)");
    def.radius = (double)NAN;
    expect_failure(&def, 3, "sphere.radius: must be > 0 (got nan)");
    def = ball;
    def.center.y = HUGE_VAL;
    expect_failure(&def, 3, "sphere.center: must be finite");
    def = box;
    def.max.z = def.min.z;
    expect_failure(&def, 3, "box.max: must be beyond min along z (got -0.2 to -0.2)");
    def = cylinder;
    def.to = def.from;
    expect_failure(&def, 3, "cylinder.to: must differ from `from`");
    def = torus;
    def.tube = 0.7;
    expect_failure(&def, 3, "torus.tube: must be at most the radius, 0.6 (got 0.7)");
    def = cone;
    def.radius = def.radius_to = 0;
    expect_failure(&def, 3, "cone.radius: must be > 0 at one end");
    def = sheet;
    def.thickness = 0;
    expect_failure(&def, 3, "sheet.thickness: must be > 0 (got 0)");
    def = ball;
    def.scale = -2;
    expect_failure(&def, 3, "sphere.scale: must be > 0 (got -2)");
    def = ball;
    def.copies[1] = 4;
    expect_failure(&def, 3, "sphere.spacing: must not be 0 along y, where there are 4 copies");
    def.copies[1] = -4;
    expect_failure(&def, 3, "sphere.copies: must be from 1");
    expect_failure(&(dlp_shape_def){0}, 3, "shape: no kind is given");
    expect_failure(&(dlp_shape_def){.kind = (dlp_shape_kind)99}, 3, "shape: unknown kind 99");
    expect_failure(&(dlp_shape_def){.kind = DLP_SHAPE_UNION}, 3, "union: needs at least one shape");
    expect_failure(&(dlp_shape_def){.kind = DLP_SHAPE_MESH}, 3, "mesh.file: must name a file");
    expect_failure(&(dlp_shape_def){.kind = DLP_SHAPE_MESH, .file = "no/rock.obj"}, 3,
                   "no/rock.obj: No such file");
    expect_failure(&(dlp_shape_def){.kind = DLP_SHAPE_HEIGHT}, 3, "height: needs a file or values");
    expect_failure(&ball, 4, "dimension must be 2 or 3");
    dlp_shape_def parts[2] = {ball, ball};
    parts[1].radius = 0;
    const dlp_shape_def both = {.kind = DLP_SHAPE_DIFFERENCE, .children = parts, .child_count = 2};
    expect_failure(&both, 3, "difference[1]: sphere.radius: must be > 0 (got 0)");
    def = ball;
    def.center.z = 2;
    expect_failure(&def, 2, "sphere: does not meet the plane z = 0");
    expect_failure(&cylinder, 2, "cylinder: in 2-D its axis must lie in the plane or along z");
    expect_failure(&turned, 2, "box.rotate: in 2-D shapes are rotated about z only");
}

static void nesting_without_end_is_refused(void **state)
{
    (void)state;
    dlp_shape_def levels[64] = {[63] = {.kind = DLP_SHAPE_SPHERE, .radius = 1}};
    for (int32_t k = 0; k < 63; k++)
        levels[k] = (dlp_shape_def){.kind = DLP_SHAPE_UNION, .children = &levels[k + 1], .child_count = 1};
    expect_failure(&levels[0], 3, "shapes within shapes: at most 32 levels");
}

static void a_mesh_file_is_a_shape_like_any_other(void **state)
{
    (void)state;
    dlp_shape_def def = {.kind = DLP_SHAPE_MESH,
                         .file = "../shared/assets/stanford-bunny.obj",
                         .scale = 10,
                         .rotate = {90, 0, 0}};
    dlp_shape *shape;
    dlp_error error;
    dlp_status status = dlp_shape_create(&def, 3, NULL, &shape, &error);
    if (status == DLP_IO && strstr(error.message, "No such file") != NULL) {
        print_message("skipped: %s\n", error.message);
        skip();
    }
    assert_int_equal(status, DLP_IO);
    assert_non_null(strstr(error.message, "stanford-bunny.obj: 5 holes, 223 open edges; "));
    def.repair = true;
    shape = make(&def, 3);
    assert_true(fabs(dlp_shape_volume(shape) - 0.755) < 0.01);
    assert_true(dlp_shape_distance(shape, dlp_transform_identity().translation) > 0);
    dlp_shape_destroy(shape);
}

static void nothing_is_allocated_by_a_query(void **state)
{
    (void)state;
    dlp_shape_def parts[3] = {box, torus, cone};
    const dlp_shape_def def = {.kind = DLP_SHAPE_UNION, .children = parts, .child_count = 3};
    dlp_shape *shape = make(&def, 3);
    const int64_t calls = dlp_memory_call_count();
    dlp_vec3 n;
    double sum = 0;
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (uint64_t k = 0; k < 200000; k++) sum += dlp_shape_probe(shape, random_point(k, -1, 1), &n);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    print_message(
        "union of three: %.0f ns a query (%g)\n",
        ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / 200000, sum);
    assert_int_equal(dlp_memory_call_count(), calls);
    dlp_shape_destroy(shape);
}

static void releasing_a_definition_frees_all_of_it(void **state)
{
    (void)state;
    dlp_shape_def def = {.kind = DLP_SHAPE_UNION, .child_count = 2};
    def.children = dlp_alloc(2, sizeof *def.children, "shape");
    def.children[0] = (dlp_shape_def){.kind = DLP_SHAPE_MESH, .file = dlp_copy_text("a.obj", "shape")};
    def.children[1] =
        (dlp_shape_def){.kind = DLP_SHAPE_HEIGHT, .values = dlp_alloc(3, sizeof(double), "shape")};
    dlp_shape_def_release(&def);
    assert_int_equal(def.kind, DLP_SHAPE_NONE);
    dlp_shape_def_release(NULL);
    dlp_shape_destroy(NULL);
    assert_int_equal(dlp_memory_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_to_the_nearest_point_of_the_surface),
        cmocka_unit_test(gradients_have_length_one_and_point_along_the_distance),
        cmocka_unit_test(gradients_exist_at_centres_axes_corners_and_far_away),
        cmocka_unit_test(single_shapes_have_their_volumes_and_bounds),
        cmocka_unit_test(inside_turns_the_sign_and_has_no_end),
        cmocka_unit_test(a_placed_shape_is_the_shape_at_the_point_placed_back),
        cmocka_unit_test(many_balls_are_as_far_as_the_nearest),
        cmocka_unit_test(copies_are_as_far_as_the_nearest_copy),
        cmocka_unit_test(difference_and_intersection_have_the_right_sign_and_volume),
        cmocka_unit_test(the_volume_of_parts_that_stand_apart_is_exact),
        cmocka_unit_test(sections_are_exact_in_two_dimensions),
        cmocka_unit_test(other_sections_have_their_areas),
        cmocka_unit_test(a_sheet_lies_flat_unless_it_is_told_otherwise),
        cmocka_unit_test(wrong_fields_are_named),
        cmocka_unit_test(nesting_without_end_is_refused),
        cmocka_unit_test(a_mesh_file_is_a_shape_like_any_other),
        cmocka_unit_test(nothing_is_allocated_by_a_query),
        cmocka_unit_test(releasing_a_definition_frees_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
