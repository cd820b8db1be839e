/* 3 x 3 algebra, the logarithm, polar and singular value decomposition: against identities and the C library.
 */
#include "deformations.h"

static const double STRETCHES[][3] = {{1, 1, 1},  {2, 1, 0.5},      {3, 3, 0.1},     {1.2, 0.9, -0.4},
                                      {1, 1, -1}, {2, 0.7, 0},      {1, 1e-9, 0},    {1, 1e-9, -1e-9},
                                      {1, 0, 0},  {5, 1e-3, -1e-3}, {1e-6, 1e-7, 0}, {100, 99, 98}};
enum { STRETCH_COUNT = sizeof STRETCHES / sizeof *STRETCHES };

static void products_and_inverses_are_those_of_algebra(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int trial = 0; trial < 100; trial++) {
        const dlp_t3 a = random_matrix(&seed, 1), b = random_matrix(&seed, 1), one = dlp_t3_identity();
        const dlp_v3 v = {a.xy, b.zz, a.yx}, w = {b.xx, a.zz, b.yz};
        assert_near(distance(dlp_t3_product(dlp_t3_transpose(a), b), dlp_t3_transposed_product(a, b)), 0,
                    1e-15);
        assert_near(distance(dlp_t3_product(a, dlp_t3_transpose(b)), dlp_t3_product_transposed(a, b)), 0,
                    1e-15);
        assert_near(dlp_t3_determinant(dlp_t3_product(a, b)), dlp_t3_determinant(a) * dlp_t3_determinant(b),
                    1e-14);
        assert_near(dlp_t3_trace(dlp_t3_transposed_product(a, b)), dlp_t3_dot(a, b), 1e-14);
        // a^T a^-T = I where det is not small; a^T cof(a) = det I always
        assert_near(distance(dlp_t3_transposed_product(a, dlp_t3_cofactor(a)),
                             dlp_t3_mul(one, dlp_t3_determinant(a))),
                    0, 1e-14);
        assert_near(distance(dlp_t3_transposed_product(a, dlp_t3_inverse_transpose(a)), one), 0,
                    1e-13 / fabs(dlp_t3_determinant(a)));
        assert_near(dlp_t3_trace(dlp_t3_outer(v, w)), v.x * w.x + v.y * w.y + v.z * w.z, 1e-15);
        const dlp_v3 aw = dlp_t3_apply(a, w), av = dlp_t3_apply_transposed(a, v);
        assert_near(v.x * aw.x + v.y * aw.y + v.z * aw.z, av.x * w.x + av.y * w.y + av.z * w.z, 1e-14);
    }
}

static void symmetric_matrices_agree_with_general_ones(void **state)
{
    (void)state;
    uint32_t seed = 2;
    for (int trial = 0; trial < 100; trial++) {
        const dlp_t3 a = random_matrix(&seed, 1), b = random_matrix(&seed, 1);
        const dlp_s3 s = dlp_s3_of_product(a), t = dlp_s3_half(b);
        assert_near(distance(dlp_s3_full(s), dlp_t3_transposed_product(a, a)), 0, 1e-15);
        assert_near(distance(dlp_s3_full(dlp_s3_cofactor(t)), dlp_t3_cofactor(dlp_s3_full(t))), 0, 1e-14);
        assert_near(dlp_s3_dot(s, t), dlp_t3_dot(dlp_s3_full(s), dlp_s3_full(t)), 1e-14);
        assert_near(dlp_s3_determinant(t), dlp_t3_determinant(dlp_s3_full(t)), 1e-14);
        assert_near(distance(dlp_t3_product_symmetric(b, s), dlp_t3_product(b, dlp_s3_full(s))), 0, 1e-14);
        assert_near(distance(dlp_t3_product_symmetric(dlp_s3_full(t), dlp_s3_inverse(t)), dlp_t3_identity()),
                    0, 1e-13 / fabs(dlp_s3_determinant(t)));
        // positive definite: not where the least eigenvalue is below 0
        double m[9];
        to_array(a, m);
        const double least = dlp_svd(m).stretch[2] * dlp_svd(m).stretch[2];
        assert_true(dlp_s3_is_positive(dlp_s3_shift(s, -0.999 * least)));
        assert_false(dlp_s3_is_positive(dlp_s3_shift(s, -1.001 * least)));
    }
}

