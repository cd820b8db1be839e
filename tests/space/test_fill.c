/* Filling. Truths: the regular grid of a box; the distance of neighbours in the perfect lattice; the shape's
 * volume; the density that a wide kernel sees, alike everywhere inside and across a period. */
#include "base/memory.h"
#include "base/vec.h"
#include "space/shape.h"

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

static dlp_fill fill_with(const dlp_shape_def *shape_def, const dlp_fill_def *def)
{
    dlp_shape *shape = make(shape_def, def->dimension);
    dlp_fill fill;
    dlp_error error;
    if (dlp_shape_fill(shape, def, &fill, &error) != DLP_OK) fail_msg("%s", error.message);
    for (int32_t k = 0; k < fill.count; k++) {
        const dlp_vec3 x = fill.positions[k];
        assert_true(dlp_shape_distance(shape, x) <= 1e-9 * def->spacing);
        if (k == 0) continue;
        const dlp_vec3 y = fill.positions[k - 1];
        assert_true(y.z < x.z ||
                    (y.z == x.z && (y.y < x.y || (y.y == x.y && y.x < x.x))));  // in order, none twice
    }
    dlp_shape_destroy(shape);
    return fill;
}

static void expect_failure(const dlp_shape_def *shape_def, const dlp_fill_def *def, const char *message)
{
    dlp_shape *shape = make(shape_def, 3);
    dlp_fill fill;
    dlp_error error = {0};
    const dlp_status status = dlp_shape_fill(shape, def, &fill, &error);
    if (status != DLP_INVALID || strstr(error.message, message) == NULL)
        fail_msg("wanted \"%s\", got %d \"%s\"", message, status, error.message);
    assert_null(fill.positions);
    dlp_shape_destroy(shape);
}

// The smallest distance of two points, with images across the periodic axes.
static double nearest_pair(const dlp_fill *fill, const double periods[3])
{
    double nearest = HUGE_VAL;
    for (int32_t i = 0; i < fill->count; i++)
        for (int32_t j = 0; j < i; j++) {
            dlp_vec3 d = dlp_sub(fill->positions[i], fill->positions[j]);
            if (periods[0] > 0) d.x -= periods[0] * round(d.x / periods[0]);
            if (periods[1] > 0) d.y -= periods[1] * round(d.y / periods[1]);
            if (periods[2] > 0) d.z -= periods[2] * round(d.z / periods[2]);
            nearest = fmin(nearest, dlp_length(d));
        }
    return nearest;
}

static const double no_period[3] = {0, 0, 0};

static dlp_vec3 middle_of(const dlp_fill *fill)
{
    dlp_vec3 sum = {0, 0, 0};
    for (int32_t k = 0; k < fill->count; k++) sum = dlp_add(sum, fill->positions[k]);
    return dlp_mul(sum, 1.0 / fill->count);
}

static void a_cubic_lattice_in_a_box_is_the_regular_grid(void **state)
{
    (void)state;
    const dlp_shape_def box = {.kind = DLP_SHAPE_BOX, .max = {1, 0.5, 0.3}};
    const dlp_fill_def def = {.spacing = 0.1, .dimension = 3, .lattice = DLP_LATTICE_CUBIC, .limit = 1000};
    dlp_fill fill = fill_with(&box, &def);
    assert_int_equal(fill.count, 150);
    for (int32_t k = 0; k < 150; k++) {
        const dlp_vec3 grid = dlp_vec((k % 10 + 0.5) * 0.1, (k / 10 % 5 + 0.5) * 0.1, (k / 50 + 0.5) * 0.1);
        assert_true(dlp_length(dlp_sub(fill.positions[k], grid)) < 1e-15);
    }
    assert_true(fabs(fill.volume - 0.001) < 1e-17);
    dlp_fill_release(&fill);
}