static void the_logarithm_is_that_of_the_library(void **state)
{
    (void)state;
    for (double y = -0.9999; y < 1e4; y += 1e-3 * (1 + fabs(y))) {
        const dlp_log_pair pair = dlp_log1p(y);
        assert_near(pair.log, log1p(y), 4e-16 * (1 + fabs(log1p(y))));
        assert_near(pair.rest, y - log1p(y), 1e-15 * (1 + fabs(y)));
    }
    for (double y = 1e-12; y < 0.01; y *= 3)  // where the difference has no digits left: its series
        for (int sign = -1; sign <= 1; sign += 2) {
            const double x = sign * y,
                         series = x * x * (0.5 - x * (1.0 / 3 - x * (0.25 - x * (0.2 - x / 6))));
            assert_near(dlp_log1p(x).rest / series, 1, 1e-11);
            assert_near(dlp_log1p(x).log / log1p(x), 1, 4e-16);
        }
}

static void check_svd(dlp_t3 f)
{
    double m[9], again[9];
    to_array(f, m);
    const dlp_svd3 svd = dlp_svd(m);
    const double tolerance = 1e-14 * size_of(f);
    dlp_svd_compose(&svd, svd.stretch, again);
    assert_near(distance(from_array(again), f), 0, tolerance);
    double rows[2][9];
    memcpy(rows[0], svd.u, sizeof svd.u);
    memcpy(rows[1], svd.v, sizeof svd.v);
    const dlp_t3 u = from_array(rows[0]), v = from_array(rows[1]), one = dlp_t3_identity();
    assert_near(distance(dlp_t3_transposed_product(u, u), one), 0, 1e-14);
    assert_near(distance(dlp_t3_transposed_product(v, v), one), 0, 1e-14);
    assert_near(dlp_t3_determinant(u), 1, 1e-14);
    assert_near(dlp_t3_determinant(v), 1, 1e-14);
    assert_true(svd.stretch[0] >= svd.stretch[1] - tolerance);
    assert_true(svd.stretch[1] >= fabs(svd.stretch[2]) - tolerance);
}

static void every_matrix_is_two_rotations_and_its_stretches(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int trial = 0; trial < 300; trial++) {
        check_svd(random_matrix(&seed, 1));
        const double *s = STRETCHES[trial % STRETCH_COUNT];
        const dlp_t3 f = with_stretches(random_rotation(&seed), random_rotation(&seed), s[0], s[1], s[2]);
        check_svd(f);
        double m[9];
        to_array(f, m);
        const dlp_svd3 svd = dlp_svd(m);
        for (int k = 0; k < 3; k++)  // of equal ones that differ in sign either may be the last
            assert_near(fabs(svd.stretch[k]), fabs(s[k]), 1e-14 * s[0]);
    }
}

static void nothing_has_no_rotation(void **state)
{
    (void)state;
    const dlp_svd3 svd = dlp_svd((const double[9]){0});
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            assert_true(svd.u[row][column] == (row == column) && svd.v[row][column] == (row == column));
            assert_true(svd.stretch[row] == 0);
        }
    check_svd(dlp_t3_diagonal(0, 0, 2));
    check_svd(dlp_t3_diagonal(-1, -1, -1));
    check_svd((dlp_t3){1, 1, 1, 1, 1, 1, 1, 1, 1});
}

// The rotation next to F: tr(R^T F) is the sum of the stretches.
static double missing_trace(dlp_rotation q, dlp_t3 f)
{
    double m[9];
    to_array(f, m);
    const dlp_svd3 svd = dlp_svd(m);
    return svd.stretch[0] + svd.stretch[1] + svd.stretch[2] - dlp_t3_dot(dlp_rotation_matrix(q), f);
}

static void the_polar_rotation_is_found_from_anywhere(void **state)
{
    (void)state;
    uint32_t seed = 4;
    for (int trial = 0; trial < 2000; trial++) {
        const double *s = STRETCHES[trial % STRETCH_COUNT];
        const dlp_t3 f =
            trial % 2 ? random_matrix(&seed, 2)
                      : with_stretches(random_rotation(&seed), random_rotation(&seed), s[0], s[1], s[2]);
        dlp_rotation q = trial % 3 ? dlp_rotation_identity() : random_quaternion(&seed);
        // from near a saddle that is almost a maximum it takes long to leave
        for (int k = 0; k < 300; k++) q = dlp_polar_step(q, f);
        assert_near(missing_trace(q, f), 0, 1e-5 * size_of(f));
        assert_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-14);
    }
}