static void a_box_keeps_its_whole_volume_and_is_even_up_to_its_walls(void **state)
{
    (void)state;
    const dlp_shape_def box = {.kind = DLP_SHAPE_BOX, .min = {-0.3, 0.1, 2}, .max = {0.77, 0.95, 2.6}};
    const dlp_fill_def def = {.spacing = 0.07, .dimension = 3, .limit = 100000};
    dlp_fill fill = fill_with(&box, &def);
    const double volume = 1.07 * 0.85 * 0.6;
    assert_true(fabs(fill.count * fill.volume / volume - 1) < 1e-14);
    assert_true(fabs(fill.volume / (0.07 * 0.07 * 0.07) - 1) < 0.06);
    // Stretched by some percent, no more.
    const double nearest = nearest_pair(&fill, no_period);
    assert_true(nearest > 0.93 * 0.07 * pow(2, 1.0 / 6) && nearest < 1.05 * 0.07 * pow(2, 1.0 / 6));
    assert_true(dlp_length(dlp_sub(middle_of(&fill), dlp_vec(0.235, 0.525, 2.3))) < 0.01);
    for (int32_t k = 0; k < fill.count; k++) {
        const dlp_vec3 x = fill.positions[k];
        assert_true(x.x - -0.3 > 0.25 * 0.07 && 0.77 - x.x > 0.25 * 0.07);
        assert_true(x.z - 2 > 0.4 * 0.07 && 2.6 - x.z > 0.4 * 0.07);
    }
    dlp_fill_release(&fill);
}

static void the_close_packed_lattice_has_twelve_neighbours(void **state)
{
    (void)state;
    const double a = 0.1 * pow(2, 1.0 / 6);
    const dlp_shape_def box = {.kind = DLP_SHAPE_BOX,
                               .max = {8 * a, 8 * a * sqrt(3) / 2, 8 * a * sqrt(2.0 / 3)}};
    const dlp_fill_def def = {.spacing = 0.1, .dimension = 3, .limit = 100000};
    dlp_fill fill = fill_with(&box, &def);
    assert_int_equal(fill.count, 512);
    assert_true(fabs(nearest_pair(&fill, no_period) / a - 1) < 1e-12);
    int32_t inner = 0;
    for (int32_t i = 0; i < fill.count; i++) {
        const dlp_vec3 x = fill.positions[i];
        int32_t near = 0;
        for (int32_t j = 0; j < fill.count; j++)
            near += j != i && dlp_length(dlp_sub(fill.positions[j], x)) < 1.01 * a;
        const bool is_inner = x.x > 1.3 * a && x.x < 6.7 * a && x.y > 1.3 * a && x.y < box.max.y - 1.3 * a &&
                              x.z > 1.3 * a && x.z < box.max.z - 1.3 * a;
        if (is_inner) assert_int_equal(near, 12);
        inner += is_inner;
    }
    assert_true(inner > 50);
    dlp_fill_release(&fill);
}

static void triangles_fill_a_rectangle(void **state)
{
    (void)state;
    const double a = 0.1 * sqrt(2 / sqrt(3));
    const dlp_shape_def box = {.kind = DLP_SHAPE_BOX, .max = {10 * a, 6 * a * sqrt(3), 0}};
    const dlp_fill_def def = {.spacing = 0.1, .dimension = 2, .limit = 1000};
    dlp_fill fill = fill_with(&box, &def);
    assert_int_equal(fill.count, 120);
    assert_true(fabs(nearest_pair(&fill, no_period) / a - 1) < 1e-12);
    assert_true(fabs(fill.volume - 0.01) < 1e-15);
    for (int32_t k = 0; k < fill.count; k++) assert_true(fill.positions[k].z == 0);
    dlp_fill_release(&fill);
}

static void a_periodic_lattice_continues_across_the_domain(void **state)
{
    (void)state;
    const dlp_shape_def box = {.kind = DLP_SHAPE_BOX, .min = {-1, -1, -1}, .max = {2, 2, 2}};
    for (int32_t way = 0; way < 2; way++) {
        const dlp_fill_def def = {.spacing = 0.11,
                                  .dimension = 3,
                                  .lattice = way == 0 ? DLP_LATTICE_HEXAGONAL : DLP_LATTICE_CUBIC,
                                  .periodic = {true, true, true},
                                  .domain = {{0, 0, 0}, {1, 1.1, 0.9}},
                                  .limit = 100000};
        dlp_fill fill = fill_with(&box, &def);  // larger than the domain: one period of it is filled
        const double periods[3] = {1, 1.1, 0.9};
        const double ideal = 0.11 * (way == 0 ? pow(2, 1.0 / 6) : 1);
        assert_true(fabs(fill.count * fill.volume - 0.99) < 1e-12);
        assert_true(nearest_pair(&fill, periods) > 0.9 * ideal);
        for (int32_t k = 0; k < fill.count; k++) {
            const dlp_vec3 x = fill.positions[k];
            assert_true(x.x >= 0 && x.x < 1 && x.y >= 0 && x.y < 1.1 && x.z >= 0 && x.z < 0.9);
        }
        dlp_fill_release(&fill);
    }
}

static void a_rod_through_a_periodic_domain_has_no_gap_at_its_ends(void **state)
{
    (void)state;
    const dlp_shape_def rod = {.kind = DLP_SHAPE_CYLINDER, .from = {0, 0, 0}, .to = {2, 0, 0}, .radius = 0.4};
    dlp_fill_def def = {.spacing = 0.1,
                        .dimension = 3,
                        .lattice = DLP_LATTICE_CUBIC,
                        .periodic = {true},
                        .domain = {{0, -1, -1}, {2, 1, 1}},
                        .limit = 100000};
    dlp_fill fill = fill_with(&rod, &def);
    // Every slice of one spacing holds the same.
    int32_t slices[20] = {0};
    for (int32_t k = 0; k < fill.count; k++) slices[(int32_t)(fill.positions[k].x / 0.1)]++;
    for (int32_t k = 0; k < 20; k++) assert_int_equal(slices[k], slices[0]);
    assert_true(slices[0] > 45 && slices[0] < 56);
    assert_true(fabs(fill.count * fill.volume - DLP_PI * 0.16 * 2) < 1e-12);
    dlp_fill_release(&fill);
}

static void curved_shapes_hold_as_many_as_their_volume_asks_for(void **state)
{
    (void)state;
    const dlp_shape_def shapes[] = {
        {.kind = DLP_SHAPE_SPHERE, .center = {1, 2, 3}, .radius = 0.5},
        {.kind = DLP_SHAPE_CYLINDER, .to = {0.3, 0.5, 0.9}, .radius = 0.3},
        {.kind = DLP_SHAPE_CAPSULE, .to = {0.3, 0.5, 0.9}, .radius = 0.3},
        {.kind = DLP_SHAPE_TORUS, .axis = {1, 0, 1}, .radius = 0.5, .tube = 0.2},
        {.kind = DLP_SHAPE_CONE, .to = {0, 0, 1}, .radius = 0.5},
        {.kind = DLP_SHAPE_BOX, .max = {1, 0.8, 0.7}, .rotate = {10, 20, 30}},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int32_t way = 0; way < 2; way++) {
            const double spacing = 0.06;
            const dlp_fill_def def = {
                .spacing = spacing, .dimension = 3, .lattice = (dlp_lattice)way, .limit = 100000};
            dlp_shape *shape = make(&shapes[s], 3);
            dlp_fill fill = fill_with(&shapes[s], &def);
            const double volume = dlp_shape_volume(shape), cell = spacing * spacing * spacing;
            assert_true(fabs(fill.count * fill.volume / volume - 1) < 1e-12);
            if (fabs(fill.count * cell / volume - 1) > 0.06)  // a dozen layers, each rounded
                fail_msg("shape %zu: %d particles, wanted %g", s, fill.count, volume / cell);
            const double nearest = nearest_pair(&fill, no_period);
            if (nearest < 0.7 * spacing) fail_msg("shape %zu: nearest %g", s, nearest / spacing);
            double depth = HUGE_VAL;
            for (int32_t k = 0; k < fill.count; k++)
                depth = fmin(depth, -dlp_shape_distance(shape, fill.positions[k]));
            if (depth < 0.15 * spacing) fail_msg("shape %zu: depth %g", s, depth / spacing);
            dlp_fill_release(&fill);
            dlp_shape_destroy(shape);
        }
}

static void a_ball_is_filled_symmetrically(void **state)
{
    (void)state;
    const dlp_shape_def ball = {.kind = DLP_SHAPE_SPHERE, .center = {0.5, -0.25, 2}, .radius = 0.5};
    const dlp_fill_def def = {
        .spacing = 0.083, .dimension = 3, .lattice = DLP_LATTICE_CUBIC, .limit = 100000};
    dlp_fill fill = fill_with(&ball, &def);
    assert_true(dlp_length(dlp_sub(middle_of(&fill), ball.center)) < 1e-12);
    for (int32_t i = 0; i < fill.count; i++) {
        const dlp_vec3 mirrored = dlp_sub(dlp_mul(ball.center, 2), fill.positions[i]);
        double nearest = HUGE_VAL;
        for (int32_t j = 0; j < fill.count; j++)
            nearest = fmin(nearest, dlp_length(dlp_sub(fill.positions[j], mirrored)));
        assert_true(nearest < 1e-9);
    }
    dlp_fill_release(&fill);
}