// The iteration as published, with its exact exponential: q <- exp(omega) q, omega = sum r_i x f_i / |sum r_i
// . f_i|.
static dlp_rotation published_step(dlp_rotation q, dlp_t3 f)
{
    const dlp_t3 a = dlp_t3_transposed_product(dlp_rotation_matrix(q), f);
    const double scale = 1 / (fabs(dlp_t3_trace(a)) + 1e-9);
    const dlp_v3 g = {(a.zy - a.yz) * scale, (a.xz - a.zx) * scale, (a.yx - a.xy) * scale};
    const double angle = sqrt(g.x * g.x + g.y * g.y + g.z * g.z), s = angle > 0 ? tan(angle) / angle : 1;
    return dlp_rotation_increment(q, (dlp_v3){g.x * s, g.y * s, g.z * s});
}

// What a sub-step turns is a fraction of a radian: each iteration leaves less than 1e-2 of it, two less than
// 1e-5, where the published one leaves a third each time.
static void two_iterations_follow_a_turning_body(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int trial = 0; trial < 300; trial++) {
        const dlp_rotation before = random_quaternion(&seed);
        const dlp_v3 omega = {0.6 * random_number(&seed), 0.6 * random_number(&seed),
                              0.6 * random_number(&seed)};
        const dlp_t3 after = dlp_rotation_matrix(dlp_rotation_increment(before, omega));
        const dlp_t3 v = random_rotation(&seed), strain = with_stretches(v, v, 1.3, 1.05, 0.7);
        const dlp_t3 f = dlp_t3_product(after, strain);
        dlp_rotation q = before, published = before;
        double left = distance(dlp_rotation_matrix(before), after);
        for (int k = 0; k < 2; k++) {
            q = dlp_polar_step(q, f);
            published = published_step(published, f);
            const double now = distance(dlp_rotation_matrix(q), after);
            assert_true(now < 1e-2 * left + 1e-12);
            assert_true(now < distance(dlp_rotation_matrix(published), after));
            left = now;
        }
        assert_near(left, 0, 1e-5);
    }
}

static void a_rotation_about_one_axis_takes_one_iteration(void **state)
{
    (void)state;
    const double angle = 1.2;
    const dlp_t3 f = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
    // but for the share of K that is raised: 1e-3 |F| / 2 cos(1.2) of tan(1.2)
    assert_near(distance(dlp_rotation_matrix(dlp_polar_step(dlp_rotation_identity(), f)), f), 0, 2e-3);
}

static void what_has_no_rotation_keeps_its_own(void **state)
{
    (void)state;
    uint32_t seed = 6;
    const dlp_rotation q = random_quaternion(&seed);
    const dlp_t3 r = dlp_rotation_matrix(q);
    assert_near(distance(dlp_rotation_matrix(dlp_polar_step(q, dlp_t3_diagonal(0, 0, 0))), r), 0, 1e-15);
    // rank one along a direction that is already right
    const dlp_t3 f = dlp_t3_product(r, dlp_t3_diagonal(1, 0, 0));
    dlp_rotation p = q;
    for (int k = 0; k < 10; k++) p = dlp_polar_step(p, f);
    assert_near(distance(dlp_rotation_matrix(p), r), 0, 1e-11);
}

// From the opposite side, where the slope vanishes.
static void a_half_turn_is_found_too(void **state)
{
    (void)state;
    const dlp_t3 halves[] = {dlp_t3_diagonal(-1, -1, 1), dlp_t3_diagonal(3, -1, -1),
                             dlp_t3_diagonal(-0.5, 2, -1)};
    for (int n = 0; n < 3; n++) {
        dlp_rotation q = dlp_rotation_identity();
        for (int k = 0; k < 30; k++) q = dlp_polar_step(q, halves[n]);
        assert_near(missing_trace(q, halves[n]), 0, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_inverses_are_those_of_algebra),
        cmocka_unit_test(symmetric_matrices_agree_with_general_ones),
        cmocka_unit_test(the_logarithm_is_that_of_the_library),
        cmocka_unit_test(every_matrix_is_two_rotations_and_its_stretches),
        cmocka_unit_test(nothing_has_no_rotation),
        cmocka_unit_test(the_polar_rotation_is_found_from_anywhere),
        cmocka_unit_test(two_iterations_follow_a_turning_body),
        cmocka_unit_test(a_rotation_about_one_axis_takes_one_iteration),
        cmocka_unit_test(what_has_no_rotation_keeps_its_own),
        cmocka_unit_test(a_half_turn_is_found_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