static void flat_shapes_are_filled_in_their_plane(void **state)
{
    (void)state;
    const dlp_shape_def shapes[] = {
        {.kind = DLP_SHAPE_SPHERE, .radius = 0.5},
        {.kind = DLP_SHAPE_CYLINDER, .from = {0, 0, 0}, .to = {0, 1, 0}, .radius = 0.25},
        {.kind = DLP_SHAPE_BOX, .max = {1, 0.5, 0}, .rotate = {0, 0, 60}},
        {.kind = DLP_SHAPE_CONE, .from = {0, 0, 0}, .to = {1, 1, 0}, .radius = 0.4},
        {.kind = DLP_SHAPE_TORUS, .radius = 0.5, .tube = 0.2},
        {.kind = DLP_SHAPE_SHEET, .size = {1, 0, 0}, .thickness = 0.1},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const dlp_fill_def def = {.spacing = 0.02, .dimension = 2, .limit = 100000};
        dlp_shape *shape = make(&shapes[s], 2);
        dlp_fill fill = fill_with(&shapes[s], &def);
        const double area = dlp_shape_volume(shape);
        if (fabs(fill.count * 0.0004 / area - 1) > 0.07)  // five or six rows in the sheet
            fail_msg("shape %zu: %d particles, wanted %g", s, fill.count, area / 0.0004);
        assert_true(fabs(fill.count * fill.volume / area - 1) < 1e-12);
        for (int32_t k = 0; k < fill.count; k++) assert_true(fill.positions[k].z == 0);
        dlp_fill_release(&fill);
        dlp_shape_destroy(shape);
    }
}

static void parts_that_stand_apart_are_filled_one_by_one(void **state)
{
    (void)state;
    dlp_shape_def parts[2] = {{.kind = DLP_SHAPE_BOX, .max = {0.5, 0.5, 0.5}},
                              {.kind = DLP_SHAPE_BOX, .min = {1.03, 0, 0.02}, .max = {1.53, 0.5, 0.52}}};
    const dlp_shape_def both = {.kind = DLP_SHAPE_UNION, .children = parts, .child_count = 2};
    dlp_fill_def def = {.spacing = 0.1, .dimension = 3, .lattice = DLP_LATTICE_CUBIC, .limit = 100000};
    dlp_fill fill = fill_with(&both, &def);
    assert_int_equal(fill.count, 250);
    dlp_fill_release(&fill);

    dlp_shape_def copies = parts[0];
    copies.copies[0] = 2;
    copies.copies[2] = 3;
    copies.spacing = dlp_vec(0.53, 0, 0.6);
    fill = fill_with(&copies, &def);
    assert_int_equal(fill.count, 750);
    assert_true(fabs(fill.volume - 0.001) < 1e-16);
    dlp_fill_release(&fill);
    // Far apart, and fine: only what is near a shape is looked at.
    parts[1] = (dlp_shape_def){.kind = DLP_SHAPE_SPHERE, .center = {1e4, 1e4, 1e4}, .radius = 0.5};
    const dlp_shape_def cut = {
        .kind = DLP_SHAPE_INTERSECTION, .children = (dlp_shape_def[]){both}, .child_count = 1};
    def.spacing = 0.05;
    fill = fill_with(&cut, &def);
    assert_true(abs(fill.count - 1000 - 4189) < 60);
    dlp_fill_release(&fill);
}

static void a_difference_keeps_the_lattice_of_its_first_shape(void **state)
{
    (void)state;
    dlp_shape_def parts[2] = {{.kind = DLP_SHAPE_BOX, .max = {1, 1, 1}},
                              {.kind = DLP_SHAPE_SPHERE, .center = {0.5, 0.5, 0.5}, .radius = 0.3}};
    const dlp_shape_def def = {.kind = DLP_SHAPE_DIFFERENCE, .children = parts, .child_count = 2};
    const dlp_fill_def how = {.spacing = 0.05, .dimension = 3, .lattice = DLP_LATTICE_CUBIC, .limit = 100000};
    dlp_fill fill = fill_with(&def, &how);
    const double wanted = (1 - 4 * DLP_PI / 3 * 0.027) / 0.000125;
    assert_true(fabs(fill.count - wanted) < 24);
    assert_true(dlp_length(dlp_sub(fill.positions[0], dlp_vec(0.025, 0.025, 0.025))) < 1e-15);
    dlp_fill_release(&fill);
}

static void what_cannot_be_filled_is_refused(void **state)
{
    (void)state;
    dlp_shape_def box = {.kind = DLP_SHAPE_BOX, .max = {1, 1, 1}};
    dlp_fill_def def = {.spacing = 0.1, .dimension = 3, .lattice = DLP_LATTICE_CUBIC, .limit = 999};
    expect_failure(&box, &def, "about 1000 particles of spacing 0.1 m are needed; at most 999 are allowed");
    def.spacing = 1e-9;
    expect_failure(&box, &def, "spacing: 1e-09 m is too small");
    def.spacing = 1e-5;
    expect_failure(&box, &def, "about 1e+15 particles");
    const dlp_shape_def ball = {.kind = DLP_SHAPE_SPHERE, .radius = 1};
    expect_failure(&ball, &def, "about 4.189e+15 particles");
    def.spacing = 0;
    expect_failure(&box, &def, "spacing: must be > 0 (got 0)");
    def.spacing = (double)NAN;
    expect_failure(&box, &def, "spacing: must be > 0");
    def.spacing = 3;
    expect_failure(&box, &def, "not one particle fits: the shape's volume is 1, a particle's 27");
    def.spacing = 0.5;
    def.periodic[1] = true;
    expect_failure(&box, &def, "domain: must have a length along the periodic axis y (got 0 to 0)");
    def.periodic[1] = false;
    def.dimension = 2;
    expect_failure(&box, &def, "dimension: the shape has 3 (got 2)");
    def.dimension = 3;
    box.inside = true;
    expect_failure(&box, &def, "the shape has no end");
}

static void filling_twice_gives_the_same_bits(void **state)
{
    (void)state;
    const dlp_shape_def torus = {.kind = DLP_SHAPE_TORUS, .axis = {1, 2, 3}, .radius = 0.5, .tube = 0.2};
    const dlp_fill_def def = {.spacing = 0.05, .dimension = 3, .limit = 100000};
    dlp_fill a = fill_with(&torus, &def), b = fill_with(&torus, &def);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.positions, b.positions, (size_t)a.count * sizeof *a.positions);
    dlp_fill_release(&a);
    dlp_fill_release(&b);
    dlp_fill_release(NULL);
    assert_int_equal(dlp_memory_in_use(), 0);
}

// Blue noise.

static dlp_fill scattered(const dlp_shape_def *shape_def, double spacing)
{
    const dlp_fill_def def = {
        .spacing = spacing, .dimension = 3, .lattice = DLP_LATTICE_BLUE_NOISE, .limit = 100000};
    dlp_shape *shape = make(shape_def, 3);
    dlp_fill fill;
    dlp_error error;
    if (dlp_shape_fill(shape, &def, &fill, &error) != DLP_OK) fail_msg("%s", error.message);
    for (int32_t i = 0; i < fill.count; i++)
        assert_true(dlp_shape_distance(shape, fill.positions[i]) < -0.2499 * spacing);
    dlp_shape_destroy(shape);
    return fill;
}

// |sum exp(2 pi i k x)|^2 / N
static double structure_at(const dlp_fill *fill, dlp_vec3 k)
{
    double real = 0, imaginary = 0;
    for (int32_t i = 0; i < fill->count; i++) {
        const double phase = 2 * DLP_PI * dlp_dot(k, fill->positions[i]);
        real += cos(phase);
        imaginary += sin(phase);
    }
    return (real * real + imaginary * imaginary) / fill->count;
}

// As many as the volume asks for, none too near to another or to the surface, no place left empty.
static void blue_noise_is_even(void **state)
{
    (void)state;
    const dlp_shape_def box = {.kind = DLP_SHAPE_BOX, .max = {1, 1, 1}};
    dlp_fill fill = scattered(&box, 0.1);
    assert_int_equal(fill.count, 1000);
    assert_true(fabs(fill.volume * fill.count - 1) < 1e-12);
    const double nearest = nearest_pair(&fill, no_period);
    double widest = 0;
    for (int32_t k = 0; k < 20 * 20 * 20; k++) {
        const dlp_vec3 x = dlp_vec(0.05 * (k % 20 + 0.5), 0.05 * (k / 20 % 20 + 0.5), 0.05 * (k / 400 + 0.5));
        double near = 1;
        for (int32_t i = 0; i < fill.count; i++) near = fmin(near, dlp_length(dlp_sub(x, fill.positions[i])));
        widest = fmax(widest, near);
    }
    assert_true(nearest > 0.075);
    assert_true(widest < 0.1);
    dlp_fill_release(&fill);
}

// Neither long waves, of which random points have as many as of others (1 here), nor the lattice's, of which
// it has N. Along the axes there are layers at the walls, so the diagonals tell.
static void blue_noise_has_no_long_waves_and_no_lattice(void **state)
{
    (void)state;
    const dlp_shape_def box = {.kind = DLP_SHAPE_BOX, .max = {1, 1, 1}};
    dlp_fill fill = scattered(&box, 0.05);
    double sum = 0;
    for (int waves = 1; waves <= 3; waves++)
        sum += structure_at(&fill, dlp_vec(waves, 0, 0)) + structure_at(&fill, dlp_vec(0, waves, 0)) +
               structure_at(&fill, dlp_vec(0, 0, waves));
    assert_true(sum / 9 < 0.05);
    assert_true(structure_at(&fill, dlp_vec(20, 20, 0)) < 0.01 * fill.count);
    assert_true(structure_at(&fill, dlp_vec(20, 0, 20)) < 0.01 * fill.count);
    assert_true(structure_at(&fill, dlp_vec(0, 20, 20)) < 0.01 * fill.count);
    dlp_fill_release(&fill);
}

static void blue_noise_stays_inside_and_is_repeated(void **state)
{
    (void)state;
    const dlp_shape_def torus = {.kind = DLP_SHAPE_TORUS, .axis = {0, 1, 2}, .radius = 0.5, .tube = 0.1};
    dlp_fill a = scattered(&torus, 0.04), b = scattered(&torus, 0.04);
    const double volume = 2 * DLP_PI * DLP_PI * 0.5 * 0.01;
    assert_true(fabs(a.count - volume / pow(0.04, 3)) < 0.05 * a.count);
    assert_true(fabs(a.count * a.volume - volume) < 1e-9);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.positions, b.positions, (size_t)a.count * sizeof *a.positions);
    dlp_fill_release(&a);
    dlp_fill_release(&b);
}

static void blue_noise_is_for_space_without_periods(void **state)
{
    (void)state;
    const dlp_shape_def box = {.kind = DLP_SHAPE_BOX, .max = {1, 1, 1}};
    const dlp_fill_def def = {.spacing = 0.1,
                              .dimension = 3,
                              .lattice = DLP_LATTICE_BLUE_NOISE,
                              .periodic = {true},
                              .domain = {{0, 0, 0}, {1, 1, 1}},
                              .limit = 1000};
    expect_failure(&box, &def, "lattice: blue noise is for 3-D without periods");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cubic_lattice_in_a_box_is_the_regular_grid),
        cmocka_unit_test(a_box_keeps_its_whole_volume_and_is_even_up_to_its_walls),
        cmocka_unit_test(the_close_packed_lattice_has_twelve_neighbours),
        cmocka_unit_test(triangles_fill_a_rectangle),
        cmocka_unit_test(a_periodic_lattice_continues_across_the_domain),
        cmocka_unit_test(a_rod_through_a_periodic_domain_has_no_gap_at_its_ends),
        cmocka_unit_test(curved_shapes_hold_as_many_as_their_volume_asks_for),
        cmocka_unit_test(a_ball_is_filled_symmetrically),
        cmocka_unit_test(flat_shapes_are_filled_in_their_plane),
        cmocka_unit_test(parts_that_stand_apart_are_filled_one_by_one),
        cmocka_unit_test(blue_noise_is_even),
        cmocka_unit_test(blue_noise_has_no_long_waves_and_no_lattice),
        cmocka_unit_test(blue_noise_stays_inside_and_is_repeated),
        cmocka_unit_test(blue_noise_is_for_space_without_periods),
        cmocka_unit_test(a_difference_keeps_the_lattice_of_its_first_shape),
        cmocka_unit_test(what_cannot_be_filled_is_refused),
        cmocka_unit_test(filling_twice_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
